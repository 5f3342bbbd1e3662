"""The sweep: the same on one process and two, after a kill, crossed and zipped; its tables, files and JSON."""

import csv
import json
import math
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import wavetank as wt
from wavetank.lab import plan, runner
from wavetank.sweeps import metrics as names
from wavetank.sweeps.result import Estimate

SCENARIO = str(plan.ROOT / "scenarios" / "cotsq-ath9k.toml")
SHORT = {"tcp.tsq": "cotsq", "time.flows": "3 s", "time.lead_in": "1 s", "time.tail": "0 s"}
SET = [x for k, v in SHORT.items() for x in ("--set", f"{k}={v}")]
AXES = {"tcp.tsq_ms": [1, 4], "tcp.cc": ["cubic", "bbr"]}


@pytest.fixture(scope="module")
def small():
    return wt.sweep(SCENARIO, AXES, set=SHORT, repetitions=3, jobs=1, best="goodput", against="cc")


def test_points_are_crossed_in_the_axes_order(small):
    assert [tuple(p.values.values()) for p in small.points] == [(1, "cubic"), (1, "bbr"), (4, "cubic"), (4, "bbr")]
    assert [p.name for p in small.points][1] == "tsq_ms=1, cc=bbr"
    assert small.seeds == (1, 2, 3)
    rows = small.rows()
    assert len(rows) == 12
    assert list(rows[0]) == [
        "tcp.tsq_ms",
        "tcp.cc",
        "seed",
        "goodput",
        "ping_p50",
        "ping_p90",
        "ampdu_mean",
        "retransmits",
    ]


@pytest.mark.parametrize(
    ("axes", "sets", "told"),
    [
        (["tcp.tsq_ms=1,4"], {"tcp.tsq": "kernel"}, ['tcp.tsq_ms changes nothing at any point: tcp.tsq is "kernel"']),
        (
            ["tcp.tsq=kernel,off"],
            {"tcp.tsq_ms": 4},
            ['tcp.tsq_ms changes nothing at any point: tcp.tsq is "kernel"; tcp.tsq is "off"'],
        ),
        (["tcp.tsq=kernel,cotsq"], {"tcp.tsq_ms": 4}, []),
        (["tcp.cc=cubic,bbr"], {"tcp.tsq": "cotsq"}, []),
        (
            ["tcp.cc=cubic,reno", "wifi.stations=1,2"],
            {"stations.mcs": "[7]"},
            ["at cc=cubic, stations=2; cc=reno, stations=2: stations.mcs has 1 value for 2 stations: the others have what holds for all"],
        ),
        (["tcp.cc=cubic,reno"], {"ap.qdisc": "pfifo"}, ["ap.qdisc changes nothing at any point: ath9k has mac80211's queues"]),
    ],
)  # fmt: skip
def test_what_is_said_of_its_scenarios_is_said_once(wavetank, axes, sets, told):
    words = [x for k, v in sets.items() for x in ("--set", f"{k}={v}")]
    code, out, err = wavetank("sweep", SCENARIO, *axes, *words, "--dry-run")
    assert (code, out) == (0, "")
    said = [line.removeprefix("note: ") for line in err.splitlines() if line.startswith("note: ")]
    assert len(said) == len(told)
    assert all(a.startswith(b) for a, b in zip(said, told, strict=True)), said


def test_a_word_alone_is_one_word():
    s = wt.load(SCENARIO).set({**SHORT, "time.flows": "1 s", "time.warmup": "100 ms"})
    found = wt.sweep(s, "tcp.tsq_ms=1,4", repetitions=1, jobs=1, metrics="goodput", each="none")
    assert [p.name for p in found.points] == ["tsq_ms=1", "tsq_ms=4"]
    assert [m.name for m in found.metrics] == ["goodput"]
    for axes in (
        {"wifi.short_gi": [np.bool_(True), False]},
        {"tcp.tsq_ms": np.arange(1, 3)},
        {"sta.qdisc+ap.qdisc": iter(["aaq", "pfifo"])},
    ):
        assert len(wt.sweep(s, axes, repetitions=1, jobs=1).points) == 2
    for jobs in (0, -3):
        with pytest.raises(wt.UserError, match=f"jobs: {jobs}, expected at least one"):
            wt.sweep(s, "tcp.tsq_ms=1,4", jobs=jobs)


