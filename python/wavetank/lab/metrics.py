"""From records to numbers: every quantity that is read off repetitions (:mod:`wavetank.lab.records`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core, stats
from ..stats import FloatArray
from . import ack_metrics, aggregate_metrics, control_metrics, drain_metrics, rate_metrics
from .drain_metrics import first
from .judge import Sample, Unmeasured
from .plan import Figure, Point
from .quantity import Quantity, array, pooled, scalar
from .records import Record

#: An Ethernet payload and the TCP payload in it (timestamps on): goodput is 1448/1500 of what the papers' model calls throughput.
PACKET, PAYLOAD = 1500, 1448
#: IP bytes a byte of payload in full packets: headers of IP and UDP, and of IP and TCP with timestamps.
IP_SHARE = {"udp": 1500 / 1472, "tcp": 1500 / 1448}


def _air_overhead(r: Record) -> float:
    """Share of the time that full packets' bits (IP headers included) do not take at the data rate, %."""
    carried = sum(mbit * IP_SHARE[kind] for kind, _, mbit in r["flow_goodput"])
    return 100 * (1 - carried / r["phy_mbit"]) if r["phy_mbit"] else math.nan


def _goodput(kinds: Sequence[str], label: str) -> Quantity:
    def each(r: Record) -> float:
        found = [r["goodput"][k] for k in kinds if k in r["goodput"]]
        return float(sum(found)) if found else math.nan

    def samples(r: Record) -> FloatArray:
        found = [array(r["goodput_samples"][k]) for k in kinds if k in r["goodput_samples"]]
        n = min((len(a) for a in found), default=0)
        return np.sum([a[:n] for a in found], axis=0) if found else np.empty(0)

    return Quantity(each, samples, "Mbit/s", label, more="sum of the flows")


def _over(table: Mapping[str, Any]) -> FloatArray:
    return np.concatenate([array(v) for v in table.values()]) if table else np.empty(0)


def _hist(r: Record) -> FloatArray:
    """Aggregates of who sends the data: the stations if any flow goes up, else the access point."""
    up = any(f[1] == "up" for f in r["flow_goodput"])
    nodes = [n for n in r["ampdu"] if (n != "ap") == up]
    return np.sum([array(r["ampdu"][n]) for n in nodes], axis=0) if nodes else np.zeros(1)


def _sizes(r: Record) -> FloatArray:
    h = _hist(r)
    return np.repeat(np.arange(h.size, dtype=np.float64), h.astype(np.int64))


#: Whose aggregates these are.
SENDERS = "of the stations if anything goes up, else of the access point"


def _of_hist(read: Callable[[FloatArray], float | None], unit: str, label: str) -> Quantity:
    def each(r: Record) -> float:
        v = read(_hist(r))
        return math.nan if v is None else v

    return Quantity(each, _sizes, unit, label, more=SENDERS)


def _ping(r: Record, percent: float) -> float:
    pings = stats.finite(array(r["pings"].get("icmp", [])))
    return float(np.percentile(pings, percent)) if pings.size else math.nan


def _ping_loss(r: Record) -> float:
    pings = array(r["pings"].get("icmp", []))
    return float(100 * np.isnan(pings).mean()) if pings.size else math.nan


def _flow_ratio(r: Record) -> float:
    up, down = r["goodput"].get("tcp_up", math.nan), r["goodput"].get("tcp_down", math.nan)
    return float(down / up) if up else math.nan


def _gap(r: Record) -> float:
    return float(abs(r["goodput"].get("tcp_down", math.nan) - r["goodput"].get("tcp_up", math.nan)))


def _flat(r: Record) -> float:
    """Longest time in which the first flow's window did not change, seconds."""
    t, cwnd = first(r, "cwnd")
    if t.size < 2:
        return math.nan
    changes = np.concatenate([[t[0]], t[1:][np.diff(cwnd) != 0], [t[-1]]])
    return float(np.diff(changes).max())


def _ping_spread(r: Record) -> float:
    pings = stats.finite(array(r["pings"].get("icmp", [])))
    return float(np.subtract(*np.percentile(pings, [90, 10]))) if pings.size else math.nan


def _client_seconds(r: Record) -> FloatArray:
    return np.concatenate([array(f) for f in r["flow_seconds"]]) if r["flow_seconds"] else np.empty(0)


def _client_spread(r: Record) -> float:
    a = stats.finite(_client_seconds(r))
    return float(np.subtract(*np.percentile(a, [90, 10]))) if a.size else math.nan


def _datagrams(read: Callable[[Mapping[str, Any]], float | None]) -> Callable[[Record], float]:
    """A figure of the UDP flows' deliveries: of several, the worst, since each is somebody's call."""

    def each(r: Record) -> float:
        found = [x for x in (read(d) for d in r.get("delivery", [])) if x is not None]
        return max(found) if found else math.nan

    return each


