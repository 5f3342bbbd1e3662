"""``csid client``: radio or log, socket and clock around the station's state machine."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..csi.formats import frames as log_frames
from ..csi.frame import Frame
from ..csi.log import Ask
from ..errors import UserError
from . import genl, wire
from .client import MS, Client
from .loop import READS, Loop, S, Say, clock_ns, udp
from .measure import Meter, Report, report_of

GAP_S = 3600.0  # of a log's clock; nobody waits that long for a report
LINGER = 250 * MS  # after a log's last frame, for an answer to what it became; older feedback is not handed on


def ahead_ns() -> int:
    """What our clock is ahead of the kernel's reports' (``CLOCK_MONOTONIC``), for as long as the machine has slept.

    Looked at before reports are waited for: one of before a sleep is then old, not new.
    """
    return clock_ns() - time.monotonic_ns()


class Replay:
    """A log's frames when they are due by its own timestamps, ``speed`` times as fast.

    A clock that goes back goes on from there. One that goes on by more than GAP_S has jumped, too: ``jumped`` is told
    by how many seconds, and at which frame.
    """

    def __init__(
        self,
        frames: Iterator[Frame],
        speed: float,
        now_ns: int,
        jumped: Callable[[float, Frame], None] = lambda _s, _frame: None,
    ) -> None:
        self.frames, self.speed, self.at, self.jumped = frames, speed, now_ns, jumped
        self.before: float | None = None
        self.next: Frame | None = None
        self.ended = False
        self._fetch()

    def _fetch(self) -> None:
        self.next = next(self.frames, None)
        if self.next is None:
            self.ended = True
            return
        gap = 0.0 if self.before is None else max(self.next.time_s - self.before, 0.0)
        if gap > GAP_S:
            self.jumped(gap, self.next)
            gap = 0.0
        self.before = self.next.time_s
        self.at += round(gap / self.speed * S)

    def due(self, now_ns: int, most: int) -> Iterator[tuple[int, Frame]]:
        """The frames that are due, and when they were."""
        for _ in range(most):
            if self.next is None or self.at > now_ns:
                return
            yield self.at, self.next
            self._fetch()


@dataclass(frozen=True, slots=True)
class Source:
    """Where a station's reports come from: a log, or (``log`` none) the radio; of it only ``phy``'s, if given."""

    log: Path | None = None
    form: str | None = None
    speed: float = 1.0
    phy: str | None = None
    ask: Ask = Ask()  # noqa: RUF009 - frozen
    wait: bool = False


class _Station:
    """A station's daemon: reports in, datagrams out."""

    def __init__(self, key: bytes, ap: str, station: bytes, source: Source, rate: float, say: Say) -> None:
        self.loop = Loop()
        self.say = say
        self.client = Client(key, station)
        self.source, self.station = source, station
        self.meter = Meter(source.ask.weight)
        self.counts: Counter[str] = Counter()
        self.began = self.free_at = clock_ns()
        self.gap = round(S / rate)
        self.family: genl.Family | None = None
        self.replay: Replay | None = None
        if source.log is not None:
            self.replay = Replay(log_frames(source.log, source.form), source.speed, self.began, self.jumped)
        else:
            self.family = genl.Family(genl.CSI_FAMILY, genl.GROUP)
            if not source.wait:
                self.family.found("load a driver that reports channel state, or use --log, or --wait for it")
            self.loop.reads(self.family.socket, self.reports)
        self.until: int | None = None
        self.ahead = ahead_ns()
        self.socket = udp(ap, "--ap", False)
        say.buffer(self.socket)
        self.loop.reads(self.socket, self.answers)

    def put(self, report: Report | None) -> None:
        self.counts["reports" if report is not None else "unusable"] += 1
        if report is not None:
            self.meter.put(report)

    def jumped(self, by_s: float, frame: Frame) -> None:
        self.counts["clock jumps"] += 1
        if self.counts["clock jumps"] == 1:
            self.say.note(
                f"{self.source.log}: at byte {frame.offset}: the clock goes on by {by_s:.0f} s, which is a jump: "
                "what follows goes at once, as after any other jump"
            )

    def reports(self) -> None:
        family = self.family
        if family is None:
            return
        for command, a in family.read(READS):
            if command != genl.REPORT:
                continue
            try:
                heard = genl.report(a)
            except genl.Malformed:
                family.counts["malformed"] += 1
                continue
            if heard.ra != self.station or (self.source.phy is not None and heard.phy != self.source.phy):
                self.counts["not ours"] += 1
            else:
                self.put(report_of(heard.frame, self.source.ask, heard.time_ns + self.ahead))

    def answers(self) -> None:
        for _ in range(READS):
            try:
                self.client.got(clock_ns(), self.socket.recv(wire.LONGEST + 1))
            except BlockingIOError:
                return
            except OSError as e:  # nobody listens there, at present
                self.client.counts[f"receive: {e.strerror}"] += 1

    def send(self, datagram: bytes | None) -> None:
        if datagram is not None:
            try:
                self.socket.send(datagram)
            except OSError as e:
                self.client.counts[f"send: {e.strerror}"] += 1

    def step(self) -> int | None:
        now, self.ahead = clock_ns(), ahead_ns()
        replay, meter = self.replay, self.meter
        if replay is not None:
            for at, frame in replay.due(now, READS):
                self.put(report_of(frame, self.source.ask, at))
        self.send(self.client.tick(now))
        kept = self.client.again()
        if kept is not None:
            self.send(self.client.feedback(now, kept))
        if meter.newest is not None and now >= self.free_at:
            feedback = meter.take()
            if feedback is not None:
                self.free_at = now + self.gap
                self.send(self.client.feedback(clock_ns(), feedback))
        if replay is not None and replay.ended and meter.newest is None:
            self.until = now + LINGER if self.until is None else self.until
            if now >= self.until:
                self.loop.stop()
        due = [
            self.client.due(),
            self.free_at if meter.newest is not None else None,
            replay.at if replay is not None and not replay.ended else self.until,
        ]
        return min((t for t in due if t is not None), default=None)

    def status(self, say: Say) -> None:
        family, c = self.family, self.client
        say.status({
            "role": "client", "seconds": round((clock_ns() - self.began) / S, 3), "session": c.session is not None,
            "counts": dict(c.counts), "reports": dict(self.counts),
            "netlink": dict(family.counts) if family is not None else {}, "snr_db": self.meter.smooth.value,
        })  # fmt: skip

    def check(self) -> None:
        """That a log that has ended had something."""
        if self.replay is not None and self.replay.ended and not self.counts["reports"]:
            ask = self.source.ask
            raise UserError(
                f"{self.source.log}: none of its {self.counts['unusable']} channel states can be used, which takes "
                f"receive antenna {ask.rx} and transmit antenna {ask.tx} (--rx, --tx), values other than 0 (--carriers), "
                "and an SNR (--snr, --noise)"
            )

    def close(self) -> None:
        self.socket.close()
        if self.family is not None:
            self.family.close()


def client(key: bytes, ap: str, station: bytes, source: Source, rate: float, say: Say) -> None:
    """Runs a station's daemon until a signal, or its log's end.

    ``rate``: datagrams a second at most; the newest report goes, those before it do not.
    """
    s = _Station(key, ap, station, source, rate, say)
    try:
        s.loop.run(s.step, lambda: s.status(say), say.every_s)
        s.check()
    finally:
        s.close()
