"""From a report of channel state to the feedback that is sent.

The SNR of every report is smoothed, effective SNR is computed when it is sent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..csi.effective import effective_db
from ..csi.frame import Complex, Frame, db
from ..csi.log import Ask, Smooth, chosen, pair_of, total_snr_db

CENTI = 100  # of a dB: the unit of every message


@dataclass(frozen=True, slots=True)
class Report:
    """Channel state of one pair of antennas. ``time_ns``: when the PPDU ended, by the clock that the daemon runs on."""

    time_ns: int
    csi: Complex
    snr_db: float


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is sent of a report.

    Effective SNR of BPSK, QPSK, 16-QAM, 64-QAM and the smoothed SNR, 1/100 dB; and when its PPDU ended.
    """

    time_ns: int
    esnr: tuple[int, int, int, int]
    snr: int


def centi(decibels: float) -> int:
    """1/100 dB, as 16 bits hold it."""
    return int(min(max(round(decibels * CENTI), -32768), 32767))


def report_of(frame: Frame, ask: Ask, time_ns: int) -> Report | None:
    """A report of the pair and sub-carriers that are asked for; none where the frame has not got them, or has no SNR."""
    pair, total = pair_of(frame, ask), total_snr_db(frame, ask)
    if pair is None or total is None:
        return None
    csi, share = pair[0][chosen(frame.subcarriers, ask)], pair[1]
    return Report(time_ns, csi, total + db(share)) if share != 0 and np.abs(csi).any() else None


class Meter:
    """Keeps the newest report and the smoothed SNR; constant memory."""

    def __init__(self, weight: float) -> None:
        self.smooth = Smooth(weight)
        self.newest: Report | None = None

    def put(self, report: Report) -> None:
        """A report, in the order of time."""
        self.smooth(report.snr_db)
        self.newest = report

    def take(self) -> Feedback | None:
        """Feedback of the newest report, once."""
        report, self.newest = self.newest, None
        if report is None or self.smooth.value is None:
            return None
        esnr = effective_db(report.csi[None, :], np.array([self.smooth.value]))[0]
        if not np.isfinite(esnr).all():
            return None
        a, b, c, d = (centi(x) for x in esnr)
        return Feedback(report.time_ns, (a, b, c, d), centi(self.smooth.value))
