"""What an analysis found, as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..report import number
from .analyze import ampdu_of, back_to_back_of, route
from .analyze_flent import Document

if TYPE_CHECKING:
    from rich.table import Table


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
    traces = [
        [
            t["name"], _count(t["packets"]), number(t["mean_bytes"]), number(t["mbit"]), number(t["longest_pause_ms"]),
            _count(t["opportunities"]), number(t["period_ms"] / 1e3),
        ]
        for t in document.get("link_traces", [])[:ROWS]
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
        _table(
            "Traces of links",
            ["", "packets", "mean bytes", "Mbit/s", "longest pause ms", "opportunities", "of s"],
            traces,
        ),
    ]


def _count(n: float | None) -> str:
    return "–" if n is None else f"{n:,}"
