"""Captures of several interfaces and channels, made here byte by byte: each is a medium of its own."""

import json
import struct

import pytest
from test_captures_he import fcs

from wavetank.captures import analyze_media

A, B = bytes.fromhex("0202020202aa"), bytes.fromhex("0202020202bb")


def radiotap(us, mhz, reference=None):
    """TSFT, flags (an FCS), rate of 24 Mbit/s, channel; of an A-MPDU's MPDUs its status and HT's MCS 7 in the place of a rate."""
    if reference is None:
        return struct.pack("<BBHIQBBHH", 0, 0, 22, 0b1111, us, 0x10, 48, mhz, 0x0140)
    status = struct.pack("<3B3xIHH", 7, 0, 7, reference, 0, 0)
    return struct.pack("<BBHIQBxHH", 0, 0, 36, 0b1011 | 1 << 19 | 1 << 20, us, 0x10, mhz, 0x0140) + status


def exchanges(mhz, begin=0, n=20, ends=(A, B)):
    """A-MPDUs of four MPDUs that are acknowledged, one a ms: us and octets."""
    out = []
    for k in range(n):
        at = begin + 1000 * k
        for i in range(4):
            head = b"\x88\x02" + bytes(2) + ends[1] + ends[0] * 2 + struct.pack("<HH", 4 * k + i << 4, 0)
            out.append((at + 50 * i, radiotap(at + 50 * i, mhz, k) + fcs(head + bytes(100))))
        ba = b"\x94\x00" + bytes(2) + ends[0] + ends[1] + struct.pack("<HHQ", 4, 4 * k << 4, 0xF)
        out.append((at + 250, radiotap(at + 250, mhz) + fcs(ba)))
    return out


def block(kind, body):
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def pcapng(path, frames, names=("mon0", None), simple=False):
    """Frames of several interfaces, in the order of time. ``simple``: in Simple Packet Blocks."""
    out = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    for name in names:
        option = b"" if name is None else struct.pack("<HH", 2, len(name)) + name.encode() + bytes(4)
        out += block(1, struct.pack("<HHI", 127, 0, 0) + option)
    for us, interface, octets in sorted((us, i, f) for i, those in enumerate(frames) for us, f in those):
        size = len(octets)
        if simple:
            out += block(3, struct.pack("<I", size) + octets)
        else:
            out += block(6, struct.pack("<5I", interface, us >> 32, us & 0xFFFFFFFF, size, size) + octets)
    path.write_bytes(out)
    return path


def told(wavetank, path, *options):
    code, out, err = wavetank("analyze", path, "--json", *options)
    assert code == 0, err
    return json.loads(out)


@pytest.fixture
def alone(tmp_path, wavetank):
    document = told(wavetank, pcapng(tmp_path / "alone.pcapng", [exchanges(5180)]))
    assert {"media", "medium", "shared_channels"} & set(document) == set() and document["remarks"] == []
    station = document["report"]["stations"][0]
    assert (station["ppdus"], station["mpdus"], station["loss_rate"], station["collided"]) == (20, 80, 0.0, 0)
    return document["report"]


@pytest.mark.usefixtures("canvases")
def test_two_channels_are_two_media(wavetank, tmp_path, alone):
    other = exchanges(5745, 100, 10, (B, A))
    path = pcapng(tmp_path / "x.pcapng", [exchanges(5180), other])
    document = told(wavetank, path)
    first, second = document["media"]
    assert first["report"] == document["report"] == alone
    assert (first["interface"], first["interface_name"], first["mhz"], first["hops"]) == (0, "mon0", 5180, False)
    assert (second["interface"], second["interface_name"], second["mhz"]) == (1, None, 5745)
    assert second["report"] == told(wavetank, pcapng(tmp_path / "y.pcapng", [other]))["report"]
    assert document["shared_channels"] == [] and document["medium"]["interface"] == 0
    (note,) = document["remarks"]
    assert note.startswith("2 media are in it") and "interface 1, channel 149 (5745 MHz): 50 frames" in note
    _, out, _ = wavetank("analyze", path, "--out", tmp_path / "out")
    assert out.count("Transmitters") == 2 and "interface 0 (mon0), channel 36 (5180 MHz): 100 frames" in out
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "x.pcapng-interface0-5180.png", "x.pcapng-interface1-5745.png", "x.pcapng.json"
    ]  # fmt: skip


def test_two_monitors_on_one_channel_count_nothing_twice(wavetank, tmp_path, alone):
    frames = exchanges(5180)
    path = pcapng(tmp_path / "x.pcapng", [frames, [(us + 3, f) for us, f in frames[:60]]])
    document = told(wavetank, path)
    assert document["report"] == alone
    assert [m["report"]["stations"][0]["mpdus"] for m in document["media"]] == [80, 48]
    (shared,) = document["shared_channels"]
    assert shared == {"mhz": 5180, "interfaces": [0, 1], "frames": 79, "by_several": 47}
    note = document["remarks"][1]
    assert "interfaces 0 and 1 listened together on channel 36" in note and "47 (59 %)" in note and "added up" in note


