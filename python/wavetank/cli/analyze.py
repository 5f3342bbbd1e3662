"""``analyze``: what captures and Flent files show."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from .. import workers
from .base import _echo_json, _print, cli, json_option


@cli.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--window",
    default=None,
    metavar="FROM:TO",
    help="Seconds of the capture's clock [default: a run's judging window, else all].",
)
@click.option("--all", "whole", is_flag=True, help="All of a run's capture, not its judging window alone.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder for a figure (PNG) and the numbers (JSON) a file.",
)
@json_option
def analyze(paths: Sequence[Path], window: str | None, whole: bool, out: Path | None, as_json: bool) -> None:
    """Explain captures (pcap or pcapng with radiotap, as of a monitor interface) and Flent files.

    A-MPDU sizes, aggregates in a row, retries, losses, rates, airtime, TCP goodput and round trips.
    """
    from ..captures import air, analyze_plot, analyze_table
    from ..captures import analyze as analysis

    span = air.window(window, "--window") if window is not None else None
    if span is not None and whole:
        raise click.UsageError("--all and --window exclude each other")
    documents = []
    for path in paths:
        document = workers.in_thread(partial(analysis.load, path, span, whole))
        documents.append(document)
        written = analyze_plot.save(document, out) if out is not None else []
        if not as_json:
            click.secho(analysis.heading(document), bold=True)
            for text in analysis.remarks(document):
                click.secho(f"note: {text}")
            _print(*analyze_table.tables(document))
            for p in written:
                click.echo(f"wrote {p}")
    if as_json:
        values = [analysis.json_of(d) for d in documents]
        _echo_json(values[0] if len(values) == 1 else {"files": values})
    damaged = [d for d in documents if d["file"]["damage"]]
    for d in damaged:
        click.echo(f"error: {d['path']}: {d['file']['damage']}; what stood before it is above", err=True)
    if damaged:
        sys.exit(2)
