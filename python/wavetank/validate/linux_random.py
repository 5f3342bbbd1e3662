"""Random scenarios on model and kernel side by side: what no one has looked at.

Each scenario (:mod:`.linux_draw`, :mod:`.linux_draw_rare`, :mod:`.linux_draw_firmware`, :mod:`.linux_draw_house`,
:mod:`.linux_draw_busy`, :mod:`.linux_draw_corner`, :mod:`.linux_draw_path`, :mod:`.linux_draw_marks`) runs :data:`RUNS`
times on both waters, each run with another seed and the flows 13.7 ms later than in the one before; the model is set up
like the kernel (:func:`wavetank.linux.like_linux`). Medians of the runs are compared, within the tolerances of the
standing set and the least differences of the wired reference. Where a figure lies outside after so few runs the
scenario gets :data:`MORE` further ones of each water and is judged by all of them; the row says by how many standard
errors of the difference the figure is beyond what is tolerated.

Where a scenario has a channel, run ``i`` of both waters has the very same course of it (the core draws it from the run's
seed, and the radio is handed it: :func:`wavetank.linux.simulate`). There runs of equal number are pairs: judged is the
median of their differences, by its own standard error, in which what one course has that another has not is no chance.

The folder has each scenario's file, and ``.runs``: what each run gave, named by everything that decides it, so that the
same command goes on where it was stopped.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from .. import files, linux, units, workers
from ..lab import runner
from ..linux import LinuxFailed, kernels
from ..result import Flow, Result
from ..scenario import Scenario
from ..stats import FloatArray, finite
from . import (
    linux_draw,
    linux_draw_busy,
    linux_draw_cc,
    linux_draw_corner,
    linux_draw_firmware,
    linux_draw_house,
    linux_draw_marks,
    linux_draw_path,
    linux_draw_rare,
)
from .kernel_case import LATER_MS
from .report import Report, Row

WATERS = ("linux", "model")
#: What may be drawn: common keys, rare ones beside them, cards whose firmware aggregates, stations that differ, hosts whose CPU
#: is full, what these leave out (2.4 GHz, 802.11b and g, floods), paths that lose and reorder, wires, and wires that mark.
DRAWS: dict[str, Callable[[int, int], Iterator[tuple[str, linux_draw.Drawn]]]] = {
    "common": linux_draw.scenarios,
    "rare": linux_draw_rare.scenarios,
    "firmware": linux_draw_firmware.scenarios,
    "house": linux_draw_house.scenarios,
    "busy": linux_draw_busy.scenarios,
    "corner": linux_draw_corner.scenarios,
    "path": linux_draw_path.scenarios,
    "wired": linux_draw.wired,
    "marks": linux_draw_marks.scenarios,
}
#: Those without Wi-Fi, which may be drawn for an older kernel.
ON_WIRES: dict[str, Callable[[int, int, str], Iterator[tuple[str, linux_draw.Drawn]]]] = {
    "path": linux_draw_path.scenarios,
    "wired": linux_draw.wired,
    "marks": linux_draw_marks.scenarios,
}
#: Runs of each water at first, and further ones where a figure lies outside.
RUNS, MORE = 3, 9
#: Figure: the largest difference from the kernel's median at which it holds, as a share of it, and at least (in its unit).
TOLERANCES: dict[str, tuple[float, float]] = {
    "goodput_up": (0.05, 0.0),
    "goodput_down": (0.05, 0.0),
    "cwnd_p50": (0.15, 1.0),
    "srtt_p50": (0.15, 0.1),
    "ping_p50": (0.15, 0.1),
    "udp_delay_p50": (0.15, 0.1),
    "ampdu_up": (0.15, 0.0),
    "ampdu_down": (0.15, 0.0),
    "airtime": (0.05, 0.0),
}
#: The standard error of a median over that of a mean, of many values with a normal distribution: sqrt(pi / 2).
OF_MEDIAN = math.sqrt(math.pi / 2)
LEAD_IN_MS = 1000.0

Figures = dict[str, float]


def figures(r: Result) -> Figures:
    """The judged figures of one run, over its window: goodput (Mbit/s, the sum a direction), cwnd (segments, the sum of what is
    connected), srtt and ping (ms), datagrams' delay one way (ms, the mean of the flows' medians), mean A-MPDU of those that send
    data, attempts included, airtime (percent, the sum of all radios: a collision counts for each of them)."""
    out: Figures = {}
    for way in ("up", "down"):
        flows = r.flows_of(way, "tcp") + r.flows_of(way, "udp")
        if not flows:
            continue
        out[f"goodput_{way}"] = sum(f.goodput_mbit for f in flows)
        senders = [n for name, n in r.nodes.items() if (name == "ap") == (way == "down")]
        hist = np.sum([n.ampdu_hist for n in senders], axis=0) if senders else np.zeros(1)
        if hist[1:].sum():
            out[f"ampdu_{way}"] = float((np.arange(hist.size) * hist)[1:].sum() / hist[1:].sum())
    if r.nodes:
        out["airtime"] = 100 * sum(n.airtime_fraction for n in r.nodes.values())
    if tcp := [f for f in r.flows if f.kind == "tcp"]:
        out["cwnd_p50"] = _median(np.nansum([_within(r, f, "snd_cwnd") for f in tcp], axis=0))
        out["srtt_p50"] = _median(np.concatenate([_within(r, f, "srtt_ms") for f in tcp]))
    if delays := [f.delivery["delay_ms"]["p50"] for f in r.flows if f.delivery and f.delivery["arrived"]]:
        out["udp_delay_p50"] = float(np.mean(delays))
    echoes = np.concatenate([p.rtt_ms[(p.t >= r.window[0]) & (p.t <= r.window[1])] for p in r.pings])
    out["ping_p50"] = _median(echoes)
    return {k: v for k, v in out.items() if math.isfinite(v)}


def _median(values: FloatArray) -> float:
    known = finite(values)
    return float(np.median(known)) if known.size else math.nan


def _within(r: Result, f: Flow, column: str) -> FloatArray:
    return r.in_window(f.series, column)


@dataclass(frozen=True)
class Drawn:
    """A drawn scenario, its file written."""

    name: str
    path: Path
    scenario: Scenario

    @property
    def in_pairs(self) -> bool:
        """Whether runs of equal number have something that is drawn for both waters alike: the channel's course."""
        return units.switch(self.scenario.check()["channel.on"])

    def run(self, water: str, i: int) -> runner.Run:
        """Run ``i`` of a water."""
        s = self.scenario.set({"time.lead_in": f"{round((LEAD_IN_MS + i * LATER_MS) * 1e6)} ns"})
        return runner.Run(self.name, linux.like_linux(s) if water == "model" else s, i + 1, water=water)


