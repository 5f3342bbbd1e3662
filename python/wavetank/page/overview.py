"""The page of several experiments: how much of each holds, and the way to its own page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from .beside import PAGE
from .frame import render

if TYPE_CHECKING:
    from ..lab.outcome import Outcome


def overview(outcomes: Sequence[tuple[Outcome, Path]], folder: Path) -> str:
    """The page as text. ``outcomes``: each with its folder, which is below ``folder``, where the page will stand."""
    rows = [(o, quote(str(at.relative_to(folder) / PAGE), errors="surrogateescape")) for o, at in outcomes]
    marks = list(dict.fromkeys(o.mark for o, _ in outcomes if o.mark))
    return render("overview.html", title="all experiments", rows=rows, marks=marks, files=[])
