"""The figures of a run, and of several runs the lines of a table: means, differences and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import stats
from ..result import Result

#: Figures of one run by (what, unit); None: it has none.
Figures = Mapping[tuple[str, str], float | None]
#: What goodput is summed over: kind and direction of flows.
SUMMED = ("tcp up", "tcp down", "udp up", "udp down")
#: What every radio has, and few runs tell apart.
BITRATE, LOST, CE = "bitrate to it", "lost MPDUs to it", "delivered_ce"
#: Bitrates that differ by less are the same.
SAME = 1e-6


@dataclass(frozen=True)
class Line:
    """One figure of every column: what each repetition gave, in the order of the seeds (one, where there are none)."""

    figure: str
    unit: str
    samples: Mapping[str, Sequence[float | None]]

    @property
    def values(self) -> dict[str, float | None]:
        """Means over the repetitions that have it."""
        return {w: _mean(v) for w, v in self.samples.items()}

    def differences(self) -> dict[str, float | None]:
        """(column - first) / first, signed; None if either is missing or the first is 0."""
        (_, base), *others = self.values.items()
        return {w: (v - base) / base if v is not None and base else None for w, v in others}

    def errors(self) -> dict[str, float | None]:
        """Standard error of each difference, as a fraction of the first; None with fewer than two repetitions.

        Repetitions of equal number are pairs: a seed has the same channel in each column.
        """
        base = self.values[next(iter(self.samples))]
        first, *others = self.samples
        return {w: self._error(first, w) / abs(base) if base and self._known(first, w) else None for w in others}

    def significant(self) -> dict[str, bool]:
        """Whether each difference is more than chance: its 95 % confidence interval (Student's t) leaves out 0.

        Of columns with unlike numbers of repetitions, the fewer decide. A difference of runs that do not vary at all is none of
        chance; one that has no error has no answer, and is False.
        """
        first, errors, found = next(iter(self.samples)), self.errors(), {}
        for w, d in self.differences().items():
            error = errors[w]
            n = min(len(_present(self.samples[c])) for c in (first, w))
            found[w] = d is not None and error is not None and n > 1 and abs(d) > stats.student_t(n - 1) * error
        return found

    def _known(self, *columns: str) -> bool:
        return all(len(_present(self.samples[c])) > 1 for c in columns)

    def _error(self, first: str, other: str) -> float:
        a, b = self.samples[first], self.samples[other]
        pairs = [y - x for x, y in zip(a, b, strict=False) if x is not None and y is not None]
        if len(a) == len(b) and len(pairs) > 1:
            return stats.standard_error(pairs)
        return math.hypot(*(stats.standard_error(_present(v)) for v in (a, b)))

    def json(self) -> dict[str, Any]:
        """The keys of ``compare --json``."""
        repeated = any(len(v) > 1 for v in self.samples.values())
        more = {"standard_error": self.errors(), "significant": self.significant()} if repeated else {}
        return {"figure": self.figure, "unit": self.unit, **self.values, "difference": self.differences(), **more}


def _present(values: Iterable[float | None]) -> list[float]:
    return [v for v in values if v is not None]


def _mean(values: Iterable[float | None]) -> float | None:
    v = _present(values)
    return sum(v) / len(v) if v else None


def lines(columns: Mapping[str, Sequence[Figures]]) -> list[Line]:
    """A line for each figure that a run of any column has; of losses where there are any, of bitrates where they differ."""
    columns = _sums(columns)
    keys = list(dict.fromkeys(k for runs in columns.values() for run in runs for k in run))
    every = (Line(*key, {name: [run.get(key) for run in runs] for name, runs in columns.items()}) for key in keys)
    return [line for line in every if _says_something(line)]


def _sums(columns: Mapping[str, Sequence[Figures]]) -> Mapping[str, Sequence[Figures]]:
    """Sums over flows by the name that they have in every column; they go where no run has several flows."""
    names: dict[tuple[str, str], str] = {}
    for what in SUMMED:
        counts = {count for runs in columns.values() for run in runs if (count := run.get((f"{what}, flows", "")))}
        several = max(counts, default=0) > 1
        names[f"{what}, flows", ""] = ""
        names[f"{what}, sum", "Mbit/s"] = (
            "" if not several else f"{what}, sum of {counts.pop():g}" if len(counts) == 1 else f"{what}, sum of all"
        )
    return {
        w: [{(n, k[1]): v for k, v in run.items() if (n := names.get(k, k[0]))} for run in runs]
        for w, runs in columns.items()
    }


def _says_something(line: Line) -> bool:
    known = _present(v for of in line.samples.values() for v in of)
    if line.figure.endswith(BITRATE):
        return bool(known) and max(known) - min(known) > SAME * max(known)
    return any(known) or not line.figure.endswith((LOST, CE))


def figures(r: Result) -> dict[tuple[str, str], float | None]:
    """What is compared of a run."""
    s = r.summary()
    out: dict[tuple[str, str], float | None] = {}
    for what in SUMMED:
        kind, way = what.split()
        flows = r.flows_of(way, kind)
        if flows and f"{kind} goodput" not in r.unknown:
            out[f"{what}, sum", "Mbit/s"] = sum(f.goodput_mbit for f in flows)
            out[f"{what}, flows", ""] = len(flows)
    if len(s["flows"]) > 1 and not any(u.endswith(" goodput") for u in r.unknown):
        out["Jain's index of the flows", ""] = s["jain"]
    for f in s["flows"]:
        name = f["name"]
        out[f"{name} goodput", "Mbit/s"] = None if f"{f['kind']} goodput" in r.unknown else f["goodput_mbit"]
        if f["kind"] == "tcp":
            out[f"{name} srtt p50", "ms"] = f["tcp_rtt_ms"]["p50"]
            out[f"{name} cwnd p50", "segments"] = f["cwnd_segments"]["p50"]
            out[f"{name} retransmits", ""] = None if "retransmits" in r.unknown else f["retransmits"]
            out[f"{name} RTOs", ""] = None if "rtos" in r.unknown else f["rtos"]
            out[f"{name} {CE}", "segments"] = f["delivered_ce"]
        if call := f.get("delivery"):
            out[f"{name} delay p50", "ms"] = call["delay_ms"]["p50"]
            out[f"{name} delay p99", "ms"] = call["delay_ms"]["p99"]
            out[f"{name} jitter", "ms"] = call["jitter_ms"]
            out[f"{name} lost datagrams", "share"] = call["loss"]
    return {**out, **_pings(s), **_radios(r, s), **_backlogs(r)}


def _pings(s: Mapping[str, Any]) -> Figures:
    """Of all stations together, of each where there are several, and of marked ones."""
    out: dict[tuple[str, str], float | None] = {}
    for p in ("p10", "p50", "p90"):
        out[f"ping {p}", "ms"] = s["ping_ms"][p]
    for n, q in s["ping_ms_of"].items():
        out[f"{n} ping p50", "ms"] = q["p50"]
        out[f"{n} ping p90", "ms"] = q["p90"]
    for n, q in s["udp_ping_ms"].items():
        out[f"{n} p50", "ms"] = q["p50"]
    return out


def _radios(r: Result, s: Mapping[str, Any]) -> Figures:
    out: dict[tuple[str, str], float | None] = {}
    for n, a in s["ampdu"].items():
        out[f"{n} A-MPDU mean", "MPDUs"] = a["mean"]
        out[f"{n} airtime", "share"] = s["airtime"][n]
        out[f"{n} airtime to it", "share"] = s["airtime_rx"].get(n)
    for n, node in r.nodes.items():
        for column, what, unit in (("rx_bitrate_mbit", BITRATE, "Mbit/s"), ("rx_bad_share", LOST, "share")):
            seen = stats.finite(r.in_window(node.series, column))
            out[f"{n} {what}", unit] = float(seen.mean()) if seen.size else None
    return out


def _backlogs(r: Result) -> Figures:
    out: dict[tuple[str, str], float | None] = {}
    for n, q in r.qdiscs.items():
        backlog = r.in_window(q, "backlog_packets")
        out[f"{n} backlog p50", "packets"] = float(np.median(backlog)) if backlog.size else None
    return out
