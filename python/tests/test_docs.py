"""Generated pages are current, and nothing names what it must not."""

import importlib.util
import re
import subprocess
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


def test_scripts_parse():
    for script in ("reproduce", "test", "scripts/venv", ".ci/run"):
        subprocess.run(["bash", "-n", str(ROOT / script)], check=True)
