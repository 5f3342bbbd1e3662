"""CSI logs: what is written is read; what lies is one error with its offset, and is never read past its end."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import csi_logs as write
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wavetank import UserError, cli, csi
from wavetank.csi import formats, frame, log, plots, reader

FUZZ = settings(max_examples=1000 if os.environ.get("WAVETANK_CI") else 40, deadline=None, derandomize=True)


def read(data: bytes, form: str | None = None) -> list[csi.Frame]:
    return list(formats.opened(reader.Reader(data), form)[1])


def logs() -> dict[str, bytes]:
    """A sound log of each format, of several records."""
    int16 = lambda seed: np.random.default_rng(seed).integers(-2000, 2000, 512).astype("<i2").tobytes()  # noqa: E731
    word = write.broadcom_float(-100, 77, 3, 9, 5)
    return {
        "intel": b"".join(write.intel(write.random_csi(i, 3, 2, 30, 100), stamp=i * 1000) for i in range(4)),
        "atheros": b"".join(write.atheros(write.random_csi(i, 2, 1, 56, 400), stamp=i * 1000) for i in range(4)),
        "atheros-be": b"".join(
            write.atheros(write.random_csi(i, 1, 1, 114, 400), ">", stamp=i * 1000) for i in range(4)
        ),
        "nexmon": write.pcap([write.nexmon(int16(i)) for i in range(4)]),
        "nexmon-4358": write.pcap([write.nexmon(struct.pack("<I", word) * 64, 0xDEAD, None)] * 3, ">", nano=True),
        "picoscenes": b"".join(
            write.picoscenes(0x5300, 30, 1, 2, write.intel(write.random_csi(i, 2, 1, 30, 100))[23:], 1 + i, stamp=i)
            for i in range(4)
        ),
        "esp32": b"boot: hello\n"
        + b"".join(write.esp32(write.random_csi(i, 1, 1, 64, 100)[0, 0], stamp=i * 1000) for i in range(4)),
    }


@pytest.mark.parametrize(("rx", "tx"), [(1, 1), (2, 1), (3, 1), (3, 3)])
def test_intel(rx, tx):
    data = write.random_csi(1, rx, tx, 30, 128)
    selection = {1: 0, 2: 0b0001, 3: 0b010010}[rx]  # 2: swapped; 3: 2, 0, 1
    order = {1: [0], 2: [1, 0], 3: [2, 0, 1]}[rx]
    one, two = read(write.intel(data, 4294967000, selection=selection) + write.intel(data, 704, rate=0x4900 | 7))
    assert np.array_equal(one.csi[order], data)
    assert (one.width_mhz, two.width_mhz) == (20, 40)
    assert two.time_s - one.time_s == pytest.approx(0.001)  # the clock wrapped: 1000 us
    assert list(one.subcarriers[[0, 14, 15, 29]]) == [-28, -1, 1, 28]
    assert list(two.subcarriers[[0, 14, 15, 29]]) == [-58, -2, 2, 58]
    # by hand: RSSI 40 - 44 - 30 = -34 dBm; noise -92; quantisation: 1/30 of the sum of squares is one unit's power times antennas
    quantisation = 10**-3.4 / ((np.abs(data) ** 2).sum() / 30) * rx * tx
    assert one.snr_db[0] == pytest.approx(-34 - 10 * np.log10(10**-9.2 + quantisation))


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(("rx", "tx", "tones", "pad"), [(1, 1, 56, 0), (3, 3, 56, 2), (1, 1, 114, 0), (2, 3, 114, 3)])
def test_atheros(order, rx, tx, tones, pad):
    data = write.random_csi(2, rx, tx, tones, 512)
    one, two = read(write.atheros(data, order, 5, pad=pad) + write.atheros(data, order, 2_000_005, rssi=128))
    assert np.array_equal(one.csi, data)
    assert np.array_equal(two.csi, data)
    assert (one.snr_db, two.snr_db) == ((40.0,), ())
    assert two.time_s - one.time_s == pytest.approx(2)
    assert len(one.subcarriers) == tones
    assert read(write.atheros(data, order) + write.atheros(data, order, error=1))[1:] == []


def test_atheros_by_hand():
    """The receive antenna runs first: what csi(nr_idx, nc_idx, k) is in the tool's matlab/read_csi.c."""
    numbered = sum(n << 20 * n for n in range(4 * 56))  # the n-th imaginary part is n, no real ones
    empty = write.atheros(np.zeros((2, 2, 56), complex), ">")
    (one,) = read(empty.replace(bytes(560), numbered.to_bytes(560, "little")))
    assert one.csi[:, :, 0].tolist() == [[0j, 2j], [1j, 3j]]
    assert one.csi[:, :, 55].tolist() == [[220j, 222j], [221j, 223j]]


