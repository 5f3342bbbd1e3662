"""Numbers in a range, as options take them."""

from __future__ import annotations

import math
from typing import Any

import click


class Whole(click.IntRange):
    """A whole number in a range; what is none is "not a valid integer", not click's "integer range"."""

    name = "integer"


class Number(click.FloatRange):
    """A number in a range; unlike click's, not NaN, which no comparison keeps out."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises ``BadParameter`` for what is none, or not in the range."""
        given = super().convert(value, param, ctx)
        if math.isnan(given):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return given
