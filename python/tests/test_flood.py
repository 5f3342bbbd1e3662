"""UDP flows whose programs wait for their sockets: told, with what they sent of what they were to."""

import re

import pytest

import wavetank
from wavetank import flood

LINK = {
    "name": "x",
    "topology": {"kind": "wifi"},
    "time": {"lead_in": "1 s", "warmup": "1 s", "flows": "3 s", "tail": "0 s"},
    "wifi": {"standard": "ac", "mcs": 9, "width_mhz": 160},
    "sta": {"driver": "ath10k"},
    "ap": {"driver": "ath10k"},
    "traffic": {"tcp_up": 0, "udp_up": "900 Mbit/s"},
}


def told(**sets):
    scenario = wavetank.Scenario.from_dict(LINK).set({k.replace("__", "."): v for k, v in sets.items()})
    result = scenario.run()
    return result, [str(n) for n in flood.notes(scenario, result)]


def test_a_socket_that_is_full_is_told_and_more_room_is_more_goodput():
    small, (note,) = told()
    assert re.match(
        r"udp_up1 sent [\d.]+ of 900 Mbit/s, with traffic.udp_sndbuf = 208 KiB: a program waits for room in its socket",
        note,
    )
    sent = float(note.split()[2])
    assert sent == pytest.approx(small.flows[0].goodput_mbit, rel=0.02)
    large, _ = told(traffic__udp_sndbuf="4 MiB")
    assert large.flows[0].goodput_mbit > 1.5 * sent


@pytest.mark.parametrize(
    "sets",
    [
        {"traffic__udp_up": "100 Mbit/s"},
        {"traffic__udp_up": "6 kbit/s"},  # a datagram or two in the window
        {"traffic__udp_up": "off", "traffic__tcp_up": 1},
        # the second begins in the middle of the window
        {"traffic__udp_up": "20 Mbit/s", "wifi__stations": 2, "traffic__start_step": "2 s"},
    ],
)
def test_who_sends_all_that_is_offered_is_not_told_of(sets):
    assert told(**sets)[1] == []


def test_each_station_is_held_to_its_own_rate_and_many_are_counted():
    _, (note,) = told(wifi__stations=2, stations__udp_up=["1 Mbit/s", "900 Mbit/s"])
    assert note.startswith("udp_up1 sta2 sent ")
    _, (note,) = told(wifi__stations=5, time__flows="1500 ms")
    assert note.count("Mbit/s") == flood.TOLD and ", and 2 more flows less than theirs, with" in note
