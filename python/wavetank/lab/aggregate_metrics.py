"""Aggregates: quantities of the A-MPDUs that went down, up and to each station, and of what ended them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .. import stats
from ..result import ENDS
from ..stats import FloatArray
from .quantity import Quantity, array, of_nodes, scalar, share, spread_out
from .records import Record

#: The largest A-MPDU of full frames: 64 KiB.
FULL = 42
#: A closed Block Ack window of 64 leaves this many beside a full A-MPDU.
REST = 64 - FULL
#: Why the access point's PPDUs ended, as labels have it.
ENDED = {
    "unsaid": "PPDUs ended for no reason told",
    "window": "PPDUs ended by the Block Ack window",
    "full": "PPDUs ended by their limit",
    "dry": "PPDUs ended by an empty queue",
    "single": "Frames outside an agreement",
}


def _modes(h: FloatArray, which: int) -> float:
    """The smaller (0) or larger (-1) of the two most frequent sizes; of a distribution on one size, that."""
    top = [i for i in np.argsort(-h, kind="stable")[:2] if h[i] > 0]
    return float(sorted(top)[which]) if top else math.nan


def _usual_max(h: FloatArray) -> float:
    """The largest size that one PPDU in a thousand reaches: a rare one has frames shorter than the MTU, and so more of them."""
    tail = np.cumsum(h[::-1])[::-1]
    return float(np.max(np.nonzero(tail >= 0.001 * max(h.sum(), 1))[0], initial=0))


def quantities() -> dict[str, Quantity]:
    """Of data that go down: what the access point sent, by station too (``@sta3``), and what the stations answered with."""

    out: dict[str, Quantity] = {}

    def sizes(prefix: str, table: str, nodes: Callable[[str], bool], where: str, suffix: str = "") -> None:
        for name, q in _histogram(table, nodes, where).items():
            out[f"{prefix}_{name}{suffix}"] = q

    sizes("down", "rx_ampdu", lambda n: n != "ap", "down")
    sizes("up", "ampdu", lambda n: n != "ap", "up")
    for i in range(1, 65):
        _of_station(out, sizes, f"sta{i}")
    for i, why in enumerate(ENDS):
        out[f"end_{why}"] = _end(i, ENDED[why])
    out["runs_one"] = scalar(
        lambda r: share(array(r["runs"]["ap"]), 0, 1), "%", "Channel holdings of one PPDU", "the access point's"
    )
    out["runs"] = Quantity(
        lambda r: stats.histogram_quantile(array(r["runs"]["ap"]), 0.5) or 0.0,
        lambda r: spread_out(array(r["runs"]["ap"])), "count", "Further A-MPDUs after the first",
        more="the access point's",
    )  # fmt: skip

    def effective(r: Record) -> float:
        """Packets of a channel access as the thesis has them: A-MPDUs in a row times packets in one, each the median."""
        in_a_row = stats.histogram_quantile(array(r["runs"]["ap"]), 0.5)
        size = stats.histogram_quantile(array(r["ampdu"]["ap"]), 0.5)
        return math.nan if in_a_row is None or size is None else (1 + in_a_row) * size

    out["effective_ampdu"] = scalar(effective, "packets", "Packets of a channel access", "the access point's")
    return out


def _histogram(table: str, nodes: Callable[[str], bool], where: str) -> dict[str, Quantity]:
    """What is read off the sizes of data PPDUs that go ``where`` (down, up, to sta1)."""

    def of(read: Callable[[FloatArray], float]) -> Callable[[Record], float]:
        return lambda r: read(of_nodes(r, table, nodes))

    def size(read: Callable[[FloatArray], float], which: str) -> Quantity:
        return scalar(of(read), "packets", f"A-MPDU size {where}, {which}")

    def part(low: int, high: int | None, label: str, more: str = "of data PPDUs") -> Quantity:
        return scalar(of(lambda h: share(h, low, high)), "%", label, more)

    def quantile(h: FloatArray) -> float:
        v = stats.histogram_quantile(h, 0.5)
        return math.nan if v is None else v

    def mean(h: FloatArray) -> float:
        return float((h * np.arange(h.size)).sum() / h.sum()) if h.sum() else math.nan

    return {
        "mean": size(mean, "mean"),
        "median": size(quantile, "median"),
        "mode": size(lambda h: float(np.argmax(h)) if h.sum() else math.nan, "most frequent"),
        "mode_high": size(lambda h: _modes(h, -1), "larger of the two most frequent"),
        "mode_low": size(lambda h: _modes(h, 0), "smaller of the two most frequent"),
        "max": size(lambda h: float(np.max(np.nonzero(h)[0], initial=0)), "largest"),
        "usual_max": size(_usual_max, "largest that one PPDU in a thousand reaches"),
        "single": part(1, 2, f"Single frames {where}"),
        "full": part(FULL, None, f"PPDUs of {FULL} frames or more {where}", "64 KiB of full frames; of data PPDUs"),
        "short": part(
            0, REST, f"PPDUs of {REST - 1} frames or less {where}",
            "what a full one leaves of the Block Ack window; of data PPDUs",
        ),
        "size": Quantity(
            of(mean), lambda r: spread_out(of_nodes(r, table, nodes)), "packets", f"A-MPDU size {where}",
            more="its mean; samples: every PPDU",
        ),
    }  # fmt: skip


def _of_station(out: dict[str, Quantity], sizes: Callable[..., None], only: str) -> None:
    """Aggregates to one station: their sizes, and frames of them that did not arrive."""
    sizes("down", "rx_ampdu", lambda n: n == only, f"to {only}", f"@{only}")

    def bad(r: Record) -> FloatArray:
        return array(r["rx_bad"][only])

    out[f"bad_ampdus@{only}"] = scalar(lambda r: share(bad(r), 1, None), "%", f"A-MPDUs with a bad frame to {only}")
    out[f"bad_frames@{only}"] = bad_frames(lambda n: n == only, f"to {only}")


def bad_frames(at: Callable[[str], bool], where: str) -> Quantity:
    """Frames of an A-MPDU that did not arrive: their mean, and for each A-MPDU how many."""

    def each(r: Record) -> float:
        h, n = of_nodes(r, "rx_bad", at), of_nodes(r, "rx_ampdu", at).sum()
        return float((h * np.arange(h.size)).sum() / n) if n else math.nan

    return Quantity(
        each, lambda r: spread_out(of_nodes(r, "rx_bad", at)), "frames", f"Bad frames in an A-MPDU {where}",
        more="its mean; samples: every PPDU",
    )  # fmt: skip


def _end(i: int, label: str) -> Quantity:
    """Percent of the access point's PPDUs that ended for reason ``i`` of :data:`ENDS`."""
    return scalar(
        lambda r: 100 * r["ends"]["ap"][i] / max(sum(r["ends"]["ap"]), 1), "%", label, "of the access point's PPDUs"
    )
