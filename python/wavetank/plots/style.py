"""What all plots share: colours that survive colour blindness, and how a figure's points are picked and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..lab import metrics
from ..lab.plan import Figure, Point
from ..lab.quantity import Quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, PINK, SKY, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
PALETTE = (BLUE, RED, GREEN, PINK, ORANGE, SKY)
PAPER = "#555555"
#: A group's mark, beside its colour.
MARKS = "osD^vPX*"
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.3,
    "svg.hashsalt": "wavetank",
}


def points_of(figure: Figure, panel: Mapping[str, Any]) -> list[Point]:
    """The points that a panel shows: those it names, or all."""
    return [figure.points[p] for p in panel.get("points", figure.points)]


def name_points(ax: Axes, points: Sequence[Point]) -> None:
    """The points' names below the axis, without what they all begin with, aslant where they are long."""
    parts = [p.name.split("-") for p in points]
    while len(points) > 1 and all(len(p) > 1 and p[0] == parts[0][0] for p in parts):
        parts = [p[1:] for p in parts]
    names = ["-".join(p) for p in parts]
    ax.set_xticks(range(len(points)), names)
    if max(map(len, names)) * len(points) > 34:
        ax.tick_params(axis="x", labelrotation=30)
        for label in ax.get_xticklabels():
            label.set_horizontalalignment("right")
            label.set_rotation_mode("anchor")


def titled(q: Quantity) -> str:
    """A quantity's label with its unit, if it has one: Jain's index has none."""
    return f"{q.label} ({q.unit})" if q.unit else q.label


def label_of(panel: Mapping[str, Any]) -> str:
    """The panel's own label, else its quantity's with the unit."""
    name = str(panel["quantity"])
    q = metrics.QUANTITIES.get(name)
    return str(panel.get("label", titled(q) if q else name))
