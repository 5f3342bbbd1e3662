"""Panels of channels and what receivers report of them (:mod:`wavetank.channel_reports`); no run is needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lab import channel_reports
from ..lab.channel_reports import Reports
from ..lab.plan import Figure
from .style import BLUE, ORANGE, PALETTE, points_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome

#: Octets of a full MPDU, as where a mode's loss is said to be a tenth (docs/channel.md).
OCTETS = 1538
#: PHY rates of MCS 0 to 7: 40 MHz, short guard interval, Mbit/s.
RATES = (15, 30, 45, 60, 90, 120, 135, 150)
#: Reports that a scatter shows.
SHOWN = 250


def envelope(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """What each MCS carries over a flat channel by its SNR, and the best of them at each."""
    points = sorted(points_of(figure, panel), key=lambda p: p.x["snr"])
    snr = [p.x["snr"] for p in points]
    arrives = np.array([channel_reports.of(p.scenario, 1).arrives[0] ** OCTETS for p in points])
    carried = arrives * np.array(RATES)
    shades = np.linspace(0.15, 0.85, len(RATES))
    from matplotlib import colormaps

    for mcs, shade in enumerate(shades):
        ax.plot(snr, carried[:, mcs], color=colormaps["viridis"](shade), label=f"MCS {mcs}")
    ax.plot(snr, carried.max(axis=1), color="black", linewidth=0.9, linestyle=(0, (4, 3)), label="best")
    ax.set_xlabel("SNR (dB)")
    ax.set_ylabel(str(panel["label"]))
    ax.legend(ncols=1, loc="upper left")


def _axis(ax: Axes, r: Reports) -> None:
    ax.set_xlim(0, r.csi.shape[1] + 1)
    ax.set_xlabel("Sub-carrier")


def csi_examples(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """SNR of each sub-carrier in one report of each of three channels."""
    reports = [channel_reports.of(points_of(figure, panel)[0].scenario, seed) for seed in channel_reports.SEEDS[:3]]
    for i, r in enumerate(reports):
        ax.plot(np.arange(1, r.csi.shape[1] + 1), r.scaled[0], color=PALETTE[i], label=f"channel {i + 1}")
    _axis(ax, reports[0])
    ax.set_ylabel(str(panel["label"]))
    ax.legend(loc="lower left")


def csi_scatter(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Power of each sub-carrier in many reports, raw or normalised as ``quantity`` has it; the colour is the reported SNR."""
    r = channel_reports.of(points_of(figure, panel)[0].scenario, 1)
    power = r.normalised if panel["quantity"] == "csi_band_normalised" else r.power - np.median(r.power)
    at = np.linspace(0, len(power) - 1, SHOWN).astype(int)
    across = np.broadcast_to(np.arange(1, power.shape[1] + 1), (at.size, power.shape[1]))
    shade = np.broadcast_to(r.snr[at][:, None], across.shape)
    dots = ax.scatter(across, power[at], c=shade, s=1.2, linewidths=0, cmap="viridis", rasterized=True)
    ax.figure.colorbar(dots, ax=ax).set_label("Reported SNR (dB)")
    _axis(ax, r)
    ax.set_ylabel(str(panel["label"]))


def snr_time(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """The reported SNR of the access point's PPDUs, and its moving average."""
    r = channel_reports.of(points_of(figure, panel)[0].scenario, 1)
    ax.plot(r.t, r.snr, color=ORANGE, linewidth=0.5, alpha=0.8, label="reported, mean of both halves")
    ax.plot(r.t, r.smooth, color=BLUE, linewidth=1.1, label="moving average")
    low, high = float(r.snr.min()), float(r.snr.max())
    ax.set_ylim(low - 0.5, high + max(1.0, 0.45 * (high - low)))
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(str(panel["label"]))
    ax.legend(loc="upper left")
