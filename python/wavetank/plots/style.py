"""What all plots share: colours that survive colour blindness, and how a figure's points are picked and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from ..errors import printable
from ..lab import metrics
from ..lab.plan import Figure, Point
from ..lab.quantity import Quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Canvas
    from matplotlib.text import Text

BLUE, ORANGE, GREEN, PINK, SKY, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
PALETTE = (BLUE, RED, GREEN, PINK, ORANGE, SKY)
#: Where more groups than that are told apart: three dark ones, which any colour vision keeps from those and from each other.
MANY = (*PALETTE, "#000000", "#661100", "#332288")
PAPER = "#555555"
#: Dots to the inch of every PNG.
DPI = 130
#: A group's mark, beside its colour.
MARKS = "osD^vPX*<"
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
    """The points' names below the axis, without what they all begin or end with, aslant where they are long."""
    parts = [p.name.split("-") for p in points]
    while len(points) > 1 and all(len(p) > 1 and p[0] == parts[0][0] for p in parts):
        parts = [p[1:] for p in parts]
    while len(points) > 1 and all(len(p) > 1 and p[-1] == parts[0][-1] for p in parts):
        parts = [p[:-1] for p in parts]
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


def plain_log(axis: Axis) -> None:
    """A logarithmic axis with plain numbers at 1, 2 and 5 of each decade: nobody reads 4 x 10^0."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axis.set_minor_locator(NullLocator())


def headline(canvas: Canvas, text: str, size: float = 11) -> Text:
    """What a page is of, above all panels: in as many lines as it takes, for what is wider than the page is cut off."""
    title = canvas.suptitle(printable(text), fontsize=size, x=0.01, ha="left", fontweight="bold")
    wide, room = title.get_window_extent().width, 0.98 * canvas.bbox.width
    if wide > room:
        title.set_text(fill(title.get_text(), max(1, int(len(title.get_text()) * room / wide))))
    return title


def by_rows(ax: Axes, columns: int) -> tuple[list[Any], list[str]]:
    """Handles and labels of a legend of so many columns, which is filled column by column, so that it is read row by row."""
    handles, labels = ax.get_legend_handles_labels()
    order = [i for column in range(columns) for i in range(column, len(labels), columns)]
    return [handles[i] for i in order], [labels[i] for i in order]


#: What a legend above its axes is marked with.
ABOVE = "above"


def legend_above(ax: Axes, columns: int, size: float = 7.5, marks: float = 1.0) -> None:
    """A legend between the axes and their title, where it hides nothing and asks no axis to reach further than its values."""
    legend = ax.legend(
        loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=columns, fontsize=size, borderaxespad=0.2,
        columnspacing=1.2, handlelength=1.5, markerscale=marks,
    )  # fmt: skip
    legend.set_gid(ABOVE)


def title_panel(ax: Axes, text: str) -> None:
    """The panel's title, above its legend if that is above the axes."""
    legend = ax.get_legend()
    pad = None
    if legend is not None and legend.get_gid() == ABOVE and ax.figure is not None:
        box = legend.get_window_extent()
        pad = 72 / ax.figure.get_dpi() * box.height + 5
    ax.set_title(text, loc="left", pad=pad)


def from_zero(ax: Axes, unit: str, top: float | None = None) -> None:
    """A vertical axis from 0; one of percent ends at 100 where nothing is above."""
    high = ax.get_ylim()[1] if top is None else top
    if unit == "%" and ax.dataLim.y1 <= 100:
        high = min(high, 100.0)
    ax.set_ylim(0, high)


def label_of(panel: Mapping[str, Any]) -> str:
    """The panel's own label, else its quantity's with the unit."""
    name = str(panel["quantity"])
    q = metrics.QUANTITIES.get(name)
    return str(panel.get("label", titled(q) if q else name))
