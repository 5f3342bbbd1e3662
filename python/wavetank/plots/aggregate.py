"""Panels of aggregates: size distributions of many points or of each client, why aggregates end, goodput in groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np

from .. import stats
from ..lab import metrics
from ..lab.plan import Figure, Point
from ..stats import FloatArray
from .bands import Band, bands_at, between, mark
from .style import BLUE, PALETTE, PAPER, from_zero, legend_above, points_of, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome

#: More curves than this are told apart by a scale of colours, and only some are named.
FEW = 6
#: In the order of ``metrics``' ``end_*``: what the thesis calls baw, good, tidqe, single.
ENDS = {"window": "window closed", "full": "full", "dry": "queue ran dry", "single": "single frame"}


def _pool(outcome: Outcome, figure: Figure, point: Point, quantity: str) -> FloatArray:
    q = metrics.QUANTITIES[quantity]
    return stats.finite(np.concatenate([q.samples(r) for r in outcome.measured.of(figure, point)]))


def _colours(n: int) -> list[Any]:
    return list(PALETTE[:n]) if n <= FEW else [mpl.colormaps["viridis"](x) for x in np.linspace(0, 0.92, n)]


def _named(i: int, n: int) -> bool:
    return n <= FEW or i in (0, 1, 3, n - 6, n - 1)


def steps(ax: Axes, curves: list[tuple[str, FloatArray]], label: str) -> None:
    """Cumulative distributions of samples, a curve each."""
    n = len(curves)
    for i, ((name, samples), colour) in enumerate(zip(curves, _colours(n), strict=True)):
        if samples.size == 0:
            continue
        values, counts = np.unique(samples, return_counts=True)
        share = np.cumsum(counts) / samples.size
        ax.step(
            np.concatenate([[values[0]], values]), np.concatenate([[0], share]), where="post", color=colour,
            linewidth=1.2, label=name if _named(i, n) else None,
        )  # fmt: skip
    ax.set_ylim(0, 1.02)
    ax.set_xlim(left=0)
    ax.set_xlabel(label)
    ax.set_ylabel("Share of at most so much")
    ax.legend(loc="best")


def cdf(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """The distribution of a quantity's samples, pooled over repetitions: a curve a point."""
    quantity = str(panel["quantity"])
    curves = [(p.name, _pool(outcome, figure, p, quantity)) for p in points_of(figure, panel)]
    q = metrics.QUANTITIES[quantity]
    steps(ax, curves, panel.get("label", titled(q)))


