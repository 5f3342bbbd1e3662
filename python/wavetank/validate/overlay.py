"""One picture a kernel case: the kernel's two runs and ours over time, so that the eye can check the shape."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure as Canvas

from ..plots.style import PAPER, RED, STYLE, legend_above
from ..stats import FloatArray

#: What is drawn: column of the rows, its label, whether it is summed over the flows (else averaged).
COLUMNS = (("cwnd", "cwnd, all flows (segments)", True), ("rtt", "srtt, mean of flows (ms)", False))


def _over_time(trace: Mapping[str, Any], column: str, total: bool) -> tuple[FloatArray, FloatArray]:
    """A column at each sample's time, over the flows."""
    at: dict[float, list[float]] = {}
    for r in trace["rows"]:
        value = r[column]
        at.setdefault(r["t"], []).append(math.nan if value is None else float(value))
    t = np.array(sorted(at), dtype=np.float64)
    gather = np.nansum if total else np.nanmean
    return t, np.array([gather(at[x]) if np.isfinite(at[x]).any() else math.nan for x in t.tolist()])


def draw(
    name: str, config: Mapping[str, Any], kernel: Sequence[Mapping[str, Any]], ours: Mapping[str, Any], path: Path
) -> None:
    """Draws a case: cwnd, smoothed round trip and echo, ours in red over the kernel's pair in grey.

    The figures are judged from the dotted line on.
    """
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=(9.0, 7.0), dpi=110, layout="constrained")
        axes = canvas.subplots(3, 1, sharex=True)
        runs = [
            (k, PAPER, style, f"kernel, run {i + 1}")
            for i, (k, style) in enumerate(zip(kernel, ("-", ":"), strict=False))
        ]
        for trace, colour, style, label in [*runs, (ours, RED, "-", "model")]:
            front = trace is ours
            look: dict[str, Any] = {
                "color": colour,
                "linestyle": style,
                "linewidth": 1.1 if front else 1.6,
                "alpha": 0.9,
            }
            for ax, (column, _, total) in zip(axes, COLUMNS, strict=False):
                ax.plot(*_over_time(trace, column, total), label=label, **look)
            pings = np.array([[t, math.nan if v is None else v] for t, v in trace["pings"]], dtype=np.float64).reshape(
                -1, 2
            )
            axes[2].plot(pings[:, 0], pings[:, 1], **{**look, "linewidth": 0.8})
        for ax, label in zip(axes, [*(c[1] for c in COLUMNS), "echo (ms)"], strict=True):
            ax.set_ylabel(label)
            ax.set_ylim(bottom=0)
            ax.axvline(config.get("warmup", 4), color=PAPER, linestyle=(0, (1, 3)), linewidth=0.9)
        legend_above(axes[0], 3)  # within, it lay upon BBR's dips
        axes[2].set_xlabel("Time since the flows' start (s)")
        axes[2].set_xlim(0, config["secs"])
        axes[2].text(
            1.0, -0.2, "Dotted: figures are taken from there on.", transform=axes[2].transAxes, ha="right", va="top",
            color=PAPER, fontsize=8,
        )  # fmt: skip
        canvas.suptitle(name, x=0.01, ha="left", fontweight="bold")
        canvas.savefig(path, format="png", metadata={"Software": "wavetank"})
