"""Generic netlink, as far as the daemon needs it.

Families found (and found again when a module is loaded anew), reports read, eSNR handed in.

Stands for: linux/netlink.h, linux/genetlink.h; messages of docs/csid.md. Own code, not pyroute2: its socket lives in
an event loop of its own, and these are five fixed forms. A message is looked at only as far as its lengths, which are
held against what was received, allow.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..csi.frame import EDGES, Frame, Ints, mac, used
from ..errors import UserError
from .loop import room

GENERIC = 16  # NETLINK_GENERIC
ERROR, DONE, CONTROL = 2, 3, 16  # NLMSG_ERROR, NLMSG_DONE, GENL_ID_CTRL
REQUEST, ACK = 1, 4
NEWFAMILY, DELFAMILY, GETFAMILY = 1, 2, 3
FAMILY_ID, FAMILY_NAME, MCAST_GROUPS, GROUP_NAME, GROUP_ID = 1, 2, 7, 1, 2
NOTIFY = 16  # the controller's group that tells of families that come and go
SOL_NETLINK, ADD_MEMBERSHIP = 270, 1
_HEAD, _GENERIC, _ATTRIBUTE = struct.Struct("=IHHII"), struct.Struct("=BBH"), struct.Struct("=HH")
LONGEST = 1 << 16
SOON_S = 1.0

CSI_FAMILY, AARC_FAMILY, GROUP = "wavetank_csi", "wavetank_aarc", "csi"
REPORT = ESNR = 1  # commands of the two
PHY, TA, RA, TIME, COUNT, WIDTH, N_TX, N_RX, N_SC, BITS, SNR_CTRL, SNR_EXT, CSI, MCS = range(2, 16)


class Malformed(ValueError):
    """A message that is not what it says."""


def attributes(data: bytes) -> dict[int, bytes]:
    """The attributes in a message's body; the last of a type counts."""
    out, at = {}, 0
    while at + _ATTRIBUTE.size <= len(data):
        size, kind = _ATTRIBUTE.unpack_from(data, at)
        if size < _ATTRIBUTE.size or at + size > len(data):
            raise Malformed(f"an attribute of {size} bytes where {len(data) - at} are left")
        out[kind & 0x3FFF] = data[at + _ATTRIBUTE.size : at + size]
        at += size + 3 & ~3
    return out


def attribute(kind: int, value: bytes) -> bytes:
    """An attribute as bytes."""
    return _ATTRIBUTE.pack(_ATTRIBUTE.size + len(value), kind) + value + b"\0" * (-len(value) % 4)


def message(kind: int, command: int, seq: int, body: bytes, flags: int = REQUEST | ACK, version: int = 1) -> bytes:
    """A generic netlink message."""
    return (
        _HEAD.pack(_HEAD.size + _GENERIC.size + len(body), kind, flags, seq, 0)
        + _GENERIC.pack(command, version, 0)
        + body
    )


