"""Modules of one's own: the folders that ``linux.modules`` names, each an ordinary out-of-tree module of the kernel."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError

#: What stands between two modules. A parameter that is an array has commas without a blank.
BETWEEN = ", "
#: Which file says what a folder makes, as kbuild looks for it. src: linux@6.12 scripts/Makefile.build
MAKES = ("Kbuild", "Makefile")
#: What a build leaves beside the sources (linux/uml.py ``own_module`` leaves them out, too).
BUILT = (".o", ".ko", ".mod", ".mod.c", ".cmd", ".symvers", ".order")


@dataclass(frozen=True)
class Module:
    """A folder, and the parameters that its module is loaded with, ``NAME=VALUE`` each."""

    folder: Path
    parameters: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """As ``linux/run`` takes it."""
        return [str(self.folder.resolve()), *self.parameters]

    def digest(self) -> str:
        """Of its sources, wherever the folder is."""
        h = hashlib.sha256()
        for path in sorted(_sources(self.folder)):
            h.update(str(path.relative_to(self.folder)).encode() + b"\0" + path.read_bytes() + b"\0")
        return h.hexdigest()[:16]


def read(text: str, base: Path) -> tuple[Module, ...]:
    """The modules of a value of ``linux.modules``, their folders relative to ``base``. Raises UserError."""
    return () if text == "off" else tuple(_one(part, base) for part in text.split(BETWEEN))


def _one(text: str, base: Path) -> Module:
    words = text.split(" ")
    first = len(words)
    while first > 1 and re.match(r"\w+=|$", words[first - 1]):  # what is no parameter is of a folder with blanks
        first -= 1
    folder = base / Path(" ".join(words[:first])).expanduser()
    if not folder.is_dir():
        raise UserError(
            f"linux.modules: {folder}: there is no such folder, expected one with a module's sources and its Kbuild or Makefile"
        )
    if not any((folder / name).is_file() for name in MAKES):
        raise UserError(
            f"linux.modules: {folder}: has no Kbuild or Makefile, which says what module it makes (obj-m := NAME.o)"
        )
    return Module(folder, tuple(word for word in words[first:] if word))


def _sources(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name.endswith(BUILT):
            continue
        if path.is_dir():
            yield from _sources(path)
        elif path.is_file():
            yield path
