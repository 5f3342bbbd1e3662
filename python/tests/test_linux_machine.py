"""What a machine is told that cannot build or run the real kernel."""

import pytest

from wavetank import UserError
from wavetank.linux import tree


def test_without_the_tree_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("WAVETANK_LINUX", str(tmp_path))
    with pytest.raises(UserError, match="WAVETANK_LINUX"):
        tree.folder()
    monkeypatch.delenv("WAVETANK_LINUX")
    monkeypatch.setattr(tree, "__file__", str(tmp_path / "site-packages" / "wavetank" / "linux" / "tree.py"))
    with pytest.raises(UserError, match="clone the repository"):
        tree.folder()


def test_a_machine_without_packages_is_told_their_names(tmp_path, monkeypatch):
    for name in ("run", "uml.py"):
        (tmp_path / name).touch()
    said = "linux/build: this machine lacks what the second water needs. Install it with\n    apt-get install bison"
    (tmp_path / "build").write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    (tmp_path / "build").chmod(0o755)
    monkeypatch.setenv("WAVETANK_LINUX", str(tmp_path))
    with pytest.raises(UserError, match="apt-get install bison"):
        tree.build()
    (tmp_path / "build").write_text("#!/bin/sh\necho 'gcc: boom' >&2\nexit 1\n")
    with pytest.raises(tree.LinuxFailed, match="boom"):
        tree.build()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("XDG_CACHE_HOME", "/tmp/elsewhere", "the cache /tmp/elsewhere/wavetank/linux is below /tmp, where"),
        ("XDG_CACHE_HOME", "/proc/nowhere", "the cache /proc/nowhere/wavetank/linux cannot be written (No such file"),
        ("WAVETANK_KERNEL", "plain", "WAVETANK_KERNEL=plain: expected debug"),
    ],
)
def test_a_variable_that_cannot_be_is_the_callers_to_mend(monkeypatch, name, value, said):
    monkeypatch.setenv(name, value)
    with pytest.raises(UserError) as run:
        tree.carry_out({"topology": "wifi"}, 1, 1)
    assert str(run.value).startswith(said) and "\n" not in str(run.value)
    if "written" not in said:  # nothing is written for it
        with pytest.raises(UserError) as status:
            tree.status()
        assert str(status.value) == str(run.value)
