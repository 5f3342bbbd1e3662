"""The page of an experiment: each figure as drawn, below it what the paper says of it, what was measured, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import report
from ..lab import plan
from .beside import Link, beside, link
from .frame import Picture, picture, render
from .sheet import Sheet, sheet

if TYPE_CHECKING:
    from ..lab.judge import Verdict
    from ..lab.outcome import Outcome
    from ..lab.plan import Figure

#: A verdict's sign, so that no colour is needed to see it.
SIGNS = {"holds": "✓", "misses": "✗", "tie": "=", "aside": "", "unmeasured": ""}


@dataclass(frozen=True)
class Line:
    """A claim's row. ``state``: holds, misses, tie, aside (not counted) or unmeasured."""

    id: str
    where: str
    what: str
    before: str
    refers: str
    after: str
    ours: str
    beside: tuple[str, ...]
    state: str
    verdict: str
    why: str


@dataclass(frozen=True)
class Part:
    """A figure: its heading, its picture, the claims that are measured on it, and the values that it shows."""

    id: str
    source: str
    title: str
    picture: Picture
    lines: tuple[Line, ...]
    values: Sheet | None
    table: Link | None
    flents: tuple[Link, ...]


def _state(v: Verdict) -> str:
    if v.cls == "unmeasured":
        return "unmeasured"
    if v.cls != "judged":
        return "aside"
    return "holds" if v.ok else "tie" if v.tie else "misses"


def _line(v: Verdict, others: Sequence[Mapping[str, Verdict]]) -> Line:
    c = v.claim
    text = report.paper(v)
    before, refers, after = text.partition(c.refers) if c.refers else (text, "", "")
    state = _state(v)
    beside_it = tuple(report.ours(o[c.id]) for o in others)
    word = f"{SIGNS[state]} {report.verdict(v).plain.lower()}".strip()
    why = v.reason if state != "holds" else ""
    return Line(
        c.id,
        c.where,
        f"{c.metric}, {c.system}",
        before,
        refers,
        after,
        report.ours(v),
        beside_it,
        state,
        word,
        why,
    )


def _values(outcome: Outcome, figure: Figure) -> Sheet | None:
    table = report.values_table(outcome, figure)
    return sheet(table) if len(table.columns) > 1 else None


def _part(outcome: Outcome, figure: Figure, lines: Sequence[Line], folder: Path) -> Part:
    table = outcome.tables.get(figure.id)
    return Part(
        figure.id,
        figure.source,
        figure.title,
        picture(outcome.pictures[figure.id]),
        tuple(lines),
        _values(outcome, figure),
        None if table is None else link(table, folder),
        tuple(link(p, folder, point) for point, p in outcome.flents.get(figure.id, {}).items()),
    )


def experiment(outcome: Outcome, folder: Path) -> str:
    """The page as text. ``folder``: where the page will stand, beside the outcome's files."""
    others = [{v.claim.id: v for v in o.verdicts} for o in outcome.beside.values()]
    of: dict[str, list[Line]] = {f.id: [] for f in outcome.figures}
    rest: list[Line] = []
    for v in outcome.verdicts:
        of.get(v.claim.figure, rest).append(_line(v, others))
    parts = [_part(outcome, f, of[f.id], folder) for f in outcome.figures]
    own = plan.is_file(outcome.name)
    name = Path(outcome.name).stem if own else outcome.name
    here = {line.id for lines in (*of.values(), rest) for line in lines}
    return render(
        "experiment.html",
        title=f"{name}{f' on {outcome.water}' if outcome.beside else ''}",
        mark=outcome.mark,
        repetitions=outcome.repetitions,
        summary=None if own else outcome.summary,
        captions=[f"{n}: {report.caption(o.summary)}" for n, o in outcome.beside.items() if not own],
        replaced=[f"on {outcome.water}: {why}" for why in outcome.replaced],
        water=outcome.water if outcome.beside else "measured",
        columns=list(outcome.beside),
        parts=parts,
        rest=rest,
        here=here,
        failures=outcome.measured.failures(),
        files=beside(outcome.written, folder),
    )
