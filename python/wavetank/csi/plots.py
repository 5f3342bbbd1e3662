"""A log's figure: power of each sub-carrier, over frequency and over time; SNR and effective SNR over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure as Canvas

from .. import files
from ..plots.formats import FORMATS, check
from ..plots.style import PALETTE, PAPER, STYLE, headline, legend_above, title_panel
from .effective import MODULATIONS
from .frame import Floats
from .log import Log

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 4000  # of a line: more than a picture has columns


def save(log: Log, path: Path) -> Path:
    """Draws the log into a PNG, PDF or SVG, as the file's name ends. Raises UserError for another ending."""
    check(path)

    def draw(to: Path) -> None:
        with mpl.rc_context(STYLE):
            scaled = bool(np.isfinite(log.smoothed_db).any())
            # Without SNR there is nothing to draw over time but the powers.
            canvas = Canvas(figsize=(9.5, 8.4 if scaled else 5.6), dpi=130, layout="constrained")
            axes = canvas.subplots(3 if scaled else 2, 1, height_ratios=(1, 1.1, 1.1)[: 3 if scaled else 2])
            _spectrum(log, axes[0], scaled)
            _over_time(log, axes[1], scaled, canvas)
            if scaled:
                _snr(log, axes[2])
                axes[1].set_xlim(axes[2].get_xlim())  # what happens at one time stands at one place
            count = f"{len(log.time_s)} frame{'s' if len(log.time_s) > 1 else ''}"
            headline(
                canvas,
                f"{Path(log.path).name}: receive antenna {log.ask.rx}, transmit antenna {log.ask.tx}, "
                f"{log.width_mhz} MHz, {count}",
            )
            canvas.savefig(to, metadata=FORMATS[path.suffix.lower()])

    return files.write(path, draw)


def _clock(log: Log, times: Floats) -> tuple[Floats, str]:
    """Seconds from the log's first frame; the frame's place where the log's clock goes back."""
    if len(log.time_s) > 1 and (np.diff(log.time_s) < 0).any():
        return np.linspace(0, len(log.time_s) - 1, len(times)), "Frame"
    return times - log.time_s[0], "Time (s)"


def _spectrum(log: Log, ax: Axes, scaled: bool) -> None:
    mean, low, high = log.percentiles()
    x = log.subcarriers
    halves = [h for h in (x < 0, x > 0) if h.any()]  # nothing is sent in the middle
    for i, h in enumerate(halves):
        labels = ("10th to 90th percentile", "mean") if i == 0 else (None, None)
        ax.fill_between(x[h], low[h], high[h], color=PALETTE[0], alpha=0.25, lw=0, label=labels[0])
        ax.plot(x[h], mean[h], color=PALETTE[0], label=labels[1])
    ax.set_xlabel("Sub-carrier (312.5 kHz from the channel's middle)")
    ax.set_ylabel("SNR (dB)" if scaled else "Power (dB, mean 0)")
    ax.margins(x=0.01)
    ax.legend(loc="upper right", ncols=2)
    ax.set_ylim(top=ax.get_ylim()[1] + 0.18 * np.ptp(ax.get_ylim()))
    ax.set_title("Power of each sub-carrier", loc="left")


def _over_time(log: Log, ax: Axes, scaled: bool, canvas: Canvas) -> None:
    times, label = _clock(log, log.power_s)
    low, high = np.percentile(log.power_db, [1, 99])
    x = log.subcarriers
    edges = np.concatenate([[x[0] - 0.5], (x[1:] + x[:-1]) / 2, [x[-1] + 0.5]])
    last = np.ptp(times) / max(len(times) - 1, 1) or 1.0  # a frame's column reaches to the next one's
    ends = np.append(times, times[-1] + last)
    image = ax.pcolormesh(
        ends, edges, log.power_db.T, cmap="viridis", vmin=low, vmax=max(high, low + 1e-3), rasterized=True
    )
    # Beside the axes and not of their width, so that the panels' axes of time line up.
    scale = ax.inset_axes((1.012, 0.0, 0.014, 1.0))
    canvas.colorbar(image, cax=scale, label="SNR (dB)" if scaled else "Power (dB, mean 0)")
    ax.grid(visible=False)
    ax.set_xlabel(label)
    ax.set_ylabel("Sub-carrier")
    ax.set_title("Power over time", loc="left")


def _snr(log: Log, ax: Axes) -> None:
    step = max(1, len(log.time_s) // MOST_POINTS)
    times, label = _clock(log, log.time_s)
    at = slice(None, None, step)
    ax.plot(times[at], log.snr_db[at], ".", ms=2, color="#999999", label="SNR as reported")
    ax.plot(times[at], log.smoothed_db[at], color=PAPER, label="SNR, smoothed")
    for i, name in enumerate(MODULATIONS):
        ax.plot(times[at], log.esnr_db[at, i], color=PALETTE[i], lw=1, label=f"eSNR, {name}")
    ax.set_xlabel(label)
    ax.set_ylabel("SNR (dB)")
    # as far as the last column of the powers over time
    ax.set_xlim(times[0], max(times[-1], times[0] + 1e-9) + np.ptp(times) / max(len(times) - 1, 1))
    legend_above(ax, 6, marks=4)
    title_panel(ax, "SNR and effective SNR")
