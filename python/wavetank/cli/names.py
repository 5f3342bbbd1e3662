"""What there is to choose from, and what it means: ``list``, ``explain``, ``schema``, ``theory``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import click

from .. import UserError, _core
from .. import keys as catalogue
from ..errors import printable, unknown
from . import complete
from .base import _echo_json, _pair, _print, cli, json_option


@cli.command()
@click.argument("form", required=False, shell_complete=complete.form)
@click.option("--set", "sets", multiple=True, metavar="SYMBOL=NUMBER", help="An input of FORM; may be repeated.")
@json_option
def theory(form: str | None, sets: Sequence[str], as_json: bool) -> None:
    """The papers' closed forms: list them, or evaluate FORM."""
    from .. import closed_forms, report

    if form is None:
        if sets:
            raise UserError("--set: needs a FORM, expected one of " + ", ".join(closed_forms.forms()))
        every = closed_forms.all_at_defaults()
        if as_json:
            _echo_json({"forms": every})
        else:
            _print(report.forms_table(every))
        return
    value = closed_forms.evaluate(form, dict(_pair(x, such="t=20") for x in sets))
    if as_json:
        _echo_json(value)
    else:
        _print(report.form_table(value))


@cli.command(name="list")
@click.argument("kinds", nargs=-1, metavar="[KIND]...", shell_complete=complete.kind)
@json_option
def list_(kinds: Sequence[str], as_json: bool) -> None:
    """Experiments, closed forms, congestion controls, queueing disciplines, drivers, scenarios, metrics; of KIND alone
    (`wavetank list metrics`) a name a line."""
    from .. import shipped
    from ..lab import plan
    from ..sweeps import metrics

    names = _core.registry()
    figures = {
        n: [{"id": f.id, "figure": f.source, "title": f.title} for f in plan.load(n)] for n in shipped.experiments()
    }
    scenarios = sorted(str(p) for p in shipped.SCENARIOS.glob("*.toml"))
    labels = {
        "cc": "congestion controls", "qdisc": "queueing disciplines", "driver": "drivers", "rate": "rate controls",
        "kernel": "kernel profiles",
    }  # fmt: skip
    every: dict[str, list[Any]] = {
        "experiments": [{"name": n, "figures": f} for n, f in figures.items()],
        "congestion_controls": names["cc"], "qdiscs": names["qdisc"], "drivers": names["driver"],
        "rates": names.get("rate", []), "kernels": names.get("kernel", []),
        "theory": [f["name"] for f in _core.theory()], "scenarios": scenarios, "metrics": metrics.families(),
    }  # fmt: skip
    asked = [k.replace("-", "_") for k in kinds]
    for kind in asked:
        if kind not in complete.KINDS:
            raise unknown("kind", kind, complete.KINDS)
    if as_json:
        _echo_json({k: every[k] for k in asked} if asked else every)
        return
    if asked:
        for kind in dict.fromkeys(asked):
            for one in figures if kind == "experiments" else every[kind]:
                click.echo(one)
        return
    for n, fs in figures.items():
        click.secho(f"{n}", bold=True)
        for f in fs:
            click.echo(f"  {f['figure']}: {f['title']}")
    for kind, values in names.items():
        click.secho(labels.get(kind, kind), bold=True)
        click.echo("  " + ", ".join(values))
    click.secho("closed forms", bold=True)
    click.echo("  " + ", ".join(f["name"] for f in _core.theory()))
    click.secho("scenarios that come with it", bold=True)
    for path in scenarios:
        click.echo(f"  {path}")
    click.secho("metrics of a sweep (NAME@sta1 is one station's)", bold=True)
    click.echo("  " + ", ".join(metrics.families()))


