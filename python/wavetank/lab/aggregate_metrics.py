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

    def histogram(table: str, nodes: Callable[[str], bool]) -> dict[str, tuple[Callable[[Record], float], str, str]]:
        def of(read: Callable[[FloatArray], float]) -> Callable[[Record], float]:
            return lambda r: read(of_nodes(r, table, nodes))

        def quantile(h: FloatArray) -> float:
            v = stats.histogram_quantile(h, 0.5)
            return math.nan if v is None else v

        size, percent = "A-MPDU size (frames)", "Share of data PPDUs (%)"
        return {
            "mean": (
                of(lambda h: float((h * np.arange(65)).sum() / h.sum()) if h.sum() else math.nan),
                "packets",
                size,
            ),
            "median": (of(quantile), "packets", size),
            "mode": (of(lambda h: float(np.argmax(h)) if h.sum() else math.nan), "packets", size),
            "mode_high": (of(lambda h: _modes(h, -1)), "packets", size),
            "mode_low": (of(lambda h: _modes(h, 0)), "packets", size),
            "max": (of(lambda h: float(np.max(np.nonzero(h)[0], initial=0))), "packets", size),
            "usual_max": (of(_usual_max), "packets", size),
            "single": (of(lambda h: share(h, 1, 2)), "%", percent),
            "full": (of(lambda h: share(h, FULL, 65)), "%", percent),
            "short": (of(lambda h: share(h, 0, REST)), "%", percent),
        }

    out: dict[str, Quantity] = {}

    def sizes(prefix: str, table: str, nodes: Callable[[str], bool], suffix: str = "") -> None:
        for name, (each, unit, label) in histogram(table, nodes).items():
            out[f"{prefix}_{name}{suffix}"] = scalar(each, unit, label)
        every = Quantity(
            histogram(table, nodes)["mean"][0],
            lambda r: spread_out(of_nodes(r, table, nodes)),
            "packets",
            "A-MPDU size",
        )
        out[f"{prefix}_size{suffix}"] = every

    sizes("down", "rx_ampdu", lambda n: n != "ap")
    sizes("up", "ampdu", lambda n: n != "ap")
    for i in range(1, 65):
        _of_station(out, sizes, f"sta{i}")
    for i, why in enumerate(ENDS):
        out[f"end_{why}"] = _end(i)
    out["runs_one"] = scalar(lambda r: share(array(r["runs"]["ap"]), 0, 1), "%", "Share of channel holdings (%)")
    out["runs"] = Quantity(
        lambda r: stats.histogram_quantile(array(r["runs"]["ap"]), 0.5) or 0.0,
        lambda r: spread_out(array(r["runs"]["ap"])), "count", "Further A-MPDUs after the first",
    )  # fmt: skip

    def effective(r: Record) -> float:
        """Packets of a channel access as the thesis has them: A-MPDUs in a row times packets in one, each the median."""
        in_a_row = stats.histogram_quantile(array(r["runs"]["ap"]), 0.5)
        size = stats.histogram_quantile(array(r["ampdu"]["ap"]), 0.5)
        return math.nan if in_a_row is None or size is None else (1 + in_a_row) * size

    out["effective_ampdu"] = scalar(effective, "packets", "Packets of a channel access")
    return out


def _of_station(out: dict[str, Quantity], sizes: Callable[..., None], only: str) -> None:
    """Aggregates to one station: their sizes, and frames of them that did not arrive."""
    sizes("down", "rx_ampdu", lambda n: n == only, f"@{only}")

    def bad(r: Record) -> FloatArray:
        return array(r["rx_bad"][only])

    def lossy(r: Record) -> float:
        return share(bad(r), 1, 65)

    out[f"bad_ampdus@{only}"] = scalar(lossy, "%", "A-MPDUs with a bad frame (%)")
    frames = Quantity(lossy, lambda r: spread_out(bad(r)), "frames", "Bad frames in an A-MPDU")
    out[f"bad_frames@{only}"] = frames


def _end(i: int) -> Quantity:
    """Percent of the access point's PPDUs that ended for reason ``i`` of :data:`ENDS`."""
    return scalar(lambda r: 100 * r["ends"]["ap"][i] / max(sum(r["ends"]["ap"]), 1), "%", "Share of A-MPDUs (%)")
