"""The standard workloads, each in a fresh process, so that peak memory is its own."""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
from collections.abc import Callable
from typing import Any

from . import _core


def _one(name: str) -> str:
    out = dict(_core.bench(name))
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    out["process_peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
    return json.dumps(out)


def run(progress: Callable[[int, int, str], None] = lambda done, of, what: None) -> list[dict[str, Any]]:
    """A row a workload. ``core_peak_rss_mb`` is what the core says of itself, None if it does not."""
    rows = []
    workloads = _core.workload_names()
    context = multiprocessing.get_context("spawn")
    for i, name in enumerate(workloads):
        progress(i, len(workloads), name)
        with context.Pool(1) as pool:
            r = json.loads(pool.apply(_one, (name,)))
        rows.append(
            {
                "name": name,
                "simulated_s": r["simulated_s"],
                "wall_s": r["wall_s"],
                "events": r["events"],
                "goodput_mbit": r["goodput_mbit"],
                "core_peak_rss_mb": r.get("core_peak_rss_mb"),
                "process_peak_rss_mb": r["process_peak_rss_mb"],
            }
        )
    progress(len(workloads), len(workloads), "")
    return rows
