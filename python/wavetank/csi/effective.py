"""Effective SNR: the one place where the tools call the core for it (equations 5.6 to 5.8 of the thesis,
``wavetank-csi``).
"""

from __future__ import annotations

import numpy as np

from .. import _core
from .frame import Complex, Floats

MODULATIONS = ("BPSK", "QPSK", "16-QAM", "64-QAM")
MOST = 32767  # of a part, as the core takes it


def effective_db(csi: Complex, snr_db: Floats) -> Floats:
    """Effective SNR in dB, a row a frame, a column a modulation; NaN for a frame with nothing in it.

    ``csi``: frame x sub-carrier, against any reference. ``snr_db``: each frame's SNR.
    """
    parts = csi.view(np.float64)
    largest = np.abs(parts).max(axis=1, keepdims=True)
    whole = (parts == np.rint(parts)).all(axis=1, keepdims=True)
    # Whole numbers that fit go as they are; others as large as they can be, which leaves 16 bits of the strongest.
    scale = np.where(whole & (largest <= MOST), 1.0, MOST / np.maximum(largest, 1e-300))
    packed = np.rint(parts * scale).astype(np.int16).tobytes()
    return _core.effective_snr(packed, csi.shape[1], snr_db.astype(np.float64).tobytes())
