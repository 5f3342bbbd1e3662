"""Captures of 802.11ax, made here byte by byte: what `analyze` and tshark read of them."""

import json
import struct
import zlib

import pytest

AP, STA = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
#: Data 1: all that is known is the MCS, the coding and the width; data 2: the guard interval.
KNOWN, GI_KNOWN = 0x0020 | 0x0080 | 0x4000, 0x0002


def he(mcs, streams, width, gi, ltf, form=0):
    """Radiotap's field: LDPC."""
    return struct.pack("<6H", KNOWN | form, GI_KNOWN, mcs << 8 | 0x2000, 0, width | gi << 4 | ltf << 6, streams)


def radiotap(us, field=None, reference=None, l_sig=None, rate=None):
    """TSFT, flags (an FCS), rate, channel, A-MPDU status, HE, L-SIG."""
    present, out = 0b1011, struct.pack("<QBBHH", us, 0x10, rate or 0, 5180, 0x0140)
    if rate:
        present |= 0b100
    else:
        out = struct.pack("<QBxHH", us, 0x10, 5180, 0x0140)
    at = 8
    for bit, align, value in (
        (20, 4, None if reference is None else struct.pack("<IHH", reference, 0, 0)),
        (23, 2, field),
        (27, 2, None if l_sig is None else struct.pack("<HH", 3, l_sig << 4 | 0xB)),
    ):
        if value is not None:
            present |= 1 << bit
            out += bytes(-(at + len(out)) % align) + value
    return struct.pack("<BBHI", 0, 0, at + len(out), present) + out


def fcs(frame):
    return frame + struct.pack("<I", zlib.crc32(frame))


def data(seq, size):
    """A QoS data frame from the access point, without a packet that anyone reads."""
    head = b"\x88\x02" + bytes(2) + STA + AP + AP + struct.pack("<HH", seq << 4, 0)
    return fcs(head + bytes(size - len(head) - 4))


def block_ack(start, acked):
    """Compressed, of 256 bits: fragment number 4."""
    bits = sum(1 << i for i in acked)
    return fcs(b"\x94\x00" + bytes(2) + AP + STA + struct.pack("<HH", 4, start << 4 | 4) + bits.to_bytes(32, "little"))


