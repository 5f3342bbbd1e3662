"""Captures that do not keep all of the headers: what is not known is no figure."""

import json
import struct

import pytest
from test_captures_he import AP, STA, fcs, pcap, radiotap

from wavetank.captures import air, analyze, analyze_plot
from wavetank.lab import plan
from wavetank.scenario import Scenario


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    """The same run, by the bytes that are kept of each frame, whose headers have 26, 8, 20 and 32."""
    folder = tmp_path_factory.mktemp("cut")
    s = Scenario.load(plan.ROOT / "scenarios" / "thesis-ath9k.toml").set({
        "time.flows": "1500 ms", "time.lead_in": "500 ms", "time.tail": "0 s", "time.warmup": "500 ms",
        "wifi.stations": 1, "traffic.tcp_up": 1, "traffic.tcp_down": 1,
    })  # fmt: skip
    out = {}
    for kept in (256, 78, 64, 30):
        out[kept] = folder / f"{kept}.pcapng"
        air.watch(s, 1, [("monitor", out[kept])], snaplen=kept)
    return out


def told(path):
    document = analyze.load(path)
    return document["report"], [r for r in analyze.remarks(document) if "TCP header" in r]


def test_whole_headers_need_no_word(views):
    report, notes = told(views[256])
    assert notes == [] and (report["frames"]["headers_cut"], report["frames"]["options_cut"]) == (0, 0)
    assert report["frames"]["time_goes_back"] == 0
    assert all(f["goodput_mbit"] > 5 and f["rtt_ms"] for f in report["flows"]) and len(report["flows"]) == 2


@pytest.mark.usefixtures("canvases")
@pytest.mark.parametrize("kept", [64, 30])
def test_without_headers_no_flow_has_a_figure(views, kept, wavetank, tmp_path):
    report, (note,) = told(views[kept])
    frames = report["frames"]
    assert 0.9 * frames["data"] < frames["headers_cut"] <= frames["data"]
    assert note.startswith(
        f"{frames['headers_cut']} of {frames['data']} data frames are cut before the end of their TCP header"
    )
    for f in report["flows"]:
        assert {f[k] for k in ("packets", "bytes", "goodput_mbit", "retransmissions", "rtt_ms", "ack_ms")} == {None}
        assert f["delivered_bytes"]["values"] == []
    assert report["stations"] == told(views[256])[0]["stations"], "what is told without headers is the same"
    code, out, _ = wavetank("analyze", views[kept])
    assert code == 0 and "cut before the end of their TCP header" in " ".join(out.split())
    assert note in json.loads(wavetank("analyze", views[kept], "--json")[1])["remarks"]
    assert len(analyze_plot.save(analyze.load(views[kept]), tmp_path)) == 2


def test_without_time_stamps_goodput_is_known_and_round_trips_are_not(views):
    report, (note,) = told(views[78])
    whole = told(views[256])[0]
    assert "within its options" in note and report["frames"]["headers_cut"] == 0 < report["frames"]["options_cut"]
    for f, of in zip(report["flows"], whole["flows"], strict=True):
        assert (f["goodput_mbit"], f["retransmissions"]) == (of["goodput_mbit"], of["retransmissions"])
        assert (f["rtt_ms"], f["ack_ms"]) == (None, None)


def test_no_goodput_is_made_of_the_few_that_were_whole(wavetank, tmp_path):
    """IPv6's longer header is cut, and IPv4's behind the longer radiotap of an A-MPDU. Flows between other addresses keep their figures, and what
    is no IP is no matter.
    """
    v4 = bytes([0x45, 0, 0, 40 + 100, 0, 1, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2])
    other = v4[:-1] + b"\3"
    v6 = struct.pack(">IHBB", 6 << 28, 20 + 100, 6, 64) + bytes(15) + b"\1" + bytes(15) + b"\2"

    def frame(i, kind, ip):
        tcp = struct.pack(">HHIIBBHHH", 7, 9, 1 + 100 * i, 1, 5 << 4, 0x10, 1000, 0, 0)
        head = b"\x88\x02" + bytes(2) + STA + AP + AP + struct.pack("<HH", i << 4, 0)
        return fcs(head + b"\xaa\xaa\3\0\0\0" + kind + ip + tcp + bytes(100))

    frames = []
    for i in range(20):
        kind, ip = [(b"\x08\0", v4), (b"\x86\xdd", v6), (b"\x88\x8e", v4), (b"\x08\0", other)][i % 4]
        tap = radiotap(10_000 + 1000 * i, rate=48, reference=i if ip is other and i > 3 else None)
        frames.append((10_000 + 1000 * i, tap + frame(i, kind, ip)))
    whole = pcap(tmp_path / "whole.pcap", frames)
    kept = len(radiotap(0, rate=48)) + 26 + 8 + 20 + 20
    data, at = whole.read_bytes(), 24
    cut = data[:24]
    while at < len(data):
        n = struct.unpack_from("<I", data, at + 8)[0]
        cut += data[at : at + 8] + struct.pack("<II", min(n, kept), n) + data[at + 16 : at + 16 + min(n, kept)]
        at += 16 + n
    path = tmp_path / "cut.pcap"
    path.write_bytes(cut)
    report = json.loads(wavetank("analyze", path, "--json")[1])["report"]
    assert report["frames"]["headers_cut"] == 5 + 4
    assert [(f["dst"], f["bytes"]) for f in report["flows"]] == [("10.0.0.2:9", 500), ("10.0.0.3:9", None)]
