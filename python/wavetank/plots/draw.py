"""Figures: one PNG a paper figure, its panels as the experiment's TOML has them.

Colours are Okabe and Ito's, which people with any colour vision tell apart; candles are the papers' (box: 10th to 90th
percentile, line: median). What the papers measured stands beside ours (:mod:`wavetank.plots.bands`); what is said below a figure
is :mod:`wavetank.plots.captions`.
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
from . import captions
from .aggregate import abreast
from .points import crowd
from .style import DPI, PAPER, RED, STYLE, title_panel

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
        crowded = max(
            (crowd(outcome, figure, p) for p in figure.panels if p["kind"] in ("candles", "bars")), default=0.0
        )
        alone = figure.panels and figure.panels[0]["kind"] == "pareto"
        named = 5.2 * columns if any(p["kind"] == "stacks" for p in figure.panels) else 0  # long names in the legend
        width = max(
            named,
            6.6 if alone else 5.2,
            4.1 * columns,
            crowded * columns,
            0.2 * _bars_abreast(outcome, figure) * columns,
        )
        canvas = Canvas(figsize=(width, (4.2 if alone else 3.1) * rows + 0.95), dpi=DPI, layout=engine)
        axes = canvas.subplots(rows, columns, squeeze=False)
        for ax, panel in zip(axes.flat, figure.panels, strict=False):
            try:
                panel_of(str(panel["kind"]))(outcome, figure, panel, ax)
            except Unmeasured as e:
                ax.set_axis_off()
                ax.text(0.5, 0.5, fill(str(e), 34), transform=ax.transAxes, ha="center", va="center", color=RED)
            if panel.get("title"):
                title_panel(ax, str(panel["title"]))
        for ax in list(axes.flat)[n:]:
            ax.set_axis_off()
        on = f", on {outcome.water}" if outcome.beside else ""
        # bold at this size, an inch holds 11 characters
        title = fill(f"{figure.source}: {figure.title}{on}", round(11 * canvas.get_figwidth()))
        canvas.suptitle(title, fontsize=11, x=0.01, ha="left", fontweight="bold")
        # at this size an inch holds 17 characters
        footer = fill(captions.of(outcome, figure, canvas), round(17 * canvas.get_figwidth()))
        canvas.supxlabel(footer, fontsize=7.5, color=PAPER, x=0.01, ha="left")
        canvas.savefig(path, format="png", metadata={"Software": "wavetank"})


def _bars_abreast(outcome: Outcome, figure: Figure) -> float:
    """The most room that bars side by side take in a panel of groups, in bars."""
    panels = [p for p in figure.panels if p["kind"] == "groups"]
    return max((sum(x.room for x in abreast(outcome, figure, p)) for p in panels), default=0.0)
