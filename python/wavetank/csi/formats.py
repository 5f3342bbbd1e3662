"""The formats there are, and which one a file is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import unknown
from . import atheros, esp32, intel, nexmon, pcap, picoscenes
from .frame import Frame
from .reader import Reader

HEAD = 1 << 12  # bytes that detection looks at


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what it is called, what it is, whether a file that begins so is one, and how it is read."""

    title: str
    looks: Callable[[bytes, int], bool]
    frames: Callable[[Reader], Iterator[Frame]]


# In the order in which they are tried: those with a magic number first.
FORMATS = {
    "nexmon": Format(
        "nexmon_csi (pcap)", lambda head, _: head[:4] in pcap.MAGICS or head[:4] == pcap.NG, nexmon.frames
    ),
    "picoscenes": Format("PicoScenes", picoscenes.looks, picoscenes.frames),
    "esp32": Format("ESP32-CSI-Tool (CSV)", esp32.looks, esp32.frames),
    "intel": Format("Linux 802.11n CSI Tool, Intel 5300", intel.looks, intel.frames),
    "atheros": Format("Atheros CSI Tool", atheros.looks, atheros.frames),
}

#: How compressed files begin.
PACKED = {"gzip": b"\x1f\x8b", "xz": b"\xfd7zXZ\0", "zstd": b"\x28\xb5\x2f\xfd", "bzip2": b"BZh", "zip": b"PK\3\4"}


def detect(r: Reader) -> str:
    """The name of the format that the file begins like."""
    head = r.peek(HEAD)
    for name, form in FORMATS.items():
        if form.looks(head, r.size):
            return name
    packed = next((n for n, magic in PACKED.items() if head.startswith(magic)), "")
    if packed:
        raise r.bad(f"it is compressed ({packed}), expected the log as it was written", 0)
    what = f"it begins with {head[:8].hex()}" if head else "it is empty"
    titles = ", ".join(f"{n} ({f.title})" for n, f in FORMATS.items())
    raise r.bad(f"not a CSI log of a known format: {what}; expected one of {titles}", 0)


def opened(r: Reader, form: str | None) -> tuple[str, Iterator[Frame]]:
    """The format's name and the channel states of an open log."""
    if form is not None and form not in FORMATS:
        raise unknown("format", form, FORMATS, "--format")
    name = form or detect(r)
    return name, FORMATS[name].frames(r)


def frames(path: Path | str, form: str | None = None) -> Iterator[Frame]:
    """The channel states of a log, in order.

    ``form`` is a name of FORMATS, by default the one that the file begins like.

    Raises ``BadLog`` where the log is not what it says, ``UserError`` where it cannot be read.
    """
    with Reader(path) as r:
        yield from opened(r, form)[1]
