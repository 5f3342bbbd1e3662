"""CSI logs of real cards: read without trusting them, and turned into SNR and effective SNR over time.

for frame in csi.frames(Path("log.dat")): ...      # in order, constant memory
log = csi.load(Path("log.dat"))                     # one pair of antennas as arrays, with effective SNR
"""

from __future__ import annotations

from .formats import FORMATS, detect, frames
from .frame import Frame
from .log import Ask, Log, load
from .reader import BadLog

__all__ = ["FORMATS", "Ask", "BadLog", "Frame", "Log", "detect", "frames", "load"]
