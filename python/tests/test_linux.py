"""The second water without its kernel: what a scenario becomes there."""

import numpy as np
import pytest
from linux_scenarios import AARC, MINSTREL, THESIS, UP, up, wired

import wavetank
from wavetank import UserError, _core, units
from wavetank.lab import plan
from wavetank.linux import like_linux, tree
from wavetank.linux.own import MODES
from wavetank.linux.translate import translate


@pytest.mark.parametrize(
    ("text", "read", "value"),
    [("200 ms", units.span, 200_000_000), ("170667 ns", units.span, 170667), ("16 KiB", units.size, 16384),
     ("10000000 B", units.size, 10**7), ("1 Gbit/s", units.rate, 10**9), ("0 ns", units.span, 0), ("300", units.size, 300)],
)  # fmt: skip
def test_units(text, read, value):
    assert read(text) == value


def test_times_and_flows():
    of = translate(up(), 3)
    c = of.case
    assert (c["flows_end"], c["end"], c["window_start"], c["window_end"]) == (
        2_400_000_000, 2_800_000_000, 1_000_000_000, 2_400_000_000)  # fmt: skip
    assert [f.name for f in of.flows] == ["up1", "down1", "udp_up1"]
    assert [line.split()[:4] for line in c["flow"]] == [
        ["tcp", "up", "0", "0"],
        ["tcp", "down", "0", "0"],
        ["udp", "up", "0", "0"],
    ]
    # 1470 bytes of payload at 1 Mbit/s
    assert c["flow"][2].split()[5:] == ["11760000", "1470", str(208 * 512)]
    assert c["echo"] == ["icmp 0 0 0"]
    assert c["radio"]["fixed_mcs"] == 7
    assert c["radio"]["mode"] == 0


@pytest.mark.parametrize(
    "sets",
    [{}, {"traffic.tcp_down": 2}, {"traffic.tcp_down": 0}, {"traffic.udp_down": "1 Mbit/s"}, {"traffic.rrul": True},
     {"traffic.rrul": True, "traffic.tcp_up": 1}, {"traffic.tcp_up": 3, "traffic.tcp_down": 2}],
)  # fmt: skip
def test_flows_that_are_left_open_are_the_models(sets):
    sets = {
        "traffic.ping": "off",
        "time.lead_in": "0 s",
        "time.warmup": "0 s",
        "time.flows": "50 ms",
        "time.tail": "0 s",
        **sets,
    }
    s = wavetank.Scenario.from_dict({k: v for k, v in UP.items() if k != "traffic"}).set(sets)
    assert [f.name for f in translate(s).flows] == [f.name for f in s.run().flows]


def test_jitter_follows_the_seed():
    starts = [[line.split()[5] for line in translate(up(), s).case["flow"][:2]] for s in (1, 1, 2)]
    assert starts[0] == starts[1] != starts[2]


def test_flows_start_on_linux_when_the_models_do():
    # Of two BBR flows the one that begins first has the shorter min_rtt for ten seconds: the seed decides for both waters.
    s = up(wifi__stations=2, traffic__tcp_down=1, traffic__start_jitter="1 s", traffic__start_step="700 ms")
    s = s.set({"time.lead_in": "1 s", "time.flows": "3 s", "time.warmup": "2 s", "time.tail": "0 ns"})
    for seed in (1, 2):
        words = [line.split() for line in translate(s, seed).case["flow"]]
        starts = {
            f.name: int(w[5 if w[0] == "tcp" else 4]) / 1e9
            for f, w in zip(translate(s, seed).flows, words, strict=True)
        }
        for f in s.run(seed).flows:
            first = f.series["t"][f.series["received"] > 0][0]
            assert starts[f.name] < first <= starts[f.name] + 0.25, f.name  # a sample each 200 ms
        assert len(set(starts.values())) == len(starts) >= 4 and min(starts.values()) >= 1


