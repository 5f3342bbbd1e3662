"""Axes of a sweep: ``KEY=LIST`` read into values, each held against the schema alone.

A list has commas between its values; ``FROM:TO`` counts in ones, ``FROM:TO:STEP`` in steps, ``FROM:TO:*FACTOR`` multiplies;
what stands in quotes is one value. Units are as ``--set`` takes them, and a range's ends share one: ``50:200:50 us``.
``KEY+KEY=LIST`` is one axis of several keys that have the same value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from .. import ScenarioError, _core, keys, units
from ..errors import UserError, printable
from ..scenario import Value as Given
from ..scenario import show

Value = str | int | float | bool
#: No list is longer: a range that is was not meant.
MOST = 1000
_NUMBER = r"([-+]?\d[\d_]*(?:\.\d+)?|[-+]?\.\d+)\s*([A-Za-z][A-Za-z/]*)?"
_RANGE = re.compile(rf"\s*{_NUMBER}\s*:\s*{_NUMBER}\s*(?::\s*(\*?)\s*{_NUMBER}\s*)?")
#: Units of each kind of value, from the smallest: how many of the smallest it is.
_SCALES: dict[str, dict[str, int]] = {
    "time": {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9},
    "rate": {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9},
    "bytes": {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30},
}
_READ = {"time": units.span, "rate": units.rate, "bytes": units.size}


@dataclass(frozen=True)
class Axis:
    """One key and its values (or ``KEY+KEY``: several keys of the same value).

    ``texts`` are the values as they would be used ("5 ms"); ``values`` are the same as numbers in ``unit``, as switches, or as
    texts where they are names, or where some are ``off`` or ``auto``.
    """

    key: str
    kind: str
    unit: str
    texts: tuple[str, ...]
    values: tuple[Value, ...]
    what: str = ""

    @property
    def leaf(self) -> str:
        """The key without its section; of several keys each different one."""
        return "+".join(dict.fromkeys(k.rpartition(".")[2] for k in self.keys))

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that are set: one, or several joined by ``+``."""
        return tuple(self.key.split("+"))

    @property
    def numeric(self) -> bool:
        """Whether every value is a number."""
        return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in self.values)


def parse(text: str) -> Axis:
    """An axis as the command line has it. Raises UserError, which names the axis, for what is none."""
    key, sign, values = text.partition("=")
    key = key.strip()
    if not sign or not key:
        raise UserError(f'"{text}": expected an axis as KEY=VALUES, such as tcp.tsq_ms=1,2,4 or wifi.stations=1:14')
    return axis(key, list(expand(key, values)))


def axis(key: str, values: Iterable[Given]) -> Axis:
    """An axis of values as ``Scenario.set`` takes them. Raises UserError for an unknown key and a value that it cannot have."""
    first, *others = key.split("+")
    if "seed" in (first, *others):
        raise UserError("axis seed: repetitions have a seed each, expected --repetitions N and --seed FIRST")
    for k in (first, *others):
        if k in ("name", "description"):
            raise UserError(
                f"axis {k}: says what a scenario is called and changes nothing of a run, expected another key"
            )
    if not isinstance(values, Iterable):
        raise UserError(f"axis {key}: {values!r}, expected a list of values, such as [1, 2, 4]")
    values = list(values)
    texts = tuple(_checked(first, v) for v in values)
    for other in others:
        for v, text in zip(values, texts, strict=True):
            if (found := _checked(other, v)) != text:
                raise UserError(f"axis {key}: {v} is {text} of {first}, {found} of {other}, expected keys of one kind")
    if not texts:
        raise UserError(f"axis {key}: has no values, expected at least one")
    for i, t in enumerate(texts):
        if t in texts[:i]:
            raise UserError(f"axis {key}: has {t} twice, expected each value once")
    row = keys.every()[first]
    unit, typed = _typed(row["kind"], texts)
    own = (
        ""
        if row["kind"] in (row["unit"], "list") or not all(isinstance(v, (int, float)) for v in typed)
        else row["unit"]
    )
    return Axis(key, row["kind"], unit or own, texts, typed, row["doc"])


