"""A sweep's tables for people: a row a point, and a row a point against its base."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from ..report import number
from .axes import Axis, Value
from .metrics import Metric
from .result import Estimate, Sweep, SweepPoint

FRONT, BEST = "*", "best"
#: Points that a caption names.
TOLD = 6


def points_table(sweep: Sweep) -> Table:
    """A row a point: where it stands on the axes, each metric with half of its confidence interval, the front and the best."""
    n = len(sweep.seeds)
    quick = "quick: " if sweep.quick else ""
    on = f" on {sweep.on}" if sweep.on != "model" else ""
    title = f"sweep of {sweep.scenario}{on} ({quick}{n} repetition{'s' if n > 1 else ''})"
    table = Table(title=title, title_justify="left", header_style="bold", pad_edge=False)
    _axis_columns(table, sweep)
    _metric_columns(table, sweep)
    best = sweep.best(sweep.best_by) if sweep.best_by else []
    front = set(sweep.pareto)
    if front or best:
        table.add_column("", no_wrap=True)
    for p in sweep.points:
        marks = " ".join(m for m, holds in ((FRONT, p.name in front), (BEST, p in best)) if holds)
        cells = [Text("failed", style="bold red")] * len(sweep.metrics) if p.failed else _cells(sweep, p.metrics)
        row = [*_axis_cells(sweep, p), *cells, *([marks] if front or best else [])]
        table.add_row(*row, style="bold" if p in best else "")
    table.caption_justify = "left"
    table.caption = _caption(sweep, best)
    return table


def _caption(sweep: Sweep, best: Sequence[SweepPoint]) -> str:
    lines = []
    if len(sweep.seeds) > 1:
        lines.append("median over repetitions ± half of the mean's 95 % confidence interval")
    if sweep.tradeoff:
        gain, cost = sweep.tradeoff
        lines.append(f"{FRONT} no other point beats it in both {gain.name} and {cost.name}{_at_each(sweep)}")
    if best:
        way = "most" if next(m for m in sweep.metrics if m.name == sweep.best_by).better == "more" else "least"
        lines.append(f"{BEST}: {way} {sweep.best_by}{_at_each(sweep) or f', {best[0].name}'}")
        ties = sweep.ties(best[0], sweep.best_by) if len(best) == 1 else []
        if ties:
            names = "; ".join(p.name for p in ties[:TOLD]) + (f"; {len(ties) - TOLD} more" if len(ties) > TOLD else "")
            lines.append(f"not told apart from it (intervals meet): {names}")
    return "\n".join(lines)


def _at_each(sweep: Sweep) -> str:
    return f", for each value of {', '.join(sweep.labels[k] for k in sweep.each)}" if sweep.each else ""


def differences_table(sweep: Sweep) -> Table | None:
    """Each point against the first value of the axis compared along, of runs with the same seeds; in percent where it can be."""
    if not sweep.against:
        return None
    axis = next(a for a in sweep.axes if a.key == sweep.against)
    base = axis.texts[0]
    title = f"against {sweep.labels[axis.key]} {base}"
    table = Table(title=title, title_justify="left", header_style="bold", pad_edge=False)
    _axis_columns(table, sweep)
    for m in sweep.metrics:
        table.add_column(m.name, justify="right")
    points = {p.name: p for p in sweep.points}
    for d in sweep.differences(sweep.against):
        cells = []
        for m in sweep.metrics:
            percent, plain = d.percent[m.name], d.metrics[m.name]
            cells.append(_change(percent, " %", _percent) if percent else _change(plain, f" {m.unit}".rstrip(), number))
        table.add_row(*_axis_cells(sweep, points[d.point]), *cells)
    table.caption_justify = "left"
    table.caption = (
        "of runs with one seed: median difference ± half of the mean's 95 % confidence interval; dim: it holds 0"
    )
    return table


def _percent(x: float | None) -> str:
    return "" if x is None else f"{x:.0f}" if abs(x) >= 100 else f"{x:.1f}"


def _change(e: Estimate, unit: str, show: Callable[[float | None], str]) -> Text:
    if e.median is None:
        return Text("–")
    nothing = e.low is not None and e.high is not None and e.low <= 0 <= e.high
    if not e.median and not e.half:
        return Text("0", style="dim")
    half = f" ± {show(e.half)}" if e.half else ""
    return Text(f"{'+' if e.median > 0 else ''}{show(e.median)}{half}{unit}", style="dim" if nothing else "")


def _axis_columns(table: Table, sweep: Sweep) -> None:
    for a in sweep.axes:
        unit = f" {a.unit}" if a.unit else ""
        table.add_column(f"{sweep.labels[a.key]}{unit}", no_wrap=True, justify="right" if a.numeric else "left")


def _metric_columns(table: Table, sweep: Sweep) -> None:
    for m in sweep.metrics:
        table.add_column(f"{m.name} {m.unit}".strip(), justify="right")


def _axis_cells(sweep: Sweep, p: SweepPoint) -> list[str]:
    return [_value(a, p.values[a.key]) for a in sweep.axes]


def _value(axis: Axis, value: Value) -> str:
    return axis.texts[axis.values.index(value)] if not axis.numeric else f"{value:g}"


def _cells(sweep: Sweep, metrics: Mapping[str, Estimate]) -> list[Any]:
    return [_cell(metrics[m.name], m) for m in sweep.metrics]


def _cell(e: Estimate, m: Metric) -> str:
    if e.median is None:
        return "–"
    if m.name == "jain":
        return f"{e.median:.3f}" + (f" ± {e.half:.3f}" if e.half else "")
    # less than a ten-thousandth is no spread
    return number(e.median) + (f" ± {number(e.half, 2)}" if e.half and e.half > 1e-4 * abs(e.median) else "")
