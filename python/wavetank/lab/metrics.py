"""From records to numbers: every quantity that is read off repetitions (:mod:`wavetank.lab.records`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core, stats
from ..result import ENDS
from ..stats import FloatArray
from . import ack_metrics
from .judge import Sample, Unmeasured
from .plan import Figure, Point
from .records import Record

#: An Ethernet payload and the TCP payload in it (timestamps on): goodput is 1448/1500 of what the papers' model calls throughput.
PACKET, PAYLOAD = 1500, 1448
#: IP bytes a byte of payload in full packets: headers of IP and UDP, and of IP and TCP with timestamps.
IP_SHARE = {"udp": 1500 / 1472, "tcp": 1500 / 1448}


def _air_overhead(r: Record) -> float:
    """Share of the time that full packets' bits (IP headers included) do not take at the data rate, %."""
    carried = sum(mbit * IP_SHARE[kind] for kind, _, mbit in r["flow_goodput"])
    return 100 * (1 - carried / r["phy_mbit"]) if r["phy_mbit"] else math.nan


def _array(values: Sequence[float | None]) -> FloatArray:
    return np.array([math.nan if v is None else v for v in values], dtype=np.float64)


@dataclass(frozen=True)
class Quantity:
    """A number read off one repetition, its samples within it, and how repetitions become one value."""

    each: Callable[[Record], float]
    samples: Callable[[Record], FloatArray]
    unit: str
    label: str
    pooled: bool = False


def _goodput(kinds: Sequence[str]) -> Quantity:
    def each(r: Record) -> float:
        found = [r["goodput"][k] for k in kinds if k in r["goodput"]]
        return float(sum(found)) if found else math.nan

    def samples(r: Record) -> FloatArray:
        found = [_array(r["goodput_samples"][k]) for k in kinds if k in r["goodput_samples"]]
        n = min((len(a) for a in found), default=0)
        return np.sum([a[:n] for a in found], axis=0) if found else np.empty(0)

    return Quantity(each, samples, "Mbit/s", "Goodput")


def _pooled(pick: Callable[[Record], FloatArray], unit: str, label: str) -> Quantity:
    return Quantity(lambda r: _median(pick(r)), pick, unit, label, pooled=True)


def _median(a: FloatArray) -> float:
    a = stats.finite(a)
    return float(np.median(a)) if a.size else math.nan


def _over(table: Mapping[str, Any]) -> FloatArray:
    return np.concatenate([_array(v) for v in table.values()]) if table else np.empty(0)


def _hist(r: Record) -> FloatArray:
    """Aggregates of who sends the data: the stations if any flow goes up, else the access point."""
    up = any(f[1] == "up" for f in r["flow_goodput"])
    nodes = [n for n in r["ampdu"] if (n != "ap") == up]
    return np.sum([_array(r["ampdu"][n]) for n in nodes], axis=0) if nodes else np.zeros(65)


def _sizes(r: Record) -> FloatArray:
    h = _hist(r)
    return np.repeat(np.arange(h.size, dtype=np.float64), h.astype(np.int64))


def _of_hist(read: Callable[[FloatArray], float | None], unit: str, label: str) -> Quantity:
    def each(r: Record) -> float:
        v = read(_hist(r))
        return math.nan if v is None else v

    return Quantity(each, _sizes, unit, label)


def _flow_ratio(r: Record) -> float:
    up, down = r["goodput"].get("tcp_up", math.nan), r["goodput"].get("tcp_down", math.nan)
    return float(down / up) if up else math.nan


def _gap(r: Record) -> float:
    return float(abs(r["goodput"].get("tcp_down", math.nan) - r["goodput"].get("tcp_up", math.nan)))


def _scalar(each: Callable[[Record], float], unit: str, label: str) -> Quantity:
    return Quantity(each, lambda r: np.array([each(r)]), unit, label)


def _first(r: Record, column: str) -> tuple[FloatArray, FloatArray]:
    """A column of the first flow over the flows' time: times since the run's start, and values."""
    for direction in ("up", "down"):
        if f"{column}_{direction}" in r["series"]:
            t, v = (_array(a) for a in r["series"][f"{column}_{direction}"])
            within = (t >= r["window"][0]) & (t <= r["window"][1])
            return t[within], v[within]
    return np.empty(0), np.empty(0)


#: Segments in flight in BBR's dip. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_cwnd_min_target
DIP_CWND = 4


def _dips(r: Record) -> FloatArray:
    """When the first flow's window was down at BBR's dip, once a dip: seconds since the run's start."""
    t, cwnd = _first(r, "cwnd")
    low = cwnd <= DIP_CWND
    return t[low & ~np.concatenate([[False], low[:-1]])] if t.size else t


