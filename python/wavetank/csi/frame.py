"""What every format of log comes down to: one received PPDU's channel state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Carriers used at each width, of 312.5 kHz each, by index from the channel's middle. src: 802.11-2020 19.3.5, 21.3.7
EDGES = {20: (1, 28), 40: (2, 58), 80: (2, 122), 160: (6, 250)}

Complex = NDArray[np.complex128]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def used(width_mhz: int) -> Ints:
    """Indices of the sub-carriers that carry something, lowest frequency first.

    56, 114, 242 of them at 20, 40, 80 MHz.
    """
    first, last = EDGES[width_mhz]
    if width_mhz == 160:  # two halves of 80 MHz, each with a hole in its middle
        half = used(80)
        return np.concatenate([half - 128, half + 128])
    up = np.arange(first, last + 1)
    return np.concatenate([-up[::-1], up])


@dataclass(frozen=True, slots=True)
class Frame:
    """Channel state that was measured on one PPDU.

    ``csi``: complex, receive antenna x transmit antenna x sub-carrier, against an unknown reference. ``subcarriers``:
    their indices (312.5 kHz from the channel's middle), rising. ``snr_db``: of all receive antennas together, one
    value for each 20 MHz that the hardware tells apart; empty if the log has neither SNR nor noise. ``chain``: which
    pair of receive and transmit antenna a log that has one pair a record is at.
    """

    offset: int
    time_s: float
    csi: Complex
    subcarriers: Ints
    width_mhz: int
    snr_db: tuple[float, ...] = ()
    rssi_dbm: float | None = None
    noise_dbm: float | None = None
    source: str | None = None
    chain: tuple[int, int] | None = None
    mcs: int | None = None


class Unwrap:
    """A counter of ``bits`` that wraps, as a number that only grows.

    A step back of less than half its range is one back.
    """

    def __init__(self, bits: int) -> None:
        self.span = 1 << bits
        self.last: int | None = None

    def __call__(self, value: int) -> int:
        """Takes the counter; the number."""
        if self.last is None:
            self.last = value
        else:
            step = (value - self.last) % self.span
            self.last += step - self.span if step >= self.span // 2 else step
        return self.last


def mac(six: bytes) -> str:
    """A MAC address as people write it."""
    return six.hex(":")


def db(linear: float) -> float:
    """Decibels of a ratio of powers."""
    return float(10 * np.log10(linear))


def linear(decibels: float) -> float:
    """The ratio of powers."""
    return float(10 ** (decibels / 10))
