"""Against what others have measured and told on the linux-wireless list, in a commit's message or a published file.

The reference is a CSV file, a row a figure: ``name``; ``scenario``, a file of ``reported/`` beside it; ``set``, what is set
there ("key=value; key=value"); ``beside``, the other set-up of a ratio, empty where the figure itself was reported;
``figure``, a name of :data:`FIGURES`; ``reported``; ``low`` and ``high``, within which the model holds, both empty where
``reason`` says why it cannot be judged, and is not run; ``date`` and ``subject`` of the message, or the files.

Nobody measured for us: rates, hosts and flows are mostly not said, and the scenarios' descriptions name what is not.
So goodputs and their ratios hold within 15 %, times within a factor of 1.5, a loss of about 5 % within 5 points,
where a message says that something does not matter within 3 %, and where it says by how much at most, within that;
docs/reported.md has each row's set-up and what the model's answer says. The model takes the mean of seeds 1 to 5; a
ratio is one of means.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import _core, workers
from ..errors import UserError, unknown
from ..state import read
from ..units import span
from . import sheet
from .report import Report, Row
from .sheet import Table

if TYPE_CHECKING:
    from .._core import CoreResult

PATH = Path(__file__).parents[1] / "data" / "reference" / "reported.csv"
COLUMNS = (
    "name", "scenario", "set", "beside", "figure", "reported", "low", "high", "reason", "date", "subject",
)  # fmt: skip
SEEDS = 5
#: How often a run's queues are looked at for the sojourn: no divisor of what repeats in a run (beacons, samples).
LOOK_NS = 330_000_000
WHAT = "a CSV file of reported figures"
_TIMES = ("time.lead_in", "time.warmup", "time.flows")


def goodput(out: CoreResult) -> float:
    """The flows' sum, Mbit/s."""
    return float(sum(f["goodput_mbit"] for f in out["flows"]))


def least_of_most(out: CoreResult) -> float:
    """The slowest flow's goodput, as a part of the fastest one's."""
    each = [f["goodput_mbit"] for f in out["flows"]]
    return float(min(each) / max(each))


def ping(out: CoreResult) -> float:
    """The median of all pings in the run's window, ms."""
    start, end = out["window"]
    rtts = [np.asarray(p["rtt_ms"])[(np.asarray(p["t"]) >= start) & (np.asarray(p["t"]) <= end)] for p in out["pings"]]
    return float(np.nanmedian(np.concatenate(rtts)))


def sojourn(out: CoreResult) -> float:
    """A packet's mean wait in the access point's TXQs, ms: packets there over packets a second (Little's law)."""
    held, sent, when = [], [], []
    for raw in out["states"]:
        state = read.from_core(raw)
        queues = [q for d in state.hosts["ap"].devices if d.radio for s in d.radio.stations for q in s.txqs]
        held.append(sum(q.backlog_packets for q in queues))
        sent.append(sum(q.tx_packets for q in queues))
        when.append(state.at_s)
    return float(1e3 * np.mean(held) * (when[-1] - when[0]) / (sent[-1] - sent[0]))


#: What may be read off a run.
FIGURES: dict[str, Callable[[CoreResult], float]] = {
    "goodput_mbit": goodput,
    "least_of_most": least_of_most,
    "ping_p50_ms": ping,
    "sojourn_ms": sojourn,
}


def load(path: Path = PATH) -> list[Table]:
    """The rows of the file. Raises UserError for what is no such file."""
    header, found = sheet.read(path, WHAT)
    if header != list(COLUMNS):
        raise UserError(f"{path}:1: columns {', '.join(header)}, expected {', '.join(COLUMNS)}")
    sheet.filled(path, found, WHAT)
    for line, row in found:
        where = f"{path}:{line}"
        if row["figure"] not in FIGURES:
            raise unknown("figure", row["figure"], FIGURES, where)
        for key in ("reported", *(() if row["reason"] else ("low", "high"))):
            sheet.figure(where, row, key)
        if row["scenario"]:
            scenario(path, row)
        elif not row["reason"]:
            raise UserError(
                f"{where}: scenario: is empty, expected a file of {path.stem}/, or a reason why there is none"
            )
    return [row for _, row in found]


def scenario(path: Path, row: Table) -> tuple[str, str]:
    """The text of a row's scenario, and its file's name. Raises UserError if it cannot be read."""
    file = path.with_suffix("") / f"{row['scenario']}.toml"
    try:
        return file.read_text(encoding="utf-8"), str(file)
    except (OSError, UnicodeDecodeError):
        raise UserError(f"{file}: cannot be read, expected the scenario of {row['name']}") from None


def settings(text: str) -> list[tuple[str, str]]:
    """What a cell sets."""
    return [
        (key.strip(), value.strip()) for key, _, value in (one.partition("=") for one in text.split(";")) if key.strip()
    ]


def run(path: Path, row: Table, sets: str, seed: int) -> float:
    """The row's figure in one run."""
    text, name = scenario(path, row)
    overrides = settings(sets)
    looks: list[int] = []
    if row["figure"] == "sojourn_ms":
        start, end = (round(1e9 * t) for t in _window(text, name, overrides))
        looks = list(range(start, end, LOOK_NS))
    return FIGURES[row["figure"]](_core.run(text, name, overrides, seed, looks))


def _window(text: str, name: str, overrides: list[tuple[str, str]]) -> tuple[float, float]:
    """From when until when a run is read, s, without running it."""
    at = {key: span(value) / 1e9 for key, value in _core.check(text, name, overrides).items() if key in _TIMES}
    return at["time.lead_in"] + at["time.warmup"], at["time.lead_in"] + at["time.flows"]


def measure(work: tuple[Path, Table]) -> float:
    """The model's value of a row: the mean over the seeds, or the ratio of two."""
    path, row = work
    first = _mean(path, row, row["set"])
    return first / _mean(path, row, row["beside"]) if row["beside"] else first


def _mean(path: Path, row: Table, sets: str) -> float:
    return float(np.mean([run(path, row, sets, seed) for seed in range(1, SEEDS + 1)]))


def judge(row: Table, ours: float | None) -> Row:
    """A row's verdict: within its bounds; none where there is a reason."""
    metric = f"{row['figure']}, ratio" if row["beside"] else row["figure"]
    reported = float(row["reported"])
    if row["reason"]:
        return Row(row["name"], metric, reported, ours, None, row["reason"])
    low, high = float(row["low"]), float(row["high"])
    return Row(row["name"], metric, reported, ours, ours is not None and low <= ours <= high, "", low, high)


def validate(path: Path | None = None, jobs: int = 1, done: Callable[[str], None] = lambda name: None) -> Report:
    """Runs every row that can be judged. ``done`` is called after each."""
    file = path or PATH
    rows = load(file)
    ours: dict[str, float] = {}
    work: list[tuple[Path, Table]] = [(file, row) for row in rows if not row["reason"]]
    for i, value in workers.pool(measure, work, jobs):
        ours[work[i][1]["name"]] = value
        done(work[i][1]["name"])
    return Report("reported", [judge(row, ours.get(row["name"])) for row in rows])


def runs(rows: list[Table]) -> int:
    """How often :func:`validate` tells that something is done."""
    return sum(not row["reason"] for row in rows)
