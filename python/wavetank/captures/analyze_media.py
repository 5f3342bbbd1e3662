"""A capture of several media: which there are, and what is to be known of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import enumerated
from .analyze_flent import Document

#: Where channels are counted from, and the first and the last frequency so, MHz.
CHANNELS = ((2407, 2412, 2472), (5000, 5005, 5895), (5950, 5955, 7115))
#: Media that a remark names; `--json` has all.
NAMED = 6


def media_of(document: Document) -> list[Document]:
    """A document a medium; of a file that has one medium, that itself."""
    shared = {k: v for k, v in document.items() if k not in ("media", "shared_channels")}
    return [
        {**shared, "report": m["report"], "medium": {k: v for k, v in m.items() if k != "report"}}
        for m in document.get("media", [])
    ] or [document]


def _channel(mhz: int) -> str:
    """A channel by its frequency. src: 802.11-2020 17.3.8.4.2, annex E; 802.11ax-2021 27.3.23.2"""
    if mhz == 2484:
        return f"channel 14 ({mhz} MHz)"
    base = next((b for b, first, last in CHANNELS if first <= mhz <= last), None)
    return f"{mhz} MHz" if base is None else f"channel {(mhz - base) // 5} ({mhz} MHz)"


def medium_name(medium: Mapping[str, Any]) -> str:
    """Which interface, on which channel."""
    name = f" ({medium['interface_name']})" if medium["interface_name"] else ""
    channel = _channel(medium["mhz"]) if medium["mhz"] else "channel not told"
    return f"interface {medium['interface']}{name}, {channel}"


def remarks(document: Document) -> list[str]:
    """What a file of several media is taken for."""
    media = document.get("media", [])
    if not media:
        return []
    named = [f"{medium_name(m)}: {m['report']['frames']['all']:,} frames" for m in media[:NAMED]]
    if len(media) > NAMED:
        named.append(f"and {len(media) - NAMED} more")
    out = [
        f"{len(media)} media are in it, for each channel of each interface is one ({'; '.join(named)}). Each is analysed by "
        "itself (--interface N: one interface alone; in JSON `media` has all, `report` is the first's)"
    ]
    for s in document["shared_channels"]:
        part = 100 * s["by_several"] / s["frames"] if s["frames"] else 0.0
        same = ". These are in the figures of each: they are the same transmissions, not to be added up"
        out.append(
            f"interfaces {enumerated(s['interfaces'])} listened together on {_channel(s['mhz'])}: of {s['frames']} data and "
            f"management frames {s['by_several']} ({part:.0f} %) came on more than one of them{same if s['by_several'] else ''}"
        )
    out += [
        f"interface {i} hops over channels: of each is told what was heard while it was there. Shares of the time, and goodput "
        "without ACKs, are of the seconds for which it was (`listened_s` in JSON); what was sent elsewhere meanwhile is missing"
        for i in sorted({m["interface"] for m in media if m["hops"]})
    ]
    if document["frames_of_media_beyond"]:
        out.append(f"{document['frames_of_media_beyond']} frames are of more media than are kept")
    return out
