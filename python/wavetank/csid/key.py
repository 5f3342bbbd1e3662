"""The key that an access point and its stations share: 32 random bytes in a file that only its owner reads."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ..errors import UserError

SIZE = 32


def new_key(path: Path) -> None:
    """Makes a key file; one that is there stays."""
    if path.is_dir():
        raise UserError(f"{path}: is a folder, expected the name of a file for the key, such as {path / 'csid.key'}")
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UserError(f"{path}: is there already; a key is not written over") from None
    except OSError as e:
        raise UserError(f"{path}: cannot be written ({e.strerror})") from None
    with os.fdopen(fd, "w", encoding="ascii") as f:
        f.write(secrets.token_hex(SIZE) + "\n")


def read_key(path: Path) -> bytes:
    """The key in a file; refused if others could read it, as ssh does."""
    if path.is_dir():
        raise UserError(
            f"{path}: is a folder, expected the file of a key; `wavetank csid key {path / 'csid.key'}` makes one"
        )
    try:
        with path.open("rb") as f:
            mode = os.fstat(f.fileno()).st_mode
            text = f.read(2 * SIZE + 3)
    except OSError as e:
        makes = f"; `wavetank csid key {path}` makes a key" if isinstance(e, FileNotFoundError) else ""
        raise UserError(f"{path}: cannot be read ({e.strerror}){makes}") from None
    if mode & 0o077:
        raise UserError(
            f"{path}: others than its owner can read it ({mode & 0o777:03o}), expected 600: chmod 600 {path}"
        )
    try:
        key = bytes.fromhex(text.decode("ascii").strip())
    except ValueError:
        key = b""
    if len(key) != SIZE:
        raise UserError(f"{path}: is no key, expected {2 * SIZE} hexadecimal digits, as `wavetank csid key` makes")
    return key
