"""One constant at a time: how far a figure moves when it is less or more than it is.

A panel shows the points of one set-up (``schemes``), which are named ``SET-UP / as it is`` and ``SET-UP / CONSTANT: VALUE``, at
most two values a constant, the lesser first; what ends in ``@ PLACE`` is one of several places, over which the median is taken.
Constants stand from the one that moves the figure most to the one that moves it least. ``claim`` is the row of a paper whose
band is shown, if any.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lab import claims, metrics
from ..lab.judge import Sample
from ..lab.plan import Figure, Point
from .bands import ABSOLUTE
from .style import BLUE, ORANGE, PAPER, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome

AS_IT_IS = "as it is"


def swings(
    outcome: Outcome, figure: Figure, set_up: str, quantity: str
) -> tuple[Sample, dict[str, list[tuple[str, Sample]]]]:
    """What the set-up gives as it is; and of each constant what it gives with each other value, widest first."""
    places: dict[tuple[str, str], list[Point]] = {}
    for p in figure.points.values():
        of, _, rest = p.name.partition(" / ")
        constant, _, value = rest.partition(" @ ")[0].partition(": ")
        if of == set_up:
            places.setdefault((constant, value), []).append(p)
    found: dict[str, list[tuple[str, Sample]]] = {}
    for (constant, value), points in places.items():
        each = [metrics.sample(quantity, "", outcome.measured.of(figure, p), p) for p in points]
        middle = Sample(float(np.median([s.value for s in each])), float(np.mean([s.se for s in each])))
        found.setdefault(constant, []).append((value, middle))
    ((_, base),) = found.pop(AS_IT_IS)
    far = {c: max(abs(s.value - base.value) for _, s in values) for c, values in found.items()}
    return base, dict(sorted(found.items(), key=lambda item: -far[item[0]]))


def tornado(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Lying bars from what the constants give as they are: above with less of one, below with more; grey the paper's band."""
    (set_up,) = panel["schemes"]
    base, found = swings(outcome, figure, set_up, panel["quantity"])
    values = figure.points[next(n for n in figure.points if n.startswith(f"{set_up} / {AS_IT_IS}"))].scenario.check()
    labels = []
    for row, (constant, others) in enumerate(found.items()):
        for k, (value, s) in enumerate(others):
            place, colour = row + (k - 0.5) * 0.38, (BLUE, ORANGE)[k]
            ax.barh(place, s.value - base.value, 0.36, base.value, color=colour, alpha=0.75, xerr=s.se, ecolor=PAPER)
            end = s.value + (s.se if s.value >= base.value else -s.se)
            side = 1 if s.value >= base.value else -1
            ax.annotate(
                value, (end, place), (3 * side, 0), textcoords="offset points", va="center", fontsize=6.5, color=PAPER,
                ha="left" if side > 0 else "right", annotation_clip=False,
            )  # fmt: skip
        labels.append(f"{constant} ({values[constant]})" if constant in values else constant)
    ax.axvline(base.value, color=PAPER, linestyle=(0, (4, 3)), linewidth=0.9)
    if "claim" in panel:
        c = claims.load()[panel["claim"]]
        assert c.low is not None and c.high is not None and not c.refers, f"{c.id} is no band"
        ax.axvspan(c.low, c.high, color=PAPER, alpha=0.15, linewidth=0, gid=f"paper: {ABSOLUTE}", zorder=0)
    ax.set_yticks(range(len(labels)), labels, fontsize=7.5)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.margins(x=0.27)
    ax.grid(axis="y", visible=False)
    ax.set_xlabel(panel["label"])
    for colour, label in ((BLUE, "less of it"), (ORANGE, "more")):
        ax.barh(0, 0, left=base.value, color=colour, alpha=0.75, label=label)
    legend_above(ax, 2)
