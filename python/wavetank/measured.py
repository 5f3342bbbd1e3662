"""What a run gives: typed flows, pings, nodes and queues with their arrays, and the summary made of them.

All times are seconds since the run's start, on the simulated clock. ``window`` is the judging window: from
``time.warmup`` (two seconds, if nothing else is said) after the flows' start to ``time.cooldown`` (none) before their end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from . import state, stats, units
from .errors import unknown
from .named import Named
from .state import State
from .stats import FloatArray

if TYPE_CHECKING:
    from ._core import CoreFlow, CoreResult

Series = Mapping[str, FloatArray]

#: Unit of each column of a flow's, node's and qdisc's series. The names are the kernel's where it has one.
UNITS: dict[str, str] = {
    "t": "s",
    "received": "bytes",
    "delay_ms": "ms",
    "acked": "bytes",
    "snd_cwnd": "segments",
    "snd_ssthresh": "segments",
    "srtt_ms": "ms",
    "min_rtt_ms": "ms",
    "unacked": "segments",
    "retrans": "segments",
    "pacing_bps": "bit/s",
    "delivery_bps": "bit/s",
    "notsent": "bytes",
    "rtt_ms": "ms",
    "airtime_tx_us": "us",
    "airtime_rx_us": "us",
    "avg_aggr_size": "packets",
    "tx_bitrate_mbit": "Mbit/s",
    "rx_bitrate_mbit": "Mbit/s",
    "rx_bad_share": "share",
    "backlog_packets": "packets",
    "backlog_bytes": "bytes",
    "dropped": "packets",
}


#: Why a PPDU has no more MPDUs, in the order of :attr:`Node.ends`: not said; the Block Ack window was closed; it is as large
#: as may be; nothing more was queued; it is a single frame.
ENDS = ("unsaid", "window", "full", "dry", "single")

#: Names of the DSCP values. src: RFC 2474 (CS), RFC 2597 (AF), RFC 3246 (EF), RFC 5865 (VA), RFC 8622 (LE)
DSCP = (
    {8 * i: f"CS{i}" for i in range(8)}
    | {8 * i + 2 * j: f"AF{i}{j}" for i in range(1, 5) for j in range(1, 4)}
    | {1: "LE", 44: "VA", 46: "EF"}
)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b, equal_nan=True)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float) and isinstance(b, float) and np.isnan(a):
        return bool(np.isnan(b))
    return bool(a == b)


def _known(share: float) -> float | None:
    return None if np.isnan(share) else share


class _ByValue:
    """Equal if all fields are, arrays among them, and NaN where the other has NaN."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        told = (f.name for f in fields(self) if f.compare)  # type: ignore[arg-type]
        return all(_same(getattr(self, n), getattr(other, n)) for n in told)

    __hash__ = None  # type: ignore[assignment]


def _by_name(of: object, **fields: str) -> None:
    """Fields that are asked for by name: what one of each is called."""
    for name, what in fields.items():
        object.__setattr__(of, name, Named(getattr(of, name), what))


@dataclass(frozen=True, eq=False)
class Flow(_ByValue):
    """One flow.

    ``name``: as in tables ("up1 sta2"); ``direction``: "up" (a station sends) or "down"; ``station``: its place (0: sta1);
    ``kind``: "tcp" or "udp"; ``dscp``: its mark ("CS0"); ``bytes_window``, ``goodput_mbit``: payload that the receiver got in the
    window (bytes; Mbit/s);
    ``retransmits`` (segments), ``rtos`` (None: not measured): in all of the run; ``delivered_ce``: segments that ACKs with ECE
    acknowledged, as ss(8) has it (with RFC 3168's ECN all that follow a mark until CWR arrives; None: of UDP, or not measured).
    ``series`` has arrays of one length, one value a sample: ``t`` (s),
    ``received`` (bytes of payload that the receiver has got since the start), and of TCP ``acked`` (bytes), ``snd_cwnd``,
    ``snd_ssthresh``, ``unacked`` (segments), ``srtt_ms`` (NaN: no round trip yet), ``min_rtt_ms``, ``retrans`` (segments),
    ``pacing_bps``, ``delivery_bps`` (bit/s), ``notsent`` (bytes); of UDP ``delay_ms`` (mean delay one way of what arrived since
    the sample before; NaN where nothing did).

    ``delivery``, of UDP: what became of the datagrams that the program sent within the window: ``sent`` and
    ``arrived`` (datagrams, until the run's end), ``delay_ms`` (one way, from socket to program: ``p10``, ``p50``, ``p90``,
    ``p99`` within 1 %, ``mean``) and ``jitter_ms`` (RFC 3550's estimate at the window's end). None where it was not measured
    (on the real kernel: of datagrams that have no room for a time, 8 bytes).

    ``error``: the error in which its connection ended before the run did, as errno(3) has it: "ETIMEDOUT" where Linux gave up
    (``tcp_retries2``; fifteen window probes in a row that the host's own queue refused). None: it lived.
    """

    name: str
    direction: str
    station: int
    kind: str
    dscp: str
    cc: str
    bytes_window: int
    goodput_mbit: float
    retransmits: int
    rtos: int | None
    series: Series = field(repr=False)
    delivery: Mapping[str, Any] | None = None
    error: str | None = None
    delivered_ce: int | None = None

    def __post_init__(self) -> None:
        """A wrong name is answered with those that there are."""
        _by_name(self, series="series")

    def goodput(self) -> tuple[FloatArray, FloatArray]:
        """Goodput between samples: times (s, the later sample's) and Mbit/s, both one shorter than the series."""
        t, received = self.series["t"], self.series["received"]
        dt = np.diff(t)
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(dt > 0, np.diff(received) * 8e-6 / dt, np.nan)
        return t[1:], rate


