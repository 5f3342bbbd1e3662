"""The verbs of the second water: ``linux build`` and ``linux status``."""

from __future__ import annotations

from typing import Any

import click

from ..progress import shown
from .base import _echo_json, cli, json_option
from .number import Whole


@cli.group()
def linux() -> None:
    """The second water: the real Linux 6.12 in virtual time, over a virtual radio.

    `wavetank run SCENARIO --on linux` runs there, with `--module FOLDER` a kernel module of your own. It needs x86-64, a source
    checkout of wavetank and some Debian packages.
    """


@linux.command()
@click.option("--jobs", type=Whole(min=1), default=None, help="Compilers at once [default: one a core].")
@json_option
def build(jobs: int | None, as_json: bool) -> None:
    """Build the kernel, its modules and the guest's programs, once; minutes.

    They lie in ~/.cache/wavetank/linux, keyed by a checksum of everything they are made of: what is there is not built again,
    and a build that was killed goes on where it stopped.
    """
    from .. import linux as water

    with shown("linux build") as progress:
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