def test_a_log_of_zeros_says_so(tmp_path):
    path = tmp_path / "zeros.dat"
    path.write_bytes(write.atheros(np.zeros((2, 2, 56), complex), ">") * 3)
    with pytest.raises(UserError, match=r"all values of receive antenna 0 and transmit antenna 0 are 0, in 3 frames"):
        log.load(path)


@pytest.mark.parametrize(("order", "nano"), [("<", False), (">", True)])
def test_nexmon(order, nano):
    values = np.arange(256) + 1j * -np.arange(256)
    words = np.column_stack([values.real, values.imag]).astype("<i2").tobytes()
    other = write.nexmon(b"\0" * 300, port=53)  # somebody else's packet
    one, two = read(
        write.pcap([other, write.nexmon(words, rssi=-61, place=0b10_001), write.nexmon(words + b"\0" * 4)], order, nano)
    )
    # bins 134 to 254 are the carriers -122 to -2, bins 2 to 122 those above the middle
    assert np.array_equal(one.csi[0, 0], np.concatenate([values[134:255], values[2:123]]))
    assert (one.rssi_dbm, one.chain, one.width_mhz, one.source) == (-61.0, (1, 2), 80, "02:00:00:00:00:01")
    assert two.time_s - one.time_s == pytest.approx(0.001)
    assert read(write.pcap([write.nexmon(words, rssi=None)]))[0].rssi_dbm is None


@pytest.mark.parametrize(("chip", "m", "e"), [(0xDEAD, 9, 5), (0x006A, 12, 6)])
def test_broadcom_floats(chip, m, e):
    values = [(0, 0, 0), (1, -1, 0), (-5, 3, -4), (200, 199, 7), (-255, 255, 15)] + [(7, 7, 0)] * 59
    words = b"".join(struct.pack("<I", write.broadcom_float(*v, m, e)) for v in values)
    (one,) = read(write.pcap([write.nexmon(words, chip)]))
    assert [complex(x) for x in one.csi[0, 0, 28:32]] == [
        1 - 1j,
        (-5 + 3j) / 16,
        (200 + 199j) * 128,
        (-255 + 255j) * 32768,
    ]


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_picoscenes(version):
    intel, qca, flat = (
        write.random_csi(4, 3, 2, 30, 128),
        write.random_csi(5, 3, 2, 114, 512),
        write.random_csi(6, 1, 1, 52, 99),
    )
    packed = write.Bits()
    for i in range(114):
        for k in range(2):
            for j in range(3):
                packed.put(int(qca[j, k, i].imag), 10)
                packed.put(int(qca[j, k, i].real), 10)
    usrp = (
        np.arange(-26, 26).astype("<i2").tobytes()
        + b"BBv2\1"
        + struct.pack("<Q", 52)
        + b"CD\x40C"
        + flat.astype("<c16").tobytes()
    )
    data = write.picoscenes(0x5300, 30, 2, 3, write.intel(intel)[23:], version, stamp=2_000_000)
    data += write.picoscenes(0x9300, 114, 2, 3, packed.bytes(1710), version, width=40)
    data += write.picoscenes(0x1234, 52, 1, 1, usrp, version, 0, 0)
    one, two, three = read(data)
    assert np.array_equal(one.csi, intel)
    assert np.array_equal(two.csi, qca)
    assert np.array_equal(three.csi, flat)
    assert (one.snr_db, one.rssi_dbm, one.time_s, one.mcs, three.snr_db) == ((40.0,), -55.0, 2.0, 5, ())
    assert (list(three.subcarriers[:2]), two.width_mhz) == ([-26, -25], 40)
    with pytest.raises(csi.BadLog, match="device 2000"):
        read(data + write.picoscenes(0x2000, 52, 1, 1, usrp, version))