def _period(r: Record) -> float:
    dips = _dips(r)
    return float(np.median(np.diff(dips))) if dips.size > 1 else math.nan


def _dip(r: Record, which: int) -> float:
    dips = _dips(r)
    return float(dips[which]) if dips.size > which else math.nan


def _flat(r: Record) -> float:
    """Longest time in which the first flow's window did not change, seconds."""
    t, cwnd = _first(r, "cwnd")
    if t.size < 2:
        return math.nan
    changes = np.concatenate([[t[0]], t[1:][np.diff(cwnd) != 0], [t[-1]]])
    return float(np.diff(changes).max())


def _ping_spread(r: Record) -> float:
    pings = stats.finite(_array(r["pings"].get("icmp", [])))
    return float(np.subtract(*np.percentile(pings, [90, 10]))) if pings.size else math.nan


#: The largest A-MPDU of full frames: 64 KiB.
FULL = 42
#: A closed Block Ack window of 64 leaves this many beside a full A-MPDU.
REST = 64 - FULL


def _sum(r: Record, table: str, nodes: Callable[[str], bool]) -> FloatArray:
    found = [_array(v) for n, v in r[table].items() if nodes(n)]
    return np.sum(found, axis=0) if found else np.zeros(65)


def _spread_out(h: FloatArray) -> FloatArray:
    return np.repeat(np.arange(h.size, dtype=np.float64), h.astype(np.int64))


def _share(h: FloatArray, low: int, high: int) -> float:
    """Percent of a histogram's entries from ``low`` to below ``high``."""
    return float(100 * h[low:high].sum() / h.sum()) if h.sum() > 0 else math.nan


def _modes(h: FloatArray, which: int) -> float:
    """The smaller (0) or larger (-1) of the two most frequent sizes; of a distribution on one size, that."""
    top = [i for i in np.argsort(-h, kind="stable")[:2] if h[i] > 0]
    return float(sorted(top)[which]) if top else math.nan


def _usual_max(h: FloatArray) -> float:
    """The largest size that one PPDU in a thousand reaches: a rare one has frames shorter than the MTU, and so more of them."""
    tail = np.cumsum(h[::-1])[::-1]
    return float(np.max(np.nonzero(tail >= 0.001 * max(h.sum(), 1))[0], initial=0))


def _aggregates() -> dict[str, Quantity]:
    """Of data that go down: what the access point sent, by station too (``@sta3``), and what the stations answered with."""

    def histogram(table: str, nodes: Callable[[str], bool]) -> dict[str, tuple[Callable[[Record], float], str, str]]:
        def of(read: Callable[[FloatArray], float]) -> Callable[[Record], float]:
            return lambda r: read(_sum(r, table, nodes))

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
            "single": (of(lambda h: _share(h, 1, 2)), "%", percent),
            "full": (of(lambda h: _share(h, FULL, 65)), "%", percent),
            "short": (of(lambda h: _share(h, 0, REST)), "%", percent),
        }

    out: dict[str, Quantity] = {}

    def sizes(prefix: str, table: str, nodes: Callable[[str], bool], suffix: str = "") -> None:
        for name, (each, unit, label) in histogram(table, nodes).items():
            out[f"{prefix}_{name}{suffix}"] = _scalar(each, unit, label)
        every = Quantity(
            histogram(table, nodes)["mean"][0], lambda r: _spread_out(_sum(r, table, nodes)), "packets", "A-MPDU size"
        )
        out[f"{prefix}_size{suffix}"] = every

    sizes("down", "rx_ampdu", lambda n: n != "ap")
    sizes("up", "ampdu", lambda n: n != "ap")
    for i in range(1, 65):
        _of_station(out, sizes, f"sta{i}")
    out.update(_rate_control())
    for i, why in enumerate(ENDS):
        out[f"end_{why}"] = _end(i)
    out["runs_one"] = _scalar(lambda r: _share(_array(r["runs"]["ap"]), 0, 1), "%", "Share of channel holdings (%)")
    out["runs"] = Quantity(
        lambda r: stats.histogram_quantile(_array(r["runs"]["ap"]), 0.5) or 0.0,
        lambda r: _spread_out(_array(r["runs"]["ap"])), "count", "Further A-MPDUs after the first",
    )  # fmt: skip

    def effective(r: Record) -> float:
        """Packets of a channel access as the thesis has them: A-MPDUs in a row times packets in one, each the median."""
        in_a_row = stats.histogram_quantile(_array(r["runs"]["ap"]), 0.5)
        size = stats.histogram_quantile(_array(r["ampdu"]["ap"]), 0.5)
        return math.nan if in_a_row is None or size is None else (1 + in_a_row) * size

    out["effective_ampdu"] = _scalar(effective, "packets", "Packets of a channel access")
    return out


