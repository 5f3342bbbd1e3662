"""A log as arrays: one pair of antennas over time, with SNR, its smoothing, and effective SNR.

Each pair is taken as a channel of one antenna each, as the thesis has it (5.6.2): its share of the total SNR is its
share of the received power (one AGC serves all antennas). Memory is bounded but for nine numbers a frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UserError
from .effective import MODULATIONS, effective_db
from .formats import FORMATS, opened
from .frame import Complex, Floats, Frame, Ints, db, linear
from .reader import BadLog, Reader

# Of a log without noise: thermal noise of its width at 290 K, and a receiver's noise figure.
THERMAL_DBM_HZ, NOISE_FIGURE_DB = -174.0, 7.0
WEIGHT = 1 / 8  # of a new sample in the smoothed SNR, as AARC has it (docs/mechanisms/aarc.md)
BATCH = 1024
ROWS = 2048  # rows of the picture of power over time, at most


@dataclass(frozen=True, slots=True)
class Ask:
    """What is looked at.

    ``rx``, ``tx``: the pair of antennas, from 0. ``snr_db``, ``noise_dbm``: in place of the log's.

    ``carriers``: first and last sub-carrier, where the PPDUs used less than the log has (nexmon_csi does not tell).
    """

    rx: int = 0
    tx: int = 0
    snr_db: float | None = None
    noise_dbm: float | None = None
    weight: float = WEIGHT
    carriers: tuple[int, int] | None = None


def pair_of(frame: Frame, ask: Ask) -> tuple[Complex, float] | None:
    """The pair's channel (one value a sub-carrier) and its share of the received power.

    None if the frame has not got it.
    """
    if frame.chain is not None:
        return (frame.csi[0, 0], 1.0) if frame.chain == (ask.rx, ask.tx) else None
    rx, tx, _ = frame.csi.shape
    if ask.rx >= rx or ask.tx >= tx:
        return None
    power = (np.abs(frame.csi) ** 2).sum(axis=2)
    total = float(power.sum())
    return frame.csi[ask.rx, ask.tx], float(power[ask.rx, ask.tx]) / total if total else 0.0


def chosen(subcarriers: Ints, ask: Ask) -> Ints:
    """Which of a frame's sub-carriers are looked at, by their places; none if it has none of those asked for."""
    if ask.carriers is None:
        return np.arange(len(subcarriers))
    first, last = ask.carriers
    return np.flatnonzero((subcarriers >= first) & (subcarriers <= last))


def total_snr_db(frame: Frame, ask: Ask) -> float | None:
    """The frame's SNR: the mean in linear scale of its 20 MHz parts (thesis 5.6.2), or what the user knows."""
    if ask.snr_db is not None:
        return ask.snr_db
    if ask.noise_dbm is not None and frame.rssi_dbm is not None:
        return frame.rssi_dbm - ask.noise_dbm
    if frame.snr_db:
        return db(float(np.mean([linear(x) for x in frame.snr_db])))
    if frame.rssi_dbm is not None:
        return frame.rssi_dbm - (THERMAL_DBM_HZ + db(frame.width_mhz * 1e6) + NOISE_FIGURE_DB)
    return None


class Smooth:
    """An EWMA in dB; the first sample is taken as it is."""

    def __init__(self, weight: float) -> None:
        self.weight = weight
        self.value: float | None = None

    def __call__(self, snr_db: float) -> float:
        """Takes a sample; the smoothed value, dB."""
        self.value = snr_db if self.value is None else self.value + self.weight * (snr_db - self.value)
        return self.value


class Rows:
    """At most ROWS rows of those put in, evenly over all.

    When full, every other one goes and half as many are taken from then on.
    """

    def __init__(self) -> None:
        self.kept: list[tuple[float, Floats]] = []
        self.step, self.seen = 1, 0

    def put(self, at: float, row: Floats) -> None:
        """Takes a row: a copy of it, since what it is a row of would stay in memory as a whole."""
        if self.seen % self.step == 0:
            self.kept.append((at, row.copy()))
            if len(self.kept) == ROWS:
                self.kept, self.step = self.kept[::2], self.step * 2
        self.seen += 1


