"""Logs of the Linux 802.11n CSI Tool for Intel's 5300 (``.dat``, netlink's messages with a length before each).

Stands for: the tool's ``read_bf_file`` and ``get_scaled_csi`` (dhalperi/linux-80211n-csitool-supplementary). Record:
length (2 bytes, big-endian), code (1), body; code 0xbb is channel state, anything else is passed over. Differs: D1
the total SNR is what the tool scales by (RSSI without AGC over thermal noise and quantisation), without its bonus for
shared transmit power; D2 spatial mapping is not undone. As there, an antenna selection that is no order of the
antennas is not applied.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from .frame import Complex, Frame, Unwrap, db, linear
from .reader import Reader

BFEE = 0xBB
GROUPED = {
    20: np.array([*range(-28, -1, 2), -1, *range(1, 28, 2), 28]),
    40: np.array([*range(-58, -1, 4), *range(2, 59, 4)]),
}  # src: 802.11-2020 table 9-65 (grouping 2 at 20 MHz, 4 at 40 MHz)
# Noise that the tool takes where the card told none. src: get_scaled_csi.m
UNKNOWN_NOISE, THERMAL_DBM = -127, -92.0
# Bits of the rate. src: iwlwifi RATE_MCS_HT_MSK, RATE_MCS_HT40_MSK
HT, WIDE = 0x100, 0x800


def looks(head: bytes, size: int) -> bool:
    """Whether a file that begins so is one of these."""
    if len(head) < 3:
        return False
    length, code = struct.unpack_from(">HB", head)
    return code in (BFEE, 0xC1) and 1 < length <= size - 2


def matrix(payload: bytes, rx: int, tx: int) -> Complex:
    """30 sub-carriers of rx x tx pairs of signed bytes, each sub-carrier's after 3 bits that belong to nothing."""
    bits = np.unpackbits(np.frombuffer(payload, np.uint8), bitorder="little")
    per = 16 * rx * tx
    starts = 3 + np.arange(30) * (per + 3)
    values = bits[starts[:, None] + np.arange(per)].reshape(30, rx, tx, 2, 8)
    parts = np.packbits(values, axis=-1, bitorder="little")[..., 0].astype(np.int8).astype(float)
    return np.ascontiguousarray(np.moveaxis(parts[..., 0] + 1j * parts[..., 1], 0, -1))


def frames(r: Reader) -> Iterator[Frame]:
    """The channel states, in order."""
    clock = Unwrap(32)
    while r.left:
        offset = r.at
        length, code = struct.unpack(">HB", r.take(3, "a record's length and code"))
        if length == 0:
            raise r.bad("a record of length 0, expected at least its code", offset)
        if length - 1 > r.left:
            swapped = (length & 0xFF) << 8 | length >> 8
            hint = "; its bytes look swapped" if 0 < swapped - 1 <= r.left else ""
            raise r.bad(f"a record of {length} bytes where the file has {r.left + 1} more{hint}", offset)
        body = r.take(length - 1, "a record")
        if code == BFEE:
            yield _frame(r, offset, body, clock)


def _frame(r: Reader, offset: int, body: bytes, clock: Unwrap) -> Frame:
    if len(body) < 20:
        raise r.bad(f"channel state in {len(body)} bytes, expected at least 20", offset)
    stamp, rx, tx = struct.unpack_from("<I4xBB", body)
    rssi = struct.unpack_from("3B", body, 10)
    noise, agc, selection, size, rate = struct.unpack_from("<bBBHH", body, 13)
    if not (1 <= rx <= 3 and 1 <= tx <= 3):
        raise r.bad(f"{rx} receive and {tx} transmit antennas, expected 1 to 3 each", offset)
    if size != 60 * rx * tx + 12 or size != len(body) - 20:
        raise r.bad(
            f"a matrix of {size} bytes in a record of {len(body) - 20}, expected {60 * rx * tx + 12} for {rx} x {tx}",
            offset,
        )
    order = [selection >> shift & 3 for shift in (0, 2, 4)][:rx]
    csi = matrix(body[20:], rx, tx)
    if rx > 1 and sorted(order) == list(range(rx)):
        ordered = np.empty_like(csi)
        ordered[order] = csi
        csi = ordered
    heard = sum(linear(x) for x in rssi if x)
    width = 40 if rate & WIDE else 20
    power = float((np.abs(csi) ** 2).sum() / 30)
    thermal = THERMAL_DBM if noise == UNKNOWN_NOISE else float(noise)
    rss = db(heard) - 44 - agc if heard else None
    snr: tuple[float, ...] = ()
    if rss is not None and power > 0:
        quantisation = linear(rss) / power * rx * tx
        snr = (rss - db(linear(thermal) + quantisation),)
    mcs = rate & 0x7F if rate & HT else None
    return Frame(offset, clock(stamp) / 1e6, csi, GROUPED[width], width, snr, rss, thermal, mcs=mcs)
