"""A house: stations with modes, drivers and flows of their own, and a call among them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import wavetank
from wavetank.lab import metrics, records
from wavetank.linux.translate import translate
from wavetank.report import run_tables
from wavetank.sweeps import metrics as sweep_metrics

HOUSE = """
name = "house"
[time]
lead_in = "1 s"
flows = "6 s"
tail = "1 s"
[topology]
kind = "wifi"
[wifi]
standard = "ac"
width_mhz = 80
mcs = 9
streams = 2
stations = 4
[stations]
driver = ["ath10k*2", "ath9k*2"]
mcs = [9, 4, 15, 0]
streams = [2, 1, 1, 1]
width_mhz = [80, 80, 40, 20]
tcp_up = [1, 0, 0, 0]
tcp_down = [0, 1, 0, 1]
udp_up = ["off", "off", "68800 bit/s", "off"]
[ap]
driver = "ath10k"
[sta]
driver = "ath10k"
[traffic]
udp_payload = 172
udp_dscp = "EF"
ping_dscp = "CS6"
"""


def scenario(text: str) -> wavetank.Scenario:
    return wavetank.Scenario(text, "house.toml")


@pytest.fixture(scope="module")
def result() -> wavetank.Result:
    return scenario(HOUSE).run()


def test_each_station_has_its_modes(result):
    """Rates of 802.11-2020 tables 21-29 to 21-60 (VHT) and 19-27 to 19-34 (HT), short guard interval."""
    of = {name: {(round(m.mbit, 1), m.width_mhz) for m in n.modes} for name, n in result.nodes.items()}
    assert of["sta1"] == {(866.7, 80)} and of["sta2"] == {(195.0, 80)}
    assert of["sta3"] == {(300.0, 40)} and of["sta4"] == {(7.2, 20)}
    assert {rate for rate, _ in of["ap"]} == {866.7, 195.0, 300.0, 7.2}
    assert {round(m.mbit, 1): m.phy for m in result.nodes["ap"].modes} == {
        866.7: "vht",
        195.0: "vht",
        300.0: "ht",
        7.2: "ht",
    }


def test_each_station_has_its_flows(result):
    names = {f.name: f.dscp for f in result.flows}
    assert names == {"up1 sta1": "CS0", "down1 sta2": "CS0", "udp_up1 sta3": "EF", "down1 sta4": "CS0"}
    rates = {f.name: f.goodput_mbit for f in result.flows}
    assert rates["down1 sta4"] < 7.2 < rates["down1 sta2"] < 195


def test_a_call_is_judged_by_its_datagrams(result):
    """50 packets a second for the window's four seconds; voice waits for no queue of best effort."""
    (call,) = [f for f in result.summary()["flows"] if f["kind"] == "udp"]
    d = call["delivery"]
    assert (call["dscp"], d["sent"]) == ("EF", 200)
    assert d["loss"] == 0 and 0.1 < d["delay_ms"]["p50"] < d["delay_ms"]["p99"] < 30
    (best_effort,) = [
        f for f in scenario(HOUSE).set({"traffic.udp_dscp": 0}).run().summary()["flows"] if f["kind"] == "udp"
    ]
    assert best_effort["delivery"]["delay_ms"]["p50"] > 1.5 * d["delay_ms"]["p50"]


def test_the_table_tells_of_each_station(result):
    s = result.summary()
    assert set(s["ping_ms_of"]) == {"sta1", "sta2", "sta3", "sta4"}
    assert s["airtime_rx"]["sta4"] > s["airtime_rx"]["sta1"]
    unknown = dict.fromkeys(s["airtime_rx"])  # as on the real kernel, where several radios send to one
    (_, _, radios, _) = run_tables({**s, "airtime_rx": unknown})
    assert set(radios.columns[6].cells) == {"–"}
    nothing = replace(result, nodes={n: replace(v, airtime_rx_fraction=math.nan) for n, v in result.nodes.items()})
    assert nothing.summary()["airtime_rx"] == unknown
    titles = [[str(c.header) for c in t.columns] for t in run_tables(s)]
    assert "retransmits" in titles[0] and "jitter ms" in titles[1]
    assert titles[2][:1] == ["radio"] and titles[2][-1] == "ping ms p10/p50/p90"


def test_a_list_can_be_set_from_python():
    s = scenario(HOUSE).set({"stations.mcs": [9, 8, 7, 0], "stations.udp_up": ["off", "1 Mbit/s"]})
    assert (s.check()["stations.mcs"], s.check()["stations.udp_up"]) == ("9, 8, 7, 0", "off, 1 Mbit/s")
    nested = {"name": "x", "topology": {"kind": "wifi"}, "stations": {"mcs": [7, 4], "stretch_acks": [True, False]}}
    assert wavetank.Scenario.from_dict(nested).check()["stations.stretch_acks"] == "true, false"


@pytest.mark.parametrize("text", ["two\nlines\tand \x01\x7f", 'x"\nseed = 9', "\\ \u2028 \U0001d11e"])
def test_a_text_from_python_is_the_scenarios_as_it_is(text):
    """One with a line's end was "not TOML: key with no value"."""
    values = {"name": "x", "description": text, "topology": {"kind": "wifi"}}
    assert wavetank.Scenario.from_dict(values).check()["description"] == text
    with pytest.raises(wavetank.ScenarioError, match=r'no key or section "na me".*did you mean "name"'):
        wavetank.Scenario.from_dict({**values, "na me": "x"}).check()


