"""A run's state at a time: sockets, disciplines, mac80211's queues, drivers and their hardware.

Numbers have the names and units of what prints them: ``TCP_INFO`` (include/uapi/linux/tcp.h: microseconds, segments, bytes, bytes
a second), ``tc -j``, mac80211's debugfs. What the model does not keep is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Bbr(NamedTuple):
    """What BBR tells (include/uapi/linux/inet_diag.h ``tcp_bbr_info``)."""

    #: Bandwidth that it believes in, bytes a second.
    bw: int
    #: Least round trip of the last ten seconds, us; None: none yet.
    min_rtt_us: int | None
    #: Gains, in 1/256.
    pacing_gain: int
    cwnd_gain: int


@dataclass(frozen=True)
class Socket:
    """A TCP socket. ``local`` and ``remote`` are addresses and ports as in the run's captures."""

    #: Number of its flow in the run's ``flows``.
    flow: int
    #: The host at the other end.
    peer: str
    local: tuple[str, int]
    remote: tuple[str, int]
    #: As ``ss`` names it: ESTAB, FIN-WAIT-1, ...
    state: str
    #: Bytes that its program has not read, and bytes written that are not acknowledged.
    recv_q: int
    send_q: int
    #: Its congestion control.
    cc: str
    #: ``TCP_INFO`` by the kernel's names (``tcpi_snd_cwnd``, ...) and in its units; fields that are not kept are missing.
    info: Mapping[str, int] = field(repr=False)
    #: ``SO_MEMINFO``: ``rmem_alloc``, ``rcvbuf``, ``wmem_alloc``, ``sndbuf``, ``wmem_queued`` (bytes), ``drops`` (packets).
    mem: Mapping[str, int] = field(repr=False)
    bbr: Bbr | None = None


