"""A capture's links as traces for emulators (mahimahi's ``mm-link`` and what reads its files), for other transports.

A line is an opportunity to deliver 1504 octets (an IP packet of 1500 and the header of a TUN device) at that millisecond; behind
the last one a reader begins anew. src: mahimahi src/frontend/link_queue.cc (``PACKET_SIZE``, ``rationalize``), man/mm-link.1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core, files
from ..errors import UserError
from .analyze_flent import Document

#: Octets of an opportunity, and of them a TUN device's header.
OPPORTUNITY = 1504
TUN = 4


@dataclass(frozen=True)
class Trace:
    """One link. ``end_ms``: its opportunities, ms from the window's begin. ``pause_ms``: the longest time without a packet."""

    name: str
    end_ms: Sequence[int]
    packets: int
    mbit: float
    mean_bytes: float
    pause_ms: float

    def text(self) -> str:
        """The file."""
        return "".join(f"{ms}\n" for ms in self.end_ms)


def of_packets(name: str, packets: Any, begin: int, end: int) -> Trace | None:
    """The trace of what a link handed up from ``begin`` to ``end`` (ns). ``packets``: n x 2, ns and bytes, in order.

    An opportunity comes when the last of its octets did, in whole milliseconds, never before. None: there is not one, or
    all of them are at 0, which readers refuse.
    """
    rows = np.asarray(packets, dtype=np.int64).reshape(-1, 2)
    at, size = rows[(rows[:, 0] >= begin) & (rows[:, 0] < end)].T
    whole = np.cumsum(size + TUN) // OPPORTUNITY
    ms = np.repeat(-((begin - at) // 1_000_000), np.diff(whole, prepend=0))
    if not len(ms) or ms[-1] == 0:
        return None
    pause = np.diff(np.concatenate(([begin], at, [end]))).max() / 1e6
    return Trace(name, ms.tolist(), len(at), float(size.sum() * 8e3 / (end - begin)), float(size.mean()), float(pause))


def of_capture(document: Document) -> list[Trace]:
    """Of every link of an analysed capture, within the seconds that the analysis counted: ``sta1.down`` is from its access point,
    ``sta1.up`` to it. Raises UserError, CaptureError."""
    report = document["report"]
    window = report["window_s"] or report["span_s"]
    if not report.get("frames") or window is None:
        raise UserError(
            f"{document['path']}: --link-traces goes with captures (pcap, pcapng) that hold frames with times"
        )
    if "media" in document:
        hops = sorted({m["interface"] for m in document["media"] if m["hops"]})
        why = (
            f"interface {hops[0]} hops over channels, and a trace would pause where nobody listened"
            if len({m["interface"] for m in document["media"]}) == 1
            else "frames of several interfaces are in it; --interface N takes one's"
        )
        raise UserError(f"{document['path']}: --link-traces goes with captures of one medium: {why}")
    interface = document["medium"]["interface"] if "medium" in document else None
    begin, end = (round(s * 1e9) for s in window)
    traces = []
    names: set[str] = set()
    for source, to, down, packets in _core.deliveries(document["path"], interface):
        station, ap = (to, source) if down else (source, to)
        suffix = "down" if down else "up"
        name = f"{station}.{suffix}".replace(":", "-")
        if name in names:  # it was with two access points
            name = f"{station}-{ap}.{suffix}".replace(":", "-")
        trace = of_packets(name, packets, begin, end)
        if trace is not None:
            names.add(name)
            traces.append(trace)
    if not traces:
        raise UserError(f"{document['path']}: no link carried {OPPORTUNITY} octets in the seconds that are counted")
    return sorted(traces, key=lambda t: t.name)


def save(document: Document, folder: Path) -> list[Path]:
    """Writes a file a link, and what they are into the document (``link_traces``). Raises UserError, CaptureError."""
    files.no_file(folder)
    traces = of_capture(document)
    document["link_traces"] = [
        {
            "name": t.name,
            "packets": t.packets,
            "mean_bytes": t.mean_bytes,
            "mbit": t.mbit,
            "longest_pause_ms": t.pause_ms,
            "opportunities": len(t.end_ms),
            "period_ms": t.end_ms[-1],
        }
        for t in traces
    ]
    return [files.write_text(folder / t.name, t.text()) for t in traces]
