"""Flent's data file, format version 4, so that a run opens in Flent as a real test does.

One upload is ``tcp_upload``, one download ``tcp_download``, several are ``tcp_nup`` and ``tcp_ndown``, marked flows both ways
``rrul``, UDP alone ``udp_flood``; the series have the names that Flent's own tests give them. A radio's airtime and mean
aggregate are ``wifi_stats_wavetank::airtime_tx::STATION`` and so on, as Flent's ``wifi_stats`` runner writes them. Where several
stations send echoes, each has a series besides the one of all, named as in Flent's ``rtt_fair``: ``Ping (ms) ICMP sta2``. The
metadata of a station's series have its name here, too (``WAVETANK_NAME``).

Differs: D1 the clock starts at 2000-01-01, so that the same run gives the same bytes. D2 a real file has one radio's view of
its peers; ours has every radio's own airtime sent and heard and its own mean aggregate, as one monitor's. D3 the one-way
delay of datagrams (Flent's ``VoIP::delay``) is missing: a run has quantiles of it, no samples.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from . import __version__, files
from .files import plain
from .measured import Flow, Measured
from .stats import FloatArray, jain

#: 2000-01-01T00:00:00Z: where the simulated clock starts.
EPOCH = 946684800.0
MARKS = {"CS0": "BE", "CS1": "BK", "CS5": "CS5", "EF": "EF"}
#: What Flent knows its files by.
ENDING = ".flent.gz"
#: Behind a mark a file's note begins so.
NOTE = "wavetank "
_NOTE = re.compile(r'"NOTE": ("(?:[^"\\]|\\.)*")')
#: Characters within which the note stands: what comes before it by the alphabet is short.
HEAD = 4096
PINGS = {"icmp": "ICMP", "udp": "UDP", "udp_be": "UDP BE", "udp_bk": "UDP BK", "udp_ef": "UDP EF"}


def test_name(result: Measured) -> str:
    """The Flent test that this run is like."""
    up, down = len(result.flows_of("up", "tcp")), len(result.flows_of("down", "tcp"))
    if up and down:
        return "rrul" if len({f.dscp for f in result.flows_of(kind="tcp")}) > 1 else "tcp_bidirectional"
    if up:
        return "tcp_upload" if up == 1 else "tcp_nup"
    if down:
        return "tcp_download" if down == 1 else "tcp_ndown"
    return "udp_flood" if result.flows else "ping"


def _stamp(t: float) -> str:
    return str(np.datetime_as_string(np.datetime64(round((EPOCH + t) * 1e6), "us"))) + "Z"


class _File:
    """What goes into the file: series on one grid of x values, raw values beside."""

    def __init__(self, x: FloatArray) -> None:
        self.x = x
        self.results: dict[str, list[float | None]] = {}
        self.raw: dict[str, list[dict[str, Any]]] = {}
        self.meta: dict[str, dict[str, Any]] = {}

    def on_grid(self, t: FloatArray, values: FloatArray) -> FloatArray:
        """Interpolates between samples and leaves out what lies outside of them."""
        good = np.isfinite(values)
        t, values = t[good], values[good]
        if t.size == 0:
            return np.full(self.x.size, np.nan)
        order = np.argsort(t, kind="stable")
        out = np.interp(self.x, t[order], values[order], left=np.nan, right=np.nan)
        gap = np.diff(self.x[:2])[0] if self.x.size > 1 else 1.0
        near = np.abs(t[order][np.clip(np.searchsorted(t[order], self.x), 0, t.size - 1)] - self.x)
        before = np.abs(t[order][np.clip(np.searchsorted(t[order], self.x) - 1, 0, t.size - 1)] - self.x)
        out[np.minimum(near, before) > 3 * gap] = np.nan
        return out

    def add(self, name: str, t: FloatArray, values: FloatArray, units: str, raw: bool = True, **more: Any) -> None:
        series = self.on_grid(t, values)
        self.results[name] = plain(np.round(series, 6))
        mean = float(np.nanmean(values)) if np.isfinite(values).any() else None
        self.meta[name] = {"UNITS": units, "MEAN_VALUE": mean, **more}
        if raw:
            pairs = zip(t.tolist(), values.tolist(), strict=True)
            self.raw[name] = [{"t": round(EPOCH + a, 6), "val": b} for a, b in pairs if np.isfinite(b)]

    def combine(self, name: str, of: list[str], how: str, units: str = "Mbits/s") -> None:
        """A computed series, as Flent's ``average`` and ``sum`` runners make it."""
        if not of:
            return
        a = np.array([[np.nan if v is None else v for v in self.results[n]] for n in of])
        empty = ~np.isfinite(a).any(axis=0)
        if how == "sum":
            out = np.nansum(a, axis=0)
        elif how == "fairness":
            out = np.array([jain(c[np.isfinite(c)].tolist()) or 1.0 if np.isfinite(c).any() else np.nan for c in a.T])
        else:
            out = np.array([c[np.isfinite(c)].mean() if np.isfinite(c).any() else np.nan for c in a.T])
        out[empty] = np.nan
        self.results[name] = plain(np.round(out, 6))
        self.meta[name] = {"UNITS": units}


