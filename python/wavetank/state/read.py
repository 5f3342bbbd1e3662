"""States as they come: from the core, typed and with the tools' texts; from the second water's guest, texts alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .folder import texts
from .snapshot import (
    Airtime,
    Bbr,
    Device,
    Host,
    HwQueue,
    Phy,
    Qdisc,
    Radio,
    RateLine,
    Socket,
    State,
    Station,
    TidHeld,
    Txq,
)


def from_core(raw: Mapping[str, Any]) -> State:
    """Types what the core tells, and writes the texts."""
    hosts = {h["name"]: _host(h) for h in raw["hosts"]}
    return State(raw["at_s"], hosts, raw["held"], texts(hosts))


def from_linux(at_s: float, files: Mapping[str, str]) -> State:
    """What the guest has read."""
    return State(at_s, {}, None, dict(files))


def _host(raw: Mapping[str, Any]) -> Host:
    sockets = (
        Socket(**{**s, "bbr": None if s["bbr"] is None else Bbr(**s["bbr"])})
        for s in raw["sockets"]
    )  # fmt: skip
    return Host(raw["name"], tuple(sockets), tuple(map(_device, raw["devices"])), raw["received"])


def _device(raw: Mapping[str, Any]) -> Device:
    radio = None if raw["radio"] is None else _radio(raw["radio"])
    return Device(raw["name"], tuple(Qdisc(**q) for q in raw["qdiscs"]), raw["counts"], radio)


def _radio(raw: Mapping[str, Any]) -> Radio:
    phy = raw["phy"]
    return Radio(
        **{
            **raw,
            "phy": None if phy is None else Phy(**{**phy, "aql_pending_us": tuple(phy["aql_pending_us"])}),
            "stations": tuple(map(_station, raw["stations"])),
            "hardware": tuple(HwQueue(**q) for q in raw["hardware"]),
            "tids": tuple(TidHeld(**t) for t in raw["tids"]),
        }
    )


def _station(raw: Mapping[str, Any]) -> Station:
    a, rates = raw["airtime"], raw["rates"]
    by_ac = {} if a is None else {k: tuple(a[k]) for k in ("deficit_us", "pending_us")}
    return Station(
        raw["name"],
        tuple(Txq(**t) for t in raw["txqs"]),
        None if a is None else Airtime(**{**a, **by_ac}),
        None if rates is None else tuple(RateLine(**r) for r in rates),
        raw["ampdu_mean"],
    )
