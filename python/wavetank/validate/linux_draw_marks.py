"""Random wired scenarios that mark: DCTCP, CUBIC and Reno with ECN, BBR and its variants, behind what marks.

A function of the seed. They have a draw of their own, so that no other seed draws otherwise than it did.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from ..linux import kernels
from . import linux_draw, linux_draw_wired
from .linux_draw import Drawn

#: Every one comes once before any comes again; DCTCP, for which a threshold is there, three times.
CONTROLS = ("dctcp", "dctcp", "dctcp", "cubic", "cubic", "reno", "bbr", "bbrp", "bbr-plus", "bbr-dev")
#: They set their pacing rate themselves.
PACED = ("bbr", "bbrp", "bbr-plus", "bbr-dev")
#: The commonest first.
LEAVES = ("fq_codel", "fq_codel", "fq_codel", "fq", "fq", "cake", "cake")
#: Waits beyond which all is marked.
THRESHOLDS = ("0 ns", "100 us", "1 ms", "1 ms", "5 ms")


def draw(r: random.Random, cc: str) -> Drawn:
    """One of them for this control."""
    s = linux_draw_wired.draw(r, cc, cc in PACED)
    for section in ("pfifo", "bfifo", "fq", "cake"):
        s.pop(section, None)
    s["bottleneck"].pop("qdisc", None)
    s["traffic"].pop("cc", None)  # hosts listen with one control for all
    rate = r.choice([5, 20, 50, 100, 200])
    s["htb"] = {"rate": f"{rate} Mbit/s"}
    s["netem"]["delay"] = f"{r.choice([0.5, 2, 5, 10, 20, 40])} ms"
    if "udp_up" in s["traffic"]:
        s["traffic"]["udp_up"] = f"{rate // 4} Mbit/s"
    if cc == "dctcp":
        s["tcp"].pop("ecn", None)  # it asks for it whatever is said
    else:
        s["tcp"]["ecn"] = True
    _marks(r, s, rate)
    if cc == "dctcp" and r.random() < 0.3:
        s["dctcp"] = r.choice([{"dctcp_shift_g": 2}, {"dctcp_shift_g": 6}, {"dctcp_alpha_on_init": 0}])
    return s


def _marks(r: random.Random, s: Drawn, rate: int) -> None:
    """What marks: a threshold of fq_codel's or fq's, CoDel itself, CAKE."""
    leaf = r.choice(LEAVES)
    s["htb"]["leaf"] = leaf
    if leaf == "cake":
        linux_draw_wired.cake(r, s, rate)
        return
    queue: dict[str, Any] = {}
    if leaf == "fq" or r.random() < 0.8:
        queue["ce_threshold"] = r.choice(THRESHOLDS)
    if leaf == "fq_codel":
        if r.random() < 0.4:
            queue["flows"] = r.choice([1, 8])
        if r.random() < 0.4:
            queue["target"] = r.choice(["1 ms", "20 ms"])
    s[leaf] = queue


def scenarios(seed: int, count: int, kernel: str = kernels.OWN) -> Iterator[tuple[str, Drawn]]:
    """Name and keys of each, of what this kernel has."""
    r = random.Random(f"wavetank/marks/{seed}")
    left: list[str] = []
    for i in range(count):
        if not left:
            left = [cc for cc in CONTROLS if kernels.lacking(kernel, {"tcp.cc": cc}) is None]
            r.shuffle(left)
        s = linux_draw.possible(kernel, partial(draw, r, left.pop()))
        yield f"m{seed}-{i:03d}-{linux_draw.called(s).removeprefix('wired-')}", s
