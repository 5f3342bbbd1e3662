"""The classes of errors: what to catch. The core raises them, too, so that this module imports nothing."""

from __future__ import annotations


class WavetankError(Exception):
    """What wavetank raises on purpose, whatever it is of: bad input (``UserError``, ``ScenarioError``) and work that broke down
    (``wavetank.errors.Failed``). The text is a sentence for people."""


class UserError(WavetankError):
    """Bad input. The text says where, what was expected, and the nearest valid name; the CLI exits with 2."""


class ScenarioError(WavetankError, ValueError):
    """A scenario was refused; the message says what, where, and what was expected. The CLI exits with 2."""
