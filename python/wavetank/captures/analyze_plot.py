"""What an analysis found, as one figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import files
from ..errors import UserError
from ..plots.of_runs import DASHES, node_colours
from ..plots.style import BLUE, PALETTE, PAPER, RED, STYLE
from .analyze import heading, json_of, route, who
from .analyze_flent import Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def save(document: Document, folder: Path) -> list[Path]:
    """Writes the figure and the numbers, named after the file."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file, expected a folder")
    stem = Path(document["path"]).name.removesuffix(".gz")
    try:
        return [
            draw(document, folder / f"{stem}.png"),
            files.write_text(folder / f"{stem}.json", files.dumps(json_of(document)) + "\n"),
        ]
    except OSError as e:
        raise UserError(f"{folder}: cannot be written ({e.strerror}), expected a folder") from None


def _cdf(ax: Axes, values: Any, shares: Any, label: str, colour: str) -> None:
    ax.step(values, shares, where="post", label=label, color=colour)


def draw(document: Document, path: Path) -> Path:
    """One figure: aggregates, runs, airtime, rates, goodput and round trips. The format is the file name's."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        canvas = Figure(figsize=(12.4, 7.4), dpi=130, layout="constrained")
        axes = canvas.subplots(2, 3)
        for ax, (title, make) in zip(axes.flat, PANELS.items(), strict=True):
            ax.set_title(title, loc="left")
            if not make(document, ax):
                ax.set_axis_off()
                ax.text(0.5, 0.5, "nothing of it in this file", transform=ax.transAxes, ha="center", color=PAPER)
        shown = {k: v for k, v in document.items() if k != "wall_s"} | {"path": Path(document.get("path", "")).name}
        canvas.suptitle(heading(shown), fontsize=10.5, x=0.01, ha="left", fontweight="bold")
        return files.write(path, lambda p: canvas.savefig(p, format=path.suffix.lstrip(".") or "png"))


#: Curves in one panel: more cannot be told apart.
CURVES = 6


def _colours(document: Document) -> dict[str, str]:
    """Each station's colour: the same as in ``run --plot``, whatever the order in which they sent."""
    return node_colours([s["name"] for s in document["report"]["stations"]])


