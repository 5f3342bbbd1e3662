"""The judge: one implementation gives every claim its verdict.

It is told, for each claim, the samples that were measured for it (one a point), and knows nothing of where they come from.

* Absolute claims: the value lies in [low, high]; the operator is only shown.
* ``ratio-to``: own value over the referred row's own measured value (``%``: 100 (ratio - 1)) lies in the band.
* Bare ``gt``/``lt``: own and other differ in the right direction by more than the larger standard error over
  repetitions; within it it is a ``tie``, which is a miss. With figures: the difference in that direction lies in the band.
* A bare ``gt``/``lt`` with ``mean``: the mean of the points' differences is in the right direction by more than its
  standard error.
* ``reduce``, for rows of several points: ``each`` (default; all must hold, the worst is shown), ``max``, ``mean`` (of the
  compared numbers: "up to", "on average"), ``best`` (the best point's value), ``grid`` (median of |ratio - 1|, shown as
  1 + that), ``losing`` (the mean of those points' compared percentages that are worse by more than 1 %),
  ``argmin`` (the smallest x whose value is at least 95 % of the best), ``minus`` (the first of two points less
  the second).

Differs: D1 a grid's deviation d is held against the band as 1 + d, its sign being lost.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .claims import Claim

#: An argmin takes the smallest x at which the value reaches this share of the sweep's best.
ARGMIN_SHARE = 0.95
#: Percent within which two goodputs are equal.
EQUAL = 1.0
#: Classes whose rows are measured when they can be.
MEASURED = {"judged", "theory", "input", "calibrates", "contradicted"}


@dataclass(frozen=True)
class Sample:
    """What one point gave: value, standard error over repetitions, and where it stands on the sweep's axis."""

    value: float
    se: float = 0.0
    name: str = ""
    x: float | None = None


class Unmeasured(Exception):
    """There is no measurement for this row; the text says why."""


@dataclass(frozen=True)
class Verdict:
    """A claim judged. ``compared`` is the number held against [low, high]; ``ok`` None: no verdict."""

    claim: Claim
    cls: str
    measured: float | None = None
    other: float | None = None
    compared: float | None = None
    ok: bool | None = None
    tie: bool = False
    reason: str = ""
    point: str = ""

    def json(self) -> dict[str, Any]:
        """The keys of ``reproduce --json``: first those that are promised, then what a reader wants beside them."""
        c = self.claim
        return {
            "id": c.id, "class": self.cls, "measured": self.measured, "other": self.other, "compared": self.compared,
            "low": c.low, "high": c.high, "ok": self.ok, "tie": self.tie, "reason": self.reason,
            "source": c.source, "where": c.where, "system": c.system, "metric": c.metric, "unit": c.unit,
            "relation": c.relation + (f":{c.refers}" if c.refers else ""), "value": c.value, "sentence": c.sentence,
            "figure": c.figure, "point": self.point,
        }  # fmt: skip


Lookup = Callable[[Claim], Sequence[Sample]]


@dataclass(frozen=True)
class _Compared:
    """One point held against the claim: its margin is negative on a miss, the smaller the worse."""

    own: Sample
    other: float | None
    compared: float
    ok: bool
    tie: bool
    margin: float


def in_band(value: float, low: float | None, high: float | None) -> bool:
    """Within [low, high]; an empty end is open."""
    return (low is None or value >= low) and (high is None or value <= high)


def _margin(value: float, low: float | None, high: float | None) -> float:
    ends = [value - low] if low is not None else []
    if high is not None:
        ends.append(high - value)
    scale = max((abs(e) for e in (low, high) if e is not None), default=1.0) or 1.0
    return min(ends, default=math.inf) / scale


def _ratio(claim: Claim, own: float, other: float) -> float:
    if other == 0:
        return math.inf if own > 0 else math.nan
    ratio = own / other
    return 100 * (ratio - 1) if claim.unit == "%" else ratio


def _compare(claim: Claim, own: Sample, other: Sample | None) -> _Compared:
    if other is None:
        ok = in_band(own.value, claim.low, claim.high)
        return _Compared(own, None, own.value, ok, False, _margin(own.value, claim.low, claim.high))
    if claim.relation == "ratio-to":
        ratio = _ratio(claim, own.value, other.value)
        ok = in_band(ratio, claim.low, claim.high)
        return _Compared(own, other.value, ratio, ok, False, _margin(ratio, claim.low, claim.high))
    difference = own.value - other.value if claim.relation == "gt" else other.value - own.value
    if claim.low is not None or claim.high is not None:
        ok = in_band(difference, claim.low, claim.high)
        return _Compared(own, other.value, difference, ok, False, _margin(difference, claim.low, claim.high))
    noise = max(own.se, other.se)
    tie = abs(difference) <= noise
    return _Compared(own, other.value, difference, difference > noise, tie, difference - noise)


def argmin(sweep: Sequence[Sample]) -> Sample:
    """The point of smallest x whose value is at least 95 % of the sweep's best."""
    best = max(s.value for s in sweep)
    good = [s for s in sweep if s.x is not None and s.value >= ARGMIN_SHARE * best]
    if not good:
        raise Unmeasured("no point of the sweep reaches 95 % of its best")
    return min(good, key=lambda s: s.x if s.x is not None else math.inf)


