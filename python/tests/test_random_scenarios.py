"""Scenarios that nobody would write (python/tools/random_scenarios.py): each ends, the same twice, or is refused."""

import random
from collections import Counter

import pytest

import wavetank


@pytest.fixture
def random_scenarios(tool):
    return tool("random_scenarios")


def test_any_scenario_runs_the_same_twice_or_is_refused(random_scenarios):
    said = {seed: random_scenarios.carry_out(random_scenarios.draw(seed)) for seed in range(24)}
    assert {seed: what for seed, what in said.items() if what not in ("ran", "refused")} == {}
    assert Counter(said.values())["ran"] >= 12


def test_a_panic_of_the_core_is_told(random_scenarios, monkeypatch):
    class Panic(BaseException):
        """As pyo3's, no Exception."""

    def overflow(self, seed):
        raise Panic("attempt to add with overflow")

    monkeypatch.setattr(wavetank.Scenario, "run", overflow)
    assert random_scenarios.carry_out(random_scenarios.draw(0)) == "Panic: attempt to add with overflow"


def test_values_are_within_their_keys_ranges(random_scenarios):
    r = random.Random(1)
    times = [random_scenarios.value(r, "time", "1 ms to 2 s") for _ in range(200)]
    assert {t.split()[1] for t in times} == {"ns"}
    assert min(int(t.split()[0]) for t in times) >= 10**6 and max(int(t.split()[0]) for t in times) <= 2 * 10**9
    assert {random_scenarios.value(r, "name", "a | b") for _ in range(50)} == {"a", "b"}
    assert random_scenarios.value(r, "list", "") is None
