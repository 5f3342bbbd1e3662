"""Keys that say nothing are told of."""

import pytest

from wavetank import Scenario, UserError, idle, shipped, way_back

TWO = {"name": "s", "topology": {"kind": "wifi"}, "wifi": {"stations": 2}}


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("ap.qdisc", "pfifo", "ath9k has mac80211's queues"),
        ("sta.above", "qdisc", "sta.driver is not ath9k_htc"),
        ("fq_codel.limit", 5, "there is no fq_codel"),
        ("cake.rtt", "5 ms", "there is no cake"),
        ("tcp.tsq_ms", 1, 'tcp.tsq is "kernel"'),
        ("htb.rate", "5 Mbit/s", "topology.kind is wifi"),
        ("ath10k.report", "1 ms", "no card has the driver ath10k"),
        ("channel.snr", 0, "channel.on is false"),
        ("bbr2.beta", 70, "no flow has bbr2"),
        ("traffic.udp_payload", 200, "there is no UDP flow"),
        ("stations.udp_dscp", ["EF", "CS0"], "there is no UDP flow"),
        ("traffic.mark_acks", False, "no TCP flow has a mark"),
        ("traffic.marks", False, "traffic.rrul is false"),
        ("traffic.rrul_echoes", False, "traffic.rrul is false"),
        ("mac80211.aql_low", "1 ms", "no card has the driver ath10k"),
        ("aasrc.window", 64, "no card's rate_control is aasrc, aarc or aarc_snr"),
        ("minstrel_ht.bitrates", 7, "no card's rate_control is minstrel_ht"),
        ("tao.leave", 3, "tao.enabled is false"),
        ("hack.timer", "5 ms", "hack.policy is off"),
        ("stations.mcs", [1, 2, 3], "3 values for 2 stations: those behind are not used"),
        ("traffic.cc", ["cubic", "bbr"], "2 values for 1 TCP flow each way: those behind are not used"),
        ("traffic.tcp_delay", ["0 ms", "9 ms", "40 ms"], "3 values for 1 TCP flow each way"),
        ("stations.tcp_up", [5], "1 value for 2 stations: the others have what holds for all"),
    ],
)
def test_what_changes_nothing_is_said(key, value, why):
    notes = idle.notes(Scenario.from_dict(TWO).set({key: value}))
    assert len(notes) == 1
    assert notes[0].startswith(key)
    assert why in notes[0]


@pytest.mark.parametrize(
    "beside", [{}, {"rate": "20 Mbit/s"}, {"delay": "5 ms", "jitter": "1 ms"}, {"gemodel_p": 0.05}]
)
def test_what_netem_is_told_of_what_does_not_happen_changes_nothing(beside):
    """Each is told exactly where the run is the same without it."""
    times = {"lead_in": "0 s", "flows": "300 ms", "tail": "0 s", "warmup": "0 s"}
    wires = {"name": "s", "topology": {"kind": "wired"}, "htb": {"rate": "20 Mbit/s"}, "time": times}
    bare = Scenario.from_dict(wires).set({"netem.delay": "5 ms"} | {f"netem.{k}": v for k, v in beside.items()})
    digest = bare.run().digest
    hows = {
        "delay_correlation": 0.5, "distribution": "normal", "loss": 0.1, "loss_correlation": 0.5, "gemodel_r": 0.1,
        "gemodel_1h": 0.5, "gemodel_1k": 0.1, "duplicate_correlation": 0.5, "reorder_correlation": 0.5, "gap": 3,
        "rate_overhead": 100,
    }  # fmt: skip
    for key, value in hows.items():
        s = bare.set({f"netem.{key}": value})
        assert (f"netem.{key}" in idle.keys(s)) == (s.run().digest == digest), key
    assert "nothing is lost" in idle.keys(Scenario.from_dict(wires).set({"netem.ecn": True}))["netem.ecn"]


