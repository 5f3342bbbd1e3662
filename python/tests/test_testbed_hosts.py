"""The bed's scripts, carried out: three network namespaces joined by veth pairs are client, router and server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from wavetank import Scenario, bpf, compare, testbed

RATE_MBIT = 20
SECONDS = 3
PORT = 5002

# Takes bytes until the sender closes; says how many, and over how many seconds.
SINK = f"""
import socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("10.9.2.2", {PORT})); s.listen(1); print("ready", flush=True)
s.settimeout(30); c, _ = s.accept(); n = 0; c.settimeout(30); start = time.monotonic()
while d := c.recv(1 << 16): n += len(d)
print(n, time.monotonic() - start, flush=True)
"""
SOURCE = f"""
import socket, time
s = socket.create_connection(("10.9.2.2", {PORT}), 20); end = time.monotonic() + {SECONDS}; block = bytes(1 << 14)
while time.monotonic() < end: s.send(block)
print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode())
"""


def _run(command: str, **how: object) -> str:
    done = subprocess.run(command.split(), capture_output=True, text=True, check=False, timeout=60, **how)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return str(done.stdout)


def _needs_namespaces() -> None:
    missing = [t for t in ("ip", "tc", "ethtool") if shutil.which(t) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if os.geteuid() != 0 or subprocess.run(["unshare", "-n", "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("network namespaces are not permitted here")
    done = subprocess.run(
        ["unshare", "-n", "sh", "-c", "ip link set lo up && tc qdisc add dev lo root handle 1: htb default 1"],
        check=False, capture_output=True,
    )  # fmt: skip
    if done.returncode != 0:
        pytest.skip("this kernel has no HTB")


@dataclass
class Bed:
    folder: Path
    spaces: dict[str, str]

    def script(self, role: str, verb: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["ip", "netns", "exec", self.spaces[role], "sh", str(self.folder / f"{role}.sh"), verb],
            capture_output=True, text=True, check=False, timeout=60,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        )  # fmt: skip

    def found(self, role: str) -> dict[str, str]:
        """What a role's machine has, of all that the scripts may touch."""
        inside = f"ip netns exec {self.spaces[role]}"
        out = {"qdisc": _run(f"{inside} tc qdisc show"), "class": _run(f"{inside} tc class show dev v0")}
        grep = "grep -s . /proc/sys/net/ipv4/tcp_* /proc/sys/net/ipv4/ip_forward"
        all_of_them = subprocess.run([*inside.split(), "sh", "-c", grep], capture_output=True, text=True, check=False)
        # what the kernel has loaded by now is every namespace's
        out["sysctls"] = "\n".join(
            x for x in all_of_them.stdout.splitlines() if "_congestion_control:" not in x or "/tcp_congestion" in x
        )
        assert out["sysctls"].count("\n") > 30
        for dev in ("v0", "v1"):
            if Path(f"/run/netns/{self.spaces[role]}").exists() and f" {dev}@" in _run(f"{inside} ip link"):
                words = _run(f"{inside} ip -d -o link show dev {dev}").split()
                out[f"{dev} gso"] = words[words.index("gso_max_segs") + 1]
                out[f"{dev} qlen"] = words[words.index("qlen") + 1]
                out[f"{dev} offloads"] = _run(f"{inside} ethtool -k {dev}")
        return out


@contextmanager
def _bed(tmp_path: Path, sets: dict[str, str]) -> Iterator[Bed]:
    tag = uuid.uuid4().hex[:6]
    spaces = {"client": f"wt{tag}c", "router": f"wt{tag}r", "server": f"wt{tag}s"}
    c, r, s = spaces.values()
    folder = tmp_path / "a bed"  # a blank in the path: everything is quoted
    text = 'name = "wired bed"\n[topology]\nkind = "wired"\n'
    testbed.write(Scenario(text).set(sets), folder, 1)
    env = (folder / "bed.env").read_text()
    names = {"CLIENT_IF": "v0", "ROUTER_CLIENT_IF": "v0", "ROUTER_SERVER_IF": "v1", "SERVER_IF": "v0"}
    lines = [f"{k}={names.get(k, v)}" if v else k for k, _, v in (line.partition("=") for line in env.splitlines())]
    (folder / "bed.env").write_text("\n".join(lines) + f"\nSTATE='{tmp_path}/state of it'\n")
    made = []
    try:
        for ns in spaces.values():
            _run(f"ip netns add {ns}")
            made.append(ns)
        for line in (
            f"ip -n {c} link add v0 type veth peer name v0 netns {r}",
            f"ip -n {r} link add v1 type veth peer name v0 netns {s}",
            f"ip -n {c} addr add 10.9.1.1/24 dev v0",
            f"ip -n {r} addr add 10.9.1.2/24 dev v0",
            f"ip -n {r} addr add 10.9.2.1/24 dev v1",
            f"ip -n {s} addr add 10.9.2.2/24 dev v0",
            *(f"ip -n {ns} link set {dev} up" for ns, dev in ((c, "v0"), (r, "v0"), (r, "v1"), (s, "v0"))),
            f"ip -n {c} route add default via 10.9.1.2",
            f"ip -n {s} route add default via 10.9.2.1",
        ):
            _run(line)
        yield Bed(folder, spaces)
    finally:
        for ns in made:
            subprocess.run(["ip", "netns", "del", ns], check=False)