def pcap(path, frames):
    out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 127)
    for us, f in frames:
        out += struct.pack("<IIII", us // 10**6, us % 10**6, len(f), len(f)) + f
    path.write_bytes(out)
    return path


def aggregate(l_sig=None):
    """100 MPDUs of 1500 bytes at MCS 11, two streams, 80 MHz, 0.8 us: 1201 Mbit/s, 50.4 us, 74 symbols, 12 us of extension; three are not
    acknowledged."""
    field = he(11, 2, 2, 0, 2)
    one = 1504 * 8 / 1201
    frames = [
        (10_050 + int(i * one), radiotap(10_050 + int(i * one), field, 7, l_sig) + data(3000 + i, 1500))
        for i in range(100)
    ]
    answer = 10_000 + 1069 + 16 + 20
    acked = set(range(100)) - {3, 70, 99}
    return [*frames, (answer, radiotap(answer, rate=48) + block_ack(3000, acked))]


def link(wavetank, path):
    code, out, err = wavetank("analyze", path, "--json")
    assert code == 0, err
    document = json.loads(out)
    return document, document["report"]["links"][0]


@pytest.mark.parametrize(("l_sig", "data_us"), [(None, 50.4 + 74 * 13.6 + 12), (784, 1072)])
def test_an_aggregate_of_a_hundred(tmp_path, wavetank, l_sig, data_us):
    _, got = link(wavetank, pcap(tmp_path / "he.pcap", aggregate(l_sig)))
    assert (got["ppdus"], got["mpdus"], got["unacked"], got["unanswered"]) == (1, 100, 3, 0)
    assert [(r["rate"], r["mpdus"]) for r in got["rates"]] == [("HE MCS 11 x2, 80 MHz, GI 0.8 us", 100)]
    # SIFS, and 56 bytes at 24 Mbit/s
    assert got["airtime_s"] * 1e6 == pytest.approx(data_us + 16 + 40, abs=0.1)


def test_several_stations_at_once_are_no_collision(tmp_path, wavetank):
    frames = [
        (10_050, radiotap(10_050, he(7, 1, unit, 1, 2, form=2), i) + data(i, 500)) for i, unit in enumerate((6, 7))
    ]
    document, got = link(wavetank, pcap(tmp_path / "mu.pcap", frames))
    assert {r["rate"] for r in got["rates"]} == {
        "HE MU MCS 7 x1, 106 tones, GI 1.6 us",
        "HE MU MCS 7 x1, 242 tones, GI 1.6 us",
    }
    assert (got["collided"], got["unacked"], got["airtime_s"]) == (0, 0, None)
    assert any("2 frames are of PPDUs for or from several stations" in r for r in document["remarks"])


@pytest.mark.usefixtures("canvases")
def test_a_rate_that_is_not_known_splits_no_aggregate(tmp_path, wavetank):
    """Two A-MPDUs at MCS 13, each on the other's time: their references tell which MPDU is whose."""
    field, ours, theirs = he(13, 2, 2, 0, 2), [], []
    for i in range(10):
        mine = data(i, 1500)
        other = fcs(mine[:4] + AP + STA + AP + mine[22:-4])
        ours.append((10_000 + 20 * i, radiotap(10_000 + 20 * i, field, 7) + mine))
        theirs.append((10_010 + 20 * i, radiotap(10_010 + 20 * i, field, 7 if i % 2 else 8) + other))
    one = [(t, f) for t, f in theirs if t % 40 == 10]  # of reference 8
    again = 10_500
    last = (
        (again, radiotap(again, field, 9) + data(0, 1500)),
        (again + 40, radiotap(again + 40, rate=48) + block_ack(0, [0])),
    )
    document, _ = link(wavetank, pcap(tmp_path / "he.pcap", [*sorted(ours + one), *last]))
    by_from = {x["from"][-1]: x for x in document["report"]["links"]}
    assert [(x["ppdus"], x["mpdus"], x["collided"], x["unacked"]) for x in (by_from["1"], by_from["2"])] == [
        (2, 11, 1, 10), (1, 5, 1, 5),
    ]  # fmt: skip
    # the same number at two transmitters is two A-MPDUs
    same = [(t, f) for t, f in theirs if t % 40 == 30]
    document, _ = link(wavetank, pcap(tmp_path / "same.pcap", sorted(ours + same)))
    assert [x["ppdus"] for x in document["report"]["links"]] == [1, 1]
    rates = [r for x in document["report"]["links"] for r in x["rates"]]
    assert {(r["rate"], r["mbit"], r["airtime_s"]) for r in rates} == {("unknown", None, None)}
    assert {s["airtime_fraction"] for s in document["report"]["stations"]} == {None}
    out = wavetank("analyze", tmp_path / "same.pcap")[1]
    assert " 0 Mbit" not in out and "0.0 %\n" not in out
    code, _, err = wavetank("analyze", tmp_path / "same.pcap", "--out", tmp_path / "figures")
    assert code == 0, err


@pytest.mark.slow
def test_tshark_reads_the_same(tshark, tmp_path):
    path = pcap(tmp_path / "he.pcap", aggregate(784))
    fields = (
        "radiotap.he.data_3.data_mcs",
        "radiotap.he.data_6.nsts",
        "wlan_radio.data_rate",
        "wlan.fcs.status",
        "_ws.malformed",
    )
    rows = {
        tuple(line.split("\t"))
        for line in tshark(path, "-T", "fields", *(x for f in fields for x in ("-e", f))).splitlines()
    }
    assert rows == {("0x000b", "0x0002", "1201", "1", ""), ("", "", "24", "1", "")}


def test_damage_is_no_rate(tmp_path, wavetank):
    """MCS 12 and resource units that there are not."""
    fields = (he(12, 1, 0, 0, 2), he(5, 1, 15, 0, 2), he(5, 1, 0, 3, 2))
    frames = [(10_050 + 1000 * i, radiotap(10_050 + 1000 * i, f) + data(i, 500)) for i, f in enumerate(fields)]
    document, _ = link(wavetank, pcap(tmp_path / "damaged.pcap", frames))
    assert document["report"]["frames"]["without_rate"] == 3
