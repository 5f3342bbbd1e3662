"""scripts/venv: the environment is made once, and again where what is there cannot be used."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: ``python -m venv`` without a network's worth of pip: one that keeps what it is told; BROKEN: as Debian's without python3-venv.
PYTHON = f"""#!/usr/bin/env bash
set -e
[ "$1 $2" = "-m venv" ] || exec {sys.executable} "$@"
{sys.executable} "$@" --without-pip
[ -z "$BROKEN" ] || {{ echo "ensurepip is not available" >&2; exit 1; }}
there="$(pwd)/.venv"
site="$(echo "$there"/lib/python3*/site-packages)"
mkdir "$site/pip"
touch "$site/pip/__init__.py"
echo "import sys, os; open('told', 'a').write(' '.join(sys.argv[1:]) + chr(10)); sys.exit('STOPPED' in os.environ)" >"$site/pip/__main__.py"
echo "#!$there/bin/python" >"$there/bin/pip"
"""
CARGO = """#!/bin/sh
echo "cargo ${CARGO_IS:-1.85.0 (d73d2caf9 2024-12-31)}"
"""


@pytest.fixture
def clone(tmp_path):
    """As much of a clone as the script looks at, in a folder with a space in its name."""
    root = tmp_path / "a clone"
    (root / "scripts").mkdir(parents=True)
    (root / "crates").mkdir()
    shutil.copy(ROOT / "scripts" / "venv", root / "scripts" / "venv")
    for name in ("Cargo.toml", "Cargo.lock", "pyproject.toml", "crates/lib.rs"):
        (root / name).write_text(name)
    (root / "Cargo.toml").write_text('rust-version = "1.85"\n')
    for name, text in (("python", PYTHON), ("cargo", CARGO)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return root


def set_up(root, *words, **environment):
    """What it said, its exit code, and what pip was told meanwhile."""
    (root / "told").unlink(missing_ok=True)
    tools = root.parent if (root.parent / "cargo").exists() else root.parents[1]
    env = {**os.environ, "PYTHON": str(tools / "python"), "PATH": f"{tools}:{os.environ['PATH']}", "BROKEN": ""}
    done = subprocess.run(
        [root / "scripts" / "venv", *words],
        env=env | environment,
        cwd="/",
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    told = (root / "told").read_text() if (root / "told").exists() else ""
    return done.stderr, done.returncode, told


def test_it_is_made_once(clone):
    said, code, told = set_up(clone)
    assert code == 0 and "setting up" in said and "anew" not in said
    assert told == "install --quiet --disable-pip-version-check --no-compile --editable .\n"
    assert set_up(clone) == ("", 0, "")
    assert set_up(clone, "dev")[2].endswith("--editable .[dev]\n")
    assert set_up(clone) == ("", 0, ""), "what serves developers serves users"
    assert set_up(clone, "checked")[2].endswith("--editable .[test]\n")
    (clone / "crates" / "lib.rs").write_text("changed")
    assert set_up(clone)[2] != ""


def test_what_stopped_half_way_is_made_anew(clone):
    said, code, _ = set_up(clone, BROKEN="yes")
    assert code == 1 and "python3-venv" in said
    assert (clone / ".venv" / "bin" / "python").exists(), "as Debian leaves it"
    said, code, told = set_up(clone)
    assert code == 0 and "making .venv anew" in said and told


def test_a_clone_that_was_moved(clone, tmp_path):
    set_up(clone)
    (tmp_path / "elsewhere").mkdir()
    moved = clone.rename(tmp_path / "elsewhere" / "a clone")
    said, code, told = set_up(moved)
    assert code == 0 and "making .venv anew" in said and told
    assert set_up(moved) == ("", 0, "")
    (tmp_path / "link").symlink_to(moved)
    assert set_up(tmp_path / "link")[:2] == ("", 0), "the same folder by another name"


def test_a_python_that_is_gone(clone):
    set_up(clone)
    python = clone / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")
    said, code, told = set_up(clone)
    assert code == 0 and "making .venv anew" in said and told


def test_an_installation_that_was_stopped_counts_for_nothing(clone):
    set_up(clone)
    (clone / "crates" / "lib.rs").write_text("changed")
    assert set_up(clone, STOPPED="yes")[1] == 1
    (clone / "crates" / "lib.rs").write_text("crates/lib.rs")
    assert set_up(clone)[2] != "", "as it was: but nobody knows what pip has left"


def test_a_word_that_it_does_not_know(clone):
    said, code, told = set_up(clone, "deb")
    assert (said, code, told) == ("usage: scripts/venv [dev|checked]\n", 2, "")
    assert not (clone / ".venv").exists()


@pytest.mark.parametrize(
    ("version", "taken"),
    [("1.85.0-nightly", True), ("1.100.0 (aaaaaaaaa 2027-06-01)", True), ("2.0.0", True), ("1.84.1 (66221abde 2024-11-19)", False), ("1.9.0", False)],
)  # fmt: skip
def test_a_rust_that_is_too_old(clone, version, taken):
    said, code, told = set_up(clone, CARGO_IS=version)
    assert (code == 0, bool(told)) == (taken, taken)
    assert taken or f"needs Rust 1.85 or later, cargo {version.split()[0]} found" in said
