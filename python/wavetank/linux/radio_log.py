"""What the virtual radio writes down of its air, octets included: linux/radio/air/capture.c."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Room for it in the guest's memory, which has 512 MiB in all, MiB. Its size decides nothing of a run.
ROOM = 192
#: Octets of a frame that hold its headers: QoS data with CCMP's, LLC, IPv4, TCP with all its options.
HEADERS = 128
#: More than any frame has.
ALL = 1 << 16
#: The radio counts microseconds of 32 bits.
LONGEST = 4290.0


@dataclass(frozen=True)
class Log:
    """Where it goes, which seconds of the run it is of, and how many octets of each frame it keeps."""

    file: Path
    span: tuple[float, float]
    octets: int

    def asked(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """The case, with what the radio is asked for."""
        begin, end = (min(round(s * 1e6), 2**32 - 1) for s in self.span)
        asked = {"capture_mib": ROOM, "capture_octets": self.octets, "capture_from_us": begin, "capture_until_us": end}
        return {**case, "radio": {**case["radio"], **asked}}


def addresses(nodes: Sequence[str]) -> list[str]:
    """The IPv4 addresses that the guest gives them: the access point, stations, the server (linux/guest/src/air.rs)."""
    stations = [n for n in nodes if n.startswith("sta")]
    known = {"ap": "10.1.0.1", "server": "10.0.1.2"} | {n: f"10.1.0.{10 + i}" for i, n in enumerate(stations)}
    return [known.get(n, "0.0.0.0") for n in nodes]
