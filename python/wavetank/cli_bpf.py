"""``bpf``: congestion controls for stock kernels."""

from __future__ import annotations

import click

from .cli import _echo_json, cli, json_option


@cli.group()
def bpf() -> None:
    """Congestion controls for stock kernels, as BPF programs (root; a kernel with BTF; clang and bpftool)."""


@bpf.command("load")
@click.argument("name")
@click.option(
    "--pace",
    type=click.IntRange(4, 15),
    default=6,
    help="bbrp_pace: gain of the probing phase in quarters; 5 is BBR.  [default: 6]",
)
def bpf_load(name: str, pace: int) -> None:
    """Compile and register NAME (bbrp), so that sockets and sysctls can choose it."""
    from . import bpf as programs

    programs.load(name, pace)
    click.echo(f"loaded {name} with pace {pace}; choose it by sysctl net.ipv4.tcp_congestion_control={name}")


@bpf.command("status")
@json_option
def bpf_status(as_json: bool) -> None:
    """Say which programs there are, which are loaded, and what this machine lacks for them."""
    from . import bpf as programs

    lacks = programs.machine_lacks() + programs.tools_lack()
    loaded = [] if lacks else programs.loaded()
    if as_json:
        _echo_json({"programs": programs.programs(), "loaded": loaded, "lacks": lacks})
        return
    click.echo(f"programs: {', '.join(programs.programs()) or 'none (no checkout)'}")
    click.echo(f"loaded: {', '.join(loaded) or 'none'}")
    if lacks:
        click.echo(f"lacks: {'; '.join(lacks)}")


@bpf.command("unload")
@click.argument("name")
def bpf_unload(name: str) -> None:
    """Remove NAME; connections that use it keep it until they end."""
    from . import bpf as programs

    programs.unload(name)
    click.echo(f"unloaded {name}")