def _series_name(test: str, flow: Flow, index: int) -> str:
    way = "upload" if flow.direction == "up" else "download"
    if flow.kind == "udp":
        return f"UDP {way}" + (f"::{index}" if index > 1 else "")
    if test == "rrul":
        return f"TCP {way} {MARKS.get(flow.dscp, flow.dscp)}"
    if test in ("tcp_nup", "tcp_ndown"):
        return f"TCP {way}::{index}"
    return f"TCP {way}"


def _flows(file: _File, result: Measured, test: str) -> None:
    count: dict[tuple[str, str], int] = {}
    names: dict[str, list[str]] = {"upload": [], "download": []}
    for f in result.flows:
        index = count[f.kind, f.direction] = count.get((f.kind, f.direction), 0) + 1
        name = _series_name(test, f, index)
        if name in file.results:  # several stations with the same marks
            name += f"::{index}"
        t, rate = f.goodput()
        file.add(name, t, rate, "Mbits/s", CONG_CONTROL=f.cc or None, WAVETANK_NAME=f.name)
        if f.kind == "tcp":
            names["upload" if f.direction == "up" else "download"].append(name)
    for way, of in names.items():
        if test in ("rrul", "tcp_nup", "tcp_ndown") and of:
            file.combine(f"TCP {way} avg", of, "average")
            file.combine(f"TCP {way} sum", of, "sum")
            if test != "rrul":
                file.combine(f"TCP {way} fairness", of, "fairness", "Idx")
    if test == "rrul":
        file.combine("TCP totals", names["upload"] + names["download"], "sum")


def _echoes(file: _File, name: str, t: FloatArray, rtt: FloatArray, **more: Any) -> None:
    order = np.argsort(t, kind="stable")
    file.add(name, t[order], rtt[order], "ms", **more)
    for i, value in enumerate(file.raw[name]):
        value["seq"] = i


def _pings(file: _File, result: Measured, test: str) -> None:
    names = []
    for kind in dict.fromkeys(p.kind for p in result.pings):
        names.append(f"Ping (ms) {PINGS.get(kind, kind)}")
        _echoes(file, names[-1], *result.ping(kind))
        of = [p for p in result.pings if p.kind == kind]
        for p in of if len(of) > 1 else ():
            _echoes(file, f"{names[-1]} sta{p.station + 1}", p.t, p.rtt_ms, WAVETANK_NAME=p.name)
    if test == "rrul":
        file.combine("Ping (ms) avg", names, "average", "ms")


#: The one host whose radio statistics the file holds: it sees every radio's own.
MONITOR = "wavetank"


def _wifi(file: _File, result: Measured) -> dict[str, str]:
    if not result.nodes:
        return {}
    key = f"wifi_stats_{MONITOR}"
    file.meta[key] = {"UNITS": "misc"}
    totals = []
    for name, node in result.nodes.items():
        s = node.series
        for k, units in (("airtime_tx", "us"), ("airtime_rx", "us"), ("avg_aggr_size", "packets")):
            values = s[k if units == "packets" else f"{k}_us"]
            file.add(f"{key}::{k}::{name}", s["t"], values, units, raw=False)
            rows = file.raw.setdefault(key, [{"t": round(EPOCH + x, 6), "stations": {}} for x in s["t"].tolist()])
            for row, v in zip(rows, values.tolist(), strict=True):
                if np.isfinite(v):
                    row["stations"].setdefault(name, {})[k] = v
        totals.append(f"{key}::airtime_total::{name}")
        file.combine(totals[-1], [f"{key}::airtime_tx::{name}", f"{key}::airtime_rx::{name}"], "sum", "us")
    file.combine(f"{key}::airtime_sum", totals, "sum", "us")
    file.combine(f"{key}::airtime_fairness", totals, "fairness", "us")
    return {
        "wifi_stats_hosts": MONITOR,
        "wifi_stats_interfaces": "wlan0",
        "wifi_stats_stations": ",".join(result.nodes),
    }


