"""Minstrel-HT: the kernel's recorded decisions are the model's; and the comparison sees what is wrong."""

import json
import struct
import zipfile

import pytest

from wavetank import UserError, _core
from wavetank.validate import minstrel

HEAD = 108  # magic, HZ, sample table


@pytest.fixture(scope="module")
def cases():
    return {c.name: c for c in minstrel.load()}


def test_every_decision_on_every_channel_is_the_kernels():
    report = minstrel.validate(jobs=2)
    assert [r for r in report.rows if r.ok is not True] == []
    held = {r.metric: r.ours for r in report.rows if r.name == "all"}
    assert held["channels held"] >= 20
    assert held["updates held"] >= 10_000
    assert held["probes held"] >= 10_000


def test_a_model_that_never_probes_fails(cases):
    report = minstrel.validate(never_probes=True)
    channels = {n: ok for n, ok in report.cases().items() if n != "all"}
    assert channels and not any(channels.values())


def test_another_sample_table_fails(cases):
    data = bytearray(cases["two-streams-2"].recording)
    table = data[8:HEAD]
    data[8:HEAD] = table[10:] + table[:10]  # the same columns in another order
    got = _core.minstrel_replay(bytes(data))
    assert got["wrong_probes"] > 0
    assert got["wrong_decisions"] > 0


def test_one_acknowledgement_less_is_seen(cases):
    """A status in which the kernel was told of one frame more than the model."""
    data = bytearray(cases["one-stream-2"].recording)
    at = _statuses(data)[100]
    assert data[at + 2] > 0
    data[at + 2] -= 1
    got = _core.minstrel_replay(bytes(data))
    assert got["wrong_updates"] > 0
    assert "the kernel has" in got["told"][0]


def _statuses(data: bytes) -> list[int]:
    """Where the statuses with acknowledged frames stand."""

    def decision(p):
        return p + 10 + 4 + 20 + 2 + 4 * struct.unpack_from("<H", data, p + 34)[0] + 8

    at, found = HEAD, []
    while at < len(data):
        kind, p = data[at], at + 6
        if kind == 1:
            at = decision(p + 12 + 2 * data[p + 11])
        elif kind == 2:
            if data[p] & 2 and data[p + 2]:
                found.append(p)
            at = p + 4 + 4 * data[p + 3]
        elif kind == 3:
            at = decision(p + 1)
        else:
            at = p + {4: 2, 5: 3}[kind]
    return found


def test_the_channels_are_those_of_the_second_water(cases):
    with zipfile.ZipFile(minstrel.PATH) as z:
        channels = json.loads(z.read("minstrel.json"))
    assert set(channels) == set(cases)
    kinds = {c["radio"]["streams"] for c in channels.values()}
    assert kinds == {1, 2, 3}
    assert any(c["radio"].get("ht") is False for c in channels.values())
    assert any("walk" in c["radio"] for c in channels.values())
    assert {tuple(c.get("hostapd", ())) for c in channels.values() if c.get("ghz2")} == {(), ("preamble=1",)}


def test_what_is_of_another_band_is_seen(cases):
    """A recording whose first station is said to be at 5 GHz: other overheads, and CCK's places are taken for OFDM's."""
    data = bytearray(cases["cck"].recording)
    assert data[HEAD] == 1 and data[HEAD + 6 + 10] & 4
    data[HEAD + 6 + 10] &= ~4
    got = _core.minstrel_replay(bytes(data))
    assert "overheads" in got["told"][0]
    assert got["wrong_decisions"] > 0


def test_what_is_no_recording_is_refused(cases, tmp_path):
    with pytest.raises(ValueError, match="no recording"):
        _core.minstrel_replay(b"WTMR\x02\x00" + bytes(200))
    whole = cases["legacy-bad"].recording
    with pytest.raises(ValueError, match="in the middle of an event"):
        _core.minstrel_replay(whole[:-3])
    with pytest.raises(ValueError, match="kind"):
        _core.minstrel_replay(whole + bytes([9, 0, 0, 0, 0, 0]))
    with pytest.raises(ValueError, match="has not begun"):
        _core.minstrel_replay(whole + bytes([4, 250, 0, 0, 0, 0, 1, 0]))
    (tmp_path / "x.zip").write_bytes(b"PK")
    with pytest.raises(UserError, match="expected a ZIP file"):
        minstrel.load(tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "y.zip", "w") as z:
        z.writestr("a.txt", "x")
    with pytest.raises(UserError, match="holds no recording"):
        minstrel.load(tmp_path / "y.zip")
