"""Running: every run once, kept whole, resumed, the same at any number of workers."""

import csv
import gzip
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wavetank import _core, flent
from wavetank.lab import claims, plan, records, reproduce, runner
from wavetank.lab.plan import Figure, Point
from wavetank.scenario import Scenario


def short(**sets):
    s = Scenario.load(plan.ROOT / "scenarios" / "cotsq-ath9k-htc.toml")
    return s.set({"time.lead_in": "1 s", "time.flows": "3 s", "time.tail": "1 s", **sets})


def figure(ident="e/f", **points):
    made = {k: Point(k, short(**v)) for k, v in points.items()}
    return Figure(ident, "F", "t", 10, made, (), 0, {}, "")


def test_a_point_in_two_figures_is_run_once():
    a, b = figure("e/a", x={}, y={"tcp.tsq": "off"}), figure("e/b", z={})
    assert len(runner.runs_of([a, b], quick=True)) == 4
    assert len(runner.runs_of([a, b], quick=False)) == 20


def test_the_key_is_everything_that_decides():
    base = runner.Run("p", short(), 1)
    assert base.key == runner.Run("another name", short(), 1).key
    assert base.key != runner.Run("p", short(), 2).key
    assert base.key != runner.Run("p", short(**{"tcp.tsq": "off"}), 1).key


def test_kept_runs_are_not_run_again(tmp_path):
    runs = runner.runs_of([figure(x={})], quick=True)
    first = runner.run_all(runs, tmp_path, 1)
    seen = []
    again = runner.run_all(runs, tmp_path, 1, lambda run, kept: seen.append(kept))
    assert seen == [True, True]
    assert again == first
    assert list(again) == [r.key for r in runs]


