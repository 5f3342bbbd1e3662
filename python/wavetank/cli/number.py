"""Numbers in a range, as options take them."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A number in a range; unlike click's, not NaN, which no comparison keeps out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises ``BadParameter`` for what is none, or not in the range."""
        given = super().convert(value, param, ctx)
        if math.isnan(given):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return given
