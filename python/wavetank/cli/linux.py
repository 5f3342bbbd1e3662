"""The verbs of the second water: ``linux build``, ``linux status`` and ``compare``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from .base import _echo_json, _pair, _print, _progress, _usable, cli, json_option


@cli.group()
def linux() -> None:
    """The second water: the real Linux 6.12 in virtual time, over a virtual radio.

    `wavetank run SCENARIO --on linux` runs there. It needs x86-64, a source checkout of wavetank and some Debian packages.
    """


@linux.command()
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Compilers at once [default: one a core].")
@json_option
def build(jobs: int | None, as_json: bool) -> None:
    """Build the kernel, its modules and the guest's programs, once; minutes.

    They lie in ~/.cache/wavetank/linux, keyed by a checksum of everything they are made of: what is there is not built again,
    and a build that was killed goes on where it stopped.
    """
    from .. import linux as water

    with _progress("linux build") as progress:
        state = water.build(jobs, progress)
        progress(1, 1, "")
    _tell(state, as_json)


@linux.command()
@json_option
def status(as_json: bool) -> None:
    """What is built, what is missing; builds nothing."""
    from .. import linux as water

    _tell(water.status(), as_json)


def _tell(state: dict[str, Any], as_json: bool) -> None:
    if as_json:
        _echo_json(state)
        return
    for key in ("cache", "kernel", "guest", "seed"):
        click.echo(f"{key:>14}  {state[key] or 'not built'}")
    for name, path in state["modules"].items():
        click.echo(f"{name:>14}  {path or 'not built'}")
    if state["missing"]:
        click.echo(f"{'missing':>14}  apt-get install {' '.join(state['missing'])}")
    click.echo("ready" if state["ready"] else "not ready: `wavetank linux build` makes what is missing")


@cli.command()
@click.argument("paths", nargs=-1, metavar="SCENARIO", type=click.Path(path_type=Path))
@click.option(
    "--on",
    default=None,
    help="The waters, the first being what is compared with [default: model,linux; with --with: model].",
)
@click.option(
    "--with",
    "measured",
    multiple=True,
    metavar="FILE...",
    type=click.Path(path_type=Path),
    help="Flent files measured on a test bed (`wavetank testbed`): they stand beside as `testbed`.",
)
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Set a key of the scenario; may be repeated.")
@click.option("--seed", type=click.IntRange(min=0), default=None, help="Seed, in place of the scenario's.")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="Folder [default: results/compare-NAME].")
@click.option("--as-is", is_flag=True, help="Leave the model's own values where the scenario says nothing.")
@json_option
def compare(
    paths: Sequence[Path],
    on: str | None,
    measured: Sequence[Path],
    sets: Sequence[str],
    seed: int | None,
    out: Path | None,
    as_is: bool,
    as_json: bool,
) -> None:
    """Run SCENARIO on several waters: one table with differences, one overlaid plot a series.

    Where the scenario leaves a key open and the real kernel has a value of its own, the model gets that, too (the notes say
    which); --as-is leaves the model its own.

    With --with, Flent files of real machines stand beside them: figures are the mean over the files, curves the first file's.

    The folder gets the plots, compare.json, compare.csv, and each water's result.
    """
    from .. import compare as lab
    from .. import linux as water
    from .. import report, workers
    from ..plots import compare as compare_plots
    from ..scenario import load

    # `--with results/*` as a shell expands it: the option takes the first, the others stand where SCENARIO does
    files = [p for p in paths if p.name.endswith((".flent.gz", ".flent"))]
    scenarios = [p for p in paths if p not in files]
    if len(scenarios) != 1 or (files and not measured):
        wrong = ", ".join(map(str, scenarios if len(scenarios) != 1 else files)) or "none"
        raise click.UsageError(f"expected one SCENARIO, and Flent files (.flent.gz, .flent) behind --with; got {wrong}")
    scenario, measured = scenarios[0], [*measured, *files]
    names = lab.waters(on or ("model" if measured else "model,linux"), 1 if measured else 2)
    s = load(scenario).set(dict(_pair(x) for x in sets))
    if "linux" in names:
        for note in water.check(s, seed).notes:
            click.echo(f"note: {note}", err=True)
    for note in lab.remarks(s, measured):
        click.echo(f"note: {note}", err=True)
    folder = out or Path("results") / f"compare-{s.check()['name']}"
    _usable(folder)
    with _progress("compare") as progress:
        outcome = workers.in_thread(
            lambda: lab.compare(
                s, names, seed, lambda done, of, what: progress(round(done), round(of), what), not as_is, measured
            )
        )
    written = [*compare_plots.draw(outcome, folder), *lab.save(outcome, folder)]
    if as_json:
        _echo_json(outcome.json())
        return
    _print(report.comparison_table(outcome))
    for path in written:
        if path.suffix in (".png", ".csv"):
            click.echo(f"wrote {path}")
