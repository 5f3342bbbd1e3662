"""A kernel whose virtual time stands still is ended, and why is said; no kernel."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def uml(monkeypatch):
    if not (ROOT / "linux").is_dir():
        pytest.skip("the second water's folder linux/ is not here")
    monkeypatch.syspath_prepend(str(ROOT / "linux"))
    import uml

    monkeypatch.setattr(uml, "LOOK", 0.05)
    return uml


def said(uml, folder, script, timeout=60):
    child = subprocess.Popen(
        ["sh", "-c", script],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    told = uml._said(child, timeout, folder)
    assert child.returncode is not None
    return told


def test_what_ends_by_itself_is_heard_out(uml, tmp_path):
    assert said(uml, tmp_path, "echo 7 >progress; echo done; sleep 0.2") == ("done\n", "")


def test_a_second_that_does_not_pass_ends_it(uml, tmp_path, monkeypatch):
    monkeypatch.setattr(uml, "_still", lambda: 0.3)
    assert said(uml, tmp_path, "echo 7 >progress; echo began; while :; do :; done") == ("began\n", uml.STILL)
    assert uml._reached(tmp_path) == 7


def test_what_waits_is_not_taken_for_it(uml, tmp_path, monkeypatch):
    # It has told a second and uses no CPU; and what tells none is not judged, whatever it uses.
    monkeypatch.setattr(uml, "_still", lambda: 0.1)
    assert said(uml, tmp_path, "echo 7 >progress; sleep 0.4; echo woke") == ("woke\n", "")
    (tmp_path / "progress").unlink()
    busy = f"{sys.executable} -c 'import time; [0 for _ in iter(lambda: time.process_time() < 0.4, False)]'"
    assert said(uml, tmp_path, f"exec {busy}") == ("", "")


def test_what_takes_too_long_is_ended(uml, tmp_path):
    assert said(uml, tmp_path, "sleep 60", timeout=0.2) == ("", uml.LATE)
