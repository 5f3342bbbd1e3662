"""Each rule of the judge, by numbers made by hand."""

from dataclasses import replace

import pytest

from wavetank.lab.claims import Claim
from wavetank.lab.judge import Sample, Unmeasured, argmin, judge, summary


def claim(
    ident="c",
    relation="~",
    refers="",
    low=None,
    high=None,
    value=None,
    unit="Mbit/s",
    sentence=1,
    cls="judged",
    reduce="",
):
    return Claim(
        id=ident, source="s", where="", experiment="e", system="", condition="", metric="m", unit=unit, relation=relation,
        refers=refers, value=value, low=low, high=high, sentence=sentence, cls=cls, reason="", figure="f", points=("p",),
        quantity="goodput", reduce=reduce,
    )  # fmt: skip


def verdict(c, *own, other=None):
    """The verdict of one claim; values are numbers or (value, standard error)."""
    table = {c.id: [Sample(*v) if isinstance(v, tuple) else Sample(v) for v in own]}
    every = {c.id: c}
    if other is not None:
        others = other if isinstance(other, list) else [other]
        table["o"] = [Sample(*v) if isinstance(v, tuple) else Sample(v) for v in others]
        every["o"] = claim("o")
    return judge([c], every, lambda row: table[row.id])[0]


@pytest.mark.parametrize(("value", "ok"), [(39.9, False), (40.0, True), (48.0, True), (48.1, False)])
def test_an_absolute_row_is_its_band(value, ok):
    v = verdict(claim(low=40, high=48, value=44), value)
    assert (v.ok, v.compared, v.other) == (ok, value, None)


def test_the_operator_of_an_absolute_row_is_only_shown():
    # "> 75" with the band [75, 90]: 91 misses although it is more than 75.
    assert verdict(claim(relation=">", value=75, low=75, high=90), 91).ok is False


def test_an_open_end_is_open():
    assert verdict(claim(relation="<=", value=5, high=6), -3).ok is True
    assert verdict(claim(relation="<=", value=5, high=6), 6.1).ok is False


def test_a_ratio_is_own_over_other():
    c = claim(relation="ratio-to", refers="o", low=1.8, high=2.3, unit="x")
    v = verdict(c, 90, other=45)
    assert (v.ok, v.measured, v.other, v.compared) == (True, 90, 45, 2.0)
    assert verdict(c, 45, other=90).ok is False


def test_a_percentage_is_a_change():
    c = claim(relation="ratio-to", refers="o", low=15, high=25, unit="%")
    v = verdict(c, 120, other=100)
    assert v.ok is True
    assert v.compared == pytest.approx(20)


def test_bare_gt_needs_more_than_the_larger_standard_error():
    c = claim(relation="gt", refers="o")
    assert verdict(c, (10.0, 0.5), other=(9.0, 0.9)).ok is True
    v = verdict(c, (10.0, 0.5), other=(9.0, 1.0))
    assert (v.ok, v.tie) == (False, True)
    v = verdict(c, (9.0, 0.1), other=(10.0, 0.1))
    assert (v.ok, v.tie) == (False, False)
    v = verdict(c, 10.0, other=10.0)
    assert (v.ok, v.tie) == (False, True)


def test_bare_lt_is_the_other_way():
    c = claim(relation="lt", refers="o")
    v = verdict(c, (9.0, 0.1), other=(10.0, 0.2))
    assert (v.ok, v.compared) == (True, 1.0)
    assert verdict(c, (11.0, 0.1), other=(10.0, 0.2)).ok is False


def test_a_difference_with_figures_is_held_against_the_band():
    c = claim(relation="gt", refers="o", value=2, low=1, high=3)
    assert verdict(c, 4.0, other=2.0).ok is True
    assert verdict(c, 6.0, other=2.0).ok is False
    # The right size in the wrong direction is a miss.
    assert verdict(c, 2.0, other=4.0).ok is False
    c = claim(relation="lt", refers="o", value=20, low=15, high=21)
    assert verdict(c, 10.0, other=30.0).ok is True


def test_each_point_must_hold_and_the_worst_is_shown():
    c = claim(low=40, high=50)
    assert verdict(c, 41, 45, 49).ok is True
    v = verdict(c, 45, 52, 51)
    assert (v.ok, v.measured) == (False, 52)
    # Nearest to an edge, when all hold.
    assert verdict(c, 45, 40.5, 48).measured == 40.5


def test_points_are_compared_pair_by_pair_or_with_the_only_other():
    c = claim(relation="gt", refers="o")
    assert verdict(c, 2, 3, other=[1, 2]).ok is True
    assert verdict(c, 2, 3, other=[1, 4]).ok is False
    assert verdict(c, 2, 3, other=1.5).ok is True
    v = verdict(c, 2, 3, 4, other=[1, 2])
    assert v.cls == "unmeasured"
    assert "3 points against 2" in v.reason


