"""The radios of a Flent file as a result's nodes: airtime and mean aggregates, of ours and of an access point's ``wifi_stats``.

A real access point keeps account of each station: ``airtime_tx`` is what it sent to it, ``airtime_rx`` what came from it. The
station's own airtime is therefore the latter, that to it the former, and the access point's the sum of the former. Stations are
the scenario's in the order of Flent's ``wifi_stats_stations``, whose names are addresses; of several hosts the first counts.

Differs from the model's: D1 the mean aggregate is the mean over samples, of which each counts alike, in a real file of its rate
control's running average. D2 of several stations the access point's mean is not known, for nobody says how many PPDUs each got.
D3 a driver's account of airtime may have retries and preambles, or not.

src: Flent's wifi_stats.inc and WifiStatsRunner; net/mac80211/debugfs_sta.c (``airtime``).
"""

from __future__ import annotations

import numpy as np

from ..flent import MONITOR
from ..measured import ENDS, Node
from ..stats import FloatArray, finite
from .flent_file import FlentFile, FlentRadio

#: The columns of a node's series that no file has.
MISSING = ("tx_bitrate_mbit", "rx_bitrate_mbit", "rx_bad_share")


def of_access_point(file: FlentFile) -> tuple[FlentRadio, ...]:
    """What a real access point told of its stations; none in a file of ours."""
    return tuple(r for r in file.radios if r.host == file.radios[0].host != MONITOR)


def nodes(file: FlentFile, shift: float, window: tuple[float, float]) -> dict[str, Node]:
    """Nodes by name (``ap``, ``sta1``, ...); none where the file has no radios. ``shift`` (s) is added to the file's times;
    ``window`` (s) is the judging window, on the shifted clock."""
    none = np.full(file.x.size, np.nan)

    def node(name: str, sent: FloatArray, to_it: FloatArray, ampdu: FloatArray) -> Node:
        counted = file.counted((window[0] - shift, window[1] - shift))
        sizes = finite(ampdu[counted])
        shares = (file.share(a, counted) for a in (sent, to_it))
        airtime, airtime_rx = (np.nan if share is None else share for share in shares)
        unknown = np.full(65, np.nan)
        series = {"t": file.x + shift, "airtime_tx_us": sent, "airtime_rx_us": to_it, "avg_aggr_size": ampdu}
        return Node(
            name=name,
            ampdu_hist=unknown,
            airtime_fraction=airtime,
            series=series | dict.fromkeys(MISSING, none),
            rx_hist=unknown,
            rx_bad=unknown,
            ends=np.full(len(ENDS), np.nan),
            runs=unknown,
            airtime_rx_fraction=airtime_rx,
            ampdu_mean=float(sizes.mean()) if sizes.size else None,
        )

    stations = of_access_point(file)
    if not stations:
        return {r.station: node(r.station, r.airtime_tx, r.airtime_rx, r.ampdu) for r in file.radios}
    alone = stations[0].ampdu if len(stations) == 1 else none
    sent, heard = (_sum(of) for of in ([r.airtime_tx for r in stations], [r.airtime_rx for r in stations]))
    found = {"ap": node("ap", sent, heard, alone)}
    for i, r in enumerate(stations, 1):
        found[f"sta{i}"] = node(f"sta{i}", r.airtime_rx, r.airtime_tx, none)
    return found


def _sum(series: list[FloatArray]) -> FloatArray:
    """NaN where none was measured."""
    return np.where(np.isfinite(series).any(axis=0), np.nansum(series, axis=0), np.nan)
