"""The CSI daemons as processes, for tests."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wavetank.csid import genl

LIMIT_S = 20  # of anything that waits for another process


def netlink_works() -> bool:
    try:
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, genl.GENERIC).close()
    except OSError:
        return False
    return True


needs_netlink = pytest.mark.skipif(not netlink_works(), reason="no generic netlink here")


class Daemon:
    """A daemon as a process; whatever happens, it is gone at the end."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wavetank", "csid", *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.out = self.process.stdout
        os.set_blocking(self.out.fileno(), False)
        self.seen = b""

    def lines(self) -> list[dict]:
        with contextlib.suppress(BlockingIOError):
            while more := self.out.read(1 << 16):
                self.seen += more
        return [json.loads(x) for x in self.seen.splitlines() if x.endswith(b"}")]

    def until(self, true) -> list[dict]:
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            got = self.lines()
            if true(got):
                return got
            time.sleep(0.02)
        raise AssertionError(f"not within {LIMIT_S} s; last: {self.lines()[-2:]}")

    def end(self, how: int = signal.SIGTERM) -> dict:
        """Ends it; its last status."""
        self.process.send_signal(how)
        assert self.process.wait(LIMIT_S) == 0, self.process.stderr.read()
        os.set_blocking(self.out.fileno(), True)
        self.seen += self.out.read()
        return self.lines()[-1]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(LIMIT_S)
        self.process.stdout.close()
        self.process.stderr.close()


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ap_at(port: int, key: Path) -> list[object]:
    return ["ap", "--listen", f"127.0.0.1:{port}", "--key", key, "--to", "lines", "--json"]


def client_to(port: int, key: Path, log: Path, *more: object) -> list[object]:
    at = f"127.0.0.1:{port}"
    return ["client", "--ap", at, "--key", key, "--station", "02:77:74:00:00:01", "--log", log, "--json", *more]


def feedback(lines: list[dict]) -> list[dict]:
    return [x for x in lines if "esnr_db" in x]


def counted(lines: list[dict], what: str) -> int:
    statuses = [x for x in lines if "counts" in x]
    return statuses[-1]["counts"].get(what, 0) if statuses else 0
