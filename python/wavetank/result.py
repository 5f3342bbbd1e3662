"""A run's result: what was measured (:mod:`~wavetank.measured`), and how it is put down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .measured import DSCP, ENDS, UNITS, Flow, Measured, Mode, Node, Ping, Series

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DSCP", "ENDS", "UNITS", "Flow", "Measured", "Mode", "Node", "Ping", "Result", "Series"]


@dataclass(frozen=True)
class Result(Measured):
    """One run."""

    def save(self, folder: str | Path) -> list[Path]:
        """Writes ``summary.json``, ``samples.parquet`` and a Flent data file; all of them or none."""
        from . import store

        return store.save(self, folder)
