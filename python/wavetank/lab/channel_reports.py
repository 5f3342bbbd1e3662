"""What a scenario's channel does and reports, without a run: SNR and CSI of each step as the hardware tells them, how modes fare.

Read from what the core writes down for the virtual radio (``Scenario.channel_trace``). Quantities, of the access point's PPDUs
to the first station:

* ``csi_band``: how far a sub-carrier's reported power spreads over time, 1st to 99th percentile, dB; the median of sub-carriers.
  ``csi_band_normalised``: the same of CSI whose mean power is 1 (5.6.2 of the thesis).
* ``csi_power_change``: reported power while the SNR is in its highest third, less that in its lowest, dB; the median of
  sub-carriers.
* ``snr_spread``: how far the reported SNR (the mean of both halves in linear scale) spreads, 1st to 99th percentile, dB.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .. import stats
from ..csi.effective import effective_db
from ..scenario import Scenario
from ..stats import FloatArray
from .judge import Sample, Unmeasured
from .plan import Point

#: Channels that a quantity is the median of.
SEEDS = (1, 2, 3, 4, 5)
#: Losses are of HT modes, then of 802.11a's eight.
OFDM = 8
#: A new SNR's weight in its moving average. src: crates/core/src/phy/channel/measure.rs
WEIGHT = 1 / 8


@dataclass(frozen=True)
class Reports:
    """A link over time, a row a step.

    ``t``: s; ``halves``: reported SNR of the control and the extension half, dB; ``csi``: complex, step x sub-carrier, against
    any reference; ``arrives``: probability that an octet arrives, step x MCS.
    """

    t: FloatArray
    halves: FloatArray
    csi: NDArray[np.complex128]
    arrives: FloatArray

    @property
    def snr(self) -> FloatArray:
        """Mean of both halves in linear scale, dB."""
        return np.asarray(10 * np.log10(np.mean(10 ** (self.halves / 10), axis=1)), dtype=np.float64)

    @property
    def smooth(self) -> FloatArray:
        """Its moving average: what scales CSI."""
        out = self.snr.copy()
        for i in range(1, out.size):
            out[i] = out[i - 1] + WEIGHT * (out[i] - out[i - 1])
        return out

    @property
    def power(self) -> FloatArray:
        """Power of each sub-carrier as reported, dB against any reference."""
        return np.asarray(20 * np.log10(np.maximum(np.abs(self.csi), 0.5)), dtype=np.float64)

    @property
    def normalised(self) -> FloatArray:
        """The same where each report's mean power is 1."""
        return np.asarray(
            self.power - 10 * np.log10(np.mean(np.abs(self.csi) ** 2, axis=1, keepdims=True)), dtype=np.float64
        )

    @property
    def scaled(self) -> FloatArray:
        """SNR of each sub-carrier, dB."""
        return np.asarray(self.normalised + self.smooth[:, None], dtype=np.float64)

    def esnr(self) -> FloatArray:
        """Effective SNR, dB: step x modulation (BPSK, QPSK, 16-QAM, 64-QAM)."""
        return effective_db(self.csi, self.smooth)


@lru_cache(maxsize=4)
def of(scenario: Scenario, seed: int) -> Reports:
    """The channel from the access point to the first station. Raises Unmeasured for a scenario that has none."""
    data = scenario.channel_trace(seed, csi=True)
    if data is None:
        raise Unmeasured("the scenario has no channel")
    links, steps, step_ns, subcarriers = struct.unpack_from("<8xIIQI", data)
    at = 32
    for _ in range(links):
        sender, receiver, mcs, widths = struct.unpack_from("<HHHH", data, at)
        row = np.dtype([("snr", "<i2", 2), ("loss", "<u4", mcs * widths + OFDM), ("csi", "<i2", (subcarriers, 2))])
        if (sender, receiver) == (0, 1):
            rows = np.frombuffer(data, row, steps, at + 8)
            parts = rows["csi"].astype(np.float64)
            return Reports(
                np.arange(steps) * step_ns * 1e-9,
                rows["snr"] / 100.0,
                parts[..., 0] + 1j * parts[..., 1],
                2.0 ** (-rows["loss"][:, :mcs].astype(np.float64) / 2.0**32),
            )
        at += 8 + steps * row.itemsize
    raise Unmeasured("the access point sends to nobody")


def _spread(values: FloatArray) -> FloatArray:
    low, high = np.percentile(values, [1, 99], axis=0)
    return np.asarray(high - low, dtype=np.float64)


def _power_change(r: Reports) -> float:
    low, high = np.percentile(r.snr, [100 / 3, 200 / 3])
    return float(np.median(r.power[r.snr >= high].mean(axis=0) - r.power[r.snr <= low].mean(axis=0)))


QUANTITIES: dict[str, Callable[[Reports], float]] = {
    "csi_band": lambda r: float(np.median(_spread(r.power))),
    "csi_band_normalised": lambda r: float(np.median(_spread(r.normalised))),
    "csi_power_change": _power_change,
    "snr_spread": lambda r: float(_spread(r.snr)),
}


def sample(quantity: str, point: Point) -> Sample:
    """A quantity's median over channels."""
    values = [QUANTITIES[quantity](of(point.scenario, seed)) for seed in SEEDS]
    return Sample(float(np.median(values)), stats.standard_error(values), point.name)
