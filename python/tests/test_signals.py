"""A command that is told to end leaves nothing half done, and says by its exit code what ended it."""

import importlib.metadata
import signal
import subprocess
import sys
import time

import pytest

from wavetank import UserError, files
from wavetank.lab import plan

LONG = [str(plan.ROOT / "scenarios" / "cotsq-ath9k.toml"), "--set", "time.flows=2000 s"]
#: Whoever runs the tests in the background has signals ignored, and that would be inherited.
HEED = (
    "import os, signal, sys; "
    "[signal.signal(n, signal.SIG_DFL) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]; "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


def ended(command, number, begun):
    """The command, sent a signal once ``begun()``; its exit code and standard error."""
    whole = [sys.executable, "-c", HEED, sys.executable, "-m", "wavetank", *command]
    process = subprocess.Popen(whole, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    deadline = time.monotonic() + 60
    while not begun():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    return process.returncode, errors


@pytest.mark.parametrize(
    "number", [signal.SIGINT, *(pytest.param(n, marks=pytest.mark.slow) for n in (signal.SIGTERM, signal.SIGHUP))]
)
def test_a_run_that_is_ended_leaves_neither_file_nor_folder(tmp_path, number):
    out = tmp_path / "new" / "out"
    code, errors = ended(
        ["run", *LONG, "--pcap", "--out", str(out)],
        number,
        lambda: any(p.stat().st_size > 0 for p in out.glob(".*pcapng*")),
    )
    assert code == 128 + number
    assert errors.splitlines()[-1] == "interrupted: nothing of the run is kept"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_reproduction_that_is_ended_says_that_its_runs_are_kept(tmp_path):
    code, errors = ended(
        ["reproduce", "cotsq", "--jobs", "2", "--out", str(tmp_path)],
        signal.SIGTERM,
        lambda: any((tmp_path / ".runs").glob("[!.]*.json.gz")),
    )
    assert (code, errors.splitlines()[-1]) == (143, "interrupted: what was completed is kept")


@pytest.mark.slow
def test_a_signal_that_is_ignored_stays_so(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text('name = "s"\n[topology]\nkind = "wifi"\n[time]\nflows = "30 s"\n')
    ignore = "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", ignore, sys.executable, "-m", "wavetank", "run", str(file), "--pcap"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.glob(".*pcapng*")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGHUP)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert (tmp_path / "s-monitor.pcapng").exists()


def test_a_folder_that_was_there_or_has_something_stays(tmp_path):
    with pytest.raises(UserError), files.made(tmp_path / "a" / "b"):
        raise UserError("no")
    assert not (tmp_path / "a").exists()
    with pytest.raises(UserError), files.made(tmp_path / "a" / "b"):
        (tmp_path / "a" / "x").write_text("")
        raise UserError("no")
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["x"]
    with pytest.raises(UserError), files.made(tmp_path):
        raise UserError("no")
    assert tmp_path.is_dir()


def test_ctrl_c_ends_a_run_from_python_before_its_end():
    """An hour of it would be a night's, in a notebook."""
    program = (
        f"import wavetank\ns = wavetank.load({LONG[0]!r}).set({{'time.flows': '90000 s'}})\ntry:\n"
        "  print('begun', flush=True)\n  s.run(states=['80000 s'])\nexcept KeyboardInterrupt: print('interrupted')\n"
    )
    whole = [sys.executable, "-c", HEED, sys.executable, "-c", program]
    with subprocess.Popen(whole, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "interrupted\n"


def test_the_command_is_entered_where_its_imports_may_be_interrupted():
    """As `python -m wavetank` is: nothing but this module stands between the two."""
    (entry,) = importlib.metadata.entry_points(group="console_scripts", name="wavetank")
    assert entry.value == "wavetank.__main__:main"
    code = """if True:
        import os, signal, sys
        from wavetank.__main__ import main
        class CtrlC:
            def find_spec(self, name, *_):
                if name == "wavetank.cli.base":
                    os.kill(os.getpid(), signal.SIGINT)
        sys.meta_path.insert(0, CtrlC())
        main()"""
    asked = [sys.executable, "-c", HEED, sys.executable, "-c", code, "list"]
    ended = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "interrupted\n")


def test_before_the_command_is_entered_nothing_is_imported_that_takes_time():
    """What a Ctrl-C meets there, Python tells of in a traceback."""
    code = (
        "import os, sys; known = set(sys.modules); import wavetank.__main__; print(*sorted(set(sys.modules) - known))"
    )
    asked = [sys.executable, "-S", "-c", f"import sys; sys.path = {sys.path!r}; {code}"]
    found = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    assert found == ["__future__", "wavetank", "wavetank.__main__", "wavetank.refused"]


def test_little_is_imported_before_a_ctrl_c_is_heeded():
    code = "import sys; there = {*sys.modules}; import wavetank.__main__; print(*sorted({*sys.modules} - there))"
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    # typing and re are as long as all else that there is
    assert not {"typing", "re", "click", "numpy"} & set(asked)
    assert [m for m in asked if m.startswith("wavetank.")] == ["wavetank.__main__", "wavetank.refused"]
