"""Captures and Flent files, explained: aggregates, retries, losses, rates, airtime, goodput, round trips.

A document is what ``_core.analyze`` says of a capture, or ``_core.run_watched`` of a run's air: ``file`` (what was read, and
where it ended if it is damaged), ``origin`` (ours: scenario, seed, names), ``report``. A Flent file gives a document of the same
form, with what Flent measures: goodput, pings, and airtime and mean aggregates where it recorded the radio's statistics.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, stats
from ..errors import UserError
from ..plots.style import BLUE, PALETTE, PAPER, RED, STYLE
from ..report import number
from . import analyze_flent
from .analyze_flent import EXPECTED, Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table

#: The first bytes of what can be analysed.
MAGICS = {
    b"\x0a\x0d\x0d\x0a": "pcapng",
    b"\xd4\xc3\xb2\xa1": "pcap",
    b"\xa1\xb2\xc3\xd4": "pcap",
    b"\x4d\x3c\xb2\xa1": "pcap",
    b"\xa1\xb2\x3c\x4d": "pcap",
}


def load(path: Path, window: tuple[float, float] | None = None, whole: bool = False) -> Document:
    """Analyses a file. ``window``: seconds of the capture's own clock; ``whole``: all of ours, not the judging window.

    Raises UserError.
    """
    start = time.perf_counter()
    try:
        with path.open("rb") as f:
            head = f.read(4)
        if not head:
            raise UserError(f"{path}: is empty, expected {EXPECTED}")
        if head in MAGICS:
            document: Document = json.loads(_core.analyze(str(path), window, whole))
        elif head[:2] == b"\x1f\x8b" or head[:1] == b"{":
            if window is not None:
                raise UserError(f"{path}: is a Flent file; --window goes with captures")
            document = analyze_flent.load(path)
        else:
            raise UserError(f"{path}: is neither, expected {EXPECTED}")
    except _core.CaptureError as e:
        raise UserError(str(e)) from None
    except OSError as e:
        raise UserError(f"{path}: cannot be read ({e.strerror}), expected {EXPECTED}") from None
    document["path"] = str(path)
    document["wall_s"] = time.perf_counter() - start
    return document


def ampdu_of(station: Mapping[str, Any]) -> dict[str, Any]:
    """Mean, p50, p90 and share of single frames of a transmitter's or link's PPDUs; what is not known is None."""
    if "ampdu_hist" in station:
        return dict(stats.ampdu(np.array(station["ampdu_hist"] or [0.0], dtype=np.float64)))
    return {"mean": station.get("ampdu_mean"), "p50": None, "p90": None, "single_fraction": None}


def back_to_back_of(station: Mapping[str, Any]) -> float | None:
    """Mean PPDUs in a row with nobody else's between."""
    runs = station.get("back_to_back", [])
    n = sum(runs)
    return sum(k * c for k, c in enumerate(runs)) / n if n else None


def remarks(document: Document) -> list[str]:
    """What a reader must know before trusting the numbers."""
    info, report, out = document["file"], document["report"], []
    frames = report.get("frames")
    if info and info["damage"]:
        out.append(f"damaged: {info['damage']}; what stood before it was read ({info['packets']} packets)")
    if info and info["unreadable"]:
        out.append(f"{info['unreadable']} packets are no 802.11 frames behind radiotap headers and were passed over")
    if frames:
        if frames["all"] == 0:
            out.append("no frames in the window")
        if frames["encrypted"] and not frames["ip"]:
            out.append(
                f"all {frames['encrypted']} data frames are encrypted: no TCP can be seen in them (Wireshark decrypts with the "
                "key; `tshark -o wlan.enable_decryption:TRUE`)"
            )
        elif frames["encrypted"]:
            out.append(
                f"{frames['encrypted']} of {frames['data']} data frames are encrypted: no TCP can be seen in these"
            )
        if frames["data"] and not frames["ampdu_status"]:
            out.append("no frame has an A-MPDU status: aggregates are guessed from time stamps, or there are none")
        if frames["data"] and not frames["responses"]:
            out.append(
                "no ACK or Block Ack is in it: what was lost cannot be told, and airtime assumes that each PPDU was answered"
            )
        if frames["without_rate"]:
            out.append(f"{frames['without_rate']} frames have no rate that is known here: their airtime is missing")
    if report.get("packets_of_flows_beyond"):
        out.append(f"{report['packets_of_flows_beyond']} packets belong to more flows than are kept")
    return out


