"""Captures of nexmon_csi: pcap with a UDP packet to port 5500 a pair of antennas.

Broadcom's 4339, 43455c0, 4358 and 4366c0.

Stands for: nexmon_csi's ``utils/matlab`` (``csireader.m``, ``unpack_float.c``). Payload: 18 bytes of header, then one
value a bin of the FFT, 3.2 a MHz: two signed 16-bit parts on 4339 and 43455c0, a float of the chip's own on 4358 and
4366c0. Differs: D1 the chip is told by the header's version field, not by the user; D2 bins that carry nothing are
left out and the rest put into the order of frequency; D3 a value of the chip's float is kept as it is, not cut to the
10 bits of the frame's largest. No format of theirs has noise; newer ones have RSSI.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from .frame import EDGES, Complex, Frame, mac, used
from .pcap import packets
from .reader import Reader

PORT = 5500
HEADER = 18
ETHERNET = 1
# Bits of mantissa and exponent; none: two int16. src: nexmon_csi utils/matlab/csireader.m
CHIPS = {0x0001: None, 0x0065: None, 0xDEAD: (9, 5), 0x006A: (12, 6)}


def floats(words: np.ndarray, mantissa: int, exponent: int) -> Complex:
    """Sign and mantissa of the real part, then of the imaginary, then their common exponent, from the highest bit
    down.
    """
    mask = (1 << (mantissa - 1)) - 1
    w = words.astype(np.int64)
    e = w & ((1 << exponent) - 1)
    e = np.where(e >= 1 << (exponent - 1), e - (1 << exponent), e)
    real = (w >> (exponent + mantissa) & mask) * np.where(w >> (exponent + 2 * mantissa - 1) & 1, -1.0, 1.0)
    imaginary = (w >> exponent & mask) * np.where(w >> (exponent + mantissa - 1) & 1, -1.0, 1.0)
    values: Complex = (real + 1j * imaginary) * np.exp2(e)
    return values


def _payload(packet: bytes) -> tuple[int, int] | None:
    """Begin and end of the UDP payload to our port in an Ethernet packet, if it is one."""
    if len(packet) < 42 or packet[12:14] != b"\x08\x00" or packet[14] >> 4 != 4 or packet[23] != 17:
        return None
    udp = 14 + (packet[14] & 15) * 4
    if udp < 34 or len(packet) < udp + 8 or struct.unpack_from(">H", packet, udp + 2)[0] != PORT:
        return None
    return udp + 8, udp + struct.unpack_from(">H", packet, udp + 4)[0]


def frames(r: Reader) -> Iterator[Frame]:
    """The channel states, one a pair of antennas, in order."""
    link, all_packets = packets(r)
    if link != ETHERNET:
        raise r.bad(f"link type {link}, expected Ethernet (1), as nexmon_csi's captures have it", 20)
    for offset, time_s, packet in all_packets:
        span = _payload(packet)
        if span is not None:
            yield _frame(r, offset, time_s, packet, *span)


def _frame(r: Reader, offset: int, time_s: float, packet: bytes, begin: int, end: int) -> Frame:
    if not begin + HEADER < end <= len(packet):
        raise r.bad(
            f"a UDP packet of {end - begin} bytes in a record of {len(packet) - begin}: lengths do not agree", offset
        )
    p = packet[begin:end]
    if p[:2] != b"\x11\x11":
        raise r.bad(f"magic {p[:2].hex()} in a packet to port {PORT}, expected 1111", offset)
    rssi = None if p[:4] == b"\x11\x11\x11\x11" else float(struct.unpack_from("b", p, 2)[0])
    place, chip = struct.unpack_from("<H2xH", p, 12)
    if chip not in CHIPS:
        known = ", ".join(f"{c:04x}" for c in CHIPS)
        raise r.bad(f"chip version {chip:04x}, expected one of {known}", offset)
    bins = (len(p) - HEADER) // 4
    width = bins * 5 // 16
    if width not in EDGES or (bins * 5 % 16 and bins - 1 != width * 16 // 5):
        raise r.bad(f"{bins} bins, expected 64, 128, 256 or 512", offset)
    bins = width * 16 // 5
    form = CHIPS[chip]
    if form is None:
        parts = np.frombuffer(p, "<i2", 2 * bins, HEADER).astype(float)
        values: Complex = parts[::2] + 1j * parts[1::2]
    else:
        values = floats(np.frombuffer(p, "<u4", bins, HEADER), *form)
    carriers = used(width)
    csi = values[carriers % bins].reshape(1, 1, -1)
    chain = (place & 7, place >> 3 & 7)
    return Frame(offset, time_s, csi, carriers, width, (), rssi, None, mac(p[4:10]), chain)
