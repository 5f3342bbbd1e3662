"""Random wired scenarios out of what both waters share: client - router - server behind HTB or CAKE, skbs large or not."""

from __future__ import annotations

import random
from typing import Any

from . import linux_draw_cake

Drawn = dict[str, dict[str, Any]]


def draw(r: random.Random, cc: str, paced: bool) -> Drawn:
    """One of them for this control; ``paced``: it sets its pacing rate itself."""
    rate = r.choice([2, 5, 10, 20, 50, 100, 100, 200])
    rtt_ms = r.choice([0.5, 2, 5, 10, 20, 40, 80])
    s: Drawn = {
        "time": {"lead_in": "1 s", "flows": "20 s", "warmup": "6 s", "tail": "0 ns"},
        "topology": {"kind": "wired"},
        "bottleneck": {"place": r.choice(["local", "remote"])},
        "htb": {"rate": f"{rate} Mbit/s"},
        "netem": {"delay": f"{rtt_ms} ms", "limit": 100000},
        "tcp": {"cc": cc},
        "traffic": {"tcp_up": r.choice([1, 1, 2, 4]), "ping": "100 ms"},
    }
    queue(r, s, rate, rate * rtt_ms / 12)
    sender(r, s["tcp"], paced)
    sysctls(r, s["tcp"])
    _beside(r, s["traffic"], cc, rate)
    return s


def queue(r: random.Random, s: Drawn, rate: int, bdp: float) -> None:
    """A leaf, or CAKE in HTB's place; ``bdp``: the path's bandwidth-delay product, packets, by which a FIFO's limit goes."""
    leaf = r.choice(["pfifo", "pfifo", "pfifo", "fq_codel", "fq_codel", "fq", "bfifo", "cake", "cake"])
    s["htb"]["leaf"] = leaf
    if leaf == "cake":
        cake(r, s, rate)
    packets = max(5, round(bdp * r.choice([0.25, 0.5, 1, 2, 8])))
    if leaf == "pfifo":
        s["pfifo"] = {"limit": packets}
    elif leaf == "bfifo":
        s["bfifo"] = {"limit": f"{1514 * packets} B"}
    elif leaf == "fq":
        s["fq"] = {"flow_limit": max(packets, 20)}


def cake(r: random.Random, s: Drawn, rate: int) -> None:
    """CAKE as HTB's leaf, or in its place."""
    s["cake"] = linux_draw_cake.draw(r)
    if r.random() < 0.7:
        del s["htb"]
        s["bottleneck"]["qdisc"] = "cake"
        s["cake"]["bandwidth"] = f"{rate} Mbit/s"


#: Each is drawn alone or with another, in one scenario of three.
SYSCTLS: dict[str, list[Any]] = {
    "tlp": [False],
    "frto": [False],
    "reordering": [10],
    "rto_min": ["50 ms", "1 s"],
    "min_tso_segs": [1, 8],
    "gso_max_size": [9000, 32768],
    "wmem_max": ["128 KiB"],
    "rmem_max": ["256 KiB"],
    "pacing_ss_ratio": [120],
    "enforce_pacing": [True],
}


def sysctls(r: random.Random, tcp: dict[str, Any]) -> None:
    """One or two of :data:`SYSCTLS`, or none."""
    if r.random() < 0.35:
        for key in r.sample(sorted(SYSCTLS), r.choice([1, 1, 2])):
            tcp[key] = r.choice(SYSCTLS[key])


def _beside(r: random.Random, t: dict[str, Any], cc: str, rate: int) -> None:
    """A flood beside the flows, another control; nothing the other way, where no rate would limit it."""
    if r.random() < 0.15:
        t["udp_up"] = f"{rate // 2} Mbit/s"
    if r.random() < 0.2 and t["tcp_up"] > 1:
        t["cc"] = [cc, r.choice(["reno", "cubic", "bic", "veno"])]


def sender(r: random.Random, tcp: dict[str, Any], paced: bool) -> None:
    """Its skbs, buffers and small queue; ``paced``: the control sets its pacing rate itself."""
    if r.random() < 0.5:
        tcp["gso_max_segs"] = r.choice([1, 1, 4])
    if r.random() < 0.3:
        tcp["rcvbuf"] = f"{r.choice([64, 256, 1024, 4096])} KiB"
    if r.random() < 0.25:
        tcp["ecn"] = True
    if r.random() < 0.15:
        tcp["init_cwnd"] = r.choice([2, 4, 40])
    if not paced and r.random() < 0.2:
        tcp["limit_output_bytes"] = f"{r.choice([64, 128, 256])} KiB"
    if r.random() < 0.15:
        tcp["tsq"] = "off"
