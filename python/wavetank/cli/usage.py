"""What is wrong with a command's words, told in one line as all errors are: where, what, what was expected, what is near."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import click

from ..errors import enumerated, shortened, unknown

#: How click tells of words behind the last argument.
EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)


class Verbs(click.Group):
    """A group whose unknown verb is answered with those that there are, as any other unknown name."""

    group_class = type

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's. Raises UserError for a verb that there is not."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise unknown("verb", shortened(args[0]), self.commands, _where(ctx), f"{ctx.command_path} --help")
        return super().resolve_command(ctx, args)


class Choice(click.Choice):  # type: ignore[type-arg]  # click 8.1's takes none
    """A word of several; another is answered with them, and with the one that is near."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word. Raises UserError."""
        if value not in self.choices:
            name = f"{_where(ctx)}: {_called(param)}" if ctx else _called(param)
            raise unknown("word", shortened(value), [str(c) for c in self.choices], name)
        return value


def told(e: click.ClickException, verbs: click.Group, given: Sequence[str]) -> str:
    """The error in one line. ``verbs``: the whole command; ``given``: its words, of which some errors do not know the verb."""
    ctx = e.ctx if isinstance(e, click.UsageError) else None
    path, command = (_where(ctx), ctx.command) if ctx else _verb(verbs, given)
    text = _what(e, verbs, f"wavetank {path}".strip(), command)
    return f"{path}: {text}" if path else text


def _what(e: click.ClickException, verbs: click.Group, path: str, command: click.Command) -> str:
    if isinstance(e, click.NoSuchOption):
        return _no_option(e.option_name, verbs, path, command)
    if isinstance(e, click.BadOptionUsage):
        return _no_value(e, command)
    expected = f"expected {path} {' '.join(_pieces(command, e))}"
    if isinstance(e, click.MissingParameter):
        return f"{_called(e.param)} is missing, {expected}"
    if isinstance(e, click.BadParameter):
        hint = e.param_hint if isinstance(e.param_hint, str) else _called(e.param)
        return f"{hint}: {e.message.removesuffix('.')}"
    if found := EXTRA.fullmatch(e.format_message()):
        more = shortened(found[1])
        sets = "=" in more and any("--set" in p.opts for p in command.params)
        return f'unexpected "{more}", {expected}' + (f'; did you mean --set "{more}"?' if sets else "")
    return e.format_message().removesuffix(".")


def _no_option(name: str, verbs: click.Group, path: str, command: click.Command) -> str:
    having = sorted(verb for verb, other in verbs.commands.items() if other is not command and _has(other, name))
    if having and command is not verbs:
        return f'unknown option "{name}", which {enumerated(having)} {"has" if len(having) == 1 else "have"}'
    there = [o for p in command.params if isinstance(p, click.Option) for o in p.opts if o.startswith("--")]
    begun = [o for o in there if o.startswith(name)] if name.startswith("--") else []
    return str(
        unknown(
            "option",
            shortened(name),
            [*there, "--help"],
            see=f"{path} --help",
            meant=begun[0] if len(begun) == 1 else None,
        )
    )


def _no_value(e: click.BadOptionUsage, command: click.Command) -> str:
    """An option without its value, or with one that it does not take."""
    param = next((p for p in command.params if e.option_name in p.opts), None)
    if not isinstance(param, click.Option):
        return e.format_message().removesuffix(".")
    if param.is_flag:
        return f"{e.option_name} takes no value"
    return f"{e.option_name} has no value, expected {e.option_name} {param.metavar or param.type.name.upper()}"


def _has(command: click.Command, name: str) -> bool:
    """Whether the verb, or one below it (``linux build``), has an option of this name."""
    if any(name in p.opts for p in command.params if isinstance(p, click.Option)):
        return True
    return isinstance(command, click.Group) and any(_has(c, name) for c in command.commands.values())


def _pieces(command: click.Command, e: click.ClickException) -> Iterator[str]:
    """What the command takes, as its help has it."""
    ctx = e.ctx if isinstance(e, click.UsageError) and e.ctx else click.Context(command)
    yield from command.collect_usage_pieces(ctx)


def _called(param: click.Parameter | None) -> str:
    """An option's long name, an argument's as its help has it."""
    if param is None:
        return "a word"
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return (param.metavar or (param.name or "").upper()).rstrip(".").strip("[]")


def _where(ctx: click.Context | None) -> str:
    """The verb as it was given: "linux build"; empty of the command alone."""
    return ctx.command_path.partition(" ")[2] if ctx else ""


def _verb(verbs: click.Group, given: Sequence[str]) -> tuple[str, click.Command]:
    """The verb among these words, and its command."""
    path: list[str] = []
    command: click.Command = verbs
    for word in given:
        if not isinstance(command, click.Group) or word not in command.commands:
            break
        path.append(word)
        command = command.commands[word]
    return " ".join(path), command
