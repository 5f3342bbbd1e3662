"""Every experiment loads, and its scenarios are valid."""

import json
import re
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from matplotlib.figure import Figure as Canvas

from wavetank import ScenarioError, UserError
from wavetank.lab import plan, reproduce
from wavetank.plots import captions
from wavetank.plots.draw import panel_of

FIGURES = [f for n in plan.experiments() for f in plan.load(n)]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.id)
def test_every_figure_loads(figure):
    assert figure.points and figure.panels and figure.title and figure.source
    # Ten, where a paper does not say; the thesis had five in chapter 4, and 4, 10 or 20 in chapter 5; closed forms have none; our own
    # matrix of 384 points has two, and so has sensitivity where ten topologies stand for more.
    of_chapter_5 = (4, 20) if figure.id.startswith("aarc/") else ()
    assert len(figure.seeds(False)) in (
        (2,) if figure.id.startswith(("hack-or-tao", "sensitivity/floor")) else (0, 5, 10, *of_chapter_5)
    )
    assert figure.seeds(True) in ([1, 2], [])
    for panel in figure.panels:
        assert panel["kind"] in ("time", "distribution", "tradeoff") or panel["label"]


def test_every_kind_of_panel_is_drawn_and_a_plan_needs_no_matplotlib():
    assert all(callable(panel_of(kind)) for kind in plan.PANEL_KINDS)
    assert {panel["kind"] for f in FIGURES for panel in f.panels} <= set(plan.PANEL_KINDS)
    program = "import sys; from wavetank.lab import plan; plan.load('cotsq'); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


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


def _tree(tmp_path, figure, settings="A = { 'tcp.tsq_ms' = 1 }\n"):
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
        "base = 's.toml'\nset = { 'tcp.cc' = 'z', 'tcp.tsq_ms' = 0 }\npoints = ['A']\n[[grid]]\nname = 't{t}p{p}'\naxes = { t = [1, 4], p = [1.2] }\n"
        "set = { 'tcp.init_cwnd' = '{t}', 'tcp.reordering' = '{t*p}', 'tcp.tsq_pkts' = '{p%}' }\n" + PANEL,
    )
    points = plan.load("e", root)[0].points
    assert list(points) == ["A", "t1p1.2", "t4p1.2"]
    assert dict(points["A"].scenario.overrides) == {"tcp.cc": "z", "tcp.tsq_ms": "1"}
    overrides = dict(points["t4p1.2"].scenario.overrides)
    assert (overrides["tcp.init_cwnd"], overrides["tcp.reordering"], overrides["tcp.tsq_pkts"]) == ("4", "5", "120")
    assert points["t4p1.2"].x == {"t": 4, "p": 1.2}


@pytest.mark.parametrize(
    ("figure", "says"),
    [
        ("base = 's.toml'\npoinst = []\n", 'did you mean "points"'),
        ("base = 's.toml'\npoints = ['B']\n", 'unknown setting "B"'),
        ("base = 's.toml'\npoints = ['A', 'A']\n", "twice"),
        ("base = 's.toml'\npoints = ['A']\n[[panels]]\nkind = 'candels'\n", 'did you mean "candles"'),
        ("base = 'no.toml'\npoints = ['A']\n", 'unknown scenario "no.toml", expected s.toml'),
        ("base = \n", "f.toml"),
        ("base = 's.toml'\nrepetitions = 0\npoints = ['A']\n" + PANEL, "repetitions = 0, expected 1 or more"),
        ("base = 's.toml'\nrepetitions = -1\n", "repetitions = -1, expected 0 or more"),
    ],
)
def test_a_bad_figure_is_told(tmp_path, figure, says):
    with pytest.raises(UserError, match=says):
        plan.load("e", _tree(tmp_path, figure))


OWN = """
figure = "Mine"
title = "two controls"
base = "s.toml"
repetitions = 2
[[grid]]
name = "{cc}-{n}"
axes = { cc = ["cubic", "bbr"], n = [1, 2] }
set = { "wifi.stations" = "{n}", "tcp.cc" = "{cc}" }
[[panels]]
kind = "curves"
quantity = "goodput"
x = "n"
by = "cc"
"""


def _own(tmp_path, text):
    (tmp_path / "s.toml").write_text(
        'name = "s"\n[topology]\nkind = "wifi"\n[time]\nlead_in = "0 s"\ntail = "0 s"\nflows = "3 s"\n'
    )
    (tmp_path / "mine.toml").write_text(text)
    return str(tmp_path / "mine.toml")


