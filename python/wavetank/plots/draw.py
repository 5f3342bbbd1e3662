"""Figures: one PNG a paper figure, its panels as the experiment's TOML has them.

Colours are Okabe and Ito's, which people with any colour vision tell apart; candles are the papers' (box: 10th to 90th
percentile, line: median). Where a claim says what the paper measured, its band is drawn beside ours in grey, its value
as a diamond; dashed is the band of a ratio or difference, taken from what we measured of the other row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine

from ..lab.judge import Unmeasured
from ..lab.plan import PANEL_KINDS, Figure
from .style import PAPER, RED, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome

    Panel = Callable[[Outcome, Figure, Mapping[str, Any], Axes], None]


def panel_of(kind: str) -> Panel:
    """What draws a kind of panel."""
    drawn: Panel = getattr(import_module(f".{PANEL_KINDS[kind]}", __package__), kind)
    return drawn


def draw(outcome: Outcome, figure: Figure, path: Path) -> None:
    """Draws a figure into a PNG; the same records give the same picture."""
    with mpl.rc_context(STYLE):
        n = len(figure.panels)
        columns = figure.columns or min(n, 3)
        rows = math.ceil(n / columns)
        engine = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1)
        crowd = max((len(p.get("points", ())) for p in figure.panels if p["kind"] in ("candles", "bars")), default=0)
        alone = figure.panels and figure.panels[0]["kind"] == "pareto"
        width = max(6.6 if alone else 5.2, 4.1 * columns, 0.32 * crowd * columns)
        canvas = Canvas(figsize=(width, (4.2 if alone else 3.1) * rows + 0.95), dpi=130, layout=engine)
        axes = canvas.subplots(rows, columns, squeeze=False)
        for ax, panel in zip(axes.flat, figure.panels, strict=False):
            try:
                panel_of(str(panel["kind"]))(outcome, figure, panel, ax)
            except Unmeasured as e:
                ax.set_axis_off()
                ax.text(0.5, 0.5, fill(str(e), 34), transform=ax.transAxes, ha="center", va="center", color=RED)
            if panel.get("title"):
                ax.set_title(panel["title"], loc="left")
        for ax in list(axes.flat)[n:]:
            ax.set_axis_off()
        on = f", on {outcome.water}" if outcome.beside else ""
        # bold at this size, an inch holds 11 characters
        title = fill(f"{figure.source}: {figure.title}{on}", round(11 * canvas.get_figwidth()))
        canvas.suptitle(title, fontsize=11, x=0.01, ha="left", fontweight="bold")
        # at this size an inch holds 17 characters
        footer = fill(_footer(outcome, figure), round(17 * canvas.get_figwidth()))
        canvas.supxlabel(footer, fontsize=7.5, color=PAPER, x=0.01, ha="left")
        canvas.savefig(path, format="png", metadata={"Software": "wavetank"})


def _footer(outcome: Outcome, figure: Figure) -> str:
    kinds = {p["kind"] for p in figure.panels}
    n = len(figure.seeds(outcome.quick))
    parts = [
        f"{n} repetition{'s' if n > 1 else ''}."
        if n
        else "Closed forms."
        if figure.model
        else "The channel alone: nothing is sent."
    ]
    if outcome.beside:
        parts.append(f"Blue: {outcome.water} (6.12); red candles: the {next(iter(outcome.beside))}.")
    of_a_paper = bool(outcome.verdicts)
    if "time" in kinds:
        parts.append(
            "Over time: the first repetition"
            + ("; shaded: the paper's band, dashed: its value." if of_a_paper else ".")
        )
    if "candles" in kinds:
        parts.append("Box: 10th to 90th percentile, line: median.")
    if "candles" in kinds and of_a_paper:
        parts.append("Grey: the paper's band, \u25c7 its value; dashed: the paper's ratio times our other point.")
    if "curves" in kinds:
        parts.append("Points: median over repetitions with standard error.")
    if kinds & {"sweep", "field", "pareto"}:
        parts.append(
            f"Median over repetitions{'; bars: 95 % confidence interval' if 'field' not in kinds else ''}.{figure.note}"
        )
    mark = "QUICK RUN: " if outcome.quick else f"RUN WITH {outcome.mark}: " if outcome.mark else ""
    return mark + " ".join(parts)
