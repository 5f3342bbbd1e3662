"""The airtime timeline: who held the medium when, and what waited; as SVG for a page, as HTML to zoom into.

A lane a radio. In it, from left to right: AIFS and backoff, RTS and CTS, preamble, each MPDU, the response in its sender's lane.
Colours are Okabe and Ito's. Both pictures are made of the same document (see ``_core.run_watched``): times in it are ns from the
window's begin.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from .. import files
from ..errors import UserError

Document = Mapping[str, Any]

#: What is drawn, in which colour, and what the legend says.
COLOURS = {
    "data": ("#0072B2", "data MPDU"),
    "again": ("#56B4E9", "sent again"),
    "ack": ("#009E73", "TCP ACK or other small MPDU"),
    "bad": ("#D55E00", "MPDU not decoded"),
    "preamble": ("#2b3a4a", "preamble"),
    "response": ("#CC79A7", "Block Ack, ACK"),
    "control": ("#E69F00", "RTS, CTS, beacon"),
    "aifs": ("#c9c9c9", "AIFS"),
    "backoff": ("#e4e4e4", "backoff"),
    "collision": ("#f6d5c4", "collision"),
}
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
#: An MPDU that carries less than this is small: a TCP ACK, a ping.
SMALL = 200
#: More silent radios than this are counted, not named: their names would run out of the picture.
MOST_NAMED = 24
WIDTH, LEFT, RIGHT, LANE, TOP, DEPTH = 1400, 92, 24, 52, 64, 120
FONT = "font-family='Helvetica, Arial, sans-serif'"


def suffix(path: Path) -> str:
    """Which picture a file name asks for. Raises UserError."""
    if path.suffix.lower() in (".svg", ".html"):
        return path.suffix.lower()
    raise UserError(
        f'--timeline: {path}: unknown picture "{path.suffix}", expected a file name that ends in .svg or .html'
    )


def write(path: Path, document: Document, title: str) -> Path:
    """Writes the picture that the file's name asks for. Raises UserError."""
    return files.write_text(path, svg(document, title) if suffix(path) == ".svg" else html(document, title))


def lanes(document: Document) -> list[int]:
    """Numbers of the radios that took part, the access point first."""
    return sorted({e["from"] for e in document["entries"]} | {e["to"] for e in document["entries"]})


def silent(document: Document) -> str:
    """Which radios have no lane, in words: none of them sent, and nothing was sent to them."""
    radios = [
        n for i, n in enumerate(document["nodes"]) if i not in lanes(document) and (n == "ap" or n.startswith("sta"))
    ]
    if len(radios) > MOST_NAMED:
        return f"; silent: {len(radios)} other radios"
    return f"; silent: {', '.join(radios)}" if radios else ""


def kind_of(entry: Mapping[str, Any], mpdu: Sequence[int]) -> str:
    """The colour of an MPDU: (length, number, sent again, decoded, payload, flow)."""
    _, _, again, decoded, payload, _ = mpdu
    if not decoded or entry["collided"]:
        return "bad"
    if payload < SMALL:
        return "ack"
    return "again" if again else "data"


def parts(entry: Mapping[str, Any]) -> Iterator[tuple[int, float, float, str, str]]:
    """What is drawn of an exchange: lane, begin and length (ns), kind, what to say of it."""
    sender, receiver = entry["from"], entry["to"]
    if entry["rts"]:
        yield sender, *entry["rts"], "control", "RTS"
    if entry["cts"]:
        yield receiver, *entry["cts"], "control", "CTS"
    begin, length = entry["data"]
    if length:
        preamble = min(entry["preamble"], length)
        yield sender, begin, preamble, "preamble", f"preamble, {entry['rate']}"
        total = sum(m[0] for m in entry["mpdus"]) or 1
        at, room = begin + preamble, length - preamble
        for m in entry["mpdus"]:
            wide = room * m[0] / total
            again = ", sent again" if m[2] else ""
            lost = "" if m[3] else ", not decoded"
            yield sender, at, wide, kind_of(entry, m), f"MPDU {m[1]}, {m[0]} bytes{again}{lost}"
            at += wide
        if not entry["mpdus"]:
            what = "beacon" if entry["kind"] == "beacon" else "Block Ack request"
            yield sender, at, room, "bad" if entry["collided"] else "control", what
    if entry["response"]:
        begin, length, name = entry["response"]
        yield receiver, begin, length, "response" if entry["answered"] else "bad", name


def _step(span_ns: float, most: int = 14) -> float:
    """A round distance of ticks, ns."""
    step = 1.0
    while True:
        for k in (1, 2, 5):
            if span_ns / (step * k) <= most:
                return step * k
        step *= 10


