"""What there is to choose from, and what it means: ``list``, ``explain``, ``schema``, ``theory``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import click

from .. import UserError, _core, shipped
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


#: What the terminal calls the kinds of the core's registry.
LABELS = {
    "cc": "congestion controls", "qdisc": "queueing disciplines", "driver": "drivers", "rate": "rate controls",
    "kernel": "kernel profiles",
}  # fmt: skip


@cli.command(name="list")
@click.argument("kinds", nargs=-1, metavar="[KIND]...", shell_complete=complete.kind)
@json_option
def list_(kinds: Sequence[str], as_json: bool) -> None:
    """Experiments, closed forms, congestion controls, queueing disciplines, drivers, scenarios, metrics; of KIND alone
    (`wavetank list metrics`) a name a line."""
    asked = list(dict.fromkeys(_kind(k) for k in kinds))
    if as_json:
        _echo_json({k: _all_of(k) for k in asked or complete.KINDS})
    elif asked:
        for kind in asked:
            for one in _all_of(kind):
                click.echo(one["name"] if kind == "experiments" else one)
    else:
        _list_all()


def _kind(given: str) -> str:
    """The kind that is meant: of several words with - or _, one or many of it, or as a scenario's keys have it (cc)."""
    kind = given.replace("-", "_")
    one = {k.removesuffix("s"): k for k in complete.KINDS} | {"cc": "congestion_controls"}
    if kind not in complete.KINDS and kind not in one:
        raise unknown("kind", given, complete.KINDS)
    return one.get(kind, kind)


def _all_of(kind: str) -> list[Any]:
    """All that there is of a kind; what needs numpy is imported for those alone that ask for it."""
    if kind == "experiments":
        return [{"name": n, "figures": shipped.figures(n)} for n in shipped.experiments()]
    if kind == "scenarios":
        return sorted(str(p) for p in shipped.SCENARIOS.glob("*.toml"))
    if kind == "theory":
        return [f["name"] for f in _core.theory()]
    if kind == "metrics":
        from ..sweeps import metrics

        return metrics.families()
    return list(_core.registry()[{"congestion_controls": "cc"}.get(kind, kind.removesuffix("s"))])


def _list_all() -> None:
    """For people: every kind."""
    for one in _all_of("experiments"):
        click.secho(f"{one['name']}", bold=True)
        for f in one["figures"]:
            click.echo(f"  {f['figure']}: {f['title']}")
    for kind, values in _core.registry().items():
        click.secho(LABELS.get(kind, kind), bold=True)
        click.echo("  " + ", ".join(values))
    click.secho("closed forms", bold=True)
    click.echo("  " + ", ".join(_all_of("theory")))
    click.secho("scenarios that come with it", bold=True)
    for path in _all_of("scenarios"):
        click.echo(f"  {path}")
    click.secho("metrics of a sweep (NAME@sta1 is one station's)", bold=True)
    click.echo("  " + ", ".join(_all_of("metrics")))


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