def test_one_interface_alone(wavetank, tmp_path, alone):
    path = pcapng(tmp_path / "x.pcapng", [exchanges(5745, 100, 10), exchanges(5180)])
    document = told(wavetank, path, "--interface", "1")
    assert document["report"] == alone and "media" not in document and document["remarks"] == []
    assert document["medium"]["mhz"] == 5180
    assert "interface 1, channel 36 (5180 MHz)" in wavetank("analyze", path, "--interface", "1")[1]
    code, out, err = wavetank("analyze", path, "--interface", "2")
    assert (code, out) == (2, "") and "has no frames of interface 2; expected 0 (mon0) or 1" in " ".join(err.split())


def test_an_interface_that_hops(wavetank, tmp_path):
    path = pcapng(tmp_path / "x.pcapng", [exchanges(5180, 0, 10) + exchanges(2437, 20_000, 10)])
    document = told(wavetank, path)
    assert [(m["interface"], m["hops"]) for m in document["media"]] == [(0, True), (0, True)]
    assert sum(m["listened_s"] for m in document["media"]) == pytest.approx(0.02925)
    for m in document["media"]:
        assert m["report"]["stations"][0]["airtime_fraction"] == pytest.approx(m["report"]["busy_fraction"])
    assert "interface 0 hops over channels" in document["remarks"][1]
    assert "listened for 0.015 s" in wavetank("analyze", path)[1]
    code, _, err = wavetank("analyze", path, "--link-traces", tmp_path / "t")
    assert code == 2 and "hops over channels" in " ".join(err.split())


def test_traces_of_links_are_of_one_interface(wavetank, tmp_path):
    frames = exchanges(5180)
    one, two = tmp_path / "one.pcapng", tmp_path / "two.pcapng"
    pcapng(one, [frames])
    pcapng(two, [frames, [(us + 3, f) for us, f in frames]])
    code, _, err = wavetank("analyze", two, "--link-traces", tmp_path / "t")
    assert code == 2 and "--interface N takes one's" in " ".join(err.split())
    for path, options in ((one, ()), (two, ("--interface", "1"))):
        assert wavetank("analyze", path, "--link-traces", tmp_path / path.stem, *options)[0] == 0
    texts = [[f.read_bytes() for f in sorted((tmp_path / d).iterdir())] for d in ("one", "two")]
    assert texts[0] == texts[1] and len(texts[0]) == 1


@pytest.mark.usefixtures("canvases")
def test_without_times_nothing_is_told_that_needs_them(wavetank, tmp_path, alone):
    path = pcapng(tmp_path / "x.pcapng", [exchanges(5180)], simple=True)
    document = told(wavetank, path)
    report, was = document["report"], alone["stations"][0]
    (station,) = report["stations"]
    assert [report[k] for k in ("span_s", "window_s", "busy_fraction")] == [None] * 3
    assert station["airtime_fraction"] is None and station["airtime_us"]["values"] == []
    same = ("ppdus", "mpdus", "ampdu_hist", "retries", "unacked", "collided", "airtime_s", "back_to_back")
    assert [station[k] for k in same] == [was[k] for k in same]
    assert report["frames"].pop("untimed") == 100 and report["frames"] == alone["frames"]
    (note,) = document["remarks"]
    assert note.startswith("100 frames have no time (pcapng's Simple Packet Blocks): shares of the time, goodput")
    _, out, _ = wavetank("analyze", path, "--out", tmp_path / "out")
    assert "100 frames; pcapng" in out
    for option in (("--window", "0:1"), ("--link-traces", tmp_path / "t")):
        code, _, err = wavetank("analyze", path, *option)
        assert code == 2 and "times" in " ".join(err.split())


def test_a_frame_alone_has_no_goodput(wavetank, tmp_path):
    """LLC, IPv4 and UDP of 10.0.0.1:7 to 10.0.0.2:9 with four bytes: of no time."""
    udp = bytes.fromhex("aaaa030000000800 4500002000010000401100000a0000010a000002 00070009000c0000 01020304")
    frame = radiotap(5, 5180) + fcs(b"\x88\x02" + bytes(2) + B + A + A + bytes(4) + udp)
    for simple in (False, True):
        report = told(wavetank, pcapng(tmp_path / "x.pcapng", [[(5, frame)]], simple=simple))["report"]
        (flow,) = report["flows"]
        assert (flow["bytes"], flow["goodput_mbit"], report["busy_fraction"]) == (4, None, None)
        assert flow["delivered_bytes"]["values"] == ([] if simple else [4.0])


@pytest.mark.parametrize(
    ("mhz", "name"), [(2412, 1), (2484, 14), (5180, 36), (5825, 165), (5955, 1), (6115, 33), (60480, None)]
)
def test_channels_have_numbers(mhz, name):
    said = analyze_media.medium_name({"interface": 0, "interface_name": None, "mhz": mhz})
    assert said == "interface 0, " + (f"{mhz} MHz" if name is None else f"channel {name} ({mhz} MHz)")
