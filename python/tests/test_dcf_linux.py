"""Rows of ns-3's tables as the virtual radio has them: what a row becomes there, and what comes back."""

import importlib.machinery
import importlib.util
import json
import sys
from pathlib import Path

import pytest

from wavetank.linux import tree
from wavetank.validate import dcf

SATURATION = Path(__file__).parents[2] / "linux" / "tests" / "saturation"


@pytest.fixture
def saturation(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "path", [*sys.path])
    loader = importlib.machinery.SourceFileLoader("saturation", str(SATURATION))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("saturation", loader))
    loader.exec_module(module)
    return module


def row(name):
    (found,) = (r for r in dcf.load(dcf.CATEGORIES) if dcf.name(r) == name)
    return found


def test_categories_are_floods_of_marks_and_limits_lines_of_hostapd(saturation):
    found = saturation.scenario(row("n-HtMcs4-20MHz-lgi-single-1sta-vi+be-txop"), 10)
    assert found["floods"] == "160+0"
    assert found["hostapd"] == [
        "wmm_ac_vo_txop_limit=47", "tx_queue_data0_aifs=2", "tx_queue_data0_cwmin=3", "tx_queue_data0_cwmax=7", "tx_queue_data0_burst=1.5",
        "wmm_ac_vi_txop_limit=94", "tx_queue_data1_aifs=2", "tx_queue_data1_cwmin=7", "tx_queue_data1_cwmax=15", "tx_queue_data1_burst=3.0",
        "wmm_ac_be_txop_limit=0", "tx_queue_data2_aifs=3", "tx_queue_data2_cwmin=15", "tx_queue_data2_cwmax=1023", "tx_queue_data2_burst=0.0",
        "wmm_ac_bk_txop_limit=0", "tx_queue_data3_aifs=7", "tx_queue_data3_cwmin=15", "tx_queue_data3_cwmax=1023", "tx_queue_data3_burst=0.0",
    ]  # fmt: skip
    without = saturation.scenario(row("n-HtMcs7-20MHz-single-4sta-vo|vi|be|bk"), 10)
    assert without["floods"] == "192|160|0|32"
    assert "wmm_ac_vo_txop_limit=0" in without["hostapd"] and "tx_queue_data1_burst=0.0" in without["hostapd"]
    assert "floods" not in saturation.scenario(dcf.load()[0], 10)


def test_what_the_radio_cannot_have_is_told(saturation):
    why = {dcf.name(r): saturation.cannot(r) for r in dcf.load(dcf.CATEGORIES) if saturation.cannot(r)}
    assert len(why) == 13
    assert "no Block Ack agreement in VO" in why["ac-VhtMcs2-80MHz-ampdu-3sta-vo|be|bk"]
    assert "window of 256" in why["ax-HeMcs2-20MHz-ampdu-1sta-vo+vi+be+bk"]
    assert "RTS" in why["n-HtMcs5-40MHz-single-rts-4sta-vi|be"]


def test_each_categorys_mean_over_the_runs(saturation):
    got = [
        {"goodput_mbit": 50.0, "mark_mbit": {"0": 9.0, "160": 41.0}},
        {"goodput_mbit": 52.0, "mark_mbit": {"0": 11.0, "160": 41.0}},
    ]
    assert saturation.goodputs(got) == {"goodput": 51.0, "vi": 41.0, "be": 10.0}
    several, one = row("n-HtMcs7-40MHz-single-2sta-vi|be"), dcf.load()[0]
    assert [saturation.runs(several, 0), saturation.runs(one, 0), saturation.runs(several, 3)] == [10, 1, 3]


def test_what_comes_back_is_judged_by_category(monkeypatch, tmp_path):
    lines = [json.dumps({"row": 0, "goodput_mbit": 49.3, "vi_mbit": 43.2, "be_mbit": 6.1})]
    lines += [json.dumps({"row": i, "reason": "no such card"}) for i in range(1, len(dcf.load(dcf.CATEGORIES)))]
    monkeypatch.setattr(tree, "program", lambda words, on_line: "\n".join(lines))
    report = dcf.validate(dcf.CATEGORIES, on="linux")
    assert [(r.metric, r.ours, r.ok) for r in report.rows[:3]] == [
        ("goodput_mbit", pytest.approx(49.3), True),
        ("vi_mbit", 43.2, False),  # 39.94, 8.2 % away
        ("be_mbit", 6.1, False),
    ]
    assert {(r.ok, r.reason) for r in report.rows[3:]} == {(None, "no such card")}


@pytest.mark.kernel
def test_categories_contend_on_the_virtual_radio_as_in_ns3(tmp_path):
    header, *rows = dcf.CATEGORIES.read_text().splitlines()
    two = [
        r
        for r in rows
        if r.startswith(("n,HtMcs7,up,40,2,0,1,0,1472,64,VI|BE,0", "n,HtMcs5,up,40,2,65535,1,0,1472,64,VI|BE,0"))
    ]
    path = tmp_path / "two.csv"
    path.write_text("\n".join([header, *two]))
    report = dcf.validate(path, on="linux")
    assert [r.metric for r in report.rows] == ["goodput_mbit", "vi_mbit", "be_mbit"] * 2
    assert all(r.ok for r in report.rows), report.rows
