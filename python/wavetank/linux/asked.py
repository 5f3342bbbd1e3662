"""What a translation asks of a scenario, and how it reads and refuses keys. It knows no part of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, Self

from .. import units
from ..errors import UserError
from .modules import Module
from .own import BY_MODE, OWN_CC, STAND_INS
from .stand_ins import StandIns


def values(listed: str) -> list[str]:
    """The values of a list: "15, 7*3" has 7 three times."""
    out: list[str] = []
    for part in listed.split(","):
        value, _, times = part.strip().partition("*")
        out += [value.strip()] * int(times or 1)
    return out


class Asks(Protocol):
    """A scenario, as far as it is asked here: :class:`wavetank.Scenario` is one."""

    @property
    def path(self) -> str:
        """Its file, for messages."""
        ...

    def check(self) -> dict[str, str]:
        """Every key with its value."""
        ...

    def given(self) -> frozenset[str]:
        """The keys that were set."""
        ...

    def beside(self, key: str) -> Path:
        """The folder that a path which this key names is relative to."""
        ...

    def set(self, values: Mapping[str, Any] | None = None) -> Self:
        """The same with keys set."""
        ...

    def channel_trace(self, seed: int | None = None, *, csi: bool = False) -> bytes | None:
        """Its channel, for the virtual radio."""
        ...

    def starts(self, seed: int | None = None) -> tuple[list[int], list[int]]:
        """How long after the flows' start each flow begins, after the run's each series of echoes, ns."""
        ...


class Asked:
    """A translation under way: the scenario's keys, those that were carried out, and what the guest is told so far."""

    #: Wi-Fi, not wired.
    wifi: bool
    #: A wired way behind the access point.
    backhaul: bool
    stations: int
    #: When flows start, ns.
    start: int
    #: ``tcp_limit_output_bytes`` that makes the small queue; None: the scenario's.
    limit: int | None

    def __init__(self, scenario: Asks, seed: int | None) -> None:
        self.path = scenario.path
        self.beside = scenario.beside
        self.v = scenario.check()
        self.given = scenario.given()
        self.seed = int(self.v["seed"]) if seed is None else seed
        #: Those of the model, so that a seed is one start of both waters: who begins first may decide a run.
        self.flow_starts, self.echo_starts = scenario.starts(self.seed)
        self.used: dict[str, str] = {}
        self.notes: list[str] = []
        self.left_open: list[str] = []
        self.alike: dict[str, str] = {}
        self.lines: dict[str, list[str]] = {
            k: [] for k in ("flow", "echo", "watch", "sysctl", "ip", "tc", "wiphy", "boot", "hostapd")
        }
        self.queues: list[str] = []
        self.radio: dict[str, Any] = {}
        self.by_mode = {name: list(values) for name, values in BY_MODE.items()}
        self.case: dict[str, Any] = {}
        self.stand_ins = {key: StandIns(self.v[key]) for key in STAND_INS}
        self.modules: tuple[Module, ...] = ()

    def refuse(self, key: str, why: str) -> UserError:
        """The error for a key that cannot be carried out."""
        value = self.v.get(key, "")
        return UserError(f"{self.path}: {key} = {value}: cannot be had on linux: {why}")

    def of_the_kernel(self, cc: str) -> str:
        """A congestion control by its name there: what stands for it, or what the kernel calls it."""
        return self.stand_ins["linux.cc"].of(cc) or OWN_CC.get(cc, cc)

    def lacks(self, key: str) -> bool:
        """Whether the kernel that runs is known to lack what a value of this key may want."""
        return False

    def text(self, key: str) -> str:
        """A key's value, which is carried out."""
        self.used[key] = self.v[key]
        return self.v[key]

    def number(self, key: str) -> int:
        """A key's whole number."""
        return int(self.text(key))

    def span(self, key: str) -> int:
        """A key's time, ns."""
        return units.span(self.text(key))

    def on(self, key: str) -> bool:
        """Whether a switch is on."""
        return units.switch(self.text(key))

    def sysctl(self, name: str, value: object) -> None:
        """A line for the hosts' sysctls, below net/ipv4."""
        self.lines["sysctl"].append(f"net/ipv4/{name} {value}")

    def whole_us(self, key: str) -> int:
        """A key's time in whole microseconds."""
        ns = self.span(key)
        if ns % 1000:
            raise self.refuse(key, "the virtual radio counts whole microseconds")
        return ns // 1000

    def differ(self, key: str) -> bool:
        """Whether stations have values of their own."""
        return self.v.get(f"stations.{key}", "off") != "off"

    @staticmethod
    def ppm(text: str) -> int:
        """A share in parts per million."""
        return round(float(text) * 1e6)

    def each(self, key: str, default: int, read: Callable[[str], int]) -> list[int]:
        """A value for each station; those beyond the list's end have the default."""
        listed = [read(text) for text in self.listed(key)] if self.v.get(key, "off") != "off" else []
        return (listed + [default] * self.stations)[: self.stations]

    def listed(self, key: str) -> list[str]:
        """A list's values, as they stand there."""
        return values(self.text(key))

    def own(self, key: str) -> list[str]:
        """A key of ``[traffic]`` for each station: what is said of it, else what is said of all."""
        listed = self.listed(f"stations.{key}") if self.differ(key) else []
        return (listed + [self.text(f"traffic.{key}")] * self.stations)[: self.stations]

    def control(self, station: int, i: int) -> str:
        """The congestion control of a station's ``i``-th flow of a direction, counted from 0."""
        own = self.listed("stations.cc") if self.differ("cc") else []
        if station < len(own):
            return own[station]
        every, turns = self.text("tcp.cc"), self.listed("traffic.cc")
        return every if turns == ["off"] else turns[i % len(turns)]

    def controls(self) -> tuple[str, ...]:
        """The congestion controls of the scenario's flows; of one that has none, ``tcp.cc``."""
        most = [
            max(int(n) for n in ways) for ways in zip(*(self.own(f"tcp_{way}") for way in ("up", "down")), strict=True)
        ]
        found = dict.fromkeys(self.control(station, i) for station, n in enumerate(most) for i in range(n))
        return tuple(found) or (self.text("tcp.cc"),)

    def routes(self) -> list[tuple[str, str]]:
        """Each host that sends, with the route of its flows. The guest's addresses: linux/guest/src/air.rs, wired.rs."""
        if not self.wifi:
            return [("C", "default via 10.0.0.2"), ("S", "default via 10.0.1.1")]
        if self.backhaul:
            return [
                *((f"C{i + 1}", "default via 10.1.0.1") for i in range(self.stations)),
                ("S", "default via 10.0.1.1"),
            ]
        ends = [("AP", "wlan0", 1), *((f"C{i + 1}", f"wlan{i + 1}", 10 + i) for i in range(self.stations))]
        return [(ns, f"10.1.0.0/24 dev {dev} proto kernel scope link src 10.1.0.{host}") for ns, dev, host in ends]

    def devices(self) -> list[tuple[str, str]]:
        """Each host with its devices."""
        if not self.wifi:
            return [("C", "cr"), ("R", "rc"), ("R", "rs"), ("S", "sr")]
        cards = [(f"C{i + 1}", f"wlan{i + 1}") for i in range(self.stations)]
        return [*cards, ("AP", "wlan0"), ("AP", "apw"), ("S", "sw")]
