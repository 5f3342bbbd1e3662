"""``wavetank reproduce --on linux``: an experiment on the real kernel, with the model's two columns beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..errors import UserError
from . import claims, plan
from .judge import Verdict
from .outcome import Outcome, key_of
from .plan import Figure, Point
from .reproduce import Progress, figures_for, other, run_and_judge, write

#: Repetitions on the second water, where they take a hundred times as long.
REPETITIONS = 3

#: The model's columns: set up like the second water, and as the paper has it.
ALIKE, AS_PAPER = "model, alike", "model"


def reproduce(
    name: str,
    out: Path,
    quick: bool = False,
    jobs: int = 1,
    progress: Progress = lambda done, of, what: None,
    repetitions: int | None = None,
) -> Outcome:
    """The experiment on the real kernel; beside it, as often, the model set up like the kernel and as the paper has it.

    ``repetitions``: of each point, in place of the figures' own number and at most REPETITIONS; every output says so.
    """
    every = claims.load()
    own, others = figures_for(name, every)
    n = len(own)
    asked = repetitions if not quick and repetitions is not None and any(other(f, repetitions) for f in own) else None
    fewer = [replace(f, repetitions=_times(f, repetitions)) for f in (*own, *others)]
    changed, replaced = plan.on_linux(fewer)
    alike = [replace(f, points={k: _alike(p) for k, p in f.points.items()}) for f in changed]
    beside = {
        ALIKE: run_and_judge(
            name, out, (alike[:n], alike[n:]), quick, jobs, progress, asked=asked, column=key_of(ALIKE)
        ),
        AS_PAPER: run_and_judge(name, out, (fewer[:n], fewer[n:]), quick, jobs, progress, asked=asked),
    }
    outcome = run_and_judge(name, out, (changed[:n], changed[n:]), quick, jobs, progress, "linux", asked)
    same, paper = ({v.claim.id: v for v in o.verdicts} for o in beside.values())
    verdicts = [why(v, same[v.claim.id], paper[v.claim.id]) for v in outcome.verdicts]
    return write(replace(outcome, verdicts=verdicts, beside=beside, replaced=replaced), out)


def _times(figure: Figure, repetitions: int | None) -> int:
    """How often each of its points is run; one of closed forms has no runs in any case."""
    if figure.repetitions == 0:
        return 0
    return min(figure.repetitions, REPETITIONS) if repetitions is None else repetitions


def _alike(point: Point) -> Point:
    """The point set up like the second water; as it is where that cannot run it."""
    from .. import linux

    try:
        return replace(point, scenario=linux.like_linux(point.scenario))
    except UserError:
        return point


def why(v: Verdict, alike: Verdict, paper: Verdict) -> Verdict:
    """The kernel's verdict with where a miss comes from: the reasons that claims give are the model's, as the paper has it."""
    if v.ok is None:
        return v
    if alike.ok is None:
        return replace(v, reason="")
    if alike.ok:
        return replace(v, reason="the kernel's alone: the model, set up alike, holds it")
    if paper.ok:
        return replace(
            v, reason="of what was replaced: the model misses it, set up alike, and holds it as the paper has it"
        )
    return replace(v, reason="both models miss it, too" + (f": {paper.reason}" if paper.reason else ""))
