"""Figure 5.9: what went between AARC's parts."""

import math
from types import SimpleNamespace

import pytest

from wavetank import _core
from wavetank.lab import plan, records, runner
from wavetank.lab.judge import Unmeasured
from wavetank.measured import Mode
from wavetank.plots import loop

COUNTED = {"units": 500, "reports": 480, "heard": 470, "age_ns": 940_000_000, "lifted": 12, "probes": 60, "forced": 10}


def record(**counted):
    return {"rate": {"ap": counted}, "window": [0.5, 5.0]}


def test_flows_are_counts_by_second_of_the_whole_run():
    f = loop.flows(record(**COUNTED, forced_ok=4))
    assert (f["units"], f["reports"], f["heard"], f["probes"]) == (100, 96, 94, 12)
    assert f["age_ms"] == pytest.approx(2.0)
    assert (f["lifted"], f["forced"], f["success"]) == (2.4, 2.0, 40)
    assert math.isnan(loop.flows(record(**{**COUNTED, "forced": 0}, forced_ok=0))["success"])


def test_a_rate_control_without_feedback_has_none():
    for without in (record(), record(units=5, reports=0)):
        with pytest.raises(Unmeasured, match="no reports"):
            loop.flows(without)


def test_the_figures_run_is_the_walks():
    own = {f.id: f for f in plan.load("aarc")}
    parts, walk = (own[i] for i in ("aarc/fig5-9", "aarc/fig5-36"))
    keys = [{r.key for r in runner.runs_of([f], False, "model") if r.point.endswith("aarc")} for f in (parts, walk)]
    assert keys[0] and keys[0] == keys[1]


def test_a_ppdus_airtime_is_its_own():
    mcs7 = Mode(7, 1, 40, True, 150.0, ppdus=10, mpdus=170, gi_ns=400)
    # 17 MPDUs of 1544 octets, 22 bits of service and tail: 389 symbols of 540 bits and 3.6 us, in whole 4 us; 36 us of preamble
    assert records._ppdu_ms([mcs7], "n") == pytest.approx(0.036 + 1.404)
    # one of 1544 octets: 119 symbols of 104 bits and 4 us, 40 us of preamble; the mean is over PPDUs
    mcs4 = Mode(9, 2, 20, False, 26.0, ppdus=30, mpdus=30)
    assert records._ppdu_ms([mcs7, mcs4], "n") == pytest.approx((10 * 1.440 + 30 * (0.040 + 0.476)) / 40)
    assert records._ppdu_ms([], "n") == 0.0
    assert records._ppdu_ms([mcs7], "a") == 0.0
    with pytest.raises(ValueError, match=r"802\.11n has no MCS 32"):
        _core.ppdu_ms("n", 32, 1, 20, 800, 100)


def test_one_rate_is_that_of_all_data():
    def node(*modes):
        return SimpleNamespace(modes=modes)

    fast, slow, unused = (
        Mode(7, 1, 40, True, mbit, ppdus=n, mpdus=n) for mbit, n in ((150.0, 10), (15.0, 3), (30.0, 0))
    )
    assert records._one_rate([node(fast, unused), node(fast), node()]) == 150.0
    assert math.isnan(records._one_rate([node(fast), node(slow)]))
    assert math.isnan(records._one_rate([node()]))
