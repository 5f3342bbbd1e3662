"""Effective SNR: the one place where the tools call the core for it (equations 5.6 to 5.8 of the thesis, ``phy/csi``)."""

from __future__ import annotations

import math

import numpy as np

from .frame import Complex, Floats

MODULATIONS = ("BPSK", "QPSK", "16-QAM", "64-QAM")


def _q(x: Floats) -> Floats:
    return 0.5 * np.asarray(np.vectorize(math.erfc, otypes=[float])(x / math.sqrt(2)))


_TABLE = ((1.0, 2.0), (1.0, 1.0), (0.75, 0.2), (7 / 12, 1 / 21))


def effective_db(csi: Complex, snr_db: Floats) -> Floats:
    """Effective SNR in dB, a row a frame, a column a modulation.

    ``csi``: frame x sub-carrier, against any reference. ``snr_db``: each frame's SNR.
    """
    power = np.abs(csi) ** 2
    power *= 10 ** (snr_db[:, None] / 10) / power.mean(axis=1, keepdims=True)
    grid = np.linspace(-60, 80, 14001)
    out = np.empty((len(csi), 4))
    for m, (a, b) in enumerate(_TABLE):
        ber = (a * _q(np.sqrt(b * power))).mean(axis=1)
        curve = a * _q(np.sqrt(b * 10 ** (grid / 10)))
        out[:, m] = np.interp(-np.log(np.maximum(ber, 1e-300)), -np.log(np.maximum(curve, 1e-300)), grid)
    return out