def test_echoes_of_several_stations_do_not_leave_at_once():
    starts = [int(line.split()[3]) for line in translate(up(wifi__stations=4)).case["echo"]]
    assert starts[0] == 0 and len(set(starts)) == 4 and max(starts) < 10_000_000
    model = [p.t[0] for p in up(wifi__stations=4).run().pings]
    assert model[0] == 0 and len(set(model)) == 4 and max(model) < 0.01
    assert model == pytest.approx([s / 1e9 for s in starts], abs=1e-9)
    together = up(wifi__stations=4, traffic__start_jitter="0 s")
    assert {p.t[0] for p in together.run().pings} == {0}


def test_rrul_marks_flows_their_acks_and_echoes():
    s = up(traffic__rrul=True, traffic__tcp_up=4, traffic__tcp_down=4, traffic__udp_up="off")
    words = [line.split() for line in translate(s).case["flow"]]
    assert [w[3] for w in words] == ["0", "32", "160", "184"] * 2
    assert [w[4] for w in words] == ["0", "32", "160", "184"] * 2
    echoes = [line.split() for line in translate(s).case["echo"]]
    assert [e[:3] for e in echoes] == [["icmp", "0", "0"], ["udp", "0", "0"], ["udp", "0", "32"], ["udp", "0", "184"]]
    quiet = translate(s.set(traffic__mark_acks=False)).case["flow"]
    assert {line.split()[4] for line in quiet} == {"0"}


@pytest.mark.parametrize(
    ("ms", "shift", "ca"),
    # 2^-10 s is 0.977 ms, so that 1 ms asks for 1.024 times the ratio; 6 ms is 0.768 of 2^-7 s
    [(1, 10, 123), (2, 9, 123), (4, 8, 123), (6, 7, 92), (8, 7, 123)],
)
def test_cotsq_is_a_shift_and_a_ratio(ms, shift, ca):
    case = translate(up(tcp__tsq="cotsq", tcp__tsq_ms=ms)).case
    assert case["tsq"] == case["sock_shift"] == shift
    assert f"net/ipv4/tcp_pacing_ca_ratio {ca}" in case["sysctl"]
    assert "net/ipv4/tcp_limit_output_bytes 10000000" in case["sysctl"]


def test_cotsq_without_its_upper_bound_is_no_tsq():
    off, unbound = (translate(up(tcp__tsq_bytes="off", tcp__tsq=mode)).case for mode in ("off", "cotsq"))
    assert (unbound["tsq"], unbound["sysctl"]) == (off["tsq"], off["sysctl"])


def test_the_shift_is_of_bbrs_window_too():
    bbr = translate(up(tcp__cc="bbr", tcp__tsq="off", tcp__gso_max_segs=1)).alike
    assert (bbr["tcp.tsq"], bbr["tcp.pacing_shift"]) == ("kernel", "0")
    assert "tcp.tsq" not in translate(up(tcp__cc="cubic", tcp__tsq="off", tcp__gso_max_segs=1)).alike


def test_a_cable_that_delays_drops_nothing():
    of = translate(up(backhaul__delay="20 ms", backhaul__qdisc="pfifo_fast"))
    assert of.alike["netem.limit"] == "100000"
    assert all("limit 100000" in line for line in of.case["tc"])


def test_htb_has_the_depths_of_this_machines_tc(monkeypatch):
    """Before iproute2 6.15 ``tc`` cuts a depth to whole microseconds (tc/tc_core.c tc_calc_xmittime)."""
    for release, alike in [((6, 1), "true"), ((6, 15), None), (None, None)]:
        monkeypatch.setattr(tree, "iproute2", lambda release=release: release)
        assert translate(wired()).alike.get("htb.whole_us") == alike
    monkeypatch.setattr(tree, "iproute2", lambda: (6, 1))
    # Beside CAKE, too, which has no rate of HTB's.
    cake = wired().set({"bottleneck.qdisc": "cake", "cake.bandwidth": "20 Mbit/s"})
    assert translate(cake).alike["htb.whole_us"] == "true"
    with pytest.raises(UserError, match=r"htb\.whole_us = false: cannot be had on linux"):
        translate(wired(htb__whole_us=False))


