"""What is to be said of a sweep's scenarios before they run: what `run` says of one, each once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import idle, way_back
from .. import keys as catalogue
from .plan import Plan

#: Places that a note names.
TOLD = 6


def notes(plan: Plan) -> list[str]:
    """A sentence for each reason why keys change nothing at any point (at some, that is what a sweep is for), for what else is
    to be said of each point, and for what the second water has of its own.
    """
    return [*_idle(plan), *_others(plan), *plan.notes]


def _idle(plan: Plan) -> Iterator[str]:
    """Keys that change nothing wherever they are not at their default."""
    default = catalogue.defaults()
    scenarios = [p.scenario for p in plan.figure.points.values()]
    found = [idle.keys(s) for s in scenarios]
    by_reasons: dict[tuple[str, ...], list[str]] = {}
    for key in dict.fromkeys(k for of_point in found for k in of_point):
        if all(key in f or s.check()[key] == default[key] for f, s in zip(found, scenarios, strict=True)):
            by_reasons.setdefault(tuple(dict.fromkeys(f[key] for f in found if key in f)), []).append(key)
    for reasons, keys in by_reasons.items():
        what = f"{', '.join(keys)} {'changes' if len(keys) == 1 else 'change'}"
        yield f"{what} nothing at any point: {some(reasons)}"


def _others(plan: Plan) -> Iterator[str]:
    places: dict[str, list[str]] = {}
    for name, p in plan.figure.points.items():
        for note in (*idle.others(p.scenario), *way_back.notes(p.scenario)):
            places.setdefault(note, []).append(name)
    for note, at in places.items():
        yield note if len(at) == len(plan.figure.points) else f"at {some(at)}: {note}"


def some(places: Sequence[str]) -> str:
    """The first of them by name, and how many more."""
    return "; ".join(places[:TOLD]) + (f"; {len(places) - TOLD} more" if len(places) > TOLD else "")
