"""Quantities over many points, and orderings of means, on figures made up for the purpose."""

from types import SimpleNamespace

import pytest

from wavetank.lab import judge, over
from wavetank.lab.claims import Claim
from wavetank.lab.judge import Sample, Unmeasured


def figure(**schemes):
    points = {}
    for scheme, values in schemes.items():
        for i, v in enumerate(values):
            n = f"{scheme}-{i + 1}"
            points[n] = SimpleNamespace(name=n, x={"backoff": float(2 ** (i // 2)), "delay": float(i % 2)}, value=v)
    return SimpleNamespace(id="made/up", points=points)


def records(point):
    runs = point.value if isinstance(point.value, tuple) else (point.value,)
    return [
        {"goodput": {"tcp_down": v}, "goodput_samples": {"tcp_down": [v]}, "flow_seconds": [[v, v + 1]]} for v in runs
    ]


def test_wins_ties_and_losses_share_out_the_points():
    f = figure(a=[12, 10.05, 9, 30], b=[10, 10, 10, 10])
    shares = [over.samples(q, "", ("a", "b"), f, records)[0].value for q in ("wins", "ties", "losses")]
    assert shares == [50, 25, 25]


def test_pool_takes_every_run():
    f = figure(a=[(1, 2), (3, 5)])
    assert over.samples("pool", "p50", ("a",), f, records)[0].value == 2.5
    assert over.samples("pool", "p99", ("a",), f, records)[0].value == pytest.approx(4.94)


def test_quantiles_are_held_against_the_best_of_the_others():
    f = figure(a=[10], b=[5], c=[9.95])
    assert over.samples("quantiles", "", ("a", "b", "c"), f, records)[0].value == 100
    assert over.samples("quantiles", "", ("b", "a", "c"), f, records)[0].value == 0


def test_a_sweep_is_the_mean_over_the_other_axis():
    f = figure(a=[10, 20, 30, 50])
    assert [(s.x, s.value) for s in over.samples("mean_by_backoff", "", ("a",), f, records)] == [(1, 15), (2, 40)]


def test_a_scheme_without_points_is_said():
    with pytest.raises(Unmeasured, match="no points of b"):
        over.samples("wins", "", ("a", "b"), figure(a=[1]), records)


def claim(ident, relation, refers, reduce, low=None, high=None):
    return Claim(
        ident, "t", "", "e", "", "", "goodput", "%" if relation == "ratio-to" else "", relation, refers, None, low, high, 1,
        "judged", "", "f", (), "goodput", reduce,
    )  # fmt: skip


def verdict(own, other, relation, reduce, low=None, high=None):
    mine, theirs = claim("x", relation, "y", reduce, low, high), claim("y", "~", "", "mean")
    values = {"x": [Sample(v) for v in own], "y": [Sample(v) for v in other]}
    return judge.judge([mine], {"x": mine, "y": theirs}, lambda c: values[c.id])[0]


@pytest.mark.parametrize(
    ("own", "ok", "tie"),
    [([11, 12, 10.9], True, False), ([9, 12, 9.1], False, True), ([9, 8, 9.1], False, False)],
)
def test_an_ordering_of_means_can_fail(own, ok, tie):
    v = verdict(own, [10, 10, 10], "gt", "mean")
    assert (v.ok, v.tie) == (ok, tie)


def test_losing_points_alone():
    v = verdict([9, 9.8, 9.95, 20], [10, 10, 10, 10], "ratio-to", "losing", -8, -4)
    assert v.compared == pytest.approx(-6)
    assert v.ok
    assert verdict([11], [10], "ratio-to", "losing", -8, -4).cls == "unmeasured"