def draw(
    seed: int, count: int, folder: Path, kind: str = "common", kernel: str = kernels.OWN, controls: Sequence[str] = ()
) -> list[Drawn]:
    """The scenarios of a seed and kind (:data:`DRAWS`; for an older ``kernel`` :data:`ON_WIRES`), written as files.

    ``controls``: congestion controls in place of those that are drawn.
    """
    out = []
    drawn = DRAWS[kind](seed, count) if kernel == kernels.OWN else ON_WIRES[kind](seed, count, kernel)
    for name, keys in linux_draw_cc.under(drawn, controls) if controls else drawn:
        path = folder / f"{name}.toml"
        scenario = Scenario.from_dict({"name": name, "kernel": kernel, **keys}, str(path))
        files.write_text(path, scenario.text)
        out.append(Drawn(name, path, scenario))
    return out


def _kept(run: runner.Run, folder: Path) -> Path:
    return folder / ".runs" / f"{run.key}.json"


def carry_out(run: runner.Run, folder: Path) -> Figures | str:
    """Runs it, or reads what it gave before; what failed is told by its text and not kept."""
    path = _kept(run, folder)
    try:
        found: Figures = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        pass
    else:
        return found
    try:
        found = figures(runner.simulate(run))
    except (runner.CoreFailed, LinuxFailed) as e:
        return str(e) or type(e).__name__
    files.write_text(path, json.dumps(found) + "\n")
    return found


def spread(values: Sequence[float]) -> float:
    """Standard error of their median."""
    n = len(values)
    return OF_MEDIAN * float(np.std(values, ddof=1)) / math.sqrt(n) if n > 1 else 0.0


def as_often(lacking: tuple[int, int], of: tuple[int, int]) -> bool:
    """Whether so many runs of either water may lack something by the same chance (Fisher's exact test, 5 %)."""
    more = 0 if lacking[0] * of[1] > lacking[1] * of[0] else 1
    (a, n), (b, m) = ((lacking[i], of[i]) for i in (more, 1 - more))
    ways = [math.comb(n, k) * math.comb(m, a + b - k) for k in range(a, min(n, a + b) + 1) if a + b - k <= m]
    return sum(ways) >= 0.05 * math.comb(n + m, a + b)