@dataclass(slots=True)
class Log:
    """A log of ``frames`` channel states, of which ``len(time_s)`` are of the pair and width looked at.

    ``snr_db``, ``smoothed_db``: dB, NaN where the log has none. ``esnr_db``: frame x modulation (MODULATIONS), of the
    smoothed SNR. ``power_db``: row x sub-carrier, of frames at ``power_s``; scaled by the smoothed SNR, else with a
    mean of 0 dB. ``damage``: what is wrong with the log, and where; what stood before it is here.
    """

    path: str
    format: str
    ask: Ask
    frames: int = 0
    width_mhz: int = 0
    shapes: Counter[str] = field(default_factory=Counter)
    time_s: Floats = field(default_factory=lambda: np.empty(0))
    snr_db: Floats = field(default_factory=lambda: np.empty(0))
    smoothed_db: Floats = field(default_factory=lambda: np.empty(0))
    esnr_db: Floats = field(default_factory=lambda: np.empty((0, 4)))
    subcarriers: Ints = field(default_factory=lambda: np.empty(0, int))
    power_s: Floats = field(default_factory=lambda: np.empty(0))
    power_db: Floats = field(default_factory=lambda: np.empty((0, 0)))
    sources: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    damage: str | None = None

    def percentiles(self) -> tuple[Floats, Floats, Floats]:
        """Mean of the power, 10th and 90th percentile of each sub-carrier, dB."""
        mean = 10 * np.log10(np.mean(10 ** (self.power_db / 10), axis=0))
        low, high = np.percentile(self.power_db, [10, 90], axis=0)
        return mean, low, high

    def json(self) -> dict[str, Any]:
        """For ``--json``: what the tables say, and each sub-carrier's power."""
        mean, low, high = self.percentiles() if len(self.power_db) else (np.empty(0),) * 3
        return {
            "path": self.path, "format": self.format, "title": FORMATS[self.format].title, "frames": self.frames,
            "used": len(self.time_s), "rx": self.ask.rx, "tx": self.ask.tx, "width_mhz": self.width_mhz,
            "shapes": dict(self.shapes), "sources": self.sources,
            "seconds": float(np.ptp(self.time_s)) if len(self.time_s) else 0.0,
            "snr_db": _spread(self.snr_db), "smoothed_db": _spread(self.smoothed_db),
            "esnr_db": {m: _spread(self.esnr_db[:, i]) for i, m in enumerate(MODULATIONS)},
            "subcarriers": self.subcarriers, "power_db": {"mean": mean, "p10": low, "p90": high},
            "notes": self.notes, "damage": self.damage,
        }  # fmt: skip


def _spread(values: Floats) -> dict[str, float]:
    finite = values[np.isfinite(values)]
    if not len(finite):
        return {}
    p10, p50, p90 = np.percentile(finite, [10, 50, 90])
    return {"p10": p10, "median": p50, "p90": p90, "sd": finite.std()}


def load(path: Path | str, form: str | None = None, ask: Ask | None = None) -> Log:
    """Reads a whole log. ``form``: a name of FORMATS, by default the one it begins like.

    Raises UserError if nothing of it can be used; a log that is damaged later on gives what stood before, and
    ``damage``.
    """
    ask = ask or Ask()
    with Reader(path) as r:
        name, frames = opened(r, form)
        log = Log(str(path), name, ask)
        batches = _Batches(log)
        try:
            for frame in frames:
                log.frames += 1
                batches.put(frame)
        except BadLog as e:
            if not log.frames:
                raise
            log.damage = str(e)
        if not log.frames:
            raise r.bad(f"no channel state in a log of {FORMATS[name].title}", r.size)
    batches.finish()
    return log


