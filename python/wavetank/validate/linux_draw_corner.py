"""Random scenarios of what the other draws leave out: a function of the seed.

At 2.4 GHz 802.11n, rates that Minstrel-HT chooses down to 802.11b's, stations of 802.11b and g with and without protection;
802.11a's stations with rates of their own; 802.11a and g under Minstrel-HT; floods of several categories; every discipline
above a card that has one, beside floods; and wires with jitter, a rate or CAKE behind any of these. What is of none of them is
drawn as in :mod:`.linux_draw`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from . import linux_draw, linux_draw_cake, linux_draw_rare
from .linux_draw import Drawn

#: Drivers of the access point and of the stations, where nothing asks for others.
DRIVERS = (
    ("ath9k", "ath9k"), ("ath9k", "ath9k"), ("ath9k", "ath9k_htc"), ("ath9k_htc", "ath9k"), ("ath9k_tidq", "ath9k"),
)  # fmt: skip
ATH9K = (("ath9k", "ath9k"),)
BELOW_QUEUES = (("ath9k_tidq", "ath9k"), ("ath9k_tidq", "ath9k"), ("ath9k_htc", "ath9k"), ("ath9k", "ath9k_htc"))
#: Mbit/s of 802.11b and of 802.11a and g.
DSSS, OFDM = (1, 2, 5.5, 11), (6, 12, 18, 24, 36, 54)
#: Of EDCA, what best effort has, which every scenario sends; a TXOP of 1984 us hostapd does not have.
EDCA = {
    key: tuple(value for value in values if value != "1984 us")
    for key, values in linux_draw_rare.KEYS.items()
    if key.startswith("edca") and ".be_" in key
}


def scenarios(seed: int, count: int) -> Iterator[tuple[str, Drawn]]:
    """Name and keys of each; every congestion control comes once before any comes again."""
    r = random.Random(f"wavetank/corner/{seed}")
    for i, cc in enumerate(linux_draw.controls(r, count)):
        kind = r.choice(list(KINDS))
        s = KINDS[kind](r, cc)
        s["time"] |= {"flows": "9 s", "warmup": "3 s"}
        _wire(r, s)
        _contention(r, s)
        _echoes(r, s)
        yield f"c{seed}-{i:03d}-{kind}-{linux_draw.called(s)}", s


def _plain(r: random.Random, cc: str, drivers: tuple[tuple[str, str], ...], *others: str) -> Drawn:
    """A scenario of 802.11n of these drivers, fixed rates and no channel, without these sections."""
    while True:
        s = linux_draw.draw(r, cc, drivers)
        if s["wifi"]["standard"] == "n" and "channel" not in s:
            break
    for section in others:
        s.pop(section, None)
    return s


def _band(r: random.Random, s: Drawn) -> None:
    s["wifi"]["band"] = "2.4 GHz"
    if r.random() < 0.3:
        s["wifi"]["short_preamble"] = False
    if r.random() < 0.3:
        s["wifi"]["dsss_basic_rate"] = f"{r.choice([1, 2, 5.5])} Mbit/s"
    if r.random() < 0.15:
        s["beacon"] = {"interval": r.choice([20, 50, 300])}


def _ghz2(r: random.Random, cc: str) -> Drawn:
    """802.11n at fixed rates."""
    s = _plain(r, cc, DRIVERS)
    _band(r, s)
    return s


def _cck(r: random.Random, cc: str) -> Drawn:
    """802.11n whose rates Minstrel-HT chooses, where links are so bad that 802.11b's are among the best, and where not."""
    s = _plain(r, cc, ATH9K, "stations", "tao", "hack")
    _band(r, s)
    w = s["wifi"]
    w.pop("error_rate", None)
    w |= {"mcs": r.choice([7, 15]), "width_mhz": r.choice([20, 20, 40]), "short_gi": r.random() < 0.5}
    _chosen(r, s, (3, 6, 9, 12, 20, 30))
    return s


