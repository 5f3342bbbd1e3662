"""A Flent data file (versions 3 and 4) as an ``analyze`` document: goodput, pings, and what Flent recorded of the radio."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import stats
from ..errors import UserError

Document = dict[str, Any]
EXPECTED = "a capture in monitor mode (pcap, pcapng; link type radiotap) or a Flent file (.flent.gz)"


def load(path: Path) -> Document:
    """Reads a file. Raises UserError."""
    try:
        raw = path.read_bytes()
        data = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    except (OSError, EOFError, ValueError) as e:
        raise UserError(f"{path}: cannot be read as a Flent file ({e}), expected {EXPECTED}") from None
    if not isinstance(data, dict) or not isinstance(data.get("results"), dict) or "x_values" not in data:
        raise UserError(f"{path}: has no results and x_values, expected {EXPECTED}")
    meta = data.get("metadata", {})
    info = {
        "format": f"flent {data.get('version', '?')}", "bytes": len(raw), "packets": None, "unreadable": 0, "snapped": 0,
        "comment": meta.get("NOTE"), "damage": None,
    }  # fmt: skip
    try:
        report = _Report(data).report()
    except (TypeError, ValueError, KeyError, AttributeError) as e:
        raise UserError(f"{path}: its series are not what Flent writes ({e}), expected {EXPECTED}") from None
    return {"file": info, "origin": None, "report": report, "test": meta.get("NAME"), "title": meta.get("TITLE")}


def _spread(values: Sequence[float]) -> dict[str, Any] | None:
    a = stats.finite(values)
    if a.size == 0:
        return None
    q = np.percentile(a, np.arange(51) * 2.0)
    return {
        "p10": float(q[5]), "p50": float(q[25]), "p90": float(q[45]), "mean": float(a.mean()), "n": int(a.size),
        "quantiles": q.tolist(),
    }  # fmt: skip


class _Report:
    """What is collected from the series, each put where its name says."""

    def __init__(self, data: Document) -> None:
        meta = data.get("metadata", {})
        self.x = [float(v) for v in data["x_values"]]
        self.step = float(np.median(np.diff(self.x))) if len(self.x) > 1 else 1.0
        start = float(meta.get("DELAY", 0) or 0)
        self.span = (start, start + float(meta.get("LENGTH", 0) or (self.x[-1] if self.x else 0)))
        self.inside = [self.span[0] <= t <= self.span[1] for t in self.x]
        self.raw = data.get("raw_values", {})
        self.flows: list[dict[str, Any]] = []
        self.pings: list[dict[str, Any]] = []
        self.stations: dict[str, dict[str, Any]] = {}
        self.rtts: dict[str, list[float]] = {}
        for name, series in sorted(data["results"].items(), key=lambda kv: _natural(kv[0])):
            if not _computed(name):
                self.take(
                    name, [math.nan if v is None else float(v) for v in series if not isinstance(v, (list, dict))]
                )

    def judged(self, values: Sequence[float]) -> list[float]:
        """What lies within the flows' time."""
        return [v for v, ok in zip(values, self.inside, strict=False) if ok]

    def steps(self, values: Sequence[float], unit: float = 1.0) -> dict[str, Any]:
        """A series by step; 0 where nothing was measured."""
        known = [0.0 if math.isnan(v) else v * unit for v in values]
        return {"begin_s": self.x[0] if self.x else 0.0, "step_s": self.step, "values": known}

    def take(self, name: str, values: list[float]) -> None:
        """One series."""
        flow, of_socket, what = name.partition("::tcp_")
        if of_socket:
            if what == "rtt":
                self.rtts[flow] = self.judged(values)
        elif name.startswith(("TCP", "UDP")):
            self.flow(name, values)
        elif name.startswith("Ping"):
            rows = self.raw.get(name)
            rtt = [float(r["val"]) for r in rows if r.get("val") is not None] if rows else self.judged(values)
            self.pings.append({"protocol": "icmp", "src": name, "dst": "", "station": None, "rtt_ms": _spread(rtt)})
        elif "::airtime_tx::" in name or "::avg_aggr_size::" in name:
            self.radio(name, values)

    def flow(self, name: str, values: list[float]) -> None:
        """A flow's goodput in Mbit/s."""
        a = stats.finite(self.judged(values))
        delivered = self.steps(values, 1e6 / 8 * self.step)
        self.flows.append({
            "protocol": name[:3].lower(), "src": name, "dst": "", "station": None, "by_acks": False, "ack_ms": None,
            "goodput_mbit": float(a.mean()) if a.size else 0.0, "bytes": round(sum(self.judged(delivered["values"]))),
            "retransmissions": None, "packets": None, "delivered_bytes": delivered,
        })  # fmt: skip

    def radio(self, name: str, values: list[float]) -> None:
        """A station's airtime a step (us) or mean aggregate."""
        who = name.rsplit("::", 1)[1]
        s = self.stations.setdefault(who, {"name": who, "mac": ""})
        a = stats.finite(self.judged(values))
        if "airtime" in name:
            s["airtime_s"] = float(a.sum()) / 1e6
            length = self.span[1] - self.span[0]
            s["airtime_fraction"] = s["airtime_s"] / length if length > 0 else 0.0
            s["airtime_us"] = self.steps(values)
        elif a.size:
            s["ampdu_mean"] = float(a.mean())

    def report(self) -> dict[str, Any]:
        """In the form of a capture's."""
        return {
            "span_s": [self.x[0], self.x[-1]] if self.x else None,
            "window_s": list(self.span),
            "frames": None,
            "links": [],
            "flows": [{**f, "rtt_ms": _spread(self.rtts.get(f["src"], []))} for f in self.flows],
            "pings": self.pings,
            "busy_fraction": sum(s.get("airtime_fraction", 0.0) for s in self.stations.values()) or None,
            "stations": sorted(self.stations.values(), key=lambda s: -s.get("airtime_s", 0.0)),
        }


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts names with numbers in them as people do."""
    return [(int(p), "") if p.isdigit() else (0, p) for p in re.split(r"(\d+)", name)]


def _computed(name: str) -> bool:
    """Whether a series is made of others."""
    return name.endswith((" avg", " sum", " totals", " fairness")) or "::airtime_fairness" in name or "_sum" in name
