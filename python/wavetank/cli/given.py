"""The scenario that a verb was given: a file, a shipped one's name, or ``-`` for what stands on standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UserError, unreadable

if TYPE_CHECKING:
    from ..scenario import Scenario

#: How messages and files call what came on standard input.
STDIN = "stdin"


def scenario(name: Path | str) -> Scenario:
    """The scenario. Raises UserError for what cannot be read."""
    from ..scenario import Scenario, load

    return Scenario(_standard_input(), STDIN) if str(name) == "-" else load(name)


def with_modules(scenario: Scenario, modules: Sequence[str]) -> Scenario:
    """The same with ``--module``, which is ``--set linux.modules``. Raises UserError for an empty one."""
    if any(not line.strip() for line in modules):
        raise UserError("--module: it is empty, expected a folder with a module's sources, and its parameters")
    return scenario.set({"linux.modules": ", ".join(modules)}) if modules else scenario


@cache  # it can be read once, and `compare - -` asks twice
def _standard_input() -> str:
    from ..scenario import SCENARIO

    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig") if sys.stdin is not None else ""
    except OSError as e:
        raise UserError(f"{STDIN}: cannot be read ({e.strerror}), expected {SCENARIO}") from None
    except UnicodeDecodeError as e:
        raise unreadable(STDIN, e, SCENARIO) from None
    if not text.strip():
        raise UserError(f"{STDIN}: is empty, expected {SCENARIO}")
    return text
