"""How long a sweep will take: measured on short runs of a few of its points."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from .. import units, workers
from ..lab import runner
from ..lab.runner import Run

#: Flows' time of a probe, ns, and how many points are probed.
PROBE = 10**9
POINTS = 3


def seconds(runs: Sequence[Run], jobs: int) -> float:
    """Estimated time of these runs of the model on so many processes; 0 without runs.

    A probe is a point with its flows' time cut to a second; the longer run is taken to go as fast.
    """
    if not runs:
        return 0.0
    chosen = dict.fromkeys(round(i * (len(runs) - 1) / (POINTS - 1)) for i in range(POINTS))
    return sum(_one(runs[i]) for i in chosen) / len(chosen) * len(runs) / min(jobs, len(runs))


def _one(run: Run) -> float:
    values = run.scenario.check()
    flows, warmup, cooldown = (units.span(values[f"time.{key}"]) for key in ("flows", "warmup", "cooldown"))
    short = min(flows, PROBE + warmup + cooldown)
    probe = Run(run.point, run.scenario.set({"time.flows": f"{short} ns", "time.tail": "0 s"}), run.seed)
    start = time.perf_counter()
    with suppress(runner.CoreFailed):  # the sweep itself will tell
        workers.in_thread(lambda: runner.simulate(probe))
    return (time.perf_counter() - start) * flows / short


def told(s: float) -> str:
    """A time in words, as exact as an estimate is."""
    if s < 1:
        return "a second"
    if s < 100:
        return f"{s:.0f} s"
    return f"{s / 60:.0f} min" if s < 5400 else f"{s / 3600:.1f} h"
