import errno
import os
from pathlib import Path

import pytest

from wavetank import UserError, files


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