#: MCSs of one stream that count as high: 64-QAM.
HIGH_MCS = 5


def _rate_control() -> dict[str, Quantity]:
    """Of data that go down: the rates they went at, what of them was lost, and what rate control tried out."""

    def to(only: str) -> Callable[[str], bool]:
        return (lambda n: n == only) if only else (lambda n: n != "ap")

    def sent(r: Record, only: str = "") -> FloatArray:
        return _sum(r, "rx_mcs", to(only))[:32]

    def share(low: int, high: int, only: str = "") -> Callable[[Record], float]:
        return lambda r: _share(sent(r, only), low, high)

    def bad(at: Callable[[str], bool]) -> Quantity:
        def each(r: Record) -> float:
            h, n = _sum(r, "rx_bad", at), _sum(r, "rx_ampdu", at).sum()
            return float((h * np.arange(65)).sum() / n) if n else math.nan

        return Quantity(each, lambda r: _spread_out(_sum(r, "rx_bad", at)), "frames", "Bad frames in an A-MPDU")

    def counted(part: str, whole: str) -> Callable[[Record], float]:
        def each(r: Record) -> float:
            c = r["rate"].get("ap", {})
            return 100 * c[part] / c[whole] if c.get(whole) else math.nan

        return each

    percent = "Share of MPDUs (%)"
    out = {f"mcs{i}_share": _scalar(share(i, i + 1), "%", percent) for i in range(8)}
    out["high_mcs_share"] = _scalar(share(HIGH_MCS, 8), "%", percent)
    out["mcs"] = Quantity(
        lambda r: float((sent(r) * np.arange(32)).sum() / max(sent(r).sum(), 1)),
        lambda r: np.repeat(np.arange(32.0), (sent(r) / max(sent(r).sum() / 10_000, 1)).astype(np.int64)),
        "MCS",
        "MCS",
    )
    for i in range(1, 65):
        out.update(_one_client(i, lambda r, only: float(np.argmax(sent(r, only)))))
    out["bad_mean"] = bad(to(""))
    out["up_bad"] = bad(lambda n: n == "ap")
    out["probe_fraction"] = _scalar(counted("probe_frames", "frames"), "%", "Frames in probes (%)")
    out["probe_success"] = _scalar(counted("probes_ok", "probes"), "%", "Probes that succeed (%)")
    out["forced_fraction"] = _scalar(counted("forced", "probes"), "%", "Probes that are forced (%)")
    out["forced_success"] = _scalar(counted("forced_ok", "forced"), "%", "Forced probes that succeed (%)")
    return out


def _one_client(i: int, mcs_mode: Callable[[Record, str], float]) -> dict[str, Quantity]:
    """What one client of several got."""
    name = f"sta{i}"
    return {
        f"mcs_mode@{name}": _scalar(lambda r: mcs_mode(r, name), "MCS", "MCS"),
        f"airtime_share@{name}": _scalar(lambda r: _airtime_share(r, name), "%", "Share of airtime (%)"),
        f"ampdu_airtime@{name}": _scalar(lambda r: _ampdu_airtime(r, name), "ms", "Airtime of an A-MPDU (ms)"),
        f"goodput@{name}": _scalar(lambda r: _flow(r, i), "Mbit/s", "Goodput"),
    }


def _airtime_share(r: Record, only: str) -> float:
    to = {n: v for n, v in r["airtime_rx"].items() if n != "ap"}
    return float(100 * to[only] / sum(to.values())) if only in to and sum(to.values()) else math.nan


def _ampdu_airtime(r: Record, only: str) -> float:
    """Of the A-MPDU itself: what ath9k's 4 ms bound, and the thesis sets beside them (5.9.5)."""
    return r["rx_ppdu_ms"].get(only) or math.nan


def _flow(r: Record, station: int) -> float:
    flows = r["flow_goodput"]
    return float(flows[station - 1][2]) if station <= len(flows) else math.nan


def _of_station(out: dict[str, Quantity], sizes: Callable[..., None], only: str) -> None:
    """Aggregates to one station: their sizes, and frames of them that did not arrive."""
    sizes("down", "rx_ampdu", lambda n: n == only, f"@{only}")

    def bad(r: Record) -> FloatArray:
        return _array(r["rx_bad"][only])

    def share(r: Record) -> float:
        return _share(bad(r), 1, 65)

    out[f"bad_ampdus@{only}"] = _scalar(share, "%", "A-MPDUs with a bad frame (%)")
    frames = Quantity(share, lambda r: _spread_out(bad(r)), "frames", "Bad frames in an A-MPDU")
    out[f"bad_frames@{only}"] = frames