def test_esp32():
    bins = np.arange(64) + 1j * (64 - np.arange(64))
    alone, above = read(
        write.esp32(bins, 5) + b"I (123) wifi: noise\n" + write.esp32(bins, 1_000_005, secondary=1, length=384)[:-1]
    )
    assert np.array_equal(alone.csi[0, 0], np.concatenate([bins[38:], bins[1:27]]))
    assert np.array_equal(above.csi[0, 0], np.concatenate([bins[6:32], bins[33:59]]))
    assert (alone.snr_db, alone.source) == ((45.0,), "aa:bb:cc:00:11:22")
    assert above.time_s - alone.time_s == pytest.approx(1)


@pytest.mark.parametrize("name", logs())
def test_every_cut_is_one_error_or_a_whole_number_of_records(name):
    data = logs()[name]
    whole = read(data)
    for cut in range(len(data)):
        part = data[:cut]
        try:
            got = read(part, name.partition("-")[0])
        except csi.BadLog as e:
            assert 0 <= e.offset <= cut
            assert f"at byte {e.offset}" in str(e)
        else:
            assert len(got) < len(whole) or (name == "esp32" and cut == len(data) - 1)


@pytest.mark.parametrize("name", logs())
@given(data=st.data())
@FUZZ
def test_damaged_bytes_do_no_harm(name, data):
    """Any bytes changed, cut out or put in: frames or a BadLog, never anything else; and nothing but finite numbers."""
    sound = bytearray(logs()[name])
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(sound) - 1))
        match data.draw(st.sampled_from(["change", "cut", "insert"])):
            case "change":
                sound[at] = data.draw(st.integers(0, 255))
            case "cut":
                del sound[at : at + data.draw(st.integers(1, 40))]
            case _:
                sound[at:at] = data.draw(st.binary(min_size=1, max_size=40))
        if not sound:
            return
    within(bytes(sound), name.partition("-")[0])


@pytest.mark.parametrize("form", csi.FORMATS)
@given(noise=st.binary(max_size=400))
@FUZZ
def test_noise_does_no_harm(form, noise):
    within(noise, form)
    within(noise, None)


@given(head=st.sampled_from(sorted(logs())), length=st.integers(0, 65535), fill=st.integers(0, 255))
@FUZZ
def test_lying_lengths(head, length, fill):
    """A record that says any length, followed by 600 bytes of anything."""
    start = logs()[head][:24] if "nexmon" in head else b""
    order = ">" if head in ("intel", "atheros-be") else "<"
    within(start + struct.pack(order + "H", length) + b"\xbb" + bytes([fill]) * 600, head.partition("-")[0])


def within(data: bytes, form: str | None) -> None:
    r = reader.Reader(data)
    try:
        for f in formats.opened(r, form)[1]:
            assert r.at <= len(data)
            assert f.csi.size > 0
            assert np.isfinite(f.csi).all()
            assert f.csi.shape[2] == len(f.subcarriers)
            assert all(np.isfinite(f.snr_db))
            assert np.isfinite(f.time_s)
    except csi.BadLog as e:
        assert 0 <= e.offset <= len(data)


