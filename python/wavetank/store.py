"""The result folder: summary, samples, a Flent file and states, all of them or none; what the run before left there goes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from . import files, flent, state, table
from .measured import Measured

#: It says which files are its run's: a folder that has it is whole.
SUMMARY = "summary.json"


def save(
    result: Measured, folder: str | Path, beside: Sequence[str] = (), notes: Sequence[str] | None = None
) -> list[Path]:
    """Writes ``summary.json``, ``samples.parquet``, ``TEST-SCENARIO.flent.gz`` and a folder a state; gives their paths.

    ``beside``: files that the same run puts there (captures), by their names. Of an earlier run's, those that this one has not
    go; what is nobody's run's stays. ``notes``: what was said of the run, where anybody looked.
    """
    target = files.place(folder, "a folder to write")
    states = {f"{state.folder_name(s)}/{name}": text for s in result.states for name, text in s.files.items()}
    names = sorted(["samples.parquet", flent.file_name(result), *states, *beside])
    with files.folder(target, gone=files.listed(target / SUMMARY) - {*names}, last=SUMMARY) as tmp:
        for name, text in states.items():
            (tmp / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp / name).write_text(text, encoding="utf-8")
        table.write_parquet(tmp / "samples.parquet", [({}, result)])
        flent.write(tmp / flent.file_name(result), result)
        told = {} if notes is None else {"notes": list(notes)}
        summary = {**result.summary(), **told, "resolved": dict(result.resolved), "files": names}
        (tmp / SUMMARY).write_text(files.dumps(summary) + "\n", encoding="utf-8")
        written = sorted(p.name for p in tmp.iterdir())
    return [target / n for n in written]
