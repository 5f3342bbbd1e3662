"""Queueing disciplines of a bed: the second water's `tc` lines, told to the roles whose interfaces they are for.

src: iproute2's `tc` (a discipline of another kind under a handle in use is refused: lib.sh deletes the root first).
"""

from __future__ import annotations

from .. import _core
from ..linux.queues import Queues
from .asked import Bed
from .own import HTC_TXQS_SINCE
from .roles import Name, device


class Tc(Queues, Bed):
    """Disciplines."""

    def disciplines(self) -> None:
        """Those before the wires, and above cards that have one."""
        if self.wifi:
            self.behind()
            self.above()
        else:
            if "bottleneck.access_rate" not in self.given:
                self.used["bottleneck.access_rate"] = self.v["bottleneck.access_rate"]
            self.bottleneck()
            self.roles["router"].tell("sysctl", "net.ipv4.ip_forward", "1", keys="the router forwards")
        trees: dict[tuple[str, Name], list[str]] = {}
        for line in self.lines["tc"]:
            namespace, kind, _, rest = line.split(" ", 3)
            dev, spec = rest.removeprefix("dev ").split(" ", 1)
            trees.setdefault(device(namespace, dev), []).append(f"{kind} {spec}")
        for (role, interface), specs in trees.items():
            self.roles[role].tell("tree", interface, *specs, keys=self.keys_of(specs))

    def keys_of(self, specs: list[str]) -> str:
        """The sections that a tree comes from."""
        words = {w for s in specs for w in s.split()} & {*_core.registry()["qdisc"]}
        return ", ".join(f"[{k}]" for k in dict.fromkeys(k.partition(".")[0] for k in self.v) if k in words)

    def behind(self) -> None:
        """The wire behind the access point: its own delay, unless the scenario names one."""
        for key in ("backhaul.qdisc", "ap.qdisc", "sta.qdisc"):
            if self.v[key] == "aaq" and key in self.given:
                raise self.refuse(key, "no driver of Linux says PAUSE to AAQ (docs/mechanisms/aaq.md)")
        self.wire()
        self.alike.clear()
        if self.backhaul:
            self.roles["ap"].tell("sysctl", "net.ipv4.ip_forward", "1", keys="the access point forwards")

    def above(self) -> None:
        """ath9k_htc's qdisc, in kernels that have none of mac80211's queues there; ath9k's before 4.10."""
        for end, (namespace, dev) in {"ap": ("AP", "wlan0"), "sta": ("C{}", "wlan{}")}.items():
            driver = self.text(f"{end}.driver")
            if driver not in ("ath9k_htc", "ath9k_tidq"):
                continue
            above = self.text(f"{end}.above") if driver == "ath9k_htc" else "qdisc"
            txqs = driver == "ath9k_htc" and not self.before(HTC_TXQS_SINCE)
            if above != "kernel" and (above == "txqs") != txqs:
                since = "from 6.2 on ath9k_htc has mac80211's queues above it, before that a qdisc"
                raise self.refuse(f"{end}.above", f"{since} (--set kernel=...)")
            kind = self.text(f"{end}.qdisc")
            if txqs:
                if f"{end}.qdisc" in self.given:
                    self.notes.append(
                        f"{end}.qdisc: from 6.2 on packets do not wait in it; --set kernel=5.4 asks for one where they do"
                    )
                continue
            for i in range(self.stations if end == "sta" else 1):
                name = str(i + 1)
                self.attach(f"{end}.qdisc", kind, namespace.format(name), dev.format(name), "")
