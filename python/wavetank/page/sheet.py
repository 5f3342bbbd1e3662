"""A table for people as a page has it: what ``rich`` prints in a terminal, with its emphasis and alignment."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

#: Words of a style that a page knows, as classes.
EMPHASIS = ("bold", "dim", "red", "green", "yellow", "cyan")


@dataclass(frozen=True)
class Cell:
    """A cell's text, and the classes that it has."""

    text: str
    looks: str


@dataclass(frozen=True)
class Sheet:
    """A table: its title, its heads (none: it has only rows), its rows, and the lines below it."""

    title: str
    heads: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: tuple[str, ...]


def _cell(value: object, side: str, style: str = "") -> Cell:
    words = f"{style} {value.style if isinstance(value, Text) else ''}".split()
    looks = [w for w in EMPHASIS if w in words] + (["number"] if side == "right" else [])
    return Cell(value.plain if isinstance(value, Text) else str(value), " ".join(looks))


def sheet(table: Table) -> Sheet:
    """The table, cell by cell."""
    columns = table.columns
    heads = tuple(_cell(c.header, c.justify) for c in columns) if table.show_header else ()
    cells = [
        [_cell(x, c.justify, f"{c.style} {row.style or ''}") for x, row in zip(c.cells, table.rows, strict=True)]
        for c in columns
    ]
    return Sheet(
        str(table.title or ""),
        heads,
        tuple(zip(*cells, strict=True)),
        tuple(str(table.caption).splitlines()) if table.caption else (),
    )
