"""Writing files so that a reader, or a kill, never meets half of one."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

from .errors import UserError


def plain(value: Any) -> Any:
    """The value as JSON can have it: NaN and infinities are null, numpy's scalars are numbers."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def dumps(value: Any) -> str:
    """JSON of it, without NaN."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def line(value: Any) -> str:
    """The same in one line."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False)


@contextmanager
def _named(path: Path, tmp: Path) -> Iterator[None]:
    """An error of writing names what was to be written: a full disk's has no name, others that of the unfinished file."""
    try:
        yield
    except OSError as e:
        known = os.fsdecode(e.filename) if isinstance(e.filename, (str, bytes)) else ""
        name = str(path) + known.removeprefix(str(tmp)) if not known or known.startswith(str(tmp)) else known
        # pyarrow has the number, and words of its own around what it means
        raise OSError(e.errno or errno.EIO, os.strerror(e.errno) if e.errno else str(e), name) from e


def summed_up(paths: Iterable[Path], folder: Path) -> dict[str, int]:
    """Of files in a folder: each by its name, then the folders within it ("flent/"), with how many files each has."""
    below = [p.relative_to(folder).parts for p in paths]
    own = {parts[0]: 1 for parts in below if len(parts) == 1}
    within = [f"{parts[0]}/" for parts in below if len(parts) > 1]
    return own | {name: within.count(name) for name in dict.fromkeys(within)}


def place(given: object, expected: str) -> Path:
    """The path that is given, of ``expected`` ("a folder to write").

    Raises UserError for what is no path: an empty text, one with a NUL, no text.
    """
    if not isinstance(given, str | os.PathLike) or not isinstance(os.fspath(given), str) or not os.fspath(given):
        raise UserError(f"{given!r}: expected the path of {expected}")
    if "\0" in os.fspath(given):
        raise UserError(f"{os.fspath(given)!r}: has a NUL in it, which no path has, expected the path of {expected}")
    return Path(given)


def writable(path: Path | None, what: str) -> None:
    """Before the work whose outcome ``path`` ("a file", "a folder") shall hold. Raises UserError if one sees that it cannot."""
    if path is None:
        return
    if path.exists() and path.is_dir() != (what == "a folder"):
        raise UserError(f"{path}: is {'a folder' if path.is_dir() else 'a file'}, expected {what}")
    there = next(p for p in (path, *path.parents) if p.exists() and (p != path or p.is_dir()))
    if not there.is_dir():
        raise UserError(f"{path}: cannot be written ({there} is a file), expected {what}")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UserError(f"{path}: cannot be written ({there} is not writable), expected {what}")


def apart(paths: Sequence[Path], name: Callable[[Path], str]) -> list[str]:
    """A name for each file, for what is written of it: ``name``'s, behind the folders that tell apart those of one name.

    Raises UserError where a file stands twice, and where no folders tell files apart: one's would take another's place.
    """
    there = [Path.cwd() / p for p in paths]
    for at, p in enumerate(there):
        if p in there[:at]:
            raise UserError(f"{paths[at]}: stands twice, expected each file once")

    def called(p: Path, folders: int) -> str:
        alike = [q for q in there if name(q) == name(p)]
        if alike == [p]:
            return name(p)
        beside = sum(q.parent == p.parent for q in alike) > 1
        return "-".join((*p.parts[1:][-1 - folders : -1], p.name if beside else name(p)))

    for folders in range(max((len(p.parts) for p in there), default=1)):
        names = [called(p, folders) for p in there]
        if len(set(names)) == len(names):
            return names
    raise UserError(f"{paths[0]}: its folders do not tell it apart from the others, expected files of other names")


def no_file(path: Path) -> None:
    """What shall be a folder is none yet, or one. Raises UserError."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path}: is a file, expected a folder")


def usable(folder: Path) -> None:
    """Makes it, unless it is there: before the work whose outcome it shall hold. Raises UserError."""
    no_file(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise UserError(f"{folder}: cannot be written ({e.strerror}), expected a folder") from None


def write(path: Path, make: Callable[[Path], object]) -> Path:
    """Has ``make`` write a file beside ``path``, then puts it there in one step."""
    if path.is_dir():
        raise UserError(f"{path}: is a folder, expected a file to write")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=path.suffix, dir=path.parent)
    except OSError as e:
        raise UserError(f"{path}: cannot be written ({e.strerror}), expected a file") from None
    os.close(fd)
    tmp = Path(name)
    try:
        with _named(path, tmp):
            make(tmp)
            tmp.chmod(0o644)
            tmp.replace(path)
    except BaseException:
        tmp.unlink(missing_ok=True)
        raise
    return path


@contextmanager
def made(path: Path) -> Iterator[Path]:
    """A folder to write into, made where it is missing; what was made of it, and stayed empty, goes if the block fails."""
    missing = [p for p in (path, *path.parents) if not p.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise UserError(f"{path}: cannot be written ({e.strerror}), expected a folder") from None
    try:
        yield path
    except BaseException:
        for p in missing:
            with suppress(OSError):  # not empty
                p.rmdir()
        raise


def write_text(path: Path, text: str) -> Path:
    """Writes a text file in one step. Of a file's name that is not UTF-8 it has escapes, which JSON reads back as they were."""
    return write(path, lambda p: p.write_text(text, encoding="utf-8", errors="backslashreplace"))


@contextmanager
def folder(path: Path, *, anew: bool = False, gone: Iterable[str] = (), last: str = "") -> Iterator[Path]:
    """A folder to fill; it becomes ``path`` (or its files move into it, if it is there; ``anew``: it takes its place) when
    the block ends well.

    In a folder that is there, the files ``gone`` go then, with folders below it that this leaves empty; the file ``last`` goes
    before others come and comes after them, so that it never stands beside another's.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tmp = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as e:
        raise UserError(f"{path}: cannot be written ({e.strerror}), expected a folder") from None
    try:
        with _named(path, tmp):
            yield tmp
            no_file(path)
            if anew:
                shutil.rmtree(path, ignore_errors=True)
            if path.is_dir():
                remove(path, gone)
                _move(tmp, path, last)
            else:
                tmp.chmod(0o755)
                tmp.replace(path)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)


def listed(document: Path) -> set[str]:
    """The files below its folder that a JSON document of ours names in ``files``: what was written with it. None without."""
    try:
        found = json.loads(document.read_text(encoding="utf-8"))["files"]
        paths = {PurePosixPath(name) for name in found}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {str(p) for p in paths if p.parts and not p.is_absolute() and ".." not in p.parts}


def remove(path: Path, names: Iterable[str]) -> None:
    """Removes these files of a folder, and folders below it that this leaves empty."""
    for name in names:
        with suppress(OSError):  # it is gone already, or a folder of that name
            (path / name).unlink()
        for p in PurePosixPath(name).parents[:-1]:
            with suppress(OSError):  # not empty
                (path / p).rmdir()


def _move(source: Path, target: Path, last: str) -> None:
    """Each file on its own: a folder that is there may have somebody's files."""
    every = sorted((f for f in source.rglob("*") if not f.is_dir()), key=lambda f: (f == source / last, f))
    if last:
        (target / last).unlink(missing_ok=True)
    for f in every:
        to = target / f.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        f.replace(to)
