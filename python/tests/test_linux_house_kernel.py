"""A house of stations that differ on the real kernel: `pytest -m kernel`, which linux/test calls."""

from __future__ import annotations

import numpy as np
import pytest

import wavetank
from wavetank.linux import like_linux

pytestmark = pytest.mark.kernel
SHORT = {"lead_in": "400 ms", "flows": "4 s", "tail": "400 ms", "warmup": "1 s"}
HOUSE = {
    "name": "house",
    "time": SHORT,
    "topology": {"kind": "wifi"},
    "wifi": {"standard": "ax", "mcs": 9, "streams": 2, "width_mhz": 80, "stations": 4},
    "ap": {"driver": "mt76"},
    "sta": {"driver": "mt76"},
    "stations": {
        "driver": "mt76, ath10k, ath9k, mt76",
        "mcs": "9, 7, 15, 4",
        "streams": "2, 1, 1, 1",
        "width_mhz": "80, 80, 20, 40",
    },
    "traffic": {"tcp_up": 1, "tcp_down": 1},
}
N = {
    "name": "rc",
    "time": SHORT,
    "topology": {"kind": "wifi"},
    "wifi": {"stations": 2, "mcs": 15, "width_mhz": 20, "short_gi": False},
}


def lost(r: wavetank.Result, node: str) -> float:
    """The share of the MPDUs sent to it that were not decoded, those of collisions among them."""
    of = r.nodes[node]
    mpdus = sum(k * n for k, n in enumerate(of.rx_hist))
    return float(sum(k * n for k, n in enumerate(of.rx_bad)) / mpdus)


def rate(r: wavetank.Result, station: int) -> float:
    """What it was sent to at, Mbit/s, the mean over the MPDUs."""
    modes = r.nodes[f"sta{station}"].rx_modes
    return sum(m.mbit * m.mpdus for m in modes) / sum(m.mpdus for m in modes)


def both(scenario: wavetank.Scenario) -> list[wavetank.Result]:
    return [scenario.run(1, on="linux"), like_linux(scenario).run(1)]


def modes(r: wavetank.Result) -> dict[str, set[tuple[str, int, int, int, int]]]:
    """How each node sent its data, single frames of 802.11a's rates apart."""
    return {
        name: {(m.phy, m.mcs, m.streams, m.width_mhz, m.gi_ns) for m in n.modes if m.phy != "ofdm"}
        for name, n in r.nodes.items()
    }


def test_each_station_is_sent_to_as_its_card_takes_it():
    linux, model = both(wavetank.Scenario.from_dict(HOUSE))
    assert modes(linux) == modes(model)
    assert modes(linux)["ap"] == {
        ("he", 9, 2, 80, 800), ("vht", 7, 1, 80, 400), ("ht", 15, 2, 20, 400), ("he", 4, 1, 40, 800),
    }  # fmt: skip
    for i, most in enumerate([256, 64, 64, 256], 1):  # their windows
        assert max(k for k, n in enumerate(linux.nodes[f"sta{i}"].rx_hist) if n) <= most
    total = [sum(f.goodput_mbit for f in r.flows) for r in (linux, model)]
    assert total[0] == pytest.approx(total[1], rel=0.15)


def test_a_channel_of_802_11ac_is_the_models():
    """A station that is near, one that is at the edge of its MCS, and one of 802.11n: the same share of MPDUs arrives."""
    s = wavetank.Scenario.from_dict(HOUSE).set(
        {
            "wifi.standard": "ac",
            "wifi.mcs": 7,
            "wifi.stations": 3,
            "ap.driver": "ath10k",
            "sta.driver": "ath10k",
            "stations.driver": "ath10k*2, ath9k",
            "stations.mcs": "7, 4, 12",
            "stations.streams": "2, 1, 1",
            "stations.width_mhz": "80, 40, 40",
            "stations.snr": "40, 20, 24",
            "channel.on": True,
            "channel.doppler": 5,
            "traffic.tcp_up": 0,
            "traffic.tcp_down": 0,
            "traffic.udp_down": "20 Mbit/s",
        }
    )
    linux, model = both(s)
    for i in (1, 2, 3):
        assert lost(linux, f"sta{i}") == pytest.approx(lost(model, f"sta{i}"), abs=0.05), i
    assert lost(linux, "sta1") < 0.02 < lost(linux, "sta2")


