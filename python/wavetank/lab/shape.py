"""Of which type each key of a figure's file is: told before anything is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import UserError, shortened

#: By where it stands (a figure, its points, its grids, its panels) and key: what TOML has, in words.
TYPES: Mapping[str, Mapping[str, str]] = {
    "figure": {
        "repetitions": "a whole number", "columns": "a whole number", "set": "a table", "model": "a table",
        "points": "a list of names and tables", "grid": "a list of tables", "panels": "a list of tables",
    },
    "point": {"use": "a list of names", "set": "a table", "x": "a table"},
    "grid": {"axes": "a table of lists", "use": "a list of names", "set": "a table"},
    "panel": {"kind": "a name", "claim": "a name", "points": "a list of names", "schemes": "a list of names"},
}  # fmt: skip


def check(path: Path, data: Mapping[str, Any]) -> None:
    """Raises UserError for the first key that is of another type."""
    _table(path, "figure", data)
    for what, of in (("point", "points"), ("grid", "grid"), ("panel", "panels")):
        for one in data.get(of, []):
            if isinstance(one, Mapping):
                _table(path, what, one)


def _table(path: Path, what: str, table: Mapping[str, Any]) -> None:
    for key, expected in TYPES[what].items():
        if key in table and not _is(table[key], expected):
            raise UserError(f"{path}: {key} of a {what} is {shortened(repr(table[key]))}, expected {expected}")


def _is(value: Any, what: str) -> bool:
    match what:
        case "a whole number":
            return isinstance(value, int) and not isinstance(value, bool)
        case "a name":
            return isinstance(value, str)
        case "a table":
            return isinstance(value, Mapping)
        case "a table of lists":
            return isinstance(value, Mapping) and all(isinstance(v, list) for v in value.values())
    of = {"a list of names": (str,), "a list of tables": (Mapping,), "a list of names and tables": (str, Mapping)}[what]
    return isinstance(value, list) and all(isinstance(v, of) for v in value)
