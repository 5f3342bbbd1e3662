"""An experiment's outcome: what was measured, judged and written down, as one document."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..version import __version__
from . import judge, metrics, runner
from .judge import Verdict
from .mark import mark
from .plan import Figure, Point


@dataclass(frozen=True)
class Outcome:
    """An experiment, run and judged."""

    name: str
    quick: bool
    repetitions: int
    verdicts: Sequence[Verdict]
    figures: Sequence[Figure]
    measured: runner.Measured
    written: Sequence[Path]
    #: Which column of several it is, as files' names have it; empty of an experiment as it stands.
    column: str = ""
    #: Each figure's picture, table and Flent files (a point: its first repetition's), once they are written.
    pictures: Mapping[str, Path] = field(default_factory=dict)
    tables: Mapping[str, Path] = field(default_factory=dict)
    flents: Mapping[str, Mapping[str, Path]] = field(default_factory=dict)
    #: Of the second water: the model's outcomes on the same experiment by name, and what stood in for what it cannot have.
    beside: Mapping[str, Outcome] = field(default_factory=dict)
    replaced: Sequence[str] = ()
    #: Repetitions that were asked for in place of the figures' own; None: theirs.
    asked: int | None = None

    @property
    def mark(self) -> str:
        """What every output begins with of a run that is not as often as its figures ask for; empty where it is."""
        return mark(self.quick, self.asked)

    @property
    def water(self) -> str:
        """What it ran on."""
        return self.measured.water

    @property
    def summary(self) -> dict[str, int]:
        """Counts by class, and what holds."""
        return judge.summary(self.verdicts)

    def json(self) -> dict[str, Any]:
        """The document that ``reproduce --json`` prints and ``claims.json`` holds."""
        return {
            "experiment": self.name,
            "quick": self.quick,
            "repetitions": self.repetitions,
            "repetitions_asked": self.asked,
            "wavetank": __version__,
            "claims": self._claims(),
            "summary": self.summary,
            **self._on(),
            "figures": {
                f.id: {
                    "source": f.source,
                    "title": f.title,
                    "points": list(f.points),
                    "values": self.values(f),
                    **self._files(f),
                }
                for f in self.figures
            },
            "failures": self.measured.failures(),
            "files": [str(p) for p in self.written],
        }

    def runs(self) -> list[runner.Run]:
        """The runs of its figures."""
        return runner.runs_of(self.figures, self.quick, self.water, self.asked, self.column)

    def _files(self, figure: Figure) -> dict[str, Any]:
        picture, table = self.pictures.get(figure.id), self.tables.get(figure.id)
        return {
            "png": None if picture is None else str(picture),
            "csv": None if table is None else str(table),
            "flent": {point: str(p) for point, p in self.flents.get(figure.id, {}).items()},
        }

    def values(self, figure: Figure) -> dict[str, dict[str, Any]]:
        """What the figure's panels show, a point: ``{POINT: {QUANTITY: {value, se}}}``; null where nothing is."""
        asked = (q for p in figure.panels for q in (p.get("quantity"), p.get("x")) if isinstance(q, str))
        shown = dict.fromkeys(q for q in asked if q in metrics.QUANTITIES)
        return {p.name: {q: self._value(figure, p, q) for q in shown} for p in figure.points.values()}

    def _value(self, figure: Figure, point: Point, quantity: str) -> dict[str, float | None]:
        try:
            sample = metrics.sample(quantity, "", self.measured.of(figure, point), point)
        except judge.Unmeasured:
            return {"value": None, "se": None}
        return {k: x if math.isfinite(x) else None for k, x in (("value", sample.value), ("se", sample.se))}

    def _claims(self) -> list[dict[str, Any]]:
        rows = [v.json() for v in self.verdicts]
        keys = ("class", "measured", "other", "compared", "ok")
        for name, outcome in self.beside.items():
            for row, v in zip(rows, outcome.verdicts, strict=True):
                value = v.json()
                row[key_of(name)] = {k: value[k] for k in keys}
        return rows

    def _on(self) -> dict[str, Any]:
        if not self.beside:
            return {}
        summaries = {f"{key_of(n)}_summary": o.summary for n, o in self.beside.items()}
        return {"on": self.water, **summaries, "replaced": list(self.replaced)}


def key_of(name: str) -> str:
    """A name as JSON and CSV have it: "model, alike" is model_alike."""
    return name.replace(", ", "_")
