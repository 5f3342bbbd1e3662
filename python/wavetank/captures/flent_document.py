"""A Flent data file's document: unpacked, parsed, of the shape that Flent writes; or what is wrong with the file, in words.

src: Flent 2.3's doc/data-format.rst, flent/resultset.py.
"""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import UserError, unreadable

EXPECTED = "a Flent data file (.flent.gz)"
#: Versions of Flent's format that are read. src: flent 2.3, flent/resultset.py, FILEFORMAT_VERSION and its predecessor
VERSIONS = (3, 4)
#: How compressed files begin. src: RFC 1952#2.3.1
GZIP = b"\x1f\x8b"


def document(path: Path) -> tuple[Mapping[str, Any], int]:
    """A file's document, and its size (bytes). Raises UserError."""
    try:
        raw = path.read_bytes()
    except OSError as e:
        raise unreadable(path, e, EXPECTED) from None
    try:
        return _shaped(_parsed(_unpacked(raw), raw[: len(GZIP)] == GZIP)), len(raw)
    except _Wrong as e:
        raise UserError(f"{path}: {e}, expected {EXPECTED}") from None


def computed(name: str) -> bool:
    """Whether a series is made of others."""
    return name.endswith((" avg", " sum", " totals", " fairness")) or "::airtime_fairness" in name or "_sum" in name


class _Wrong(Exception):
    """What is wrong with the file: the sentence behind its name."""


def _unpacked(raw: bytes) -> bytes:
    if not raw:
        raise _Wrong("is empty")
    if raw[: len(GZIP)] != GZIP:
        return raw
    try:
        return gzip.decompress(raw)
    except EOFError:
        raise _Wrong("ends within its compressed data: it was cut off") from None
    except (gzip.BadGzipFile, zlib.error):
        raise _Wrong("its compressed data are damaged") from None


def _parsed(text: bytes, packed: bool) -> Any:
    it_is = "what gzip packed is" if packed else "is"
    try:
        return json.loads(text)
    except UnicodeDecodeError:
        raise _Wrong(f"{it_is} {'no text' if packed else 'neither JSON nor compressed by gzip'}") from None
    except json.JSONDecodeError as e:
        if text.lstrip()[:1] not in (b"{", b"["):
            raise _Wrong(f"{it_is} no JSON") from None
        # Within a text that never ends the decoder points to where it began.
        if e.pos >= len(e.doc.rstrip()) or e.msg.startswith("Unterminated"):
            raise _Wrong("its JSON ends too early: it was cut off") from None
        raise _Wrong(f"its JSON is damaged at line {e.lineno}, column {e.colno}") from None
    except (ValueError, RecursionError):  # more digits, or brackets within each other, than are taken
        raise _Wrong(f"{it_is} no JSON of Flent's") from None


def _shaped(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, dict) or not isinstance(data.get("results"), dict) or "x_values" not in data:
        raise _Wrong("is JSON, but has no results and x_values")
    times = data["x_values"]
    if not isinstance(times, list) or not times:
        raise _Wrong("its x_values hold no times: nothing was measured")
    if wrong := [v for v in times if not _number(v)]:
        raise _Wrong(f"its x_values hold {json.dumps(wrong[0])[:40]}, which is no time")
    if data.get("version") not in VERSIONS:
        said = f"version {data['version']}" if "version" in data else "no version"
        raise _Wrong(f"has {said} of Flent's format, not 3 or 4")
    for name, series in data["results"].items():
        if computed(name):
            continue
        if not isinstance(series, list):
            raise _Wrong(f'its series "{name}" is no list of values')
        if len(series) != len(times):
            raise _Wrong(f'its series "{name}" has {len(series)} values for {len(times)} times')
        # Flent's own parsers leave lists and objects where a tool told more than a number; they are no samples.
        if wrong := [v for v in series if not (v is None or _number(v) or isinstance(v, (list, dict)))]:
            raise _Wrong(f'its series "{name}" holds {json.dumps(wrong[0])[:40]}, which is no number')
    return data


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
