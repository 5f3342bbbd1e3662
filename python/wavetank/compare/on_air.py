"""The figures of a run's air, as ``run --analyze`` counts it: by the same code for every water."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..captures.analyze import ampdu_of, back_to_back_of
from .figures import Figures


def on_air(analysis: Mapping[str, Any]) -> Figures:
    """What is compared of an ``analyze`` document: of each transmitter, and of each station's TCP and pings.

    Shares are of the transmitter's own PPDUs or MPDUs; round trips are seen at the radio, from a segment to the ACK that has its
    time stamp (docs/captures.md).
    """
    report = analysis["report"]
    begin, end = report["window_s"] or (0.0, 0.0)
    seconds = end - begin
    out: dict[tuple[str, str], float | None] = {}
    for s in report["stations"]:
        name, ppdus = s["name"], s["ppdus"]
        out[f"{name} PPDUs on the air", "1/s"] = ppdus / seconds if seconds else None
        out[f"{name} single MPDUs on the air", "share"] = ampdu_of(s)["single_fraction"]
        out[f"{name} PPDUs in a row", ""] = back_to_back_of(s)
        out[f"{name} retries on the air", "share"] = s["retry_rate"]
        out[f"{name} PPDUs unanswered", "share"] = s["unanswered"] / ppdus if ppdus else None
        out[f"{name} PPDUs collided", "share"] = s["collided"] / ppdus if ppdus else None
    for what, rows in (("TCP", [f for f in report["flows"] if f["protocol"] == "tcp"]), ("ping", report["pings"])):
        for station in sorted({f["station"] for f in rows if f["station"]}):
            trips = (f["rtt_ms"] for f in rows if f["station"] == station)
            out[f"{station} {what} round trip on the air", "ms"] = _middle(trips)
    return out


def _middle(trips: Iterable[Mapping[str, float] | None]) -> float | None:
    """The mean of medians: a station's flows share one queue."""
    medians = [t["p50"] for t in trips if t]
    return sum(medians) / len(medians) if medians else None
