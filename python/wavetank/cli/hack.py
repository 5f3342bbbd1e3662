"""``hack``: TCP/HACK's parts as tools."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .base import _echo_json, _print, cli, json_option
from .place import Place


@cli.group()
def hack() -> None:
    """TCP/HACK: TCP ACKs on link-layer ACKs."""


@hack.command()
@click.argument("file", type=Place())
@json_option
def rohc(file: Path, as_json: bool) -> None:
    """Compress the pure TCP ACKs of FILE (pcap or pcapng), restore them, compare.

    Of Ethernet, raw IP, Linux cooked and 802.11 (with or without radiotap). Each IP source has a compressor of its
    own, and a link that loses nothing. Exits with 1 if an ACK does not come back as it went in.
    """
    from .. import workers
    from ..captures import ack_compression as lab

    document = workers.in_thread(lambda: lab.compress(file))
    if as_json:
        _echo_json(lab.json_of(document))
    else:
        click.secho(lab.heading(document), bold=True)
        for note in lab.notes(document):
            click.echo(f"note: {note}")
        _print(*lab.tables(document))
    if document["file"]["damage"]:
        click.echo(f"error: {file}: {document['file']['damage']}; what stood before it is above", err=True)
        sys.exit(2)
    for f in document["acks"]["failures"]:
        click.echo(f"error: packet {f['packet']}: {f['why']}; this is a defect, please report it", err=True)
    if document["acks"]["failed"]:
        sys.exit(1)
