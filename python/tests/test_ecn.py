"""What ECN did is to be seen: segments that ACKs with ECE acknowledged."""

import pytest

import wavetank
from wavetank import UserError, idle, report, testbed
from wavetank.compare import figures
from wavetank.linux import kernels
from wavetank.linux.translate import translate

NARROW = {
    "name": "narrow",
    "topology.kind": "wired",
    "htb.rate": "10 Mbit/s",
    "htb.leaf": "fq_codel",
    "netem.delay": "20 ms",
    "traffic.tcp_up": 1,
    "time.lead_in": "0.2 s",
    "time.flows": "5 s",
    "time.tail": "0.2 s",
    "time.warmup": "1 s",
}


def run(**sets):
    return wavetank.Scenario.from_dict({**NARROW, **{k.replace("__", "."): v for k, v in sets.items()}}).run()


@pytest.fixture(scope="module")
def marked():
    return run(tcp__ecn=True)


def headings(result):
    return {str(c.header) for t in report.run_tables(result.summary()) for c in t.columns}


def test_marks_are_counted_where_they_are_asked_for(marked):
    (flow,) = marked.summary()["flows"]
    assert flow["delivered_ce"] > 0 and flow["retransmits"] == 0
    assert "delivered_ce" in headings(marked)
    assert figures(marked)["up1 delivered_ce", "segments"] == flow["delivered_ce"]


def test_without_them_they_take_no_column(marked):
    plain = run()
    (flow,) = plain.summary()["flows"]
    assert flow["delivered_ce"] == 0 and flow["retransmits"] > 0
    assert "delivered_ce" not in headings(plain)


def test_of_udp_there_are_none():
    (flow,) = run(traffic__tcp_up=0, traffic__udp_up="1 Mbit/s").summary()["flows"]
    assert flow["delivered_ce"] is None


def test_a_sweep_has_them_as_a_metric(tmp_path):
    s = wavetank.Scenario.from_dict(NARROW)
    sweep = wavetank.sweep(s, ["tcp.ecn=false,true"], repetitions=1, metrics=["delivered_ce"], out=tmp_path / "o")
    assert [p.metrics["delivered_ce"].median > 0 for p in sweep.points] == [False, True]


def test_dctcp_keeps_the_queue_at_the_threshold():
    """Marks of all that waits for longer than a millisecond: the link is full, the queue some three milliseconds at most, and nothing is lost."""
    r = run(
        tcp__cc="dctcp", fq_codel__ce_threshold="1 ms", htb__rate="50 Mbit/s", time__flows="8 s", time__warmup="3 s"
    )
    (flow,) = r.summary()["flows"]
    assert flow["delivered_ce"] > 0 and flow["retransmits"] == 0
    assert flow["goodput_mbit"] == pytest.approx(50 * 1448 / 1514, rel=0.02)
    rtt = r.flows[0].series["srtt_ms"]
    assert 20 < rtt[-20:].mean() < 23


def test_dctcp_asks_for_ecn_itself():
    def notes(**sets):
        return idle.keys(wavetank.Scenario.from_dict(NARROW).set(**sets))

    assert notes(tcp__cc="dctcp", fq_codel__ce_threshold="1 ms") == {}
    said = notes(fq_codel__ce_threshold="1 ms")
    assert said == {"fq_codel.ce_threshold": "no packet can be marked: tcp.ecn is false"}
    assert notes(tcp__cc="dctcp", tcp__ecn=True) == {"tcp.ecn": "dctcp asks for ECN whatever it says"}


def test_dctcp_is_at_both_ends_on_real_hosts():
    """A listener's control is its host's: with another one the SYN, which can be marked, is declined (tcp_ecn_create_request)."""

    def of(**sets):
        return wavetank.Scenario.from_dict(
            {**NARROW, "traffic.tcp_up": 2, **{k.replace("__", "."): v for k, v in sets.items()}}
        )

    line = "net/ipv4/tcp_congestion_control dctcp"
    assert line in translate(of(tcp__cc="dctcp")).case["sysctl"]
    assert line in translate(of(traffic__cc=["cubic", "dctcp"])).case["sysctl"]
    assert not any("tcp_congestion_control" in x for x in translate(of()).case["sysctl"])
    with pytest.raises(
        UserError, match="hosts listen with one control, and dctcp's receivers would echo the marks of cubic"
    ):
        translate(of(traffic__cc=["cubic", "dctcp"], tcp__ecn=True))
    with pytest.raises(UserError, match="dctcp has to be at both ends, and netserver listens with one"):
        testbed.translate(of(traffic__cc=["cubic", "dctcp"]))
    assert testbed.translate(of(tcp__cc="dctcp", time__lead_in="1 s"))


def test_the_threshold_is_tcs():
    s = wavetank.Scenario.from_dict({**NARROW, "fq_codel.ce_threshold": "1 ms"})
    lines = "\n".join(translate(s).case["tc"])
    assert "target 5000us ce_threshold 1000us interval 100000us" in lines
    r = s.set({"tcp.cc": "dctcp"}).run(states=["4 s"])
    text = r.states[0].files["R.tc"]
    assert "target 5ms ce_threshold 1ms interval 100ms" in text and " ce_mark " in text


def test_fqs_threshold_is_tcs_too_and_marks_what_waits_in_it():
    """Without a threshold fq marks nothing, and what is there is what the flow limit lets in."""
    s = wavetank.Scenario.from_dict({**NARROW, "htb.leaf": "fq", "fq.ce_threshold": "1 ms"})
    assert "horizon 10000000us timer_slack 10000 ce_threshold 1000us orphan_mask 1023" in "\n".join(
        translate(s).case["tc"]
    )
    r = s.set({"tcp.cc": "dctcp", "fq.flow_limit": 1000}).run(states=["4 s"])
    text = r.states[0].files["R.tc"]
    assert "refill_delay 40ms ce_threshold 1ms timer_slack 10us" in text and " ce_mark " in text
    (flow,) = r.summary()["flows"]
    assert flow["delivered_ce"] > 0 and flow["retransmits"] == 0
    plain = s.set({"tcp.cc": "dctcp", "fq.flow_limit": 1000, "fq.ce_threshold": "off"}).run()
    assert plain.summary()["flows"][0]["delivered_ce"] == 0
    lacks = kernels.lacking("4.19", s.check(), s.given())
    assert lacks and "CE threshold of fq's" in str(lacks)
    assert kernels.lacking("5.4", s.check(), s.given()) is None
