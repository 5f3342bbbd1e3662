"""A Flent data file (versions 3 and 4), read: every series put where its name says. It is what analyses and compares them.

A sample of a flow or a radio is of the time before its x: netperf stamps an interval by its end (``NETPERF_ENDING``), iperf as it
reports one, Flent's ``wifi_stats`` counts from the sample before; our own files do the same.

src: Flent 2.3's doc/data-format.rst, flent/resultset.py, flent/runners.py, flent/tests/*.conf (the names of series).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import units
from ..errors import UserError
from ..stats import FloatArray, finite
from .flent_document import EXPECTED, computed, document

#: Times in files are rounded to microseconds, s.
ROUNDED = 2e-6

#: From this version on raw values have their series' unit. Before it those of netperf's UDP_RR, known by an interval's ``dur`` as
#: Flent knows them, are transactions a second (flent/resultset.py unserialise_compat, flent/transformers.py rr_to_ms).
TRANSFORMED = 4


@dataclass(frozen=True)
class FlentFlow:
    """A flow: ``values`` Mbit/s on the file's grid (NaN: not measured); ``of_socket``: rtt, cwnd, pacing_rate, ... of `ss`."""

    name: str
    kind: str
    values: FloatArray
    of_socket: Mapping[str, FloatArray]
    #: What Flent noted of the series: CONG_CONTROL, TCP_RETRANSMIT, ...
    meta: Mapping[str, Any]


@dataclass(frozen=True)
class FlentPing:
    """Echoes: ``values`` ms on the grid; as the tool gave them, ``raw_t`` (s since the test's start) and ``raw_ms``, or None."""

    name: str
    values: FloatArray
    raw_t: FloatArray | None
    raw_ms: FloatArray | None
    meta: Mapping[str, Any]


@dataclass(frozen=True)
class FlentRadio:
    """What ``wifi_stats`` of ``host`` has of ``station``, on the grid: airtime sent to it and heard of it (us a step), and the
    mean A-MPDU to it (MPDUs). NaN: not measured. In a file of ours a station is a radio, ``airtime_tx`` and the A-MPDU are of
    what it sent itself.
    """

    host: str
    station: str
    airtime_tx: FloatArray
    airtime_rx: FloatArray
    ampdu: FloatArray


@dataclass(frozen=True)
class FlentFile:
    """One run of a Flent test. ``x`` (s) is the grid; ``span`` the flows' time on it, ``judged`` the run's judging window where
    wavetank wrote the file."""

    path: str
    version: str
    size: int
    test: str | None
    title: str | None
    note: str | None
    hosts: tuple[str, ...]
    x: FloatArray
    step: float
    span: tuple[float, float]
    flows: tuple[FlentFlow, ...]
    pings: tuple[FlentPing, ...]
    radios: tuple[FlentRadio, ...]
    judged: tuple[float, float] | None = None

    def counted(self, window: tuple[float, float]) -> NDArray[np.bool_]:
        """Which samples of flows and radios are of ``window`` (s): those whose step lies in it, or, where it is shorter than a
        step, that it touches. Pings and what sockets tell are of their x itself.
        """
        begins = self.x - self.step
        whole = (begins >= window[0] - ROUNDED) & (self.x <= window[1] + ROUNDED)
        return whole if whole.any() else (self.x > window[0] + ROUNDED) & (begins < window[1] - ROUNDED)

    def share(self, airtime_us: FloatArray, counted: NDArray[np.bool_]) -> float | None:
        """The part of the counted time that is airtime; None where nothing was measured."""
        known = finite(airtime_us[counted])
        return float(known.sum()) / 1e6 / (known.size * self.step) if known.size else None


def read(path: Path) -> FlentFile:
    """Reads a file. Raises UserError."""
    data, size = document(path)
    try:
        return _file(path, size, data)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        raise UserError(
            f"{path}: its metadata or raw values are not as Flent writes them, expected {EXPECTED}"
        ) from None