@pytest.mark.parametrize(
    ("data", "text", "offset"),
    [
        (b"", "it is empty", 0),
        (b"\x1f\x8b\x08\0", "it is compressed (gzip), expected the log as it was written", 0),
        (b"Hello, world, this is text", "not a CSI log of a known format", 0),
        (logs()["intel"] + struct.pack("<HB", 393, 0xBB) + b"\0" * 392, "its bytes look swapped", 4 * 395),
        (logs()["intel"] + b"\0\0\xbb", "a record of length 0", 4 * 395),
        (write.intel(write.random_csi(1, 3, 2, 30, 9), tail=b"1"), "a matrix of 372 bytes in a record of 373", 0),
        (logs()["atheros"] + logs()["atheros-be"], "", 4 * (27 + 280 + 20)),
        (logs()["nexmon"][:-3], "cut short: a packet needs 1084", None),
        (b"\x0a\x0d\x0d\x0a" + b"\0" * 30, "expected a classic pcap", 0),
        (write.pcap([], link=127), "link type 127", 20),
        (write.pcap([write.nexmon(b"\0" * 256, chip=0x4321)]), "chip version 4321", 24),
        (write.pcap([write.nexmon(b"\0" * 240)]), "60 bins", 24),
        (write.esp32([1] * 64) + write.esp32([1] * 64)[:100], "cut short", len(write.esp32([1] * 64))),
        (write.esp32([200] * 64), "each a signed byte", 0),
        (
            logs()["picoscenes"] + b"\7\0\0\0\x15\3\x15\x20\2\0\1",
            "version 2; expected 20150315, version 1",
            len(logs()["picoscenes"]),
        ),
        (logs()["picoscenes"].replace(b"CSI\1\0", b"CSI\x09\0"), "segment CSI of version 9", 0),
    ],
)
def test_what_lies_is_told_with_its_offset(data, text, offset):
    with pytest.raises(csi.BadLog) as e:
        read(data)
    assert text in str(e.value)
    assert offset is None or e.value.offset == offset


@pytest.mark.usefixtures("canvases")
def test_a_damaged_log_shows_what_stood_before(tmp_path, capsys):
    path = tmp_path / "cut.dat"
    path.write_bytes(logs()["intel"][:-7])
    code, out, err = call(capsys, "csi", path, "--out", tmp_path / "a.png")
    assert (code, "3 channel states" in out) == (2, True)
    assert err.count("error:") == 1
    assert f"{path}: at byte 1185: a record of 393 bytes where the file has 386 more" in err
    code, out, err = call(capsys, "csi", path, "--out", tmp_path / "a.png", "--json")
    assert (code, json.loads(out)["frames"]) == (2, 3)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["missing.dat"], "No such file"),
        (["."], "is a folder"),
        (["log.dat", "--format", "intl"], 'did you mean "intel"'),
        (["log.dat", "--format", "esp32"], "no channel state in a log of ESP32-CSI-Tool"),
        (["log.dat", "--rx", "3"], "its matrices (receive x transmit x sub-carriers) are 3 x 2 x 30"),
        (["log.dat", "--carriers", "60:70"], "the log has -28 to 28"),
        (["log.dat", "--carriers", "x"], "expected two sub-carriers"),
        (["log.dat", "--out", "csi.txt"], "csi.txt: expected a file name that ends in .png, .pdf, .svg"),
        (["log.dat", "--out", "x.jpg"], "x.jpg: expected a file name that ends in .png"),
    ],
)
def test_bad_arguments(tmp_path, capsys, monkeypatch, arguments, text):
    monkeypatch.chdir(tmp_path)
    Path("log.dat").write_bytes(logs()["intel"])
    code, _, err = call(capsys, "csi", *arguments)
    assert code == 2
    assert text in err and err.count("error: ") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["log.dat"]


@pytest.mark.parametrize("option", ["--snr", "--noise", "--weight"])
def test_not_a_number_is_none(capsys, option):
    code, _, err = call(capsys, "csi", "log.dat", option, "nan")
    assert (code, "nan is not in the range" in err) == (2, True)