def judge(name: str, kernel: Sequence[Figures], model: Sequence[Figures], pairs: bool = False) -> list[Row]:
    """One row a figure that the kernel's runs have, of those that have it (a probe that is lost may be the only one of a run).

    ``pairs``: runs of equal number had the same channel. The model's value is then the kernel's median and the median difference
    of these.
    """
    rows = []
    for figure, (share, least) in TOLERANCES.items():
        theirs, ours = [k[figure] for k in kernel if figure in k], [m[figure] for m in model if figure in m]
        if not theirs or (pairs and len(theirs) < len(kernel)):
            continue
        median = float(np.median(theirs))
        margin = max(share * abs(median), least)
        low, high = median - margin, median + margin
        lacking = len(kernel) - len(theirs), len(model) - len(ours)
        if not ours or (pairs and lacking[1]):
            rows.append(Row(name, figure, median, None, False, "the model gave no value", low, high))
            continue
        if not as_often(lacking, (len(kernel), len(model))):
            told = f"no value in {lacking[1]} of {len(model)} runs, in {lacking[0]} of the kernel's {len(kernel)}"
            rows.append(Row(name, figure, median, float(np.median(ours)), False, told, low, high))
            continue
        if pairs:
            apart = [o - t for o, t in zip(ours, theirs, strict=True)]
            value, error = median + float(np.median(apart)), spread(apart)
        else:
            value, error = float(np.median(ours)), math.hypot(spread(theirs), spread(ours))
        beyond = abs(value - median) - margin
        of = " of pairs" if pairs else ""
        told = f"{beyond / error:.1f} standard errors{of} beyond" if beyond > 0 and error > 0 else ""
        rows.append(Row(name, figure, median, value, beyond <= 0, told, low, high))
    return rows


def _by_chance(row: Row) -> bool:
    return row.ok is False and row.reason.endswith("beyond") and float(row.reason.split()[0]) < 2.0


def _judge_all(drawn: Sequence[Drawn], found: Mapping[str, Mapping[str, Sequence[Figures | str]]]) -> list[Row]:
    rows: list[Row] = []
    for d in drawn:
        failed = [f"{w}: {f}" for w in WATERS for f in found[d.name][w] if isinstance(f, str)]
        if failed:
            rows.append(Row(d.name, "run", None, None, False, failed[0].splitlines()[0]))
            continue
        theirs, ours = ([f for f in found[d.name][w] if not isinstance(f, str)] for w in WATERS)
        rows += judge(d.name, theirs, ours, d.in_pairs)
    return rows


def missed(rows: Sequence[Row]) -> list[str]:
    """The scenarios that have a figure outside."""
    return list(dict.fromkeys(r.name for r in rows if r.ok is False))


def notes(drawn: Sequence[Drawn], rows: Sequence[Row]) -> list[str]:
    """What to type to see each scenario that misses, and which of them may be chance."""
    out = []
    paths = {d.name: d.path for d in drawn}
    for name in missed(rows):
        outside = [r for r in rows if r.name == name and r.ok is False]
        why = "; ".join(f"{r.metric}: {r.reason}" for r in outside if r.reason)
        out.append(f"wavetank compare {paths[name]}" + (f"  # {why}" if why else ""))
    chance = [n for n in missed(rows) if all(_by_chance(r) for r in rows if r.name == n and r.ok is False)]
    if chance:
        out.append(f"{len(chance)} of the misses are less than two standard errors beyond: {', '.join(chance)}")
    return out


def validate(
    seed: int,
    count: int,
    folder: Path,
    jobs: int = 1,
    done: Callable[[int, int, str], None] = lambda reached, of, name: None,
    kind: str = "common",
    kernel: str = kernels.OWN,
    controls: Sequence[str] = (),
) -> Report:
    """Draws ``count`` scenarios of a kind (:data:`DRAWS`, for an older ``kernel`` :data:`ON_WIRES`) and runs each on both waters,
    under these congestion ``controls`` in turn where there are any.

    Raises UserError for what is missing.
    """
    drawn = draw(seed, count, folder, kind, kernel, controls)
    found: dict[str, dict[str, list[Figures | str]]] = {d.name: {w: [] for w in WATERS} for d in drawn}
    for start, end in ((0, RUNS), (RUNS, RUNS + MORE)):
        some = drawn if start == 0 else [d for d in drawn if d.name in missed(_judge_all(drawn, found))]
        work = [(d, w, i) for d in some for i in range(start, end) for w in WATERS]
        of = [d.run(w, i) for d, w, i in work]
        given: list[Figures | str] = ["not run"] * len(work)
        for reached, (k, value) in enumerate(workers.pool(partial(carry_out, folder=folder), of, jobs), 1):
            given[k] = value
            done(reached, len(work), work[k][0].name)
        for (d, w, _), value in zip(work, given, strict=True):
            found[d.name][w].append(value)
    rows = _judge_all(drawn, found)
    on = f"Linux {release}, " if (release := kernels.other()) else ""
    many = f"{RUNS} runs of each water, {RUNS + MORE} where a figure was outside"
    measured = f"seed {seed}: {on}{many} (linux/ {linux.tree.digest()})"
    by_pairs = sum(d.in_pairs for d in drawn)
    paired = [f"{by_pairs} with a channel, judged in pairs of runs with the same course of it"] if by_pairs else []
    return Report("linux --random", rows, (measured, *paired, *notes(drawn, rows)))
