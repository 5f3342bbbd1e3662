"""Files of debugfs as the kernel writes them: mac80211's, ath9k's and ath9k_htc's; and ``driver``, the model's own.

src: linux@6.12 net/mac80211/debugfs.c ``aqm_read``, ``airtime_flags_read``, ``aql_txq_limit_read``, ``aql_pending_read``;
net/mac80211/debugfs_sta.c ``sta_aqm_read``, ``sta_airtime_read``, ``sta_aql_read``; net/mac80211/rc80211_minstrel_ht_debugfs.c
``minstrel_ht_stats_open``; drivers/net/wireless/ath/ath9k/debug.c ``read_file_queues``, debug_sta.c ``read_file_node_aggr``,
htc_drv_debug.c ``read_file_queue``. Differs: D1 what the model does not keep is ``-`` where a line has a place for it, else
missing. D2 data TIDs 0 to 7 only.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import _core
from .snapshot import Airtime, Phy, Radio, RateLine, Station

#: Access categories in mac80211's order.
ACS = ("VO", "VI", "BE", "BK")


def files(radio: Radio) -> Iterator[tuple[str, str]]:
    """Every file of a card and of its peers, by its name below the host's folder."""
    own_queues = radio.driver in ("ath9k", "ath9k_tidq")
    if radio.phy is not None:
        for name, text in card(radio.phy):
            if (name, radio.driver) != ("airtime_flags", "ath9k_htc"):  # which reports no airtime, whatever is set
                yield name, text
    for s in radio.stations:
        if s.airtime is not None:
            yield f"stations/{s.name}/airtime", airtime(s.airtime)
            if radio.phy is not None and radio.phy.aql_us is not None:
                yield f"stations/{s.name}/aql", aql(s.airtime, radio.phy.aql_us)
        if s.txqs:
            yield f"stations/{s.name}/aqm", aqm(s, amsdu=_core.drivers()[radio.driver]["permits_amsdus"])
        if s.rates is not None:
            yield f"stations/{s.name}/rc_stats", rc_stats(s)
        if own_queues:
            yield f"stations/{s.name}/node_aggr", node_aggr(radio, s.name)
    if own_queues:
        yield "ath9k/queues", queues(radio)
    if radio.driver == "ath9k_htc":
        yield "ath9k_htc/queue", htc_queue(radio)
    yield "driver", driver(radio)


def card(phy: Phy) -> Iterator[tuple[str, str]]:
    """mac80211's files of a card."""
    flags = "AIRTIME_TX\t(1)\nAIRTIME_RX\t(2)\n" if phy.airtime_fairness else ""
    yield "airtime_flags", flags
    pending = [f"{ac:<7}{us} us" for ac, us in zip(ACS, phy.aql_pending_us, strict=True)]
    yield "aql_pending", "\n".join(["AC     AQL pending", *pending, f"total  {sum(phy.aql_pending_us)} us"]) + "\n"
    if phy.aql_us is not None:
        low, high, threshold = phy.aql_us
        yield "aql_enable", f"{int(bool(phy.aql_enabled))}\n"
        yield "aql_threshold", f"{threshold}\n"
        rows = "".join(f"{ac}\t{low}\t\t{high}\n" for ac in ACS)
        yield "aql_txq_limit", f"AC\tAQL limit low\tAQL limit high\n{rows}"
    # 6.12 prints each of these two under the other's name.
    swapped = {"fq_overlimit": "fq_overmemory", "fq_overmemory": "fq_overlimit"}
    lines = []
    for name, n in phy.fq.items():
        access = "RW" if name in ("fq_memory_limit", "fq_limit", "fq_quantum") else "R"
        lines.append(f"{access} {name} {phy.fq[swapped[name]] if name in swapped else n}\n")
    yield "aqm", "access name value\n" + "".join(lines)


def aqm(s: Station, amsdu: bool = False) -> str:
    """``sta_aqm_read``. A session has A-MSDUs off unless the peer takes them (``SUPPORTS_AMSDU_IN_AMPDU``), as the
    driver's own cards tell.
    """
    rows = ["tid ac backlog-bytes backlog-packets new-flows drops marks overlimit collisions tx-bytes tx-packets flags"]
    for t in s.txqs:
        session = "0x2(RUN AMPDU)" if amsdu else "0x6(RUN AMPDU NO-AMSDU)"
        flags = session if t.ampdu else "0x0(RUN)"
        numbers = (
            t.tid, t.ac, t.backlog_bytes, t.backlog_packets, t.new_flows, t.drops, t.marks, t.overlimit, t.collisions, t.tx_bytes,
            t.tx_packets,
        )  # fmt: skip
        rows.append(" ".join(map(str, numbers)) + f" {flags}")
    return "\n".join(rows) + "\n"


def airtime(a: Airtime) -> str:
    """``sta_airtime_read``."""
    deficit = " ".join(f"{ac}: {us} us" for ac, us in zip(ACS, a.deficit_us, strict=True))
    return f"RX: {a.rx_us} us\nTX: {a.tx_us} us\nWeight: {a.weight}\nDeficit: {deficit}\n"


