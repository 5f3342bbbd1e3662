"""wavetank: TCP over aggregating Wi-Fi, in a laboratory.

>>> import wavetank
>>> result = wavetank.load("scenario.toml").set({"tcp.tsq_ms": 4}).run(seed=1)   # doctest: +SKIP
>>> result.flows[0].goodput_mbit, result.flows[0].series["snd_cwnd"]              # doctest: +SKIP
"""

from __future__ import annotations

from importlib import metadata as _metadata

from ._core import ScenarioError
from .errors import UserError
from .result import Flow, Node, Ping, Result
from .scenario import Scenario, load

try:
    __version__ = _metadata.version("wavetank")
except _metadata.PackageNotFoundError:  # run from a source tree
    __version__ = "0"

from .sweeps.result import Difference, Estimate, Sweep, SweepPoint
from .sweeps.run import sweep

__all__ = [
    "Difference",
    "Estimate",
    "Flow",
    "Node",
    "Ping",
    "Result",
    "Scenario",
    "ScenarioError",
    "Sweep",
    "SweepPoint",
    "UserError",
    "__version__",
    "load",
    "sweep",
]
