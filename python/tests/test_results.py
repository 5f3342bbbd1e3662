"""Results as files: whole or not there, and readable elsewhere."""

import gzip
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import wavetank
from wavetank import Scenario, UserError, files, flent, stats, store, table
from wavetank.errors import unknown
from wavetank.lab import plan
from wavetank.state import State

SUMMARY = [
    "scenario", "seed", "simulated_s", "wall_s", "events", "flows", "ping_ms", "ampdu", "airtime", "drops", "jain",
]  # fmt: skip
FLOW = ["name", "direction", "goodput_mbit", "tcp_rtt_ms", "cwnd_segments", "retransmits", "rtos"]


def scenario(**sets):
    s = Scenario.load(plan.ROOT / "scenarios" / "cotsq-ath9k-htc.toml")
    return s.set({"time.flows": "6 s", **sets})


def test_the_summary_has_the_stable_keys(one_result):
    s = one_result.summary()
    assert set(SUMMARY) <= set(s)
    assert set(FLOW) <= set(s["flows"][0])
    assert set(s["flows"][0]["tcp_rtt_ms"]) == {"p10", "p50", "p90", "mean"}
    assert set(s["ampdu"]["sta1"]) == {"mean", "p50", "p90", "single_fraction"}
    json.loads(files.dumps(s))


def test_a_result_at_a_prompt_is_its_figures_not_its_series(one_result):
    text = repr(one_result)
    assert "goodput_mbit=" in text and "airtime_fraction=" in text and "array(" not in text
    assert "Mode(" not in text and len(text) < 1000


def test_equal_runs_are_equal(one_result):
    s = scenario()
    again = pickle.loads(pickle.dumps(one_result))
    assert again == one_result
    assert (s.run(2), s.run(2).flows, s.run(2).nodes) == (s.run(2), s.run(2).flows, s.run(2).nodes)
    assert s.run(2) != s.run(3)
    (flow, *others), seen = one_result.flows, one_result.flows[0].series
    later = replace(flow, series={**seen, "acked": seen["acked"] + 1})
    assert later != flow and replace(one_result, flows=(later, *others)) != one_result
    assert flow != "up1" and flow not in ("up1", later)


def test_numpys_values_are_values():
    s = scenario()
    for given, plain in (
        ({"wifi.short_gi": np.bool_(False)}, {"wifi.short_gi": False}),
        ({"tcp.tsq_ms": np.int64(3)}, {"tcp.tsq_ms": 3}),
        ({"wifi.stations": 2, "stations.mcs": np.array([7, 3])}, {"wifi.stations": 2, "stations.mcs": [7, 3]}),
    ):
        assert s.set(given) == s.set(plain)
    made = {"name": "n", "topology": {"kind": "wifi"}, "wifi": {"mcs": np.int64(5), "short_gi": np.bool_(True)}}
    assert Scenario.from_dict(made).check()["wifi.mcs"] == "5"


def test_a_folder_is_written_whole(one_result, tmp_path):
    out = tmp_path / "a" / "b"
    written = one_result.save(out)
    assert {p.name for p in written} == {"summary.json", "samples.parquet", flent.file_name(one_result)}
    assert all(p.exists() for p in written)
    one_result.save(out)
    assert not [p for p in out.parent.iterdir() if p != out]


def state_of(result, at, **texts):
    files = {name.replace("__", "."): text for name, text in texts.items()} | {"ap/stations/sta1/aqm": "x"}
    return replace(result, states=(State(at, {}, None, files),))


def below(folder):
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def test_an_earlier_runs_files_go_and_ones_own_stay(one_result, tmp_path):
    """A folder had one run's summary beside another's states and Flent file."""
    first = replace(state_of(one_result, 10.0, ap__tc="1", sta1__ss="2"), scenario="first")
    store.save(first, tmp_path, ["monitor.pcapng"])
    (tmp_path / "monitor.pcapng").write_text("captured")
    assert below(tmp_path) == {
        "summary.json", "samples.parquet", flent.file_name(first), "state-10.000s/ap.tc", "state-10.000s/sta1.ss",
        "state-10.000s/ap/stations/sta1/aqm", "monitor.pcapng",
    }  # fmt: skip
    own = {"notes.txt", "tcp_upload-mine.flent.gz", "state-10.000s/notes.txt", "state-3.000s/ap.tc"}
    for name in own:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine")
    one_result.save(tmp_path)
    assert below(tmp_path) == own | {"summary.json", "samples.parquet", flent.file_name(one_result)}
    assert {(tmp_path / name).read_text() for name in own} == {"mine"}
    assert not (tmp_path / "state-10.000s" / "ap").exists()