def _looks(document: Document, flows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How flows are drawn: in their station's colour with dashes of their own; of one station, or of none that is known, in
    colours of their own.
    """
    ends = [[who(document, f[k]).partition(":")[0] for k in ("src", "dst")] for f in flows]
    found = [next(((n, k) for n, k in zip(e, ("up", "down"), strict=True) if n.startswith("sta")), None) for e in ends]
    known = [f for f in found if f]
    if len(known) < len(flows) or len({n for n, _ in known}) < 2:
        return [{"color": c} for c, _ in zip(PALETTE, flows, strict=False)]
    colours = node_colours([n for n, _ in known])
    nth = [known[:i].count(f) for i, f in enumerate(known)]
    return [
        {"color": colours[n], "linestyle": DASHES[way][k % len(DASHES[way])]}
        for (n, way), k in zip(known, nth, strict=True)
    ]


def _histograms(document: Document, ax: Axes, key: str) -> list[Any]:
    """Each station's counts of ``key`` as a cumulative share; gives the stations that have any."""
    rows = [s for s in document["report"]["stations"] if sum(s.get(key, []))][:CURVES]
    colours = _colours(document)
    for s in rows:
        h = np.array(s[key], dtype=np.float64)
        _cdf(ax, np.arange(h.size), np.cumsum(h) / h.sum(), s["name"], colours[s["name"]])
    return rows


def _ampdu_panel(document: Document, ax: Axes) -> bool:
    rows = _histograms(document, ax, "ampdu_hist")
    means = [s for s in document["report"]["stations"] if s.get("ampdu_mean") is not None][:CURVES]
    if means and not rows:  # of a Flent file
        ax.barh([s["name"] for s in means], [s["ampdu_mean"] for s in means], color=PALETTE[: len(means)], height=0.62)
        ax.set(xlabel="MPDUs a PPDU, mean", ylim=(-0.8, max(2.2, len(means))))
        return True
    ax.set(xlabel="MPDUs a PPDU", ylabel="Share of PPDUs, cumulative", ylim=(0, 1.02))
    if rows:
        ax.legend(loc="best")
    return bool(rows)


def _runs_panel(document: Document, ax: Axes) -> bool:
    rows = _histograms(document, ax, "back_to_back")
    ax.set(xlabel="PPDUs in a row, nobody else's between", ylabel="Share of runs, cumulative", ylim=(0, 1.02))
    if rows:
        ax.set_xlim(0.5, max(2.5, min(20.5, max(len(s["back_to_back"]) for s in rows) - 0.5)))
        ax.legend(loc="lower right")
    return bool(rows)


def _airtime_panel(document: Document, ax: Axes) -> bool:
    report = document["report"]
    rows = [s for s in report["stations"] if s.get("airtime_us", {}).get("values")][:CURVES]
    colours = _colours(document)
    for s in rows:
        steps = s["airtime_us"]
        t, v = _steps(steps, 1e-4 / steps["step_s"])
        ax.plot(t, v, color=colours[s["name"]], label=f"{s['name']} ({100 * s['airtime_fraction']:.0f} %)")
    ax.set(xlabel="Time (s)", ylabel="Airtime (% of the time)", ylim=(0, None))
    if rows:
        ax.legend(loc="best")
    return bool(rows)


def _rates_panel(document: Document, ax: Axes) -> bool:
    report = document["report"]
    total: dict[str, list[float]] = {}
    for link in report["links"]:
        for r in link["rates"]:
            row = total.setdefault(r["rate"], [r["mbit"], 0.0, 0.0])
            row[1] += r["mpdus"]
            row[2] += r["mpdus"] * (r["loss_rate"] or 0.0)
    rows = sorted(total.items(), key=lambda kv: -kv[1][1])[:10]
    rows.sort(key=lambda kv: kv[1][0])
    every = sum(v[1] for v in total.values()) or 1
    names = [k.replace(", ", "\n", 1) for k, _ in rows]
    good = [100 * (v[1] - v[2]) / every for _, v in rows]
    lost = [100 * v[2] / every for _, v in rows]
    ax.barh(names, good, color=BLUE, label="acknowledged", height=0.62)
    ax.barh(names, lost, left=good, color=RED, label="not acknowledged", height=0.62)
    ax.set(xlabel="MPDUs (% of all)")
    ax.set_ylim(-0.8, max(2.2, len(rows) + 0.4))
    ax.grid(False, axis="y")
    if rows:
        ax.legend(loc="upper right", ncols=2)
    return bool(rows)


def _goodput_panel(document: Document, ax: Axes) -> bool:
    report = document["report"]
    rows = [f for f in report["flows"] if any(f["delivered_bytes"]["values"])][:CURVES]
    for f, look in zip(rows, _looks(document, rows), strict=True):
        steps = f["delivered_bytes"]
        t, v = _steps(steps, 8e-6 / steps["step_s"])
        ax.plot(t, v, **look, label=f"{route(document, f)} ({f['goodput_mbit']:.1f})", linewidth=1.0)
    ax.set(xlabel="Time (s)", ylabel="Goodput (Mbit/s)", ylim=(0, None))
    if rows:
        ax.set_ylim(0, ax.get_ylim()[1] * (1.05 + 0.07 * len(rows)))
        ax.legend(loc="best", fontsize=6.5)
    return bool(rows)


def _rtt_panel(document: Document, ax: Axes) -> bool:
    report = document["report"]
    rows = [f for f in report["flows"] if f["rtt_ms"] and f["rtt_ms"]["n"] >= 10][: CURVES - 1]
    for f, look in zip(rows, _looks(document, rows), strict=True):
        q = f["rtt_ms"]["quantiles"]
        ax.plot(q, np.linspace(0, 1, len(q)), **look, label=f"TCP {route(document, f)}")
    pings = [p for p in report["pings"] if p["rtt_ms"]][:CURVES]
    senders = [who(document, p["src"]) for p in pings]
    # Of one, black: its colour is a flow's, where flows of one station have colours of their own.
    colours = node_colours(senders) if len(pings) > 1 else dict.fromkeys(senders, "black")
    for p, name in zip(pings, senders, strict=True):
        q = p["rtt_ms"]["quantiles"]
        at = np.linspace(0, 1, len(q))
        ax.plot(q, at, color=colours[name], linewidth=0.9, marker=".", markersize=4, label=f"ping {name}")
    ax.set(xlabel="Round trip (ms)", ylabel="Share, cumulative", ylim=(0, 1.02))
    ax.set_xlim(left=0)
    if rows or pings:
        ax.legend(loc="lower right", fontsize=6.5)
    return bool(rows or pings)


def _steps(steps: Mapping[str, Any], unit: float) -> tuple[Any, Any]:
    """Middles of the steps (s) and values; the first and last step, which the window may cut, left out where others remain."""
    v = np.array(steps["values"], dtype=np.float64) * unit
    t = steps["begin_s"] + (np.arange(v.size) + 0.5) * steps["step_s"]
    return (t[1:-1], v[1:-1]) if v.size > 4 else (t, v)


PANELS = {
    "Aggregates": _ampdu_panel,
    "Back to back": _runs_panel,
    "Airtime": _airtime_panel,
    "Rates": _rates_panel,
    "Goodput": _goodput_panel,
    "Round trips": _rtt_panel,
}
