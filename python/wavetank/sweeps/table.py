"""A sweep's tables for people: a row a point, and a row a point against its base."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..lab.metrics import COLLISIONS
from ..report import number
from .axes import Axis, Value
from .metrics import Metric
from .result import Estimate, Sweep, SweepPoint

FRONT, BEST = "*", "best"
#: Points that a caption names.
TOLD = 6
#: Columns enough for every table.
WHOLE = 10_000
WITH = "± half of the mean's 95 % confidence interval"
WITHOUT = "(a wider terminal shows ± half of the confidence interval)"


def tables(sweep: Sweep, width: int) -> list[Table]:
    """What ``sweep`` prints: points, and differences if asked for; without intervals where they do not fit in so many columns."""

    def made(spread: bool) -> list[Table]:
        differences = differences_table(sweep, spread)
        return [points_table(sweep, spread), *([differences] if differences else [])]

    wide = Console(width=WHOLE)
    whole = made(True)
    return whole if all(wide.measure(t).maximum <= width for t in whole) else made(False)


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))


def points_table(sweep: Sweep, spread: bool = True) -> Table:
    """A row a point: where it stands on the axes, each metric (with half of its confidence interval), the front and the best."""
    n = len(sweep.seeds)
    quick = "quick: " if sweep.quick else ""
    on = f" on {sweep.on}" if sweep.on != "model" else ""
    title = f"sweep of {sweep.scenario}{on} ({quick}{n} repetition{'s' if n > 1 else ''})"
    table = _table(title)
    _axis_columns(table, sweep)
    _metric_columns(table, sweep)
    best = sweep.best(sweep.best_by) if sweep.best_by else []
    front = set(sweep.pareto)
    if front or best:
        table.add_column("", no_wrap=True)
    for p in sweep.points:
        marks = " ".join(m for m, holds in ((FRONT, p.name in front), (BEST, p in best)) if holds)
        cells = (
            [Text("failed", style="bold red")] * len(sweep.metrics) if p.failed else _cells(sweep, p.metrics, spread)
        )
        row = [*_axis_cells(sweep, p), *cells, *([marks] if front or best else [])]
        table.add_row(*row, style="bold" if p in best else "")
    table.caption_justify = "left"
    table.caption = _caption(sweep, best, spread)
    return table


def _caption(sweep: Sweep, best: Sequence[SweepPoint], spread: bool) -> str:
    lines = []
    if len(sweep.seeds) > 1:
        what = WITH if spread else WITHOUT
        lines.append(f"median over repetitions {what}")
    if any(crowded(sweep, m) for m in sweep.metrics):
        lines.append(COLLISIONS[:1].lower() + COLLISIONS[1:].rstrip("."))
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


def crowded(sweep: Sweep, metric: Metric) -> bool:
    """Whether it is airtime and somewhere more than the time."""
    of_air = metric.unit == "%" and metric.name.startswith("airtime")
    return of_air and any((p.metrics[metric.name].median or 0) > 100 for p in sweep.points if not p.failed)


def _at_each(sweep: Sweep) -> str:
    return f", for each value of {', '.join(sweep.labels[k] for k in sweep.each)}" if sweep.each else ""


def differences_table(sweep: Sweep, spread: bool = True) -> Table | None:
    """Each point against the first value of the axis compared along, of runs with the same seeds; in percent where it can be."""
    if not sweep.against:
        return None
    axis = next(a for a in sweep.axes if a.key == sweep.against)
    base = axis.texts[0]
    title = f"against {sweep.labels[axis.key]} {base}"
    table = _table(title)
    _axis_columns(table, sweep)
    for m in sweep.metrics:
        table.add_column(f"{m.name}\n%", justify="right")
    points = {p.name: p for p in sweep.points}
    for d in sweep.differences(sweep.against):
        cells = []
        for m in sweep.metrics:
            percent, plain = d.percent[m.name], d.metrics[m.name]
            unit = f" {m.unit}".rstrip()
            cells.append(_change(percent, "", _percent, spread) if percent else _change(plain, unit, number, spread))
        table.add_row(*_axis_cells(sweep, points[d.point]), *cells)
    table.caption_justify = "left"
    what = WITH if spread else WITHOUT
    table.caption = f"of runs with one seed: median difference {what}; dim: the interval holds 0"
    return table


def _percent(x: float | None) -> str:
    return "" if x is None else f"{x:.0f}" if abs(x) >= 100 else f"{x:.1f}"


def _change(e: Estimate, unit: str, show: Callable[[float | None], str], spread: bool) -> Text:
    if e.median is None:
        return Text("–")
    nothing = e.low is not None and e.high is not None and e.low <= 0 <= e.high
    if not e.median and not e.half:
        return Text("0", style="dim")
    half = f" ± {show(e.half)}" if e.half and spread else ""
    return Text(f"{'+' if e.median > 0 else ''}{show(e.median)}{half}{unit}", style="dim" if nothing else "")


def _axis_columns(table: Table, sweep: Sweep) -> None:
    for a in sweep.axes:
        table.add_column(
            f"{sweep.labels[a.key]}\n{a.unit}".rstrip(), no_wrap=True, justify="right" if a.numeric else "left"
        )


def _metric_columns(table: Table, sweep: Sweep) -> None:
    for m in sweep.metrics:
        table.add_column(f"{m.name}\n{m.unit}".rstrip(), justify="right")


def _axis_cells(sweep: Sweep, p: SweepPoint) -> list[str]:
    return [_value(a, p.values[a.key]) for a in sweep.axes]


def _value(axis: Axis, value: Value) -> str:
    return axis.texts[axis.values.index(value)] if not axis.numeric else f"{value:g}"


def _cells(sweep: Sweep, metrics: Mapping[str, Estimate], spread: bool) -> list[Any]:
    return [_cell(metrics[m.name], m, spread) for m in sweep.metrics]


def _cell(e: Estimate, m: Metric, spread: bool) -> str:
    if e.median is None:
        return "–"
    # less than a ten-thousandth is no spread
    half = e.half if spread and e.half and e.half > 1e-4 * abs(e.median) else None
    if m.name == "jain":
        return f"{e.median:.3f}" + (f" ± {half:.3f}" if half else "")
    return number(e.median) + (f" ± {number(half, 2)}" if half else "")