def test_states_of_one_time_are_one_runs(one_result, tmp_path):
    state_of(one_result, 10.0, ap__tc="1", sta9__ss="2").save(tmp_path)
    written = state_of(one_result, 10.0, ap__tc="3").save(tmp_path)
    assert tmp_path / "state-10.000s" in written
    assert {p.name: p.read_text() for p in (tmp_path / "state-10.000s").iterdir() if p.is_file()} == {"ap.tc": "3"}


def test_a_summary_that_names_files_elsewhere_takes_none_away(one_result, tmp_path):
    (tmp_path / "precious").write_text("mine")
    out = tmp_path / "out"
    (out / "folder").mkdir(parents=True)
    listed = ["../precious", str(tmp_path / "precious"), "", "folder", 7]
    (out / "summary.json").write_text(json.dumps({"files": listed[:-1]}))
    one_result.save(out)
    assert (tmp_path / "precious").read_text() == "mine" and (out / "folder").is_dir()
    for odd in ('{"files": [7]}', "[]", "no JSON", '{"files": 3}'):
        (out / "summary.json").write_text(odd)
        one_result.save(out)


def test_a_failure_leaves_the_earlier_run(one_result, tmp_path, monkeypatch):
    state_of(one_result, 10.0, ap__tc="1").save(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in below(tmp_path)}
    monkeypatch.setattr(store.flent, "write", lambda *a: (_ for _ in ()).throw(RuntimeError("disk full")))
    with pytest.raises(RuntimeError):
        one_result.save(tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in below(tmp_path)} == before


def test_a_summary_never_stands_beside_another_runs_samples(one_result, tmp_path, monkeypatch):
    one_result.save(tmp_path)
    seen, move = [], type(tmp_path).replace
    monkeypatch.setattr(
        type(tmp_path),
        "replace",
        lambda p, to: (seen.append((to.name, (tmp_path / "summary.json").exists())), move(p, to)),
    )
    one_result.save(tmp_path)
    assert seen[-1] == ("summary.json", False) and not any(there for _, there in seen) and len(seen) == 3


def test_a_failure_leaves_nothing(one_result, tmp_path, monkeypatch):
    def fail(*a):
        raise RuntimeError("disk full")

    monkeypatch.setattr(store.flent, "write", fail)
    with pytest.raises(RuntimeError):
        one_result.save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_a_folder_should_be_is_told(one_result, tmp_path):
    (tmp_path / "out").write_text("x")
    with pytest.raises(UserError, match="expected a folder"):
        one_result.save(tmp_path / "out")
    assert (tmp_path / "out").read_text() == "x"


def test_the_same_run_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        scenario().run(3).save(tmp_path / name)
    for f in sorted((tmp_path / "a").iterdir()):
        if f.name != "summary.json":
            assert f.read_bytes() == (tmp_path / "b" / f.name).read_bytes(), f.name
    one, two = (json.loads((tmp_path / n / "summary.json").read_text()) for n in ("a", "b"))
    one.pop("wall_s"), two.pop("wall_s")
    assert one == two


def test_a_flows_columns_are_of_one_length_and_of_its_transport_alone():
    """As pandas.DataFrame takes them."""
    both = scenario(**{"time.flows": "3 s", "traffic.udp_up": "1 Mbit/s", "traffic.tcp_up": 1}).run()
    tcp, udp = both.flows
    for flow in both.flows:
        assert {v.shape for v in flow.series.values()} == {flow.series["t"].shape}
    assert "snd_cwnd" in tcp.series and "delay_ms" not in tcp.series
    assert sorted(udp.series) == ["delay_ms", "received", "t"]


def test_parquet_has_units_and_every_series(one_result, tmp_path):
    path = tmp_path / "s.parquet"
    table.write_parquet(path, [({"figure": "f"}, one_result)])
    t = pq.read_table(path)
    assert t.schema.field("srtt_ms").metadata[b"unit"] == b"ms"
    rows = t.to_pydict()
    assert set(rows["kind"]) >= {"flow", "ping", "node"}
    assert set(rows["figure"]) == {"f"}
    flow = np.array([k == "flow" for k in rows["kind"]])
    cwnd = np.array([np.nan if v is None else v for v in rows["snd_cwnd"]])
    series = one_result.flows[0].series["snd_cwnd"]
    np.testing.assert_allclose(cwnd[flow], np.where(np.isfinite(series), series, np.nan))
    assert np.isnan(cwnd[~flow]).all()


