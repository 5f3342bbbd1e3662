"""Random scenarios of cards whose firmware aggregates (ath10k, mt76, iwlwifi), under 802.11n, ac, ax: a function of the seed.

What is not of the cards is drawn as in :mod:`.linux_draw`; none is wired.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from .. import _core
from . import linux_draw
from .linux_draw import Drawn

#: Drivers of the access point and of the stations; the commonest first. 802.11ac needs one of these three at both
#: ends, ax mt76 or iwlwifi.
DRIVERS = (
    ("mt76", "mt76"), ("mt76", "mt76"), ("mt76", "mt76"), ("ath10k", "ath10k"), ("ath10k", "ath10k"),
    ("ath10k", "mt76"), ("mt76", "ath10k"),
    ("mt76", "ath9k"), ("ath9k", "mt76"), ("ath10k", "ath9k"), ("ath9k", "ath10k"),
    ("mt76", "iwlwifi"), ("mt76", "iwlwifi"), ("ath10k", "iwlwifi"), ("ath9k", "iwlwifi"),
    ("iwlwifi", "iwlwifi"), ("iwlwifi", "mt76"),
)  # fmt: skip

#: Limits of the cards' that are at their defaults mostly.
LIMITS: dict[str, dict[str, tuple[int | str, ...]]] = {
    "ath10k": {
        "airtime": ("1 ms", "2 ms"),
        "density": ("0 us", "16 us"),
        "retries": (1, 2),
    },
    "mt76": {
        "airtime": ("1 ms", "2 ms"),
        "density": ("0 us", "16 us"),
        "tokens": (128,),
        "tries": (2, 4),
    },
    "iwlwifi": {
        "airtime": ("1 ms", "2 ms"),
        "density": ("0 us", "16 us"),
        "tfds": (64, 1024),
        "tries": (2, 4),
    },
}


def scenarios(seed: int, count: int) -> Iterator[tuple[str, Drawn]]:
    """Name and keys of each; every congestion control comes once before any comes again."""
    r = random.Random(f"wavetank/firmware/{seed}")
    for i, cc in enumerate(linux_draw.controls(r, count)):
        s = linux_draw.draw(r, cc, DRIVERS)
        standard(r, s)
        _cards(r, s)
        _limits(random.Random(f"wavetank/firmware/{seed}/{i}"), s)
        yield f"f{seed}-{i:03d}-{linux_draw.called(s)}", s


def standard(r: random.Random, s: Drawn) -> None:
    """802.11ac or ax in place of n, where the cards have it."""
    drivers = {s["ap"]["driver"], s["sta"]["driver"]}
    if "ath9k" in drivers or r.random() < 0.15:
        return
    w, ax = s["wifi"], drivers <= {"mt76", "iwlwifi"} and r.random() < 0.6
    streams, width = r.choice([1, 2, 2, 3]), r.choice([20, 40, 80, 80, 160])
    for key in ("short_gi", "mcs"):
        w.pop(key, None)
    w |= {"standard": "ax" if ax else "ac", "streams": streams, "width_mhz": width}
    if ax:
        w["gi"] = r.choice(["0.8 us", "0.8 us", "1.6 us", "3.2 us"])
    else:
        w["short_gi"] = r.random() < 0.6
    have = [mcs for mcs in range(12) if exists(w["standard"], mcs, streams, width)]
    w["mcs"] = r.choice([*have[1:], *have[-3:]])
    if "mcs" in s.get("stations", {}):
        s["stations"]["mcs"] = ", ".join(str(r.choice([0, 2, 4, w["mcs"]])) for _ in range(w["stations"]))


def exists(standard: str, mcs: int, streams: int, width: int) -> bool:
    """Whether the standard has such a mode."""
    try:
        _core.ppdu_ms(standard, mcs, streams, width, 800, 1)
    except ValueError:
        return False
    return True


def _cards(r: random.Random, s: Drawn) -> None:
    """What their firmware keeps to."""
    drivers = {s["ap"]["driver"], s["sta"]["driver"]}
    for driver in sorted(drivers & {"ath10k", "mt76", "iwlwifi"}):
        card = s.setdefault(driver, {})
        if r.random() < 0.4:
            card["amsdu_msdus"] = r.choice([1, 2, 4])
        if r.random() < 0.5:
            card["report"] = r.choice(["0 us", "500 us", "2 ms"])
        if r.random() < 0.2:
            card["ampdu_frames"] = r.choice([16, 32, 64])
        if r.random() < 0.2:
            card["tid_depth"] = 2
        if driver == "iwlwifi" and r.random() < 0.25:
            card["tso"] = False
        if driver == "iwlwifi" and r.random() < 0.3:  # AX210
            card |= {"tfds": 1024, "ampdu_frames": 256, "mpdu_bytes": 11454}


def _limits(r: random.Random, s: Drawn) -> None:
    """One of :data:`LIMITS`, in three of ten scenarios, of the card at one end."""
    driver = s[r.choice(["ap", "sta"])]["driver"]
    if driver in LIMITS and r.random() < 0.3:
        key = r.choice(sorted(LIMITS[driver]))
        s[driver][key] = r.choice(LIMITS[driver][key])
