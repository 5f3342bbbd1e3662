"""Panels of a sweep: a metric along an axis, a field over two, and one metric against another with the Pareto front."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox, BboxBase

from .. import stats
from ..lab.judge import Unmeasured
from ..lab.plan import Figure, Point
from ..sweeps.metrics import metric
from ..sweeps.result import Estimate
from .of_runs import NEAR, beyond
from .rate import tint
from .style import MARKS, PALETTE, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome

#: More colours than these are a scale of colours.
FEW = len(PALETTE)
LINES = ("-", (0, (4, 2)), (0, (1, 1.5)), (0, (5, 1, 1, 1)))
#: A legend with more entries has them in two columns.
LONG = 5
#: Positive values that span more than so much are drawn on a logarithmic axis.
WIDE = 30
#: Points of the front whose names are written.
NAMED = 40
#: Where a name may stand beside its point (right, up), the best first, and how far away, in points of type.
SIDES = ((-1, 1), (1, 1), (1, -1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0))
AWAY = (6, 14, 22, 32, 44)
#: Characters of this size along a panel's side.
TALL = 32
#: An axis reaches so many times as far as the medians for their bars: of few repetitions these may be so long that nothing else
#: could be seen. What ends a little further (NEAR) is shown whole, too.
REACH = 2.0
#: Points that lie within a smaller part of what is the largest of them are shown on an axis that does not begin at 0.
SQUEEZED = 1 / 3


def _values(outcome: Outcome, figure: Figure, point: Point, name: str) -> list[float]:
    """A metric's finite values over repetitions; none where the point has no measurement."""
    try:
        records = outcome.measured.of(figure, point)
    except Unmeasured:
        return []
    return [float(v) for v in stats.finite([metric(name).of(r, point) for r in records])]


def _bar(values: Sequence[float], name: str) -> tuple[float, float] | None:
    """The confidence interval, which ends where the metric does; None of fewer than two repetitions."""
    e = Estimate.of(values, metric(name).bounds)
    return None if e.low is None or e.high is None else (e.low, e.high)


def _top(medians: Sequence[float], ends: Sequence[float], room: float) -> float:
    """Where an axis ends: ``room`` times the largest median, or a bar that ends higher, as far as that may reach."""
    most, end = max(medians, default=0), max(ends, default=0)
    reach = end if end <= NEAR * REACH * most else REACH * most
    return max(room * most, 1.05 * reach) or 1


