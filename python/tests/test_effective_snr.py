"""Effective SNR against an implementation of its own: numpy, SciPy's normal tail, and a root found by bisection."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import log_ndtr, logsumexp

from wavetank import _core

# Table 5.2: factor before Q, and what the SNR is multiplied by under the root.
MODULATIONS = [(1.0, 2.0), (1.0, 1.0), (3 / 4, 1 / 5), (7 / 12, 1 / 21)]


def log_ber(factor, inside, snr):
    return np.log(factor) + log_ndtr(-np.sqrt(inside * snr))


def independent(csi, snr_db):
    """Equations 5.6 to 5.8 and section 5.6.2, written down from the text."""
    raw = csi[..., 0].astype(float) + 1j * csi[..., 1].astype(float)
    normalised = raw / np.sqrt(np.mean(np.abs(raw) ** 2))
    scaled = normalised * np.sqrt(10 ** (snr_db / 10))
    rho = np.abs(scaled) ** 2
    out = []
    for factor, inside in MODULATIONS:
        mean = logsumexp(log_ber(factor, inside, rho)) - np.log(len(rho))
        out.append(brentq(lambda db: log_ber(factor, inside, 10 ** (db / 10)) - mean, -100, 80, xtol=1e-6))  # noqa: B023
    return np.array(out)


def channels(seed, n, subcarriers):
    """Multipath of a few random taps, quantised to 10 bits a part, as the hardware reports it."""
    rng = np.random.default_rng(seed)
    k = np.arange(subcarriers)
    for _ in range(n):
        taps = rng.integers(1, 9)
        gains = (rng.normal(size=taps) + 1j * rng.normal(size=taps)) * 10 ** (-rng.uniform(0, 1) * np.arange(taps) / 2)
        h = np.exp(-2j * np.pi * np.outer(k, np.arange(taps)) / 128) @ gains
        h *= rng.uniform(100, 511) / max(np.abs(h.real).max(), np.abs(h.imag).max())
        yield np.stack([np.rint(h.real), np.rint(h.imag)], axis=-1).astype(np.int16)


@pytest.mark.parametrize("subcarriers", [56, 114, 242])
def test_agrees_with_numpy_and_scipy(subcarriers):
    csi = np.array(list(channels(subcarriers, 150, subcarriers)))
    snr = np.linspace(-5, 45, len(csi))
    ours = _core.effective_snr(csi.tobytes(), subcarriers, snr.tobytes())
    theirs = np.array([independent(c, s) for c, s in zip(csi, snr, strict=True)])
    assert np.abs(ours - theirs).max() < 0.02  # dB; 0.1 is asked
    assert (ours <= snr[:, None] + 0.01).all()  # a fade never helps
    assert np.ptp(theirs - snr[:, None]) > 10  # and the channels do fade


def test_very_strong_signals():
    """There the weakest sub-carrier is all that counts; beyond 92 dB differences of f32 numbers have no fraction left."""
    csi = np.array(list(channels(3, 3000, 114)))
    power = (csi.astype(float) ** 2).sum(axis=2)
    csi, power = csi[power.min(axis=1) > 0], power[power.min(axis=1) > 0]
    weakest = 10 * np.log10(power.min(axis=1) / power.mean(axis=1))
    snr = np.linspace(85, 130, len(csi))
    ours = _core.effective_snr(csi.tobytes(), 114, snr.tobytes())
    assert np.abs(ours - (snr + weakest)[:, None]).max() < 0.2  # not quite all: the others are that little


def test_an_empty_report_is_no_number():
    csi = np.zeros((2, 114, 2), np.int16)
    csi[1] = 200
    e = _core.effective_snr(csi.tobytes(), 114, np.array([20.0, 20.0]).tobytes())
    assert np.isnan(e[0]).all()
    assert np.abs(e[1] - 20).max() < 0.01


@pytest.mark.parametrize(("csi", "subcarriers", "snr"), [(456, 114, 7), (455, 114, 8), (456, 0, 8), (4 * 513, 513, 8)])
def test_sizes_that_do_not_fit(csi, subcarriers, snr):
    with pytest.raises(ValueError, match="bytes of CSI"):
        _core.effective_snr(bytes(csi), subcarriers, bytes(snr))