RUNS = {
    "tcp_upload": {},
    "tcp_download": {"traffic.tcp_up": 0, "traffic.tcp_down": 1},
    "tcp_nup": {"traffic.tcp_up": 4},
    "rrul": {"traffic.tcp_up": 4, "traffic.tcp_down": 4, "traffic.rrul": True},
}
#: Stations with pings of their own.
SEVERAL = {"tcp_nup of 3": {"traffic.tcp_up": 2, "wifi.stations": 3}, "rrul of 3": {**RUNS["rrul"], "wifi.stations": 3}}


def test_flent_tells_when_the_flows_ran_however_long_the_warm_up():
    times = {"lead_in": "3 s", "flows": "4 s", "tail": "1 s", "warmup": "500 ms", "cooldown": "1 s"}
    s = scenario().set({f"time.{k}": v for k, v in times.items()})
    result = s.run(1)
    assert result.flows_start == pytest.approx(3.0)
    of = flent.document(result)["metadata"]
    assert (of["DELAY"], of["LENGTH"], of["TOTAL_LENGTH"]) == (3, 4, 8)


@pytest.mark.parametrize("test", RUNS)
def test_flent_files_are_format_4(test):
    doc = flent.document(scenario(**RUNS[test]).run(1))
    assert (doc["version"], doc["metadata"]["NAME"]) == (4, test)
    n = len(doc["x_values"])
    assert all(len(v) == n for v in doc["results"].values())
    assert "Ping (ms) ICMP" in doc["results"]
    expected = {
        "tcp_upload": {"TCP upload"},
        "tcp_download": {"TCP download"},
        "tcp_nup": {"TCP upload::1", "TCP upload::4", "TCP upload sum", "TCP upload avg"},
        "rrul": {"TCP upload BE", "TCP upload BK", "TCP upload CS5", "TCP upload EF", "TCP download EF", "TCP totals", "Ping (ms) avg",
                 "Ping (ms) UDP EF"},
    }  # fmt: skip
    assert expected[test] <= set(doc["results"])
    assert {"wifi_stats_wavetank::avg_aggr_size::sta1", "wifi_stats_wavetank::airtime_total::ap"} <= set(doc["results"])
    json.dumps(doc, allow_nan=False)


def test_flent_has_each_stations_pings_besides_those_of_all():
    result = scenario().set({"wifi.stations": 3, "stations.tcp_up": [1, 0, 2]}).run(1)
    doc = flent.document(result)
    one_each = [f"Ping (ms) ICMP sta{i}" for i in (1, 2, 3)]
    assert {"Ping (ms) ICMP", *one_each} == {n for n in doc["results"] if n.startswith("Ping")}
    raw = [doc["raw_values"][n] for n in one_each]
    assert [r[0]["seq"] for r in raw] == [0, 0, 0] and sum(map(len, raw)) == len(doc["raw_values"]["Ping (ms) ICMP"])
    assert [v["val"] for v in raw[1]] == stats.finite(result.pings[1].rtt_ms).tolist()
    told = doc["metadata"]["SERIES_META"]
    assert {n: told[n].get("WAVETANK_NAME") for n in told if n.startswith("TCP upload::")} == {
        "TCP upload::1": "up1 sta1", "TCP upload::2": "up1 sta3", "TCP upload::3": "up2 sta3"
    }  # fmt: skip
    # of one station there is nothing else to tell
    assert [n for n in flent.document(scenario().run(1))["results"] if n.startswith("Ping")] == ["Ping (ms) ICMP"]


def test_a_mean_in_the_flent_file_is_the_runs(one_result):
    doc = flent.document(one_result)
    x, v = np.array(doc["x_values"]), np.array([np.nan if a is None else a for a in doc["results"]["TCP upload"]])
    inside = (x > one_result.window[0]) & (x <= one_result.window[1])
    assert np.nanmean(v[inside]) == pytest.approx(one_result.flows[0].goodput_mbit, rel=0.03)


FLENT = os.environ.get("FLENT") or shutil.which("flent", path=str(Path(sys.executable).parent)) or shutil.which("flent")


