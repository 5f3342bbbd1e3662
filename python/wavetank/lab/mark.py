"""How outputs are marked of runs that are not as often as their figures ask for."""

from __future__ import annotations


def mark(quick: bool, asked: int | None) -> str:
    """The mark's word; empty where runs are as often as the figures ask for."""
    return "quick" if quick else f"--repetitions {asked}" if asked is not None else ""


def marked(word: str, n: int) -> str:
    """How often each point was run, behind the mark."""
    return (f"{word}: " if word else "") + f"{n} repetition{'' if n == 1 else 's'}"
