"""Congestion controls for stock kernels: compiles a BPF struct_ops program, registers it, says which are there, removes it.

The programs are ``linux/bpf/*.bpf.c`` of a checkout (GPL-2.0; the installed package does not carry them). Their parameters are
set when they are compiled; each says its own, with default and range. Nothing of the kernel is built: it must have BTF
(``CONFIG_DEBUG_INFO_BTF``) and be 6.10 or later, since ``cong_control`` took two arguments before.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import UserError, unknown

#: The kernel's own description of its types.
BTF = Path("/sys/kernel/btf/vmlinux")
#: Where a checkout has the programs.
SOURCES = Path(os.environ.get("WAVETANK_LINUX") or Path(__file__).parents[2] / "linux").absolute() / "bpf"
_HEADER = "bpf/bpf_helpers.h"
#: A parameter in a program's text: its name, default, range and what it is.
_PARAMETER = re.compile(r"^#define SET_(\w+) (\d+) /\* (\d+) to (\d+): (.*) \*/$", re.M)
_AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


def machine_lacks() -> list[str]:
    """Why this machine can never load a program, whatever is installed; empty where it can."""
    out = []
    if not BTF.exists():
        out.append(f"a kernel with BTF ({BTF})")
    if os.geteuid() != 0:
        out.append("root (CAP_BPF, CAP_NET_ADMIN)")
    release = tuple(int(n) for n in os.uname().release.split("-")[0].split(".")[:2] if n.isdigit())
    if release < (6, 10):
        out.append(f"Linux 6.10 or later (this is {os.uname().release})")
    return out


def tools_lack() -> list[str]:
    """What is not installed (names of Debian's packages); empty where all is."""
    out = [package for tool, package in (("clang", "clang"), ("bpftool", "bpftool")) if shutil.which(tool) is None]
    if not any((Path(d) / _HEADER).exists() for d in ("/usr/include", "/usr/local/include")):
        out.append("libbpf-dev")
    return out


def _must(what: str, command: list[str], **how: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    if done.returncode != 0:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise UserError(f"{what} failed:\n{last}")
    return str(done.stdout)


def programs() -> list[str]:
    """Names of the programs in this checkout."""
    return sorted(p.name.removesuffix(".bpf.c") for p in SOURCES.glob("*.bpf.c"))


@dataclass(frozen=True)
class Parameter:
    """A number that a program is compiled with."""

    name: str
    default: int
    least: int
    most: int
    what: str


def parameters(name: str) -> list[Parameter]:
    """Those of a program, in its order."""
    if not programs():
        raise UserError(
            "bpf load: the programs are compiled from wavetank's source tree, and this installation has none: clone the "
            "repository and run `wavetank` from there (scripts/venv makes .venv), or set WAVETANK_LINUX to the folder "
            "linux/ of a clone"
        )
    if name not in programs():
        raise unknown("program", name, programs(), "bpf load")
    found = _PARAMETER.findall((SOURCES / f"{name}.bpf.c").read_text(encoding="utf-8"))
    return [Parameter(n.lower(), int(default), int(a), int(b), what) for n, default, a, b, what in found]


def checked(name: str, values: Mapping[str, str]) -> dict[str, int]:
    """All parameters of a program with these values, given as text; the rest as they are.

    Raises ``UserError`` for a name that it has not and a value outside the range.
    """
    known = {p.name: p for p in parameters(name)}
    out = {p.name: p.default for p in known.values()}
    for key, text in values.items():
        if key not in known:
            raise unknown("parameter", key, list(known), f"bpf load {name}")
        p = known[key]
        if not re.fullmatch(r"\d{1,9}", text) or not p.least <= int(text) <= p.most:
            raise UserError(
                f"bpf load {name}: {key}={text}: expected a whole number from {p.least} to {p.most} ({p.what})"
            )
        out[key] = int(text)
    return out


def loaded() -> list[str]:
    """Names of the congestion controls that BPF programs have registered, as the kernel tells."""
    if shutil.which("bpftool") is None:
        raise UserError("bpf: bpftool is not installed")
    rows = json.loads(_must("bpftool", ["bpftool", "--json", "struct_ops", "show"]) or "[]")
    return [str(r["name"]) for r in rows if r.get("kernel_struct_ops") == "tcp_congestion_ops"]


def available() -> list[str]:
    """Names of all congestion controls of this kernel."""
    return _AVAILABLE.read_text().split()


def load(name: str, values: Mapping[str, str] | None = None) -> dict[str, int]:
    """Compiles ``name`` with these values of its parameters and registers it; all its parameters.

    Raises ``UserError`` with the reason where that cannot be.
    """
    settings = checked(name, values or {})
    lacking = machine_lacks() + [f"Debian's package {p}" for p in tools_lack()]
    if lacking:
        raise UserError(f"bpf load: this needs {'; '.join(lacking)}")
    if name in available():
        raise UserError(f'bpf load: "{name}" is there already; `wavetank bpf unload {name}` first')
    with tempfile.TemporaryDirectory() as folder:
        types, program = Path(folder) / "vmlinux.h", Path(folder) / f"{name}.bpf.o"
        dump = ["bpftool", "btf", "dump", "file", str(BTF), "format", "c"]
        types.write_text(_must("reading the kernel's types", dump))
        machine = os.uname().machine.replace("x86_64", "x86").replace("aarch64", "arm64")
        flags = [
            "-g",
            "-O2",
            "-target",
            "bpf",
            "-mcpu=v3",
            f"-D__TARGET_ARCH_{machine}",
            *(f"-DSET_{k.upper()}={v}" for k, v in settings.items()),
            "-I",
            folder,
            "-I",
            str(SOURCES),
        ]
        _must("compiling", ["clang", *flags, "-c", str(SOURCES / f"{name}.bpf.c"), "-o", str(program)])
        _must("the kernel's verifier", ["bpftool", "struct_ops", "register", str(program)])
    return settings


def unload(name: str) -> None:
    """Removes ``name``; connections that use it keep it until they end."""
    if name not in loaded():
        raise UserError(f'bpf unload: "{name}" is not loaded; loaded: {", ".join(loaded()) or "none"}')
    _must("bpftool", ["bpftool", "struct_ops", "unregister", "name", name])
