"""The second water without its kernel: which keys are carried out there, which are refused, and what is said of it."""

import pytest
from linux_scenarios import AARC, MINSTREL, up, wired

import wavetank
from wavetank import UserError
from wavetank.linux.own import OWN
from wavetank.linux.translate import translate

#: A value that no key of that unit has as its default.
OTHER = {"count": "9", "time": "77 ms", "bytes": "77 KiB", "rate": "18 Mbit/s", "number": "0.5"}


#: Keys whose other value is another, or which say nothing in this scenario.
BY_HAND = {
    "kernel": "5.4", "topology.kind": "wired", "traffic.udp_payload": "99", "wifi.width_mhz": "20", "wifi.standard": "a",
    "tcp.cc": "reno", "tcp.tsq": "off", "backhaul.qdisc": "pfifo", "ap.driver": "ath9k_htc", "sta.driver": "ath9k_htc",
    "wifi.band": "2.4 GHz", "wifi.basic_rate": "12 Mbit/s", "wifi.error_rate": "0.1", "time.warmup": "1 s", "time.flows": "5 s",
    "tcp.gso_max_size": "30000", "ath9k.density": "4 us", "host.ap_rx": "4 us", "ath9k.airtime": "2 ms", "tcp.init_cwnd": "20",
    "ath9k.ampdu_bytes": "30000", "fixed.links": "2", "wifi.rate": "54 Mbit/s", "tcp.rto_min": "300 ms", "host.hz": "250",
    "traffic.start_step": "0 ns", "traffic.ping_stations": "0", "traffic.udp_down": "2 Mbit/s", "ethernet.rate": "2 Gbit/s", "ethernet.ring": "512", "wifi.tx_sk_pacing_shift": "8",
}  # fmt: skip


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        ({"kernel": "4.14"}, ["kernel = 4.14", "Linux 6.12", "leave it out, or set 6.12"]),
        ({"host.hz": 300}, ["host.hz", "HZ = 100"]),
        ({"tcp.tsq": "packets"}, ["tcp.tsq = packets", "milliseconds and bytes"]),
        ({"tcp.tsq": "cotsq", "tcp.tsq_pkts": 1}, ["tcp.tsq_pkts = 1", "two skbs"]),
        ({"tcp.tsq": "cotsq", "tcp.tsq_ms": 6, "tcp.cc": "bbr"}, ["tcp.tsq_ms", "bbr", "powers of two"]),
        ({"wifi.mcs": 31}, ["wifi.mcs", "MCS 23"]),
        ({"ap.rate_control": "aasrc", "ap.driver": "ath10k"}, ["chooses rates by itself"]),
        ({**AARC, "aarc.feedback": "block_ack"}, ["aarc.feedback", "the card's own"]),
        ({**AARC, "aarc.loss": 0.1}, ["aarc.loss"]),
        ({**AARC, "aasrc.silence": "1500 us"}, ["aasrc.silence", "whole milliseconds"]),
        ({**MINSTREL, "stations.mcs_up": "3"}, ["stations.mcs_up", "both ways"]),
        ({"wifi.stations": 40}, ["wifi.stations", "32"]),
        ({"mac80211.target": "10 ms"}, ["mac80211.target", "constant"]),
        ({"ath9k.rimt_last": "1500 ns"}, ["ath9k.rimt_last", "whole microseconds"]),
        ({"ap.driver": "ath9k_htc", "wifi.encryption": "ccmp"}, ["one value for all cards"]),
        ({"tcp.cc": "bbr2"}, ["tcp.cc = bbr2", "Linux 6.12 has no bbr2"]),
        ({"tcp.cc": "bbrp", "bbrp.bbrp_pace": 16}, ["bbrp.bbrp_pace = 16", "10 bits"]),
        ({"tcp.cc": "bbr-plus", "bbr-plus.probe_gain": 1024}, ["bbr-plus.probe_gain = 1024", "10 bits"]),
        ({"edca.be_txop": "100 us"}, ["edca.be_txop", "32 us"]),
        ({"ath9k.plain_depth": 4}, ["ath9k.plain_depth"]),
        ({"ap.driver": "linksys"}, ["ap.driver", "ath9k_tidq"]),
        ({"ethernet.rate": "100 Mbit/s"}, ["ethernet.rate", "veth"]),
        ({"beacon.interval": 0}, ["beacon.interval = 0", "15 to 10000"]),
        ({"beacon.interval": 10001}, ["beacon.interval = 10001", "15 to 10000"]),
    ],
)
def test_what_cannot_be_had_is_refused(sets, words):
    with pytest.raises((UserError, wavetank.ScenarioError)) as e:
        translate(up().set(sets))
    for w in words:
        assert w in str(e.value)


