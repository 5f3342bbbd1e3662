"""The command's entry, and ``python -m wavetank``'s: a Ctrl-C while its modules are imported ends it as quietly as one later.

What this module imports itself, Python has by then: until :func:`main` is entered, it is Python that a Ctrl-C meets.
"""

from __future__ import annotations

import os


def main() -> None:
    """Imports the command and carries it out. Nothing is begun until then, so that Ctrl-C may end the process where it stands."""
    try:
        import signal

        heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if heeded:
            signal.signal(signal.SIGINT, _end)
    except KeyboardInterrupt:
        _end()
    from .cli import main as command

    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command()


def _end(_number: int = 2, _frame: object = None) -> None:
    """No exception: what imports may take it for its own, or tell of it."""
    os.write(2, b"interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
