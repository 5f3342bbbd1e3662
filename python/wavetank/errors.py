"""Errors that a person caused and can mend, and what broke down though nobody did anything wrong."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ._core import ScenarioError


class UserError(Exception):
    """Bad input. The text says where, what was expected, and the nearest valid name; the CLI exits with 2."""


class SettingError(ScenarioError):
    """A scenario is refused for what was set on top of its text: the message begins with the key, the CLI's with ``--set``."""


class Failed(RuntimeError):
    """What was to do the work broke down, though the input was right. The CLI exits with 1."""

    #: What the CLI says behind the text.
    advice = ""
    #: Whether what was done before may be kept: the CLI says what is.
    cut_off = False


def nearest(got: str, names: Iterable[str]) -> str | None:
    """The valid name nearest to ``got``, if any is near; capitals count for nothing."""
    small = {n.lower(): n for n in names}
    found = difflib.get_close_matches(got.lower(), list(small), n=1, cutoff=0.6)
    return small[found[0]] if found else None


#: So many names an error lists.
LISTED = 16


def unknown(what: str, got: str, names: Iterable[str], where: str = "", see: str = "") -> UserError:
    """``got`` is no such thing: the error says which there are, or which is near; ``see``: where all stand, if they are many."""
    names = sorted(names)
    near = nearest(got, names)
    place = f"{where}: " if where else ""
    hint = f'; did you mean "{near}"?' if near else ""
    some = ", ".join(names) if len(names) <= LISTED else f"one of {len(names)} names" + (f" ({see})" if see else "")
    return UserError(f'{place}unknown {what} "{got}", expected {some}{hint}')
