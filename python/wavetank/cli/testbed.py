"""``testbed``: a scenario as scripts for real machines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from . import complete, given
from .base import _echo_json, _pair, cli, json_option, set_option
from .number import Whole
from .place import Place


@cli.command()
@click.argument("scenario", type=Place(), shell_complete=complete.scenario)
@set_option()
@click.option("--out", type=Place(), default=None, help="Folder [default: bed-NAME].")
@click.option("--repetitions", type=Whole(min=1), default=5, show_default=True, help="Runs of the Flent test.")
@json_option
def testbed(scenario: Path, sets: Sequence[str], out: Path | None, repetitions: int, as_json: bool) -> None:
    """Write SCENARIO as a folder for real machines: a script a machine, a Flent batch file, a README. Touches no machine.

    The scripts set and check tc, sysctls, offloads, iw, hostapd and modules, and put back what was there. What a real machine
    cannot have is refused; what the scenario leaves to the machines is said. Results come back by `wavetank compare --with`.
    """
    from .. import testbed as water
    from ..testbed import folder as folders

    s = given.scenario(scenario).set(dict(_pair(x) for x in sets))
    folder = out or Path(f"bed-{s.check()['name']}")
    bed, written = water.write(s, folder, repetitions)
    if as_json:
        _echo_json({**folders.manifest(bed, s, repetitions), "written": [str(p) for p in written]})
        return
    for note in bed.notes:
        click.echo(f"note: {note}", err=True)
    for key, value, why in bed.left:
        click.echo(f"note: {key} = {value}: left to the machines: {why}", err=True)
    kept = "" if folder / "bed.env" in written else f" ({folder / 'bed.env'} was there and is kept)"
    click.echo(f"wrote {folder}: {', '.join(bed.roles)}; Flent's {bed.plan.test} on {bed.plan.at.name}{kept}")
    click.echo(f"next: {folder / 'README.md'}; name your machines in {folder / 'bed.env'}")