def test_rate_control_keeps_to_what_each_card_can():
    s = wavetank.Scenario.from_dict(N).set(
        {
            "ap.rate_control": "minstrel_ht",
            "sta.rate_control": "minstrel_ht",
            "stations.mcs": "15, 7",
            "traffic.tcp_down": 1,
        }
    )
    for r in both(s):
        found = {m for name, of in modes(r).items() for m in of}
        assert {(mhz, gi) for *_, mhz, gi in found} == {(20, 800)}
        assert {streams for _, _, streams, *_ in modes(r)["sta2"]} == {1}
        assert 2 in {streams for _, _, streams, *_ in modes(r)["sta1"]}


@pytest.mark.parametrize("standard", ["ac", "n"])
def test_the_ideal_rates_are_the_models(standard):
    """Stations far and near: how fast each is sent to, by the same channel on both waters."""
    s = wavetank.Scenario.from_dict(
        HOUSE | {"wifi": {"standard": standard, "stations": 3, "mcs": 9, "width_mhz": 80, "streams": 2}}
    )
    n = {
        "wifi.standard": "n",
        "wifi.mcs": 15,
        "wifi.streams": 1,
        "wifi.width_mhz": 40,
        "ap.driver": "ath9k",
        "sta.driver": "ath9k",
    }
    ac = {"ap.driver": "ath10k", "sta.driver": "ath10k"}
    off = {f"stations.{key}": "off" for key in ("driver", "mcs", "streams", "width_mhz")}
    channel = {"channel.on": True, "channel.doppler": 2, "stations.snr": "38, 24, 14"}
    ideal = {"ap.rate_control": "ideal", "sta.rate_control": "ideal", "traffic.tcp_up": 0}
    rates = [
        [rate(r, i) for i in (1, 2, 3)] for r in both(s.set(off | channel | ideal | (n if standard == "n" else ac)))
    ]
    assert rates[0] == pytest.approx(rates[1], rel=0.1)
    assert rates[0][0] > 1.2 * rates[0][1] > 1.2**2 * rates[0][2]


@pytest.mark.parametrize(("width", "mcs"), [(80, 9), (20, 8)])
def test_minstrel_over_802_11ac_is_the_models(width, mcs):
    """mt76 that leaves its rates to mac80211: VHT's, up to the card's, and whole A-MPDUs that probe; as fast as the model's within a tenth."""
    s = wavetank.Scenario.from_dict(HOUSE).set(
        {
            "wifi.standard": "ac",
            "wifi.stations": 1,
            "wifi.width_mhz": width,
            "wifi.mcs": mcs,
            "ap.rate_control": "minstrel_ht",
            "sta.rate_control": "minstrel_ht",
            "channel.on": True,
            "channel.moving": 0,
            "channel.snr": 24,
            "traffic.tcp_up": 0,
            **{f"stations.{key}": "off" for key in ("driver", "mcs", "streams", "width_mhz")},
        }
    )
    runs = [(s.run(seed, on="linux"), like_linux(s).run(seed)) for seed in (1, 2, 3, 4)]
    linux = runs[0][0]
    assert {phy for phy, *_ in modes(linux)["ap"]} == {"vht"}
    assert max(mhz for *_, mhz, _ in modes(linux)["ap"]) == width, "narrower ones are probed, too"
    assert len({(mcs, streams) for _, mcs, streams, *_ in modes(linux)["ap"]}) > 4
    rates = [sum(rate(r, 1) for r in water) for water in zip(*runs, strict=True)]
    assert rates[0] == pytest.approx(rates[1], rel=0.1)
    sizes = [np.sum([r.nodes["ap"].ampdu_hist[:65] for r in water], axis=0) for water in zip(*runs, strict=True)]
    means = [float((np.arange(65) * h)[1:].sum() / h[1:].sum()) for h in sizes]
    assert means[0] == pytest.approx(means[1], rel=0.15)
