"""Runs a scenario on the second water."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..result import Result
from ..scenario import Scenario
from . import outcome, translate, tree


def check(scenario: Scenario, seed: int | None = None) -> translate.Translated:
    """Whether it can be run: its translation, with ``notes``. Raises ScenarioError and UserError."""
    tree.folder()
    return translate.translate(scenario, seed)


def like_linux(scenario: Scenario) -> Scenario:
    """The scenario with what the second water has where it leaves a key open: the model set up like the real kernel."""
    return scenario.set(translate.translate(scenario).alike)


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