def test_tsq_off_and_the_kernels_own():
    off = translate(up(tcp__tsq="off")).case
    assert off["tsq"] == 0
    assert "net/ipv4/tcp_limit_output_bytes 2147483647" in off["sysctl"]
    # A second of the pacing rate is what is left of it: five where the rate is not kept to (r17-051: queues of three seconds).
    assert {"net/ipv4/tcp_pacing_ss_ratio 1000", "net/ipv4/tcp_pacing_ca_ratio 600"} <= set(off["sysctl"])
    paced = translate(up(tcp__tsq="off", tcp__enforce_pacing=True)).case
    assert {"net/ipv4/tcp_pacing_ss_ratio 200", "net/ipv4/tcp_pacing_ca_ratio 120"} <= set(paced["sysctl"])
    own = translate(up()).case
    assert "tsq" not in own
    assert not [s for s in own["sysctl"] if "limit_output_bytes" in s]
    assert translate(up(wifi__tx_sk_pacing_shift=8)).case["tsq"] == 8


def test_our_modules_take_their_sections():
    case = translate(up(tcp__cc="bbr-dev").set({"bbr-dev.drain_to_target": False})).case
    assert case["controls"] == {"bbr_dev": {"extra_acked_rtts": 10, "drain_to_target": 0}}
    assert case["flow"][0].endswith(" bbr_dev")
    assert translate(up(tcp__cc="bbrp")).case["controls"] == {"bbrp": {"bbrp_pace": 6}}
    assert "controls" not in translate(up(tcp__cc="bbr")).case


def test_parameters_of_the_kernels_own_controls_are_on_its_command_line():
    case = translate(up(tcp__cc="cubic").set({"cubic.beta": 600, "cubic.hystart": False, "vegas.alpha": 9})).case
    assert case["boot"] == ["tcp_cubic.beta=600", "tcp_cubic.hystart=0"]
    assert "boot" not in translate(up(tcp__cc="cubic")).case


def test_what_mac80211_lets_be_set_is_set():
    sets = {
        "mac80211.quantum": 1514, "mac80211.airtime_fairness": False, "mac80211.weight": 512, "ap.driver": "ath10k",
        "mac80211.aql": False, "mac80211.aql_low": "2 ms", "mac80211.aql_threshold": "9 ms",
    }  # fmt: skip
    assert translate(up().set(sets)).case["wiphy"] == [
        "all aqm fq_quantum 1514", "0 aqm fq_memory_limit 16777216", "all airtime_flags 0", "0 airtime_weight 512",
        "1 airtime_weight 512", "all aql_enable 0", *(f"all aql_txq_limit {ac} 2000 12000" for ac in range(4)),
        "all aql_threshold 9000",
    ]  # fmt: skip


def test_limits_are_each_drivers_own():
    sets = {
        "ap.driver": "ath10k",
        "ath9k.ampdu_bytes": 8191,
        "ath9k.airtime": "2 ms",
        "ath9k.retries": 3,
        "ath10k.retries": 4,
    }
    radio = translate(up().set(sets)).case["radio"]
    assert radio["max_bytes"] == [8191, 65535, 65535, 65535, 65535, 65535]
    assert radio["max_us"] == [2000, 4096, 5484, 4096, 4096, 4096]
    assert radio["retries"] == [3, 10, 4, 30, 14, 14]


@pytest.mark.parametrize(
    "sets",
    [
        {"sta.driver": "ath9k_htc", "sta.above": "qdisc", "sta.qdisc": "fq"},
        {"backhaul.qdisc": "fq", "traffic.tcp_down": 1},
    ],
)
def test_under_fq_no_bytes_bound_the_small_queue(sets):
    """It paces sockets, for which tcp_limit_output_bytes does not hold."""
    with pytest.raises(UserError, match="qdisc = fq"):
        translate(up().set({"tcp.tsq": "bytes", "tcp.tsq_bytes": "64 KiB", **sets}))


