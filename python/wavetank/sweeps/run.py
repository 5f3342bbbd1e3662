"""Runs a sweep: plan, runs that are missing, results, files."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from .. import files, workers
from ..errors import UserError, unknown, whole
from ..lab import runner
from ..progress import shown
from ..scenario import WATERS, Scenario, Value, load
from . import metrics as names
from .axes import Axis, axis, parse
from .gather import gather
from .metrics import Metric
from .needs import asker
from .plan import Plan, make
from .result import Sweep

#: Axes as they are asked for: values or a list by key, or words as the command line has them.
Axes = Mapping[str, Iterable[Value]] | Sequence[str]
Progress = Callable[[int, int, str], None]
#: Keys and sections that say what a network meets, not what one sets: its stations and their traffic, the channel, the path.
CONDITIONS = frozenset({
    "wifi.stations", "wifi.error_rate", "wifi.mcs_error", "traffic", "stations", "channel", "floor", "medium", "topology",
    "backhaul.delay", "netem.delay", "htb.rate",
})  # fmt: skip
#: Keys of those sections that one sets nevertheless, where a value is one name: several are whom a flow has beside it.
CHOSEN = frozenset({"traffic.cc", "stations.cc"})
NO_CONDITION = "none"
#: Reasons that a message has.
TOLD = 2


@dataclass(frozen=True)
class Asked:
    """A sweep that was checked and not run yet."""

    plan: Plan
    metrics: tuple[Metric, ...]
    usual: bool
    quick: bool
    best: str
    against: str
    each: tuple[str, ...]

    def runs(self) -> list[runner.Run]:
        """The distinct runs, in order."""
        return runner.runs_of([self.plan.figure], self.quick, self.plan.on)

    def missing(self, out: Path | None) -> list[runner.Run]:
        """Those that are not kept in the folder yet."""
        return [r for r in self.runs() if out is None or not r.path(out).exists()]


def ask(
    scenario: Scenario | str | Path,
    axes: Axes,
    *,
    values: Mapping[str, Value] | None = None,
    zip: bool = False,
    repetitions: int = 5,
    seed: int = 1,
    metrics: Sequence[str] = (),
    best: str = "",
    against: str = "",
    each: Sequence[str] = (),
    quick: bool = False,
    on: str = "model",
    skip_impossible: bool = False,
) -> Asked:
    """Checks everything that is asked. Raises UserError and ScenarioError."""
    if on not in WATERS:
        raise unknown("water", on, WATERS, "--on")
    repetitions, seed = whole("repetitions", repetitions), whole("seed", seed)
    if repetitions < 1:
        raise UserError(f"repetitions: {repetitions}, expected at least one")
    base = (scenario if isinstance(scenario, Scenario) else load(scenario)).set(values)
    metrics, each = _words("metrics", metrics, "goodput"), _words("each", each, "wifi.stations")
    for what, word in (("best", best), ("against", against)):
        _word(what, word)
    plan = make(base, _axes(axes), repetitions, seed, together=zip, on=on, skip=skip_impossible)
    measured = names.chosen(metrics)
    if best:
        measured += [names.metric(best, "--best")] if best not in {m.name for m in measured} else []
        names.best(best, measured, "--best")
    _there(plan, [*metrics, *([best] if best else [])])
    return Asked(plan, tuple(measured), not metrics, quick, best, _against(plan, against), _conditions(plan, each))


def _there(plan: Plan, asked: Sequence[str]) -> None:
    """Raises UserError for a metric that no point can have; what some have is told of in the end."""
    why_not = asker(plan.on)
    for name in asked:
        reasons = (why_not(name, p.scenario) for p in plan.figure.points.values())
        told = list(itertools.takewhile(bool, reasons))
        if len(told) == len(plan.figure.points):
            raise UserError(f"{name} has no value at any point: {'; '.join(list(dict.fromkeys(told))[:TOLD])}")


def _words(what: str, given: Sequence[str], such: str) -> Sequence[str]:
    """A string alone is one of them, not its letters. Raises UserError for what are no words."""
    if isinstance(given, str):
        return [given]
    words = list(given) if isinstance(given, Iterable) else [None]
    if not all(isinstance(w, str) for w in words):
        raise UserError(f'{what}: {given!r}, expected names, such as ["{such}"]')
    return [str(w) for w in words]


def _word(what: str, given: object) -> None:
    """Raises UserError for what is no word."""
    if not isinstance(given, str):
        raise UserError(f"{what}: {given!r}, expected a name")


def _axes(axes: Axes) -> list[Axis]:
    if not isinstance(axes, Mapping):
        if not isinstance(axes, Sequence) or not all(isinstance(a, str) for a in axes):
            raise UserError(
                f'axes: {axes!r}, expected keys and values, such as {{"tcp.tsq_ms": [1, 4]}} or "tcp.tsq_ms=1,4"'
            )
        return [parse(a) for a in ([axes] if isinstance(axes, str) else axes)]
    for key in axes:
        if not isinstance(key, str):
            raise UserError(f'axes: {key!r}, expected a key, such as "tcp.tsq_ms"')
    return [parse(f"{k}={v}") if isinstance(v, str) else axis(k, v) for k, v in axes.items()]


def _against(plan: Plan, name: str) -> str:
    if not name:
        return ""
    if not plan.crossed and len(plan.axes) > 1:
        raise UserError(
            "--against: compares along one axis at the same values of the others, expected axes without --zip"
        )
    return _key(plan, name, "--against")


def _conditions(plan: Plan, each: Sequence[str]) -> tuple[str, ...]:
    """The axes that are conditions: those named; without any those that nobody chooses, unless nothing is left to choose."""
    if list(each) == [NO_CONDITION]:
        return ()
    if each:
        return tuple(_key(plan, name, "--each") for name in each)
    found = tuple(a.key for a in plan.axes if {*a.keys, a.key.partition(".")[0]} & CONDITIONS and not _chosen(a))
    return found if len(found) < len(plan.axes) and plan.crossed else ()


def _chosen(axis: Axis) -> bool:
    return bool({*axis.keys} & CHOSEN) and not any("," in text for text in axis.texts)


def _key(plan: Plan, name: str, option: str) -> str:
    """The axis of that name: its label, or its key."""
    found = {plan.label(a): a.key for a in plan.axes} | {a.key: a.key for a in plan.axes}
    if name not in found:
        raise unknown("axis", name, {plan.label(a) for a in plan.axes}, option)
    return found[name]


def carry_out(
    asked: Asked,
    out: Path | None,
    jobs: int | None = None,
    cluster: str = "",
    progress: Progress = lambda done, of, what: None,
) -> Sweep:
    """Runs what is missing under ``out`` and gives the sweep; with a folder, writes its files. ``progress``: done, of, point."""
    if cluster and asked.plan.on != "model":
        raise UserError(
            f"--cluster: runs the model, expected --on model, not {asked.plan.on} (which runs on this machine)"
        )
    _word("cluster", cluster)
    jobs = None if jobs is None else whole("jobs", jobs)
    if jobs is not None and jobs < 1:
        raise UserError(f"jobs: {jobs}, expected at least one")
    if out is not None:
        files.usable(out)
    runs = asked.runs()
    jobs = jobs or workers.default_jobs()
    count = 0
    progress(0, len(runs), "")

    def done(run: runner.Run, kept: bool) -> None:
        nonlocal count
        count += 1
        progress(count, len(runs), run.point + (" (kept)" if kept else ""))

    with ExitStack() as stack:
        folder = out if out is not None else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wavetank-")))
        elsewhere = None
        if cluster and asked.missing(folder):
            from .cluster import spread

            elsewhere = stack.enter_context(spread(cluster, jobs))
        records = runner.run_all(runs, folder, jobs, done, elsewhere)
        measured = runner.Measured([asked.plan.figure], records, asked.quick, asked.plan.on)
        sweep = gather(asked.plan, measured, asked.metrics, asked.usual, asked.best)
        sweep = replace(sweep, best_by=asked.best, against=asked.against, each=asked.each)
        if out is None:
            return sweep
        from .save import save

        return save(sweep, asked.plan, measured, out)


def sweep(
    scenario: Scenario | str | Path,
    axes: Axes,
    *,
    set: Mapping[str, Value] | None = None,
    zip: bool = False,
    repetitions: int = 5,
    seed: int = 1,
    metrics: Sequence[str] = (),
    best: str = "",
    against: str = "",
    each: Sequence[str] = (),
    quick: bool = False,
    on: str = "model",
    skip_impossible: bool = False,
    jobs: int | None = None,
    cluster: str = "",
    out: str | Path | None = None,
    progress: Progress | bool | None = None,
) -> Sweep:
    """Runs a scenario at every point of its axes, several times each, and gives points with their metrics.

    ``axes``: ``{"tcp.tsq_ms": [1, 2, 4], "wifi.stations": "1:14"}``: values, or a list as the command line has it; crossed, or
    with ``zip`` taken together. ``set``: keys of every point. Repetitions have the seeds ``seed``, ``seed`` + 1, ...
    ``metrics``: quantities as ``--metric`` has them, else the usual ones. ``each``: axes that are conditions and no choice, else
    those that nobody chooses (stations, traffic, channel, path); ``["none"]``: all are a choice. ``jobs``: processes, one a core
    without. ``cluster``: a Dask scheduler's address, or "local". With ``out`` runs are kept there, the same call goes on after a
    kill, and the files of ``wavetank sweep`` are written; without, nothing is kept. ``progress``: True for the command's bar on
    standard error, or a function that gets (done, of, point). Raises UserError and ScenarioError, before anything runs, for what
    cannot be.
    """
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise UserError(f"progress: {progress!r}, expected True, or a function of (done, of, point)")
    asked = ask(
        scenario, axes, values=set, zip=zip, repetitions=repetitions, seed=seed, metrics=metrics, best=best, against=against,
        each=each, quick=quick, on=on, skip_impossible=skip_impossible,
    )  # fmt: skip
    folder = None if out is None else files.place(out, "a folder to write")
    if progress is True:
        with shown("sweep") as bar:
            return carry_out(asked, folder, jobs, cluster, bar)
    silent: Progress = lambda done, of, what: None  # noqa: E731
    return carry_out(asked, folder, jobs, cluster, progress or silent)
