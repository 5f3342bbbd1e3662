"""The wire behind the access point where it is full: told after a run, for what flows get then says nothing of the air."""

from __future__ import annotations

from .offered import Bound, Offered
from .result import Result
from .scenario import Scenario
from .units import rate

#: Octets of a frame on the wire that are no payload: preamble, gap, FCS, Ethernet's and IP's headers, and TCP's with timestamps
#: or UDP's. src: IEEE 802.3-2022 clauses 3 and 4.4.2, RFC 791, 9293, 7323, 768
AROUND = {"tcp": 24 + 14 + 20 + 32, "udp": 24 + 14 + 20 + 8}
#: Payload of a TCP segment of 1500 octets of IP: the fewest frames that the bytes need.
SEGMENT = 1448
#: From this share of its rate on a wire is called full.
FULL = 0.95
WHY = (
    'it binds before the air does (ethernet.rate = "10 Gbit/s", or backhaul.present = false, by which flows end there)'
)


def notes(scenario: Scenario, result: Result) -> list[Bound]:
    """A note for each direction in which the flows of a Wi-Fi scenario fill the wire, or nearly. The kernel's has no rate."""
    v = result.resolved
    if (
        result.water != "model"
        or v["topology.kind"] != "wifi"
        or v["backhaul.present"] != "true"
        or v["backhaul.veth"] == "true"
    ):
        return []
    payloads = Offered(scenario, result.seed).payloads()
    bound, took = rate(v["ethernet.rate"]), result.window[1] - result.window[0]
    out = []
    for way in ("up", "down"):
        octets = 0.0
        for f in (f for f in result.flows if f.direction == way):
            payload = SEGMENT if f.kind == "tcp" else payloads[f.station]
            octets += f.bytes_window * (1 + AROUND[f.kind] / payload)
        if octets * 8 >= FULL * bound * took:
            carried = f"{octets * 8e-6 / took:.4g} of {bound * 1e-6:.4g} Mbit/s {way}"
            out.append(Bound(f"the wire behind the access point carried {carried}", WHY))
    return out
