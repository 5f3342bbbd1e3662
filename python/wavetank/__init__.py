"""wavetank: TCP over aggregating Wi-Fi, in a laboratory.

>>> import wavetank
>>> result = wavetank.load("scenario.toml").set({"tcp.tsq_ms": 4}).run(seed=1)   # doctest: +SKIP
>>> result.flows[0].goodput_mbit, result.flows[0].series["snd_cwnd"]              # doctest: +SKIP
"""

from __future__ import annotations

from .refused import ScenarioError, UserError, WavetankError

#: As `typing` has it, whose import is most of the time in which a Ctrl-C is not heeded yet.
TYPE_CHECKING = False
if TYPE_CHECKING:
    # The modules, too: they come when they are asked for (below), which type checkers cannot see.
    from typing import Any

    from . import bench as bench
    from . import bounds as bounds
    from . import bpf as bpf
    from . import captures as captures
    from . import categories as categories
    from . import cli as cli
    from . import closed_forms as closed_forms
    from . import compare as compare
    from . import cpu as cpu
    from . import csi as csi
    from . import csid as csid
    from . import errors as errors
    from . import files as files
    from . import flent as flent
    from . import flood as flood
    from . import idle as idle
    from . import keys as keys
    from . import lab as lab
    from . import linux as linux
    from . import lost as lost
    from . import measured as measured
    from . import named as named
    from . import notebook as notebook
    from . import offered as offered
    from . import overruled as overruled
    from . import packetdrill as packetdrill
    from . import page as page
    from . import plots as plots
    from . import progress as progress
    from . import refused as refused
    from . import report as report
    from . import result as result
    from . import scenario as scenario
    from . import schema as schema
    from . import shipped as shipped
    from . import state as state
    from . import stats as stats
    from . import still as still
    from . import store as store
    from . import sweeps as sweeps
    from . import table as table
    from . import testbed as testbed
    from . import units as units
    from . import validate as validate
    from . import version as version
    from . import way_back as way_back
    from . import wire as wire
    from . import workers as workers
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
    "WavetankError",
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


def _come(name: str) -> Any:
    """What :data:`__all__` names, and the package's modules: ``wavetank.linux`` needs no import of its own."""
    from importlib import import_module
    from importlib.util import find_spec

    if name in _STANDS_IN:
        value = getattr(import_module(_STANDS_IN[name], __name__), name)
    elif (name == "_core" or not name.startswith("_")) and find_spec(f"{__name__}.{name}") is not None:
        return import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # to type checkers, every name that is misspelt would be Any
    __getattr__ = _come


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