def _ends(medians: Sequence[float], bars: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Where an axis of points begins and ends: at 0, unless all then lay in a small part of it, far from where it begins."""
    least, most = min(medians), max(medians)
    apart = most - least
    top = _top(medians, [high for _, high in bars], 1.12)
    if least <= 0 or not 0 < apart < SQUEEZED * most:
        return 0, top
    low = max(least - REACH * apart, min([least, *(low for low, _ in bars)]))
    high = min(most + REACH * apart, max([most, *(high for _, high in bars)]))
    room = 0.15 * (high - low)
    return max(0.0, low - room), high + room


def _lines(label: str) -> str:
    """A long name in lines; its unit stays beside its last word."""
    words, bracket, unit = label.rpartition(" (")
    return fill(f"{words}\u00a0({unit}" if bracket else label, TALL)


def _tell(ax: Axes, texts: Sequence[str]) -> None:
    """Bars that the axes do not hold: below the axis's name, which may be long."""
    if told := [t for t in texts if t]:
        ax.annotate(
            f"bars: {'; '.join(told)}", (1, 0), xycoords=("axes fraction", ax.xaxis.label), xytext=(0, -2),
            textcoords="offset points", ha="right", va="top", fontsize=7, color=PAPER,
        )  # fmt: skip


def _colours(n: int) -> list[Any]:
    return list(PALETTE[:n]) if n <= FEW else [mpl.colormaps["viridis"](x) for x in np.linspace(0, 0.92, n)]


def _groups(figure: Figure, panel: Mapping[str, Any]) -> dict[tuple[str, ...], list[Point]]:
    """Points of one curve: the same on every axis but x."""
    keys = [*([panel["by"]] if panel["by"] else []), *panel["rest"]]
    out: dict[tuple[str, ...], list[Point]] = {}
    for p in figure.points.values():
        out.setdefault(tuple(p.names[k] for k in keys), []).append(p)
    return out


def _looks(panel: Mapping[str, Any], groups: Sequence[tuple[str, ...]]) -> list[dict[str, Any]]:
    """Each group's colour (its place on the axis of colours), and mark and line (what is left)."""
    first = list(panel["order"][panel["by"]]) if panel["by"] else [""]
    colours = _colours(len(first))
    rests = list(dict.fromkeys(g[1:] for g in groups))
    out = []
    for g in groups:
        i = first.index(g[0]) if g else 0
        j = rests.index(g[1:]) if g else 0
        mark = MARKS[(j if len(rests) > 1 else i) % len(MARKS)]
        keys = [k for k in (panel["by"], *panel["rest"]) if k]
        plain = len(keys) == 1 and keys[0] in panel["names"]
        name = ", ".join(v if plain else f"{panel['short'][k]} {v}" for k, v in zip(keys, g, strict=True))
        out.append({"color": colours[i], "marker": mark, "linestyle": LINES[j % len(LINES)], "label": name})
    return out


def _name_groups(ax: Axes, count: int, panel: Mapping[str, Any], above: bool = False) -> None:
    """A legend, above all panels or within; of a scale of colours with many steps the first, the last and some between."""
    if count < 2:
        return
    handles, labels = ax.get_legend_handles_labels()
    if count > 2 * FEW and not panel["rest"]:
        keep = sorted({round(i) for i in np.linspace(0, count - 1, FEW)})
        handles, labels = [handles[i] for i in keep], [labels[i] for i in keep]
    if not above:
        ax.legend(handles, labels, loc="best", ncols=2 if len(labels) > LONG else 1, fontsize=7.5)
        return
    # an inch holds 15 characters of this size; the mark takes the room of six
    wide = (max(map(len, labels)) + 6) / 15
    columns = max(1, min(len(labels), int(0.9 * ax.figure.get_figwidth() / wide)))  # type: ignore[union-attr]
    rows = math.ceil(len(labels) / columns)
    columns = math.ceil(len(labels) / rows)  # it fills column by column: no more of them than as many rows take
    ax.set_title("\n" * rows, fontsize=8)  # room for it
    legend = ax.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=columns, fontsize=8, borderaxespad=0.2
    )
    legend.set_in_layout(False)  # it may reach over the panels beside


