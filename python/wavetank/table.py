"""Samples as one columnar table (Parquet), which pandas, polars and DuckDB read.

A row is one sample of one thing. ``kind`` says what it is of (flow, ping, node, qdisc), ``name`` which; columns that a kind
does not have are null. Columns carry the kernel's names; their unit is in the column's metadata (``unit``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import __version__
from .measured import UNITS, Measured, Series

#: Columns of text that every row has.
KEYS = ("water", "scenario", "kind", "name", "direction", "station")


#: What a series is of, and the series.
Part = tuple[Mapping[str, object], Series]


def parts(result: Measured) -> list[Part]:
    """Every series of a run, with what it is of."""
    flows = [
        ({"kind": "flow", "name": f.name, "direction": f.direction, "station": f.station}, f.series)
        for f in result.flows
    ]
    pings = [
        ({"kind": "ping", "name": p.name, "station": p.station}, {"t": p.t, "rtt_ms": p.rtt_ms}) for p in result.pings
    ]
    nodes = [({"kind": "node", "name": k}, n.series) for k, n in result.nodes.items()]
    qdiscs = [({"kind": "qdisc", "name": k}, s) for k, s in result.qdiscs.items()]
    return [*flows, *pings, *nodes, *qdiscs]


def arrow(results: Sequence[tuple[Mapping[str, str], Measured]]) -> Any:
    """One Arrow table of several runs; each run's mapping adds columns of text (figure, point, ...)."""
    import pyarrow as pa

    extra = list(results[0][0]) if results else []
    text: dict[str, list[Any]] = {k: [] for k in (*extra, *KEYS)}
    seeds, numbers = [], {c: [] for c in UNITS}  # type: ignore[var-annotated]
    for labels, result in results:
        for of, series in parts(result):
            n = len(series["t"])
            row = {**labels, "water": result.water, "scenario": result.scenario, **of}
            for k, column in text.items():
                value = row.get(k)
                column.append(
                    pa.DictionaryArray.from_arrays(
                        pa.array([0 if value is not None else None] * n, pa.int32()),
                        pa.array(["" if value is None else str(value)]),
                    )
                )
            seeds.append(pa.array(np.full(n, result.seed, dtype=np.uint64), pa.uint64()))
            for c, column in numbers.items():
                a = series.get(c)
                if a is None or len(a) != n:  # a UDP flow has no windows
                    column.append(pa.nulls(n, pa.float64()))
                else:
                    a = np.asarray(a, dtype=np.float64)
                    column.append(pa.array(a, pa.float64(), mask=~np.isfinite(a)))
    label = pa.dictionary(pa.int32(), pa.string())
    fields, columns = [], []
    for k, chunks in text.items():
        fields.append(pa.field(k, label))
        columns.append(pa.chunked_array(chunks, type=label))
    fields.append(pa.field("seed", pa.uint64()))
    columns.append(pa.chunked_array(seeds, type=pa.uint64()))
    for c, chunks in numbers.items():
        name = "t_s" if c == "t" else c
        fields.append(pa.field(name, pa.float64(), metadata={"unit": UNITS[c]}))
        columns.append(pa.chunked_array(chunks, type=pa.float64()))
    schema = pa.schema(fields, metadata={"wavetank": __version__})
    return pa.Table.from_arrays(columns, schema=schema).unify_dictionaries()


def write_parquet(path: Path, results: Sequence[tuple[Mapping[str, str], Measured]]) -> None:
    """Writes the table; the same runs give the same bytes."""
    import pyarrow.parquet as pq

    with path.open("wb") as f:  # pyarrow opens no file whose name is not UTF-8
        pq.write_table(arrow(results), f, compression="zstd", row_group_size=1 << 17)
