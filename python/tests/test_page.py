"""Pages: whole documents that need nothing else, and say what the tables say."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from wavetank import page
from wavetank.lab import plan, reproduce
from wavetank.lab.plan import Figure, Point
from wavetank.page.sheet import sheet

ALONE = {"meta", "img", "input", "br"}


class Page(HTMLParser):
    """A document's text, pictures, links and ids; fails where tags do not close."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.pictures, self.links, self.ids, self.classes = [], [], [], [], [], {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        of = dict(attrs)
        if tag not in ALONE:
            self.open.append(tag)
        self.ids += [of["id"]] if "id" in of else []
        self.links += [of["href"]] if "href" in of else []
        self.pictures += [of["src"]] if "src" in of else []
        if tag == "tbody":
            self.row = of.get("class")
        if tag == "tr" and "id" in of:
            self.classes[of["id"]] = self.row

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def needs_nothing(text):
    """Neither a script nor anything to fetch."""
    seen = Page(text)
    assert "<script" not in text and "://" not in text
    assert all(p.startswith("data:image/png;base64,") for p in seen.pictures)
    assert all(x[1:] in seen.ids for x in seen.links if x.startswith("#"))
    return seen


def picture(path):
    import matplotlib.figure

    matplotlib.figure.Figure(figsize=(5.2, 1), dpi=130).savefig(path, format="png")
    return path


@pytest.fixture
def outcome(tmp_path, monkeypatch):
    """Two short figures of CoTSQ, reproduced into a folder."""
    figures = []
    for f in plan.load("cotsq"):
        if f.id in ("cotsq/fig5", "cotsq/fig8"):
            points = {k: Point(k, p.scenario.set({"time.flows": "4 s"}), p.x) for k, p in f.points.items()}
            figures.append(Figure(f.id, f.source, f.title, f.repetitions, points, f.panels, f.columns, f.model, f.note))
    monkeypatch.setattr(reproduce, "figures_for", lambda name, every: (figures, []))
    return reproduce.reproduce("cotsq", tmp_path, quick=True)


def test_an_experiments_page_has_every_claim_with_its_verdict(outcome, tmp_path):
    seen = needs_nothing((tmp_path / page.PAGE).read_text(encoding="utf-8"))
    assert len(seen.pictures) == 2
    state = {v.claim.id: v for v in outcome.verdicts}
    assert set(state) <= set(seen.ids)
    for ident, v in state.items():
        expected = "unmeasured" if v.cls == "unmeasured" else "aside" if v.cls != "judged" else "misses"
        if v.cls == "judged" and (v.ok or v.tie):
            expected = "holds" if v.ok else "tie"
        assert seen.classes[ident] == expected, ident
    s = outcome.summary
    assert f"{s['ok']} of {s['judged']}" in seen.texts and "quick" in seen.texts
    for v in outcome.verdicts:
        if v.cls == "judged" and not v.ok and v.reason:
            assert v.reason in seen.texts
    assert "claims.csv" in seen.links and page.PAGE not in seen.links
    for f in outcome.figures:
        assert f"{f.id.replace('/', '-')}.csv" in seen.links
        assert {f"flent/{f.id.replace('/', '-')}-{p}.flent.gz" for p in f.points} & set(seen.links)
    assert all((tmp_path / x).exists() for x in seen.links if not x.startswith("#"))


def test_the_same_runs_give_the_same_page_and_pictures(outcome, tmp_path):
    names = (page.PAGE, "cotsq-fig5.png", "cotsq-fig8.png", "claims.csv", "samples.parquet")
    before = {n: (tmp_path / n).read_bytes() for n in names}
    reproduce.reproduce("cotsq", tmp_path, quick=True)
    assert {n: (tmp_path / n).read_bytes() for n in names} == before


def test_several_experiments_have_a_page_that_leads_to_each(outcome, tmp_path):
    seen = needs_nothing(page.overview([(outcome, tmp_path)], tmp_path.parent))
    assert seen.links == [f"{tmp_path.name}/{page.PAGE}"]
    assert f"{outcome.summary['ok']} of {outcome.summary['judged']}" in seen.texts


def test_a_table_keeps_emphasis_and_alignment():
    table = Table(title="t", style="x")
    table.add_column("name")
    table.add_column("Mbit/s", justify="right")
    table.add_row("a", Text("1 ± 2", style="bold red"))
    table.add_row("b", "3", style="bold")
    table.caption = "one\ntwo"
    s = sheet(table)
    assert (s.title, s.caption) == ("t", ("one", "two"))
    assert [[(c.text, c.looks) for c in row] for row in (s.heads, *s.rows)] == [
        [("name", ""), ("Mbit/s", "number")],
        [("a", ""), ("1 ± 2", "bold red number")],
        [("b", "bold"), ("3", "bold number")],
    ]


def test_what_has_signs_of_html_is_text(tmp_path):
    table = Table(title="<b>&")
    table.add_column("<i>")
    table.add_row("a < b & c")
    here = tmp_path / "a b"
    here.mkdir()
    written = [picture(here / "x&y.png"), here / "deep" / "1", here / "deep" / "2"]
    text = page.tables([table], written[:1], ["note <script>alert(1)</script>"], written, here)
    seen = needs_nothing(text)
    assert {"<b>&", "<i>", "a < b & c", "note <script>alert(1)</script>"} <= set(seen.texts)
    assert seen.links == ["x%26y.png", "deep/"] and 'width="499"' in text  # 5.2 inches of 96


def test_names_that_are_not_utf_8_have_links(tmp_path):
    table = Table(title="t")
    table.add_column("c")
    name = Path(str(tmp_path / "caf\udce9.png"))
    assert "caf%E9.png" in page.tables([table], [], [], [name], tmp_path)
