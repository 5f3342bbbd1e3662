"""Where a miss on the real kernel comes from, told by the model's two columns."""

from __future__ import annotations

import pytest

from wavetank.lab import claims
from wavetank.lab.judge import Verdict
from wavetank.lab.on_linux import why

CLAIM = claims.load()["cotsq-f3a-goodput-tsq"]


def verdict(ok: bool | None) -> Verdict:
    return Verdict(CLAIM, CLAIM.cls, ok=ok, reason="the model's own reason")


@pytest.mark.parametrize(
    ("alike", "paper", "begins"),
    [
        (True, True, "the kernel's alone"),
        (True, False, "the kernel's alone"),
        (False, True, "of what was replaced"),
        (False, False, "both models miss it, too: the model's own reason"),
        (None, False, ""),
    ],
)
def test_a_miss_says_which_columns_share_it(alike, paper, begins):
    told = why(verdict(False), verdict(alike), verdict(paper)).reason
    assert told.startswith(begins) and bool(told) == bool(begins)


def test_what_has_no_verdict_keeps_its_reason():
    assert why(verdict(None), verdict(True), verdict(True)).reason == "the model's own reason"
