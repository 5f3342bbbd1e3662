"""Dips of BBR's window, and the spikes that a plot of its pacing rate shows of them."""

import math

import pytest

from wavetank.lab import metrics
from wavetank.lab.plan import Point
from wavetank.scenario import Scenario

POINT = Point("p", Scenario(""), {})
STEP = 0.2


def record(dips, usual, paced):
    """Thirty seconds of 60 segments at ``usual`` Mbit/s; each dip is two samples of 4 segments at ``paced``."""
    t = [5 + STEP * k for k in range(150)]
    low = [any(0 <= x - at < 1.5 * STEP for at in dips) for x in t]
    return {
        "series": {"cwnd_down": [t, [4 if x else 60 for x in low]], "pacing_down": [t, [paced if x else usual for x in low]]},
        "window": [7, 35],
    }  # fmt: skip


def value(quantity, r):
    return metrics.sample(quantity, "", [r], POINT).value


def test_a_flow_that_paces_above_its_bandwidth_shows_its_dips():
    r = record([15, 25], usual=300, paced=200)
    assert value("drain_spikes", r) == value("drain_dips", r) == 2
    assert (value("drain_time_1", r), value("drain_time_2", r)) == pytest.approx((15, 25))
    assert value("drain_period", r) == pytest.approx(10)


def test_a_flow_that_paces_at_its_bandwidth_dips_unseen():
    r = record([15, 25], usual=200, paced=200)
    assert (value("drain_spikes", r), value("drain_dips", r)) == (0, 2)
    assert math.isnan(value("drain_time_1", r))
    assert value("drain_period", r) == pytest.approx(10)


def test_the_cycles_own_drain_is_no_spike():
    assert value("drain_spikes", record([15], usual=200, paced=151)) == 0
    assert value("drain_spikes", record([15], usual=200, paced=149)) == 1


def test_before_the_window_and_without_a_dip_there_is_none():
    assert value("drain_dips", record([6], usual=300, paced=100)) == 0
    assert value("drain_spikes", record([], usual=300, paced=100)) == 0
