"""Rates and losses over time, by who was sent to."""

from __future__ import annotations

import numpy as np
import pytest

import wavetank
from wavetank.measured import UNITS
from wavetank.plots import one_run

DOWN = {
    "name": "down",
    "topology": {"kind": "wifi"},
    "time": {"lead_in": "200 ms", "flows": "4 s", "tail": "0 s", "warmup": "1 s"},
    "wifi": {"mcs": 15, "stations": 2},
    "traffic": {"tcp_down": 1},
}


def scenario(**sets):
    return wavetank.Scenario.from_dict(DOWN).set(sets)


def of(result, name, column):
    series = result.nodes[name].series
    values = series[column][result.within(series["t"])]
    return values[np.isfinite(values)]


@pytest.fixture
def panels(canvases, tmp_path):
    """A run's page, its panels by what their axes say."""

    def go(result):
        one_run.draw(result, tmp_path / "run.png")
        return {ax.get_ylabel(): ax for ax in canvases[-1].axes}

    return go


def test_a_fixed_rate_stays_and_each_receiver_has_its_own():
    r = scenario(**{"stations.mcs": [7, 15], "stations.mcs_up": [3, 12]}).run()
    assert np.allclose(of(r, "sta1", "rx_bitrate_mbit"), 150)  # 40 MHz, short guard interval
    assert np.allclose(of(r, "sta2", "rx_bitrate_mbit"), 300)
    assert np.allclose(of(r, "sta1", "tx_bitrate_mbit"), 60)
    assert np.allclose(of(r, "sta2", "tx_bitrate_mbit"), 180)
    # what the access point sends, and is sent, is a mixture
    assert np.all((of(r, "ap", "tx_bitrate_mbit") > 150) & (of(r, "ap", "tx_bitrate_mbit") < 300))
    assert np.all((of(r, "ap", "rx_bitrate_mbit") > 60) & (of(r, "ap", "rx_bitrate_mbit") < 180))


@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_what_nobody_contends_with_is_lost_as_often_as_the_medium_says(rate):
    alone = {"traffic.tcp_down": 0, "traffic.udp_down": "80 Mbit/s", "traffic.ping": "off"}
    r = scenario(**{"wifi.error_rate": rate, **alone}).run()
    assert np.mean(of(r, "sta2", "rx_bad_share")) == pytest.approx(rate, abs=0.01)


def test_a_rate_control_moves_between_the_modes_that_it_used(panels):
    moving = {"channel.on": True, "channel.snr": 22, "channel.doppler": 3, "ap.rate_control": "minstrel_ht"}
    r = scenario(**moving).run()
    rates, modes = of(r, "sta1", "rx_bitrate_mbit"), [m.mbit for m in r.nodes["sta1"].rx_modes]
    assert np.ptp(rates) > 5
    assert min(modes) <= rates.min() < rates.max() <= max(modes)
    assert "Mean PHY rate (Mbit/s)" in panels(r) and "Mean PHY rate (Mbit/s)" not in panels(scenario().run())


def test_losses_are_drawn_where_there_are_any(panels):
    """Also of fixed rates: errors at one station are what such a run is about."""
    alone = {"traffic.tcp_down": 0, "traffic.udp_down": "80 Mbit/s", "traffic.ping": "off"}
    assert "Lost MPDUs (%)" in panels(scenario(**{"stations.error_down": [0, 0.3], **alone}).run())
    assert "Lost MPDUs (%)" not in panels(scenario(**alone).run())


@pytest.mark.parametrize(("driver", "most"), [("ath9k", 32), ("ath10k", 64)])
def test_sizes_are_drawn_as_far_as_they_go(driver, most, panels):
    ac = {"wifi.standard": "ac", "wifi.mcs": 9, "wifi.width_mhz": 80} if driver == "ath10k" else {}
    r = scenario(**{"ap.driver": driver, "sta.driver": driver, **ac}).run()
    assert panels(r)["Share of the PPDUs sent (%)"].get_xlim() == (0, most + 1)


def test_every_series_has_a_unit():
    assert set(scenario().run().nodes["ap"].series) <= set(UNITS)
