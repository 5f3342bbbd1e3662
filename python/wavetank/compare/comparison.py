"""``wavetank compare``: scenarios, and waters, side by side as one table with differences.

The third water's results are Flent files, which are read, not run: their figures are the mean over the files, and curves are the
first file's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import files
from ..result import Result
from ..scenario import Scenario
from .beside import beside
from .columns import Column, columns
from .figures import Figures, Line, figures, lines
from .repeat import Progress, firsts, further

#: The third water's name: its column, and its results'.
TESTBED = "testbed"


@dataclass(frozen=True)
class Comparison:
    """What was found: of each column the first repetition's result, and of every figure a line."""

    results: Mapping[str, Result]
    lines: Sequence[Line]
    #: What was measured on a test bed: each file and its result; the first one is in ``results``.
    measured: Sequence[tuple[Path, Result]] = ()
    repetitions: int = 1
    #: What was said of the scenarios and of their runs, where anybody looked.
    notes: Sequence[str] = ()

    @property
    def title(self) -> str:
        """What was run, and with which seeds."""
        names = ", ".join(dict.fromkeys(r.scenario for r in self.results.values()))
        first = next(iter(self.results.values())).seed
        return f"{names}, seed{f's {first} to {first + self.repetitions - 1}' if self.repetitions > 1 else f' {first}'}"

    def json(self) -> dict[str, Any]:
        """The document that ``compare --json`` prints."""
        first = next(iter(self.results.values()))
        return {
            "scenario": first.scenario,
            "seed": first.seed,
            "repetitions": self.repetitions,
            "waters": {w: r.summary() for w, r in self.results.items()},
            "rows": [line.json() for line in self.lines],
            "notes": list(self.notes),
            **({"testbed_files": [{"file": str(p), **r.summary()} for p, r in self.measured]} if self.measured else {}),
        }


def compare(
    scenario: Scenario | Sequence[Column],
    on: Sequence[str] = (),
    seed: int | None = None,
    progress: Progress = lambda done, of, what: None,
    alike: bool = True,
    measured: Sequence[Path] = (),
    repetitions: int = 1,
    jobs: int = 1,
    folder: Path | None = None,
    air: bool = False,
) -> Comparison:
    """Runs a scenario on each water (:func:`columns` has what ``alike`` does), or columns as they are, ``repetitions`` times.

    ``seed``: the first, in place of the scenario's; each further repetition has the next. ``measured``: Flent files of a test
    bed, which stand beside. ``folder``: where further repetitions' figures are kept, and found again. ``air``: of a scenario,
    what is on the air is counted, too. Raises UserError.
    """
    from .. import linux

    asked = columns([scenario], on, alike=alike, air=air) if isinstance(scenario, Scenario) else list(scenario)
    # What a water cannot express is said before any of them runs.
    for column in asked:
        if column.water == "linux":
            linux.check(column.scenario, seed)
    files_of = beside(asked[0].scenario, measured)
    first_runs = firsts(asked, seed, progress)
    results = {name: result for name, (result, _) in first_runs.items()}
    samples: dict[str, list[Figures]] = {name: [found] for name, (_, found) in first_runs.items()}
    if repetitions > 1:
        first = next(iter(results.values())).seed
        more = further(asked, range(first + 1, first + repetitions), folder, jobs, progress)
        samples = {name: [*samples[name], *more[name]] for name in samples}
    if files_of:
        results[TESTBED] = files_of[0][1]
        samples[TESTBED] = [figures(r) for _, r in files_of]
    return Comparison(results, lines(samples), files_of, repetitions)


def save(comparison: Comparison, folder: Path, pictures: Sequence[Path] = ()) -> list[Path]:
    """Writes ``compare.json``, ``compare.csv``, a page of all, and every column's result folder (the first repetition).

    Of an earlier comparison's files there, ``pictures`` too, those that this one has not go.
    """
    from .. import page, report

    written = []
    names = list(comparison.results)
    repeated = comparison.repetitions > 1
    heads = [f"difference {w} (fraction)" for w in names[1:]]
    heads += [f"standard error {w} (fraction)" for w in names[1:] if repeated]
    rows = [",".join(_quoted(h) for h in ["figure", "unit", *names, *heads])]
    for line in comparison.lines:
        cells = [line.values[w] for w in names] + list(line.differences().values())
        cells += list(line.errors().values()) if repeated else []
        rows.append(",".join([_quoted(line.figure), line.unit, *("" if c is None else f"{c:.6g}" for c in cells)]))
    written.append(files.write_text(folder / "compare.csv", "\n".join(rows) + "\n"))
    for w, r in comparison.results.items():
        if w != TESTBED:  # its files are where they are
            written += r.save(folder / "".join(c if c.isalnum() or c in "-_.=" else "_" for c in w))
    document, shown = folder / "compare.json", folder / page.PAGE
    listed = {str(p.relative_to(folder)) for p in (*written, *pictures, shown)}
    files.remove(folder, files.listed(document) - listed)
    text = files.dumps({**comparison.json(), "files": sorted(listed)}) + "\n"
    written = [files.write_text(document, text), *written]
    made = [report.comparison_table(comparison)]
    text = page.tables(made, pictures, comparison.notes, [*pictures, *written], folder)
    return [files.write_text(shown, text), *written]


def _quoted(cell: str) -> str:
    return f'"{cell}"' if "," in cell else cell
