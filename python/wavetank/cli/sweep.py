"""``sweep``: which setting? A scenario at every point of some axes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import files
from ..progress import shown
from . import complete, given
from .base import (
    UNBOUND,
    _echo_json,
    _pair,
    _print,
    _wrote,
    cli,
    jobs_option,
    json_option,
    module_option,
    on_option,
    seed_range,
    set_option,
)
from .notes import notes_option, say, shortened
from .number import Whole
from .place import Place

if TYPE_CHECKING:
    from ..sweeps.result import Sweep
    from ..sweeps.run import Asked


@cli.command()
@click.argument("scenario", shell_complete=complete.scenario)
@click.argument("axes", nargs=-1, required=True, metavar="KEY=VALUES...", shell_complete=complete.setting)
@set_option("Set a key at every point")
@click.option("--zip", "together", is_flag=True, help="Take the axes together: first values, second values, ...")
@click.option("--repetitions", type=Whole(min=1), default=None, help="Of each point.  [default: 5]")
@click.option("--seed", type=seed_range, default=1, show_default=True, help="The first repetition's seed.")
@click.option("--quick", is_flag=True, help="Two repetitions; every output says so.")
@click.option(
    "--metric", "metrics", multiple=True, metavar="NAME[:STAT]",
    help="A column, in place of the usual ones; STAT: mean, median, p90 of its samples. May be repeated.",
)  # fmt: skip
@click.option("--best", default="", metavar="METRIC", help="Name the point that is best by it.")
@click.option("--against", default="", metavar="AXIS", help="Also compare along it: each value with its first.")
@click.option(
    "--each", multiple=True, metavar="AXIS",
    help="A condition, no choice: front and best for each of its values. "
    "[default: stations, traffic, channel, path; none: no axis]",
)  # fmt: skip
@click.option("--skip-impossible", is_flag=True, help="Leave out points that cannot be run.")
@click.option("--dry-run", is_flag=True, help="Check, say how much it is, and run nothing.")
@jobs_option
@click.option(
    "--cluster",
    default="",
    metavar="ADDRESS",
    help="Run on a Dask cluster: tcp://host:8786, or local. [needs wavetank[cluster]]",
)
@on_option
@module_option
@click.option("--out", type=Place(), default=None, help="Folder [default: results/sweep-SCENARIO-AXES].")
@notes_option
@json_option
def sweep(
    scenario: str,
    axes: Sequence[str],
    sets: Sequence[str],
    together: bool,
    repetitions: int | None,
    seed: int,
    quick: bool,
    metrics: Sequence[str],
    best: str,
    against: str,
    each: Sequence[str],
    skip_impossible: bool,
    dry_run: bool,
    jobs: int,
    cluster: str,
    on: str,
    modules: Sequence[str],
    out: Path | None,
    every: bool,
    as_json: bool,
) -> None:
    """Run SCENARIO (a file, `-` for standard input, or a name of `wavetank list`) at every point of its axes and compare.

    An axis is a key and its values: tcp.tsq_ms=1,2,4 or wifi.stations=1:14 (FROM:TO, FROM:TO:STEP, FROM:TO:*FACTOR) or
    host.wake="50 us","100 us"; KEY+KEY=VALUES sets several keys to the same. Axes are crossed. Runs that are already in the
    folder are not run again: after Ctrl-C or a kill, the same command goes on. docs/sweeps.md has examples.
    """
    from ..sweeps import run as sweeps
    from ..sweeps import table

    if quick and repetitions is not None:
        raise click.UsageError("--quick and --repetitions exclude each other")
    asked = sweeps.ask(
        given.with_modules(given.scenario(scenario), modules), axes, values=dict(_pair(x) for x in sets), zip=together,
        repetitions=repetitions or 5, seed=seed, metrics=metrics, best=best, against=against, each=each, quick=quick, on=on,
        skip_impossible=skip_impossible,
    )  # fmt: skip
    if cluster:
        from ..sweeps.cluster import check

        check(cluster)
    folder = out or Path("results") / _folder(asked)
    _told(asked, _size(asked, folder, jobs, cluster), every)
    if dry_run:
        if as_json:
            _echo_json(
                {"points": list(asked.plan.figure.points), "runs": len(asked.runs()), "skipped": asked.plan.skipped}
            )
        return
    if on == "linux":
        from .. import linux

        files.writable(folder, "a folder")  # before the minutes of a build
        with shown("linux build") as progress:
            linux.build(None, progress, linux.folders(p.scenario for p in asked.plan.figure.points.values()))
    with shown("sweep") as progress:
        found = sweeps.carry_out(asked, folder, jobs, cluster, progress)
    if as_json:
        _echo_json(found.json())
    else:
        _print(*table.tables(found, _width()))
    _notes(found)
    if not as_json:
        _wrote(found.files, folder)
    if found.failures():
        sys.exit(1)


def _told(asked: Asked, size: str, every: bool) -> None:
    """What is to be known before it runs."""
    from ..sweeps import notes

    say(shortened(notes.notes(asked.plan), asked.plan.own, every))
    for point, why in asked.plan.skipped.items():
        click.echo(f"left out: {point}: {why}", err=True)
    click.echo(size, err=True)


def _width() -> int:
    """Columns that a table may have; ``_print`` gives a pipe or a file all that they take."""
    from rich.console import Console

    console = Console()
    return console.width if console.is_terminal else UNBOUND


def _folder(asked: Asked) -> str:
    names = "-".join(asked.plan.label(a) for a in asked.plan.axes)
    return f"{asked.plan.figure.id.replace('/', '-')}-{names}"


def _size(asked: Asked, folder: Path, jobs: int, cluster: str) -> str:
    """How much is asked, how much of it is there, and about how long the rest takes."""
    from ..sweeps import estimate

    plan, runs, missing = asked.plan, asked.runs(), asked.missing(folder)
    shape = (" x " if plan.crossed else " = ").join(f"{len(a.texts)} {plan.label(a)}" for a in plan.axes)
    points, times = len(plan.figure.points), len(plan.figure.seeds(asked.quick))
    text = f"{shape}: {_count(points, 'point')}, {_count(times, 'repetition')}: {_count(len(runs), 'run')}"
    kept = len(runs) - len(missing)
    text += f", {kept} of them kept in {folder}" if kept else ""
    if not missing or plan.on != "model":
        return text
    alone = estimate.seconds(missing, 1 if cluster and cluster != "local" else jobs)
    where = "of one core" if cluster and cluster != "local" else f"on {_count(min(jobs, len(missing)), 'core')}"
    return f"{text}; about {estimate.told(alone)} {where}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _notes(found: Sweep) -> None:
    from ..sweeps.findings import findings

    for text in findings(found):
        click.echo(f"note: {text}", err=True)
    for text in found.failures():
        click.echo(f"error: {text}", err=True)
