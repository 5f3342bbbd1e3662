"""A run's result: what was measured (:mod:`~wavetank.measured`), and how it is put down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .measured import DSCP, ENDS, PINGS, UNITS, Flow, Measured, Mode, Node, Ping, Series

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DSCP", "ENDS", "PINGS", "UNITS", "Flow", "Measured", "Mode", "Node", "Ping", "Result", "Series"]


@dataclass(frozen=True, eq=False)
class Result(Measured):
    """One run. Equal runs (``==``) measured the same, whatever time they took.

    * ``flows``, ``pings``; ``nodes``: radios by name (``ap``, ``sta1``, ...; none on wires);
    * ``qdiscs``: series by the queue's name: ``t`` (s), ``backlog_packets``, ``backlog_bytes``, ``dropped``;
    * ``window``: start and end of the judging window (s); ``simulated_s``, ``wall_s``: how long it was, and took;
    * ``drops``: packets dropped, by where and why; ``ledger``: packets that the model made, and what became of them;
    * ``states``: every host's state at the times that ``run`` was given (:class:`wavetank.state.State`);
    * ``resolved``: every key with the value that was used; ``digest``: of all that was measured: equal runs have equal ones.
    """

    def save(self, folder: str | Path) -> list[Path]:
        """Writes ``summary.json``, ``samples.parquet``, a Flent data file and a folder a state; all of them or none.

        What an earlier run put there goes; other files stay.
        """
        from . import store

        return store.save(self, folder)
