"""wavetank: TCP over aggregating Wi-Fi, in a laboratory.

>>> import wavetank
>>> result = wavetank.load("scenario.toml").set({"tcp.tsq_ms": 4}).run(seed=1)   # doctest: +SKIP
>>> result.flows[0].goodput_mbit, result.flows[0].series["snd_cwnd"]              # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._core import ScenarioError
from .errors import UserError

if TYPE_CHECKING:
    from .result import Flow, Node, Ping, Result
    from .scenario import Scenario, load
    from .sweeps.result import Difference, Estimate, Sweep, SweepPoint
    from .sweeps.run import sweep
    from .version import __version__

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

#: Where what needs numpy stands: it is imported when it is asked for, so that `wavetank --help` and a TAB are quick.
_STANDS_IN = {
    **dict.fromkeys(("Flow", "Node", "Ping", "Result"), ".result"),
    **dict.fromkeys(("Scenario", "load"), ".scenario"),
    **dict.fromkeys(("Difference", "Estimate", "Sweep", "SweepPoint"), ".sweeps.result"),
    "sweep": ".sweeps.run",
    "__version__": ".version",
}


def __getattr__(name: str) -> Any:
    """What :data:`__all__` names, and the package's modules: ``wavetank.linux`` needs no import of its own."""
    from importlib import import_module
    from importlib.util import find_spec

    if name in _STANDS_IN:
        value = getattr(import_module(_STANDS_IN[name], __name__), name)
    elif not name.startswith("_") and find_spec(f"{__name__}.{name}") is not None:
        return import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
