import errno
import io
import json
import os
import sys
from pathlib import Path

import pytest

from wavetank import UserError, files
from wavetank.cli import output


def full(path):
    """As a disk that is full fails within a write: without a name."""
    path.touch()
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_has_the_files_name(tmp_path):
    with pytest.raises(OSError, match="No space") as e:
        files.write(tmp_path / "a.csv", full)
    assert (e.value.errno, e.value.filename) == (errno.ENOSPC, str(tmp_path / "a.csv"))
    with pytest.raises(OSError, match="No space") as e, files.folder(tmp_path / "run") as folder:
        full(folder / "summary.json")
    assert e.value.filename == str(tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_in_the_systems_words(monkeypatch, tmp_path, wavetank):
    def by_arrow(path):
        path.touch()
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28] No space left on device")

    with pytest.raises(OSError, match="No space") as e:
        files.write(tmp_path / "a.parquet", by_arrow)
    assert e.value.strerror == os.strerror(errno.ENOSPC)
    monkeypatch.setattr(files, "write_text", lambda path, text: files.write(path, full))
    code, _, err = wavetank("run", "cotsq-ath9k", "--set", "time.flows=3 s", "--timeline", tmp_path / "t.svg")
    assert (code, err) == (2, f"error: {tmp_path}/t.svg: cannot be written (No space left on device)\n")


def test_the_name_is_the_one_that_was_asked_for(tmp_path):
    def within(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    with pytest.raises(PermissionError) as e:
        files.write(tmp_path / "a.csv", within)
    assert e.value.filename == str(tmp_path / "a.csv")
    with pytest.raises(PermissionError) as e, files.folder(tmp_path / "run") as folder:
        within(folder / "samples.parquet")
    assert e.value.filename == str(tmp_path / "run" / "samples.parquet")
    with pytest.raises(PermissionError) as e, files.folder(tmp_path / "run") as folder:
        within("/elsewhere")
    assert e.value.filename == "/elsewhere"


def test_an_error_without_a_number_keeps_its_words(tmp_path):
    def torn(path):
        raise OSError("the stream is torn")

    with pytest.raises(OSError, match="the stream is torn") as e:
        files.write(tmp_path / "a.csv", torn)
    assert (e.value.strerror, e.value.filename) == ("the stream is torn", str(tmp_path / "a.csv"))


def test_files_of_one_name_are_told_apart():
    def apart(*paths):
        return files.apart([Path(p) for p in paths], lambda p: p.name.split(".")[0])

    assert apart("a/m.pcap", "b/n.pcap") == ["m", "n"]
    assert apart("a/m.pcap", "b/m.pcap", "b/n.pcap") == ["a-m", "b-m", "n"]
    assert apart("a/m.pcap", "a/m.pcapng") == ["m.pcap", "m.pcapng"]
    assert apart("/x/a/m.pcap", "/y/a/m.pcap", "/m.pcap") == ["x-a-m", "y-a-m", "m"]
    assert apart("/x/a/m.pcap", "/y/m.pcap", "/y/a-m.pcap") == ["x-a-m", "y-m", "a-m"], (
        "nor is a name that is there taken"
    )
    with pytest.raises(UserError, match="stands twice"):
        apart("a/m.pcap", "a/m.pcap")
    with pytest.raises(UserError, match="do not tell it apart"):
        apart("/a-b/m.pcap", "/a/b/m.pcap", "/c/b/m.pcap")


def test_names_need_not_be_utf8(tmp_path, monkeypatch, canvases, wavetank):
    """Latin-1's of older systems: they ended in Python's own words, behind a run that was done."""
    monkeypatch.chdir(tmp_path)
    sys.stderr.reconfigure(errors="backslashreplace")  # as Python's own, which pytest's is not
    odd = os.fsdecode(b"b\xe9d")
    times = 'time = { lead_in = "0 s", flows = "100 ms", tail = "0 s", warmup = "0 s" }'
    Path(f"{odd}.toml").write_text(f'name = "s"\ntopology.kind = "wifi"\n{times}\n')
    assert wavetank("run", odd, "--out", f"{odd}-run", "--pcap")[0] == 0
    assert {"samples.parquet", "monitor.pcapng"} <= {p.name for p in Path(f"{odd}-run").iterdir()}
    Path(f"{odd}-run", "monitor.pcapng").rename(f"{odd}.pcapng")
    assert wavetank("analyze", f"{odd}.pcapng", "--out", "figures")[0] == 0
    assert json.loads(Path("figures", f"{odd}.pcapng.json").read_text())["path"] == f"{odd}.pcapng"
    assert len(canvases) == 1
    for words in (
        ("run", "nosuch"),
        ("run", odd, "--set", f"name={odd}"),
        ("run", odd, "--set", f"{odd}=1"),
        ("explain", odd),
    ):
        code, _, err = wavetank(*words)
        assert (code, err[:7]) == (2, "error: ")
    code, _, err = wavetank("sweep", odd, f"tcp.cc={odd}")
    assert code == 2 and err.startswith("error: axis tcp.cc: ")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_need_not_have_every_sign(encoding, monkeypatch):
    """Tables with a dash, an arrow or a plus-minus ended in Python's own words there."""
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    with output.named():
        print('\u2013 \u2192 2 \u00b1 1 {"\u0101": "\U0001d11e"}')
        print(os.fsdecode(b"b\xe9d"))
    out.flush()
    text = out.buffer.getvalue().decode(encoding).splitlines()
    assert text[0].startswith("- -> 2 ")
    assert json.loads(text[0][text[0].index("{") :]) == {"\u0101": "\U0001d11e"}
    assert text[1] == "b\\udce9d"
