"""`wavetank hack rohc`: TCP/HACK's codec over captures."""

from __future__ import annotations

import json
import struct

import pytest
from csi_logs import pcap

from wavetank import cli
from wavetank.captures import ack_compression, air
from wavetank.lab import plan
from wavetank.scenario import Scenario


def ones(data: bytes) -> int:
    """RFC 1071, by the book."""
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def ack(i: int, port: int = 5000, sack: bool = False, partial: bool = False) -> bytes:
    """A pure ACK of a bulk download over IPv4, as Linux writes it."""
    options = struct.pack(">BBBBII", 1, 1, 8, 10, 100 + i // 4, 90 + i // 4)
    if sack:
        options += struct.pack(">BBBBII", 1, 1, 5, 10, 2896 * i + 5000, 2896 * i + 6448)
    length = 20 + 20 + len(options)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, length, i & 0xFFFF, 0x4000, 64, 6, 0) + bytes([10, 0, 0, 2, 10, 0, 1, 1])
    ip = ip[:10] + struct.pack(">H", 0xFFFF ^ ones(ip)) + ip[12:]
    tcp = (
        struct.pack(">HHIIBBHHH", port, 80, 7, 1000 + 2896 * i, (5 + len(options) // 4) << 4, 0x10, 501, 0, 0) + options
    )
    pseudo = ip[12:20] + struct.pack(">HH", 6, len(tcp))
    check = ones(pseudo) if partial else 0xFFFF ^ ones(pseudo + tcp)
    return ip + tcp[:16] + struct.pack(">H", check) + tcp[18:]


def ethernet(ip: bytes) -> bytes:
    return (b"\2" * 12 + b"\x08\x00" + ip).ljust(60, b"\0")


@pytest.fixture
def call(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as e:
            cli.main(["hack", "rohc", *map(str, arguments)])
        out, err = capsys.readouterr()
        return e.value.code, out, err

    return run


@pytest.mark.parametrize(("order", "link", "frame"), [("<", 1, ethernet), (">", 101, bytes)])
def test_a_bulk_download(call, tmp_path, order, link, frame):
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap([frame(ack(i)) for i in range(500)] + [frame(ack(500, sack=True))], order, link=link))
    code, out, err = call(path, "--json")
    assert (code, err) == (0, "")
    seen = json.loads(out)
    a = seen["acks"]
    assert (a["acks"], a["compressed"], a["failed"], a["native"]) == (501, 500, 0, {"opens its context": 1})
    assert a["bytes_before"] == 500 * 52 + 64
    assert sum(int(k) * v for k, v in a["sizes"].items()) == a["ride_bytes_after"] == a["bytes_after"] - 52
    assert seen["ratio"] == pytest.approx(a["bytes_before"] / a["bytes_after"])
    assert seen["ratio"] > 9  # 3 to 5 bytes an ACK (thesis 3.3.3.2)
    code, out, _ = call(path)
    assert (code, "compressed and restored" in out, "500" in out) == (0, True, True)


def test_what_is_said_of_odd_captures(call, tmp_path):
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap([ethernet(ack(i, partial=True)) for i in range(50)] + [ethernet(ack(50))[:50]]))
    code, out, _ = call(path)
    assert code == 0
    assert "50 ACKs were captured before the card completed their checksum" in out
    assert "native: cut by the capture" in out
    path.write_bytes(pcap([]))
    code, out, _ = call(path)
    assert (code, "no pure TCP ACK in it" in out) == (0, True)


def test_a_damaged_capture_shows_what_stood_before(call, tmp_path):
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap([ethernet(ack(i)) for i in range(50)])[:-10])
    code, out, err = call(path)
    assert (code, "49 pure ACKs" in out) == (2, True)
    assert f"error: {path}: at byte" in err


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"hello", "neither pcap nor pcapng"),
        (b"", "is empty"),
        (pcap([b"x" * 60], link=147), "its link type is 147; expected Ethernet (1)"),
    ],
)
def test_what_is_no_capture(call, tmp_path, content, text):
    path = tmp_path / "a.pcap"
    path.write_bytes(content)
    code, _, err = call(path)
    assert (code, text in err) == (2, True)
    assert call(tmp_path)[0] == 2
    assert call(tmp_path / "none")[0] == 2


def test_of_a_runs_air(tmp_path):
    """A monitor's capture of the model: radiotap, A-MPDUs, both directions."""
    s = Scenario.load(plan.ROOT / "scenarios" / "cotsq-ath9k-htc.toml")
    s = s.set({"time.flows": "4 s", "time.lead_in": "1 s", "time.tail": "1 s"})
    ask = air.Ask.of(s, tmp_path / "s.toml", tmp_path, "monitor", None, 256, None, None, False)
    ask.watch(s, 1)
    document = ack_compression.compress(tmp_path / "monitor.pcapng")
    a = document["acks"]
    assert a["acks"] > 1000
    assert (a["failed"], a["compressed"] / a["acks"] > 0.99) == (0, True)
