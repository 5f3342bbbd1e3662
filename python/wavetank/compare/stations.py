"""Flows and echoes that are called alike in every column: a run of one station calls its own without the station, one of several
with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..result import Result


def count(values: Mapping[str, str]) -> int:
    """The stations of a scenario, by its keys' values; a wire has one client."""
    return int(values["wifi.stations"]) if values["topology.kind"] == "wifi" else 1


def named(r: Result) -> Result:
    """The result of one station as it is called beside results of several: "up1 sta1" for "up1"."""
    return replace(
        r,
        flows=tuple(replace(f, name=f"{f.name} sta1") for f in r.flows),
        pings=tuple(replace(p, name=f"{p.name} sta1") for p in r.pings),
    )