def _chosen(r: random.Random, s: Drawn, snr: tuple[int, ...]) -> None:
    """Has Minstrel-HT choose at both ends, each station being as far away as one of these says; a channel that moves, or not."""
    for end in ("ap", "sta"):
        s[end]["rate_control"] = "minstrel_ht"
    doppler = r.choice([0, 0, 1, 2, 5])
    s["channel"] = {"on": True, "moving": 1 if doppler else 0, "doppler": doppler}
    s.setdefault("stations", {})["snr"] = ", ".join(str(r.choice(snr)) for _ in range(s["wifi"]["stations"]))


def _chosen_legacy(r: random.Random, cc: str) -> Drawn:
    """802.11a or g whose rates Minstrel-HT chooses, as it does since 5.12."""
    s = _plain(r, cc, ATH9K, "stations", "tao", "hack")
    standard = r.choice("ag")
    _legacy(r, s, standard, [54] * r.choice([1, 2, 3]))
    s.pop("stations", None)
    s["wifi"].pop("error_rate", None)
    if standard == "g":
        _band(r, s)
    _chosen(r, s, (9, 12, 16, 20, 30))
    return s


def _legacy(r: random.Random, s: Drawn, standard: str, rates: list[float]) -> None:
    """Makes it one of 802.11a, b or g, whose stations have these rates: without QoS, and what aggregates or asks for it."""
    s["wifi"] = {
        "standard": standard,
        "stations": len(rates),
        "rate": f"{rates[0]} Mbit/s",
        **{k: s["wifi"][k] for k in ("error_rate", "tx_sk_pacing_shift", "encryption") if k in s["wifi"]},
    }
    if len(rates) > 1:
        s["stations"] = {"rate": ", ".join(f"{rate} Mbit/s" for rate in rates)}
    s.get("ath9k", {}).pop("ampdu_frames", None)
    for key in ("rrul", "tcp_dscp"):
        s["traffic"].pop(key, None)


def _bg(r: random.Random, cc: str) -> Drawn:
    """Stations of 802.11g, of 802.11b, or both."""
    s = _plain(r, cc, ATH9K, "stations", "tao", "hack")
    count = r.choice([1, 2, 2, 3, 4])
    b = [r.random() < 0.4 for _ in range(count)]
    rates = [r.choice(DSSS if old else OFDM) for old in b]
    _legacy(r, s, "b" if all(b) and r.random() < 0.5 else "g", rates)
    _band(r, s)
    if any(b) and not all(b):
        s["wifi"]["erp_protection"] = r.random() < 0.5
    return s


def _a(r: random.Random, cc: str) -> Drawn:
    """Stations of 802.11a, each with a rate of its own."""
    s = _plain(r, cc, ATH9K, "stations", "tao", "hack")
    _legacy(r, s, "a", [r.choice(OFDM) for _ in range(r.choice([1, 2, 3, 4]))])
    return s


def _floods(r: random.Random, cc: str) -> Drawn:
    """Datagrams of several categories, from and to several stations, beside TCP."""
    s = _plain(r, cc, (*ATH9K, *ATH9K, ("ath10k", "ath10k"), ("mt76", "mt76")), "hack", "tao")
    s["wifi"]["stations"] = count = r.choice([2, 3, 4])
    s.pop("stations", None)
    t = s["traffic"]
    for key in ("rrul", "udp_up", "udp_down", "udp_payload"):
        t.pop(key, None)
    t["tcp_up"], t["tcp_down"] = r.choice([(1, 0), (0, 1), (1, 1), (2, 0)])
    own: dict[str, Any] = {"udp_dscp": ", ".join(r.choice(["CS0", "CS1", "AF41", "EF"]) for _ in range(count))}
    ways = r.choice([("udp_up",), ("udp_down",), ("udp_up", "udp_down")])
    for way in ways:
        own[way] = ", ".join(f"{r.choice([0.1, 0.5, 2, 8])} Mbit/s" for _ in range(count))
    own["udp_payload"] = ", ".join(str(r.choice([160, 400, 1316, 1470])) for _ in range(count))
    s["stations"] = own
    if r.random() < 0.4:
        _band_of(r, s)
    return s


