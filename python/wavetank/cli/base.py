"""What the verbs share: the group they belong to, their common options, and how they print.

Tables go to standard output, progress to standard error. With ``--json`` standard output holds one JSON document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import UserError, files
from . import complete
from .number import Whole
from .usage import Choice, Verbs

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

#: What a run's random streams are drawn from: 64 bits.
seed_range = Whole(min=0, max=2**64 - 1)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
on_option = click.option(
    "--on", type=Choice(["model", "linux"]), default="model", show_default=True, help="What it runs on."
)


def set_option(what: str = "Set a key of the scenario") -> Callable[[Callable[..., None]], Callable[..., None]]:
    """``--set KEY=VALUE``, and what it says of itself."""
    return click.option(
        "--set",
        "sets",
        multiple=True,
        metavar="KEY=VALUE",
        shell_complete=complete.setting,
        help=f"{what}; may be repeated.",
    )


#: What ``run``, ``compare`` and ``sweep`` have on linux.
module_option = click.option(
    "--module",
    "modules",
    multiple=True,
    metavar="FOLDER",
    help='A kernel module of your own, built for linux and loaded first, "FOLDER NAME=VALUE" with parameters; may be repeated. '
    "--set linux.cc=NAME (or linux.qdisc, linux.rate_control) uses it.",
)


def _workers(_ctx: click.Context, _option: click.Parameter, given: int | None) -> int:
    from .. import workers

    return given or workers.default_jobs()


jobs_option = click.option(
    "--jobs",
    type=Whole(min=1),
    default=None,
    callback=_workers,
    help="Worker processes [default: one a core].",
)


def _echo_json(value: Any) -> None:
    click.echo(files.dumps(value))


def _wrote(paths: Iterable[Path], folder: Path) -> None:
    """Says what was written into ``folder``: each file, of folders within it how many."""
    for name, n in files.summed_up(paths, folder).items():
        count = f"/ ({n} file{'s' if n > 1 else ''})" if name.endswith("/") else ""
        click.echo(f"wrote {folder / name}{count}")


#: A pipe or a file has no width: every row is whole there, one line each.
UNBOUND = 10_000


def _print(*things: Any) -> None:
    """Prints tables. A narrow terminal has them in parts, and folds what does not fit even so; it cuts nothing off."""
    from rich.console import Console
    from rich.table import Table

    from .narrow import parts

    console, wide = Console(), Console(width=UNBOUND)
    for thing in things:
        if isinstance(thing, Table) and console.is_terminal:
            for part in parts(thing, console.width, wide):
                _print_folded(console, part)
        elif isinstance(thing, Table):
            _print_whole(wide, thing)
        elif thing is not None:
            (console if console.is_terminal else wide).print(thing)


def _print_folded(console: Console, table: Table) -> None:
    """A table whose words go on below each other where it has no room for them."""
    for c in table.columns:
        c.overflow = "fold"
    if console.measure(table).minimum > console.width:
        for c in table.columns:
            c.no_wrap = False
    console.print(table)


def _print_whole(console: Console, table: Table) -> None:
    """A table whose title and caption are not wrapped at its width, so that grep finds them."""
    title, caption = table.title, table.caption
    table.title = table.caption = None
    for text, what in ((title, None), (None, table), (caption, None)):
        if text is not None:
            console.print(text, soft_wrap=True, highlight=False)
        elif what is not None:
            console.print(what)


def _version(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked:
        from ..version import __version__

        click.echo(f"wavetank, version {__version__}")
        context.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version and exit."
)
def cli() -> None:
    """TCP over aggregating Wi-Fi, in a laboratory.

    Start with: wavetank reproduce cotsq --quick
    """


def _pair(text: str, option: str = "--set", such: str = "tcp.tsq_ms=4") -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise UserError(f'{option}: "{text}", expected key=value, such as {such}')
    return key.strip(), value.strip()


def _picture(_ctx: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """An option's file, if a picture can be drawn into one of its name; asked before anything is done."""
    if path is not None:
        from ..plots import formats

        formats.check(path)
    return path
