"""Keys that a card, a standard or a floor leaves nothing to say: told where the run is the same with them, and only there."""

import pytest

from wavetank import idle
from wavetank.scenario import Scenario

TWO = {
    "name": "two",
    "topology": {"kind": "wifi"},
    "wifi": {"stations": 2, "mcs": 7, "error_rate": 0.1},
    "traffic": {"tcp_up": 1, "tcp_down": 1},
}
SHORT = {"time.lead_in": "0 s", "time.flows": "600 ms", "time.tail": "0 s", "time.warmup": "0 s"}
WIRED = {"topology.kind": "wired", "htb.rate": "20 Mbit/s", "netem.delay": "5 ms", "traffic.udp_up": "1 Mbit/s"}
HTC = {"ap.driver": "ath9k_htc", "sta.driver": "ath9k_htc"}
AX = {"wifi.standard": "ax", "wifi.streams": 1, "wifi.width_mhz": 20, "wifi.mcs": 5}
IWL = {**AX, "ap.driver": "iwlwifi", "sta.driver": "iwlwifi"}
MT76 = {**AX, "ap.driver": "mt76", "sta.driver": "mt76"}
LINKSYS = {"ap.driver": "linksys"}
ALONE = {"wifi.aggregation": False}
G = {"wifi.standard": "g", "wifi.band": "2.4 GHz", "wifi.rate": "54 Mbit/s"}
B = {"wifi.standard": "b", "wifi.band": "2.4 GHz", "wifi.rate": "11 Mbit/s"}
ROOM = {"wifi.error_rate": 0, "channel.on": True}
CALL = {"traffic.udp_down": "5 Mbit/s", "traffic.udp_dscp": "EF"}
HACK = {"hack.policy": "more-data", "wifi.error_rate": 0}


@pytest.mark.parametrize(
    ("sets", "key", "value", "why"),
    [
        *((WIRED, f"stations.{key}", value, "") for key, value in (
            ("tcp_down", 2), ("tcp_up", 2), ("cc", "reno"), ("udp_up", "2 Mbit/s"), ("udp_down", "2 Mbit/s"), ("udp_payload", 200),
            ("ssthresh", 5), ("stretch_acks", True),
        )),
        *((WIRED, f"stations.{key}", value, "topology.kind is wired") for key, value in (("rx", "50 us"), ("snr", 20), ("weight", 512))),
        *((ends, key, "2048 us", "ath9k_htc has one PPDU") for ends in (HTC, {**HTC, "wifi.error_rate": 0})
          for key in ("edca.be_txop", "edca_ap.be_txop")),
        ({}, "edca_ap.be_txop", "1024 us", ""),
        ({"stations.driver": ["ath9k", "ath9k_htc"], "sta.driver": "ath9k_htc"}, "edca.be_txop", "1024 us", ""),
        (MT76, "edca_ap.be_txop", "9984 us", ""),
        (LINKSYS, "edca_ap.be_txop", "1024 us", "linksys' opportunities"),
        ({**LINKSYS, **CALL}, "edca_ap.vo_txop", "0 us", ""),
        *((ap, key, value, f"{ap['ap.driver']} tells mac80211 of no airtime") for ap in (HTC, IWL, LINKSYS, {"ap.driver": "ath9k_tidq"})
          for key, value in (("stations.weight", [1024, 128]), ("mac80211.airtime_fairness", False), ("mac80211.weight", 1024))),
        *((ap, "stations.weight", [4096, 16], "") for ap in ({}, MT76)),
        (HTC, "fixed.tries", 3, "ath9k_htc's firmware has a chain of its own"),
        ({**HTC, "sta.driver": "ath9k"}, "fixed.tries", 1, ""),
        *((old, key, value, "no frame is under a Block Ack agreement") for old in (ALONE, G)
          for key, value in (("ath9k.rts_threshold", 256), ("ath9k.depth", 1), ("ath9k.retries", 2), ("reorder.timeout", "30 ms"))),
        ({**ALONE, "kernel": "5.4"}, "ath9k.rts_threshold", 256, ""),
        ({**ALONE, "ap.driver": "ath9k_tidq"}, "ath9k.rts_threshold", 256, ""),
        *(({}, key, value, "") for key, value in (("ath9k.rts_threshold", 256), ("ath9k.depth", 1), ("ath9k.retries", 2))),
        (B, "wifi.basic_rate", "12 Mbit/s", "802.11b's control frames"),
        *(({**ROOM, **floor}, key, value, why) for floor in ({"floor.topology": 3}, {"floor.walk": "1 m/s"})
          for key, value, why in (("channel.snr", 12, "each station's place"), ("channel.k_db", 10, "on the floor it is floor.k_db"))),
        *((ROOM, key, value, "") for key, value in (("channel.snr", 12), ("channel.k_db", 10))),
        (HACK, "hack.timer", "5 ms", 'hack.policy is "more-data"'),
        ({**HACK, "hack.policy": "timer"}, "hack.timer", "5 ms", ""),
        ({}, "backhaul.at", "server", "backhaul.qdisc is pfifo_fast"),
    ],
)  # fmt: skip
def test_what_is_told_is_what_leaves_the_run_as_it_is(sets, key, value, why):
    s = Scenario.from_dict(TWO).set(sets | SHORT)
    with_it = s.set({key: value})
    assert idle.keys(with_it).get(key, "").startswith(why) and bool(why) == (key in idle.keys(with_it))
    assert (with_it.run().digest == s.run().digest) == bool(why)
