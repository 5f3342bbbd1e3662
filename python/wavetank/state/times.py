"""When a run's state is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from .. import units
from ..errors import UserError

#: A time in the run: with its unit ("5 s"), or seconds.
At = str | float
_TIME = re.compile(r"(-?\d+(?:\.\d+)?|-?\.\d+)\s*(ns|us|ms|s|)")


def length(values: Mapping[str, str]) -> int:
    """Length of a run, ns; ``values``: every key with its value (:meth:`~wavetank.Scenario.check`)."""
    return sum(units.span(values[f"time.{part}"]) for part in ("lead_in", "flows", "tail"))


def instants(asked: At | Sequence[At], values: Mapping[str, str], where: str = "--state") -> tuple[int, ...]:
    """The times that are asked for, ns since the run's start, in order, each once. A text may name several, with commas between.

    Raises UserError, which ``where`` begins: for what is no time, for a negative one, and for one beyond the run's end.
    """
    end = length(values)
    found = set()
    asked = asked.tolist() if hasattr(asked, "tolist") else asked  # numpy's
    times = (
        [asked] if isinstance(asked, str) or not isinstance(asked, Iterable) else asked
    )  # of a text, not its letters
    for one in times:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            raise UserError(
                f"{where}: {one!r}, expected a time of the run: a text with its unit, such as 5s, or seconds"
            )
        for text in one.split(",") if isinstance(one, str) else [f"{Decimal(repr(one)):f} s"]:
            ns = _instant(text.strip(), where)
            if ns > end:
                last = Decimal(end) / 10**9
                raise UserError(
                    f'{where}: "{text.strip()}" is after the end, expected a time of the run, from 0 s to {last.normalize():f} s'
                )
            found.add(ns)
    return tuple(sorted(found))


def _instant(text: str, where: str) -> int:
    match = _TIME.fullmatch(text)
    if match is None:
        raise UserError(f'{where}: "{text}", expected a time of the run with its unit, such as 5s or 5500ms')
    if not match[2]:
        raise UserError(f'{where}: "{text}", expected a time with its unit; did you mean "{text}s"?')
    if match[1].startswith("-"):
        raise UserError(f'{where}: "{text}" is before the start, expected a time of the run, such as 5s')
    return units.span(f"{match[1]} {match[2]}")
