"""Figures of one's own (docs/figures.md): which panels they can have, and mistakes told before anything runs."""

from __future__ import annotations

from pathlib import Path

from ..errors import UserError, unknown
from . import metrics
from .plan import Figure, told_of

#: What the first flow's samples have over time.
SERIES = ("cwnd", "pacing_rate", "tcp_rtt")
#: Kinds of panels that it can have, with the keys that each needs.
PANELS = {
    "candles": ("quantity",), "bars": ("quantity",), "cdf": ("quantity",), "curves": ("quantity", "x"),
    "tradeoff": ("quantity", "x"), "series": ("quantity",), "distribution": (), "time": (),
}  # fmt: skip


def check(path: Path, figure: Figure) -> None:
    """Whether there is something to run and to draw, and the panels ask for what there is. Raises UserError."""
    for what, there in (("points", figure.points), ("panels", figure.panels)):
        if not there:
            raise UserError(f"{path}: has no {what}, expected a figure's file (docs/figures.md)")
    for name, point in figure.points.items():
        with told_of(path, name):
            point.scenario.check()
    for panel in figure.panels:
        kind = str(panel["kind"])
        if kind not in PANELS:
            raise unknown("kind of panel in a figure of one's own", kind, PANELS, str(path))
        for key in PANELS[kind]:
            if key not in panel:
                raise UserError(
                    f'{path}: a panel of the kind "{kind}" has no "{key}", expected {", ".join(PANELS[kind])}'
                )
        asked = [str(panel[k]) for k in ("quantity", "x") if k in panel and (k, kind) != ("x", "curves")]
        known = SERIES if kind == "series" else metrics.QUANTITIES
        for quantity in asked:
            if quantity not in known:
                raise unknown("quantity", quantity, known, str(path))
        numbers = {a for p in figure.points.values() for a in p.x}
        every = numbers | {a for p in figure.points.values() for a in p.names}
        for key, axes in (("x", numbers), ("by", every)):
            if kind == "curves" and key in panel and panel[key] not in axes:
                raise unknown("numeric axis" if key == "x" else "axis", str(panel[key]), axes, str(path))
