"""A scenario as a test bed: roles with settings, Flent's test, what hardware has to be, and notes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from .. import _core, keys
from ..linux.asked import Asks
from ..linux.relevance import Relevance
from .flent_batch import Plan, Traffic
from .own import LEFT, NEVER, looked_up
from .radio import Radio
from .roles import Name, Role
from .sysctl import Sysctl
from .tc import Tc

#: Sections of a card's constants: another value than the default is something that the hardware has to be.
CARDS = ("ath9k.", "ath9k_htc.", "ath10k.")
OF_COTSQ = ("tcp.tsq_bytes", "tcp.tsq_ms", "tcp.tsq_pkts")


@dataclass(frozen=True)
class TestBed:
    """What the folder is made of."""

    __test__ = False  # for pytest: no test case

    name: str
    digest: str
    wifi: bool
    roles: Mapping[str, Role]
    plan: Plan
    #: hostapd.conf without the names of bed.env; empty: no access point.
    hostapd: tuple[str, ...]
    #: Keys that the scenario sets and that the machines have of their own: (key, value, why).
    left: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...]
    values: Mapping[str, str]
    given: Mapping[str, str]


class _Translator(Sysctl, Radio, Tc, Traffic):
    def translate(self) -> TestBed:
        for key in ("name", "description", "seed"):
            if key in self.v:
                self.used[key] = self.v[key]
        self.hostapd = []
        self.machines()
        self.hosts()
        if self.wifi:
            self.air()
            self.shifts()
        self.disciplines()
        plan = self.plan()
        left = self.finish()
        given = {k: self.v[k] for k in sorted(self.given) if k in self.v}
        return TestBed(
            self.v["name"], digest(given), self.wifi, self.roles, plan, tuple(self.hostapd), tuple(left), tuple(self.notes),
            dict(sorted(self.v.items())), given,
        )  # fmt: skip

    def machines(self) -> None:
        """What a machine has to be, where the scenario says it."""
        for role in self.roles.values():
            for variable, _, what in role.interfaces:
                role.tell("device", Name(variable), *(("wifi",) if "Wi-Fi" in what else ()), keys="bed.env")
            if self.kernel is not None:
                role.tell("kernel", self.v["kernel"], keys="kernel")
            if "host.hz" in self.given:
                role.tell("hz", self.text("host.hz"), keys="host.hz")

    def finish(self) -> list[tuple[str, str, str]]:
        """Refuses what was set and cannot be had; tells what is left to the machines."""
        default = keys.defaults()
        parts = Relevance(self)
        left = []
        for key in sorted(self.given & self.v.keys()):
            if key in self.used or self.v[key] == default.get(key) or not parts.of(key):
                continue
            if key in OF_COTSQ and (self.v["tcp.tsq"] != "cotsq" or (key, self.v[key]) == ("tcp.tsq_pkts", "2")):
                continue  # of a small queue that was not chosen; the kernel's own floor
            never, why = looked_up(NEVER, key), looked_up(LEFT, key)
            if key.partition(".")[0] in _core.registry()["cc"]:
                never = "the kernel's own value holds"
            if never is not None or why is None:
                raise self.refuse(key, f"{never or 'no script could set it'}; leave it out, or set {default.get(key)}")
            left.append((key, self.v[key], why))
            if key.startswith(CARDS):
                for end in ("ap", "sta"):
                    if self.v[f"{end}.driver"].removesuffix("_tidq") == key.partition(".")[0]:
                        self.needs(end, f"{key} = {self.v[key]}", why)
        return left


def digest(given: Mapping[str, str]) -> str:
    """What results are matched by: the keys that the file and --set name, with their values."""
    return hashlib.sha256(json.dumps(dict(given), sort_keys=True).encode()).hexdigest()[:16]


def digest_of(scenario: Asks) -> str:
    """The same of a scenario."""
    values = scenario.check()
    return digest({k: values[k] for k in sorted(scenario.given()) if k in values})


def translate(scenario: Asks) -> TestBed:
    """Raises ScenarioError for a bad scenario, UserError for what no test bed can have."""
    return _Translator(scenario).translate()
