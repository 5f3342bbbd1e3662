"""Against a real access point: ath9k sends four TCP flows to two stations, at each MCS of 0 to 15, under four queueing set-ups.

The reference is a CSV file of derived figures: ``queueing``, ``long`` (1: 300 s), ``mcs``, ``seconds``, ``sum_mbit`` (sum of
the flows' means) and percentiles of the ping, from 3 s after the flows' start on. ``goodput_mbit`` holds within 10 %,
``ping_p50_ms`` within a factor of 1.5; pfifo rows at MCS 0, 1, 8 and 9 are shown, not judged (a sender-side count over 30 s of
a growing queue). For every MCS there are three orders, over the short runs: ``lowest_ping`` and ``lowest_goodput`` of the
airtime-fair set-up, ``highest_ping`` of pfifo_1000.

What the measured files say of themselves (their metadata) is taken from there: the sender's kernel (3.10), its congestion
control (Reno, although the titles say CUBIC), ECN, its cache of metrics; and from the measurer's report: the sender behind a
wire, the 5 GHz band, one station under macOS, the Linux one with ath10k, and that only the access point's rate was fixed, by
``iw set bitrates``, under which Minstrel-HT goes on probing (``minstrel_ht.bitrates``). The access point's wired card
(``[nic]``: after four frames or 200 us) is r8169's, known by its address. Connections begin with the slow start threshold
that the sender's cache has of the ones before (:func:`cached`), so that the runs of a day are one :data:`chain <DAYS>`, MCS 0
to 15 in each series, as they were made. The model goes through each chain with seeds 1 to 3 and takes the mean.

What nobody says is decided once for all rows: :data:`SHORT_GI`, :data:`FASTEST`, that a day's cache begins empty, and that rate
control begins anew with each run.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import _core, workers
from ..errors import UserError, unknown
from . import ath9k_figures as figures
from .ath9k_figures import goodput, ping, window
from .report import Report, Row
from .sheet import Table

PATH = Path(__file__).parents[1] / "data" / "reference" / "real-ath9k-c2.csv"
COLUMNS = (
    "queueing", "long", "mcs", "seconds", "sum_mbit", "flows_mbit", "idle_ping_p50_ms", "ping_p10_ms", "ping_p50_ms",
    "ping_p90_ms", "date",
)  # fmt: skip
SEEDS = 3
#: The guard interval of all rows: whether the short one may be used. pfifo_20 carried 6.19 Mbit/s at MCS 0, 12.49 at MCS 8; with
#: the long one no more than 6.10 and 12.2 are possible without any gap on the air.
SHORT_GI = True
#: The fastest rate of two streams: what the cards can do, and what the stations send with, whose rate was not fixed.
FASTEST = 15
FAIR, DEEP = "fq_codel_airtime_txq", "stock_4_4_pfifo_1000"
#: ath9k as Linux 4.4 had it: a qdisc above the driver's own queues.
STOCK = "ath9k_tidq"
#: What each set-up is at the access point: its queues, and Minstrel-HT of 4.4, or of the tree that became 4.9. The airtime-fair
#: one has ath9k's own turns (kernel 3.10 has no TXQs, so it gets the first that there were); CoDel by rate came with 4.12.
SETUPS: dict[str, dict[str, str]] = {
    FAIR: {"ap.driver": "ath9k", "minstrel_ht.version": "4.9", "mac80211.slow_stations": "false"},
    "stock_4_4": {"ap.driver": STOCK, "ap.qdisc": "fq_codel", "minstrel_ht.version": "4.4"},
    DEEP: {"ap.driver": STOCK, "ap.qdisc": "pfifo", "pfifo.limit": "1000", "minstrel_ht.version": "4.4"},
    "stock_4_4_pfifo_20": {
        "ap.driver": STOCK,
        "ap.qdisc": "pfifo",
        "pfifo.limit": "20",
        "minstrel_ht.version": "4.4",
    },
}
#: The series of the two days of measuring, in their order: set-up, and seconds of flows. Each goes through all MCSs.
DAYS: tuple[tuple[tuple[str, int], ...], ...] = (
    ((FAIR, 30),),
    (("stock_4_4", 30), (DEEP, 30), ("stock_4_4_pfifo_20", 30), (DEEP, 300)),
)
MCS = range(16)
#: Whether the sender asked for ECN, by set-up (its sysctls).
ECN = {FAIR: False}
#: A threshold that is not there. src: linux@6.12 include/net/tcp.h TCP_INFINITE_SSTHRESH
NO_SSTHRESH = 0x7FFFFFFF

_SCENARIO = """
name = "real-ath9k"
kernel = "3.10"
[topology]
kind = "wifi"
[wifi]
standard = "n"
width_mhz = 20
band = "5 GHz"
stations = 2
[sta]
driver = "ath10k"
[stations]
stretch_acks = "false, true"
[nic]  # r8169's; see docs/reference-data.md
rx_usecs = "200 us"
rx_frames = 4
[tcp]
cc = "reno"
[time]
lead_in = "5 s"
warmup = "3 s"
tail = 0
[traffic]
tcp_up = 0
tcp_down = 2
"""

WHAT = "a CSV file of the access point's figures"


def load(path: Path = PATH) -> list[Table]:
    """The rows of the file. Raises UserError for what is no such file."""
    found = []
    for where, row in figures.rows(path, WHAT, COLUMNS):
        if row["queueing"] not in SETUPS:
            raise unknown("queueing", row["queueing"], SETUPS, where)
        for key in ("long", "mcs"):
            if not (row[key].isascii() and row[key].isdigit()):
                raise UserError(f'{where}: {key}: "{row[key]}", expected a whole number that is not negative')
        found.append(row)
    return found


def name(row: Table) -> str:
    """A row's name, made of what it sets."""
    return f"{row['queueing']}-mcs{row['mcs']}{'-long' if row['long'] == '1' else ''}"


