"""What ECN did is to be seen: segments that ACKs with ECE acknowledged."""

import pytest

import wavetank
from wavetank import report
from wavetank.compare import figures

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