def _file(path: Path, size: int, data: Mapping[str, Any]) -> FlentFile:
    meta = data.get("metadata", {})
    x = np.array([float(v) for v in data["x_values"]], dtype=np.float64)
    length = float(meta.get("LENGTH", 0) or (x[-1] if x.size else 0))
    # Flent keeps its DELAY in the total only: TOTAL_LENGTH = LENGTH + 2 * DELAY (flent/tests/common.inc)
    start = float(meta.get("DELAY") or max(0.0, (float(meta.get("TOTAL_LENGTH") or 0) - length) / 2))
    plain: dict[str, FloatArray] = {}
    of_socket: dict[str, dict[str, FloatArray]] = {}
    pings: list[FlentPing] = []
    radio: dict[tuple[str, str], dict[str, FloatArray]] = {}
    told = {name: of for name, of in meta.get("SERIES_META", {}).items() if isinstance(of, dict)}
    for name, series in sorted(data["results"].items(), key=lambda kv: _natural(kv[0])):
        if computed(name):
            continue
        read = [math.nan if v is None else float(v) for v in series if not isinstance(v, (list, dict))]
        values = np.full(x.size, np.nan)
        values[: len(read)] = read[: x.size]
        flow, is_socket, what = name.partition("::tcp_")
        if is_socket:
            of_socket.setdefault(flow, {})[what] = values
        elif name.startswith(("TCP", "UDP")):
            plain[name] = values
        elif name.startswith("Ping"):
            pings.append(FlentPing(name, values, *_raw(data, name), told.get(name, {})))
        elif of := re.fullmatch(r"wifi_stats_(.+?)::(airtime_tx|airtime_rx|avg_aggr_size)::(.+)", name):
            radio.setdefault((of[1], of[3]), {})[of[2]] = values
    step = float(np.median(np.diff(x))) if x.size > 1 else 1.0
    span, judged = _own_times(meta) or (_flows_time((start, start + length), x, step, plain.values()), None)
    return FlentFile(
        path=str(path),
        version=str(data.get("version", "?")),
        size=size,
        test=meta.get("NAME"),
        title=meta.get("TITLE"),
        note=meta.get("NOTE"),
        hosts=tuple(meta.get("HOSTS") or ()),
        x=x,
        step=step,
        span=span,
        flows=tuple(FlentFlow(n, n[:3].lower(), v, of_socket.get(n, {}), told.get(n, {})) for n, v in plain.items()),
        pings=tuple(pings),
        radios=_radios(radio, meta, x.size),
        judged=judged,
    )


def _radios(
    series: Mapping[tuple[str, str], Mapping[str, FloatArray]], meta: Mapping[str, Any], size: int
) -> tuple[FlentRadio, ...]:
    """In the order in which Flent was told of hosts and stations; the rest, if any, behind them."""
    asked = meta.get("TEST_PARAMETERS") or {}
    hosts, stations = (
        [w.strip() for w in str(asked.get(f"wifi_stats_{k}", "")).split(",")] for k in ("hosts", "stations")
    )

    def place(names: list[str], name: str) -> int:
        return names.index(name) if name in names else len(names)

    order = sorted(series, key=lambda of: (place(hosts, of[0]), place(stations, of[1])))
    none = np.full(size, np.nan)
    return tuple(
        FlentRadio(*of, *(series[of].get(k, none) for k in ("airtime_tx", "airtime_rx", "avg_aggr_size")))
        for of in order
    )


def _own_times(meta: Mapping[str, Any]) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The flows' time and the judging window of a run of ours, s, by the scenario that its file carries: DELAY and LENGTH are
    whole seconds."""
    values = meta.get("WAVETANK_SCENARIO", {})
    try:
        lead, warmup, flows, cooldown = (
            units.span(values[f"time.{key}"]) / 1e9 for key in ("lead_in", "warmup", "flows", "cooldown")
        )
    except (TypeError, KeyError, ValueError):
        return None  # another program's, or an older version's
    return (lead, lead + flows), (lead + warmup, lead + flows - cooldown)


def _flows_time(
    told: tuple[float, float], x: FloatArray, step: float, flows: Iterable[FloatArray]
) -> tuple[float, float]:
    """``told`` (s), which takes DELAY to stand before the flows and behind them; or, where a flow carried something before that,
    from the first sample that did to the last one: tests whose flows start one after another have no such DELAY
    (flent/tests/tcp_4up_squarewave.conf: TOTAL_LENGTH = LENGTH + DELAY * 6, one flow at once)."""
    carried = x[np.logical_or.reduce([v > 0 for v in flows] or [np.zeros(x.size, dtype=np.bool_)])]
    if not carried.size or carried[0] >= told[0] - step:
        return told
    return max(0.0, round(float(carried[0]) - step, 6)), float(carried[-1])


def _raw(data: Mapping[str, Any], name: str) -> tuple[FloatArray | None, FloatArray | None]:
    """A ping's values as its tool gave them (ms), with their times where the file says when it began."""
    rows = [r for r in data.get("raw_values", {}).get(name) or () if r.get("val") is not None]
    if float(data.get("version") or 0) < TRANSFORMED and "UDP" in name:
        rows = [r | {"val": 1000.0 / r["val"]} if "dur" in r else r for r in rows if "dur" not in r or r["val"] > 0]
    if not rows:
        return None, None
    ms = np.array([float(r["val"]) for r in rows])
    meta = data.get("metadata", {})
    began = meta.get("T0") or meta.get("TIME")
    if not began or any("t" not in r for r in rows):
        return None, ms
    zero = datetime.fromisoformat(str(began).replace("Z", "+00:00")).timestamp()
    return np.array([float(r["t"]) - zero for r in rows]), ms


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts names with numbers in them as people do."""
    return [(int(p), "") if p.isdigit() else (0, p) for p in re.split(r"(\d+)", name)]
