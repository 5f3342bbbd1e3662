"""What the kernel is given in place of what a scenario names: ``linux.cc``, ``linux.qdisc``, ``linux.rate_control``.

The model has none of these names. So the scenario says what the model has, and the section what of it is another on linux.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


class StandIns:
    """One such key. ``mine`` stands for whatever is asked about, ``cubic=mine`` for cubic alone."""

    def __init__(self, text: str) -> None:
        self._every = ""
        self._by: dict[str, str] = {}
        #: What two are said to stand in for; "" for everything.
        self.twice: list[str] = []
        self._asked: dict[str, None] = {}
        self._met: set[str] = set()
        for part in () if text == "off" else text.split(","):
            theirs, sign, own = (word.strip() for word in part.partition("="))
            if sign and re.fullmatch(r"\S+", theirs):
                self.twice += [theirs] if theirs in self._by else []
                self._by[theirs] = own
            else:  # tc's words may have a sign, too
                self.twice += [""] if self._every else []
                self._every = part.strip()

    def __bool__(self) -> bool:
        """Whether anything stands in."""
        return bool(self._every or self._by)

    def names(self) -> Iterable[str]:
        """What the kernel is given."""
        return (*self._by.values(), *([self._every] if self._every else []))

    def of(self, theirs: str) -> str:
        """What stands for it; empty: it itself."""
        self._asked[theirs] = None
        own = self._by.get(theirs, self._every)
        if own:
            self._met.add(theirs if theirs in self._by else "")
        return own

    def unmet(self) -> list[str]:
        """Names that nothing of the scenario has; "" where one stands for all, and nothing was asked about."""
        return [name for name in (*self._by, *([""] if self._every else [])) if name not in self._met]

    def asked(self) -> list[str]:
        """What was asked about, in order."""
        return list(self._asked)
