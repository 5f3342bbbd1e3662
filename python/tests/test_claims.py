"""The copy of the claims is whole, and every row that is measured points at something that exists."""

import csv
from collections import Counter

import pytest

from wavetank.lab import channel_reports, claims, metrics, over, plan, reproduce


@pytest.fixture(scope="module")
def every():
    return claims.load()


def test_there_are_no_quotations():
    with claims.PATH.open(newline="") as f:
        assert tuple(next(csv.reader(f))) == claims.COLUMNS
    assert "quote" not in claims.COLUMNS


def test_classes_and_references(every):
    for c in every.values():
        assert c.cls in claims.CLASSES, c.id
        assert not c.refers or c.refers in every, c.id
        if c.cls == "unmeasured":
            assert c.reason, c.id


def test_a_device_constant_is_calibrated_by_one_row_at_most(every):
    counts = Counter(c.reason for c in every.values() if c.cls == "calibrates")
    assert all(n == 1 and name for name, n in counts.items())


def test_contradicted_rows_have_a_note_that_is_no_assumption(every):
    for c in every.values():
        note = c.keys.get("note", "")
        if c.cls == "judged":
            assert not note or note in claims.ASSUMPTIONS, c.id
        if c.cls == "contradicted":
            assert note and note not in claims.ASSUMPTIONS, c.id


def test_every_measure_exists(every):
    figures = {f.id: f for n in plan.experiments() for f in plan.load(n)}
    for c in every.values():
        if c.cls == "unmeasured":
            continue
        assert c.figure in figures, c.id
        if c.quantity in over.QUANTITIES:
            assert all(over.points(figures[c.figure], s) for s in c.points), c.id
        else:
            assert reproduce.points_of(c, figures[c.figure]), c.id
        known = (over.QUANTITIES, metrics.QUANTITIES, metrics.MODEL, channel_reports.QUANTITIES)
        assert any(c.quantity in k for k in known), c.id
        assert c.reduce in ("", "each", "max", "mean", "best", "grid", "argmin", "minus", "losing"), c.id


def test_rows_that_are_measured(every):
    cotsq = claims.of_command("cotsq", every.values())
    assert len(cotsq) == 41
    assert sum(c.cls in ("judged", "calibrates") for c in cotsq) == 41
    for name, measured in (("hard-times", 232), ("bbrp", 94), ("tsqtp", 43)):
        rows = claims.of_command(name, every.values())
        assert sum(c.cls != "unmeasured" for c in rows) == measured, name
        assert all("ath10k" in c.condition or "ath10k" in c.reason for c in rows if c.cls == "unmeasured"), name


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("cotsq", 41),
        ("tsqtp", 43),
        ("bbrp", 99),
        ("hard-times", 232),
        ("thesis-intro", 18),
        ("aaq", 75),
        ("hack", 64),
        ("aarc", 104),
    ],
)
def test_each_command_has_its_rows(every, name, rows):
    assert len(claims.of_command(name, every.values())) == rows
