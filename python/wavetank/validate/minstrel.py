"""Minstrel-HT against Linux 6.12's: what the running kernel's was told, told to the model, call by call.

The reference is a ZIP file of recordings, one a channel (``linux/standing/record-minstrel``; ``linux/radio/minstrel.c`` says
what is in one): every transmit status and every frame that rate control saw, at which jiffy, and what came of it. The model is
given the kernel's sample table and the same statuses. Equal must be, to the bit: every update of the statistics (all of them:
probabilities, counters, rankings of every group, what waits to be sampled), every decision on a rate chain (rates and tries)
and every frame that is or is not a probe.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .. import _core, workers
from ..errors import UserError
from . import archive
from .report import Report, Row

PATH = Path(__file__).parents[1] / "data" / "reference" / "minstrel-6.12.zip"
#: What a recording's name ends in.
SUFFIX = ".wtmr"
#: So much is asked of all channels together.
LEAST = {"channels": 20, "updates": 10_000, "probes": 10_000}
METRICS = ("updates", "decisions", "probes")


@dataclass(frozen=True)
class Case:
    """One channel's recording."""

    name: str
    recording: bytes


def load(path: Path = PATH) -> list[Case]:
    """The recordings of a file. Raises UserError for what is no such file."""
    found = archive.members(path, SUFFIX, f"a ZIP file of recordings (NAME{SUFFIX})")
    cases = [Case(name.removesuffix(SUFFIX), content) for name, content in found.items()]
    if not cases:
        raise UserError(f"{path}: holds no recording, expected NAME{SUFFIX} (linux/standing/record-minstrel)")
    return cases


def replay(case: Case, never_probes: bool = False) -> dict[str, Any]:
    """What the model makes of a recording. Raises UserError for one that is broken."""
    try:
        return _core.minstrel_replay(case.recording, never_probes)
    except ValueError as e:
        raise UserError(f"{case.name}{SUFFIX}: {e}") from None


def judge(case: Case, got: dict[str, Any]) -> list[Row]:
    """A row a metric: how many there are, and how many of them are equal."""
    why = "; ".join(got["told"][:1])
    rows = [
        Row(case.name, m, float(got[m]), float(got[m] - got[f"wrong_{m}"]), not got[f"wrong_{m}"], why, got[m], got[m])
        for m in METRICS
    ]
    if got["differences"] and all(r.ok for r in rows):
        rows.append(Row(case.name, "differences", 0.0, float(got["differences"]), False, why, 0.0, 0.0))
    return rows


def validate(
    path: Path | None = None,
    jobs: int = 1,
    done: Callable[[str], None] = lambda name: None,
    never_probes: bool = False,
) -> Report:
    """Replays every recording; beside a row a channel and metric one for how much all channels together hold."""
    cases = load(path or PATH)
    rows: list[Row] = []
    totals = dict.fromkeys(LEAST, 0) | {"channels": len(cases)}
    got: dict[int, dict[str, Any]] = {}
    for i, of in workers.pool(partial(replay, never_probes=never_probes), cases, jobs):
        got[i] = of
        done(cases[i].name)
    for i, case in enumerate(cases):
        rows += judge(case, got[i])
        totals["updates"] += got[i]["updates"]
        totals["probes"] += got[i]["probes"]
    for m, least in LEAST.items():
        rows.append(Row("all", f"{m} held", None, float(totals[m]), totals[m] >= least, "", float(least)))
    seen = {k: sum(g[k] for g in got.values()) for k in ("statuses", "decisions", "no_probes")}
    note = (
        f"{totals['channels']} channels, {totals['updates']} updates, {seen['decisions']} decisions, {totals['probes']} probes; "
        f"{seen['statuses']} statuses, {seen['no_probes']} frames that are no probe"
    )
    return Report("minstrel", rows, (note,))
