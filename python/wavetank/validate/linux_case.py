"""One standing Wi-Fi scenario: its configuration, and what the kernel did with it.

A folder of them has ``scenarios.json`` (name to configuration) and ``summary.csv`` (name, figure, and the kernel's runs ``run1``,
``run2`` ...: each with another seed and the flows 13.7 ms later than in the one before).
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UserError, unknown, unreadable
from ..linux.own import BY_MODE

PATH = Path(__file__).parents[1] / "data" / "reference" / "linux-standing"
#: Every key of a scenario that the mapping knows, and its value where it is absent (None: must be there).
CONFIG: dict[str, Any] = {
    "kernel": "6.12",
    "runs": 9,
    "stations": 1,
    "dir": "up",
    "traffic": "tcp",
    "flows": 1,
    "cc": "cubic",
    "cc_set": {},
    "payload": 1472,
    "secs": 12,
    "step": 0.2,
    "warmup": 4,
    "rtt_ms": 0,
    "gso_max_segs": 1,
    "limit_output_bytes": 1048576,
    "rcvbuf": 64 << 20,
    "rcvlowat": 128 << 10,
    "ca_ratio": 120,
    "ss_ratio": 200,
    "tos": 0,
    "ping_ms": 100,
    "qdisc": "",
    "ap_qdisc": "",
    "sta_qdisc": "",
    "rc": "minstrel_ht",
    "channel": {},
    "wmm": True,
    "ccmp": False,
    "ghz2": False,
    "hostapd": [],
    "radio": {},
}
#: The same of ``radio``. -1: rate control chooses.
RADIO: dict[str, Any] = {
    "fixed_mcs": -1,
    "pacing_shift": 7,
    "error_ppm": 0,
    "rts": False,
    "rx_ns": 0,
    "mode": 0,
    "htc_qdisc": True,
    "tso": True,
    "rimt_first_us": 0,
    "rimt_last_us": 0,
    "streams": 2,
    "max_frames": 32,
    "keep_turn": False,
    "rts_lowest": False,
    "edma": True,
    "error_down_ppm": [],
    "tao": False,
    "hack": 0,
    "ht": True,
    "ampdu": True,
    "fixed_legacy": -1,
    "dsss": False,
    "erp_protection": False,
    "vht": False,
    "he": False,
    "fixed_mhz": 40,
    "density": 6,
    **{key: list(values) for key, values in BY_MODE.items()},
}
CHOICES = {"dir": {"up", "down", "both"}, "traffic": {"tcp", "udp"}}


@dataclass(frozen=True)
class Case:
    """One scenario: its configuration and the figures of the kernel's runs."""

    name: str
    config: dict[str, Any]
    kernel: dict[str, tuple[float, ...]]


def complete(where: str, config: Any) -> dict[str, Any]:
    """A scenario's configuration with every key. Raises UserError for unknown keys, and values of the wrong kind."""
    if not isinstance(config, dict):
        raise UserError(f"{where}: is not an object, expected the keys of a scenario")
    for key in config:
        if key not in CONFIG:
            raise unknown("key", key, set(CONFIG), where)
    full = {**CONFIG, **config}
    for key, names in CHOICES.items():
        if full[key] not in names:
            raise unknown(key, str(full[key]), names, where)
    if not isinstance(full["cc_set"], dict):
        raise UserError(f"{where}: cc_set: is not an object, expected the congestion control's parameters")
    if not isinstance(full["radio"], dict):
        raise UserError(f"{where}: radio: is not an object, expected the radio's parameters")
    for key in full["radio"]:
        if key not in RADIO:
            raise unknown("key of radio", key, set(RADIO), where)
    full["radio"] = {**RADIO, **full["radio"]}
    for key, value in full.items():
        numeric = isinstance(CONFIG[key], int | float) and key not in ("tos", "wmm", "ccmp", "ghz2")
        if numeric and (isinstance(value, bool) or not isinstance(value, int | float) or value < 0):
            raise UserError(f"{where}: {key}: {value!r}, expected a number that is not negative")
    return full


def load(path: Path = PATH) -> list[Case]:
    """The scenarios of a folder. Raises UserError for what is no such folder, and for unknown keys."""
    try:
        text = (path / "scenarios.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise unreadable(path / "scenarios.json", e, "the scenarios of a reference's folder") from None
    try:
        with (path / "summary.csv").open(encoding="utf-8", newline="") as f:
            reader = csv.DictReader(f)
            header, rows = reader.fieldnames, [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        raise unreadable(path / "summary.csv", e, "the figures of a reference's folder") from None
    try:
        scenarios = json.loads(text)
    except json.JSONDecodeError as e:
        raise UserError(f"{path / 'scenarios.json'}:{e.lineno}: is not JSON ({e.msg}), expected scenarios") from None
    if not isinstance(scenarios, dict):
        raise UserError(f"{path / 'scenarios.json'}: is not an object, expected scenarios by name")
    runs = (header or [])[2:]
    if not runs or header != ["name", "figure", *(f"run{i + 1}" for i in range(len(runs)))]:
        raise UserError(f"{path / 'summary.csv'}:1: expected the columns name, figure, run1, run2 ...")
    kernel: dict[str, dict[str, tuple[float, ...]]] = {}
    for line, row in rows:
        where = f"{path / 'summary.csv'}:{line}"
        if row["name"] not in scenarios:
            raise unknown("name", row["name"], scenarios, where)
        # a scenario with fewer runs than another has shorter rows
        values = [row[r] for r in runs if row[r] is not None]
        if not values or None in row:
            raise UserError(f"{where}: expected the cells name, figure and one to {len(runs)} runs")
        try:
            kernel.setdefault(row["name"], {})[row["figure"]] = tuple(float(v) for v in values)
        except ValueError:
            raise UserError(f"{where}: {', '.join(values)}: expected numbers") from None
    return [
        Case(name, complete(f"{path / 'scenarios.json'}: {name}", config), kernel.get(name, {}))
        for name, config in scenarios.items()
    ]


def per_radio(value: Any, index: int) -> Any:
    """A parameter of the radio that may be a list; its last element holds for the rest."""
    return value[min(index, len(value) - 1)] if isinstance(value, list) else value


def mcs(config: dict[str, Any]) -> list[int]:
    """The MCS of each station; -1: rate control chooses. (Element 0 of a list is the AP's own and unused.)"""
    return [per_radio(config["radio"]["fixed_mcs"], i) for i in range(1, config["stations"] + 1)]


def chosen(config: dict[str, Any]) -> bool:
    """Whether rate control chooses some station's rate."""
    return -1 in mcs(config) and per_radio(config["radio"]["fixed_legacy"], 1) < 0
