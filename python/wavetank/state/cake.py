"""CAKE as ``tc -s -d qdisc show`` prints it.

src: iproute2 (7.1) tc/q_cake.c ``cake_print_opt``, ``cake_print_xstats``; numbers: linux@6.12 include/uapi/linux/pkt_sched.h
CAKE_*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .shown import rate, size, span
from .snapshot import Qdisc

DIFFSERV = ("diffserv3", "diffserv4", "diffserv8", "besteffort", "precedence")
FLOWMODE = ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate")
ACK_FILTER = ("no-ack-filter", "ack-filter", "ack-filter-aggressive")
ATM = ("noatm", "atm", "ptm")


def options(o: Mapping[str, int]) -> Iterator[str]:
    """What stands behind its place."""
    yield f"bandwidth {rate(o['bandwidth']) if o['bandwidth'] else 'unlimited'} "
    yield f"{DIFFSERV[o['diffserv']]} {FLOWMODE[o['flowmode']]} nonat {'wash' if o['wash'] else 'nowash'} "
    if o["ingress"]:
        yield "ingress "
    yield f"{ACK_FILTER[o['ack-filter']]} {'split-gso' if o['split_gso'] else 'no-split-gso'} rtt {span(o['rtt'])} "
    if o["raw"]:
        yield "raw "
    if o["atm"] or not o["raw"]:
        yield f"{ATM[o['atm']]} "
    yield f"overhead {o['overhead']} "
    if o["mpu"]:
        yield f"mpu {o['mpu']} "
    if o["memlimit"]:
        yield f"memlimit {size(o['memlimit'])} "


#: A line of each tin: its title, the number, how it is written.
LINES: tuple[tuple[str, str, Callable[[int], str]], ...] = (
    ("thresh", "threshold_rate", rate),
    ("target", "target_us", span),
    ("interval", "interval_us", span),
    ("pk_delay", "peak_delay_us", span),
    ("av_delay", "avg_delay_us", span),
    ("sp_delay", "base_delay_us", span),
    ("backlog", "backlog_bytes", size),
    ("pkts", "sent_packets", str),
    ("bytes", "sent_bytes", str),
    ("way_inds", "way_indirect_hits", str),
    ("way_miss", "way_misses", str),
    ("way_cols", "way_collisions", str),
    ("drops", "drops", str),
    ("marks", "ecn_mark", str),
    ("ack_drop", "ack_drops", str),
    ("sp_flows", "sparse_flows", str),
    ("bk_flows", "bulk_flows", str),
    ("un_flows", "unresponsive_flows", str),
    ("max_len", "max_pkt_len", str),
    ("quantum", "flow_quantum", str),
)
#: What the tins are called, by how many there are.
TITLES = {3: ("Bulk", "Best Effort", "Voice"), 4: ("Bulk", "Best Effort", "Video", "Voice")}


def stats(q: Qdisc) -> Iterator[str]:
    """Lines of its own."""
    s = q.stats
    yield f" memory used: {size(s['memory_used'])} of {size(s['memory_limit'])}"
    yield f" capacity estimate: {rate(s['capacity_estimate'])}"
    yield f" min/max network layer size: {s['min_network_size']:12} /{s['max_network_size']:8}"
    yield f" min/max overhead-adjusted size: {s['min_adj_size']:8} /{s['max_adj_size']:8}"
    yield f" average network hdr offset: {s['avg_hdr_offset']:12}"
    yield ""
    titles = TITLES.get(len(q.tins), [f"Tin {i}" for i in range(len(q.tins))])
    yield " " * 10 + "".join(f" {title:>12}" for title in titles)
    for title, key, shown in LINES:
        yield f"  {title:8}" + "".join(f" {shown(tin[key]):>12}" for tin in q.tins)
    yield ""
