"""The command line: a thin layer over the Python API. The verbs stand in this folder, by idea.

Exit codes: 0 done, 1 ``--check`` found red rows or the core failed, 2 bad input, 128 + N ended by signal N
(130 Ctrl-C, 143 a kill).
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from .. import ScenarioError, UserError
from ..errors import Failed, SettingError

# Verbs join the group as they are imported.
from . import (  # noqa: F401
    analyze,
    bpf,
    compare,
    completion,
    csi,
    csid,
    glyphs,
    hack,
    judge,
    linux,
    names,
    output,
    reproduce,
    run,
    signals,
    sweep,
    testbed,
    usage,
)
from .base import cli

#: What only a file that is written can meet: a full disk, a quota, a disk that may only be read, a file that is too large.
_OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command's entry: errors for people, exit codes for scripts."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with signals.heeded(), output.named(), glyphs.told():
            code = cli.main(args=given, prog_name="wavetank", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as e:
        e.show()
        code = 0
    except click.ClickException as e:
        click.echo(f"error: {usage.told(e, cli, given)}", err=True)
        code = 2
    except Failed as e:
        click.echo(f"error: {e}{e.advice}{_kept(given, ' ') if e.cut_off else ''}", err=True)
        code = 1
    except SettingError as e:
        click.echo(f"error: --set: {e}", err=True)
        code = 2
    except (UserError, ScenarioError) as e:
        click.echo(f"error: {e}", err=True)
        code = 2
    except (click.Abort, KeyboardInterrupt) as e:
        with suppress(OSError):  # the terminal may be gone
            click.echo(f"interrupted{_kept(given, ': ')}", err=True)
        code = signals.code(e)
    except output.Left:
        code = 0
    except OSError as e:
        where = f"{e.filename}: " if e.filename else ""
        how = "written" if e.filename == output.NAME or e.errno in _OF_WRITING else "read or written"
        click.echo(f"error: {where}cannot be {how} ({e.strerror or e})", err=True)
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _kept(given: Sequence[str], before: str) -> str:
    """What is left of a command that did not come to its end, where something can be said of it."""
    verb = next((a for a in given if not a.startswith("-")), "")
    with_option = {"compare": "--repetitions", "validate": "--random"}
    if verb in ("reproduce", "sweep") or any(a.startswith(with_option.get(verb, "\0")) for a in given):
        return f"{before}what was completed is kept"
    return f"{before}nothing of the run is kept" if verb == "run" else ""
