"""How far long work is: a bar on standard error in a terminal, else a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

#: Lines of what is no terminal, in all.
LINES = 10


@contextmanager
def shown(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """Gives a function to call with (done, of, what is done)."""
    from rich.console import Console

    console = Console(stderr=True)
    with bar(what, console) as progress:
        task = progress.add_task("", total=None, what=what)
        told = ""

        def update(done: int, of: int, text: str) -> None:
            nonlocal told
            progress.update(task, completed=done, total=of, description=text)
            line = f"{what}: {done} of {of}"
            if not console.is_terminal and of and (done == of or done % max(1, of // LINES) == 0) and line != told:
                told = line
                print(line, file=sys.stderr, flush=True)

        yield update


def bar(what: str, console: Console) -> Progress:
    """The bar; where it has no room, what is done is cut, then the bar: not the numbers."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    class Cut(TextColumn):
        """One line of it, as long as there is room: rich shortens first what may be wrapped."""

        def render(self, task: Task) -> Text:
            return Text(task.description, no_wrap=True, overflow="ellipsis")

    def whole() -> Column:
        return Column(no_wrap=True)

    return Progress(
        TextColumn("[bold]{task.fields[what]}"), BarColumn(), MofNCompleteColumn(table_column=whole()),
        TimeElapsedColumn(table_column=whole()), TextColumn("left"), TimeRemainingColumn(table_column=whole()),
        Cut("", table_column=Column()), console=console, transient=False, disable=not console.is_terminal,
    )  # fmt: skip
