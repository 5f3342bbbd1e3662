"""Panels of chapter 5 that show places and what the air is like there: the floor plan, the walk, the channel of two moments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..csi.effective import MODULATIONS, effective_db
from ..errors import UserError
from ..lab import channel_reports
from ..lab.plan import Figure
from ..scenario import Scenario
from ..stats import FloatArray
from .style import PALETTE, RED, points_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome

#: 64-QAM's column of effective SNRs.
QAM64 = MODULATIONS.index("64-QAM")
#: What the fastest mode of one stream needs (docs/channel.md).
FASTEST_DB = 21.0
#: Time over which reports are averaged, and between the two moments that are compared, ms.
SMOOTH_MS, APART_MS = 10, 40


def _map(ax: Axes, scenario: Scenario) -> _core.FloorMap:
    """The floor's mean SNR and its access point."""
    plan = scenario.floor()
    (length, depth), ap = plan["size_m"], plan["ap_m"]
    extent = (0.0, length, 0.0, depth)
    image = ax.imshow(plan["snr"], origin="lower", extent=extent, cmap="Greys_r", vmin=0, vmax=45, alpha=0.75)
    # A long floor is a flat picture: its scale stands right below it, not at the foot of the panel.
    scale = ax.inset_axes((0.2, -0.62, 0.6, 0.08))
    ax.figure.colorbar(image, cax=scale, orientation="horizontal").set_label("Mean SNR (dB)")
    ax.plot(*ap, marker="*", markersize=13, color="black", markerfacecolor="white", zorder=4)
    box = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
    ax.annotate(
        "AP",
        ap,
        xytext=(0, -14),
        textcoords="offset points",
        ha="center",
        fontsize=8,
        fontweight="bold",
        bbox=box,
        zorder=5,
    )
    ax.set_anchor("N")
    ax.grid(visible=False)
    ax.set_xlabel("m")
    ax.set_ylabel("m")
    return plan


def placements(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Where clients stand: a number a placement, S where the one that stays is. Points: one a topology."""
    points = points_of(figure, panel)
    _map(ax, points[0].scenario)
    seen: set[tuple[float, float]] = set()
    for p in points:
        placement, without = divmod(int(p.x["topology"]) - 1, 5)
        for i, (x, y, _) in enumerate(p.scenario.floor()["stations"]):
            if (x, y) in seen:
                continue
            seen.add((x, y))
            stays = i == 0 and without > 0
            colour = "black" if stays else PALETTE[placement % len(PALETTE)]
            label = "S" if stays else str(placement + 1)
            box = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": colour, "linewidth": 1.0}
            ax.text(
                x, y, label, ha="center", va="center", fontsize=6.5, color=colour, bbox=box, zorder=3.5 if stays else 3
            )


def walk(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """The way of a station that walks, from S to E."""
    plan = _map(ax, points_of(figure, panel)[0].scenario)
    x, y, _ = np.array(plan["walk"]).T
    ax.plot(x, y, color=RED, linewidth=1.8)
    for at, name, side in ((0, "S", "left"), (-1, "E", "right")):
        here = (float(x[at]), float(y[at]))
        ax.annotate(name, here, xytext=(0, 5), textcoords="offset points", color=RED, fontweight="bold", ha=side)


def walk_snr(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """The mean SNR on that way."""
    _, _, snr = np.array(points_of(figure, panel)[0].scenario.floor()["walk"]).T
    ax.plot(np.arange(snr.size), snr, color=RED)
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(str(panel["label"]))


def _smooth(v: FloatArray, n: int) -> FloatArray:
    return np.convolve(v, np.ones(n) / n, mode="same")


def misled(snr: FloatArray, esnr: FloatArray, apart: int, threshold: float) -> int:
    """The step after which the SNR rises by more than the threshold while the effective SNR does not: where they differ most,
    among those at which a faster mode is still to be had. Raises UserError if there is none.
    """
    rise, real = snr[apart:] - snr[:-apart], esnr[apart:] - esnr[:-apart]
    fits = (rise > threshold) & (real < threshold) & np.isfinite(real) & (snr[:-apart] < FASTEST_DB)
    if not fits.any():
        raise UserError("no moment at which SNR and effective SNR disagree, expected a channel that moves")
    return int(np.argmax(np.where(fits, rise - np.maximum(real, -3.0), -np.inf)))


def csi_change(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """The channel when a rate was barred, and when its SNR has risen by enough to lift the bar and its effective SNR has not."""
    scenario = points_of(figure, panel)[0].scenario
    r = channel_reports.of(scenario, 1)
    step, snr = r.t[1] - r.t[0], r.snr
    scaled = r.normalised + snr[:, None]
    esnr = effective_db(r.csi, snr)[:, QAM64]
    n, apart = (max(1, round(ms * 1e-3 / step)) for ms in (SMOOTH_MS, APART_MS))
    inner = slice(n, -n)
    snr, esnr, scaled = _smooth(snr, n)[inner], _smooth(esnr, n)[inner], scaled[inner]
    first = misled(snr, esnr, apart, 1.0)
    for at, colour, name in ((first, "black", "when barred"), (first + apart, "#999999", f"{APART_MS} ms later")):
        ax.plot(np.arange(1, scaled.shape[1] + 1), scaled[at], color=colour, linewidth=1.3, label=f"CSI {name}")
        ax.axhline(snr[at], color=colour, linewidth=1.2, linestyle=(0, (5, 3)), label=f"SNR {name}: {snr[at]:.1f} dB")
        ax.axhline(
            esnr[at], color=colour, linewidth=1.4, linestyle=(0, (1, 2)), label=f"eSNR {name}: {esnr[at]:.1f} dB"
        )
    low, high = np.min(scaled[[first, first + apart]]), np.max(scaled[[first, first + apart]])
    ax.set_ylim(low - 1, high + 0.55 * (high - low))
    ax.set_xlabel("Sub-carrier")
    ax.set_ylabel(str(panel["label"]))
    ax.legend(ncols=2, loc="upper left", fontsize=7)
