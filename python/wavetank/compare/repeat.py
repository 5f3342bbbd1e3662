"""Repetitions of columns: the first whole, of the others the figures, each kept as soon as it is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import files, workers
from ..captures import air
from ..lab import runner
from ..result import Result
from . import stations
from .columns import Column
from .figures import Figures, figures
from .on_air import on_air

#: (done, of, what).
Progress = Callable[[float, float, str], None]
#: What a kept file has is this code's.
KEPT = 5


@dataclass(frozen=True)
class Repetition:
    """One seed of one column (picklable)."""

    column: Column
    seed: int
    folder: Path | None

    def path(self) -> Path | None:
        """Where its figures are kept: a name made of everything that decides them."""
        if self.folder is None:
            return None
        run = runner.Run(self.column.name, self.column.scenario, self.seed, water=self.column.water)
        of = ".air" * self.column.air + ".named" * self.column.named
        return self.folder / ".runs" / f"{run.key}{of}.figures{KEPT}.json"

    def read(self) -> Figures | None:
        """What is kept, if it is there and whole."""
        path = self.path()
        try:
            rows = json.loads(path.read_text()) if path else None
            return None if rows is None else {(what, unit): value for what, unit, value in rows}
        except (OSError, ValueError):
            return None

    def keep(self, found: Figures) -> None:
        """Keeps it, where there is a folder."""
        if path := self.path():
            files.write_text(path, files.dumps([[*k, v] for k, v in found.items()]))


def _carry_out(work: Repetition) -> Figures:
    column = work.column
    if column.air:
        found = _watched(column, work.seed, lambda done, of: None)[1]
    else:
        run = runner.Run(column.name, column.scenario, work.seed, water=column.water)
        found = figures(_named(column, runner.simulate(run)))
    work.keep(found)
    return found


def _watched(column: Column, seed: int | None, progress: Callable[[float, float], None]) -> tuple[Result, Figures]:
    """A run with its air: its result, and both sorts of figures."""
    with runner.panics_told(column.name, column.scenario, seed):
        seen = air.watch(column.scenario, seed, analysis=True, on=column.water, progress=progress)
    assert seen.analysis is not None, "it was asked for"
    result = _named(column, seen.result)
    return result, {**figures(result), **on_air(seen.analysis)}


def _named(column: Column, result: Result) -> Result:
    return stations.named(result) if column.named else result


def firsts(columns: Sequence[Column], seed: int | None, progress: Progress) -> dict[str, tuple[Result, Figures]]:
    """The first repetition of each column, and its figures."""
    results = {}
    for column in columns:
        progress(0, 0, column.name)
        results[column.name] = workers.in_thread(lambda c=column: _first(c, seed, progress))  # type: ignore[misc]
    return results


def _first(column: Column, seed: int | None, progress: Progress) -> tuple[Result, Figures]:
    def told(done: float, of: float) -> None:
        progress(done, of, column.name)

    if column.air:
        return _watched(column, seed, told)
    if column.water == "linux":
        from .. import linux

        result = linux.simulate(column.scenario, seed, told)
    else:
        with runner.panics_told(column.name, column.scenario, seed):
            result = column.scenario.run(seed, on=column.water)
    result = _named(column, result)
    return result, figures(result)


def further(
    columns: Sequence[Column], seeds: Sequence[int], folder: Path | None, jobs: int, progress: Progress
) -> Mapping[str, list[Figures]]:
    """The figures of these seeds of each column, on ``jobs`` processes; what ``folder`` has of them is read."""
    work = [Repetition(column, seed, folder) for seed in seeds for column in columns]
    found = [w.read() for w in work]
    missing = [i for i, f in enumerate(found) if f is None]
    progress(len(work) - len(missing), len(work), "repetitions")
    for done, (i, result) in enumerate(workers.pool(_carry_out, [work[i] for i in missing], jobs), 1):
        found[missing[i]] = result
        progress(len(work) - len(missing) + done, len(work), "repetitions")
    out: dict[str, list[Figures]] = {c.name: [] for c in columns}
    for w, f in zip(work, found, strict=True):
        out[w.column.name].append(f or {})
    return out
