"""Traces of the kernel reference, read and checked before anything runs: one JSON file a run, in a folder or a ZIP file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ..errors import UserError, unknown, unreadable
from . import archive, kernel_case

#: What a trace has at the top, and whether it must.
TOP = {"name": True, "config": True, "goodput_mbit": True, "flows": False, "rows": True, "pings": True}
KEYS = set(kernel_case.CONFIG)
NEEDED = {k for k, v in kernel_case.CONFIG.items() if v is None}
CHOICES = {"where": {"local", "remote"}, "qdisc": {"pfifo", "fq_codel", "fq"}}
NAMES = {"cc": "the name of a congestion control", "kernel": 'a release, as "5.4.59"'}
#: Numbers of ``config`` that cannot be 0.
POSITIVE = ("rate_mbit", "secs", "step", "flows", "limit")
#: No key's numbers are as large.
BEYOND = 1e12
WHAT = "a folder or a ZIP file of traces (NAME.json, NAME.b.json)"


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Each trace by its file's name. Raises UserError for what is no such folder or file, and for what no trace has."""
    return {name: _trace(str(path / name), text) for name, text in _texts(path).items()}


def _texts(path: Path) -> dict[str, str]:
    if not path.is_dir():
        found = archive.members(path, ".json", WHAT)
        return {name: _text(path / name, content) for name, content in found.items()}
    out = {}
    for p in sorted(path.glob("*.json")):
        try:
            out[p.name] = _text(p, p.read_bytes())
        except OSError as e:
            raise unreadable(p, e, "a trace") from None
    return out


def _text(path: Path, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as e:
        raise unreadable(path, e, "a trace") from None


def _trace(where: str, text: str) -> dict[str, Any]:
    try:
        trace: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError as e:
        raise UserError(f"{where}:{e.lineno}: is not JSON ({e.msg}), expected a trace") from None
    except RecursionError:
        raise UserError(f"{where}: is nested too deeply, expected a trace") from None
    for key, needed in TOP.items():
        if not isinstance(trace, dict) or (needed and key not in trace):
            raise UserError(f'{where}: the key "{key}" is missing, expected a trace of the kernel reference')
    for key in trace:
        if key not in TOP:
            raise unknown("key", key, TOP, where)
    _config(where, trace["config"])
    flows = trace["config"].get("flows", kernel_case.CONFIG["flows"])
    if trace.get("flows", flows) != flows:
        raise UserError(f"{where}: flows: {_short(trace['flows'])}, expected {flows}, as config has it")
    _samples(where, trace)
    return trace


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _config(where: str, config: Any) -> None:
    if not isinstance(config, dict):
        raise UserError(
            f"{where}: config: {_short(config)}, expected an object with the keys {', '.join(sorted(KEYS))}"
        )
    for key in config:
        if key not in KEYS:
            raise unknown("key of config", key, KEYS, where)
    for key in sorted(NEEDED - set(config)):
        raise UserError(f'{where}: config lacks "{key}", expected a trace of the kernel reference')
    for key, names in CHOICES.items():
        if config[key] not in names:
            raise unknown(f"config.{key}", str(config[key]), names, where)
    for key, what in NAMES.items():
        if not isinstance(config.get(key, ""), str):
            raise UserError(f"{where}: config.{key}: {_short(config[key])}, expected {what}")
    for key, value in config.items():
        if key in (*CHOICES, *NAMES):
            continue
        least = "above 0" if key in POSITIVE else "that is not negative"
        if not _number(value) or value < 0 or (value == 0 and key in POSITIVE):
            raise UserError(f"{where}: config.{key}: {_short(value)}, expected a number {least}")
        # What is beyond this overflows before the model can refuse it.
        if value >= BEYOND:
            raise UserError(f"{where}: config.{key}: {_short(value)}, expected a number below {BEYOND:g}")
    _together(where, config)


def _together(where: str, config: dict[str, Any]) -> None:
    """Times that go together, and what else the model refuses."""
    full = kernel_case.resolve(config)
    judged = full["secs"] - full["warmup"]
    if judged <= 0:
        why = f"less than config.secs ({full['secs']}): figures are taken between them"
        raise UserError(f"{where}: config.warmup: {full['warmup']}, expected {why}")
    if full["step"] > judged:
        why = f"at most the time in which figures are taken ({judged:g} s, from config.warmup to config.secs)"
        raise UserError(f"{where}: config.step: {full['step']}, expected {why}")
    if refused := kernel_case.refused(config):
        key, why = refused
        raise UserError(f"{where}: config.{key}: {_short(config.get(key, full[key]))}; {why}")


def _samples(where: str, trace: dict[str, Any]) -> None:
    """Rows and echoes: what :func:`figures <wavetank.validate.kernel.figures>` reads of them is there."""
    if not _number(trace["goodput_mbit"]):
        raise UserError(f"{where}: goodput_mbit: {_short(trace['goodput_mbit'])}, expected a number")
    for key in ("rows", "pings"):
        if not isinstance(trace[key], list):
            raise UserError(f"{where}: {key}: {_short(trace[key])}, expected a list")
    for i, row in enumerate(trace["rows"]):
        for key in ("t", "cwnd", "rtt", "acked"):
            value = row.get(key) if isinstance(row, dict) else None
            if not _number(value) and not (key == "rtt" and isinstance(row, dict) and row.get(key, 0) is None):
                raise UserError(
                    f"{where}: rows[{i}]: {_short(row)}, expected an object with numbers t, cwnd, rtt, acked"
                )
    for i, echo in enumerate(trace["pings"]):
        whole = isinstance(echo, list) and len(echo) == 2
        if not (whole and _number(echo[0]) and (echo[1] is None or _number(echo[1]))):
            raise UserError(f"{where}: pings[{i}]: {_short(echo)}, expected [time (s), round trip (ms) or null]")
    full = kernel_case.resolve(trace["config"])
    if not any(full["warmup"] <= r["t"] <= full["secs"] for r in trace["rows"]):
        span = f"config.warmup ({full['warmup']} s) and config.secs ({full['secs']} s)"
        raise UserError(f"{where}: rows: none between {span}, expected samples to take figures of")


def _short(value: Any) -> str:
    """A value as a message has it."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