def test_keys_of_parts_that_are_not_there_say_nothing():
    translate(up().set({"ath9k_htc.cpu_frame": "1 us", "vegas.alpha": 3, "htb.rate": "1 Mbit/s"}))
    translate(wired().set({"wifi.mcs": 31, "ath9k.window": 8}))


def test_links_have_keys():
    case = translate(up().set({"wifi.encryption": "ccmp"})).case
    assert (case["ccmp"], case["radio"]["edma"]) == (True, True)
    case = translate(up().set({"wifi.encryption": "ccmp", "ath9k.edma": False})).case
    assert case["radio"]["edma"] is False
    assert "ccmp" not in translate(up()).case


def test_every_key_is_carried_out_refused_or_of_another_part():
    """Set to another value, a key changes what the guest is given, is refused, or belongs to a part that is not there."""
    from wavetank import _core

    base = translate(up())
    silent = []
    for row in _core.schema():
        key = f"{row['section']}.{row['key']}" if row["section"] else row["key"]
        value = BY_HAND.get(key, OTHER.get(row["kind"]))
        if row["kind"] == "switch":
            value = "false" if row["default"] == "true" else "true"
        if value in (None, row["default"], OWN.get(key, ("",))[0]) or row["section"] in {
            *_core.registry()["cc"],
            *_core.registry()["qdisc"],
        } - {"cubic"}:
            continue
        try:
            of = translate(up().set({key: value}))
        except (UserError, wavetank.ScenarioError):
            continue
        if (of.case, of.seed) == (base.case, base.seed) and _relevant(key):
            silent.append(f"{key} = {value}")
    assert silent == []


def _relevant(key):
    """Of these the scenario has no such part: another driver, another topology, a discipline that no device has."""
    others = {
        "bottleneck.",
        "ath9k_htc.",
        "ath10k.",
        "mt76.",
        "iwlwifi.",
        "linksys.",
        "sora.",
        "reno.",
        "ap.qdisc",
        "sta.qdisc",
        "ath9k.max_pending",
        "ath9k.keep_turn",
        "tao.leave",
        "tao.behind_holes",
        "hack.",
        "aasrc.",
        "aarc.",
        "floor.",
    }
    if key.startswith("channel."):
        return key == "channel.on"
    # what no small queue asks for, the other standard's rate, marks that only RRUL has, a place that says the same
    quiet = {"tcp.tsq_bytes", "tcp.tsq_ms", "tcp.tsq_pkts", "wifi.rate", "traffic.marks", "traffic.mark_acks", "traffic.rrul_echoes", "description", "name",
             "wifi.band", "host.ap_rx"}  # fmt: skip
    return key not in quiet and not any(key.startswith(o) for o in others)


def test_what_it_says_to_set_can_be_set():
    from wavetank import _core, keys
    from wavetank.linux.own import ALIKE, OWN, OWN_WIRED, of_tc

    for key, (own, _) in {**OWN, **of_tc(), **OWN_WIRED}.items():
        if own is not None and own not in keys.every():
            _core.value("--set", key, ALIKE.get(key, own))  # raises ScenarioError
    for key, value in ALIKE.items():
        of = translate(up().set({key: value}))
        assert of.values[key] == "off" and key not in of.alike
    with pytest.raises(UserError, match="leave it out, or set 400 Gbit/s"):
        translate(up().set({"ethernet.rate": "100 Mbit/s"}))
