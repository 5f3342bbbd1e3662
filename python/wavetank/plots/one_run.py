"""The picture of ``wavetank run --plot``: one run on one page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from .. import files, stats
from ..lab.metrics import COLLISIONS
from ..result import Flow, Ping, Result
from ..stats import FloatArray
from .formats import FORMATS, check
from .of_runs import DASHES, HANDLE, MOST, airtime_percent, limits, node_colours, station_colour, while_flowing
from .style import DPI, MANY, PALETTE, PAPER, STYLE, by_rows, headline

_Curve = tuple[FloatArray, FloatArray]
#: What a panel is marked with whose airtime is more than the time.
_CROWDED = "above 100 %"
#: So many curves of one colour are drawn each: of more none can be followed, and all together hide how they lie.
THIN = 12
#: In their place what all but the least and the largest tenth lie between, percent.
BAND = (10, 90)

#: Of more curves in a panel than that each is drawn by its means: samples five times a second are a thicket.
FEW = 3
#: What means are taken over: the least of these of which the page's width has no more than ``STEPS``, s.
SPANS, STEPS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0), 80

#: What of a column of the page its axes are wide, at least; and how high a legend of one line is, inches.
ROOM, LINE = 0.84, 0.25
#: How much wider than the last one the first of several curves is that may be the same, at most, points.
WIDEST = 2.7


@dataclass(frozen=True)
class _Look:
    """How a flow is drawn: in its own colour, its station's, or that of its direction (not alone)."""

    colour: str
    label: str
    style: Any = "-"
    alone: bool = True


def draw(result: Result, path: Path) -> Path:
    """Writes a PNG, PDF or SVG, as the file's name ends. Raises UserError for another ending.

    Goodput, ping, cwnd, srtt and datagrams' delay over time; A-MPDU sizes and airtime where there is a radio, else backlogs;
    bitrates over time where rates are controlled, lost MPDUs where any were.

    One station's flows have colours of their own, many of them (RRUL's) one a pair, dashed where they come down; up to six
    stations have one each, their flows dashes of their own; of more,
    the flows of one direction share one, with their median, and where they are many the band of most of them.
    """

    check(path)

    def make(p: Path) -> None:
        with mpl.rc_context(STYLE):
            _page(result, p)

    return files.write(path, make)


def _page(r: Result, path: Path) -> None:
    flows = list(zip(r.flows, _looks(r.flows), strict=True))
    tcp = [(f, look) for f, look in flows if f.kind == "tcp"]
    udp = [(f, look) for f, look in flows if f.kind == "udp" and _is_told(f, "delay_ms")]
    panels: list[Callable[[Axes], None]] = []
    if flows:
        panels.append(lambda ax: _goodput(ax, r, flows))
    if any(np.isfinite(p.rtt_ms).any() for p in r.pings):
        panels.append(lambda ax: _pings(ax, r))
    if tcp:
        panels.append(lambda ax: _series(ax, r, tcp, "snd_cwnd", "cwnd (segments)"))
        panels.append(lambda ax: _series(ax, r, tcp, "srtt_ms", "srtt (ms)"))
    if udp:
        panels.append(lambda ax: _series(ax, r, udp, "delay_ms", "UDP delay, one way (ms)"))
    if any(n.ampdu_hist.sum() for n in r.nodes.values()):
        panels += [lambda ax: _sizes(ax, r), lambda ax: _airtime(ax, r)]
        panels += [lambda ax: _bitrates(ax, r)] if _rates_move(r) else []
        panels += [lambda ax: _lost(ax, r)] if _loses(r) else []
    elif r.qdiscs:
        panels.append(lambda ax: _backlogs(ax, r))
    rows = -(-len(panels) // 2)
    engine = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08)
    canvas = Canvas(figsize=(11, 2.5 * rows + 0.9), dpi=DPI, layout=engine)
    axes = list(canvas.subplots(rows, 2, squeeze=False).flat)
    for ax, panel in zip(axes, panels, strict=False):
        panel(ax)
    canvas.set_figheight(canvas.get_figheight() + sum(_above(axes[2 * i : 2 * i + 2]) for i in range(rows)))
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    water = "" if r.water == "model" else f", on {r.water}"
    headline(canvas, f"{r.scenario}, seed {r.seed}{water}")
    told = "Shaded: the judging window."
    if any(ax.get_gid() == _CROWDED for ax in axes):
        told += f" {COLLISIONS}"
    # what is looked at as it begins has nothing yet
    times = [*(f.series["t"] for f in r.flows), *(n.series["t"] for n in r.nodes.values())]
    if times and not any((t > 0).any() for t in times):
        told += f" No curves: the run ended before its first sample (time.sample = {r.resolved['time.sample']})."
    canvas.supxlabel(told, fontsize=7.5, color=PAPER, x=0.01, ha="left")
    canvas.savefig(path, metadata=FORMATS[path.suffix.lower()])


