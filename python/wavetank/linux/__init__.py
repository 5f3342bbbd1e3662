"""The second water: a scenario on the real Linux kernel in virtual time.

``translate`` turns a scenario into what the guest carries out and refuses what it cannot; ``tree`` finds the programs of
``linux/`` (GPL-2.0; they run as processes of their own) and builds what they need; ``outcome`` makes a
:class:`~wavetank.result.Result` of what the guest wrote.
"""

from __future__ import annotations

from .radio_log import HEADERS, ROOM, RadioLog, addresses
from .tree import LinuxFailed, build, status
from .water import check, fingerprint, folders, like_linux, modelled, simulate

__all__ = [
    "HEADERS", "ROOM", "LinuxFailed", "RadioLog", "addresses", "build", "check", "fingerprint", "folders", "like_linux",
    "modelled", "simulate", "status",
]  # fmt: skip