def _points(claim: Claim, own: Sequence[Sample], others: Sequence[Sample] | None) -> list[_Compared]:
    if others is None:
        return [_compare(claim, s, None) for s in own]
    if len(own) == 1 and len(others) > 1:
        own = list(own) * len(others)
    elif len(others) == 1:
        others = list(others) * len(own)
    if len(own) != len(others):
        raise Unmeasured(f"{len(own)} points against {len(others)} of {claim.refers}")
    return [_compare(claim, a, b) for a, b in zip(own, others, strict=True)]


def _own(claim: Claim, lookup: Lookup) -> Sequence[Sample]:
    """A row's own samples; rows that are an extreme of their points are one sample."""
    samples = lookup(claim)
    if not samples:
        raise Unmeasured("nothing was measured")
    if any(not math.isfinite(s.value) for s in samples):
        raise Unmeasured("the measurement has no value")
    if claim.reduce == "argmin":
        s = argmin(samples)
        return [Sample(s.x if s.x is not None else math.nan, 0.0, s.name, s.x)]
    if claim.reduce == "minus":
        if len(samples) != 2:
            raise Unmeasured(f"a difference of {len(samples)} points, expected two")
        a, b = samples
        return [Sample(a.value - b.value, math.hypot(a.se, b.se), f"{a.name} less {b.name}")]
    if claim.reduce == "best":
        return [max(samples, key=lambda s: s.value)]
    return samples


def _judge(claim: Claim, claims: dict[str, Claim], lookup: Lookup) -> Verdict:
    own = _own(claim, lookup)
    others = None
    if claim.refers:
        if claim.refers not in claims:
            raise Unmeasured(f"refers to {claim.refers}, which is no row")
        try:
            others = _own(claims[claim.refers], lookup)
        except Unmeasured as e:
            raise Unmeasured(f"{claim.refers} is not measured: {e}") from None
    rows = _points(claim, own, others)
    measured: float = float(np.median([r.own.value for r in rows]))
    other = None if others is None else float(np.median([r.other for r in rows if r.other is not None]))
    if claim.reduce == "grid":
        compared = 1.0 + float(np.median([abs(r.compared - 1.0) for r in rows]))
        return _verdict(claim, measured, other, compared, in_band(compared, claim.low, claim.high))
    if claim.reduce in ("max", "mean"):
        numbers = [r.compared for r in rows]
        compared = max(numbers) if claim.reduce == "max" else float(np.mean(numbers))
        if claim.refers and claim.relation in ("gt", "lt") and claim.low is None and claim.high is None:
            noise = float(np.std(numbers, ddof=1) / math.sqrt(len(numbers))) if len(numbers) > 1 else 0.0
            tie = abs(compared) <= noise
            return Verdict(claim, claim.cls, measured, other, compared, compared > noise, tie, claim.reason)
        return _verdict(claim, measured, other, compared, in_band(compared, claim.low, claim.high))
    if claim.reduce == "losing":
        numbers = [r.compared for r in rows if r.compared < -EQUAL]
        if not numbers:
            raise Unmeasured("it loses nowhere")
        compared = float(np.mean(numbers))
        return _verdict(claim, measured, other, compared, in_band(compared, claim.low, claim.high))
    worst = min(rows, key=lambda r: r.margin)
    return Verdict(
        claim, claim.cls, worst.own.value, worst.other, worst.compared, all(r.ok for r in rows), worst.tie,
        claim.reason, worst.own.name,
    )  # fmt: skip


def _verdict(claim: Claim, measured: float, other: float | None, compared: float, ok: bool) -> Verdict:
    return Verdict(claim, claim.cls, measured, other, compared, ok, False, claim.reason)


def judge(claims: Iterable[Claim], every: dict[str, Claim], lookup: Lookup) -> list[Verdict]:
    """A verdict for each claim; ``every`` resolves the rows that they refer to.

    Rows of class ``unmeasured``, and those for which ``lookup`` raises Unmeasured, say why. Only ``judged`` and ``theory`` rows
    get an ``ok``; the others are shown with what was measured.
    """
    out = []
    for claim in claims:
        if claim.cls not in MEASURED:
            out.append(Verdict(claim, "unmeasured", reason=claim.reason or "not measured yet"))
            continue
        try:
            v = _judge(claim, every, lookup)
        except Unmeasured as e:
            out.append(Verdict(claim, "unmeasured", reason=str(e)))
            continue
        if v.cls == "input":
            v = Verdict(claim, v.cls, v.measured, v.other, v.compared, None, False, claim.reason, v.point)
        out.append(v)
    return out


def summary(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Counts by class; of the judged rows how many hold, and of their sentences (all rows of one hold together)."""
    counts = dict.fromkeys(
        (
            "judged",
            "ok",
            "sentences",
            "sentences_ok",
            "theory",
            "input",
            "calibrates",
            "contradicted",
            "unmeasured",
        ),
        0,
    )
    sentences: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for v in verdicts:
        counts[v.cls] += 1
        if v.cls == "judged":
            counts["ok"] += v.ok is True
            sentences[v.claim.source, v.claim.sentence].append(v.ok is True)
    counts["sentences"] = len(sentences)
    counts["sentences_ok"] = sum(all(oks) for oks in sentences.values())
    return counts