def test_a_points_values_are_its_runs(small):
    run = wt.load(SCENARIO).set({**SHORT, "tcp.tsq_ms": 4, "tcp.cc": "bbr"}).run(2)
    row = small.rows()[10]
    assert (row["tcp.tsq_ms"], row["tcp.cc"], row["seed"]) == (4, "bbr", 2)
    assert row["goodput"] == pytest.approx(run.flows[0].goodput_mbit)
    assert row["ping_p50"] == pytest.approx(run.summary()["ping_ms"]["p50"], abs=1e-3)
    assert row["ampdu_mean"] == pytest.approx(run.summary()["ampdu"]["sta1"]["mean"])


def test_estimates_are_median_and_students_interval(small):
    point = small.points[3]
    values = [r["goodput"] for r in point.repetitions]
    e = point.metrics["goodput"]
    assert e.median == sorted(values)[1] and e.n == 3
    mean = sum(values) / 3
    se = math.sqrt(sum((v - mean) ** 2 for v in values) / 2 / 3)
    assert (e.low, e.high) == (
        pytest.approx(mean - 4.302653 * se, rel=1e-5),
        pytest.approx(mean + 4.302653 * se, rel=1e-5),
    )
    assert Estimate.of([5.0]) == Estimate(5.0, None, None, 1)
    assert Estimate.of([math.nan]) == Estimate(None, None, None, 0)
    clipped = Estimate.of([0.9, 1.0], (0.0, 1.0))
    assert (clipped.low, clipped.high) == (pytest.approx(0.315, abs=1e-3), 1.0)
    assert Estimate.of([0.0, 3.0], (0.0, math.inf)).low == 0.0
    assert [names.metric(m).bounds for m in ("jain", "retransmits")] == [(0.0, 1.0), (0.0, math.inf)]
    assert {names.metric(m).bounds for m in ("udp_loss", "collisions", "retry_fraction")} == {(0.0, 100.0)}
    assert names.metric("airtime").bounds == (0.0, math.inf)  # of what collides, each sender's time counts


def test_best_front_and_differences(small):
    goodput = {p.name: p.metrics["goodput"].median for p in small.points}
    (best,) = small.best("goodput")
    assert best.name == max(goodput, key=goodput.get)
    assert best.name in small.pareto
    with pytest.raises(wt.UserError):
        small.best("cwnd")
    with pytest.raises(wt.UserError, match=r'^unknown metric of this sweep "foo"'):  # nobody gave an option
        small.best("foo")
    row = small.summary()[small.points.index(best)]
    assert row["tcp.cc"] == best.values["tcp.cc"] and row["pareto"] is True
    assert row["goodput_low"] <= row["goodput"] <= row["goodput_high"]
    first, second = small.differences("tcp.cc")
    assert (first.point, first.base) == ("tsq_ms=1, cc=bbr", "tsq_ms=1, cc=cubic")
    pairs = [
        (a["goodput"], b["goodput"])
        for a, b in zip(small.points[3].repetitions, small.points[2].repetitions, strict=True)
    ]
    assert second.metrics["goodput"].median == pytest.approx(sorted(a - b for a, b in pairs)[1])
    assert second.percent["goodput"].median == pytest.approx(
        100 * second.metrics["goodput"].median / small.points[2].metrics["goodput"].median
    )
    assert second.percent["retransmits"] is None


def test_at_a_prompt_a_sweep_is_a_line_a_point(small):
    """Its fields with every repetition and interval were pages."""
    head, *lines = repr(small).splitlines()
    assert head.startswith("<Sweep of ") and "goodput Mbit/s" in head
    assert len(lines) == len(small.points)
    assert sum(line.rstrip(">").endswith("*") for line in lines) == len(small.pareto)
    assert repr(small.points[0]).startswith(f"<SweepPoint {small.points[0].name}: goodput ")


def test_ties_are_points_whose_intervals_meet():
    from wavetank.sweeps.result import SweepPoint

    def point(name, low, high):
        return SweepPoint(name, {"tcp.tsq_ms": int(name)}, {"goodput": Estimate((low + high) / 2, low, high, 3)}, [])

    a, b, c, d = point("1", 10, 12), point("2", 11.5, 13), point("3", 12.1, 14), point("4", 20, 30)
    s = wt.sweep(SCENARIO, {"tcp.tsq_ms": [1]}, set=SHORT, repetitions=1, jobs=1)
    from dataclasses import replace

    s = replace(s, points=(a, b, c, d))
    assert [p.name for p in s.ties(b, "goodput")] == ["1", "3"]
    assert s.ties(d, "goodput") == []