def document(result: Measured, title: str = "", name: str = "", mark: str = "") -> dict[str, Any]:
    """The file's content. ``name``: the file's, if it is another than :func:`file_name`; ``mark``: what the note begins with."""
    test = test_name(result)
    step = 0.2
    for series in [f.series for f in result.flows]:
        if len(series["t"]) > 2:
            step = float(np.median(np.diff(series["t"])))
            break
    total = result.simulated_s
    file = _File(np.round(np.arange(0.0, total + step / 2, step), 6))
    _flows(file, result, test)
    _pings(file, result, test)
    parameters = _wifi(file, result)
    for way, key in (("up", "upload_streams"), ("down", "download_streams")):
        if test in ("tcp_nup", "tcp_ndown") and result.flows_of(way, "tcp"):
            parameters[key] = str(len(result.flows_of(way, "tcp")))
    start = max(0.0, result.flows_start)
    length = result.flows_end - start
    return {
        "metadata": {
            "NAME": test,
            "TITLE": title or result.scenario,
            "NOTE": mark + f"{NOTE}{__version__}, {result.water}, seed {result.seed}, digest {result.digest}",
            "DATA_FILENAME": name or file_name(result),
            "HOST": "server",
            "HOSTS": ["server"],
            "LOCAL_HOST": "station",
            "TIME": _stamp(0.0),
            "T0": _stamp(0.0),
            "LENGTH": round(length),
            "TOTAL_LENGTH": round(total),
            "DELAY": round(start),
            "STEP_SIZE": round(step, 6),
            "TEST_PARAMETERS": parameters,
            "FLENT_VERSION": "2.3.0",
            "IP_VERSION": 4,
            "SERIES_META": file.meta,
            "WAVETANK_SCENARIO": dict(result.resolved),
        },
        "version": 4,
        "x_values": file.x.tolist(),
        "results": file.results,
        "raw_values": file.raw,
    }


def file_name(result: Measured) -> str:
    """The file's name: the test's and the scenario's."""
    safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in result.scenario)
    return f"{test_name(result)}-{safe}{ENDING}"


def data(result: Measured, title: str = "", name: str = "", mark: str = "") -> bytes:
    """The file's content, of :func:`document`; the same run gives the same bytes."""
    return _packed(json.dumps(plain(document(result, title, name, mark)), sort_keys=True, allow_nan=False))


def _packed(text: str) -> bytes:
    whole = io.BytesIO()
    with gzip.GzipFile("", "wb", mtime=0, fileobj=whole) as f:
        f.write(text.encode())
    return whole.getvalue()


def note(path: Path) -> str:
    """The note of a file that :func:`data` made; empty where there is none, or it is no such file.

    It stands in the file's first lines, so that to ask a folder of them takes no time.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") as f:
            found = _NOTE.search(f.read(HEAD))
    except (OSError, EOFError, ValueError, zlib.error):
        return ""
    return str(json.loads(found[1])) if found else ""


def remark(path: Path, mark: str) -> None:
    """Has the file's note begin with another mark: its run is kept, and now one of so many others."""
    of = note(path)
    asked = mark + of[max(0, of.find(NOTE)) :]
    if of and asked != of:
        with gzip.open(path, "rt", encoding="utf-8") as f:
            text = _NOTE.sub(lambda _: f'"NOTE": {json.dumps(asked)}', f.read(), count=1)
        files.write(path, lambda p: p.write_bytes(_packed(text)))


def write(path: Path, result: Measured, title: str = "") -> None:
    """Writes the file."""
    path.write_bytes(data(result, title))
