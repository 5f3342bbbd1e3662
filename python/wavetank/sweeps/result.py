"""What a sweep gives: points with their metrics, typed, and as rows for pandas or polars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .. import notebook, stats
from ..report import number
from . import metrics as names
from .axes import Axis, Value
from .metrics import Metric
from .pareto import front


@dataclass(frozen=True)
class Estimate:
    """A metric at a point: median over ``n`` repetitions, and the 95 % confidence interval of their mean (Student's t).

    ``low`` and ``high`` are None with fewer than two repetitions, ``median`` too where none has a value.
    """

    median: float | None
    low: float | None
    high: float | None
    n: int

    @classmethod
    def of(cls, values: Sequence[float], bounds: tuple[float, float] = (-math.inf, math.inf)) -> Estimate:
        """Of the repetitions' values; those that are not finite do not count. The interval ends where the quantity does."""
        found = stats.finite(values)
        low, high = stats.interval(found.tolist()) or (None, None)
        if low is not None and high is not None:
            low, high = max(low, bounds[0]), min(high, bounds[1])
        return cls(float(np.median(found)) if found.size else None, low, high, int(found.size))

    @property
    def half(self) -> float | None:
        """Half of the interval's width."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def json(self) -> dict[str, Any]:
        """``{median, low, high, n}``."""
        return {"median": self.median, "low": self.low, "high": self.high, "n": self.n}


@dataclass(frozen=True, repr=False)
class SweepPoint:
    """One point: its value on each axis (by key), its metrics, and each repetition's (``seed`` and a number a metric).

    ``failed``: why there is no measurement, else empty.
    """

    name: str
    values: Mapping[str, Value]
    metrics: Mapping[str, Estimate]
    repetitions: Sequence[Mapping[str, float]]
    failed: str = ""

    def __repr__(self) -> str:
        """At a prompt: its name and medians, not every repetition."""
        return f"<SweepPoint {self._shown()}>"

    def _shown(self) -> str:
        told = self.failed or ", ".join(f"{k} {number(e.median)}" for k, e in self.metrics.items())
        return f"{self.name}: {told}"


@dataclass(frozen=True)
class Difference:
    """A point against its base point, which differs in one axis only: each metric's differences between runs of one seed.

    ``percent``: the same in percent of the base's median; None where that is 0.
    """

    point: str
    base: str
    metrics: Mapping[str, Estimate]
    percent: Mapping[str, Estimate | None]


@dataclass(frozen=True)
class Idle:
    """An axis whose every value gave the same bytes: ``everywhere``, or ``at`` these values of the other axes."""

    axis: str
    everywhere: bool
    at: tuple[str, ...]


@dataclass(frozen=True)
class Binding:
    """A setting that bound runs at these points: ``why``, and ``at``, by the points' names, what was seen there."""

    why: str
    at: Mapping[str, str]


#: So many points a sweep shows at a prompt.
SHOWN = 40


@dataclass(frozen=True, repr=False)
class Sweep:
    """A sweep that was run. ``rows()`` is what pandas takes: ``pandas.DataFrame(sweep.rows())``."""

    scenario: str
    axes: tuple[Axis, ...]
    labels: Mapping[str, str]
    metrics: tuple[Metric, ...]
    points: tuple[SweepPoint, ...]
    seeds: tuple[int, ...]
    quick: bool
    on: str
    core: str
    given: Mapping[str, str]
    skipped: Mapping[str, str]
    idle: tuple[Idle, ...]
    bound: tuple[Binding, ...] = ()
    #: What is to be said of its scenarios before they run.
    notes: tuple[str, ...] = ()
    best_by: str = ""
    #: Axes that are conditions and no choice: fronts and best points are told for each of their values.
    each: tuple[str, ...] = ()
    against: str = ""
    files: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        """At a prompt: a line a point, as :class:`SweepPoint` shows itself; ``*``: it is on the front."""
        front, n = set(self.pareto), len(self.seeds)
        units = ", ".join(f"{m.name} {m.unit}" for m in self.metrics if m.unit)
        head = f"<Sweep of {self.scenario}: {len(self.points)} points, {n} repetition{'s' if n > 1 else ''}, medians ({units})"
        lines = [f"  {p._shown()}{' *' if p.name in front else ''}" for p in self.points[:SHOWN]]
        more = [f"  and {len(self.points) - SHOWN} more"] if len(self.points) > SHOWN else []
        return "\n".join([head, *lines, *more]) + ">"

    def _repr_html_(self) -> str:
        """In a notebook: a row a point, its metrics' medians, and whether it is on the front."""
        front = set(self.pareto)
        heads = {m.name: f"{m.name} {m.unit}".rstrip() for m in self.metrics}
        rows = [
            {
                **{self.labels[k]: str(v) for k, v in p.values.items()},
                **{heads[k]: e.median for k, e in p.metrics.items() if k in heads},
                "front": "*" if p.name in front else "",
            }
            for p in self.points
        ]
        n = len(self.seeds)
        return notebook.table(f"sweep of {self.scenario} ({n} repetition{'s' if n > 1 else ''})", rows)

    def rows(self) -> list[dict[str, Value | float]]:
        """A row a point and repetition: axes by key, ``seed``, metrics by name."""
        return [{**p.values, **r} for p in self.points for r in p.repetitions]

    def summary(self) -> list[dict[str, Any]]:
        """A row a point: axes by key, each metric's median with ``_low`` and ``_high``, and ``pareto``."""
        on_front = set(self.pareto)
        return [
            {
                **p.values,
                **{
                    k + end: v
                    for k, e in p.metrics.items()
                    for end, v in (("", e.median), ("_low", e.low), ("_high", e.high))
                },
                "pareto": p.name in on_front,
            }
            for p in self.points
        ]

    @cached_property
    def tradeoff(self) -> tuple[Metric, Metric] | None:
        """The gain and the cost that the front is of: goodput and the ping's median, where the sweep has them."""
        found = {m.name: m for m in self.metrics}
        gain = next((found[n] for n in names.GAINS if n in found), None)
        cost = next((found[n] for n in names.COSTS if n in found), None)
        return (gain, cost) if gain and cost else None

    def conditions(self) -> list[list[SweepPoint]]:
        """The points that are a choice from one another: of each value of the axes ``each``, without what failed."""
        out: dict[tuple[Value, ...], list[SweepPoint]] = {}
        for p in self.points:
            if not p.failed:
                out.setdefault(tuple(p.values[k] for k in self.each), []).append(p)
        return list(out.values())

    @cached_property
    def fronts(self) -> list[list[str]]:
        """For each condition the names of the points that no other beats in the trade-off, from the least cost on."""
        if self.tradeoff is None:
            return []
        gain, cost = (m.name for m in self.tradeoff)
        return [
            front({p.name: (_number(p.metrics[gain]), _number(p.metrics[cost])) for p in points})
            for points in self.conditions()
        ]

    @property
    def pareto(self) -> list[str]:
        """The names of the points of all fronts."""
        return [name for points in self.fronts for name in points]

    def best(self, metric: str) -> list[SweepPoint]:
        """For each condition the point of the best median; of equal ones the first. Raises UserError."""
        m = names.best(metric, self.metrics)
        sign = 1.0 if m.better == "more" else -1.0
        found = ([p for p in points if p.metrics[m.name].median is not None] for points in self.conditions())
        return [max(points, key=lambda p: sign * _number(p.metrics[m.name])) for points in found if points]

    def ties(self, point: SweepPoint, metric: str) -> list[SweepPoint]:
        """Other points of its condition whose interval meets the point's: the repetitions do not tell them apart."""
        (group,) = (points for points in self.conditions() if point in points)
        own = point.metrics[metric]
        return [p for p in group if p is not point and _meet(p.metrics[metric], own)]

    def differences(self, key: str) -> list[Difference]:
        """Every point against the one that has the axis's first value and is the same on all others."""
        (axis,) = (a for a in self.axes if a.key == key)
        at = {tuple(p.values.items()): p for p in self.points if not p.failed}
        out = []
        for p in self.points:
            base = at.get(tuple({**p.values, key: axis.values[0]}.items()))
            if p.failed or base is None or base is p:
                continue
            each = {m.name: _paired(p, base, m.name) for m in self.metrics}
            percent = {
                k: _scaled(e, 100 / b) if (b := base.metrics[k].median) else None for k, e in each.items()
            }  # fmt: skip
            out.append(Difference(p.name, base.name, each, percent))
        return out

    def json(self) -> dict[str, Any]:
        """The document that ``sweep --json`` prints."""
        best = self.best(self.best_by) if self.best_by else []
        ties = [[t.name for t in self.ties(p, self.best_by)] for p in best]
        chosen = {"metric": self.best_by, "points": [p.name for p in best], "ties": ties}
        on_front = set(self.pareto)
        return {
            "scenario": self.scenario,
            "on": self.on,
            "core": self.core,
            "quick": self.quick,
            "seeds": list(self.seeds),
            "set": dict(self.given),
            "axes": [{"key": a.key, "unit": a.unit, "values": list(a.values)} for a in self.axes],
            "metrics": [{"name": m.name, "unit": m.unit, "label": m.label, "better": m.better} for m in self.metrics],
            "points": [
                {
                    "name": p.name,
                    "values": dict(p.values),
                    "metrics": {k: e.json() for k, e in p.metrics.items()},
                    "pareto": p.name in on_front,
                    "failed": p.failed,
                }
                for p in self.points
            ],
            "tradeoff": [m.name for m in self.tradeoff] if self.tradeoff else [],
            "pareto": self.pareto,
            "each": list(self.each),
            "best": chosen if self.best_by else None,
            "against": self._against(),
            "bound": [{"why": b.why, "at": dict(b.at)} for b in self.bound],
            "idle": [{"axis": i.axis, "everywhere": i.everywhere, "at": list(i.at)} for i in self.idle],
            "skipped": dict(self.skipped),
            "notes": list(self.notes),
            "files": [str(f) for f in self.files],
        }

    def _against(self) -> dict[str, Any] | None:
        if not self.against:
            return None
        found = self.differences(self.against)
        rows = [
            {"point": d.point, "base": d.base, "metrics": {k: e.json() for k, e in d.metrics.items()}} for d in found
        ]
        return {"axis": self.against, "differences": rows}

    def failures(self) -> list[str]:
        """Why points have no measurement."""
        return list(dict.fromkeys(p.failed for p in self.points if p.failed))


def _number(e: Estimate) -> float:
    return float("nan") if e.median is None else e.median


def _meet(a: Estimate, b: Estimate) -> bool:
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return False
    return a.low <= b.high and b.low <= a.high


def _paired(p: SweepPoint, base: SweepPoint, metric: str) -> Estimate:
    pairs = zip(p.repetitions, base.repetitions, strict=True)
    return Estimate.of([a[metric] - b[metric] for a, b in pairs])


def _scaled(e: Estimate, by: float) -> Estimate:
    a, b, c = (None if v is None else v * by for v in (e.median, e.low, e.high))
    return Estimate(a, b, c, e.n) if by > 0 else Estimate(a, c, b, e.n)