FLENT = os.environ.get("FLENT") or shutil.which("flent", path=str(Path(sys.executable).parent)) or shutil.which("flent")


def _transfer(bed: Bed) -> tuple[float, str]:
    """Goodput in Mbit/s, and the control's name."""
    sink = subprocess.Popen(
        ["ip", "netns", "exec", bed.spaces["server"], sys.executable, "-c", SINK], stdout=subprocess.PIPE, text=True
    )
    try:
        assert sink.stdout is not None
        assert sink.stdout.readline() == "ready\n"
        done = subprocess.run(
            ["ip", "netns", "exec", bed.spaces["client"], sys.executable, "-c", SOURCE],
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        received, seconds = sink.communicate(timeout=60)[0].split()
    finally:
        sink.kill()
        sink.wait()
    return int(received) * 8e-6 / float(seconds), done.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["local", "remote"])
def test_a_wired_bed_goes_up_carries_tcp_and_comes_down_as_it_was(tmp_path: Path, place: str) -> None:
    _needs_namespaces()
    sets = {
        "bottleneck.place": place, "htb.rate": f"{RATE_MBIT} Mbit/s", "pfifo.limit": "200", "tcp.cc": "reno",
        "tcp.gso_max_segs": "1", "tcp.wmem_max": "3 MiB", "tcp.tsq": "cotsq", "tcp.tsq_ms": "4", "nic.gro": "false",
        "tcp.ecn": "true", "tcp.tlp": "false", "pfifo_fast.limit": "400",
    }  # fmt: skip
    with _bed(tmp_path, sets) as bed:
        before = {role: bed.found(role) for role in bed.spaces}
        for role in bed.spaces:
            assert bed.script(role, "check").returncode == 1, "it must differ before"
            up = bed.script(role, "up")
            assert up.returncode == 0, up.stdout + up.stderr
            assert "differs" not in up.stdout
        once = {role: bed.found(role) for role in bed.spaces}
        assert all(once[role] != before[role] for role in bed.spaces)
        for role in bed.spaces:
            again = bed.script(role, "up")
            assert again.returncode == 0, again.stdout + again.stderr
            checked = bed.script(role, "check")
            assert checked.returncode == 0, checked.stdout
            assert {line.split()[0] for line in checked.stdout.splitlines()} == {"ok"}, checked.stdout
            shown = bed.script(role, "show").stdout
            assert "; before: " in shown
        assert {role: bed.found(role) for role in bed.spaces} == once, "up twice is up"
        goodput, cc = _transfer(bed)
        assert cc == "reno"
        # what is queued in the bottleneck arrives after the sender has closed, within the receiver's seconds
        assert 0.6 * RATE_MBIT < goodput < RATE_MBIT
        # somebody changes something: check says which
        client = bed.spaces["client"]
        _run(f"ip netns exec {client} sysctl -q -w net.ipv4.tcp_reordering=7")
        changed = bed.script("client", "check")
        assert changed.returncode == 1
        assert [line for line in changed.stdout.splitlines() if not line.startswith("ok")] == [
            "differs      sysctl net.ipv4.tcp_reordering: has 7, wants 3"
        ]
        other = bed.spaces["router" if place == "remote" else "client"], "v1" if place == "remote" else "v0"
        _run(f"tc -n {other[0]} class change dev {other[1]} classid 1:1 htb rate 5mbit")
        told = bed.script("router" if place == "remote" else "client", "check").stdout
        assert "wants 20000000bit" in told
        for role in bed.spaces:
            down = bed.script(role, "down")
            assert down.returncode == 0, down.stdout + down.stderr
        assert {role: bed.found(role) for role in bed.spaces} == before
        assert "nothing is up" in bed.script("client", "down").stdout


@pytest.mark.slow
def test_a_control_of_ours_comes_as_a_program_and_goes_again(tmp_path: Path) -> None:
    _needs_namespaces()
    lacking = bpf.machine_lacks() + bpf.tools_lack()
    if lacking or "bbrp" in bpf.available():
        pytest.skip(f"lacks {'; '.join(lacking)}" if lacking else "somebody has loaded bbrp on this machine already")
    sets = {
        "bottleneck.place": "local",
        "htb.rate": f"{RATE_MBIT} Mbit/s",
        "tcp.cc": "bbrp",
        "bbrp.bbrp_pace": "7",
        "tcp.gso_max_segs": "1",
    }
    with _bed(tmp_path, sets) as bed:
        (bed.folder / "bed.env").write_text((bed.folder / "bed.env").read_text() + "CONTROL_BY=bpf\n")
        before = {role: bed.found(role) for role in bed.spaces}
        try:
            for role in bed.spaces:
                up = bed.script(role, "up")
                assert up.returncode == 0, up.stdout + up.stderr
            assert "bbrp" in bpf.loaded()
            checked = bed.script("client", "check")
            assert checked.returncode == 0, checked.stdout
            assert "ok           control bbrp = loaded" in checked.stdout
            assert (
                "cannot tell  control bbrp bbrp_pace=7: a BPF program does not say what it was compiled with"
                in checked.stdout
            )
            goodput, cc = _transfer(bed)
            assert cc == "bbrp"
            assert goodput > 0.5 * RATE_MBIT
        finally:
            # one kernel stands for all three machines here: the last one down unloads it
            downs = [bed.script(role, "down") for role in reversed(bed.spaces)]
        assert [d.returncode for d in downs] == [0, 0, 0], downs
        assert {role: bed.found(role) for role in bed.spaces} == before
    assert "bbrp" not in bpf.available()


