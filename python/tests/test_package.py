"""What the package loads, and when: little for --help and a TAB, the rest when it is asked for."""

import json
import subprocess
import sys

import pytest

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


def test_the_package_has_all_that_it_names():
    import wavetank

    assert set(wavetank.__all__) <= set(dir(wavetank))
    assert all(getattr(wavetank, name) is not None for name in wavetank.__all__)
    with pytest.raises(AttributeError, match="no attribute 'swep'"):
        _ = wavetank.swep


def test_the_packages_modules_need_no_import_of_their_own():
    alone = "import wavetank; print(wavetank.linux.like_linux.__name__, wavetank.csi.frames.__name__, wavetank.stats.jain([1, 1]))"
    done = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["like_linux", "frames", "1.0"]
