"""``compare``: scenarios and waters side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from ..files import usable
from ..progress import shown
from . import complete, given
from .base import (
    _echo_json,
    _pair,
    _print,
    _wrote,
    cli,
    jobs_option,
    json_option,
    module_option,
    seed_range,
    set_option,
)
from .notes import notes_option, say, shortened
from .number import Whole
from .place import Place


@cli.command()
@click.argument("paths", nargs=-1, metavar="SCENARIO...", type=Place(), shell_complete=complete.scenario)
@click.option(
    "--on",
    default=None,
    help="The waters, the first being what is compared with [default: model,linux; with --with, --against or more than one "
    "SCENARIO: model].",
)
@click.option(
    "--against",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=complete.setting,
    help="A column more, with this key set; may be repeated.",
)
@click.option(
    "--with",
    "measured",
    multiple=True,
    metavar="FILE...",
    type=Place(),
    help="Flent files measured on a test bed (`wavetank testbed`): they stand beside as `testbed`.",
)
@set_option()
@click.option("--seed", type=seed_range, default=None, help="First seed, in place of the scenario's.")
@click.option(
    "--repetitions",
    type=Whole(min=1),
    default=1,
    show_default=True,
    help="Seeds of each column: means, and the differences' standard errors.",
)
@jobs_option
@click.option("--out", type=Place(), default=None, help="Folder [default: results/compare-NAME].")
@click.option("--air", is_flag=True, help="Compare what is on the air, too, as `run --analyze` counts it.")
@module_option
@click.option("--as-is", is_flag=True, help="Leave the model's own values where the scenario says nothing.")
@notes_option
@json_option
def compare(
    paths: Sequence[Path],
    on: str | None,
    against: Sequence[str],
    measured: Sequence[Path],
    sets: Sequence[str],
    seed: int | None,
    repetitions: int,
    jobs: int,
    out: Path | None,
    air: bool,
    modules: Sequence[str],
    as_is: bool,
    every: bool,
    as_json: bool,
) -> None:
    """Run SCENARIO on several waters, or several scenarios beside each other: one table with differences, one overlaid plot a
    series.

    With --repetitions, figures are means over as many seeds, and each difference has its standard error (repetitions of equal
    seed are pairs); plots show the first. What is done is kept in the folder, so that a comparison that was stopped goes on.

    A SCENARIO is a file, `-` for standard input, or a name of `wavetank list`.

    Where the scenario leaves a key open and the real kernel has a value of its own, the model gets that, too (--notes says
    which); --as-is leaves the model its own.

    With --air there are lines more: PPDUs a second, single MPDUs, PPDUs in a row, retries, those without an answer, collisions,
    and round trips as the radio sees them, counted by the same code on every water.

    With --with, Flent files of real machines stand beside them: figures are the mean over the files, curves the first file's.

    The folder gets the plots, compare.json, compare.csv, and each water's result.
    """
    from .. import bounds, idle, report, way_back
    from .. import compare as lab
    from .. import linux as water
    from ..lab import seeds

    # `--with results/*` as a shell expands it: the option takes the first, the others stand where SCENARIO does
    files = [p for p in paths if p.name.endswith((".flent.gz", ".flent"))]
    scenarios = [p for p in paths if p not in files]
    if not scenarios or (files and not measured):
        wrong = ", ".join(map(str, files)) or "none"
        raise click.UsageError(f"expected a SCENARIO, and Flent files (.flent.gz, .flent) behind --with; got {wrong}")
    measured = [*measured, *files]
    if measured and (len(scenarios) > 1 or against):
        raise click.UsageError("--with stands beside one SCENARIO: without --against, without another one")
    alone = measured or len(scenarios) > 1 or against
    waters = on if on is not None else "model" if alone else "model,linux"
    names = lab.waters(waters, 1 if alone else 2)
    loaded = [given.with_modules(given.scenario(p).set(dict(_pair(x) for x in sets)), modules) for p in scenarios]
    pairs = [_pair(x, "--against") for x in against]
    columns = lab.columns(loaded, names, pairs, not as_is, air)
    s = loaded[0]
    for x in loaded if repetitions > 1 else ():
        seeds.enough(int(x.check()["seed"]) if seed is None else seed, repetitions)
    variants = [x.set(dict(k)) for x in loaded for k in ([], *([pair] for pair in pairs))]
    notes = [n for x in variants for n in (*idle.notes(x), *way_back.notes(x))]
    checked = [water.check(c.scenario, seed) for c in columns if c.water == "linux"]
    notes += [n for of in checked for n in of.notes]
    notes = [*dict.fromkeys(notes), *lab.remarks(s, measured)]
    say(shortened(notes, [n for of in checked for n in of.own], every))
    folder = out or Path("results") / f"compare-{'-'.join(dict.fromkeys(x.check()['name'] for x in loaded))}"
    usable(folder)
    with shown("compare") as progress:
        outcome = lab.compare(
            columns,
            seed=seed,
            progress=lambda done, of, what: progress(round(done), round(of), what),
            measured=measured,
            repetitions=repetitions,
            jobs=jobs,
            folder=folder,
        )
    bound = {c.name: bounds.notes(c.scenario, outcome.results[c.name]) for c in columns}
    found = bounds.together(bound) if len(columns) > 1 else [str(b) for b in bound[columns[0].name]]
    found += lab.strangers(outcome.measured, outcome.results[columns[0].name])
    say(found)
    outcome = replace(outcome, notes=(*notes, *found))
    from ..plots import compare as compare_plots

    pictures = compare_plots.draw(outcome, folder)
    written = [*pictures, *lab.save(outcome, folder, pictures)]
    if as_json:
        _echo_json(outcome.json())
        return
    _print(report.comparison_table(outcome))
    _wrote(written, folder)
