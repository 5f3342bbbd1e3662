"""``analyze``: what captures and Flent files show."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import UserError, files
from .base import _echo_json, _print, cli, json_option
from .number import Whole
from .place import Place

if TYPE_CHECKING:
    from ..captures.analyze_flent import Document


@cli.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=Place())
@click.option(
    "--window",
    default=None,
    metavar="FROM:TO",
    help="Seconds of the capture's clock [default: a run's judging window, else all].",
)
@click.option("--all", "whole", is_flag=True, help="All of a file, not a run's judging window alone.")
@click.option(
    "--interface",
    type=Whole(0, 2**32 - 1),
    default=None,
    metavar="N",
    help="Of a capture of several interfaces (pcapng) this one's frames alone, counted from 0.",
)
@click.option(
    "--out",
    type=Place(),
    default=None,
    help="Folder for a figure (PNG) and the numbers (JSON) a file.",
)
@click.option(
    "--link-traces",
    type=Place(),
    default=None,
    help="Folder for what each link handed up, as mahimahi's mm-link takes it.",
)
@json_option
def analyze(
    paths: Sequence[Path],
    window: str | None,
    whole: bool,
    interface: int | None,
    out: Path | None,
    link_traces: Path | None,
    as_json: bool,
) -> None:
    """Explain captures (pcap or pcapng with radiotap, as of a monitor interface) and Flent files.

    A-MPDU sizes, aggregates in a row, retries, losses, rates, airtime, TCP goodput and round trips.
    """
    from .. import workers
    from ..captures import air, link_trace
    from ..captures import analyze as analysis

    span = air.window(window, "--window") if window is not None else None
    if span is not None and whole:
        raise click.UsageError("--all and --window exclude each other")
    figures = _names(paths, out, analysis.stem)
    folders = _names(paths, link_traces, lambda p: p.name.split(".")[0])
    documents, errors = [], []
    for path, figure, of_links in zip(paths, figures, folders, strict=True):
        try:
            document = workers.in_thread(partial(analysis.load, path, span, whole, interface))
        except UserError as e:  # the other files are none the worse for it
            errors.append(str(e))
            continue
        documents.append(document)
        written = []
        if link_traces is not None:
            folder = link_traces if len(paths) == 1 else link_traces / of_links
            try:
                written += workers.in_thread(partial(link_trace.save, document, folder))
            except UserError as e:
                errors.append(str(e))
        if out is not None:
            from ..captures import analyze_plot

            written += analyze_plot.save(document, out, figure)
        if not as_json:
            _show(document, written)
    if as_json and documents:
        values = [analysis.json_of(d) for d in documents]
        _echo_json({**(values[0] if len(paths) == 1 else {}), "files": values})
    for d in documents:
        if d["file"]["damage"]:
            stood = "what stood before it is above" if d["file"]["packets"] else "nothing stood before it"
            errors.append(f"{d['path']}: {d['file']['damage']}; {stood}")
    for text in errors:
        click.echo(f"error: {text}", err=True)
    if errors:
        sys.exit(2)


def _names(paths: Sequence[Path], folder: Path | None, name: Callable[[Path], str]) -> list[str]:
    """What is written of each file into ``folder`` is called. Raises UserError, before a large capture takes its time."""
    if folder is None:
        return [""] * len(paths)
    files.writable(folder, "a folder")
    return files.apart(paths, name)


def _show(document: Document, written: Sequence[Path]) -> None:
    """Prints what is to be known of a file, for people."""
    from ..captures import analyze as analysis
    from ..captures import analyze_media, analyze_table

    click.secho(analysis.heading(document), bold=True)
    media = analyze_media.media_of(document)
    for text in analysis.remarks_on_file(document):
        click.secho(f"note: {text}")
    for of in media:
        if len(media) > 1:
            click.echo()
            click.secho(analysis.medium_heading(of), bold=True)
        for text in analysis.remarks_on_medium(of):
            click.secho(f"note: {text}")
        _print(*analyze_table.tables(of))
    for p in written:
        click.echo(f"wrote {p}")
