"""Values as the core writes them ("200 ms", "16 KiB", "1 Gbit/s"), read back into numbers."""

from __future__ import annotations

from decimal import Decimal

_SPAN = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
_BYTES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_RATE = {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9}


def _read(text: str, units: dict[str, int]) -> int:
    number, _, unit = text.partition(" ")
    return int(Decimal(number) * units[unit]) if unit else int(Decimal(number))


def span(text: str) -> int:
    """Nanoseconds."""
    return _read(text, _SPAN)


def size(text: str) -> int:
    """Bytes."""
    return _read(text, _BYTES)


def rate(text: str) -> int:
    """Bits a second."""
    return _read(text, _RATE)


def switch(text: str) -> bool:
    """true or false."""
    return text == "true"


def tc_span(text: str) -> str:
    """A span as ``tc`` takes it."""
    return f"{Decimal(span(text)) / 1000:f}us"
