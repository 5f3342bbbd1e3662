"""What TCP ACKs cost: quantities of TCP/HACK, read off the access point's and the stations' counts.

Counts are of a whole run, so those "a 25 Mbytes" are scaled by what the run brought. Times are the thesis's (Table 3.4): bytes at
the rate they went with, idle time before ACKs had the medium, and from the end of an ACK's frame to its acknowledgement.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Record = dict[str, Any]
#: 25 Mbytes, as Table 3.3's 9060 ACKs of two segments each have it.
WORK = 25 * 2**20
#: Mbit/s of data and of link-layer acknowledgements in the thesis's test bed; SIFS, us.
DATA, RESPONSE, SIFS = 54.0, 24.0, 16.0


def _second_over_first(flows: Any) -> float:
    """Goodput of the second flow over the first's; NaN where there is none, or the first has none."""
    return flows[1][2] / flows[0][2] if len(flows) > 1 and flows[0][2] else math.nan


def total(r: Record, key: str) -> float:
    """A count of all stations; NaN where a water does not know it."""
    return sum((math.nan if a[key] is None else float(a[key]) for a in r["acks"].values()), 0.0)


def _per_work(key: str) -> Callable[[Record], float]:
    return lambda r: total(r, key) * WORK / r["received"] if r["received"] else math.nan


def _time(read: Callable[[Record], float]) -> Callable[[Record], float]:
    """Of microseconds of the run, milliseconds of 25 Mbytes."""
    return lambda r: read(r) * 1e-3 * WORK / r["received"] if r["received"] else math.nan


def _tcp_ack(r: Record) -> float:
    return total(r, "native_bytes") * 8 / DATA


def _rohc(r: Record) -> float:
    return total(r, "compressed_bytes") * 8 / RESPONSE


def _llack(r: Record) -> float:
    return total(r, "late_us") + SIFS * total(r, "accesses")


def _waited(r: Record) -> float:
    return total(r, "waited_us")


def _share(part: str, of: str) -> Callable[[Record], float]:
    return lambda r: 100 * total(r, part) / total(r, of) if r["acks"] and total(r, of) else math.nan


def _ratio(r: Record) -> float:
    """Bytes of an ACK as a frame's payload over those of one compressed, each on average: 52 with timestamps and no SACK."""
    n, size = total(r, "compressed"), total(r, "compressed_bytes")
    return 52.0 * n / size if size else math.nan


def _retries(r: Record) -> float:
    sent = sum(r["ampdu"]["ap"])
    return 100 * r["unanswered"]["ap"] / sent if sent else math.nan


def _collisions(r: Record) -> float:
    sent = sum(sum(h) for h in r["ampdu"].values())
    return 100 * sum(r["unanswered"].values()) / sent if sent else math.nan


def _ack_airtime(r: Record) -> float:
    """Percent of the run: ACKs' own PPDUs and what rode; interframe spaces and responses are not in it."""
    return 100 * (total(r, "airtime_us") + total(r, "riding_us")) * 1e-6 / r["simulated_s"] if r["acks"] else math.nan


#: name -> (reader, unit, label)
SCALARS: dict[str, tuple[Callable[[Record], float], str, str]] = {
    "acks_carried": (_share("restored", "made"), "%", "TCP ACKs that rode"),
    "responses_hit": (_share("hit", "responses"), "%", "Augmented responses that were hit"),
    "acks_failed": (_share("failures", "made"), "%", "TCP ACKs that waited in vain"),
    "acks_native": (_per_work("native"), "count", "TCP ACKs sent as frames"),
    "acks_native_bytes": (_per_work("native_bytes"), "bytes", "Bytes of TCP ACKs sent as frames"),
    "acks_compressed": (_per_work("compressed"), "count", "Compressed TCP ACKs"),
    "acks_compressed_bytes": (_per_work("compressed_bytes"), "bytes", "Bytes of compressed TCP ACKs"),
    "ack_bytes": (
        lambda r: total(r, "compressed_bytes") / max(total(r, "compressed"), 1), "bytes", "A compressed TCP ACK"
    ),
    "compression_ratio": (_ratio, "x", "Compression"),
    "time_tcp_ack": (_time(_tcp_ack), "ms", "TCP ACKs on the air"),
    "time_rohc": (_time(_rohc), "ms", "Compressed TCP ACKs on the air"),
    "time_channel": (_time(_waited), "ms", "Waiting for the channel"),
    "time_llack": (_time(_llack), "ms", "Waiting for LL ACKs"),
    "time_channel_llack": (_time(lambda r: _waited(r) + _llack(r)), "ms", "Waiting for channel and LL ACKs"),
    "llack_extra": (
        lambda r: total(r, "late_us") / max(total(r, "accesses"), 1), "us", "LL ACKs later than SIFS by"
    ),
    "retry_fraction": (_retries, "%", "Transmissions without an answer, access point"),
    "collisions": (_collisions, "%", "Transmissions without an answer, all radios"),
    "ack_airtime": (_ack_airtime, "%", "Airtime of TCP ACKs"),
    "client_fairness": (
        lambda r: _second_over_first(r["flow_goodput"]),
        "", "Client 2 over client 1",
    ),
}  # fmt: skip
