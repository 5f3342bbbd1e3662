"""Draws scenarios that nobody would write, and runs them on the model.

    python python/tools/random_scenarios.py [--first N] [--count N]

A card at each end, a standard that both speak, flows, a kernel, and up to nine keys of `wavetank explain` at random values of
their ranges. Either the scenario is refused with a reason, or it ends: a panic, an overflow (upon a core that checks itself:
`scripts/venv checked`), a run that does not end, and one that is another the second time are faults, and printed with the
scenario as TOML.
"""

import argparse
import math
import multiprocessing
import random
import re
import sys
from collections import Counter
from typing import Any

from wavetank import Scenario, UserError, _core, keys

UNITS = {
    "time": {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9},
    "bytes": {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20},
    "rate": {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9},
}
#: What a value of these kinds is written in.
WRITTEN = {"time": "ns", "bytes": "B", "rate": "bit/s"}
#: Where a key's range leaves it open.
OPEN = {"time": (0, 1e9), "bytes": (0, 1e6), "rate": (1e4, 1e9), "count": (0, 1e6), "number": (0, 100)}
#: No time is longer, ns: a run is of a second.
LONGEST = 5e9
#: Keys that make a run of a second long, or that the scenario is made of.
LEFT = {
    "seed",
    "name",
    "description",
    "kernel",
    "topology.kind",
    "wifi.stations",
    "traffic.ping",
    "traffic.tcp_up",
    "traffic.tcp_down",
}
MARKS = ("CS0", "CS1", "AF41", "CS5", "EF", "CS6")
#: What each card speaks beside 802.11n.
CARDS = {
    "ath9k": (),
    "ath9k_tidq": (),
    "ath9k_htc": (),
    "ath10k": ("ac",),
    "mt76": ("ac", "ax"),
    "iwlwifi": ("ac", "ax"),
}


TRAFFIC: tuple[dict[str, Any], ...] = (
    {"tcp_up": 1}, {"tcp_up": 4}, {"tcp_down": 1}, {"tcp_down": 4}, {"tcp_up": 1, "tcp_down": 2}, {"rrul": True},
)  # fmt: skip


def _bound(text: str, kind: str) -> float:
    number, _, unit = text.partition(" ")
    return float(number) * UNITS.get(kind, {}).get(unit, 1)


def _between(r: random.Random, low: float, high: float) -> float:
    """One end in four; else small numbers as often as large ones."""
    if r.random() < 0.25:
        return r.choice([low, high])
    if low < 0:
        return r.uniform(low, high)
    return math.exp(r.uniform(math.log1p(low), math.log1p(high))) - 1


def value(r: random.Random, kind: str, allowed: str) -> Any:
    """A value of a key of this kind within its range (as `wavetank explain` says them); None for kinds that are not drawn."""
    if kind == "switch":
        return r.random() < 0.5
    if kind == "name":
        return r.choice(allowed.split(" | "))
    if kind == "DSCP":
        return r.choice(MARKS)
    if kind not in OPEN:
        return None
    ends = re.fullmatch(r"(-?[\d.]+(?: \S+)?) to (-?[\d.]+(?: \S+)?)(?: \(.*)?", allowed)
    low, high = (_bound(ends[1], kind), _bound(ends[2], kind)) if ends else OPEN[kind]
    number = _between(r, low, min(high, LONGEST) if kind == "time" else high)
    if kind == "number":
        return number
    return f"{int(number)} {WRITTEN[kind]}" if kind in WRITTEN else int(number)


def draw(seed: int) -> dict[str, Any]:
    """The scenario of this seed, as its file would say it."""
    r = random.Random(f"wavetank/any/{seed}")
    names = _core.registry()
    s: dict[str, Any] = {
        "name": f"any-{seed}",
        "kernel": r.choice(names["kernel"]),
        "topology": {"kind": "wifi" if r.random() < 0.8 else "wired"},
        "time": {"lead_in": "200 ms", "flows": "1 s", "warmup": "200 ms", "tail": "100 ms"},
        "traffic": dict(r.choice(TRAFFIC)),
        "tcp": {"cc": r.choice(names["cc"])},
    }
    if r.random() < 0.15:
        s["traffic"]["udp_down"] = r.choice(["1 Mbit/s", "100 Mbit/s", "1 Gbit/s"])
    if s["topology"]["kind"] == "wired":
        s |= {
            "htb": {"rate": r.choice(["1 Mbit/s", "20 Mbit/s", "500 Mbit/s"])},
            "netem": {"rate": r.choice(["5 Mbit/s", "300 Mbit/s"])},
        }
    else:
        _radios(r, s)
    every = list(keys.every().items())
    for _ in range(r.choice([0, 1, 2, 3, 4, 6, 9])):
        name, key = r.choice(every)
        if name in LEFT or key["section"] == "time":
            continue
        drawn = value(r, key["kind"], key["range"])
        if drawn is not None:
            s.setdefault(key["section"], {})[key["key"]] = drawn
    return s


def _radios(r: random.Random, s: dict[str, Any]) -> None:
    ap, sta = r.choice([*CARDS, "linksys"]), r.choice(list(CARDS))
    if r.random() < 0.06:
        ap = sta = "sora"
    both = set(CARDS.get(ap, ())) & set(CARDS.get(sta, ()))
    standard = "a" if ap == "sora" else r.choice(["n", *sorted(both)])
    s |= {
        "ap": {"driver": ap},
        "sta": {"driver": sta},
        "wifi": {"standard": standard, "stations": r.choice([1, 1, 1, 2, 3, 5, 8])},
    }
    if standard == "n":
        s["wifi"] |= {"mcs": r.randrange(16), "width_mhz": r.choice([20, 40])}
    elif standard != "a":
        s["wifi"] |= {
            "mcs": r.choice([0, 4, 7, 9]),
            "width_mhz": r.choice([20, 40, 80, 160]),
            "streams": r.choice([1, 2, 3]),
        }
    if r.random() < 0.2:
        s["channel"] = {"on": True}
    if r.random() < 0.2:
        s["ap"]["rate_control"] = r.choice(_core.registry()["rate"])
    if r.random() < 0.2:
        s["wifi"]["error_rate"] = round(r.random() / 2, 3)


def carry_out(s: dict[str, Any]) -> str:
    """``ran``, ``refused``, or what is wrong with the model."""
    try:
        scenario = Scenario.from_dict(s)
        first = scenario.run(seed=1)
    except (UserError, _core.ScenarioError):
        return "refused"
    except BaseException as e:  # a panic of the core is no Exception
        return f"{type(e).__name__}: {e}"
    return "ran" if scenario.run(seed=1).digest == first.digest else "another run the second time"


def _alone(s: dict[str, Any], limit: float) -> str:
    """The same in a process of its own, which may hang or die."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            return pool.apply_async(carry_out, (s,)).get(limit)
        except multiprocessing.TimeoutError:
            return f"has not ended after {limit:g} s"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--limit", type=float, default=120, help="a run and its twin may take so many seconds")
    args = parser.parse_args(words)
    said: Counter[str] = Counter()
    for seed in range(args.first, args.first + args.count):
        s = draw(seed)
        what = _alone(s, args.limit)
        said[what if what in ("ran", "refused") else "faults"] += 1
        if what not in ("ran", "refused"):
            print(f"# seed {seed}: {what}\n{Scenario.from_dict(s).text}", flush=True)
    print(", ".join(f"{n} {what}" for what, n in said.items()))
    return min(said["faults"], 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
