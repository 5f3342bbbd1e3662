"""``wavetank compare``: one scenario on several waters, as one table with differences.

The third water's results are Flent files, which are read, not run: their figures are the mean over the files, and curves are the
first file's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import files
from .errors import UserError, unknown
from .linux import units as linux_units
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
    #: What was measured on a test bed: each file and its result; the first one is in ``results``.
    measured: Sequence[tuple[Path, Result]] = ()

    def json(self) -> dict[str, Any]:
        """The document that ``compare --json`` prints."""
        first = next(iter(self.results.values()))
        return {
            "scenario": first.scenario,
            "seed": first.seed,
            "waters": {w: r.summary() for w, r in self.results.items()},
            "rows": [line.json() for line in self.lines],
            **({"testbed_files": [{"file": str(p), **r.summary()} for p, r in self.measured]} if self.measured else {}),
        }


#: The third water's name: its column, and its results'.
TESTBED = "testbed"


def waters(text: str, least: int = 2) -> list[str]:
    """Names of waters, separated by commas. Raises UserError for an unknown one, or fewer than ``least``."""
    names = [w.strip() for w in text.split(",") if w.strip()]
    for w in names:
        if w not in WATERS:
            raise unknown("water", w, WATERS, "--on")
    if len(set(names)) < least:
        some = "two waters" if least > 1 else "a water"
        raise UserError(f'--on: "{text}", expected {some} of {", ".join(WATERS)}')
    return list(dict.fromkeys(names))


def compare(
    scenario: Scenario,
    on: Sequence[str],
    seed: int | None = None,
    progress: Progress = lambda done, of, what: None,
    alike: bool = True,
    measured: Sequence[Path] = (),
) -> Comparison:
    """Runs the scenario on each water; ``alike``: the model gets what the second water has where a key is left open.

    ``measured``: Flent files of a test bed, which stand beside them.
    """
    from . import linux

    # What a water cannot express is said before any of them runs.
    if "linux" in on:
        linux.check(scenario, seed)
    files_of = beside(scenario, measured)
    results = {}
    for w in on:
        progress(0, 0, w)
        if w == "linux":
            results[w] = linux.simulate(scenario, seed, lambda done, of: progress(done, of, "linux"))
        else:
            same = linux.like_linux(scenario) if alike and "linux" in on else scenario
            results[w] = same.run(seed, on=w)
    if files_of:
        results[TESTBED] = files_of[0][1]
    return Comparison(results, _lines(results, [r for _, r in files_of]), files_of)


def beside(scenario: Scenario, measured: Sequence[Path]) -> list[tuple[Path, Result]]:
    """Reads Flent files as this scenario's. Raises UserError."""
    from .captures import flent_result

    values = scenario.check() if measured else {}
    return [(p, flent_result.result(p, values)) for p in measured]


def remarks(scenario: Scenario, measured: Sequence[Path]) -> list[str]:
    """What to know before trusting that Flent files are of this scenario: their notes' digests, lengths, controls."""
    from . import testbed
    from .captures import flent_file

    own, out = testbed.digest_of(scenario), []
    values = scenario.check()
    flows = linux_units.span(values["time.flows"]) / 1e9
    for path in measured:
        file = flent_file.read(path)
        of = re.search(r"digest ([0-9a-f]{16})", file.note or "")
        if of is None:
            out.append(f"{path}: has no note of `wavetank testbed`; taken as measured for this scenario")
        elif not (file.note or "").startswith("wavetank testbed "):
            out.append(f"{path}: is a simulated run's file, not a test bed's")
        elif of[1] != own:
            out.append(f"{path}: was measured for another scenario (digest {of[1]}, this one's is {own})")
        if abs(file.span[1] - file.span[0] - flows) > 1e-6:
            out.append(f"{path}: its flows lasted {file.span[1] - file.span[0]:g} s, the scenario's {flows:g}")
        others = {str(f.meta["CONG_CONTROL"]) for f in file.flows if f.meta.get("CONG_CONTROL")}
        asked = [c.strip() for key in ("tcp.cc", "traffic.cc") for c in values[key].split(",") if c.strip() != "off"]
        others -= {spelt for c in asked for spelt in (c, c.replace("-", "_"))}
        if others:
            out.append(f"{path}: its congestion control was {', '.join(sorted(others))}, not {' or '.join(asked)}")
    return out


def _figures(r: Result) -> dict[tuple[str, str], float | None]:
    s = r.summary()
    out: dict[tuple[str, str], float | None] = {}
    for kind in ("tcp", "udp"):
        for way in ("up", "down"):
            flows = r.flows_of(way, kind)
            if len(flows) > 1 and f"{kind} goodput" not in r.unknown:
                out[f"{kind} {way}, sum of {len(flows)}", "Mbit/s"] = sum(f.goodput_mbit for f in flows)
    for f in s["flows"]:
        name = f["name"]
        out[f"{name} goodput", "Mbit/s"] = None if f"{f['kind']} goodput" in r.unknown else f["goodput_mbit"]
        if f["kind"] == "tcp":
            out[f"{name} srtt p50", "ms"] = f["tcp_rtt_ms"]["p50"]
            out[f"{name} cwnd p50", "segments"] = f["cwnd_segments"]["p50"]
            out[f"{name} retransmits", ""] = None if "retransmits" in r.unknown else f["retransmits"]
            out[f"{name} RTOs", ""] = None if "rtos" in r.unknown else f["rtos"]
    for p in ("p10", "p50", "p90"):
        out[f"ping {p}", "ms"] = s["ping_ms"][p]
    for n, q in s["udp_ping_ms"].items():
        out[f"{n} p50", "ms"] = q["p50"]
    for n, a in s["ampdu"].items():
        out[f"{n} A-MPDU mean", "MPDUs"] = a["mean"]
        out[f"{n} airtime", "share"] = s["airtime"][n]
        out[f"{n} airtime to it", "share"] = s["airtime_rx"].get(n)
    for n, q in r.qdiscs.items():
        backlog = r.in_window(q, "backlog_packets")
        out[f"{n} backlog p50", "packets"] = float(np.median(backlog)) if backlog.size else None
    return out


def _mean(figures: Sequence[Mapping[tuple[str, str], float | None]]) -> dict[tuple[str, str], float | None]:
    """Each figure's mean over files, where they have it."""
    keys = list(dict.fromkeys(k for f in figures for k in f))
    found = {k: [v for f in figures if (v := f.get(k)) is not None] for k in keys}
    return {k: sum(v) / len(v) if v else None for k, v in found.items()}


def _lines(results: Mapping[str, Result], measured: Sequence[Result] = ()) -> list[Line]:
    each = {w: _figures(r) for w, r in results.items()}
    if measured:
        each[TESTBED] = _mean([_figures(r) for r in measured])
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
        if w != TESTBED:  # its files are where they are
            written += r.save(folder / w)
    return written
