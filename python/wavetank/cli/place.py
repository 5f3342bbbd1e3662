"""Files and folders, as options and arguments take them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class Place(click.Path):
    """A file or a folder. An empty word is none: Python took it for the folder that one is in. Nor is what looks like an option:
    `--out --json` wrote into a folder "--json"."""

    def __init__(self, **more: Any) -> None:
        super().__init__(path_type=Path, **more)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises ``BadParameter`` for an empty one, and for an option."""
        if value == "":
            self.fail("it is empty, expected a path (is a variable of the shell not set?).", param, ctx)
        if str(value).startswith("--"):
            self.fail(f"{value} is an option, expected a path (one of this name is ./{value}).", param, ctx)
        return super().convert(value, param, ctx)
