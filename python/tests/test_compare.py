"""Scenarios and waters side by side: columns, repetitions, and how sure a difference is."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import wavetank
from wavetank import ScenarioError, UserError, compare, flent
from wavetank.cli import cli
from wavetank.compare import repeat
from wavetank.files import plain
from wavetank.plots import compare as compare_plots
from wavetank.report import comparison_table

UP = {
    "name": "up",
    "topology": {"kind": "wifi"},
    "time": {"lead_in": "200 ms", "flows": "1 s", "tail": "0 s", "warmup": "200 ms"},
    "wifi": {"mcs": 15, "error_rate": 0.1},
}


def scenario(**sets):
    return wavetank.Scenario.from_dict(UP, "up.toml").set(**sets)


@pytest.fixture
def pictures(monkeypatch):
    """Has a comparison draw these alone: a test of what is beside them need not wait for the other ten."""
    every = compare_plots.PANELS
    return lambda *few: monkeypatch.setattr(compare_plots, "PANELS", [p for p in every if p.name in few])


def names(*args, **kwargs):
    return [(c.name, c.water) for c in compare.columns(*args, **kwargs)]


def test_columns_have_the_names_that_tell_them_apart():
    s, other = scenario(), wavetank.Scenario.from_dict(UP, "there/other.toml")
    assert names([s], ["model", "linux"]) == [("model", "model"), ("linux", "linux")]
    assert names([s, other], ["model"]) == [("up", "model"), ("other", "model")]
    assert names([s], ["model"], [("tcp.cc", "bbr")]) == [("tcp.cc=cubic", "model"), ("tcp.cc=bbr", "model")]
    several = [("tcp.cc", "bbr"), ("wifi.mcs", "7")]
    assert [n for n, _ in names([s], ["model"], several)] == ["as it is", "tcp.cc=bbr", "wifi.mcs=7"]
    assert [n for n, _ in names([s], ["model", "linux"], several[1:])] == [
        "wifi.mcs=15 model", "wifi.mcs=15 linux", "wifi.mcs=7 model", "wifi.mcs=7 linux"]  # fmt: skip


def test_few_repetitions_have_to_differ_by_more():
    """Student's t, two-sided, 95 %: 12.71 with one degree of freedom, 4.30 with two, 2.78 with four, 2.26 with nine."""

    def line(n, errors):
        base = [100.0] * n
        steps = np.array([1.0, -1.0] * (n // 2) + [0.0] * (n % 2))
        error = np.std(steps, ddof=1) / np.sqrt(n)
        return compare.Line("x", "", {"a": base, "b": list(100 + errors * error + steps)})

    for n, reach in ((2, 12.71), (3, 4.303), (5, 2.776), (10, 2.262)):
        assert not line(n, 0.99 * reach).significant()["b"], n
        assert line(n, 1.01 * reach).significant()["b"], n
        assert "significant" in line(n, 3.0).json()
    alone = compare.Line("x", "", {"a": [1.0], "b": [9.0]})
    assert alone.significant() == {"b": False} and "significant" not in alone.json()
    assert compare.Line("x", "", {"a": [1.0, 1.0], "b": [None, None]}).significant() == {"b": False}
    assert compare.Line("x", "", {"a": [1.0, 1.0, 1.0], "b": [3.0, None, 3.0]}).significant() == {"b": True}


def test_what_is_set_against_it_is_set():
    base, other = compare.columns([scenario()], ["model"], [("wifi.mcs", "7")])
    assert (base.scenario.check()["wifi.mcs"], other.scenario.check()["wifi.mcs"]) == ("15", "7")
    assert (base.name, other.name) == ("wifi.mcs=15", "wifi.mcs=7")
    # nothing that stands in for the scenario's own control is no setting of it
    assert [c.name for c in compare.columns([scenario()], ["linux"], [("linux.cc", "mine")])] == [
        "as it is",
        "linux.cc=mine",
    ]


@pytest.mark.parametrize(
    ("against", "words"),
    [([("wifi.mcs", "15")], '"wifi.mcs=15" stands twice'), ([("wifi.mcs", str(i)) for i in range(6)], "7 columns, expected 6"),
     ([("wifi.msc", "7")], "did you mean")],
)  # fmt: skip
def test_columns_that_make_no_comparison_are_refused(against, words):
    with pytest.raises((UserError, ScenarioError), match=words):
        compare.columns([scenario()], ["model"], against)


def test_means_differences_and_their_errors():
    line = compare.Line("goodput", "Mbit/s", {"a": [10.0, 12.0, 14.0], "b": [11.0, 13.5, 14.5], "c": [20.0]})
    assert line.values == {"a": 12.0, "b": 13.0, "c": 20.0}
    assert line.differences() == {"b": pytest.approx(1 / 12), "c": pytest.approx(8 / 12)}
    # pairs: what a seed does to both is not a difference's
    assert line.errors() == {"b": pytest.approx(np.std([1, 1.5, 0.5], ddof=1) / np.sqrt(3) / 12), "c": None}
    unpaired = compare.Line("x", "", {"a": [1.0, 3.0], "b": [2.0, 4.0, None, 6.0]})
    assert unpaired.errors()["b"] == pytest.approx(np.hypot(1, np.std([2, 4, 6], ddof=1) / np.sqrt(3)) / 2)
    assert compare.Line("x", "", {"a": [0.0, 0.0], "b": [1.0, 1.0]}).errors() == {"b": None}


def test_repetitions_are_the_next_seeds_and_what_is_kept_is_not_run_again(tmp_path, monkeypatch):
    columns = compare.columns([scenario()], ["model"], [("wifi.mcs", "7")])
    three = compare.compare(columns, seed=5, repetitions=3, folder=tmp_path)
    line = next(x for x in three.lines if x.figure == "up1 goodput")
    for c in columns:
        alone = [c.scenario.run(seed).flows[0].goodput_mbit for seed in (5, 6, 7)]
        assert list(line.samples[c.name]) == alone and len(set(alone)) == 3
    assert three.title == "up, seeds 5 to 7"
    ran = []
    real = repeat.runner.simulate
    monkeypatch.setattr(repeat.runner, "simulate", lambda run: ran.append(run.seed) or real(run))
    five = compare.compare(columns, seed=5, repetitions=5, folder=tmp_path)
    assert sorted(ran) == [8, 8, 9, 9]
    assert [x.samples[columns[1].name][:3] for x in five.lines] == [x.samples[columns[1].name] for x in three.lines]


def test_a_table_says_how_sure_it_is(tmp_path):
    columns = compare.columns([scenario()], ["model"], [("wifi.mcs", "7")])
    table = comparison_table(compare.compare(columns, repetitions=2, folder=tmp_path))
    cells = next(zip(*(c.cells for c in table.columns), strict=True))
    assert cells[0] == "up1 goodput" and "\u00b1" in str(cells[-1]) and "bold" in str(cells[-1].style)
    assert "means over 2 seeds" in str(table.caption)


@pytest.mark.usefixtures("canvases")
def test_the_command(tmp_path):
    path = tmp_path / "up.toml"
    path.write_text(scenario().text)
    done = CliRunner().invoke(
        cli, ["compare", str(path), "--against", "wifi.mcs=7", "--repetitions", "2", "--jobs", "1", "--out", str(tmp_path / "out"), "--json"]
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    doc = json.loads(done.stdout)
    row = next(r for r in doc["rows"] if r["figure"] == "up1 goodput")
    assert row["difference"]["wifi.mcs=7"] < 0 < row["standard_error"]["wifi.mcs=7"]
    assert {"goodput.png", "compare.csv", "wifi.mcs=7", "wifi.mcs=15"} <= {p.name for p in (tmp_path / "out").iterdir()}
    head = (tmp_path / "out" / "compare.csv").read_text().splitlines()[0]
    assert (
        head
        == "figure,unit,wifi.mcs=15,wifi.mcs=7,difference wifi.mcs=7 (fraction),standard error wifi.mcs=7 (fraction)"
    )


@pytest.mark.parametrize("columns", [2, 3, 6])
def test_as_many_columns_as_are_taken_are_drawn_and_told_apart(tmp_path, canvases, pictures, columns):
    pictures("srtt")
    r = scenario().run()
    results = {f"a control of some name={i}": r for i in range(columns)}
    c = compare.Comparison(results, compare.lines({w: [compare.figures(r)] for w, r in results.items()}))
    compare_plots.draw(c, tmp_path)
    (canvas,) = canvases
    canvas.draw_without_rendering()
    (ax,), (legend,) = canvas.axes, canvas.legends
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == columns
    assert [t.get_text() for t in legend.get_texts()] == list(results)
    title, box = canvas._suptitle.get_window_extent(), legend.get_window_extent()
    entries = [t.get_window_extent() for t in legend.get_texts()]
    assert not any(title.overlaps(e) for e in entries)
    assert box.x0 >= 0 and box.y0 >= ax.get_window_extent().y1


def test_of_more_flows_than_panels_the_first_panel_has_all(tmp_path, canvases, pictures):
    pictures("goodput", "ping", "srtt")
    r = scenario(wifi__stations=12).run()
    results = {"a": r, "b": r}
    c = compare.Comparison(results, compare.lines({w: [compare.figures(r)] for w in results}))
    compare_plots.draw(c, tmp_path)
    assert [x.axes[0].get_title(loc="left") for x in canvases] == ["sum of 12", "median of 12", "median of 12"]
    assert [x.axes[7].get_title(loc="left") for x in canvases] == ["up1 sta7", "up1 sta7", "icmp sta7"]
    assert all("all together, and the first 7 of 12" in x._suptitle.get_text().replace("\n", " ") for x in canvases)
    goodput, srtt, ping = (x.axes[0].lines[0].get_ydata() for x in canvases)
    flows = [f.goodput()[1] for f in r.flows]
    assert goodput == pytest.approx(np.nansum(flows, axis=0)) and goodput.max() > max(f.max() for f in flows)
    some = np.array([f.series["srtt_ms"] for f in r.flows])[:, np.isfinite(r.flows[0].series["srtt_ms"])]
    assert np.nanmedian(srtt) == pytest.approx(np.median(np.nanmedian(some, axis=0)), rel=0.1)
    of = np.concatenate([p.rtt_ms for p in r.pings])
    assert np.nanmin(of) <= np.nanmin(ping) and np.nanmax(ping) < np.nanmax(of)


def test_one_station_beside_several_is_called_as_theirs(tmp_path, canvases, pictures):
    pictures("goodput", "ping")
    columns = compare.columns([scenario()], ["model"], [("wifi.stations", "2")])
    found = compare.compare(columns, repetitions=2, folder=tmp_path)
    rows = {x.figure: list(x.values.values()) for x in found.lines}
    assert None not in rows["up1 sta1 goodput"] and rows["up1 sta2 goodput"][0] is None
    one, two = rows["tcp up, sum of all"]
    assert one == rows["up1 sta1 goodput"][0]
    assert two == pytest.approx(rows["up1 sta1 goodput"][1] + rows["up1 sta2 goodput"][1])
    assert [p.name for p in compare_plots.draw(found, tmp_path)] == ["goodput.png", "ping.png"]
    assert [len(c.axes[0].lines) for c in canvases] == [2, 2]
    assert [c.axes[0].get_title(loc="left") for c in canvases] == ["up1 sta1", "icmp sta1"]
    again = compare.compare(columns, repetitions=2, folder=tmp_path)  # of what is kept
    assert [x.samples for x in again.lines] == [x.samples for x in found.lines]


def test_a_sum_says_of_how_many_where_they_are_as_many():
    def of(*counts):
        runs = {str(i): [{("tcp up, sum", "Mbit/s"): 9.0, ("tcp up, flows", ""): n}] for i, n in enumerate(counts)}
        return [x.figure for x in compare.lines(runs)]

    assert (of(1, 1), of(4, 4), of(1, 4)) == ([], ["tcp up, sum of 4"], ["tcp up, sum of all"])


@pytest.mark.parametrize(
    ("words", "said"),
    [([], "expected a SCENARIO"), (["up.toml", "--with", "a.flent.gz", "--against", "tcp.cc=bbr"], "stands beside one SCENARIO")],
)  # fmt: skip
def test_the_command_refuses(words, said):
    done = CliRunner().invoke(cli, ["compare", *words])
    assert done.exit_code == 2 and said in done.output


def test_what_is_on_the_air_is_compared_too(tmp_path):
    base, other = compare.columns([scenario()], ["model"], [("wifi.mcs", "7")], air=True)
    found = compare.compare([base, other], seed=5, repetitions=2, folder=tmp_path)
    by_name = {line.figure: line for line in found.lines}
    assert {"up1 goodput", "sta1 PPDUs in a row", "ap PPDUs collided", "sta1 TCP round trip on the air"} <= set(by_name)
    # a tenth of the MPDUs is lost, whatever the rate; at MCS 7 there are fewer PPDUs
    retries = by_name["sta1 retries on the air"].values
    assert all(0.08 < v < 0.2 for v in retries.values())
    sent = by_name["sta1 PPDUs on the air"].values
    assert sent[other.name] < sent[base.name]
    # looking changes nothing, and what was counted is kept apart from what was not
    plain = compare.compare(compare.columns([scenario()], ["model"], [("wifi.mcs", "7")]), seed=5, folder=tmp_path)
    goodput = next(x for x in plain.lines if x.figure == "up1 goodput")
    assert [s[0] for s in goodput.samples.values()] == [s[0] for s in by_name["up1 goodput"].samples.values()]
    assert all("on the air" not in x.figure for x in plain.lines)


CALL = {
    "wifi": {"mcs": 15, "stations": 2},
    "stations": {"tcp_down": [1, 0], "udp_down": ["off", "68800 bit/s"]},
    "traffic": {"tcp_up": 0, "udp_payload": 172},
}


def lines_of(*columns):
    return {x.figure: x for x in compare.compare(columns, seed=5).lines}


def test_a_call_is_compared_as_a_call_and_each_station_has_its_ping():
    s = wavetank.Scenario.from_dict({**UP, **CALL}, "call.toml")
    found = lines_of(*compare.columns([s], ["model"], [("tcp.cc", "bbr")]))
    result = s.run(5)
    call = next(f for f in result.summary()["flows"] if f["kind"] == "udp")
    own = {k: v.values["tcp.cc=cubic"] for k, v in found.items()}
    assert own["udp_down1 sta2 delay p50"] == call["delivery"]["delay_ms"]["p50"]
    assert own["udp_down1 sta2 delay p99"] == call["delivery"]["delay_ms"]["p99"]
    assert own["udp_down1 sta2 jitter"] == call["delivery"]["jitter_ms"]
    assert (own["udp_down1 sta2 lost datagrams"], found["udp_down1 sta2 jitter"].unit) == (0, "ms")
    pings = result.summary()["ping_ms_of"]
    for sta in ("sta1", "sta2"):
        assert [own[f"{sta} ping {p}"] for p in ("p50", "p90")] == [pings[sta][p] for p in ("p50", "p90")]


def test_losses_are_told_of_every_radio_where_there_are_any_and_bitrates_that_differ():
    alone = {"traffic.tcp_up": 0, "traffic.udp_down": "20 Mbit/s", "traffic.ping": "off", "wifi.stations": 2}
    s = scenario(**{**alone, "wifi.error_rate": 0})
    found = lines_of(*compare.columns([s], ["model"], [("stations.error_down", "0,0.3")]))
    assert list(found["sta2 lost MPDUs to it"].values.values()) == [0, pytest.approx(0.3, abs=0.05)]
    assert not [x for x in found if "bitrate" in x] and "sta1 lost MPDUs to it" not in found
    found = lines_of(*compare.columns([s], ["model"], [("stations.mcs", "15,7")]))
    assert [x for x in found if "bitrate" in x] == ["sta2 bitrate to it"]
    assert not [x for x in found if "lost MPDUs" in x]


def test_udp_stands_beside_where_the_file_knows_what_arrived(tmp_path):
    """iperf's client notes what it sent, a run of ours what came through."""
    s = scenario(**{"traffic.tcp_up": 0, "traffic.udp_down": "20 Mbit/s", "time.lead_in": "1 s", "time.flows": "2 s"})
    path = tmp_path / "ours.flent.gz"
    result = s.run(5)
    flent.write(path, result)
    found = {x.figure: x for x in compare.compare(s, ["model"], seed=5, measured=[path]).lines}
    assert found["udp_down1 goodput"].values["testbed"] == pytest.approx(result.flows[0].goodput_mbit, rel=0.02)
    assert not any("iperf" in x for x in compare.remarks(s, [path]))
    document = flent.document(result)
    del document["metadata"]["WAVETANK_SCENARIO"]  # as Flent itself writes it
    path.write_text(json.dumps(plain(document)))
    found = {x.figure: x for x in compare.compare(s, ["model"], seed=5, measured=[path]).lines}
    assert found["udp_down1 goodput"].values["testbed"] is None
    assert any("what iperf's client sent" in x for x in compare.remarks(s, [path]))


@pytest.mark.usefixtures("canvases")
def test_an_earlier_comparisons_columns_and_pictures_go(tmp_path, pictures):
    pictures("goodput", "lost")
    path = tmp_path / "up.toml"
    path.write_text(scenario().text)
    out = tmp_path / "out"
    for against in ("tcp.cc=bbr", "wifi.mcs=7"):
        done = CliRunner().invoke(cli, ["compare", str(path), "--against", against, "--out", str(out)])
        assert done.exit_code == 0, done.output
        (out / "lost.png").rename(out / "notes.png")  # somebody's own
    assert {p.name for p in out.iterdir() if p.is_dir()} == {"wifi.mcs=15", "wifi.mcs=7"}
    assert (out / "notes.png").exists() and (out / "compare.csv").exists()


def test_a_key_that_changes_nothing_is_said(tmp_path, pictures):
    pictures()
    path = tmp_path / "up.toml"
    path.write_text(scenario().text)
    args = ["compare", str(path), "--against", "tcp.tsq_ms=3", "--out", str(tmp_path / "out"), "--json"]
    told = CliRunner().invoke(cli, args)
    assert 'tcp.tsq_ms = 3 changes nothing here: tcp.tsq is "kernel"' in told.stderr


def test_an_air_that_is_not_there_is_refused():
    wired = wavetank.Scenario.from_dict(
        {"name": "w", "topology": {"kind": "wired"}, "htb": {"rate": "100 Mbit/s"}}, "w.toml"
    )
    with pytest.raises(UserError, match="has no Wi-Fi, there is no air"):
        compare.columns([wired], ["model"], air=True)