def aql(a: Airtime, limits: tuple[int, int, int]) -> str:
    """``sta_aql_read``."""
    depth = " ".join(f"{ac}: {us} us" for ac, us in zip(ACS, a.pending_us, strict=True))
    limit = " ".join(f"{ac}: {limits[0]}/{limits[1]}" for ac in ACS)
    return f"Q depth: {depth}\nQ limit[low/high]: {limit}\n"


def rc_stats(s: Station) -> str:
    """``minstrel_ht_stats_open``, without the packets in all, which are not kept."""
    assert s.rates is not None and s.ampdu_mean is not None
    rows = [
        "",
        "              best    ____________rate__________    ____statistics___    _____last____    ______sum-of________",
        "mode guard #  rate   [name   idx airtime  max_tp]  [avg(tp) avg(prob)]  [retry|suc|att]  [#success | #attempts]",
        *map(_rate, s.rates),
        "",
    ]
    if s.ampdu_mean:
        mean = int(s.ampdu_mean * 10)
        rows.append(f"Average # of aggregated frames per A-MPDU: {mean // 10}.{mean % 10}")
    return "\n".join(rows) + "\n"


def _rate(r: RateLine) -> str:
    gi = "S" if r.short_gi else "L"
    mode = {
        "HT": f"HT{r.width_mhz}  {gi}GI  {r.streams}  ",
        "VHT": f"VHT{r.width_mhz} {gi}GI {r.streams}  ",
        "OFDM": "OFDM       1 ",
    }.get(r.kind, f"CCK    {'L' if r.index < 4 else 'S'}P  1 ")
    # src: rc80211_minstrel_ht.c minstrel_cck_bitrates, minstrel_ofdm_bitrates
    legacy = {"OFDM": (60, 90, 120, 180, 240, 360, 480, 540), "CCK": (10, 20, 55, 110) * 2}
    name = {"HT": f"  MCS{(r.streams - 1) * 8 + r.index:<2}", "VHT": f"  MCS{r.index}/{r.streams}"}.get(r.kind)
    if name is None:
        rate = legacy[r.kind][r.index]
        name = f"   {rate // 10:>2}.{rate % 10}M"
    return (
        f"{mode}{r.flags}{name}  {r.number:>3}  {r.airtime_us:>6}  {r.max_tp:>6.1f}    {r.avg_tp:>6.1f}     "
        f"{r.prob_percent:>5.1f}     {r.retry:>3}   {r.last_success:>3} {r.last_attempts:<3}   {r.success:>9}   {r.attempts:<9}"
    )


def queues(radio: Radio) -> str:
    """``read_file_queues``: numbers of hardware queues and what is pending are ``-``, but for what ath9k_tidq keeps."""
    rows = []
    for ac, q in zip(ACS, radio.hardware, strict=True):
        pending = radio.counts.get(f"pending_{ac}", "-")
        rows.append(f"({ac}):  qnum: - qdepth: {q.units:>2} ampdu-depth: {q.agreements:>2} pending: {pending:>3}\n")
    return "".join(rows)


def node_aggr(radio: Radio, peer: str) -> str:
    """``read_file_node_aggr``, TIDs in use. BAW_HEAD and BAW_TAIL are places in a ring; here 0 and what is between them."""
    widths = (3, 11, 10, 10, 10, 10, 9, 6, 8)
    names = ("TID", "SEQ_START", "SEQ_NEXT", "BAW_SIZE", "BAW_HEAD", "BAW_TAIL", "BAR_IDX", "SCHED", "PAUSED")
    rows = ["".join(f"{n:>{w}}" for n, w in zip(names, widths, strict=True))]
    for t in radio.tids:
        if t.peer == peer and t.agreement:
            numbers = (t.tid, t.start, t.next, t.size, 0, t.open, "-", "-")
            rows.append("".join(f"{n!s:>{w}}" for n, w in zip(numbers, widths, strict=False)))
    return "\n".join(rows) + "\n"


def htc_queue(radio: Radio) -> str:
    """``read_file_queue``: of its lines the one that is kept."""
    return f"{'Queued count':>20} : {radio.counts['queued_cnt']:>10}\n"


def driver(radio: Radio) -> str:
    """What driver and hardware hold, ``name value`` a line: the model's own."""
    rows = [("driver", radio.driver), ("held", radio.held), ("received", radio.received), ("reorder", radio.reorder)]
    rows += [
        (name, n)
        for name, n in (("cut", radio.cut), ("joined", radio.joined), ("fifo", radio.fifo), ("tao", radio.tao))
        if n
    ]
    rows += list(radio.counts.items())
    for ac, q in zip(ACS, radio.hardware, strict=True):
        rows += [(f"hardware_{ac}_{k}", n) for k, n in vars(q).items() if q.units]
    for t in radio.tids:
        own = {k: int(n) for k, n in vars(t).items() if k not in ("peer", "tid")}
        rows += [(f"{t.peer}_tid{t.tid}_{k}", n) for k, n in own.items()]
    return "".join(f"{name} {value}\n" for name, value in rows)