@cli.command()
@click.argument("keys", nargs=-1, metavar="[KEY]...", shell_complete=complete.key)
@json_option
def explain(keys: Sequence[str], as_json: bool) -> None:
    """What a scenario's KEY is: unit, default, range, source. A section alone lists its keys, any other word those that
    are about it (`wavetank explain rts`); nothing lists all."""
    rows = catalogue.every()
    chosen = [] if keys else list(rows)
    for key in keys:
        if not key.strip():
            raise UserError("a KEY is empty, expected one of `wavetank explain` (is a variable of the shell not set?)")
        found = [k for k in rows if k == key] or [k for k in rows if k.startswith(f"{key}.")] or _about(key, rows)
        if not found:
            there = [*rows, *{r["section"] for r in rows.values() if r["section"]}]
            raise unknown("key", key, there, see="wavetank explain", meant=_core.meant(printable(key)))
        chosen += [k for k in found if k not in chosen]
    out: list[dict[str, str]] = [{"name": k, **{c: str(v) for c, v in rows[k].items()}} for k in chosen]
    if as_json:
        _echo_json(out[0] if len(keys) == 1 and keys[0] in rows else out)
        return
    if (keys and rows.keys() >= {*keys}) or len(out) == 1:  # keys by name, not those of a section or about a word
        for at, r in enumerate(out):
            if at:
                click.echo()
            for field in ("name", "doc", "unit", "default", "range", "basis", "source"):
                click.echo(f"{field:>8}  {r['evidence' if field == 'source' else field]}")
        return
    _explained(out)


def _explained(rows: Sequence[Mapping[str, str]]) -> None:
    """A table; in a terminal that leaves no room for what it says of each, one below the other."""
    from rich.console import Console
    from rich.table import Table

    from .narrow import BESIDE, PROSE

    console, fields = Console(), ("name", "unit", "default", "range")
    if console.is_terminal and console.width < sum(max(len(r[f]) for r in rows) + BESIDE for f in fields) + PROSE:
        for r in rows:
            click.secho(r["name"], bold=True, nl=False)
            of = (r["unit"], f"default {r['default']}", r["range"])
            click.echo(f": {', '.join(x for x in of if x)}")
            click.echo(textwrap.fill(r["doc"], console.width, initial_indent="  ", subsequent_indent="  "))
        return
    table = Table(header_style="bold", pad_edge=False)
    for c in ("key", *fields[1:], "what"):
        table.add_column(c)
    for r in rows:
        table.add_row(*(r[f] for f in fields), r["doc"])
    _print(table)


@cli.command(name="schema")
def schema_() -> None:
    """Print the JSON Schema of a scenario file: an editor completes, explains and checks its keys by it.

    `wavetank schema > wavetank.schema.json`, and `#:schema wavetank.schema.json` as the scenario's first line, for editors
    with taplo (Even Better TOML of VS Code, Helix, Neovim).
    """
    from .. import schema

    _echo_json(schema.document())


#: What people call things that keys and their explanations call otherwise.
CALLED: Mapping[str, tuple[str, ...]] = {
    "bandwidth": ("width", "rate"),
    "buffer": ("sndbuf", "rcvbuf", "queue", "memory"),
    "channel": ("band", "snr"),
    "hidden": ("hear",),
    "latency": ("delay", "rtt"),
    "loss": ("lost", "error"),
    "mss": ("mtu", "segment", "segments"),
    "mtu": ("payload", "gso"),
    "ping": ("echo",),
    "queue": ("limit",),
    "retry": ("retries", "tries", "retransmission", "retransmissions"),
    "speed": ("rate", "mcs"),
}


def _about(word: str, rows: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Keys of that name or with that word in it; with these letters in it; whose explanation has the word; then the same of
    what the word is called here."""
    found: dict[str, None] = {}
    for w in (word.lower(), *CALLED.get(word.lower(), ())):
        leaf = {k: k.rpartition(".")[2] for k in rows}
        whole = re.compile(rf"\b{re.escape(w)}s?\b", re.I)
        found |= dict.fromkeys(k for k, name in leaf.items() if w in (name, *name.split("_")))
        if w == word.lower():
            found |= dict.fromkeys(k for k in rows if w in k.lower())
        found |= dict.fromkeys(k for k, r in rows.items() if whole.search(str(r["doc"])))
    return list(found)
