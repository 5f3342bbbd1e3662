"""A scenario as the guest is given it, and the names of what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .modules import Module


@dataclass(frozen=True)
class FlowName:
    """What a flow is called, as in the model."""

    name: str
    kind: str
    direction: str
    station: str
    dscp: int
    #: Its congestion control by the scenario's name; "" of what is not TCP.
    cc: str = ""


@dataclass(frozen=True)
class Translated:
    """A scenario for the guest, and what to call what comes back."""

    case: dict[str, Any]
    seed: int
    flows: tuple[FlowName, ...]
    echoes: tuple[tuple[str, int], ...]
    queues: tuple[str, ...]
    nodes: tuple[str, ...]
    values: Mapping[str, str]
    #: What a model is given to be set up like this: keys that the scenario leaves open and the second water has otherwise.
    alike: Mapping[str, str]
    notes: tuple[str, ...]
    #: Those of ``notes`` that are of keys which the scenario leaves open: what the second water has of its own.
    own: tuple[str, ...] = ()
    #: Modules of one's own.
    modules: tuple[Module, ...] = ()

    @property
    def seconds(self) -> float:
        """Length of the run."""
        return float(self.case["end"]) / 1e9
