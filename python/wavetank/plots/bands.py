"""What the papers say at a figure's points: bands and values for panels to draw beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..lab.plan import Point

if TYPE_CHECKING:
    from ..lab.judge import Verdict
    from ..lab.outcome import Outcome


@dataclass(frozen=True)
class Band:
    """What the paper says of a quantity at a point, in the quantity's unit; ``relative``: by way of another point of ours."""

    low: float
    high: float
    value: float | None
    relative: bool


#: A panel's quantity shows the claims on these.
SHOWS = {"all_goodput": ("goodput", "udp_goodput")}


def bands_at(outcome: Outcome, point: Point, quantity: str) -> list[Band]:
    """The paper's bands for this quantity at this very set-up, each once."""
    out: list[Band] = []
    for v in outcome.verdicts:
        c = v.claim
        if c.quantity not in SHOWS.get(quantity, (quantity,)) or c.reduce or not _same_set_up(outcome, point, v):
            continue
        low, high, value = c.low, c.high, c.value
        if c.relation == "ratio-to":
            if v.other is None:
                continue
            low, high, value = (None if x is None else _unratio(x, c.unit) * v.other for x in (low, high, value))
        elif c.relation in ("gt", "lt"):
            if v.other is None or low is None or high is None:
                continue
            sign = 1.0 if c.relation == "gt" else -1.0
            ends = sorted(v.other + sign * x for x in (low, high))
            low, high, value = ends[0], ends[1], None if value is None else v.other + sign * value
        if low is None or high is None:
            continue
        band = Band(low, high, value, bool(c.refers))
        if band not in out:
            out.append(band)
    return sorted(out, key=lambda b: b.relative)


def _unratio(x: float, unit: str) -> float:
    return 1 + x / 100 if unit == "%" else x


def _same_set_up(outcome: Outcome, point: Point, verdict: Verdict) -> bool:
    """Whether the claim is measured at this very set-up, be it in another figure of the experiment."""
    c = verdict.claim
    other = outcome.measured.figures.get(c.figure)
    if other is None or len(c.points) != 1 or c.points[0] not in other.points:
        return False
    p = other.points[c.points[0]].scenario
    return p.text == point.scenario.text and dict(p.overrides) == dict(point.scenario.overrides)
