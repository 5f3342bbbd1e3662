"""Rows of a validation and their summary, the same for every reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from .. import workers


@dataclass(frozen=True)
class Row:
    """One metric of one case. ``ok`` None: it could not be run, and ``reason`` says why.

    ``low`` and ``high``: within these it holds, where the tolerance is an interval.
    """

    name: str
    metric: str
    reference: float | None
    ours: float | None
    ok: bool | None
    reason: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def relative_error(self) -> float | None:
        """(ours - reference) / reference, signed; None if either is missing or the reference is 0."""
        if self.ours is None or not self.reference:
            return None
        return (self.ours - self.reference) / self.reference

    def json(self) -> dict[str, Any]:
        """The keys of ``validate --json``."""
        return {
            "name": self.name, "metric": self.metric, "reference": self.reference, "ours": self.ours,
            "relative_error": self.relative_error, "ok": self.ok, "reason": self.reason, "low": self.low, "high": self.high,
        }  # fmt: skip


@dataclass(frozen=True)
class Report:
    """A validation: its rows and what they come to."""

    what: str
    rows: Sequence[Row]
    notes: Sequence[str] = field(default=())

    def cases(self) -> dict[str, bool | None]:
        """Every case: it holds if all its metrics do; None if it could not be run."""
        out: dict[str, bool | None] = {}
        for r in self.rows:
            if r.ok is None:
                out.setdefault(r.name, None)
            else:
                before = out.get(r.name)
                out[r.name] = r.ok if before is None else before and r.ok
        return out

    def summary(self) -> dict[str, Any]:
        """Figures: errors over rows, shares over cases."""
        cases = self.cases()
        run = [ok for ok in cases.values() if ok is not None]
        metrics = list(dict.fromkeys(r.metric for r in self.rows))
        return {
            **_errors(self.rows),
            "share_ok": sum(run) / len(run) if run else None,
            "cases": len(run),
            "unmeasured": len(cases) - len(run),
            "by_metric": {m: _metric([r for r in self.rows if r.metric == m]) for m in metrics},
        }

    def json(self) -> dict[str, Any]:
        """The document that ``validate --json`` prints."""
        return {"what": self.what, "rows": [r.json() for r in self.rows], "summary": self.summary()}


def _errors(rows: Sequence[Row]) -> dict[str, float | None]:
    errors = [abs(e) for r in rows if r.ok is not None and (e := r.relative_error) is not None]
    return {
        "median_abs_error": float(np.median(errors)) if errors else None,
        "worst": max(errors) if errors else None,
    }


def _metric(rows: Sequence[Row]) -> dict[str, float | int | None]:
    judged = [r.ok for r in rows if r.ok is not None]
    return {**_errors(rows), "share_ok": sum(judged) / len(judged) if judged else None, "rows": len(judged)}


class Case(Protocol):
    """What a reference has of one piece of work."""

    @property
    def name(self) -> str:
        """Its name in the report."""
        ...


C = TypeVar("C", bound=Case)
Figures = dict[str, float]


def run_all(
    cases: Sequence[C],
    cannot: Callable[[C], str],
    run_case: Callable[[C], Figures],
    judge: Callable[[C, Figures], list[Row]],
    known: Callable[[C], Mapping[str, float]],
    jobs: int,
    done: Callable[[str], None],
) -> list[Row]:
    """Runs every case that can be run and judges it; rows of the others say why not, with the ``known`` figures."""
    why = {c.name: cannot(c) for c in cases}
    todo = [c for c in cases if not why[c.name]]
    ours: dict[str, Figures] = {}
    for i, values in workers.pool(run_case, todo, jobs):
        ours[todo[i].name] = values
        done(todo[i].name)
    rows: list[Row] = []
    for c in cases:
        if why[c.name]:
            rows += [Row(c.name, figure, value, None, None, why[c.name]) for figure, value in known(c).items()]
        else:
            rows += judge(c, ours[c.name])
    return rows
