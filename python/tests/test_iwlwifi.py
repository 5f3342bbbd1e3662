"""iwlwifi in whole scenarios: the shape of what was measured of such a card (docs/devices/iwlwifi.md), and what its queues show."""

import pytest

from wavetank import Scenario
from wavetank.state import debugfs

SCENARIO = {
    "name": "ax200",
    "kernel": "6.12",
    "topology": {"kind": "wifi"},
    "wifi": {"standard": "ax", "mcs": 11, "streams": 2, "width_mhz": 160},
    "ap": {"driver": "mt76"},
    "sta": {"driver": "iwlwifi"},
    "ethernet": {"rate": "2 Gbit/s"},
    "nic": {"gro": False},
    "traffic": {"tcp_up": 2, "tcp_down": 0, "ping": "off"},
    "time": {"flows": "4 s"},
}


def goodput(**sets) -> float:
    """Mbit/s of all flows."""
    r = Scenario.from_dict(SCENARIO).set({key.replace("__", "."): v for key, v in sets.items()}).run()
    return sum(f["goodput_mbit"] for f in r.summary()["flows"])


@pytest.fixture(scope="module")
def cubic() -> float:
    return goodput()


@pytest.mark.parametrize("cc", ["reno", "illinois", "westwood"])
def test_controls_that_ask_for_losses_are_as_fast_as_cubic(cubic, cc):
    assert goodput(tcp__cc=cc) == pytest.approx(cubic, abs=50)


def test_controls_that_ask_for_delay_take_aggregates_for_queues(cubic):
    vegas, nv = goodput(tcp__cc="vegas"), goodput(tcp__cc="nv")
    assert vegas < 0.15 * cubic
    assert vegas < 0.5 * nv < 0.25 * cubic


def test_tso_is_worth_a_tenth_at_most_and_nothing_with_a_larger_small_queue(cubic):
    assert 0.88 * cubic < goodput(iwlwifi__tso=False) < 0.97 * cubic
    assert goodput(iwlwifi__tso=False, tcp__limit_output_bytes="10 MiB") == pytest.approx(cubic, rel=0.02)


def test_the_driver_shows_its_rings_and_what_waits_above_as_a_msdus():
    s = Scenario.from_dict(SCENARIO).set({"iwlwifi.tso": False})
    snapshot = s.run(states=["8 s"]).states[0]
    radio = next(d.radio for d in snapshot.hosts["sta1"].devices if d.radio)
    assert (radio.counts["tfds"], radio.counts["queue_stopped"], radio.counts["overflow_q"]) == (225, 1, 0)
    waiting = sum(t.backlog_packets for peer in radio.stations for t in peer.txqs)
    assert 3.5 * waiting < radio.joined < 4 * waiting + 1, "A-MSDUs of five, the last one being filled"
    assert f"joined {radio.joined}" in debugfs.driver(radio)
