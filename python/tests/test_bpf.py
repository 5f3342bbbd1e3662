"""BBRp as a BPF program: loads into this machine's kernel, and carries real TCP between two network namespaces over HTB."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from wavetank import bpf
from wavetank.errors import UserError

RATE_MBIT = 20
SECONDS = 3

# Takes bytes until the sender closes.
SINK = """
import socket
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("10.9.8.2", 5001)); s.listen(1); print("ready", flush=True)
s.settimeout(30); c, _ = s.accept(); n = 0; c.settimeout(30)
while d := c.recv(1 << 16): n += len(d)
print(n, flush=True)
"""
# Sends for a while; prints the control's name and TCP_INFO's pacing rate.
SOURCE = f"""
import socket, struct, time
s = socket.socket(); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"bbrp"); s.settimeout(30)
s.connect(("10.9.8.2", 5001)); end = time.monotonic() + {SECONDS}; block = bytes(1 << 16)
while time.monotonic() < end: s.send(block)
print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode())
print(struct.unpack_from("Q", s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256), 104)[0])
"""


def _needs_kernel() -> None:
    never = bpf.machine_lacks()
    if never:
        pytest.skip(f"this machine lacks {'; '.join(never)}")
    missing = bpf.tools_lack() + [t for t in ("ip", "tc") if shutil.which(t) is None]
    if missing:
        text = f"not installed: {', '.join(missing)}"
        if os.environ.get("WAVETANK_CI"):
            pytest.fail(f"{text}, although this machine could run the test")
        pytest.skip(text)
    if subprocess.run(["unshare", "-n", "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("network namespaces are not permitted here")
    if "bbrp" in bpf.available():
        pytest.skip("somebody has loaded bbrp on this machine already")


@contextmanager
def _two_hosts() -> Iterator[tuple[str, str]]:
    """Two namespaces joined by a veth pair; the first one's leaves through HTB."""
    tag = uuid.uuid4().hex[:6]
    a, b = f"wt{tag}a", f"wt{tag}b"
    for ns in (a, b):
        subprocess.run(["ip", "netns", "add", ns], check=True)
    try:
        for line in (
            f"ip -n {a} link add v0 type veth peer name v1 netns {b}",
            f"ip -n {a} addr add 10.9.8.1/24 dev v0",
            f"ip -n {b} addr add 10.9.8.2/24 dev v1",
            f"ip -n {a} link set v0 up",
            f"ip -n {b} link set v1 up",
            f"tc -n {a} qdisc add dev v0 root handle 1: htb default 1",
            f"tc -n {a} class add dev v0 parent 1: classid 1:1 htb rate {RATE_MBIT}mbit",
            f"tc -n {a} qdisc add dev v0 parent 1:1 pfifo limit 200",
        ):
            subprocess.run(line.split(), check=True)
        yield a, b
    finally:
        for ns in (a, b):
            subprocess.run(["ip", "netns", "del", ns], check=False)


def _transfer(a: str, b: str) -> tuple[float, str, float]:
    """Goodput in Mbit/s, the control's name, the pacing rate in Mbit/s."""
    sink = subprocess.Popen(["ip", "netns", "exec", b, sys.executable, "-c", SINK], stdout=subprocess.PIPE, text=True)
    try:
        assert sink.stdout is not None
        assert sink.stdout.readline() == "ready\n"
        done = subprocess.run(
            ["ip", "netns", "exec", a, sys.executable, "-c", SOURCE],
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        name, pacing = done.stdout.split()
        received = int(sink.communicate(timeout=60)[0])
    finally:
        sink.kill()
        sink.wait()
    return received * 8 / 1e6 / SECONDS, name, int(pacing) * 8 / 1e6


@pytest.mark.slow
@pytest.mark.parametrize("pace", [5, 6])
def test_bbrp_carries_real_tcp_over_htb(pace: int) -> None:
    _needs_kernel()
    bpf.load("bbrp", pace)
    try:
        assert "bbrp" in bpf.loaded()
        assert "bbrp" in bpf.available()
        with pytest.raises(UserError, match="there already"):
            bpf.load("bbrp", pace)
        with _two_hosts() as (a, b):
            goodput, name, pacing = _transfer(a, b)
        assert name == "bbrp"
        # What is still queued when the sender closes arrives afterwards: a little more than the rate may be counted.
        assert 0.6 * RATE_MBIT < goodput < 1.3 * RATE_MBIT, goodput
        # The model's bandwidth is the bottleneck's, and it paces near it (0.75 to 1.5 times, less its margin).
        assert 0.5 * RATE_MBIT < pacing < 2 * RATE_MBIT, pacing
    finally:
        bpf.unload("bbrp")
    assert "bbrp" not in bpf.available()


def test_what_cannot_be_loaded_is_said() -> None:
    assert "bbrp" in bpf.programs()
    with pytest.raises(UserError, match=r'unknown program "bbrq".*bbrp'):
        bpf.load("bbrq", 6)
