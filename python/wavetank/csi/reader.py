"""A log's bytes, taken in order and never past their end; and what is wrong with a log, with its offset."""

from __future__ import annotations

import io
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from .. import files
from ..errors import UserError, unreadable


class BadLog(UserError):
    """A log that is not what it says.

    The text has the file, the offset in bytes, what was expected and what stood there.
    """

    def __init__(self, name: str, offset: int, text: str) -> None:
        super().__init__(f"{name}: at byte {offset}: {text}")
        self.name, self.offset, self.text = name, offset, text


class Reader:
    """Reads forward; ``take`` either gives all that was asked for or raises ``BadLog``."""

    def __init__(self, source: Path | str | bytes, name: str | None = None) -> None:
        self.at = 0
        if isinstance(source, bytes):
            self._file: BinaryIO = io.BytesIO(source)
            self.size, self.name = len(source), name or "bytes"
        else:
            path = files.place(source, "a CSI log")
            self.name = name or str(path)
            try:
                if path.exists() and not path.is_file():
                    what = "a folder" if path.is_dir() else "no regular file"
                    raise UserError(f"{path}: is {what}, expected a CSI log")
                self._file = path.open("rb")
                # A log that grows is read as far as it was when it was opened.
                self.size = self._file.seek(0, os.SEEK_END)
                self._file.seek(0)
            except OSError as e:
                raise unreadable(path, e, "a CSI log") from None

    def __enter__(self) -> Reader:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the file."""
        self._file.close()

    @property
    def left(self) -> int:
        """Bytes up to the end."""
        return self.size - self.at

    def take(self, count: int, what: str) -> bytes:
        """The next ``count`` bytes, which are ``what``."""
        if count > self.left:
            raise self.bad(f"cut short: {what} needs {count} bytes, the file has {self.left} more")
        got = self._file.read(count)
        if len(got) != count:  # it shrank while it was read
            raise self.bad(f"cut short: {what} needs {count} bytes, {len(got)} could be read")
        self.at += count
        return got

    def peek(self, count: int) -> bytes:
        """Up to ``count`` bytes, without going on."""
        got = self._file.read(min(count, self.left))
        self._file.seek(self.at)
        return got

    def back_to(self, offset: int) -> None:
        """Goes to an offset that was passed before."""
        self._file.seek(offset)
        self.at = offset

    def bad(self, text: str, offset: int | None = None) -> BadLog:
        """The error to raise, at ``offset`` or here."""
        return BadLog(self.name, self.at if offset is None else offset, text)
