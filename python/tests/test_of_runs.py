"""Pictures of single runs: what they share, and what is said below them."""

import re
from dataclasses import replace

import csi_logs as write
import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

import wavetank
from wavetank import compare
from wavetank.captures import analyze_plot
from wavetank.csi import log
from wavetank.csi import plots as csi_plots
from wavetank.lab.metrics import COLLISIONS
from wavetank.plots import compare as compare_plots
from wavetank.plots import of_runs, one_run
from wavetank.plots.style import headline
from wavetank.sweeps import axes, pictures, table
from wavetank.sweeps import plan as sweep_plan

HOUSE = {
    "topology": {"kind": "wifi"},
    "wifi": {"standard": "n", "mcs": 7, "stations": 2},
    "stations": {"tcp_down": [1, 2]},
    "ap": {"driver": "ath9k"},
    "sta": {"driver": "ath9k"},
    "time": {"flows": "3 s", "warmup": "1 s"},
}


@pytest.fixture(scope="module")
def run():
    return wavetank.Scenario.from_dict({"name": "house", **HOUSE}).run()


def panel(canvas, label):
    """The panel of that label, whose curves may be means."""
    name, _, unit = label.partition(" (")
    means = re.compile(re.escape(name) + r"(, [\d.]+ s means)? \(" + re.escape(unit))
    return next(ax for ax in canvas.axes if means.fullmatch(ax.get_ylabel()))


def test_flows_of_one_station_are_told_apart(run):
    looks = one_run._looks(run.flows)
    assert len({(x.colour, str(x.style)) for x in looks}) == 3
    assert [x.colour for x in looks] == [of_runs.station_colour(f.station) for f in run.flows]


def test_too_many_flows_of_a_station_share_their_directions_colour(run):
    looks = one_run._looks([*run.flows] * 5)
    assert {x.alone for x in looks} == {False}
    one = [replace(f, station=0) for f in [*run.flows] * 15]
    assert {x.alone for x in one_run._looks(one)} == {False}


def test_rruls_flows_are_told_apart_by_their_marks_and_ways(run, tmp_path, canvases):
    """All eight were of one colour, and up1 and up4 of one dash."""
    marks = ("CS0", "CS1", "CS5", "EF")
    flows = [
        replace(run.flows[0], name=f"{way}{i}", direction=way, station=0, dscp=mark)
        for way in ("up", "down")
        for i, mark in enumerate(marks, 1)
    ]
    looks = one_run._looks(flows)
    assert len({(x.colour, str(x.style)) for x in looks}) == 8
    assert [x.colour for x in looks[:4]] == [x.colour for x in looks[4:]]
    one_run.draw(replace(run, flows=flows), tmp_path / "run.png")
    legend = panel(canvases[0], "Goodput (Mbit/s)").get_legend()
    # by columns: a row is a direction
    assert [x.get_text() for x in legend.get_texts()][:4] == ["up1 (CS0)", "down1 (CS0)", "up2 (CS1)", "down2 (CS1)"]


def test_more_than_a_few_curves_are_drawn_by_their_means(run, tmp_path, canvases):
    few, many = run.flows[:3], [replace(f, name=f"{f.name} {k}", station=k) for k in (0, 1, 2) for f in run.flows[:2]]
    for flows in (few, many):
        one_run.draw(replace(run, flows=flows), tmp_path / "run.png")
    assert [ax.get_ylabel() for ax in (panel(c, "Goodput (Mbit/s)") for c in canvases)] == [
        "Goodput (Mbit/s)",
        "Goodput, 0.5 s means (Mbit/s)",
    ]
    t, v = many[0].goodput()
    drawn = panel(canvases[1], "Goodput (Mbit/s)").lines[0].get_xydata()
    one = drawn[drawn[:, 0] == 6.25][0]
    assert one[1] == pytest.approx(np.nanmean(v[(t >= 6) & (t < 6.5)]))
    # windows stay as they stood
    assert panel(canvases[1], "cwnd (segments)").get_ylabel() == "cwnd (segments)"


def test_a_legends_rows_are_of_one_length_and_read_from_left_to_right(run, tmp_path, canvases):
    flows = [replace(run.flows[0], name=f"up{i}", station=0) for i in range(5)]
    one_run.draw(replace(run, flows=flows), tmp_path / "run.png")
    legend = panel(canvases[0], "Goodput (Mbit/s)").get_legend()
    assert legend._ncols == 3
    assert [x.get_text() for x in legend.get_texts()] == ["up0", "up3", "up1", "up4", "up2"]


