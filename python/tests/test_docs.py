"""Generated pages are current, and nothing names what it must not."""

import importlib.util
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _make_docs():
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "python" / "tools" / "make_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_reference_pages_are_current():
    make = _make_docs()
    for name, text in make.PAGES.items():
        assert (make.ROOT / name).read_text() == text(), f"{name}: run python python/tools/make_docs.py"


def test_links_between_pages_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_readme_names_every_verb():
    text = (ROOT / "README.md").read_text()
    for verb in (
        "run",
        "sweep",
        "reproduce",
        "theory",
        "list",
        "explain",
        "validate",
        "bench",
        "analyze",
        "csi",
        "csid",
        "hack",
        "testbed",
        "compare",
    ):
        assert f"wavetank {verb}" in text


def test_the_sweeps_of_the_pages_can_be_run(wavetank, tmp_path, monkeypatch):
    """Every ``wavetank sweep`` of the README and of docs/sweeps.md, checked and counted."""
    page = (ROOT / "docs" / "sweeps.md").read_text().replace("\\\n", "")
    monkeypatch.chdir(tmp_path)
    for text in re.findall(r"```toml\n(name = .*?)```", page, re.S):
        (tmp_path / f"{tomllib.loads(text)['name']}.toml").write_text(text)
    for name in ("house", "scenario"):
        (tmp_path / f"{name}.toml").write_text(f'name = "{name}"\n[topology]\nkind = "wifi"\n')
    commands = re.findall(r"^wavetank (sweep .*?)(?:  +#.*)?$", page + (ROOT / "README.md").read_text(), re.M)
    assert len(commands) >= 6
    for command in commands:
        words = [w for w in shlex.split(command) if not w.startswith("tcp://")]
        code, _, err = wavetank(*[w if w != "--cluster" else "--quick" for w in words], "--dry-run")
        assert code == 0, f"{command}: {err}"


def test_every_axis_of_the_page_is_one():
    from wavetank.sweeps.axes import parse

    page = (ROOT / "docs" / "sweeps.md").read_text()
    rows = page[page.index("## Axes") : page.index("Axes are crossed")].splitlines()
    lists = [
        x for row in rows if row.startswith("| `") for x in re.findall(r"`([a-z][^`]*=[^`]*)`", row.split(" | ")[0])
    ]
    assert len(lists) >= 8
    for text in lists:
        parse(shlex.split(text)[0] if "'" in text else text)


def test_scripts_parse():
    for script in ("reproduce", "test", "scripts/venv", ".ci/run"):
        subprocess.run(["bash", "-n", str(ROOT / script)], check=True)
