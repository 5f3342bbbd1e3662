"""The state of every host at a time of a run, typed, and as Linux's own tools print it.

``snapshot`` has the types; ``read`` fills them; ``times`` reads when it is asked for; ``ss``, ``tc`` and ``debugfs`` write the
tools' text of the model's state; ``folder`` lays texts down as files. On linux the texts are the tools' own, and there is nothing
typed.
"""

from __future__ import annotations

from .folder import folder_name, save, texts
from .read import from_core, from_linux
from .snapshot import (
    Airtime,
    Bbr,
    Device,
    Host,
    HwQueue,
    Phy,
    Qdisc,
    Radio,
    RateLine,
    Socket,
    State,
    Station,
    TidHeld,
    Txq,
)
from .times import At, instants

__all__ = [
    "Airtime", "At", "Bbr", "Device", "Host", "HwQueue", "Phy", "Qdisc", "Radio", "RateLine", "Socket", "State", "Station",
    "TidHeld", "Txq", "folder_name", "from_core", "from_linux", "instants", "save", "texts",
]  # fmt: skip
