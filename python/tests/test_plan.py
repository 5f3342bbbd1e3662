"""Every experiment loads, and its scenarios are valid."""

import pytest

from wavetank import UserError, plan

FIGURES = [f for n in plan.experiments() for f in plan.load(n)]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.id)
def test_every_figure_loads(figure):
    assert figure.points and figure.panels and figure.title and figure.source
    # Ten, where a paper does not say; the thesis had five in chapter 4, and 4, 10 or 20 in chapter 5; closed forms have none; our own
    # matrix of 384 points has two.
    of_chapter_5 = (4, 20) if figure.id.startswith("aarc/") else ()
    assert len(figure.seeds(False)) in ((2,) if figure.id.startswith("hack-or-tao") else (0, 5, 10, *of_chapter_5))
    assert figure.seeds(True) in ([1, 2], [])
    for panel in figure.panels:
        assert panel["kind"] in ("time", "distribution", "tradeoff") or panel["label"]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.id)
def test_every_point_is_a_valid_scenario(figure):
    for point in figure.points.values():
        assert point.scenario.check()


@pytest.mark.parametrize("path", sorted((plan.ROOT / "scenarios").glob("*.toml")), ids=lambda p: p.stem)
def test_every_scenario_is_named_like_its_file(path):
    assert f'name = "{path.stem}"' in path.read_text()


def test_unknown_names_say_what_is_near():
    with pytest.raises(UserError, match='did you mean "cotsq"'):
        plan.load("cotsk")


def _tree(tmp_path, figure, settings="A = { 'x.y' = 1 }\n"):
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "s.toml").write_text('name = "s"\n')
    (tmp_path / "settings.toml").write_text(settings)
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "f.toml").write_text(figure)
    return tmp_path


PANEL = "[[panels]]\nkind = 'candles'\nquantity = 'goodput'\nlabel = 'G'\n"


def test_settings_and_grids(tmp_path):
    root = _tree(
        tmp_path,
        "base = 's.toml'\nset = { 'a.b' = 'z', 'x.y' = 0 }\npoints = ['A']\n[[grid]]\nname = 't{t}p{p}'\naxes = { t = [1, 4], p = [1.2] }\n"
        "set = { 'q.t' = '{t}', 'q.tp' = '{t*p}', 'q.p' = '{p%}' }\n" + PANEL,
    )
    points = plan.load("e", root)[0].points
    assert list(points) == ["A", "t1p1.2", "t4p1.2"]
    assert dict(points["A"].scenario.overrides) == {"a.b": "z", "x.y": "1"}
    overrides = dict(points["t4p1.2"].scenario.overrides)
    assert (overrides["q.t"], overrides["q.tp"], overrides["q.p"]) == ("4", "5", "120")
    assert points["t4p1.2"].x == {"t": 4, "p": 1.2}


@pytest.mark.parametrize(
    ("figure", "says"),
    [
        ("base = 's.toml'\npoinst = []\n", 'did you mean "points"'),
        ("base = 's.toml'\npoints = ['B']\n", 'unknown setting "B"'),
        ("base = 's.toml'\npoints = ['A', 'A']\n", "twice"),
        ("base = 's.toml'\npoints = ['A']\n[[panels]]\nkind = 'candels'\n", 'did you mean "candles"'),
        ("base = 'no.toml'\npoints = ['A']\n", "cannot be read"),
        ("base = \n", "f.toml"),
    ],
)
def test_a_bad_figure_is_told(tmp_path, figure, says):
    with pytest.raises(UserError, match=says):
        plan.load("e", _tree(tmp_path, figure))
