"""Whether a scenario has the part that a key belongs to: what has no such part need not be carried out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache, cached_property
from typing import Protocol

from .. import _core
from . import rate
from .asked import values


class Translated(Protocol):
    """What a translation knows of its scenario: the keys' values, those that were read, and which water it is."""

    @property
    def v(self) -> Mapping[str, str]:
        """Every key's value."""
        ...

    @property
    def used(self) -> Collection[str]:
        """Keys that were read."""
        ...

    def controls(self) -> Collection[str]:
        """The congestion controls of its flows."""
        ...

    @property
    def wifi(self) -> bool:
        """Wi-Fi, not wired."""
        ...

    @property
    def backhaul(self) -> bool:
        """A wired way behind the access point."""
        ...


@cache
def _names() -> Mapping[str, Collection[str]]:
    """The registry, once: it is asked for each key of each scenario."""
    return {kind: frozenset(names) for kind, names in _core.registry().items()}


#: Keys beside the drivers' own sections that say what stands in, or above, a card.
OF_THE_CARDS = frozenset({"tao.leave", "tao.behind_holes", "ap.qdisc", "sta.qdisc", "ap.above", "sta.above"})
#: Keys that say something in networks of some standards only.
OF_STANDARDS = {
    "wifi.mcs": ("n", "ac", "ax"),
    "wifi.width_mhz": ("n", "ac", "ax"),
    "wifi.aggregation": ("n", "ac", "ax"),
    "wifi.short_gi": ("n", "ac"),
    "wifi.streams": ("ac", "ax"),
    "wifi.gi": ("ax",),
    "wifi.rate": ("a", "b", "g"),
}
#: Keys of a driver that has queues of its own.
OF_TIDQ = frozenset({"ath9k.max_pending", "ath9k.keep_turn"})
#: Every host has a clock and programs.
OF_EVERY_HOST = frozenset({"host.hz", "host.softirq_first", "host.wake"})
#: What a station's flows and its TCP have, be it a station or a wired client.
OF_EVERY_CLIENT = frozenset(
    f"stations.{key}"
    for key in ("cc", "ssthresh", "stretch_acks", "tcp_down", "tcp_up", "udp_down", "udp_dscp", "udp_payload", "udp_up")
)
#: The access beside a wired bottleneck has HTB, whatever the bottleneck has: so its tc.
OF_EVERY_WIRE = frozenset({"htb.whole_us"})


class Relevance:
    """Which keys belong to a part that the scenario has. What hundreds of keys ask is looked at once."""

    def __init__(self, t: Translated) -> None:
        self._t = t
        self._read = frozenset(k.partition(".")[0] for k in t.used)
        self._sections = {
            "time": True,
            "topology": True,
            "traffic": True,
            "tcp": True,
            "linux": True,
            "": True,
            # what a received packet takes is the radios' hosts' alone
            "host": t.wifi,
            "htb": "htb" in self._read or (not t.wifi and t.v["bottleneck.qdisc"] == "htb"),
            "bottleneck": not t.wifi,
            "ethernet": t.backhaul,
            "bql": t.backhaul,
            "nic": t.backhaul,
            "backhaul": t.backhaul,
            **{section: t.wifi and its for section, its in rate.sections(t.v).items()},
        }

    @cached_property
    def _controls(self) -> frozenset[str]:
        return frozenset(self._t.controls())

    def of(self, key: str) -> bool:
        """Whether the scenario has the part that this key belongs to."""
        t, names = self._t, _names()
        section = key.partition(".")[0] if "." in key else ""
        if section in names["cc"]:
            return section in self._controls
        if section in names["qdisc"] and section != "htb":
            return section in self._read
        if section in names["driver"] or key in OF_THE_CARDS:
            return t.wifi and _of_the_cards(t, key, section)
        if section == "hack" and key != "hack.policy":
            return t.wifi and t.v["hack.policy"] != "off"
        everywhere = key in OF_EVERY_HOST or key in OF_EVERY_CLIENT or (key in OF_EVERY_WIRE and not t.wifi)
        has = self._sections.get(section, t.wifi) or everywhere
        return has and _of_the_standard(t, key)


def _of_stations(t: Translated) -> set[str]:
    """The drivers of the stations' cards."""
    listed, count = t.v["stations.driver"], int(t.v["wifi.stations"])
    own = values(listed)[:count] if listed != "off" else []
    return {*own, *([t.v["sta.driver"]] if len(own) < count else [])}


def _of_the_cards(t: Translated, key: str, section: str) -> bool:
    """Keys of drivers, and of what stands above them."""
    stations = _of_stations(t)
    drivers = {t.v["ap.driver"], *stations}
    if key in OF_TIDQ:
        return "ath9k_tidq" in drivers
    if key.startswith("tao."):
        return t.v["tao.enabled"] == "true"
    if section not in ("ap", "sta"):
        return section in drivers or (section == "ath9k" and "ath9k_tidq" in drivers)
    htc = "ath9k_htc" in ({t.v["ap.driver"]} if section == "ap" else stations)
    return htc and (key.endswith("above") or t.v[f"{section}.above"] == "qdisc")


def _of_the_standard(t: Translated, key: str) -> bool:
    return t.v["wifi.standard"] in OF_STANDARDS.get(key, (t.v["wifi.standard"],))