def clients(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """The same of one point: a curve a client. Of many the two that differ most are named, the others grey."""
    (point,) = points_of(figure, panel)
    stations = [n for n in outcome.measured.of(figure, point)[0]["airtime_rx"] if n != "ap"]
    every = {n: _pool(outcome, figure, point, f"{panel['quantity']}@{n}") for n in stations}
    every = {k: v for k, v in every.items() if v.size}
    odd = list(every)
    if len(every) > FEW:
        middle = float(np.median([v.mean() for v in every.values()]))
        odd = sorted(every, key=lambda k: -abs(every[k].mean() - middle))[:2]
        odd.sort(key=list(every).index)  # a client has one colour in every panel
    for k in sorted(every, key=lambda k: k in odd):
        values, counts = np.unique(every[k], return_counts=True)
        named = k in odd
        ax.step(
            np.concatenate([[values[0]], values]),
            np.concatenate([[0], np.cumsum(counts) / counts.sum()]),
            where="post",
            color=PALETTE[odd.index(k)] if named else "#aaaaaa",
            label=k if named else None,
        )
    if len(odd) < len(every):
        ax.plot([], [], color="#aaaaaa", label="each other client")
    ax.set_ylim(0, 1.02)
    ax.set_xlim(left=0)
    ax.set_xlabel(panel["label"])
    ax.set_ylabel("Share of at most so much")
    ax.legend(loc="best")


#: What a band takes of a bar's width, and what is left free between two groups, in bars.
OF_A_BAR, BETWEEN = 0.6, 0.8


@dataclass(frozen=True)
class Place:
    """Where a bar stands, in bars from the left, and what room its bands have."""

    group: int
    point: Point | None
    bands: list[Band]
    at: float
    room: float


def abreast(outcome: Outcome, figure: Figure, panel: Mapping[str, Any]) -> list[Place]:
    """The places of all bars, group by group: one with many bands stands apart from its neighbours."""
    by = panel["x"]
    found = {
        (int(p.x[by]), p.name.rpartition("-")[0]): (p, bands_at(outcome, figure, p, panel["quantity"]))
        for p in figure.points.values()
        if by in p.x
    }
    out: list[Place] = []
    left = 0.0
    for group in sorted({g for g, _ in found}):
        for scheme in panel["schemes"]:
            point, bands = found.get((group, scheme), (None, []))
            room = max(1.0, OF_A_BAR * len(bands))
            out.append(Place(group, point, bands, left + room / 2, room))
            left += room
        left += BETWEEN
    return out


def groups(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Bars of a quantity against the number on the points' axis, a colour a scheme; the closed form as a line."""
    schemes: list[str] = panel["schemes"]
    by = panel["x"]
    places = abreast(outcome, figure, panel)
    ax.set_xlim(-BETWEEN, places[-1].at + places[-1].room / 2 + BETWEEN)
    for i, scheme in enumerate(schemes):
        chosen = [(x, x.point) for x in places[i :: len(schemes)] if x.point is not None]
        values = [metrics.sample(panel["quantity"], "", outcome.measured.of(figure, p), p) for _, p in chosen]
        ax.bar(
            [x.at for x, _ in chosen], [s.value for s in values], yerr=[s.se for s in values],
            width=1.0, color=PALETTE[i], alpha=0.85, label=scheme, error_kw={"linewidth": 0.8},
        )  # fmt: skip
        for x, _ in chosen:
            mark(ax, x.bands, x.at, x.room)
    if panel.get("model"):
        line = metrics.model(figure, panel["model"], next(iter(figure.points.values()))).value
        ax.axhline(line, color=PAPER, linestyle=(0, (4, 3)), linewidth=1.0, label="theory, lossless, 42 frames")
    every = {x.group: [y.at for y in places if y.group == x.group] for x in places}
    ax.set_xticks([(at[0] + at[-1]) / 2 for at in every.values()], [str(g) for g in every])
    from_zero(ax, metrics.QUANTITIES[panel["quantity"]].unit)
    ax.grid(axis="x", visible=False)
    ax.set_xlabel(panel.get("x_label", by))
    ax.set_ylabel(panel["label"])
    legend_above(ax, 3 if len(schemes) > 4 else 5)


def ends(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Why aggregates had no more frames: a bar a point, its parts from below as the legend has them."""
    points = points_of(figure, panel)
    bottom = np.zeros(len(points))
    for (why, name), colour in zip(ENDS.items(), PALETTE, strict=False):
        share = np.array([metrics.sample(f"end_{why}", "", outcome.measured.of(figure, p), p).value for p in points])
        ax.bar(range(len(points)), share, bottom=bottom, width=0.6, color=colour, label=name)
        bottom += share
        for k, p in enumerate(
            points
        ):  # parts of 100 %: a band on ours below would lie above the bar, so its figures stand in it
            if bands := bands_at(outcome, figure, p, f"end_{why}"):
                text = f"{share[k]:.0f} %\n(paper {between(bands)})"
                ax.text(k, bottom[k] - share[k] / 2, text, ha="center", va="center", color="white", fontsize=7)
    ax.set_xticks(range(len(points)), [p.name for p in points])
    ax.set_ylim(0, 100)
    ax.set_yticks(range(0, 101, 20))
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(panel["label"])
    legend_above(ax, 2)


def settings(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Lying bars, one a setting ("scheme: setting"); a line where the first one ends."""
    points = points_of(figure, panel)
    values = [metrics.sample(panel["quantity"], "", outcome.measured.of(figure, p), p) for p in points]
    places = range(len(points))[::-1]
    ax.barh(places, [s.value for s in values], xerr=[s.se for s in values], height=0.65, color=BLUE, alpha=0.6)
    for place, p in zip(places, points, strict=True):
        mark(ax, bands_at(outcome, figure, p, panel["quantity"]), place, along="x")
    ax.axvline(values[0].value, color=PAPER, linestyle=(0, (4, 3)), linewidth=0.9)
    ax.set_yticks(places, [p.name.partition(": ")[2] for p in points])
    ax.grid(axis="y", visible=False)
    ax.set_xlabel(panel["label"])
