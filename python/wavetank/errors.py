"""Errors that a person caused and can mend, and what broke down though nobody did anything wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable
from numbers import Integral
from pathlib import Path

from . import _core
from .refused import ScenarioError, UserError, WavetankError

__all__ = [
    "Failed",
    "ScenarioError",
    "SettingError",
    "UserError",
    "WavetankError",
    "nearest",
    "printable",
    "shortened",
    "unknown",
    "unreadable",
    "whole",
]


class SettingError(ScenarioError):
    """A scenario is refused for what was set on top of its text: the message begins with the key, the CLI's with ``--set``."""


class Failed(WavetankError, RuntimeError):
    """What was to do the work broke down, though the input was right. The CLI exits with 1."""

    #: What the CLI says behind the text.
    advice = ""
    #: Whether what was done before may be kept: the CLI says what is.
    cut_off = False


def printable(given: object) -> str:
    """As text that UTF-8 can have: a file's name may have bytes that are none, which Python keeps as halves of characters."""
    return str(given).encode(errors="backslashreplace").decode()


#: So many characters of what is given a message repeats.
TOLD = 200


def shortened(given: object) -> str:
    """What is given, as far as a message has room for it."""
    text = printable(given)
    return text if len(text) <= TOLD else f"{text[:TOLD]}..."


def whole(what: str, given: object, expected: str = "a whole number") -> int:
    """The whole number that is given; numpy's and pandas' are some, too, and True is none. Raises UserError."""
    if isinstance(given, bool) or not isinstance(given, Integral):
        raise UserError(f"{what}: {given!r}, expected {expected}")
    return int(given)


def nearest(got: str, names: Iterable[str]) -> str | None:
    """The valid name nearest to ``got``, if any is near, as the core's own messages have it; capitals count for nothing."""
    return _core.nearest(printable(got), [printable(n) for n in names])


#: How an address of the network begins; a letter alone is a drive's.
ADDRESS = r"[a-z][a-z0-9+.-]+:/"


def unreadable(path: object, e: Exception, expected: str) -> UserError:
    """A file that is there or not, but cannot be read as ``expected`` ("a CSV file of ..."): why, without Python's own words,
    and which file of that kind is called nearly so."""
    if isinstance(e, UnicodeDecodeError):
        if e.object.startswith((b"\xff\xfe", b"\xfe\xff")):  # as an editor or a shell of Windows saves it
            return UserError(f"{path}: is UTF-16, expected {expected} in UTF-8 (iconv -f UTF-16 -t UTF-8 makes it one)")
        return UserError(f"{path}: is not UTF-8 text, expected {expected}")
    if isinstance(e, FileNotFoundError) and re.match(ADDRESS, str(path)):
        address = re.sub(r":/(?!/)", "://", str(path), count=1)  # a path has lost one of them
        return UserError(f"{address}: is an address, expected {expected}: a file, which `curl -O {address}` fetches")
    why = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
    near = _beside(Path(str(path))) if isinstance(e, FileNotFoundError) else None
    hint = f'; did you mean "{printable(near)}"?' if near else ""
    return UserError(f"{path}: cannot be read ({why}), expected {expected}{hint}")


def _beside(path: Path) -> Path | None:
    """The file in the same folder whose name is nearest, if one is near: of the same ending, or called so but for its ending."""

    def like(p: Path) -> bool:
        return p.suffix == path.suffix or p.name.partition(".")[0] == path.name.partition(".")[0]

    try:
        there = [p.name for p in path.parent.iterdir() if like(p) and p.is_file()]
    except OSError:
        return None
    near = nearest(path.name, there)
    return path.with_name(near) if near else None


def enumerated(words: Iterable[object]) -> str:
    """0, 1 and 2."""
    *most, last = map(str, words)
    return f"{', '.join(most)} and {last}" if most else last


def _as_people_count(name: str) -> list[tuple[str, int]]:
    """How names are sorted that end in a number: sta2 before sta10."""
    return [(word, int(number or 0)) for word, number in re.findall(r"([^0-9]+|^)([0-9]*)", name)]


#: So many names an error lists.
LISTED = 16


def unknown(
    what: str, got: str, names: Iterable[str], where: str = "", see: str = "", meant: str | None = None
) -> UserError:
    """``got`` is no such thing: the error says which there are, or which is near (``meant``, where it is known); ``see``: where
    all stand, if they are many."""
    names = sorted(names, key=_as_people_count)
    near = meant or nearest(got, names)
    place = f"{where}: " if where else ""
    hint = f'; did you mean "{near}"?' if near else ""
    some = ", ".join(names) if len(names) <= LISTED else f"one of {len(names)} names" + (f" ({see})" if see else "")
    return UserError(f'{place}unknown {what} "{got}", expected {some}{hint}')
