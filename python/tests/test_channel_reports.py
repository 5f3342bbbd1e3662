"""What is read of a channel that the core wrote down, and what is made of it."""

import numpy as np
import pytest

import wavetank
from wavetank.lab import channel_reports, plan
from wavetank.lab.judge import Unmeasured

RC = wavetank.load(plan.ROOT / "scenarios" / "thesis-rc.toml").set({"time.flows": "4 s", "channel.moving": 0.0})


def test_a_flat_channel_is_what_was_set():
    r = channel_reports.of(RC.set({"channel.snr": 19, "channel.k_db": 60, "channel.delay_spread": "0 ns"}), 1)
    assert r.csi.shape == (2001, 114) and r.t[1] == pytest.approx(0.002)
    assert r.snr.mean() == pytest.approx(19, abs=0.3) and r.smooth[100:].std() < r.snr.std() / 2
    # 19.0 dB of a flat channel are 19.0 dB of effective SNR, but for the estimate's noise.
    assert np.median(r.esnr()[:, 3]) == pytest.approx(19, abs=0.5)
    # docs/channel.md: MCS 0 from 1.7 dB on, MCS 7 from 21.0.
    assert r.arrives[0, 0] > 0.9999 and r.arrives[0, 7] ** 1538 < 0.1


def test_the_jitter_and_the_reference_are_those_that_are_fed():
    still = channel_reports.of(RC, 2)
    assert channel_reports.QUANTITIES["snr_spread"](still) == pytest.approx(1.0, abs=0.3)
    near = channel_reports.of(RC.set({"channel.snr": 45}), 2)
    assert channel_reports.QUANTITIES["csi_band"](near) == pytest.approx(3.0, abs=0.2)
    assert channel_reports.QUANTITIES["csi_band_normalised"](near) < 0.5


def test_reported_power_does_not_follow_transmit_power():
    r = channel_reports.of(RC.set({"channel.snr": 40, "channel.power_step": "100 ms"}), 1)
    assert np.ptp(r.snr) > 4
    assert abs(channel_reports.QUANTITIES["csi_power_change"](r)) < 0.1


def test_no_channel_no_reports():
    with pytest.raises(Unmeasured, match="no channel"):
        channel_reports.of(RC.set({"channel.on": False}), 1)


def test_a_normalised_report_has_a_mean_power_of_one():
    r = channel_reports.of(RC, 3)
    assert 10 * np.log10(np.mean(10 ** (r.normalised / 10), axis=1)) == pytest.approx(0.0, abs=1e-6)