def test_a_legend_shows_a_whole_period_of_each_flows_dashes(run, tmp_path, canvases):
    flows = [replace(run.flows[0], name=f"up{i} sta{s + 1}", station=s) for s in range(2) for i in range(4)]
    one_run.draw(replace(run, flows=flows), tmp_path / "run.png")
    lines = panel(canvases[0], "Goodput (Mbit/s)").get_legend().get_lines()
    told = {str(x._unscaled_dash_pattern) for x in lines}
    assert len(told) == 4
    for line in lines:
        pattern = line._unscaled_dash_pattern[1] or [0]
        assert float(np.ptp(line.get_xdata())) > line.get_linewidth() * sum(pattern)


def test_of_many_flows_a_band_is_drawn_and_no_line_but_the_median(run, tmp_path, canvases):
    one_run.draw(replace(run, flows=[*run.flows] * 15), tmp_path / "run.png")
    ax = panel(canvases[0], "Goodput (Mbit/s)")
    kinds = {(f.kind, f.direction) for f in run.flows}
    assert len(ax.lines) == len(kinds)
    assert all(text.get_text().endswith("median and 10 to 90 %") for text in ax.get_legend().get_texts())


def test_legends_are_as_wide_as_their_panels_at_most(run, tmp_path, canvases):
    """Long names of flows side by side made every panel of the page half as wide."""
    flows = [
        replace(f, cc="bbr-plus" if i % 2 else "highspeed", station=i // 3 + 1) for i, f in enumerate([*run.flows] * 6)
    ]
    one_run.draw(replace(run, flows=flows), tmp_path / "run.png")
    (canvas,) = canvases
    canvas.draw_without_rendering()
    for ax in (ax for ax in canvas.axes if ax.get_legend()):
        box, legend = ax.get_window_extent(), ax.get_legend().get_window_extent()
        assert box.width > 0.4 * canvas.bbox.width and box.height > 1.4 * canvas.dpi
        assert legend.x1 <= box.x1 + 0.02 * canvas.bbox.width and legend.y0 >= box.y1 - 1


def test_a_long_name_is_in_the_picture(run, canvases, monkeypatch, tmp_path):
    monkeypatch.setattr(compare_plots, "PANELS", [p for p in compare_plots.PANELS if p.name == "srtt"])
    long = replace(run, scenario=" ".join(["a house of many words"] * 9))
    one_run.draw(long, tmp_path / "run.png")
    compare_plots.draw(compare.Comparison(dict.fromkeys("ab", long), []), tmp_path)
    alone = Canvas(figsize=(5, 3))
    headline(alone, "word" * 60)
    for canvas in (*canvases, alone):
        canvas.draw_without_rendering()
        title = canvas._suptitle.get_window_extent()
        assert 0 <= title.x0 < title.x1 <= canvas.bbox.width and title.y1 <= canvas.bbox.height
        assert all(ax.get_window_extent().y1 <= title.y0 for ax in canvas.axes)


def test_a_run_has_one_axis_of_time_and_sockets_end_with_their_flows(run, tmp_path, canvases):
    one_run.draw(run, tmp_path / "run.png")
    (canvas,) = canvases
    labels = ("Goodput (Mbit/s)", "Ping RTT (ms)", "cwnd (segments)", "srtt (ms)", "Airtime sent (%)")
    assert {panel(canvas, x).get_xlim() for x in labels} == {(0, run.simulated_s)}
    for label in ("cwnd (segments)", "srtt (ms)"):
        ends = [line.get_xdata()[-1] for line in panel(canvas, label).lines if len(line.get_xdata()) > 2]
        assert ends and max(ends) <= run.window[1] + 1e-9 < run.simulated_s


def test_a_run_that_is_shorter_than_a_sample_says_so(run, tmp_path, canvases):
    times = {"lead_in": "0 s", "flows": "1 ms", "tail": "0 s", "warmup": "0 s"}
    one_run.draw(wavetank.Scenario.from_dict({"name": "house", **HOUSE, "time": times}).run(), tmp_path / "run.png")
    one_run.draw(run, tmp_path / "run.png")
    short, usual = (c._supxlabel.get_text() for c in canvases)
    assert (
        "No curves: the run ended before its first sample (time.sample = 200 ms)" in short and "No curves" not in usual
    )


def test_outliers_are_told_of_below_the_axes():
    ax = Canvas().subplots()
    of_runs.limits(ax, np.array([1.0] * 999 + [50.0]))
    (text,) = ax.texts
    assert text.get_text() == "1 above, up to 50"
    ax.figure.draw_without_rendering()
    assert text.get_window_extent().y1 < ax.get_window_extent().y0, "no curve is there"


def test_what_is_a_little_above_is_no_outlier():
    """ "2 above, up to 75" stood below an axis that ended at 74.9."""
    ax = Canvas().subplots()
    of_runs.limits(ax, np.array([50.0] * 999 + [60.0]))
    assert not ax.texts and ax.get_ylim()[1] > 60


def test_airtime_above_the_time_is_explained(run, tmp_path, canvases):
    crowded = {
        k: replace(n, series={**n.series, "airtime_tx_us": n.series["t"] * 0 + 2e5}) for k, n in run.nodes.items()
    }
    for nodes in (crowded, run.nodes):
        one_run.draw(replace(run, nodes=nodes), tmp_path / "run.png")
    over, usual = (c._supxlabel.get_text() for c in canvases)
    assert COLLISIONS in over and COLLISIONS not in usual


def test_airtime_of_a_comparison_is_in_percent_and_outliers_are_told(run, tmp_path, canvases, monkeypatch):
    looked_at = [p for p in compare_plots.PANELS if p.name in ("airtime", "ping")]
    monkeypatch.setattr(compare_plots, "PANELS", looked_at)
    nodes = {k: replace(n, series={**n.series, "airtime_tx_us": n.series["t"] * 0 + 1e5}) for k, n in run.nodes.items()}
    pings = tuple(replace(p, rtt_ms=np.where(p.t > p.t[-2], 999.0, p.rtt_ms)) for p in run.pings)
    results = {"a": replace(run, nodes=nodes, pings=pings), "b": replace(run, nodes=nodes)}
    c = compare.Comparison(results, compare.lines({w: [compare.figures(r)] for w, r in results.items()}))
    compare_plots.draw(c, tmp_path)
    airtime = next(x for x in canvases if x._supylabel.get_text() == "Airtime sent (%)")
    assert airtime.axes[0].lines[0].get_ydata()[3] == pytest.approx(50.0)
    ping = next(x for x in canvases if x._supylabel.get_text() == "Ping RTT (ms)")
    assert all("above, up to 999" in ax.texts[0].get_text() for ax in ping.axes if ax.lines)


def test_a_node_has_one_colour_in_every_picture():
    assert of_runs.node_colours(["sta3", "ap", "sta1"]) == {
        "sta3": one_run._of_radio("sta3"), "ap": of_runs.AP, "sta1": one_run._of_radio("sta1"),
    }  # fmt: skip
    real = of_runs.node_colours(["aa:bb:cc:00:00:01", "aa:bb:cc:00:00:02"])
    assert len(set(real.values())) == 2


def test_an_analysis_has_every_stations_ping():
    quantiles = {"n": 50, "quantiles": [1.0, 2.0, 3.0]}
    pings = [{"src": f"10.0.0.{2 + i}", "dst": "10.0.0.9", "rtt_ms": quantiles} for i in range(3)]
    document = {
        "origin": {"nodes": ["ap", "sta1", "sta2", "sta3"], "addresses": []},
        "report": {"flows": [], "pings": pings, "stations": []},
    }
    ax = Canvas().subplots()
    assert analyze_plot._rtt_panel(document, ax)
    assert {x.get_label(): x.get_color() for x in ax.lines} == {
        f"ping sta{i + 1}": of_runs.station_colour(i) for i in range(3)
    }


@pytest.mark.usefixtures("canvases")
def test_a_sweep_explains_airtime_above_the_time(tmp_path):
    scenario = wavetank.Scenario.from_dict({"name": "house", **HOUSE})
    made = sweep_plan.make(scenario, [axes.parse("wifi.mcs=7,6")], repetitions=1)
    swept = wavetank.sweep(scenario, ["wifi.mcs=7,6"], repetitions=1, jobs=1, out=tmp_path)
    points = tuple(
        replace(p, metrics={**p.metrics, "airtime": replace(p.metrics["airtime"], median=104.0)}) for p in swept.points
    )
    over = replace(swept, points=points)
    for sweep, said in ((swept, False), (over, True)):
        assert (COLLISIONS[8:40] in str(table.points_table(sweep).caption)) is said
        assert (COLLISIONS in pictures.figures(sweep, made)["sweep"].note) is said


def test_the_times_of_a_csi_log_line_up(tmp_path, canvases):
    path = tmp_path / "log.dat"
    path.write_bytes(b"".join(write.atheros(write.random_csi(i, 2, 1, 56, 400), stamp=i * 1000) for i in range(40)))
    csi_plots.save(log.load(path), tmp_path / "a.png")
    (canvas,) = canvases
    _, powers, snr = canvas.axes[:3]
    assert powers.get_xlim() == snr.get_xlim()
    a, b = powers.get_window_extent(), snr.get_window_extent()
    assert (a.x0, a.x1) == pytest.approx((b.x0, b.x1), abs=0.5)
    title, legend = snr._left_title.get_window_extent(), snr.get_legend().get_window_extent()
    assert title.y0 >= legend.y1 - 1


def test_what_an_axis_leaves_out_is_told_without_an_exponent():
    assert of_runs.beyond(np.array([3.0, 1114.4, np.nan]), 100) == "1 above, up to 1114"
