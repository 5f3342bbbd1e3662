"""Standard output under its name: what cannot be written to it (a full disk, ``/dev/full``) is an error that says where."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

NAME = "standard output"


class _Named:
    """A stream; its errors have its name, as those of files that were opened have."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """As the stream's own."""
        with _named():
            return self._stream.write(text)

    def flush(self) -> None:
        """As the stream's own."""
        with _named():
            self._stream.flush()


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except OSError as e:
        e.filename = NAME
        raise


@contextmanager
def named() -> Iterator[None]:
    """Meanwhile standard output has its name."""
    own = sys.stdout
    sys.stdout = _Named(own)
    try:
        yield
    finally:
        sys.stdout = own
