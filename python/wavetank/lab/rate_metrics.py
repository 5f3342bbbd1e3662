"""Rates: quantities of what data went down at, what of them was lost, what rate control tried, and what each client got."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..stats import FloatArray, finite
from .aggregate_metrics import bad_frames
from .quantity import Quantity, array, of_nodes, scalar, share
from .records import Record

#: MCSs of one stream that count as high: 64-QAM.
HIGH_MCS = 5


def quantities() -> dict[str, Quantity]:
    """Of data that go down: the rates they went at, what of them was lost, and what rate control tried out."""

    def to(only: str) -> Callable[[str], bool]:
        return (lambda n: n == only) if only else (lambda n: n != "ap")

    def sent(r: Record, only: str = "") -> FloatArray:
        return of_nodes(r, "rx_mcs", to(only))[:32]

    def mcs_share(low: int, high: int, only: str = "") -> Callable[[Record], float]:
        return lambda r: share(sent(r, only), low, high)

    def counted(part: str, whole: str) -> Callable[[Record], float]:
        def each(r: Record) -> float:
            c = r["rate"].get("ap", {})
            return 100 * c[part] / c[whole] if c.get(whole) else math.nan

        return each

    out = {f"mcs{i}_share": scalar(mcs_share(i, i + 1), "%", f"MPDUs down at MCS {i}") for i in range(8)}
    out["high_mcs_share"] = scalar(mcs_share(HIGH_MCS, 8), "%", f"MPDUs down at MCS {HIGH_MCS} to 7")
    out["mcs"] = Quantity(
        lambda r: float((sent(r) * np.arange(32)).sum() / max(sent(r).sum(), 1)),
        lambda r: _thinned(sent(r)),
        "",
        "MCS down",
        more="mean over MPDUs",
    )
    for i in range(1, 65):
        out.update(_one_client(i, sent))
    out["bad_mean"] = bad_frames(to(""), "down")
    out["up_bad"] = bad_frames(lambda n: n == "ap", "up")
    out["probe_fraction"] = scalar(counted("probe_frames", "frames"), "%", "Frames in probes")
    out["probe_success"] = scalar(counted("probes_ok", "probes"), "%", "Probes that succeed")
    out["forced_fraction"] = scalar(counted("forced", "probes"), "%", "Probes that are forced")
    out["forced_success"] = scalar(counted("forced_ok", "forced"), "%", "Forced probes that succeed")
    return out


def _thinned(mpdus: FloatArray) -> FloatArray:
    """MCSs as samples: some 10,000 at most in place of an MPDU each."""
    return np.repeat(np.arange(32.0), (mpdus / max(mpdus.sum() / 10_000, 1)).astype(np.int64))


def _one_client(i: int, sent: Callable[[Record, str], FloatArray]) -> dict[str, Quantity]:
    """What one client of several got. ``sent``: MPDUs to it by MCS, retransmissions too."""
    name = f"sta{i}"

    def mean(r: Record) -> float:
        mpdus = sent(r, name)
        return float((mpdus * np.arange(32)).sum() / mpdus.sum()) if mpdus.sum() else math.nan

    return {
        f"mcs@{name}": Quantity(mean, lambda r: _thinned(sent(r, name)), "", f"MCS to {name}", more="mean over MPDUs"),
        f"mcs_mode@{name}": scalar(lambda r: float(np.argmax(sent(r, name))), "", f"MCS to {name}, most frequent"),
        f"airtime_share@{name}": scalar(
            lambda r: _airtime_share(r, name), "%", f"Share of airtime to {name}", "of what is sent to the stations"
        ),
        f"ampdu_airtime@{name}": scalar(lambda r: _ampdu_airtime(r, name), "ms", f"Airtime of an A-MPDU to {name}"),
        f"goodput@{name}": scalar(
            lambda r: _goodput(r, i), "Mbit/s", f"Goodput of {name}", "of its TCP flows; of UDP where it has no TCP"
        ),
        f"ping_p50@{name}": scalar(lambda r: _ping(r, name, 50), "ms", f"Ping RTT of {name}, median"),
        f"ping_p90@{name}": scalar(lambda r: _ping(r, name, 90), "ms", f"Ping RTT of {name}, p90"),
    }


def _airtime_share(r: Record, only: str) -> float:
    to = {n: v for n, v in r["airtime_rx"].items() if n != "ap"}
    return float(100 * to[only] / sum(to.values())) if only in to and sum(to.values()) else math.nan


def _ampdu_airtime(r: Record, only: str) -> float:
    """Of the A-MPDU itself: what ath9k's 4 ms bound, and the thesis sets beside them (5.9.5)."""
    return r["rx_ppdu_ms"].get(only) or math.nan


def _goodput(r: Record, station: int) -> float:
    """Sum of the station's TCP flows; where it has none, of its UDP flows; NaN if it has no flow."""
    own = [f for f, i in zip(r["flow_goodput"], r["flow_station"], strict=True) if i == station - 1]
    tcp = [f[2] for f in own if f[0] == "tcp"]
    return float(sum(tcp or [f[2] for f in own])) if own else math.nan


def _ping(r: Record, only: str, percent: float) -> float:
    """A percentile of the station's own pings, ms."""
    found = finite(array(r["station_pings"].get(only, [])))
    return float(np.percentile(found, percent)) if found.size else math.nan
