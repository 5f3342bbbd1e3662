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


def why(t: Asked, section: str, name: str, drivers: set[str]) -> str:
    """Of a key of ``[edca]`` or ``[edca_ap]``: that no packet is of its category, or no card heeds it.

    ``drivers``: those of the cards that it is for. Empty where a card does.
    """
    way, (category, _, what) = ("up" if section == "edca" else "down"), name.partition("_")
    if category in used(t)[way]:
        return _limit(drivers, category) if what == "txop" else ""
    who = "no station" if way == "up" else "the access point never"
    return f"{who} sends {NAMES[category]}: marks decide (traffic.tcp_dscp, udp_dscp, ping_dscp, rrul)"


def _limit(drivers: set[str], category: str) -> str:
    """Of a limit of opportunities at an end: why its cards go by another, if all do."""
    if drivers == {"ath9k_htc"}:
        return "ath9k_htc has one PPDU in its hardware, and so in an opportunity"
    return (
        "linksys' opportunities of best effort last linksys.burst"
        if drivers == {"linksys"} and category == "be"
        else ""
    )


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
