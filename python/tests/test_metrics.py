import json

import numpy as np
import pytest

from wavetank.lab import metrics, records
from wavetank.lab.plan import Point
from wavetank.scenario import Scenario

POINT = Point("p", Scenario(""), {"t": 4})


def rec(up=10.0, down=None, ping=(1.0, 2.0, 3.0), hist=None):
    goodput = {"tcp_up": up} if down is None else {"tcp_up": up, "tcp_down": down}
    flows = [["tcp", "up", up]] + ([] if down is None else [["tcp", "down", down]])
    h = [0.0] * 65
    for k, n in (hist or {}).items():
        h[k] = n
    return {
        "goodput": goodput, "flow_goodput": flows, "pings": {"icmp": list(ping)}, "rtt_samples": {"up": [5.0, 6.0]},
        "goodput_samples": {k: [v - 1, v, v + 1] for k, v in goodput.items()}, "cwnd_samples": {}, "ampdu": {"sta1": h, "ap": [0.0] * 65},
    }  # fmt: skip


def test_goodput_is_the_median_over_repetitions_of_the_sum():
    s = metrics.sample("goodput", "", [rec(10, 1), rec(20, 1), rec(60, 1)], POINT)
    assert (s.value, s.x) == (21, 4)
    assert s.se == pytest.approx(np.std([11, 21, 61], ddof=1) / 3**0.5)


def test_round_trips_are_pooled():
    # Medians 1, 9; pooled 1 1 1 1 9 has the median 1.
    s = metrics.sample("ping_rtt", "", [rec(ping=(1, 1, 1, 1)), rec(ping=(9,))], POINT)
    assert s.value == 1
    assert s.se == pytest.approx(np.std([1, 9], ddof=1) / 2**0.5)
    assert metrics.sample("ping_rtt", "mean", [rec(ping=(1, 1, 1, 1)), rec(ping=(9,))], POINT).value == pytest.approx(
        13 / 5
    )


def test_a_lost_ping_is_not_a_sample():
    assert metrics.sample("ping_rtt", "", [rec(ping=(1, None, 3))], POINT).value == 2


def test_fairness_gap_spread():
    assert metrics.sample("fairness", "", [rec(25, 75)], POINT).value == 3
    assert metrics.sample("goodput_gap", "", [rec(75, 25)], POINT).value == 50
    assert metrics.sample("goodput_spread", "", [rec(10)], POINT).value == pytest.approx(1.6)


def test_aggregates_are_the_senders():
    r = rec(hist={1: 50, 33: 50})
    assert metrics.sample("ampdu_size", "", [r], POINT).value == 17
    assert metrics.sample("single_frame_fraction", "", [r], POINT).value == 0.5
    assert metrics.sample("ampdu_size", "mode-upper", [rec(hist={1: 50, 30: 40, 33: 10})], POINT).value == 30
    assert metrics.sample("ampdu_size", "mode-lower", [rec(hist={1: 50, 30: 40, 33: 10})], POINT).value == 1


def test_throughput_counts_packets():
    assert metrics.sample("throughput", "", [rec(144.8)], POINT).value == pytest.approx(150)


def test_a_record_is_small_json(one_result):
    r = records.record(one_result)
    text = json.dumps(r, allow_nan=False)
    assert len(text) < 200_000
    assert r["goodput"].keys() == {"tcp_up"}
    assert metrics.sample("goodput", "", [r], POINT).value == pytest.approx(one_result.flows[0].goodput_mbit)


def test_every_metric_has_a_label_of_its_own():
    """Panels and tables of a sweep have nothing else to tell goodput, goodput_up and udp_goodput apart by."""
    labels = [q.label for q in metrics.QUANTITIES.values()]
    assert sorted({x for x in labels if labels.count(x) > 1}) == []
    assert [
        x for x, q in zip(labels, metrics.QUANTITIES.values(), strict=True) if f"({q.unit}" in x
    ] == []  # axes say it
    assert {metrics.QUANTITIES[n].label for n in ("goodput", "udp_goodput")} == {"TCP goodput", "UDP goodput"}


def test_bad_frames_of_a_station_are_frames_not_a_share():
    record = {"rx_bad": {"sta1": [8, 0, 2] + [0] * 62}, "rx_ampdu": {"sta1": [0, 0, 10] + [0] * 62}}
    q = metrics.QUANTITIES["bad_frames@sta1"]
    assert q.each(record) == pytest.approx(0.4) and q.samples(record).tolist() == [0.0] * 8 + [2.0] * 2
