"""The papers' bands beside ours, in every kind of panel that shows a point that they are of; captions speak of what is drawn."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from wavetank import plots
from wavetank.lab import claims, metrics, plan, reproduce, runner
from wavetank.lab.judge import Sample, Verdict
from wavetank.plots import bands, points

EVERY = claims.load()


def outcome(name, others=100.0):
    """An experiment of which every row is "measured", what it refers to at 100: bands need no runs."""
    figures = plan.load(name)
    rows = [c for c in claims.of_command(name, EVERY.values()) if c.cls != "unmeasured"]
    verdicts = [Verdict(c, c.cls, 1.0, others if c.refers else None) for c in rows]
    measured = runner.Measured(figures, {}, quick=False)
    return reproduce.Outcome(name, False, 5, verdicts, figures, measured, ()), {f.id: f for f in figures}


#: A record with the little that panels over time read.
RECORD = {
    "series": {f"{k}_up": [[5.0, 6.0, 7.0], [1.0, 2.0, 3.0]] for k in ("srtt", "cwnd", "pacing")},
    "window": [7.0, 35.0], "rtt_samples": {"up": [1.0, 2.0]}, "pings": {"icmp": [1.0]},
}  # fmt: skip


@pytest.fixture
def draw(monkeypatch, canvases, tmp_path):
    """Draws a figure of which every point measured 90; gives its marks by what they are, and its caption."""
    monkeypatch.setattr(runner.Measured, "of", lambda self, figure, point: [RECORD])
    monkeypatch.setattr(metrics, "sample", lambda q, s, r, p: Sample(90.0, 1.0, p.name, next(iter(p.x.values()), None)))

    def go(name):
        made, figures = outcome(name.split("/")[0])
        plots.draw(made, figures[name], tmp_path / "p.png")
        (canvas,) = canvases
        found = [str(a.get_gid()) for a in canvas.findobj(lambda a: str(a.get_gid()).startswith("paper: "))]
        return {g: found.count(g) for g in found}, canvas._supxlabel.get_text().replace("\n", " "), canvas

    return go


@pytest.mark.parametrize(
    ("name", "kind", "counts"),
    [
        ("thesis-intro/fig1-1", "bars", {"paper: absolute": 5, "paper: value": 5}),
        ("hack/fig3-9", "bars", {"paper: absolute": 13, "paper: mean": 7, "paper: ratio": 2, "paper: value": 22}),
        ("aaq/fig4-16", "groups", {"paper: absolute": 7, "paper: ratio": 9, "paper: value": 16}),
        ("aaq/fig4-19", "groups", {"paper: absolute": 1, "paper: ratio": 5, "paper: value": 6}),
        ("hack/fig3-10", "groups", {"paper: ratio": 5, "paper: value": 5}),
        ("hack/tab3-3", "stacks", {"paper: absolute": 10, "paper: value": 10}),
        ("hack/fig3-7", "lines", {"paper: absolute": 1, "paper: value": 1}),
        pytest.param("hack/fig3-1", "lines", {"paper: ratio": 1, "paper: value": 1}, marks=pytest.mark.slow),
        ("thesis-intro/fig4-4", "curves", {"paper: absolute": 4, "paper: ratio": 2, "paper: value": 6}),
        ("tsqtp/fig8", "tradeoff", {"paper: ratio": 2, "paper: value": 2}),
        ("tsqtp/fig6", "series", {"paper: over time, ratio": 6}),
        (
            "tsqtp/fig5",
            "candles",
            {"paper: absolute": 3, "paper: ratio": 4, "paper: difference": 3, "paper: value": 10},
        ),
    ],
)
def test_every_kind_of_panel_has_the_papers_bands(draw, name, kind, counts):
    found, _, _ = draw(name)
    assert found == counts, kind


def test_a_band_stands_where_the_paper_has_it(draw):
    _, _, canvas = draw("thesis-intro/fig1-1")
    lines = canvas.axes[0].findobj(lambda a: a.get_gid() == "paper: absolute")
    assert [list(x.get_ydata()) for x in lines] == [[28, 36], [48, 58], [78, 92], [18, 24]]
    values = canvas.axes[0].findobj(lambda a: a.get_gid() == bands.VALUE)
    assert [x.get_ydata()[0] for x in values] == [32, 54, 81, 21]


def test_in_a_tradeoff_a_band_has_its_points_colour_and_crosses_at_the_papers_own(draw):
    _, caption, canvas = draw("hard-times/fig7")
    assert "Pale, in the colour of our marks: the paper's band" in caption
    values = canvas.axes[0].findobj(lambda a: a.get_gid() == bands.VALUE)
    at = [(x.get_xdata()[0], x.get_ydata()[0]) for x in values]
    assert (8.0, 200.0) in at and len({x.get_markeredgecolor() for x in values}) > 3


def test_captions_speak_of_what_is_drawn(draw):
    _, caption, _ = draw("tsqtp/limit")
    assert "Grey" not in caption and "Box:" in caption and "ratio times our other point" in caption


def test_a_difference_is_not_called_a_ratio(draw):
    _, caption, _ = draw("cotsq/fig8")
    assert "Dashed: our other point and the paper's difference from it" in caption and "ratio" not in caption


def test_a_closed_form_has_no_repetitions(draw):
    _, caption, _ = draw("hack/fig3-7")
    assert caption.startswith("Closed form. Grey: the paper's band") and "repetitions" not in caption
    assert "The device's own distribution" in caption, "the file's note"


def test_bars_and_curves_over_time_say_what_they_are(draw):
    assert "Bars: median over repetitions, whiskers: standard error." in draw("aaq/fig4-16")[1]


def test_a_flow_over_time_is_not_what_is_judged(draw):
    assert "the first flow of the first repetition; judged is the median" in draw("tsqtp/fig6")[1]


def test_closed_forms_and_runs_are_called_so(draw):
    _, _, canvas = draw("thesis-intro/fig4-4")
    texts = [t.get_text() for t in canvas.axes[0].get_legend().get_texts()]
    assert sorted(texts)[0] == "closed form, rate = 150 Mbit/s" and sorted(texts)[2] == "simulated, rate = 150 Mbit/s"


def test_percent_end_at_a_hundred_and_legends_stand_above(draw):
    _, _, canvas = draw("hack/fig3-10")
    canvas.draw_without_rendering()
    goodput, carried = canvas.axes
    assert carried.get_ylim()[1] <= 100
    for ax in (goodput, carried):
        legend = ax.get_legend().get_window_extent()
        assert legend.y0 >= ax.get_window_extent().y1 - 1
        assert ax._left_title.get_window_extent().y0 >= legend.y1 - 1, "the title above the legend"


def test_the_two_panels_of_figure_3_9_have_one_order():
    figure = next(f for f in plan.load("hack") if f.id == "hack/fig3-9")
    first, second = (list(p.get("points", figure.points)) for p in figure.panels)
    assert second == [n for n in first if n in second]


def test_side_by_side_on_a_logarithmic_axis():
    """Bands are placed in points, so that they stand beside each other whatever the axis is."""
    ax = Canvas().subplots()
    ax.set_xscale("log")
    ax.set_xlim(1, 1000)
    assert bands.mark(ax, [bands.Band(1, 2, 1.5), bands.Band(2, 3, None, bands.RATIO)], 10.0) == 3
    a, b = (ax.findobj(lambda x, g=g: x.get_gid() == g)[0] for g in ("paper: absolute", "paper: ratio"))
    at = [x.get_transform().transform(np.column_stack(x.get_data()))[0, 0] for x in (a, b)]
    assert at[1] - at[0] == pytest.approx(bands.PITCH / 72 * ax.figure.dpi)


def test_bands_of_several_controls_do_not_hide_each_other(draw):
    """What the paper says of six controls alike stands six times, side by side, and once for all settings of a control."""
    _, caption, canvas = draw("hard-times/fig7")
    assert "hollow mark: its value" in caption
    canvas.draw_without_rendering()
    ax = canvas.axes[0]
    bars = ax.findobj(lambda a: a.get_gid() == "paper: absolute")
    boxes = [x.get_transform().transform(np.column_stack(x.get_data())) for x in bars]
    upright = [(b[0, 0], *sorted(b[:, 1])) for b in boxes if abs(b[0, 0] - b[1, 0]) < 1e-6]
    assert len(upright) > 6
    for i, (x, low, high) in enumerate(upright):
        for x2, low2, high2 in upright[:i]:
            assert abs(x - x2) > 1 or low > high2 or low2 > high
    legend = ax.get_legend().get_window_extent()
    assert legend.y0 >= ax.get_window_extent().y1 - 1


def test_a_bar_with_many_bands_has_room_for_them():
    from wavetank.plots import aggregate

    made, figures = outcome("aaq")
    figure = figures["aaq/fig4-16"]
    places = aggregate.abreast(made, figure, figure.panels[0])
    crowded = max(places, key=lambda x: len(x.bands))
    assert crowded.room >= aggregate.OF_A_BAR * len(crowded.bands) > 1
    assert min(x.room for x in places) == 1
    assert all(a.at + a.room / 2 <= b.at - b.room / 2 + 1e-9 for a, b in pairwise(places))


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_bands_beside_the_last_point_are_within_their_axes(scale):
    ax = Canvas(figsize=(4, 3)).subplots()
    ax.set_xscale(scale)
    ax.plot([1, 42], [1, 2])
    beside = [bands.Band(1, 2, 1.5), bands.Band(1, 2, 1.5, bands.RATIO)]
    points._room_beside(ax, [(1.0, beside), (42.0, beside), (42.0, [])])
    (low, right), reach = ax.get_xlim(), bands.BESIDE + len(beside) * bands.PITCH
    assert low < 1
    at = 72 / ax.figure.dpi * (ax.transData.transform((right, 1))[0] - ax.transData.transform((42.0, 1))[0])
    assert at == pytest.approx(reach, rel=0.01)
