"""What TCP/HACK's header compression makes of a capture's TCP ACKs: the core's counts, and their tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from ..errors import UserError, unreadable

if TYPE_CHECKING:
    from rich.table import Table

Document = dict[str, Any]
EXPECTED = "a pcap or pcapng capture"


def compress(path: Path) -> Document:
    """Runs the codec over a capture: ``file`` (what was read) and ``acks`` (what became of them). Raises UserError."""
    if path.exists() and not path.is_file():
        raise UserError(f"{path}: is no regular file, expected {EXPECTED}")
    try:
        document: Document = json.loads(_core.compress_acks(str(path)))
    except _core.CaptureError as e:
        raise UserError(str(e)) from None
    except OSError as e:
        raise unreadable(path, e, EXPECTED) from None
    document["path"] = str(path)
    return document


def ratio(document: Document) -> float | None:
    """Bytes before over bytes after, of all pure ACKs."""
    a = document["acks"]
    return a["bytes_before"] / a["bytes_after"] if a["bytes_after"] else None


def json_of(document: Document) -> Document:
    """For ``--json``: the document, with its ratio."""
    return {**document, "ratio": ratio(document)}


def heading(document: Document) -> str:
    """What it is, in a line."""
    a, f = document["acks"], document["file"]
    return (
        f"{document['path']}: {f['format']}, {f['packets']:,} packets, {a['tcp']:,} TCP segments, {a['acks']:,} pure ACKs "
        f"of {a['flows']:,} flows from {a['stations']:,} addresses"
    )


def notes(document: Document) -> Iterator[str]:
    """What one should know to read the tables."""
    a, f = document["acks"], document["file"]
    if a["completed"]:
        yield f"{a['completed']:,} ACKs were captured before the card completed their checksum; it is completed here"
    if a["native"].get("cut by the capture"):
        yield "ACKs are cut by the capture: 110 bytes of each Ethernet packet are enough, 160 of 802.11 with radiotap"
    if f["unreadable"]:
        yield f"{f['unreadable']:,} packets could not be read"
    if not a["acks"]:
        yield "no pure TCP ACK in it (of encrypted Wi-Fi nothing can be read)"


def tables(document: Document) -> Iterator[Table]:
    """What became of the ACKs; their sizes."""
    from rich.table import Table

    a = document["acks"]
    if not a["acks"]:
        return
    fate = Table(header_style="bold", pad_edge=False)
    for column in ("pure ACKs", "count", "share", "bytes before", "bytes after", "ratio"):
        fate.add_column(column, justify="left" if column == "pure ACKs" else "right")

    def row(name: str, count: int, before: int | None = None, after: int | None = None) -> None:
        sizes = ("", "", "")
        if before is not None and after:
            sizes = (f"{before:,}", f"{after:,}", f"{before / after:.2f}")
        fate.add_row(name, f"{count:,}", f"{100 * count / a['acks']:.2f} %", *sizes)

    row("compressed and restored", a["compressed"], a["ride_bytes_before"], a["ride_bytes_after"])
    for why, count in sorted(a["native"].items(), key=lambda x: -x[1]):
        row(f"native: {why}", count)
    row("not restored", a["failed"])
    row("all", a["acks"], a["bytes_before"], a["bytes_after"])
    yield fate
    for title, sizes in (("compressed", a["sizes"]), ("before", a["sizes_before"])):
        if sizes:
            yield _sizes(title, {int(k): v for k, v in sizes.items()})


def _sizes(title: str, sizes: dict[int, int]) -> Table:
    from rich.table import Table

    table = Table(title=f"bytes of an ACK, {title}", title_justify="left", header_style="bold", pad_edge=False)
    for column in ("bytes", "count", "share", "up to here"):
        table.add_column(column, justify="right")
    total, reached = sum(sizes.values()), 0
    for size, count in sorted(sizes.items()):
        reached += count
        table.add_row(str(size), f"{count:,}", f"{100 * count / total:.2f} %", f"{100 * reached / total:.2f} %")
    return table
