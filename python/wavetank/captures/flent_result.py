"""A Flent file of a test bed as a result, so that it stands beside the other waters'.

Flows are named as the scenario's (up1, down2 sta3); time is shifted so that they start when the scenario's do. Not known, and
left out: queues, timeouts, where netperf did not say it, retransmissions, and of UDP the goodput: iperf's client notes what it
sends. A file that wavetank wrote has UDP's goodput. Airtime and aggregates are there where Flent's ``wifi_stats`` was on.

Differs from the model's: D1 the judging window begins ``time.warmup`` after the flows and ends ``time.cooldown`` before they do,
on Flent's clock, which counts from when the test began. D2 retransmissions are the whole test's, by netperf. D3 airtime and
aggregates are as :mod:`.flent_radios` says.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import units
from ..errors import UserError
from ..result import Flow, Ping, Result
from ..stats import FloatArray, finite
from . import flent_radios
from .flent_file import FlentFile, FlentFlow, read

#: What a socket told (Flent's names, ms and Mbit/s) in the columns that the other waters have.
COLUMNS = {
    "rtt": ("srtt_ms", 1.0),
    "cwnd": ("snd_cwnd", 1.0),
    "pacing_rate": ("pacing_bps", 1e6),
    "delivery_rate": ("delivery_bps", 1e6),
}
#: Columns that a TCP flow has in every result.
ALWAYS = ("srtt_ms", "snd_cwnd")


def result(path: Path, values: Mapping[str, str]) -> Result:
    """Reads a file as the scenario's whose keys have these values. Raises UserError."""
    file = read(path)
    if not file.flows and not file.pings:
        raise UserError(f"{path}: has no series of flows or pings")
    lead = units.span(values["time.lead_in"]) / 1e9
    lasted = file.span[1] - file.span[0]
    warmup, cooldown = (units.span(values[f"time.{key}"]) / 1e9 for key in ("warmup", "cooldown"))
    begin, end = lead + warmup, lead + lasted - cooldown
    if begin >= end:
        unjudged = f"time.warmup is {values['time.warmup']}, time.cooldown {values['time.cooldown']}"
        raise UserError(f"{path}: its flows lasted {lasted:g} s, and {unjudged}")
    shift = lead - file.span[0]
    name = _Names(file, values)
    unknown = {"rtos"} | (set() if _ours(file) else {"udp goodput"})
    if any(_retransmits(f) is None for f in file.flows if f.kind == "tcp"):
        unknown.add("retransmits")
    return Result(
        scenario=values["name"],
        seed=int(values["seed"]),
        simulated_s=float(file.x[-1]) if file.x.size else 0.0,
        wall_s=0.0,
        events=None,
        window=(begin, end),
        flows=tuple(_flow(f, name, file, shift, (begin, end)) for f in file.flows),
        pings=tuple(_pings(file, name, shift)),
        nodes=flent_radios.nodes(file, shift, (begin, end)),
        qdiscs={},
        drops={},
        ledger={},
        digest=hashlib.sha256(path.read_bytes()).hexdigest()[:16],
        resolved=dict(values),
        water="testbed",
        unknown=frozenset(unknown),
    )


