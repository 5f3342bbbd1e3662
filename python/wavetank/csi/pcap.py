"""Packets of a classic pcap file, one at a time, in both byte orders and both resolutions."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from .reader import Reader

# Magic as written: byte order of what follows, and its fractions of a second.
MAGICS = {
    b"\xd4\xc3\xb2\xa1": ("<", 1e-6), b"\xa1\xb2\xc3\xd4": (">", 1e-6),
    b"\x4d\x3c\xb2\xa1": ("<", 1e-9), b"\xa1\xb2\x3c\x4d": (">", 1e-9),
}  # fmt: skip
NG = b"\x0a\x0d\x0d\x0a"
MOST = 1 << 18  # bytes of a packet, as libpcap's MAXIMUM_SNAPLEN


def packets(r: Reader) -> tuple[int, Iterator[tuple[int, float, bytes]]]:
    """The link type, and each packet's offset in the file, time (s) and bytes."""
    head = r.take(24, "pcap's header")
    if head[:4] not in MAGICS:
        what = "a pcapng" if head[:4] == NG else f"{head[:4].hex()}"
        raise r.bad(f"{what} file, expected a classic pcap (`tshark -F pcap -r IN -w OUT` makes one)", 0)
    order, fraction = MAGICS[head[:4]]
    (link,) = struct.unpack_from(order + "I", head, 20)
    return link & 0xFFFF, _rest(r, order, fraction)


def _rest(r: Reader, order: str, fraction: float) -> Iterator[tuple[int, float, bytes]]:
    while r.left:
        offset = r.at
        seconds, parts, size, _ = struct.unpack(order + "IIII", r.take(16, "a packet's header"))
        if size > MOST:
            raise r.bad(f"a packet of {size} bytes, expected {MOST} at most", offset)
        yield offset, seconds + parts * fraction, r.take(size, "a packet")
