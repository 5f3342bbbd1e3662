"""Every mechanism has its two halves, the model's and the kernel's, and a page (docs/mechanisms) that says where they are."""

import re
from pathlib import Path

import pytest

from wavetank import _core
from wavetank.linux.own import STOCK_CC
from wavetank.state.tc import OPTIONS

ROOT = Path(__file__).parents[2]
PAGES = sorted(p for p in (ROOT / "docs" / "mechanisms").glob("*.md") if p.name != "README.md")


def row(page, name):
    """A row of a page's table of halves."""
    found = re.search(rf"^\| {name} \| (.*) \|$", page.read_text(), re.M)
    assert found, f"{page.name}: its table has no row {name}"
    return found[1]


def halves(page, name):
    """The paths of a half; none if the page says why there is none."""
    text = row(page, name)
    if text.startswith("none:"):
        assert len(text) > len("none: because"), f"{page.name}: {name}: none needs a reason"
        return []
    return re.findall(r"`([^`]+)`", text)


def names_of(page):
    """(kind, name) of what a page is about: "tcp.tsq: cotsq, off; qdisc: aaq"."""
    for part in filter(None, row(page, "names").split(";")):
        kind, _, names = part.partition(":")
        yield from ((kind.strip(), n.strip()) for n in names.split(","))


def registered():
    """(kind, name) of everything that a scenario can choose."""
    kinds = {k: v for k, v in _core.registry().items() if k != "kernel"}
    tsq = next(r["range"] for r in _core.schema() if (r["section"], r["key"]) == ("tcp", "tsq"))
    kinds["tcp.tsq"] = tsq.split(" | ")
    return {(k, n) for k, names in kinds.items() for n in names}


def stock():
    """What Linux itself has, by the table of the README."""
    text = (ROOT / "docs" / "mechanisms" / "README.md").read_text()
    return {(k, n) for k, n in re.findall(r"^\| (cc|qdisc|driver|rate|tcp\.tsq) \| (\w+) \| \w", text, re.M)}


def modules():
    """The kernel's halves in the tree: folders, the files of a folder with several modules, BPF programs."""
    for top in ("modules", "bpf"):
        for p in (ROOT / "linux" / top).glob("[!.]*"):
            sources = list(p.glob("wavetank_*.c"))
            # several files may be one module
            one = len(sources) < 2 or f"{p.name}-y" in (p / "Kbuild").read_text()
            yield from (str(q.relative_to(ROOT)) for q in ([p] if one else sources))


def test_what_a_scenario_can_choose_is_linux_or_has_a_page():
    paged = {n for page in PAGES for n in names_of(page)}
    assert registered() - stock() - paged == set()
    assert paged & stock() == set()


def test_the_second_water_has_what_stock_linux_has():
    assert {n for kind, n in stock() if kind == "cc"} == STOCK_CC


def test_every_discipline_is_told_as_tc_prints_it():
    """htb's line says no more than its place here."""
    assert set(_core.registry()["qdisc"]) - {"htb"} == OPTIONS.keys()


def test_every_module_has_a_page():
    assert set(modules()) - {h for page in PAGES for h in halves(page, "kernel")} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_names_halves_that_are_there(page):
    for half in ("model", "kernel"):
        for path in halves(page, half):
            assert (ROOT / path).exists(), f"{page.name}: {half}: there is no {path}"
    assert halves(page, "model") or halves(page, "kernel"), f"{page.name}: neither half is there"
    assert f"({page.name})" in (page.parent / "README.md").read_text(), f"{page.name}: the README does not list it"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_has_every_numbered_difference(page):
    if not halves(page, "model") or not halves(page, "kernel"):
        return  # no pair
    text = page.read_text()
    for path in halves(page, "model"):
        for d in differences(ROOT / path, "//!"):
            assert re.search(rf"^- model {d}:", text, re.M), f"{page.name}: no line for model {d} of {path}"
    for path in halves(page, "kernel"):
        source = ROOT / path
        name = source.name
        for d in differences(source, " *"):
            assert re.search(rf"^- kernel (?:{name} )?{d}:", text, re.M), f"{page.name}: no line for {name} {d}"


def differences(source, mark):
    """D1, D2, ... of the opening comments of a file, of a Rust module's or of all files of a kernel module."""
    files = [source]
    if source.is_dir():
        files = sorted(source.glob("*.c")) or [source / "mod.rs"]
    lines = (line for f in files for line in f.read_text().splitlines()[:60])
    head = [line for line in lines if line.lstrip().startswith(mark.strip())]
    return sorted(set(re.findall(r"\b(D\d+)\b", "\n".join(head))))
