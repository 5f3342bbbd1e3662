"""What of an analysis a table or a picture has room for, and what the rest adds up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

#: Rows of a table for people; `--json` has all.
ROWS = 24


def first(rows: Sequence[T], most: int = ROWS) -> tuple[Sequence[T], Sequence[T]]:
    """The first of them, and the others: a row that says "and 1 more" would take the one's own place."""
    n = len(rows) if len(rows) <= most + 1 else most
    return rows[:n], rows[n:]


def total(rows: Sequence[Mapping[str, Any]], key: str) -> Any:
    """What they add up to; None where none has it."""
    known = [r[key] for r in rows if r.get(key) is not None]
    return sum(known) if known else None


def rates(links: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of links' rates: of each link those with most airtime, as many as leave room for other links', and its others as one
    row; the rows beyond as one.
    """
    most = max(1, ROWS // max(1, len(links)) - 1)
    rows: list[dict[str, Any]] = []
    for link in links:
        name = f"{link['from']} → {link['to']}"
        shown, others = first(sorted(link["rates"], key=lambda r: -(r["airtime_s"] or 0.0)), most)
        rows += [{**r, "link": name, "n": 1} for r in shown]
        if others:
            rows.append(_sum(others, name, f"and {len(others)} more"))
    shown_rows, beyond = first(rows)
    if beyond:
        n = sum(r["n"] for r in beyond)
        return [*shown_rows, _sum(beyond, f"and {n} more rates", "")]
    return list(shown_rows)


def _sum(rows: Sequence[Mapping[str, Any]], link: str, rate: str) -> dict[str, Any]:
    told = [r for r in rows if r["loss_rate"] is not None]
    known = [r["mpdus"] - r["unknown"] for r in told]
    sent, lost = sum(known), sum(n * r["loss_rate"] for n, r in zip(known, told, strict=True))
    return {
        "link": link, "rate": rate, "mbit": None, "n": sum(r.get("n", 1) for r in rows), "ppdus": total(rows, "ppdus"),
        "mpdus": total(rows, "mpdus"), "unknown": total(rows, "unknown"),
        "loss_rate": lost / sent if sent else None, "airtime_s": total(rows, "airtime_s"),
    }  # fmt: skip


def chosen(rows: Sequence[T], most: int, kind: Callable[[T], object], whose: Callable[[T], object]) -> list[T]:
    """So many of them, in their order: kinds take turns, so that none vanishes, and within a kind every owner's first comes
    before anyone's second. As with :func:`first` nobody is left out alone.
    """
    if len(rows) <= most + 1:
        return list(rows)
    queues: dict[object, list[tuple[int, int]]] = {}
    nth: dict[tuple[object, object], int] = {}
    for i, row in enumerate(rows):
        k = kind(row)
        nth[k, whose(row)] = n = nth.get((k, whose(row)), 0) + 1
        queues.setdefault(k, []).append((n, i))
    waiting = [sorted(q) for q in queues.values()]
    taken: list[int] = []
    while len(taken) < most:
        taken += [q.pop(0)[1] for q in waiting if q]
    return [rows[i] for i in sorted(taken[:most])]
