"""Draws scripts of options and sysctls: `python python/tools/random_packetdrill_options.py OUT/ [--count N]`.

As random_packetdrill.py, but the host and the route are set up at random, the program sets options of the socket all the
time, the peer has any window scale and segment size, and the pauses are long: slow start after idle, timeouts that back
off, keepalive probes and probes of a closed window, up to the socket's end.
"""

import errno
import os
from collections.abc import Callable
from typing import ClassVar

from random_packetdrill import LATE, Draw, main

#: Sysctls and what they are set to: those of all kernels, and of newer ones (the first that has it).
SYSCTLS: dict[str, list[object]] = {
    "tcp_window_scaling": [0],
    "tcp_sack": [0],
    "tcp_frto": [0],
    "tcp_reordering": [1, 2, 5, 10],
    "tcp_early_retrans": [0, 3],
    "tcp_slow_start_after_idle": [0],
    "tcp_pacing_ss_ratio": [100, 300],
    "tcp_pacing_ca_ratio": [100, 200],
    "tcp_min_tso_segs": [1, 4, 8],
    "tcp_tso_win_divisor": [1, 2, 8],
    "tcp_notsent_lowat": [1, 4000, 20000],
    "tcp_retries2": [2, 4, 6],
    "tcp_orphan_retries": [1, 3],
    "tcp_fin_timeout": [2, 10],
    "tcp_limit_output_bytes": [4000, 40000],
    "tcp_mtu_probing": [2],
    "tcp_base_mss": [256, 512, 1200],
    "tcp_probe_interval": [1, 10],
    "tcp_ecn_fallback": [0],
    "tcp_keepalive_time": [1, 3, 20],
    "tcp_keepalive_intvl": [1, 5],
    "tcp_keepalive_probes": [0, 1, 3],
    "tcp_max_reordering": [1, 3, 5, 20],
    "tcp_moderate_rcvbuf": [0],
    "tcp_app_win": [0, 1, 3],
    "tcp_min_rtt_wlen": [0, 1, 10],
    "tcp_dsack": [0],
    "tcp_retrans_collapse": [0],
    "tcp_autocorking": [0],
    "tcp_invalid_ratelimit": [0, 50, 3000],
    "tcp_comp_sack_nr": [0, 1, 4],
    "tcp_comp_sack_delay_ns": [0, 200000, 20000000],
}
NEWER: dict[str, tuple[str, list[object]]] = {
    "tcp_comp_sack_slack_ns": ("5.8", [0, 1000000]),
    "tcp_tso_rtt_log": ("5.18", [0, 4, 12]),
    "tcp_pingpong_thresh": ("6.7", [2, 3]),
    "tcp_rto_min_us": ("6.11", [20000, 40000, 400000]),
}
#: The options of a socket that has none of its own bounds here, and what they are set to.
OPTIONS: dict[tuple[str, str], list[int]] = {
    ("SOL_TCP", "TCP_NODELAY"): [0, 1],
    ("SOL_TCP", "TCP_CORK"): [0, 1],
    ("SOL_TCP", "TCP_QUICKACK"): [0, 1, 2],
    ("SOL_TCP", "TCP_NOTSENT_LOWAT"): [0, 1, 3000, 20000],
    ("SOL_TCP", "TCP_USER_TIMEOUT"): [0, 500, 3000, 20000],
    ("SOL_SOCKET", "SO_KEEPALIVE"): [0, 1, 1, 1],
    ("SOL_TCP", "TCP_KEEPIDLE"): [1, 3, 10, 60],
    ("SOL_TCP", "TCP_KEEPINTVL"): [1, 2, 7, 30],
    ("SOL_TCP", "TCP_KEEPCNT"): [1, 2, 5],
    ("SOL_TCP", "TCP_LINGER2"): [-1, 0, 1, 5],
    ("SOL_SOCKET", "SO_RCVLOWAT"): [1, 500, 3000, 10000],
    ("SOL_SOCKET", "SO_SNDBUF"): [1, 5000, 20000, 100000],
    ("SOL_SOCKET", "SO_RCVBUF"): [1, 3000, 20000, 100000],
    ("SOL_SOCKET", "SO_MAX_PACING_RATE"): [20000, 100000, 1000000],
}
#: Windows of the peer, bytes.
WINDOWS = [0, 1000, 3000, 6000, 20000, 60000, 200000, 1000000]


def version(kernel: str) -> tuple[int, ...]:
    return tuple(int(n) for n in kernel.split("."))


