"""Access categories that a scenario's packets are of, each way: EDCA parameters of the others change nothing."""

from __future__ import annotations

from . import _core
from .linux.asked import Asked
from .linux.kernels import version
from .linux.own import MARKS, UDP_ECHOES
from .linux.traffic import number_of_mark

#: Since when mac80211 maps DSCPs by RFC 8325. src: linux@6.8 net/wireless/util.c cfg80211_classify8021d
RFC_8325 = (6, 8)
NAMES = {"vo": "voice", "vi": "video", "be": "best effort", "bk": "background"}


def used(t: Asked) -> dict[str, set[str]]:
    """Of what stations send ("up") and of what the access point sends ("down"): the categories, as keys have them ("be")."""
    marks = _marks(t)
    new = version(t.v["kernel"]) >= RFC_8325
    return {way: {_core.category(dscp, new) for dscp in of} for way, of in marks.items()}


def why(t: Asked, section: str, name: str) -> str:
    """Of a key of ``[edca]`` or ``[edca_ap]``: that no packet is of its category; empty where one is."""
    way, category = ("up" if section == "edca" else "down"), name.partition("_")[0]
    if category in used(t)[way]:
        return ""
    who = "no station" if way == "up" else "the access point never"
    return f"{who} sends {NAMES[category]}: marks decide (traffic.tcp_dscp, udp_dscp, ping_dscp, rrul)"


def _marks(t: Asked) -> dict[str, set[int]]:
    """The DSCPs of what goes each way: TCP's data and ACKs, datagrams, echoes and their answers."""
    on = {k: t.v[f"traffic.{k}"] == "true" for k in ("rrul", "marks", "mark_acks", "rrul_echoes")}
    spread = on["rrul"] and on["marks"]
    found: dict[str, set[int]] = {"up": set(), "down": set()}
    tcp = number_of_mark(t.v["traffic.tcp_dscp"])
    udp = [number_of_mark(m) for m in t.own("udp_dscp")]
    for way, back in (("up", "down"), ("down", "up")):
        for count, offered, mark in zip(t.own(f"tcp_{way}"), t.own(f"udp_{way}"), udp, strict=True):
            flows = {MARKS[i % len(MARKS)] if spread else tcp for i in range(int(count))}
            found[way] |= flows | ({mark} if offered != "off" else set())
            found[back] |= flows if on["mark_acks"] else {0} if flows else set()
    if t.v["traffic.ping"] != "off" and int(t.v["traffic.ping_stations"]):
        echoes = {number_of_mark(t.v["traffic.ping_dscp"])}
        if on["rrul"] and on["rrul_echoes"]:
            echoes |= {dscp if on["marks"] else 0 for _, dscp in UDP_ECHOES}
        found = {way: of | echoes for way, of in found.items()}
    return found