def test_a_path_may_be_text(tmp_path):
    path = tmp_path / "log.dat"
    path.write_bytes(logs()["atheros"])
    assert log.load(str(path)).frames == log.load(path).frames == 4
    with pytest.raises(UserError, match="expected a CSI log"):
        log.load("/nowhere")


def test_csi_prints_and_draws(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "log.dat"
    path.write_bytes(logs()["atheros"])
    code, out, _ = call(capsys, "csi", path, "--rx", 1, "--out", tmp_path / "a.png")
    assert code == 0
    assert "eSNR, 64-QAM" in out
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert call(capsys, "csi", path, "--out", tmp_path / "a.svg")[0] == 0
    assert (tmp_path / "a.svg").read_bytes()[:5] == b"<?xml"
    code, out, _ = call(capsys, "csi", path, "--rx", 1, "--json")
    seen = json.loads(out)
    assert (seen["frames"], seen["used"], seen["format"], len(seen["power_db"]["mean"])) == (4, 4, "atheros", 56)
    assert (tmp_path / "csi-log.png").exists()


def test_the_pairs_share_the_power(tmp_path):
    """Two antennas, one with four times the other's power: 1/5 and 4/5 of the SNR."""
    path = tmp_path / "log.dat"
    flat = np.ones((2, 1, 30)) * np.array([[[40]], [[80]]]) * (1 + 0j)
    path.write_bytes(write.intel(flat, selection=0b000100) * 3)
    weak, strong = (log.load(path, None, log.Ask(rx=i)) for i in (0, 1))
    total = next(csi.frames(path)).snr_db[0]
    assert weak.snr_db[0] == pytest.approx(total + 10 * np.log10(1 / 5))
    assert strong.snr_db[0] == pytest.approx(total + 10 * np.log10(4 / 5))
    # a flat channel's effective SNR is its SNR
    assert weak.esnr_db[0] == pytest.approx([weak.smoothed_db[0]] * 4, abs=0.01)


@pytest.mark.usefixtures("canvases")
def test_without_noise_and_without_rssi(tmp_path):
    path = tmp_path / "log.pcap"
    path.write_bytes(logs()["nexmon"])
    seen = log.load(path)
    assert seen.snr_db[0] == pytest.approx(-60 + 174 - 10 * np.log10(80e6) - 7)
    assert "no noise" in seen.notes[0]
    assert log.load(path, None, log.Ask(noise_dbm=-90)).snr_db[0] == 30
    path.write_bytes(logs()["nexmon-4358"])
    seen = log.load(path)
    assert np.isnan(seen.esnr_db).all()
    assert "neither SNR nor RSSI" in seen.notes[0]
    assert log.load(path, None, log.Ask(snr_db=20)).esnr_db[0] == pytest.approx([20] * 4, abs=0.01)
    assert plots.save(seen, tmp_path / "a.png").exists()


def test_smoothing():
    s = log.Smooth(1 / 8)
    assert [s(8), s(16), s(9)] == [8, 9, 9]


def test_rows_stay_few():
    rows = log.Rows()
    for i in range(10_000):
        rows.put(i, np.array([i]))
    kept = [int(at) for at, _ in rows.kept]
    assert len(kept) <= log.ROWS
    assert kept == list(range(0, 10_000, 8))


def test_rows_are_kept_without_what_they_are_of():
    rows = log.Rows()
    for row in np.zeros((10, 114)):
        rows.put(0.0, row)
    assert all(row.base is None for _, row in rows.kept)


def test_used_carriers():
    assert [len(frame.used(w)) for w in (20, 40, 80, 160)] == [56, 114, 242, 484]


def test_a_pipe_is_refused_politely(tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match="expected a CSI log"):
        list(csi.frames(tmp_path / "pipe"))


def call(capsys, *arguments) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as e:
        cli.main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return e.value.code, out, err
