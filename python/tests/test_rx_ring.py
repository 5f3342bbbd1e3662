"""The receive ring of a radio's card: what waits there for the host's CPU, and what does not."""

from typing import Any

import pytest

import wavetank as wt

HOUSE = {
    "name": "house",
    "topology": {"kind": "wifi"},
    "wifi": {"standard": "ax", "mcs": 9, "streams": 2, "width_mhz": 80, "stations": 4},
    "ap": {"driver": "mt76"},
    "sta": {"driver": "mt76"},
    "traffic": {"tcp_down": 1, "tcp_up": 1, "udp_down": "off"},
    "time": {"lead_in": "0 s", "flows": "6 s", "tail": "1 s", "warmup": "1 s"},
}


def house(**sets: Any) -> wt.Result:
    return wt.Scenario.from_dict(HOUSE).set({k.replace("__", "."): v for k, v in sets.items()}).run()


def test_a_whole_window_that_a_reorder_buffer_lets_go_is_not_dropped() -> None:
    """256 A-MSDUs of seven TCP ACKs are more packets than the ring has room for, and wait behind a hole outside of it."""
    assert "host.overlimit" not in house().drops


@pytest.mark.parametrize(("ring", "drops"), [("auto", False), (1536, False), (20, True)])
def test_frames_that_find_the_ring_full_are_dropped(ring: Any, drops: bool) -> None:
    slow = house(wifi__stations=1, traffic__tcp_up=0, host__sta_rx="15 us", host__backlog=ring)
    assert ("host.overlimit" in slow.drops) is drops
