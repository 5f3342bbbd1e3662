"""``reproduce``: a paper's figures, and its claims judged."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import files
from ..progress import shown
from . import complete
from .base import _echo_json, _print, _wrote, cli, jobs_option, json_option, on_option
from .number import Whole
from .place import Place

if TYPE_CHECKING:
    from ..lab.outcome import Outcome


@cli.command()
@click.argument("name", shell_complete=complete.experiment)
@click.option("--quick", is_flag=True, help="Two repetitions; every output says so.")
@click.option("--check", is_flag=True, help="Exit with 1 if a judged row does not hold.")
@jobs_option
@click.option("--out", type=Place(), default=None, help="Folder for results [default: results/NAME].")
@on_option
@click.option(
    "--repetitions",
    type=Whole(min=1),
    default=None,
    help="Of each point; every output says so [default: what the figures ask for; on linux 3 at most].",
)
@json_option
def reproduce(
    name: str,
    quick: bool,
    check: bool,
    jobs: int,
    out: Path | None,
    on: str,
    repetitions: int | None,
    as_json: bool,
) -> None:
    """Regenerate a paper's figures (NAME as in `wavetank list`, or all) and judge its claims.

    NAME may be a file, too (FIGURE.toml): a figure of one's own, as docs/figures.md explains.

    Runs that are already in the folder are not run again: after Ctrl-C or a kill, the same command goes on. On linux the figures
    run on the real kernel, with the model's beside them; the table says what stands in for what it cannot have.
    """
    from ..lab import on_linux, plan
    from ..lab import reproduce as lab_reproduce

    if quick and repetitions is not None:
        raise click.UsageError("--quick and --repetitions exclude each other")
    names = lab_reproduce.expand(name)
    if on == "linux":
        from .. import linux

        with shown("linux build") as progress:
            linux.build(None, progress)
    outcomes, folders = [], []
    for n in names:
        what = Path(n).stem if plan.is_file(n) else n
        kind = what if on == "model" else f"{what}-on-{on}"
        folder = Path("results") / kind if out is None else (out / kind if name == "all" else out)
        files.usable(folder)
        folders.append(folder)
        with shown(f"reproduce {n}") as progress:
            if on == "linux":
                outcomes.append(on_linux.reproduce(n, folder, quick, jobs, progress, repetitions))
            else:
                outcomes.append(lab_reproduce.reproduce(n, folder, quick, jobs, progress, repetitions))
    overview = _overview(outcomes, folders, out or Path("results")) if name == "all" else None
    if as_json:
        _echo_json(outcomes[0].json() if name != "all" else lab_reproduce.merged(outcomes))
    else:
        _tell(outcomes, folders, overview)
    failures = [f for o in outcomes for f in o.measured.failures()]
    for text in failures:
        click.echo(f"error: {text}", err=True)
    if failures:
        sys.exit(1)
    if check and any(v.cls == "judged" and not v.ok for o in outcomes for v in o.verdicts):
        sys.exit(1)


def _overview(outcomes: Sequence[Outcome], folders: Sequence[Path], top: Path) -> Path:
    from .. import page

    return files.write_text(top / page.PAGE, page.overview(list(zip(outcomes, folders, strict=True)), top))


def _tell(outcomes: Sequence[Outcome], folders: Sequence[Path], overview: Path | None) -> None:
    """For people: the tables, and what was written."""
    from .. import report

    for outcome, folder in zip(outcomes, folders, strict=True):
        _print(*report.outcome_tables(outcome))
        _wrote(outcome.written, folder)
    if overview is not None:
        _wrote([overview], overview.parent)
