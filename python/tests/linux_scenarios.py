"""Scenarios that the tests of the second water begin from."""

from pathlib import Path

import wavetank

THESIS = Path(wavetank.__file__).parent / "experiments" / "scenarios" / "thesis-ath9k.toml"


UP = {
    "name": "up",
    "topology": {"kind": "wifi"},
    "time": {"lead_in": "400 ms", "flows": "2 s", "tail": "400 ms", "warmup": "600 ms"},
    "traffic": {"tcp_up": 1, "tcp_down": 1, "udp_up": "1 Mbit/s"},
    "backhaul": {"present": True, "qdisc": "fq_codel"},
}


WIRED = {"name": "w", "topology": {"kind": "wired"}, "htb": {"rate": "100 Mbit/s"}}


MINSTREL = {"ap.rate_control": "minstrel_ht", "sta.rate_control": "minstrel_ht"}


AARC = {"ap.rate_control": "aarc", "channel.on": True}


def up(**sets):
    return wavetank.Scenario.from_dict(UP).set(**sets)


def wired(**sets):
    return wavetank.Scenario.from_dict(WIRED).set(**sets)
