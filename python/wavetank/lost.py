"""Flows of which nothing arrived: told after a run, with what the run saw of where it stayed, for a goodput of 0 says neither."""

from __future__ import annotations

import numpy as np

from .offered import Bound, Offered
from .result import Flow, Node, Result
from .scenario import Scenario

#: Flows, and kinds of drops, that a note names.
TOLD = 3
LATE = "so long after the others it starts that flows have ended by then (traffic.start_step, traffic.start_jitter)"
OUTSIDE = "what it carried, it carried outside of that window (time.warmup, time.cooldown)"
#: By which ways nothing got through on the air: from the station, to it.
ON_AIR = {
    (True, True): "all that the station sent, and all that was sent to it, was lost on the air",
    (True, False): "all that the station sent was lost on the air",
    (False, True): "all that was sent to the station was lost on the air",
}
BY = " (by its mode, the channel or error rates)"
ENDED = "its connection ended before the run did"
DROPPED = "the summary's drops say where packets went"
HELD = "nothing was dropped either, so that it is still on its way, or waits"


def notes(scenario: Scenario, result: Result) -> list[Bound]:
    """A note for each reason why nothing of flows arrived. Raises ScenarioError."""
    silent = [(i, f) for i, f in enumerate(result.flows) if f.bytes_window == 0 and not _unsent(f, result)]
    if not silent:
        return []
    asked = Offered(scenario, result.seed)
    length = (result.flows_end - max(0.0, result.flows_start)) * 1e9
    by_why: dict[str, list[Flow]] = {}
    for i, f in silent:
        late = asked.flow_starts[i] >= length
        by_why.setdefault(LATE if late else _why(f, result), []).append(f)
    return [Bound(_what(why, flows, result), why) for why, flows in by_why.items()]


def _unsent(f: Flow, result: Result) -> bool:
    """Of datagrams: the program had none to send, or what arrived was not measured."""
    return f.kind == "udp" and ("udp goodput" in result.unknown or (f.delivery is not None and f.delivery["sent"] == 0))


def _why(f: Flow, result: Result) -> str:
    if f.series["received"].size and f.series["received"][-1] > 0:
        return OUTSIDE
    lost = _lost(f, result)
    # a datagram needs nothing to come back, TCP's data an open connection and ACKs
    if f.kind == "tcp" or lost[0 if f.direction == "up" else 1]:
        if any(lost):
            return ON_AIR[lost] + BY
        if f.error is not None:
            return ENDED
    return DROPPED if result.drops else HELD


def _lost(f: Flow, result: Result) -> tuple[bool, bool]:
    """Whether all that the flow's station sent, and all that was sent to it, was lost on the air."""
    station, ap = result.nodes.get(f"sta{f.station + 1}"), result.nodes.get("ap")
    if station is None or ap is None:
        return False, False
    # what the access point hears is everybody's: of several stations only answers tell whose it was
    sent = float(np.nansum(station.ampdu_hist))
    return _deaf(ap) or 0 < sent == station.unanswered, _deaf(station)


def _deaf(node: Node) -> bool:
    """Whether all that was sent to it in the run was lost, and anything was."""
    shares = node.series["rx_bad_share"]
    shares = shares[np.isfinite(shares)]
    return bool(shares.size and (shares >= 1).all())


def _what(why: str, flows: list[Flow], result: Result) -> str:
    names = [f"{f.name} ({f.error})" if why == ENDED else f.name for f in flows]
    more = f" and {len(names) - TOLD} more" if len(names) > TOLD else ""
    begin, end = result.window
    window = f" between {begin:.6g} and {end:.6g} s" if why == OUTSIDE else ""
    drops = sorted(result.drops.items(), key=lambda d: -d[1])[:TOLD]
    seen = (
        f" (drops: {', '.join(f'{name} {n:,}' for name, n in drops)})" if drops and why not in (LATE, OUTSIDE) else ""
    )
    return f"nothing of {', '.join(names[:TOLD])}{more} arrived{window}{seen}"