def _band_of(r: random.Random, s: Drawn) -> None:
    """At 2.4 GHz, of what the virtual radio has there."""
    if s["ap"]["driver"] == "ath9k":
        _band(r, s)


def _queue(r: random.Random, cc: str) -> Drawn:
    """A discipline above a card, and floods beside it: of voice where the other end, which has categories, sends them."""
    while True:
        s = _plain(r, cc, BELOW_QUEUES)
        if any("qdisc" in s[end] for end in ("ap", "sta")):
            break
    t = s["traffic"]
    for key in ("udp_up", "udp_down", "udp_payload"):
        t.pop(key, None)
    if not t["tcp_up"] and not t["tcp_down"]:
        t["tcp_down"] = 1
    if r.random() < 0.6:
        way = "udp_up" if "qdisc" in s["ap"] else "udp_down"
        t |= {way: f"{r.choice([0.1, 1, 5])} Mbit/s", "udp_payload": r.choice([172, 1200])}
        t["udp_dscp"] = r.choice(["CS0", "EF", "AF41"])
    elif r.random() < 0.5:
        t |= {r.choice(["udp_up", "udp_down"]): f"{r.choice([1, 20, 60])} Mbit/s", "udp_payload": r.choice([400, 1470])}
    if r.random() < 0.3:
        _band(r, s)
    return s


def _wire(r: random.Random, s: Drawn) -> None:
    """Now and then a wire that is not even, or a slow one."""
    kind = r.choice(["jitter", "cake", "rate", *["", "", "", "", "", ""]])
    if not kind or "cake" in s or "fq" in (s["ap"].get("qdisc"), s["sta"].get("qdisc")):
        return
    s.pop("netem", None)
    if kind == "jitter":
        delay = r.choice([2, 5, 20])
        s["backhaul"] = {"qdisc": "netem", "at": r.choice(["server", "ap", "both"])}
        s["netem"] = {"delay": f"{delay} ms", "jitter": f"{delay * r.choice([0.05, 0.3])} ms", "limit": 100000}
        if r.random() < 0.5:
            s["netem"] |= {"distribution": "normal"}
    elif kind == "rate":  # a full one at its own host stops the guest's time (linux_draw_path)
        s["backhaul"] = {"qdisc": "netem", "at": "ap"}
        s["netem"] = {"rate": f"{r.choice([5, 20, 50])} Mbit/s", "limit": r.choice([50, 200, 1000])}
    else:
        s["backhaul"] = {"qdisc": "cake", "at": "ap"}
        s["cake"] = {**linux_draw_cake.draw(r), "bandwidth": f"{r.choice([5, 20, 50])} Mbit/s"}


def _contention(r: random.Random, s: Drawn) -> None:
    """Windows and opportunities of best effort."""
    if s["wifi"]["standard"] == "n" and r.random() < 0.2:
        for key in r.sample(list(EDCA), r.choice([1, 2])):
            section, _, word = key.partition(".")
            s.setdefault(section, {})[word] = r.choice(EDCA[key])


def _echoes(r: random.Random, s: Drawn) -> None:
    t = s["traffic"]
    if r.random() < 0.2:
        t["ping_udp"] = True
    if r.random() < 0.2 and s["wifi"]["standard"] == "n" and linux_draw.has_categories(s):
        t["ping_dscp"] = r.choice(["CS1", "AF41", "EF"])


#: What a scenario is of.
KINDS: dict[str, Callable[[random.Random, str], Drawn]] = {
    "ghz2": _ghz2,
    "cck": _cck,
    "bg": _bg,
    "a": _a,
    "chosen": _chosen_legacy,
    "floods": _floods,
    "queue": _queue,
}
