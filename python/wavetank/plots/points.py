"""Panels of points: candles and bars beside the papers' bands, curves, one quantity against another, sizes of aggregates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from .. import stats
from ..lab import metrics
from ..lab.judge import Unmeasured
from ..lab.plan import Figure, Point
from ..lab.quantity import Quantity
from ..lab.records import Record
from .bands import BESIDE, PITCH, Aside, Band, bands_at, mark
from .style import (
    BLUE,
    MANY,
    MARKS,
    PALETTE,
    RED,
    from_zero,
    label_of,
    legend_above,
    name_points,
    plain_log,
    points_of,
    titled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome


#: Of the place of a point with its bands: where the middle of the bands is, and what room they have.
ASIDE, ROOM = 0.3, 0.36


def crowd(outcome: Outcome, figure: Figure, panel: Mapping[str, Any]) -> float:
    """How wide (inches) a panel of candles or bars has to be at least for its points' names and bands."""
    points = points_of(figure, panel)
    most = max((len(bands_at(outcome, figure, p, panel["quantity"])) for p in points), default=0)
    # an axis takes 0.7 inch; at 0.8 of their pitch bands do not touch
    return max(0.32 * len(points), 0.7 + len(points) * most * 0.8 * PITCH / 72 / ROOM)


def _candle(
    ax: Axes, records: Sequence[Record], quantity: Quantity, left: float, width: float, colour: str
) -> tuple[float, float]:
    """One candle, of the samples pooled over repetitions; gives its ends."""
    samples = stats.finite(np.concatenate([quantity.samples(r) for r in records]))
    if samples.size == 0:
        return math.nan, 0.0
    p10, p50, p90 = (float(x) for x in np.percentile(samples, [10, 50, 90]))
    box = Rectangle((left, p10), width, p90 - p10, facecolor=colour, alpha=0.35, edgecolor=colour, linewidth=1.2)
    ax.add_patch(box)
    ax.hlines(p50, left, left + width, color=colour, linewidth=2.2)
    return p10, p90


