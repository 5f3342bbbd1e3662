"""An experiment on the real kernel: where a miss comes from, told by the model's two columns; its files; how often it runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wavetank import flent, linux
from wavetank.lab import claims, on_linux, plan, reproduce, runner
from wavetank.lab.judge import Verdict
from wavetank.lab.on_linux import why

CLAIM = claims.load()["cotsq-f3a-goodput-tsq"]


def verdict(ok: bool | None) -> Verdict:
    return Verdict(CLAIM, CLAIM.cls, ok=ok, reason="the model's own reason")


@pytest.mark.parametrize(
    ("alike", "paper", "begins"),
    [
        (True, True, "the kernel's alone"),
        (True, False, "the kernel's alone"),
        (False, True, "of what was replaced"),
        (False, False, "both models miss it, too: the model's own reason"),
        (None, False, ""),
    ],
)
def test_a_miss_says_which_columns_share_it(alike, paper, begins):
    told = why(verdict(False), verdict(alike), verdict(paper)).reason
    assert told.startswith(begins) and bool(told) == bool(begins)


def test_what_has_no_verdict_keeps_its_reason():
    assert why(verdict(None), verdict(True), verdict(True)).reason == "the model's own reason"


@pytest.fixture
def fig5(monkeypatch):
    """CoTSQ's Figure 5 for 3 s, and in the real kernel's place the model of another length: what is looked at is the files."""

    def figures(name, every):
        whole = next(f for f in plan.load(name) if f.id == "cotsq/fig5")
        points = {n: replace(p, scenario=p.scenario.set({"time.flows": "3 s"})) for n, p in whole.points.items()}
        return [replace(whole, points=points)], []

    def simulate(run):
        return run.scenario.set({"time.flows": "4 s"} if run.water == "linux" else {}).run(run.seed)

    for of in (reproduce, on_linux):
        monkeypatch.setattr(of, "figures_for", figures)
    monkeypatch.setattr(runner, "simulate", simulate)
    monkeypatch.setattr(linux, "fingerprint", lambda s, seed: [s.text, sorted(dict(s.overrides).items()), seed])


def test_flent_files_of_the_columns_stand_beside_each_other(fig5, tmp_path):
    reproduce.reproduce("cotsq", tmp_path)
    model = {p.name: flent.note(p) for p in (tmp_path / "flent").iterdir()}
    assert len(model) == 3 and all(note.startswith("wavetank ") for note in model.values())
    outcome = on_linux.reproduce("cotsq", tmp_path, repetitions=1)
    notes = {p.name: flent.note(p) for p in (tmp_path / "flent").iterdir()}
    names = {
        f"cotsq-fig5-{p}{column}.flent.gz"
        for p in ("TSQ", "CoTSQ", "NoTSQ")
        for column in ("", "-model_alike", "-on-linux")
    }
    assert set(notes) == names == {p.name for p in outcome.written if p.parent.name == "flent"}
    assert all(note.startswith("--repetitions 1: 1 repetition; wavetank ") for note in notes.values())
    assert all(notes[name].endswith(note.rpartition(", ")[2]) for name, note in model.items()), (
        "the model's own are kept"
    )
    assert len({note.rpartition(" ")[2] for note in notes.values()}) == 9, "and each is of a run of its own"
    flents = outcome.json()["figures"]["cotsq/fig5"]["flent"]
    assert flents["TSQ"] == str(tmp_path / "flent" / "cotsq-fig5-TSQ-on-linux.flent.gz")
    assert (tmp_path / "cotsq-fig5.csv").read_text().count("model_alike") == 0  # its name for people
    assert {line.split(",")[1] for line in (tmp_path / "cotsq-fig5.csv").read_text().splitlines()[1:]} >= {
        "linux",
        "model",
    }


def test_on_linux_there_are_three_repetitions_at_most_unless_more_are_asked_for(fig5, tmp_path):
    few = on_linux.reproduce("cotsq", tmp_path)
    assert (few.repetitions, few.mark) == (3, "")
    more = on_linux.reproduce("cotsq", tmp_path, repetitions=4)
    assert (more.repetitions, more.mark) == (4, "--repetitions 4")
    assert {o.repetitions for o in more.beside.values()} == {4}
