# SPDX-License-Identifier: GPL-2.0
"""A CPU of this machine for each kernel that runs in virtual time.

User-Mode Linux and what runs in it are several processes of the host, of which one runs at a time: each system call of the
guest hands over by ptrace (arch/um/os-Linux/skas/process.c `userspace`). Where the scheduler spreads them over idle CPUs,
every hand-over wakes another CPU up, and a run takes two to three times as long.
"""

import contextlib
import fcntl
import os
import pathlib
import random
import tempfile


@contextlib.contextmanager
def one_cpu():
    """A CPU that no other kernel of this user's has, for as long as the block runs; None where all are taken.

    Whoever has a CPU holds a lock on its file, which the host releases when the holder dies. In no order: containers
    that share CPUs, but not the files, shall not all begin with the first."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"wavetank-cpus-{os.getuid()}"
    cpus = sorted(os.sched_getaffinity(0))
    random.shuffle(cpus)
    with contextlib.ExitStack() as held:
        yield next((cpu for cpu in cpus if _claim(folder / str(cpu), held)), None)


def _claim(path, held):
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        held.callback(os.close, fd)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def stay_on(cpu):
    """Keeps the calling process and its children to `cpu`, if it is not None and the host allows it."""
    if cpu is not None:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, {cpu})
