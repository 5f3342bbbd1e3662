"""Running an experiment: every distinct run once, on a pool of processes, each kept as soon as it is done.

Runs are deterministic and independent, so their order does not matter to the results; they are collected in the plan's
order. A finished run is one file under ``OUT/.runs``, named by everything that decides it (the core, scenario, what is
set, seed): after a kill, or with another figure that has the same point, it is read instead of run.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .. import _core, bounds, files, flent, workers
from ..errors import Failed, UserError
from ..result import Result
from ..scenario import Scenario
from ..state import At
from .judge import Unmeasured
from .mark import mark, marked
from .plan import Figure, Point
from .records import RECORD, Record
from .records import record as reduced


@cache
def core_digest() -> str:
    """Digest of the compiled core: results of another core are not taken for this one's."""
    path = getattr(_core, "__file__", None)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path else "none"


@dataclass(frozen=True)
class Run:
    """One repetition of one point. The first repetition also leaves a Flent file, ``flent`` without its ending.

    ``mark``: what the file's note begins with, where it is one of fewer repetitions than its figure asks for.
    """

    point: str
    scenario: Scenario
    seed: int | None
    flent: str = ""
    water: str = "model"
    mark: str = ""

    @property
    def key(self) -> str:
        """Everything that decides the result."""
        s = self.scenario
        decides = [core_digest(), RECORD, s.text, sorted(dict(s.overrides).items()), self.seed]
        if self.water == "linux":
            from .. import linux

            decides = [RECORD, linux.fingerprint(s, self.seed)]
        return hashlib.sha256(json.dumps(decides).encode()).hexdigest()[:32]

    def path(self, out: Path) -> Path:
        """Where its record is kept."""
        return out / ".runs" / f"{self.key}.json.gz"

    def flent_path(self, out: Path) -> Path | None:
        """Where its Flent file stands; None of a repetition that has none."""
        return out / "flent" / f"{self.flent}{flent.ENDING}" if self.flent else None


def runs_of(
    figures: Sequence[Figure], quick: bool, water: str = "model", asked: int | None = None, column: str = ""
) -> list[Run]:
    """The distinct runs of these figures, in order. ``asked``: repetitions in place of the figures' own; ``column``: see
    :class:`Outcome`."""
    behind = f"-{column}" if column else f"-on-{water}" if water != "model" else ""
    word = mark(quick, asked)
    seen: dict[str, Run] = {}
    for f in figures:
        seeds = f.seeds(quick)
        said = f"{marked(word, len(seeds))}; " if word else ""
        for p in f.points.values():
            for i, seed in enumerate(seeds):
                name = f"{f.id.replace('/', '-')}-{p.name}{behind}" if i == 0 else ""
                run = Run(p.name, p.scenario, seed, _safe(name), water, said)
                if run.key not in seen or (name and not seen[run.key].flent):
                    seen[run.key] = run
    return list(seen.values())


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)


def read(run: Run, out: Path) -> Record | None:
    """The kept record, if it is there and whole, and the run's Flent file with it."""
    try:
        with gzip.open(run.path(out), "rt", encoding="utf-8") as f:
            value: Record = json.load(f)
    except (OSError, EOFError, ValueError):
        return None
    path = run.flent_path(out)
    # a point of that name may have been another since, and the file is that one's
    return value if path is None or flent.note(path).endswith(f"digest {value.get('digest')}") else None


class CoreFailed(Failed):
    """The core broke down: a defect in it, not bad input. The text says on what."""

    advice = "; this is a defect, please report it"


@contextmanager
def panics_told(point: str, scenario: Scenario, seed: int | None) -> Iterator[None]:
    """Raises CoreFailed where the core panics within. ``seed``: None where the scenario's own is used."""
    try:
        yield
    except Exception:
        raise
    except BaseException as e:
        if type(e).__name__ != "PanicException":
            raise
        used = scenario.check()["seed"] if seed is None else seed
        raise CoreFailed(f"the core failed on {point}, seed {used}: {e}") from None


