"""Logs of PicoScenes (``.csi``): frames of named, versioned segments.

Stands for: the layout as csiread's ``_picoscenes.h`` has it (frame version 1; RxSBasic 1 to 3, CSI 1 to 4).
Little-endian always. Differs: D1 of the devices IWL5300, QCA9300 and USRP (one antenna each way) are read, others are
named in an error; D2 the segments CSI and RxSBasic are looked at, all others passed over.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from . import atheros, intel
from .frame import EDGES, Complex, Frame, Ints, used
from .reader import Reader

MAGIC = 0x20150315
_FRAME = struct.Struct("<IIHB")
# Device, time, frequencies, format, widths, guard interval; then MCS, streams and users; then noise and RSSI.
_BASIC = {
    1: (struct.Struct("<HQhBHHBBBBbb"), 6), 2: (struct.Struct("<HQhBHHBBBBBBbb"), 6),
    3: (struct.Struct("<HQhhHBHHBBBBBBbb"), 8),
}  # fmt: skip
# Device, format, width, frequencies, sub-carriers, antennas; then more; then the matrix's length. src: csiread _picoscenes.h
_CSI = {
    1: struct.Struct("<HbHQQIHBBBBI"), 2: struct.Struct("<HbHQQIHBBBBhI"),
    3: struct.Struct("<HbHQQIHBBBHBhI"), 4: struct.Struct("<HBbHQQIHBBBHBhI"),
}  # fmt: skip
IWL5300, QCA9300, USRP = 0x5300, 0x9300, 0x1234


def looks(head: bytes, size: int) -> bool:
    """Whether a file that begins so is one of these."""
    return size > _FRAME.size and head[4:8] == struct.pack("<I", MAGIC)


@dataclass(slots=True)
class _Basic:
    time_s: float
    noise_dbm: float
    snr_db: float
    mcs: int


def frames(r: Reader) -> Iterator[Frame]:
    """The channel states, in order."""
    while r.left:
        offset = r.at
        length, magic, version, segments = _FRAME.unpack(r.take(_FRAME.size, "a frame's header"))
        if magic != MAGIC or version != 1:
            raise r.bad(f"magic {magic:08x}, version {version}; expected {MAGIC:08x}, version 1", offset)
        if length + 4 < _FRAME.size:
            raise r.bad(f"a frame of {length + 4} bytes, expected {_FRAME.size} at least", offset)
        yield from _frame(r, offset, r.take(length + 4 - _FRAME.size, "a frame"), segments)


def _frame(r: Reader, offset: int, body: bytes, segments: int) -> Iterator[Frame]:
    basic: _Basic | None = None
    state: tuple[int, bytes] | None = None
    at = 0
    for _ in range(segments):
        if at + 5 > len(body):
            raise r.bad("a segment beyond its frame's end", offset)
        length, name_length = struct.unpack_from("<IB", body, at)
        end = at + 4 + length
        payload = at + 5 + name_length + 2
        if end > len(body) or payload > end:
            raise r.bad(f"a segment of {length} bytes in a frame that has {len(body) - at - 4} more", offset)
        name = body[at + 5 : at + 5 + name_length]
        (version,) = struct.unpack_from("<H", body, payload - 2)
        if name == b"RxSBasic":
            basic = _basic(r, offset, version, body[payload:end])
        elif name == b"CSI":
            state = version, body[payload:end]
        at = end
    if state is not None:
        yield _state(r, offset, *state, basic)


def _basic(r: Reader, offset: int, version: int, data: bytes) -> _Basic:
    form, mcs = _BASIC.get(version, (None, 0))
    if form is None or len(data) < form.size:
        raise r.bad(f"segment RxSBasic of version {version} in {len(data)} bytes", offset)
    fields = form.unpack_from(data)
    # versions 1 and 2 count RSSI from the noise
    above = fields[-1] - fields[-2] if version == 3 else fields[-1]
    return _Basic(fields[1] / 1e6, float(fields[-2]), float(above), fields[mcs])


def _state(r: Reader, offset: int, version: int, data: bytes, basic: _Basic | None) -> Frame:
    form = _CSI.get(version)
    if form is None or len(data) < form.size:
        raise r.bad(f"segment CSI of version {version} in {len(data)} bytes", offset)
    fields = list(form.unpack_from(data))
    if version == 4:
        del fields[1]  # the firmware's version
    device, _, width, _, _, _, tones, tx, rx = fields[:9]
    payload = data[form.size :]
    if fields[-1] != len(payload):
        raise r.bad(f"channel state of {fields[-1]} bytes in a segment that has {len(payload)}", offset)
    if not (1 <= tx <= 4 and 1 <= rx <= 4 and width in EDGES):
        raise r.bad(f"{rx} x {tx} antennas at {width} MHz", offset)
    if device == IWL5300:
        csi, carriers = _iwl5300(r, offset, payload, tones, rx, width)
    elif device == QCA9300:
        csi, carriers = _qca9300(r, offset, payload, tones, rx, width)
    elif device == USRP:
        csi, carriers = _usrp(r, offset, payload, tones, rx * tx)
    else:
        raise r.bad(f"device {device:04x}; of PicoScenes' devices IWL5300, QCA9300 and USRP are read", offset)
    known = basic is not None and basic.noise_dbm != 0  # a radio without either writes zeros
    snr = (basic.snr_db,) if basic is not None and known else ()
    rssi = basic.snr_db + basic.noise_dbm if basic is not None and known else None
    return Frame(
        offset, basic.time_s if basic is not None else 0.0, csi, carriers, width, snr, rssi,
        basic.noise_dbm if basic is not None and known else None, mcs=basic.mcs if basic is not None else None,
    )  # fmt: skip


def _iwl5300(r: Reader, offset: int, data: bytes, tones: int, rx: int, width: int) -> tuple[Complex, Ints]:
    tx = (len(data) - 12) // (60 * rx)
    if tones != 30 or not 1 <= tx <= 3 or len(data) != 60 * rx * tx + 12 or width not in intel.GROUPED:
        raise r.bad(f"IWL5300: {tones} sub-carriers of {rx} antennas in {len(data)} bytes at {width} MHz", offset)
    return intel.matrix(data, rx, tx), intel.GROUPED[width]


def _qca9300(r: Reader, offset: int, data: bytes, tones: int, rx: int, width: int) -> tuple[Complex, Ints]:
    tx = len(data) * 8 // (20 * tones * rx) if tones else 0
    if atheros.TONES.get(tones) != width or not 1 <= tx <= 3 or len(data) > (20 * tones * rx * tx + 7) // 8 + 3:
        raise r.bad(f"QCA9300: {tones} sub-carriers of {rx} antennas in {len(data)} bytes at {width} MHz", offset)
    return atheros.matrix(data, tones, rx, tx), used(width)


def _usrp(r: Reader, offset: int, data: bytes, tones: int, pairs: int) -> tuple[Complex, Ints]:
    at = 2 * tones
    if pairs != 1 or not 1 <= tones <= 2048 or data[at : at + 3] != b"BBv" or len(data) < at + 5:
        raise r.bad(f"USRP: {tones} sub-carriers of {pairs} pairs of antennas; one pair is read", offset)
    version, dimensions = data[at + 3] - ord("0"), data[at + 4]
    size = {1: 4, 2: 8}.get(version, 0)
    begin = at + 5 + size * dimensions + 4
    if not size or dimensions > 3 or len(data) != begin + 16 * tones or data[begin - 4 : begin - 1] != b"CD\x40":
        raise r.bad(
            f"USRP: a matrix of {dimensions} dimensions in {len(data) - at} bytes, expected {tones} complex doubles",
            offset,
        )
    csi = np.frombuffer(data, "<c16", tones, begin).reshape(1, 1, tones).astype(complex)
    carriers = np.frombuffer(data, "<i2", tones).astype(int)
    if (np.diff(carriers) <= 0).any() or not np.isfinite(csi).all() or np.abs(csi).max() > 1e100:
        raise r.bad("USRP: sub-carriers that do not rise, or values that are no numbers", offset)
    return csi, carriers
