"""A sweep's files: points as CSV and Parquet (a row a point and repetition), samples, pictures, and the whole as JSON."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import __version__, files
from ..lab import reproduce, runner
from ..lab.outcome import Outcome
from .findings import findings
from .pictures import figures
from .plan import Plan
from .result import Sweep
from .table import WHOLE, tables


def save(sweep: Sweep, plan: Plan, measured: runner.Measured, out: Path) -> Sweep:
    """Writes every file in one step each; gives the sweep with their paths."""
    from .. import page, plots

    outcome = Outcome(plan.figure.id, sweep.quick, len(sweep.seeds), (), (plan.figure,), measured, ())
    written = [files.write_text(out / "points.csv", points_csv(sweep))]
    written.append(files.write(out / "points.parquet", lambda p: _write_parquet(sweep, p)))
    written.append(files.write(out / "samples.parquet", lambda p: reproduce.write_samples(outcome, p)))
    for name, figure in figures(sweep, plan).items():
        draw = lambda p, f=figure: plots.draw(outcome, f, p)  # noqa: E731
        written.append(files.write(out / f"{name}.png", draw))
    for name in {"sweep", "tradeoff"} - {p.stem for p in written}:
        (out / f"{name}.png").unlink(missing_ok=True)  # of an earlier sweep into this folder
    flents = {r.flent_path(out) for r in outcome.runs()}
    written += sorted(p for p in flents if p is not None and p.exists())
    done = replace(sweep, files=(*written, out / "sweep.json", out / page.PAGE))
    files.write_text(out / "sweep.json", files.dumps({"wavetank": __version__, **done.json()}) + "\n")
    left = (f"left out: {point}: {why}" for point, why in done.skipped.items())
    shown = page.tables(
        tables(done, WHOLE),
        [p for p in written if p.suffix == ".png"],
        [*done.notes, *left, *findings(done), *done.failures()],
        done.files,
        out,
    )
    files.write_text(out / page.PAGE, shown)
    return done


def _rows(sweep: Sweep) -> list[dict[str, Any]]:
    """The rows, each with its point's name, by which the samples' table has it."""
    names = [p.name for p in sweep.points for _ in p.repetitions]
    return [{**row, "point": name} for row, name in zip(sweep.rows(), names, strict=True)]


def points_csv(sweep: Sweep) -> str:
    """The rows with a header; what has no value is empty."""
    names = [*(a.key for a in sweep.axes), "point", "seed", *(m.name for m in sweep.metrics), "quick"]
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: _cell(v) for k, v in {**row, "quick": sweep.quick}.items()} for row in _rows(sweep))
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if isinstance(value, float) and value != value else value  # noqa: PLR0124


def points_table(sweep: Sweep) -> Any:
    """The rows as an Arrow table: axes of their own type, units and labels in the columns' metadata."""
    import pyarrow as pa

    rows = _rows(sweep)
    fields = []
    for a in sweep.axes:
        kinds = {type(v) for v in a.values}
        kind = (
            pa.bool_()
            if kinds == {bool}
            else pa.int64()
            if kinds == {int}
            else pa.float64()
            if a.numeric
            else pa.string()
        )
        fields.append(pa.field(a.key, kind, metadata={"unit": a.unit, "label": a.what}))
    fields += [pa.field("point", pa.string()), pa.field("seed", pa.uint64())]
    fields += [pa.field(m.name, pa.float64(), metadata={"unit": m.unit, "label": m.label}) for m in sweep.metrics]
    about = {"wavetank": __version__, "scenario": sweep.scenario, "core": sweep.core, "quick": str(sweep.quick).lower()}
    schema = pa.schema(fields, metadata=about)
    columns = [pa.array([row[f.name] for row in rows], f.type, from_pandas=True) for f in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _write_parquet(sweep: Sweep, path: Path) -> None:
    import pyarrow.parquet as pq

    with path.open("wb") as f:  # pyarrow opens no file whose name is not UTF-8
        pq.write_table(points_table(sweep), f, compression="zstd")