def test_cake_has_its_words():
    sets = {
        "cake.bandwidth": "20 Mbit/s", "cake.overhead": -4, "cake.mpu": 84, "cake.atm": "ptm", "cake.rtt": "30 ms",
        "cake.ack_filter": "aggressive", "cake.ingress": True, "cake.wash": True, "cake.split_gso": False,
        "cake.memlimit": "1 MiB", "cake.diffserv": "besteffort", "cake.flowmode": "dual-srchost",
    }  # fmt: skip
    alone = translate(wired(bottleneck__qdisc="cake").set(sets)).case["tc"]
    assert alone[-1] == (
        "R qdisc replace dev rs root handle 10: cake bandwidth 20000000bit besteffort dual-srchost rtt 30000us overhead -4 "
        "mpu 84 ptm ack-filter-aggressive ingress wash no-split-gso memlimit 1048576"
    )
    below = translate(wired(htb__leaf="cake")).case["tc"]
    words = "handle 10: cake unlimited diffserv3 triple-isolate rtt 100000us no-ack-filter"
    assert f"R qdisc add dev rs parent 1:1 {words}" in below


def test_the_first_window_is_of_the_route_that_flows_take():
    behind = translate(up(tcp__init_cwnd=4)).case["ip"]
    assert behind == [
        "C1 route change default via 10.1.0.1 initcwnd 4",
        "S route change default via 10.0.1.1 initcwnd 4",
    ]
    # to the access point itself there is no gateway
    alone = translate(up(tcp__init_cwnd=4, backhaul__present=False, wifi__stations=2)).case["ip"]
    link = "proto kernel scope link src"
    assert alone == [
        f"AP route change 10.1.0.0/24 dev wlan0 {link} 10.1.0.1 initcwnd 4",
        f"C1 route change 10.1.0.0/24 dev wlan1 {link} 10.1.0.10 initcwnd 4",
        f"C2 route change 10.1.0.0/24 dev wlan2 {link} 10.1.0.11 initcwnd 4",
    ]


def test_wired_is_htb_and_netem():
    case = translate(wired(netem__delay="10 ms", htb__leaf="fq_codel", bottleneck__place="local")).case
    assert case["topology"] == "wired"
    assert "C qdisc add dev cr parent 1:1 handle 10: fq_codel limit 10240 flows 1024" in "\n".join(case["tc"])
    assert "C class add dev cr parent 1: classid 1:1 htb rate 100000000bit burst 1600" in "\n".join(case["tc"])
    assert "S qdisc replace dev sr root handle 10: netem delay 10000us limit 1000" in case["tc"]
    assert "radio" not in case
    path = translate(
        wired(netem__delay="10 ms", netem__jitter="2 ms", netem__loss=0.001, netem__reorder=0.25, netem__gap=5)
    )
    words = "netem delay 10000us 2000us loss 0.1% reorder 25% gap 5 limit 1000"
    assert f"S qdisc replace dev sr root handle 10: {words}" in path.case["tc"]
    assert (
        "S qdisc replace dev sr root handle 10: netem delay 0us loss 1% limit 1000"
        in translate(wired(netem__loss=0.01)).case["tc"]
    )


def test_every_discipline_that_stands_in_another_has_words():
    leaves = next(r["range"] for r in _core.schema() if (r["section"], r["key"]) == ("htb", "leaf")).split(" | ")
    assert "fq_codel" in leaves
    for leaf in leaves:
        case = translate(wired(htb__leaf=leaf, netem__delay="10 ms")).case
        assert any(f" {leaf} " in f"{line} " for line in case["tc"]), leaf


