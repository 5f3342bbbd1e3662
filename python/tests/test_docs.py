"""Generated pages are current, and nothing names what it must not."""

import re
import shlex
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_reference_pages_are_current(tool):
    make = tool("make_docs")
    for name, text in make.PAGES.items():
        assert (make.ROOT / name).read_text() == text(), f"{name}: run python python/tools/make_docs.py"


def anchors(page):
    """A page's headings as its links name them: GitHub's rule, letters and digits and hyphens."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    plain = (re.sub(r"\]\([^)]*\)", "", head) for head in heads)
    return {re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-") for head in plain}


def test_links_between_pages_lead_somewhere():
    for page in [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "linux").rglob("*.md"),
    ]:
        for target, part in re.findall(r"\]\(([^)#:]*)(#[^)]*)?\)", page.read_text()):
            there = (page.parent / target).resolve() if target else page
            assert there.exists(), f"{page.name}: {target}"
            if part and there.suffix == ".md":
                assert part[1:] in anchors(there), f"{page.relative_to(ROOT)}: {target}{part}"


#: What a page names that is yet to be written: the worked example's file, and NAME for any.
TO_BE_WRITTEN = re.compile(r"NAME|EXPERIMENT|gentle\.rs")


def test_sources_that_pages_name_are_there():
    """Of Rust every file in backticks, by the end of its path (no other's is cited); of the rest what is named from the top."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    there = [f"/{name}" for name in listed.stdout.splitlines()]
    if not there:
        pytest.skip("no work tree of git's")
    folders = {str(parent) for name in there for parent in Path(name).parents}
    missing = []
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "linux" / "README.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for name in re.findall(r"`([\w./-]+)`", page.read_text()):
            if TO_BE_WRITTEN.search(name):
                continue
            if name.endswith(".rs"):
                found = any(f.endswith(f"/{name}") for f in there)
            elif re.match(r"(crates|python)/|linux/(bpf|guest|modules|radio|standing|tests)/", name):
                found = f"/{name}" in there or f"/{name.rstrip('/')}" in folders
            else:
                continue
            missing += [] if found else [f"{page.relative_to(ROOT)}: {name}"]
    assert missing == []


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


@pytest.mark.slow
def test_the_sweeps_of_the_pages_can_be_run(wavetank, tool, tmp_path, monkeypatch):
    """Every ``wavetank sweep`` of the README, of docs/sweeps.md and docs/cake.md, checked and counted."""
    pages = tool("pages")
    page = "".join((ROOT / "docs" / name).read_text() for name in ("sweeps.md", "cake.md"))
    monkeypatch.chdir(tmp_path)
    for name, text in pages.scenarios(page).items():
        (tmp_path / name).write_text(text)
    for name in ("house", "scenario"):
        (tmp_path / f"{name}.toml").write_text(f'name = "{name}"\n[topology]\nkind = "wifi"\n')
    commands = [c for c in pages.commands(page + (ROOT / "README.md").read_text()) if c[0] == "sweep"]
    assert len(commands) >= 7
    for command in commands:
        words = [w for w in command if not w.startswith("tcp://")]
        code, _, err = wavetank(*[w if w != "--cluster" else "--quick" for w in words], "--dry-run")
        assert code == 0, f"{' '.join(command)}: {err}"


def _cells(line):
    """A row of a table, on a page or as the command draws it: its cells."""
    return re.split(r"\s{2,}", re.sub(r"[\s┃│]{2,}", "  ", f"  {line}  ").strip())


def test_the_tours_first_table_is_what_its_command_prints(wavetank, tool, tmp_path, monkeypatch):
    """Every line of it, heads too, cell by cell and in order; of what is printed lines may be left out."""
    pages = tool("pages")
    page = (ROOT / "docs" / "tour.md").read_text()
    monkeypatch.chdir(tmp_path)
    first, shown = pages.commands(page)[0], [line for line in pages.printed(page)[0] if line]
    plot = first.index("--plot")
    code, out, err = wavetank(*first[:plot], *first[plot + 2 :])
    assert code == 0, err
    printed = iter([_cells(line) for line in out.splitlines()])
    missing = [line for line in shown if _cells(line) not in printed]  # each is looked for behind the one before
    assert len(shown) >= 6 and missing == []


def _missing(shown, out):
    """Lines of a page that no line printed holds: cell by cell and in order, of which a page may leave some out, or break a
    sentence."""
    whole = " ".join(out.split())

    def holds(line, cells):
        there = iter(_cells(line))
        return all(cell in there for cell in cells)

    def found(line):
        return " ".join(line.split()) in whole or any(holds(x, _cells(line)) for x in out.splitlines())

    lines = [re.sub(r"\s+\(cut\)$", "", line) for line in shown]
    return [line for line in lines if line.strip() and not found(line)]


def test_a_page_may_leave_columns_out_and_change_nothing():
    out = "│a   │   1 ± 2 │  3 │\n│b   │ 4 ± 5 │ 6 │"
    assert _missing(["a   1 ± 2", "b   6      (cut)", ""], out) == []
    assert _missing(["a   1 ± 3", "b   6   4 ± 5"], out) == ["a   1 ± 3", "b   6   4 ± 5"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least"), [("tour.md", 50), ("sweeps.md", 38)])
def test_tables_are_what_the_commands_above_them_print(name, least, wavetank, tool, tmp_path, monkeypatch):
    """Every table that a page shows but the real kernel's and tshark's, run as the page says."""
    from wavetank.plots import compare

    pages = tool("pages")
    page = (ROOT / "docs" / name).read_text()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(compare, "draw", lambda comparison, folder: [])  # has tests of its own
    for file, text in pages.scenarios(page).items():
        (tmp_path / file).write_text(text)
    held, missing = 0, []
    for commands, shown in pages.prints(page):
        if any("model,linux" in words for words in commands):
            continue
        out = ""
        for words in commands:
            code, printed, err = wavetank(*words)
            assert code == 0, f"{' '.join(words)}: {err}"
            out += printed + err
        ours = [line for line in shown if not re.match(r" +\d+ \d+\.\d{9} ", line)]  # tshark's
        missing += _missing(ours, out)
        held += len(ours)
    assert held >= least and missing == []


@pytest.mark.slow
def test_the_tours_commands_run(wavetank, tool, tmp_path, monkeypatch):
    """Every command of docs/tour.md, with short flows and two seeds; sweeps are checked and counted, the kernel's are translated."""
    from wavetank import Scenario
    from wavetank.linux.translate import translate
    from wavetank.plots import compare

    pages = tool("pages")
    page = (ROOT / "docs" / "tour.md").read_text()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(compare, "draw", lambda comparison, folder: [])  # has tests of its own
    for name, text in pages.scenarios(page).items():
        (tmp_path / name).write_text(text)
    short = ["--set", "time.flows=8 s"]
    given = pages.commands(page)
    assert len(given) >= 12
    for command in given:
        words = [w if w != "5" else "2" for w in command]
        words += ["--dry-run"] if words[0] == "sweep" else short if words[0] in ("run", "compare", "testbed") else []
        if "--with" in words:  # what a test bed measures: here a run's own file
            code, _, err = wavetank("run", words[1], *short, "--out", "bed/results")
            assert code == 0, err
            at = words.index("--with") + 1
            words[at : at + 1] = [str(f) for f in sorted(tmp_path.glob(words[at]))]
        if "model,linux" in words:
            sets = [words[i + 1].split("=", 1) for i, w in enumerate(words) if w == "--set"]
            translate(Scenario.load(_scenario(words[1])).set(dict(sets)))
            continue
        code, _, err = wavetank(*words, *(["--jobs", 1] if words[0] in ("compare", "sweep") else []))
        assert code == 0, f"{' '.join(words)}: {err}"


def _scenario(name):
    from wavetank.lab import plan

    return plan.ROOT / "scenarios" / f"{name}.toml"


def test_every_picture_is_drawn_by_a_command_of_its_page(tool):
    """What docs/ has is what python/tools/make_pictures.py draws; each page has the picture's command once, and shows the picture."""
    make = tool("make_pictures")
    kept = {f.name for f in (ROOT / "docs").rglob("*") if f.suffix in (".png", ".svg")}
    assert kept == {p.name for p in make.PICTURES}
    for picture in make.PICTURES:
        make.command(picture)
        assert f"{picture.name})" in (ROOT / picture.page).read_text(), picture


def test_the_page_of_results_names_every_picture_of_a_comparison():
    from wavetank.plots.compare import PANELS

    (told,) = re.findall(r"one PNG a series[^(]*\(([^)]*)\)", (ROOT / "docs" / "results.md").read_text())
    assert re.findall(r"`(\w+)`", told) == [p.name for p in PANELS]


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


def test_what_the_pages_set_can_be_set():
    from wavetank import _core

    seen = 0
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "linux").rglob("*.md"))):
        blocks = re.findall(r"```sh\n(.*?)```|`(wavetank [^`\n]*)`", page.read_text(), re.S)
        for line in "\n".join(a or b for a, b in blocks).replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True) if line.startswith("wavetank ") else []
            for option, word in pairwise(words):
                key, sign, value = word.partition("=")
                if option in ("--set", "--against") and sign and words[1] != "theory":
                    _core.value(f"{page.name}: {line}: {option}", key, value)  # raises ScenarioError
                    seen += 1
    assert seen > 40


def test_scripts_parse():
    for script in ("reproduce", "test", "scripts/venv", ".ci/run"):
        subprocess.run(["bash", "-n", str(ROOT / script)], check=True)
