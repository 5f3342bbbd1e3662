"""A table in a terminal that is too narrow for it: laid out in parts, one below the other, as pandas has it.

Each part has the columns again which say what a row is of, and no number or name is broken.
"""

from __future__ import annotations

from copy import copy
from dataclasses import fields
from itertools import takewhile
from typing import Any

from rich.console import Console
from rich.table import Column, Table

#: Words that are longer are prose, which is folded; a table with such a column stays in one part.
PROSE = 40
#: What stands beside a cell: a space before it, one behind it, and a line.
BESIDE = 3


def parts(table: Table, width: int, wide: Console) -> list[Table]:
    """The table, or what it is made of where ``width`` has no room for it; on a ``wide`` console nothing is wrapped."""
    if wide.measure(table).maximum <= width or len(table.columns) < 2:
        return [table]
    needs = [_need(wide, c) for c in table.columns]
    # Which column says what a row is of: the first, or as many as may not be wrapped (a sweep's axes).
    keys = max(1, len(list(takewhile(lambda c: c.no_wrap, table.columns))))
    groups = _groups(needs, keys, width)
    if max(needs) > PROSE or not groups:
        return [table]
    made = [_part(table, [*range(keys), *g], needs) for g in groups]
    made[0].title, made[-1].caption = table.title, table.caption
    return made


def _need(wide: Console, column: Column) -> int:
    """Columns of the terminal that hold its cells in one line, and each word of its header."""
    return max([wide.measure(column.header).minimum, *(wide.measure(x).maximum for x in column.cells)])


def _groups(needs: list[int], keys: int, width: int) -> list[list[int]]:
    """Which columns stand beside the first ``keys``, part by part; none, where there is no room even for one."""
    room = width - 1 - sum(n + BESIDE for n in needs[:keys])
    found: list[list[int]] = []
    left = 0
    for i, need in enumerate(needs[keys:], keys):
        if need + BESIDE > room:
            return []
        if need + BESIDE > left:
            found.append([])
            left = room
        found[-1].append(i)
        left -= need + BESIDE
    return found


def _part(table: Table, which: list[int], needs: list[int]) -> Table:
    part = copy(table)
    part.title = part.caption = None
    part.columns, part.rows = [], []
    for i in which:
        part.add_column(**_looks(table.columns[i]) | {"width": needs[i]})
    for row, *given in zip(table.rows, *(list(table.columns[i].cells) for i in which), strict=True):
        part.add_row(*given, style=row.style, end_section=row.end_section)
    return part


def _looks(column: Column) -> dict[str, Any]:
    """All of a column but its cells, as ``add_column`` takes it."""
    return {f.name: getattr(column, f.name) for f in fields(column) if not f.name.startswith("_")}