def _rect(x: float, y: float, w: float, h: float, fill: str, extra: str = "") -> str:
    return f"<rect x='{x:.2f}' y='{y:.2f}' width='{max(w, 0.35):.2f}' height='{h:.2f}' fill='{fill}'{extra}/>"


def _text(
    x: float, y: float, text: str, size: float = 11, fill: str = "#333", anchor: str = "start", extra: str = ""
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' {FONT} font-size='{size}' fill='{fill}' text-anchor='{anchor}'{extra}>"
        f"{escape(text)}</text>"
    )


def _legend(y: float) -> list[str]:
    out, x = [], float(LEFT)
    for colour, text in COLOURS.values():
        out.append(_rect(x, y - 9, 11, 11, colour, " rx='1.5'"))
        out.append(_text(x + 15, y, text, 10.5, "#444"))
        x += 15 + 5.7 * len(text) + 18
    return out


def _exchange(
    e: Mapping[str, Any],
    names: Sequence[str],
    span: float,
    lane: Mapping[int, int],
    x: Callable[[float], float],
    bottom: float,
    layers: Mapping[str, list[str]],
) -> None:
    """Puts one exchange into the layers: collision's band, what is on the air, labels."""
    y = lane[e["from"]]
    aifs_end = min(e["idle"] + e["aifs"], e["start"])
    for a, b, kind in ((e["idle"], aifs_end, "aifs"), (aifs_end, e["start"], "backoff")):
        if b > max(a, 0):
            layers["air"].append(_rect(x(a), y + 15, x(b) - x(a), 8, COLOURS[kind][0]))
    if e["collided"]:
        end = max((b + w for _, b, w, _, _ in parts(e)), default=e["start"])
        band = _rect(x(e["start"]), TOP + 26, x(end) - x(e["start"]), bottom - TOP - 26, COLOURS["collision"][0])
        layers["bands"].append(band)
    for who, begin, length, kind, _ in parts(e):
        if begin + length < 0 or begin > span or who not in lane:
            continue
        left, right = x(begin), x(begin + length)
        tall = 30 if kind not in ("response", "control") else 24
        gap = 0.5 if right - left > 2.2 else 0.0
        layers["air"].append(_rect(left, lane[who] + 4 + (30 - tall) / 2, right - left - gap, tall, COLOURS[kind][0]))
    begin, length = e["data"]
    wide = x(begin + length) - x(begin)
    if length and wide > 9 and 0 <= begin <= span:
        if e["kind"] == "beacon":
            layers["labels"].append(_text(x(begin) + wide / 2, y + 1, "beacon", 9.5, "#444", "middle"))
            return
        count = len(e["mpdus"])
        bad = sum(1 for m in e["mpdus"] if not m[3])
        text = f"{count} → {names[e['to']]}" + (f", {bad} bad" if bad and not e["collided"] else "")
        if wide < 5.6 * len(text):
            text = str(count)
        layers["labels"].append(_text(x(begin) + wide / 2, y + 1, text, 9.5, "#444", "middle"))


def svg(document: Document, title: str) -> str:
    """The picture as SVG."""
    span = (document["to_s"] - document["from_s"]) * 1e9
    radios = lanes(document)
    names = document["nodes"]
    lane = {n: TOP + 34 + i * LANE for i, n in enumerate(radios)}
    bottom = TOP + 34 + max(1, len(radios)) * LANE
    depth_top = bottom + 40
    height = depth_top + DEPTH + 44
    wide = WIDTH - LEFT - RIGHT

    def x(ns: float) -> float:
        return float(LEFT + min(max(ns, 0.0), span) / span * wide)

    shown: list[str] = []
    layers: dict[str, list[str]] = {"bands": [], "air": [], "labels": []}
    for e in document["entries"]:
        if e["start"] <= span:
            _exchange(e, names, span, lane, x, bottom, layers)
    for i, n in enumerate(radios):
        y = lane[n]
        if i % 2:
            shown.append(_rect(LEFT, y - 9, wide, LANE, "#fafafa"))
        shown.append(f"<line x1='{LEFT}' x2='{WIDTH - RIGHT}' y1='{y + 19}' y2='{y + 19}' stroke='#eee'/>")
        shown.append(_text(LEFT - 10, y + 23, names[n], 12, "#222", "end", " font-weight='bold'"))
    axis = list(_axis(document, span, x, bottom, depth_top + DEPTH))
    depths = list(_depths(document, span, x, depth_top, radios))
    from_s, to_s = document["from_s"], document["to_s"]
    head = [
        _text(LEFT, 24, title, 16, "#111", extra=" font-weight='bold'"),
        _text(
            LEFT,
            42,
            f"the air from {from_s:.6f} to {to_s:.6f} s of the run; a number is an A-MPDU's MPDUs{silent(document)}",
            11,
            "#666",
        ),
        *_legend(64),
    ]
    if document["cut"]:
        head.append(_text(WIDTH - RIGHT, 24, "the window is too long: not all is shown", 11, "#D55E00", "end"))
    if not document["entries"]:
        head.append(_text(WIDTH / 2, bottom - 20, "nothing was on the air", 13, "#666", "middle"))
    body = "\n".join([*shown, *layers["bands"], *axis, *layers["air"], *layers["labels"], *depths, *head])
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' height='{height}'>\n"
        f"<rect width='{WIDTH}' height='{height}' fill='white'/>\n{body}\n</svg>\n"
    )


