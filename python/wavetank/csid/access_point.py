"""The access point's end: whom to believe, what is new, how old it is. Owns neither clock nor socket.

Nothing is remembered of anybody who has not shown the key. A HELLO costs one tag and leaves nothing behind: what a
session needs travels in the cookie (time of issue, and a tag under a secret of this start of the daemon). A session
is opened by its first DATA within OPEN of the cookie's issue, and only by a cookie younger than that of the station's
session before: so what was recorded earlier, be it before a restart of either side or of a session since forgotten,
opens none. Within a session only a higher sequence number than any before counts.

Work is bounded by two budgets of tags a second, one for datagrams of sessions that there are and one for all else (a
flood of the latter does not take from the former); memory by STATIONS sessions.

Age: what the station says (reception to sending) + what the way took longer than the quickest datagram of the last
WINDOW to 2 WINDOW + the time here. Differs from the truth by the quickest way's time.
"""

from __future__ import annotations

import hmac
import secrets
import struct
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256

from . import wire

S, MS, US = 1_000_000_000, 1_000_000, 1_000
OPEN = 5 * S
IDLE = 60 * S
STATIONS = 2048  # an access point has at most 2007 (802.11-2020 9.4.1.8)
WINDOW = 30 * S
STALES = 20  # a second, in all
KNOWN, OTHER = 20_000, 2_000  # tags a second


class Budget:
    """So many a second, and as many at once as a tenth of that."""

    def __init__(self, per_second: int) -> None:
        self.per_second = per_second
        self.most = max(per_second / 10, 1.0)
        self.left = self.most
        self.at: int | None = None

    def take(self, now_ns: int) -> bool:
        """Whether one more may be."""
        if self.at is not None:
            self.left = min(self.left + (now_ns - self.at) * self.per_second / S, self.most)
        self.at = now_ns
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Least:
    """The least of the values of the last WINDOW to 2 WINDOW."""

    def __init__(self) -> None:
        self.began: int | None = None
        self.now = self.before = 0

    def put(self, at_ns: int, value: int) -> int:
        """Takes a value; the least."""
        if self.began is None or at_ns - self.began >= 2 * WINDOW:
            self.began, self.now, self.before = at_ns, value, value
        elif at_ns - self.began >= WINDOW:
            self.began, self.before, self.now = at_ns, self.now, value
        self.now = min(self.now, value)
        return min(self.now, self.before)


@dataclass(slots=True)
class Session:
    """A station's session."""

    nonce: bytes
    cookie: bytes
    key: bytes
    issued: int
    heard: int
    seq: int = 0
    way: Least = field(default_factory=Least)


@dataclass(frozen=True, slots=True)
class Heard:
    """Feedback to hand on: a station's newest.

    ``born_ns``: when its PPDU ended, as well as can be told, on this side's clock.
    """

    station: bytes
    esnr: tuple[int, int, int, int]
    snr: int
    born_ns: int

    def age_us(self, now_ns: int) -> int:
        """How old it is."""
        return min(max(now_ns - self.born_ns, 0) // US, (1 << 32) - 1)


class AccessPoint:
    """Believes and sorts what stations send. ``max_age_ns``: older feedback is not handed on."""

    def __init__(self, key: bytes, max_age_ns: int = 250 * MS, secret: bytes | None = None) -> None:
        self.key, self.max_age = key, max_age_ns
        self.secret = secret or secrets.token_bytes(32)
        self.sessions: dict[bytes, Session] = {}
        self.known, self.other, self.stales = Budget(KNOWN), Budget(OTHER), Budget(STALES)
        self.waiting: dict[bytes, Heard] = {}
        self.counts: Counter[str] = Counter()

    def got(self, now_ns: int, datagram: bytes) -> bytes | None:
        """A datagram from anybody; an answer to send back to where it came from, or none."""
        kind = wire.kind(datagram)
        if kind == wire.DATA:
            return self._data(now_ns, datagram)
        if kind == wire.HELLO:
            return self._hello(now_ns, datagram)
        self.counts["garbage"] += 1
        return None

    def take(self, now_ns: int) -> list[Heard]:
        """Each station's newest feedback, once; what has become too old meanwhile is left out."""
        fresh = []
        for h in self.waiting.values():
            if now_ns - h.born_ns > self.max_age:
                self.counts["old"] += 1
            else:
                fresh.append(h)
        self.waiting.clear()
        self.counts["handed"] += len(fresh)
        return fresh

    def _hello(self, now: int, datagram: bytes) -> bytes | None:
        if not self.other.take(now):
            self.counts["flood"] += 1
            return None
        if not wire.authentic(self.key, datagram):
            self.counts["wrong_key"] += 1
            return None
        self.counts["hellos"] += 1
        nonce, station = wire.read_hello(datagram)
        return wire.challenge(self.key, nonce, self._cookie(now, nonce, station))

    def _cookie(self, issued: int, nonce: bytes, station: bytes) -> bytes:
        head = struct.pack("!Q", issued)
        return head + hmac.digest(self.secret, head + nonce + station, sha256)[:16]

    def _data(self, now: int, datagram: bytes) -> bytes | None:
        d = wire.read_data(datagram)
        session = self.sessions.get(d.station)
        ours = session is not None and session.nonce == d.nonce and session.cookie == d.cookie
        if not (self.known if ours else self.other).take(now):
            self.counts["flood"] += 1
            return None
        key = session.key if session is not None and ours else wire.session_key(self.key, d.nonce, d.cookie)
        if not wire.authentic(key, datagram):
            self.counts["wrong_key"] += 1
            return None
        if session is None or not ours:
            session = self._open(now, d, key, session)
            if session is None:
                return self._stale(now, d)
        self._heard(now, d, session)
        return None

    def _stale(self, now: int, d: wire.Data) -> bytes | None:
        if not self.stales.take(now):
            return None
        self.counts["stale"] += 1
        return wire.stale(self.key, d.nonce)

    def _heard(self, now: int, d: wire.Data, session: Session) -> None:
        session.heard = now
        if d.seq <= session.seq:
            self.counts["late"] += 1
            return
        session.seq = d.seq
        took = now - d.sent_ns
        born = now - (took - session.way.put(now, took)) - d.age_us * US
        if now - born > self.max_age:
            self.counts["old"] += 1
            return
        self.counts["heard"] += 1
        self.waiting[d.station] = Heard(d.station, d.esnr, d.snr, born)

    def _open(self, now: int, d: wire.Data, key: bytes, before: Session | None) -> Session | None:
        (issued,) = struct.unpack_from("!Q", d.cookie)
        mine = hmac.compare_digest(self._cookie(issued, d.nonce, d.station), d.cookie)
        if not mine or now - issued > OPEN or (before is not None and issued <= before.issued):
            return None
        if before is None and len(self.sessions) >= STATIONS:
            self.forget(now)
            if len(self.sessions) >= STATIONS:
                self.counts["full"] += 1
                return None
        self.counts["sessions"] += 1
        session = Session(d.nonce, d.cookie, key, issued, now)
        self.sessions[d.station] = session
        return session

    def forget(self, now_ns: int) -> None:
        """Forgets sessions that nothing was heard of for IDLE.

        Longer than OPEN, so that none of their cookies opens one again.
        """
        for station in [m for m, s in self.sessions.items() if now_ns - s.heard > IDLE]:
            del self.sessions[station]
