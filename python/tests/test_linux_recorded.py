"""How a recorded run of the real kernel is read, and what of it is compared."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from linux_scenarios import up

from wavetank import UserError, compare, report, table
from wavetank.lab import records
from wavetank.linux import outcome
from wavetank.linux.translate import translate
from wavetank.plots import compare as compare_plots

RECORDED = Path(__file__).parent / "data" / "linux-up.json"


def test_what_an_older_kernel_does_not_tell_is_not_known():
    of, out = translate(up(), 3), json.loads(RECORDED.read_text())
    for flow in out["flows"]:
        flow["delivered_ce"] = 7
    for kernel, marks, unknown in (("4.14", None, {"rtos"}), ("6.6.129", 7, {"rtos"}), ("6.12", 7, set())):
        r = outcome.result(replace(of, values={**of.values, "kernel": kernel}), json.dumps(out), 1.0)
        assert (r.flows[0].delivered_ce, r.unknown) == (marks, unknown), kernel
        # "not measured" is no zero: in the summary, in a sweep
        rtos = None if unknown else out["flows"][0]["rtos"]
        assert r.summary()["flows"][0]["rtos"] == rtos and records.record(r)["rtos"] == rtos, kernel
        assert next(iter(report.run_tables(r.summary()))).row_count == len(r.flows)


def test_a_recorded_result_has_the_models_form(tmp_path):
    of = translate(up(), 3)
    r = outcome.result(of, RECORDED.read_text(), 1.0)
    m = up().run(3)
    assert list(r.summary()) == list(m.summary())
    assert [f.name for f in r.flows] == [f.name for f in m.flows]
    for ours, theirs in zip(r.flows, m.flows, strict=True):
        assert set(ours.series) <= set(theirs.series)
        assert (ours.direction, ours.station, ours.kind, ours.dscp) == (
            theirs.direction,
            theirs.station,
            theirs.kind,
            theirs.dscp,
        )
    assert np.array_equal(r.flows[0].series["t"], m.flows[0].series["t"])
    assert list(r.nodes) == list(m.nodes)
    assert set(r.nodes["ap"].series) == set(m.nodes["ap"].series)
    assert set(r.qdiscs) == set(m.qdiscs)
    assert [p.name for p in r.pings] == [p.name for p in m.pings]
    out = json.loads(RECORDED.read_text())
    moved = out["window"][1]["received"][0] - out["window"][0]["received"][0]
    assert r.flows[0].bytes_window == moved
    assert r.flows[0].goodput_mbit == pytest.approx(moved * 8e-6 / 1.4)
    # the second sample of the flow is at 0.6 s: its srtt in us
    assert r.flows[0].series["srtt_ms"][3] == pytest.approx(16.167)
    # what the one sends is what the other is sent
    ap, sta = r.nodes["ap"], r.nodes["sta1"]
    assert (ap.airtime_fraction, sta.airtime_fraction) == (sta.airtime_rx_fraction, ap.airtime_rx_fraction)
    assert 0.5 < ap.airtime_fraction + sta.airtime_fraction < 1
    assert np.array_equal(ap.rx_hist, sta.ampdu_hist) and ap.rx_bad.sum() == ap.rx_hist.sum()
    assert ap.modes and (ap.modes, sta.modes) == (sta.rx_modes, ap.rx_modes)
    assert (
        np.nanmax(abs(ap.series["tx_bitrate_mbit"] - 150)) < 0.01 and 0 <= np.nanmin(sta.series["rx_bad_share"]) < 0.5
    )
    r.save(tmp_path / "out")
    rows = table.arrow([({}, r)]).to_pylist()
    assert {row["water"] for row in rows} == {"linux"}
    assert sorted(p.suffix for p in (tmp_path / "out").iterdir()) == [".gz", ".json", ".parquet"]


@pytest.mark.usefixtures("canvases")
def test_comparison_lines_and_plots(tmp_path):
    of = translate(up(), 3)
    results = {"model": up().run(3), "linux": outcome.result(of, RECORDED.read_text(), 1.0)}
    c = compare.Comparison(results, compare.lines({w: [compare.figures(r)] for w, r in results.items()}))
    line = next(x for x in c.lines if x.figure == "up1 goodput")
    assert line.differences()["linux"] == pytest.approx(line.values["linux"] / line.values["model"] - 1)
    names = {p.name for p in [*compare_plots.draw(c, tmp_path), *compare.save(c, tmp_path)]}
    assert {"goodput.png", "snd_cwnd.png", "srtt.png", "ping.png", "compare.csv", "compare.json"} <= names
    doc = json.loads((tmp_path / "compare.json").read_text())
    assert set(doc) == {"scenario", "seed", "repetitions", "waters", "rows", "notes", "files"}


@pytest.mark.parametrize("text", ["model", "model,model", "model,sea"])
def test_two_known_waters(text):
    with pytest.raises(UserError):
        compare.waters(text)


def test_acks_have_the_models_names_and_say_what_is_not_known(tmp_path):
    from wavetank.lab import ack_metrics
    from wavetank.lab.records import record

    out = json.loads(RECORDED.read_text())
    counts = {"made": "10", "restored": "7", "riding_ns": "4000", "compressed": "8", "compressed_bytes": "40"}
    for mark in out["window"]:
        mark["radios"][2] |= {f"acks_{k}": v for k, v in counts.items()}
    r = outcome.result(translate(up(), 3), json.dumps(out), 1.0)
    assert (r.nodes["sta1"].acks["riding_us"], r.summary()["acks_carried"]) == (4.0, 0.7)
    values = {name: read(record(r)) for name, (read, *_) in ack_metrics.SCALARS.items() if name == "acks_carried"}
    assert values["acks_carried"] == 70
    assert np.isnan(ack_metrics.total(record(r), "waited_us"))
