"""Flows of which nothing arrived: told, with where it stayed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import wavetank as wt
from wavetank import lost

HOUSE = {
    "name": "x",
    "topology": {"kind": "wifi"},
    "time": {"lead_in": "200 ms", "flows": "3 s", "tail": "200 ms", "warmup": "1 s"},
    "wifi": {"standard": "n", "mcs": 7},
    "ap": {"driver": "ath9k"},
    "traffic": {"tcp_up": 1},
}


def told(house=HOUSE, **sets):
    scenario = wt.Scenario.from_dict(house).set({k.replace("__", "."): v for k, v in sets.items()})
    return [str(n) for n in lost.notes(scenario, scenario.run(1))]


@pytest.mark.parametrize(
    "sets",
    [
        {},
        {"wifi__error_rate": 0.5},
        {"wifi__stations": 4, "traffic__tcp_down": 1},
        {"traffic__tcp_up": 0, "traffic__udp_down": "1 Mbit/s"},
        {"traffic__tcp_up": 0, "traffic__udp_down": "2 kbit/s"},  # no datagram is due in the window
        {"traffic__tcp_up": 0},
    ],
)
def test_who_gets_through_is_not_told_of(sets):
    assert told(**sets) == []


@pytest.mark.parametrize(
    ("sets", "why"),
    [
        ({"wifi__error_rate": 1}, "all that the station sent was lost"),
        ({"stations__error_up": 1}, "all that the station sent was lost"),
        ({"stations__error_down": 1}, "all that was sent to the station was lost"),  # the handshake's second packet
        ({"stations__error_up": 1, "traffic__tcp_up": 0, "traffic__tcp_down": 1}, "all that the station sent was lost"),
        (
            {"stations__error_down": 1, "traffic__tcp_up": 0, "traffic__udp_down": "1 Mbit/s"},
            "all that was sent to the station was lost",
        ),
        # an SNR at which the mode does not get through
        ({"channel__on": True, "channel__snr": 2.0}, "was lost on the air"),
    ],
)
def test_what_is_lost_on_the_air_is_told_by_its_way(sets, why):
    (note,) = told(**sets)
    assert note.startswith("nothing of ") and " arrived (drops: " in note and why in note, note


def test_of_several_stations_the_one_without_answers_is_told_alone():
    (note,) = told(wifi__stations=3, stations__error_up=[0, 1, 0])
    assert note.startswith("nothing of up1 sta2 arrived (drops: driver.retries ")
    assert "all that the station sent was lost on the air" in note


def test_many_flows_are_counted():
    (note,) = told(wifi__stations=5, wifi__error_rate=1)
    assert note.startswith("nothing of up1 sta1, up1 sta2, up1 sta3 and 2 more arrived (drops: ")


def test_datagrams_need_no_answer():
    """The way back may be dead: what went up arrived."""
    assert told(stations__error_down=1, traffic__tcp_up=0, traffic__udp_up="1 Mbit/s") == []


def test_a_wires_losses_are_in_the_drops():
    wired = {"name": "w", "topology": {"kind": "wired"}, "htb": {"rate": "50 Mbit/s"}, "time": HOUSE["time"]}
    (note,) = told(wired, netem__loss=1, traffic__tcp_up=1)
    assert note.startswith("nothing of up1 arrived (drops: qdisc.loss ") and note.endswith(lost.DROPPED)


def test_a_flow_that_begins_when_flows_end_is_told_why():
    (note,) = told(traffic__tcp_up=2, traffic__start_step="10 s")
    assert note == f"nothing of up2 arrived: {lost.LATE}"


def test_what_came_outside_of_the_window_is_told_apart():
    scenario = wt.Scenario.from_dict(HOUSE)
    result = scenario.run(1)
    (flow,) = result.flows
    silent = replace(result, flows=(replace(flow, bytes_window=0, goodput_mbit=0.0),))
    (note,) = lost.notes(scenario, silent)
    assert str(note) == f"nothing of up1 arrived between 1.2 and 3.2 s: {lost.OUTSIDE}"


def test_every_verb_that_runs_tells_it(wavetank, tmp_path):
    file = tmp_path / "x.toml"
    file.write_text(
        'name = "x"\n[topology]\nkind = "wifi"\n[time]\nlead_in = "200 ms"\nflows = "3 s"\ntail = "200 ms"\nwarmup = "1 s"\n'
        '[wifi]\nstandard = "n"\nmcs = 7\n[ap]\ndriver = "ath9k"\n[traffic]\ntcp_up = 1\n'
    )
    code, out, err = wavetank("run", file, "--set", "wifi.error_rate=1", "--json")
    assert code == 0 and "note: nothing of up1 arrived (drops: " in err
    (note,) = json.loads(out)["notes"]
    assert note.startswith("nothing of up1 arrived")
    axis = ["wifi.error_rate=0,1", "--repetitions", 1, "--jobs", 1]
    code, out, err = wavetank("sweep", file, *axis, "--out", tmp_path / "s", "--json")
    assert code == 0 and "note: error_rate=1: nothing of up1 arrived" in err
    (bound,) = json.loads(out)["bound"]
    assert list(bound["at"]) == ["error_rate=1"] and "lost on the air" in bound["why"]
