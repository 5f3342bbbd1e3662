"""Floor plans and channels from Python, and the panels of chapter 5 that draw them."""

from dataclasses import replace

import numpy as np
import pytest

from wavetank import UserError, plots
from wavetank.lab import plan, reproduce, runner
from wavetank.plots import place, style

FIGURES = {f.id.removeprefix("aarc/"): f for f in plan.load("aarc")}


def topology(n):
    return FIGURES["fig5-13"].points[f"topology-{n}"].scenario


def outcome(figure, records=None):
    measured = runner.Measured([figure], records or {}, quick=False)
    return reproduce.Outcome("aarc", False, 1, [], [figure], measured, ())


def test_a_floor_has_its_places():
    first, second = topology(1).floor(), topology(2).floor(step=1.0)
    assert first["snr"].shape == (31, 132) and second["snr"].shape == (16, 66)
    assert first["stations"][1:] == second["stations"][1:], "without S, and without the first client"
    assert topology(50).floor()["stations"][0] == topology(2).floor()["stations"][0] == second["stations"][0], "S stays"
    assert topology(1).set({"floor.topology": 0}).floor()["stations"] == []
    x, y, snr = second["stations"][0]
    assert snr == pytest.approx(second["snr"][round(y), round(x)], abs=6.0)
    (length, depth), ap = first["size_m"], first["ap_m"]
    assert all(0 <= x <= length and 0 <= y <= depth for x, y, _ in first["stations"])
    at_ap = first["snr"][round(2 * ap[1]), round(2 * ap[0])]
    assert at_ap == pytest.approx(first["snr"].max(), abs=3.0)


def test_a_walk_goes_from_the_access_point_to_the_end():
    plan_of = FIGURES["fig5-35"].points["walk"].scenario.floor()
    walk = np.array(plan_of["walk"])
    assert walk.shape == (41, 3) and walk[-1, 0] <= plan_of["size_m"][0]
    assert (np.diff(walk[:, 0]) >= 0).all() and walk[0, 2] > walk[-1, 2] + 10


def test_misled_is_where_they_differ_most():
    snr, esnr = np.full(50, 20.0), np.full(50, 18.0)
    snr[30:] = 22.0
    snr[10:13], esnr[10:13] = 23.0, 21.0  # both rise: not that
    esnr[33:] = 16.0
    assert place.misled(snr, esnr, 5, 1.0) == 28, "from 28 the SNR rises by 2 and the effective SNR falls by 2"
    with pytest.raises(UserError, match="no moment"):
        place.misled(snr + 5.0, esnr, 5, 1.0)


@pytest.mark.parametrize(
    "name", ["fig5-13", *(pytest.param(n, marks=pytest.mark.slow) for n in ("fig5-35", "fig5-37"))]
)
def test_places_are_drawn_without_runs(name, tmp_path):
    plots.draw(outcome(FIGURES[name]), FIGURES[name], tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.slow
def test_a_long_title_is_not_cut_off(tmp_path, canvases):
    figure = replace(FIGURES["fig5-37"], title="a figure of one panel and a title of very many words " * 2)
    plots.draw(outcome(figure), figure, tmp_path / "p.png")
    (canvas,) = canvases
    canvas.draw_without_rendering()
    assert canvas.get_suptitle().startswith(f"{figure.source}: a figure")
    assert canvas._suptitle.get_window_extent().x1 <= canvas.bbox.x1


def test_a_quantity_without_a_unit_has_no_brackets():
    assert style.label_of({"quantity": "jain"}) == "Jain's index"
    assert style.label_of({"quantity": "goodput"}) == "TCP goodput (Mbit/s)"


def test_schemes_are_drawn_against_the_first(tmp_path, canvases):
    """Three topologies of three schemes, four seconds each."""
    whole = FIGURES["testbed"]
    names = [f"{s}-{t}" for s in ("fifo", "minstrel", "aarc") for t in (4, 5, 6)]
    short = {"time.flows": "4 s", "time.warmup": "1 s", "time.cooldown": 0}
    points = {n: replace(whole.points[n], scenario=whole.points[n].scenario.set(short)) for n in names}
    wanted = [p for p in whole.panels if p["kind"] in ("scatter", "seconds")]
    panels = tuple({**p, "schemes": ["fifo", "minstrel", "aarc"][: len(p.get("schemes", ()))]} for p in wanted)
    figure = replace(whole, points=points, repetitions=1, panels=panels)
    records = runner.run_all(runner.runs_of([figure], quick=False), tmp_path, 1)
    plots.draw(outcome(figure, records), figure, tmp_path / "p.png")
    (canvas,) = canvases
    assert sum(ax.has_data() for ax in canvas.axes) >= len(panels)
