"""What a picture's font has not, told once, as a note: matplotlib warns of each sign several times, with lines of source."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

#: How matplotlib begins to tell of one (3.6 to 3.11).
MISSING = r"Glyph (\d+) .*missing from"


@contextmanager
def told() -> Iterator[None]:
    """Gathers them while a command runs, and tells of them as it ends; other warnings are shown as ever."""
    missing: dict[str, None] = {}
    with warnings.catch_warnings():
        show = warnings.showwarning

        def gather(message: Warning | str, *more: Any, **named: Any) -> None:
            found = re.match(MISSING, str(message))
            if found:
                missing[chr(int(found[1]))] = None
            else:
                show(message, *more, **named)

        warnings.filterwarnings("always", MISSING, UserWarning)
        warnings.showwarning = gather
        try:
            yield
        finally:
            if missing:
                signs = " ".join(missing)
                click.echo(f"note: the pictures' font has no {signs}: a box stands there for each", err=True)
