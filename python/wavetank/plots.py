"""Figures: one PNG a paper figure, its panels as the experiment's TOML has them.

Colours are Okabe and Ito's, which people with any colour vision tell apart; candles are the papers' (box: 10th to 90th
percentile, line: median). Where a claim says what the paper measured, its band is drawn beside ours in grey, its value
as a diamond; dashed is the band of a ratio or difference, taken from what we measured of the other row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Rectangle

from . import ack_plots, aggregate_plots, channel_plots, loop_plots, metrics, place_plots, rate_plots, stats
from .judge import Unmeasured
from .plan import Figure, Point
from .plot_style import BLUE, MARKS, PALETTE, PAPER, RED, STYLE, name_points, points_of
from .records import Record
from .stats import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .judge import Verdict
    from .outcome import Outcome


def draw(outcome: Outcome, figure: Figure, path: Path) -> None:
    """Draws a figure into a PNG; the same records give the same picture."""
    with mpl.rc_context(STYLE):
        n = len(figure.panels)
        columns = figure.columns or min(n, 3)
        rows = math.ceil(n / columns)
        engine = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1)
        crowd = max((len(p.get("points", ())) for p in figure.panels if p["kind"] in ("candles", "bars")), default=0)
        width = max(5.2, 4.1 * columns, 0.32 * crowd * columns)
        canvas = Canvas(figsize=(width, 3.1 * rows + 0.95), dpi=130, layout=engine)
        axes = canvas.subplots(rows, columns, squeeze=False)
        for ax, panel in zip(axes.flat, figure.panels, strict=False):
            try:
                kind = str(panel["kind"])
                every = {
                    **channel_plots.KINDS,
                    **loop_plots.KINDS,
                    **place_plots.KINDS,
                    **rate_plots.KINDS,
                    **ack_plots.KINDS,
                    **aggregate_plots.KINDS,
                    **KINDS,
                }
                every[kind](outcome, figure, panel, ax)
            except Unmeasured as e:
                ax.set_axis_off()
                ax.text(0.5, 0.5, fill(str(e), 34), transform=ax.transAxes, ha="center", va="center", color=RED)
            if panel.get("title"):
                ax.set_title(panel["title"], loc="left")
        for ax in list(axes.flat)[n:]:
            ax.set_axis_off()
        on = f", on {outcome.water}" if outcome.beside else ""
        canvas.suptitle(f"{figure.source}: {figure.title}{on}", fontsize=11, x=0.01, ha="left", fontweight="bold")
        # at this size an inch holds 17 characters
        footer = fill(_footer(outcome, figure), round(17 * canvas.get_figwidth()))
        canvas.supxlabel(footer, fontsize=7.5, color=PAPER, x=0.01, ha="left")
        canvas.savefig(path, format="png", metadata={"Software": "wavetank"})


def _footer(outcome: Outcome, figure: Figure) -> str:
    kinds = {p["kind"] for p in figure.panels}
    n = len(figure.seeds(outcome.quick))
    parts = [f"{n} repetitions." if n else "Closed forms." if figure.model else "The channel alone: nothing is sent."]
    if outcome.beside:
        parts.append(f"Blue: {outcome.water} (6.12); red candles: the {next(iter(outcome.beside))}.")
    if "time" in kinds:
        parts.append("Over time: the first repetition; shaded: the paper's band.")
    if "candles" in kinds:
        parts.append("Box: 10th to 90th percentile, line: median.")
        parts.append("Grey: the paper's band, \u25c7 its value; dashed: the paper's ratio times our other point.")
    if "curves" in kinds:
        parts.append("Points: median over repetitions with standard error.")
    return ("QUICK RUN: " if outcome.quick else "") + " ".join(parts)


def _xy(series: Sequence[Sequence[float | None]]) -> tuple[FloatArray, FloatArray]:
    t, v = (np.array([math.nan if x is None else x for x in s], dtype=np.float64) for s in series)
    order = np.argsort(t, kind="stable")
    return t[order], v[order]


def _smooth(t: FloatArray, v: FloatArray, span: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Means over spans of a second, so that a minute's curve can be read."""
    if t.size == 0:
        return t, v
    bins = np.floor(t / span)
    keys = np.unique(bins)
    return (keys + 0.5) * span, np.array(
        [np.nanmean(v[bins == k]) if np.isfinite(v[bins == k]).any() else np.nan for k in keys]
    )


