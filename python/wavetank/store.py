"""The result folder: summary, samples and a Flent file, all of them or none."""

from __future__ import annotations

from pathlib import Path

from . import files, flent, table
from .measured import Measured


def save(result: Measured, folder: str | Path) -> list[Path]:
    """Writes ``summary.json``, ``samples.parquet`` and ``TEST-SCENARIO.flent.gz``; gives their paths."""
    target = Path(folder)
    with files.folder(target) as tmp:
        summary = {**result.summary(), "resolved": dict(result.resolved)}
        (tmp / "summary.json").write_text(files.dumps(summary) + "\n", encoding="utf-8")
        table.write_parquet(tmp / "samples.parquet", [({}, result)])
        flent.write(tmp / flent.file_name(result), result)
        names = sorted(p.name for p in tmp.iterdir())
    return [target / n for n in names]
