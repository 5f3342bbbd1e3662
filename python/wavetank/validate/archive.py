"""A reference that is a ZIP file: its members of one ending, by name."""

from __future__ import annotations

import zipfile
import zlib
from lzma import LZMAError
from pathlib import Path

from ..errors import UserError, unreadable

#: What a member that is cut, encrypted or packed by something else makes zipfile raise.
_BROKEN = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, RuntimeError)


def members(path: Path, ending: str, what: str) -> dict[str, bytes]:
    """What is in each member. ``what`` is expected there ("a ZIP file of ..."). Raises UserError for what is no such file."""
    try:
        with zipfile.ZipFile(path) as z:
            return {name: _member(path, z, name, what) for name in sorted(z.namelist()) if name.endswith(ending)}
    except OSError as e:
        raise unreadable(path, e, what) from None
    except zipfile.BadZipFile:
        raise UserError(f"{path}: is no ZIP file, expected {what}") from None


def _member(path: Path, z: zipfile.ZipFile, name: str, what: str) -> bytes:
    try:
        return z.read(name)
    except _BROKEN as e:
        raise UserError(f"{path / name}: is broken ({e}), expected {what}") from None