def sweep(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A metric along the axis x, its median over repetitions with a confidence interval: a curve a value of the others."""
    x = str(panel["x"])
    order = list(panel["order"][x])
    numeric = all(x in p.x for p in figure.points.values())
    groups = _groups(figure, panel)
    spread = 0.0 if numeric else 0.5 / max(len(groups), 1)
    medians: list[float] = []
    ends: list[float] = []
    for i, (points, look) in enumerate(zip(groups.values(), _looks(panel, list(groups)), strict=True)):
        found = [(p, v) for p in points if (v := _values(outcome, figure, p, panel["quantity"]))]
        aside = spread * (i - (len(groups) - 1) / 2)
        xs = [p.x[x] if numeric else order.index(p.names[x]) + aside for p, _ in found]
        middle = [float(np.median(v)) for _, v in found]
        style = look if numeric else {**look, "linestyle": "none"}
        ax.plot(xs, middle, markersize=3.8, linewidth=1.0, **style)
        for at, (_, v) in zip(xs, found, strict=True):
            if (bar := _bar(v, panel["quantity"])) is not None:
                ax.vlines(at, *bar, color=look["color"], linewidth=1.0, alpha=0.75)
                ends.append(bar[1])
        medians += middle
    if numeric:
        _scale(ax, sorted({p.x[x] for p in figure.points.values()}))
    else:
        ax.set_xticks(range(len(order)), order)
        ax.set_xlim(-0.6, len(order) - 0.4)
        if sum(map(len, order)) > 40:
            ax.tick_params(axis="x", labelrotation=30)
    if min(medians, default=0) >= 0:
        top = _top(medians, ends, 1.05)
        ax.set_ylim(0, min(top, 1.05) if panel["quantity"] == "jain" else top)
        _tell(ax, [beyond(np.array(ends), top)])
    ax.set_xlabel(panel["labels"][x])
    ax.set_ylabel(_lines(str(panel["label"])))
    if panel["legend"]:
        _name_groups(ax, len(groups), panel, above=True)


def _scale(ax: Axes, values: Sequence[float]) -> None:
    """Ticks where the values are, if they are few; a logarithmic axis where they grow by factors."""
    if len(values) > 2 and values[0] > 0 and values[-1] / values[0] >= WIDE:
        ax.set_xscale("log")
        ax.set_xticks(list(values) if len(values) <= 10 else [], minor=False)
        ax.minorticks_off()
        if len(values) > 10:
            ax.xaxis.set_major_locator(mpl.ticker.LogLocator(numticks=8))
        ax.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda v, _: f"{v:g}"))
    elif len(values) <= 10 and _apart(values):
        ax.set_xticks(list(values), [f"{v:g}" for v in values])


def _apart(values: Sequence[float]) -> bool:
    """Whether ticks at these places do not run into each other."""
    reach = values[-1] - values[0]
    return len(values) < 2 or min(b - a for a, b in pairwise(values)) > 0.05 * reach


def field(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A metric's median over two axes of numbers, as colours."""
    x, by = str(panel["x"]), str(panel["by"])
    columns, rows = (sorted({p.x[k] for p in figure.points.values()}) for k in (x, by))
    cells = np.full((len(rows), len(columns)), np.nan)
    for p in figure.points.values():
        v = _values(outcome, figure, p, panel["quantity"])
        cells[rows.index(p.x[by]), columns.index(p.x[x])] = float(np.median(v)) if v else math.nan
    if not np.isfinite(cells).any():
        raise Unmeasured("no point has a value")
    most = np.nanmax(np.abs(cells))
    digits = 0 if most >= 20 else 1 if most >= 2 else 2
    tint(ax, cells, ([f"{v:g}" for v in columns], [f"{v:g}" for v in rows]), str(panel["label"]), digits)
    ax.set_xlabel(panel["labels"][x])
    ax.set_ylabel(panel["labels"][by])


def _left_out(bars: Sequence[tuple[float, float]], ends: tuple[float, float], above: str, below: str) -> list[str]:
    """Bars that an axis does not hold, in words."""
    # Below 0 there is nothing, and an interval that ends there no longer than one that ends at 0.
    under = [low for low, _ in bars if low < ends[0] > 0]
    told = f"{len(under)} {below}, down to {min(under):.3g}" if under else ""
    return [beyond(np.array([high for _, high in bars]), ends[1], above), told]


def pareto(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A gain against a cost, medians over repetitions; what is on the front is ringed, joined and named."""
    groups = _groups(figure, panel)
    places: dict[str, tuple[float, float]] = {}
    far: list[tuple[float, float]] = []
    high: list[tuple[float, float]] = []
    for points, look in zip(groups.values(), _looks(panel, list(groups)), strict=True):
        for p in points:
            cost, gain = (_values(outcome, figure, p, panel[k]) for k in ("cost", "quantity"))
            if cost and gain:
                at_cost, at_gain = places[p.name] = (float(np.median(cost)), float(np.median(gain)))
                faint: dict[str, Any] = {"color": look["color"], "linewidth": 0.8, "alpha": 0.35}
                if (bar := _bar(cost, panel["cost"])) is not None:
                    ax.hlines(at_gain, *bar, **faint)
                    far.append(bar)
                if (bar := _bar(gain, panel["quantity"])) is not None:
                    ax.vlines(at_cost, *bar, **faint)
                    high.append(bar)
        at = np.array([places[p.name] for p in points if p.name in places]).reshape(-1, 2)
        if all(str(panel["x"]) in p.x for p in points):  # names have no order
            ax.plot(at[:, 0], at[:, 1], linewidth=0.7, alpha=0.5, color=look["color"], linestyle=look["linestyle"])
        ax.scatter(at[:, 0], at[:, 1], s=22, color=look["color"], marker=look["marker"], label=look["label"], zorder=3)
    if not places:
        raise Unmeasured("no point has a value")
    for front in panel["fronts"]:
        best = np.array([places[n] for n in front]).reshape(-1, 2)
        ax.plot(best[:, 0], best[:, 1], color=PAPER, linewidth=1.0, linestyle=(0, (4, 3)), zorder=2)
        ax.scatter(best[:, 0], best[:, 1], s=80, facecolors="none", edgecolors=PAPER, linewidths=1.0, zorder=4)
    costs, gains = zip(*places.values(), strict=True)
    if min(costs) > 0 and max(costs) / min(costs) >= WIDE:
        ax.set_xscale("log")
        ax.set_xlim(0.8 * min(costs), _top(costs, [end for _, end in far], 1.25))
        ax.xaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda v, _: f"{v:g}"))
        ax.minorticks_off()
    else:
        ax.set_xlim(*_ends(costs, far))
    ax.set_ylim(*_ends(gains, high))
    _tell(
        ax,
        [
            *_left_out(high, ax.get_ylim(), "above", "below"),
            *_left_out(far, ax.get_xlim(), "to the right", "to the left"),
        ],
    )
    ax.set_xlabel(str(panel["cost_label"]))
    ax.set_ylabel(str(panel["label"]))
    _name_front(ax, figure, panel, places)
    _name_groups(ax, len(groups), panel)


def _name_front(ax: Axes, figure: Figure, panel: Mapping[str, Any], places: Mapping[str, tuple[float, float]]) -> None:
    """The value on the axis x beside points of the front: to the upper left, where nothing can lie, or else as near as there is
    room, with a line to its point where that is further off."""
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]  # puts the axes where they will be
    x = str(panel["x"])
    named = list(chain.from_iterable(panel["fronts"]))[:NAMED]
    points = ax.transData.transform(list(places.values()))
    marks = {name: Bbox.from_bounds(px - 5, py - 5, 10, 10) for name, (px, py) in zip(places, points, strict=True)}
    labels: list[Bbox] = []
    for name in named:
        others = [*labels, *(mark for other, mark in marks.items() if other != name)]
        text = ax.annotate(
            figure.points[name].names[x], places[name], xytext=(0, 0), textcoords="offset points", fontsize=7.5, color=PAPER,
            zorder=5, arrowprops={"arrowstyle": "-", "color": PAPER, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 5},
        )  # fmt: skip
        labels.append(_put(text, ax.bbox, others))


def _put(text: Annotation, within: BboxBase, taken: Sequence[Bbox]) -> Bbox:
    """Moves a label to the nearest place at which it covers the least of what is taken; gives what it takes itself, pixels."""
    best = (math.inf, SIDES[0], 0)
    for away in AWAY:
        for side in SIDES:
            crowd = _at(text, side, away, within, taken)
            if crowd < best[0]:
                best = (crowd, side, away)
        if best[0] == 0:
            break
    _, side, away = best
    _at(text, side, away, within, taken)
    if text.arrow_patch is not None:
        text.arrow_patch.set_visible(away != AWAY[0])
    return Bbox(Text.get_window_extent(text).get_points())


def _at(text: Annotation, side: tuple[int, int], away: int, within: BboxBase, taken: Sequence[Bbox]) -> float:
    """Puts a label so many points away on a side; gives the area of what it covers there, and of what is outside of the axes."""
    (right, up), far = side, 0.7 if all(side) else 1.0
    text.set(
        position=(right * away * far, up * away * far),
        ha=("right", "center", "left")[right + 1],
        va=("top", "center", "bottom")[up + 1],
    )
    text.get_window_extent()  # the label with its line, which puts it there
    box = Text.get_window_extent(text)
    inside = Bbox.intersection(box, within)
    outside = box.width * box.height - (inside.width * inside.height if inside else 0.0)
    return outside + sum(x.width * x.height for t in taken if (x := Bbox.intersection(box, t)) is not None)
