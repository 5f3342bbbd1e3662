"""BBR's drains, read off the first flow: dips of its window, and spikes of its pacing rate that come with them."""

from __future__ import annotations

import math

import numpy as np

from ..stats import FloatArray
from .quantity import Quantity, array, scalar
from .records import Record

#: Segments in flight in BBR's dip. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_cwnd_min_target
DIP_CWND = 4
#: The least pacing gain of BBR's cycle: a pacing rate above this part of the usual is the cycle's own.
#: src: linux@6.12 net/ipv4/tcp_bbr.c bbr_pacing_gain
LEAST_GAIN = 0.75
#: A dip's pacing rate is compared with this long on each side of it, seconds.
AROUND = 1.0


def first(r: Record, column: str) -> tuple[FloatArray, FloatArray]:
    """A column of the first flow over the flows' time: times since the run's start, and values."""
    for direction in ("up", "down"):
        if f"{column}_{direction}" in r["series"]:
            t, v = (array(a) for a in r["series"][f"{column}_{direction}"])
            within = (t >= r["window"][0]) & (t <= r["window"][1])
            return t[within], v[within]
    return np.empty(0), np.empty(0)


def dips(r: Record) -> FloatArray:
    """When the first flow's window was down at BBR's dip, once a dip: seconds since the run's start."""
    t, cwnd = first(r, "cwnd")
    low = cwnd <= DIP_CWND
    return t[low & ~np.concatenate([[False], low[:-1]])] if t.size else t


def spikes(r: Record) -> FloatArray:
    """The dips that a plot of pacing rates shows: where the rate is below the cycle's least, too. Seconds since the run's start.

    ProbeRTT paces at the bandwidth, which it leaves alone (its samples are marked as the application's: bbr_update_min_rtt,
    bbr_update_bw), so that a spike shows only where the flow paced above it.
    """
    t, pacing = first(r, "pacing")
    _, cwnd = first(r, "cwnd")
    found = []
    for at in dips(r):
        near = np.abs(t - at) <= AROUND
        in_dip = near & (cwnd <= DIP_CWND)
        usual = pacing[near & ~in_dip]
        if usual.size and pacing[in_dip].min() < LEAST_GAIN * np.median(usual):
            found.append(float(at))
    return np.array(found)


def _period(r: Record) -> float:
    at = dips(r)
    return float(np.median(np.diff(at))) if at.size > 1 else math.nan


def _nth(at: FloatArray, which: int) -> float:
    return float(at[which]) if at.size > which else math.nan


def quantities() -> dict[str, Quantity]:
    """Dips and spikes: how many, when, and how far apart."""
    return {
        "drain_period": scalar(_period, "s", "Time from dip to dip"),
        "drain_dips": scalar(lambda r: float(dips(r).size), "", "Dips of the window"),
        "drain_time_1": scalar(lambda r: _nth(spikes(r), 0), "s", "First spike of the pacing rate"),
        "drain_time_2": scalar(lambda r: _nth(spikes(r), 1), "s", "Second spike of the pacing rate"),
        "drain_spikes": scalar(lambda r: float(spikes(r).size), "", "Spikes of the pacing rate"),
    }
