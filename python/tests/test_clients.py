"""What is told of each client of several: its MCSs, and the panels that have a curve a client."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure as Canvas

from wavetank.lab.metrics import QUANTITIES
from wavetank.plots import aggregate


def sent(**mpdus):
    """A record of MPDUs sent to stations, by MCS."""
    return {
        "rx_mcs": {n: [float(by.get(i, 0)) for i in range(32)] for n, by in mpdus.items()},
        "airtime_rx": {"ap": 0.1, **dict.fromkeys(mpdus, 0.2)},
    }


def test_a_clients_mcs_is_the_mean_over_mpdus_to_it():
    r = sent(sta1={1: 30, 2: 10}, sta2={7: 400}, sta3={})
    assert QUANTITIES["mcs@sta1"].each(r) == pytest.approx((30 * 1 + 10 * 2) / 40)
    assert QUANTITIES["mcs@sta2"].each(r) == 7
    assert math.isnan(QUANTITIES["mcs@sta3"].each(r)), "nothing was sent to it"
    assert sorted(QUANTITIES["mcs@sta1"].samples(r)) == [1.0] * 30 + [2.0] * 10
    assert QUANTITIES["mcs"].each(r) == pytest.approx((40 * QUANTITIES["mcs@sta1"].each(r) + 400 * 7) / 440)


def test_millions_of_mpdus_are_ten_thousand_samples_of_the_same_shares():
    samples = QUANTITIES["mcs@sta1"].samples(sent(sta1={3: 3_000_000, 5: 1_000_000}))
    assert (samples.size, (samples == 3).mean()) == (10_000, 0.75)


@pytest.mark.parametrize(
    ("n", "labels"), [(4, ["sta1", "sta2", "sta3", "sta4"]), (8, ["sta7", "sta8", "each other client"])]
)
def test_of_few_clients_each_curve_has_a_name(n, labels):
    r = sent(**{f"sta{i}": {i - 1: 100} for i in range(1, n - 1)}, **{f"sta{n - 1}": {20: 100}, f"sta{n}": {30: 100}})
    point = SimpleNamespace(name="p")
    figure = SimpleNamespace(points={"p": point})
    outcome = SimpleNamespace(measured=SimpleNamespace(of=lambda figure, point: [r]))
    ax = Canvas().subplots()
    aggregate.clients(outcome, figure, {"points": ["p"], "quantity": "mcs", "label": "MCS"}, ax)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == labels
    assert len(ax.get_lines()) == n + (n > 4)
