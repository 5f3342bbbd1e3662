import importlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

#: What tshark is to check beside what it does anyway.
CHECKS = [f"{p}.check_checksum:TRUE" for p in ("ip", "tcp", "udp", "wlan")]


@pytest.fixture(scope="session")
def tshark():
    found = shutil.which("tshark")
    if found is None:
        reason = "tshark is not installed (apt-get install tshark)"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{reason}; in CI this test must run")
        pytest.skip(reason)

    def call(path, *arguments):
        options = [x for c in CHECKS for x in ("-o", c)]
        done = subprocess.run(
            [found, "-n", "-r", str(path), *options, *arguments],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


@pytest.fixture(scope="session")
def one_result():
    from wavetank.lab import plan
    from wavetank.scenario import Scenario

    s = Scenario.load(plan.ROOT / "scenarios" / "cotsq-ath9k-htc.toml")
    return s.set({"tcp.tsq_ms": 6, "tcp.tsq": "cotsq", "time.flows": "6 s"}).run(1)


@pytest.fixture
def canvases(monkeypatch):
    """The pictures that are drawn, in their order. Nothing is rendered, which takes longer than all else: who asks where
    something stands calls ``draw_without_rendering`` first."""
    from matplotlib.figure import Figure

    seen = []
    monkeypatch.setattr(Figure, "savefig", lambda canvas, *a, **k: seen.append(canvas))
    return seen


@pytest.fixture
def wavetank(capsys):
    """The command: exit code, standard output, standard error."""
    from wavetank import cli

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            cli.main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return call


@pytest.fixture
def tool(monkeypatch):
    """A program of python/tools by its name, as a module."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "tools"))
    return importlib.import_module
