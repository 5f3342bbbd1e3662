"""``wavetank compare``: one scenario on several waters, as one table with differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import files
from .errors import UserError, unknown
from .result import Result
from .scenario import WATERS, Scenario

Progress = Callable[[float, float, str], None]


@dataclass(frozen=True)
class Line:
    """One figure of every water; the difference is each water's against the first, as a fraction."""

    figure: str
    unit: str
    values: Mapping[str, float | None]

    def differences(self) -> dict[str, float | None]:
        """(water - first) / first, signed; None if either is missing or the first is 0."""
        (_, base), *others = self.values.items()
        return {w: (v - base) / base if v is not None and base else None for w, v in others}

    def json(self) -> dict[str, Any]:
        """The keys of ``compare --json``."""
        return {"figure": self.figure, "unit": self.unit, **self.values, "difference": self.differences()}


@dataclass(frozen=True)
class Comparison:
    """A scenario's results on several waters."""

    results: Mapping[str, Result]
    lines: Sequence[Line]

    def json(self) -> dict[str, Any]:
        """The document that ``compare --json`` prints."""
        first = next(iter(self.results.values()))
        return {
            "scenario": first.scenario,
            "seed": first.seed,
            "waters": {w: r.summary() for w, r in self.results.items()},
            "rows": [line.json() for line in self.lines],
        }


def waters(text: str) -> list[str]:
    """Names of waters, separated by commas. Raises UserError for an unknown one, or fewer than two."""
    names = [w.strip() for w in text.split(",") if w.strip()]
    for w in names:
        if w not in WATERS:
            raise unknown("water", w, WATERS, "--on")
    if len(set(names)) < 2:
        raise UserError(f'--on: "{text}", expected two waters of {", ".join(WATERS)}')
    return list(dict.fromkeys(names))


def compare(
    scenario: Scenario,
    on: Sequence[str],
    seed: int | None = None,
    progress: Progress = lambda done, of, what: None,
    alike: bool = True,
) -> Comparison:
    """Runs the scenario on each water; ``alike``: the model gets what the second water has where a key is left open."""
    from . import linux

    # What a water cannot express is said before any of them runs.
    if "linux" in on:
        linux.check(scenario, seed)
    results = {}
    for w in on:
        progress(0, 0, w)
        if w == "linux":
            results[w] = linux.simulate(scenario, seed, lambda done, of: progress(done, of, "linux"))
        else:
            same = linux.like_linux(scenario) if alike and "linux" in on else scenario
            results[w] = same.run(seed, on=w)
    return Comparison(results, _lines(results))


def _figures(r: Result) -> dict[tuple[str, str], float | None]:
    s = r.summary()
    out: dict[tuple[str, str], float | None] = {}
    for kind in ("tcp", "udp"):
        for way in ("up", "down"):
            flows = r.flows_of(way, kind)
            if len(flows) > 1:
                out[f"{kind} {way}, sum of {len(flows)}", "Mbit/s"] = sum(f.goodput_mbit for f in flows)
    for f in s["flows"]:
        name = f["name"]
        out[f"{name} goodput", "Mbit/s"] = f["goodput_mbit"]
        if f["kind"] == "tcp":
            out[f"{name} srtt p50", "ms"] = f["tcp_rtt_ms"]["p50"]
            out[f"{name} cwnd p50", "segments"] = f["cwnd_segments"]["p50"]
            out[f"{name} retransmits", ""] = f["retransmits"]
            out[f"{name} RTOs", ""] = f["rtos"]
    for p in ("p10", "p50", "p90"):
        out[f"ping {p}", "ms"] = s["ping_ms"][p]
    for n, q in s["udp_ping_ms"].items():
        out[f"{n} p50", "ms"] = q["p50"]
    for n, a in s["ampdu"].items():
        out[f"{n} A-MPDU mean", "MPDUs"] = a["mean"]
        out[f"{n} airtime", "share"] = s["airtime"][n]
    for n, q in r.qdiscs.items():
        backlog = r.in_window(q, "backlog_packets")
        out[f"{n} backlog p50", "packets"] = float(np.median(backlog)) if backlog.size else None
    return out


def _lines(results: Mapping[str, Result]) -> list[Line]:
    each = {w: _figures(r) for w, r in results.items()}
    keys = list(dict.fromkeys(k for figures in each.values() for k in figures))
    return [Line(name, unit, {w: f.get((name, unit)) for w, f in each.items()}) for name, unit in keys]


def save(comparison: Comparison, folder: Path) -> list[Path]:
    """Writes ``compare.json``, ``compare.csv`` and every water's result folder."""
    written = [files.write_text(folder / "compare.json", files.dumps(comparison.json()) + "\n")]
    names = list(comparison.results)
    rows = [",".join(["figure", "unit", *names, *(f"difference {w}" for w in names[1:])])]
    for line in comparison.lines:
        cells = [line.values[w] for w in names] + list(line.differences().values())
        quoted = f'"{line.figure}"' if "," in line.figure else line.figure
        rows.append(",".join([quoted, line.unit, *("" if c is None else f"{c:.6g}" for c in cells)]))
    written.append(files.write_text(folder / "compare.csv", "\n".join(rows) + "\n"))
    for w, r in comparison.results.items():
        written += r.save(folder / w)
    return written
