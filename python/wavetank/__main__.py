"""The command's entry, and ``python -m wavetank``'s: a Ctrl-C while its modules are imported ends it as quietly as one later."""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Imports the command and carries it out. Nothing is begun until then, so that Ctrl-C may end the process where it stands."""
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:
        signal.signal(signal.SIGINT, _end)
    from .cli import main as command

    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command()


def _end(_number: int, _frame: object) -> None:
    """No exception: what imports may take it for its own, or tell of it."""
    os.write(2, b"interrupted\n")
    os._exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
