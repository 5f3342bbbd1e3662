"""The workspace keeps to the oldest Rust that it promises (``rust-version`` in Cargo.toml), which is Debian 13's.

Clippy tells of functions of the library that are newer (``incompatible_msrv``). What it does not tell of: chains of ``let`` (1.88), and
dependencies that ask for more. ``scripts/debian13`` runs it all there.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OLDEST = re.search(r'^rust-version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.M).group(1)


def _blank(m: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", m.group())


def _chains(code: str) -> list[int]:
    """Lines where a condition joins a ``let`` and something else by ``&&``."""
    code = re.sub(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'""", _blank, code, flags=re.S)
    found = [m.start() for m in re.finditer(r"&&\s*let\b", code)]
    for m in re.finditer(r"\b(?:if|while)\s+let\b[^=]*=(?!=)", code):
        depth = 0
        for i in range(m.end(), len(code)):
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(code[i], 0)
            if depth == 0 and code[i] == "{":
                break
            if depth == 0 and code.startswith("&&", i) and code[:i].rstrip()[-1] != "=":
                found.append(i)
                break
    return sorted(code.count("\n", 0, i) + 1 for i in found)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("if a && let Some(b) = c {}", [1]),
        ("while let Some(b) = c.pop()\n    && b.ok()\n{}", [2]),
        ("if let Some(b) = c.filter(|b| b.a && b.b) {}", []),
        ("if let Some(&&b) = c.first() { if b && d {} }", []),
        ("if let Some(b) = a { x } else if b && c {}", []),
        ('// if a && let Some(b) = c\nlet x = "if a && let";', []),
    ],
)
def test_a_chain_of_let_is_told(code: str, lines: list[int]) -> None:
    assert _chains(code) == lines


def test_no_condition_is_a_chain_of_let() -> None:
    files = [f for top in ("crates", "linux") for f in sorted((ROOT / top).rglob("*.rs"))]
    assert len(files) > 300
    assert [f"{f.relative_to(ROOT)}:{n}" for f in files for n in _chains(f.read_text())] == []


def _says(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_dependencies_ask_for_no_newer_rust() -> None:
    # of this platform: what others need, the build has not downloaded
    host = re.search(r"^host: (.*)$", _says("rustc", "-vV"), re.M).group(1)
    told = _says("cargo", "metadata", "--format-version=1", "--locked", "--offline", f"--filter-platform={host}")
    asked = {f"{p['name']} {p['version']}": p["rust_version"] or "1.0" for p in json.loads(told)["packages"]}
    assert len(asked) > 50
    assert {name: rust for name, rust in asked.items() if _numbers(rust)[:2] > _numbers(OLDEST)} == {}


def _numbers(version: str) -> list[int]:
    return [int(n) for n in version.split(".")]
