"""Random options of CAKE, for scenarios of both waters; its rate is the scenario's."""

from __future__ import annotations

import random
from typing import Any

#: Values that an option takes, the default not among them.
OPTIONS: dict[str, tuple[Any, ...]] = {
    "ack_filter": ("enabled", "aggressive"),
    "atm": ("atm", "ptm"),
    "diffserv": ("diffserv4", "diffserv8", "besteffort", "precedence"),
    "flowmode": ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost"),
    "ingress": (True,),
    "memlimit": ("64 KiB", "256 KiB"),
    "mpu": (64, 200),
    "overhead": (-14, 18, 44),
    "rtt": ("5 ms", "30 ms", "300 ms"),
    "split_gso": (False,),
    "wash": (True,),
}


def draw(r: random.Random) -> dict[str, Any]:
    """Up to three of them."""
    return {key: r.choice(OPTIONS[key]) for key in r.sample(sorted(OPTIONS), r.choice([0, 1, 2, 3]))}
