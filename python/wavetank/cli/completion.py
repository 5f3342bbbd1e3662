"""``completion``: what a shell needs to complete the command's words at a TAB."""

from __future__ import annotations

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

from .base import cli
from .usage import Choice

#: click's own words for bash, but that no space follows a key, which its value follows.
_BASH = BashComplete.source_template.replace(
    "COMPREPLY+=($value)", 'COMPREPLY+=("$value")\n            [[ $value != *= ]] || compopt -o nospace'
)


@add_completion_class
class _Bash(BashComplete):
    """Bash, which takes ``tcp.cc=cubic`` for three words (``COMP_WORDBREAKS``): they are one here, and it gets the third."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        words = [*args, incomplete]
        joined: list[str] = []
        for i, word in enumerate(words):
            if joined and "=" in (word, words[i - 1]):
                joined[-1] += word
            else:
                joined.append(word)
        return joined[:-1], joined[-1]

    def format_completion(self, item: CompletionItem) -> str:
        head, sign, tail = item.value.partition("=")
        return f"{item.type},{tail if sign and tail else head + sign}"


def _zsh() -> str:
    source = ZshComplete.source_template.replace("local -a completions\n", "local -a completions nospace\n", 1)
    source = source.replace(
        '        if [[ "$type" == "plain" ]]; then',
        "        [[ $key != *= ]] || nospace=(-S '')\n" + '        if [[ "$type" == "plain" ]]; then',
    )
    for call in ("completions_with_descriptions -U", "compadd -U -V unsorted"):
        source = source.replace(call, f'{call} "${{nospace[@]}}"')
    return source


@add_completion_class
class _Zsh(ZshComplete):
    """Zsh, with no space behind a key, which its value follows."""

    source_template = _zsh()


@add_completion_class
class _Fish(FishComplete):
    """Fish, whose words split what they are given at every comma: a list's values have some, too."""

    source_template = FishComplete.source_template.replace('string split ","', 'string split --max 1 ","')


@cli.command()
@click.argument("shell", type=Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what SHELL needs to complete verbs, options, scenarios, keys and their values at a TAB.

    For bash, `eval "$(wavetank completion bash)"` in ~/.bashrc; for zsh the same with its name in ~/.zshrc; for fish
    `wavetank completion fish | source` in ~/.config/fish/config.fish.
    """
    of_shell = get_completion_class(shell)
    assert of_shell is not None, shell
    click.echo(of_shell(cli, {}, "wavetank", "_WAVETANK_COMPLETE").source())