class _Batches:
    """Gathers frames of one pair and width, and has their effective SNR computed many at a time."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.smooth = Smooth(log.ask.weight)
        self.rows = Rows()
        self.waiting: list[tuple[float, Complex, float, float]] = []
        self.done: list[tuple[Floats, Floats, Floats, Floats]] = []
        self.all: Ints | None = None
        self.chosen: Ints = np.empty(0, int)
        self.other = 0
        self.missing = 0
        self.empty = 0
        self.assumed = False
        self.sources: dict[str, None] = {}

    def put(self, frame: Frame) -> None:
        log = self.log
        shape = f"{frame.csi.shape[0]} x {frame.csi.shape[1]} x {frame.csi.shape[2]}"
        if shape in log.shapes or len(log.shapes) < 64:
            log.shapes[shape] += 1
        pair = pair_of(frame, log.ask)
        if pair is None:
            self.missing += 1
            return
        if self.all is None:
            self._choose(frame)
        elif not np.array_equal(frame.subcarriers, self.all):
            self.other += 1
            return
        csi, share = pair[0][self.chosen], pair[1]
        if share == 0 or not np.abs(csi).any():
            self.empty += 1
            return
        if frame.source and len(self.sources) < 16:
            self.sources[frame.source] = None
        total = total_snr_db(frame, log.ask)
        self.assumed |= not frame.snr_db and log.ask.snr_db is None and log.ask.noise_dbm is None and total is not None
        snr = total + db(share) if total is not None else np.nan
        self.waiting.append((frame.time_s, csi, snr, self.smooth(snr) if total is not None else np.nan))
        if len(self.waiting) == BATCH:
            self._work()

    def _choose(self, frame: Frame) -> None:
        self.all, self.chosen = frame.subcarriers, chosen(frame.subcarriers, self.log.ask)
        if self.log.ask.carriers is not None and not len(self.chosen):
            first, last = self.log.ask.carriers
            raise UserError(f"--carriers: none from {first} to {last}; the log has {self.all[0]} to {self.all[-1]}")
        self.log.subcarriers, self.log.width_mhz = self.all[self.chosen], frame.width_mhz

    def _work(self) -> None:
        if not self.waiting:
            return
        times, csi, snr, smoothed = zip(*self.waiting, strict=True)
        self.waiting.clear()
        t, matrix = np.array(times), np.array(csi)
        raw, level = np.array(snr), np.array(smoothed)
        known = np.isfinite(level)
        esnr = np.full((len(t), 4), np.nan)
        if known.any():
            esnr[known] = effective_db(matrix[known], level[known])
        power = np.abs(matrix) ** 2
        scaled = (
            10 * np.log10(np.maximum(power / power.mean(axis=1, keepdims=True), 1e-12))
            + np.where(known, level, 0)[:, None]
        )
        for at, row in zip(t, scaled, strict=True):
            self.rows.put(float(at), row)
        self.done.append((t, raw, level, esnr))

    def finish(self) -> None:
        self._work()
        log = self.log
        if not self.done:
            if self.empty:
                raise UserError(
                    f"{log.path}: all values of receive antenna {log.ask.rx} and transmit antenna {log.ask.tx} are 0, in "
                    f"{self.empty} frame{'s' if self.empty > 1 else ''}; expected one with a value that is not"
                )
            pairs = ", ".join(log.shapes)
            raise UserError(
                f"{log.path}: no frame has receive antenna {log.ask.rx} and transmit antenna {log.ask.tx}; "
                f"its matrices (receive x transmit x sub-carriers) are {pairs}"
            )
        log.time_s, log.snr_db, log.smoothed_db, log.esnr_db = (np.concatenate(x) for x in zip(*self.done, strict=True))
        log.power_s = np.array([at for at, _ in self.rows.kept])
        log.power_db = np.array([row for _, row in self.rows.kept])
        log.sources = list(self.sources)
        log.notes = list(self._notes())

    def _notes(self) -> Iterable[str]:
        log = self.log
        if self.missing:
            yield f"{self.missing} frames without receive antenna {log.ask.rx} and transmit antenna {log.ask.tx} are left out"
        if self.other:
            yield f"{self.other} frames of another width than {log.width_mhz} MHz are left out"
        if self.empty:
            yield f"{self.empty} frames whose values are all 0 are left out"
        if self.assumed:
            noise = THERMAL_DBM_HZ + db(log.width_mhz * 1e6) + NOISE_FIGURE_DB
            figure = f"290 K, a noise figure of {NOISE_FIGURE_DB:.0f} dB"
            yield f"the log has no noise: SNR is against {noise:.0f} dBm ({figure}); --noise sets it"
        if not np.isfinite(log.snr_db).any():
            yield "the log has neither SNR nor RSSI: no effective SNR, and powers have a mean of 0 dB; --snr gives it one"
        steps = np.diff(log.time_s)
        if len(steps) and (back := int((steps < 0).sum())):
            yield f"time goes back {back} times: plots are over the frame's number"