def test_a_figure_of_ones_own_is_run_drawn_and_told(tmp_path):
    outcome = reproduce.reproduce(reproduce.expand(_own(tmp_path, OWN))[0], tmp_path / "out")
    (figure,) = outcome.figures
    assert list(figure.points) == ["cubic-1", "cubic-2", "bbr-1", "bbr-2"]
    assert (figure.points["bbr-2"].x, figure.points["bbr-2"].names) == ({"n": 2}, {"cc": "bbr"})
    assert (tmp_path / "out" / "own-mine.png").stat().st_size > 5000
    values = outcome.json()["figures"]["own/mine"]["values"]
    assert all(values[p]["goodput"]["value"] > 10 for p in figure.points)
    assert outcome.json()["claims"] == []


def test_curves_over_counts_have_whole_ticks_and_room_above(tmp_path, canvases):
    reproduce.reproduce(reproduce.expand(_own(tmp_path, OWN))[0], tmp_path / "out")
    ax = canvases[0].axes[0]
    canvases[0].draw_without_rendering()
    low, high = ax.get_xlim()
    assert [t for t in ax.get_xticks() if low <= t <= high] == [1, 2]
    assert ax.get_ylim()[1] >= 1.05 * max(max(line.get_ydata()) for line in ax.get_lines())


@pytest.mark.usefixtures("canvases")
def test_repetitions_that_are_asked_for_are_made_and_every_output_says_so(tmp_path, wavetank):
    file = _own(tmp_path, OWN)
    out = tmp_path / "out"
    code, told, err = wavetank("reproduce", file, "--repetitions", 1, "--out", out)
    assert code == 0, err
    assert "--repetitions 1: 1 repetition)" in " ".join(told.split())
    assert len(list((out / ".runs").iterdir())) == 4
    document = json.loads((out / "claims.json").read_text())
    assert (document["repetitions"], document["repetitions_asked"], document["quick"]) == (1, 1, False)
    meta = pq.read_schema(out / "samples.parquet").metadata
    assert (meta[b"repetitions"], meta[b"repetitions_asked"]) == (b"1", b"1")
    outcome = reproduce.reproduce(file, out, repetitions=1)
    assert captions.of(outcome, outcome.figures[0], Canvas()).startswith("RUN WITH --repetitions 1: 1 repetition.")
    # the figure's own number is nothing to mark
    assert reproduce.reproduce(file, out, repetitions=2).json()["repetitions_asked"] is None
    code, _, err = wavetank("reproduce", file, "--repetitions", 1, "--quick")
    assert code == 2 and "exclude each other" in err


@pytest.mark.parametrize(
    ("was", "is_", "words"),
    [
        ('quantity = "goodput"', 'quantity = "godput"', 'did you mean "goodput"'),
        ('quantity = "goodput"', "", 'has no "quantity"'),
        ('quantity = "goodput"', 'quantity = ["goodput"]', "unknown quantity"),
        ('x = "n"', 'x = "cc"', 'unknown numeric axis "cc", expected n'),
        ("{n}", "{m}", 'unknown axis in a template "m"'),
        ('kind = "curves"', 'kind = "walk"', 'kind of panel in a figure of one\'s own "walk"'),
        ('base = "s.toml"', 'base = "cotsq-ath9k.tom"', 'did you mean "cotsq-ath9k.toml"'),
        ('base = "s.toml"', 'base = "t.toml"', "`wavetank list scenarios`, or a file beside this one); did you mean"),
        ('base = "s.toml"', "", 'has no "base"'),
        ('"tcp.cc" = "{cc}"', '"tcp.ccc" = "{cc}"', 'the point "cubic-1": tcp.ccc: [tcp] has no key "ccc"'),
        ('"tcp.cc" = "{cc}"', '"tcp.cc" = "cubik"', 'the point "cubic-1": tcp.cc: "cubik" (did you mean "cubic"?)'),
        ('kind = "curves"', 'kind = "curvy"', 'unknown kind of panel "curvy"'),
        ('name = "{cc}-{n}"', "", 'a grid has no "name"'),
        ("repetitions = 2", "repetitions = ", "not TOML"),
        ("repetitions = 2", "repetitions = 'ten'", "repetitions of a figure is 'ten', expected a whole number"),
        (
            "repetitions = 2",
            "repetitions = 2\npoints = 3",
            "points of a figure is 3, expected a list of names and tables",
        ),
        ("repetitions = 2", "repetitions = 2\nset = 3", "set of a figure is 3, expected a table"),
        ("n = [1, 2]", "n = 1", "expected a table of lists"),
        ('kind = "curves"', 'kind = ["curves"]', "kind of a panel is"),
        (OWN[OWN.index("[[panels]]") :], "", "has no panels, expected a figure's file (docs/figures.md)"),
        (OWN[OWN.index("[[grid]]") : OWN.index("[[panels]]")], "", "has no points"),
    ],
)
def test_mistakes_in_a_figure_of_ones_own_are_told(tmp_path, was, is_, words):
    with pytest.raises((UserError, ScenarioError), match=re.escape(words)) as e:
        reproduce.expand(_own(tmp_path, OWN.replace(was, is_)))
    assert "mine.toml" in str(e.value)
