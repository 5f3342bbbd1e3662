"""The files beside a page, as links that hold wherever the folder goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from .. import files

#: A page's name: a folder that is opened in a browser shows it.
PAGE = "index.html"


@dataclass(frozen=True)
class Link:
    """A file, or a folder within which there are several."""

    name: str
    href: str
    count: int


def beside(written: Sequence[Path], folder: Path) -> list[Link]:
    """A link a file but for the page itself; of folders within one, with how many files it has."""
    found = files.summed_up(written, folder)
    return [Link(name, _href(name), n) for name, n in found.items() if name != PAGE]


def link(path: Path, folder: Path, name: str = "") -> Link:
    """A link to one file of the folder, by its own name if it is given none."""
    below = path.relative_to(folder).as_posix()
    return Link(name or below, _href(below), 1)


def _href(below: str) -> str:
    return quote(below, errors="surrogateescape")
