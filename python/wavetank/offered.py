"""What the UDP programs of each station offer, as the scenario has it: for what is told after a run."""

from __future__ import annotations

from .linux.asked import Asked
from .scenario import Scenario


class Offered(Asked):
    """Keys of ``[traffic]`` by station (``own``), and when each flow starts."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        super().__init__(scenario, seed)
        self.stations = int(self.v["wifi.stations"]) if self.v["topology.kind"] == "wifi" else 1

    def payloads(self) -> list[int]:
        """Octets of a datagram of each station."""
        return [int(n) for n in self.own("udp_payload")]
