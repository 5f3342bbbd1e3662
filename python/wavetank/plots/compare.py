"""The pictures of ``wavetank compare``: a series a picture, every water overlaid."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine

from .. import files
from ..compare import Comparison
from ..lab.metrics import COLLISIONS
from ..result import Result
from ..stats import FloatArray
from .of_runs import airtime_percent, limits, while_flowing
from .style import DPI, PALETTE, PAPER, STYLE, headline

#: Panels of a picture.
MOST = 8
Curve = tuple[str, FloatArray, FloatArray]


@dataclass(frozen=True)
class Panel:
    """One plot: its file's name, the axis, and what is drawn of a result: (label, t, values) a curve. ``together``: what stands
    for all curves where there are more than panels, their sum or their median."""

    name: str
    label: str
    curves: Callable[[Result], list[Curve]]
    together: str = "median"


def _column(column: str) -> Callable[[Result], list[Curve]]:
    return lambda r: [
        (f.name, *while_flowing(r, f.series["t"], f.series[column])) for f in r.flows if column in f.series
    ]


def _node(column: str) -> Callable[[Result], list[Curve]]:
    return lambda r: [(n, x.series["t"], x.series[column]) for n, x in r.nodes.items()]


def _airtime(r: Result) -> list[Curve]:
    return [(n, x.series["t"], airtime_percent(x.series["t"], x.series["airtime_tx_us"])) for n, x in r.nodes.items()]


PANELS = (
    Panel("goodput", "Goodput (Mbit/s)", lambda r: [(f.name, *f.goodput()) for f in r.flows], "sum"),
    Panel("snd_cwnd", "cwnd (segments)", _column("snd_cwnd")),
    Panel("srtt", "srtt (ms)", _column("srtt_ms")),
    Panel("unacked", "In flight (segments)", _column("unacked")),
    Panel("delay", "UDP delay, one way (ms)", _column("delay_ms")),
    Panel("ping", "Ping RTT (ms)", lambda r: [(p.name, p.t, p.rtt_ms) for p in r.pings]),
    Panel("ampdu", "Mean A-MPDU (MPDUs)", _node("avg_aggr_size")),
    Panel("bitrate", "Mean PHY rate to it (Mbit/s)", _node("rx_bitrate_mbit")),
    Panel("lost", "Lost MPDUs to it (share)", _node("rx_bad_share")),
    Panel("airtime", "Airtime sent (%)", _airtime, "sum"),
    Panel(
        "backlog", "Backlog (packets)", lambda r: [(n, q["t"], q["backlog_packets"]) for n, q in r.qdiscs.items()]
    ),
)  # fmt: skip


#: Of lines, so that curves tell apart without their colours: solid, dashed, dash-dotted, dotted, and longer ones.
STYLES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (8, 3)))


def draw(comparison: Comparison, folder: Path) -> list[Path]:
    """One PNG a series: every water overlaid, one panel a curve; of more than eight the first shows their sum or median."""
    written = []
    for panel in PANELS:
        curves = {w: [c for c in panel.curves(r) if np.isfinite(c[2]).any()] for w, r in comparison.results.items()}
        shared = [
            n for n, _, _ in next(iter(curves.values())) if all(n in {c[0] for c in cs} for cs in curves.values())
        ]
        if len(shared) > MOST:
            name = f"{panel.together} of {len(shared)}"
            curves = {w: [(name, *_together(panel.together, cs, shared)), *cs] for w, cs in curves.items()}
            shared = [name, *shared]
        if shared:

            def make(p: Path, panel: Panel = panel, shared: list[str] = shared, curves: Any = curves) -> None:
                overlay(p, panel.label, shared, curves, comparison)

            written.append(files.write(folder / f"{panel.name}.png", make))
    return written


def _together(how: str, curves: Sequence[Curve], names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Their sum or median at the first one's times; each sample counts until its curve has the next. NaN where none has any."""
    of = [(t, v) for n, t, v in curves if n in names]
    at = of[0][0]
    whole = np.full((len(of), at.size), np.nan)
    for row, (t, v) in zip(whole, of, strict=True):
        last = np.searchsorted(t, at + 1e-9, side="right") - 1
        row[last >= 0] = v[last[last >= 0]]
    there = np.isfinite(whole).any(axis=0)
    out = np.full(at.size, np.nan)
    out[there] = (np.nansum if how == "sum" else np.nanmedian)(whole[:, there], axis=0)
    return at, out


