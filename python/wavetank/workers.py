"""Worker processes, one pipe each, that can be stopped at any moment.

concurrent.futures' executors cannot: their workers share queues, and one that is terminated while it holds a
queue's lock or has written half of a result leaves the thread that reads it waiting for ever.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from .errors import Failed

T = TypeVar("T")
R = TypeVar("R")


class WorkerDied(Failed):
    """A worker process ended without an answer."""

    advice = ": was it killed, or out of memory?"
    cut_off = True


def default_jobs() -> int:
    """One worker a core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_thread(call: Callable[[], R]) -> R:
    """Calls it in a thread, so that Ctrl-C is answered at once although the core does not return."""
    box: list[Any] = []

    def target() -> None:
        try:
            box.append((True, call()))
        except BaseException as e:  # handed to the caller's thread
            box.append((False, e))

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.2)
    ok, value = box[0]
    if not ok:
        raise value
    return value  # type: ignore[no-any-return]


def _serve(call: Callable[[T], R], pipe: Connection) -> None:
    """A worker's life: what arrives is worked on, until the pipe is closed. Ctrl-C is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            work = pipe.recv()
        except EOFError:
            return
        try:
            answer: tuple[bool, Any] = (True, call(work))
        except Exception as e:  # raised again in the parent
            answer = (False, e)
        pipe.send_bytes(pickle.dumps(answer))


@contextmanager
def apart_from_main() -> Iterator[None]:
    """Processes started meanwhile do not load the program that started them.

    What they call lies in modules. A script would run again in each of them, and a script without the ``if __name__`` guard start
    workers there, too.
    """
    main = sys.modules["__main__"]
    hidden: dict[str, Any] = {k: vars(main).pop(k) for k in ("__file__", "__spec__") if k in vars(main)}
    main.__spec__ = None
    try:
        yield
    finally:
        vars(main).update(hidden)


def pool(call: Callable[[T], R], work: Sequence[T], jobs: int) -> Iterator[tuple[int, R]]:
    """``call`` on each piece of work, with its index, as they finish. One job runs in this process.

    Raises what ``call`` raised, and WorkerDied if a worker ended without an answer (out of memory, for example).
    """
    if jobs <= 1 or len(work) <= 1:
        for i, w in enumerate(work):
            yield i, in_thread(lambda w=w: call(w))  # type: ignore[misc]
        return
    context = multiprocessing.get_context("spawn")
    processes = []
    busy: dict[Connection, int] = {}
    todo = iter(enumerate(work))

    def hand(pipe: Connection) -> None:
        for i, w in todo:
            pipe.send(w)
            busy[pipe] = i
            return
        pipe.close()

    try:
        for _ in range(min(jobs, len(work))):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(call, theirs), daemon=True)
            with apart_from_main():
                process.start()
            processes.append(process)
            theirs.close()  # so that a worker's death ends the pipe
            hand(ours)
        while busy:
            for pipe in wait(list(busy)):
                assert isinstance(pipe, Connection)
                i = busy.pop(pipe)
                try:
                    ok, value = pickle.loads(pipe.recv_bytes())
                except (EOFError, OSError):
                    raise WorkerDied(f"a worker process died on {work[i]}") from None
                if not ok:
                    raise value
                hand(pipe)
                yield i, value
    except BaseException:
        for process in processes:
            process.terminate()
        raise
    finally:
        for process in processes:
            process.join()
