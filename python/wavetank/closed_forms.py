"""The papers' closed forms, which the core evaluates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from . import _core
from .errors import UserError, unknown

#: Inputs of which the first is never more than the second: a window that doubles begins below where it ends.
ORDERED = (("CWmin", "CWmax"),)


def forms() -> dict[str, dict[str, Any]]:
    """Every form by name: title, source, inputs (symbol, default, unit, low, high, whole, doc), outputs."""
    return {f["name"]: f for f in _core.theory()}


def all_at_defaults() -> list[dict[str, Any]]:
    """Every form with its value at the defaults of its inputs."""
    return [{**f, "value": _core.theory_eval(n, {})} for n, f in forms().items()]


def expected(row: Mapping[str, Any]) -> str:
    """What an input takes: "a whole number from 1 to 10000 (station)"."""
    unit = "" if row["unit"] == "1" else f" ({row['unit']})"
    return f"a {'whole ' if row['whole'] else ''}number from {row['low']:.12g} to {row['high']:.12g}{unit}"


def _within(row: Mapping[str, Any], given: str | float) -> float:
    """An input's value. Raises UserError for what is no number, or not in its range."""
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    # which no NaN is
    if row["low"] <= value <= row["high"] and (value.is_integer() or not row["whole"]):
        return value
    raise UserError(f'--set: {row["symbol"]}: "{given}", expected {expected(row)}')


def evaluate(name: str, inputs: Mapping[str, str | float]) -> dict[str, Any]:
    """A form with what it was given and its value. Raises UserError for unknown names, for what is not in an input's range,
    and for inputs that cannot go together."""
    known = forms()
    if name not in known:
        raise unknown("closed form", name, known)
    symbols = {i["symbol"]: i for i in known[name]["inputs"]}
    given: dict[str, float] = {k: i["default"] for k, i in symbols.items()}
    for k, v in inputs.items():
        if k not in symbols:
            raise unknown(f"input of {name}", k, symbols, "--set")
        given[k] = _within(symbols[k], v)
    for least, most in ORDERED:
        if least in given and most in given and given[least] > given[most]:
            blamed, other, than = (least, most, "at most") if least in inputs else (most, least, "at least")
            raise UserError(f"--set: {blamed}: {given[blamed]:.12g}, expected {than} {other} ({given[other]:.12g})")
    return {**known[name], "given": given, "value": _core.theory_eval(name, given)}
