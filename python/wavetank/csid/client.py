"""The station's end: says hello, then sends feedback.

Begins anew when the access point has forgotten it. Owns neither clock nor socket.

State: without a session it says HELLO every RETRY (doubling up to RETRY_MOST); a CHALLENGE to its newest nonce opens
the session; a STALE for the session's nonce ends it. Sequence numbers count from 1 in each session, which has a key
of its own, so that nothing that was sent can be used again.

One feedback is kept, the newest: what came without a session, and what a STALE came back for. It goes out once there
is a session. A session is opened by its first DATA, soon after its cookie's issue (``access_point.OPEN``); so who
reports less often than that would be told STALE for ever.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable

from . import wire
from .measure import Feedback

MS = 1_000_000
RETRY, RETRY_MOST = 100 * MS, 2_000 * MS
AGE_MOST = (1 << 32) - 1


class Client:
    """Sends the feedback of one station."""

    def __init__(
        self, key: bytes, station: bytes, nonce: Callable[[], bytes] = lambda: secrets.token_bytes(wire.NONCE)
    ) -> None:
        self.key, self.station, self.fresh = key, station, nonce
        self.nonce = nonce()
        self.session: bytes | None = None
        self.last: Feedback | None = None
        self.kept: Feedback | None = None
        self.cookie = b""
        self.seq = 0
        self.hello_at = 0
        self.wait = RETRY
        self.counts: Counter[str] = Counter()

    def tick(self, now_ns: int) -> bytes | None:
        """A HELLO to send, if it is time for one."""
        if self.session is not None or now_ns < self.hello_at:
            return None
        self.hello_at, self.wait = now_ns + self.wait, min(2 * self.wait, RETRY_MOST)
        self.counts["hellos"] += 1
        return wire.hello(self.key, self.nonce, self.station)

    def again(self) -> Feedback | None:
        """What was kept, once there is a session, for ``feedback`` to send."""
        if self.session is None:
            return None
        f, self.kept = self.kept, None
        return f

    def feedback(self, now_ns: int, f: Feedback) -> bytes | None:
        """The datagram that carries feedback; none without a session: then it is kept."""
        if self.session is None:
            self.counts["without_session"] += 1
            self.kept = f
            return None
        self.last = f
        self.seq += 1
        self.counts["sent"] += 1
        age = min(max(now_ns - f.time_ns, 0) // 1000, AGE_MOST)
        d = wire.Data(self.nonce, self.cookie, self.station, self.seq, now_ns, age, f.esnr, f.snr)
        return wire.data(self.session, d)

    def got(self, now_ns: int, datagram: bytes) -> None:
        """A datagram that claims to be the access point's."""
        kind = wire.kind(datagram)
        if kind not in (wire.CHALLENGE, wire.STALE):
            self.counts["garbage"] += 1
        elif not wire.authentic(self.key, datagram):
            self.counts["wrong_key"] += 1
        elif kind == wire.CHALLENGE:
            nonce, cookie = wire.read_challenge(datagram)
            if self.session is not None or nonce != self.nonce:
                self.counts["late"] += 1
                return
            self.session, self.cookie, self.seq = wire.session_key(self.key, nonce, cookie), cookie, 0
            self.counts["sessions"] += 1
        elif self.session is None or wire.read_stale(datagram) != self.nonce:
            self.counts["late"] += 1
        else:
            self.counts["forgotten"] += 1
            self.session, self.nonce = None, self.fresh()
            self.kept, self.last = self.last, None
            self.hello_at, self.wait = now_ns, RETRY

    def due(self) -> int | None:
        """When ``tick`` wants to be called, ns; none: not before something comes."""
        return None if self.session is not None else self.hello_at