def _delivery(d: Mapping[str, Any]) -> dict[str, Any]:
    lost = 1 - d["arrived"] / d["sent"] if d["sent"] else None
    return {
        "sent": d["sent"],
        "arrived": d["arrived"],
        "loss": lost,
        "delay_ms": dict(d["delay_ms"]),
        "jitter_ms": d["jitter_ms"],
    }


def _flow(raw: CoreFlow) -> Flow:
    values: dict[str, Any] = {**raw, "dscp": DSCP.get(raw["dscp"], str(raw["dscp"]))}
    # The core has every column, those of the other transport without a value: pandas takes columns of one length only.
    series = {c: v for c, v in raw["series"].items() if v.size == raw["series"]["t"].size}
    if "srtt_ms" in series:
        series["srtt_ms"] = np.where(series["srtt_ms"] > 0, series["srtt_ms"], np.nan)
    return Flow(**values | {"series": series})


#: Kinds of the ping itself: which one it is, ``traffic.ping_udp`` says.
PINGS = ("icmp", "udp")


@dataclass(frozen=True, eq=False)
class Ping(_ByValue):
    """One series of echoes: ``t`` (s, when sent) and ``rtt_ms`` (NaN: lost)."""

    name: str
    station: int
    t: FloatArray = field(repr=False)
    rtt_ms: FloatArray = field(repr=False)

    @property
    def kind(self) -> str:
        """Its name without the station's: icmp or udp (PINGS), or one of RRUL's own: udp_be, ..."""
        return self.name.partition(" ")[0]


class Mode(NamedTuple):
    """How data PPDUs were modulated, and how many there were of them in the window.

    ``mcs``: of 802.11n over all streams (15: two), of 802.11ac within one count of streams, of 802.11a the rate's place.
    """

    mcs: int
    streams: int
    width_mhz: int
    short_gi: bool
    mbit: float
    ppdus: int
    mpdus: int
    #: Whose mode it is: dsss, ofdm, ht, vht, he; a network may have stations of an older standard.
    phy: str = ""
    #: Guard interval, ns: 400 or 800, of 802.11ax 800, 1600 or 3200; 0 of DSSS.
    gi_ns: int = 800


@dataclass(frozen=True, eq=False)
class Node(_ByValue):
    """A radio in the window. Histograms have 65 entries, for k = 0..64, and with 802.11ax 257.

    * ``ampdu_hist[k]``: data PPDUs of k MPDUs that it sent; ``rx_hist[k]``: that were sent to it;
    * ``rx_bad[k]``: data PPDUs to it with k MPDUs that were not decoded;
    * ``runs[k]``: how often k further PPDUs followed one of its own before another station's;
    * ``ends``: its PPDUs by why no more MPDUs were in them (:data:`ENDS`);
    * ``modes``: data PPDUs that it sent, by how they were modulated (attempts, as in ``ampdu_hist``);
    * ``rx_modes``: the same of those that were sent to it;
    * ``rate``: what its rate control counted in the whole run (AASRC and AARC: units, frames, probes, ...); empty for others;
    * ``airtime_fraction``, ``airtime_rx_fraction``: share of the window that its PPDUs, and those sent to it, took (NaN: not
      measured);
    * ``ampdu_mean``: the mean A-MPDU that it sent (MPDUs), where PPDUs were not counted, as in a Flent file of a test bed; else
      None, for the histogram has it;
    * ``unanswered``: of what it sent, PPDUs that no response came to;
    * ``series``, a value a sample, of what happened since the sample before: ``airtime_tx_us`` and ``airtime_rx_us`` (of its
      PPDUs, and of those sent to it), ``avg_aggr_size`` (MPDUs a PPDU that it sent), ``tx_bitrate_mbit`` and ``rx_bitrate_mbit``
      (mean over the MPDUs that it sent, and that were sent to it), ``rx_bad_share`` (of the MPDUs sent to it, those that were
      lost); NaN where there was none;
    * ``acks``: what became of its TCP ACKs in all of the run, where TCP/HACK is on or they are counted: ``made``, ``native``,
      ``restored`` (ACKs), ``native_bytes``, ``compressed_bytes``, ``waited_us`` and so on (docs/mechanisms/hack.md).
    """

    name: str
    ampdu_hist: FloatArray = field(repr=False)
    airtime_fraction: float
    series: Series = field(repr=False)
    rx_hist: FloatArray = field(repr=False)
    rx_bad: FloatArray = field(repr=False)
    ends: FloatArray = field(repr=False)
    runs: FloatArray = field(repr=False)
    airtime_rx_fraction: float
    modes: tuple[Mode, ...] = field(default=(), repr=False)
    rx_modes: tuple[Mode, ...] = field(default=(), repr=False)
    rate: Mapping[str, int] = field(default_factory=dict, repr=False)
    unanswered: int = 0
    acks: Mapping[str, float] | None = field(default=None, repr=False)
    ampdu_mean: float | None = None

    def __post_init__(self) -> None:
        """A wrong name is answered with those that there are."""
        _by_name(self, series="series")

    def mean_mcs(self) -> float | None:
        """The mean MCS of its MPDUs; None where it sent none."""
        sent = sum(m.mpdus for m in self.modes)
        return sum(m.mcs * m.mpdus for m in self.modes) / sent if sent else None


