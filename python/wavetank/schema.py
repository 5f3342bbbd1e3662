"""A scenario file's JSON Schema: what an editor completes, explains and checks while the file is written.

Draft 7, which editors' TOML servers (taplo, Even Better TOML) read. It refuses nothing that the core takes; the core refuses more
(``wavetank run``): what a value's text says, and what does not go together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from . import keys

if TYPE_CHECKING:
    from ._core import SchemaRow

#: Beside what a kind is by itself, keys take texts: "auto", "off", a number with its unit.
_TYPES: dict[str, list[str]] = {
    "text": ["string"],
    "switch": ["boolean"],
    "name": ["string"],
    "count": ["integer", "string"],
    "number": ["number", "string"],
    "bytes": ["integer", "string"],
    "list": ["array", "boolean", "number", "string"],
}


def document() -> dict[str, Any]:
    """The schema, for JSON."""
    top: dict[str, Any] = {}
    sections: dict[str, dict[str, Any]] = {}
    for name, row in keys.every().items():
        section, dot, key = name.rpartition(".")
        (sections.setdefault(section, {}) if dot else top)[key] = _property(row)
    for section, properties in sections.items():
        top[section] = {"type": "object", "additionalProperties": False, "properties": properties}
    top["topology"]["required"] = ["kind"]
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "wavetank scenario",
        "type": "object",
        "required": ["name", "topology"],
        "additionalProperties": False,
        "properties": top,
    }


def _property(row: SchemaRow) -> dict[str, Any]:
    told = [row["doc"]]
    if row["unit"] not in (row["kind"], "name", "text"):
        told.append(f"Unit: {row['unit']}.")
    beside = (("Default", row["default"]), ("Range", row["range"]), ("Source", row["source"]))
    told += [f"{what}: {text}." for what, text in beside if text]
    out: dict[str, Any] = {"description": "\n".join(told)}
    names = row["range"].split(" | ")
    if row["kind"] == "name" and len(names) > 1:
        return out | {"enum": names}
    return out | {"type": _TYPES.get(row["kind"], ["integer", "string"])} | _bounds(row)


def _bounds(row: SchemaRow) -> dict[str, float]:
    """Of plain numbers; what has its unit in the value is a text."""
    found = re.fullmatch(r"(-?[\d.]+) to (-?[\d.]+)", row["range"])
    if row["kind"] not in ("count", "number") or not found:
        return {}
    low, high = map(int if row["kind"] == "count" else float, found.groups())
    return {"minimum": low, "maximum": high}
