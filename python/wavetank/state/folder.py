"""States as files: ``HOST.ss``, ``HOST.tc``, and below ``HOST/`` what debugfs has of its radio."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from .. import files
from . import debugfs, ss, tc
from .snapshot import Host, State


def texts(hosts: Mapping[str, Host]) -> dict[str, str]:
    """The tools' text of every host, by file."""
    found = {}
    for name, h in hosts.items():
        found[f"{name}.ss"] = ss.text(h.sockets)
        found[f"{name}.tc"] = tc.text(h.devices)
        for d in h.devices:
            if d.radio is not None:
                found |= {f"{name}/{file}": text for file, text in debugfs.files(d.radio)}
    return found


def folder_name(state: State) -> str:
    """``state-5.000s``: with milliseconds, or as many digits as the time has."""
    text = f"{state.at_s:.9f}".rstrip("0")
    whole, _, part = text.partition(".")
    return f"state-{whole}.{part:0<3}s"


def save(states: Iterable[State], out: Path) -> list[Path]:
    """Writes each state into a folder of its own below ``out``, whole or not at all; gives the folders."""
    written = []
    for state in states:
        target = out / folder_name(state)
        with files.folder(target, anew=True) as tmp:
            for name, text in state.files.items():
                path = tmp / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        written.append(target)
    return written
