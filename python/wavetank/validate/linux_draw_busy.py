"""Random scenarios of hosts whose CPU is full: what comes waits in their card's receive ring: a function of the seed.

What is not of hosts, small queues and merged packets is drawn as in :mod:`.linux_draw`, standards as in
:mod:`.linux_draw_firmware`; none is wired.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from . import linux_draw, linux_draw_firmware
from .linux_draw import Drawn

#: Drivers of the access point and of the stations: the two whose drivers poll and merge, and ath9k beside them.
DRIVERS = (
    ("ath10k", "ath10k"), ("ath10k", "ath10k"), ("mt76", "mt76"), ("mt76", "mt76"), ("ath10k", "mt76"), ("mt76", "ath10k"),
    ("ath9k", "ath9k"), ("ath10k", "ath9k"), ("ath9k", "ath10k"), ("mt76", "ath9k"), ("ath9k", "mt76"),
)  # fmt: skip
#: What a busy host takes for a packet, us; two streams of 802.11n take 44 to 100.
BUSY = (50, 60, 70, 85, 100)
#: Whose CPU is, by what it is full of: the access point's of uploads, all or some of the stations' of downloads. Now and then
#: it is anybody's, and has ACKs to do.
WHO = {"up": ("ap", "ap", "both"), "down": ("sta", "some", "both"), "any": ("ap", "sta", "both", "some")}


def scenarios(seed: int, count: int) -> Iterator[tuple[str, Drawn]]:
    """Name and keys of each; every congestion control comes once before any comes again."""
    r = random.Random(f"wavetank/busy/{seed}")
    for i, cc in enumerate(linux_draw.controls(r, count)):
        s = linux_draw.draw(r, cc, DRIVERS)
        linux_draw_firmware.standard(r, s)
        _quick_air(r, s)
        _hosts(r, s)
        _small_queue(r, s)
        merged = r.random() < 0.5  # the virtual radio has one answer for all cards
        for driver in sorted({s["ap"]["driver"], s["sta"]["driver"]} - {"ath9k"}):
            s.setdefault(driver, {})["gro"] = merged
        yield f"b{seed}-{i:03d}-{linux_draw.called(s)}", s


def _quick_air(r: random.Random, s: Drawn) -> None:
    """Links that bring more than a busy CPU takes, mostly."""
    w = s["wifi"]
    if w["standard"] == "a":
        w.pop("rate")
        w |= {"standard": "n", "short_gi": r.random() < 0.5, "mcs": 15, "width_mhz": 20}
    if w["standard"] == "n" and "rate_control" not in s["ap"] and r.random() < 0.8:
        w |= {"mcs": r.choice([7, 12, 13, 15, 15]), "width_mhz": 40}
        s.get("stations", {}).pop("mcs", None)


def _hosts(r: random.Random, s: Drawn) -> None:
    """Who takes how long, and now and then a ring that is short."""
    stations, t, slow = s["wifi"]["stations"], s["traffic"], r.choice(BUSY)
    up, down = (bool(t.get(f"tcp_{way}") or t.get(f"udp_{way}")) for way in ("up", "down"))
    who = r.choice(WHO["any" if up == down or r.random() < 0.2 else "up" if up else "down"])
    quick = r.choice([0, 2, 4, 10])
    if who == "some" and stations == 1:
        who = "both"
    host: dict[str, Any] = {
        "ap_rx": f"{slow if who in ('ap', 'both') else quick} us",
        "sta_rx": f"{slow if who in ('sta', 'both') else quick} us",
    }
    if who == "some":
        busy = [r.random() < 0.5 for _ in range(stations)]
        busy[r.randrange(stations)] = True
        s.setdefault("stations", {})["rx"] = ", ".join(f"{r.choice(BUSY) if is_busy else quick} us" for is_busy in busy)
    if r.random() < 0.25:
        host["backlog"] = r.choice([32, 128, 512])
    s["host"] = host


def _small_queue(r: random.Random, s: Drawn) -> None:
    """One to eight milliseconds of it."""
    tcp = s["tcp"]
    s["wifi"].pop("tx_sk_pacing_shift", None)
    for key in ("limit_output_bytes", "tsq", "tsq_bytes"):
        tcp.pop(key, None)
    paced = tcp["cc"] in linux_draw.PACED
    tcp |= {"tsq": "cotsq", "tsq_ms": r.choice([1, 2, 4, 8] if paced else [1, 2, 3, 4, 6, 8])}
    if paced:
        tcp["tsq_bytes"] = "off"  # which is no TSQ