def _time(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Goodput and ping of the first repetition over time."""
    point = points_of(figure, panel)[0]
    record = outcome.measured.of(figure, point)[0]
    ping_ax = ax.twinx()
    ping_ax.spines["right"].set_visible(True)
    ping_ax.grid(False)
    top = 0.0
    for name, series in record["series"].items():
        if name.startswith("goodput_"):
            t, v = _smooth(*_xy(series))
            active = (t >= record["window"][0] - 2.5) & (t <= record["window"][1] + 0.5)
            ax.plot(t[active], v[active], color=BLUE)
            top = max(top, float(np.nanmax(v)))
    t, v = _xy(record["series"].get("ping_icmp", [[], []]))
    ping_ax.plot(t, v, color=RED, linewidth=0.7, alpha=0.9)
    ceiling = float(np.nanpercentile(v, 99.5)) if v.size else 1.0
    reach = _bands_in_time(outcome, figure, point, ax, ping_ax, record)
    top, ceiling = max(top, reach[0]), max(ceiling, reach[1])
    ax.set_ylim(0, top * 1.2 or 1)
    ping_ax.set_ylim(0, ceiling * 1.9 or 1)
    ax.set_xlim(0, record["simulated_s"])
    ax.set_xlabel("Time (s)")
    ax.set_ylabel("Goodput, 1 s means (Mbit/s)", color=BLUE)
    ping_ax.set_ylabel("Ping RTT (ms)", color=RED)


def _bands_in_time(
    outcome: Outcome, figure: Figure, point: Point, ax: Axes, ping_ax: Axes, record: Record
) -> tuple[float, float]:
    """Draws the paper's bands (absolute ones); gives how high they reach, goodput's and ping's."""
    start, end = record["window"]
    reach = [0.0, 0.0]
    for i, (where, quantity, colour) in enumerate(((ax, "goodput", BLUE), (ping_ax, "ping_rtt", RED))):
        for band in _bands(outcome, figure, point, quantity):
            if band.relative:
                continue
            height = band.high - band.low
            where.add_patch(
                Rectangle((start, band.low), end - start, height, facecolor=colour, alpha=0.13, linewidth=0)
            )
            if band.value is not None:
                where.hlines(band.value, start, end, color=colour, linewidth=0.9, linestyle=(0, (4, 3)))
            reach[i] = max(reach[i], band.high)
    return reach[0], reach[1]


@dataclass(frozen=True)
class Band:
    """What the paper says of a quantity at a point, in the quantity's unit; ``relative``: by way of another point of ours."""

    low: float
    high: float
    value: float | None
    relative: bool


#: A panel's quantity shows the claims on these.
SHOWS = {"all_goodput": ("goodput", "udp_goodput")}


def _bands(outcome: Outcome, figure: Figure, point: Point, quantity: str) -> list[Band]:
    """The paper's bands for this quantity at this very set-up, each once."""
    out: list[Band] = []
    for v in outcome.verdicts:
        c = v.claim
        if c.quantity not in SHOWS.get(quantity, (quantity,)) or c.reduce or not _same_set_up(outcome, point, v):
            continue
        low, high, value = c.low, c.high, c.value
        if c.relation == "ratio-to":
            if v.other is None:
                continue
            low, high, value = (None if x is None else _unratio(x, c.unit) * v.other for x in (low, high, value))
        elif c.relation in ("gt", "lt"):
            if v.other is None or low is None or high is None:
                continue
            sign = 1.0 if c.relation == "gt" else -1.0
            ends = sorted(v.other + sign * x for x in (low, high))
            low, high, value = ends[0], ends[1], None if value is None else v.other + sign * value
        if low is None or high is None:
            continue
        band = Band(low, high, value, bool(c.refers))
        if band not in out:
            out.append(band)
    return sorted(out, key=lambda b: b.relative)


def _unratio(x: float, unit: str) -> float:
    return 1 + x / 100 if unit == "%" else x


def _same_set_up(outcome: Outcome, point: Point, verdict: Verdict) -> bool:
    """Whether the claim is measured at this very set-up, be it in another figure of the experiment."""
    c = verdict.claim
    other = outcome.measured.figures.get(c.figure)
    if other is None or len(c.points) != 1 or c.points[0] not in other.points:
        return False
    p = other.points[c.points[0]].scenario
    return p.text == point.scenario.text and dict(p.overrides) == dict(point.scenario.overrides)


def _candle(
    ax: Axes, records: Sequence[Record], quantity: metrics.Quantity, left: float, width: float, colour: str
) -> float:
    """One candle, of the samples pooled over repetitions; gives how high it reaches."""
    samples = stats.finite(np.concatenate([quantity.samples(r) for r in records]))
    if samples.size == 0:
        return 0.0
    p10, p50, p90 = (float(x) for x in np.percentile(samples, [10, 50, 90]))
    box = Rectangle((left, p10), width, p90 - p10, facecolor=colour, alpha=0.35, edgecolor=colour, linewidth=1.2)
    ax.add_patch(box)
    ax.hlines(p50, left, left + width, color=colour, linewidth=2.2)
    return p90


def _candles(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A candle a point, of the samples in the window pooled over repetitions; the paper's band beside it."""
    quantity = metrics.QUANTITIES[panel["quantity"]]
    points = points_of(figure, panel)
    top = 0.0
    narrow = 0.17 if outcome.beside else 0.36
    for i, p in enumerate(points):
        try:
            top = max(top, _candle(ax, outcome.measured.of(figure, p), quantity, i - 0.26, narrow, PALETTE[0]))
        except Unmeasured:
            ax.text(i, 0.0, "not run", rotation=90, ha="center", va="bottom", color=RED, fontsize=8)
            continue
        if outcome.beside:
            other = next(iter(outcome.beside.values()))
            same = other.measured.figures[figure.id]
            records = other.measured.of(same, same.points[p.name])
            top = max(top, _candle(ax, records, quantity, i - 0.07, narrow, PALETTE[1]))
        for k, band in enumerate(_bands(outcome, figure, p, panel["quantity"])):
            left = i + 0.15 + 0.13 * k
            style: dict[str, Any] = {"facecolor": "#bbbbbb", "alpha": 0.7, "linewidth": 0}
            if band.relative:
                style = {"facecolor": "none", "edgecolor": PAPER, "linewidth": 0.8, "linestyle": (0, (3, 2))}
            ax.add_patch(Rectangle((left, band.low), 0.10, band.high - band.low, **style))
            if band.value is not None:
                ax.plot(
                    [left + 0.05], [band.value], marker="D", markersize=4, color="white", markeredgecolor=PAPER,
                    linestyle="none", zorder=5,
                )  # fmt: skip
            top = max(top, band.high)
    name_points(ax, points)
    ax.set_xlim(-0.6, len(points) - 0.4)
    ax.set_ylim(0, panel.get("ymax", top * 1.08 or 1))
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(panel.get("label", quantity.label))


def _bars(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """The value over repetitions, with its standard error; of a closed form, its value."""
    points = points_of(figure, panel)
    quantity = panel["quantity"]
    samples = [
        metrics.model(figure, quantity, p)
        if quantity in metrics.MODEL
        else metrics.sample(quantity, "", outcome.measured.of(figure, p), p)
        for p in points
    ]
    ax.bar(
        range(len(points)),
        [s.value for s in samples],
        yerr=[s.se for s in samples],
        width=0.6,
        color=BLUE,
        alpha=0.6,
    )
    name_points(ax, points)
    if panel.get("log_y"):
        ax.set_yscale("log")
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(panel.get("label", panel["quantity"]))


def _distribution(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
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


def _curves(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Values against a numeric axis, one curve a value of ``by``; the closed form beside them."""
    x, by = panel["x"], panel["by"]
    points = [p for p in points_of(figure, panel) if x in p.x]
    for i, group in enumerate(dict.fromkeys(p.x[by] for p in points)):
        chosen = [p for p in points if p.x[by] == group]
        xs = [p.x[x] for p in chosen]
        samples = [metrics.sample(panel["quantity"], "", outcome.measured.of(figure, p), p) for p in chosen]
        ax.errorbar(
            xs, [s.value for s in samples], yerr=[s.se for s in samples], color=PALETTE[i], marker="o", markersize=3.5,
            linestyle="none", label=f"measured, {by} = {group}",
        )  # fmt: skip
        if panel.get("model"):
            fine = np.arange(min(xs), max(xs) + 1)
            curve = [
                metrics.model(figure, panel["model"], Point("", chosen[0].scenario, {**chosen[0].x, x: float(f)})).value
                for f in fine
            ]
            ax.plot(fine, curve, color=PALETTE[i], linewidth=1.1, label=f"model, {by} = {group}")
    ax.set_ylim(bottom=0)
    if panel.get("log_x"):
        ax.set_xscale("log")
    ax.set_xlabel(panel.get("x_label", x))
    ax.set_ylabel(panel.get("label", panel["quantity"]))
    ax.legend()


def _tradeoff(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """One quantity against another.

    Points whose names have one first part (``cubic-1ms``, ``cubic-4ms``) are one line, in their order, with its ends named.
    """
    groups: dict[str, list[Point]] = {}
    for p in points_of(figure, panel):
        groups.setdefault(_group(p.name)[0], []).append(p)
    for i, (group, points) in enumerate(groups.items()):
        xs, ys = (
            [metrics.sample(q, "", outcome.measured.of(figure, p), p).value for p in points]
            for q in (panel["x"], panel["quantity"])
        )
        colour, mark = PALETTE[i % len(PALETTE)], MARKS[i % len(MARKS)]
        style = ("-", (0, (4, 2)))[i // len(PALETTE) % 2]
        ax.plot(xs, ys, color=colour, linewidth=0.9, linestyle=style, alpha=0.8)
        sizes = np.linspace(12, 45, len(points)) if len(points) > 1 else [26.0]
        ax.scatter(xs, ys, s=sizes, color=colour, marker=mark, linewidths=0, label=group, zorder=3)
    settings = [[_group(p.name)[1] for p in points] for points in groups.values()]
    longest = max(settings, key=len)
    if panel.get("log_x"):
        ax.set_xscale("log")
    else:
        ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    across, up = (metrics.QUANTITIES[panel[k]] for k in ("x", "quantity"))
    along = f"\nsmall to large marks: {', '.join(longest)}" if len(longest) > 1 else ""
    ax.set_xlabel(f"{across.label} ({across.unit}){along}")
    ax.set_ylabel(f"{up.label} ({up.unit})")
    ax.legend(ncols=2, fontsize=6.5)


def _group(name: str) -> tuple[str, str]:
    """A point's name as its group and the rest; ``bbr-dev-1p`` is of the group ``bbr-dev``."""
    first, _, rest = name.partition("-")
    if rest.startswith("dev"):
        return "bbr-dev", rest.removeprefix("dev").lstrip("-")
    return first, rest


def _series(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A quantity of the first repetition's first flow over time, one curve a point."""
    column = {"cwnd": "cwnd", "tcp_rtt": "srtt", "pacing_rate": "pacing"}[panel["quantity"]]
    for i, p in enumerate(points_of(figure, panel)):
        series = outcome.measured.of(figure, p)[0]["series"]
        t, v = _xy(next(series[k] for k in (f"{column}_up", f"{column}_down") if k in series))
        record = outcome.measured.of(figure, p)[0]
        active = (t >= record["window"][0] - 2.0) & (t <= record["window"][1])
        t, v = t[active], v[active]
        style = ("-", (0, (4, 2)))[i // len(PALETTE) % 2]
        ax.plot(t, v, color=PALETTE[i % len(PALETTE)], linewidth=1.0, linestyle=style, label=p.name)
    if panel.get("log_y"):
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=0)
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(panel.get("label", panel["quantity"]))
    ax.legend(fontsize=6.5, ncols=2, loc="upper left", bbox_to_anchor=(0.0, -0.2))


KINDS = {
    "time": _time,
    "candles": _candles,
    "bars": _bars,
    "distribution": _distribution,
    "curves": _curves,
    "tradeoff": _tradeoff,
    "series": _series,
}
