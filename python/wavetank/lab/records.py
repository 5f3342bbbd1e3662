"""What one repetition is reduced to: a *record*, a small JSON value, so that it can be kept and read again.

Times count from the run's start; ``*_samples`` lie in the judging window, ``series`` covers the whole run. What is read off
records is :mod:`wavetank.lab.metrics`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .. import _core
from ..files import plain
from ..result import PINGS, Flow, Mode, Node, Result
from ..stats import FloatArray

#: Changes when a record's content does, so that old ones are not read.
RECORD = 11
Record = dict[str, Any]


def _round(a: FloatArray, digits: int = 6) -> list[float | None]:
    return [round(x, digits) if math.isfinite(x) else None for x in a.tolist()]


def _seconds(result: Result, flow: Flow) -> FloatArray:
    """A flow's goodput in each whole second of the window, Mbit/s."""
    t, rate = flow.goodput()
    inside = result.within(t)
    bins = np.floor(t[inside] - result.window[0]).astype(np.int64)
    whole = bins < math.floor(result.window[1] - result.window[0])
    sums = np.bincount(bins[whole], weights=np.nan_to_num(rate[inside][whole]))
    return sums / np.maximum(np.bincount(bins[whole]), 1)


def record(result: Result) -> Record:
    """Reduces a run to what judging and drawing need."""
    goodput: dict[str, float] = {}
    goodput_samples: dict[str, Any] = {}
    rtt_samples: dict[str, Any] = {}
    cwnd_samples: dict[str, Any] = {}
    series: dict[str, Any] = {}
    slow_start: dict[str, float] = {}
    for kind in ("tcp", "udp"):
        for direction in ("up", "down"):
            flows = result.flows_of(direction, kind)
            if not flows:
                continue
            key = f"{kind}_{direction}"
            goodput[key] = sum(f.goodput_mbit for f in flows)
            t, rate = result.goodput_sum(direction, kind)
            goodput_samples[key] = _round(rate[result.within(t)])
            series[f"goodput_{key}"] = [_round(t), _round(rate)]
            if kind == "tcp":
                rtt_samples[direction] = _round(np.concatenate([result.in_window(f.series, "srtt_ms") for f in flows]))
                cwnd_samples[direction] = _round(
                    np.concatenate([result.in_window(f.series, "snd_cwnd") for f in flows])
                )
                series[f"srtt_{direction}"] = [
                    _round(flows[0].series["t"]),
                    _round(flows[0].series["srtt_ms"]),
                ]
                series[f"cwnd_{direction}"] = [
                    _round(flows[0].series["t"]),
                    _round(flows[0].series["snd_cwnd"]),
                ]
                series[f"pacing_{direction}"] = [
                    _round(flows[0].series["t"]),
                    _round(flows[0].series["pacing_bps"] * 1e-6),
                ]
                slow_start[direction] = _slow_start(flows[0], result.window[1])
    pings = {}
    for kind in dict.fromkeys(p.kind for p in result.pings):
        t, rtt = result.ping(kind)
        name = "icmp" if kind in PINGS else kind  # the ping, whatever answers it
        pings[name] = _round(rtt[result.within(t)])
        series[f"ping_{name}"] = [_round(t), _round(rtt)]
    station_pings = {
        f"sta{p.station + 1}": _round(p.rtt_ms[result.within(p.t)]) for p in result.pings if p.kind in PINGS
    }
    standard = result.resolved.get("wifi.standard", "")
    value: Record = plain(
        {
            "seed": result.seed,
            "digest": result.digest,
            "simulated_s": result.simulated_s,
            "wall_s": result.wall_s,
            "events": result.events,
            "window": list(result.window),
            "goodput": goodput,
            "flow_goodput": [[f.kind, f.direction, f.goodput_mbit] for f in result.flows],
            "flow_cc": [f.cc for f in result.flows],
            "flow_station": [f.station for f in result.flows],
            "station_pings": station_pings,
            "goodput_samples": goodput_samples,
            "rtt_samples": rtt_samples,
            "cwnd_samples": cwnd_samples,
            "slow_start_s": slow_start,
            "pings": pings,
            "ampdu": {n: v.ampdu_hist.tolist() for n, v in result.nodes.items()},
            "rx_ampdu": {n: v.rx_hist.tolist() for n, v in result.nodes.items()},
            "rx_bad": {n: v.rx_bad.tolist() for n, v in result.nodes.items()},
            "rx_mcs": {n: _mcs(v.rx_modes) for n, v in result.nodes.items()},
            "rx_ppdu_ms": {n: _ppdu_ms(v.rx_modes, standard) for n, v in result.nodes.items()},
            "rate": {n: dict(v.rate) for n, v in result.nodes.items() if v.rate},
            "ends": {n: v.ends.tolist() for n, v in result.nodes.items()},
            "runs": {n: v.runs.tolist() for n, v in result.nodes.items()},
            "airtime_rx": {n: v.airtime_rx_fraction for n, v in result.nodes.items()},
            "flow_seconds": [_round(_seconds(result, f)) for f in result.flows],
            "airtime": {n: v.airtime_fraction for n, v in result.nodes.items()},
            "drops": dict(result.drops),
            "unanswered": {n: v.unanswered for n, v in result.nodes.items()},
            "acks": {n: dict(v.acks) for n, v in result.nodes.items() if v.acks is not None},
            "received": sum(float(f.series["received"][-1]) for f in result.flows if f.kind == "tcp"),
            "phy_mbit": _one_rate(result.nodes.values()),
            "retransmits": sum(f.retransmits for f in result.flows),
            "rtos": _known([f.rtos for f in result.flows]),
            "delivered_ce": _known([f.delivered_ce for f in result.flows if f.kind == "tcp"]),
            "delivery": [dict(f.delivery) for f in result.flows if f.delivery is not None],
            "series": series,
        }
    )
    return value


