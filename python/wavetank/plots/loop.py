"""The panel of Figure 5.9: AARC's parts, and what went between them, counted in runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lab.judge import Unmeasured
from ..lab.plan import Figure
from ..lab.records import Record
from .style import BLUE, PAPER, points_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome

#: Where each part stands: middle and what it is. Left the access point, right the client; above programs, below the kernel.
PARTS = {
    "csid_ap": (0.19, 0.83, "CSID\n(access point)"),
    "csid_client": (0.81, 0.83, "CSID\n(client): eSNR"),
    "aarc": (0.19, 0.27, "mac80211: AARC\nath9k"),
    "card": (0.81, 0.27, "ath9k\nreports CSI"),
}
HALF_WIDTH, HALF_HEIGHT = 0.16, 0.1


def flows(r: Record) -> dict[str, float]:
    """What went between the parts in a run.

    Per second: ``units`` that the access point sent, ``reports`` of the client's card, ``heard`` by AARC, back-offs ``lifted``,
    ``probes``, ``forced`` probes. ``age_ms``: how old reports were when they were heard. ``success``: forced probes after which
    the rate was used, percent. NaN where there were none. Raises Unmeasured where the rate control takes no reports.
    """
    c = r["rate"].get("ap", {})
    if not c.get("reports"):
        raise Unmeasured("the access point's rate control takes no reports of the channel")
    seconds = r["window"][1]
    out = {k: c[k] / seconds for k in ("units", "reports", "heard", "lifted", "probes", "forced")}
    out["age_ms"] = c["age_ns"] / 1e6 / c["heard"] if c["heard"] else math.nan
    out["success"] = 100 * c["forced_ok"] / c["forced"] if c["forced"] else math.nan
    return out


def loop(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """The parts as boxes, and what went between them: means over repetitions."""
    point = points_of(figure, panel)[0]
    runs = [flows(r) for r in outcome.measured.of(figure, point)]
    n = {k: float(np.nanmean([f[k] for f in runs])) for k in runs[0]}
    ax.set_axis_off()
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.axhline(0.55, color=PAPER, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    for y, told in ((0.57, "programs"), (0.53, "kernel")):
        ax.text(0, y, told, fontsize=7, color=PAPER, va="bottom" if y > 0.55 else "top")
    for x, y, told in PARTS.values():
        box = {"boxstyle": "round,pad=0.02", "facecolor": "white", "edgecolor": BLUE, "linewidth": 1.2}
        corner = (x - HALF_WIDTH, y - HALF_HEIGHT)
        _box(ax, corner, box)
        ax.text(x, y, told, ha="center", va="center", fontsize=8.5)
    _arrow(ax, "aarc", "card", f"{n['units']:.0f} A-MPDUs\nin a second")
    _arrow(ax, "card", "csid_client", f"raw CSI and SNR,\nnetlink:\n{n['reports']:.0f} in a second")
    _arrow(ax, "csid_client", "csid_ap", f"four eSNRs, UDP on\nanother channel:\n{n['reports']:.0f} in a second")
    _arrow(
        ax,
        "csid_ap",
        "aarc",
        f"netlink: {n['heard']:.0f} in a second,\nused {n['age_ms']:.1f} ms after\nthe frame's end",
    )
    told = (
        f"AARC: {n['probes']:.1f} probes in a second; feedback lifted {n['lifted']:.1f} back-offs,\n"
        f"which gave {n['forced']:.1f} forced probes, {n['success']:.0f} % of them successful"
    )
    ax.text(0.5, 0.02, told, ha="center", va="bottom", fontsize=8)


def _box(ax: Axes, corner: tuple[float, float], style: Mapping[str, Any]) -> None:
    from matplotlib.patches import FancyBboxPatch

    ax.add_patch(FancyBboxPatch(corner, 2 * HALF_WIDTH, 2 * HALF_HEIGHT, **style))


def _arrow(ax: Axes, a: str, b: str, told: str) -> None:
    """From one part's edge to another's, with what it carries beside it."""
    (x0, y0, _), (x1, y1, _) = PARTS[a], PARTS[b]
    across = x0 != x1
    edge_x, edge_y = (HALF_WIDTH + 0.02, 0.0) if across else (0.0, HALF_HEIGHT + 0.02)
    dx, dy = np.sign(x1 - x0) * edge_x, np.sign(y1 - y0) * edge_y
    style = {"arrowstyle": "-|>", "color": BLUE, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=(x1 - dx, y1 - dy), xytext=(x0 + dx, y0 + dy), arrowprops=style)
    if across:
        ax.text((x0 + x1) / 2, y0 + 0.03, told, ha="center", va="bottom", fontsize=7.5)
    else:
        side = 0.03 if x0 < 0.5 else -0.03
        over = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        at = "left" if side > 0 else "right"
        ax.text(x0 + side, (y0 + y1) / 2, told, ha=at, va="center", fontsize=7.5, bbox=over)
