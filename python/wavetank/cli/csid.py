"""``csid``: the CSI daemon's two ends, and their key."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .. import UserError, files
from .base import cli
from .csi import carriers_of, carriers_option
from .number import Number, Whole
from .place import Place
from .usage import Choice

key_option = click.option(
    "--key", "key_file", type=Place(), required=True, help="The shared key (`wavetank csid key`)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Statuses as JSON, one document a line.")
status_option = click.option(
    "--status",
    type=Number(0.01, 86400),
    default=None,
    metavar="SECONDS",
    help="A status so often [default: at the end, and at SIGUSR1].",
)
wait_option = click.option("--wait", is_flag=True, help="Do not insist that the kernel has its half at the beginning.")


@cli.group()
def csid() -> None:
    """Channel state as feedback to the access point: the daemon of AARC (docs/csid.md).

    It runs until SIGTERM or Ctrl-C.
    """


def _echo(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@csid.command()
@click.option("--listen", default="0.0.0.0:5510", show_default=True, metavar="HOST[:PORT]", help="Where it listens.")
@key_option
@click.option(
    "--to",
    type=Choice(["aarc", "lines"]),
    default="aarc",
    show_default=True,
    help="Where feedback goes: the AARC module, or lines of JSON.",
)
@click.option(
    "--max-age",
    type=Number(1, 60_000),
    default=250,
    show_default=True,
    metavar="MS",
    help="Older feedback is not handed on.",
)
@wait_option
@status_option
@json_option
def ap(listen: str, key_file: Path, to: str, max_age: float, wait: bool, status: float | None, as_json: bool) -> None:
    """Receive the stations' feedback and hand it to the AARC module."""
    from ..csid import hub, read_key
    from ..csid.loop import Say

    def ready(port: int) -> None:
        click.echo(f"listening at port {port}", err=True)

    hub.access_point(read_key(key_file), listen, to, max_age, wait, Say(_echo, as_json, status), ready)


@csid.command()
@click.option("--ap", required=True, metavar="HOST[:PORT]", help="The access point's daemon.")
@key_option
@click.option("--station", required=True, metavar="MAC", help="The address that this station has on the air.")
@click.option("--phy", default=None, help="The radio, such as phy0 [default: whichever receives for --station].")
@click.option("--log", type=Place(), default=None, help="A CSI log in place of the radio.")
@click.option("--format", "form", default=None, metavar="NAME", help="The log's format [default: what it begins like].")
@click.option("--speed", type=Number(0.001, 1000), default=1, show_default=True, help="The log's clock.")
@click.option("--rx", type=Whole(0, 15), default=0, show_default=True, help="Receive antenna.")
@click.option("--tx", type=Whole(0, 15), default=0, show_default=True, help="Transmit antenna (or stream).")
@click.option("--snr", type=Number(-30, 90), default=None, help="SNR in dB, where a log has none.")
@click.option("--noise", type=Number(-130, -30), default=None, help="Noise in dBm, for logs with RSSI alone.")
@carriers_option
@click.option(
    "--weight",
    type=Number(0, 1, min_open=True),
    default=1 / 8,
    show_default=True,
    help="Of a new sample in the smoothed SNR.",
)
@click.option("--rate", type=Number(0.1, 20_000), default=1000, show_default=True, help="Datagrams a second at most.")
@wait_option
@status_option
@json_option
def client(
    ap: str,
    key_file: Path,
    station: str,
    phy: str | None,
    log: Path | None,
    form: str | None,
    speed: float,
    rx: int,
    tx: int,
    snr: float | None,
    noise: float | None,
    carriers: str | None,
    weight: float,
    rate: float,
    wait: bool,
    status: float | None,
    as_json: bool,
) -> None:
    """Send this station's channel state, as effective SNR, to the access point."""
    from ..csi import Ask
    from ..csid import read_key
    from ..csid import station as end
    from ..csid.loop import Say

    source = end.Source(log, form, speed, phy, Ask(rx, tx, snr, noise, weight, carriers_of(carriers)), wait)
    end.client(read_key(key_file), ap, _address(station), source, rate, Say(_echo, as_json, status))


def _address(text: str) -> bytes:
    parts = text.split(":")
    try:
        address = bytes(int(p, 16) for p in parts)
    except ValueError:
        address = b""
    if len(parts) != 6 or len(address) != 6 or any(len(p) != 2 for p in parts):
        raise UserError(f'--station: "{text}", expected an address such as 02:77:74:00:00:01')
    if address[0] & 1 or not any(address):  # the group bit, which broadcast has, too. src: 802-2014 8.2.2
        raise UserError(f'--station: "{text}" is no station\'s address, expected one such as 02:77:74:00:00:01')
    return address


@csid.command()
@click.argument("file", type=Place())
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def key(file: Path, as_json: bool) -> None:
    """Make a key: FILE, which only its owner can read. Access point and stations need the same."""
    from ..csid import new_key

    new_key(file)
    click.echo(files.line({"wrote": str(file)}) if as_json else f"wrote {file}")
