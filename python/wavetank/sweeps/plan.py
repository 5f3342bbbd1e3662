"""A sweep as a figure of the laboratory: points made of axes, each checked before anything runs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import ScenarioError, _core
from ..errors import SettingError, UserError
from ..lab import seeds
from ..lab.plan import Figure, Point
from ..scenario import Scenario
from .axes import Axis, Value

#: Points that a message names one by one.
NAMED = 3


@dataclass(frozen=True)
class Plan:
    """What is to be run.

    ``places`` has for each point of the figure where it stands on each axis; ``skipped`` are points that cannot be run, with the
    reason; ``notes`` is what is said of the second water, ``own`` what of that is its values of keys left open.
    """

    figure: Figure
    axes: tuple[Axis, ...]
    places: Mapping[str, tuple[int, ...]]
    crossed: bool
    skipped: Mapping[str, str]
    given: Mapping[str, str]
    on: str
    notes: tuple[str, ...] = ()
    own: tuple[str, ...] = ()

    def label(self, axis: Axis) -> str:
        """The axis's name for people: its key's last word, unless two axes share it."""
        return label(axis, self.axes)


def label(axis: Axis, axes: Sequence[Axis]) -> str:
    """The key's last word, unless two axes share it."""
    return axis.leaf if sum(a.leaf == axis.leaf for a in axes) == 1 else axis.key


def make(
    scenario: Scenario,
    axes: Sequence[Axis],
    repetitions: int,
    seed: int = 1,
    *,
    together: bool = False,
    on: str = "model",
    skip: bool = False,
) -> Plan:
    """The points of these axes on a scenario, crossed, or (``together``) the first of each, the second of each, ...

    Raises UserError for axes that do not go together, for seeds beyond the last, and for points that cannot be run; with
    ``skip`` these are left out.
    """
    axes = tuple(axes)
    given = dict(scenario.overrides)
    if not axes:
        raise UserError("a sweep needs an axis: expected KEY=VALUES, such as tcp.tsq_ms=1,2,4")
    for i, a in enumerate(axes):
        for j, k in enumerate(a.keys):
            if k in a.keys[:j] or any(k in b.keys for b in axes[:i]):
                raise UserError(f"axis {k}: is there twice, expected each key once")
            if k in given:
                raise UserError(f"axis {k}: is also set to {given[k]}, expected one of the two")
    seeds.enough(seed, repetitions)
    places = _places(axes, together)
    if len(places) > 100 * 1000:
        raise UserError(
            f"{' x '.join(str(len(a.texts)) for a in axes)} = {len(places)} points, expected 100000 at most"
        )
    chosen = {", ".join(f"{label(a, axes)}={a.texts[i]}" for a, i in zip(axes, at, strict=True)): at for at in places}
    scenarios = {
        n: scenario.set({k: a.texts[i] for a, i in zip(axes, at, strict=True) for k in a.keys})
        for n, at in chosen.items()
    }
    refused = _refused(scenario, scenarios, seed, on)
    if refused and (not skip or len(refused) == len(scenarios)):
        raise UserError(_cannot(refused, len(scenarios)))
    points = {n: _point(n, s, axes, chosen[n]) for n, s in scenarios.items() if n not in refused}
    stem = Path(scenario.path).stem.strip("<>") or "scenario"
    title = " x ".join(label(a, axes) for a in axes)
    note = f" With {', '.join(f'{k} = {v}' for k, v in given.items())}." if given else ""
    figure = Figure(f"sweep/{stem}", f"Sweep of {stem}", title, repetitions, points, (), 0, {}, note, seed)
    left = {n: chosen[n] for n in points}
    notes, own = _notes([p.scenario for p in points.values()], seed) if on == "linux" else ((), ())
    return Plan(figure, axes, left, not together, refused, given, on, notes, own)


def _notes(scenarios: Sequence[Scenario], seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is said of the second water, each once, and what of that is of keys left open."""
    from .. import linux

    checked = [linux.check(s, seed) for s in scenarios]
    every = tuple(dict.fromkeys(note for of in checked for note in of.notes))
    return every, tuple(dict.fromkeys(note for of in checked for note in of.own))


def _places(axes: Sequence[Axis], together: bool) -> list[tuple[int, ...]]:
    counts = [len(a.texts) for a in axes]
    if not together:
        return list(itertools.product(*map(range, counts)))
    if len(set(counts)) > 1:
        told = ", ".join(f"{a.key} {n}" for a, n in zip(axes, counts, strict=True))
        raise UserError(f"--zip: numbers of values differ ({told}), expected as many on each axis")
    return [(i,) * len(axes) for i in range(counts[0])]


def _point(name: str, scenario: Scenario, axes: Sequence[Axis], at: Sequence[int]) -> Point:
    numbers: dict[str, float] = {}
    names: dict[str, str] = {}
    for a, i in zip(axes, at, strict=True):
        names[a.key] = a.texts[i]
        value: Value = a.values[i]
        if a.numeric and not isinstance(value, str):
            numbers[a.key] = value
    return Point(name, scenario, numbers, names)


def _refused(base: Scenario, scenarios: Mapping[str, Scenario], seed: int, on: str) -> dict[str, str]:
    """Points that cannot be run, with the reason. Raises what is wrong with the scenario whatever the point."""
    out = {n: why for n, s in scenarios.items() if (why := _why_not(s, seed, on))}
    if len(out) == len(scenarios) and len(reasons := set(out.values())) == 1:
        (why,) = reasons
        if _why_not(base, seed, on) == why:
            raise UserError(why)
    return {n: why.removeprefix("--set: ") for n, why in out.items()}  # an axis set it


def _why_not(scenario: Scenario, seed: int, on: str) -> str:
    try:
        scenario.check()
        if on == "linux":
            from .. import linux

            linux.check(scenario, seed)
        else:
            _core.modelled(scenario.text, scenario.path, list(scenario.overrides))
    except SettingError as e:
        return f"--set: {e}"
    except (ScenarioError, UserError) as e:
        return str(e)
    return ""


def _cannot(refused: Mapping[str, str], of: int) -> str:
    lines = [f"point {n}: {why}" for n, why in itertools.islice(refused.items(), NAMED)]
    more = f"\n... and {len(refused) - NAMED} others" if len(refused) > NAMED else ""
    advice = "" if len(refused) == of else "; --skip-impossible leaves them out"
    return "\n".join(lines) + f"{more}\n{len(refused)} of {of} points cannot be run{advice}"
