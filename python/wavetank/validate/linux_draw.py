"""Random scenarios out of what both waters share, one in six of them wired: a function of the seed.

A longer list begins with a shorter one. What a part of a scenario excludes (a virtual card without 802.11ac, a paced control
without a static small queue) is not drawn; that every drawn scenario is accepted by both waters is what the tests say.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ..linux import kernels
from ..scenario import Scenario
from . import linux_draw_cake, linux_draw_wired

#: Keys by section, as a scenario file has them.
Drawn = dict[str, dict[str, Any]]

CONTROLS = (
    "cubic", "bbr", "reno", "vegas", "yeah", "highspeed", "nv", "westwood", "veno", "hybla", "bic", "htcp", "illinois",
    "scalable", "bbrp",
)  # fmt: skip
#: They set their pacing rate themselves.
PACED = ("bbr", "bbrp")
#: Drivers of the access point and of the stations; the commonest first.
DRIVERS = (
    ("ath9k", "ath9k"), ("ath9k", "ath9k"), ("ath9k", "ath9k"), ("ath9k", "ath9k"), ("ath9k", "ath9k_htc"),
    ("ath9k_htc", "ath9k"), ("ath10k", "ath9k"), ("ath9k", "ath10k"), ("ath10k", "ath10k"), ("ath9k_tidq", "ath9k"),
)  # fmt: skip
#: Every so manieth scenario is wired.
WIRED = 6
QUEUES = ("pfifo", "fq_codel", "fq_codel", "pfifo_fast", "fq", "cake")


def draw(r: random.Random, cc: str, drivers: Sequence[tuple[str, str]] = DRIVERS) -> Drawn:
    """One of Wi-Fi, of cards out of ``drivers``."""
    ap, sta = r.choice(drivers)
    s: Drawn = {
        "time": {"lead_in": "1 s", "flows": "12 s", "warmup": "4 s", "tail": "0 ns"},
        "topology": {"kind": "wifi"},
        "wifi": {"stations": r.choice([1, 1, 1, 2, 3, 4])},
        "ap": {"driver": ap},
        "sta": {"driver": sta},
        "tcp": {"cc": cc},
        "traffic": {"ping": "100 ms"},
    }
    _rates(r, s)
    _traffic(r, s)
    _noise(r, s)
    _hosts(r, s)
    _small_queue(r, s)
    _buffers(r, s)
    _wire(r, s)
    _cards(r, s)
    _acks(r, s)
    _keys(r, s)
    _beside(r, s, cc)
    _marks(r, s)
    _rate_control(r, s)
    return s


def _rates(r: random.Random, s: Drawn) -> None:
    if r.random() < 0.1 and {s["ap"]["driver"], s["sta"]["driver"]} == {"ath9k"}:
        s["wifi"] |= {"standard": "a", "rate": f"{r.choice([6, 12, 24, 36, 54])} Mbit/s"}
        return
    one_stream = "ath9k_htc" in (s["ap"]["driver"], s["sta"]["driver"])  # the AR9271's
    mcs = r.choice([1, 3, 4, 5, 7, 7] if one_stream else [1, 3, 4, 5, 7, 7, 9, 11, 12, 13, 15, 15, 15])
    s["wifi"] |= {"standard": "n", "mcs": mcs, "width_mhz": r.choice([20, 40, 40]), "short_gi": r.random() < 0.6}
    stations = s["wifi"]["stations"]
    if stations > 1 and r.random() < 0.3:
        s["stations"] = {"mcs": ", ".join(str(r.choice([0, 2, 4, 7, mcs])) for _ in range(stations))}


def has_categories(s: Drawn) -> bool:
    """Whether both waters queue by category: above ath9k_tidq and ath9k_htc are four disciplines here, one in 6.12."""
    ends = (s.get("ap", {}), s.get("sta", {}))
    return not any(e.get("driver") == "ath9k_tidq" or e.get("above") == "qdisc" for e in ends)


def _traffic(r: random.Random, s: Drawn) -> None:
    t = s["traffic"]
    way = r.choice(["up", "up", "up", "down", "down", "both", "udp"])
    flows = r.choice([1, 1, 1, 2, 4])
    t["tcp_up"] = flows if way in ("up", "both") else 0
    t["tcp_down"] = r.choice([1, 2, flows]) if way in ("down", "both") else 0
    offered = f"{r.choice([2, 10, 30, 100])} Mbit/s"
    if way == "udp":
        t[r.choice(["udp_up", "udp_down"])] = offered
        t["udp_payload"] = r.choice([200, 1000, 1470])
    elif r.random() < 0.15:
        t[r.choice(["udp_up", "udp_down"])] = f"{r.choice([1, 5])} Mbit/s"
    if way == "both" and has_categories(s) and s["wifi"]["standard"] == "n" and r.random() < 0.3:
        t |= {"tcp_up": 4, "tcp_down": 4, "rrul": True}


def _noise(r: random.Random, s: Drawn) -> None:
    if r.random() < 0.5:
        s["wifi"]["error_rate"] = r.choice([0.01, 0.03, 0.05, 0.1, 0.1, 0.2])
    elif r.random() < 0.2:
        s.setdefault("stations", {})[f"error_{r.choice(['up', 'down'])}"] = r.choice([0.02, 0.1, 0.3])
    if r.random() < 0.15:
        s["medium"] = {"response_error": r.choice([0.01, 0.05])}


def _hosts(r: random.Random, s: Drawn) -> None:
    us = r.choice([0, 0, 0, 2, 4, 4, 10, 20])
    s["host"] = {"ap_rx": f"{us} us", "sta_rx": f"{us if r.random() < 0.8 else 4} us"}


def _small_queue(r: random.Random, s: Drawn) -> None:
    tcp, paced = s["tcp"], s["tcp"]["cc"] in PACED
    kind = r.choice(["own", "shift", "shift", "cotsq", "cotsq", "bytes", "off"])
    if kind == "bytes" and paced:
        kind = "shift"
    if kind == "shift":
        s["wifi"]["tx_sk_pacing_shift"] = r.choice([6, 7, 8, 9, 10])
        if not paced and r.random() < 0.3:
            tcp["limit_output_bytes"] = f"{r.choice([64, 128, 256, 512])} KiB"
    elif kind == "cotsq":
        # powers of two are shifts; others are made by the pacing ratios, which a paced control does not use
        tcp |= {"tsq": "cotsq", "tsq_ms": r.choice([1, 2, 4, 8] if paced else [1, 2, 3, 4, 6, 8, 12])}
        if paced:
            tcp["tsq_bytes"] = "off"  # which is no TSQ
    elif kind == "bytes":
        tcp |= {"tsq": "bytes", "tsq_bytes": f"{r.choice([16, 64, 256])} KiB"}
    elif kind == "off":
        tcp["tsq"] = "off"
    if r.random() < 0.5:
        tcp["gso_max_segs"] = 1


def _paced_small_queue(tcp: dict[str, Any]) -> None:
    """Under ``fq``, which paces sockets: no bytes bound the small queue, and no pacing ratio makes its milliseconds."""
    if tcp.get("tsq") == "bytes":
        tcp["tsq"] = "off"
        tcp.pop("tsq_bytes")
    if tcp.get("tsq") == "cotsq":
        tcp["tsq_ms"] = 1 << (tcp["tsq_ms"].bit_length() - 1)


def _buffers(r: random.Random, s: Drawn) -> None:
    tcp = s["tcp"]
    if r.random() < 0.3:
        tcp["rcvbuf"] = f"{r.choice([256, 1024, 4096])} KiB"
    if r.random() < 0.2:
        tcp["rcvlowat"] = f"{r.choice([16, 128])} KiB"
    if r.random() < 0.1:
        tcp["ecn"] = True
    if r.random() < 0.1:
        tcp["init_cwnd"] = r.choice([2, 40])


def _wire(r: random.Random, s: Drawn) -> None:
    kind = r.choice(["none", "plain", "delay", "delay", "netem"])
    if kind == "none":
        s["backhaul"] = {"present": False}
    elif kind == "delay":
        s["backhaul"] = {"delay": f"{r.choice([500, 1000, 5000, 10000, 20000])} us"}
    elif kind == "netem":
        s["backhaul"] = {"qdisc": "netem", "at": "server"}
        s["netem"] = {"delay": f"{r.choice([1, 2, 10, 40])} ms", "limit": 100000}


def _cards(r: random.Random, s: Drawn) -> None:
    drivers = {end: s[end]["driver"] for end in ("ap", "sta")}
    if {"ath9k", "ath9k_tidq"} & set(drivers.values()):
        card: dict[str, Any] = {}
        if r.random() < 0.4:
            card |= {"rimt_first": "0 us", "rimt_last": "0 us"}
        if r.random() < 0.25 and s["wifi"]["standard"] == "n":
            card["ampdu_frames"] = r.choice([8, 16, 42, 64])
        if r.random() < 0.15:
            card["rts_threshold"] = 0
        if card:
            s["ath9k"] = card
    drawn = r.choice(["qdisc", "txqs"])
    above = "txqs" if s["traffic"].get("rrul") else drawn  # see has_categories
    queue = r.choice(QUEUES)
    for end, driver in drivers.items():
        if driver == "ath9k_htc":
            s[end]["above"] = above
        if driver == "ath9k_tidq" or (driver == "ath9k_htc" and above == "qdisc"):
            s[end]["qdisc"] = "aaq" if driver == "ath9k_tidq" and r.random() < 0.4 else queue
            if s[end]["qdisc"] == "fq":
                _paced_small_queue(s["tcp"])
            if queue == "pfifo" and s[end]["qdisc"] == "pfifo":
                s["pfifo"] = {"limit": r.choice([100, 500, 1000])}
            if s[end]["qdisc"] == "cake":
                s["cake"] = linux_draw_cake.draw(r)
    if "ath10k" in drivers.values() and r.random() < 0.3:
        s["ath10k"] = {"msdus": r.choice([64, 256, 1056])}


def _acks(r: random.Random, s: Drawn) -> None:
    t = s["traffic"]
    if t["tcp_up"] or not t["tcp_down"] or s["sta"]["driver"] != "ath9k":
        return
    if r.random() < 0.2:
        s["tao"] = {"enabled": True}
    elif r.random() < 0.2 and s["ap"]["driver"] == "ath9k":
        s["hack"] = {"policy": r.choice(["native", "timer", "opportunistic", "more-data"])}


def _keys(r: random.Random, s: Drawn) -> None:
    if r.random() < 0.15 and s["wifi"]["standard"] == "n":
        s["wifi"]["encryption"] = "ccmp"
        drivers = {s["ap"]["driver"], s["sta"]["driver"]}
        if "ath9k_htc" in drivers and len(drivers) > 1:
            s.setdefault("ath9k", {})["edma"] = (
                False  # the AR9271 adds delimiters, and the virtual radio has one answer for all
            )


def _beside(r: random.Random, s: Drawn, cc: str) -> None:
    """Two controls beside each other, or stations of which each has flows of its own."""
    t, stations = s["traffic"], s["wifi"]["stations"]
    if t.get("rrul") or not (t["tcp_up"] or t["tcp_down"]):
        return
    if r.random() < 0.2 and t["tcp_up"] + t["tcp_down"] > 1:
        t["cc"] = [cc, r.choice([c for c in CONTROLS if c not in (cc, *PACED)])]
    if r.random() < 0.3 and stations > 1:
        way = r.choice([w for w in ("tcp_up", "tcp_down") if t[w]])
        counts = [r.choice([0, 1, 2]) for _ in range(stations - 1)]
        s.setdefault("stations", {})[way] = ", ".join(map(str, [1, *counts]))


def _marks(r: random.Random, s: Drawn) -> None:
    t = s["traffic"]
    if r.random() < 0.1 and not t.get("rrul") and (t["tcp_up"] or t["tcp_down"]):
        mark = r.choice(["CS1", "AF41", "EF"])
        if has_categories(s):
            t["tcp_dscp"] = mark


def _rate_control(r: random.Random, s: Drawn) -> None:
    """Minstrel HT on a channel that stands still."""
    w = s["wifi"]
    both = {s["ap"]["driver"], s["sta"]["driver"]} == {"ath9k"}
    if r.random() > 0.15 or not both or w["standard"] != "n" or w["mcs"] > 7 or "stations" in s:
        return
    w.pop("error_rate", None)
    w |= {"mcs": 7, "width_mhz": 40, "short_gi": True}
    for end in ("ap", "sta"):
        s[end]["rate_control"] = "minstrel_ht"
    s["channel"] = {"on": True, "snr": r.choice([12, 15, 18, 21, 24, 30]), "moving": 0, "doppler": 0}


def scenarios(seed: int, count: int) -> Iterator[tuple[str, Drawn]]:
    """Name and keys of each; every congestion control comes once before any comes again."""
    r = random.Random(f"wavetank/{seed}")
    for i, cc in enumerate(controls(r, count)):
        s = linux_draw_wired.draw(r, cc, cc in PACED) if i % WIRED == WIRED - 1 else draw(r, cc)
        yield f"r{seed}-{i:03d}-{called(s)}", s


def wired(seed: int, count: int, kernel: str = kernels.OWN) -> Iterator[tuple[str, Drawn]]:
    """Wired ones alone, of what this kernel has."""
    r = random.Random(f"wavetank/wired/{seed}")
    for i, cc in enumerate(controls(r, count, kernel)):
        s = possible(kernel, partial(linux_draw_wired.draw, r, cc, cc in PACED))
        yield f"w{seed}-{i:03d}-{called(s).removeprefix('wired-')}", s


def possible(kernel: str, one: Callable[[], Drawn]) -> Drawn:
    """The first that ``one`` draws of which this kernel lacks nothing."""
    while True:
        s = one()
        scenario = Scenario.from_dict({"name": "drawn", "kernel": kernel, **s})
        if kernel == kernels.OWN or kernels.lacking(kernel, scenario.check(), scenario.given()) is None:
            return s


def controls(r: random.Random, count: int, kernel: str = kernels.OWN) -> Iterator[str]:
    """So many congestion controls, of those that this kernel has: every one comes once before any comes again."""
    left: list[str] = []
    for _ in range(count):
        if not left:
            left = [cc for cc in CONTROLS if kernels.lacking(kernel, {"tcp.cc": cc}) is None]
            r.shuffle(left)
        yield left.pop()


def called(s: Drawn) -> str:
    """What it is, in words of its name."""
    t = s["traffic"]
    if s["topology"]["kind"] == "wired":
        leaf, rate = (s["htb"]["leaf"], s["htb"]["rate"]) if "htb" in s else ("cake", s["cake"]["bandwidth"])
        return f"wired-{leaf}-{rate.split()[0]}m-up{t['tcp_up']}-{s['tcp']['cc']}"
    w = s["wifi"]
    standard = {"n": "mcs"}.get(w["standard"], w["standard"])
    rate = f"{standard}{w['rate'].split()[0] if standard in ('a', 'b', 'g') else w['mcs']}"
    drivers = "-".join(dict.fromkeys((s["ap"]["driver"], s["sta"]["driver"])))
    ways = [f"{word}{t[key]}" for word, key in (("up", "tcp_up"), ("down", "tcp_down")) if t[key]]
    if "udp_up" in t or "udp_down" in t:
        ways.append("udp")
    return "-".join(
        [drivers, rate, f"{w['stations']}sta", *ways, *([s["tcp"]["cc"]] if t["tcp_up"] or t["tcp_down"] else [])]
    )
