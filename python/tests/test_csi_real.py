"""Real logs, where they can be had: a folder of csiread's and CSIKit's samples in WAVETANK_CSI_LOGS; and csiread itself as what we are held to.

The samples are others' (csiread's repository: material/*/dataset; CSIKit's: CSIKit/data, CSIKit/visualization/example_dat) and are not kept here.
csiread prints to the standard output and trusts lengths: it only ever reads sound logs, in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import csi_logs as write
import esnr_by_scipy
import numpy as np
import pytest

from wavetank import csi
from wavetank.csi import log as logs
from wavetank.csi.effective import effective_db

FOLDER = Path(os.environ.get("WAVETANK_CSI_LOGS", "/nonexistent"))
REAL = sorted(p for p in FOLDER.glob("*") if p.is_file() and p.suffix in (".dat", ".pcap", ".csi", ".csv"))
LIMIT_DB = 0.1

# What csiread gives of a log: csi (frame x sub-carrier x receive x transmit), written as .npz.
ORACLE = """
import sys, numpy as np, csiread
form, path, out, size = sys.argv[1:5]
shape = [int(x) for x in size.split(",")]
if form == "intel":
    d = csiread.Intel(path, nrxnum=3, ntxnum=3, if_report=False); d.read()
elif form == "atheros":
    d = csiread.Atheros(path, nrxnum=3, ntxnum=3, tones=shape[0], if_report=False); d.read()
elif form == "nexmon":
    d = (csiread.Nexmon if shape[1] else csiread.NexmonPull46)(path, chip=sys.argv[5], bw=shape[0], if_report=False); d.read()
elif form == "picoscenes":
    names = ["CSI", "PilotCSI", "LegacyCSI", "BasebandSignals", "PreEQSymbols", "MPDU"]
    sizes = dict.fromkeys(names, [0, 0, 0]); sizes["CSI"] = shape; sizes["MPDU"] = 1
    d = csiread.Picoscenes(path, sizes, if_report=False); d.read()
    np.savez(out, csi=d.raw["CSI"]["CSI"]); sys.exit()
np.savez(out, csi=d.csi)
"""


def by_csiread(tmp_path: Path, path: Path, form: str, size: tuple[int, ...], chip: str = "") -> np.ndarray:
    pytest.importorskip("csiread")
    out = tmp_path / "oracle.npz"
    ran = subprocess.run(
        [sys.executable, "-c", ORACLE, form, str(path), str(out), ",".join(map(str, size)), chip],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return np.load(out)["csi"]


def held_to_csiread(tmp_path: Path, path: Path) -> int:
    """Compares every frame; how many there were."""
    frames = list(csi.frames(path))
    form = csi.load(path).format
    first = frames[0]
    if form == "intel":
        theirs = by_csiread(tmp_path, path, form, (30,))
    elif form == "atheros":
        theirs = by_csiread(tmp_path, path, form, (first.csi.shape[2],))
    elif form == "picoscenes":
        most = np.max([f.csi.shape for f in frames], axis=0)
        theirs = by_csiread(tmp_path, path, form, (int(most[2]), int(most[0]), int(most[1])))
    else:
        chip = {0x0001: "4339", 0x0065: "43455c0", 0xDEAD: "4358", 0x006A: "4366c0"}[
            int.from_bytes(path.read_bytes()[24 + 16 + 58 :][:2], "little")
        ]
        theirs = by_csiread(tmp_path, path, form, (first.width_mhz, int(first.rssi_dbm is None)), chip)
    assert len(frames) == len(theirs)
    for ours, given in zip(frames, theirs, strict=True):
        rx, tx, n = ours.csi.shape
        other = given[ours.subcarriers % len(given)][:, None, None] if form == "nexmon" else given
        if form == "nexmon":
            scale = np.abs(ours.csi).max() / max(np.abs(other).max(), 1e-300)
            # they cut a float to 10 bits of the frame's largest
            cut = 0 if chip in ("4339", "43455c0") else scale * 2
            assert np.abs(np.moveaxis(other, 0, -1) * (scale if cut else 1) - ours.csi).max() <= cut
        elif form == "atheros":
            # csiread takes transmit as running first, the tool's own read_csi.c receive (docs/csi.md)
            flat = other[:n, :rx, :tx].reshape(n, tx, rx)
            assert np.array_equal(flat.transpose(2, 1, 0), ours.csi)
        else:
            # where two of three antennas received, csiread leaves the third empty; we have the two
            rows = [a for a in range(other.shape[1]) if other[:, a].any()] if form == "intel" else list(range(rx))
            assert np.array_equal(np.moveaxis(other[:n, rows, :tx], 0, -1), ours.csi)
    return len(frames)


@pytest.mark.skipif(not REAL, reason="no real logs: set WAVETANK_CSI_LOGS to a folder of csiread's or CSIKit's samples")
@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_a_real_log_is_read_as_csiread_reads_it(path, tmp_path):
    if path.suffix == ".csv":
        assert len(list(csi.frames(path))) > 0  # csiread gives no matrix of ESP32's
        return
    assert held_to_csiread(tmp_path, path) > 0


@pytest.mark.skipif(not REAL, reason="no real logs: set WAVETANK_CSI_LOGS to a folder of csiread's or CSIKit's samples")
@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_effective_snr_of_a_real_log(path):
    """Every frame's, by the core and by SciPy."""
    seen = compare(path)
    assert seen > 0


