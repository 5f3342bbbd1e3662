"""Captures and Flent files, explained: aggregates, retries, losses, rates, airtime, goodput, round trips.

A document is what ``_core.analyze`` says of a capture, or ``_core.run_watched`` of a run's air: ``file`` (what was read, and
where it ended if it is damaged), ``origin`` (ours: scenario, seed, names), ``report``. Where a capture has several media (each
channel of each interface is one), ``media`` are all of them, each with its ``report``, and the document's is the first's. A Flent
file gives a document of the same form, with what Flent measures: goodput, pings, and airtime and mean aggregates where it
recorded the radio's statistics.
"""

from __future__ import annotations

import gzip
import json
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core, stats
from ..errors import UserError, unreadable
from . import analyze_flent, analyze_media
from .analyze_flent import Document
from .analyze_media import media_of, medium_name

#: What a capture of Simple Packet Blocks is.
NO_TIMES = "its frames have no times (pcapng's Simple Packet Blocks)"
EXPECTED = "a capture in monitor mode (pcap, pcapng, also .gz; link type radiotap) or a Flent file (.flent.gz)"
#: The first bytes of what can be analysed.
MAGICS = {
    b"\x0a\x0d\x0d\x0a": "pcapng",
    b"\xd4\xc3\xb2\xa1": "pcap",
    b"\xa1\xb2\xc3\xd4": "pcap",
    b"\x4d\x3c\xb2\xa1": "pcap",
    b"\xa1\xb2\x3c\x4d": "pcap",
}


def _head(path: Path) -> tuple[bytes, bool]:
    """The first four bytes of a file, or of what gzip made it from; and whether gzip did."""
    if path.exists() and not path.is_file():  # of a pipe, nobody would see these bytes again
        what = "a folder" if path.is_dir() else "no regular file (a pipe has to be saved first)"
        raise UserError(f"{path}: is {what}, expected {EXPECTED}")
    with path.open("rb") as f:
        head = f.read(4)
    if head[:2] != b"\x1f\x8b":
        return head, False
    try:
        with gzip.open(path, "rb") as f:
            return f.read(4), True
    except (EOFError, zlib.error) as e:
        raise UserError(f"{path}: is compressed by gzip, and damaged ({e}), expected {EXPECTED}") from None


def load(
    path: Path, window: tuple[float, float] | None = None, whole: bool = False, interface: int | None = None
) -> Document:
    """Analyses a file. ``window``: seconds of the capture's own clock; ``whole``: all of ours, not the judging window;
    ``interface``: of a capture that interface's frames alone, by its number (Wireshark's ``frame.interface_id``).

    Raises UserError.
    """
    start = time.perf_counter()
    try:
        head, packed = _head(path)
        if not head:
            raise UserError(f"{path}: is empty, expected {EXPECTED}")
        if head in MAGICS:
            document = _capture(path, window, whole, interface)
        elif head[:1] == b"{":
            if window is not None:
                raise UserError(f"{path}: is a Flent file; --window goes with captures")
            if interface is not None:
                raise UserError(f"{path}: is a Flent file; --interface goes with captures")
            document = analyze_flent.load(path, whole)
        else:
            of_gzip = "holds neither, compressed by gzip" if packed else "is neither"
            raise UserError(f"{path}: {of_gzip}, expected {EXPECTED}")
    except _core.CaptureError as e:
        raise UserError(str(e)) from None
    except OSError as e:
        raise unreadable(path, e, EXPECTED) from None
    document["path"] = str(path)
    document["wall_s"] = time.perf_counter() - start
    return document


def _capture(path: Path, window: tuple[float, float] | None, whole: bool, interface: int | None) -> Document:
    """Analyses a capture; all of it where the run's judging window, which nobody asked for, holds no frame of it."""
    document: Document = json.loads(_core.analyze(str(path), window, whole, interface))
    span = document["report"]["span_s"]
    untimed = "untimed" in document["report"]["frames"]
    if document["report"]["frames"]["all"] or (span is None and not untimed):
        return document
    if window is not None and span is None:
        raise UserError(f"{path}: {NO_TIMES}, so --window has none of them; expected a capture of frames with times")
    if window is not None:
        raise UserError(
            f"{path}: --window {_seconds(window[0])}:{_seconds(window[1])} holds no frame, "
            f"expected seconds within the capture's {_span(span)} s"
        )
    judged = document["origin"]["window_s"]
    document = json.loads(_core.analyze(str(path), None, True, interface))
    document["window_missed_s"] = judged
    return document


