"""The page of a sweep or a comparison: what it said, its tables, its pictures, and the files beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.table import Table

from .beside import beside
from .frame import picture, render
from .sheet import sheet


def tables(
    made: Sequence[Table],
    pictures: Sequence[Path],
    notes: Sequence[str],
    written: Sequence[Path],
    folder: Path,
) -> str:
    """The page as text; its title is the first table's. ``written``: all that stands in ``folder``."""
    sheets = [sheet(t) for t in made]
    return render(
        "tables.html",
        title=sheets[0].title,
        sheets=[replace(sheets[0], title=""), *sheets[1:]],
        pictures=[picture(p) for p in pictures],
        notes=notes,
        files=beside(written, folder),
    )