def simulate(run: Run, states: Sequence[At] = ()) -> Result:
    """Runs it, and looks at its state at these times. Raises CoreFailed where the core panics, and ScenarioError."""
    with panics_told(run.point, run.scenario, run.seed):
        return run.scenario.run(run.seed, run.water, states)


@dataclass(frozen=True)
class Answer:
    """What carrying out a run gives: its record, and of a first repetition the Flent file. It crosses process and wire."""

    record: Record
    flent: bytes = b""


def answer(run: Run) -> Answer:
    """Runs it. A failure, and what a water cannot run, is a record that says so."""
    from ..linux import LinuxFailed

    try:
        result = simulate(run)
    except (CoreFailed, LinuxFailed) as e:
        return Answer({"failed": str(e)})
    except UserError as e:
        if run.water == "model":
            raise
        return Answer({"cannot": str(e).removeprefix(f"{run.scenario.path}: ")})
    record = {**reduced(result), "bounds": [[b.what, b.why] for b in bounds.notes(run.scenario, result)]}
    if not run.flent:
        return Answer(record)
    return Answer(record, flent.data(result, run.flent, f"{run.flent}{flent.ENDING}", run.mark))


def keep(run: Run, found: Answer, out: Path) -> Record:
    """Keeps its record (and the Flent file), but of what failed; gives the record."""
    record = found.record
    if "failed" in record or "cannot" in record:
        return record
    path = run.flent_path(out)
    if found.flent and path is not None:
        files.write(path, lambda p: p.write_bytes(found.flent))

    def write(path: Path) -> None:
        with path.open("wb") as raw, gzip.GzipFile("", "wb", mtime=0, fileobj=raw, compresslevel=5) as f:
            f.write(json.dumps(record).encode())

    files.write(run.path(out), write)
    return record


def execute(run: Run, out: Path) -> Record:
    """Runs it and keeps what it gives."""
    return keep(run, answer(run), out)


#: Carries runs out somewhere else than on this machine's cores; gives each with its index as they finish.
Elsewhere = Callable[[Sequence[Run]], Iterator[tuple[int, Answer]]]


@dataclass(frozen=True)
class _Job:
    """What a worker is handed (picklable)."""

    out: Path

    def __call__(self, run: Run) -> Record:
        return execute(run, self.out)


def run_all(
    runs: Sequence[Run],
    out: Path,
    jobs: int,
    done: Callable[[Run, bool], None] = lambda run, kept: None,
    elsewhere: Elsewhere | None = None,
) -> dict[str, Record]:
    """Every run's record by key, on ``jobs`` processes or ``elsewhere``. ``done`` is called after each, with whether it was kept
    from before."""
    records: dict[str, Record] = {}
    missing = []
    for run in runs:
        found = read(run, out)
        if found is None:
            missing.append(run)
        else:
            records[run.key] = found
            if (path := run.flent_path(out)) is not None:
                flent.remark(path, run.mark)
            done(run, True)
    if elsewhere is None:
        finished = workers.pool(_Job(out), missing, jobs)
    else:
        finished = ((i, keep(missing[i], found, out)) for i, found in elsewhere(missing))
    for i, record in finished:
        records[missing[i].key] = record
        done(missing[i], False)
    return {run.key: records[run.key] for run in runs}


class Measured:
    """Records of an experiment's figures, looked up by figure and point."""

    def __init__(
        self, figures: Iterable[Figure], records: Mapping[str, Record], quick: bool, water: str = "model"
    ) -> None:
        self.figures = {f.id: f for f in figures}
        self.records = records
        self.quick = quick
        self.water = water

    def of(self, figure: Figure, point: Point) -> list[Record]:
        """A point's records, in the order of the seeds. Raises Unmeasured if one failed, or the water cannot run it."""
        seeds = figure.seeds(self.quick)
        records = [self.records[Run(point.name, point.scenario, s, water=self.water).key] for s in seeds]
        for r in records:
            for why in ("failed", "cannot"):
                if why in r:
                    raise Unmeasured(r[why])
        return records

    def failures(self) -> list[str]:
        """What the core failed on."""
        return [r["failed"] for r in self.records.values() if "failed" in r]