def _seconds(x: float) -> str:
    return f"{x:.6f}".rstrip("0").rstrip(".")


def _span(span: Sequence[float]) -> str:
    return f"{_seconds(span[0])} to {_seconds(span[1])}"


def ampdu_of(station: Mapping[str, Any]) -> dict[str, Any]:
    """Mean, p50, p90 and share of single frames of a transmitter's or link's PPDUs; what is not known is None."""
    if "ampdu_hist" in station:
        return dict(stats.ampdu(np.array(station["ampdu_hist"] or [0.0], dtype=np.float64)))
    return {"mean": station.get("ampdu_mean"), "p50": None, "p90": None, "single_fraction": None}


def back_to_back_of(station: Mapping[str, Any]) -> float | None:
    """Mean PPDUs in a row with nobody else's between."""
    runs = station.get("back_to_back", [])
    n = sum(runs)
    return sum(k * c for k, c in enumerate(runs)) / n if n else None


def _counted(document: Document) -> list[str]:
    """What of the file is counted, where a reader may take it for something else."""
    report = document["report"]
    if document.get("window_missed_s"):
        judged, span = _span(document["window_missed_s"]), report["span_s"]
        has = f"the capture {_span(span)} s" if span else "no frame has a time"
        return [f"the run's window is {judged} s, {has}: all frames are counted"]
    if document.get("judged_s"):
        return [f"counted is the run's judging window, {_span(document['judged_s'])} s (--all: all of the file)"]
    if "judged_s" in document:
        flows = _span(report["window_s"])
        if document["whole"]:
            return [f"counted is all of the file, {flows} s, the time without flows with it"]
        return [
            f"no judging window is known: counted is the flows' time, {flows} s, their start with it (--all: all of the file)"
        ]
    return []


#: How Wireshark shows what is within encrypted frames: ours were deciphered by the card (docs/captures.md), and have no key.
OURS_SHOWN = "their payload is in the clear; `tshark -o 'wlan.ignore_wep:Yes - with IV'` shows it"
OTHERS_SHOWN = "Wireshark decrypts with the key; `tshark -o wlan.enable_decryption:TRUE`"


def _amsdus(document: Document) -> list[str]:
    """What of A-MSDUs cannot be read, and what that means for the tables."""
    info, frames, out = document["file"], document["report"]["frames"], []
    cut, traces = frames["amsdus_cut"], "link_traces" in document
    if cut:
        why = "the capture keeps too little of each frame; all with --snaplen 0, or tcpdump's -s 0"
        out.append(
            f"of {cut} of {frames['amsdus']} A-MSDUs not all MSDUs can be read "
            f"({why if info and info['snapped'] else 'they are damaged'}): {frames['amsdu_msdus']} MSDUs are read, "
            f"{frames['amsdu_bytes_unread'] / 1e6:.1f} MB are not. UDP's goodput, pings, round trips, retransmissions, and "
            "TCP's goodput where no ACK was seen, are of what is read"
            + ("; in links' traces the rest of each A-MSDU is one packet" if traces else "")
        )
    if traces and frames["encrypted"] and frames["amsdus"]:
        out.append("an encrypted A-MSDU is one packet in links' traces")
    return out


def _cut(frames: Mapping[str, Any]) -> list[str]:
    """What cannot be told, for the capture does not have frames' headers."""
    out, more = [], "the capture keeps too little of each frame: --snaplen 256, or tcpdump's -s 256, has all headers"
    if frames["headers_cut"]:
        out.append(
            f"{frames['headers_cut']} of {frames['data']} data frames are cut before the end of their TCP header (or UDP's, an "
            f"echo's; {more}): flows, goodput, retransmissions, round trips and pings cannot be told from them. Flows that they "
            "may belong to have no figures, or are not there"
        )
    if frames["options_cut"]:
        out.append(
            f"{frames['options_cut']} of {frames['data']} data frames are cut before the end of their TCP header, within its "
            f"options ({more}): round trips cannot be told from them, and their flows have none"
        )
    return out