def json_of(document: Document) -> dict[str, Any]:
    """What ``--json`` prints: the document, and the figures that are made of it."""
    report = dict(document["report"])
    for key in ("stations", "links"):
        report[key] = [
            {**s, "ampdu": ampdu_of(s), "mean_back_to_back": back_to_back_of(s) if key == "stations" else None}
            for s in report[key]
        ]
    return {**document, "report": report, "remarks": remarks(document)}


def who(document: Document, end: str) -> str:
    """A flow's end (address, address:port) with its node's name, if the capture is one of ours."""
    nodes: list[str] = (document["origin"] or {}).get("nodes", [])
    address, colon, port = end.partition(":")
    parts = address.split(".")
    if nodes and len(parts) == 4 and parts[:2] == ["10", "0"]:
        number = int(parts[2]) * 256 + int(parts[3]) - 1
        if number < len(nodes):
            return nodes[number] + colon + port
    return end


def route(document: Document, flow: Mapping[str, Any]) -> str:
    """From where to where a flow goes."""
    return who(document, flow["src"]) + (f" → {who(document, flow['dst'])}" if flow["dst"] else "")


def _percent(x: float | None) -> str:
    return "–" if x is None else f"{100 * x:.1f} %"


def _three(q: Mapping[str, float] | None) -> str:
    return "–" if not q else " / ".join(number(q[k]) for k in ("p10", "p50", "p90"))


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Table | None:
    from rich.table import Table

    if not rows:
        return None
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", pad_edge=False)
    for i, c in enumerate(columns):
        table.add_column(c, justify="left" if i < left else "right")
    for r in rows:
        table.add_row(*r)
    return table


#: Rows of a table for people; `--json` has all.
ROWS = 24


def tables(document: Document) -> list[Table | None]:
    """For people."""
    report = document["report"]
    stations = [
        [
            s["name"], _count(s.get("ppdus")), number(a["mean"]), number(a["p50"]), number(a["p90"]),
            _percent(a["single_fraction"]), number(back_to_back_of(s)), _percent(s.get("retry_rate")),
            _percent(s.get("loss_rate")), _percent(s.get("airtime_fraction")),
        ]
        for s in report["stations"][:ROWS]
        for a in [ampdu_of(s)]
    ]  # fmt: skip
    links = [
        [
            f"{link['from']} → {link['to']}", r["rate"], number(r["mbit"]), _count(r["ppdus"]), _count(r["mpdus"]),
            _percent(r["loss_rate"]), number(r["airtime_s"]),
        ]
        for link in report["links"]
        for r in sorted(link["rates"], key=lambda r: -r["airtime_s"])[:4]
    ][:ROWS]  # fmt: skip
    flows = [
        [
            f["protocol"], route(document, f), f["station"] or "–",
            number(f["goodput_mbit"]), _three(f["rtt_ms"]), _three(f["ack_ms"]),
            "–" if f["retransmissions"] is None or f["protocol"] != "tcp" else _count(f["retransmissions"]),
        ]
        for f in report["flows"][:ROWS]
    ]  # fmt: skip
    pings = [[route(document, p), _three(p["rtt_ms"])] for p in report["pings"][:ROWS]]
    return [
        _table(
            "Transmitters",
            ["", "PPDUs", "MPDUs mean", "p50", "p90", "single", "in a row", "retries", "lost", "airtime"],
            stations,
        ),
        _table("Rates", ["link", "rate", "Mbit/s", "PPDUs", "MPDUs", "lost", "airtime s"], links, 2),
        _table(
            "Flows",
            ["", "flow", "sent by", "goodput Mbit/s", "RTT ms p10/p50/p90", "to its ACK ms", "retransmitted"],
            flows,
            3,
        ),
        _table(
            "Pings, as seen on the air" if document["file"] is None or report["frames"] else "Pings",
            ["", "ms p10/p50/p90"],
            pings,
        ),
    ]


