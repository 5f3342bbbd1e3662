"""What a sweep tells of a point: quantities of the laboratory, and which way each is better."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import UserError, unknown
from ..lab import metrics
from ..lab.plan import Point
from ..lab.records import Record

#: Without ``--metric``: those of them that the scenario has.
USUAL = ("goodput", "udp_goodput", "ping_p50", "ping_p90", "ampdu_mean", "retransmits", "airtime", "jain")
#: Those that say something where several flows or stations share the medium.
SHARED = ("airtime", "jain")
#: What the trade-off is between: the first of each that was measured.
GAINS = ("goodput", "udp_goodput", "all_goodput", "goodput_up", "goodput_down", "throughput", "run_goodput")
COSTS = ("ping_p50", "ping_p90", "ping_rtt", "udp_delay_p50", "udp_delay_p99", "tcp_rtt")
_MORE = re.compile(
    r"(all_|run_|udp_)?goodput(_up|_down)?|throughput|ampdu_(mean|size)|(up|down)_mean|jain|effective_ampdu"
)
_LESS = re.compile(
    r"ping_\w+|udp_(loss|jitter|delay_\w+)|tcp_rtt|retransmits|rtos|single_frame_fraction|goodput_(gap|spread)|client_spread|slow_start|air_overhead"
)
#: Percents of the time of which each sender's counts, also where two collide: together they may be more than all of it.
OVERLAPPING = ("airtime", "ack_airtime")
_STAT = re.compile(r"mean|median|p\d{1,2}")


@dataclass(frozen=True)
class Metric:
    """A quantity of ``lab/metrics.py``, or (``quantity:stat``) a statistic of its samples; ``better``: more, less or ""."""

    name: str
    unit: str
    label: str
    better: str

    @property
    def axis(self) -> str:
        """What a plot's axis says."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def bounds(self) -> tuple[float, float]:
        """What it cannot be below or above: an index is at most 1, a share 100 %, and only decibels go below 0."""
        family = self.name.partition(":")[0].partition("@")[0]
        top = 100.0 if self.unit == "%" and family not in OVERLAPPING else 1.0 if family == "jain" else math.inf
        return (-math.inf if "dB" in self.unit else 0.0, top)

    def of(self, record: Record, point: Point) -> float:
        """Its value in one repetition; NaN where there is none."""
        quantity, _, stat = self.name.partition(":")
        try:
            return metrics.sample(quantity, stat, [record], point).value
        except (KeyError, IndexError):  # of a station, or of a radio, that is not there
            return math.nan


#: What has samples, and no value of a repetition.
SAMPLES = ("airtime_share",)
#: Where people find all names.
LIST = "wavetank list"


def metric(name: str, where: str = "--metric") -> Metric:
    """The metric of that name, asked for by ``where``. Raises UserError for an unknown one."""
    quantity, colon, stat = name.partition(":")
    if quantity not in metrics.QUANTITIES:
        raise _unknown(quantity, where)
    if quantity in SAMPLES and stat in ("", "median"):
        raise UserError(f"{where}: {quantity} is of one, or a statistic: {_first(quantity)}, {quantity}:mean")
    if colon and not _STAT.fullmatch(stat):
        raise UserError(
            f'{where}: {name}: unknown statistic "{stat}", expected mean, median or a percentile such as p90'
        )
    q = metrics.QUANTITIES[quantity]
    family = quantity.partition("@")[0]
    better = "more" if _MORE.fullmatch(family) else "less" if _LESS.fullmatch(family) else ""
    return Metric(name, q.unit, f"{q.label}, {stat}" if stat else q.label, better)


def _members(family: str) -> list[str]:
    return [q for q in metrics.QUANTITIES if q.startswith(f"{family}@")]


def _first(family: str) -> str:
    return next(iter(_members(family)), "")


def _unknown(quantity: str, where: str) -> UserError:
    """The error for it: of what is only of a station or a control, or not of any, the name that was meant."""
    family, at, one = quantity.partition("@")
    if not at and (first := _first(family)):
        return UserError(f"{where}: {family} is only of one: {first}")
    if at and (members := _members(family)):
        if one.startswith("sta"):
            stations = [m for m in members if m.startswith(f"{family}@sta")]
            members = [f"{stations[0]} to {stations[-1]}"] if stations else members
        return unknown("metric", quantity, members, where, LIST)
    if at and family in metrics.QUANTITIES:
        return UserError(f'{where}: unknown metric "{quantity}", expected {family}, which is of all together')
    # a family has a member for each of 64 stations: too many to be near by chance
    return unknown("metric", quantity, families(), where, LIST)


def families() -> list[str]:
    """The names of all metrics; of those of one station or control what stands before ``@``."""
    return list(dict.fromkeys(q.partition("@")[0] for q in metrics.QUANTITIES))


def chosen(names: Sequence[str]) -> list[Metric]:
    """The metrics asked for, each once; without any the usual ones."""
    return [metric(n) for n in dict.fromkeys(names or USUAL)]


def best(name: str, among: Sequence[Metric], where: str = "") -> Metric:
    """The metric to choose the best point by, asked for by ``where``.

    Raises UserError if it is not measured, or no way is better.
    """
    found = {m.name: m for m in among}
    if name not in found:
        raise unknown("metric of this sweep", name, found, where)
    if not found[name].better:
        known = ", ".join(m.name for m in among if m.better)
        place = f"{where}: " if where else ""
        raise UserError(f"{place}neither more nor less of {name} is better in itself, expected one of {known}")
    return found[name]
