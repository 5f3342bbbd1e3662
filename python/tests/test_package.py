"""What the package loads, and when: little for --help and a TAB, the rest when it is asked for."""

import ast
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import wavetank

HEAVY = (
    "numpy",
    "rich",
    "pyarrow",
    "matplotlib",
    "multiprocessing",
    "wavetank.lab",
    "wavetank.linux",
    "wavetank.sweeps",
)


def test_help_loads_nothing_heavy():
    """It is the first thing that a person sees, and each TAB starts the command anew."""
    loaded = (
        "import json, sys, wavetank.cli\n"
        "try: wavetank.cli.main(['--help'])\n"
        "except SystemExit: print(json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, timeout=60, check=True)
    modules = json.loads(done.stdout.splitlines()[-1])
    assert "wavetank.cli" in modules
    assert [m for m in HEAVY if m in modules] == []


@pytest.mark.parametrize(
    ("command", "without"),
    [
        (["list", "drivers", "experiments"], ["numpy", "wavetank.lab.plan"]),
        (["theory", "goodput-11n"], ["numpy", "wavetank.lab.metrics"]),
        (["analyze", "gone.pcapng"], ["matplotlib"]),
        (["analyze", "CAPTURE"], ["matplotlib"]),
        (["run", "gone.toml"], ["matplotlib", "wavetank.plots"]),
        (["compare", "gone.toml"], ["matplotlib"]),
        (["csi", "gone.dat"], ["matplotlib"]),
    ],
    ids=" ".join,
)
def test_verbs_load_pictures_and_numbers_where_they_need_them(command, without, tmp_path):
    """matplotlib takes longer to come than most captures to be read."""
    if "CAPTURE" in command:
        from wavetank.captures import air

        short = {"time.lead_in": "0 s", "time.flows": "200 ms", "time.tail": "0 s", "time.warmup": "0 s"}
        s = wavetank.load("cotsq-ath9k").set(short)
        ask = air.Ask.of(s, Path("c.toml"), tmp_path, "monitor", None, None, None, None, False)
        ask.finish(ask.watch(s, 1), "")
        command = ["analyze", str(next(tmp_path.glob("*.pcapng")))]
    program = (
        "import json, sys, wavetank.cli\n"
        "try: wavetank.cli.main(sys.argv[1:])\n"
        "except SystemExit: print(json.dumps(sorted(sys.modules)))\n"
    )
    given = [sys.executable, "-c", program, *command]
    done = subprocess.run(given, capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path)
    modules = json.loads(done.stdout.splitlines()[-1])
    assert [m for m in without if m in modules] == []


def test_the_package_has_all_that_it_names():
    import wavetank

    assert set(wavetank.__all__) <= set(dir(wavetank))
    assert all(getattr(wavetank, name) is not None for name in wavetank.__all__)
    with pytest.raises(AttributeError, match="no attribute 'swep'"):
        _ = wavetank.swep


def test_whatever_is_refused_has_one_class_to_catch():
    import wavetank
    from wavetank.errors import Failed, SettingError

    for refused in (wavetank.UserError, wavetank.ScenarioError, SettingError, Failed):
        assert issubclass(refused, wavetank.WavetankError)
    with pytest.raises(wavetank.WavetankError, match="no key"):
        wavetank.Scenario("nam = 3").check()
    with pytest.raises(ValueError, match="no key") as e:  # as it always was
        wavetank._core.run("nam = 3", "x.toml")
    assert type(e.value) is wavetank.ScenarioError is wavetank._core.ScenarioError
    with pytest.raises(wavetank.WavetankError, match="cannot be read"):
        wavetank.Scenario.load("no such file")


def test_the_packages_modules_need_no_import_of_their_own():
    alone = "import wavetank; print(wavetank.linux.like_linux.__name__, wavetank.csi.frames.__name__, wavetank.stats.jain([1, 1]))"
    done = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["like_linux", "frames", "1.0"]


def test_type_checkers_see_the_packages_modules():
    """They come when they are asked for: to type checkers they were Any, as was every name that is misspelt."""
    import wavetank

    asked = next(n for n in ast.parse(Path(wavetank.__file__).read_text()).body if isinstance(n, ast.If))
    seen = {a.asname for n in asked.body if isinstance(n, ast.ImportFrom) and n.module is None for a in n.names}
    assert ast.unparse(asked.test) == "TYPE_CHECKING"
    assert seen == {m.name for m in pkgutil.iter_modules(wavetank.__path__) if not m.name.startswith("_")}
