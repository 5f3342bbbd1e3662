"""Any draw's scenarios, under congestion controls that are asked for in place of those that it drew."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator, Sequence

from .linux_draw import Drawn
from .linux_draw_rare import LONGEST_NAME


def under(drawn: Iterable[tuple[str, Drawn]], controls: Sequence[str]) -> Iterator[tuple[str, Drawn]]:
    """The same scenarios with these ``controls`` in turn. What stands beside a drawn one stays; its own section goes."""
    for (name, keys), cc in zip(drawn, itertools.cycle(controls)):
        s = copy.deepcopy(keys)
        was = s["tcp"]["cc"]
        s["tcp"]["cc"] = cc
        beside = [c for c in s["traffic"].get("cc", []) if c != was]
        if beside:
            s["traffic"]["cc"] = [cc, *beside]
        if was not in (cc, *beside):
            s.pop(was, None)
        said = f"-as-{cc}"
        yield name[: LONGEST_NAME - len(said)] + said, s