def _known(of: Sequence[int | None]) -> int | None:
    """Of all flows; None where it was not measured."""
    return None if None in of else sum(n for n in of if n is not None)


def _mcs(modes: Sequence[Mode]) -> list[float]:
    """MPDUs sent at each MCS of 802.11n, whatever width and guard interval."""
    sent = [0.0] * 32
    for m in modes:
        sent[m.mcs] += m.mpdus
    return sent


#: A full packet's MPDU in an A-MPDU (QoS header, LLC, FCS, delimiter, padding), octets.
MPDU = 1544


def _ppdu_ms(modes: Sequence[Mode], standard: str) -> float:
    """How long a PPDU of full packets was on the air, mean, by itself (no RTS, CTS, Block Ack), ms; 0 without A-MPDUs.

    PPDUs of one mode are taken for as long as that of their mean size, and an MPDU for one packet: with A-MSDUs it was longer.
    """
    ppdus = sum(m.ppdus for m in modes)
    if standard not in ("n", "ac", "ax") or not ppdus:
        return 0.0
    ms = 0.0
    for m in (m for m in modes if m.ppdus):
        octets = round(MPDU * m.mpdus / m.ppdus)
        of = {"ht": "n", "vht": "ac", "he": "ax"}.get(m.phy, standard)
        ms += m.ppdus * _core.ppdu_ms(of, m.mcs, m.streams, m.width_mhz, m.gi_ns, octets)
    return ms / ppdus


def _one_rate(nodes: Iterable[Node]) -> float:
    """The data rate of a network that sent all its data at one, Mbit/s; NaN of one that had several, or sent nothing."""
    rates = {m.mbit for node in nodes for m in node.modes if m.ppdus}
    return rates.pop() if len(rates) == 1 else math.nan


def _slow_start(flow: Flow, end: float) -> float:
    """When the flow's first slow start was over (a threshold stood), seconds from its first sample; else its whole length."""
    t, threshold = flow.series["t"], flow.series["snd_ssthresh"]
    active = np.flatnonzero(flow.series["acked"] > 0)
    if active.size == 0:
        return math.nan
    left = t[np.isfinite(threshold)]
    return float((left[0] if left.size else end) - t[active[0]])