@pytest.mark.parametrize(
    "text",
    [
        '\ufeffname = "s"\r\ntopology.kind = "wifi"\r\nhtb.rate = "5 Mbit/s"\r\n',
        'name = "s"\ntopology = { kind = "wifi", }\nhtb = {\n  rate = "5 Mbit/s",\n}\n',
        'name = "s"\ndescription = "\\e[1m"\n[topology]\nkind = "wifi"\n["htb"]\n"rate" = "5 Mbit/s"\n',
    ],
)
def test_what_is_given_is_read_as_the_core_reads_it(text, tmp_path, wavetank):
    """Windows's editors put a mark before UTF-8; TOML 1.1 has more than Python's tomllib."""
    (tmp_path / "s.toml").write_bytes(text.encode())
    s = Scenario.load(tmp_path / "s.toml")
    assert s.given() >= {"name", "topology.kind", "htb.rate"}
    assert [n.partition(" ")[0] for n in idle.notes(s)] == ["htb.rate"]
    assert idle.notes(Scenario(text)) == idle.notes(s)


def test_a_driver_with_queues_that_its_kernel_had_not():
    s = Scenario.from_dict(TWO).set({"kernel": "3.18", "ap.driver": "ath9k", "sta.driver": "ath9k_tidq"})
    (never,) = idle.notes(s)
    assert never.startswith("kernel 3.18 had no mac80211 queues for ath9k")
    assert "are what ap has here" in never
    qdisc, _ = idle.notes(s.set({"ap.qdisc": "pfifo"}))
    assert qdisc.startswith("ap.qdisc = pfifo changes nothing here") and "ath9k_tidq" in qdisc
    assert idle.notes(s.set({"ap.driver": "ath9k_tidq"})) == []
    linksys = idle.notes(Scenario.from_dict(TWO).set({"ap.driver": "linksys", "ap.qdisc": "aaq"}))
    assert linksys == [
        "ap.qdisc = aaq changes nothing here: linksys has queues of its own, a station and category each"
    ]


def test_a_backlog_where_packets_take_no_time():
    s = Scenario.from_dict(TWO).set({"host.backlog": 5, "host.ap_rx": 0})
    assert idle.notes(s.set({"host.sta_rx": "4 us"})) == []
    assert idle.notes(s.set({"host.sta_rx": 0})) == [
        "host.backlog = 5 changes nothing here: a received packet takes no host any time"
    ]
    assert "host.backlog" not in idle.keys(s.set({"host.sta_rx": 0, "stations.rx": "0 us, 1 us"}))


def test_htb_and_what_stands_in_it_are_there_where_it_is_set():
    s = Scenario.from_dict({**TWO, "backhaul": {"qdisc": "htb"}, "htb": {"rate": "5 Mbit/s", "leaf": "fq"}})
    assert idle.notes(s.set({"fq.limit": 50, "pfifo.limit": 5})) == [
        "pfifo.limit = 5 changes nothing here: there is no pfifo"
    ]


def test_cake_in_htbs_place():
    wired = {"name": "s", "topology": {"kind": "wired"}, "bottleneck": {"qdisc": "cake"}}
    s = Scenario.from_dict(wired).set({"cake.bandwidth": "5 Mbit/s", "htb.burst": "15 kB"})
    assert idle.notes(s) == ["htb.burst = 15000 B changes nothing here: bottleneck.qdisc is cake"]


def test_what_has_one_reason_is_one_sentence():
    s = Scenario.from_dict(TWO).set(
        {"traffic.udp_up": "5 Mbit/s", "tcp.cc": "vegas", "vegas.alpha": 8, "tcp.rcvbuf": "64 KiB"}
    )
    assert idle.notes(s) == ["tcp.cc, tcp.rcvbuf, vegas.alpha change nothing here: there is no TCP flow"]
    assert set(idle.keys(s)) == {"tcp.cc", "tcp.rcvbuf", "vegas.alpha"}