class OptionsDraw(Draw):
    """A script of a host, a route and a socket that are set up at random."""

    shown: ClassVar[list[str]] = [
        *Draw.shown,
        "tcpi_ato",
        "tcpi_options",
        "tcpi_advmss",
        "SK_MEMINFO_SNDBUF",
        "SK_MEMINFO_RCVBUF",
    ]
    long = 400.0

    def open(self) -> None:
        r = self.r
        if self.rtt * 1e6 % 1000 > LATE - 60:
            self.rtt = round(self.rtt - 1e-4, 6)
        # A route that changes leaves sockets with one of no device for a moment: not in every script.
        self.moves = r.random() < 0.15
        self.scale = r.choice([None, 0, 0, 2, 7, 7, 10, 14])
        self.mss = r.choice([88, 216, 333, 536, 536, 1000, 1001, 1460, 1460])
        newer = {k: v for k, (since, v) in NEWER.items() if version(self.kernel) >= version(since)}
        known = {**SYSCTLS, **newer}
        names = r.sample(sorted(known), r.choice([0, 1, 3, 5, 10]))
        if "tcp_max_reordering" in names and "tcp_reordering" in names:
            names.remove("tcp_reordering")  # which newer kernels refuse beyond it
        sysctls = [f"sysctl -q net.ipv4.{n}={r.choice(known[n])}" for n in names]
        if r.random() < 0.3:
            least, most = r.choice([(4096, 65536), (16384, 200000), (131072, 6291456)])
            sysctls.append(f'sysctl -q net.ipv4.tcp_{r.choice("rw")}mem="4096 {least} {most}"')
        # A peer tells of no blocks and scales no windows unless both said so.
        self.sack &= "tcp_sack" not in names
        self.scale = None if "tcp_window_scaling" in names else self.scale
        self.window = self.field(r.choice(WINDOWS[3:]))
        last = self.head.pop()
        self.head += [last.rstrip("`"), *sysctls, *self.route()]
        self.head[-1] += "`"
        super().open()
        if not self.client:
            self.add(f"fcntl({self.fd}, F_SETFL, O_RDWR|O_NONBLOCK) = 0")

    def field(self, window: int) -> int:
        """The window's field of a header, for so many bytes."""
        return min(window >> (self.scale or 0), 65535) or int(window > 0)

    def route(self) -> list[str]:
        """The route is changed."""
        r = self.r
        words = [
            f"{name} {r.choice(values)}"
            for name, values in {
                "mtu": [576, 800, 1400, 1500],
                "advmss": [216, 700, 1300],
                "initcwnd": [1, 3, 20],
            }.items()
            if r.random() < 0.3
        ]
        if not words or r.random() < 0.4:
            return []
        return [f"ip route change 192.0.2.0/24 via 192.168.0.1 dev tun0 {' '.join(words)}"]

    def options(self) -> None:
        """Any before there is a connection."""
        r = self.r
        if r.random() < 0.3:
            self.add(f"setsockopt(3, SOL_TCP, TCP_MAXSEG, [{r.choice([88, 300, 536, 1000, 1400])}], 4) = 0")
        for _ in range(r.choice([0, 0, 1, 3])):
            self.option(3)

    def option(self, fd: int) -> None:
        level, name = self.r.choice([o for o in OPTIONS if fd != 3 or self.now > 0 or o[1] != "TCP_QUICKACK"])
        self.add(f"setsockopt({fd}, {level}, {name}, [{self.r.choice(OPTIONS[level, name])}], 4) = 0")

    def acts(self) -> list[Callable[[], None]]:
        return (
            [self.write] * 3 + [self.arrive] * 9 + [self.send] * 3 + [self.read] * 2 + [self.offer] * 2
            + [self.set_option] * 3 + [self.control, self.reroute, self.nothing]
        )  # fmt: skip

    def waits(self) -> list[float]:
        return [
            *super().waits(),
            self.rtt,
            self.rtt,
            self.rtt,
            self.rtt,
            self.r.choice([0.3, 0.6, 1.5, 3.0, 10.0, 30.0, 75.0]),
        ]

    def sizes(self) -> list[int]:
        m = self.mss
        return [1, 100, m, m * 2, m * 3 + 17, m * 10, m * 20, self.r.randint(1, 20 * m)]

    def write(self) -> None:
        """As much as there is room for."""
        super().write()
        if self.lines[-1][1].startswith(("write", "send(")) and not self.run() and self.fails:
            at, line = self.lines[-1]
            done, *error = self.fails["actual"].split()
            told = "".join(f" {e} ({os.strerror(getattr(errno, e))})" for e in error)
            self.lines[-1] = at, f"{line.rsplit('=', 1)[0]}= {done}{told}"

    def set_option(self) -> None:
        if not self.closed:
            self.option(self.fd)

    def control(self) -> None:
        """Another congestion control."""
        name = self.r.choice(self.controls)
        self.add(f'setsockopt({self.fd}, SOL_TCP, TCP_CONGESTION, "{name}", {len(name)}) = 0')

    def reroute(self) -> None:
        """Another route, while the connection is under way."""
        for command in self.route() if self.moves else []:
            self.add(f"`{command}`")
            # The old one is gone only a moment later (RCU).
            self.now = round(self.now + 0.2, 6)

    def send(self) -> None:
        """The peer forgets nothing of what it sent."""
        super().send()
        if not self.fin:
            self.seq = max(self.seq, 1 + int(self.last("tcpi_bytes_received")))

    def nothing(self) -> None:
        """Time goes by."""
        self.add("%{ print(1) }%")

    def offer(self) -> None:
        self.window = self.field(self.r.choice([*WINDOWS, 0]))
        self.packet(".", self.seq, 0, blocks=self.peer.recent)

    def ends(self) -> bool:
        """What a socket that has ended tells: no more than that it has."""
        self.lines.pop()
        self.add("%{ print(tcpi_state) }%")
        return bool(self.run() and self.is_clear())


if __name__ == "__main__":
    main(__doc__, OptionsDraw)
