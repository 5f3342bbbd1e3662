"""Writes a bed's folder: scripts, Flent's batch, README, manifest. Touches no machine."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from .. import files, keys
from ..errors import UserError
from ..scenario import Scenario
from ..version import __version__
from . import flent_batch, readme, scripts
from .bed import TestBed, translate

#: Programs, to be made executable.
_PROGRAM = ".sh"


def write(scenario: Scenario, folder: Path, repetitions: int) -> tuple[TestBed, list[Path]]:
    """Writes the folder, all of it or nothing; a ``bed.env`` that is there stays. Gives the bed, and what was written.

    Raises ScenarioError and UserError: what cannot be had, and names that an older ``bed.env`` has not.
    """
    bed = translate(scenario)
    names = scripts.defaults(bed)
    old = _names(folder / "bed.env")
    if old is not None:
        missing = [n for n in names if n not in old]
        if missing:
            raise UserError(
                f"{folder / 'bed.env'}: has no {', '.join(missing)}, which this scenario needs; add them, or move the file away"
            )
        names |= old
    with files.folder(folder) as tmp:
        for role in bed.roles.values():
            _put(tmp / f"{role.name}.sh", scripts.script(bed, role, __version__))
        _put(tmp / "flent.sh", scripts.flent(bed))
        _put(tmp / "flent.batch", flent_batch.text(bed.plan, bed.name, bed.digest, repetitions, names, __version__))
        _put(tmp / "README.md", readme.text(bed, __version__, repetitions))
        _put(tmp / "scenario.toml", toml(bed))
        _put(tmp / "wavetank.json", files.dumps(manifest(bed, scenario, repetitions)) + "\n")
        for file in scripts.LIBRARY:
            shutil.copyfile(file, tmp / file.name)
        if old is None:
            _put(tmp / "bed.env", scripts.env(bed))
        written = sorted(f.name for f in tmp.iterdir())
    return bed, [folder / name for name in written]


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755 if path.suffix == _PROGRAM else 0o644)


def _names(path: Path) -> dict[str, str] | None:
    """What a bed.env names; None where there is none."""
    if not path.is_file():
        return None
    found = re.findall(r"^([A-Z][A-Z0-9_]*)=(.*)$", path.read_text(encoding="utf-8"), re.M)
    return {name: value.strip().strip("'\"") for name, value in found}


def toml(bed: TestBed) -> str:
    """The scenario with its overrides, as one file."""
    every = keys.every()
    sections: dict[str, list[str]] = {"": []}
    for key, value in bed.given.items():
        table, _, name = key.rpartition(".")
        bare = every[key]["kind"] in ("count", "number", "switch") and re.fullmatch(r"true|false|-?\d+(\.\d+)?", value)
        sections.setdefault(table, []).append(f"{name} = {value if bare else json.dumps(value, ensure_ascii=False)}")
    lines = [f"# {bed.name}, with what was set when the folder was made (digest {bed.digest})"]
    for table, rows in sections.items():
        lines += ([f"\n[{table}]"] if table else []) + rows
    return "\n".join(lines) + "\n"


def manifest(bed: TestBed, scenario: Scenario, repetitions: int) -> dict[str, Any]:
    """wavetank.json: what the folder was made from, so that results can be matched."""
    return {
        "wavetank": __version__,
        "scenario": bed.name,
        "digest": bed.digest,
        "given": dict(bed.given),
        "overrides": dict(scenario.overrides),
        "resolved": dict(bed.values),
        "flent": {
            "test": bed.plan.test,
            "at": bed.plan.at.name,
            "hosts": [h.variable for h in bed.plan.hosts],
            "options": dict(bed.plan.options),
            "note": flent_batch.note(bed.name, bed.digest),
            "repetitions": repetitions,
        },
        "roles": {r.name: [s.line() for s in r.settings] for r in bed.roles.values()},
        "left": [{"key": k, "value": v, "why": w} for k, v, w in bed.left],
        "notes": list(bed.notes),
    }