def _unknown(report: Mapping[str, Any]) -> list[str]:
    """MPDUs of which nobody can say whether they were lost, and why."""
    frames, n = report["frames"], sum(link["unknown"] for link in report["links"])
    why = []
    if frames["block_acks_cut"]:
        why.append(
            f"{frames['block_acks_cut']} Block Acks are cut, for the capture keeps too little of each frame (--snaplen 256, or "
            "tcpdump's -s 256, has them)"
        )
    if frames["block_acks_unread"]:
        why.append(f"{frames['block_acks_unread']} Block Acks are of a kind that is not read here, or damaged")
    if frames["no_ack"]:
        why.append(f"{frames['no_ack']} data frames ask for no ACK (No Ack policy, or one for PSMP and triggers)")
    if not n or not why:
        return why
    return [
        f"of {n} MPDUs it cannot be told whether they were lost, and no share of lost ones counts them: {'; '.join(why)}"
    ]


def _read(info: Mapping[str, Any]) -> list[str]:
    """What of a file was not read."""
    out = []
    if info["damage"]:
        stood = f"what stood before it was read ({info['packets']} packets)"
        out.append(f"damaged: {info['damage']}; {stood if info['packets'] else 'nothing stood before it'}")
    if info["unreadable"]:
        out.append(f"{info['unreadable']} packets are no 802.11 frames behind radiotap headers and were passed over")
    if info["other_links"]:
        out.append(f"{info['other_links']} packets are of interfaces with another link type and were passed over")
    return out


def _beyond(report: Mapping[str, Any]) -> list[str]:
    """What is of more flows and stations than are kept."""
    out = []
    if report.get("packets_of_flows_beyond"):
        out.append(f"{report['packets_of_flows_beyond']} packets belong to more flows than are kept")
    if report.get("frames_of_stations_beyond"):
        out.append(
            f"{report['frames_of_stations_beyond']} data frames are of more transmitters than are kept: they are in no table, "
            "and their airtime counts as idle"
        )
    return out


def _impossible(report: Mapping[str, Any]) -> list[str]:
    """Airtimes that nothing can have. A per cent is what exchanges at the window's ends and whole microseconds make."""
    if (report["busy_fraction"] or 0) <= 1.01:
        return []
    return [
        f"airtimes add up to {100 * report['busy_fraction']:.0f} % of the time: either PPDUs were not told from one another "
        "(no A-MPDU status, coarse times), or the frames are of several channels or monitors that the file does not tell apart"
    ]


def remarks(document: Document) -> list[str]:
    """What a reader must know before trusting the numbers: of the file, and of each of its media."""
    media = media_of(document)
    of = [(f"{medium_name(d['medium'])}: " if len(media) > 1 else "", d) for d in media]
    return remarks_on_file(document) + [name + text for name, d in of for text in remarks_on_medium(d)]


def remarks_on_file(document: Document) -> list[str]:
    """What is to be known of the file as a whole."""
    info = document["file"]
    return [*(_read(info) if info else []), *_counted(document), *analyze_media.remarks(document)]


def remarks_on_medium(document: Document) -> list[str]:
    """What is to be known of a medium's figures (one of :func:`media_of`)."""
    report, out = document["report"], list[str]()
    frames = report.get("frames")
    if frames:
        if frames["all"] == 0:
            out.append("there is no frame in it")
        if "untimed" in frames:
            out.append(
                f"{frames['untimed']} frames have no time (pcapng's Simple Packet Blocks): "
                + (
                    "shares of the time, goodput, round trips and pings cannot be told, nor whether PPDUs collided; aggregates, "
                    "losses and airtime are told by the frames' order and lengths"
                    if report["busy_fraction"] is None
                    else "they are in no window, and not counted"
                )
            )
        if frames["time_goes_back"]:
            n = frames["time_goes_back"]
            out.append(
                f"times go back {'once' if n == 1 else f'{n} times'}: frames are not in the order of time, and goodput, "
                "retransmissions, round trips, losses and aggregates are wrong (Wireshark's `reordercap` sorts a file)"
            )
        if frames["encrypted"] and not frames["ip"]:
            shown = OURS_SHOWN if document.get("origin") else OTHERS_SHOWN
            out.append(f"all {frames['encrypted']} data frames are encrypted: no TCP can be seen in them ({shown})")
        elif frames["encrypted"]:
            out.append(
                f"{frames['encrypted']} of {frames['data']} data frames are encrypted: no TCP can be seen in these"
            )
        out += _cut(frames)
        out += _amsdus(document)
        if frames["data"] and not frames["ampdu_status"]:
            out.append("no frame has an A-MPDU status: aggregates are guessed from time stamps, or there are none")
        if frames["data"] and not frames["responses"]:
            out.append(
                "no ACK or Block Ack is in it: what was lost cannot be told, and airtime assumes that each PPDU was answered"
            )
        out += _unknown(report)
        if frames["without_rate"]:
            out.append(f"{frames['without_rate']} frames have no rate that is known here: their airtime is missing")
        if frames["multi_user"]:
            out.append(
                f"{frames['multi_user']} frames are of PPDUs for or from several stations (HE MU, HE TB): their airtime, "
                "and what of them was lost unanswered, is missing"
            )
        out += _impossible(report)
    return out + _beyond(report)


