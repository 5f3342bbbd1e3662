"""Against the real mac80211: Wi-Fi scenarios that Linux 6.12, 6.6, 6.1, 5.15, 5.10 or 5.4 ran over a virtual radio.

The reference is a folder (:mod:`.linux_case`). The model runs each scenario as often as the kernel did, with the same seeds and
times, which are virtual there. Compared are the medians of both sides' runs: where cwnd stands still once slow start is
over, the same kernel differs from seed to seed by a factor of two, and a single run decides little. Where a scenario has a
``channel``, each run has another one, the same on both sides; so runs are compared in pairs, and a figure's error is the
median of the pairs' (a median over runs would be one channel's). Figures, over ``warmup``
<= t <= ``secs``: goodput; cwnd a sample summed over the flows, median; srtt, median over all rows; ping of the first
station, median; mean size of the sender's A-MPDUs (station 1 for uploads, the AP for downloads), attempts included; where rate
control chooses, each MCS's share of the sender's MPDUs, attempts included, the mean over the runs; where that is aasrc or aarc,
how many probes it sent, of the whole run; where the stations have a
discipline of their own, the mean size of their A-MPDUs of TCP ACKs; under TCP/HACK the share of TCP's ACKs that rode, of the
whole run. A figure holds within 5 % (goodput), 5 points (an MCS's share), 3 points (the ACKs') or 15 % of the kernel's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from .. import workers
from ..errors import UserError
from ..linux import kernels, tree
from . import linux_model
from .linux_case import PATH, Case, load
from .linux_model import SHARE
from .report import Report, Row, run_all

__all__ = ["PATH", "Case", "load", "validate"]

#: Some of the scenarios as older kernels ran them, by profile. What ran for "5.10" is 5.10.262.
OLDER = {
    name: PATH.with_name(f"linux-standing-{kernels.series(name)}")
    for name in ("5.4", "5.10", "5.10.262", "5.15.148", "6.1.192", "6.6.129")
}
#: Figure: largest relative difference of the medians at which it holds.
TOLERANCES: dict[str, float] = {
    "goodput_mbit": 0.05,
    "cwnd_p50": 0.15,
    "srtt_p50": 0.15,
    "ping_p50": 0.15,
    "ampdu_mean": 0.15,
    "ack_ampdu_mean": 0.15,
    "probes": 0.15,
}
#: Figure, a share in percent: largest difference of the medians in points.
POINTS: dict[str, float] = {"acks_carried": 3.0}
#: Where rate control chooses: the largest difference of an MCS's share of the sender's MPDUs, in points.
MCS_POINTS = 5.0
#: Begins the names of the standard errors of the shares' mean differences, in points.
SE = "se_"


def run_case(case: Case) -> dict[str, float]:
    """The model's figures, of as many runs as the kernel made."""
    runs = [linux_model.run(case, i) for i in range(max(map(len, case.kernel.values()), default=1))]
    ours = {k: tuple(r.get(k, 0.0) for r in runs) for k in _keys(runs)}
    return (
        pooled(ours)
        | standard_errors(case.kernel, ours)
        | (paired(case.kernel, ours) if case.config["channel"] else {})
    )


def _keys(runs: list[dict[str, float]]) -> list[str]:
    """Figures that every run has; an MCS that a run does not have has no share in it."""
    return list(dict.fromkeys(k for r in runs for k in r if k.startswith(SHARE) or all(k in s for s in runs)))


def pooled(runs: dict[str, tuple[float, ...]]) -> dict[str, float]:
    """One figure of several runs: the median; of shares the mean, since medians of shares do not add up to 100 %."""
    return {k: float(np.mean(v) if k.startswith(SHARE) else np.median(v)) for k, v in runs.items()}


def standard_errors(kernel: dict[str, tuple[float, ...]], ours: dict[str, tuple[float, ...]]) -> dict[str, float]:
    """Of the mean difference of each MCS's share between the runs of both sides (in their order), points."""
    out = {}
    n = min(len(v) for side in (kernel, ours) for v in side.values())
    for k in {k for side in (kernel, ours) for k in side if k.startswith(SHARE)}:
        a, b = (np.array(side.get(k, (0.0,) * n)) for side in (kernel, ours))
        if n > 1 and a.size == b.size:
            out[SE + k] = float(np.std(b - a, ddof=1) / math.sqrt(n))
    return out


