"""``wavetank reproduce``: run an experiment, judge its claims, draw its figures, write it all down."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import files, shipped
from ..errors import unknown
from ..version import __version__
from . import channel_reports, claims, judge, metrics, over, plan, runner
from .judge import Sample, Unmeasured
from .outcome import Outcome, key_of
from .own import check as check_own
from .plan import Figure, Point
from .point_table import point_table


def lookup(measured: runner.Measured) -> judge.Lookup:
    """Finds a claim's samples: one a point."""

    def find(claim: claims.Claim) -> list[Sample]:
        if claim.cls == "unmeasured" or not claim.figure:
            raise Unmeasured(claim.reason or "no experiment yet")
        figure = measured.figures.get(claim.figure)
        if figure is None:
            raise Unmeasured(f"the figure {claim.figure} was not run")
        stat = claim.keys.get("stat", "")
        if stat == claim.reduce == "max":
            stat = ""  # the largest of the points, not of a point's samples
        if claim.quantity in over.QUANTITIES:
            return over.samples(claim.quantity, stat, claim.points, figure, lambda p: measured.of(figure, p))
        return [_sample(measured, figure, p, claim.quantity, stat) for p in points_of(claim, figure)]

    return find


def _sample(measured: runner.Measured, figure: Figure, point: Point, quantity: str, stat: str) -> Sample:
    if quantity in metrics.MODEL:
        return metrics.model(figure, quantity, point)
    if quantity in channel_reports.QUANTITIES:
        return channel_reports.sample(quantity, point)
    return metrics.sample(quantity, stat, measured.of(figure, point), point)


def points_of(claim: claims.Claim, figure: Figure) -> list[Point]:
    """The points that a claim is measured on.

    ``*`` is every point that stands on an axis, ``NAME*`` every one whose name begins so.
    """
    if claim.points == ("*",):
        return [p for p in figure.points.values() if p.x]
    if any(p.endswith("*") for p in claim.points):
        heads = tuple(p[:-1] for p in claim.points if p.endswith("*"))
        return [p for n, p in figure.points.items() if n.startswith(heads) or n in claim.points]
    missing = [p for p in claim.points if p not in figure.points]
    if missing:
        raise Unmeasured(f"{figure.id} has no point {missing[0]}")
    return [figure.points[p] for p in claim.points]


def names() -> list[str]:
    """What can be reproduced."""
    return shipped.experiments()


def expand(name: str) -> list[str]:
    """One name or file, or every experiment for ``all``. Raises UserError for what is neither."""
    if plan.is_file(name):
        for figure in plan.load(name):
            check_own(Path(name), figure)
        return [name]
    known = names()
    if name != "all" and name not in known:
        raise unknown("experiment", name, [*known, "all"])
    return known if name == "all" else [name]


def figures_for(name: str, every: dict[str, claims.Claim]) -> tuple[list[Figure], list[Figure]]:
    """The experiment's own figures, and those of others that its claims refer to."""
    own = plan.load(name)
    have = {f.id for f in own}
    wanted: set[str] = set()
    for c in claims.of_command(name, every.values()):
        for row in (c, every.get(c.refers)):
            if row is not None and row.figure and row.cls != "unmeasured":
                wanted.add(row.figure)
    others = [f for e in sorted({w.split("/")[0] for w in wanted - have}) for f in plan.load(e) if f.id in wanted]
    return own, others


Progress = Callable[[int, int, str], None]


def reproduce(
    name: str,
    out: Path,
    quick: bool = False,
    jobs: int = 1,
    progress: Progress = lambda done, of, what: None,
    repetitions: int | None = None,
) -> Outcome:
    """Runs what is missing under ``out``, judges, draws. ``progress`` gets (done, of, what) after each run.

    ``repetitions``: of each point, in place of what the figures ask for; every output says so.
    """
    every = claims.load()
    own, others = figures_for(name, every)
    asked = repetitions if repetitions is not None and any(other(f, repetitions) for f in own) else None
    if repetitions is not None:
        own, others = (
            [replace(f, repetitions=repetitions) if other(f, repetitions) else f for f in fs] for fs in (own, others)
        )
    return write(run_and_judge(name, out, (own, others), quick, jobs, progress, asked=None if quick else asked), out)


def other(figure: Figure, repetitions: int) -> bool:
    """Whether so many are not its own; a figure of closed forms has none in any case."""
    return figure.repetitions not in (0, repetitions)


def run_and_judge(
    name: str,
    out: Path,
    figures: tuple[Sequence[Figure], Sequence[Figure]],
    quick: bool,
    jobs: int,
    progress: Progress,
    water: str = "model",
    asked: int | None = None,
    column: str = "",
) -> Outcome:
    """Runs the experiment's own figures and the others that its claims need, and judges.

    ``asked`` and ``column``: see :class:`Outcome`.
    """
    every = claims.load()
    own, others = figures
    runs = runner.runs_of([*own, *others], quick, water, asked, column)
    count = 0
    what = name if water == "model" else f"{name} on {water}:"
    progress(0, len(runs), what)

    def done(run: runner.Run, kept: bool) -> None:
        nonlocal count
        count += 1
        progress(count, len(runs), f"{what} {run.point}" + (" (kept)" if kept else ""))

    records = runner.run_all(runs, out, jobs, done)
    measured = runner.Measured([*own, *others], records, quick, water)
    verdicts = judge.judge(claims.of_command(name, every.values()), every, lookup(measured))
    n = max((len(f.seeds(quick)) for f in own), default=0)
    return Outcome(name, quick, n, verdicts, own, measured, (), column, asked=asked)


