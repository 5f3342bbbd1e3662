"""A reference that is a CSV file: its header and its rows, each with its line and as long as the header."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from ..errors import UserError, unreadable

Table = dict[str, str]


def read(path: Path, what: str) -> tuple[list[str], list[tuple[int, Table]]]:
    """The header, and each row with its line in the file. ``what`` is expected there ("a CSV file of ...").

    Raises UserError for what cannot be read, has no rows, a column twice, or a row with other cells than the header's.
    """
    try:
        with path.open(encoding="utf-8", newline="") as f:
            reader = csv.DictReader(f)
            header = list(reader.fieldnames or [])
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        raise unreadable(path, e, what) from None
    twice = next((c for i, c in enumerate(header) if c in header[:i]), None)
    if twice is not None:
        raise UserError(f'{path}:1: the column "{twice}" is there twice, expected {what}')
    for line, row in rows:
        # csv has what is beyond the header under None, and None for what is missing.
        have = sum(v is not None for k, v in row.items() if k is not None) + len(row.get(None) or ())
        if have != len(header):
            raise UserError(f"{path}:{line}: has {have} cells, expected {len(header)}, one a column")
    return header, rows


def filled(path: Path, rows: list[tuple[int, Table]], what: str) -> None:
    """Raises UserError where there is no row: a header alone would be held to nothing, and hold."""
    if not rows:
        raise UserError(f"{path}:2: has no rows below its header, expected {what}")


def figure(where: str, row: Table, key: str) -> float:
    """The number of a cell. Raises UserError for what is none, or negative."""
    try:
        value = float(row[key])
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise UserError(f'{where}: {key}: "{row[key]}", expected a number that is not negative')
    return value
