"""Random wired scenarios whose path loses, doubles, reorders or delays unevenly: a function of the seed.

``netem`` stands before the server's data (a link with a rate of its own, or delays by which what has less overtakes) or before
its ACKs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from ..linux import kernels
from . import linux_draw, linux_draw_wired
from .linux_draw import PACED, Drawn

#: One of these is drawn, where a kind is.
LOSSES: tuple[dict[str, Any], ...] = (
    {"loss": 0.0005},
    {"loss": 0.003},
    {"loss": 0.01},
    {"loss": 0.03},
    {"loss": 0.02, "loss_correlation": 0.25},
    {"gemodel_p": 0.001, "gemodel_r": 0.2},
    {"gemodel_p": 0.005, "gemodel_r": 0.5},
    {"gemodel_p": 0.01, "gemodel_r": 0.3, "gemodel_1h": 0.7, "gemodel_1k": 0.0005},
)
REORDERS: tuple[dict[str, Any], ...] = (
    {"reorder": 0.002},
    {"reorder": 0.02},
    {"reorder": 0.1, "gap": 5},
    {"reorder": 0.05, "reorder_correlation": 0.5},
)
DUPLICATES: tuple[dict[str, Any], ...] = (
    {"duplicate": 0.001},
    {"duplicate": 0.02},
    {"duplicate": 0.01, "duplicate_correlation": 0.3},
)
#: Shares of the delay by which it varies, and how.
JITTERS: tuple[dict[str, Any], ...] = (
    {"jitter": 0.02},
    {"jitter": 0.1},
    {"jitter": 0.1, "distribution": "normal"},
    {"jitter": 0.2, "distribution": "paretonormal", "delay_correlation": 0.5},
)


def draw(r: random.Random, cc: str) -> Drawn:
    """One of them for this control."""
    down = r.random() < 0.65
    rate, delay_ms = r.choice([2, 5, 10, 20, 50, 100]), r.choice([2, 5, 10, 20, 40, 80])
    s: Drawn = {
        "time": {"lead_in": "1 s", "flows": "40 s", "warmup": "6 s", "tail": "0 ns"},
        "topology": {"kind": "wired"},
        "bottleneck": {"place": "remote"},
        "htb": {"rate": f"{100 if down else rate} Mbit/s"},
        "netem": {"delay": f"{delay_ms} ms", "limit": 100000},
        "tcp": {"cc": cc},
        "traffic": {"tcp_up": 0, "tcp_down": 0, "ping": "100 ms"},
    }
    s["traffic"]["tcp_down" if down else "tcp_up"] = r.choice([1, 1, 1, 2, 4])
    linux_draw_wired.sender(r, s["tcp"], cc in PACED)
    linux_draw_wired.sysctls(r, s["tcp"])
    if down:
        # With a limit that fills, TCP above it would try again and again, which takes the guest's clock no time
        # (docs/kernel-comparison/random.md, `--draw path`). So the receiver bounds the queue.
        s["tcp"]["rcvbuf"] = f"{r.choice([64, 128, 256] if rate < 20 else [128, 256, 1024])} KiB"
    else:
        linux_draw_wired.queue(r, s, rate, rate * delay_ms / 12)
    _harm(r, s, delay_ms, down)
    # Without either, groups of segments would lie on one instant, and the guest's clock decide.
    if down and ("jitter" not in s["netem"] or r.random() < 0.4):
        s["netem"]["rate"] = f"{rate} Mbit/s"
    return s


def _harm(r: random.Random, s: Drawn, delay_ms: float, down: bool) -> None:
    """One or two kinds of it. What overtakes all else on a way that takes no time is there at once: for such a round trip of no
    time the guest's TCP has a jiffy, the model a microsecond (tcp/sender/rtt.rs, D1), so that data are reordered by delays only.
    """
    netem = s["netem"]
    kinds = [LOSSES, DUPLICATES, JITTERS, *([] if down else [REORDERS])]
    for kind in r.sample(kinds, r.choice([1, 1, 2])):
        some = r.choice(kind)
        if "jitter" in some:
            some = some | {"jitter": f"{round(1000 * delay_ms * some['jitter'])} us"}
        netem |= some
    if s["tcp"].get("ecn") and {"loss", "gemodel_p"} & netem.keys() and r.random() < 0.5:
        netem["ecn"] = True


def scenarios(seed: int, count: int, kernel: str = kernels.OWN) -> Iterator[tuple[str, Drawn]]:
    """Name and keys of each, of what this kernel has; every congestion control comes once before any comes again."""
    r = random.Random(f"wavetank/path/{seed}")
    for i, cc in enumerate(linux_draw.controls(r, count, kernel)):
        s = linux_draw.possible(kernel, partial(draw, r, cc))
        t = s["traffic"]
        way = f"down{t['tcp_down']}" if t["tcp_down"] else f"up{t['tcp_up']}"
        harm = [key for key in ("loss", "gemodel_p", "reorder", "duplicate", "jitter") if key in s["netem"]]
        yield f"p{seed}-{i:03d}-{way}-{'-'.join(h.removesuffix('_p') for h in harm)}-{cc}", s
