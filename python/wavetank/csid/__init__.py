"""The CSI daemon: channel state in, effective SNR out to the access point, and there to the AARC module
(docs/csid.md).

``wire`` has the datagrams, ``client`` and ``access_point`` the two ends as state machines that own neither clock nor
socket, ``measure`` what becomes of a report, ``genl`` the kernel's messages, ``run`` the loop with sockets, signals
and status.
"""

from __future__ import annotations

from .access_point import AccessPoint
from .client import Client
from .key import new_key, read_key
from .measure import Feedback, Meter, Report

__all__ = ["AccessPoint", "Client", "Feedback", "Meter", "Report", "new_key", "read_key"]
