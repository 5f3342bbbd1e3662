"""``csid ap``: socket, clock and kernel around the access point's state machine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

from . import genl, wire
from .access_point import AccessPoint, Heard
from .client import MS
from .loop import READS, Echo, Loop, S, Say, clock_ns, udp


class Lines:
    """Feedback as lines of JSON on standard output."""

    def __init__(self, echo: Echo) -> None:
        self.echo = echo
        self.counts: Counter[str] = Counter()

    def hand(self, heard: Heard, now_ns: int) -> None:
        """One station's newest."""
        self.counts["printed"] += 1
        values = {"station": heard.station.hex(":"), "age_us": heard.age_us(now_ns), "snr_db": heard.snr / 100}
        self.echo(json.dumps({**values, "esnr_db": [e / 100 for e in heard.esnr]}))

    def close(self) -> None:
        """Nothing to close."""


class Aarc:
    """Feedback to the AARC module; while nobody has its family, feedback is dropped and counted."""

    def __init__(self, loop: Loop) -> None:
        self.family = genl.Family(genl.AARC_FAMILY)
        self.counts = self.family.counts
        loop.reads(self.family.socket, self.answers)

    def answers(self) -> None:
        """What the module answered."""
        for _ in self.family.read(READS):
            pass

    def hand(self, heard: Heard, now_ns: int) -> None:
        """One station's newest."""
        body = genl.esnr_body(heard.station, heard.esnr, heard.snr, heard.age_us(now_ns))
        self.counts["to the module" if self.family.request(genl.ESNR, body) else "no module"] += 1

    def close(self) -> None:
        """Closes the socket."""
        self.family.close()


def access_point(
    key: bytes,
    listen: str,
    to: str,
    max_age_ms: float,
    wait: bool,
    say: Say,
    ready: Callable[[int], None] | None = None,
) -> None:
    """Runs an access point's daemon until a signal. ``to``: "aarc" or "lines". ``ready`` is told the port."""
    loop = Loop()
    ap = AccessPoint(key, int(max_age_ms * MS))
    s = udp(listen, "--listen", True)
    say.buffer(s)
    sink: Lines | Aarc = Lines(say.echo) if to == "lines" else Aarc(loop)
    if isinstance(sink, Aarc) and not wait:
        sink.family.found("load the module with AARC, or use --to lines, or --wait for it")
    began = clock_ns()

    def come() -> None:
        for _ in range(READS):
            try:
                datagram, sender = s.recvfrom(wire.LONGEST + 1)
            except BlockingIOError:
                break
            except OSError as e:  # an earlier answer's ICMP error
                ap.counts[f"receive: {e.strerror}"] += 1
                continue
            answer = ap.got(clock_ns(), datagram)
            if answer is not None:
                try:
                    s.sendto(answer, sender)
                except OSError as e:
                    ap.counts[f"send: {e.strerror}"] += 1
        now = clock_ns()
        for heard in ap.take(now):
            sink.hand(heard, now)

    def step() -> int:
        now = clock_ns()
        ap.forget(now)
        return now + 10 * S

    def status() -> None:
        now = clock_ns()
        say.status({
            "role": "ap", "seconds": round((now - began) / S, 3), "stations": len(ap.sessions),
            "counts": dict(ap.counts), "sink": dict(sink.counts),
            "sessions": [
                {"station": m.hex(":"), "seq": x.seq, "silent_s": round((now - x.heard) / S, 3)}
                for m, x in ap.sessions.items()
            ],
        })  # fmt: skip

    loop.reads(s, come)
    try:
        if ready is not None:
            ready(s.getsockname()[1])
        loop.run(step, status, say.every_s)
    finally:
        s.close()
        sink.close()
