"""Seeds of repetitions: each has the next one, and there are 2^64."""

from __future__ import annotations

from ..errors import UserError

#: The last one.
LAST = 2**64 - 1


def enough(first: int, repetitions: int) -> None:
    """Raises UserError if so many do not follow ``first``, itself among them."""
    if first + repetitions - 1 > LAST:
        raise UserError(
            f"--seed: {first}, with {repetitions} repetitions, each of the next seed; expected at most {LAST - repetitions + 1}"
        )
