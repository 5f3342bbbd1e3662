"""The bed's scripts on the second water's kernel: mac80211, debugfs, wavetank_tsq and the disciplines of Linux 6.12, over the virtual
radio. Their own shell is process 1; no hardware."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from wavetank import Scenario, testbed
from wavetank.linux import tree

pytestmark = pytest.mark.kernel

# Access point and one station, each with its card in a namespace of its own; the verbs of both, one after the other.
INIT = """#!/bin/sh
unset LD_PRELOAD
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t debugfs debugfs /sys/kernel/debug
mount -t tmpfs tmpfs /run; mount -t tmpfs tmpfs /tmp; mkdir /tmp/wt; mount -t hostfs -o "$wt_dir" none /tmp/wt
exec >/tmp/wt/log 2>&1
cd /tmp/wt/bed || exit 1
insmod ../modules/wavetank_radio.ko radios=2
ip netns add AP; ip netns add C1; ip netns add S
ip link add apw netns AP type veth peer name sw netns S
for i in 0 1; do
	phy=$(basename "$(ls -d /sys/class/ieee80211/phy*"$i")")
	case $i in 0) ns=AP ;; *) ns=C1 ;; esac
	iw phy "$phy" set netns name "$ns"
done
in_ap() { ip netns exec AP sh -c "mount -t debugfs debugfs /sys/kernel/debug; $*"; }
in_c1() { ip netns exec C1 sh -c "mount -t debugfs debugfs /sys/kernel/debug; $*"; }
ip netns exec AP ip link set apw up
in_ap ./ap.sh hostapd >/run/hostapd.conf
in_ap hostapd -B /run/hostapd.conf >/dev/null
sleep 2
ip netns exec C1 ip link set wlan1 up
ip netns exec C1 iw dev wlan1 connect wavetank 5180
sleep 3
{ in_ap ../found; in_c1 ../found; } >../before
in_ap ./ap.sh up >../ap.up 2>&1; echo "ap up $?"
in_c1 ./sta1.sh up >../sta1.up 2>&1; echo "sta1 up $?"
in_ap ./ap.sh check >../ap.check 2>&1; echo "ap check $?"
in_c1 ./sta1.sh check >../sta1.check 2>&1; echo "sta1 check $?"
in_ap ./ap.sh show >../ap.show 2>&1
ip netns exec C1 iw dev wlan1 link >../link
cat /sys/module/wavetank_tsq/parameters/shift >../shift
in_c1 ./sta1.sh down >../sta1.down 2>&1; echo "sta1 down $?"
in_ap ./ap.sh down >../ap.down 2>&1; echo "ap down $?"
{ in_ap ../found; in_c1 ../found; } >../after
lsmod | grep -c wavetank_tsq >../tsq
sync
"""

# What the scripts may touch, of all that a host has.
FOUND = """#!/bin/sh
for p in /sys/kernel/debug/ieee80211/phy*; do
	cat "$p/aqm" "$p/aql_txq_limit" "$p/aql_threshold" "$p/airtime_flags" | grep -v '^R '
	iw phy "$(basename "$p")" info 2>/dev/null | grep RTS
done
iw dev wlan0 station dump 2>/dev/null | grep weight
tc qdisc show
grep -s . /proc/sys/net/ipv4/tcp_*
"""


def _boot(folder: Path) -> None:
    """Boots the kernel with this folder's ``init``; it ends when that does."""
    cmd = [
        f"{tree.status()['kernel']}/linux", "mem=512M", "root=/dev/root", "rootfstype=hostfs", "hostfs=/", "ro",
        "init=/proc/self/cwd/init", "time-travel=inf-cpu", "time-travel-start=1700000000", "con=null", "con0=fd:0,fd:1",
        "panic=-1", "umid=bed", "uml_dir=/proc/self/cwd/uml/", "loglevel=4", f"wt_dir={folder}",
    ]  # fmt: skip
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()
    # On processors with AMX the kernel needs the library to boot (linux/guest/xstate.c).
    env = {**os.environ, "TMPDIR": memory, "LD_PRELOAD": str(tree.status()["seed"])}
    child = subprocess.Popen(
        cmd, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip
    try:
        child.communicate(timeout=120)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, 9)
            child.wait()


def _carried_out(sets: dict[str, object]) -> dict[str, str]:
    """What the scripts said, by name; ``log``, ``before``, ``after``."""
    with tempfile.TemporaryDirectory(prefix="wavetank-bed-") as tmp:
        top = Path(tmp)
        testbed.write(Scenario('name = "b"\n[topology]\nkind = "wifi"\n').set(sets), top / "bed", 1)
        env = top / "bed" / "bed.env"
        text = env.read_text().replace("AP_WIRE_IF=eth0", "AP_WIRE_IF=apw").replace("STA1_IF=wlan0", "STA1_IF=wlan1")
        env.write_text(text + "MODULES=/tmp/wt/modules\n")
        (top / "modules").mkdir()
        for name, path in tree.status()["modules"].items():
            shutil.copy(path, top / "modules" / ("wavetank_radio.ko" if name == "radio" else f"{name}.ko"))
        for name, program in (("init", INIT), ("found", FOUND)):
            (top / name).write_text(program)
            (top / name).chmod(0o755)
        _boot(top)
        return {p.name: p.read_text(errors="replace") for p in top.iterdir() if p.is_file() and p.suffix != ".ko"}


