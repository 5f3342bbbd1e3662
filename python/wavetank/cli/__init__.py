"""The command line: a thin layer over the Python API. The verbs stand in this folder, by idea.

Exit codes: 0 done, 1 ``--check`` found red rows or the core failed, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from .. import ScenarioError, UserError, workers
from ..lab import runner

# Verbs join the group as they are imported.
from . import analyze, bpf, compare, csi, csid, hack, judge, linux, names, reproduce, run, sweep, testbed  # noqa: F401
from .base import cli


def main(arguments: Sequence[str] | None = None) -> None:
    """The command's entry: errors for people, exit codes for scripts."""
    from ..linux import LinuxFailed

    try:
        code = cli.main(
            args=None if arguments is None else list(arguments), prog_name="wavetank", standalone_mode=False
        )
    except click.exceptions.NoArgsIsHelpError as e:
        e.show()
        code = 0
    except click.ClickException as e:
        e.show()
        code = 2
    except LinuxFailed as e:
        click.echo(f"error: {e}", err=True)
        code = 1
    except runner.CoreFailed as e:
        click.echo(f"error: {e}; this is a defect, please report it", err=True)
        code = 1
    except workers.WorkerDied as e:
        click.echo(f"error: {e}: was it killed, or out of memory? what was completed is kept", err=True)
        code = 1
    except (UserError, ScenarioError) as e:
        click.echo(f"error: {e}", err=True)
        code = 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted: what was completed is kept", err=True)
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    except OSError as e:
        where = f"{e.filename}: " if e.filename else ""
        click.echo(f"error: {where}cannot be read or written ({e.strerror or e})", err=True)
        code = 2
    sys.exit(code if isinstance(code, int) else 0)
