"""What every page has: the templates of ``data/page``, and pictures that travel within it."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..plots.style import DPI
from ..version import __version__

#: A browser's pixels to the inch.
BROWSER = 96
TEMPLATES = Path(__file__).parent.parent / "data" / "page"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, **what: object) -> str:
    """The template filled in; the same content gives the same bytes."""
    return _environment().get_template(template).render(version=__version__, **what) + "\n"


@dataclass(frozen=True)
class Picture:
    """A PNG as the address of itself, so that the page needs no file beside it, and how wide it is shown."""

    name: str
    address: str
    px: int


def picture(path: Path) -> Picture:
    """The PNG at its own size: words in pictures of any width are as large as each other's."""
    content = path.read_bytes()
    width = int.from_bytes(content[16:20], "big")  # IHDR, whose first field it is
    return Picture(path.name, "data:image/png;base64," + b64encode(content).decode("ascii"), width * BROWSER // DPI)