def messages(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Type, sequence number and payload of each message in what one read gave."""
    at = 0
    while at + _HEAD.size <= len(data):
        size, kind, _, seq, _ = _HEAD.unpack_from(data, at)
        if size < _HEAD.size or at + size > len(data):
            raise Malformed(f"a message of {size} bytes where {len(data) - at} are left")
        yield kind, seq, data[at + _HEAD.size : at + size]
        at += size + 3 & ~3


def body_of(payload: bytes) -> tuple[int, dict[int, bytes]]:
    """Command and attributes of a generic netlink message's payload."""
    if len(payload) < _GENERIC.size:
        raise Malformed(f"{len(payload)} bytes, expected a generic netlink header")
    return payload[0], attributes(payload[_GENERIC.size :])


def number(a: dict[int, bytes], kind: int, form: str) -> int:
    """A number of an attribute that must be there."""
    value = a.get(kind)
    if value is None or len(value) != struct.calcsize(form):
        raise Malformed(f"attribute {kind}: {'missing' if value is None else f'{len(value)} bytes'}")
    n: int = struct.unpack("=" + form, value)[0]
    return n


@dataclass(frozen=True, slots=True)
class Heard:
    """A report of the radio: the frame, and what a log has not got."""

    frame: Frame
    time_ns: int
    count: int
    phy: str
    ta: bytes
    ra: bytes


def carriers(width: int, count: int) -> Ints:
    """Indices of the sub-carriers of a report."""
    every = used(width)
    return every if len(every) == count else np.arange(count) - count // 2


def report(a: dict[int, bytes]) -> Heard:
    """What a REPORT says; ``Malformed`` where it lies."""
    ta, ra = a.get(TA, b""), a.get(RA, b"")
    if len(ta) != 6 or len(ra) != 6:
        raise Malformed("an address that is none")
    time_ns, count, width = number(a, TIME, "Q"), number(a, COUNT, "I"), number(a, WIDTH, "H")
    tx, rx, n, bits = number(a, N_TX, "B"), number(a, N_RX, "B"), number(a, N_SC, "H"), number(a, BITS, "B")
    data = a.get(CSI, b"")
    if not (1 <= tx <= 4 and 1 <= rx <= 4 and 1 <= n <= 512 and 2 <= bits <= 16 and width in EDGES):
        raise Malformed(f"{rx} x {tx} antennas, {n} sub-carriers of {bits} bits at {width} MHz")
    if len(data) != 4 * rx * tx * n:
        raise Malformed(f"{len(data)} bytes of channel state, expected {4 * rx * tx * n}")
    parts = np.frombuffer(data, np.int16).astype(float).reshape(rx, tx, n, 2)
    snr = [number(a, SNR_CTRL, "h") / 100]
    if SNR_EXT in a:
        snr.append(number(a, SNR_EXT, "h") / 100)
    mcs = number(a, MCS, "B") if MCS in a else None
    frame = Frame(
        0,
        time_ns / 1e9,
        parts[..., 0] + 1j * parts[..., 1],
        carriers(width, n),
        width,
        tuple(snr),
        source=mac(ta),
        mcs=mcs,
    )
    return Heard(frame, time_ns, count, a.get(PHY, b"").rstrip(b"\0").decode("ascii", "replace"), ta, ra)


def esnr_body(station: bytes, esnr: tuple[int, ...], snr: int, age_us: int) -> bytes:
    """The attributes of an ESNR."""
    return (
        attribute(1, station) + attribute(2, struct.pack("=4h", *esnr))
        + attribute(3, struct.pack("=h", snr)) + attribute(4, struct.pack("=I", age_us))
    )  # fmt: skip


class Family:
    """A socket that follows one family: its number (none while no module has it), and its group, if one is wanted."""

    def __init__(self, name: str, group: str | None = None) -> None:
        self.name, self.group = name, group
        self.id: int | None = None
        self.joined: int | None = None
        self.seq = self.asked = 0
        self.counts: Counter[str] = Counter()
        try:
            self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, GENERIC)
        except OSError as e:
            raise UserError(f"generic netlink: {e.strerror}; the daemon needs Linux") from None
        self.socket.setblocking(False)
        self.socket.bind((0, 0))
        with contextlib.suppress(OSError):
            room(self.socket)
        self.socket.setsockopt(SOL_NETLINK, ADD_MEMBERSHIP, NOTIFY)
        self.ask()

    def close(self) -> None:
        """Closes it."""
        self.socket.close()

    def _send(self, kind: int, command: int, body: bytes) -> bool:
        self.seq = self.seq + 1 & 0xFFFFFFFF
        try:
            self.socket.send(message(kind, command, self.seq, body))
        except OSError as e:
            self.counts[f"send: {e.strerror}"] += 1
            return False
        return True

    def ask(self) -> None:
        """Asks for the family; the answer comes by ``read``."""
        self._send(CONTROL, GETFAMILY, attribute(FAMILY_NAME, self.name.encode() + b"\0"))
        self.asked = self.seq

    def found(self, what: str) -> None:
        """Waits a little for somebody to have the family; an error, with ``what`` to do, if nobody has."""
        until = time.monotonic() + SOON_S
        while self.id is None and time.monotonic() < until:
            for _ in self.read(16):
                pass
            time.sleep(0.01)
        if self.id is None:
            raise UserError(f"generic netlink: nobody has the family {self.name}: {what}")

    def request(self, command: int, body: bytes) -> bool:
        """Sends a command to the family; false if nobody has it now."""
        return self.id is not None and self._send(self.id, command, body)

    def read(self, most: int) -> Iterator[tuple[int, dict[int, bytes]]]:
        """Command and attributes of the family's messages that have come, of at most ``most`` reads.

        What lies is counted.
        """
        for _ in range(most):
            try:
                data, sender = self.socket.recvfrom(LONGEST)
            except BlockingIOError:
                return
            except OSError as e:
                # ENOBUFS: more came than was read, perhaps that the family went and came back; what is next in the queue is sound
                self.counts["overrun" if e.errno == errno.ENOBUFS else f"receive: {os.strerror(e.errno or 0)}"] += 1
                self.joined = None
                self.ask()
                continue
            if sender[0] != 0:
                self.counts["not the kernel's"] += 1
                continue
            try:
                yield from self._sort(data)
            except Malformed:
                self.counts["malformed"] += 1

    def _sort(self, data: bytes) -> Iterator[tuple[int, dict[int, bytes]]]:
        for kind, seq, payload in messages(data):
            if kind == ERROR and len(payload) >= 4:
                (code,) = struct.unpack_from("=i", payload)
                if code and seq != self.asked:  # that nobody has the family shows in its number
                    self.counts[f"refused: {os.strerror(abs(code))}"] += 1
            elif kind == CONTROL:
                self._controlled(*body_of(payload))
            elif kind == self.id:
                yield body_of(payload)

    def _controlled(self, command: int, a: dict[int, bytes]) -> None:
        if a.get(FAMILY_NAME, b"").rstrip(b"\0") != self.name.encode():
            return
        if command == DELFAMILY:
            self.id = self.joined = None
            self.counts["gone"] += 1
        elif command == NEWFAMILY and FAMILY_ID in a:
            self.id = number(a, FAMILY_ID, "H")
            for entry in attributes(a.get(MCAST_GROUPS, b"")).values():
                g = attributes(entry)
                if self.group is not None and g.get(GROUP_NAME, b"").rstrip(b"\0") == self.group.encode():
                    self._join(number(g, GROUP_ID, "I"))

    def _join(self, group: int) -> None:
        if group == self.joined:
            return
        try:
            self.socket.setsockopt(SOL_NETLINK, ADD_MEMBERSHIP, group)
            self.joined = group
        except OSError as e:
            self.counts[f"join: {os.strerror(e.errno or 0)}"] += 1
