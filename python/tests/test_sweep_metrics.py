"""Metrics of a sweep: names that are none, and what no point can have, refused before anything runs."""

from __future__ import annotations

import numpy as np
import pytest

import wavetank
from wavetank.errors import UserError
from wavetank.lab import records
from wavetank.lab.metrics import QUANTITIES
from wavetank.lab.plan import Point
from wavetank.sweeps import metrics, needs, run

HOUSE = {
    "name": "house",
    "topology": {"kind": "wifi"},
    "time": {"lead_in": "200 ms", "flows": "1 s", "tail": "0 s", "warmup": "200 ms"},
    "wifi": {"standard": "n", "mcs": 7},
    "ap": {"driver": "ath9k"},
}
WIRED = {"name": "wired", "topology": {"kind": "wired"}, "htb": {"rate": "50 Mbit/s"}, "time": HOUSE["time"]}


def scenario(values=HOUSE, **sets):
    return wavetank.Scenario.from_dict(values).set(sets)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mcs_mode", "mcs_mode is only of one: mcs_mode@sta1"),
        ("bad_ampdus:p90", "bad_ampdus is only of one: bad_ampdus@sta1"),
        ("goodput_share", "goodput_share is only of one: goodput_share@"),
        ("mcs_mod", 'did you mean "mcs_mode"'),
        ("goodput@bbrr", 'did you mean "goodput@bbr"'),
        ("goodput@sta99", "expected goodput@sta1 to goodput@sta64"),
        ("jain@sta1", "expected jain, which is of all together"),
        ("airtime_share", "airtime_share@sta1, airtime_share:mean"),
        ("airtime_share:median", "airtime_share@sta1, airtime_share:mean"),
    ],
)
def test_a_name_that_is_none_says_which_was_meant(name, said):
    with pytest.raises(UserError, match=r"^--metric: ") as error:
        metrics.metric(name)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("name", "sets", "said"),
    [
        ("goodput@sta9", {}, "there is no sta9 (1 station)"),
        ("ping_p50@sta2", {"wifi.stations": 2, "traffic.ping_stations": 1}, "sta2 does not ping"),
        ("goodput@sta2", {"wifi.stations": 2, "stations.tcp_up": [1, 0]}, "sta2 has no flow"),
        ("goodput@bbr", {}, "no flow has bbr"),
        ("udp_delay_p50", {}, "there is no UDP flow"),
        ("goodput", {"traffic.udp_down": "5 Mbit/s"}, "there is no TCP flow"),
        ("drain_dips", {"traffic.udp_down": "5 Mbit/s"}, "there is no TCP flow"),
        ("goodput_down:p90", {}, "no TCP flow goes down"),
        ("ping_p90", {"traffic.ping": "off"}, "traffic.ping is off"),
    ],
)
def test_what_no_point_can_have_is_refused_before_anything_runs(name, sets, said, monkeypatch, tmp_path):
    monkeypatch.setattr(run, "carry_out", lambda *a, **k: pytest.fail("it was run"))
    with pytest.raises(UserError) as error:
        wavetank.sweep(scenario(**sets), ["wifi.mcs=7,6"], metrics=["retransmits", name], out=tmp_path / "o")
    assert str(error.value) == f"{name} has no value at any point: {said}"


def test_nor_can_the_best_be_by_what_no_point_has():
    with pytest.raises(UserError, match="udp_jitter has no value at any point: there is no UDP flow"):
        wavetank.sweep(scenario(), ["wifi.mcs=7,6"], best="udp_jitter")


def test_a_wire_has_no_air_and_the_second_water_follows_no_datagrams():
    assert needs.asker("model")("down_mean", scenario(WIRED)) == "there is no Wi-Fi"
    udp = scenario(**{"traffic.udp_down": "5 Mbit/s"})
    assert needs.asker("linux")("udp_jitter", udp) == "datagrams are not followed on linux"
    assert needs.asker("linux")("udp_goodput", udp) == ""


@pytest.mark.parametrize("values", [HOUSE, WIRED])
@pytest.mark.parametrize(
    "sets", [{}, {"traffic.udp_down": "5 Mbit/s"}, {"traffic.rrul": True, "tcp.cc": "bbr"}, {"traffic.ping": "off"}]
)
def test_what_a_run_has_is_never_refused(values, sets):
    """Counts and maxima of nothing are 0, which is no value either."""
    s, why_not = scenario(values, **sets), needs.asker("model")
    record = records.record(s.run())
    for name in (n for n in QUANTITIES if n not in metrics.SAMPLES):
        value = metrics.metric(name).of(record, Point("p", s, {}))
        assert np.isnan(value) or value == 0 or not why_not(name, s), f"{name}: {value}, {why_not(name, s)}"


def test_what_some_points_have_is_run_and_told_of(wavetank, tmp_path):
    path = tmp_path / "house.toml"
    path.write_text(scenario().text)
    words = ["sweep", path, "wifi.stations=1,2", "--metric", "goodput@sta2", "--repetitions", "1", "--jobs", "1"]
    code, _, err = wavetank(*words, "--out", tmp_path / "out")
    assert code == 0 and "note: goodput@sta2 has no value at stations=1\n" in err
