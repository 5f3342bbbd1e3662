"""What the UDP programs of each station offer, as the scenario has it, and what is told of a run that a setting bound."""

from __future__ import annotations

from dataclasses import dataclass

from .linux.asked import Asked
from .scenario import Scenario


@dataclass(frozen=True)
class Bound:
    """A setting that bound a run: ``what`` was seen, with its figures, and ``why``, the same sentence for every run."""

    what: str
    why: str

    def __str__(self) -> str:
        """As `run` tells it."""
        return f"{self.what}: {self.why}"


class Offered(Asked):
    """Keys of ``[traffic]`` by station (``own``), and when each flow starts."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        super().__init__(scenario, seed)
        self.stations = int(self.v["wifi.stations"]) if self.v["topology.kind"] == "wifi" else 1

    def payloads(self) -> list[int]:
        """Octets of a datagram of each station."""
        return [int(n) for n in self.own("udp_payload")]