def test_conditions_have_a_front_and_a_best_each(small):
    from dataclasses import replace

    each = replace(small, each=("tcp.cc",))
    assert [p.values["tcp.cc"] for p in each.best("goodput")] == ["cubic", "bbr"]
    assert len(each.fronts) == 2 and all(f for f in each.fronts)
    assert {n.rpartition("=")[2] for n in each.fronts[1]} == {"bbr"}


def test_what_nobody_chooses_is_a_condition_unless_told():
    from wavetank.sweeps.run import ask

    assert ask(SCENARIO, ["wifi.stations=1,2", "tcp.cc=cubic,bbr"]).each == ("wifi.stations",)
    assert ask(SCENARIO, ["backhaul.delay=1 ms,5 ms", "traffic.tcp_up=1,2", "tcp.cc=bbr"]).each == (
        "backhaul.delay",
        "traffic.tcp_up",
    )
    assert ask(SCENARIO, ["wifi.stations=1,2", "traffic.cc=cubic,bbr"]).each == ("wifi.stations",), "a choice"
    beside = 'traffic.cc="cubic, reno","cubic, bbr"'
    assert ask(SCENARIO, [beside, "tcp.cc=cubic,bbr"]).each == ("traffic.cc",), "whom one meets is none"
    assert ask(SCENARIO, ["wifi.stations=1,2", "tcp.cc=cubic,bbr"], each=["none"]).each == ()
    assert ask(SCENARIO, ["wifi.stations=1,2"]).each == (), "nothing else is left to choose"


@pytest.mark.slow
def test_one_process_two_and_another_order_give_the_same(small):
    two = wt.sweep(SCENARIO, AXES, set=SHORT, repetitions=3, jobs=2)
    assert two.rows() == small.rows()
    turned = wt.sweep(SCENARIO, dict(reversed(AXES.items())), set=SHORT, repetitions=3, jobs=2)
    key = lambda r: (r["tcp.tsq_ms"], r["tcp.cc"], r["seed"])  # noqa: E731
    assert sorted(turned.rows(), key=key) == sorted(small.rows(), key=key)


def test_zip_takes_the_axes_together_and_seeds_begin_where_told():
    s = wt.sweep(SCENARIO, ["tcp.tsq_ms=1,4", "tcp.cc=cubic,bbr"], set=SHORT, zip=True, repetitions=1, seed=7, jobs=1)
    assert [tuple(p.values.values()) for p in s.points] == [(1, "cubic"), (4, "bbr")]
    assert s.seeds == (7,) and s.points[0].metrics["goodput"].low is None


def test_keys_of_one_axis_have_the_same_value():
    s = wt.sweep(SCENARIO, ["sta.qdisc+ap.qdisc=pfifo,fq_codel"], set=SHORT, repetitions=1, jobs=1)
    assert [p.name for p in s.points] == ["qdisc=pfifo", "qdisc=fq_codel"]
    assert s.rows()[0]["sta.qdisc+ap.qdisc"] == "pfifo"
    from wavetank.sweeps.run import ask

    point = ask(SCENARIO, ["sta.qdisc+ap.qdisc=pfifo,fq"]).plan.figure.points["qdisc=fq"]
    assert {k: point.scenario.check()[k] for k in ("sta.qdisc", "ap.qdisc")} == {"sta.qdisc": "fq", "ap.qdisc": "fq"}


@pytest.mark.usefixtures("canvases")
def test_an_axis_without_effect_is_told(small, wavetank, tmp_path):
    assert small.idle == ()
    kernel = {**SHORT, "tcp.tsq": "kernel"}
    s = wt.sweep(SCENARIO, ["tcp.tsq_ms=1,4", "tcp.cc=cubic,bbr"], set=kernel, quick=True, jobs=1)
    (idle,) = s.idle
    assert (idle.axis, idle.everywhere, idle.at) == ("tcp.tsq_ms", True, ("cc=cubic", "cc=bbr"))
    assert s.quick and s.seeds == (1, 2)
    # BBR sets its pacing rate itself
    axes = ["tcp.cc=cubic,bbr", "tcp.pacing_ca_ratio=40,200"]
    code, _, err = wavetank("sweep", SCENARIO, *axes, *SET[2:], "--quick", "--jobs", 1, "--out", tmp_path)
    assert code == 0
    assert "note: tcp.pacing_ca_ratio changes nothing at cc=bbr: every value gave the same bytes\n" in err


def test_what_is_impossible_can_be_left_out():
    s = wt.sweep(SCENARIO, ["wifi.width_mhz=20,80"], set=SHORT, repetitions=1, jobs=1, skip_impossible=True)
    assert [p.name for p in s.points] == ["width_mhz=20"]
    assert s.skipped["width_mhz=80"].startswith("wifi.width_mhz: 80; expected 20 or 40")


