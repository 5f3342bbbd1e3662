"""How results show in a notebook: a table in HTML, as pandas has it. Text and scripts have ``repr``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape


def shown(value: object) -> str:
    """A cell: numbers to four digits, nothing for what there is not."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return escape(f"{value:.4g}" if isinstance(value, float) else str(value))


def table(title: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Rows of equal keys, which are the heading."""
    if not rows:
        return f"<p>{escape(title)}</p>"
    cells = [
        "".join(
            f'<td style="text-align: {"right" if isinstance(v, int | float) else "left"}">{shown(v)}</td>'
            for v in row.values()
        )
        for row in rows
    ]
    heads = "".join(f"<th>{escape(k)}</th>" for k in rows[0])
    body = "".join(f"<tr>{c}</tr>" for c in cells)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
