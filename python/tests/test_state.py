"""`--state`: the formats against lines that Linux's own tools printed, and the model's state against its samples."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import wavetank
from wavetank import state
from wavetank.state import cake, debugfs, shown, ss, tc

TEXT = """
name = "s"
[topology]
kind = "wifi"
[wifi]
mcs = 15
[sta]
driver = "ath9k"
[ap]
driver = "ath9k"
[traffic]
tcp_up = 1
tcp_down = 1
[time]
lead_in = "1 s"
flows = "3 s"
tail = "500 ms"
warmup = "1 s"
"""
#: Printed by ss (iproute2 6.1) in the guest of the second water, but for its addresses' columns, f, o and bl of skmem, and lastack.
SENDER = (
    "\t skmem:(r0,rb131072,t470016,tb1953792,w1380832,d0) cubic wscale:7,7 rto:220 rtt:14.146/0.391 mss:1448 rcvmss:536"
    " advmss:1448 cwnd:424 ssthresh:172 bytes_sent:14432216 bytes_acked:14049945 segs_out:9969 segs_in:5119"
    " data_segs_out:9967 send 347208822bps lastsnd:10 lastrcv:1120 pacing_rate 416643216bps delivery_rate 109661864bps"
    " delivered:9704 busy:1120ms unacked:264 rcv_space:14480 rcv_ssthresh:64088 notsent:978848 minrtt:1.553 snd_wnd:968832"
)
INFO = {
    "tcpi_options": 7,
    "tcpi_snd_wscale": 7,
    "tcpi_rcv_wscale": 7,
    "tcpi_rto": 220_000,
    "tcpi_ato": 0,
    "tcpi_snd_mss": 1448,
    "tcpi_rcv_mss": 536,
    "tcpi_advmss": 1448,
    "tcpi_rtt": 14_146,
    "tcpi_rttvar": 391,
    "tcpi_snd_cwnd": 424,
    "tcpi_snd_ssthresh": 172,
    "tcpi_bytes_sent": 14_432_216,
    "tcpi_bytes_retrans": 0,
    "tcpi_bytes_acked": 14_049_945,
    "tcpi_segs_out": 9969,
    "tcpi_segs_in": 5119,
    "tcpi_data_segs_out": 9967,
    "tcpi_last_data_sent": 10,
    "tcpi_last_data_recv": 1120,
    "tcpi_pacing_rate": 52_080_402,
    "tcpi_delivery_rate": 13_707_733,
    "tcpi_delivered": 9704,
    "tcpi_busy_time": 1_120_000,
    "tcpi_unacked": 264,
    "tcpi_reordering": 3,
    "tcpi_rcv_space": 14_480,
    "tcpi_rcv_ssthresh": 64_088,
    "tcpi_notsent_bytes": 978_848,
    "tcpi_min_rtt": 1553,
    "tcpi_snd_wnd": 968_832,
}
SOCKET = state.Socket(
    flow=0,
    peer="server",
    local=("10.0.0.2", 33_000),
    remote=("10.0.0.3", 49_200),
    state="ESTAB",
    recv_q=0,
    send_q=1_361_120,
    cc="cubic",
    info=INFO,
    mem={
        "rmem_alloc": 0,
        "rcvbuf": 131_072,
        "wmem_alloc": 470_016,
        "sndbuf": 1_953_792,
        "wmem_queued": 1_380_832,
        "drops": 0,
    },
)


def with_info(**changed: int) -> state.Socket:
    return replace(SOCKET, info={**INFO, **{f"tcpi_{k}": v for k, v in changed.items()}})


def test_a_senders_line_is_what_ss_printed():
    head, socket, line = ss.text([SOCKET]).splitlines()
    assert head.split() == ["State", "Recv-Q", "Send-Q", "Local", "Address:Port", "Peer", "Address:Port"]
    assert socket.split() == ["ESTAB", "0", "1361120", "10.0.0.2:33000", "10.0.0.3:49200"]
    assert line == SENDER


def test_words_that_are_there_only_at_times():
    # By hand from misc/ss.c tcp_stats_print: order, and when.
    words = " ".join(
        ss.words(
            with_info(
                ato=40_000, bytes_retrans=2896, delivery_rate_app_limited=1, rwnd_limited=280_000, retrans=1, total_retrans=4, lost=2,
                sacked=5, dsack_dups=1, reordering=9, reord_seen=2, rcv_rtt=26_084, snd_ssthresh=0x7FFF_FFFF, pacing_rate=2**64 - 1,
            )
        )
    )  # fmt: skip
    assert "ato:40 mss:1448" in words and "bytes_sent:14432216 bytes_retrans:2896 bytes_acked" in words
    assert (
        "delivered:9704 app_limited busy:1120ms rwnd_limited:280ms(25.0%) unacked:264 retrans:1/4 lost:2 sacked:5"
        in words
    )
    assert "dsack_dups:1 reordering:9 reord_seen:2 rcv_rtt:26.084 rcv_space" in words
    assert "ssthresh:" not in words.replace("rcv_ssthresh", "") and "pacing_rate" not in words
    assert "send" not in " ".join(ss.words(replace(SOCKET, cc="vegas")))
    hidden = [replace(SOCKET, state=s) for s in ("LISTEN", "UNCONN", "SYN-RECV")]
    assert len(ss.text(hidden).splitlines()) == 1


def test_bbrs_words_are_what_ss_printed():
    bbr = state.Bbr(bw=2_988_829, min_rtt_us=20_000, pacing_gain=320, cwnd_gain=512)
    words = list(ss.words(replace(SOCKET, cc="bbr", bbr=bbr)))
    assert "bbr:(bw:23910632bps,mrtt:20,pacing_gain:1.25,cwnd_gain:2)" in words
    assert words.index("data_segs_out:9967") + 1 == words.index(ss.bbr(replace(SOCKET, bbr=bbr)))


def test_disciplines_are_what_tc_printed_but_for_what_the_model_does_not_keep():
    # tc (iproute2 6.1) in the guest of the second water: refcnt and HTB's options are left out, overlimits, requeues and maxpacket are "-".
    printed = [
        "qdisc htb 1: dev rs root refcnt 2 r2q 10 default 0x1 direct_packets_stat 0 ver 3.17 direct_qlen 1000",
        " Sent 18438652 bytes 12206 pkt (dropped 7, overlimits 12154 requeues 0) ",
        " backlog 22710b 15p requeues 0",
        "qdisc fq_codel 10: dev rs parent 1:1 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64 ",
        " Sent 18438652 bytes 12206 pkt (dropped 7, overlimits 0 requeues 0) ",
        " backlog 22710b 15p requeues 0",
        "  maxpacket 1514 drop_overlimit 0 new_flow_count 51 ecn_mark 0 memory_used 35160",
        "  new_flows_len 0 old_flows_len 3",
    ]
    options = {
        "limit": 10_240, "flows": 1024, "quantum": 1514, "target": 5000, "interval": 100_000, "memory_limit": 2**25, "ecn": 1, "drop_batch": 64,
    }  # fmt: skip
    stats = {
        "drop_overlimit": 0, "new_flow_count": 51, "ecn_mark": 0, "ce_mark": 0, "memory_used": 35_160, "drop_overmemory": 0, "new_flows_len": 0,
        "old_flows_len": 3,
    }  # fmt: skip
    both = [("htb", None, {}, {}), ("fq_codel", "1:1", options, stats)]
    qdiscs = tuple(state.Qdisc(k, p, 18_438_652, 12_206, 7, 22_710, 15, o, s) for k, p, o, s in both)
    expected = re.sub(r"(overlimits|requeues|maxpacket) \d+", r"\1 -", "".join(f"{line}\n" for line in printed))
    expected = re.sub(r"root refcnt.*", "root ", expected)
    assert tc.text([state.Device("rs", qdiscs, {}, None)]) == expected


def test_cake_is_what_tc_printed():
    # As above, four uploads through a bottleneck of 20 Mbit/s; ARP is in the voice tin there.
    printed = f"""\
