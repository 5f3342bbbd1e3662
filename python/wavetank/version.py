"""Which wavetank this is."""

from __future__ import annotations

from importlib import metadata

try:
    __version__ = metadata.version("wavetank")
except metadata.PackageNotFoundError:  # run from a source tree
    __version__ = "0"
