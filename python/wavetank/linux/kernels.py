"""Which Linux runs, and since when it has what a scenario may ask of it: everything that depends on the kernel's version.

:data:`NEEDS` is a table of facts. Each was looked up in the trees of 4.14.67, 4.19.48, 5.4.59, 5.10.262, 5.15.148, 6.1.192,
6.6.129 and 6.12.117; what is not there holds for all of them. The kernel is 6.12, built from Debian's package, or the one
whose source ``WAVETANK_KERNEL_SOURCE`` names.
"""

from __future__ import annotations

import lzma
import os
import re
import tarfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .. import keys
from ..errors import UserError
from .asked import values

Version = tuple[int, int]
#: The second water's own kernel, and older ones that it can be, on wires.
OWN, OLDER = "6.12", ("4.14", "4.19", "5.4", "5.10", "5.10.262", "5.15.148", "6.1.192", "6.6.129")
#: Names another kernel's source: a tarball, or a tree that is unpacked.
SOURCE = "WAVETANK_KERNEL_SOURCE"


@dataclass(frozen=True)
class Need:
    """Values of some keys that want a kernel which is not older than ``since``."""

    keys: tuple[str, ...]
    since: Version
    #: What it is that an older one lacks, and where that is read.
    what: str
    src: str
    #: The values that want it; empty: all but the default and :attr:`free`.
    wanting: frozenset[str] = frozenset()
    #: Values beside the default that every kernel has.
    free: frozenset[str] = frozenset()

    def asked(self, key: str, text: str) -> bool:
        """Whether this value of one of the keys wants it."""
        if self.wanting:
            return bool(self.wanting & set(values(text)))
        return text != keys.defaults()[key] and text not in self.free


#: What Linux has got since 4.14, of all that a wired scenario may ask for. Between two of the trees the version is the commit's.
NEEDS = (
    Need(("tcp.tsq", "tcp.pacing_shift"), (4, 16), "shift by which TSQ's time could be set (sk_pacing_shift)",
         "3a9b76fd0db9; include/net/sock.h"),
    Need(("tcp.gso_max_size",), (4, 16), "way to set a device's largest GSO skb (IFLA_GSO_MAX_SIZE)",
         "46e6b992c250; net/core/rtnetlink.c"),
    Need(("tcp.gso_max_segs",), (4, 17), "GSO skbs for a device that does not ask for them, as the guest's wires do not",
         "0a6b2a1dc2a2; net/ipv4/tcp.c tcp_init_sock", free=frozenset({"1"})),
    Need(("bottleneck.qdisc", "htb.leaf"), (4, 19), "CAKE", "046f6fd5daef; net/sched/sch_cake.c", wanting=frozenset({"cake"})),
    Need(("tcp.cc", "traffic.cc", "stations.cc"), (5, 1), "BBR of which linux/modules/wavetank_bbr makes this control",
         "78dc70ebaa38; net/ipv4/tcp_bbr.c ack_epoch_mstamp", wanting=frozenset({"bbrp", "bbr-plus", "bbr-dev"})),
    Need(("fq.ce_threshold",), (5, 0), "CE threshold of fq's", "48872c11b772; net/sched/sch_fq.c"),
    Need(("fq.timer_slack",), (5, 7), "timer slack of fq's", "583396f4ca4d; net/sched/sch_fq.c"),
    Need(("fq.horizon",), (5, 8), "horizon of fq's", "39d010504e6b; net/sched/sch_fq.c"),
    Need(("tcp.tso_rtt_log",), (5, 18), "sysctl tcp_tso_rtt_log", "65466904b015; net/ipv4/sysctl_net_ipv4.c"),
    Need(("tcp.rto_min",), (6, 11), "sysctl tcp_rto_min_us", "f086edef71be; net/ipv4/sysctl_net_ipv4.c"),
)  # fmt: skip
#: ``tcp_rmem[1]`` by the first kernel that has it, bytes. src: net/ipv4/tcp.c tcp_init; a337531b942b
RMEM_DEFAULT: tuple[tuple[Version, int], ...] = (((4, 14), 87380), ((4, 20), 131072))


