"""Finds ``linux/``, the recipe and programs of the second water, and runs them.

They belong to the source tree, not to the wheel: what is built from them is a kernel, which needs Debian's source package and a
compiler anyway. ``WAVETANK_LINUX`` names another folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import Failed, UserError

#: What a program told: done, of how many (0: unknown), what.
Progress = Callable[[int, int, str], None]
#: Files below ``linux/`` that decide a result.
DECIDES = ("run", "uml.py", "kernel", "guest", "radio", "modules")
#: What a program of ``linux/`` says that its caller can mend.
MENDABLE = (
    "apt-get install", "needs an x86-64", "set XDG_CACHE_HOME", "WAVETANK_KERNEL=", "WAVETANK_KERNEL_SOURCE=",
    # of modules of one's own, and of what is not there without one
    "has no Kbuild", ": does not build for Linux", "modules, expected one", ": cannot be loaded",
    "the kernel has no congestion control", "the kernel has no rate control", "Specified qdisc kind is unknown",
    "Unknown qdisc",
)  # fmt: skip
_OBJECTS = re.compile(r"\[kernel\] (\d+) objects of about (\d+)")


class LinuxFailed(Failed):
    """The kernel, the guest or a build broke down: the text says what they said."""


def folder() -> Path:
    """The folder ``linux/``. Raises UserError where there is none."""
    named = os.environ.get("WAVETANK_LINUX")
    here = Path(named) if named else Path(__file__).resolve().parents[3] / "linux"
    if (here / "uml.py").is_file() and (here / "run").is_file():
        return here
    if named:
        raise UserError(f"WAVETANK_LINUX={named}: is not the folder linux/ of wavetank's source tree")
    raise UserError(
        "the second water is built from wavetank's source tree, and this installation has none: clone the repository and "
        "run `wavetank` from there (scripts/venv makes .venv), or set WAVETANK_LINUX to the folder linux/ of a clone"
    )


@cache
def digest() -> str:
    """Digest of everything in ``linux/`` that decides a result."""
    root = folder()
    h = hashlib.sha256()
    for name in (*DECIDES, "../crates/csi/src", "../crates/hack/src", "../crates/rohc/src"):
        top = root / name
        files = [top] if top.is_file() else [p for p in top.rglob("*") if p.is_file() and "target" not in p.parts]
        for p in sorted(files):
            h.update(os.path.relpath(p, root).encode() + b"\0" + p.read_bytes())
    return h.hexdigest()[:16]


#: Where the guest looks for this machine's programs. linux/guest/src/sys.rs
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


@cache
def iproute2() -> tuple[int, int] | None:
    """The release of this machine's ``tc``, which the guest runs; (0, 0): a snapshot, as before 5.0. None: there is none."""
    tc = shutil.which("tc", path=PATH)
    if tc is None:
        return None
    said = subprocess.run([tc, "-V"], capture_output=True, text=True, check=False).stdout
    release = re.search(r"iproute2-(\d+)\.(\d+)", said)
    return (int(release[1]), int(release[2])) if release else (0, 0)


def require(program: str, package: str, what: str) -> None:
    """That the guest will find a program of this machine's. Raises UserError, which ``what`` begins."""
    if shutil.which(program, path=PATH) is None:
        raise UserError(
            f"{what}: on linux it is what `{program}` prints, and this machine has none: apt-get install {package}"
        )


def _program(arguments: list[str], on_line: Callable[[str], None]) -> str:
    """Runs a program of ``linux/``; its lines on standard error go to ``on_line``. Gives its standard output."""
    with tempfile.TemporaryFile("w+") as out:
        # so that it ends with this process, and Ctrl-C reaches it although a worker ignores that
        env = {**os.environ, "WAVETANK_PARENT": str(os.getpid())}
        child = subprocess.Popen(arguments, env=env, stdout=out, stderr=subprocess.PIPE, text=True, errors="replace")
        said = []
        try:
            assert child.stderr is not None
            for line in child.stderr:
                if not line.startswith("progress "):
                    said.append(line)
                on_line(line.rstrip())
            code = child.wait()
        except BaseException:
            child.terminate()
            child.wait()
            raise
        if code:
            # what it ended with, which begins with its name: a compiler may have said much
            name = f"linux/{Path(arguments[0]).name}: "
            last = next((i for i in reversed(range(len(said))) if said[i].startswith(name)), len(said) - 40)
            text = "".join(said[max(0, last) :]).strip()
            if any(word in text for word in MENDABLE):
                raise UserError(text.partition(": ")[2] or text)
            raise LinuxFailed(text or f"{Path(arguments[0]).name} ended with code {code}")
        out.seek(0)
        return out.read()


def program(words: list[str], on_line: Callable[[str], None]) -> str:
    """Runs a program of ``linux/`` by its path there, with arguments; gives what it printed. Raises as :func:`build`."""
    return _program([str(folder() / words[0]), *words[1:]], on_line)


def status() -> dict[str, Any]:
    """What is built and what is missing, without building: kernel, guest, seed, modules, cache, missing (packages), ready."""
    value: dict[str, Any] = json.loads(
        _program([str(folder() / "build"), "--print"], lambda line: None).splitlines()[-1]
    )
    return value


def build(
    jobs: int | None = None, progress: Progress = lambda done, of, what: None, modules: Sequence[Path] = ()
) -> dict[str, Any]:
    """Builds what is not there yet; as :func:`status`. ``modules``: folders of modules of one's own, which are built, too.

    Raises UserError naming missing packages, and for a module that does not build, LinuxFailed.
    """

    def on_line(line: str) -> None:
        if found := _OBJECTS.match(line):
            progress(int(found[1]), int(found[2]), "compiling the kernel")
        elif line:
            progress(0, 0, line.removeprefix("[kernel] ").removeprefix("progress "))

    words = [str(folder() / "build"), *(["--jobs", str(jobs)] if jobs else [])]
    words += [word for folder in modules for word in ("--module", str(folder.resolve()))]
    value: dict[str, Any] = json.loads(_program(words, on_line).splitlines()[-1])
    return value


def carry_out(
    case: Mapping[str, Any],
    seed: int,
    seconds: float,
    progress: Callable[[int], None] = lambda s: None,
    channel: bytes | None = None,
    capture: Path | None = None,
) -> str:
    """Runs a case (``linux/run --help``) and gives the text of its result. ``progress`` gets seconds of virtual time.

    ``channel`` is what the case's key of that name stands for; ``capture`` is where the radio's log of the air is put.
    """
    with tempfile.TemporaryDirectory(prefix="wavetank-case-") as tmp:
        path, out = Path(tmp) / "case.json", Path(tmp) / "out.json"
        if channel is not None:
            (Path(tmp) / "channel").write_bytes(channel)
            case = {**case, "channel": str(Path(tmp) / "channel")}
        path.write_text(json.dumps(case))

        def on_line(line: str) -> None:
            word, _, rest = line.partition(" ")
            if word == "progress" and rest.isdigit():
                progress(int(rest))

        limit = str(round(max(600, 30 * seconds)))
        words = [str(folder() / "run"), str(path), str(out), "--seed", str(seed), "--timeout", limit, "--progress"]
        words += ["--capture", str(capture)] if capture is not None else []
        _program(words, on_line)
        return out.read_text()