def test_netem_is_told_what_tc_takes():
    def words(**netem):
        (line,) = [
            x for x in translate(wired(**{f"netem__{k}": v for k, v in netem.items()})).case["tc"] if "netem" in x
        ]
        return line.partition("handle 10: ")[2]

    assert (
        words(
            delay="20 ms", jitter="5 ms", delay_correlation=0.25, distribution="normal", loss=0.01, loss_correlation=0.3, ecn=True,
            reorder=0.1, reorder_correlation=0.5, gap=5, rate="20 Mbit/s", rate_overhead=-14,
        )
        == "netem delay 20000us 5000us 25% distribution normal loss 1% 30% ecn reorder 10% 50% gap 5 rate 20000000bit -14 limit 1000"
    )  # fmt: skip
    model = {"gemodel_p": 0.01, "gemodel_r": 0.3, "gemodel_1h": 0.8, "gemodel_1k": 0.001}
    assert words(**model) == "netem delay 0us loss gemodel 1% 30% 80% 0.1% limit 1000"
    assert words(gemodel_p=0) == "netem delay 0us loss gemodel 0% 100% 100% 0% limit 1000"
    assert words(duplicate=0.1) == "netem delay 0us duplicate 10% limit 1000"
    assert words(duplicate=0.1, duplicate_correlation=0.2) == "netem delay 0us 0us 0% duplicate 10% 20% limit 1000"
    assert words(rate="9 Mbit/s") == "netem delay 0us rate 9000000bit limit 1000"


def test_ath9k_htc_has_its_own_limits_and_a_discipline():
    case = translate(
        up(ap__driver="ath9k_htc", sta__driver="ath9k_htc", sta__qdisc="pfifo", ap__above="qdisc", sta__above="qdisc")
    ).case
    assert case["radio"]["mode"] == 1
    assert case["radio"]["htc_frames"] == 17
    assert case["radio"]["htc_qdisc"]
    txqs = translate(up(ap__driver="ath9k_htc", sta__driver="ath9k_htc")).case
    assert not txqs["radio"]["htc_qdisc"]
    assert "C1" not in " ".join(txqs["tc"])
    assert "C1 qdisc replace dev wlan1 root handle 10: pfifo limit 1000" in case["tc"]


def test_ath9k_before_4_10_has_a_discipline_and_the_thesis_its_switches():
    of = translate(
        wavetank.Scenario.load(THESIS).set(
            {
                "kernel": "6.12",
                "nic.rx_gap": "0 us",
                "tao.behind_holes": False,
                "wifi.stations": 10,
                "ap.qdisc": "aaq",
                "aaq.limit": 500,
                "tao.enabled": True,
                "stations.rx": "4 us*2, 9 us",
            }
        )
    )
    radio = of.case["radio"]
    assert radio["mode"] == 3
    assert (radio["max_frames"], radio["keep_turn"], radio["max_pending"], radio["rts"]) == (64, True, 123, True)
    assert radio["error_down_ppm"] == [0, *[500] * 8, 85000, 85000]
    assert radio["error_run_milli"] == [0, *[0] * 8, 3500, 3500]
    assert radio["rx_ns"] == [4000, 4000, 4000, 9000, *[4000] * 7]
    assert (radio["tao"], radio["tao_leave"]) == (True, 1)
    assert "AP qdisc replace dev wlan0 root handle 10: aaq limit 500" in of.case["tc"]
    assert "C10 qdisc replace dev wlan10 root handle 10: pfifo limit 1000" in of.case["tc"]
    assert "AP wlan0 10" in of.case["watch"]
    fq = translate(up(ap__driver="ath9k_tidq", sta__driver="ath9k_tidq", ap__qdisc="fq_codel", sta__qdisc="pfifo"))
    assert "AP qdisc replace dev wlan0 root handle 10: fq_codel limit 10240" in "\n".join(fq.case["tc"])
    assert "tao_leave" not in fq.case["radio"]


def test_contention_is_hostapds():
    lines = translate(
        up().set({"edca.be_cw_min": 7, "edca.vi_txop": "3008 us", "edca_ap.be_aifsn": 1, "edca_ap.vo_txop": "1504 us"})
    ).case["hostapd"]
    assert lines == [
        "wmm_ac_vi_txop_limit=94",
        "wmm_ac_be_cwmin=3",
        "tx_queue_data0_burst=1.5",
        "tx_queue_data2_aifs=1",
    ]


