"""A picture of what was measured at a real ath9k, MCS by MCS, and the model beside it: goodput above, the median ping below."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MultipleLocator

from ..plots.style import DPI, MARKS, PALETTE, STYLE, legend_above, plain_log
from .report import Report, Row

PANELS = (("goodput_mbit", "Goodput (Mbit/s)"), ("ping_p50_ms", "Ping RTT, median (ms)"))
#: A set-up's name in the legend, behind which its rows' names have the MCS.
NAMES = {
    "fq_codel_airtime_txq": "4.8, airtime-fair TXQs",
    "stock_4_4": "4.4, fq_codel",
    "stock_4_4_pfifo_1000": "4.4, pfifo of 1000",
    "stock_4_4_pfifo_20": "4.4, pfifo of 20",
    "tsq": "4.8, the access point's own flows",
}


def _curves(rows: list[Row]) -> dict[str, list[tuple[int, Row]]]:
    """The rows of each set-up with their MCS, in order."""
    out: dict[str, list[tuple[int, Row]]] = {}
    for row in rows:
        named = re.fullmatch(
            r"(.+)-mcs(\d+)", row.name
        )  # the long runs and the orders between set-ups have no place here
        if named and row.reference is not None:
            out.setdefault(named[1], []).append((int(named[2]), row))
    return {name: sorted(points, key=lambda p: p[0]) for name, points in out.items()}


def draw(report: Report, path: Path) -> None:
    """Draws the report: marks are what was measured, with the bounds within which a row holds; lines are the model's."""
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=(7.2, 6.4), dpi=DPI, layout="constrained")
        axes = canvas.subplots(len(PANELS), 1, sharex=True)
        for ax, (metric, label) in zip(axes, PANELS, strict=True):
            curves = _curves([r for r in report.rows if r.metric == metric])
            for i, (name, points) in enumerate(curves.items()):
                # One beside the other, so that bounds do not hide each other.
                at = [mcs + 0.14 * (i - (len(curves) - 1) / 2) for mcs, _ in points]
                measured = [r.reference or 0.0 for _, r in points]
                bounds = [
                    [m - (r.low if r.low is not None else m) for m, (_, r) in zip(measured, points, strict=True)],
                    [(r.high if r.high is not None else m) - m for m, (_, r) in zip(measured, points, strict=True)],
                ]
                ax.errorbar(
                    at, measured, yerr=bounds, fmt=MARKS[i], color=PALETTE[i], markersize=4.5, elinewidth=0.9,
                    label=NAMES.get(name, name), markerfacecolor="white",
                )  # fmt: skip
                for streams in (1, 2):  # no line leads from one stream's fastest MCS to two streams' slowest
                    part = [(x, r.ours) for x, (mcs, r) in zip(at, points, strict=True) if mcs // 8 == streams - 1]
                    xs, ours = [x for x, _ in part], [float("nan") if y is None else y for _, y in part]
                    ax.plot(xs, ours, color=PALETTE[i], linewidth=1.2, label="model" if streams == 1 else None)
            ax.set_ylabel(label)
        axes[0].set_ylim(bottom=0)
        axes[1].set_yscale("log")
        plain_log(axes[1].yaxis)
        axes[1].set_xlabel(
            "MCS of the access point (802.11n, 20 MHz)\nMarks: measured, their bars: within which a row holds"
        )
        axes[1].xaxis.set_major_locator(MultipleLocator(1))
        legend_above(axes[0], 2)
        path.parent.mkdir(parents=True, exist_ok=True)
        canvas.savefig(path)
