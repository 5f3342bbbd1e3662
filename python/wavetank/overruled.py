"""Keys that are set on top of a scenario in which stations, or flows, have values of their own: they are nobody's.

Only what is set on top is told of (``--set``, an axis, ``set``): in a file they stand beside each other, where one is seen to be
the other's base, and may be what the file is refused without (``sta.driver`` of 802.11ac).
"""

from __future__ import annotations

from collections.abc import Iterable

from .linux.asked import Asked
from .linux.own import NEEDS_ECN

#: What holds for all stations, and the lists that together stand in its place.
INSTEAD: dict[str, tuple[str, ...]] = {
    "wifi.mcs": ("mcs",), "wifi.streams": ("streams",),
    "wifi.rate": ("rate",), "wifi.error_rate": ("error_up", "error_down"), "sta.driver": ("driver",),
    "host.sta_rx": ("rx",), "mac80211.weight": ("weight",), "channel.snr": ("snr",),
    "tcp.ssthresh": ("ssthresh",), "tcp.stretch_acks": ("stretch_acks",), "tcp.cc": ("cc",), "traffic.cc": ("cc",),
    **{f"traffic.{k}": (k,) for k in ("tcp_up", "tcp_down", "udp_up", "udp_down", "udp_payload", "udp_dscp")},
}  # fmt: skip


def keys(t: Asked, stations: int, above: Iterable[str]) -> dict[str, str]:
    """Each of the keys ``above`` that is nobody's here, and why."""

    def own(name: str) -> bool:
        key = f"stations.{name}"
        return t.v[key] != "off" and len(t.listed(key)) >= stations

    found, given = {}, set(above)
    for key in sorted(INSTEAD.keys() & given):
        lists = INSTEAD[key]
        if all(own(name) for name in lists):
            found[key] = f"every station has its own ({', '.join(f'stations.{name}' for name in lists)})"
        elif key == "tcp.cc" and t.v["traffic.cc"] != "off":
            found[key] = "every flow has its own (traffic.cc)"
    if "tcp.ecn" in given and NEEDS_ECN.issuperset(controls := t.controls()):
        found["tcp.ecn"] = f"{controls[0]} asks for ECN whatever it says"
    return found
