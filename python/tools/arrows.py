"""Which file of the project imports which, and the circles among them.

``arrows.py [ROOT]`` prints one circle of each crate and of the package, if there is one, and ends with 1 then.

Reads text, not types: ``use`` and paths in Rust, without test modules, followed through re-exports to the file that
defines a name; ``from ... import`` in Python. A folder's face (``mod.rs``, ``__init__.py``, or the file that a folder is named
after) hands on what is within: those arrows do not count.
"""

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

Name = tuple[str, ...]
Arrows = dict[Path, set[Path]]

_PUB = r"(?:pub(?:\([^)]*\))?\s+)?"


def _code(text: str) -> str:
    """A Rust file without comments, strings and test modules."""
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', "", text, flags=re.S)
    while m := re.search(rf"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*{_PUB}mod\s+\w+\s*(?:;|\{{)", text):
        end, depth = m.end(), m.group().endswith("{")
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[: m.start()] + text[end:]
    return text


def _used(tree: str, before: Name = ()) -> Iterator[Name]:
    """The paths of a ``use``: ``a::{b, c::d}`` are two."""
    parts, depth = [""], 0
    for c in tree:
        depth += {"{": 1, "}": -1}.get(c, 0)
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    for part in filter(None, map(str.strip, parts)):
        if m := re.fullmatch(r"((?:\w+::)*)\{(.*)\}", part, re.S):
            yield from _used(m.group(2), before + tuple(m.group(1).split("::")[:-1]))
        else:
            yield before + tuple(re.sub(r"\s+as\s+\w+$", "", part).split("::"))


class _Crate:
    """Its modules by their paths: file, code, and what they hand on."""

    def __init__(self, src: Path) -> None:
        self.file: dict[Name, Path] = {}
        self.code: dict[Name, str] = {}
        self._walk((), src / "lib.rs")
        self.handed = {at: dict(self._handed(at)) for at in self.file}

    def _walk(self, at: Name, file: Path) -> None:
        self.file[at], self.code[at] = file, _code(file.read_text())
        folder = file.parent if file.name in ("lib.rs", "mod.rs") else file.with_suffix("")
        for name in re.findall(rf"^\s*{_PUB}mod\s+(\w+)\s*;", self.code[at], re.M):
            for child in (folder / f"{name}.rs", folder / name / "mod.rs"):
                if child.exists():
                    self._walk((*at, name), child)

    def _handed(self, at: Name) -> Iterator[tuple[str, Name]]:
        for tree in re.findall(r"\bpub(?:\([^)]*\))?\s+use\s+([^;]+);", self.code[at]):
            for path in _used(tree):
                if whole := self.whole(at, path):
                    yield path[-1], whole

    def whole(self, at: Name, path: Name) -> Name | None:
        """A path as it is from the crate's root; ``None``: it is of another crate, or a name of the file's own."""
        if path[0] == "crate":
            return path[1:]
        if path[0] in ("self", "super"):
            while path and path[0] in ("self", "super"):
                at, path = (at[:-1] if path[0] == "super" else at), path[1:]
            return at + path
        return at + path if (*at, path[0]) in self.file else None

    def defines(self, path: Name) -> Path | None:
        """The file in which a name is defined; ``None``: it is a module's own name."""
        k = max(k for k in range(len(path) + 1) if path[:k] in self.file)
        if k == len(path):
            return None
        handed = self.handed[path[:k]].get(path[k])
        return self.defines(handed + path[k + 1 :]) if handed and handed != path else self.file[path[:k]]

    def named(self, at: Name) -> Iterator[Name]:
        """Every path that a module names."""
        uses = re.findall(r"\buse\s+([^;]+);", self.code[at])
        paths = {p for tree in uses for p in _used(tree)}
        modules = {p[-1]: whole for p in paths if (whole := self.whole(at, p)) and whole in self.file}
        body = re.sub(r"\buse\s+[^;]+;|pub\(in [^)]*\)", "", self.code[at])
        paths |= {tuple(p.split("::")) for p in re.findall(r"(?<![\w:])[a-z_]\w*(?:::\w+)+", body)}
        for p in paths:
            if whole := modules[p[0]] + p[1:] if p[0] in modules and len(p) > 1 else self.whole(at, p):
                yield whole


def rust(src: Path) -> Arrows:
    """Of the crate whose ``lib.rs`` is in this folder."""
    crate = _Crate(src)
    place = {file: at for at, file in crate.file.items()}
    arrows: Arrows = {file: set() for file in place}
    for file, at in place.items():
        for path in crate.named(at):
            to = crate.defines(path)
            if to and place[to][: len(at)] != at:
                arrows[file].add(to)
    return arrows


def python(package: Path) -> Arrows:
    """Of a package; what its own face imports does not count."""
    file = {p.relative_to(package.parent).with_suffix("").parts: p for p in package.rglob("*.py")}
    file = {name[:-1] if name[-1] == "__init__" else name: p for name, p in file.items()}
    arrows: Arrows = {p: set() for p in file.values()}
    for name, p in file.items():
        for node in ast.walk(ast.parse(p.read_text())):
            if not isinstance(node, ast.ImportFrom):
                continue
            parent = name if p.name == "__init__.py" else name[:-1]
            base = tuple(resolve_name("." * node.level + (node.module or ""), ".".join(parent)).split("."))
            for alias in node.names:
                to = next((n for n in ((*base, alias.name), base) if n in file), None)
                face = file[to].name == "__init__.py" if to else False
                inside = to and (to[: len(name)] == name or (face and name[: len(to)] == to))
                if to and not inside:
                    arrows[p].add(file[to])
    return arrows


def circle(arrows: Arrows) -> list[Path]:
    """One circle, its first file twice; empty: there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as e:
        return e.args[1][::-1]
    return []


def all_of(root: Path) -> list[Arrows]:
    """Of each crate and of the package under ``root``."""
    return [*(rust(lib.parent) for lib in sorted(root.glob("crates/*/src/lib.rs"))), python(root / "python/wavetank")]


if __name__ == "__main__":
    top = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    circles = [c for arrows in all_of(top) if (c := circle(arrows))]
    for c in circles:
        print(" -> ".join(str(p.relative_to(top)) for p in c))
    sys.exit(bool(circles))
