"""Statistics, each named once: every table, plot and verdict takes its numbers from here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class Quantiles(TypedDict):
    """10th, 50th and 90th percentile and mean of finite samples; None where there were none."""

    p10: float | None
    p50: float | None
    p90: float | None
    mean: float | None


def finite(values: Iterable[float] | FloatArray) -> FloatArray:
    """The finite values, as an array (a lost ping is NaN)."""
    a = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
    return a[np.isfinite(a)]


def quantiles(values: Iterable[float] | FloatArray) -> Quantiles:
    """Percentiles by linear interpolation, and the mean."""
    a = finite(values)
    if a.size == 0:
        return {"p10": None, "p50": None, "p90": None, "mean": None}
    p10, p50, p90 = (float(x) for x in np.percentile(a, [10, 50, 90]))
    return {"p10": p10, "p50": p50, "p90": p90, "mean": float(a.mean())}


def jain(values: Sequence[float]) -> float | None:
    """Jain's fairness index, (sum x)^2 / (n sum x^2): 1 is fair, 1/n is one taking all. None without any goodput."""
    squares = sum(x * x for x in values)
    return sum(values) ** 2 / (len(values) * squares) if squares > 0 else None


def standard_error(values: Sequence[float]) -> float:
    """Standard error of the mean over repetitions; 0 with fewer than two."""
    n = len(values)
    return float(np.std(values, ddof=1)) / math.sqrt(n) if n > 1 else 0.0


def _within(theta: float, df: int) -> float:
    """Probability that Student's t lies within +-sqrt(df) tan(theta): a finite sum for whole degrees of freedom.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
    """
    sin, cos = math.sin(theta), math.cos(theta)
    term, total = (cos, 0.0) if df % 2 else (1.0, 0.0)
    for i in range(3 if df % 2 else 2, df + 1, 2):
        total += term
        term *= cos * cos * (i - 1) / i
    return 2 / math.pi * (theta + sin * total) if df % 2 else sin * total


def student_t(df: int, level: float = 0.95) -> float:
    """How many standard errors of the mean a two-sided confidence interval reaches each way, with ``df`` degrees of freedom."""
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, df) < level else (low, middle)
    return math.sqrt(df) * math.tan((low + high) / 2)


def interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """Confidence interval of the mean by Student's t; None with fewer than two values."""
    n = len(values)
    if n < 2:
        return None
    mean, reach = float(np.mean(values)), student_t(n - 1, level) * standard_error(values)
    return mean - reach, mean + reach


def histogram_quantile(hist: FloatArray, q: float) -> float | None:
    """Smallest index whose cumulative share reaches ``q`` (0 to 1); None if the histogram is empty."""
    total = float(hist.sum())
    if total <= 0:
        return None
    return float(np.searchsorted(np.cumsum(hist), q * total - 1e-9))


class Ampdu(TypedDict):
    """MPDUs in a data PPDU: mean, percentiles, and the share of PPDUs with one."""

    mean: float | None
    p50: float | None
    p90: float | None
    single_fraction: float | None


def ampdu(hist: FloatArray) -> Ampdu:
    """Statistics of a histogram whose index is the number of MPDUs in a data PPDU."""
    total = float(hist.sum())
    if not total > 0:  # none, or not counted
        return ampdu_of_mean(None)
    return {
        "mean": float((hist * np.arange(hist.size)).sum() / total),
        "p50": histogram_quantile(hist, 0.5),
        "p90": histogram_quantile(hist, 0.9),
        "single_fraction": float(hist[1] / total),
    }


def ampdu_of_mean(mean: float | None) -> Ampdu:
    """The same where no more than the mean is known."""
    return {"mean": mean, "p50": None, "p90": None, "single_fraction": None}


def spread(values: FloatArray) -> tuple[float, float]:
    """Limits of an axis that holds all but wild outliers: 0 and a little above the 99.5th percentile."""
    a = finite(values)
    if a.size == 0:
        return 0.0, 1.0
    top = float(np.percentile(a, 99.5))
    return 0.0, 1.08 * top if math.isfinite(top) and top > 0 else 1.0


def means_over(t: FloatArray, v: FloatArray, span: float) -> tuple[FloatArray, FloatArray]:
    """Means of the samples within each ``span`` seconds, at its middle; nan where there are none but nan."""
    if t.size == 0:
        return t, v
    bins = np.floor(t / span + 1e-9)
    keys, place = np.unique(bins, return_inverse=True)
    known = np.isfinite(v)
    count = np.bincount(place[known], minlength=keys.size)
    total = np.bincount(place[known], weights=v[known], minlength=keys.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (keys + 0.5) * span, total / count
