"""The third water: a scenario on real machines.

``write`` makes a folder of scripts, a Flent batch file and a README; it touches no machine. What the second water's
translation and this one agree on (sysctls, disciplines, EDCA) is the second's code. ``bed`` is the translation, ``own`` what
machines have of their own, ``lib*.sh`` what the scripts do.
"""

from __future__ import annotations

from .bed import TestBed, digest_of, translate
from .folder import write

__all__ = ["TestBed", "digest_of", "translate", "write"]