def candles(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A candle a point, of the samples in the window pooled over repetitions; the paper's band beside it."""
    quantity = metrics.QUANTITIES[panel["quantity"]]
    points = points_of(figure, panel)
    top = 0.0
    lows: list[float] = []
    narrow = 0.17 if outcome.beside else 0.36
    ax.set_xlim(-0.6, len(points) - 0.4)
    for i, p in enumerate(points):
        try:
            low, high = _candle(ax, outcome.measured.of(figure, p), quantity, i - 0.26, narrow, PALETTE[0])
        except Unmeasured:
            ax.text(i, 0.0, "not run", rotation=90, ha="center", va="bottom", color=RED, fontsize=8)
            continue
        lows, top = [*lows, low], max(top, high)
        if outcome.beside:
            other = next(iter(outcome.beside.values()))
            same = other.measured.figures[figure.id]
            records = other.measured.of(same, same.points[p.name])
            low, high = _candle(ax, records, quantity, i - 0.07, narrow, PALETTE[1])
            lows, top = [*lows, low], max(top, high)
        top = max(top, mark(ax, bands_at(outcome, figure, p, panel["quantity"]), i + ASIDE, ROOM))
    name_points(ax, points)
    ax.set_xlabel(panel.get("x_label", ""))
    ax.set_xlim(-0.6, len(points) - 0.4)
    if panel.get("log_y") and top > 0:
        ax.set_yscale("log")
        ax.set_ylim(0.7 * min((x for x in lows if x > 0), default=0.1 * top), panel.get("ymax", 1.4 * top))
        plain_log(ax.yaxis)
    else:
        from_zero(ax, quantity.unit, panel.get("ymax", top * 1.08 or 1))
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(label_of(panel))


def bars(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """The value over repetitions, with its standard error; of a closed form, its value."""
    points = points_of(figure, panel)
    quantity = panel["quantity"]
    samples = [
        metrics.model(figure, quantity, p)
        if quantity in metrics.MODEL
        else metrics.sample(quantity, "", outcome.measured.of(figure, p), p)
        for p in points
    ]
    at = [i - 0.08 for i in range(len(points))]
    ax.bar(at, [s.value for s in samples], yerr=[s.se for s in samples], width=0.52, color=BLUE, alpha=0.6)
    ax.set_xlim(-0.6, len(points) - 0.4)
    for i, p in enumerate(points):
        mark(ax, bands_at(outcome, figure, p, quantity), i + ASIDE, ROOM)
    name_points(ax, points)
    ax.set_xlabel(panel.get("x_label", ""))
    if panel.get("log_y"):
        ax.set_yscale("log")
        plain_log(ax.yaxis)
    else:
        q = metrics.QUANTITIES.get(quantity)
        from_zero(ax, q.unit if q else "", panel.get("ymax"))
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(label_of(panel))


def distribution(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Share of PPDUs by number of MPDUs, over all repetitions."""
    points = points_of(figure, panel)
    top = 1
    width = 0.8 / len(points)
    for i, p in enumerate(points):
        sizes = np.concatenate([metrics.QUANTITIES["ampdu_size"].samples(r) for r in outcome.measured.of(figure, p)])
        if sizes.size == 0:
            continue
        values, counts = np.unique(sizes, return_counts=True)
        share = 100 * counts / sizes.size
        top = max(top, int(values[share > 0.2].max(initial=1)))
        ax.bar(
            values + (i - (len(points) - 1) / 2) * width,
            share,
            width=width,
            color=PALETTE[i],
            label=f"{p.name} (mean {sizes.mean():.1f})",
        )
    ax.set_xlim(0.2, top + 1)
    ax.set_xlabel(panel.get("label", "Aggregate size (MPDUs)"))
    ax.set_ylabel("Share of data PPDUs (%)")
    ax.legend()


def curves(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Values against a numeric axis, one curve a value of ``by``; the closed form and the paper's bands beside them."""
    x, by = panel["x"], panel.get("by", "")
    points = [p for p in points_of(figure, panel) if x in p.x]
    where = {p.name: p.names.get(by, p.x.get(by)) for p in points}
    if panel.get("log_x"):
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    elif all(float(p.x[x]).is_integer() for p in points):
        ax.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=True))
    bands: list[tuple[float, list[Band]]] = []
    for i, group in enumerate(dict.fromkeys(where.values())):
        chosen = [p for p in points if where[p.name] == group]
        of_group = f", {by} = {_with_unit(group, panel)}" if group is not None else ""
        xs = [p.x[x] for p in chosen]
        samples = [metrics.sample(panel["quantity"], "", outcome.measured.of(figure, p), p) for p in chosen]
        ax.errorbar(
            xs, [s.value for s in samples], yerr=[s.se for s in samples], color=PALETTE[i], marker="o", markersize=3.5,
            linestyle="none" if panel.get("model") else "-", linewidth=0.9, label=f"{run_on(outcome)}{of_group}",
        )  # fmt: skip
        if panel.get("model"):
            fine = np.arange(min(xs), max(xs) + 1)
            curve = [
                metrics.model(figure, panel["model"], Point("", chosen[0].scenario, {**chosen[0].x, x: float(f)})).value
                for f in fine
            ]
            ax.plot(fine, curve, color=PALETTE[i], linewidth=1.1, label=f"closed form{of_group}")
        for p in chosen:
            shown = (panel["quantity"], panel.get("model", ""))
            bands.append((p.x[x], [b for q in shown for b in bands_at(outcome, figure, p, q)]))
    _room_beside(ax, bands)
    for at, of_point in bands:
        mark(ax, of_point, at, aside=BESIDE)
    # values that lie close together have little room above them
    ax.set_ylim(0, max(ax.get_ylim()[1], 1.05 * ax.dataLim.y1))
    ax.set_xlabel(panel.get("x_label", x))
    ax.set_ylabel(label_of(panel))
    if by or panel.get("model"):
        ax.legend()


def _room_beside(ax: Axes, bands: Sequence[tuple[float, Sequence[Band]]]) -> None:
    """Fixes the limits, with room on the right for the bands that stand beside the last points."""
    scale = ax.transScale.transform
    (low, _), (high, _) = scale([(x, 1) for x in ax.get_xlim()])
    width = 72 / ax.figure.get_dpi() * ax.get_window_extent().width
    for at, of_point in bands:
        if of_point:
            share = (BESIDE + PITCH * len(of_point)) / width
            high = max(high, (scale((at, 1))[0] - share * low) / (1 - share))
    ax.set_xlim(*(ax.transScale.inverted().transform((x, 1))[0] for x in (low, high)))


def _with_unit(value: Any, panel: Mapping[str, Any]) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{text} {panel['by_unit']}" if panel.get("by_unit") else text


def run_on(outcome: Outcome) -> str:
    """What a legend calls runs beside closed forms: nothing here was measured in the open air."""
    return "simulated" if outcome.water == "model" else f"on {outcome.water}"


def tradeoff(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """One quantity against another.

    Points whose names have one first part (``cubic-1ms``, ``cubic-4ms``) are one line, in their order, with its ends named.
    """
    groups: dict[str, list[Point]] = {}
    crosses: list[tuple[list[Band], list[Band], tuple[float, float], str, str]] = []
    for p in points_of(figure, panel):
        groups.setdefault(_group(p.name)[0], []).append(p)
    for i, (group, points) in enumerate(groups.items()):
        xs, ys = (
            [metrics.sample(q, "", outcome.measured.of(figure, p), p).value for p in points]
            for q in (panel["x"], panel["quantity"])
        )
        colour, symbol = MANY[i % len(MANY)], MARKS[i % len(MARKS)]
        style = ("-", (0, (4, 2)))[i // len(MANY) % 2]
        ax.plot(xs, ys, color=colour, linewidth=0.9, linestyle=style, alpha=0.8)
        sizes = np.linspace(12, 45, len(points)) if len(points) > 1 else [26.0]
        ax.scatter(xs, ys, s=sizes, color=colour, marker=symbol, linewidths=0, label=group, zorder=3)
        for p, x, y in zip(points, xs, ys, strict=True):
            high, wide = (bands_at(outcome, figure, p, panel[k]) for k in ("quantity", "x"))
            # Where the paper has both, they cross at its own point, else at ours.
            place = (_middle(wide), _middle(high)) if high and wide else (x, y)
            cross = (high, wide, place, colour, symbol)
            if cross in crosses:  # the paper says one thing of several settings
                continue
            crosses.append(cross)
            ax.update_datalim([(place[0], e) for b in high for e in (b.low, b.high)])
            ax.update_datalim([(e, place[1]) for b in wide for e in (b.low, b.high)])
    ax.autoscale_view()
    settings = [[_group(p.name)[1] for p in points] for points in groups.values()]
    longest = max(settings, key=len)
    if panel.get("log_x"):
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    else:
        ax.set_xlim(0, 1.05 * ax.get_xlim()[1])
    ax.set_ylim(0, 1.05 * ax.get_ylim()[1])
    aside = Aside(ax)
    for high, wide, (x, y), colour, symbol in crosses:
        shift = aside.shift((high, x, "y"), (wide, y, "x"))
        mark(ax, high, x, colour=colour, symbol=symbol, shift=shift)
        mark(ax, wide, y, along="x", colour=colour, symbol="" if high else symbol, shift=shift)
    across, up = (metrics.QUANTITIES[panel[k]] for k in ("x", "quantity"))
    along = f"\nsmall to large marks: {', '.join(longest)}" if len(longest) > 1 else ""
    ax.set_xlabel(f"{titled(across)}{along}")
    ax.set_ylabel(titled(up))
    lines = math.ceil(len(groups) / 5)
    legend_above(ax, math.ceil(len(groups) / lines), size=7)


def _middle(bands: Sequence[Band]) -> float:
    value = bands[0].value
    return (bands[0].low + bands[0].high) / 2 if value is None else value


def _group(name: str) -> tuple[str, str]:
    """A point's name as its group and the rest; ``bbr-dev-1p`` is of the group ``bbr-dev``."""
    first, _, rest = name.partition("-")
    if rest.startswith("dev"):
        return "bbr-dev", rest.removeprefix("dev").lstrip("-")
    return first, rest