def test_several_stations_have_airtime_and_fairness_and_a_metric_may_be_of_one():
    asked = {"set": SHORT, "repetitions": 1, "jobs": 1}
    s = wt.sweep(SCENARIO, {"wifi.stations": [1, 2]}, **asked)
    assert [m.name for m in s.metrics][-2:] == ["airtime", "jain"]
    s = wt.sweep(SCENARIO, {"wifi.stations": [1, 2]}, metrics=["goodput@sta2", "ping_rtt:p90"], **asked)
    one, two = s.points
    assert one.metrics["goodput@sta2"].median is None and two.metrics["goodput@sta2"].median > 0
    assert two.metrics["ping_rtt:p90"].median > 0 and s.tradeoff is None


COMMAND = ["sweep", SCENARIO, "tcp.tsq_ms=1,4", "tcp.cc=cubic,bbr", *SET, "--repetitions", "2", "--jobs", "1"]


def test_the_command_writes_tables_files_and_json(wavetank, tmp_path):
    import pyarrow.parquet as pq

    code, out, err = wavetank(*COMMAND, "--out", tmp_path, "--best", "goodput", "--against", "cc")
    assert code == 0, err
    assert "2 tsq_ms x 2 cc: 4 points, 2 repetitions: 8 runs; about" in err
    assert "against cc cubic" in out and "best: most goodput, tsq_ms=4, cc=cubic" in out
    names = {p.name for p in tmp_path.iterdir()}
    assert names >= {
        "points.csv",
        "points.parquet",
        "samples.parquet",
        "sweep.png",
        "tradeoff.png",
        "sweep.json",
        "flent",
    }
    assert len(list((tmp_path / "flent").iterdir())) == 4

    table = pq.read_table(tmp_path / "points.parquet")
    assert table.num_rows == 8
    assert str(table.schema.field("tcp.tsq_ms").type) == "int64" and str(table.schema.field("tcp.cc").type) == "string"
    assert table.schema.field("goodput").metadata[b"unit"] == b"Mbit/s"
    rows = list(csv.DictReader((tmp_path / "points.csv").open()))
    samples = pq.read_table(tmp_path / "samples.parquet")
    assert samples.schema.field("seed").type == table.schema.field("seed").type
    of = {tuple(r.values()) for r in samples.select(["point", "seed"]).to_pylist()}
    assert of == {tuple(r.values()) for r in table.select(["point", "seed"]).to_pylist()}, "they can be joined"
    assert [r["point"] for r in rows[:2]] == ["tsq_ms=1, cc=cubic"] * 2
    assert {r["quick"] for r in rows} == {"false"} and table.schema.metadata[b"quick"] == b"false"
    assert [float(r["goodput"]) for r in rows] == table.column("goodput").to_pylist()

    code, out, err = wavetank(
        *COMMAND, "--out", tmp_path, "--json", "--best", "goodput", "--against", "cc", "--each", "cc"
    )
    assert code == 0 and "8 of them kept" in err
    document = json.loads(out)
    assert set(document) == {
        "scenario", "on", "core", "quick", "seeds", "set", "axes", "metrics", "points", "tradeoff", "pareto", "each", "best",
        "against", "bound", "idle", "skipped", "notes", "files",
    }  # fmt: skip
    assert document["axes"][0] == {"key": "tcp.tsq_ms", "unit": "ms", "values": [1, 4]}
    point = document["points"][0]
    assert set(point) == {"name", "values", "metrics", "pareto", "failed"}
    assert point["values"] == {"tcp.tsq_ms": 1, "tcp.cc": "cubic"}
    assert set(point["metrics"]["goodput"]) == {"median", "low", "high", "n"}
    assert document["tradeoff"] == ["goodput", "ping_p50"]
    assert document["pareto"] == [n for cc in ("cubic", "bbr") for n in document["pareto"] if n.endswith(cc)]
    assert document["best"]["points"] == ["tsq_ms=4, cc=cubic", "tsq_ms=4, cc=bbr"]
    assert len(document["against"]["differences"]) == 2
    assert (tmp_path / "sweep.json").exists()


