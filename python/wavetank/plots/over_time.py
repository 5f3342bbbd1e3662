"""Panels over time: goodput and ping of a run, windows and rates of several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import stats, units
from ..lab.plan import Figure, Point
from ..lab.records import Record
from ..stats import FloatArray
from .bands import bands_at, shade
from .style import BLUE, PALETTE, RED, label_of, plain_log, points_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome


def _xy(series: Sequence[Sequence[float | None]]) -> tuple[FloatArray, FloatArray]:
    t, v = (np.array([math.nan if x is None else x for x in s], dtype=np.float64) for s in series)
    order = np.argsort(t, kind="stable")
    return t[order], v[order]


def _flows_start(point: Point, record: Record) -> float:
    """When the point's flows start (s): the judging window begins ``time.warmup`` later."""
    return float(record["window"][0]) - units.span(point.scenario.check()["time.warmup"]) / 1e9


def time(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Goodput and ping of the first repetition over time."""
    point = points_of(figure, panel)[0]
    record = outcome.measured.of(figure, point)[0]
    start = _flows_start(point, record)
    ping_ax = ax.twinx()
    ping_ax.spines["right"].set_visible(True)
    ping_ax.grid(False)
    top = 0.0
    for name, series in record["series"].items():
        if name.startswith("goodput_"):
            t, v = stats.means_over(*_xy(series), span=1.0)
            active = (t >= start - 0.5) & (t <= record["window"][1] + 0.5)
            ax.plot(t[active], v[active], color=BLUE)
            top = max(top, float(np.nanmax(v)))
    t, v = _xy(record["series"].get("ping_icmp", [[], []]))
    ping_ax.plot(t, v, color=RED, linewidth=0.7, alpha=0.9)
    ceiling = float(np.nanpercentile(v, 99.5)) if v.size else 1.0
    reach = []
    for where, quantity, colour in ((ax, "goodput", BLUE), (ping_ax, "ping_rtt", RED)):
        bands = [b for b in bands_at(outcome, figure, point, quantity) if not b.relative]
        reach.append(shade(where, bands, record["window"], colour))
    top, ceiling = max(top, reach[0]), max(ceiling, reach[1])
    ax.set_ylim(0, top * 1.2 or 1)
    ping_ax.set_ylim(0, ceiling * 1.9 or 1)
    ax.set_xlim(0, record["simulated_s"])
    ax.set_xlabel("Time (s)")
    ax.set_ylabel("Goodput, 1 s means (Mbit/s)", color=BLUE)
    ping_ax.set_ylabel("Ping RTT (ms)", color=RED)


def series(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A quantity of the first repetition's first flow over time, one curve a point; the paper's bands are of all flows."""
    column = {"cwnd": "cwnd", "tcp_rtt": "srtt", "pacing_rate": "pacing"}[panel["quantity"]]
    for i, p in enumerate(points_of(figure, panel)):
        series = outcome.measured.of(figure, p)[0]["series"]
        t, v = _xy(next(series[k] for k in (f"{column}_up", f"{column}_down") if k in series))
        record = outcome.measured.of(figure, p)[0]
        active = (t >= _flows_start(p, record)) & (t <= record["window"][1])
        t, v = t[active], v[active]
        style = ("-", (0, (4, 2)))[i // len(PALETTE) % 2]
        colour = PALETTE[i % len(PALETTE)]
        ax.plot(t, v, color=colour, linewidth=1.0, linestyle=style, label=p.name)
        shade(ax, bands_at(outcome, figure, p, panel["quantity"]), record["window"], colour)
    if panel.get("log_y"):
        ax.set_yscale("log")
        plain_log(ax.yaxis)
    else:
        ax.set_ylim(bottom=0)
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(label_of(panel))
    ax.legend(fontsize=6.5, ncols=2, loc="upper left", bbox_to_anchor=(0.0, -0.2))