@pytest.mark.slow
def test_scripts_stop_at_the_first_error_and_leave_what_is_others(tmp_path: Path) -> None:
    _needs_namespaces()
    with _bed(tmp_path, {"bottleneck.place": "local", "htb.rate": "20 Mbit/s", "tcp.cc": "reno"}) as bed:
        client = bed.spaces["client"]
        _run(f"tc -n {client} qdisc add dev v0 root handle 7: pfifo limit 9")
        before = bed.found("client")
        done = bed.script("client", "up")
        assert done.returncode == 1
        assert "client: tree v0: somebody has put there: qdisc pfifo 7:" in done.stderr
        assert "`down` puts back" in done.stderr
        assert bed.script("client", "down").returncode == 0
        assert bed.found("client") == before
        # a device that is not there, and a control that no kernel has, are named
        env = (bed.folder / "bed.env").read_text()
        (bed.folder / "bed.env").write_text(env.replace("CLIENT_IF=v0\n", "CLIENT_IF=v9\n", 1))
        assert "client: v9: no such device; is its name in bed.env right?" in bed.script("client", "up").stderr
        assert bed.script("client", "check").returncode == 1
        assert bed.script("client", "down").returncode == 0
        (bed.folder / "bed.env").write_text(env)
        text = (bed.folder / "client.sh").read_text()
        (bed.folder / "client.sh").write_text(
            text.replace("tcp_congestion_control reno", "tcp_congestion_control renno")
        )
        assert (
            "failed: writing 'renno' to /proc/sys/net/ipv4/tcp_congestion_control" in bed.script("client", "up").stderr
        )
        assert bed.script("client", "down").returncode == 0
        assert bed.found("client") == before
        for wrong in ("sideways", ""):
            assert bed.script("client", wrong).returncode == 2


@pytest.mark.slow
@pytest.mark.flent
@pytest.mark.skipif(not FLENT, reason="set FLENT to Flent's command")
def test_flent_runs_the_bed_and_its_files_stand_beside_the_model(tmp_path: Path) -> None:
    """All of it: the scripts' bottleneck, Flent's flood and pings over it, and what comes back beside the model's."""
    _needs_namespaces()
    missing = [t for t in ("iperf", "fping") if shutil.which(t) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    sets = {
        "bottleneck.place": "remote", "htb.rate": f"{RATE_MBIT} Mbit/s", "pfifo.limit": "50", "tcp.cc": "reno",
        "nic.gro": "false", "traffic.tcp_up": "0", "traffic.udp_up": "30 Mbit/s", "time.flows": "5 s", "time.lead_in": "2 s",
        "time.tail": "2 s",
    }  # fmt: skip
    with _bed(tmp_path, sets) as bed:
        env = bed.folder / "bed.env"
        env.write_text(env.read_text() + "SERVER_HOST=10.9.2.2\n")
        for role in bed.spaces:
            assert bed.script(role, "up").returncode == 0
        inside = ["ip", "netns", "exec", bed.spaces["server"]]
        server = subprocess.Popen([*inside, "iperf", "-s", "-u"], stdout=subprocess.DEVNULL)
        try:
            done = subprocess.run(
                ["ip", "netns", "exec", bed.spaces["client"], "sh", str(bed.folder / "flent.sh"), "--batch-repetitions", "1"],
                capture_output=True, text=True, check=False, timeout=120,
                env={**os.environ, "PATH": f"{Path(str(FLENT)).parent}:{os.environ['PATH']}"},
            )  # fmt: skip
        finally:
            server.kill()
            server.wait()
        assert done.returncode == 0, done.stdout + done.stderr
        files = sorted((bed.folder / "results").glob("*.flent.gz"))
        assert len(files) == 1, done.stdout + done.stderr
        scenario = Scenario.load(bed.folder / "scenario.toml")
        (remark,) = compare.remarks(scenario, files)
        assert remark.endswith("its UDP flows are what iperf's client sent; what arrived of them is not known")
        rows = {line.figure: line.values for line in compare.compare(scenario, ["model"], measured=files).lines}
        # 50 packets of 1512 bytes before the class, at 20 Mbit/s: 30 ms
        assert rows["ping p50"]["testbed"] == pytest.approx(50 * 1512 * 8 / 20e3, rel=0.15)
        assert rows["ping p50"]["model"] == pytest.approx(rows["ping p50"]["testbed"], rel=0.15)
        for role in bed.spaces:
            assert bed.script(role, "down").returncode == 0
