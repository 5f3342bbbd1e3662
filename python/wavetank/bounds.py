"""The settings that bound a run, and flows of which nothing arrived, whoever asks: `run`, `compare` of each column, `sweep` of
each point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import cpu, flood, lost, wire
from .offered import Bound
from .result import Result
from .scenario import Scenario

#: Runs that a note has the figures of.
TOLD = 3


def notes(scenario: Scenario, result: Result) -> list[Bound]:
    """What is to be said of a run, by what."""
    return [note for by in (lost, flood, wire, cpu) for note in by.notes(scenario, result)]


def together(found: Mapping[str, Sequence[Bound]]) -> list[str]:
    """Notes of several runs by their names: a sentence for each reason."""
    by_why: dict[str, dict[str, list[str]]] = {}
    for name, of in found.items():
        for bound in of:
            by_why.setdefault(bound.why, {}).setdefault(name, []).append(bound.what)
    return [told(why, {name: ", ".join(what) for name, what in runs.items()}) for why, runs in by_why.items()]


def told(why: str, at: Mapping[str, str]) -> str:
    """A reason's sentence, with what was seen in the first of the runs that it is of."""
    some = "; ".join(f"{name}: {what}" for name, what in list(at.items())[:TOLD])
    more = len(at) - TOLD
    return f"{some}{f'; and at {more} more' if more > 0 else ''}: {why}"
