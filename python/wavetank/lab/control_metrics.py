"""What the flows of one congestion control get beside those of another (``traffic.cc``, ``stations.cc``)."""

from __future__ import annotations

import math

from .. import _core
from .quantity import Quantity, scalar
from .records import Record


def quantities() -> dict[str, Quantity]:
    """``goodput@bbr``, Mbit/s, and ``goodput_share@bbr``, % of all TCP goodput; NaN where the run has no such flow."""
    out: dict[str, Quantity] = {}
    for cc in _core.registry()["cc"]:
        out |= _of(cc)
    return out


def _of(cc: str) -> dict[str, Quantity]:
    def goodputs(r: Record) -> tuple[list[float], float]:
        tcp = [(c, f[2]) for f, c in zip(r["flow_goodput"], r["flow_cc"], strict=True) if f[0] == "tcp"]
        return [g for c, g in tcp if c == cc], sum(g for _, g in tcp)

    def total(r: Record) -> float:
        own, _ = goodputs(r)
        return float(sum(own)) if own else math.nan

    def share(r: Record) -> float:
        own, every = goodputs(r)
        return 100 * sum(own) / every if own and every else math.nan

    return {
        f"goodput@{cc}": scalar(total, "Mbit/s", f"Goodput of {cc}"),
        f"goodput_share@{cc}": scalar(share, "%", f"{cc}'s share of TCP's goodput"),
    }
