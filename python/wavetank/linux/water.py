"""Runs a scenario on the second water."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..result import Result
from ..scenario import Scenario
from . import outcome, translate, tree


def simulate(
    scenario: Scenario, seed: int | None = None, progress: Callable[[float, float], None] = lambda done, of: None
) -> Result:
    """Runs it on the real kernel; ``progress`` gets (seconds done, of). Builds what is not there yet.

    Raises ScenarioError and UserError (what cannot be expressed, what is missing), LinuxFailed.
    """
    of = translate.translate(scenario, seed)
    start = time.perf_counter()
    progress(0.0, of.seconds)
    text = tree.carry_out(of.case, of.seed, of.seconds, lambda s: progress(float(s), of.seconds))
    progress(of.seconds, of.seconds)
    return outcome.result(of, text, time.perf_counter() - start)
