"""The access point's CPU where more comes from the wire than it can take: told after a run, for delays are then not of the air.

What waits for it there has no limit (docs/limitations.md), so that delays grow for as long as the flood lasts.
"""

from __future__ import annotations

from .offered import Bound
from .result import Result
from .scenario import Scenario
from .units import span

#: From this share of its time on a CPU is called busy.
FULL = 0.98
WHY = "what waits for its CPU waits ever longer (host.ap_rx a packet), and with it everybody's; larger datagrams are fewer"


def notes(_scenario: Scenario, result: Result) -> list[Bound]:
    """A note where UDP programs send the access point more datagrams down than `host.ap_rx` lets it take. TCP waits by itself."""
    v = result.resolved
    if result.water != "model" or v["topology.kind"] != "wifi" or v["backhaul.present"] != "true":
        return []
    each, took = span(v["host.ap_rx"]) * 1e-9, result.window[1] - result.window[0]
    sent = sum(f.delivery["sent"] for f in result.flows_of("down", "udp") if f.delivery) / took
    if sent * each < FULL:
        return []
    return [Bound(f"the access point gets {sent:,.0f} datagrams a second and can take {1 / each:,.0f}", WHY)]