def cannot(row: Table) -> str:
    """Why the model cannot run this row; empty if it can."""
    driver = SETUPS[row["queueing"]]["ap.driver"]
    if driver not in _core.registry()["driver"]:
        return f"the driver {driver} is not there yet"
    if not any(series(row) in day for day in DAYS) or int(row["mcs"]) not in MCS:
        return "the measurement has no such run"
    return ""


def series(row: Table) -> tuple[str, int]:
    """The series that a row belongs to."""
    return row["queueing"], 300 if row["long"] == "1" else 30


def cached(before: int, cwnd: int, ssthresh: float) -> int:
    """The threshold that the sender's cache of metrics has of a host after a connection to it ended so; 0: none.

    src: linux@6.12 net/ipv4/tcp_metrics.c tcp_update_metrics, as in 3.10 (whether a loss was being repaired is not looked at)
    """
    if not np.isfinite(ssthresh):
        return max(before, cwnd // 2) if before else 0
    if cwnd > ssthresh:
        return max(cwnd // 2, int(ssthresh))
    return max(before, int(ssthresh)) if before else 0


def run(setup: str, mcs: int, seconds: float, seed: int, cache: list[int]) -> tuple[float, float]:
    """Goodput (Mbit/s) and median ping (ms) of one run. ``cache``: the threshold by station, brought up to date."""
    sets = {
        **SETUPS[setup],
        "wifi.mcs": str(FASTEST),
        "ap.rate_control": "minstrel_ht",
        "minstrel_ht.bitrates": str(mcs),
        "wifi.short_gi": str(SHORT_GI).lower(),
        "stations.mcs_up": f"{FASTEST}*2",
        "stations.ssthresh": ", ".join(str(c or NO_SSTHRESH) for c in cache),
        "tcp.ecn": str(ECN.get(setup, True)).lower(),
        "time.flows": f"{seconds} s",
    }
    out = _core.run(_SCENARIO, f"{setup}-mcs{mcs}", list(sets.items()), seed)
    end = window(seconds)[1]
    for flow in out["flows"]:
        t = np.asarray(flow["series"]["t"])
        cwnd, ssthresh = np.asarray(flow["series"]["snd_cwnd"]), np.asarray(flow["series"]["snd_ssthresh"])
        last = np.flatnonzero(np.isfinite(cwnd) & (t <= end + 1e-3))[-1]
        at = int(flow["station"])
        cache[at] = cached(cache[at], int(cwnd[last]), float(ssthresh[last]))
    return goodput(out, seconds), ping(out, seconds)


Point = tuple[str, int, int]  # set-up, seconds, MCS


@dataclass(frozen=True)
class Day:
    """A day with one seed, up to the last run that is asked for. What is done is noted in ``told``, a file a run: a day takes
    minutes, and whoever waits for it is in another process."""

    day: int
    seed: int
    last: Point
    told: str

    @property
    def points(self) -> list[Point]:
        """Its runs, in their order."""
        order = [(setup, seconds, mcs) for setup, seconds in DAYS[self.day] for mcs in MCS]
        return order[: order.index(self.last) + 1]


def run_day(work: Day) -> dict[Point, tuple[float, float]]:
    """Its runs, one after the other."""
    cache = [0, 0]
    out: dict[Point, tuple[float, float]] = {}
    for setup, seconds, mcs in work.points:
        out[setup, seconds, mcs] = run(setup, mcs, float(seconds), work.seed, cache)
        (Path(work.told) / f"{setup}-{seconds}s-mcs{mcs}, seed {work.seed}").touch()
    return out


@contextmanager
def _telling(folder: Path, done: Callable[[str], None]) -> Iterator[None]:
    """Meanwhile ``done`` is told of each file that comes into the folder."""
    ended = threading.Event()
    seen: set[str] = set()

    def watch() -> None:
        over = False
        while not over:
            over = ended.wait(0.3)
            new = {p.name for p in folder.iterdir()} - seen
            seen.update(new)
            for name in sorted(new):
                done(name)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def days(rows: list[Table], told: str = "") -> list[Day]:
    """What has to be run for these rows: the longest first."""
    points = [(*series(r), int(r["mcs"])) for r in rows if not cannot(r)]
    work = []
    for day, all_series in enumerate(DAYS):
        order = [(*s, mcs) for s in all_series for mcs in MCS]
        wanted = [order.index(p) for p in points if p in order]
        work += [Day(day, seed, order[max(wanted)], told) for seed in range(1, SEEDS + 1) if wanted]
    return sorted(work, key=lambda d: -d.day)


def runs(rows: list[Table]) -> int:
    """How many runs these rows take."""
    return sum(len(d.points) for d in days(rows))


def judge(row: Table, ours: tuple[float, float] | None) -> list[Row]:
    """Goodput and ping of one row."""
    if ours is None:
        return [Row(name(row), metric, ref, None, None, cannot(row)) for metric, ref, _, _ in figures.bounds(row)]
    shown = "pfifo" in row["queueing"] and int(row["mcs"]) % 8 < 2
    return figures.judge(name(row), row, ours, "shown, not judged: a queue that grows through the run" if shown else "")


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
            first = min((sign * v, q) for q, v in known.items())[1]
            holds = "" if first == who else f"{who} has {known[who]:.3g}, {first} {known[first]:.3g}"
            out.append(Row(case, metric, None, known[who], first == who, holds))
    return out


def validate(
    path: Path | None = None, jobs: int = 1, done: Callable[[str], None] = lambda name: None, plots: Path | None = None
) -> Report:
    """Runs every row that the model can run, and the runs before it of the same day. ``done`` is called after each of
    :func:`runs`. ``plots``: a folder for a picture of the short runs."""
    rows = load(path or PATH)
    points = {name(r): (*series(r), int(r["mcs"])) for r in rows if not cannot(r)}
    found: dict[Point, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="wavetank-ath9k-") as told, _telling(Path(told), done):
        for _, day_out in workers.pool(run_day, days(rows, told), jobs):
            for point, values in day_out.items():
                found.setdefault(point, []).append(values)
    ours: dict[str, tuple[float, float]] = {}
    for row_name, point in points.items():
        means = np.mean(found[point], axis=0)
        ours[row_name] = (float(means[0]), float(means[1]))
    out = [r for row in rows for r in judge(row, ours.get(name(row)))]
    guard = "short" if SHORT_GI else "long"
    report = Report("ath9k", out + orders(rows, ours), (f"all rows with the {guard} guard interval",))
    figures.picture(report, plots, "ath9k.png")
    return report