def test_what_changes_something_is_not():
    sets = {
        "ap.driver": "ath9k_htc",
        "ap.above": "qdisc",
        "ap.qdisc": "pfifo",
        "pfifo.limit": 50,
        "tcp.tsq": "cotsq",
        "tcp.tsq_ms": 2,
    }
    sets |= {
        "ath9k.depth": 3,
        "ath9k_htc.retries": 4,
        "stations.mcs": [1, 2],
        "backhaul.delay": "1 ms",
        "nic.gro": False,
    }
    assert idle.notes(Scenario.from_dict(TWO).set(sets)) == []
    ac = {"wifi.standard": "ac", "wifi.mcs": 5, "wifi.width_mhz": 80, "ap.driver": "ath10k", "sta.driver": "ath10k"}
    assert idle.notes(Scenario.from_dict(TWO).set(ac)) == []
    wired = {
        "name": "w",
        "topology": {"kind": "wired"},
        "htb": {"rate": "9 Mbit/s", "leaf": "fq"},
        "fq": {"flow_limit": 20},
    }
    assert idle.notes(Scenario.from_dict(wired)) == []


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (
            {"wifi.standard": "a", "wifi.width_mhz": 40},
            ["wifi.width_mhz = 40 changes nothing here: 802.11a has channels of one"],
        ),
        (
            {"wifi.standard": "g", "wifi.band": "2.4 GHz", "wifi.short_gi": True},
            ["wifi.short_gi = true changes nothing here: 802.11g"],
        ),
        (
            {"wifi.standard": "a", "wifi.mcs": 7},
            ["wifi.mcs = 7 changes nothing here: 802.11a has rates, not MCSs (wifi.rate)"],
        ),
        ({"wifi.rate": "54 Mbit/s"}, ["wifi.rate = 54 Mbit/s changes nothing here: 802.11n has MCSs"]),
        ({"wifi.standard": "a", "wifi.width_mhz": 20, "wifi.short_gi": False, "wifi.aggregation": False}, []),
        ({"wifi.standard": "g", "wifi.band": "2.4 GHz", "wifi.rate": "6 Mbit/s"}, []),
        ({"wifi.standard": "n", "wifi.mcs": 7, "wifi.width_mhz": 40, "wifi.short_gi": True}, []),
        ({"wifi.standard": "a"}, []),
    ],
)
def test_keys_of_another_standard_are_told_of_even_at_their_defaults(sets, said):
    notes = idle.notes(Scenario.from_dict(TWO).set(sets))
    assert len(notes) == len(said)
    assert all(note.startswith(words) for note, words in zip(notes, said, strict=True))


@pytest.mark.parametrize(
    ("sets", "key", "why"),
    [
        ({"wifi.standard": "a"}, "edca.be_cw_min", "802.11a has no access categories"),
        ({"wifi.standard": "a"}, "ath9k.ampdu_frames", "no frame goes in an aggregate"),
        ({"wifi.aggregation": False}, "ath9k.window", "no frame goes in an aggregate"),
        ({}, "ath9k.max_pending", "no card has the driver ath9k_tidq, which has queues of its own"),
        ({}, "mac80211.slow_threshold", "no station counts as slow (mac80211.slow_stations)"),
    ],
)
def test_what_other_keys_leave_nothing_to_say(sets, key, why):
    s = Scenario.from_dict(TWO).set({**sets, key: 15})
    assert idle.keys(s) == {key: why}
    there = {"wifi.standard": "n", "wifi.aggregation": True, "ap.driver": "ath9k_tidq", "mac80211.slow_stations": True}
    assert idle.keys(s.set(there)) == {}


def test_a_wired_way_back_has_no_rate():
    wired = Scenario.from_dict({"name": "w", "topology": {"kind": "wired"}, "htb": {"rate": "9 Mbit/s"}})
    for sets in ({"traffic.tcp_down": 4}, {"traffic.rrul": True}, {"stations.tcp_down": [2]}):
        assert way_back.notes(wired.set(sets)) == [way_back.NOTE]
        assert way_back.notes(wired.set(sets).set({"netem.rate": "9 Mbit/s"})) == []
    for sets in ({}, {"traffic.udp_down": "5 Mbit/s"}, {"stations.tcp_down": [0], "traffic.tcp_up": 1}):
        assert way_back.notes(wired.set(sets)) == []
    assert way_back.notes(Scenario.from_dict(TWO).set({"traffic.tcp_down": 4})) == []


@pytest.mark.parametrize("seed", [-1, 2**64, "a", 1.5])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(UserError, match="seed"):
        Scenario.from_dict(TWO).run(seed)


def test_mt76_at_both_ends_has_its_own_reorder_buffer_and_chain():
    s = Scenario.from_dict(TWO).set(
        {"ap.driver": "mt76", "sta.driver": "mt76", "reorder.timeout": "50 ms", "fixed.tries": 2}
    )
    assert idle.notes(s) == [
        "fixed.tries = 2 changes nothing here: mt76's hardware sends each PPDU once and forms the next anew",
        "reorder.timeout = 50 ms changes nothing here: mt76 has a reorder buffer of its own",
    ]
    assert len(idle.notes(s.set({"mt76.reorder": False}))) == 1
    assert idle.notes(s.set({"sta.driver": "ath9k"})) == []