class _Names:
    """The scenario's names for Flent's series, in the files' order."""

    def __init__(self, file: FlentFile, values: Mapping[str, str]) -> None:
        #: Hosts in their order; where there are several they are stations.
        self.hosts = list(dict.fromkeys(file.hosts))
        #: A flood is Flent's upload wherever Flent runs: at the far end it goes down.
        self.floods_down = values["traffic.udp_up"] == "off" and values["traffic.udp_down"] != "off"
        self.count: dict[tuple[str, str], int] = {}

    def station(self, series: str) -> tuple[int, str]:
        """Its index, and what names have behind them."""
        for i, host in enumerate(self.hosts):
            if len(self.hosts) > 1 and series.endswith((f" {host}", f"::{host}")):
                return i, f" sta{i + 1}"
        return 0, ""

    def flow(self, flow: FlentFlow) -> tuple[str, str, int]:
        """Name, direction, station."""
        way = "down" if " download" in flow.name or (flow.kind == "udp" and self.floods_down) else "up"
        index, suffix = self.station(flow.name)
        base = way if flow.kind == "tcp" else f"udp_{way}"
        n = self.count[base, suffix] = self.count.get((base, suffix), 0) + 1
        return f"{base}{n}{suffix}", way, index

    def ping(self, series: str) -> tuple[str, int]:
        """Name and station: "Ping (ms) UDP BE1" is udp_be."""
        index, suffix = self.station(series)
        words = series.removeprefix("Ping (ms)").lstrip(" :")
        for host in self.hosts:
            words = words.removesuffix(f" {host}")
        words = words.strip().lower()
        kind = re.sub(r"\d+$", "", words.replace(" ", "_")) or "icmp"
        return kind + suffix, index


def _own(meta: Mapping[str, Any]) -> tuple[str, int] | None:
    """Name and station of a series of ours, which says what the run calls it ("up1 sta2")."""
    name = meta.get("WAVETANK_NAME")
    if name is None:
        return None
    station = re.search(r" sta(\d+)$", str(name))
    return str(name), int(station[1]) - 1 if station else 0


def _ours(file: FlentFile) -> bool:
    """Whether wavetank wrote it: what its flows have is what arrived."""
    return file.judged is not None


def _retransmits(flow: FlentFlow) -> int | None:
    told = flow.meta.get("TCP_RETRANSMIT")
    return int(told) if told is not None and str(told).isdigit() else None


def _flow(flow: FlentFlow, names: _Names, file: FlentFile, shift: float, window: tuple[float, float]) -> Flow:
    name, way, station = names.flow(flow)
    name, station = _own(flow.meta) or (name, station)
    t = file.x + shift
    judged = finite(flow.values[file.counted((window[0] - shift, window[1] - shift))])
    mean = float(judged.mean()) if judged.size else 0.0
    series: dict[str, FloatArray] = {"t": t, "received": np.cumsum(np.nan_to_num(flow.values)) * 1e6 / 8 * file.step}
    if flow.kind == "udp" and not _ours(file):
        mean = np.nan
        series["received"] = np.full(t.size, np.nan)
    if flow.kind == "tcp":
        series |= {c: np.full(t.size, np.nan) for c in ALWAYS}
        series |= {COLUMNS[k][0]: v * COLUMNS[k][1] for k, v in flow.of_socket.items() if k in COLUMNS}
    return Flow(
        name=name,
        direction=way,
        station=station,
        kind=flow.kind,
        dscp="",
        cc=str(flow.meta.get("CONG_CONTROL") or ""),
        bytes_window=0 if np.isnan(mean) else round(mean * 1e6 / 8 * (window[1] - window[0])),
        goodput_mbit=mean,
        retransmits=_retransmits(flow) or 0,
        rtos=None,
        series=series,
    )


def _with_lost(t: FloatArray, ms: FloatArray, step: float) -> tuple[FloatArray, FloatArray]:
    """The tools leave out echoes that were lost: NaN where one is missing, as in the other waters."""
    after = np.flatnonzero(np.diff(t) > 1.5 * step) + 1
    return np.insert(t, after, t[after - 1] + step), np.insert(ms, after, np.nan)


def _pings(file: FlentFile, names: _Names, shift: float) -> list[Ping]:
    out = []
    each = {own[0].partition(" ")[0] for own in (_own(p.meta) for p in file.pings) if own}
    for p in file.pings:
        name, station = _own(p.meta) or names.ping(p.name)
        if name in each:  # ours, of all stations together: theirs stand beside it
            continue
        t, ms = (p.raw_t, p.raw_ms) if p.raw_t is not None and p.raw_ms is not None else (file.x, p.values)
        t, ms = _with_lost(t, ms, file.step)
        out.append(Ping(name, station, t + shift, ms))
    return out
