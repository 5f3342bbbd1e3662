"""A quantity: a number read off one repetition's record, and what readings have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .. import stats
from ..stats import FloatArray
from .records import Record


@dataclass(frozen=True)
class Quantity:
    """A number read off one repetition, its samples within it, and how repetitions become one value.

    ``label`` is its own and without the unit; ``more``: what that leaves open, for the page of all metrics.
    """

    each: Callable[[Record], float]
    samples: Callable[[Record], FloatArray]
    unit: str
    label: str
    pooled: bool = False
    more: str = ""


def array(values: Sequence[float | None]) -> FloatArray:
    """Values as floats; what is missing is NaN."""
    return np.array([math.nan if v is None else v for v in values], dtype=np.float64)


def pooled(pick: Callable[[Record], FloatArray], unit: str, label: str, more: str = "") -> Quantity:
    """The median of samples, which over repetitions is that of all of them together."""
    return Quantity(lambda r: median(pick(r)), pick, unit, label, pooled=True, more=more)


def median(a: FloatArray) -> float:
    """Of what is finite; NaN of nothing."""
    a = stats.finite(a)
    return float(np.median(a)) if a.size else math.nan


def scalar(each: Callable[[Record], float], unit: str, label: str, more: str = "") -> Quantity:
    """One number a repetition."""
    return Quantity(each, lambda r: np.array([each(r)]), unit, label, more=more)


def of_nodes(r: Record, table: str, nodes: Callable[[str], bool]) -> FloatArray:
    """A table's histograms, summed over those nodes."""
    found = [array(v) for n, v in r[table].items() if nodes(n)]
    return np.sum(found, axis=0) if found else np.zeros(1)


def spread_out(h: FloatArray) -> FloatArray:
    """A histogram's samples, one by one."""
    return np.repeat(np.arange(h.size, dtype=np.float64), h.astype(np.int64))


def share(h: FloatArray, low: int, high: int | None) -> float:
    """Percent of a histogram's entries from ``low`` to below ``high`` (None: to its end)."""
    return float(100 * h[low:high].sum() / h.sum()) if h.sum() > 0 else math.nan