def _count(n: float | None) -> str:
    return "–" if n is None else f"{n:,}"


def heading(document: Document) -> str:
    """One line on what was read."""
    info, report, origin = document["file"], document["report"], document["origin"]
    parts = [document.get("path", "")]
    if origin:
        parts.append(f"wavetank {origin['wavetank']}: {origin['scenario']}, seed {origin['seed']}, {origin['view']}")
    if document.get("title"):
        parts.append(f"{document['test']}: {document['title']}")
    frames = report.get("frames")
    if frames:
        parts.append(
            f"{frames['all']:,} frames in {report['window_s'][1] - report['window_s'][0]:.3f} s"
            if report["window_s"]
            else "no frames"
        )
    if info and "wall_s" in document:
        speed = info["bytes"] / 1e6 / document["wall_s"] if document.get("wall_s") else 0
        parts.append(
            f"{info['format']}, {info['bytes'] / 1e6:.1f} MB" + (f" at {speed:.0f} MB/s" if info["bytes"] > 1e7 else "")
        )
    return "; ".join(p for p in parts if p)


def save(document: Document, folder: Path) -> list[Path]:
    """Writes the figure and the numbers, named after the file."""
    from .. import files

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

    from .. import files

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


def _histograms(document: Document, ax: Axes, key: str) -> list[Any]:
    """Each station's counts of ``key`` as a cumulative share; gives the stations that have any."""
    rows = [s for s in document["report"]["stations"] if sum(s.get(key, []))][:CURVES]
    for s, colour in zip(rows, PALETTE, strict=False):
        h = np.array(s[key], dtype=np.float64)
        _cdf(ax, np.arange(h.size), np.cumsum(h) / h.sum(), s["name"], colour)
    return rows


def _ampdu_panel(document: Document, ax: Axes) -> bool:
    rows = _histograms(document, ax, "ampdu_hist")
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
    for s, colour in zip(rows, PALETTE, strict=False):
        steps = s["airtime_us"]
        t, v = _steps(steps, 1e-4 / steps["step_s"])
        ax.plot(t, v, color=colour, label=f"{s['name']} ({100 * s['airtime_fraction']:.0f} %)")
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
    for f, colour in zip(rows, PALETTE, strict=False):
        steps = f["delivered_bytes"]
        t, v = _steps(steps, 8e-6 / steps["step_s"])
        ax.plot(t, v, color=colour, label=f"{route(document, f)} ({f['goodput_mbit']:.1f})", linewidth=1.0)
    ax.set(xlabel="Time (s)", ylabel="Goodput (Mbit/s)", ylim=(0, None))
    if rows:
        ax.set_ylim(0, ax.get_ylim()[1] * (1.05 + 0.07 * len(rows)))
        ax.legend(loc="best", fontsize=6.5)
    return bool(rows)


def _rtt_panel(document: Document, ax: Axes) -> bool:
    report = document["report"]
    rows = [f for f in report["flows"] if f["rtt_ms"] and f["rtt_ms"]["n"] >= 10][: CURVES - 1]
    for f, colour in zip(rows, PALETTE, strict=False):
        q = f["rtt_ms"]["quantiles"]
        ax.plot(q, np.linspace(0, 1, len(q)), color=colour, label=f"TCP {who(document, f['src'])}")
    pings = [p for p in report["pings"] if p["rtt_ms"]][:1]
    for p in pings:
        q = p["rtt_ms"]["quantiles"]
        ax.plot(q, np.linspace(0, 1, len(q)), color="black", linestyle="--", label=f"ping {who(document, p['src'])}")
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