def test_the_kernels_own_rate_control():
    radio = translate(
        up().set({**MINSTREL, "wifi.mcs": 15, "wifi.mcs_error": "0*5, 0.5", "wifi.error_rate": "0.1"})
    ).case["radio"]
    assert "fixed_mcs" not in radio
    assert radio["streams"] == 2
    assert radio["error_ppm"] == [100_000] * 5 + [550_000]


def test_rate_control_by_modules_and_on_one_side():
    case = translate(up().set({"ap.rate_control": "aasrc", "aasrc.max_backoff": "100 ms"})).case
    assert case["rc"] == "aasrc,fixed"
    assert case["rc_params"]["max_backoff_ms"] == 64, "a power of two, as in the model"
    assert (case["radio"]["fixed_mcs"], case["radio"]["streams"]) == (7, 1)
    assert "feedback" not in case
    assert "channel" not in case
    case = translate(up().set({**AARC, "aarc.threshold": 1.5, "aarc.delay": "3 ms"})).case
    assert (case["rc_params"]["threshold"], case["rc_params"]["ack_snr"], case["feedback"]) == (150, False, 3_000_000)
    assert case["channel"]["csi"]


def test_a_channel_is_written_down_for_the_seed():
    s = up().set({"channel.on": True, "channel.power_step": "4 ms"})
    one, again, other = (s.channel_trace(seed) for seed in (1, 1, 2))
    assert one == again != other
    # two links; 2800 ms in steps of 2 ms, and the end; two SNRs, 8 MCSs at 40 and at 20 MHz and 8 rates of 802.11a
    assert one[:8] == b"WTCHAN3\n"
    assert len(one) == 32 + 2 * (8 + 1401 * (4 + 4 * 24))
    first = np.frombuffer(one[44:140], "<u4")
    assert np.all(first[8:16] <= first[:8]) and np.any(first[8:16] < first[:8])  # half the width has twice the power
    assert len(s.set({"wifi.width_mhz": 20}).channel_trace(1)) == 32 + 2 * (8 + 1401 * (4 + 4 * 16))
    assert len(s.channel_trace(1, csi=True)) == len(one) + 2 * 1401 * 4 * 114
    assert up().channel_trace(1) is None
    assert translate(s).case["channel"]["channel.power_step"] == "4 ms"


def test_hack_is_carried_out_with_its_values():
    assert "hack" not in translate(up()).case["radio"]
    radio = translate(up().set({"hack.policy": "more-data", "hack.bytes": 300, "hack.load": "7 us"})).case["radio"]
    assert [radio[k] for k in ("hack", "hack_bytes", "hack_load_ns", "hack_guard_us")] == [4, 300, 7000, 100000]
    assert translate(up().set({"hack.policy": "opportunistic"})).case["radio"]["hack"] == 3
    with pytest.raises(UserError, match="whole microseconds"):
        translate(up().set({"hack.policy": "timer", "hack.timer": "1500500 ns"}))
    assert translate(up().set({"medium.response_error": 0.1})).case["radio"]["answer_error_ppm"] == 100000
    assert translate(up().set({"wifi.standard": "a"})).case["wmm"] is False


@pytest.mark.parametrize(
    ("driver", "standard", "octets", "amsdu"),
    [
        ("ath10k", "n", 65_535, 4_065),
        ("ath10k", "ac", 2**20 - 1, 11_454 - 30),
        ("mt76", "ac", 2**20 - 1, 7_991 - 30),
        ("mt76", "ax", 6_500_631, 7_991 - 30),
    ],
)
def test_what_firmware_keeps_to(driver, standard, octets, amsdu):
    """802.11-2020 9.7.1, 9.4.2.157; 802.11ax-2021 table 27-55: A-MPDUs and A-MSDUs that a peer takes."""
    sets = {"wifi.standard": standard, "wifi.mcs": 9, "wifi.width_mhz": 40, "ap.driver": driver, "sta.driver": driver}
    radio = translate(up().set({**sets, f"{driver}.tid_depth": 2, f"{driver}.report": "1 ms"})).case["radio"]
    mode = MODES[driver]
    assert (radio["max_bytes"][mode], radio["amsdu_bytes"][mode]) == (octets, amsdu)
    assert (radio["tid_depth"][mode], radio["report_us"][mode]) == (2, 1000)
    assert (radio.get("vht", False), radio.get("he", False)) == (standard != "n", standard == "ax")