@dataclass(frozen=True, eq=False)
class Measured(_ByValue):
    """One run; :class:`wavetank.Result` says what each field is."""

    scenario: str
    seed: int
    simulated_s: float
    wall_s: float = field(compare=False)
    #: Events that the model handled; None: a water without such.
    events: int | None
    window: tuple[float, float]
    flows: tuple[Flow, ...]
    pings: tuple[Ping, ...]
    nodes: Mapping[str, Node]
    qdiscs: Mapping[str, Series] = field(repr=False)
    drops: Mapping[str, int]
    ledger: Mapping[str, int] = field(repr=False)
    digest: str
    resolved: Mapping[str, str] = field(repr=False)
    #: What it ran on: "model", "linux" or "testbed".
    water: str = "model"
    #: Figures of its flows that this water did not measure: retransmits, rtos, udp goodput.
    unknown: frozenset[str] = frozenset()
    #: The state of every host at the times that it was asked for.
    states: tuple[State, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """A wrong name is answered with those that there are."""
        _by_name(self, nodes="radio", qdiscs="queue", resolved="key")
        object.__setattr__(self, "qdiscs", Named({k: Named(s, "series") for k, s in self.qdiscs.items()}, "queue"))

    @classmethod
    def from_core(cls, raw: CoreResult, wall_s: float) -> Self:
        """Types what the core returned."""
        return cls(
            scenario=raw["scenario"],
            seed=raw["seed"],
            simulated_s=raw["simulated_s"],
            wall_s=wall_s,
            events=raw["events"],
            window=(float(raw["window"][0]), float(raw["window"][1])),
            flows=tuple(_flow(f) for f in raw["flows"]),
            pings=tuple(Ping(**p) for p in raw["pings"]),
            nodes={
                k: Node(
                    k,
                    n["ampdu_hist"],
                    n["airtime_fraction"],
                    n["series"],
                    n["rx_hist"],
                    n["rx_bad"],
                    n["ends"],
                    n["runs"],
                    n["airtime_rx_fraction"],
                    tuple(Mode(*m) for m in n["modes"]),
                    tuple(Mode(*m) for m in n["rx_modes"]),
                    n["rate"],
                    n["unanswered"],
                    n.get("acks"),
                )
                for k, n in raw["nodes"].items()
            },
            qdiscs=raw["qdiscs"],
            drops=raw["drops"],
            ledger=raw["ledger"],
            digest=raw["digest"],
            resolved=raw["resolved"],
            states=tuple(state.from_core(s) for s in raw["states"]),
        )

    @property
    def flows_start(self) -> float:
        """When the flows start (s): the window's start less ``time.warmup``."""
        return self.window[0] - units.span(self.resolved.get("time.warmup", "2 s")) / 1e9

    @property
    def flows_end(self) -> float:
        """When the flows end (s): ``time.cooldown`` after the window."""
        return self.window[1] + units.span(self.resolved.get("time.cooldown", "0 s")) / 1e9

    def within(self, t: FloatArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which of these times (s) lie in the judging window."""
        return (t >= self.window[0] - 1e-9) & (t <= self.window[1] + 1e-9)

    def flows_of(self, direction: str | None = None, kind: str | None = None) -> list[Flow]:
        """Flows of a direction ("up", "down") and kind ("tcp", "udp"). Raises UserError for another."""
        for what, got, names in (("direction", direction, ("up", "down")), ("kind of flow", kind, ("tcp", "udp"))):
            if got is not None and got not in names:
                raise unknown(what, str(got), names)
        return [f for f in self.flows if direction in (None, f.direction) and kind in (None, f.kind)]

    def goodput_sum(self, direction: str | None, kind: str = "tcp") -> tuple[FloatArray, FloatArray]:
        """Goodput summed over flows: times (s) and Mbit/s; empty arrays without such flows."""
        flows = self.flows_of(direction, kind)
        if not flows:
            return np.empty(0), np.empty(0)
        t = flows[0].goodput()[0]
        total = np.zeros_like(t)
        for f in flows:
            ft, rate = f.goodput()
            same = ft.size == t.size and np.array_equal(ft, t)
            total += np.nan_to_num(rate if same else np.interp(t, ft, rate))
        return t, total

    def ping(self, *kinds: str) -> tuple[FloatArray, FloatArray]:
        """Round trips of these kinds (none named: of the ping itself) over all stations: times (s) and ms (NaN: lost)."""
        found = [p for p in self.pings if p.kind in (kinds or PINGS)]
        if not found:
            return np.empty(0), np.empty(0)
        return np.concatenate([p.t for p in found]), np.concatenate([p.rtt_ms for p in found])

    def in_window(self, series: Series, column: str) -> FloatArray:
        """A column's samples within the judging window."""
        values: FloatArray = series[column][self.within(series["t"])]
        return values

    def summary(self) -> dict[str, Any]:
        """The summary that ``run --json`` prints; its keys are stable."""
        t, rtt = self.ping()
        flows = []
        for f in self.flows:
            tcp = f.kind == "tcp"
            flows.append(
                {
                    "name": f.name,
                    "direction": f.direction,
                    "station": f.station,
                    "kind": f.kind,
                    "cc": f.cc,
                    "goodput_mbit": f.goodput_mbit,
                    "tcp_rtt_ms": stats.quantiles(self.in_window(f.series, "srtt_ms")) if tcp else None,
                    "cwnd_segments": stats.quantiles(self.in_window(f.series, "snd_cwnd")) if tcp else None,
                    "retransmits": f.retransmits,
                    "rtos": f.rtos,
                    "delivered_ce": f.delivered_ce,
                    "dscp": f.dscp,
                    **({} if f.error is None else {"error": f.error}),
                    **({} if f.delivery is None else {"delivery": _delivery(f.delivery)}),
                }
            )
        others = {p.kind for p in self.pings}.difference(PINGS)
        return {
            "scenario": self.scenario,
            "seed": self.seed,
            "simulated_s": self.simulated_s,
            "wall_s": self.wall_s,
            "events": self.events,
            "flows": flows,
            "ping_ms": stats.quantiles(rtt[self.within(t)]),
            "pings": {"sent": int(self.within(t).sum()), "lost": int(np.isnan(rtt[self.within(t)]).sum())},
            "ping_ms_of": {
                p.name.partition(" ")[2]: stats.quantiles(p.rtt_ms[self.within(p.t)])
                for p in self.pings
                if p.kind in PINGS and " " in p.name
            },
            "udp_ping_ms": {n: stats.quantiles(self.ping(n)[1][self.within(self.ping(n)[0])]) for n in sorted(others)},
            "ampdu": {
                name: stats.ampdu(n.ampdu_hist) if n.ampdu_mean is None else stats.ampdu_of_mean(n.ampdu_mean)
                for name, n in self.nodes.items()
            },
            "mcs": {name: n.mean_mcs() for name, n in self.nodes.items()},
            "modes": {name: [m._asdict() for m in n.modes] for name, n in self.nodes.items()},
            "airtime": {name: _known(n.airtime_fraction) for name, n in self.nodes.items()},
            "airtime_rx": {name: _known(n.airtime_rx_fraction) for name, n in self.nodes.items()},
            **self._acks(),
            "drops": dict(self.drops),
            "jain": stats.jain([f.goodput_mbit for f in self.flows_of(kind="tcp") or self.flows])
            if self.flows
            else None,
            "window_s": list(self.window),
            "ledger": dict(self.ledger),
            "digest": self.digest,
            **({"states": [asdict(s) for s in self.states]} if self.states else {}),
        }

    def _acks(self) -> dict[str, Any]:
        found = {name: n.acks for name, n in self.nodes.items() if n.acks is not None}
        if not found:
            return {}
        made = sum(a["made"] for a in found.values())
        return {
            "acks": {name: dict(a) for name, a in found.items()},
            "acks_carried": sum(a["restored"] for a in found.values()) / made if made else None,
        }