def test_iwlwifi_has_its_own_reorder_buffer_and_no_airtime_queue_limits():
    s = Scenario.from_dict(TWO).set({
        "ap.driver": "mt76", "sta.driver": "iwlwifi", "kernel": "6.12", "reorder.timeout": "50 ms", "fixed.tries": 2,
        "iwlwifi.he_ampdu_extension": 2,
    })  # fmt: skip
    assert idle.notes(s) == [
        "fixed.tries = 2 changes nothing here: iwlwifi's and mt76's hardware sends each PPDU once and forms the next anew",
        "iwlwifi.he_ampdu_extension = 2 changes nothing here: 802.11n has no such exponent",
        "reorder.timeout = 50 ms changes nothing here: iwlwifi and mt76 have their own",
    ]
    assert len(idle.notes(s.set({"mt76.reorder": False}))) == 2
    alone = Scenario.from_dict(TWO).set({"ap.driver": "iwlwifi", "sta.driver": "iwlwifi", "mac80211.aql_low": "1 ms"})
    assert [n.partition(" ")[0] for n in idle.notes(alone)] == ["mac80211.aql_low"]


def test_floors_with_fewer_places_than_stations():
    on = Scenario.from_dict(TWO).set({"channel.on": True})
    assert idle.notes(on.set({"floor.topology": 3})) == []
    assert idle.notes(on.set({"floor.topology": 3, "wifi.stations": 4})) == []
    (note,) = idle.notes(on.set({"floor.topology": 3, "wifi.stations": 5}))
    assert note.startswith("floor.topology = 3 has four stations")
    (note,) = idle.notes(on.set({"floor.walk": 1}))
    assert note.startswith("floor.walk: 2 stations walk the same way")
    assert idle.notes(on.set({"floor.walk": 1, "wifi.stations": 1})) == []
    assert idle.notes(on.set({"floor.walk": 1, "stations.snr": [20, 30]})) == []


SHORT = {"time.lead_in": "0 s", "time.flows": "300 ms", "time.tail": "0 s", "time.warmup": "0 s"}
OLD = {"wifi.standard": "g", "wifi.band": "2.4 GHz", "wifi.rate": "54 Mbit/s", **SHORT}
#: Half of what its only MCS carries is lost: probes go on to the rates of 802.11b.
CCK = {
    "wifi.band": "2.4 GHz",
    "wifi.width_mhz": 20,
    "wifi.mcs": 0,
    "wifi.error_rate": 0.5,
    "sta.rate_control": "minstrel_ht",
    **SHORT,
}
NARROW = {"topology.kind": "wired", "htb.rate": "3 Mbit/s", "htb.leaf": "fq_codel", "fq_codel.target": "1 ms", **SHORT}


