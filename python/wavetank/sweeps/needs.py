"""Why a point cannot have a metric: known from its scenario, before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from ..lab import aggregate_metrics, rate_metrics
from ..linux.asked import Asked
from ..scenario import Scenario


class _Flow(NamedTuple):
    kind: str
    way: str
    station: int
    cc: str


class _There(Asked):
    """What a scenario has that metrics are of."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario, None)
        self.wifi = self.v["topology.kind"] == "wifi"
        self.stations = int(self.v["wifi.stations"]) if self.wifi else 1
        self.pinging = 0 if self.v["traffic.ping"] == "off" else int(self.v["traffic.ping_stations"])

    @cached_property
    def flows(self) -> list[_Flow]:
        """Its flows."""
        out = []
        for way in ("up", "down"):
            tcp, udp = self.own(f"tcp_{way}"), self.own(f"udp_{way}")
            for s in range(self.stations):
                out += [_Flow("tcp", way, s, self.control(s, i)) for i in range(int(tcp[s]))]
                out += [_Flow("udp", way, s, "")] if udp[s] != "off" else []
        return out

    def has(self, kind: str, *ways: str) -> bool:
        """Whether there are flows of that kind, in each of these directions."""
        return all(any(f.kind == kind and way in ("", f.way) for f in self.flows) for way in ways or ("",))


def _family(name: str) -> str:
    return name.partition(":")[0].partition("@")[0]


#: Of TCP's flows, beside what drains of BBR are.
OF_TCP = frozenset({
    "goodput", "run_goodput", "throughput", "goodput_spread", "tcp_rtt", "cwnd", "pacing_rate", "bw_estimate", "slow_start",
    "cwnd_flat",
})  # fmt: skip
OF_UDP = frozenset({"udp_goodput", "udp_loss", "udp_delay_p50", "udp_delay_p99", "udp_jitter"})
#: Of datagrams, which the model alone follows one by one.
OF_DATAGRAMS = OF_UDP - {"udp_goodput"}
WAYS = {"goodput_up": ("up",), "goodput_down": ("down",), "fairness": ("up", "down"), "goodput_gap": ("up", "down")}
#: Of radios: a wired path has none.
OF_AIR = {_family(n) for n in (*aggregate_metrics.quantities(), *rate_metrics.quantities())} - {
    "goodput", "ping_p50", "ping_p90",
} | {
    "airtime", "airtime_share", "ampdu_size", "ampdu_mean", "single_frame_fraction", "retry_fraction", "collisions",
}  # fmt: skip


def _of_all(t: _There, family: str, on: str) -> str:
    if family in OF_AIR and not t.wifi:
        return "there is no Wi-Fi"
    if family in OF_UDP and not t.has("udp"):
        return "there is no UDP flow"
    if family in OF_DATAGRAMS and on != "model":
        return f"datagrams are not followed on {on}"
    if (family in OF_TCP or family.startswith("drain_")) and not t.has("tcp"):
        return "there is no TCP flow"
    if family in WAYS and not t.has("tcp", *WAYS[family]):
        return f"no TCP flow goes {' or none '.join(w for w in WAYS[family] if not t.has('tcp', w))}"
    return "traffic.ping is off" if family.startswith("ping_") and not t.pinging else ""


def _of_station(t: _There, family: str, station: int) -> str:
    if station > t.stations:
        return f"there is no sta{station} ({t.stations} station{'s' if t.stations > 1 else ''})"
    if family == "goodput" and not any(f.station == station - 1 for f in t.flows):
        return f"sta{station} has no flow"
    return f"sta{station} does not ping" if family.startswith("ping_") and station > t.pinging else ""


def asker(on: str) -> Callable[[str, Scenario], str]:
    """What says why a scenario cannot have the metric of a name on that water, or nothing; each scenario is read once."""
    read: dict[Scenario, _There] = {}

    def why_not(name: str, scenario: Scenario) -> str:
        t = read.get(scenario) or read.setdefault(scenario, _There(scenario))
        family, _, one = name.partition(":")[0].partition("@")
        if one.startswith("sta"):
            return _of_station(t, family, int(one[3:])) or ("" if family == "goodput" else _of_all(t, family, on))
        if one and not any(f.cc == one for f in t.flows):
            return f"no flow has {one}"
        return _of_all(t, family, on)

    return why_not
