"""Against ns-3's DCF and A-MPDU timing: UDP saturation by 1 to 14 stations, or by the access point to so many.

``goodput_mbit`` holds if it is within 8 % of ns-3's mean or within two of its standard deviations. Rows of single frames
and 2 to 14 stations have a second metric, ``bianchi_mbit``: within 5 % of Bianchi's saturation throughput with this retry limit.
Rows of several access categories (`dcf_categories`) have a metric for each of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .. import _core, workers
from ..errors import UserError, nearest
from ..linux import tree
from . import dcf_categories, sheet
from .dcf_band import held, number
from .report import Report, Row
from .sheet import Table

PATH = Path(__file__).parents[1] / "data" / "reference" / "ns3-saturation.csv"
#: Rows made by `python/tools/ns3_saturation.py`.
MORE = PATH.with_name("ns3-saturation-more.csv")
#: Rows of several access categories, made by the same with --categories.
CATEGORIES = PATH.with_name("ns3-categories.csv")
COLUMNS = (
    "std", "mode", "dir", "width_mhz", "stations", "max_ampdu_bytes", "sgi", "rts", "udp_payload", "goodput_mbit",
    "goodput_sd", "min_station_mbit", "max_station_mbit", "ba_window",
)  # fmt: skip
#: What ns-3 had: seeds and seconds.
SEEDS, SECONDS = 3, 12.0
BIANCHI_SHARE = 0.05

#: How the modes of a standard begin.
MODES = {"n": "HtMcs", "ac": "VhtMcs", "ax": "HeMcs", "a": "OfdmRate"}

WHAT = "a CSV file of the saturation reference"
#: What a row's whole numbers lie between. src: crates/core/src/wifi/saturation.rs
RANGES = {"width_mhz": (20, 160), "stations": (1, 254), "max_ampdu_bytes": (0, 1_048_575), "udp_payload": (1, 1472)}


def load(path: Path = PATH) -> list[Table]:
    """The rows of the file. Raises UserError for what is no such file."""
    header, rows = sheet.read(path, WHAT)
    known = (*COLUMNS, *dcf_categories.COLUMNS)
    several = any(column in dcf_categories.COLUMNS for column in header)
    expected = known if several else COLUMNS
    for column in header:
        if column not in known:
            near = nearest(column, known)
            hint = f'; did you mean "{near}"?' if near else ""
            raise UserError(f'{path}:1: unknown column "{column}", expected {", ".join(expected)}{hint}')
    for column in (*COLUMNS[:11], *(dcf_categories.COLUMNS if several else ())):
        if column not in header:
            raise UserError(f'{path}:1: the column "{column}" is missing, expected {", ".join(expected)}')
    sheet.filled(path, rows, WHAT)
    for line, row in rows:
        _check(f"{path}:{line}", row)
    return [row for _, row in rows]


def _check(where: str, row: Table) -> None:
    choices = {"std": tuple(MODES), "dir": ("up", "down"), "rts": ("0", "1"), "sgi": ("0", "1")}
    if "ba_window" in row:
        choices["ba_window"] = ("64", "256") if row["std"] == "ax" else ("64",)
    for key, names in choices.items():
        if row[key] not in names:
            raise UserError(f'{where}: {key}: "{row[key]}", expected one of {", ".join(names)}')
    begins = MODES[row["std"]]
    if not row["mode"].startswith(begins):
        raise UserError(f'{where}: mode: "{row["mode"]}" with std {row["std"]}, expected one of {begins}...')
    for key, (low, high) in RANGES.items():
        text = row[key]
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise UserError(f'{where}: {key}: "{text}", expected a whole number from {low} to {high}')
    if not 0 < number(row["goodput_mbit"]) < math.inf:
        why = "of which the tolerance is a share"
        raise UserError(f'{where}: goodput_mbit: "{row["goodput_mbit"]}", expected a number above 0, {why}')
    sheet.figure(where, row, "goodput_sd")
    try:
        _core.dcf_check(row)
    except KeyError as e:
        raise UserError(f"{where}: {e.args[0]}") from None
    if dcf_categories.there(row):
        dcf_categories.check(where, row)


def name(row: Table) -> str:
    """A row's name, made of what it sets."""
    most = int(row["max_ampdu_bytes"])
    frames = {0: "single", 65535: "ampdu"}.get(most, f"ampdu{most}")
    rts = "-rts" if row["rts"] == "1" else ""
    down = "-down" if row["dir"] == "down" else ""
    lgi = "-lgi" if row["std"] in ("n", "ac") and row["sgi"] == "0" else ""
    payload = "" if row["udp_payload"] == "1472" else f"-{row['udp_payload']}B"
    window = "-ba256" if row.get("ba_window") == "256" else ""
    several = dcf_categories.suffix(row) if dcf_categories.there(row) else ""
    stations = f"{row['stations']}sta{down}{several}"
    return f"{row['std']}-{row['mode']}-{row['width_mhz']}MHz{lgi}-{frames}{window}{rts}{payload}-{stations}"


