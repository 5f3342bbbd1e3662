"""Files that a picture can be, by how their names end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import UserError

#: What a file is told of where it came from, by its name's ending; no dates, so that the same picture has the same bytes.
FORMATS: dict[str, dict[str, Any]] = {
    ".png": {"Software": "wavetank"},
    ".pdf": {"Creator": "wavetank", "CreationDate": None},
    ".svg": {"Creator": "wavetank", "Date": None},
}


def check(path: Path) -> None:
    """Raises UserError for a file name that asks for no picture that can be drawn."""
    if path.suffix.lower() not in FORMATS:
        raise UserError(f"{path}: expected a file name that ends in {', '.join(FORMATS)}")