def _report(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report, and the figures that are made of it."""
    out = dict(report)
    for key in ("stations", "links"):
        out[key] = [
            {**s, "ampdu": ampdu_of(s), "mean_back_to_back": back_to_back_of(s) if key == "stations" else None}
            for s in report[key]
        ]
    return out


def json_of(document: Document) -> dict[str, Any]:
    """What ``--json`` prints: the document, and the figures that are made of it."""
    out = {**document, "report": _report(document["report"]), "remarks": remarks(document)}
    if "media" in document:
        out["media"] = [
            {**d["medium"], "report": _report(d["report"]), "remarks": remarks_on_medium(d)} for d in media_of(document)
        ]
    return out


def who(document: Document, end: str) -> str:
    """A flow's end (address, address:port) with its node's name, if the capture is one of ours."""
    origin = document["origin"] or {}
    nodes: list[str] = origin.get("nodes", [])
    address, colon, port = end.partition(":")
    own: list[str] = origin.get("addresses", [])
    if address in own:
        return nodes[own.index(address)] + colon + port
    parts = address.split(".")
    if nodes and len(parts) == 4 and parts[:2] == ["10", "0"]:
        number = int(parts[2]) * 256 + int(parts[3]) - 1
        if number < len(nodes):
            return nodes[number] + colon + port
    return end


def route(document: Document, flow: Mapping[str, Any]) -> str:
    """From where to where a flow goes."""
    return who(document, flow["src"]) + (f" → {who(document, flow['dst'])}" if flow["dst"] else "")


def _frames(report: Mapping[str, Any]) -> str:
    """How many frames there are, in which time."""
    n, window = report["frames"]["all"], report["window_s"]
    if n and "untimed" in report["frames"]:
        return f"{n:,} frames"
    return f"{n:,} frames in {window[1] - window[0]:.3f} s" if window and n else "no frames"


def medium_heading(document: Document) -> str:
    """One line on one of several media."""
    medium, report = document["medium"], document["report"]
    seconds = medium["listened_s"] if medium["hops"] else None
    listened = "" if seconds is None else f", listened for {seconds:.3f} s"
    busy = report["busy_fraction"]
    share = "" if busy is None else f"; {100 * busy:.1f} % of the time busy"
    return f"{medium_name(medium)}: {_frames(report)}{listened}{share}"


def _size(octets: int) -> str:
    """Of a file: a Flent file has some kilobytes."""
    return f"{octets / 1e6:.1f} MB" if octets >= 1e5 else f"{octets / 1e3:.3g} kB"


def stem(path: Path) -> str:
    """What the figure and the numbers of a file are called."""
    return path.name.removesuffix(".gz")


def heading(document: Document) -> str:
    """One line on what was read."""
    info, report, origin = document["file"], document["report"], document["origin"]
    parts = [document.get("path", "")]
    if origin:
        parts.append(f"wavetank {origin['wavetank']}: {origin['scenario']}, seed {origin['seed']}, {origin['view']}")
    if document.get("title"):
        parts.append(f"{document['test']}: {document['title']}")
    media = document.get("media")
    if media:
        parts.append(f"{sum(m['report']['frames']['all'] for m in media):,} frames of {len(media)} media")
    elif report.get("frames"):
        parts += [*([medium_name(document["medium"])] if "medium" in document else []), _frames(report)]
    if info and "wall_s" in document:
        speed = info["bytes"] / 1e6 / document["wall_s"] if document.get("wall_s") else 0
        parts.append(
            f"{info['format']}, {_size(info['bytes'])}" + (f" at {speed:.0f} MB/s" if info["bytes"] > 1e7 else "")
        )
    return "; ".join(p for p in parts if p)
