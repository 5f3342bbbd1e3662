"""An option that another verb has: where it belongs."""

from __future__ import annotations

import click

from ..errors import enumerated


def told(e: click.NoSuchOption, verbs: click.Group) -> click.ClickException:
    """The error with the verbs in its place that have the option; itself where none has."""
    name = e.option_name
    having = sorted(verb for verb, command in verbs.commands.items() if _has(command, name))
    if not having:
        return e
    return click.UsageError(f"No such option '{name}': it is an option of {enumerated(having)}.", e.ctx)


def _has(command: click.Command, name: str) -> bool:
    """Whether the verb, or one below it (``linux build``), has an option of this name."""
    if any(name in p.opts for p in command.params if isinstance(p, click.Option)):
        return True
    return isinstance(command, click.Group) and any(_has(c, name) for c in command.commands.values())
