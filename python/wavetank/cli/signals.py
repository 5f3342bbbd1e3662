"""Signals that end the command, answered as Ctrl-C is: what is half done is taken away, and the exit code is 128 + the signal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGTERM, signal.SIGHUP)


class Ended(KeyboardInterrupt):
    """The command was told to end, by this signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def heeded() -> Iterator[None]:
    """Meanwhile these signals raise Ended, as Ctrl-C does KeyboardInterrupt. One that is ignored (``nohup``) stays so."""
    ours = [n for n in ENDING if signal.getsignal(n) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        ours = []  # Python lets nobody else set handlers

    def end(number: int, _frame: FrameType | None) -> None:
        for n in ours:
            signal.signal(n, signal.SIG_IGN)  # a second one must not interrupt the cleaning up
        raise Ended(number)

    for n in ours:
        signal.signal(n, end)
    try:
        yield
    finally:
        for n in ours:
            signal.signal(n, signal.SIG_DFL)


def code(error: BaseException) -> int:
    """The exit code of a command that was interrupted; click hands on what interrupted it as the cause."""
    cause = error if isinstance(error, Ended) else error.__cause__
    return 128 + (cause.number if isinstance(cause, Ended) else signal.SIGINT)