def test_a_torn_file_is_run_again(tmp_path):
    (run,) = runner.runs_of([figure(x={})], quick=True)[:1]
    runner.run_all([run], tmp_path, 1)
    whole = run.path(tmp_path).read_bytes()
    run.path(tmp_path).write_bytes(whole[: len(whole) // 2])
    assert runner.read(run, tmp_path) is None
    runner.run_all([run], tmp_path, 1)
    assert runner.read(run, tmp_path) is not None


def _without_time(record):
    return {k: v for k, v in record.items() if k != "wall_s"}


def test_one_worker_and_two_give_the_same(tmp_path):
    runs = runner.runs_of([figure(x={}, y={"tcp.tsq": "off"})], quick=True)
    one = runner.run_all(runs, tmp_path / "1", 1)
    two = runner.run_all(runs, tmp_path / "2", 2)
    assert {k: _without_time(r) for k, r in one.items()} == {k: _without_time(r) for k, r in two.items()}
    assert list(one) == list(two)


def test_a_workers_error_reaches_the_caller(tmp_path):
    bad = [runner.Run(str(i), short(**{"tcp.cc": "cubik"}), i) for i in range(2)]
    with pytest.raises(_core.ScenarioError, match="cubic"):
        runner.run_all(bad, tmp_path, 2)


@pytest.mark.slow
def test_ctrl_c_leaves_completed_runs_whole(tmp_path):
    command = [sys.executable, "-m", "wavetank", "reproduce", "cotsq", "--jobs", "2", "--out", str(tmp_path)]

    # Whoever runs the tests in the background has SIGINT ignored, and that would be inherited.
    heed = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    heeding = [sys.executable, "-c", heed, *command]
    process = subprocess.Popen(heeding, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    kept = tmp_path / ".runs"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and len(list(kept.glob("[!.]*.json.gz"))) < 2:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    files = list(kept.glob("[!.]*.json.gz"))
    assert len(files) >= 2
    by_key = {r.key: r for r in runner.runs_of(plan.load("cotsq"), quick=False)}
    assert all(runner.read(by_key[f.name.split(".")[0]], tmp_path) for f in files)
    assert not (tmp_path / "claims.json").exists()


def test_a_reproduction_writes_all_its_files(tmp_path, monkeypatch):
    """The whole way on two short figures: run, judge, draw, write."""
    figures = [f for f in plan.load("cotsq") if f.id in ("cotsq/fig5", "cotsq/fig8")]
    quick = []
    for f in figures:
        points = {k: Point(k, p.scenario.set({"time.flows": "4 s"}), p.x) for k, p in f.points.items()}
        quick.append(Figure(f.id, f.source, f.title, f.repetitions, points, f.panels, f.columns, f.model, f.note))
    monkeypatch.setattr(reproduce, "figures_for", lambda name, every: (quick, []))
    told = []
    outcome = reproduce.reproduce("cotsq", tmp_path, True, 1, lambda done, of, what: told.append((done, of)))
    assert told[-1] == (10, 10) or told[-1][0] == told[-1][1]
    names = {p.name for p in tmp_path.iterdir()}
    assert names >= {"cotsq-fig5.png", "cotsq-fig8.png", "claims.json", "claims.csv", "samples.parquet", "flent"}
    document = outcome.json()
    assert document["quick"] is True and document["repetitions"] == 2
    of = document["figures"]["cotsq/fig5"]
    assert (Path(of["png"]).name, Path(of["csv"]).name) == ("cotsq-fig5.png", "cotsq-fig5.csv")
    rows = list(csv.DictReader(Path(of["csv"]).read_text().splitlines()))
    assert [(r["point"], r["quantity"]) for r in rows[:2]] == [("TSQ", "goodput"), ("TSQ", "ping_rtt")]
    assert float(rows[0]["value"]) == of["values"]["TSQ"]["goodput"]["value"]
    assert {(r["quick"], r["repetitions"], r["repetitions_asked"]) for r in rows} == {("true", "2", "")}
    assert list(of["flent"]) == of["points"]
    for name in of["flent"].values():
        metadata = json.loads(gzip.decompress(Path(name).read_bytes()))["metadata"]
        assert metadata["DATA_FILENAME"] == Path(name).name
        assert metadata["NOTE"].startswith("quick: 2 repetitions; wavetank ")
    s = document["summary"]
    assert s["judged"] + s["unmeasured"] == 41
    judged = {c["id"]: c for c in document["claims"] if c["class"] == "judged"}
    assert judged["cotsq-f5-ping-cotsq"]["measured"] is not None
    missing = next(c for c in document["claims"] if c["id"] == "cotsq-f3a-goodput-tsq")
    assert missing["class"] == "unmeasured" and "fig3" in missing["reason"]


def test_a_kept_flent_file_says_of_how_many_repetitions_its_run_is_now(tmp_path):
    few, more = (runner.runs_of([figure(x={})], quick=quick) for quick in (True, False))
    runner.run_all(few, tmp_path, 1)
    path = more[0].flent_path(tmp_path)
    whole = gzip.decompress(path.read_bytes())
    assert flent.note(path).startswith("quick: 2 repetitions; wavetank ")
    kept = []
    runner.run_all(more, tmp_path, 1, lambda run, was: kept.append(was))
    assert any(kept) and flent.note(path).startswith("wavetank ")
    assert gzip.decompress(path.read_bytes()) == whole.replace(b"quick: 2 repetitions; ", b"", 1)
    runner.run_all(few, tmp_path, 1)
    assert gzip.decompress(path.read_bytes()) == whole


def test_a_run_whose_flent_file_is_gone_or_another_points_is_run_again(tmp_path):
    one, other = (runner.runs_of([figure(x=values)], quick=True) for values in ({}, {"tcp.tsq": "off"}))
    path = one[0].flent_path(tmp_path)
    assert path == other[0].flent_path(tmp_path) and one[0].key != other[0].key
    runner.run_all(one, tmp_path, 1)
    was = path.read_bytes()
    runner.run_all(other, tmp_path, 1)
    assert path.read_bytes() != was
    kept = []
    runner.run_all(one, tmp_path, 1, lambda run, was: kept.append(was))
    assert kept == [True, False] and path.read_bytes() == was  # the second repetition has no such file
    path.write_bytes(b"not gzip")
    assert flent.note(path) == "" and runner.read(one[0], tmp_path) is None


def test_claims_of_other_experiments_bring_their_figures():
    every = claims.load()
    own, others = reproduce.figures_for("cotsq", every)
    assert [f.id for f in own] == [f"cotsq/fig{i}" for i in range(3, 10)]
    assert others == []
    assert records.RECORD >= 1
