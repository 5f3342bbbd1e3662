"""Logs of the Atheros CSI Tool (``recvCSI``, ath9k; both byte orders: routers write big-endian).

Stands for: the tool's ``read_log_file`` and ``read_csi``. Record: length (2 bytes), 25 bytes of status, channel
state, payload. Each part of a sub-carrier is 10 bits, imaginary before real, packed without gaps from the lowest bit
up: by sub-carrier, transmit antenna (``nc``), receive antenna (``nr``). Differs: D1 a record with a receive error,
without channel state or without RSSI is counted by its place but gives no frame or no SNR.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from .frame import Complex, Frame, used
from .reader import Reader

STATUS = "QHH11BH"
TONES = {56: 20, 114: 40}
NO_RSSI = 128  # and above: the card told none. src: ath9k ATH9K_RSSI_BAD
NOISE_FLOOR = -95.0  # dBm at 20 MHz; RSSI counts from it. src: ath9k ATH_DEFAULT_NOISE_FLOOR


def _status(order: str, body: bytes) -> tuple[int, ...]:
    return struct.unpack_from(order + STATUS, body)


def _fits(order: str, head: bytes, size: int) -> bool:
    """Whether the first record's lengths agree in this byte order."""
    if len(head) < 27:
        return False
    (length,) = struct.unpack_from(order + "H", head)
    status = _status(order, head[2:])
    return bool(25 <= length <= size - 2 and length == 25 + status[1] + status[14])


def order_of(head: bytes, size: int) -> str | None:
    """The byte order of a log that begins so; none if it is no such log."""
    return next((o for o in "<>" if _fits(o, head, size)), None)


def looks(head: bytes, size: int) -> bool:
    """Whether a file that begins so is one of these."""
    return order_of(head, size) is not None


def matrix(packed: bytes, tones: int, rx: int, tx: int) -> Complex:
    """Receive antenna x transmit antenna x sub-carrier, of pairs of 10-bit numbers.

    The receive antenna runs first. src: the tool's matlab/read_csi.c, whose loops are k, nc_idx, nr_idx
    """
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")[: 20 * tones * rx * tx]
    parts = bits.reshape(tones, tx, rx, 2, 10) @ (1 << np.arange(10))
    parts = np.where(parts >= 512, parts - 1024, parts).astype(float)
    return np.ascontiguousarray((parts[..., 1] + 1j * parts[..., 0]).transpose(2, 1, 0))


def frames(r: Reader) -> Iterator[Frame]:
    """The channel states, in order."""
    order = order_of(r.peek(27), r.size)
    if order is None:
        raise r.bad(
            "lengths of the first record that do not agree in either byte order, expected one of the Atheros CSI Tool's"
        )
    while r.left:
        offset = r.at
        (length,) = struct.unpack(order + "H", r.take(2, "a record's length"))
        if length < 25 or length > r.left:
            swapped = (length & 0xFF) << 8 | length >> 8
            hint = "; its bytes look swapped" if 25 <= swapped <= r.left else ""
            raise r.bad(
                f"a record of {length} bytes where the file has {r.left} more{hint}, expected 25 at least", offset
            )
        body = r.take(length, "a record")
        frame = _frame(r, offset, body, order)
        if frame is not None:
            yield frame


def _frame(r: Reader, offset: int, body: bytes, order: str) -> Frame | None:
    stamp, size, _, error, _, rate, _, tones, rx, tx, rssi, _, _, _, payload = _status(order, body)
    if 25 + size + payload != len(body):
        raise r.bad(
            f"a record of {len(body)} bytes that says it holds 25 + {size} + {payload}: lengths do not agree"
            f"{_other(order, body)}",
            offset,
        )
    if size == 0 or error:
        return None
    if not (1 <= rx <= 3 and 1 <= tx <= 3) or tones not in TONES:
        raise r.bad(f"{rx} x {tx} antennas and {tones} sub-carriers, expected 1 to 3 antennas and 56 or 114", offset)
    needs = (20 * tones * rx * tx + 7) // 8
    if not needs <= size <= needs + 3:  # the card fills up to whole words
        raise r.bad(f"channel state of {size} bytes, expected {needs} for {rx} x {tx} x {tones}", offset)
    width = TONES[tones]
    snr = () if rssi >= NO_RSSI else (float(rssi),)
    return Frame(
        offset, stamp / 1e6, matrix(body[25 : 25 + size], tones, rx, tx), used(width), width, snr,
        None if rssi >= NO_RSSI else rssi + NOISE_FLOOR, NOISE_FLOOR, mcs=rate & 0x7F if rate & 0x80 else None,
    )  # fmt: skip


def _other(order: str, body: bytes) -> str:
    status = _status(">" if order == "<" else "<", body)
    return "; in the other byte order they would" if 25 + status[1] + status[14] == len(body) else ""
