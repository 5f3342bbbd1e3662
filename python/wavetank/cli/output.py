"""Standard output and error under their names: what cannot be written to them (a full disk, ``/dev/full``) is an error that says
where; who read them and left (``| head -1``) ends the command."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

NAME = "standard output"


class Left(Exception):
    """Nobody reads what is printed any more. No OSError: click and rich answer those with codes of their own."""


#: What stands for signs of our tables that a terminal's encoding has not.
PLAIN = {"\u2013": "-", "\u2192": "->", "\u00b1": "+-", "\u00d7": "x", "\u2026": "..."}


def _in(encoding: str, character: str) -> str:
    """The character, if the encoding has it; else what stands for it, or an escape, which JSON reads back."""
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return PLAIN.get(character) or json.dumps(character)[1:-1]
    return character


class _Named:
    """A stream; its errors have its name, as those of files that were opened have."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self._stream = stream
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """As the stream's own."""
        with self._errors():
            try:
                return self._stream.write(text)
            except UnicodeEncodeError as e:
                return self._stream.write("".join(_in(e.encoding, c) for c in text))

    def flush(self) -> None:
        """As the stream's own."""
        with self._errors():
            self._stream.flush()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self.give_up()
            raise Left from None
        except OSError as e:
            e.filename = self._name
            raise

    def give_up(self) -> None:
        """What is left of it, which Python writes as it ends, goes nowhere."""
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


@contextmanager
def named() -> Iterator[None]:
    """Meanwhile standard output and error have their names, where they are not closed."""
    own = sys.stdout, sys.stderr
    its: dict[object, _Named] = {}
    if sys.stdout is not None:
        sys.stdout = its[NAME] = _Named(sys.stdout, NAME)
    if sys.stderr is not None:
        sys.stderr = its["standard error"] = _Named(sys.stderr, "standard error")
    try:
        yield
    except OSError as e:
        if e.filename in its:
            its[e.filename].give_up()
        raise
    finally:
        sys.stdout, sys.stderr = own
