"""What an analysis found, as one figure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from .. import files
from ..errors import UserError
from ..plots.of_runs import DASHES, node_colours
from ..plots.style import BLUE, MANY, PAPER, RED, STYLE, by_rows, headline
from ..report import number
from .analyze import heading, json_of, route, stem, who
from .analyze_flent import Document
from .analyze_media import media_of
from .analyze_rows import chosen, first, total

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def save(document: Document, folder: Path, name: str | None = None) -> list[Path]:
    """Writes the figure (of several media each has one) and the numbers, named after the file, or as ``name`` has it."""
    files.no_file(folder)
    name = name or stem(Path(document["path"]))
    try:
        media = media_of(document)
        return [
            *(draw(d, folder / f"{name}{_suffix(d) if len(media) > 1 else ''}.png") for d in media),
            files.write_text(folder / f"{name}.json", files.dumps(json_of(document)) + "\n"),
        ]
    except OSError as e:
        raise UserError(f"{folder}: cannot be written ({e.strerror}), expected a folder") from None


def _suffix(document: Document) -> str:
    """What tells a medium's figure from the others'."""
    medium = document["medium"]
    return f"-interface{medium['interface']}" + (f"-{medium['mhz']}" if medium["mhz"] else "")


def draw(document: Document, path: Path) -> Path:
    """One figure: aggregates, runs, airtime, rates, goodput and round trips. The format is the file name's."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with mpl.rc_context(STYLE):
        panels = _panels(document)
        columns = 3 if len(panels) > 4 else min(2, len(panels))
        rows = -(-len(panels) // columns)
        size = (4.1 * columns + 0.1, 3.7 * rows)
        canvas = Figure(figsize=size, dpi=130, layout=ConstrainedLayoutEngine(w_pad=0.1))
        axes = list(canvas.subplots(rows, columns, squeeze=False).flat)
        for ax in axes[len(panels) :]:
            ax.set_axis_off()
        for ax, (title, make) in zip(axes, panels.items(), strict=False):
            ax.set_title(title, loc="left")
            if not make(document, ax):
                ax.set_axis_off()
                ax.text(0.5, 0.5, "nothing of it in this file", transform=ax.transAxes, ha="center", color=PAPER)
        shown = {k: v for k, v in document.items() if k != "wall_s"} | {"path": Path(document.get("path", "")).name}
        headline(canvas, heading(shown), 10.5)
        return files.write(path, lambda p: canvas.savefig(p, format=path.suffix.lstrip(".") or "png"))


def _panels(document: Document) -> dict[str, Callable[[Document, Axes], bool]]:
    """Those of a capture; a Flent file has no frames, and of the panels those that it has something for."""
    from matplotlib.figure import Figure

    if document["file"] is None or document["report"]["frames"]:
        return PANELS
    told = {title: make for title, make in PANELS.items() if make(document, Figure().subplots())}
    return told or {"Goodput": _goodput_panel}


#: Curves in one panel: more cannot be told apart. Of RRUL's two ways each mark has one colour.
CURVES, PAIRS = 6, 8
#: Bars of the panel of rates; up to so many have their names in two lines.
BARS, FEW_BARS = 10, 5
#: Names of transmitters up to this length stand three in a row.
SHORT = 8
#: A legend that lies over curves hides them, or nobody can read it.
LEGEND: dict[str, Any] = {"frameon": True, "facecolor": "white", "edgecolor": "none", "framealpha": 0.85}


def _more(ax: Axes, rows: Sequence[Any], of: str = "", what: str = "") -> None:
    """A line of the legend for what is not drawn."""
    if rows:
        ax.plot([], [], linestyle="none", label=f"and {len(rows)} more{of and f' {of}'}{what and f' ({what})'}")


def _legend(ax: Axes, **more: Any) -> None:
    ax.legend(**{"loc": "best", **LEGEND, **more})


def _above_curves(ax: Axes, columns: int = 1, **more: Any) -> None:
    """The legend in the upper right corner, and room for it there."""
    lines = -(-len(ax.get_legend_handles_labels()[1]) // columns)
    ax.set_ylim(0, ax.get_ylim()[1] * (1.05 + 0.07 * lines))
    handles, labels = by_rows(ax, columns)
    _legend(ax, loc="upper right", ncols=columns, handles=handles, labels=labels, **more)


def _colours(document: Document) -> dict[str, str]:
    """Each station's colour: the same as in ``run --plot``, whatever the order in which they sent."""
    return node_colours([s["name"] for s in document["report"]["stations"]])


def _beside_curves(ax: Axes, **more: Any) -> None:
    """The legend of cumulative shares in the lower right corner, and room for it there."""
    high, left = 0.05 * len(ax.get_legend_handles_labels()[1]), 0.45
    points = [np.asarray(line.get_xydata(), dtype=np.float64) for line in ax.lines]
    reach = max((float(np.max(p[p[:, 1] < high, 0], initial=0.0)) for p in points), default=0.0)
    ax.set_xlim(right=max(ax.get_xlim()[1], min(reach / left, 2 * ax.get_xlim()[1])))
    _legend(ax, loc="lower right", **more)


def _ends(document: Document, flow: Mapping[str, Any]) -> tuple[str, str] | None:
    """A flow's station and whether it sends ("up"), if it is one of ours."""
    ends = [who(document, flow[k]).partition(":")[0] for k in ("src", "dst")]
    return next(((n, way) for n, way in zip(ends, ("up", "down"), strict=True) if n.startswith("sta")), None)


def _kind(document: Document, flow: Mapping[str, Any]) -> tuple[str, str | None]:
    """Protocol and direction; where that is not known, who sends it over the air."""
    found = _ends(document, flow)
    named = next((way for way in (" upload", " download") if way in flow["src"]), flow["station"])  # as Flent's series
    return flow["protocol"], found[1] if found else named


def _chosen(document: Document, flows: Sequence[dict[str, Any]], most: int) -> tuple[list[Any], list[Any]]:
    """Flows that are drawn, and those that are not."""
    drawn = chosen(flows, most, lambda f: _kind(document, f), lambda f: _ends(document, f) or f["station"])
    return drawn, [f for f in flows if not any(f is d for d in drawn)]


def _looks(document: Document, flows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How flows are drawn: in their station's colour with dashes of their own; of one station, or of none that is known, in
    colours of their own.
    """
    found = [_ends(document, f) for f in flows]
    known = [f for f in found if f]
    if not known and len(flows) > CURVES:
        return _pairs(flows)
    if len(known) < len(flows) or len({n for n, _ in known}) < 2:
        return [{"color": c} for c, _ in zip(MANY, flows, strict=False)]
    colours = node_colours([n for n, _ in known])
    looks = [(colours[n], way) for n, way in known]
    nth = [looks[:i].count(x) for i, x in enumerate(looks)]
    return [
        {"color": c, "linestyle": DASHES[way][k % len(DASHES[way])]} for (c, way), k in zip(looks, nth, strict=True)
    ]


def _pairs(flows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Flent's series: each name in a colour, what goes up and what comes down of it; the latter dashed."""
    names = [re.sub(r" (up|down)load", "", f["src"]) for f in flows]
    colours = dict(zip(dict.fromkeys(names), itertools.cycle(MANY), strict=False))
    down = [" download" in f["src"] for f in flows]
    return [{"color": colours[n], "linestyle": "--" if d else "-"} for n, d in zip(names, down, strict=True)]


def _stations(document: Document, key: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Transmitters that have ``key``: those that are drawn, by their numbers where they have such, and those for which there
    is no room: who sent least."""
    told = [(s, s.get(key)) for s in document["report"]["stations"]]
    rows = [s for s, v in told if (any(v) if isinstance(v, list) else v is not None)]
    return sorted(rows[:CURVES], key=lambda s: _number(s["name"])), rows[CURVES:]


def _number(name: str) -> int:
    """Of a run's node: the access point's is 0; a capture's addresses have none, and stay as they are."""
    return int(name[3:]) if re.fullmatch(r"sta\d+", name) else 0


def _dashed(colours: Sequence[str]) -> list[dict[str, Any]]:
    """Each in its colour; who shares one with another (there are more stations than colours) is dashed."""
    return [{"color": c, "linestyle": ("-", "--", ":")[colours[:i].count(c) % 3]} for i, c in enumerate(colours)]


def _station_looks(document: Document, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    every = _colours(document)
    return _dashed([every[s["name"]] for s in rows])


def _histograms(document: Document, ax: Axes, key: str) -> list[Any]:
    """Each station's counts of ``key`` as a cumulative share; gives the stations that have any."""
    rows, others = _stations(document, key)
    for s, look in zip(rows, _station_looks(document, rows), strict=True):
        h = np.array(s[key], dtype=np.float64)
        ax.step(np.arange(h.size), np.cumsum(h) / h.sum(), where="post", label=s["name"], **look)
    _more(ax, others)
    return rows


def _ampdu_panel(document: Document, ax: Axes) -> bool:
    rows = _histograms(document, ax, "ampdu_hist")
    means, others = _stations(document, "ampdu_mean")
    if means and not rows:  # of a Flent file
        colours = _colours(document)
        bars = [colours[s["name"]] for s in means]
        ax.barh([s["name"] for s in means], [s["ampdu_mean"] for s in means], color=bars, height=0.62)
        ax.set(xlabel="MPDUs a PPDU, mean", ylim=(max(2.2, len(means)), -0.8))  # the first on top
        if others:
            _more(ax, others)
            _legend(ax, loc="upper right", handlelength=0)
        return True
    ax.set(xlabel="MPDUs a PPDU", ylabel="Share of PPDUs, cumulative", ylim=(0, 1.02))
    if rows:
        _legend(ax)
    return bool(rows)


def _runs_panel(document: Document, ax: Axes) -> bool:
    rows = _histograms(document, ax, "back_to_back")
    ax.set(xlabel="PPDUs in a row, nobody else's between", ylabel="Share of runs, cumulative", ylim=(0, 1.02))
    if rows:
        ax.set_xlim(0.5, max(2.5, min(20.5, max(len(s["back_to_back"]) for s in rows) - 0.5)))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        _legend(ax, loc="lower right")
    return bool(rows)


def _airtime_panel(document: Document, ax: Axes) -> bool:
    rows, others = _stations(document, "airtime_us")
    rows = [s for s in rows if s["airtime_us"]["values"] and s["airtime_fraction"] is not None]
    for s, look in zip(rows, _station_looks(document, rows), strict=True):
        steps = s["airtime_us"]
        t, v = _steps(steps, 1e-4 / steps["step_s"])
        ax.plot(t, v, **look, label=f"{s['name']} ({100 * s['airtime_fraction']:.0f} %)")
    _more(ax, others, what=f"{100 * (total(others, 'airtime_fraction') or 0.0):.0f} %")
    ax.set(xlabel="Time (s)", ylabel="Airtime (% of the time)", ylim=(0, None))
    if rows:
        columns = 3 if max(len(s["name"]) for s in rows) <= SHORT else 2
        _above_curves(ax, columns=columns, fontsize=7, columnspacing=1.2, handlelength=1.5)
    return bool(rows)


def _rates_panel(document: Document, ax: Axes) -> bool:
    """Shares of MPDUs by rate, those that were sent most; the others as one bar."""
    sums: dict[str, list[float]] = {}
    for link in document["report"]["links"]:
        for r in link["rates"]:
            row = sums.setdefault(r["rate"], [r["mbit"], 0.0, 0.0, 0.0])
            row[1] += r["mpdus"]
            row[2] += (r["mpdus"] - r["unknown"]) * (r["loss_rate"] or 0.0)
            row[3] += r["unknown"]
    shown, others = first(sorted(sums.items(), key=lambda kv: -kv[1][1]), BARS)
    rows = sorted(shown, key=lambda kv: kv[1][0] or 0.0)
    if others:
        rows.insert(0, (f"{len(others)} others", [0.0, *(sum(v[i] for _, v in others) for i in (1, 2, 3))]))
    every = sum(v[1] for v in sums.values()) or 1
    few = len(rows) <= FEW_BARS
    names = [k.replace(", ", "\n", 1) if few else k for k, _ in rows]
    good = [100 * (v[1] - v[2] - v[3]) / every for _, v in rows]
    lost = [100 * v[2] / every for _, v in rows]
    ax.barh(names, good, color=BLUE, label="acknowledged", height=0.62)
    ax.barh(names, lost, left=good, color=RED, label="not acknowledged", height=0.62)
    if any(v[3] for _, v in rows):
        told = [a + b for a, b in zip(good, lost, strict=True)]
        unknown = [100 * v[3] / every for _, v in rows]
        ax.barh(names, unknown, left=told, color="0.8", label="not known", height=0.62)
    ax.set(xlabel="MPDUs (% of all)")
    ax.set_ylim(-0.8, max(2.2, len(rows) * 1.08))
    ax.tick_params(axis="y", labelsize=8 if few else 6.5)
    ax.grid(False, axis="y")
    if rows:
        ax.legend(loc="upper right", ncols=2)
    return bool(rows)


def _goodput_panel(document: Document, ax: Axes) -> bool:
    flowing = [f for f in document["report"]["flows"] if any(f["delivered_bytes"]["values"])]
    rows, others = _chosen(document, flowing, CURVES if any(_ends(document, f) for f in flowing) else PAIRS)
    for f, look in zip(rows, _looks(document, rows), strict=True):
        steps = f["delivered_bytes"]
        t, v = _steps(steps, 8e-6 / steps["step_s"])
        udp = "UDP " if f["protocol"] == "udp" and f["dst"] else ""  # a Flent series says it itself
        ax.plot(t, v, **look, label=f"{udp}{route(document, f)} ({number(f['goodput_mbit'])})", linewidth=1.0)
    _more(ax, others, what=number(total(others, "goodput_mbit")))
    ax.set(xlabel="Time (s)", ylabel="Goodput (Mbit/s)", ylim=(0, None))
    if rows:
        _above_curves(ax, fontsize=6.5)
    return bool(rows)


def _rtt_panel(document: Document, ax: Axes) -> bool:
    report = document["report"]
    told = [f for f in report["flows"] if f["rtt_ms"] and f["rtt_ms"]["n"] >= 10]
    rows, others = _chosen(document, told, CURVES - 1)
    for f, look in zip(rows, _looks(document, rows), strict=True):
        q = f["rtt_ms"]["quantiles"]
        ax.plot(q, np.linspace(0, 1, len(q)), **look, label=f"TCP {route(document, f)}")
    _more(ax, others, "of TCP")
    told = [p for p in report["pings"] if p["rtt_ms"]]
    pings = sorted(told[:CURVES], key=lambda p: _number(who(document, p["src"]).rpartition(" ")[2]))
    senders = [who(document, p["src"]) for p in pings]
    for p, name, look in zip(pings, senders, _dashed(_ping_colours(senders)), strict=True):
        q = p["rtt_ms"]["quantiles"]
        ax.plot(q, np.linspace(0, 1, len(q)), **look, linewidth=0.9, marker=".", markersize=4, label=f"ping {name}")
    _more(ax, told[CURVES:], "pings")
    ax.set(xlabel="Round trip (ms)", ylabel="Share, cumulative", ylim=(0, 1.02))
    ax.set_xlim(left=0)
    if rows or pings:
        _beside_curves(ax, fontsize=6.5)
    return bool(rows or pings)


def _ping_colours(senders: Sequence[str]) -> list[str]:
    """Those of the stations ("sta2", of a Flent file "ICMP sta2"). What is of all stations is black, and a single one: its colour
    is a flow's, where flows of one station have colours of their own.
    """
    nodes = [s.rpartition(" ")[2] for s in senders]
    colours = node_colours(nodes)
    named = {n for n in nodes if n.startswith("sta")}
    return ["black" if len(nodes) == 1 or (named and n not in named) else colours[n] for n in nodes]


def _steps(steps: Mapping[str, Any], unit: float) -> tuple[Any, Any]:
    """Middles of the steps (s) and values; the first and last step, which the window may cut, left out where others remain."""
    v = np.array(steps["values"], dtype=np.float64) * unit
    t = steps["begin_s"] + (np.arange(v.size) + 0.5) * steps["step_s"]
    return (t[1:-1], v[1:-1]) if v.size > 4 else (t, v)


PANELS: dict[str, Callable[[Document, Axes], bool]] = {
    "Aggregates": _ampdu_panel,
    "Back to back": _runs_panel,
    "Airtime": _airtime_panel,
    "Rates": _rates_panel,
    "Goodput": _goodput_panel,
    "Round trips": _rtt_panel,
}
