"""What stands below a figure: how often things were run, what marks mean, and what the figure's file adds.

It speaks of what is in the picture: a panel of closed forms has no repetitions, and a band is told of where one is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure as Canvas

from ..lab import metrics
from ..lab.plan import PANEL_KINDS, UNRUN, Figure
from . import bands

if TYPE_CHECKING:
    from ..lab.outcome import Outcome

#: Kinds whose bars are values over repetitions with a standard error, and without one.
BARS = {"bars", "groups", "schemes", "hidden", "per_client", "settings"}
STACKED = {"stacks", "ends"}


def closed(panel: Mapping[str, Any]) -> bool:
    """Whether a panel shows closed forms alone: nothing is run for it."""
    kind = panel["kind"]
    return (kind == "bars" and panel["quantity"] in metrics.MODEL) or (kind == "lines" and not panel["schemes"])


def of(outcome: Outcome, figure: Figure, canvas: Canvas) -> str:
    """The caption of a figure that is drawn."""
    run = [p for p in figure.panels if not closed(p) and PANEL_KINDS[p["kind"]] not in UNRUN]
    kinds = {p["kind"] for p in run}
    n = len(figure.seeds(outcome.quick)) if run else 0
    if n:
        parts = ["1 repetition." if n == 1 else f"{n} repetitions."]
    else:
        parts = ["Closed form." if figure.model else "The channel alone: nothing is sent."]
    if outcome.beside:
        parts.append(f"Blue: {outcome.water} (6.12); red candles: the {next(iter(outcome.beside))}.")
    parts += _statistics(kinds, figure)
    gids = {str(a.get_gid()) for a in canvas.findobj(lambda a: a.get_gid() is not None)}
    parts += [text for text in (bands.told_over_time(gids), bands.told(gids)) if text]
    if "stacks" in kinds and bands.told(gids):
        parts.append("Bands of parts stand on our parts below.")
    if n > 1 and kinds & {"sweep", "field", "pareto"}:
        bar = "; bars: 95 % confidence interval" if "field" not in kinds else ""
        parts.append(f"Median over repetitions{bar}.")
    if figure.note:
        parts.append(figure.note.strip())
    mark = "QUICK RUN: " if outcome.quick else f"RUN WITH {outcome.mark}: " if outcome.mark else ""
    return (mark if n else "") + " ".join(parts)


def _statistics(kinds: set[str], figure: Figure) -> list[str]:
    """What heights, boxes, points and curves are of."""
    parts = []
    if "time" in kinds:
        parts.append("Over time: the first repetition.")
    if "series" in kinds:
        parts.append(
            "Over time: the first flow of the first repetition; judged is the median of all flows and repetitions."
        )
    if "candles" in kinds:
        parts.append("Box: 10th to 90th percentile, line: median.")
    if kinds & BARS:
        parts.append("Bars: median over repetitions, whiskers: standard error.")
    if kinds & STACKED:
        parts.append("Parts: medians over repetitions.")
    if kinds & {"curves", "lines"}:
        parts.append("Points: median over repetitions with standard error.")
    if "tornado" in kinds:
        parts.append(
            "Bars: from the value as it is (dashed line) to the median with another, whiskers: standard error."
        )
    if "tradeoff" in kinds:
        parts.append("Marks: medians over repetitions.")
    return parts
