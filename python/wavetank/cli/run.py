"""``run``: one scenario, once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..progress import shown
from . import complete, given
from .base import (
    _echo_json,
    _pair,
    _picture,
    _print,
    cli,
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
    from ..captures import air
    from ..result import Result
    from ..scenario import Scenario


#: The picture of ``--analyze``, in the folder.
AIR = "air.png"


def on_linux(scenario: Scenario, seed: int | None, ask: air.Ask, at: Sequence[int] = ()) -> air.Watched:
    """Runs on the second water: how far it is goes to standard error."""
    from .. import linux, workers
    from ..captures import air

    with shown("linux") as progress:

        def told(done: float, of: float) -> None:
            progress(round(done), round(of), "s of virtual time")

        if ask.nothing:
            return air.Watched(workers.in_thread(lambda: linux.simulate(scenario, seed, told, states=at)))
        return ask.watch(scenario, seed, "linux", told, at)


def _written(
    result: Result, out: Path | None, plot: Path | None, beside: Sequence[str], notes: Sequence[str]
) -> list[Path]:
    written = []
    if out is not None:
        from .. import store

        written = store.save(result, out, beside, notes)
    if plot is not None:
        from ..plots import one_run

        written.append(one_run.draw(result, plot))
    return written


def _given(context: click.Context, argument: click.Parameter, path: Path | None) -> Path:
    """The scenario; without one an error, which says where it may be: ``--pcap`` takes the word behind it for its views."""
    if path is not None:
        return path
    if pcap := context.params.get("pcap"):
        raise click.UsageError(
            f'no SCENARIO: --pcap took "{pcap}" for the views to capture; name SCENARIO before it, or say --pcap=monitor'
        )
    raise click.MissingParameter(ctx=context, param=argument)


@cli.command()
@click.argument(
    "scenario",
    type=Place(),
    required=False,
    metavar="SCENARIO",
    callback=_given,
    shell_complete=complete.scenario,
)
@set_option()
@click.option("--seed", type=seed_range, default=None, help="Seed, in place of the scenario's.")
@click.option("--out", type=Place(), default=None, help="Folder for summary, samples and Flent file.")
@click.option(
    "--pcap",
    is_flag=False,
    flag_value="monitor",
    default=None,
    metavar="[VIEW]",
    help="Capture the air with radiotap: monitor (default), all, or radios' names with commas between.",
)
@click.option(
    "--pcap-window", default=None, metavar="FROM:TO", help="Seconds of the run that are captured [default: all]."
)
@click.option(
    "--snaplen",
    type=Whole(0, 2**32 - 1),
    default=None,
    help="Bytes kept of each frame; 0: all [default: 256, and A-MSDUs whole].",
)
@click.option(
    "--plot",
    type=Place(),
    default=None,
    callback=_picture,
    help="Draw the run on one page: a .png, .pdf or .svg.",
)
@click.option(
    "--timeline",
    type=Place(),
    default=None,
    help="Draw who held the medium when: a file that ends in .svg, or in .html to zoom into.",
)
@click.option(
    "--window", default=None, metavar="FROM:TO", help="The timeline's seconds [default: 12 ms of the judging window]."
)
@click.option(
    "--state",
    "states",
    multiple=True,
    metavar="TIME",
    help="Every host's state at this time of the run (5s, 5500ms), as ss, tc and debugfs print it; may be repeated.",
)
@click.option("--analyze", "analysis", is_flag=True, help="Also what `wavetank analyze` says of the run's air.")
@on_option
@module_option
@notes_option
@json_option
def run(
    scenario: Path,
    sets: Sequence[str],
    seed: int | None,
    out: Path | None,
    pcap: str | None,
    pcap_window: str | None,
    snaplen: int | None,
    plot: Path | None,
    timeline: Path | None,
    window: str | None,
    states: Sequence[str],
    analysis: bool,
    on: str,
    modules: Sequence[str],
    every: bool,
    as_json: bool,
) -> None:
    """Run SCENARIO (a file, `-` for standard input, or a name of `wavetank list`) and print a summary.

    With --out, the folder gets summary.json, samples.parquet and a Flent data file; captures go there too, else here.
    So do states, a folder state-TIME each; else they are printed after the summary. What an earlier run put there goes.
    On linux the same scenario runs on the real Linux 6.12 in virtual time (see `wavetank linux`); what it cannot express
    is refused.
    """
    from .. import bounds, files, idle, report, state, way_back, workers
    from ..captures import air
    from ..lab import runner

    s = given.with_modules(given.scenario(scenario).set(dict(_pair(x) for x in sets)), modules)
    notes = [*idle.notes(s), *way_back.notes(s)]
    say(notes)
    for option, value, of, there in (
        ("--pcap-window", pcap_window, "--pcap", pcap),
        ("--snaplen", snaplen, "--pcap", pcap),
        ("--window", window, "--timeline", timeline),
        ("--notes", every or None, "--on linux", on == "linux" or None),
    ):
        if value is not None and there is None:
            raise click.UsageError(f"{option} belongs to {of}")
    files.writable(out, "a folder")
    files.writable(plot, "a file")
    files.writable(timeline, "a file")
    at = state.instants(states, s.check()) if states else ()
    ask = air.Ask.of(s, Path(s.path), out, pcap, pcap_window, snaplen, timeline, window, analysis)
    if on == "linux":
        from .. import linux

        checked = linux.check(s, seed)
        notes += checked.notes
        say(shortened(checked.notes, checked.own, every))
        seen = on_linux(s, seed, ask, at)
    elif ask.nothing:
        asked = runner.Run(str(scenario), s, seed)
        seen = air.Watched(workers.in_thread(lambda: runner.simulate(asked, [f"{ns} ns" for ns in at])))
    else:
        with runner.panics_told(str(scenario), s, seed):
            seen = ask.watch(s, seed, states=at)
    result = seen.result
    found = [str(note) for note in (*seen.notes, *bounds.notes(s, result))]
    notes += found
    say(found)
    beside = [*(path.name for _, path in ask.captures), *([AIR] if analysis else [])]
    written = _written(result, out, plot, beside, notes) + ask.finish(seen, f"{result.scenario}, seed {result.seed}")
    summary = {**result.summary(), "notes": notes}
    air_report = seen.analysis
    if air_report is not None:
        from ..captures import analyze, analyze_plot, analyze_table

        summary["air"] = analyze.json_of(air_report)["report"]
        if out is not None:
            written.append(analyze_plot.draw(air_report, out / AIR))
    if as_json:
        _echo_json(summary)
        return
    click.echo(f"{summary['scenario']}, seed {summary['seed']}" + (", on linux" if on == "linux" else ""))
    _print(*report.run_tables(summary))
    if air_report is not None:
        _print(*analyze_table.tables(air_report))
    for one in result.states if out is None else ():
        click.echo(f"\n{state.folder_name(one)}")
        for name, text in one.files.items():
            click.echo(f"\n==> {name} <==\n{text}", nl=False)
    for path in written:
        click.echo(f"wrote {path}")
