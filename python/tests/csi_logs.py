"""Writers of CSI logs, for tests: each format bit by bit after its tool's source, by plain loops, and nothing of the readers."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np


class Bits:
    """Packs numbers from the lowest bit up."""

    def __init__(self) -> None:
        self.value, self.count = 0, 0

    def put(self, number: int, width: int) -> None:
        self.value |= (number & ((1 << width) - 1)) << self.count
        self.count += width

    def bytes(self, size: int) -> bytes:
        return self.value.to_bytes(size, "little")


def intel(
    csi: np.ndarray, stamp=0, rssi=(40, 0, 0), noise=-92, agc=30, rate=0x4101, selection=0b100100, tail=b""
) -> bytes:
    """One record of the 5300's tool. csi: receive x transmit x 30, parts in -128..127."""
    rx, tx, _ = csi.shape
    bits = Bits()
    for i in range(30):
        bits.put(0, 3)
        for j in range(rx):
            for k in range(tx):
                bits.put(int(csi[j, k, i].real), 8)
                bits.put(int(csi[j, k, i].imag), 8)
    size = 60 * rx * tx + 12
    body = (
        struct.pack("<IHHBB3BbBBHH", stamp, 1, 0, rx, tx, *rssi, noise, agc, selection, size, rate)
        + bits.bytes(size)
        + tail
    )
    return struct.pack(">HB", len(body) + 1, 0xBB) + body


def atheros(csi: np.ndarray, order="<", stamp=0, rssi=40, error=0, payload=b"x" * 20, pad=0) -> bytes:
    """One record of the Atheros tool. csi: receive x transmit x 56 or 114, parts in -512..511.

    The receive antenna runs first, as in the tool's matlab/read_csi.c.
    """
    rx, tx, tones = csi.shape
    bits = Bits()
    for i in range(tones):
        for k in range(tx):
            for j in range(rx):
                bits.put(int(csi[j, k, i].imag), 10)
                bits.put(int(csi[j, k, i].real), 10)
    packed = bits.bytes((bits.count + 7) // 8) + b"\0" * pad
    head = struct.pack(
        order + "QHH11BH",
        stamp,
        len(packed),
        5180,
        error,
        0,
        0x87,
        int(tones == 114),
        tones,
        rx,
        tx,
        rssi,
        rssi,
        128,
        128,
        len(payload),
    )
    body = head + packed + payload
    return struct.pack(order + "H", len(body)) + body


def broadcom_float(real: int, imag: int, exponent: int, m: int, e: int) -> int:
    """A value of 4358 (m 9, e 5) or 4366c0 (m 12, e 6)."""

    def part(x: int) -> int:
        return (1 << (m - 1) if x < 0 else 0) | abs(x)

    return part(real) << (e + m) | part(imag) << e | exponent & ((1 << e) - 1)


def nexmon(words: bytes, chip=0x0065, rssi: int | None = -60, place=0, source=b"\x02\0\0\0\0\1", port=5500) -> bytes:
    """An Ethernet packet of nexmon_csi around these values."""
    magic = b"\x11\x11\x11\x11" if rssi is None else b"\x11\x11" + struct.pack("bB", rssi, 0x88)
    payload = magic + source + struct.pack("<HHHH", 0, place, 0xE02A, chip) + words
    udp = struct.pack(">HHHH", 5500, port, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 1, 0, 1, 17, 0, b"\x0a\x0a\x0a\x0a", b"\xff" * 4) + udp
    return b"\xff" * 6 + b"NEXMON" + b"\x08\x00" + ip


def pcap(packets: Sequence[bytes], order="<", nano=False, link=1, step=0.001) -> bytes:
    """A classic pcap, a packet a millisecond."""
    out = struct.pack(order + "IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, 65535, link)
    for i, p in enumerate(packets):
        out += struct.pack(order + "IIII", 1000, round(i * step * (1e9 if nano else 1e6)), len(p), len(p)) + p
    return out


def esp32(
    bins: Sequence[complex], stamp=1000, rssi=-50, noise=-95, secondary=0, length=128, mac="AA:BB:CC:00:11:22"
) -> bytes:
    """A line of the ESP32 tool; bins: 64, in the field's own order."""
    values = " ".join(f"{int(b.imag)} {int(b.real)}" for b in bins)
    head = f"CSI_DATA,STA,{mac},{rssi},11,1,0,1,1,1,0,0,0,0,{noise},0,1,{secondary},{stamp},0,101,0,0,{stamp / 1e6},{length}"
    return f"{head},[{values} ]\n".encode()


def picoscenes(
    device: int, tones: int, tx: int, rx: int, payload: bytes, version=2, rssi=40, noise=-95, stamp=0, width=20
) -> bytes:
    """A frame with RxSBasic (version 1), a segment of no interest, CSI, and an MPDU."""

    def segment(name: bytes, number: int, body: bytes) -> bytes:
        rest = bytes([len(name)]) + name + struct.pack("<H", number) + body
        return struct.pack("<I", len(rest)) + rest

    basic = struct.pack("<HQhBHHBBBBbbbbb", device, stamp, 2412, 1, width, 800, 5, tx, 0, rx, noise, rssi, 0, 0, 0)
    firmware = struct.pack("<B", 1) if version == 4 else b""
    csi = struct.pack("<H", device) + firmware + struct.pack("<bHQQIHBBB", 1, width, 2412, 20, 312500, tones, tx, rx, 0)
    csi += struct.pack("<H", 1) if version >= 3 else b""
    csi += b"\0" + (struct.pack("<h", 0) if version >= 2 else b"") + struct.pack("<I", len(payload)) + payload
    body = (
        segment(b"RxSBasic", 1, basic)
        + segment(b"ExtraInfo", 1, b"1234")
        + segment(b"CSI", version, csi)
        + b"mpdu" * 10
    )
    return struct.pack("<IIHB", 7 + len(body), 0x20150315, 1, 3) + body


def random_csi(seed: int, rx: int, tx: int, carriers: int, most: int) -> np.ndarray:
    """Whole numbers up to ``most``, none of them 0 throughout."""
    r = np.random.default_rng(seed)
    real, imag = r.integers(-most, most, (2, rx, tx, carriers))
    return real + 1j * imag
