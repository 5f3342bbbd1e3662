"""The datagrams between a station's daemon and its access point's.

    HELLO      station -> AP   nonce, station's address              under the shared key; padded, so that no answer is longer
    CHALLENGE  AP -> station   nonce, cookie                         under the shared key
    DATA       station -> AP   nonce, cookie, address, sequence ...  under the session's key, made of both
    STALE      AP -> station   nonce                                 under the shared key: say hello again

Each is of fixed length and ends with 16 bytes of HMAC-SHA256 over all that stands before (RFC 2104, truncated as its
section 5 allows). Numbers are big-endian. Nothing is secret, everything is authentic.
"""

from __future__ import annotations

import hmac
import struct
from dataclasses import dataclass
from hashlib import sha256

MAGIC = b"WTC1"
HELLO, CHALLENGE, DATA, STALE = 1, 2, 3, 4
TAG, NONCE, COOKIE = 16, 16, 24
_HELLO = struct.Struct("!4sB16s6s24x")
_CHALLENGE = struct.Struct("!4sB16s24s")
_DATA = struct.Struct("!4sB16s24s6sQQI4hh")
_STALE = struct.Struct("!4sB16s")
FORMS = {HELLO: _HELLO, CHALLENGE: _CHALLENGE, DATA: _DATA, STALE: _STALE}
LONGEST = max(f.size for f in FORMS.values()) + TAG


@dataclass(frozen=True, slots=True)
class Data:
    """A DATA datagram. ``sent_ns``.

    The sender's own clock; ``age_us``: of the measurement when it was sent; ``esnr``, ``snr``: 1/100 dB.
    """

    nonce: bytes
    cookie: bytes
    station: bytes
    seq: int
    sent_ns: int
    age_us: int
    esnr: tuple[int, int, int, int]
    snr: int


def tag(key: bytes, what: bytes) -> bytes:
    """What a datagram ends with."""
    return hmac.digest(key, what, sha256)[:TAG]


def session_key(key: bytes, nonce: bytes, cookie: bytes) -> bytes:
    """A session's key, of what both sides put into it."""
    return hmac.digest(key, b"wavetank csid 1 session" + nonce + cookie, sha256)


def kind(datagram: bytes) -> int | None:
    """Which datagram this says it is; none if it has neither form nor length of one."""
    if len(datagram) < 5 or datagram[:4] != MAGIC:
        return None
    form = FORMS.get(datagram[4])
    return datagram[4] if form is not None and len(datagram) == form.size + TAG else None


def authentic(key: bytes, datagram: bytes) -> bool:
    """Whether it ends with this key's tag; in constant time."""
    return hmac.compare_digest(tag(key, datagram[:-TAG]), datagram[-TAG:])


def hello(key: bytes, nonce: bytes, station: bytes) -> bytes:
    """A HELLO."""
    b = _HELLO.pack(MAGIC, HELLO, nonce, station)
    return b + tag(key, b)


def read_hello(datagram: bytes) -> tuple[bytes, bytes]:
    """Nonce and station of a HELLO."""
    _, _, nonce, station = _HELLO.unpack_from(datagram)
    return nonce, station


def challenge(key: bytes, nonce: bytes, cookie: bytes) -> bytes:
    """A CHALLENGE."""
    b = _CHALLENGE.pack(MAGIC, CHALLENGE, nonce, cookie)
    return b + tag(key, b)


def read_challenge(datagram: bytes) -> tuple[bytes, bytes]:
    """Nonce and cookie of a CHALLENGE."""
    _, _, nonce, cookie = _CHALLENGE.unpack_from(datagram)
    return nonce, cookie


def stale(key: bytes, nonce: bytes) -> bytes:
    """A STALE."""
    b = _STALE.pack(MAGIC, STALE, nonce)
    return b + tag(key, b)


def read_stale(datagram: bytes) -> bytes:
    """Nonce of a STALE."""
    nonce: bytes = _STALE.unpack_from(datagram)[2]
    return nonce


def data(session: bytes, d: Data) -> bytes:
    """A DATA, under its session's key."""
    b = _DATA.pack(MAGIC, DATA, d.nonce, d.cookie, d.station, d.seq, d.sent_ns, d.age_us, *d.esnr, d.snr)
    return b + tag(session, b)


def read_data(datagram: bytes) -> Data:
    """What a DATA says."""
    _, _, nonce, cookie, station, seq, sent, age, a, b, c, d, snr = _DATA.unpack_from(datagram)
    return Data(nonce, cookie, station, seq, sent, age, (a, b, c, d), snr)
