"""linux/one_cpu.py: which CPU of this machine a kernel in virtual time is kept to."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[2] / "linux" / "one_cpu.py"
_spec = importlib.util.spec_from_file_location("one_cpu", FILE)
assert _spec and _spec.loader
cpus = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cpus)


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
import importlib.util, os, tempfile
spec = importlib.util.spec_from_file_location("one_cpu", {str(FILE)!r})
cpus = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cpus)
tempfile.tempdir = {cpus.tempfile.tempdir!r}
os.sched_getaffinity = lambda _: {{7, 8}}
with cpus.one_cpu() as cpu:
    print(cpu, flush=True)
    os.abort()
"""
        for _ in range(2):
            died = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False)
            assert died.returncode < 0
            assert died.stdout == "8\n"


def test_where_no_lock_can_be_had_it_runs_on_all(monkeypatch, tmp_path):
    (tmp_path / f"wavetank-cpus-{os.getuid()}").touch()
    with cpus.one_cpu() as cpu:
        assert cpu is None
    cpus.stay_on(None)


def test_it_stays_where_it_is_put():
    cpu = min(os.sched_getaffinity(0))
    program = f"cpus.stay_on({cpu}); print(cpus.os.sched_getaffinity(0))"
    load = f"import sys; sys.path.insert(0, {str(FILE.parent)!r}); import one_cpu as cpus; "
    run = subprocess.run([sys.executable, "-B", "-c", load + program], stdout=subprocess.PIPE, text=True, check=True)
    assert run.stdout == f"{{{cpu}}}\n"