def _jain(r: Record) -> float:
    tcp = [f for f in r["flow_goodput"] if f[0] == "tcp"]
    v = stats.jain([f[2] for f in tcp or r["flow_goodput"]])
    return math.nan if v is None else v


#: Whose these are.
WORST = "of the worst UDP flow"
#: Said wherever airtime is shown that is more than the time there was.
COLLISIONS = "Airtime above 100 %: of what collides, each sender's time counts (docs/results.md)."

_TCP = _goodput(["tcp_up", "tcp_down"], "TCP goodput")
QUANTITIES: dict[str, Quantity] = {
    **aggregate_metrics.quantities(),
    **rate_metrics.quantities(),
    **control_metrics.quantities(),
    **drain_metrics.quantities(),
    "goodput": _TCP,
    "run_goodput": scalar(_TCP.each, "Mbit/s", "TCP goodput of a run"),
    "goodput_up": _goodput(["tcp_up"], "TCP goodput up"),
    "goodput_down": _goodput(["tcp_down"], "TCP goodput down"),
    "udp_goodput": _goodput(["udp_up", "udp_down"], "UDP goodput"),
    "all_goodput": _goodput(["tcp_up", "tcp_down", "udp_up", "udp_down"], "Goodput of TCP and UDP"),
    "throughput": Quantity(
        lambda r: _TCP.each(r) * PACKET / PAYLOAD,
        lambda r: _TCP.samples(r) * PACKET / PAYLOAD,
        "Mbit/s",
        "TCP throughput",
        more="its goodput with headers, as the papers have it",
    ),
    "ping_rtt": pooled(lambda r: array(r["pings"].get("icmp", [])), "ms", "Ping RTT"),
    "tcp_rtt": pooled(lambda r: _over(r["rtt_samples"]), "ms", "TCP RTT", "srtt of all TCP flows"),
    "cwnd": pooled(lambda r: _over(r["cwnd_samples"]), "segments", "cwnd", "of all TCP flows"),
    "ampdu_size": _of_hist(lambda h: stats.ampdu(h)["mean"], "packets", "A-MPDU size"),
    "single_frame_fraction": _of_hist(lambda h: stats.ampdu(h)["single_fraction"], "", "Single frames, as a fraction"),
    "fairness": scalar(_flow_ratio, "", "TCP goodput, download / upload"),
    "goodput_gap": scalar(_gap, "Mbit/s", "TCP goodput, |download - upload|"),
    "ping_p50": scalar(lambda r: _ping(r, 50), "ms", "Ping RTT, median"),
    "ping_p90": scalar(lambda r: _ping(r, 90), "ms", "Ping RTT, p90"),
    "ping_loss": scalar(_ping_loss, "%", "Pings lost"),
    "ping_spread": scalar(_ping_spread, "ms", "Ping RTT p90 - p10"),
    "pacing_rate": pooled(lambda r: first(r, "pacing")[1], "Mbit/s", "Pacing rate", "of the first TCP flow"),
    # BBR paces at 99 % of its bandwidth in most phases of its cycle.
    "bw_estimate": pooled(lambda r: first(r, "pacing")[1] / 0.99, "Mbit/s", "BBR's bandwidth", "of the first TCP flow"),
    "slow_start": scalar(lambda r: next(iter(r["slow_start_s"].values()), math.nan), "s", "First slow start"),
    "cwnd_flat": scalar(_flat, "s", "Longest time of one cwnd"),
    "client_seconds": Quantity(
        _client_spread,
        _client_seconds,
        "Mbit/s",
        "Goodput of a client in a second",
        more="p90 - p10; samples: every second of every client",
    ),
    "client_spread": scalar(_client_spread, "Mbit/s", "Client goodput p90 - p10"),
    "air_overhead": scalar(_air_overhead, "%", "Time that is not the payload's"),
    "ampdu_mean": _of_hist(lambda h: stats.ampdu(h)["mean"], "MPDUs", "A-MPDU, mean"),
    "retransmits": scalar(lambda r: float(r["retransmits"]), "", "Retransmitted segments"),
    "rtos": scalar(lambda r: math.nan if r["rtos"] is None else float(r["rtos"]), "", "Retransmission timeouts"),
    "delivered_ce": scalar(
        lambda r: math.nan if r["delivered_ce"] is None else float(r["delivered_ce"]),
        "segments",
        "Segments acknowledged with ECE",
        "tcpi_delivered_ce, of all flows",
    ),
    "airtime": scalar(
        lambda r: 100 * sum(r["airtime"].values()) if r["airtime"] else math.nan, "%", "Airtime, summed over radios"
    ),
    "jain": scalar(_jain, "", "Jain's index", "of the TCP flows; of all where there are none"),
    "udp_loss": scalar(
        _datagrams(lambda d: 100 * (1 - d["arrived"] / d["sent"]) if d["sent"] else None),
        "%",
        "UDP datagrams lost",
        WORST,
    ),
    "udp_delay_p50": scalar(_datagrams(lambda d: d["delay_ms"]["p50"]), "ms", "UDP delay one way, median", WORST),
    "udp_delay_p99": scalar(_datagrams(lambda d: d["delay_ms"]["p99"]), "ms", "UDP delay one way, p99", WORST),
    "udp_jitter": scalar(_datagrams(lambda d: d["jitter_ms"]), "ms", "UDP jitter", WORST),
    "airtime_share": Quantity(
        lambda r: math.nan,
        lambda r: 100 * np.array([v for n, v in r["airtime_rx"].items() if n != "ap"]),
        "%",
        "Airtime of a client",
        more="samples: every station's, of the window; has no value without a statistic",
    ),
    **{name: scalar(*spec) for name, spec in ack_metrics.SCALARS.items()},
    "goodput_spread": scalar(
        lambda r: float(np.subtract(*np.percentile(_TCP.samples(r), [90, 10]))), "Mbit/s", "TCP goodput p90 - p10"
    ),
}
#: Quantities of the closed form that a figure names, instead of runs: its output, and what makes our unit of it.
MODEL = {
    "tsq_limit": ("limit byte", 1.0),
    "model_throughput": ("BW Mbit/s", 1.0),
    "model_tcp_rtt": ("RTT us", 1e-3),
    "model_goodput": ("goodput Mbit/s", 1.0),
    "model_utilisation": ("utilisation 1", 100.0),
    "model_tcp": ("TCP Mbit/s", 1.0),
    "model_hack": ("HACK Mbit/s", 1.0),
    "model_hack_gain": ("gain 1", 100.0),
    "model_contending": ("contending Mbit/s", 1.0),
    "model_llack": ("turnaround us", 1.0),
    "model_llack_mean": ("mean us", 1.0),
    "overhead": ("overhead %", 1.0),
    "feedback_airtime": ("airtime us", 1.0),
    "feedback_loss": ("loss %", 1.0),
    "overhead_utilisation": ("utilisation %", 1.0),
    "overhead_idle": ("idle us", 1.0),
    "overhead_packet": ("packet us", 1.0),
}