def _is_told(f: Flow, column: str) -> bool:
    return bool(np.isfinite(f.series.get(column, np.zeros(0))).any())


def _looks(flows: Sequence[Flow]) -> list[_Look]:
    stations = list(dict.fromkeys(f.station for f in flows))
    names = _names(flows)
    if len(stations) == 1 and len(flows) <= MOST:
        return [_Look(c, n) for c, n in zip(PALETTE, names, strict=False)]
    places = _places(flows)
    if len(stations) == 1 and max(places) < len(MANY):
        return [_Look(MANY[k], n, DASHES[f.direction][0]) for f, n, k in zip(flows, names, places, strict=True)]
    if len(stations) <= MOST and max(places, default=0) < len(DASHES["up"]):
        return [
            _Look(station_colour(f.station), n, DASHES[f.direction][k])
            for f, n, k in zip(flows, names, places, strict=True)
        ]
    kinds = list(dict.fromkeys((f.kind, f.direction) for f in flows))
    count = {k: sum((f.kind, f.direction) == k for f in flows) for k in kinds}
    of = {
        k: _Look(c, f"{count[k]} {k[0]} {k[1]}", DASHES[k[1]][0], alone=False)
        for k, c in zip(kinds, PALETTE, strict=False)
    }
    return [of[f.kind, f.direction] for f in flows]


def _names(flows: Sequence[Flow]) -> list[str]:
    """Their names, with what tells them apart where that is their congestion control or their mark."""
    controls, marks = {f.cc for f in flows if f.cc}, {f.dscp for f in flows}
    told = [[f.cc] * (len(controls) > 1) + [f.dscp] * (len(marks) > 1) for f in flows]
    words = [", ".join(filter(None, of)) for of in told]
    return [f"{f.name} ({w})" if w else f.name for f, w in zip(flows, words, strict=True)]


def _places(flows: Sequence[Flow]) -> list[int]:
    """Each flow's place among those of its station and direction."""
    keys = [(f.station, f.direction) for f in flows]
    return [keys[:i].count(k) for i, k in enumerate(keys)]


def _of_radio(name: str) -> str:
    """A radio's colour: its station's."""
    return node_colours([name])[name]


def _span(r: Result, curves: Sequence[_Curve]) -> float | None:
    """What more than a few curves are averaged over, s; None where few are drawn, or samples lie as far apart."""
    if len(curves) <= FEW:
        return None
    span = next((s for s in SPANS if r.simulated_s <= STEPS * s), SPANS[-1])
    steps = [float(np.median(np.diff(t))) for t, _ in curves if t.size > 1]
    return span if steps and span > 1.5 * max(steps) else None


def _calm(r: Result, label: str, curves: Sequence[tuple[_Look, _Curve]]) -> tuple[str, list[tuple[_Look, _Curve]]]:
    """A panel's label and curves: means where there are too many to follow, as ``Goodput, 1 s means (Mbit/s)`` says."""
    span = _span(r, [c for look, c in curves if look.alone])
    if span is None:
        return label, list(curves)
    name, _, unit = label.partition(" (")
    return f"{name}, {span:g} s means ({unit}", [(look, stats.means_over(*c, span)) for look, c in curves]


def _over_time(ax: Axes, r: Result, label: str, curves: Sequence[tuple[_Look, _Curve]], legend: bool = True) -> None:
    """Curves of flows; of those that share a colour the median stands out, above a band where they are many."""
    groups: dict[str, list[_Curve]] = {}
    shown: list[FloatArray] = []
    for look, (t, v) in curves:
        if look.alone:
            ax.plot(t, v, linestyle=look.style, color=look.colour, label=look.label, alpha=0.9)
            alone = _alone(v)
            ax.plot(t[alone], v[alone], ".", color=look.colour, markersize=4, alpha=0.9)
            shown.append(v)
        else:
            groups.setdefault(look.label, []).append((t, v))
    colours = {look.label: look.colour for look, _ in curves}
    for name, members in groups.items():
        shown += _group(ax, name, members, colours[name])
    _time_axis(ax, r, label)
    limits(ax, np.concatenate(shown))
    if legend:
        _legend(ax, long=any(look.alone and isinstance(look.style, tuple) for look, _ in curves))


def _alone(v: FloatArray) -> NDArray[np.bool_]:
    """Which samples have none beside them, so that no line goes there."""
    known = np.pad(np.isfinite(v), 1)
    found: NDArray[np.bool_] = known[1:-1] & ~known[:-2] & ~known[2:]
    return found


