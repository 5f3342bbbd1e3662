"""What a sweep has shown of its axes and metrics, in sentences.

Settings that bound runs, axes that change nothing, metrics without a value.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import bounds
from .notes import some
from .result import Sweep


def findings(sweep: Sweep) -> Iterator[str]:
    """A sentence each."""
    for bound in sweep.bound:
        yield bounds.told(bound.why, bound.at)
    for idle in sweep.idle:
        key = idle.axis.partition("+")[0]
        where = "here" if idle.everywhere else f"at {some(idle.at)}"
        why = f"; is what it belongs to switched on? (wavetank explain {key})" if idle.everywhere else ""
        yield f"{idle.axis} changes nothing {where}: every value gave the same bytes{why}"
    for m in sweep.metrics:
        there = [p for p in sweep.points if not p.failed]
        without = [p.name for p in there if p.metrics[m.name].median is None]
        if without:
            told = "any point" if len(without) == len(there) else some(without)
            yield f"{m.name} has no value at {told}"