def test_extremes_are_of_the_points_ratios_not_a_ratio_of_means():
    # Ratios 1.2 and 2.0; their maximum is 2.0, their mean 1.6; the ratio of the means would be 80/55 = 1.45.
    c = claim(relation="ratio-to", refers="o", low=1.55, high=1.65, unit="x", reduce="mean")
    assert verdict(c, 120, 40, other=[100, 20]).compared == pytest.approx(1.6)
    c = replace(c, reduce="max", low=1.9, high=2.1)
    assert verdict(c, 120, 40, other=[100, 20]).ok is True


def test_best_is_the_maximum_of_the_points():
    v = verdict(claim(low=90, high=102, reduce="best"), 44, 93, 91)
    assert (v.ok, v.measured) == (True, 93)


def test_a_grid_is_the_median_deviation():
    # Ratios 0.9, 1.1, 1.0, 3.0, 0.95: deviations 0.1, 0.1, 0, 2, 0.05; their median 0.1.
    c = claim(relation="ratio-to", refers="o", low=0.85, high=1.15, unit="x", reduce="grid")
    v = verdict(c, 9, 11, 10, 30, 9.5, other=[10, 10, 10, 10, 10])
    assert v.ok is True
    assert v.compared == pytest.approx(1.1)
    # All 20 % low: their mean deviation hides nothing.
    assert verdict(c, 8, 8, 8, other=[10, 10, 10]).ok is False


def sweep(*pairs):
    return [Sample(v, 0.0, str(x), x) for x, v in pairs]


def test_argmin_is_the_smallest_within_95_percent_of_the_best():
    assert argmin(sweep((1, 44), (2, 70), (4, 85.4), (8, 90), (16, 89))).x == 8  # 0.95 * 90 = 85.5
    assert argmin(sweep((1, 44), (2, 70), (4, 85.5), (8, 90))).x == 4
    # TSQ off has no place on the axis, but counts for the best.
    assert argmin([*sweep((4, 85.5), (8, 91)), Sample(95, 0, "off", None)]).x == 8


def test_argmin_claim_reads_its_band_on_the_grid():
    c = claim(low=8, high=8, reduce="argmin", unit="ms")
    table = {"c": sweep((1, 44), (2, 70), (4, 80), (8, 90), (16, 91))}
    v = judge([c], {"c": c}, lambda row: table[row.id])[0]
    assert (v.ok, v.measured) == (True, 8)


def test_nothing_reaching_the_best_is_unmeasured():
    with pytest.raises(Unmeasured):
        argmin([*sweep((4, 10)), Sample(95, 0, "off", None)])


def test_what_is_not_measured_says_why():
    c = claim(relation="gt", refers="o")

    def lookup(row):
        if row.id == "o":
            raise Unmeasured("no ath10k")
        return [Sample(1)]

    v = judge([c], {"c": c, "o": claim("o")}, lookup)[0]
    assert (v.cls, v.ok) == ("unmeasured", None)
    assert "no ath10k" in v.reason
    v = judge([claim(refers="gone", relation="gt")], {}, lambda row: [Sample(1)])[0]
    assert "no row" in v.reason
    assert judge([claim()], {}, lambda row: [Sample(float("nan"))])[0].cls == "unmeasured"


def test_classes():
    lookup = lambda row: [Sample(44.0)]  # noqa: E731
    rows = [
        claim("a", low=40, high=48),
        claim("t", low=40, high=48, cls="theory"),
        claim("i", low=40, high=48, cls="input"),
        claim("k", low=40, high=48, cls="calibrates"),
        claim("x", low=1, high=2, cls="contradicted"),
        claim("u", cls="unmeasured"),
    ]
    found = {v.claim.id: v for v in judge(rows, {r.id: r for r in rows}, lookup)}
    assert found["a"].ok and found["t"].ok and found["k"].ok
    assert found["i"].ok is None and found["i"].measured == 44
    assert found["x"].measured == 44
    s = summary(found.values())
    assert s == {
        "judged": 1, "ok": 1, "sentences": 1, "sentences_ok": 1, "theory": 1, "input": 1, "calibrates": 1,
        "contradicted": 1, "unmeasured": 1,
    }  # fmt: skip


def test_a_sentence_holds_if_all_its_rows_do():
    rows = [
        claim("a", low=40, high=48, sentence=1),
        claim("b", low=0, high=1, sentence=1),
        claim("c", low=40, high=48, sentence=2),
    ]
    s = summary(judge(rows, {r.id: r for r in rows}, lambda row: [Sample(44)]))
    assert (s["judged"], s["ok"], s["sentences"], s["sentences_ok"]) == (3, 2, 2, 1)


def test_the_promised_keys():
    keys = list(verdict(claim(low=40, high=48), 44).json())
    assert keys[:10] == ["id", "class", "measured", "other", "compared", "low", "high", "ok", "tie", "reason"]