def test_bytes_are_no_list_of_numbers_and_a_seed_is_one_everywhere():
    s = scenario(HOUSE)
    for f in (
        lambda: s.set({"name": b"x"}),
        lambda: s.starts(-1),
        lambda: s.channel_trace(2**64),
        lambda: s.run(seed=True),
    ):
        with pytest.raises(wavetank.UserError, match="expected a"):
            f()


def test_the_second_water_has_the_flows():
    n = {"wifi.standard": "n", "wifi.width_mhz": 40, "wifi.mcs": 7, "stations.mcs": "7, 4", "sta.driver": "ath9k"}
    text = "\n".join(
        line for line in HOUSE.splitlines() if not line.startswith(("driver = [", "streams", "width_mhz = ["))
    )
    t = translate(scenario(text).set(n))
    assert [f"{f.name} {f.dscp}" for f in t.flows] == ["up1 sta1 0", "down1 sta2 0", "udp_up1 sta3 46", "down1 sta4 0"]
    assert [line.split()[3] for line in t.case["flow"]] == ["0", "0", str(46 << 2), "0"]
    assert {line.split()[2] for line in t.case["echo"]} == {str(48 << 2)}


def test_a_call_beside_a_film_has_datagrams_and_a_mark_of_its_own():
    own = {
        "stations.udp_up": ["off", "off", "68800 bit/s", "off"],
        "stations.udp_down": ["off", "off", "68800 bit/s", "4 Mbit/s"],
        "stations.udp_payload": "1470*2, 172, 1316",
        "stations.udp_dscp": "CS0*2, EF, AF41",
    }
    four = {"name": "call", "topology": {"kind": "wifi"}, "wifi": {"stations": 4}}
    four |= {"time": {"lead_in": "1 s", "flows": "4 s"}, "traffic": {"tcp_up": 1}}
    s = wavetank.Scenario.from_dict(four).set(own)
    sizes = {"udp_up1 sta3": (172, "EF"), "udp_down1 sta3": (172, "EF"), "udp_down1 sta4": (1316, "AF41")}
    udp = {f.name: f for f in s.run(1).flows if f.kind == "udp"}
    assert {name: f.dscp for name, f in udp.items()} == {name: mark for name, (_, mark) in sizes.items()}
    assert all(f.bytes_window % sizes[name][0] == 0 for name, f in udp.items())
    for f in udp.values():
        t, delay = f.series["t"], f.series["delay_ms"]
        assert np.isnan(delay[t < 1]).all()
        assert np.nanmean(delay) == pytest.approx(f.delivery["delay_ms"]["mean"], rel=0.15)
    lines = [line.split() for line in translate(s).case["flow"] if line.startswith("udp")]
    assert [(int(w[3]), int(w[6])) for w in lines] == [(46 << 2, 172), (46 << 2, 172), (34 << 2, 1316)]
    assert {int(w[5]) for w in lines[:2]} == {20_000_000}


def test_metrics_of_one_station_are_that_stations(result):
    """Two stations that have two flows each: the second's are the third and fourth."""
    r = scenario(HOUSE).set({"stations.tcp_up": [1, 1, 0, 0], "stations.tcp_down": [1, 1, 0, 1]}).run()
    of = {f.name: f.goodput_mbit for f in r.flows}
    record = records.record(r)
    read = {
        q: metrics.QUANTITIES[q].each(record)
        for q in ("goodput@sta2", "goodput@sta3", "ping_p50@sta4", "udp_delay_p99")
    }
    assert read["goodput@sta2"] == pytest.approx(of["up1 sta2"] + of["down1 sta2"])
    assert read["goodput@sta3"] == pytest.approx(of["udp_up1 sta3"])
    s = r.summary()
    assert read["ping_p50@sta4"] == pytest.approx(s["ping_ms_of"]["sta4"]["p50"], rel=1e-3)
    (call,) = [f for f in s["flows"] if f["kind"] == "udp"]
    assert read["udp_delay_p99"] == call["delivery"]["delay_ms"]["p99"]
    assert metrics.QUANTITIES["jain"].each(record) == pytest.approx(s["jain"])
    assert sweep_metrics.metric("ping_p90@sta4").better == sweep_metrics.metric("udp_loss").better == "less"


@pytest.mark.parametrize("standard", ["ac", "ax"])
def test_the_ideal_rate_control_gives_each_station_what_its_channel_carries(standard):
    """At 38 and 14 dB on a channel that stands still; the far one has the MCS whose threshold it has (docs/channel.md)."""
    driver = "ath10k" if standard == "ac" else "mt76"
    text = f"""
        name = "far"
        topology.kind = "wifi"
        wifi = {{ standard = "{standard}", width_mhz = 80, mcs = 9, streams = 2, stations = 2 }}
        stations.snr = [38, 14]
        channel = {{ on = true, delay_spread = "0 ns", k_db = 60 }}
        ap = {{ driver = "{driver}", rate_control = "ideal" }}
        sta = {{ driver = "{driver}", rate_control = "ideal" }}
        traffic = {{ tcp_up = 0, udp_down = "20 Mbit/s" }}
        time = {{ lead_in = "1 s", flows = "4 s", tail = "1 s" }}
    """
    r = scenario("\n".join(line.strip() for line in text.splitlines())).run()
    near, far = ({(m.streams, m.mcs) for m in r.nodes[f"sta{i}"].rx_modes} for i in (1, 2))
    assert near == {(2, 11 if standard == "ax" else 9)}
    assert far == {(2, 3)}, "each of two streams has 11 dB, and MCS 3 wants 10.8"
    lost = [sum(k * n for k, n in enumerate(r.nodes[f"sta{i}"].rx_bad)) for i in (1, 2)]
    assert lost[0] < 10