def write(outcome: Outcome, out: Path) -> Outcome:
    """Figures, tables and verdicts, and a page of all; each file in one step."""
    from .. import page, plots

    pictures = {
        f.id: files.write(out / f"{f.id.replace('/', '-')}.png", lambda p, f=f: plots.draw(outcome, f, p))  # type: ignore[misc]
        for f in outcome.figures
    }
    texts = {f.id: point_table(outcome, f) for f in outcome.figures}
    tables = {
        ident: files.write_text(out / f"{ident.replace('/', '-')}.csv", text) for ident, text in texts.items() if text
    }
    written = [*pictures.values(), *tables.values()]
    written.append(files.write(out / "samples.parquet", lambda p: write_samples(outcome, p)))
    written.append(files.write_text(out / "claims.csv", _csv(outcome)))
    flents = _flents(outcome, out)
    each = [flents, *(_flents(o, out) for o in outcome.beside.values())]
    written += sorted({p for of in each for points in of.values() for p in points.values()})
    written += [out / "claims.json", out / page.PAGE]
    done = replace(outcome, written=written, pictures=pictures, tables=tables, flents=flents)
    files.write_text(out / "claims.json", files.dumps(done.json()) + "\n")
    files.write_text(out / page.PAGE, page.experiment(done, out))
    return done


def _flents(outcome: Outcome, out: Path) -> dict[str, dict[str, Path]]:
    """The Flent files of the figures' points: that of the same run, where another figure has the same point."""
    figures = [outcome.measured.figures[f.id] for f in outcome.figures]
    of = {r.key: r.flent_path(out) for r in outcome.runs() if "digest" in outcome.measured.records[r.key]}

    def path(figure: Figure, point: Point) -> Path | None:
        first = figure.seeds(outcome.quick)[:1]
        found = [of.get(runner.Run(point.name, point.scenario, seed, water=outcome.water).key) for seed in first]
        return next((p for p in found if p is not None and p.exists()), None)

    return {f.id: {n: at for n, p in f.points.items() if (at := path(f, p)) is not None} for f in figures}


def _csv(outcome: Outcome) -> str:
    rows = [
        {**row, "quick": outcome.quick, "repetitions": outcome.repetitions, "repetitions_asked": outcome.asked}
        for row in outcome.json()["claims"]
    ]
    for row in rows:
        for name in map(key_of, outcome.beside):
            row |= {f"{name}_{k}": v for k, v in row.pop(name).items()}
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["id"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_samples(outcome: Outcome, path: Path) -> None:
    """Every sampled series of every repetition, long: one row a sample."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    label = pa.dictionary(pa.int32(), pa.string())
    chunks: dict[str, list[Any]] = {c: [] for c in ("figure", "point", "series", "seed", "t_s", "value")}
    for figure in outcome.figures:
        for point in figure.points.values():
            try:
                records = outcome.measured.of(figure, point)
            except Unmeasured:
                continue
            for r in records:
                for series, (t, v) in r["series"].items():
                    n = len(t)
                    for column, value in (("figure", figure.id), ("point", point.name), ("series", series)):
                        chunks[column].append(
                            pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array([value]))
                        )
                    chunks["seed"].append(pa.array([r["seed"]] * n, pa.uint64()))
                    chunks["t_s"].append(pa.array(t, pa.float64()))
                    chunks["value"].append(pa.array(v, pa.float64()))
    types = {"seed": pa.uint64(), "t_s": pa.float64(), "value": pa.float64()}
    schema = pa.schema(
        [pa.field(c, types.get(c, label)) for c in chunks],
        metadata={
            "wavetank": __version__,
            "quick": str(outcome.quick).lower(),
            "repetitions": str(outcome.repetitions),
            "repetitions_asked": "" if outcome.asked is None else str(outcome.asked),
            "units": "goodput_*: Mbit/s; ping_*, srtt_*: ms; cwnd_*: segments",
        },
    )
    columns = [pa.chunked_array(v, type=schema.field(c).type) for c, v in chunks.items()]
    with path.open("wb") as f:  # pyarrow opens no file whose name is not UTF-8
        pq.write_table(pa.Table.from_arrays(columns, schema=schema).unify_dictionaries(), f, compression="zstd")


def merged(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """One document of several experiments: all claims, counted together."""
    parts = [o.json() for o in outcomes]
    return {
        "experiment": "all",
        "quick": any(p["quick"] for p in parts),
        "repetitions": max((p["repetitions"] for p in parts), default=0),
        "repetitions_asked": next((p["repetitions_asked"] for p in parts if p["repetitions_asked"] is not None), None),
        "wavetank": __version__,
        "claims": [c for p in parts for c in p["claims"]],
        "summary": judge.summary([v for o in outcomes for v in o.verdicts]),
        "experiments": {p["experiment"]: p["summary"] for p in parts},
        "figures": {k: v for p in parts for k, v in p["figures"].items()},
        "failures": [f for p in parts for f in p["failures"]],
        "files": [f for p in parts for f in p["files"]],
    }
