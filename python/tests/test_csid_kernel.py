"""The CSI daemon between the real kernel's halves: the virtual radio's channel state in, the AARC module's feedback out.

One station, a download, both daemons in their namespaces of a User-Mode Linux whose access point has AARC.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import math
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from wavetank import csid

ROOT = Path(__file__).parents[2]
LINUX = ROOT / "linux"
pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(not (LINUX / "modules" / "wavetank_aasrc").is_dir(), reason="no AARC module in this tree"),
    pytest.mark.skipif(
        ROOT.is_relative_to("/tmp"), reason="the guest has a /tmp of its own: it would not see this tree"
    ),
]

# Runs before the guest's own program, as whose child it waits for the network. The guest mounts its own /tmp and /run.
BESIDE = """#!/bin/sh
(
export PATH=/usr/sbin:/usr/bin:/sbin:/bin PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={python}
unset LD_PRELOAD
while [ ! -e /run/netns/C1 ]; do sleep 0.1; done
until ip netns exec C1 cat /sys/class/net/wlan1/carrier 2>/dev/null | grep -q 1; do sleep 0.1; done
station=$(ip netns exec C1 cat /sys/class/net/wlan1/address)
cp /tmp/wt/key /run/key; chmod 600 /run/key
ip netns exec AP {executable} -m wavetank csid ap --key /run/key --listen 10.1.0.1 --json --status 1 >/tmp/wt/ap.out 2>&1 &
ip netns exec C1 {executable} -m wavetank csid client --key /run/key --ap 10.1.0.1 --station $station --json --status 1 \\
  >/tmp/wt/client.out 2>&1 &
sleep 5
cat /sys/kernel/debug/ieee80211/phy0/netdev:wlan0/stations/$station/rc_stats >/tmp/wt/rc.out
) >/dev/null 2>&1 &
exec {guest}
"""


def load(name: str, path: Path) -> ModuleType:
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def steps(cliff, count: int) -> list:
    """A channel at 24 dB whose second path turns slowly; MCS 5 is its best."""
    out = []
    for i in range(count):
        phases = [2 * math.pi * (k / 60 + i / 80) for k in range(114)]
        response = [(round(300 * (1 + 0.6 * math.cos(p))), round(180 * math.sin(p))) for p in phases]
        out.append((24.0, 24.0, cliff(5, doubtful=0.5), response))
    return out


def test_channel_state_of_the_radio_reaches_the_aarc_module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(LINUX))
    import uml

    files, run_wifi = load("channel_file", LINUX / "channel_file.py"), load("run_wifi", LINUX / "run-wifi")
    csid.new_key(tmp_path / "key")
    script = ROOT / "out" / "csid-init"  # the guest's /tmp is its own
    script.parent.mkdir(exist_ok=True)
    script.write_text(BESIDE.format(python=ROOT / "python", executable=sys.executable, guest=uml.guest()))
    script.chmod(0o755)
    monkeypatch.setattr(uml, "guest", lambda: script)
    boot, kept = uml.boot, ("ap.out", "client.out", "rc.out")

    def with_files(case, **more):
        more["keep"] = {**(more.get("keep") or {}), **{n: tmp_path / n for n in kept}}
        more["given"] = {**(more.get("given") or {}), "key": tmp_path / "key"}
        return boot(case, **more)

    monkeypatch.setattr(uml, "boot", with_files)
    channel = tmp_path / "channel"
    walk = steps(files.cliff, 200)
    files.write(channel, 50_000_000, {(0, 1): walk, (1, 0): walk})
    config = {"dir": "down", "secs": 6, "warmup": 2, "rc": "aarc", "rc_params": {"ack_snr": False}, "channel": channel}
    run_wifi.run(config, seed=1, timeout=600)
    script.unlink()

    client, ap = (json.loads((tmp_path / n).read_text().splitlines()[-1]) for n in ("client.out", "ap.out"))
    assert client["session"] is True
    assert client["reports"]["reports"] > 500
    assert client["netlink"] == {}  # nothing malformed, nothing lost
    assert client["snr_db"] == pytest.approx(24, abs=2)
    assert ap["counts"]["heard"] > 500
    assert ap["sink"].keys() == {"to the module"}  # nothing refused
    (said,) = re.findall(
        r"eSNR.*BPSK (-?\d+), QPSK (-?\d+), 16-QAM (-?\d+), 64-QAM (-?\d+)", (tmp_path / "rc.out").read_text()
    )
    bpsk, _, _, qam64 = (int(x) / 100 for x in said)
    assert 10 < bpsk < qam64 < 25
