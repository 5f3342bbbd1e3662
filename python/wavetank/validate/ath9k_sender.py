"""Against a real ath9k that sends by itself: four flows of a laptop under TCP Small Queues to one station, at MCS 0 to 15.

The reference is a CSV file of derived figures: ``mcs``, ``seconds``, ``sum_mbit`` (sum of the flows' means), ``flows_mbit``, the
median ping before the flows, percentiles of the ping under them, from 3 s after the flows' start on. ``goodput_mbit`` holds
within 10 %, ``ping_p50_ms`` within a factor of 1.5, as in :mod:`.ath9k`. There the same laptop forwards what a wired host sends;
here TSQ is all that stands in its queues.

From the files' metadata: Linux 4.8 with mac80211's queues under ath9k (``noqueue`` above), CUBIC, no ECN, no segmentation
offload, ``tcp_limit_output_bytes`` 262144; from the measurer's report and script: 5 GHz, 20 MHz, the laptop as access point,
its rate by ``iw set bitrates``, the station an ath10k router with the receivers behind a wire. So the laptop is the scenario's
station here, the router its access point, each with the other's EDCA parameters. The model takes the mean of seeds 1 to 10:
how far slow start gets before HyStart ends it differs from run to run.

What nobody says is decided once for all rows: :data:`SHORT_GI`, that rate control and the sender's cache of metrics begin anew
with each run, and how long the way behind the router is: so long that pings before the flows, which are not judged, take the
1.2 ms that they took.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from .. import _core, workers
from ..errors import UserError
from . import ath9k_figures as figures
from .ath9k_figures import goodput, ping
from .report import Report, Row
from .sheet import Table

PATH = Path(__file__).parents[1] / "data" / "reference" / "real-ath9k-sender.csv"
COLUMNS = (
    "mcs", "seconds", "sum_mbit", "flows_mbit", "idle_ping_p50_ms", "ping_p1_ms", "ping_p10_ms", "ping_p50_ms", "ping_p90_ms",
    "ping_p99_ms", "date",
)  # fmt: skip
SEEDS = 10
#: The guard interval of all rows: whether the short one may be used. With it MCS 0, 1 and 8, whose aggregates have two, four and
#: four frames with either, would leave 1.3 ms of each cycle beside the data, where there is nothing that takes so long.
SHORT_GI = False

_SCENARIO = """
name = "real-ath9k-sender"
kernel = "4.14"  # the nearest to 4.8 with mac80211's queues
[topology]
kind = "wifi"
[wifi]
standard = "n"
width_mhz = 20
band = "5 GHz"
mcs = 15
[sta]
driver = "ath9k"
rate_control = "minstrel_ht"
[ap]
driver = "ath10k"
[backhaul]
delay = "240 us"
[edca]
be_cw_max = 63
[edca_ap]
be_cw_max = 1023
[minstrel_ht]
version = "4.9"
[mac80211]
slow_stations = false  # CoDel by rate came with 4.12
[tcp]
cc = "cubic"
limit_output_bytes = 262144
gso_max_segs = 1
gso_forced = false
[time]
lead_in = "5 s"
warmup = "3 s"
tail = 0
[traffic]
tcp_up = 4
ping = "50 ms"
"""

WHAT = "a CSV file of a sending access point's figures"


def load(path: Path = PATH) -> list[Table]:
    """The rows of the file. Raises UserError for what is no such file."""
    found = []
    for where, row in figures.rows(path, WHAT, COLUMNS):
        if row["mcs"] not in map(str, range(16)):
            raise UserError(f'{where}: mcs: "{row["mcs"]}", expected a whole number from 0 to 15')
        found.append(row)
    return found


def name(row: Table) -> str:
    """A row's name, made of what it sets."""
    return f"tsq-mcs{row['mcs']}"


def runs(rows: list[Table]) -> int:
    """How often :func:`validate` tells that something is done."""
    return len(rows)


def run(row: Table, seed: int) -> tuple[float, float]:
    """Goodput (Mbit/s) and median ping (ms) of one run."""
    seconds = float(row["seconds"])
    sets = {
        "minstrel_ht.bitrates": row["mcs"],
        "wifi.short_gi": str(SHORT_GI).lower(),
        "time.flows": f"{seconds} s",
    }
    out = _core.run(_SCENARIO, name(row), list(sets.items()), seed)
    return goodput(out, seconds), ping(out, seconds)


def run_row(row: Table) -> tuple[float, float]:
    """Means over the seeds."""
    means = np.mean([run(row, seed) for seed in range(1, SEEDS + 1)], axis=0)
    return float(means[0]), float(means[1])


def validate(
    path: Path | None = None, jobs: int = 1, done: Callable[[str], None] = lambda name: None, plots: Path | None = None
) -> Report:
    """Runs every row. ``done`` is called after each. ``plots``: a folder for a picture of them."""
    rows = load(path or PATH)
    judged: dict[str, list[Row]] = {}
    for i, ours in workers.pool(run_row, rows, jobs):
        case = name(rows[i])
        judged[case] = figures.judge(case, rows[i], ours)
        done(case)
    guard = "short" if SHORT_GI else "long"
    report = Report(
        "ath9k", [r for row in rows for r in judged[name(row)]], (f"all rows with the {guard} guard interval",)
    )
    figures.picture(report, plots, "ath9k-sender.png")
    return report
