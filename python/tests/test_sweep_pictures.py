"""A sweep's pictures: what their axes hold, and what is said of what they do not hold."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure as Canvas
from matplotlib.text import Text

import wavetank
from wavetank import stats
from wavetank.plots import captions
from wavetank.plots import sweeps as panels
from wavetank.sweeps import axes, metrics, pictures
from wavetank.sweeps import gather as sweep_gather
from wavetank.sweeps import plan as sweep_plan

HOUSE = {"name": "house", "topology": {"kind": "wifi"}, "wifi": {"standard": "n"}, "ap": {"driver": "ath9k"}}


def drawn(monkeypatch, tmp_path, values, kind="sweep", **more):
    """A panel over the MCSs of these values of a quantity, drawn and put down."""
    plan = sweep_plan.make(wavetank.Scenario.from_dict(HOUSE), [axes.parse(f"wifi.mcs={','.join(values)}")], 1)
    panel = {
        "x": "wifi.mcs", "by": "", "rest": [], "labels": {"wifi.mcs": "mcs"}, "short": {"wifi.mcs": "mcs"}, "names": [],
        "order": {"wifi.mcs": list(values)}, "legend": False, "quantity": "udp_jitter", "label": "UDP jitter (ms)", **more,
    }  # fmt: skip
    found = {f"mcs={k}": v for k, v in values.items()}
    monkeypatch.setattr(panels, "_values", lambda o, f, p, name: found[p.name][name])
    ax = Canvas(layout="constrained").subplots()
    getattr(panels, kind)(None, plan.figure, panel, ax)
    ax.figure.draw_without_rendering()
    return ax


def jitter(**values):
    return {k.removeprefix("mcs"): {"udp_jitter": v} for k, v in values.items()}


def test_an_axis_holds_its_bars(monkeypatch, tmp_path):
    """To 64 ms: the axis ended at 55."""
    values = [30.0, 35.2, 50.0]
    _, high = stats.interval(values)
    ax = drawn(monkeypatch, tmp_path, jitter(mcs0=values, mcs7=[2.0, 2.1, 2.2]))
    assert ax.get_ylim()[1] > high and not ax.texts


def test_bars_that_are_far_too_long_are_told_of(monkeypatch, tmp_path):
    ax = drawn(monkeypatch, tmp_path, jitter(mcs0=[1.0, 9.0], mcs7=[5.0, 5.0]))
    assert ax.get_ylim() == (0, pytest.approx(10.5))
    (text,) = ax.texts
    assert text.get_text() == "bars: 1 above, up to 55.8"
    name = ax.xaxis.label.get_window_extent()
    assert text.get_window_extent().y1 <= name.y0, "below the axis's name, however long that is"


def test_a_bar_ends_where_its_metric_does(monkeypatch, tmp_path):
    ax = drawn(monkeypatch, tmp_path, {k: {"jain": [0.4, 1.0]} for k in "07"}, quantity="jain")
    ends = [segment[:, 1].tolist() for bar in ax.collections for segment in bar.get_segments()]
    assert ends == [[0, 1]] * 2 and not ax.texts


def test_a_long_name_has_two_lines(monkeypatch, tmp_path):
    label = "A-MPDU size down, larger of the two most frequent (packets)"
    ax = drawn(monkeypatch, tmp_path, jitter(mcs0=[1.0], mcs7=[2.0]), label=label)
    shown = ax.get_ylabel()
    assert shown.replace("\n", " ").replace("\u00a0", " ") == label and max(map(len, shown.split("\n"))) <= 32
    share = "cubic's share of TCP's goodput (%)"
    shown = drawn(monkeypatch, tmp_path, jitter(mcs0=[1.0], mcs7=[2.0]), label=share).get_ylabel()
    assert shown == "cubic's share of TCP's\ngoodput\u00a0(%)", "no unit is alone"


def test_a_front_names_no_point_outside_its_axes(monkeypatch, tmp_path):
    """ "cake" lay upon the number 200 of the axis beside it."""
    values = {k: {"goodput": [g], "ping_p50": [p]} for k, g, p in (("0", 198.0, 1.75), ("7", 199.0, 330.0))}
    more = {"quantity": "goodput", "cost": "ping_p50", "cost_label": "Ping RTT (ms)", "fronts": [["mcs=0", "mcs=7"]]}
    ax = drawn(monkeypatch, tmp_path, values, "pareto", **more)
    assert [t.get_text() for t in ax.texts] == ["0", "7"]
    assert all(t.get_window_extent().x0 >= ax.bbox.x0 for t in ax.texts)


def test_a_front_of_near_points_names_each_where_nothing_lies(monkeypatch, tmp_path):
    """Ten points that lay within a hundredth of the axes: most of their names were left out."""
    values = {str(i): {"goodput": [198.0 + 0.1 * i], "ping_p50": [20.0 + 0.05 * i]} for i in range(10)}
    front = [[f"mcs={i}" for i in range(10)]]
    more = {"quantity": "goodput", "cost": "ping_p50", "cost_label": "Ping RTT (ms)", "fronts": front}
    ax = drawn(monkeypatch, tmp_path, values, "pareto", **more)
    assert [t.get_text() for t in ax.texts] == [str(i) for i in range(10)]
    boxes = [Text.get_window_extent(t) for t in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    assert (19 < left < 20, 20.45 < right < 22) == (True, True)
    assert (197 < low < 198, 198.9 < high < 201) == (True, True)


def test_an_axis_that_begins_elsewhere_tells_of_bars_below_it(monkeypatch, tmp_path):
    values = {"0": {"goodput": [198.0, 198.1], "ping_p50": [1.0]}, "7": {"goodput": [150.0, 247.0], "ping_p50": [9.0]}}
    more = {"quantity": "goodput", "cost": "ping_p50", "cost_label": "Ping RTT (ms)", "fronts": []}
    ax = drawn(monkeypatch, tmp_path, values, "pareto", **more)
    (text,) = ax.texts
    assert "1 above, up to" in text.get_text() and "1 below, down to" in text.get_text()
    assert ax.get_xlim()[0] == 0, "points that are far apart"


def test_a_front_tells_of_bars_beyond_its_axes(monkeypatch, tmp_path):
    values = {k: {"goodput": [198.0, 199.0], "ping_p50": [1.0, 9.0]} for k in "07"}
    more = {"quantity": "goodput", "cost": "ping_p50", "cost_label": "Ping RTT (ms)", "fronts": []}
    ax = drawn(monkeypatch, tmp_path, values, "pareto", **more)
    assert [t.get_text() for t in ax.texts] == ["bars: 2 to the right, up to 55.8"]
    assert ax.get_ylim()[1] > stats.interval([198.0, 199.0])[1]


def test_one_repetition_has_no_median_and_no_bars():
    told = []
    for repetitions in (1, 2):
        figure = sweep_plan.make(wavetank.Scenario.from_dict(HOUSE), [axes.parse("wifi.mcs=7")], repetitions).figure
        figure = replace(figure, panels=({"kind": "sweep", "quantity": "goodput"},))
        told.append(captions.of(SimpleNamespace(quick=False, beside={}, mark=""), figure, Canvas()))
    assert told == ["1 repetition.", "2 repetitions. Median over repetitions; bars: 95 % confidence interval."]


def test_a_metric_without_a_panel_is_named():
    made = sweep_plan.make(wavetank.Scenario.from_dict(HOUSE), [axes.parse("wifi.mcs=7")], 1)
    names = ("goodput", "retransmits", "rtos", "jain")
    swept = sweep_gather.gather(made, SimpleNamespace(quick=False, of=lambda *_: []), metrics.chosen(names), False)

    def note(**medians):
        (point,) = swept.points
        found = {n: replace(point.metrics[n], median=medians.get(n), n=int(n in medians)) for n in names}
        return pictures.figures(replace(swept, points=(replace(point, metrics=found),)), made)["sweep"].note

    assert note(goodput=5, retransmits=0, jain=1) == (
        "Without a panel: retransmits (0 at every point), jain (0.99 or more at every point)."
    )
    assert note(goodput=5, retransmits=1, jain=0.5) == ""
    assert note(goodput=0, retransmits=0) == "Without a panel: retransmits (0 at every point)."  # the first is drawn


def test_a_legend_above_has_rows_of_one_length():
    ax = Canvas(figsize=(12, 4)).subplots()
    for i in range(6):
        ax.plot([0, 1], [i, i], label=f"cc of a long name {i}, driver")
    panels._name_groups(ax, 6, {"rest": []}, above=True)
    ax.figure.draw_without_rendering()
    tops = [round(t.get_window_extent().y0) for t in ax.get_legend().get_texts()]
    assert sorted(tops.count(y) for y in set(tops)) == [3, 3], "not five above one"