def test_encryption_leaves_less_of_an_mpdu():
    sets = {"wifi.standard": "ac", "wifi.encryption": "ccmp", "ap.driver": "ath10k", "sta.driver": "ath10k"}
    assert translate(up().set({**sets, "wifi.mcs": 9})).case["radio"]["amsdu_bytes"][2] == 11_454 - 30 - 16


def test_one_discipline_for_all_categories_is_told_of():
    def told(**sets):
        of = translate(up(sta__driver="ath9k_htc", **{"traffic__tcp_up": 4, "traffic__rrul": True, **sets}))
        return any(n.startswith("a discipline above ath9k_htc: ") for n in of.notes)

    assert told(sta__above="qdisc")
    assert not told(sta__above="txqs")
    assert not told(sta__above="qdisc", traffic__marks=False)
    one = {"sta__above": "qdisc", "traffic__rrul": False, "traffic__tcp_dscp": "EF", "traffic__udp_dscp": "EF"}
    assert told(**one, traffic__ping_dscp="CS1")
    assert not told(**one, traffic__ping_dscp="EF")


def test_a_network_at_2_4_ghz_is_on_channel_1():
    def told(**sets):
        return translate(up().set({"wifi.band": "2.4 GHz", **{k.replace("__", "."): v for k, v in sets.items()}}))

    of = told()
    assert (of.case["ghz2"], of.case["hostapd"]) == (True, ["preamble=1"])
    assert "beacon.rate" not in of.alike
    assert not any("channel" in note or "CCK" in note for note in of.notes)
    assert "ghz2" not in translate(up()).case
    long = told(wifi__short_preamble=False, wifi__dsss_basic_rate="5.5 Mbit/s", beacon__rate="1 Mbit/s")
    assert long.case["hostapd"] == ["basic_rates=10 20 55"]
    with pytest.raises(UserError, match="lowest basic rate, 1 Mbit/s"):
        told(beacon__rate="6 Mbit/s")
    old = told(wifi__standard="a", wifi__rate="6 Mbit/s", wifi__mcs=0)
    assert old.case["radio"]["fixed_legacy"] == 4


def test_a_network_of_802_11b_and_g():
    def told(**sets):
        g = {"wifi.standard": "g", "wifi.band": "2.4 GHz", "wifi.rate": "54 Mbit/s", "wifi.stations": 3}
        s = wavetank.Scenario.from_dict({"name": "g", "topology": {"kind": "wifi"}})
        return translate(s.set({**g, **{k.replace("__", "."): v for k, v in sets.items()}}))

    alone = told()
    assert alone.case["radio"]["fixed_legacy"] == 11, "802.11b's four rates stand before 802.11g's"
    assert (alone.case["wmm"], alone.case["hostapd"]) == (False, ["preamble=1"])
    assert not {"dsss", "erp_protection"} & set(alone.case["radio"])
    mixed = told(stations__rate="54 Mbit/s, 5.5 Mbit/s")
    assert mixed.case["radio"]["fixed_legacy"] == [11, 11, 2, 11]
    assert mixed.case["radio"]["dsss"] == [0, 0, 1, 0]
    assert mixed.case["radio"]["erp_protection"] is False, "6.12's ath9k leaves it out"
    assert told(stations__rate="2 Mbit/s", ap__driver="ath9k_tidq").case["radio"]["erp_protection"] is True
    assert told(stations__rate="2 Mbit/s", wifi__erp_protection=True).case["radio"]["erp_protection"] is True
    b = told(wifi__standard="b", wifi__rate="11 Mbit/s")
    assert (b.case["radio"]["dsss"], b.case["radio"]["fixed_legacy"]) == (1, 3)
    assert b.case["hostapd"] == ["preamble=1", "basic_rates=10 20 55 110", "hw_mode=b"]