def version(name: str) -> Version:
    """A kernel's name or release as numbers that compare: "5.10", "5.10.262"."""
    major, minor = name.split(".")[:2]
    return int(major), int(minor)


def series(kernel: str) -> str:
    """A kernel's name without its stable release: "5.10" of "5.10.262"."""
    return ".".join(kernel.split(".")[:2])


def stable(kernel: str) -> bool:
    """Whether the name is a stable release's, "5.10.262", of which no other will do."""
    return kernel != series(kernel)


def has(kernel: str, key: str) -> bool:
    """Whether this kernel has all that values of this key may want."""
    return all(version(kernel) >= n.since for n in NEEDS if key in n.keys)


def lacking(kernel: str, of: Mapping[str, str], among: Collection[str] | None = None) -> tuple[str, Need] | None:
    """The first of these keys (``of``: their values) that wants what this kernel lacks; ``among``: no other is looked at."""
    for need in NEEDS:
        if version(kernel) >= need.since:
            continue
        for key in need.keys:
            if key in of and (among is None or key in among) and need.asked(key, of[key]):
                return key, need
    return None


def rmem_default(kernel: str) -> int:
    """What this kernel has in ``tcp_rmem[1]``."""
    return next(size for since, size in reversed(RMEM_DEFAULT) if version(kernel) >= since)


def source_of(kernel: str) -> str:
    """Where a kernel's source is had, for messages."""
    release = kernel if stable(kernel) else f"{kernel}.N"
    return f"https://cdn.kernel.org/pub/linux/kernel/v{kernel.partition('.')[0]}.x/linux-{release}.tar.xz"


def require(kernel: str) -> None:
    """That the kernel which would run is this one. Raises UserError, with what is there instead and how to get it."""
    given = os.environ.get(SOURCE)
    if not given:
        if kernel == OWN:
            return
        raise UserError(
            f"kernel = {kernel}: Linux {OWN} would run: set {SOURCE} to the source of Linux {kernel}, a tarball or an unpacked "
            f"tree ({source_of(kernel)})"
        )
    there = release(given)
    if there == kernel or (version(there) == version(kernel) and not stable(kernel)):
        return
    if kernel == OWN:
        raise UserError(f"{SOURCE}={given}: is Linux {there}, and kernel = {OWN} is asked for: unset it")
    raise UserError(
        f"{SOURCE}={given}: is Linux {there}, expected {kernel}, which is asked for: name the source of that one "
        f"({source_of(kernel)})"
    )


def other() -> str | None:
    """The release of the kernel that ``WAVETANK_KERNEL_SOURCE`` names, as "5.10.262"; None where it names none."""
    given = os.environ.get(SOURCE)
    return release(given) if given else None


@cache
def release(given: str) -> str:
    """The release of a kernel's source, a tree or a tarball. Raises UserError."""
    path = Path(given)
    expected = "expected a kernel's source, a tarball or an unpacked tree"
    try:
        text = (path / "Makefile").read_text(encoding="utf-8") if path.is_dir() else _makefile(path)
    except (OSError, UnicodeDecodeError, tarfile.TarError, lzma.LZMAError, EOFError) as e:
        why = e.strerror if isinstance(e, OSError) and e.strerror else "it is no tar archive"
        raise UserError(f"{SOURCE}={given}: cannot be read ({why}), {expected}") from None
    found = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL) *= *(\d+)$", text, re.M))
    if not {"VERSION", "PATCHLEVEL"} <= found.keys():
        raise UserError(f"{SOURCE}={given}: its Makefile names no version, {expected}")
    return ".".join(found[name] for name in ("VERSION", "PATCHLEVEL", "SUBLEVEL") if name in found)


def _makefile(tarball: Path) -> str:
    """The topmost Makefile of a tarball; empty where it has none."""
    with tarfile.open(tarball, "r|*") as tar:
        for member in tar:
            if re.fullmatch(r"(?:\./)?[^/]+/Makefile", member.name) and (file := tar.extractfile(member)):
                return file.read().decode()
    return ""
