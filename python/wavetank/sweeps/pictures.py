"""Which pictures a sweep has: metrics against an axis of numbers, a field where two axes have many, and the trade-off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..lab.metrics import COLLISIONS
from ..lab.plan import Figure
from .axes import Axis
from .metrics import Metric
from .plan import Plan
from .result import Sweep
from .table import crowded

#: Two axes with so many numbers each are drawn as a field of colours.
MANY = 5

#: Jain's index of flows that share alike.
FAIR = 0.99


def figures(sweep: Sweep, plan: Plan) -> dict[str, Figure]:
    """The figures by their files' names."""
    x, by, rest = _roles(sweep)
    labels = {a.key: axis_label(a, sweep.labels[a.key]) for a in sweep.axes}
    common: dict[str, Any] = {
        "x": x.key,
        "by": by.key if by else "",
        "rest": [a.key for a in rest],
        "labels": labels,
        "short": dict(sweep.labels),
        "names": [a.key for a in sweep.axes if a.kind == "name"],
        "order": {a.key: list(a.texts) for a in sweep.axes},
    }
    field = by is not None and not rest and plan.crossed and _many(x) and _many(by)
    kind = "field" if field else "sweep"
    shown = [m for m in sweep.metrics if _says_something(sweep, m.name)]
    shown = shown or list(sweep.metrics[:1])
    panels = [{**common, "kind": kind, "quantity": m.name, "label": m.axis} for m in shown]
    panels = [{**p, "legend": i == 0} for i, p in enumerate(panels)]
    over = COLLISIONS if any(crowded(sweep, m) for m in shown) else ""
    note = " ".join(x for x in (over, _without(sweep, shown), plan.figure.note.strip()) if x)
    out = {"sweep": replace(plan.figure, panels=tuple(panels), columns=2 if len(panels) == 4 else 0, note=note)}
    if sweep.tradeoff is not None:
        gain, cost = sweep.tradeoff
        pair = {**common, "kind": "pareto", "quantity": gain.name, "label": gain.axis, "cost": cost.name}
        panel = {**pair, "cost_label": cost.axis, "fronts": sweep.fronts}
        each = f" with the same {', '.join(sweep.labels[k] for k in sweep.each)}" if sweep.each else ""
        note = f"Ringed: no other point{each} beats it in both; beside it: {sweep.labels[x.key]}.{plan.figure.note}"
        out["tradeoff"] = replace(plan.figure, panels=(panel,), columns=1, note=note)
    return out


def _says_something(sweep: Sweep, metric: str) -> bool:
    """Whether it is anything else than nought everywhere, as retransmits are on a good link, or than fair."""
    found = [p.metrics[metric].median for p in sweep.points if not p.failed]
    return any(v if metric != "jain" else v is not None and v < FAIR for v in found)


def _without(sweep: Sweep, shown: Sequence[Metric]) -> str:
    """Which metrics have no panel though they have values, and why."""
    left = [
        m for m in sweep.metrics if m not in shown and any(p.metrics[m.name].n for p in sweep.points if not p.failed)
    ]
    told = [f"{m.name} ({f'{FAIR} or more' if m.name == 'jain' else '0'} at every point)" for m in left]
    return f"Without a panel: {', '.join(told)}." if told else ""


def axis_label(axis: Axis, name: str) -> str:
    """The axis's name with its unit."""
    return f"{name} ({axis.unit})" if axis.unit else name


def _many(axis: Axis) -> bool:
    return axis.numeric and len(axis.texts) >= MANY


def _roles(sweep: Sweep) -> tuple[Axis, Axis | None, Sequence[Axis]]:
    """The axis along x (the first of numbers), that of colours (the one compared along, else the next), and those left."""
    left = [a for a in sweep.axes if len(a.texts) > 1] or list(sweep.axes[:1])
    compared = [a for a in left if a.key == sweep.against and len(left) > 1]
    free = [a for a in left if a not in compared]
    x = next((a for a in free if a.numeric), free[0])
    others = [*compared, *(a for a in free if a is not x)]
    return x, others[0] if others else None, others[1:]
