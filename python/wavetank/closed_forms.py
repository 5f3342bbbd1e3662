"""The papers' closed forms, which the core evaluates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from . import _core
from .errors import UserError, unknown


def forms() -> dict[str, dict[str, Any]]:
    """Every form by name: title, source, inputs (symbol, default, unit, doc), outputs."""
    return {f["name"]: f for f in _core.theory()}


def all_at_defaults() -> list[dict[str, Any]]:
    """Every form with its value at the defaults of its inputs."""
    return [{**f, "value": _core.theory_eval(n, {})} for n, f in forms().items()]


def evaluate(name: str, inputs: Mapping[str, str | float]) -> dict[str, Any]:
    """A form with what it was given and its value. Raises UserError for unknown names and for what is no number, or negative."""
    known = forms()
    if name not in known:
        raise unknown("closed form", name, known)
    symbols = {i["symbol"]: i for i in known[name]["inputs"]}
    given: dict[str, float] = {k: i["default"] for k, i in symbols.items()}
    for k, v in inputs.items():
        if k not in symbols:
            raise unknown(f"input of {name}", k, symbols, "--set")
        try:
            given[k] = float(v)
        except ValueError:
            raise UserError(f'--set: {k}: "{v}", expected a number ({symbols[k]["unit"]})') from None
        if given[k] == math.inf:
            raise UserError(f'--set: {k}: "{v}", expected a finite number ({symbols[k]["unit"]})')
        if not given[k] >= 0:  # which no NaN is
            raise UserError(f'--set: {k}: "{v}", expected a number of {symbols[k]["unit"]} that is not negative')
    return {**known[name], "given": given, "value": _core.theory_eval(name, given)}