def paired(kernel: dict[str, tuple[float, ...]], ours: dict[str, tuple[float, ...]]) -> dict[str, float]:
    """The kernel's median times the median of the pairs' ratios, by figure; pairs of a kernel's 0 are left out."""
    out = {}
    for k in (k for k in TOLERANCES if k in kernel and k in ours):
        ratios = [b / a for a, b in zip(kernel[k], ours[k], strict=True) if a]
        if ratios:
            out[k] = float(np.median(kernel[k]) * np.median(ratios))
    return out


def _mcs_row(case: Case, ours: dict[str, float]) -> list[Row]:
    """The MCS whose share of the sender's MPDUs differs most, in points; none where no rate control chose."""
    kernel = {k: v for k, v in pooled(case.kernel).items() if k.startswith(SHARE)}
    if not kernel:
        return []
    apart = {k: ours.get(k, 0.0) - kernel.get(k, 0.0) for k in kernel | {k: 0.0 for k in ours if k.startswith(SHARE)}}
    worst = max(apart, key=lambda k: abs(apart[k]))
    low, high = kernel.get(worst, 0.0) - MCS_POINTS, kernel.get(worst, 0.0) + MCS_POINTS
    share = ours.get(worst, 0.0)
    told = f"{worst}: {share:.1f} % of the MPDUs, the kernel's {kernel.get(worst, 0.0):.1f} %"
    if SE + worst in ours:
        told += f", standard error of the difference {ours[SE + worst]:.1f} points"
    return [Row(case.name, "mcs_share", kernel.get(worst, 0.0), share, low <= share <= high, told, low, high)]


def judge(case: Case, ours: dict[str, float]) -> list[Row]:
    """One row a figure."""
    rows = []
    for figure, share in TOLERANCES.items():
        runs = case.kernel.get(figure)
        if runs is None:
            continue
        median, value = float(np.median(runs)), ours.get(figure)
        low, high = median * (1 - share), median * (1 + share)
        if value is None:
            rows.append(Row(case.name, figure, median, None, False, "the model gave no value", low, high))
            continue
        rows.append(Row(case.name, figure, median, value, low <= value <= high, "", low, high))
    for figure, points in POINTS.items():
        if (runs := case.kernel.get(figure)) is None:
            continue
        median, value = float(np.median(runs)), ours[figure]
        low, high = median - points, median + points
        rows.append(Row(case.name, figure, median, value, low <= value <= high, "", low, high))
    return rows + _mcs_row(case, ours)


def known(case: Case) -> dict[str, float]:
    """The medians of the kernel's runs."""
    return {f: float(np.median(case.kernel[f])) for f in (*TOLERANCES, *POINTS) if f in case.kernel}


#: Runs of the kernel (and of the model) where the kernel is run now.
LIVE_RUNS = 3


def live(case: Case, scenarios: Path) -> dict[str, tuple[float, ...]]:
    """The kernel's runs of a scenario of a file, run now. Raises LinuxFailed."""
    words = ["standing-run", case.name, "--scenarios", str(scenarios.resolve()), "--runs", str(LIVE_RUNS)]
    runs = json.loads(tree.program(words, lambda line: None))["runs"]
    return {k: tuple(r.get(k, 0.0) for r in runs) for k in _keys(runs)}


def validate(
    path: Path | None = None,
    jobs: int = 1,
    done: Callable[[str], None] = lambda name: None,
    recorded: bool = True,
    profile: str | None = None,
) -> Report:
    """Runs every scenario that the model can run; and, unless the kernel's runs are ``recorded``, the kernel on all of them.

    ``profile``: what the model runs, if not the profile that the folder names.
    """
    where = path or (PATH if recorded else tree.folder() / "standing")
    cases = load(where)
    if profile:
        cases = [replace(c, config={**c.config, "kernel": profile}) for c in cases]
    notes = (f"the kernel's figures are recorded ones ({where.name}/summary.csv)",)
    if not recorded:
        if older := {c.config["kernel"] for c in cases} - {"6.12"}:
            raise UserError(
                f"{where}: its runs are of Linux {', '.join(sorted(older))}: hold the model to them with --recorded"
            )
        kernels.require(kernels.OWN)
        fresh: dict[str, dict[str, tuple[float, ...]]] = {}
        for i, kernel in workers.pool(partial(live, scenarios=where / "scenarios.json"), cases, jobs):
            fresh[cases[i].name] = kernel
            done(f"{cases[i].name} on linux")
        cases = [replace(c, kernel=fresh[c.name]) for c in cases]
        notes = (f"the kernel's figures were measured now (linux/ {tree.digest()})",)
    return Report("linux", run_all(cases, linux_model.cannot, run_case, judge, known, jobs, done), notes)
