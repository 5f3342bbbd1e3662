"""Congestion controls for stock kernels: compiles a BPF struct_ops program, registers it, says which are there, removes it.

The programs are ``linux/bpf/*.bpf.c`` of a checkout (GPL-2.0; the installed package does not carry them). Nothing of the
kernel is built: it must have BTF (``CONFIG_DEBUG_INFO_BTF``) and be 6.10 or later, since ``cong_control`` took two
arguments before.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from .errors import UserError, unknown

#: The kernel's own description of its types.
BTF = Path("/sys/kernel/btf/vmlinux")
#: Where a checkout has the programs.
SOURCES = Path(__file__).parents[2] / "linux" / "bpf"
_HEADER = "bpf/bpf_helpers.h"
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


def loaded() -> list[str]:
    """Names of the congestion controls that BPF programs have registered, as the kernel tells."""
    if shutil.which("bpftool") is None:
        raise UserError("bpf: bpftool is not installed")
    rows = json.loads(_must("bpftool", ["bpftool", "--json", "struct_ops", "show"]) or "[]")
    return [str(r["name"]) for r in rows if r.get("kernel_struct_ops") == "tcp_congestion_ops"]


def available() -> list[str]:
    """Names of all congestion controls of this kernel."""
    return _AVAILABLE.read_text().split()


def load(name: str, pace: int) -> None:
    """Compiles ``name`` with ``bbrp_pace`` as given (4 to 15; 5 is BBR) and registers it.

    Raises ``UserError`` with the reason where that cannot be.
    """
    if name not in programs():
        raise unknown("program", name, programs(), "bpf load")
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
            f"-DBBRP_PACE={pace}",
            "-I",
            folder,
        ]
        _must("compiling", ["clang", *flags, "-c", str(SOURCES / f"{name}.bpf.c"), "-o", str(program)])
        _must("the kernel's verifier", ["bpftool", "struct_ops", "register", str(program)])


def unload(name: str) -> None:
    """Removes ``name``; connections that use it keep it until they end."""
    if name not in loaded():
        raise UserError(f'bpf unload: "{name}" is not loaded; loaded: {", ".join(loaded()) or "none"}')
    _must("bpftool", ["bpftool", "struct_ops", "unregister", "name", name])