@pytest.mark.flent
@pytest.mark.skipif(not FLENT, reason="set FLENT to Flent's command")
@pytest.mark.parametrize(
    ("test", "plot"),
    [("rrul of 3", "ping"),
     *(pytest.param(*p, marks=pytest.mark.slow) for p in (("rrul", "all_scaled"), ("tcp_nup of 3", "ping_cdf"), ("tcp_upload", "aggregation"), ("tcp_upload", "totals"), ("tcp_upload", "airtime"),
       ("tcp_download", "totals"), ("tcp_nup", "totals"), ("rrul", "airtime_total")))],
)  # fmt: skip
def test_flent_loads_and_plots(test, plot, tmp_path):
    result = scenario(**(RUNS | SEVERAL)[test]).run(1)
    data = tmp_path / flent.file_name(result)
    flent.write(data, result)
    with gzip.open(data, "rt") as f:
        assert json.load(f)["version"] == 4
    png = tmp_path / "out.png"
    command = [FLENT, str(data), "-f", "plot", "-p", plot, "-o", str(png)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert png.read_bytes().startswith(b"\x89PNG")
    text = subprocess.run([FLENT, str(data), "-f", "summary"], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "Ping (ms) ICMP" in text.stdout
    assert not [line for line in done.stderr.splitlines() if "ERROR" in line], done.stderr


def test_the_pacing_of_uploads_alone_leaves_downloads_as_they_are():
    down = {"tcp.cc": "bbr-plus", "traffic.tcp_up": 0, "traffic.tcp_down": 1, "time.flows": "3 s"}

    def acked(more):
        (flow,) = scenario(**down, **more).run().flows
        return list(flow.series["acked"])

    doubled = {"bbr-plus.pace": 200, "tcp.pacing_ca_ratio": 240}
    assert acked({**doubled, "tcp.pacing_at_server": False}) == acked({})
    assert acked(doubled) != acked({})


def test_a_notebook_shows_tables(one_result):
    from xml.etree import ElementTree

    def cells(page):
        root = ElementTree.fromstring(f"<div>{page}</div>")
        return [[c.text for c in row] for row in root.iter("tr")], [c.text for c in root.iter("caption")]

    rows, (title, *_) = cells(one_result._repr_html_())
    flow = one_result.flows[0]
    assert title == f"{one_result.scenario}, seed {one_result.seed}"
    assert rows[0][:2] == ["flow", "goodput Mbit/s"] and rows[1][:2] == [flow.name, f"{flow.goodput_mbit:.4g}"]
    assert {"ap", "sta1", "p50"} <= {r[0] for r in rows}
    wired = wavetank.Scenario.from_dict({"name": "a <b>", "topology": {"kind": "wired"}, "htb": {"rate": "9 Mbit/s"}})
    wired = wired.set({"time.flows": "3 s"})
    assert cells(wired.run()._repr_html_())[1][0] == "a <b>, seed 1"
    quiet = wired.set({"traffic.tcp_up": 0}).run()
    assert "a &lt;b&gt;, seed 1" in quiet._repr_html_()
    sweep = wavetank.sweep(wired, {"tcp.cc": ["cubic", "bbr"]}, repetitions=1, jobs=1)
    rows, (title,) = cells(sweep._repr_html_())
    assert (
        [r[0] for r in rows] == ["cc", "cubic", "bbr"] and "goodput Mbit/s" in rows[0] and title.startswith("sweep of ")
    )


def test_names_are_listed_as_people_count():
    names = ["ap", *(f"sta{i}" for i in range(12, 0, -1)), "6.12", "5"]
    said = str(unknown("radio", "x", names))
    assert said.endswith("expected 5, 6.12, ap, " + ", ".join(f"sta{i}" for i in range(1, 13)))


def test_a_wrong_name_is_answered_with_those_that_there_are(one_result):
    for ask, said in (
        (lambda: one_result.flows[0].series["srtt"], 'unknown series "srtt"'),
        (lambda: one_result.in_window(one_result.flows[0].series, "cwnd"), 'unknown series "cwnd"'),
        (lambda: one_result.nodes["sta9"], 'unknown radio "sta9", expected ap, sta1'),
        (lambda: one_result.resolved["tcp.ccc"], 'did you mean "tcp.cc"'),
        (lambda: one_result.flows_of("upp"), 'unknown direction "upp", expected down, up'),
        (lambda: one_result.flows_of(kind="tpc"), "unknown kind of flow"),
    ):
        with pytest.raises(UserError, match=re.escape(said)) as e:
            ask()
        assert str(e.value).startswith("unknown ")
    with pytest.raises(KeyError):
        one_result.nodes["sta9"]
    assert one_result.nodes.get("sta9") is None and "sta9" not in one_result.nodes
    assert pickle.loads(pickle.dumps(one_result)) == one_result
