"""Effective SNR after equations 5.6 to 5.8 of the thesis, for tests: independent of the core, in logarithms so that nothing underflows.

Table 5.2 gives BER_m = a Q(sqrt(b rho)). log Q is SciPy's log_ndtr, the mean over sub-carriers a logsumexp, and the inverse a bisection of the
very same expression, each frame by itself.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, logsumexp

TABLE = {"BPSK": (1, 2), "QPSK": (1, 1), "16-QAM": (3 / 4, 1 / 5), "64-QAM": (7 / 12, 1 / 21)}


def log_ber(a: float, b: float, rho: np.ndarray) -> np.ndarray:
    """Natural logarithm of the bit error rate at SNR rho (linear)."""
    return np.log(a) + log_ndtr(-np.sqrt(b * rho))


def esnr_db(csi: np.ndarray, snr_db: float) -> list[float]:
    """Effective SNR in dB of one frame (its sub-carriers), for each modulation of TABLE."""
    normalised = csi / np.sqrt(np.mean(np.abs(csi) ** 2))
    rho = np.abs(normalised * np.sqrt(10 ** (snr_db / 10))) ** 2
    out = []
    for a, b in TABLE.values():
        mean = logsumexp(log_ber(a, b, rho)) - np.log(len(rho))
        out.append(
            brentq(
                lambda db, a=a, b=b, mean=mean: log_ber(a, b, np.float64(10 ** (db / 10))) - mean, -90, 90, xtol=1e-9
            )
        )
    return out
