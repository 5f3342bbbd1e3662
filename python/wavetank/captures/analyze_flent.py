"""A Flent data file (versions 3 and 4) as an ``analyze`` document: goodput, pings, and what Flent recorded of the radio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import stats
from ..stats import FloatArray
from . import flent_file
from .flent_file import FlentFile, FlentFlow, FlentPing, FlentRadio

Document = dict[str, Any]


def load(path: Path, whole: bool = False) -> Document:
    """Reads a file: of ours what lies in the run's judging window, of others in the flows' time; ``whole``: all of it. Beside
    that each ping's round trips before the flows.

    Raises UserError.
    """
    file = flent_file.read(path)
    if whole:
        file = replace(file, judged=None, span=(float(file.x[0]), float(file.x[-1])) if file.x.size else file.span)
    info = {
        "format": f"flent {file.version}", "bytes": file.size, "packets": None, "unreadable": 0, "other_links": 0, "snapped": 0,
        "comment": file.note, "damage": None,
    }  # fmt: skip
    return {
        "file": info, "origin": None, "report": _Report(file).report(), "test": file.test, "title": file.title,
        "judged_s": list(file.judged) if file.judged else None, "whole": whole,
    }  # fmt: skip


def _spread(values: Sequence[float] | FloatArray) -> dict[str, Any] | None:
    a = stats.finite(values)
    if a.size == 0:
        return None
    q = np.percentile(a, np.arange(51) * 2.0)
    return {
        "p10": float(q[5]), "p50": float(q[25]), "p90": float(q[45]), "mean": float(a.mean()), "n": int(a.size),
        "quantiles": q.tolist(),
    }  # fmt: skip


class _Report:
    """What is collected from the series."""

    def __init__(self, file: FlentFile) -> None:
        self.x, self.step = file.x, file.step
        #: What is counted: of ours the run's judging window, of others the flows' time.
        self.window = file.judged or file.span
        #: Samples that count, of flows and radios.
        self.counted = file.counted(self.window)
        self.flows: list[dict[str, Any]] = []
        self.pings: list[dict[str, Any]] = []
        self.stations: dict[str, dict[str, Any]] = {}
        for flow in file.flows:
            self.flow(flow)
        for ping in file.pings:
            name = ping.name.removeprefix("Ping (ms)").strip(" :") or ping.name
            self.pings.append(
                {
                    "protocol": "icmp",
                    "src": name,
                    "dst": "",
                    "station": None,
                    "rtt_ms": _spread(self.echoes(ping)),
                    "idle_ms": _spread(self.echoes(ping, (-math.inf, file.span[0] - self.step))),
                }
            )
        for radio in file.radios:
            self.radio(file, radio)

    def within(self, t: FloatArray, window: tuple[float, float] | None = None) -> NDArray[np.bool_]:
        """Which times lie in the window."""
        first, last = window or self.window
        return (t >= first - 1e-9) & (t <= last + 1e-9)

    def echoes(self, ping: FlentPing, window: tuple[float, float] | None = None) -> FloatArray:
        """A ping's values in the window, as the tool gave them if it said when."""
        t, ms = (self.x, ping.values) if ping.raw_t is None or ping.raw_ms is None else (ping.raw_t, ping.raw_ms)
        return ms[self.within(t, window)]

    def steps(self, values: FloatArray, unit: float = 1.0) -> dict[str, Any]:
        """A series by step; 0 where nothing was measured. The first sample is of the step before it."""
        known = [0.0 if math.isnan(v) else v * unit for v in values.tolist()]
        return {"begin_s": float(self.x[0]) - self.step if self.x.size else 0.0, "step_s": self.step, "values": known}

    def flow(self, flow: FlentFlow) -> None:
        """A flow's goodput in Mbit/s, and its round trips where the sockets were asked."""
        a = stats.finite(flow.values[self.counted])
        delivered = self.steps(flow.values, 1e6 / 8 * self.step)
        rtt = flow.of_socket.get("rtt")
        self.flows.append({
            "protocol": flow.kind, "src": flow.name, "dst": "", "station": None, "by_acks": False, "ack_ms": None,
            "goodput_mbit": float(a.mean()) if a.size else 0.0, "bytes": round(float(a.sum()) * 1e6 / 8 * self.step),
            "retransmissions": None, "packets": None, "delivered_bytes": delivered,
            "rtt_ms": None if rtt is None else _spread(rtt[self.within(self.x)]),
        })  # fmt: skip

    def radio(self, file: FlentFile, radio: FlentRadio) -> None:
        """A station's airtime a step (us) and mean aggregate."""
        s = self.stations.setdefault(radio.station, {"name": radio.station, "mac": ""})
        share = file.share(radio.airtime_tx, self.counted)
        if share is not None:
            s["airtime_s"] = float(stats.finite(radio.airtime_tx[self.counted]).sum()) / 1e6
        s["airtime_fraction"] = share
        s["airtime_us"] = self.steps(radio.airtime_tx)
        a = stats.finite(radio.ampdu[self.counted])
        if a.size:
            s["ampdu_mean"] = float(a.mean())

    def report(self) -> dict[str, Any]:
        """In the form of a capture's."""
        return {
            "span_s": [float(self.x[0]), float(self.x[-1])] if self.x.size else None,
            "window_s": list(self.window),
            "frames": None,
            "links": [],
            "flows": self.flows,
            "pings": self.pings,
            "busy_fraction": sum(s["airtime_fraction"] or 0.0 for s in self.stations.values()) or None,
            "stations": sorted(self.stations.values(), key=lambda s: -s.get("airtime_s", 0.0)),
        }