qdisc cake 10: dev rs root bandwidth 20Mbit diffserv3 triple-isolate nonat nowash no-ack-filter split-gso rtt 100ms raw overhead 0{" "}
 Sent 12446376 bytes 8280 pkt (dropped 64, overlimits - requeues -){" "}
 backlog 18266b 13p requeues -
 memory used: 86728b of 4Mb
 capacity estimate: 20Mbit
 min/max network layer size:           42 /    1514
 min/max overhead-adjusted size:       42 /    1514
 average network hdr offset:           14

                   Bulk  Best Effort        Voice
  thresh       1250Kbit       20Mbit        5Mbit
  target         14.5ms          5ms          5ms
  interval        110ms        100ms        100ms
  pk_delay          0us       8.67ms          0us
  av_delay          0us       5.46ms          0us
  sp_delay          0us       2.51ms          0us
  backlog            0b       18266b           0b
  pkts                0         8355            2
  bytes               0     12561454           84
  way_inds            0            0            0
  way_miss            0            5            1
  way_cols            0            0            0
  drops               0           64            0
  marks               0            0            0
  ack_drop            0            0            0
  sp_flows            0            1            0
  bk_flows            0            4            0
  un_flows            0            0            0
  max_len             0         1514           42
  quantum           300          610          300

"""
    names = [key for _, key, _ in cake.LINES]
    tins = (
        (156_250, 14_532, 109_532, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 300),
        (2_500_000, 5000, 100_000, 8670, 5462, 2513, 18_266, 8355, 12_561_454, 0, 5, 0, 64, 0, 0, 1, 4, 0, 1514, 610),
        (625_000, 5000, 100_000, 0, 0, 0, 0, 2, 84, 0, 1, 0, 0, 0, 0, 0, 0, 0, 42, 300),
    )
    options = dict.fromkeys(("diffserv", "wash", "ingress", "ack-filter", "atm", "overhead", "mpu", "memlimit"), 0)
    options |= {"bandwidth": 2_500_000, "flowmode": 7, "split_gso": 1, "rtt": 100_000, "raw": 1}
    stats = {
        "memory_used": 86_728, "memory_limit": 2**22, "capacity_estimate": 2_500_000, "min_network_size": 42,
        "max_network_size": 1514, "min_adj_size": 42, "max_adj_size": 1514, "avg_hdr_offset": 14,
    }  # fmt: skip
    tables = tuple(dict(zip(names, t, strict=True)) for t in tins)
    q = state.Qdisc("cake", None, 12_446_376, 8280, 64, 18_266, 13, options, stats, tables)
    assert tc.text([state.Device("rs", (q,), {}, None)]) == printed
    # By hand from tc/q_cake.c cake_print_opt.
    options |= {
        "bandwidth": 0,
        "diffserv": 4,
        "wash": 1,
        "ingress": 1,
        "ack-filter": 2,
        "split_gso": 0,
        "raw": 0,
        "atm": 2,
    }
    options |= {"overhead": -14, "mpu": 84, "memlimit": 2**20, "rtt": 30_000}
    assert "".join(cake.options(options)) == (
        "bandwidth unlimited precedence triple-isolate nonat wash ingress ack-filter-aggressive no-split-gso rtt 30ms "
        "ptm overhead -14 mpu 84 memlimit 1Mb "
    )


def test_netem_is_what_tc_prints():
    # tc (iproute2 6.1) in the guest of the second water; what comes twice by hand from tc/q_netem.c netem_print_opt.
    def printed(**set_):
        o = {"limit": 1000, "delay": 0, "jitter": 0, "loss": 0, "reorder": 0, "gap": 0, **set_}
        q = state.Qdisc("netem", None, 0, 0, 0, 0, 0, o, {})
        first = tc.text([state.Device("sr", (q,), {}, None)]).splitlines()[0]
        return first.removeprefix("qdisc netem 10: dev sr root ")

    whole = 2**32 - 1
    quarter = round(whole / 4)
    assert printed(delay=20_000, jitter=5000) == "limit 1000 delay 20ms  5ms"
    assert printed(
        delay=20_000, jitter=5000, delay_correlation=quarter, loss=whole // 100, loss_correlation=quarter, reorder=quarter, gap=5,
        reorder_correlation=quarter, rate=2_500_000, packetoverhead=2**64 - 14, ecn=1,
    ) == "limit 1000 delay 20ms  5ms 25% loss 1% 25% reorder 25% 25% rate 20Mbit packetoverhead -14 ecn  gap 5"  # fmt: skip
    assert printed(duplicate=quarter, duplicate_correlation=quarter) == "limit 1000 duplicate 25% 25%"
    model = {"p": whole // 100, "r": quarter, "1-h": whole, "1-k": 0}
    assert printed(**model) == "limit 1000 loss gemodel p 1% r 25% 1-h 100% 1-k 0%"


def test_sizes_and_times_of_tc():
    # By hand from lib/json_print_math.c sprint_size and lib/utils.c sprint_time.
    assert [shown.size(n) for n in (0, 1514, 1040, 1024, 2048 + 15, 2048 + 16, 2**25, 2**25 + 1023, 2**30)] == [
        "0b", "1514b", "1040b", "1Kb", "2Kb", "2064b", "32Mb", "32Mb", "1Gb",
    ]  # fmt: skip
    assert [shown.span(us) for us in (999, 5000, 12_345, 100_000, 1_500_000)] == [
        "999us",
        "5ms",
        "12.3ms",
        "100ms",
        "1.5s",
    ]
    # lib/json_print.c print_color_rate, of bytes a second
    assert [shown.rate(n) for n in (7812, 156_250, 2_500_000, 125_000_000, 1_171_875)] == [
        "62496bit",
        "1250Kbit",
        "20Mbit",
        "1Gbit",
        "9375Kbit",
    ]


def test_mac80211s_tables_are_what_the_kernel_printed():
    # The guest of the second water: net/mac80211/debugfs_sta.c sta_aqm_read, sta_airtime_read.
    t = state.Txq(0, 2, 181_012, 118, 386, 2, 0, 0, 0, 15_530_736, 15_016, True)
    a = state.Airtime(1_042_548, 512_184, 256, (256, 256, 208, 256), (0, 0, 8160, 0))
    station = state.Station("sta1", (t, replace(t, tid=1, ac=3, ampdu=False)), a, None, None)
    head, be, bk = debugfs.aqm(station).splitlines()
    assert (
        head
        == "tid ac backlog-bytes backlog-packets new-flows drops marks overlimit collisions tx-bytes tx-packets flags"
    )
    assert be == "0 2 181012 118 386 2 0 0 0 15530736 15016 0x6(RUN AMPDU NO-AMSDU)"
    assert bk.endswith(" 15016 0x0(RUN)")
    assert (
        debugfs.airtime(a)
        == "RX: 1042548 us\nTX: 512184 us\nWeight: 256\nDeficit: VO: 256 us VI: 256 us BE: 208 us BK: 256 us\n"
    )
    assert debugfs.aql(a, (5000, 12_000, 24_000)) == (
        "Q depth: VO: 0 us VI: 0 us BE: 8160 us BK: 0 us\n"
        "Q limit[low/high]: VO: 5000/12000 VI: 5000/12000 BE: 5000/12000 BK: 5000/12000\n"
    )
    fq = {"fq_flows_cnt": 4096, "fq_overlimit": 3, "fq_overmemory": 1, "fq_limit": 8192}
    files = dict(debugfs.card(state.Phy(fq, None, None, (0, 0, 17_600, 0), True)))
    # 6.12 prints each of the two under the other's name.
    assert (
        files["aqm"]
        == "access name value\nR fq_flows_cnt 4096\nR fq_overlimit 1\nR fq_overmemory 3\nRW fq_limit 8192\n"
    )
    assert files["aql_pending"].splitlines()[3:] == ["BE     17600 us", "BK     0 us", "total  17600 us"]
    assert "aql_enable" not in files


def test_a_rates_line_is_what_the_kernel_printed():
    printed = [
        "HT40  SGI  2  A   P   MCS15  215      32    64.1      64.1     100.0       6     1 1            30   30       ",
        "HT20  LGI  1       S  MCS0     0    1477     5.6       0.0       0.0       1     0 0             0   0        ",
    ]
    rates = (
        state.RateLine("HT", 40, True, 2, 7, 215, "A   P ", 32, 64.1, 64.1, 100.0, 6, 1, 1, 30, 30),
        state.RateLine("HT", 20, False, 1, 0, 0, "     S", 1477, 5.6, 0.0, 0.0, 1, 0, 0, 0, 0),
    )
    lines = debugfs.rc_stats(state.Station("ap", (), None, rates, 21.44)).splitlines()
    assert lines[3:5] == printed
    assert lines[1].startswith("              best    ____________rate__________")
    assert lines[-1] == "Average # of aggregated frames per A-MPDU: 21.4"


def test_when_is_read_or_refused():
    values = wavetank.Scenario(TEXT).check()
    assert state.instants(["4s, 500ms", "1.25 s", "4000 ms"], values) == (500_000_000, 1_250_000_000, 4_000_000_000)
    assert state.instants([1.25, 4], values) == (1_250_000_000, 4_000_000_000)
    assert state.instants(np.array([1.25, 4]), values) == (1_250_000_000, 4_000_000_000)
    assert state.instants("4s", values) == state.instants(4, values) == (4_000_000_000,), "one alone"
    for no in (None, True, [None], [[4]]):
        with pytest.raises(wavetank.UserError, match="a text with its unit, such as 5s, or seconds"):
            state.instants(no, values)
    for text, why in (
        ("4501 ms", "after the end, expected a time of the run, from 0 s to 4.5 s"),
        ("-1s", "before the start"),
        ("soon", "expected a time of the run with its unit"),
        ("1s,", "expected a time of the run with its unit"),
        ("3", 'did you mean "3s"?'),
    ):
        with pytest.raises(wavetank.UserError, match=re.escape(why)):
            state.instants([text], values)


@pytest.fixture(scope="module")
def runs():
    s = wavetank.Scenario(TEXT)
    return s.run(1), s.run(1, states=["3 s", "3.4999s"])


def test_the_run_is_the_same_and_the_state_is_its_samples(runs):
    plain, seen = runs
    assert plain.digest == seen.digest and plain.events == seen.events and plain.states == ()
    one, other = seen.states
    assert (one.at_s, other.at_s, one.held > 0) == (3.0, 3.4999, True)
    for flow, host in ((0, "sta1"), (1, "server")):
        series = plain.flows[flow].series
        i = int(np.flatnonzero(np.isclose(series["t"], 3.0))[0])
        info = one.hosts[host].sockets[flow].info
        assert info["tcpi_snd_cwnd"] == series["snd_cwnd"][i]
        assert info["tcpi_bytes_acked"] == series["acked"][i] > 1e6
        assert info["tcpi_rtt"] == pytest.approx(1000 * series["srtt_ms"][i])
        assert other.hosts[host].sockets[flow].info["tcpi_bytes_acked"] > info["tcpi_bytes_acked"]
        # The file says the same.
        words = one.files[f"{host}.ss"].splitlines()[2 + 2 * flow].split()
        assert f"cwnd:{info['tcpi_snd_cwnd']}" in words and f"bytes_acked:{info['tcpi_bytes_acked']}" in words
    radio = one.hosts["sta1"].devices[0].radio
    line = one.files["sta1/stations/ap/aqm"].splitlines()[1].split()
    assert [int(line[i]) for i in (3, 10)] == [
        radio.stations[0].txqs[0].backlog_packets,
        radio.stations[0].txqs[0].tx_packets,
    ]
    assert radio.stations[0].txqs[0].tx_packets > 1000 and sum(q.packets for q in radio.hardware) > 0


def test_what_is_written_and_printed(tmp_path, wavetank):
    scenario = tmp_path / "s.toml"
    scenario.write_text(TEXT)
    for _ in range(2):  # over itself, too
        code, out, _ = wavetank("run", scenario, "--state", "3s", "--state", "2500ms", "--out", tmp_path / "out")
        assert code == 0 and "==>" not in out
    folder = tmp_path / "out" / "state-3.000s"
    names = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert {
        "sta1.ss",
        "server.ss",
        "ap.tc",
        "ap/aqm",
        "ap/stations/sta1/aqm",
        "sta1/stations/ap/airtime",
        "sta1/driver",
    } <= names
    assert (tmp_path / "out" / "state-2.500s" / "ap.tc").is_file()
    code, out, _ = wavetank("run", scenario, "--state", "3s")
    assert code == 0 and f"==> sta1.ss <==\n{(folder / 'sta1.ss').read_text()}" in out
    _, out, _ = wavetank("run", scenario, "--state", "3s", "--json")
    document = json.loads(out)
    (one,) = document["states"]
    assert one["at_s"] == 3 and one["files"]["ap.tc"] == (folder / "ap.tc").read_text()
    assert one["hosts"]["sta1"]["sockets"][0]["info"]["tcpi_snd_mss"] == 1448
    _, out, _ = wavetank("run", scenario, "--json")
    assert "states" not in json.loads(out)


def test_errors_and_where_it_is_not_offered(tmp_path, wavetank):
    scenario = tmp_path / "s.toml"
    scenario.write_text(TEXT)
    code, out, err = wavetank("run", scenario, "--state", "9s", "--out", tmp_path / "out")
    assert (
        code == 2
        and not out
        and err == 'error: --state: "9s" is after the end, expected a time of the run, from 0 s to 4.5 s\n'
    )
    assert not (tmp_path / "out").exists()
    assert wavetank("sweep", scenario, "tcp.cc=cubic", "--state", "1s")[0] == 2
    assert wavetank("reproduce", "cotsq", "--state", "1s")[0] == 2


def test_linux_without_ss_says_so_before_it_runs(monkeypatch):
    from wavetank.linux import tree

    with pytest.raises(wavetank.UserError, match="apt-get install iproute2"):
        tree.require("no-such-program", "iproute2", "--state")
    tree.require("sh", "dash", "--state")
