"""Congestion controls beside each other: by flow (`traffic.cc`) and by station (`stations.cc`), on all three waters."""

from __future__ import annotations

import math

import pytest

import wavetank
from wavetank import UserError, testbed
from wavetank.lab import metrics, records
from wavetank.linux import like_linux
from wavetank.linux.translate import translate
from wavetank.plots import one_run
from wavetank.report import run_tables

BESIDE = {
    "name": "beside",
    "topology": {"kind": "wifi"},
    "time": {"lead_in": "400 ms", "flows": "4 s", "tail": "400 ms", "warmup": "1 s"},
    "wifi": {"mcs": 15},
    "traffic": {"tcp_up": 2, "cc": ["cubic", "bbrp"]},
}


def scenario(**sets):
    return wavetank.Scenario.from_dict(BESIDE).set(**sets)


def test_each_flow_runs_its_own():
    both = scenario(traffic__cc=["cubic", "vegas"]).run()
    assert [f.cc for f in both.flows] == ["cubic", "vegas"]
    # Vegas answers a longer round trip, CUBIC fills whatever queue there is, beside its like as beside the other
    alike = [scenario(traffic__cc="off", tcp__cc=cc).run() for cc in ("cubic", "vegas")]
    for cubic, vegas in ([r.summary()["flows"][0] for r in alike], both.summary()["flows"]):
        assert cubic["cwnd_segments"]["p90"] > 3 * vegas["cwnd_segments"]["p90"]
    assert scenario(traffic__cc=["cubic", "cubic"]).run().digest == alike[0].digest
    assert both.digest != alike[0].digest


@pytest.mark.parametrize(
    "sets",
    [{}, {"wifi.stations": 3, "traffic.tcp_down": 1}, {"wifi.stations": 9, "traffic.udp_down": "1 Mbit/s"},
     {"traffic.tcp_up": 0, "traffic.udp_up": "5 Mbit/s", "traffic.ping": "off"}, {"traffic.tcp_up": 0},
     {"topology.kind": "wired", "htb.rate": "20 Mbit/s"}],
)  # fmt: skip
def test_a_run_on_one_page(tmp_path, canvases, sets):
    """However many flows and radios, and whatever of them there is not."""
    r = scenario().set(sets).run()
    one_run.draw(r, tmp_path / "run.png")
    (page,) = canvases
    shown = " ".join(ax.get_ylabel() for ax in page.axes)
    has = {"oodput": r.flows, "cwnd": [f for f in r.flows if f.kind == "tcp"], "Ping RTT": r.pings, "Airtime": r.nodes}
    assert {x: x in shown for x in has} == {x: bool(there) for x, there in has.items()}


def test_the_table_names_them_where_they_differ():
    heads = [str(c.header) for c in run_tables(scenario().run().summary())[0].columns]
    assert heads[2] == "control"
    assert "control" not in [str(c.header) for c in run_tables(scenario(traffic__cc="off").run().summary())[0].columns]


def test_what_each_control_gets_is_a_metric():
    r = scenario(wifi__stations=2, stations__cc="reno").run()
    assert [f.cc for f in r.flows] == ["reno", "reno", "cubic", "bbrp"]
    record = records.record(r)

    def of(name):
        return metrics.QUANTITIES[name].each(record)

    parts = [of(f"goodput@{cc}") for cc in ("reno", "cubic", "bbrp")]
    assert parts[0] == pytest.approx(sum(f.goodput_mbit for f in r.flows[:2]))
    assert sum(parts) == pytest.approx(of("goodput"))
    assert sum(of(f"goodput_share@{cc}") for cc in ("reno", "cubic", "bbrp")) == pytest.approx(100)
    assert math.isnan(of("goodput@vegas"))


def test_the_real_kernel_gets_them_flow_by_flow():
    of = translate(scenario(wifi__stations=2, stations__cc="bbr-dev").set({"bbrp.bbrp_pace": 5}))
    assert [line.split()[-1] for line in of.case["flow"]] == ["bbr_dev", "bbr_dev", "cubic", "bbrp"]
    assert list(of.case["controls"]) == ["bbr_dev", "bbrp"] and of.case["controls"]["bbrp"] == {"bbrp_pace": 5}
    assert [f.cc for f in of.flows] == ["bbr-dev", "bbr-dev", "cubic", "bbrp"]
    with pytest.raises(UserError, match=r"traffic\.cc = cubic, bbr3: cannot be had on linux: Linux 6.12 has no bbr3"):
        translate(scenario(traffic__cc=["cubic", "bbr3"]))
    with pytest.raises(UserError, match="bbrp sets its pacing rate itself"):
        translate(scenario(tcp__tsq="cotsq", tcp__tsq_ms=3))


def test_a_control_that_is_not_asked_for_needs_no_module():
    case = translate(scenario(traffic__tcp_up=1, tcp__cc="bbr3")).case
    assert "controls" not in case and case["flow"][0].endswith(" cubic")


def test_flent_gives_each_stream_its_own(tmp_path):
    def station(folder, **sets):
        bed, _ = testbed.write(scenario(time__lead_in="1 s", **sets), folder, 1)
        return bed, (folder / "sta1.sh").read_text()

    bed, text = station(tmp_path / "bed")
    assert "test_parameters = upload_streams=2;cc_algos=cubic,bbrp" in (tmp_path / "bed" / "flent.batch").read_text()
    assert "control bbrp wavetank_bbrp bbrp_pace=6" in text and "tcp_congestion_control cubic" in text
    assert any("netperf -K" in note for note in bed.notes)
    _, text = station(tmp_path / "other", traffic__cc=["reno", "bbr"])
    assert "stock bbr" in text and "stock reno" in text and "tcp_congestion_control" not in text.partition("lib.sh")[2]
    with pytest.raises(UserError, match="tcp_nup and tcp_ndown have one a stream"):
        testbed.write(scenario(time__lead_in="1 s", traffic__rrul=True, traffic__tcp_up=4), tmp_path / "no", 1)


def test_flent_files_say_which(tmp_path):
    r = scenario().run()
    r.save(tmp_path)
    from wavetank.captures import flent_file

    file = flent_file.read(next(tmp_path.glob("*.flent.gz")))
    assert sorted(str(f.meta["CONG_CONTROL"]) for f in file.flows) == ["bbrp", "cubic"]


@pytest.mark.kernel
def test_beside_each_other_on_the_real_kernel():
    """One seed of both, set up alike: who gets what is TCP's own doing, not the medium's."""
    s = scenario(traffic__cc=["cubic", "bbr"], time__flows="8 s", time__warmup="4 s")
    kernel, model = s.run(1, on="linux"), like_linux(s).run(1)
    assert [f.cc for f in kernel.flows] == ["cubic", "bbr"]
    for a, b in zip(kernel.flows, model.flows, strict=True):
        assert a.goodput_mbit == pytest.approx(b.goodput_mbit, rel=0.1)