def compare(path: Path) -> int:
    count = 0
    for f in csi.frames(path):
        pair = logs.pair_of(f, logs.Ask(rx=f.chain[0], tx=f.chain[1]) if f.chain else logs.Ask())
        total = logs.total_snr_db(f, logs.Ask())
        if pair is None or pair[1] == 0 or not np.abs(pair[0]).any():
            continue
        snr = (20.0 if total is None else total) + 10 * np.log10(pair[1])
        ours = effective_db(pair[0][None, :], np.array([snr]))[0]
        theirs = esnr_by_scipy.esnr_db(pair[0], snr)
        assert np.abs(ours - theirs).max() < LIMIT_DB, (f.offset, snr, ours, theirs)
        count += 1
    return count


@pytest.mark.parametrize("form", ["intel", "atheros", "nexmon"])
def test_synthetic_logs_are_read_as_csiread_reads_them(form, tmp_path):
    path = tmp_path / "log"
    if form == "intel":
        path.write_bytes(
            b"".join(write.intel(write.random_csi(i, 3, 1 + i % 3, 30, 128), selection=0b010010) for i in range(20))
        )
    elif form == "atheros":
        path.write_bytes(b"".join(write.atheros(write.random_csi(i, 1 + i % 3, 2, 114, 512)) for i in range(20)))
    else:
        words = [np.random.default_rng(i).integers(-9999, 9999, 256).astype("<i2").tobytes() for i in range(20)]
        path.write_bytes(write.pcap([write.nexmon(w) for w in words]))
    assert held_to_csiread(tmp_path, path) == 20


@pytest.mark.parametrize("snr_db", [-10, 0, 5, 12, 20, 33, 48])
def test_effective_snr_of_synthetic_channels(snr_db):
    """Flat, two paths, a deep fade, noise: quantised to 8, 10 and 16 bits."""
    r = np.random.default_rng(snr_db + 50)
    k = np.arange(114)
    channels = [
        np.ones(114, complex),
        1 + 0.9 * np.exp(2j * np.pi * k / 40),
        np.where(k == 43, 0.01, 1) + 0j,
        r.normal(size=114) + 1j * r.normal(size=114),
    ]
    for h in channels:
        for bits in (8, 10, 16):
            largest = max(np.abs(h.real).max(), np.abs(h.imag).max())
            q = np.rint(h / largest * (2 ** (bits - 1) - 1))
            ours = effective_db(q[None, :], np.array([float(snr_db)]))[0]
            assert np.abs(ours - esnr_by_scipy.esnr_db(q, snr_db)).max() < LIMIT_DB
