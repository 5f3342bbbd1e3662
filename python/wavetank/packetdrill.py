"""packetdrill scripts against the model's TCP socket: reads the files, runs them, and lays the verdicts out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from . import _core
from .errors import UserError, unreadable


def scripts(paths: Iterable[Path]) -> list[Path]:
    """The scripts that these files and folders name, folders in full and in order of their names."""
    found: list[Path] = []
    for p in paths:
        if p.is_dir():
            inside = sorted(p.rglob("*.pkt"))
            if not inside:
                raise UserError(f"{p}: a folder without scripts (*.pkt)")
            found += inside
        else:
            found.append(p)
    return found


def run(path: Path, kernel: str = "6.12", hz: int = 1000) -> dict[str, Any]:
    """Runs one script.

    Gives ``file``, ``verdict`` (``pass``, ``fail`` or ``skip``), ``held`` and ``checked`` (statements; expected packets and
    assertions among them), ``skipped`` (``line``, ``what``), ``failure`` (``line``, ``what``, ``expected``, ``actual``),
    ``trace`` and ``printed``. Raises ``UserError`` where the file cannot be read, or what stands in it is not of the language:
    with file, line, and what was expected.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise unreadable(path, e, "a packetdrill script (*.pkt)") from e
    try:
        report = _core.packetdrill(text, kernel, hz)
    except ValueError as e:
        said = str(e)
        if said.startswith("--"):  # an option's, whatever the script
            raise UserError(said) from e
        raise UserError(f"{path}:{said.removeprefix('line ')}") from e
    return {"file": str(path), **report}


def lines(report: dict[str, Any], trace: bool) -> list[str]:
    """A report as people read it; the packets too if ``trace``, or if something did not hold."""
    out = [f"{report['verdict']:<5} {report['file']}: {report['checked']} packets and assertions held"]
    if report["skipped"]:
        first = report["skipped"][0]
        out[0] += f", {len(report['skipped'])} statements skipped (line {first['line']}: {first['what']})"
    if f := report["failure"]:
        out += [
            f"      {report['file']}:{f['line']}: {f['what']}",
            f"      expected  {f['expected']}",
            f"      actual    {f['actual']}",
        ]
    if trace or report["failure"]:
        out += [f"        {t}" for t in report["trace"]]
    out += [f"      printed {p}" for p in report["printed"] if trace]
    return out


def total(reports: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How many scripts came to which verdict, and how many statements were skipped."""
    counts = {v: sum(r["verdict"] == v for r in reports) for v in ("pass", "fail", "skip")}
    return {**counts, "statements_skipped": sum(len(r["skipped"]) for r in reports)}


def run_all(paths: Iterable[Path], kernel: str = "6.12", hz: int = 1000) -> tuple[list[dict[str, Any]], list[str]]:
    """Every script's report, and what is wrong with those that cannot be read: one does not keep the others from running."""
    reports, errors = [], []
    for p in scripts(paths):
        try:
            reports.append(run(p, kernel, hz))
        except UserError as e:
            if str(e).startswith("--"):
                raise
            errors.append(str(e))
    return reports, errors