def sample(quantity: str, stat: str, records: Sequence[Record], point: Point) -> Sample:
    """The value over repetitions and its standard error.

    Without ``stat``: the median over repetitions of the period's value, and of round trips and windows the median of the samples
    pooled over repetitions. ``stat="mean"``: the mean of the pooled samples; ``p25`` and so on likewise.
    """
    q = QUANTITIES[quantity]
    x = next(iter(point.x.values()), None)
    per_rep = [_stat(q.samples(r), stat) if stat not in ("", "median") else q.each(r) for r in records]
    per_rep = [v for v in per_rep if math.isfinite(v)]
    if not per_rep:
        return Sample(math.nan, 0.0, point.name, x)
    if q.pooled or stat not in ("", "median"):
        value = _stat(np.concatenate([q.samples(r) for r in records]), stat or "median")
    else:
        value = float(np.median(per_rep))
    return Sample(value, stats.standard_error(per_rep), point.name, x)


def _stat(values: FloatArray, stat: str) -> float:
    a = stats.finite(values)
    if a.size == 0:
        return math.nan
    if stat == "mean":
        return float(a.mean())
    if stat == "median":
        return float(np.median(a))
    if stat.startswith("p") and stat[1:].isdigit():
        return float(np.percentile(a, int(stat[1:])))
    if stat == "upper-tail":
        return float(np.percentile(a, 99))
    if stat.startswith("mode"):
        sizes, counts = np.unique(a, return_counts=True)
        top = np.sort(sizes[np.argsort(-counts, kind="stable")[:2]])
        return float(top[0] if "lower" in stat else top[-1] if "upper" in stat else sizes[np.argmax(counts)])
    raise Unmeasured(f'the statistic "{stat}" is not known')


def model(figure: Figure, quantity: str, point: Point) -> Sample:
    """A closed form's value at a point: inputs are the figure's ``[model]`` and the point's place on its axes.

    ``forms`` there names the form of a quantity that is not of ``form``."""
    spec = figure.model
    form = spec.get("forms", {}).get(quantity, spec["form"])
    inputs = {**spec.get("inputs", {}), **{k: point.x[a] for k, a in spec.get("axes", {}).items()}}
    out = _core.theory_eval(form, inputs)
    output, scale = MODEL[quantity]
    return Sample(out[output] * scale, 0.0, point.name, next(iter(point.x.values()), None))