def _lines(said: dict[str, str], role: str, state: str) -> list[str]:
    found = [x for x in said[f"{role}.check"].splitlines() if x.startswith(state)]
    return [x.removeprefix(state).strip() for x in found]


def _all_came_back(said: dict[str, str]) -> None:
    for name in ("ap", "sta1"):
        assert f"{name} up 0" in said["log"], said
        assert f"{name} down 0" in said["log"], said
    assert said["before"] == said["after"]
    assert "fq_limit 8192" in said["before"] and "12000" in said["before"]


def test_a_wifi_beds_scripts_on_the_real_mac80211() -> None:
    sets = {
        "tcp.tsq": "cotsq", "tcp.tsq_ms": 6, "wifi.mcs": 12, "wifi.short_gi": False, "ath9k.rts_threshold": 700,
        "mac80211.limit": 4000, "mac80211.quantum": 600, "mac80211.aql_low": "3 ms", "mac80211.aql_high": "9 ms",
        "mac80211.aql_threshold": "20 ms", "mac80211.airtime_fairness": False, "kernel": "6.12", "backhaul.delay": "5 ms",
        "edca.be_aifsn": 2, "nic.gro": False, "mac80211.weight": 512,
    }  # fmt: skip
    said = _carried_out(sets)
    _all_came_back(said)
    for name, device in (("ap", "wlan0"), ("sta1", "wlan1")):
        # the virtual card's driver is its own, and nobody can say which bit rates are set
        assert _lines(said, name, "differs") == [f"driver of {device}: has nothing, wants ath9k"]
        (rates,) = _lines(said, name, "cannot tell")
        assert rates.startswith(f"bitrates {device} ht-mcs-5 12 lgi-5: the kernel does not say which are set")
    assert {
        "rts wlan1 = 700", "aqm wlan1 fq_limit = 4000", "aqm wlan1 fq_quantum = 600", "airtime wlan1 = 0", "width wlan1 = 40",
        "aql wlan1 = 3000 9000 3000 9000 3000 9000 3000 9000", "debug wlan1 aql_threshold = 20000", "tsq wlan1 = 7",
        "kernel = 6.12", "sysctl net.ipv4.tcp_pacing_ca_ratio = 92",
    } <= set(_lines(said, "sta1", "ok"))  # fmt: skip
    assert "tree apw = qdisc root handle 10: netem delay 5000us limit 100000" in _lines(said, "ap", "ok")
    assert [x for x in _lines(said, "ap", "ok") if re.fullmatch(r"weight wlan0 [0-9a-f:]{17} = 512", x)]
    assert "airtime weight: 256" in said["before"]
    assert said["tsq"].strip() == "0", "the module was not there before"


@pytest.mark.parametrize("kind", ["fq", "fq_codel", "bfifo", "pfifo_fast", "cake"])
def test_disciplines_and_rate_control_of_ours_on_the_real_kernel(kind: str) -> None:
    sets = {
        "backhaul.qdisc": kind, "tcp.cc": "bbr", "ap.rate_control": "aasrc", "sta.rate_control": "aasrc", "wifi.mcs": 7,
        "aasrc.window": 99, "fq_codel.target": "7 ms", "fq_codel.ecn": False, "fq.horizon": "3 s", "mac80211.aql": False,
        "cake.bandwidth": "20 Mbit/s", "cake.overhead": -4, "cake.atm": "ptm", "cake.rtt": "30 ms", "cake.ack_filter": "enabled",
        "cake.wash": True, "cake.split_gso": False, "cake.diffserv": "diffserv4", "cake.flowmode": "dual-srchost",
    }  # fmt: skip
    said = _carried_out(sets)
    _all_came_back(said)
    of = set(_lines(said, "sta1", "ok"))
    assert {"module wavetank_aasrc = loaded", "param wavetank_aasrc window = 99", "rc default = aasrc"} <= of
    assert {"debug wlan1 aql_enable = 0", "sysctl net.ipv4.tcp_congestion_control = bbr"} <= of
    # the card was there before its rate control: it keeps Minstrel until its driver is loaded again
    assert _lines(said, "sta1", "differs")[-1].endswith("has minstrel_ht, wants aasrc")
    (found,) = [x for x in _lines(said, "ap", "ok") if x.startswith("tree apw")]
    assert found.startswith(f"tree apw = qdisc root handle 10: {kind}")
