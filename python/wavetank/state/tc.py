"""Disciplines as ``tc -s -d qdisc show`` prints them.

src: iproute2 (7.1) tc/tc_qdisc.c ``print_qdisc``, tc/tc_util.c ``print_tcstats2_attr``, tc/q_fq_codel.c ``fq_codel_print_opt``,
``fq_codel_print_xstats``, tc/q_fq.c ``fq_print_opt``, ``fq_print_xstats``, tc/q_fifo.c, tc/q_prio.c, tc/q_netem.c (CAKE:
cake.py); handles as the second water has them (``python/wavetank/linux/queues.py``). Differs: D1 what the model does not keep is
``-`` where a line has a place for it (overlimits, requeues, fq_codel's maxpacket), else missing: HTB's options, fq's bands and
weights. D2 no ``lo``; no ``refcnt``, which counts the kernel's references. D3 aaq's limit is shown, which tc does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from . import cake
from .shown import rate, size, span
from .snapshot import Device, Qdisc

Options = Mapping[str, int]


def text(devices: Sequence[Device]) -> str:
    """What ``tc -s -d qdisc show`` prints in the host's namespace."""
    return "".join(f"{line}\n" for d in devices for line in _device(d))


def _device(d: Device) -> Iterator[str]:
    classes = [q for q in d.qdiscs if q.parent is not None and q.parent.startswith(":")]
    if not d.qdiscs:
        # src: linux@6.12 net/sched/sch_generic.c noqueue_enqueue: nothing ever passes it
        yield from _lines("noqueue", "0:", d.name, "root ", "", _counts(0, 0, 0), (0, 0), [])
    elif classes:
        total = [
            sum(n) for n in zip(*((q.sent_bytes or 0, q.sent_packets or 0, q.dropped) for q in classes), strict=True)
        ]
        backlog = sum(q.backlog_bytes for q in classes), sum(q.backlog_packets for q in classes)
        yield from _lines("mq", "0:", d.name, "root ", "", _counts(*total), backlog, [])
    for q in d.qdiscs:
        root = q.parent is None
        handle = "1:" if q.kind == "htb" and root else "0:" if classes or (root and q.kind == "pfifo_fast") else "10:"
        place = "root " if root else f"parent {q.parent} "
        counts = _counts(q.sent_bytes, q.sent_packets, q.dropped)
        backlog = q.backlog_bytes, q.backlog_packets
        options = "".join(OPTIONS[q.kind](q.options)) if q.kind in OPTIONS else ""
        stats = list(STATS[q.kind](q)) if q.kind in STATS else []
        yield from _lines(q.kind, handle, d.name, place, options, counts, backlog, stats)


def _lines(
    kind: str, handle: str, dev: str, place: str, options: str, counts: str, backlog: tuple[int, int], stats: list[str]
) -> Iterator[str]:
    yield f"qdisc {kind} {handle} dev {dev} {place}{options}"
    yield counts
    yield f" backlog {size(backlog[0])} {backlog[1]}p requeues -"
    yield from stats


def _counts(sent: int | None, packets: int | None, dropped: int) -> str:
    def known(n: int | None) -> str:
        return "-" if n is None else str(n)

    return f" Sent {known(sent)} bytes {known(packets)} pkt (dropped {dropped}, overlimits - requeues -) "


def _fq_codel(o: Options) -> Iterator[str]:
    yield f"limit {o['limit']}p flows {o['flows']} quantum {o['quantum']} target {span(o['target'])} "
    if "ce_threshold" in o:
        yield f"ce_threshold {span(o['ce_threshold'])} "
    yield f"interval {span(o['interval'])} memory_limit {size(o['memory_limit'])} "
    if o["ecn"]:
        yield "ecn "
    yield f"drop_batch {o['drop_batch']} "


def _fq_codel_stats(q: Qdisc) -> Iterator[str]:
    s = q.stats
    marks = f" ce_mark {s['ce_mark']}" if s["ce_mark"] else ""
    used = f" memory_used {s['memory_used']}" if s["memory_used"] else ""
    over = f" drop_overmemory {s['drop_overmemory']}" if s["drop_overmemory"] else ""
    yield (
        f"  maxpacket - drop_overlimit {s['drop_overlimit']} new_flow_count {s['new_flow_count']} "
        f"ecn_mark {s['ecn_mark']}{marks}{used}{over}"
    )
    yield f"  new_flows_len {s['new_flows_len']} old_flows_len {s['old_flows_len']}"


def _fq(o: Options) -> Iterator[str]:
    yield f"limit {o['limit']}p flow_limit {o['flow_limit']}p orphan_mask {o['orphan_mask']} quantum {size(o['quantum'])} "
    yield f"initial_quantum {size(o['initial_quantum'])} refill_delay {span(o['refill_delay'])} "
    if "ce_threshold" in o:
        yield f"ce_threshold {span(o['ce_threshold'])} "
    yield f"timer_slack {span(o['timer_slack_ns'] / 1000)} horizon {span(o['horizon'])} horizon_drop "


def _fq_stats(q: Qdisc) -> Iterator[str]:
    s = q.stats
    bands = " ".join(f"band{b}_pkts {s[f'band{b}_pkts']}" for b in range(3))
    yield f"  flows {s['flows']} (inactive {s['inactive']} throttled {s['throttled_flows']}) {bands}"
    marks = f" ce_mark {s['ce_mark']}" if s["ce_mark"] else ""
    yield f"  gc - highprio - throttled {s['throttled']}{marks}"


def _netem(o: Options) -> Iterator[str]:
    """src: iproute2 tc/q_netem.c ``netem_print_opt``; which distribution it is the kernel does not tell."""

    def percent(n: int) -> str:
        return f"{100 * n / (2**32 - 1):g}%"

    def leaning(key: str) -> str:
        return f" {percent(o[key])}" if key in o else ""

    yield f"limit {o['limit']}"
    if o["delay"]:
        yield f" delay {span(o['delay'])}"
        if o["jitter"]:
            yield f"  {span(o['jitter'])}{leaning('delay_correlation')}"
    if o["loss"]:
        yield f" loss {percent(o['loss'])}{leaning('loss_correlation')}"
    if "p" in o:
        yield " loss gemodel" + "".join(f" {key} {percent(o[key])}" for key in ("p", "r", "1-h", "1-k"))
    if "duplicate" in o:
        yield f" duplicate {percent(o['duplicate'])}{leaning('duplicate_correlation')}"
    if o["reorder"]:
        yield f" reorder {percent(o['reorder'])}{leaning('reorder_correlation')}"
    if "rate" in o:
        yield f" rate {rate(o['rate'])}"
        if over := o.get("packetoverhead", 0):
            yield f" packetoverhead {over - 2**64 if over >= 2**63 else over}"
    if "ecn" in o:
        yield " ecn "
    if o["gap"]:
        yield f" gap {o['gap']}"


#: What stands behind a discipline's place, by kind; ``pfifo_fast``'s is its default.
OPTIONS: dict[str, Callable[[Options], Iterator[str]]] = {
    "fq_codel": _fq_codel,
    "fq": _fq,
    "cake": cake.options,
    "pfifo": lambda o: iter([f"limit {o['limit']}p"]),
    "bfifo": lambda o: iter([f"limit {size(o['limit'])}"]),
    "aaq": lambda o: iter([f"limit {o['limit']}p "]),
    "netem": _netem,
    "pfifo_fast": lambda o: iter(["bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1"]),
}
#: Lines of its own.
STATS: dict[str, Callable[[Qdisc], Iterator[str]]] = {"fq_codel": _fq_codel_stats, "fq": _fq_stats, "cake": cake.stats}
