"""What a goodput of ns-3's is held to: within 8 % of its mean, or within two standard deviations of its runs."""

from __future__ import annotations

import math

from .report import Row

SHARE, DEVIATIONS = 0.08, 2.0


def held(name: str, metric: str, reference: float, sd: float, ours: float) -> Row:
    """The row of one goodput, Mbit/s."""
    width = max(SHARE * reference, DEVIATIONS * sd)
    low, high = reference - width, reference + width
    return Row(name, metric, reference, ours, low <= ours <= high, "", low, high)


def number(text: str) -> float:
    """A cell as a number; one that is none lies in no range."""
    try:
        return float(text)
    except ValueError:
        return math.nan
