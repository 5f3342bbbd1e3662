"""Bytes, times and rates as iproute2 writes them."""

from __future__ import annotations


def size(n: int) -> str:
    """Bytes. src: iproute2 lib/json_print_math.c sprint_size"""
    for unit, letter, near in ((2**30, "Gb", 1024), (2**20, "Mb", 1024), (2**10, "Kb", 16)):
        if n >= unit and abs(unit * round(n / unit) - n) < near:
            return f"{round(n / unit):g}{letter}"
    return f"{n}b"


def span(us: float) -> str:
    """Microseconds. src: iproute2 lib/utils.c sprint_time"""
    if us >= 1_000_000:
        return f"{us / 1e6:.3g}s"
    if us >= 1000:
        return f"{us / 1e3:.3g}ms"
    return f"{us:g}us"


def rate(bytes_per_s: int) -> str:
    """A rate, in bits a second. src: iproute2 lib/json_print.c ``print_color_rate``"""
    bits = bytes_per_s * 8
    for unit in ("", "K", "M", "G"):
        if bits < 1000 or (bits % 1000 and bits < 1_000_000):
            return f"{bits}{unit}bit"
        bits //= 1000
    return f"{bits}Tbit"
