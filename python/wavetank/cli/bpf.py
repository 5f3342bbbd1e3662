"""``bpf``: congestion controls for stock kernels."""

from __future__ import annotations

from dataclasses import asdict

import click

from ..errors import UserError
from .base import _echo_json, cli, json_option


@cli.group()
def bpf() -> None:
    """Congestion controls for stock kernels, as BPF programs (root; a kernel with BTF; clang and bpftool)."""


@bpf.command("load")
@click.argument("name")
@click.option(
    "--set", "sets", multiple=True, metavar="NAME=VALUE", help="A parameter; `status` lists those of each program."
)
@click.option("--pace", metavar="N", help="BBRp's bbrp_pace: gain of the probing phase in quarters; 5 is BBR.")
def bpf_load(name: str, sets: tuple[str, ...], pace: str | None) -> None:
    """Compile and register NAME (bbrp, bbr_plus, bbr_dev), so that sockets and sysctls can choose it."""
    from .. import bpf as programs

    values: dict[str, str] = {}
    for word in (*sets, *([f"bbrp_pace={pace}"] if pace is not None else [])):
        key, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"bpf load: --set {word}: expected NAME=VALUE")
        values[key] = value
    settings = programs.load(name, values)
    said = ", ".join(f"{k} {v}" for k, v in settings.items())
    click.echo(f"loaded {name} with {said}; choose it by sysctl net.ipv4.tcp_congestion_control={name}")


@bpf.command("status")
@json_option
def bpf_status(as_json: bool) -> None:
    """Say which programs there are, which are loaded, and what this machine lacks for them."""
    from .. import bpf as programs

    lacks = programs.machine_lacks() + programs.tools_lack()
    loaded = [] if lacks else programs.loaded()
    known = {name: programs.parameters(name) for name in programs.programs()}
    if as_json:
        listed = {name: {p.name: asdict(p) for p in of} for name, of in known.items()}
        _echo_json({"programs": list(known), "parameters": listed, "loaded": loaded, "lacks": lacks})
        return
    click.echo(f"programs: {', '.join(known) or 'none (no checkout)'}")
    for name, of in known.items():
        for p in of:
            click.echo(f"  {name} --set {p.name}={p.default}  [{p.least} to {p.most}] {p.what}")
    click.echo(f"loaded: {', '.join(loaded) or 'none'}")
    if lacks:
        click.echo(f"lacks: {'; '.join(lacks)}")


@bpf.command("unload")
@click.argument("name")
def bpf_unload(name: str) -> None:
    """Remove NAME; connections that use it keep it until they end."""
    from .. import bpf as programs

    programs.unload(name)
    click.echo(f"unloaded {name}")
