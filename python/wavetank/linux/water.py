"""Runs a scenario on the second water."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ..errors import UserError
from ..result import Result
from ..state import State, from_linux
from . import kernels, modules, outcome, translate, tree
from .asked import Asks
from .own import OF_LINUX
from .radio_log import RadioLog
from .translated import Translated

S = TypeVar("S", bound=Asks)


def check(scenario: Asks, seed: int | None = None) -> Translated:
    """Whether it can be run: its translation, with ``notes``. Raises ScenarioError and UserError."""
    tree.folder()
    of = translate.translate(scenario, seed)
    kernels.require(of.values["kernel"])
    return of


def like_linux(scenario: S) -> S:
    """The scenario with what the second water has where it leaves a key open: the model set up like the real kernel."""
    return scenario.set(translate.translate(scenario).alike)


def folders(scenarios: Iterable[Asks]) -> list[Path]:
    """The folders of all modules of one's own that these scenarios name. Raises UserError."""
    found = (modules.read(s.check()["linux.modules"], s.beside("linux.modules")) for s in scenarios)
    return list(dict.fromkeys(module.folder for of in found for module in of))


def modelled(scenario: S) -> S:
    """The scenario without what the real kernel alone has."""
    values = scenario.check()
    return scenario.set({key: "off" for key in OF_LINUX if values[key] != "off"})


def fingerprint(scenario: Asks, seed: int | None = None) -> str:
    """Digest of everything that decides a result: what is carried out, on what, and how it is read."""
    try:
        of = translate.translate(scenario, seed)
        case = {
            **of.case,
            **({"modules": [(module.digest(), module.parameters) for module in of.modules]} if of.modules else {}),
        }
    except UserError as e:
        case = {"cannot": str(e)}
    reader = Path(outcome.__file__).read_bytes()
    on = [release] if (release := kernels.other()) else []
    decides = json.dumps([tree.digest(), tree.iproute2(), case, scenario.check()["name"], seed, *on]).encode()
    return hashlib.sha256(decides + reader).hexdigest()


def simulate(
    scenario: Asks,
    seed: int | None = None,
    progress: Callable[[float, float], None] = lambda done, of: None,
    log: RadioLog | None = None,
    states: Sequence[int] = (),
) -> Result:
    """Runs it on the real kernel; ``progress`` gets (seconds done, of). Builds what is not there yet.

    What is on the air is written down where ``log`` says; ``states``: times, ns, at which every host's state is looked at. The
    result is the same without either: to look takes virtual time (linux/guest/src/run.rs), so that each look is the end of a run
    of its own.

    Raises ScenarioError and UserError (what cannot be expressed, what is missing), LinuxFailed.
    """
    of = check(scenario, seed)
    if states:
        tree.require("ss", "iproute2", "--state")
    start = time.perf_counter()
    whole = of.seconds + sum(states) / 1e9
    progress(0.0, whole)
    channel = scenario.channel_trace(of.seed, csi=of.case["channel"]["csi"]) if "channel" in of.case else None
    case, file = (of.case, None) if log is None else (log.asked(of.case), log.file)
    text = tree.carry_out(case, of.seed, of.seconds, _later(progress, 0.0, whole), channel, file)
    seen = []
    for k, at in enumerate(states):
        done = of.seconds + sum(states[:k]) / 1e9
        seen.append(_look(of, at, channel, _later(progress, done, whole)))
    progress(whole, whole)
    result = outcome.result(of, text, time.perf_counter() - start)
    return replace(result, states=tuple(seen))


def _later(progress: Callable[[float, float], None], done: float, whole: float) -> Callable[[int], None]:
    return lambda s: progress(done + s, whole)


def _look(of: Translated, at: int, channel: bytes | None, progress: Callable[[int], None]) -> State:
    """The state at ``at`` (ns), where a run of its own ends."""
    text = tree.carry_out({**of.case, "state": at}, of.seed, of.seconds, progress, channel)
    return from_linux(at / 1e9, json.loads(text)["state"])