def _group(ax: Axes, name: str, members: Sequence[_Curve], colour: str) -> list[FloatArray]:
    """Curves of one colour: each thinly, of many the band of most of them; and their median. Gives what the axis is to hold."""
    same = all(v.size == members[0][1].size for _, v in members)
    banded = same and len(members) > THIN
    if not banded:
        for t, v in members:
            ax.plot(t, v, color=colour, alpha=0.25, linewidth=0.7)
    if not same:
        return [v for _, v in members]
    every = np.array([v for _, v in members])
    known = np.isfinite(every).any(axis=0)
    low, middle, high = (np.full(known.size, np.nan) for _ in range(3))
    low[known], middle[known], high[known] = np.nanpercentile(every[:, known], [BAND[0], 50, BAND[1]], axis=0)
    told = f"{name}, median"
    if banded:
        ax.fill_between(members[0][0], low, high, color=colour, alpha=0.2, linewidth=0)
        told += f" and {BAND[0]} to {BAND[1]} %"
    ax.plot(members[0][0], middle, color=colour, label=told, linewidth=2)
    return [low, high] if banded else [v for _, v in members]


def _time_axis(ax: Axes, r: Result, label: str) -> None:
    ax.axvspan(*r.window, color="#f4f4f4", zorder=0)
    ax.set_xlim(0, r.simulated_s)  # one axis of time on the page, whenever a series begins
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(label)


