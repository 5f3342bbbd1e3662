"""What an analysis found, as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..report import number
from .analyze import ampdu_of, back_to_back_of, route
from .analyze_flent import Document
from .analyze_rows import first, rates, total

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
    # A Flent file knows of few of them: a column without a figure says nothing.
    told = [i for i, _ in enumerate(columns) if any(r[i] not in ("", "–") for r in rows)]
    for i in told:
        table.add_column(columns[i], justify="left" if i < left else "right")
    for r in rows:
        table.add_row(*(r[i] for i in told))
    return table


def _stations(document: Document) -> list[list[str]]:
    shown, others = first(document["report"]["stations"])
    rows = [
        [
            s["name"], _count(s.get("ppdus")), number(a["mean"]), number(a["p50"]), number(a["p90"]),
            _percent(a["single_fraction"]), number(back_to_back_of(s)), _percent(s.get("retry_rate")),
            _percent(s.get("loss_rate")), _percent(s.get("airtime_fraction")),
        ]
        for s in shown
        for a in [ampdu_of(s)]
    ]  # fmt: skip
    if others:
        ppdus, airtime = total(others, "ppdus"), total(others, "airtime_fraction")
        rows.append([_more(others), _count(ppdus), *[""] * 7, _percent(airtime)])
    return rows


def _links(document: Document) -> list[list[str]]:
    return [
        [
            r["link"], r["rate"], "" if r["n"] > 1 else number(r["mbit"]), _count(r["ppdus"]), _count(r["mpdus"]),
            _percent(r["loss_rate"]), number(r["airtime_s"]),
        ]
        for r in rates(document["report"]["links"])
    ]  # fmt: skip


def _flows(document: Document) -> list[list[str]]:
    """Flows; of those that there is no room for, what each protocol's add up to."""
    shown, others = first(document["report"]["flows"])
    rows = [
        [
            f["protocol"], route(document, f), f["station"] or "–",
            number(f["goodput_mbit"]), _three(f["rtt_ms"]), _three(f["ack_ms"]),
            "–" if f["retransmissions"] is None or f["protocol"] != "tcp" else _count(f["retransmissions"]),
        ]
        for f in shown
    ]  # fmt: skip
    for protocol in dict.fromkeys(f["protocol"] for f in others):
        of = [f for f in others if f["protocol"] == protocol]
        again = _count(total(of, "retransmissions")) if protocol == "tcp" else ""
        rows.append([protocol, _more(of), "", number(total(of, "goodput_mbit")), "", "", again])
    return rows


def _traces(document: Document) -> list[list[str]]:
    shown, others = first(document.get("link_traces", []))
    rows = [
        [
            t["name"], _count(t["packets"]), number(t["mean_bytes"]), number(t["mbit"]), number(t["longest_pause_ms"]),
            _count(t["opportunities"]), number(t["period_ms"] / 1e3),
        ]
        for t in shown
    ]  # fmt: skip
    if others:
        rows.append([_more(others), _count(total(others, "packets")), "", number(total(others, "mbit")), "", "", ""])
    return rows


def _pings(document: Document) -> list[list[str]]:
    shown, others = first(document["report"]["pings"])
    rows = [[route(document, p), _three(p["rtt_ms"]), _three(p.get("idle_ms"))] for p in shown]
    return [*rows, [_more(others), "", ""]] if others else rows


def tables(document: Document) -> list[Table | None]:
    """For people: as many rows as can be read, and what the others add up to."""
    return [
        _table(
            "Transmitters",
            ["", "PPDUs", "MPDUs mean", "p50", "p90", "single", "in a row", "retries", "lost", "airtime"],
            _stations(document),
        ),
        _table("Rates", ["link", "rate", "Mbit/s", "PPDUs", "MPDUs", "lost", "airtime s"], _links(document), 2),
        _table(
            "Flows",
            ["", "flow", "sent by", "goodput Mbit/s", "RTT ms p10/p50/p90", "to its ACK ms", "retransmitted"],
            _flows(document),
            3,
        ),
        _table(
            "Pings, as seen on the air" if document["file"] is None or document["report"]["frames"] else "Pings",
            ["", "ms p10/p50/p90", "before the flows"],
            _pings(document),
        ),
        _table(
            "Traces of links",
            ["", "packets", "mean bytes", "Mbit/s", "longest pause ms", "opportunities", "of s"],
            _traces(document),
        ),
    ]


def _more(others: Sequence[object]) -> str:
    return f"and {len(others)} more"


def _count(n: float | None) -> str:
    return "–" if n is None else f"{n:,}"