@pytest.mark.parametrize(
    ("sets", "key", "value", "why"),
    [
        (NARROW, "htb.quantum", "9000 B", "htb has one class here, which takes turns with nobody"),
        (NARROW, "fq_codel.ecn", False, "no packet can be marked: tcp.ecn is false"),
        ({**NARROW, "tcp.ecn": True}, "fq_codel.ecn", False, ""),
        ({**NARROW, "netem.loss": 0.3}, "netem.ecn", True, "no packet can be marked: tcp.ecn is false"),
        ({**NARROW, "netem.loss": 0.3, "tcp.ecn": True, "traffic.tcp_down": 1}, "netem.ecn", True, ""),
        ({**SHORT, "wifi.mcs": 0, "mac80211.target": "1 ms"}, "mac80211.ecn", False, "no packet can be marked: tcp.ecn is false"),
        ({**SHORT, "wifi.mcs": 0, "traffic.tcp_up": 0}, "mac80211.ecn", False, "no packet can be marked: there is no TCP flow"),
        (OLD, "wifi.erp_protection", True, "no station is 802.11b's"),
        (OLD, "wifi.dsss_basic_rate", "1 Mbit/s", "no station is 802.11b's"),
        (OLD, "wifi.short_preamble", False, "no station is 802.11b's"),
        ({**OLD, "stations.rate": "11 Mbit/s", "ap.driver": "ath9k"}, "wifi.erp_protection", True, ""),
        ({**OLD, "stations.rate": "11 Mbit/s, 2 Mbit/s"}, "wifi.erp_protection", True, "all stations are 802.11b's"),
        ({**OLD, "stations.rate": "11 Mbit/s"}, "wifi.dsss_basic_rate", "1 Mbit/s", ""),
        ({**OLD, "stations.rate": "11 Mbit/s"}, "wifi.short_preamble", False, ""),
        ({**CCK, "sta.rate_control": "fixed"}, "wifi.short_preamble", False, "no station is 802.11b's"),
        (CCK, "wifi.erp_protection", True, "no station is 802.11b's"),
        (CCK, "wifi.short_preamble", False, ""),
        ({**SHORT, "wifi.mcs": 0}, "edca.vo_cw_min", 1, "no station sends voice"),
        ({**SHORT, "wifi.mcs": 0}, "edca_ap.vi_txop", "1024 us", "the access point never sends video"),
        ({**SHORT, "wifi.mcs": 0}, "edca.be_cw_min", 31, ""),
        ({**SHORT, "wifi.mcs": 0}, "edca_ap.be_aifsn", 9, ""),
        ({**SHORT, "wifi.mcs": 0, "traffic.tcp_dscp": "EF"}, "edca.vo_cw_min", 1, ""),
        ({**SHORT, "wifi.mcs": 0, "traffic.tcp_dscp": "EF"}, "edca_ap.vo_cw_min", 1, ""),
        ({**SHORT, "wifi.mcs": 0, "traffic.tcp_dscp": "EF", "kernel": "5.4"}, "edca.vo_cw_min", 1, "no station sends voice"),
        ({**SHORT, "wifi.mcs": 0, "traffic.tcp_dscp": "EF", "kernel": "5.4"}, "edca.vi_cw_min", 1, ""),
        (
            {**SHORT, "wifi.mcs": 0, "traffic.tcp_dscp": "EF", "traffic.mark_acks": False},
            "edca_ap.vo_cw_min", 1, "the access point never sends voice",
        ),
        ({**SHORT, "wifi.mcs": 0, "traffic.rrul": True}, "edca.bk_aifsn", 1, ""),
        ({**SHORT, "wifi.mcs": 0, "traffic.rrul": True, "traffic.marks": False}, "edca.bk_aifsn", 1, "no station sends background"),
        ({**SHORT, "traffic.udp_up": "9 Mbit/s", "stations.udp_dscp": "EF", "wifi.mcs": 0}, "edca.vo_cw_min", 1, ""),
        (
            {**SHORT, "traffic.udp_up": "9 Mbit/s", "traffic.udp_dscp": "EF", "wifi.mcs": 0},
            "edca_ap.vo_cw_min", 1, "the access point never sends voice",
        ),
        (
            {**SHORT, "traffic.udp_up": "9 Mbit/s", "traffic.udp_dscp": "EF", "traffic.ping": "off", "wifi.mcs": 0},
            "edca.be_cw_min", 31, "no station sends best effort",
        ),
        ({**SHORT, "traffic.ping": "10 ms", "traffic.ping_dscp": "CS1", "wifi.mcs": 0}, "edca_ap.bk_aifsn", 15, ""),
    ],
)  # fmt: skip
def test_what_is_told_is_what_leaves_the_run_as_it_is(sets, key, value, why):
    s = Scenario.from_dict(TWO).set(sets)
    with_it = s.set({key: value})
    assert idle.keys(with_it).get(key, "").startswith(why) and bool(why) == (key in idle.keys(with_it))
    assert (with_it.run().digest == s.run().digest) == bool(why)


FLOWS = {"lead_in": "0 s", "flows": "200 ms", "tail": "0 s", "warmup": "0 s"}


