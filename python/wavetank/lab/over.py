"""Quantities over many points at once: shares of topologies, percentiles over topologies and runs, a sweep's mean over an axis.

A claim's points are here names of *schemes*: ``aarc`` stands for the points ``aarc-1``, ``aarc-2``, ... of its figure.

* ``pool``: the goodput of every run of every point; the claim's ``stat`` says which percentile.
* ``wins``, ``ties``, ``losses``: percent of the points where the first scheme's mean goodput over its runs is above the
  second's by more than 1 %, within 1 %, below it by more than 1 %.
* ``quantiles``: percent of the quantiles (1st to 99th) of a client's goodput in a second at which the first scheme is above
  all others.
* ``mean_by_AXIS``: one sample for each value of the axis: the mean over all other axes of the median over runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from .. import stats
from ..stats import FloatArray
from .judge import EQUAL, Sample, Unmeasured
from .metrics import QUANTITIES as EACH
from .plan import Figure, Point
from .records import Record

Records = Callable[[Point], Sequence[Record]]
AXES = ("backoff", "threshold")
QUANTITIES = {"pool", "wins", "ties", "losses", "quantiles", *(f"mean_by_{a}" for a in AXES)}


def points(figure: Figure, scheme: str) -> list[Point]:
    """The points of a scheme, in the figure's order."""
    found = [p for n, p in figure.points.items() if n.startswith(f"{scheme}-") and n[len(scheme) + 1 :][0].isdigit()]
    if not found:
        raise Unmeasured(f"{figure.id} has no points of {scheme}")
    return found


def means(figure: Figure, scheme: str, records: Records) -> FloatArray:
    """Goodput of each point of a scheme: the mean over its runs, Mbit/s."""
    goodput = EACH["goodput"].each
    return np.array([np.mean([goodput(r) for r in records(p)]) for p in points(figure, scheme)])


def samples(quantity: str, stat: str, schemes: Sequence[str], figure: Figure, records: Records) -> list[Sample]:
    """What a claim's quantity over its schemes is."""
    if quantity == "pool":
        return [_pool(stat, schemes[0], figure, records)]
    if quantity == "quantiles":
        return [_quantiles(schemes, figure, records)]
    if quantity.startswith("mean_by_"):
        return _sweep(quantity.removeprefix("mean_by_"), schemes[0], figure, records)
    first, second = (means(figure, s, records) for s in schemes[:2])
    gain = 100 * (first / second - 1)
    holds = {"wins": gain > EQUAL, "ties": np.abs(gain) <= EQUAL, "losses": gain < -EQUAL}[quantity]
    return [Sample(float(100 * holds.mean()), 0.0, " / ".join(schemes[:2]))]


def _pool(stat: str, scheme: str, figure: Figure, records: Records) -> Sample:
    goodput = EACH["goodput"].each
    every = [goodput(r) for p in points(figure, scheme) for r in records(p)]
    q = 50.0 if stat in ("", "median") else float(stat.removeprefix("p"))
    return Sample(float(np.percentile(every, q)), stats.standard_error(every), scheme)


def _quantiles(schemes: Sequence[str], figure: Figure, records: Records) -> Sample:
    seconds = EACH["client_seconds"].samples
    levels = np.arange(1, 100)
    own, *others = [
        np.percentile(np.concatenate([stats.finite(seconds(r)) for p in points(figure, s) for r in records(p)]), levels)
        for s in schemes
    ]
    best = np.max(others, axis=0)
    return Sample(float(100 * np.mean(own > best)), 0.0, schemes[0])


def _sweep(axis: str, scheme: str, figure: Figure, records: Records) -> list[Sample]:
    goodput = EACH["goodput"].each
    by: dict[float, list[float]] = defaultdict(list)
    for p in points(figure, scheme):
        by[p.x[axis]].append(float(np.median([goodput(r) for r in records(p)])))
    return [Sample(float(np.mean(v)), stats.standard_error(v), f"{scheme}, {axis} {x:g}", x) for x, v in by.items()]