def _begin(seconds: float) -> str:
    """A window's begin to the ns, without zeros behind the ms: what the axis counts from."""
    whole, _, part = f"{seconds:.9f}".partition(".")
    return f"{whole}.{part[:3]}{part[3:].rstrip('0')}"


def _axis(document: Document, span: float, x: Any, bottom: float, end: float) -> Iterator[str]:
    step = _step(span)
    k = 0
    while k * step <= span * (1 + 1e-9):
        at = x(k * step)
        yield f"<line x1='{at:.1f}' x2='{at:.1f}' y1='{TOP + 26}' y2='{end}' stroke='#ededed'/>"
        text = f"{k * step / 1e6:g} ms" if k else f"{_begin(document['from_s'])} s +"
        over = at + 3.3 * len(text) > WIDTH  # half of its length, and where the picture ends
        yield _text(WIDTH - 2 if over else at, bottom + 14, text, 10.5, "#666", "end" if over else "middle")
        k += 1


def _depths(document: Document, span: float, x: Any, top: float, radios: Sequence[int]) -> Iterator[str]:
    """Packets that wait at each radio: the line all, dotted those in driver and hardware."""
    most = max((a + d for _, at in document["depths"] for a, d in at), default=0)
    scale = _step(most or 1, 4)
    ceiling = scale * max(1, -(-(most or 1) // scale))
    y = {n: top + DEPTH * (1 - n / ceiling) for n in _ticks(scale, ceiling)}
    for n, at in y.items():
        yield f"<line x1='{LEFT}' x2='{WIDTH - RIGHT}' y1='{at:.1f}' y2='{at:.1f}' stroke='#ededed'/>"
        yield _text(LEFT - 8, at + 4, f"{n:g}", 10.5, "#666", "end")
    yield _text(LEFT, top - 8, "packets that wait to be sent (line: all; dotted: in driver and hardware)", 11, "#444")
    last = {n: max((a[n][0] + a[n][1] for _, a in document["depths"]), default=0) for n in radios}
    some = [n for n in sorted(radios, key=lambda n: -last[n]) if last[n] > 0]
    drawn, legend = some[: len(LINES)], WIDTH - RIGHT
    if len(some) > len(drawn):
        more = f"and {len(some) - len(drawn)} with less"
        yield _text(legend, top - 8, more, 11, "#444", "end")
        legend -= 6 * len(more) + 14
    for i, n in reversed(list(enumerate(drawn))):
        colour = LINES[i]
        points = [(max(t, 0), a[n][0] + a[n][1], a[n][1]) for t, a in document["depths"] if t <= span]
        if not points:
            continue
        points.append((span, points[-1][1], points[-1][2]))

        def path(column: int, points: list[tuple[float, int, int]] = points) -> str:
            out, before = [], None
            for p in points:
                at, v = x(p[0]), top + DEPTH * (1 - p[column] / ceiling)
                if before is not None:
                    out.append(f"{at:.2f},{before:.2f}")
                out.append(f"{at:.2f},{v:.2f}")
                before = v
            return " ".join(out)

        yield f"<polyline points='{path(2)}' fill='none' stroke='{colour}' stroke-width='1' stroke-dasharray='1.5 2.5'/>"
        yield f"<polyline points='{path(1)}' fill='none' stroke='{colour}' stroke-width='1.5'/>"
    for i, n in reversed(list(enumerate(drawn))):
        name = document["nodes"][n]
        yield _text(legend, top - 8, name, 11, LINES[i], "end", " font-weight='bold'")
        legend -= 7 * len(name) + 14


def _ticks(step: float, to: float) -> list[float]:
    return [i * step for i in range(round(to / step) + 1)]


def html(document: Document, title: str) -> str:
    """The picture as one HTML file that needs nothing else."""
    template = (Path(__file__).parent.parent / "data" / "timeline.html").read_text(encoding="utf-8")
    drawn = {
        **document,
        "title": title,
        "lanes": lanes(document),
        "colours": COLOURS,
        "lines": LINES,
        "small": SMALL,
        "silent": silent(document),
        "begin": _begin(document["from_s"]),
    }
    # In a script element "</" would end it.
    data = json.dumps(files.plain(drawn), separators=(",", ":")).replace("</", "<\\/")
    return template.replace("{{title}}", escape(title)).replace("{{data}}", data)
