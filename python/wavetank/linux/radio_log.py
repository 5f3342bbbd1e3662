"""What the virtual radio writes down of its air, octets included.

Stands for: the parameters ``capture_*`` of linux/radio/air/capture.c, which says what is
written; ``crates/capture`` reads it.
"""

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
_ALL = 1 << 16
#: The radio counts microseconds of 32 bits.
_LONGEST_US = 2**32 - 1


@dataclass(frozen=True)
class RadioLog:
    """Which file it becomes, which seconds of the run are looked at, and how many bytes of each frame are wanted (0: all)."""

    file: Path
    spans: Sequence[tuple[float, float]]
    snaplen: int

    def asked(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """The case, with what the radio is asked for."""
        begin, end = min(a for a, _ in self.spans), max(b for _, b in self.spans)
        asked = {
            "capture_mib": ROOM,
            "capture_octets": max(self.snaplen, HEADERS) if self.snaplen else _ALL,
            "capture_from_us": round(min(begin * 1e6, _LONGEST_US)),
            "capture_until_us": round(min(end * 1e6, _LONGEST_US)),
        }
        return {**case, "radio": {**case["radio"], **asked}}


def addresses(nodes: Sequence[str]) -> list[str]:
    """The IPv4 addresses that the guest gives them: the access point, stations, the server (linux/guest/src/air.rs)."""
    stations = [n for n in nodes if n.startswith("sta")]
    known = {"ap": "10.1.0.1", "server": "10.0.1.2"} | {n: f"10.1.0.{10 + i}" for i, n in enumerate(stations)}
    return [known.get(n, "0.0.0.0") for n in nodes]
