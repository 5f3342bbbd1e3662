"""A figure's table, ``NAME-figN.csv``: a row a point and quantity that its panels show, and on linux a water."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from . import metrics

if TYPE_CHECKING:
    from .outcome import Outcome
    from .plan import Figure


def point_table(outcome: Outcome, figure: Figure) -> str:
    """The table as text; empty of a figure that shows no such quantity, as one of the channel alone.

    ``value`` is as panels have it (:func:`wavetank.lab.metrics.sample`) and ``se`` its standard error over repetitions,
    both empty where nothing was measured. Points that stand on axes have a column an axis.
    """
    waters = {outcome.water: outcome, **outcome.beside}
    axes = list(dict.fromkeys(a for p in figure.points.values() for a in (*p.x, *p.names)))
    said = {"quick": str(outcome.quick).lower(), "repetitions": len(figure.seeds(outcome.quick))}
    rows = [
        {
            "figure": figure.id,
            "water": water,
            "point": point,
            **{a: {**figure.points[point].x, **figure.points[point].names}.get(a) for a in axes},
            "quantity": quantity,
            "unit": metrics.QUANTITIES[quantity].unit,
            **found,
            **said,
            "repetitions_asked": outcome.asked,
        }
        for water, of in waters.items()
        for point, values in of.values(of.measured.figures[figure.id]).items()
        for quantity, found in values.items()
    ]
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