@dataclass(frozen=True)
class Qdisc:
    """A queueing discipline. ``options`` and ``stats`` are by the names of ``tc -j``: packets, bytes, microseconds.

    Names that CAKE prints (``diffserv3``, ``triple-isolate``) are the kernel's numbers (include/uapi/linux/pkt_sched.h).
    """

    kind: str
    #: None: the device's root; else the class above it (``1:1``: HTB's, ``:1`` to ``:4``: mq's, voice first).
    parent: str | None
    #: Of what has left it, its own segments each counted.
    sent_bytes: int | None
    sent_packets: int | None
    dropped: int
    backlog_bytes: int
    backlog_packets: int
    options: Mapping[str, int] = field(repr=False)
    stats: Mapping[str, int] = field(repr=False)
    #: Of each of CAKE's tins, in ``tc``'s order: the least first.
    tins: tuple[Mapping[str, int], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Txq:
    """One of mac80211's queues, as ``stations/*/aqm`` has it (net/mac80211/debugfs_sta.c ``sta_aqm_read``)."""

    tid: int
    #: 0: voice, 1: video, 2: best effort, 3: background.
    ac: int
    backlog_bytes: int
    backlog_packets: int
    #: Flows that became new ones.
    new_flows: int
    #: Packets that CoDel dropped and marked.
    drops: int
    marks: int
    #: Times that a flow of it paid because all queues were full.
    overlimit: int
    #: Packets that found their flow taken by another queue.
    collisions: int
    tx_bytes: int
    tx_packets: int
    #: A Block Ack session of mac80211's stands.
    ampdu: bool


@dataclass(frozen=True)
class Airtime:
    """A peer's airtime, us (net/mac80211/debugfs_sta.c ``sta_airtime_read``, ``sta_aql_read``); by category: VO, VI, BE, BK."""

    rx_us: int
    tx_us: int
    weight: int
    deficit_us: tuple[int, ...]
    #: Estimated, of what the device holds (AQL).
    pending_us: tuple[int, ...]


@dataclass(frozen=True)
class RateLine:
    """A line of ``rc_stats`` (net/mac80211/rc80211_minstrel_ht_debugfs.c ``minstrel_ht_stats_dump``)."""

    #: HT, VHT, OFDM, CCK.
    kind: str
    width_mhz: int
    short_gi: bool
    streams: int
    #: Place in its group, and the kernel's number.
    index: int
    number: int
    #: Six characters: A to D best by throughput, P robust, S waits to be sampled; blank where not.
    flags: str
    airtime_us: int
    #: What is shown as max_tp and avg(tp).
    max_tp: float
    avg_tp: float
    prob_percent: float
    #: Tries in a chain, as they were counted last; 0: never.
    retry: int
    #: MPDUs of the interval before the last update.
    last_success: int
    last_attempts: int
    #: MPDUs in all.
    success: int
    attempts: int


@dataclass(frozen=True)
class Station:
    """A peer of a radio. Without TXQs (a qdisc above the driver) ``txqs`` is empty and ``airtime`` None."""

    name: str
    txqs: tuple[Txq, ...]
    airtime: Airtime | None
    #: None: rate control has no statistics.
    rates: tuple[RateLine, ...] | None
    #: MPDUs an A-MPDU, smoothed, as rate control has it.
    ampdu_mean: float | None


@dataclass(frozen=True)
class Phy:
    """mac80211's queues of a radio as a whole (debugfs.c ``aqm_read``, ``aql_txq_limit_read``, ``aql_pending_read``)."""

    #: ``fq_backlog`` (packets), ``fq_overlimit`` (times), ``fq_memory_usage`` (bytes) and so on, each what its name says.
    fq: Mapping[str, int]
    #: AQL's low limit, high limit and threshold, us; None: the driver does not ask for it.
    aql_us: tuple[int, int, int] | None
    aql_enabled: bool | None
    #: By category, us.
    aql_pending_us: tuple[int, ...]
    airtime_fairness: bool


@dataclass(frozen=True)
class HwQueue:
    """A hardware queue: aggregates, single frames and Block Ack requests in it."""

    units: int
    #: Of these, units under a Block Ack session that are no probes (ath9k: ``axq_ampdu_depth``).
    agreements: int
    mpdus: int
    #: Packets that their receiver has not got.
    packets: int


@dataclass(frozen=True)
class TidHeld:
    """What driver or firmware keep for a peer's TID, and its Block Ack window (802.11 sequence numbers)."""

    peer: str
    tid: int
    agreement: bool
    #: The lowest number that is not settled, the number that the next MPDU gets, the window's width.
    start: int
    next: int
    size: int
    #: Numbers from ``start`` on that were handed out.
    open: int
    #: Packets without a number yet; MPDUs that wait, with one: failed ones, and what did not fit.
    fresh: int
    retry: int
    #: Packets of both that their receiver has not got.
    packets: int
    #: A Block Ack request is out.
    paused: bool


@dataclass(frozen=True)
class Radio:
    """A radio: what stands above its driver, the driver, the hardware. Counts of packets where nothing else is said."""

    driver: str
    phy: Phy | None
    stations: tuple[Station, ...]
    #: Voice, video, best effort, background.
    hardware: tuple[HwQueue, ...]
    tids: tuple[TidHeld, ...]
    #: The driver's own: ath10k's ``num_pending_tx``, ath9k_htc's ``queued_cnt``, ...
    counts: Mapping[str, int]
    #: Segments behind a qdisc that the device had no room for; in FIFOs of the device's own.
    cut: int
    #: Packets that stand with another in a TXQ, as one A-MSDU.
    joined: int
    fifo: int
    #: In driver and hardware; between air and mac80211; in reorder buffers; held back by TAO.
    held: int
    received: int
    reorder: int
    tao: int


@dataclass(frozen=True)
class Device:
    """A network device, named as in the second water. ``qdiscs``: the root first; empty: noqueue."""

    name: str
    qdiscs: tuple[Qdisc, ...]
    #: Of a wired one: ``ring`` and ``cable`` (packets), ``requeued`` (segments), ``bql_limit`` (bytes).
    counts: Mapping[str, int]
    radio: Radio | None


@dataclass(frozen=True)
class Host:
    """A host: its sockets by flow, its devices, and packets between these and its stack."""

    name: str
    sockets: tuple[Socket, ...]
    devices: tuple[Device, ...]
    received: int


@dataclass(frozen=True)
class State:
    """The state at a time.

    * ``at_s``: the time (s since the run's start);
    * ``hosts``: by name; empty on linux, where all there is are the texts;
    * ``held``: packets that are somewhere in all of it; None on linux;
    * ``files``: what ``ss``, ``tc`` and debugfs print, by the names that the files get (docs/state.md).
    """

    at_s: float
    hosts: Mapping[str, Host]
    held: int | None
    files: Mapping[str, str] = field(repr=False)
