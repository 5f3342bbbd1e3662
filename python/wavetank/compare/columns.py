"""What is compared: scenarios, what is set against them, and waters; each is a column of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .. import ScenarioError, _core
from ..errors import SettingError, UserError, unknown
from ..scenario import WATERS, Scenario
from . import stations

#: As many curves as have colours of their own.
MOST = 6


@dataclass(frozen=True)
class Column:
    """A scenario on a water, under the name that tables and plots give it."""

    name: str
    scenario: Scenario
    water: str
    #: What is on the air is counted, too.
    air: bool = False
    #: Its one station is named, for others have several.
    named: bool = False


def waters(text: str, least: int = 2) -> list[str]:
    """Names of waters, separated by commas. Raises UserError for an unknown one, or fewer than ``least``."""
    names = [w.strip() for w in text.split(",") if w.strip()]
    for w in names:
        if w not in WATERS:
            raise unknown("water", w, WATERS, "--on")
    if len(set(names)) < least:
        some = "two waters" if least > 1 else "a water"
        raise UserError(f'--on: "{text}", expected {some} of {", ".join(WATERS)}')
    return list(dict.fromkeys(names))


def columns(
    scenarios: Sequence[Scenario],
    on: Sequence[str],
    against: Sequence[tuple[str, str]] = (),
    alike: bool = True,
    air: bool = False,
) -> list[Column]:
    """Every scenario, as it is and with each of ``against`` set, on every water; the first is what is compared with.

    ``alike``: where the second water is among them, the model gets what that has where a key is left open. ``air``: what is on
    the air is counted, too. Raises UserError for columns of one name, and for an air that is not there.
    """
    from ..linux import like_linux, modelled

    found = []
    for scenario in scenarios:
        for name, variant in _variants(scenario, against):
            parts = ([_stem(scenario)] if len(scenarios) > 1 else []) + ([name] if name else [])
            for water in on:
                words = parts + ([water] if len(on) > 1 or not parts else [])
                same = variant
                if water == "model" and "linux" in on:
                    same = like_linux(variant) if alike else modelled(variant)
                found.append(Column(" ".join(words), same, water, air))
                if air and not _core.air_views(same.text, same.path, list(same.overrides)):
                    raise UserError(f"--air: {same.path} has no Wi-Fi, there is no air to look at")
    if len(found) > MOST:
        raise UserError(
            f"{len(found)} columns, expected {MOST} at most; `wavetank sweep` has as many points as are asked for"
        )
    names = [c.name for c in found]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f'"{name}" stands twice: expected scenarios and settings that differ')
    counts = [stations.count(c.scenario.check()) for c in found]
    return [replace(c, named=n == 1 < max(counts)) for c, n in zip(found, counts, strict=True)]


def _variants(scenario: Scenario, against: Sequence[tuple[str, str]]) -> list[tuple[str, Scenario]]:
    if not against:
        return [("", scenario)]
    scenario.check()  # what is wrong with it is not the fault of what is set beside it
    variants = []
    for k, v in against:
        try:
            variants.append((f"{k}={v}", scenario.set({k: v})))
            variants[-1][1].check()
        except SettingError as e:
            raise UserError(f"--against: {e}") from None
        except ScenarioError as e:
            raise UserError(str(e)) from None
    (key, _), *others = against
    value = scenario.check()[key]
    # where nothing stands in for what the scenario names, "off" would say less than that
    told = all(k == key for k, _ in others) and not (key.startswith("linux.") and value == "off")
    return [(f"{key}={value}" if told else "as it is", scenario), *variants]


def _stem(scenario: Scenario) -> str:
    return Path(scenario.path).stem
