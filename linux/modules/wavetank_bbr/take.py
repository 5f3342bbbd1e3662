#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Takes the kernel's own BBR into two headers, and puts calls of three hooks into it.

    take.py TREE OUT [VERSION]

TREE is an unpacked kernel source (or a tcp_bbr.c itself). Into the folder OUT go `kernel_bbr_state.h`, which is tcp_bbr.c down
to its constants, and `kernel_bbr_code.h`, its functions without the registration. A variant includes both and defines the hooks:

    void wavetank_gains(sk)          after the gains of this ACK were chosen: may change them
    u64 wavetank_pace(rate)          what a bandwidth and a gain come to, bytes a second: may change it
    void wavetank_cycle(sk, rs)      in place of bbr_update_cycle_phase, which it may call

Every place is looked for by name and must be there once; else nothing is written, and the message says what this kernel's BBR
lacks. VERSION (6.12) must be TREE's, if given.
"""

import pathlib
import re
import sys

FILE = "net/ipv4/tcp_bbr.c"
#: Where the constants end and the functions begin, and where those end: the line, at its first place, and why it is needed.
CODE = (r"^static bool bbr_full_bw_reached\(", "the first function")
END = (r"^static struct tcp_congestion_ops tcp_bbr_cong_ops\b", "the table of operations")
#: A line that must be there once, what stands in its place, and since when Linux has it.
EDITS = [
    (r"^\tbbr_update_gains\(sk\);$", "\tbbr_update_gains(sk);\n\twavetank_gains(sk);", "4.20"),
    (
        r"^\trate = bbr_rate_bytes_per_sec\(sk, rate, gain\);$",
        "\trate = bbr_rate_bytes_per_sec(sk, rate, gain);\n\trate = wavetank_pace(rate);",
        "4.13",
    ),
    (r"^\tbbr_update_cycle_phase\(sk, rs\);$", "\twavetank_cycle(sk, rs);", "4.9"),
]
#: What the variants use of it besides, each to be found once: its fields, functions and constants.
NEEDED = [
    r"^\tu64\s+ack_epoch_mstamp;",
    r"^\t\tunused_b:[4-9];",
    r"^\tu32\s+pacing_gain:10,",
    r"^\t\tcwnd_gain:10,",
    r"^static const int bbr_high_gain\b",
    r"^static const int bbr_cwnd_gain\b",
    r"^static const u32 bbr_extra_acked_win_rtts\b",
    r"^static const u32 bbr_cycle_rand\b",
    r"^#define CYCLE_LEN\b",
    r"^static void bbr_update_cycle_phase\(",
    r"^static u32 bbr_inflight\(struct sock \*sk, u32 bw, int gain\)",
    r"^static u32 bbr_packets_in_net_at_edt\(struct sock \*sk, u32 inflight_now\)",
    r"\bstatic void bbr_main\(",
    r"\bstatic u32 bbr_min_tso_segs\(",
]


class Trouble(Exception):
    """What to tell the user."""


def once(text, pattern, what):
    """The one match of a pattern."""
    found = list(re.finditer(pattern, text, re.M))
    if len(found) != 1:
        raise Trouble(f"{what}: {pattern!r} stands there {len(found)} times, not once")
    return found[0]


def take(text):
    """The two headers of a tcp_bbr.c."""
    for pattern in NEEDED:
        once(text, pattern, "needed")
    code, end = (once(text, p, what).start() for p, what in (CODE, END))
    state, body = text[:code], text[code:end]
    for pattern, instead, since in EDITS:
        match = once(body, pattern, f"a place for a hook (Linux has it from {since} on)")
        body = body[: match.start()] + instead + body[match.end() :]
    return state, body


def version(tree):
    """VERSION.PATCHLEVEL of a source tree's Makefile."""
    head = (tree / "Makefile").read_text()[:400]
    return ".".join(once(head, rf"^{k} = (\d+)$", "Makefile")[1] for k in ("VERSION", "PATCHLEVEL"))


def main():
    """The command."""
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.strip())
    given, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    source = given / FILE if given.is_dir() else given
    if not source.is_file():
        raise Trouble(
            f"there is no {source}. Kernel headers do not hold it: unpack the kernel's source (Debian: apt-get install "
            "linux-source; or kernel.org's of the same version) and say where it is: make ... KSRC=/usr/src/linux-source-6.12"
        )
    if given.is_dir() and len(sys.argv) == 4 and version(given) != sys.argv[3]:
        raise Trouble(f"{given} is Linux {version(given)}, but the modules are built for {sys.argv[3]}")
    try:
        parts = take(source.read_text())
    except Trouble as e:
        raise Trouble(f"{source} is no BBR v1 that this can take (Linux 5.1 and later have one): {e}") from None
    for name, text in zip(("kernel_bbr_state.h", "kernel_bbr_code.h"), parts, strict=True):
        if not (out / name).exists() or (out / name).read_text() != text:
            (out / name).write_text(text)


if __name__ == "__main__":
    try:
        main()
    except (Trouble, OSError) as e:
        sys.exit(f"take.py: {e}")
