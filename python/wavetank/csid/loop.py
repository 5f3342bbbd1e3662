"""What both daemons run in: one thread that waits for sockets, a time, or a signal; and their status."""

from __future__ import annotations

import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import files
from ..errors import UserError

Echo = Callable[[str], None]
S = 1_000_000_000
PORT = 5510
READS = 256  # datagrams or messages taken before anything else is looked at
WAIT_S = 3600.0  # at a time; epoll takes no more than 2^31 ms
BUFFER = 1 << 20  # bytes that wait in a socket
FORCE = 33  # SO_RCVBUFFORCE, which Python does not name. src: linux@6.12 include/uapi/asm-generic/socket.h

BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)  # Linux has it


def clock_ns() -> int:
    """The daemons' clock: one that goes on while the machine sleeps, which ``time.monotonic_ns`` does not do on Linux.

    By that one, what is sent after a sleep would seem to have had a longer way, and what is older than the sleep be new.
    """
    return time.monotonic_ns() if BOOTTIME is None else time.clock_gettime_ns(BOOTTIME)


def room(s: socket.socket) -> None:
    """Asks for BUFFER bytes for what was received; only root gets more than ``net.core.rmem_max``."""
    try:
        s.setsockopt(socket.SOL_SOCKET, FORCE, BUFFER)
    except OSError:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)


class Loop:
    """Waits; ends at SIGTERM, SIGINT, or ``stop``. SIGUSR1 asks for the status."""

    def __init__(self) -> None:
        self.selector = selectors.DefaultSelector()
        self.ended = False
        self.wants_status = False

    def reads(self, what: socket.socket, call: Callable[[], None]) -> None:
        """Has ``call`` called when there is something to read."""
        self.selector.register(what, selectors.EVENT_READ, call)

    def stop(self, *_: object) -> None:
        """Ends it after what is being done."""
        self.ended = True

    def over(self) -> bool:
        """Whether it has been stopped."""
        return self.ended

    def run(self, step: Callable[[], int | None], status: Callable[[], None], every_s: float | None) -> None:
        """Runs until it is stopped.

        ``step`` does what is due and says when it wants to be called again (ns of ``clock_ns``).
        """
        woken, wake = socket.socketpair()
        for end in (woken, wake):
            end.setblocking(False)

        def asked(*_: object) -> None:
            self.wants_status = True

        def drain() -> None:
            woken.recv(4096)

        before = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)}
        old = signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        try:
            signal.signal(signal.SIGTERM, self.stop)
            signal.signal(signal.SIGINT, self.stop)
            signal.signal(signal.SIGUSR1, asked)
            self.reads(woken, drain)
            next_status = clock_ns() + int(every_s * S) if every_s else None
            while not self.ended:
                now = clock_ns()
                if self.wants_status or (next_status is not None and now >= next_status):
                    self.wants_status = False
                    status()
                    if next_status is not None and every_s:
                        next_status = now + int(every_s * S)
                due = [t for t in (step(), next_status) if t is not None]
                if self.over():  # a step may end it
                    break
                wait = min(max(0.0, (min(due) - clock_ns()) / S), WAIT_S) if due else None
                for key, _ in self.selector.select(wait):
                    key.data()
            status()
        finally:
            signal.set_wakeup_fd(old)
            for n, handler in before.items():
                signal.signal(n, handler)
            self.selector.close()
            woken.close()
            wake.close()


def address(text: str, what: str) -> tuple[str, int]:
    """Host and port of ``HOST[:PORT]`` (an IPv6 address in brackets)."""
    host, colon, port = text.rpartition(":")
    if not colon or "]" in port or (":" in host and not host.startswith("[")):
        host, port = text, str(PORT)
    if not (port.isascii() and port.isdigit()) or not 0 <= int(port) <= 65535:
        raise UserError(f'{what}: "{text}", expected HOST or HOST:PORT, with a port of 65535 at most')
    return host.strip("[]"), int(port)


def udp(text: str, what: str, listen: bool) -> socket.socket:
    """A UDP socket that listens at an address, or is connected to one."""
    host, port = address(text, what)
    try:
        flags = socket.AI_PASSIVE if listen else 0
        family, kind, proto, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM, flags=flags)[0]
        s = socket.socket(family, kind | socket.SOCK_CLOEXEC, proto)
    except OSError as e:
        raise UserError(f"{what}: {text}: {e.strerror}") from None
    try:
        s.setblocking(False)
        room(s)
        (s.bind if listen else s.connect)(where)
    except OSError as e:
        s.close()
        raise UserError(f"{what}: {text}: {e.strerror}") from None
    return s


def to_stderr(text: str) -> None:
    """A note for people."""
    print(f"note: {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class Say:
    """How a daemon speaks: ``every_s``: seconds between statuses, none: at the end (and at SIGUSR1)."""

    echo: Echo
    as_json: bool = False
    every_s: float | None = None
    note: Echo = to_stderr

    def buffer(self, s: socket.socket) -> None:
        """Tells of a socket that holds less than was asked for."""
        got = s.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) // 2  # Linux doubles what is asked for. src: socket(7)
        if got < BUFFER:
            self.note(
                f"the socket's buffer has {got >> 10} KiB for {BUFFER >> 10}: start it as root, or raise net.core.rmem_max"
            )

    def status(self, document: dict[str, Any]) -> None:
        """A status."""
        self.echo(status_line(document, self.as_json))


def status_line(document: dict[str, Any], as_json: bool) -> str:
    """A status as one line of JSON, or as words."""
    if as_json:
        return files.line(document)
    flat = []
    for key, value in document.items():
        if isinstance(value, dict):
            flat += [f"{k} {v}" for k, v in value.items() if not isinstance(v, dict)]
        elif not isinstance(value, list):
            flat.append(f"{key} {value}")
    return ", ".join(flat)
