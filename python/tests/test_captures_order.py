"""Frames out of the order of time, and clocks that are set."""

import struct

import pytest

from wavetank.captures import air, analyze
from wavetank.lab import plan
from wavetank.scenario import Scenario


@pytest.fixture(scope="module")
def packets(tmp_path_factory):
    """Frames of a run: ns and octets."""
    path = tmp_path_factory.mktemp("order") / "monitor.pcapng"
    s = Scenario.load(plan.ROOT / "scenarios" / "thesis-ath9k.toml").set({
        "time.flows": "800 ms", "time.lead_in": "200 ms", "time.tail": "0 s", "time.warmup": "300 ms",
        "wifi.stations": 1, "traffic.tcp_up": 1, "traffic.tcp_down": 1,
    })  # fmt: skip
    air.watch(s, 1, [("monitor", path)])
    data, at, out = path.read_bytes(), 0, []
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 6:
            _, high, low, kept, whole = struct.unpack_from("<5I", data, at + 8)
            out.append((high << 32 | low, whole, data[at + 28 : at + 28 + kept]))
        at += size
    assert len(out) > 3_000
    return out


def told(path, packets):
    out = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 127)
    for ns, whole, data in packets:
        out += struct.pack("<IIII", ns // 10**9, ns % 10**9, len(data), whole) + data
    path.write_bytes(out)
    document = analyze.load(path)
    return document["report"], [r for r in analyze.remarks(document) if "times go back" in r]


def test_halves_that_are_swapped_are_told(packets, tmp_path):
    half = len(packets) // 2
    report, (note,) = told(tmp_path / "x.pcap", packets[half:] + packets[:half])
    assert report["frames"]["time_goes_back"] == 1
    assert note.startswith("times go back once:") and "reordercap" in note


def test_what_a_host_swaps_is_no_matter(packets, tmp_path):
    swapped = sorted(packets, key=lambda p: p[0] - 900_000 * (p[0] % 7 == 0))
    assert swapped != packets
    assert told(tmp_path / "x.pcap", swapped)[1] == [] == told(tmp_path / "y.pcap", packets)[1]


def test_a_clock_that_is_set_makes_no_round_trip(packets, tmp_path):
    later = 1_700_000_000 * 10**9
    half = len(packets) // 2
    report, _ = told(tmp_path / "x.pcap", [(t + later * (i >= half), *p) for i, (t, *p) in enumerate(packets)])
    assert report["flows"]
    for f in report["flows"]:
        assert f["rtt_ms"]["quantiles"][-1] < 1_000 and f["ack_ms"]["quantiles"][-1] < 1_000
