"""linux/one_cpu.py: which CPU of this machine a kernel in virtual time is kept to."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

LINUX = Path(__file__).resolve().parents[2] / "linux"
#: What another process begins with.
LOAD = f"import os, sys, tempfile; sys.path.insert(0, {str(LINUX)!r}); import one_cpu as cpus\n"
_spec = importlib.util.spec_from_file_location("one_cpu", LINUX / "one_cpu.py")
assert _spec and _spec.loader
cpus = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cpus)


def another(program):
    """What it prints, and its exit code."""
    words = [sys.executable, "-B", "-c", LOAD + program]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout, done.returncode


@pytest.fixture(autouse=True)
def own_locks(tmp_path, monkeypatch):
    monkeypatch.setattr(cpus.tempfile, "tempdir", str(tmp_path))


def test_each_has_another_until_none_is_left(monkeypatch):
    monkeypatch.setattr(cpus.os, "sched_getaffinity", lambda _: {3, 5})
    with cpus.one_cpu() as first:
        with cpus.one_cpu() as second, cpus.one_cpu() as third:
            assert {first, second} == {3, 5}
            assert third is None
        with cpus.one_cpu() as again:
            assert again == second


def test_who_dies_gives_his_back(monkeypatch):
    monkeypatch.setattr(cpus.os, "sched_getaffinity", lambda _: {7})
    with cpus.one_cpu() as mine:
        assert mine == 7
        program = f"""
tempfile.tempdir = {cpus.tempfile.tempdir!r}
os.sched_getaffinity = lambda _: {{7, 8}}
with cpus.one_cpu() as cpu:
    print(cpu, flush=True)
    os.abort()
"""
        for _ in range(2):
            said, code = another(program)
            assert code < 0
            assert said == "8\n"


def test_where_no_lock_can_be_had_it_runs_on_all(monkeypatch, tmp_path):
    (tmp_path / f"wavetank-cpus-{os.getuid()}").touch()
    with cpus.one_cpu() as cpu:
        assert cpu is None
    cpus.stay_on(None)


def test_it_stays_where_it_is_put():
    cpu = min(os.sched_getaffinity(0))
    assert another(f"cpus.stay_on({cpu}); print(os.sched_getaffinity(0))") == (f"{{{cpu}}}\n", 0)
