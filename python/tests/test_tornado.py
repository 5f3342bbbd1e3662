"""Sensitivity: what a tornado shows, and that its points are what their names say."""

import re

import pytest
from matplotlib.figure import Figure as Canvas

from wavetank.lab import claims, metrics, plan, runner
from wavetank.lab.judge import Sample
from wavetank.lab.outcome import Outcome
from wavetank.plots import tornado

FIGURES = {f.id: f for f in plan.load("sensitivity")}
PANELS = [(f, p) for f in FIGURES.values() for p in f.panels]


@pytest.fixture
def outcome(monkeypatch):
    """Every point gives 50, but for what is named here."""
    given = {"cpu_ppdu: 80 us": 40.0, "cpu_frame: 6 us": 53.0, "loss_db: 11.88 @ 1": 90.0, "loss_db: 11.88 @ 6": 10.0}

    def sample(quantity, stat, records, point):
        return Sample(next((v for name, v in given.items() if point.name.endswith(name)), 50.0), 1.0)

    monkeypatch.setattr(metrics, "sample", sample)
    monkeypatch.setattr(runner.Measured, "of", lambda self, figure, point: [])
    every = list(FIGURES.values())
    return Outcome("sensitivity", False, 5, [], every, runner.Measured(every, {}, quick=False), ())


def test_what_moves_most_stands_first(outcome):
    base, found = tornado.swings(outcome, FIGURES["sensitivity/laboratories"], "TSQ", "goodput")
    assert base.value == 50
    assert list(found)[:2] == ["ath9k_htc.cpu_ppdu", "ath9k_htc.cpu_frame"]
    assert [(v, s.value) for v, s in found["ath9k_htc.cpu_ppdu"]] == [("20 us", 50), ("80 us", 40)]


def test_of_several_places_the_median_counts(outcome):
    base, found = tornado.swings(outcome, FIGURES["sensitivity/floor"], "floor", "goodput")
    assert base.value == 50 and {s.value for values in found.values() for _, s in values} == {50}


@pytest.mark.parametrize(("figure", "panel"), PANELS, ids=[f"{f.id} {p['schemes'][0]}" for f, p in PANELS])
def test_a_panel_has_bars_and_the_papers_band(outcome, figure, panel):
    ax = Canvas().subplots()
    tornado.tornado(outcome, figure, panel, ax)
    row = claims.load()[panel["claim"]]
    (band,) = ax.findobj(lambda a: a.get_gid() == "paper: absolute")
    assert (band.get_x(), band.get_x() + band.get_width()) == pytest.approx((row.low, row.high))
    (set_up,) = panel["schemes"]
    constants = {re.split(r" / |: ", n)[1] for n in figure.points if n.startswith(f"{set_up} / ")}
    assert len(ax.get_yticks()) == len({c for c in constants if not c.startswith("as it is")})
    assert ax.get_xlabel().endswith(")")


@pytest.mark.parametrize("figure", FIGURES.values(), ids=list(FIGURES))
def test_points_are_one_constant_away_from_as_it_is(figure):
    """The value that a point's name has is its own, and the set-up's is another."""
    base = {p.name.partition(" / ")[0]: p.scenario.check() for p in figure.points.values() if "as it is" in p.name}
    for p in figure.points.values():
        set_up, _, rest = p.name.partition(" / ")
        constant, _, value = rest.partition(" @ ")[0].partition(": ")
        values = p.scenario.check()
        apart = {k for k in values if values[k] != base[set_up][k]} - {"floor.topology"}
        if not value:
            assert not apart
        elif constant in values:
            assert apart == {constant} and values[constant] == value, p.name
        else:
            assert len(apart) == 1 and constant.split()[0] in apart.pop(), p.name
