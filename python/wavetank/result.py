"""A run's result: what was measured (:mod:`~wavetank.measured`), and how it is put down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import notebook
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

    def _repr_html_(self) -> str:
        """In a notebook: its flows, its radios and the ping, not every field."""
        s = self.summary()
        on = "" if self.water == "model" else f", on {self.water}"
        flows = [
            {
                "flow": f["name"],
                "goodput Mbit/s": float(f["goodput_mbit"]),
                "TCP RTT ms p50": f["tcp_rtt_ms"] and f["tcp_rtt_ms"]["p50"],
                "cwnd p50": f["cwnd_segments"] and f["cwnd_segments"]["p50"],
                "retransmits": f["retransmits"],
                "RTOs": f["rtos"],
            }
            for f in s["flows"]
        ]
        radios = [
            {"radio": n, "MPDUs mean": s["ampdu"][n]["mean"], "airtime sent %": 100 * share}
            for n, share in s["airtime"].items()
        ]
        ping = [{"ping ms": k, "": v} for k, v in s["ping_ms"].items()]
        parts = [notebook.table(f"{self.scenario}, seed {self.seed}{on}", flows)]
        return "".join([*parts, *(notebook.table("", rows) for rows in (radios, ping) if rows)])

    def save(self, folder: str | Path) -> list[Path]:
        """Writes ``summary.json``, ``samples.parquet``, a Flent data file and a folder a state; all of them or none.

        What an earlier run put there goes; other files stay.
        """
        from . import store

        return store.save(self, folder)
