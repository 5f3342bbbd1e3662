"""What both measurements of a real ath9k are read by: their rows, a run's goodput and ping in its window, the bounds of a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UserError
from . import sheet
from .report import Report, Row
from .sheet import Table

if TYPE_CHECKING:
    from .._core import CoreResult

GOODPUT_SHARE, PING_FACTOR = 0.10, 1.5
#: Flent's ping without flows, and what is left out after their start.
LEAD_IN_S, WARMUP_S = 5.0, 3.0


def rows(path: Path, what: str, columns: Sequence[str]) -> Iterator[tuple[str, Table]]:
    """Each row of a measurement's file, with its place there; figures are numbers. Raises UserError for what is no such file."""
    header, found = sheet.read(path, what)
    if header != list(columns):
        raise UserError(f"{path}:1: columns {', '.join(header)}, expected {', '.join(columns)}")
    sheet.filled(path, found, what)
    for line, row in found:
        for key in ("seconds", "sum_mbit", "ping_p50_ms"):
            sheet.figure(f"{path}:{line}", row, key)
        yield f"{path}:{line}", row


def window(seconds: float) -> tuple[float, float]:
    """From when until when a run with flows of so many seconds is read."""
    return LEAD_IN_S + WARMUP_S, LEAD_IN_S + seconds


def goodput(out: CoreResult, seconds: float) -> float:
    """The flows' sum, Mbit/s, by what the senders know to be acknowledged."""
    start, end = window(seconds)
    total = 0.0
    for flow in out["flows"]:
        t, acked = np.asarray(flow["series"]["t"]), np.asarray(flow["series"]["acked"])
        within = (t >= start - 1e-3) & (t <= end + 1e-3)
        total += 8e-6 * float(acked[within][-1] - acked[within][0]) / float(t[within][-1] - t[within][0])
    return total


def ping(out: CoreResult, seconds: float) -> float:
    """The median of all pings, ms."""
    start, end = window(seconds)
    pings = []
    for one in out["pings"]:
        t, rtt = np.asarray(one["t"]), np.asarray(one["rtt_ms"])
        pings.append(rtt[(t >= start) & (t <= end)])
    return float(np.nanmedian(np.concatenate(pings)))


def bounds(row: Table) -> Iterator[tuple[str, float, float, float]]:
    """Goodput and ping of a row: the metric, what was measured, the least and the most that holds."""
    measured, median = float(row["sum_mbit"]), float(row["ping_p50_ms"])
    yield "goodput_mbit", measured, measured * (1 - GOODPUT_SHARE), measured * (1 + GOODPUT_SHARE)
    yield "ping_p50_ms", median, median / PING_FACTOR, median * PING_FACTOR


def judge(name: str, row: Table, ours: tuple[float, float], shown: str = "") -> list[Row]:
    """Goodput and ping of a row; ``shown``: why it is not judged."""
    return [
        Row(name, metric, reference, value, None if shown else low <= value <= high, shown, low, high)
        for (metric, reference, low, high), value in zip(bounds(row), ours, strict=True)
    ]


def picture(report: Report, plots: Path | None, name: str) -> None:
    """Draws it into the folder, if there is one."""
    if plots is not None:
        from . import ath9k_plot

        ath9k_plot.draw(report, plots / name)
