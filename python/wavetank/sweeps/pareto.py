"""The Pareto front: points that no other beats in one of two metrics without losing in the other."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def front(points: Mapping[K, tuple[float, float]]) -> list[K]:
    """The points on the front, from the least cost on; a point is (gain, cost): more of the first is better, less of the second.

    A point is off it if another has at least its gain at no more than its cost, and one of the two is better. Equal points are
    all on it, or none; a point without a value is off it.
    """
    real = {k: p for k, p in points.items() if all(map(math.isfinite, p))}
    ordered = sorted(real, key=lambda k: (real[k][1], -real[k][0]))
    out: list[K] = []
    for k in ordered:
        gain = real[k][0]
        if not out or gain > real[out[-1]][0] or real[k] == real[out[-1]]:
            out.append(k)
    return out
