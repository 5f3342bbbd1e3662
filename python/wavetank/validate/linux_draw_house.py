"""Random houses: stations with drivers, standards, modes and flows of their own, now and then a channel: a function of the seed.

What is not of the stations is drawn as in :mod:`.linux_draw`; none is wired.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from . import linux_draw
from .linux_draw import Drawn
from .linux_draw_firmware import exists

#: Driver of the access point, standard of the network, and what its stations' drivers may be, the first being `sta.driver`.
NETWORKS = (
    ("ath9k", "n", ("ath9k", "ath9k", "ath10k", "mt76", "ath9k_htc")),
    ("ath9k", "n", ("ath9k",)),
    ("ath10k", "n", ("ath9k", "ath10k", "mt76")),
    ("ath10k", "ac", ("ath10k", "ath10k", "ath9k", "mt76")),
    ("mt76", "ac", ("ath10k", "mt76", "ath9k", "ath9k_htc")),
    ("mt76", "ac", ("mt76",)),
    ("mt76", "n", ("mt76",)),
    ("mt76", "ax", ("mt76", "mt76", "ath10k", "ath9k")),
    ("mt76", "ax", ("mt76", "mt76", "ath10k", "ath9k", "ath9k_htc")),
)
CONTROLS = ("minstrel_ht", "minstrel_ht", "aasrc")
#: MHz of Minstrel-HT's widest groups.
WIDEST = 80


def scenarios(seed: int, count: int) -> Iterator[tuple[str, Drawn]]:
    """Name and keys of each; every congestion control comes once before any comes again."""
    r = random.Random(f"wavetank/house/{seed}")
    for i, cc in enumerate(linux_draw.controls(r, count)):
        ap, standard, drivers = r.choice(NETWORKS)
        s = linux_draw.draw(r, cc, [(ap, drivers[0])])
        for section in ("stations", "channel", "tao", "hack"):
            s.pop(section, None)
        for end in ("ap", "sta"):
            s[end].pop("rate_control", None)
        _network(r, s, standard)
        chosen = _stations(r, s, drivers)
        _flows(r, s)
        _channel(r, s, chosen)
        yield f"h{seed}-{i:03d}-{linux_draw.called(s)}", s


def _network(r: random.Random, s: Drawn, standard: str) -> None:
    """Its channel."""
    w = s["wifi"]
    w |= {"standard": standard, "stations": r.choice([2, 2, 3, 4, 5])}
    for key in ("rate", "mcs", "short_gi"):
        w.pop(key, None)
    w["width_mhz"] = r.choice([20, 40] if standard == "n" else [20, 40, 80, 80, 160])
    if standard == "ax":
        w["gi"] = r.choice(["0.8 us", "0.8 us", "1.6 us"])
    else:
        w["short_gi"] = r.random() < 0.6
    if standard != "n":
        w["streams"] = r.choice([1, 2, 2, 3])
        w["mcs"] = r.choice([mcs for mcs in range(12) if exists(standard, mcs, w["streams"], w["width_mhz"])])
    else:
        w["mcs"] = r.choice([7, 7, 12, 15])


def _stations(r: random.Random, s: Drawn, drivers: tuple[str, ...]) -> bool:
    """Their cards and links; whether rate control chooses among their rates."""
    w, count = s["wifi"], s["wifi"]["stations"]
    own = s.setdefault("stations", {})
    cards = [r.choice(drivers) for _ in range(count)]
    standards = [_newest(driver, w["standard"]) for driver in cards]
    alike = {s["ap"]["driver"], *cards}
    older = w["standard"] in ("n", "ac") and w["width_mhz"] <= WIDEST  # mt76's cards that leave rates to mac80211
    chosen = (alike == {"ath9k"} or (alike == {"mt76"} and older)) and r.random() < 0.5
    links = [_link(r, w, of, driver) for of, driver in zip(standards, cards, strict=True)]
    if chosen and w["standard"] == "ac":  # Minstrel-HT there, which has the network's width on the real kernel
        for link in links:
            link["width_mhz"] = w["width_mhz"]
            if not exists("ac", link["mcs"], link["streams"], link["width_mhz"]):
                link["mcs"] = 5  # every width has it, with up to three streams
    own |= {"driver": ", ".join(cards), "mcs": ", ".join(str(link["mcs"]) for link in links)}
    own["width_mhz"] = ", ".join(str(link["width_mhz"]) for link in links)
    if w["standard"] != "n":
        own["streams"] = ", ".join(str(link["streams"]) for link in links)
    if "ath9k_htc" in cards:
        s["sta"]["above"] = "txqs"  # see linux_draw.has_categories
        if w.get("encryption") == "ccmp":
            s.setdefault("ath9k", {})["edma"] = False  # the virtual radio has one answer for all
    elif chosen:
        control = r.choice(CONTROLS) if alike == {"ath9k"} else "minstrel_ht"
        for end in ("ap", "sta"):
            s[end]["rate_control"] = control
    return chosen


def _newest(driver: str, network: str) -> str:
    """What a driver's cards are of in a network."""
    return network if driver == "mt76" or network == "n" else "ac" if driver == "ath10k" else "n"


def _link(r: random.Random, w: dict[str, Any], standard: str, driver: str) -> dict[str, Any]:
    """MCS, streams and width of a station's link."""
    most = min(w["width_mhz"], 40) if standard == "n" else w["width_mhz"]
    width = r.choice([mhz for mhz in (20, 40, 80, 160) if mhz <= most][-2:])
    streams = w["streams"] if standard == w["standard"] and r.random() < 0.5 and "streams" in w else r.choice([1, 1, 2])
    if standard == "n":
        mcs = r.choice([1, 3, 4, 7] if driver == "ath9k_htc" else [0, 3, 4, 7, 7, 12, 15])
    else:
        mcs = r.choice([mcs for mcs in range(12) if exists(standard, mcs, streams, width)])
    return {"mcs": mcs, "streams": streams, "width_mhz": width}


def _flows(r: random.Random, s: Drawn) -> None:
    """Who sends, of those that may."""
    t, count = s["traffic"], s["wifi"]["stations"]
    if t.get("rrul") or r.random() < 0.5:
        return
    for way in ("tcp_up", "tcp_down"):
        if t[way]:
            counts = [t[way], *(r.choice([0, 1, 2]) for _ in range(count - 1))]
            r.shuffle(counts)
            s["stations"][way] = ", ".join(map(str, counts))


def _channel(r: random.Random, s: Drawn, chosen: bool) -> None:
    """A place each: what rate control chooses by, and what a fixed rate loses."""
    if not chosen and r.random() < 0.6:
        return
    for key in ("error_rate", "mcs_error"):
        s["wifi"].pop(key, None)
    moving = r.random() < 0.5
    s["channel"] = {"on": True, "moving": 1 if moving else 0, "doppler": r.choice([1, 5]) if moving else 0}
    ideal = not chosen and "ath9k_htc" not in s["stations"]["driver"] and r.random() < 0.5
    if ideal:
        for end in ("ap", "sta"):
            s[end]["rate_control"] = "ideal"
    low = 12 if chosen or ideal else 24  # whoever cannot go down hears nothing at some 20 dB
    s["stations"]["snr"] = ", ".join(str(r.choice([low, low + 6, low + 12, 40])) for _ in range(s["wifi"]["stations"]))
