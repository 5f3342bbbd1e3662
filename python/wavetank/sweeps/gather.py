"""From records to a sweep: every point's repetitions, metrics and estimates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..lab import runner
from ..lab.judge import Unmeasured
from ..lab.plan import Point
from ..lab.records import Record
from .metrics import SHARED, Metric
from .notes import notes
from .plan import Plan
from .result import Binding, Estimate, Idle, Sweep, SweepPoint


def gather(plan: Plan, measured: runner.Measured, asked: Sequence[Metric], usual: bool, best: str = "") -> Sweep:
    """What was measured; of the ``usual`` metrics those that the points have, and what the ``best`` is by."""
    records: dict[str, Sequence[Record]] = {}
    failed: dict[str, str] = {}
    for name, point in plan.figure.points.items():
        try:
            records[name] = measured.of(plan.figure, point)
        except Unmeasured as e:
            failed[name] = str(e)
    points = plan.figure.points
    each = {n: [_row(asked, r, points[n]) for r in of] for n, of in records.items()}
    metrics = _shown(asked, records, each, best) if usual and each else tuple(asked)
    seeds = plan.figure.seeds(measured.quick)
    return Sweep(
        scenario=plan.figure.id.removeprefix("sweep/"),
        axes=plan.axes,
        labels={a.key: plan.label(a) for a in plan.axes},
        metrics=metrics,
        points=tuple(_point(plan, n, metrics, seeds, each.get(n, []), failed.get(n, "")) for n in points),
        seeds=tuple(seeds),
        quick=measured.quick,
        on=plan.on,
        core=runner.core_digest(),
        given=plan.given,
        skipped=plan.skipped,
        idle=_idle(plan, records),
        bound=_bound(records),
        notes=tuple(notes(plan)),
    )


def _bound(records: Mapping[str, Sequence[Record]]) -> tuple[Binding, ...]:
    """Settings that bound a run of these points, with what was seen in the first repetition that each did."""
    found: dict[str, dict[str, str]] = {}
    for name, of in records.items():
        for what, why in (b for r in of for b in r["bounds"]):
            found.setdefault(why, {}).setdefault(name, what)
    return tuple(Binding(why, at) for why, at in found.items())


def _row(metrics: Sequence[Metric], record: Record, point: Point) -> dict[str, float]:
    return {m.name: m.of(record, point) for m in metrics}


def _shown(
    asked: Sequence[Metric],
    records: Mapping[str, Sequence[Record]],
    each: Mapping[str, Sequence[Mapping[str, float]]],
    best: str,
) -> tuple[Metric, ...]:
    shared = any(len(r["flow_goodput"]) > 1 for of in records.values() for r in of)

    def has(m: Metric) -> bool:
        return bool(np.isfinite([row[m.name] for of in each.values() for row in of]).any())

    return tuple(m for m in asked if m.name == best or (has(m) and (shared or m.name not in SHARED)))


def _point(
    plan: Plan,
    name: str,
    metrics: Sequence[Metric],
    seeds: Sequence[int],
    each: Sequence[Mapping[str, float]],
    failed: str,
) -> SweepPoint:
    values = {a.key: a.values[i] for a, i in zip(plan.axes, plan.places[name], strict=True)}
    rows: list[dict[str, Any]] = [
        {"seed": seed, **{m.name: row[m.name] for m in metrics}} for seed, row in zip(seeds, each, strict=False)
    ]
    found = {m.name: Estimate.of([row[m.name] for row in rows], m.bounds) for m in metrics}
    return SweepPoint(name, values, found, rows, failed)


def _idle(plan: Plan, records: Mapping[str, Sequence[Record]]) -> tuple[Idle, ...]:
    """Axes along which nothing changes: the runs of one seed give the same digest whatever the value."""
    out = []
    for i, axis in enumerate(plan.axes):
        lines: dict[tuple[int, ...], list[tuple[str, ...]]] = defaultdict(list)
        for name, at in plan.places.items():
            if name in records:
                lines[at[:i] + at[i + 1 :]].append(tuple(r["digest"] for r in records[name]))
        several = {at: line for at, line in lines.items() if len(line) > 1}
        same = [at for at, line in several.items() if len(set(line)) == 1]
        others = [a for a in plan.axes if a is not axis]
        if same:
            names = [", ".join(f"{plan.label(a)}={a.texts[j]}" for a, j in zip(others, at, strict=True)) for at in same]
            out.append(Idle(axis.key, len(same) == len(several), tuple(names)))
    return tuple(out)