def test_stations_of_their_own_rates():
    s = up(wifi__stations=3, wifi__mcs=15).set({"stations.mcs": "0, 7*2"})
    assert translate(s).case["radio"]["fixed_mcs"] == [15, 0, 7]
    short = translate(s.set({"stations.mcs": "0", "stations.error_up": "0.1", "host.ap_rx": "9 us"})).case["radio"]
    assert short["fixed_mcs"] == [15, 0, 15]
    assert short["error_up_ppm"] == [0, 100000, 0, 0]
    assert short["rx_ns"] == [9000, 4000, 4000, 4000]


def test_what_it_has_of_its_own_is_said_and_given_to_the_model():
    of = translate(up())
    assert of.values["host.hz"] == "100"
    assert of.alike["host.hz"] == "100"
    assert of.alike["ethernet.rate"] == "400 Gbit/s"
    assert any(n.startswith("host.hz is 100") for n in of.notes)
    assert of.own and set(of.own) < {*of.notes, ""}
    assert like_linux(up()).check()["host.hz"] == "100"
    assert "kernel" not in of.alike


def test_a_wired_receiver_has_the_senders_skbs_not_the_virtual_cards_copies():
    """By the ratio of payload to memory TCP decides how far a window may open: 64 KiB asked for let out 44 kB as copies, 79 kB in the
    sender's pages (the kernel: 31.13 Mbit/s). It is told with one segment still to be read. Less than a segment takes less memory, too."""
    of = translate(wired())
    assert (of.alike["tcp.rx_truesize"], of.values["tcp.rx_pages"], of.values["tcp.rx_per_buffer"]) == (
        "2344 B",
        "true",
        "17",
    )
    assert translate(up()).alike["tcp.rx_truesize"] == "4352 B"
    window = (2 * 65536 - 2344) * (1448 * 256 // 2344) // 256
    like = like_linux(
        wired().set({"tcp.rcvbuf": "64 KiB", "tcp.gso_max_segs": 1, "netem.delay": "20 ms", "time.flows": "5 s"})
    )
    assert like.run(1).flows[0].goodput_mbit == pytest.approx(window // 1448 * 1448 * 8 / 20_000, rel=0.01)
    # as the kernel has it: 0.23 and 0.58 Mbit/s
    for size, mbit in {"1 KiB": 0.230, "2 KiB": 0.579}.items():
        assert like.set({"tcp.rcvbuf": size}).run(1).flows[0].goodput_mbit == pytest.approx(mbit, rel=0.01)


def test_wired_hosts_have_the_kernels_clock_and_programs():
    assert like_linux(wired()).check()["host.hz"] == "100"
    for key, value in {"host.hz": 250, "host.wake": "50 us"}.items():
        with pytest.raises(UserError, match=key):
            translate(wired().set({key: value}))
    translate(wired().set({"host.sta_rx": "9 us"}))  # of a radio's host


def test_the_thesis_figures_can_be_had_but_for_the_commercial_access_point():
    figures, _ = plan.on_linux(plan.load("aaq"))
    refused = []
    for name, p in {(f.id, n): p for f in figures for n, p in f.points.items()}.items():
        try:
            assert translate(p.scenario, 1).case["radio"]["mode"] == 3
        except UserError as e:
            refused.append((name, str(e)))
    assert refused
    assert all("ap.driver = linksys" in why for _, why in refused)


def test_figures_on_linux_say_what_stands_in():
    figures, why = plan.on_linux(plan.load("cotsq"))
    values = figures[0].points["TSQ"].scenario.check()
    assert (values["kernel"], values["tcp.gso_max_segs"], values["tcp.tsq_pkts"]) == ("6.12", "1", "2")
    assert len(why) >= 2
    cannot = set()
    for f in figures:
        for p in f.points.values():
            try:
                translate(p.scenario)
            except UserError as e:
                cannot.add(str(e).partition(": cannot")[0].rpartition(": ")[2])
    # figure 9 is of 802.11ac
    assert cannot <= {"wifi.standard = ac"}
