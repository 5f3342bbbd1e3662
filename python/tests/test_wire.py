"""The wire behind the access point is told of where it is full, and not where the air binds."""

from dataclasses import replace

import pytest

import wavetank
from wavetank import wire

LINK = {
    "name": "x",
    "topology": {"kind": "wifi"},
    "time": {"lead_in": "0 s", "warmup": "1 s", "flows": "2 s", "tail": "0 s"},
    "wifi": {"standard": "ax", "mcs": 11, "width_mhz": 160, "streams": 2},
    "sta": {"driver": "mt76"},
    "ap": {"driver": "mt76"},
    "traffic": {"tcp_up": 0, "tcp_down": 2, "udp_sndbuf": "4 MiB"},
}


def run(**sets):
    scenario = wavetank.Scenario.from_dict(LINK).set({k.replace("__", "."): v for k, v in sets.items()})
    result = scenario.run()
    return sum(f.goodput_mbit for f in result.flows), [str(n) for n in wire.notes(scenario, result)]


def test_a_full_wire_is_told_with_its_direction():
    goodput, (note,) = run()
    # 1538 octets of a gigabit wire are 1448 of payload
    assert goodput == pytest.approx(1000 * 1448 / 1538, rel=0.02)
    assert note.startswith("the wire behind the access point carried ") and "of 1000 Mbit/s down: it binds" in note
    _, (note,) = run(traffic__tcp_down=0, traffic__udp_up="3 Gbit/s")
    assert "Mbit/s up: it binds" in note


@pytest.mark.parametrize(
    "sets",
    [{"ethernet__rate": "10 Gbit/s"}, {"backhaul__present": False}, {"wifi__width_mhz": 40}, {"traffic__tcp_down": 0}],
)
def test_where_the_air_binds_nothing_is_told(sets):
    assert run(**sets)[1] == []


def test_the_kernels_wire_has_no_rate():
    """Nor has its result every key."""
    scenario = wavetank.Scenario.from_dict(LINK)
    assert wire.notes(scenario, replace(scenario.run(), water="linux", resolved={})) == []


def test_a_wired_scenario_has_no_such_wire():
    wired = {"topology.kind": "wired", "htb.rate": "100 Mbit/s"}
    given = {k: v for k, v in LINK.items() if k in ("name", "time")}
    scenario = wavetank.Scenario.from_dict(given).set(wired)
    assert wire.notes(scenario, scenario.run()) == []


def test_a_stations_datagrams_are_as_long_as_it_has_them():
    """700 Mbit/s in datagrams of 1472 octets leave a quarter of the wire; in the others' hundred they would not fit."""
    goodput, notes = run(
        traffic__tcp_down=0, traffic__udp_up="700 Mbit/s", traffic__udp_payload=100, stations__udp_payload=[1472]
    )
    assert goodput == pytest.approx(700, rel=0.02) and notes == []