def _end(i: int) -> Quantity:
    """Percent of the access point's PPDUs that ended for reason ``i`` of :data:`ENDS`."""
    return _scalar(lambda r: 100 * r["ends"]["ap"][i] / max(sum(r["ends"]["ap"]), 1), "%", "Share of A-MPDUs (%)")


def _client_seconds(r: Record) -> FloatArray:
    return np.concatenate([_array(f) for f in r["flow_seconds"]]) if r["flow_seconds"] else np.empty(0)


def _client_spread(r: Record) -> float:
    a = stats.finite(_client_seconds(r))
    return float(np.subtract(*np.percentile(a, [90, 10]))) if a.size else math.nan


def _jain(r: Record) -> float:
    v = stats.jain([f[2] for f in r["flow_goodput"]])
    return math.nan if v is None else v


_TCP = _goodput(["tcp_up", "tcp_down"])
QUANTITIES: dict[str, Quantity] = {
    **_aggregates(),
    "goodput": _TCP,
    "run_goodput": _scalar(_TCP.each, "Mbit/s", "Goodput of a run"),
    "goodput_up": _goodput(["tcp_up"]),
    "goodput_down": _goodput(["tcp_down"]),
    "udp_goodput": _goodput(["udp_up", "udp_down"]),
    "all_goodput": _goodput(["tcp_up", "tcp_down", "udp_up", "udp_down"]),
    "throughput": Quantity(
        lambda r: _TCP.each(r) * PACKET / PAYLOAD,
        lambda r: _TCP.samples(r) * PACKET / PAYLOAD,
        "Mbit/s",
        "Throughput",
    ),
    "ping_rtt": _pooled(lambda r: _array(r["pings"].get("icmp", [])), "ms", "Ping RTT"),
    "tcp_rtt": _pooled(lambda r: _over(r["rtt_samples"]), "ms", "TCP RTT"),
    "cwnd": _pooled(lambda r: _over(r["cwnd_samples"]), "segments", "cwnd"),
    "ampdu_size": _of_hist(lambda h: stats.ampdu(h)["mean"], "packets", "A-MPDU size"),
    "single_frame_fraction": _of_hist(lambda h: stats.ampdu(h)["single_fraction"], "", "Share of single frames"),
    "fairness": _scalar(_flow_ratio, "", "Download / upload"),
    "goodput_gap": _scalar(_gap, "Mbit/s", "|download - upload|"),
    "ping_spread": _scalar(_ping_spread, "ms", "Ping RTT p90 - p10"),
    "pacing_rate": _pooled(lambda r: _first(r, "pacing")[1], "Mbit/s", "Pacing rate"),
    # BBR paces at 99 % of its bandwidth in most phases of its cycle.
    "bw_estimate": _pooled(lambda r: _first(r, "pacing")[1] / 0.99, "Mbit/s", "BBR's bandwidth"),
    "drain_period": _scalar(_period, "s", "Time from dip to dip"),
    "drain_time_1": _scalar(lambda r: _dip(r, 0), "s", "First dip"),
    "drain_time_2": _scalar(lambda r: _dip(r, 1), "s", "Second dip"),
    "drain_spikes": _scalar(lambda r: float(_dips(r).size), "", "Dips"),
    "slow_start": _scalar(lambda r: next(iter(r["slow_start_s"].values()), math.nan), "s", "First slow start"),
    "cwnd_flat": _scalar(_flat, "s", "Longest time of one cwnd"),
    "client_seconds": Quantity(_client_spread, _client_seconds, "Mbit/s", "Goodput of a client in a second"),
    "client_spread": _scalar(_client_spread, "Mbit/s", "Client goodput p90 - p10"),
    "air_overhead": _scalar(_air_overhead, "%", "Time that is not the payload's"),
    "jain": _scalar(_jain, "", "Jain's index"),
    "airtime_share": Quantity(
        lambda r: math.nan,
        lambda r: 100 * np.array([v for n, v in r["airtime_rx"].items() if n != "ap"]),
        "%",
        "Airtime of a client",
    ),
    **{name: _scalar(*spec) for name, spec in ack_metrics.SCALARS.items()},
    "goodput_spread": _scalar(
        lambda r: float(np.subtract(*np.percentile(_TCP.samples(r), [90, 10]))), "Mbit/s", "Goodput p90 - p10"
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
