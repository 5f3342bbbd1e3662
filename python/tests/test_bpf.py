"""BBR's variants as BPF programs: load into this machine's kernel, and carry real TCP between two network namespaces over HTB."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from wavetank import _core, bpf
from wavetank.errors import UserError

RATE_MBIT = 20
SECONDS = 4

# Takes bytes until the sender closes.
SINK = """
import socket
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("10.9.8.2", 5001)); s.listen(1); print("ready", flush=True)
s.settimeout(30); c, _ = s.accept(); n = 0; c.settimeout(30)
while d := c.recv(1 << 16): n += len(d)
print(n, flush=True)
"""
# Sends for a while; prints the control's name and the median of TCP_INFO's pacing rate in the second half.
SOURCE = f"""
import socket, statistics, struct, sys, time
s = socket.socket(); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[1].encode()); s.settimeout(30)
s.connect(("10.9.8.2", 5001)); end = time.monotonic() + {SECONDS}; block = bytes(1 << 16); rates = []
while (left := end - time.monotonic()) > 0:
    s.send(block)
    if left < {SECONDS / 2}: rates.append(struct.unpack_from("Q", s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256), 104)[0])
print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode())
print(round(statistics.median(rates)))
"""


def _needs_kernel(cc: str) -> None:
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
    if cc in bpf.available():
        pytest.skip(f"somebody has loaded {cc} on this machine already")


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
            # HTB passes an skb of many segments at once: BBR would take the path for one of gigabits.
            f"ip -n {a} link set v0 gso_max_segs 1",
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


def _transfer(a: str, b: str, cc: str) -> tuple[float, str, float]:
    """Goodput in Mbit/s, the control's name, the pacing rate in Mbit/s."""
    sink = subprocess.Popen(["ip", "netns", "exec", b, sys.executable, "-c", SINK], stdout=subprocess.PIPE, text=True)
    try:
        assert sink.stdout is not None
        assert sink.stdout.readline() == "ready\n"
        done = subprocess.run(
            ["ip", "netns", "exec", a, sys.executable, "-c", SOURCE, cc],
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        name, pacing = done.stdout.split()
        received = int(sink.communicate(timeout=60)[0])
    finally:
        sink.kill()
        sink.wait()
    return received * 8 / 1e6 / SECONDS, name, int(pacing) * 8 / 1e6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cc", "values"),
    [
        ("bbrp", {"bbrp_pace": "5"}),
        ("bbrp", {}),
        ("bbr_plus", {}),
        ("bbr_plus", {"pace": "110", "probe_gain": "640"}),
        ("bbr_dev", {}),
    ],
    ids=lambda v: v if isinstance(v, str) else "-".join(v.values()) or "as-it-is",
)
def test_a_program_carries_real_tcp_over_htb(cc: str, values: dict[str, str]) -> None:
    _needs_kernel(cc)
    settings = bpf.load(cc, values)
    try:
        assert {k: str(settings[k]) for k in values} == values
        assert cc in bpf.loaded()
        assert cc in bpf.available()
        with pytest.raises(UserError, match="there already"):
            bpf.load(cc)
        with _two_hosts() as (a, b):
            goodput, name, pacing = _transfer(a, b, cc)
        assert name == cc
        # What is still queued when the sender closes arrives afterwards: a little more than the rate may be counted.
        assert 0.6 * RATE_MBIT < goodput < 1.3 * RATE_MBIT, goodput
        # The model's bandwidth is the bottleneck's, and it paces near it (0.75 to 2.5 times 1.1, less its margin).
        assert 0.5 * RATE_MBIT < pacing < 3 * RATE_MBIT, pacing
    finally:
        bpf.unload(cc)
    assert cc not in bpf.available()


def test_what_cannot_be_loaded_is_said() -> None:
    assert bpf.programs() == ["bbr_dev", "bbr_plus", "bbrp"]
    with pytest.raises(UserError, match=r'unknown program "bbrq".*bbrp'):
        bpf.load("bbrq")
    with pytest.raises(UserError, match=r'unknown parameter "probe_gian".*probe_gain'):
        bpf.load("bbr_plus", {"probe_gian": "300"})
    for bad in ("3", "41", "6.5", "-6", ""):
        with pytest.raises(UserError, match=r"bbrp_pace=.*from 4 to 40"):
            bpf.load("bbrp", {"bbrp_pace": bad})


def test_without_a_clone_it_says_where_the_programs_are(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(bpf, "SOURCES", tmp_path)
    with pytest.raises(UserError, match=r"this installation has none: clone the repository"):
        bpf.load("bbrp")


@pytest.mark.parametrize("name", bpf.programs())
def test_a_programs_parameters_are_the_models_and_the_modules(name: str) -> None:
    model = {r["key"]: r for r in _core.schema() if r["section"] == name.replace("_", "-")}
    program = {p.name: p for p in bpf.parameters(name)}
    text = (bpf.SOURCES.parent / "modules" / "wavetank_bbr" / f"wavetank_{name}.c").read_text()
    # MAX_GAIN: a gain of the module has the kernel's ten bits.
    ranged = re.findall(r"^RANGED\((\w+), (\d+), (\d+), (\w+), ", text, re.M)
    module = {n: (int(standard), int(least), most) for n, standard, least, most in ranged}
    assert set(model) == set(program) == set(module)
    for key, row in model.items():
        standard = {"true": 1, "false": 0}.get(str(row["default"]), row["default"])
        least, most = str(row["range"] or "0 to 1").split(" to ")
        p = program[key]
        assert (p.default, p.least, p.most) == (int(standard), int(least), int(most)), key
        assert module[key][:2] == (int(standard), int(least)), key
        assert module[key][2] in {str(most), "MAX_GAIN", "15"}, key
