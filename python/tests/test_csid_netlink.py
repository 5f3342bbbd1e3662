"""The CSI daemon's generic netlink: messages made and read by bytes; families, at the real controller."""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import time

import numpy as np
import pytest
from csid_daemons import LIMIT_S, needs_netlink
from hypothesis import given, settings
from hypothesis import strategies as st

from wavetank import UserError, csi
from wavetank.csid import genl, measure

FUZZ = settings(max_examples=300, deadline=None, derandomize=True)
STATION = bytes.fromhex("027774000001")
S = 1_000_000_000


def report_attributes(**changed: object) -> list[tuple[int, bytes]]:
    values = np.arange(4 * 56, dtype=np.int16).reshape(1, 2, 56, 2)[:, :1]
    a = {
        "phy": (genl.PHY, b"phy1\0"), "ta": (genl.TA, b"\2\0\0\0\0\1"), "ra": (genl.RA, STATION),
        "time": (genl.TIME, struct.pack("=Q", 5 * S)), "count": (genl.COUNT, struct.pack("=I", 9)),
        "width": (genl.WIDTH, struct.pack("=H", 20)), "n_tx": (genl.N_TX, b"\1"), "n_rx": (genl.N_RX, b"\1"),
        "n_sc": (genl.N_SC, struct.pack("=H", 56)), "bits": (genl.BITS, b"\x0a"),
        "ctrl": (genl.SNR_CTRL, struct.pack("=h", 2050)), "ext": (genl.SNR_EXT, struct.pack("=h", -150)),
        "csi": (genl.CSI, values.tobytes()), "mcs": (genl.MCS, b"\7"),
    }  # fmt: skip
    return [
        (kind, changed.get(name, value)) for name, (kind, value) in a.items() if changed.get(name, value) is not None
    ]


def event(attributes: list[tuple[int, bytes]]) -> bytes:
    return genl.message(33, genl.REPORT, 0, b"".join(genl.attribute(k, v) for k, v in attributes), 0)


def parsed(data: bytes) -> genl.Heard:
    ((kind, _, payload),) = genl.messages(data)
    command, a = genl.body_of(payload)
    assert (kind, command) == (33, genl.REPORT)
    return genl.report(a)


def test_a_report_is_read():
    heard = parsed(event(report_attributes()))
    assert (heard.phy, heard.ra, heard.count, heard.time_ns) == ("phy1", STATION, 9, 5 * S)
    f = heard.frame
    assert (f.snr_db, f.width_mhz, f.mcs, f.source) == ((20.5, -1.5), 20, 7, "02:00:00:00:00:01")
    assert np.array_equal(f.csi[0, 0], np.arange(0, 112, 2) + 1j * np.arange(1, 112, 2))
    r = measure.report_of(f, csi.Ask(), heard.time_ns)
    assert r is not None
    assert r.snr_db == pytest.approx(10 * np.log10((10**2.05 + 10**-0.15) / 2))
    assert parsed(event(report_attributes(ext=None, mcs=None, phy=None))).frame.snr_db == (20.5,)


@pytest.mark.parametrize(
    "lie",
    [
        {"csi": b"\0" * 220}, {"csi": b""}, {"n_sc": b"\0\0"}, {"n_tx": b"\0"}, {"n_rx": b"\5"}, {"time": b"\0" * 4}, {"ra": b"\0" * 5},
        {"ctrl": None}, {"width": struct.pack("=H", 30)}, {"bits": b"\1"}, {"n_sc": struct.pack("=H", 600), "csi": b"\0" * 2400},
    ],
)  # fmt: skip
def test_a_report_that_lies_is_refused(lie):
    with pytest.raises(genl.Malformed):
        parsed(event(report_attributes(**lie)))


@given(at=st.integers(0, 500), value=st.binary(min_size=1, max_size=4), cut=st.integers(0, 500))
@FUZZ
def test_damaged_messages_do_no_harm(at, value, cut):
    data = bytearray(event(report_attributes()))
    data[at % len(data) : at % len(data) + len(value)] = value
    with contextlib.suppress(genl.Malformed):
        for _, _, payload in genl.messages(bytes(data[: len(data) - cut % len(data)])):
            _, a = genl.body_of(payload)
            genl.report(a)


def test_what_is_handed_to_the_module():
    a = genl.attributes(genl.esnr_body(STATION, (100, -200, 300, 32767), 2500, 1234))
    assert a[1] == STATION
    assert struct.unpack("=4h", a[2]) == (100, -200, 300, 32767)
    assert (struct.unpack("=h", a[3]), struct.unpack("=I", a[4])) == ((2500,), (1234,))


@needs_netlink
def test_families_are_found_at_the_real_controller():
    family = genl.Family("nlctrl", "notify")
    family.found("")
    assert (family.id, family.joined) == (genl.CONTROL, genl.NOTIFY)
    # a module that goes and comes back with another number is followed
    body = genl.attribute(genl.FAMILY_NAME, b"nlctrl\0")
    list(family._sort(genl.message(genl.CONTROL, genl.DELFAMILY, 0, body)))
    assert (family.id, family.request(1, b"")) == (None, False)
    list(
        family._sort(
            genl.message(genl.CONTROL, genl.NEWFAMILY, 0, body + genl.attribute(genl.FAMILY_ID, struct.pack("=H", 77)))
        )
    )
    assert family.id == 77
    family.close()
    with pytest.raises(UserError, match="nobody has the family wavetank_none: load it"):
        genl.Family("wavetank_none").found("load it")


@needs_netlink
def test_what_the_kernel_refuses_is_counted():
    family = genl.Family("nlctrl")
    family.found("")
    assert family.request(200, b"")  # no such command
    until = time.monotonic() + LIMIT_S
    while not family.counts and time.monotonic() < until:
        list(family.read(16))
    assert family.counts == {f"refused: {os.strerror(errno.EOPNOTSUPP)}": 1}
    family.close()
