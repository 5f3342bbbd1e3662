"""What pictures of single runs share (``run --plot``, ``compare``, ``analyze``): nodes' colours, flows' dashes, axes' limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import stats
from ..measured import Measured
from ..report import number
from ..stats import FloatArray
from .style import PALETTE, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: So many stations have colours of their own.
MOST = len(PALETTE)
#: The access point's colour.
AP = "#777777"
#: Dashes of a station's flows, which share its colour: those that go up, and those that come down.
DASHES: dict[str, tuple[Any, ...]] = {
    "up": ("-", (0, (1, 1.2)), (0, (9, 1.2, 1.2, 1.2)), (0, (14, 2.5))),
    "down": ("--", "-.", (0, (1, 2.6)), (0, (5, 1.2, 1, 1.2, 1, 1.2))),
}
#: A legend's lines, in its font's size: as long as it takes to see the longest of these dashes and its gap, which was solid else.
HANDLE = 4.0


#: What is above an axis by no more than this factor is no outlier: the axis holds it.
NEAR = 1.25


def station_colour(station: int) -> str:
    """The colour of a station by its place, from 0."""
    return PALETTE[station % MOST]


def node_colours(names: Sequence[str]) -> dict[str, str]:
    """Each node's colour: grey for the access point, a station's by its number; others (real addresses) in their order."""
    out: dict[str, str] = {}
    for name in names:
        number = re.fullmatch(r"sta(\d+)", name)
        if name == "ap":
            out[name] = AP
        else:
            out[name] = station_colour(int(number[1]) - 1 if number else len(out))
    return out


def limits(ax: Axes, values: FloatArray) -> None:
    """An axis without wild outliers, which it tells of where there are any: below the axes, where no curve is."""
    low, high = stats.spread(values)
    most = float(stats.finite(values).max(initial=0.0))
    if most <= NEAR * high:
        high = max(high, 1.04 * most)
    ax.set_ylim(low, high)
    if told := beyond(values, high):
        ax.annotate(
            told, (1, 0), xycoords="axes fraction", xytext=(0, -19), textcoords="offset points", ha="right", va="top",
            fontsize=7, color=PAPER,
        )  # fmt: skip


def beyond(values: FloatArray, high: float, where: str = "above") -> str:
    """What an axis that ends there leaves out, in words; nothing of nothing."""
    out = stats.finite(values)[stats.finite(values) > high]
    return f"{out.size} {where}, up to {number(float(out.max()))}" if out.size else ""


def airtime_percent(t: FloatArray, airtime_us: FloatArray) -> FloatArray:
    """Airtime between samples (us) as a share of the time between them (%)."""
    step = float(np.median(np.diff(t))) * 1e6 if t.size > 1 else 1.0
    return 100 * airtime_us / step


def while_flowing(r: Measured, t: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A flow's samples until flows end: behind that a socket's figures stand still and say nothing."""
    if v.size != t.size:
        return t, v  # what this flow does not have: cwnd of a datagram's
    alive = t <= r.flows_end + 1e-9
    return t[alive], v[alive]
