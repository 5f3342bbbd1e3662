"""Notes on standard error: what a command says beside its result.

What the real kernel has of its own where a scenario leaves keys open is a line, with ``--notes`` one a key; ``--json`` has all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

#: Such notes that are told even so: no more than would the line that stands for them.
FEW = 2

notes_option = click.option(
    "--notes", "every", is_flag=True, help="On linux: each value that is the kernel's own, and why [--json has them]."
)


def say(notes: Iterable[object]) -> None:
    """Prints each."""
    for note in notes:
        click.echo(f"note: {note}", err=True)


def shortened(notes: Sequence[str], own: Iterable[str], every: bool) -> list[str]:
    """``notes`` with a line for those of them that are ``own``: the kernel's values of keys that are left open."""
    own = [n for n in dict.fromkeys(own) if n in notes]
    if every or len(own) <= FEW:
        return list(notes)
    first = own[0].partition(":")[0]
    line = (
        f"{len(own)} keys that are left open are the real kernel's own here ({first}, ...): --notes says each, and why"
    )
    return [*(n for n in notes if n not in own), line]