def _legend(ax: Axes, long: bool = False) -> None:
    """A legend above the axes, of as many columns as they have room for: the layout narrows axes for one that is wider.

    ``long``: of dashes that take a long line to be seen.
    """
    labels = ax.get_legend_handles_labels()[1]
    if not (len(labels) > 1 or any(", median" in label for label in labels)):
        return
    length = HANDLE if long else mpl.rcParams["legend.handlelength"]
    for most in range(4, 0, -1):
        columns = -(-len(labels) // -(-len(labels) // most))  # rows of one length, as near as may be
        legend = ax.legend(
            *by_rows(ax, columns), loc="lower left", bbox_to_anchor=(0, 1), ncols=columns,
            borderaxespad=0.2, columnspacing=1.2, handletextpad=0.5, handlelength=length,
        )  # fmt: skip
        if legend.get_window_extent().width <= ROOM * ax.figure.bbox.width / 2:
            break


def _above(axes: Sequence[Axes]) -> float:
    """What the legends of a row of panels are higher than the line that every row has room for, inches."""
    legends = [ax.get_legend() for ax in axes]
    return max((x.get_window_extent().height / x.figure.dpi - LINE for x in legends if x), default=0.0)


def _goodput(ax: Axes, r: Result, flows: Sequence[tuple[Flow, _Look]]) -> None:
    _over_time(ax, r, *_calm(r, "Goodput (Mbit/s)", [(look, f.goodput()) for f, look in flows]))


def _series(ax: Axes, r: Result, flows: Sequence[tuple[Flow, _Look]], column: str, label: str) -> None:
    curves = [(look, while_flowing(r, f.series["t"], f.series[column])) for f, look in flows]
    # a window is as long as it stands, and its cuts are what it is looked at for
    told, drawn = (label, curves) if column == "snd_cwnd" else _calm(r, label, curves)
    _over_time(ax, r, told, drawn, legend=False)


def _kind(p: Ping) -> str:
    """What it measures with, without its station: ``icmp``, ``udp_ef``."""
    return p.name.partition(" ")[0]


def _pings(ax: Axes, r: Result) -> None:
    found = [p for p in r.pings if np.isfinite(p.rtt_ms).any()]
    label = "Ping RTT (ms)"
    sent, lost = sum(p.rtt_ms.size for p in r.pings), sum(int(np.isnan(p.rtt_ms).sum()) for p in r.pings)
    if lost:
        ax.set_title(f"{lost} of {sent} echoes had no answer", loc="right", fontsize=7.5, color=PAPER)
    if len(found) <= MOST:
        stations = {p.station for p in found}
        span = _span(r, [(p.t, p.rtt_ms) for p in found])
        if span is not None:
            label = f"Ping RTT, dots; {span:g} s means (ms)"
        for i, p in enumerate(found):
            colour = station_colour(p.station if len(stations) > 1 else i)
            if span is None:
                ax.plot(p.t, p.rtt_ms, ".-", color=colour, label=p.name, markersize=3, linewidth=0.7)
            else:
                ax.plot(p.t, p.rtt_ms, ".", color=colour, markersize=2, alpha=0.35)
                ax.plot(*stats.means_over(p.t, p.rtt_ms, span), color=colour, label=p.name)
    else:
        # Too many to tell stations apart: of each kind (ICMP, UDP of each category) one colour.
        label = f"Ping RTT of {len(found)} (ms)"
        for kind, colour in zip(dict.fromkeys(map(_kind, found)), PALETTE, strict=False):
            for p in (p for p in found if _kind(p) == kind):
                ax.plot(p.t, p.rtt_ms, ".", color=colour, markersize=2, alpha=0.4)
            ax.plot([], [], ".", color=colour, label=kind)
    _time_axis(ax, r, label)
    limits(ax, np.concatenate([p.rtt_ms for p in found]))
    _legend(ax)


def _sizes(ax: Axes, r: Result) -> None:
    """Of the PPDUs that a radio sent, the share with at most so many MPDUs."""
    senders = [n for n in r.nodes.values() if n.ampdu_hist.sum() > 0]
    few = len(senders) <= MOST + 1
    wider = min(0.9, WIDEST / max(1, len(senders) - 1))
    for i, n in enumerate(senders):
        share = 100 * np.cumsum(n.ampdu_hist) / n.ampdu_hist.sum()
        colour = _of_radio(n.name) if few or n.name == "ap" else PALETTE[0]
        label = n.name if few or n.name == "ap" else "stations" if n.name == "sta1" else None
        wide = (
            1.3 + wider * (len(senders) - 1 - i) if few else 1.3
        )  # the same curve twice: the first shows on both sides
        ax.step(
            np.arange(share.size),
            share,
            where="post",
            color=colour,
            label=label,
            linewidth=wide,
            alpha=0.9 if few else 0.5,
        )
    largest = max((int(np.flatnonzero(n.ampdu_hist)[-1]) for n in senders), default=1)
    ax.set_xlim(0, max(largest, 4) + 1)  # ath9k's end at 32, ath10k's at 64, 802.11ax's at 256
    ax.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
    ax.set_ylim(0, 102)
    ax.set_xlabel("MPDUs in a PPDU, at most")
    ax.set_ylabel("Share of the PPDUs sent (%)")
    _legend(ax)


def _airtime(ax: Axes, r: Result) -> None:
    """Shares of the time between samples, stacked."""
    nodes = list(r.nodes.values())
    if len(nodes) > MOST + 1:
        rest = [n.series["airtime_tx_us"] for n in nodes[1:]]
        layers = {nodes[0].name: nodes[0].series["airtime_tx_us"], f"{len(rest)} stations": np.nansum(rest, axis=0)}
    else:
        layers = {n.name: n.series["airtime_tx_us"] for n in nodes}
    t = nodes[0].series["t"]
    shares = [np.nan_to_num(airtime_percent(t, v)) for v in layers.values()]
    colours = node_colours(list(layers)).values()
    ax.stackplot(t, shares, labels=list(layers), colors=list(colours), alpha=0.8, step="pre", linewidth=0)
    most = float(np.sum(shares, axis=0).max(initial=0.0))
    if most > 100:
        ax.set_gid(_CROWDED)
    ax.set_ylim(0, max(100.0, most))
    _time_axis(ax, r, "Airtime sent (%)")
    _legend(ax)


def _rates_move(r: Result) -> bool:
    """Whether something is sent to a radio now at one rate, now at another."""
    every = (stats.finite(n.series["rx_bitrate_mbit"]) for n in r.nodes.values())
    return any(v.size and float(np.ptp(v)) > 1e-6 for v in every)


def _loses(r: Result) -> bool:
    """Whether MPDUs were lost: to errors, or to collisions."""
    return any((stats.finite(n.series["rx_bad_share"]) > 0).any() for n in r.nodes.values())


def _bitrates(ax: Axes, r: Result) -> None:
    _by_receiver(ax, r, "rx_bitrate_mbit", 1.0, "Mean PHY rate (Mbit/s)")


def _lost(ax: Axes, r: Result) -> None:
    _by_receiver(ax, r, "rx_bad_share", 100.0, "Lost MPDUs (%)")


def _by_receiver(ax: Axes, r: Result, column: str, scale: float, label: str) -> None:
    """A series of what was sent to each radio; of many stations, every one thinly and their median."""
    to = [n for n in r.nodes.values() if np.isfinite(n.series[column]).any()]
    curves = [(_receiver(n.name, len(to)), (n.series["t"], scale * n.series[column])) for n in to]
    _over_time(ax, r, *_calm(r, label, curves))


def _receiver(name: str, count: int) -> _Look:
    if name == "ap" or count <= MOST + 1:
        return _Look(_of_radio(name), f"to {name}")
    return _Look(PALETTE[0], "to a station", alone=False)


def _backlogs(ax: Axes, r: Result) -> None:
    for (name, q), colour in zip(list(r.qdiscs.items())[:MOST], PALETTE, strict=False):
        ax.plot(q["t"], q["backlog_packets"], color=colour, label=name)
    _time_axis(ax, r, "Backlog (packets)")
    ax.set_ylim(bottom=0)
    _legend(ax)
