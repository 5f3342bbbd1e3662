"""``csi``: what a CSI log shows."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .. import UserError
from .base import _echo_json, _picture, _print, cli, json_option
from .number import Number, Whole
from .place import Place

carriers_option = click.option(
    "--carriers", default=None, metavar="FROM:TO", help="Sub-carriers [default: all that the log has]."
)


@cli.command()
@click.argument("file", type=Place())
@click.option("--format", "form", default=None, metavar="NAME", help="Its format [default: what it begins like].")
@click.option("--rx", type=Whole(0, 15), default=0, show_default=True, help="Receive antenna.")
@click.option("--tx", type=Whole(0, 15), default=0, show_default=True, help="Transmit antenna (or stream).")
@click.option("--snr", type=Number(-30, 90), default=None, help="SNR in dB, where the log has none.")
@click.option("--noise", type=Number(-130, -30), default=None, help="Noise in dBm, for logs with RSSI alone.")
@carriers_option
@click.option(
    "--weight",
    type=Number(0, 1, min_open=True),
    default=1 / 8,
    show_default=True,
    help="Of a new sample in the smoothed SNR; 1: none.",
)
@click.option(
    "--out",
    type=Place(),
    default=None,
    callback=_picture,
    help="The figure: a .png, .pdf or .svg [default: csi-NAME.png here].",
)
@json_option
def csi(
    file: Path,
    form: str | None,
    rx: int,
    tx: int,
    snr: float | None,
    noise: float | None,
    carriers: str | None,
    weight: float,
    out: Path | None,
    as_json: bool,
) -> None:
    """Print and draw a CSI log: power of each sub-carrier, SNR against effective SNR over time.

    FILE is a log of the Linux 802.11n CSI Tool (Intel 5300), the Atheros CSI Tool, nexmon_csi (pcap), the
    ESP32-CSI-Tool or PicoScenes. A log that is not what it says gives one error with its offset and exit code 2; what
    stood before it is shown.
    """
    from .. import csi as lab
    from .. import workers
    from ..csi import tables

    ask = lab.Ask(rx, tx, snr, noise, weight, carriers_of(carriers))
    log = workers.in_thread(lambda: lab.load(file, form, ask))
    from ..csi import plots

    picture = plots.save(log, out or Path(f"csi-{file.stem}.png"))
    if as_json:
        _echo_json(log.json())
    else:
        click.secho(tables.heading(log), bold=True)
        for note in log.notes:
            click.echo(f"note: {note}")
        _print(*tables.tables(log))
        click.echo(f"wrote {picture}")
    if log.damage:
        click.echo(f"error: {log.damage}; what stood before it is above", err=True)
        sys.exit(2)


def carriers_of(text: str | None) -> tuple[int, int] | None:
    """The first and the last sub-carrier of ``--carriers``."""
    if text is None:
        return None
    try:
        first, last = (int(x) for x in text.split(":"))
    except ValueError:
        raise UserError(f'--carriers: "{text}", expected two sub-carriers, such as -58:58') from None
    return first, last
