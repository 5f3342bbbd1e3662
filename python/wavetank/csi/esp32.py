"""CSV of the ESP32-CSI-Tool: lines that begin with ``CSI_DATA``, among whatever else the serial port said.

Stands for: the tool's ``csi_component.h`` and ESP-IDF's ``wifi_csi_info_t``. Pairs of signed bytes, imaginary before
real. Differs: D1 of the training fields that a line holds the first (legacy) is taken, 52 sub-carriers of the primary
20 MHz: it is in every line.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .frame import Frame, Unwrap
from .reader import Reader

FIELDS = 25  # before the brackets: type ... real_timestamp, len
MAC, RSSI, NOISE, SECONDARY, STAMP, LENGTH = 2, 3, 14, 17, 18, 24
LONGEST_LINE = 1 << 14
NONE, ABOVE, BELOW = 0, 1, 2  # where the secondary channel is. src: esp_wifi_types.h wifi_second_chan_t
# Bin of the primary channel's middle in the 64 of the legacy training field, which begin at 0 and wrap at its end; with a
# secondary channel above they are numbers -64 to -1 of the 40 MHz, below 0 to 63.
MIDDLE = {NONE: 0, ABOVE: 32, BELOW: 32}
LEGACY = np.concatenate([np.arange(-26, 0), np.arange(1, 27)])


def looks(head: bytes, size: int) -> bool:
    """Whether a file that begins so may be one of these: text with the tool's word in its first lines."""
    return size > 0 and b"CSI_DATA" in head and b"\0" not in head


def _lines(r: Reader) -> Iterator[tuple[int, bytes]]:
    rest, begin = b"", 0
    while r.left:
        *whole, rest = (rest + r.take(min(1 << 16, r.left), "lines")).split(b"\n")
        for line in whole:
            yield begin, line
            begin += len(line) + 1
        if len(rest) > LONGEST_LINE:
            raise r.bad(f"a line of more than {LONGEST_LINE} bytes", begin)
    if rest:
        yield begin, rest


def frames(r: Reader) -> Iterator[Frame]:
    """The channel states, in order."""
    clock = Unwrap(32)
    for offset, line in _lines(r):
        if line.startswith(b"CSI_DATA"):
            yield _frame(r, offset, line, clock)


def _frame(r: Reader, offset: int, line: bytes, clock: Unwrap) -> Frame:
    try:
        text = line.decode("ascii").rstrip()
    except UnicodeDecodeError:
        raise r.bad("a line that is no text", offset) from None
    head, bracket, tail = text.partition("[")
    fields = head.rstrip(",").split(",")
    if not bracket or not tail.endswith("]") or len(fields) != FIELDS:
        raise r.bad(
            f"a line of {len(fields)} fields{'' if tail.endswith(']') else ', cut short'}, expected {FIELDS} and [...]",
            offset,
        )
    try:
        values = np.array([int(x) for x in tail[:-1].split()])
        rssi, noise, stamp = int(fields[RSSI]), int(fields[NOISE]), int(fields[STAMP])
        secondary, length = int(fields[SECONDARY]), int(fields[LENGTH])
    except ValueError as e:
        raise r.bad(f"a number that is none ({e})", offset) from None
    if not 128 <= len(values) <= length or len(values) % 2 or np.abs(values).max() > 128:
        raise r.bad(
            f"{len(values)} values of a channel state of {length}, expected 128 to {length}, each a signed byte", offset
        )
    if secondary not in MIDDLE or not 0 <= stamp < 1 << 32 or not (-128 <= rssi < 128 and -128 <= noise < 128):
        raise r.bad(f"secondary channel {secondary}, RSSI {rssi}, noise {noise}, time {stamp}: not ESP32's", offset)
    bins = values[1:128:2] + 1j * values[0:128:2]
    csi = bins[(MIDDLE[secondary] + LEGACY) % 64].reshape(1, 1, -1)
    snr = (float(rssi - noise),) if noise else ()
    return Frame(offset, clock(stamp) / 1e6, csi, LEGACY, 20, snr, float(rssi), float(noise), fields[MAC].lower())
