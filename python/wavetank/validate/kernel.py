"""Against Linux 6.12: the wired path C - R - S, case by case.

Each reference case exists twice (``NAME.json``, ``NAME.b.json``: flows 13.7 ms later against the echo): the pair is the
kernel's own spread. Figures, over ``warmup`` <= t <= ``secs``: goodput; cwnd a sample summed over the flows, median and
maximum; srtt, median over all rows; ping, median, 10th and 90th percentile. A figure holds if it lies within the pair's
[min, max] widened by 2 % (goodput), 10 % (medians), 15 % (cwnd maximum, ping percentiles), at least 1 segment, 0.1 ms. Ours is
the mean of as many runs in the same phases: flows that go in step settle in one of several states, which the phase decides.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..errors import UserError
from ..linux import kernels
from . import kernel_case, kernel_trace
from .report import Report, Row, run_all

PATH = Path(__file__).parents[1] / "data" / "reference" / "kernel-6.12.zip"
#: Random cases on the same machine (linux/standing/record-wired 202 20).
MORE = PATH.with_name("kernel-6.12-more.zip")
#: The cases of both, run on older kernels (docs/reference-data.md); by profile. What ran for "5.10" is 5.10.262.
OLDER = {name: PATH.with_name(f"kernel-{kernels.series(name)}.zip") for name in kernels.OLDER}
#: Figure: share by which the pair's interval is widened, and at least by how much.
TOLERANCES: dict[str, tuple[float, float]] = {
    "goodput_mbit": (0.02, 0.0),
    "cwnd_p50": (0.10, 1.0),
    "cwnd_max": (0.15, 1.0),
    "srtt_p50_ms": (0.10, 0.1),
    "ping_p50_ms": (0.10, 0.1),
    "ping_p10_ms": (0.15, 0.1),
    "ping_p90_ms": (0.15, 0.1),
}


@dataclass(frozen=True)
class Case:
    """One case: its configuration and the figures of its one or two runs of the kernel."""

    name: str
    config: dict[str, Any]
    kernel: tuple[dict[str, float], ...]
    traces: tuple[dict[str, Any], ...] = ()

    @property
    def identity(self) -> str:
        """Equal for cases whose samples are equal throughout: two controls that never left what they share."""
        return json.dumps([[t["rows"], t["pings"]] for t in self.traces], sort_keys=True)


def figures(trace: dict[str, Any]) -> dict[str, float]:
    """The judged figures of a trace (the kernel's or ours), as the reference's summary computes them.

    Goodput is between the first and the last sample of the judged time; a percentile q of n values is the
    ``int(q n)``-th of them in order.
    """
    config = trace["config"]
    start, end = config.get("warmup", 4), config["secs"]
    rows = [r for r in trace["rows"] if start <= r["t"] <= end]
    pings = sorted(rtt for t, rtt in trace["pings"] if start <= t <= end and rtt is not None)
    out: dict[str, float] = {}
    if rows:
        flows: dict[Any, list[dict[str, Any]]] = {}
        cwnd: dict[float, float] = {}
        for r in rows:
            flows.setdefault(r.get("port"), []).append(r)
            cwnd[r["t"]] = cwnd.get(r["t"], 0) + r["cwnd"]
        span = max(r["t"] for r in rows) - min(r["t"] for r in rows)
        acked = sum(f[-1]["acked"] - f[0]["acked"] for f in flows.values())
        out["goodput_mbit"] = 8e-6 * acked / span if span > 0 else 0.0
        sums = np.array(list(cwnd.values()))
        out["cwnd_p50"], out["cwnd_max"] = float(np.median(sums)), float(sums.max())
        out["srtt_p50_ms"] = float(np.nanmedian([np.nan if r["rtt"] is None else r["rtt"] for r in rows]))
    if pings:
        out["ping_p50_ms"] = float(np.median(pings))
        out["ping_p10_ms"], out["ping_p90_ms"] = (float(pings[int(q * len(pings))]) for q in (0.1, 0.9))
    return out


def interval(figure: str, values: Iterable[float]) -> tuple[float, float]:
    """The kernel's [min, max], widened by the tolerance."""
    values = list(values)
    share, least = TOLERANCES[figure]
    low, high = min(values), max(values)
    return low - max(share * abs(low), least), high + max(share * abs(high), least)


def load(path: Path = PATH) -> list[Case]:
    """The cases of a folder of traces. Raises UserError for what is no such folder, and for unknown keys."""
    traces = kernel_trace.read(path)
    if not traces:
        raise UserError(f"{path}: no traces, expected a folder with NAME.json and NAME.b.json")
    pairs: dict[str, list[dict[str, Any]]] = {}
    for name, trace in traces.items():
        pairs.setdefault(name.removesuffix(".json").removesuffix(".b"), []).append(trace)
    return [
        Case(name, pair[-1]["config"], tuple(figures(t) for t in pair), tuple(pair))
        for name, pair in sorted(pairs.items())
    ]


def judge(case: Case, ours: dict[str, float]) -> list[Row]:
    """One row a figure."""
    rows = []
    for figure in TOLERANCES:
        values = [k[figure] for k in case.kernel if figure in k]
        if not values:
            continue
        low, high = interval(figure, values)
        value = ours.get(figure)
        ok = value is not None and low <= value <= high
        reason = "" if value is not None else "the model gave no value"
        rows.append(Row(case.name, figure, float(np.mean(values)), value, ok, reason, low, high))
    return rows


def beyond(case: Case, figure: str, value: float) -> float:
    """How far a value lies outside the pair's own [min, max], as a share of the nearer of the two; 0 within."""
    values = [k[figure] for k in case.kernel if figure in k]
    low, high = min(values), max(values)
    end = low if value < low else high
    return abs(value - end) / abs(end) if not low <= value <= high and end else 0.0


def worst(cases: Iterable[Case], ours: Mapping[str, dict[str, float]]) -> dict[str, tuple[str, str, float]]:
    """Each control's worst: case, figure, and how far it lies beyond the kernel's pair."""
    out: dict[str, tuple[str, str, float]] = {}
    for case in cases:
        for figure in TOLERANCES:
            value = ours.get(case.name, {}).get(figure)
            if value is None or not any(figure in k for k in case.kernel):
                continue
            far = beyond(case, figure, value)
            cc = case.config["cc"]
            if cc not in out or far > out[cc][2]:
                out[cc] = (case.name, figure, far)
    return dict(sorted(out.items()))


def cannot(case: Case) -> str:
    """Why the model cannot run this case; empty if it can."""
    names = _core.registry()
    if case.config["cc"] not in names["cc"]:
        return f"the congestion control {case.config['cc']} is not there yet"
    if case.config["qdisc"] not in names["qdisc"]:
        return f"the queueing discipline {case.config['qdisc']} is not there yet"
    return ""


def _mean(runs: Iterable[dict[str, float]]) -> dict[str, float]:
    """The mean of each figure that some run has."""
    values: dict[str, list[float]] = {}
    for run in runs:
        for figure, value in run.items():
            values.setdefault(figure, []).append(value)
    return {f: float(np.mean(values[f])) for f in TOLERANCES if f in values}


def _ours(case: Case) -> Iterator[dict[str, Any]]:
    """The model's traces, in the reference's phases."""
    return (kernel_case.run(case.config, i * kernel_case.LATER_MS) for i in range(len(case.kernel)))


def run_case(case: Case) -> dict[str, float]:
    """The model's figures, mean of its runs in the reference's phases."""
    return _mean(figures(trace) for trace in _ours(case))


def known(case: Case) -> dict[str, float]:
    """The kernel's figures, mean of its runs."""
    return _mean(case.kernel)


def _draw_case(case: Case, plots: Path) -> dict[str, float]:
    """The same as run_case, and a picture of the case, with ours in the first phase."""
    from . import overlay

    ours = list(_ours(case))
    overlay.draw(case.name, case.config, case.traces, ours[0], plots / f"{case.name}.png")
    return _mean(map(figures, ours))


def validate(
    path: Path | None = None,
    jobs: int = 1,
    done: Callable[[str], None] = lambda name: None,
    plots: Path | None = None,
    profile: str | None = None,
) -> Report:
    """Runs every case that the model can run.

    Cases whose traces are equal count once. ``plots``: a folder for one picture a case, the kernel's pair below ours.
    ``profile``: what the model runs, if not the profile of the kernel that the case ran on.
    """
    cases = load(path or PATH)
    if profile:
        cases = [replace(c, config={**c.config, "kernel": profile}) for c in cases]
    first: dict[str, str] = {}
    for c in cases:
        first.setdefault(c.identity, c.name)

    def why_not(c: Case) -> str:
        same = first[c.identity]
        return cannot(c) or ("" if same == c.name else f"the kernel's traces are those of {same}: counted there")

    job: Callable[[Case], dict[str, float]] = run_case
    if plots is not None:
        plots.mkdir(parents=True, exist_ok=True)
        job = partial(_draw_case, plots=plots)
    ours: dict[str, dict[str, float]] = {}

    def keep(c: Case, values: dict[str, float]) -> list[Row]:
        ours[c.name] = values
        return judge(c, values)

    rows = run_all(cases, why_not, job, keep, known, jobs, done)
    notes = [
        f"{cc}: worst {figure} of {name}, {100 * far:.1f} % beyond the kernel's pair"
        for cc, (name, figure, far) in worst([c for c in cases if c.name in ours], ours).items()
    ]
    return Report("kernel", rows, notes)