#: A row's goodput, or of several categories each one's, Mbit/s; or why there is none.
Ours = float | dict[str, float] | str


def run_row(row: Table) -> Ours:
    """The model's goodput, mean over the seeds."""
    if dcf_categories.there(row):
        return dcf_categories.run(row)
    return float(np.mean([_core.dcf_case(row, seed, SECONDS) for seed in range(1, SEEDS + 1)]))


def judge(row: Table, ours: Ours, bianchi: float | None) -> list[Row]:
    """One row a metric."""
    reference, sd = float(row["goodput_mbit"]), float(row["goodput_sd"])
    if isinstance(ours, str):
        return [Row(name(row), "goodput_mbit", reference, None, None, ours)]
    if isinstance(ours, dict):
        return dcf_categories.judge(name(row), row, ours)
    rows = [held(name(row), "goodput_mbit", reference, sd, ours)]
    if bianchi is not None:
        low, high = bianchi * (1 - BIANCHI_SHARE), bianchi * (1 + BIANCHI_SHARE)
        rows.append(Row(name(row), "bianchi_mbit", bianchi, ours, low <= ours <= high, "", low, high))
    return rows


def bianchi(row: Table) -> float | None:
    """Bianchi's prediction for a row of single frames and several stations, else None."""
    if int(row["max_ampdu_bytes"]) or int(row["stations"]) < 2 or row["dir"] == "down":
        return None
    if row["rts"] == "1" or dcf_categories.there(row):
        return None
    return float(_core.dcf_bianchi(row))


def linux_goodputs(path: Path, jobs: int, done: Callable[[str], None]) -> dict[int, Ours]:
    """Each row's goodput on the virtual radio under the real mac80211, or why it has none there. Raises LinuxFailed."""
    table = load(path)

    def on_line(line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "progress" and rest.isdigit():
            done(name(table[int(rest)]))

    text = tree.program(["tests/saturation", str(path), "--json", "--jobs", str(jobs)], on_line)
    found = [json.loads(line) for line in text.splitlines()]
    return {r["row"]: r["reason"] if "reason" in r else _of_linux(table[r["row"]], r) for r in found}


def _of_linux(row: Table, found: dict[str, float]) -> Ours:
    if dcf_categories.there(row):
        return {ac: float(found[f"{ac}_mbit"]) for ac in dcf_categories.sent(row)}
    return float(found["goodput_mbit"])


def validate(
    path: Path | None = None, jobs: int = 1, done: Callable[[str], None] = lambda name: None, on: str = "model"
) -> Report:
    """Runs every row on the model, or on linux."""
    table = load(path or PATH)
    ours: dict[int, Ours]
    if on == "linux":
        ours = linux_goodputs(path or PATH, jobs, done)
    else:
        ours = {}
        for i, value in workers.pool(run_row, table, jobs):
            ours[i] = value
            done(name(table[i]))
    rows: list[Row] = []
    for i, row in enumerate(table):
        rows += judge(row, ours[i], bianchi(row))
    return Report("dcf" if on == "model" else "dcf on linux", rows)
