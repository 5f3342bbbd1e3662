"""UDP programs that could not send what they were to: told after a run, for the goodput alone looks like the link's."""

from __future__ import annotations

from .offered import Bound, Offered
from .result import Result
from .scenario import Scenario
from .units import rate, span

#: Of the datagrams that are due: less than this, and than all but one, is no edge of the window.
ALL = 0.98
#: Flows that a note names.
TOLD = 3
WHY = "a program waits for room in its socket; with more room longer queues fill longer aggregates"


def notes(scenario: Scenario, result: Result) -> list[Bound]:
    """A note of the flows whose programs waited for their sockets, if there are any; none where that was not measured."""
    if not any(f.delivery for f in result.flows):
        return []
    asked = Offered(scenario, result.seed)
    payload = asked.payloads()
    offered = {way: asked.own(f"udp_{way}") for way in ("up", "down")}
    kept = []
    for f, start in zip(result.flows, asked.flow_starts, strict=True):
        if f.delivery is None:
            continue
        begin = max(result.window[0], (span(asked.text("time.lead_in")) + start) * 1e-9)
        bits, asks = payload[f.station] * 8, rate(offered[f.direction][f.station])
        sent, due = f.delivery["sent"], asks * (result.window[1] - begin) / bits
        if sent < ALL * due - 1:
            kept.append(f"{f.name} sent {asks * sent / due * 1e-6:.4g} of {asks * 1e-6:.4g} Mbit/s")
    if not kept:
        return []
    more = f", and {len(kept) - TOLD} more flows less than theirs" if len(kept) > TOLD else ""
    return [Bound(f"{', '.join(kept[:TOLD])}{more}, with traffic.udp_sndbuf = {asked.text('traffic.udp_sndbuf')}", WHY)]