def overlay(
    path: Path,
    label: str,
    names: Sequence[str],
    curves: Mapping[str, Sequence[Curve]],
    comparison: Comparison,
) -> None:
    """One series on every water: a small panel a curve, eight at most, the waters in colours of their own."""
    shown = list(names)[:MOST]
    columns = 1 if len(shown) == 1 else 2
    rows = math.ceil(len(shown) / columns)
    first = next(iter(comparison.results.values()))
    with mpl.rc_context(STYLE):
        engine = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)
        canvas = Canvas(figsize=(4.4 * columns + 1.4, 1.9 * rows + 1.3), dpi=DPI, layout=engine)
        axes = canvas.subplots(rows, columns, squeeze=False, sharex=True)
        for ax, name in zip(axes.flat, shown, strict=False):
            every = []
            for (water, of), colour, style in zip(curves.items(), PALETTE, STYLES, strict=False):
                t, v = next((t, v) for n, t, v in of if n == name)
                every.append(v)
                alone = "." if np.isnan(v).any() else ""  # between two that are missing there is no line
                ax.plot(t, v, linestyle=style, color=colour, label=water, alpha=0.9, marker=alone, markersize=3)
            limits(ax, np.concatenate(every))
            ax.axvspan(*first.window, color="#f4f4f4", zorder=0)
            ax.set_xlim(0, max(r.simulated_s for r in comparison.results.values()))  # in every picture the same
            if len(shown) > 1 or any(len(of) > 1 for of in curves.values()):  # which of them it is
                ax.set_title(name, loc="left")
        for ax in list(axes.flat)[len(shown) :]:
            ax.set_axis_off()
        for ax in list(axes.flat)[max(len(shown) - columns, 0) : len(shown)]:  # the lowest of each column
            ax.set_xlabel("Time (s)")
            ax.tick_params(labelbottom=True)
        canvas.supylabel(label, fontsize=9)
        # the first panel is of all
        more = f" (all together, and the first {len(shown) - 1} of {len(names) - 1})" if len(names) > len(shown) else ""
        _head(canvas, f"{comparison.title}{more}", axes.flat[0])
        bed = " Curves: the first seed's." if comparison.repetitions > 1 else ""
        bed += f" Test bed: the first of {n} files." if (n := len(comparison.measured)) > 1 else ""
        if label.startswith("Airtime") and any(
            _above(v, 100) for of in curves.values() for n, _, v in of if n in shown
        ):
            bed += f" {COLLISIONS}"
        canvas.supxlabel(f"Shaded: the judging window.{bed}", fontsize=7.5, color=PAPER, x=0.01, ha="left")
        canvas.savefig(path, format="png", metadata={"Software": "wavetank"})


def _head(canvas: Canvas, text: str, ax: Axes) -> None:
    """Title and legend above the panels: side by side where there is room, else the legend below the title, in as many rows as it
    takes."""
    title = headline(canvas, text)
    handles, labels = ax.get_legend_handles_labels()
    columns = len(labels)
    legend = canvas.legend(handles, labels, loc="outside upper right", ncols=columns)
    own, room = legend.get_window_extent().width, 0.98 * canvas.bbox.width
    if title.get_window_extent().width + own > room:
        legend.remove()
        columns = max(1, min(columns, int(columns * room / own)))
        # the empty lines are the title's
        empty = "\n".join(" " for _ in title.get_text().splitlines())
        canvas.legend(handles, labels, loc="outside upper right", ncols=columns, title=empty, title_fontsize=11)


def _above(values: FloatArray, limit: float) -> bool:
    return bool((values[np.isfinite(values)] > limit).any())