@pytest.mark.parametrize(
    ("beside", "key", "value"),
    [
        ({"stations.mcs": [1, 2]}, "wifi.mcs", 15),
        ({"stations.mcs": [1, 2], "ap.rate_control": "minstrel_ht", "channel.on": True}, "wifi.mcs", 15),
        ({"stations.mcs": [1]}, "wifi.mcs", 15),
        ({"stations.rate": ["54 Mbit/s", "6 Mbit/s"], "wifi.standard": "a"}, "wifi.rate", "12 Mbit/s"),
        ({"stations.driver": ["ath9k", "ath9k_htc"]}, "sta.driver", "ath9k_htc"),
        ({"stations.rx": ["1 us", "2 us"]}, "host.sta_rx", "50 us"),
        ({"stations.cc": ["bbr", "reno"]}, "tcp.cc", "vegas"),
        ({"stations.cc": ["bbr", "reno"]}, "traffic.cc", "vegas"),
        ({"stations.cc": ["bbr"]}, "tcp.cc", "vegas"),
        ({"stations.cc": ["bbr"], "traffic.cc": ["reno"]}, "tcp.cc", "vegas"),
        ({"traffic.cc": ["reno"], "traffic.tcp_up": 3}, "tcp.cc", "vegas"),
        ({"stations.tcp_up": [1, 2]}, "traffic.tcp_up", 3),
        ({"stations.udp_up": ["1 Mbit/s", "2 Mbit/s"]}, "traffic.udp_up", "5 Mbit/s"),
        ({"stations.error_up": [0.1, 0.2], "stations.error_down": [0, 0.2]}, "wifi.error_rate", 0.4),
        ({"stations.error_up": [0.1, 0.2]}, "wifi.error_rate", 0.4),
        ({"stations.ssthresh": [5, 6]}, "tcp.ssthresh", 3),
        ({"stations.snr": [20, 30], "channel.on": True}, "channel.snr", 10),
    ],
)
def test_what_is_set_on_top_of_lists_that_have_all_is_told_where_the_run_is_the_same(beside, key, value):
    both = {"traffic.tcp_up": 1, "traffic.tcp_down": 1, **beside}
    s = Scenario.from_dict({**TWO, "time": FLOWS}).set(both)
    over = s.set({key: value})
    assert (key in idle.keys(over)) == (over.run().digest == s.run().digest)


def test_the_default_set_on_top_is_told_of_too_and_a_files_own_keys_are_not():
    bbr = {**TWO, "stations": {"cc": ["bbr", "bbr"]}, "tcp": {"cc": "vegas"}}
    assert idle.notes(Scenario.from_dict(bbr)) == []
    assert idle.notes(Scenario.from_dict(bbr).set({"tcp.cc": "cubic"})) == [
        "tcp.cc = cubic changes nothing here: every station has its own (stations.cc)"
    ]


@pytest.mark.parametrize(
    ("beside", "key", "value"),
    [
        ({}, "floor.loss_db", 30),
        ({"floor.topology": 3}, "floor.least_snr", 20),
        ({"floor.walk": 1.5}, "floor.noise_dbm", -80),
        ({}, "channel.drift_time", "1 s"),
        ({"channel.drift_db": 5}, "channel.drift_time", "1 s"),
        ({}, "channel.power_range", 5),
        ({"channel.power_step": "10 ms"}, "channel.power_range", 5),
        ({}, "channel.burst_db", 40),
        ({}, "channel.burst_length", "9 ms"),
        ({"channel.burst_every": "20 ms"}, "channel.burst_db", 40),
        ({"ap.rate_control": "minstrel_ht", "sta.rate_control": "minstrel_ht"}, "fixed.tries", 2),
        ({"ap.rate_control": "minstrel_ht"}, "fixed.tries", 2),
        ({"traffic.rrul": True, "traffic.tcp_up": 4}, "traffic.mark_acks", False),
        ({"traffic.rrul": True, "traffic.tcp_up": 4, "traffic.marks": False}, "traffic.mark_acks", False),
    ],
)
def test_how_something_is_that_does_not_happen_is_told_where_the_run_is_the_same(beside, key, value):
    times, both = {**FLOWS, "flows": "600 ms"}, {"tcp_up": 1, "tcp_down": 1}
    s = Scenario.from_dict({**TWO, "time": times, "traffic": both, "channel": {"on": True, "snr": 22}}).set(beside)
    over = s.set({key: value})
    assert (key in idle.keys(over)) == (over.run().digest == s.run().digest)


