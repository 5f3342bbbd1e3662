"""A log in words and tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich.table import Table

from .effective import MODULATIONS
from .formats import FORMATS
from .frame import Floats
from .log import Log


def heading(log: Log) -> str:
    """What it is, in a line."""
    seconds = float(np.ptp(log.time_s))
    pace = f" over {seconds:.1f} s" if seconds else ""
    shapes = ", ".join(f"{n} of {s}" for s, n in log.shapes.most_common(3))
    who = f", from {', '.join(log.sources[:3])}{' and others' if len(log.sources) > 3 else ''}" if log.sources else ""
    what = f"{FORMATS[log.format].title}, {log.frames} channel states{pace}"
    return f"{log.path}: {what} ({shapes}: receive x transmit x sub-carriers){who}"


def tables(log: Log) -> Iterator[Table]:
    """SNR and effective SNR; power of each sub-carrier."""
    snr = Table(
        title=f"antennas {log.ask.rx}, {log.ask.tx}, dB", title_justify="left", header_style="bold", pad_edge=False
    )
    for column in ("", "10 %", "median", "90 %", "standard deviation"):
        snr.add_column(column, justify="right" if column else "left")
    rows: list[tuple[str, Floats]] = [("SNR as reported", log.snr_db), ("SNR, smoothed", log.smoothed_db)]
    rows += [(f"eSNR, {m}", log.esnr_db[:, i]) for i, m in enumerate(MODULATIONS)]
    for name, values in rows:
        finite = values[np.isfinite(values)]
        if len(finite):
            p = np.percentile(finite, [10, 50, 90])
            snr.add_row(name, *(f"{x:.1f}" for x in (*p, finite.std())))
    if snr.row_count:
        yield snr
    mean, low, high = log.percentiles()
    power = Table(title="power of the sub-carriers, dB", title_justify="left", header_style="bold", pad_edge=False)
    for column in ("sub-carrier", "mean", "10 %", "90 %"):
        power.add_column(column, justify="right")
    count = len(log.subcarriers)
    for i in sorted({round(k * (count - 1) / 14) for k in range(15)}):  # the rest is in the figure and in --json
        power.add_row(str(log.subcarriers[i]), f"{mean[i]:.1f}", f"{low[i]:.1f}", f"{high[i]:.1f}")
    yield power
