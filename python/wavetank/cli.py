"""The command line: a thin layer over the Python API. The verbs stand in ``cli_*.py``, by idea.

Exit codes: 0 done, 1 ``--check`` found red rows or the core failed, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

# Verbs join the group as they are imported.
from . import (
    ScenarioError,
    UserError,
    cli_analyze,  # noqa: F401
    cli_bpf,  # noqa: F401
    cli_csi,  # noqa: F401
    cli_csid,  # noqa: F401
    cli_hack,  # noqa: F401
    cli_judge,  # noqa: F401
    cli_linux,  # noqa: F401
    cli_names,  # noqa: F401
    cli_reproduce,  # noqa: F401
    cli_run,  # noqa: F401
    lab,
    workers,
)
from .cli_base import cli


def main(arguments: Sequence[str] | None = None) -> None:
    """The command's entry: errors for people, exit codes for scripts."""
    from .linux import LinuxFailed

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
    except lab.CoreFailed as e:
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
    sys.exit(code if isinstance(code, int) else 0)