@pytest.mark.parametrize(("standard", "told"), [("ac", True), ("ax", False)])
def test_an_exponent_of_he_alone(standard, told):
    s = Scenario.from_dict(TWO).set({"wifi.standard": standard, "ap.driver": "mt76", "sta.driver": "mt76"})
    assert ("mt76.he_ampdu_extension" in idle.keys(s.set({"mt76.he_ampdu_extension": 1}))) == told


def test_what_a_scenario_of_the_package_keeps_for_others_is_not_told():
    """Nobody who runs it wrote its keys; what is set on top makes some of them idle, and that is told."""
    for path in shipped.SCENARIOS.glob("*.toml"):
        assert idle.notes(Scenario.load(path)) == [], path.name
    thesis = Scenario.load(shipped.SCENARIOS / "thesis-ath9k.toml")
    assert idle.notes(thesis.set({"wifi.stations": 14})) == []
    own = idle.notes(Scenario(thesis.text).set({"wifi.stations": 14}))
    assert [n.partition(" ")[0] for n in own] == ["linksys.rts_threshold", "tao.behind_holes"]
    (few,) = [n for n in idle.notes(thesis.set({"wifi.stations": 20})) if "error_down" in n]
    assert few.startswith("stations.error_down has 14 values for 20 stations")
    assert list(idle.keys(thesis.set({"ap.driver": "linksys"}))) == ["ap.qdisc"]
    assert list(idle.keys(thesis.set({"linksys.rts_threshold": "off"}))) == []
    assert list(idle.keys(thesis.set({"tao.leave": 3}))) == ["tao.leave"]


def test_how_an_rts_goes_is_told_where_none_does():
    s = Scenario.from_dict(TWO).set({"ath9k.rts_rate": "basic"})
    assert idle.notes(s) == []  # before what goes again by a later link
    alone = s.set({"fixed.links": 1})
    assert [n.partition(" = ")[0] for n in idle.notes(alone)] == ["ath9k.rts_rate"]
    assert (
        idle.notes(alone.set({"ath9k.rts_threshold": 0}))
        == idle.notes(alone.set({"ap.rate_control": "minstrel_ht"}))
        == []
    )


RATES = {
    "name": "s",
    "topology": {"kind": "wifi"},
    "wifi": {"standard": "n", "mcs": 7, "error_rate": 0.05},
    "ap": {"driver": "ath9k"},
}
RATES |= {
    "time": {"lead_in": "0 s", "flows": "1 s", "tail": "0 s", "warmup": "200 ms"},
    "traffic": {"tcp_down": 1, "tcp_up": 0},
}


def test_without_a_channel_aarc_is_aasrc_of_another_back_off_and_says_so():
    s = Scenario.from_dict(RATES)
    guided = s.set({"ap.rate_control": "aarc"})
    (note,) = idle.notes(guided)
    assert note.startswith("ap.rate_control = aarc has nothing to go by: without a channel") and note.endswith(
        "(256 ms)"
    )
    plain = s.set({"ap.rate_control": "aasrc", "aasrc.max_backoff": "256 ms"})
    assert idle.notes(plain) == []
    digest = guided.run().digest
    assert digest == plain.run().digest != s.set({"ap.rate_control": "aasrc"}).run().digest
    assert digest == s.set({"ap.rate_control": "aarc_snr"}).run().digest
    for key, value in {
        "threshold": 3,
        "delay": "9 ms",
        "loss": 0.5,
        "max_age": "40 ms",
        "feedback": "block_ack",
    }.items():
        other = guided.set({f"aarc.{key}": value})
        assert f"aarc.{key}" in idle.keys(other) and other.run().digest == digest
    shorter = guided.set({"aarc.max_backoff": "16 ms"})
    assert idle.keys(shorter) == {} and shorter.run().digest != digest


def test_guides_that_have_a_channel_are_not_told_of():
    s = Scenario.from_dict(RATES).set({"channel.on": True, "wifi.error_rate": 0, "sta.driver": "ath9k"})
    both = {"ap.rate_control": "aarc", "sta.rate_control": "aarc_snr"}
    assert idle.notes(s.set(both)) == []
    (note,) = idle.notes(s.set({**both, "channel.on": False}))
    assert note.startswith("ap.rate_control = aarc and sta.rate_control = aarc_snr have nothing to go by")