def _checked(key: str, value: Given) -> str:
    try:
        return _core.value(f"axis {key}", key, printable(show(value)))
    except ScenarioError as e:
        raise UserError(str(e).replace(f"axis {key}: {key}: ", f"axis {key}: ", 1)) from None


def _typed(kind: str, texts: tuple[str, ...]) -> tuple[str, tuple[Value, ...]]:
    """Values as numbers of one unit, if all are numbers; switches; else texts."""
    if any(t in ("off", "auto") for t in texts):
        return "", texts
    if kind == "switch":
        return "", tuple(t == "true" for t in texts)
    if kind == "count":
        return "", tuple(int(t) for t in texts)
    if kind == "number":
        return "", tuple(float(t) for t in texts)
    if kind not in _SCALES:
        return "", texts
    least = [_READ[kind](t) for t in texts]
    unit, scale = _unit(kind, least)
    return unit, tuple(n // scale if all(m % scale == 0 for m in least) else n / scale for n in least)


def _unit(kind: str, least: Sequence[int]) -> tuple[str, int]:
    """The largest unit in which the largest value is one or more, and every value is short: three decimals, of bytes none."""
    finest = 1 if kind == "bytes" else 1000
    scales = list(_SCALES[kind].items())
    fit = [(u, s) for u, s in scales if s <= max(map(abs, least)) and all(n * finest % s == 0 for n in least)]
    return fit[-1] if fit else scales[0]


def expand(key: str, text: str) -> Iterator[str]:
    """The values of a list, ranges counted out."""
    for piece, quoted in _pieces(key, text):
        found = None if quoted else _RANGE.fullmatch(piece)
        if not piece:
            raise UserError(f'axis {key}: "{text}" has an empty value, expected values with commas between')
        if found:
            yield from _count(key, piece, found)
        else:
            yield piece


def _pieces(key: str, text: str) -> Iterator[tuple[str, bool]]:
    """What stands between commas, and whether it was in quotes."""
    piece, quote, quoted = "", "", False
    for c in text:
        if quote:
            piece, quote = (piece, "") if c == quote else (piece + c, quote)
        elif c in "\"'" and not piece.strip():
            piece, quote, quoted = "", c, True
        elif c == ",":
            yield piece.strip(), quoted
            piece, quoted = "", False
        else:
            piece += c
    if quote:
        raise UserError(f"axis {key}: {text}: a quote is not closed, expected another {quote}")
    yield piece.strip(), quoted


def _count(key: str, piece: str, found: re.Match[str]) -> Iterator[str]:
    first, unit1, last, unit2, times, step, unit3 = found.groups()
    named = {u for u in (unit1, unit2, unit3) if u}
    if len(named) > 1:
        raise UserError(f'axis {key}: "{piece}" has several units, expected one, such as 50:200:50 us')
    unit = f" {named.pop()}" if named else ""
    a, b = Decimal(first), Decimal(last)
    by = Decimal(step) if step else Decimal(1)
    if times:
        if by <= 1 or a <= 0 or b <= 0:
            raise UserError(f'axis {key}: "{piece}", expected a factor above 1 between positive ends, such as 1:64:*2')
    elif by <= 0:
        raise UserError(f'axis {key}: "{piece}", expected a step above 0 (ranges count down by themselves: 14:1)')
    down = b < a
    if times and down:
        raise UserError(f'axis {key}: "{piece}" multiplies downwards, expected the smaller end first')
    n = 0
    while a >= b if down else a <= b:
        n += 1
        if n > MOST:
            raise UserError(f'axis {key}: "{piece}" makes more than {MOST} values, expected a larger step')
        yield f"{_plain(a)}{unit}"
        a = a * by if times else a - by if down else a + by


def _plain(x: Decimal) -> str:
    text = f"{x:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