def test_a_column_has_its_axis_own_type(tmp_path):
    from wavetank.sweeps.save import points_table

    options = {"set": SHORT, "repetitions": 1, "jobs": 1}
    s = wt.sweep(SCENARIO, {"host.wake": "50:100:50 us", "tcp.ecn": [True, False], "tcp.tsq_bytes": ["off"]}, **options)
    table = points_table(s)
    types = {f.name: str(f.type) for f in table.schema}
    assert (types["host.wake"], types["tcp.ecn"], types["tcp.tsq_bytes"]) == ("int64", "bool", "string")
    assert table.schema.field("host.wake").metadata[b"unit"] == b"us"
    assert table.column("host.wake").to_pylist()[0] == 50


@pytest.mark.parametrize(
    "axes", [["tcp.tsq_ms=1:3", "wifi.stations=1:4"], ["tcp.cc=cubic,reno,vegas"], ["host.wake=0,1,8,64 us"]]
)
def test_fields_names_and_wide_axes_are_drawn(tmp_path, canvases, axes):
    axes = [a.replace("0,1,8,64 us", "1 us,8 us,64 us") for a in axes]
    # a picture of little takes as long to draw, and its 12 runs do not
    brief = {"time.lead_in": "200 ms", "time.flows": "800 ms", "time.warmup": "200 ms"}
    s = wt.sweep(SCENARIO, axes, set={**SHORT, **brief}, repetitions=1, jobs=1, out=tmp_path)
    pictures = [p for p in s.files if p.suffix == ".png"]
    assert len(pictures) == len(canvases) == 2
    assert all(ax.has_data() for c in canvases for ax in c.axes)


def test_a_dry_run_runs_nothing(wavetank, tmp_path):
    code, out, err = wavetank(*COMMAND, "--out", tmp_path / "o", "--dry-run", "--json")
    assert code == 0, err
    assert json.loads(out)["runs"] == 8 and not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["tcp.tsq_mss=1,2"], 'did you mean "tcp.tsq_ms"'),
        (["tcp.tsq_ms=1", "--set", "nonsense"], "expected key=value"),
        (["wifi.width_mhz=40,80"], "--skip-impossible"),
        (["tcp.tsq_ms=1", "--cluster", "nowhere"], "tcp://host:8786"),
        (["tcp.tsq_ms=1", "--metric", "speed"], "unknown metric"),
        ([], "KEY=VALUES"),
    ],
)
def test_bad_input_is_code_2_and_nothing_is_left(wavetank, tmp_path, more, says):
    code, out, err = wavetank("sweep", SCENARIO, *more, "--out", tmp_path / "o")
    assert (code, out) == (2, "")
    assert says in err and "Traceback" not in err
    assert not (tmp_path / "o").exists()


@pytest.mark.usefixtures("canvases")
def test_a_core_that_fails_is_told_and_the_rest_is_kept(wavetank, tmp_path, monkeypatch):
    honest = runner.simulate

    def simulate(run):
        if "cc=bbr" in run.point:
            raise runner.CoreFailed(f"the core failed on {run.point}")
        return honest(run)

    monkeypatch.setattr(runner, "simulate", simulate)
    code, out, err = wavetank(*COMMAND, "--out", tmp_path)
    assert code == 1 and "the core failed on tsq_ms=1, cc=bbr" in err
    assert "failed" in out and len(list((tmp_path / ".runs").glob("*.json.gz"))) == 4


@pytest.mark.slow
def test_the_same_command_goes_on_after_a_kill(wavetank, tmp_path):
    command = [
        "sweep",
        SCENARIO,
        "tcp.tsq_ms=1:6",
        *SET,
        "--set",
        "time.sample=10 ms",
        "--repetitions",
        "8",
        "--out",
        str(tmp_path),
    ]
    process = subprocess.Popen([sys.executable, "-m", "wavetank", *command, "--jobs", "2"], stderr=subprocess.DEVNULL)
    kept = tmp_path / ".runs"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and len(list(kept.glob("[!.]*.json.gz"))) < 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    before = {p.name: p.stat().st_mtime_ns for p in kept.glob("[!.]*.json.gz")}
    assert 3 <= len(before) < 48 and not (tmp_path / "sweep.json").exists()
    code, _, err = wavetank(*command, "--jobs", "2")
    assert code == 0, err
    after = {p.name: p.stat().st_mtime_ns for p in kept.glob("[!.]*.json.gz")}
    assert len(after) == 48 and before.items() <= after.items()
    assert "of them kept" in err


@pytest.mark.slow
def test_a_script_without_a_guard_may_sweep(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        "import wavetank\n"
        f"s = wavetank.sweep({SCENARIO!r}, {{'tcp.tsq_ms': [1, 4]}}, set={SHORT!r}, repetitions=1, jobs=2)\n"
        "print(len(s.rows()))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr
