"""TCP's keys on real hosts: sysctls, links, offloads, controls; the small queue, as far as no socket has to help.

Differs from the second water: D1 no socket option can be set, for netperf sets none: a receive buffer is ``tcp_rmem``
instead, and a wired sender's small queue keeps TCP's own shift of 10, so that milliseconds are made of the pacing ratios
alone. D2 the server of a Wi-Fi bed sends by a wired card, whose sockets keep the kernel's small queue.
"""

from __future__ import annotations

from ..linux.own import NEEDS_ECN, OWN_CC, SOCKET_SHIFT
from ..linux.tcp import Tcp, paces
from .asked import Bed
from .own import NEVER, RMEM_SINCE, SHIFT_SINCE
from .roles import RADIO, Name, Role, variable

#: The scenario's keys that a sysctl comes from; one that was not set is left alone where the kernel has no such sysctl.
KEYS: dict[str, tuple[str, ...]] = {
    "tcp_pacing_ss_ratio": ("tcp.pacing_ss_ratio",),
    "tcp_pacing_ca_ratio": ("tcp.pacing_ca_ratio",),
    "tcp_limit_output_bytes": ("tcp.limit_output_bytes", "tcp.tsq", "tcp.tsq_bytes"),
    "tcp_min_tso_segs": ("tcp.min_tso_segs",),
    "tcp_tso_rtt_log": ("tcp.tso_rtt_log",),
    "tcp_reordering": ("tcp.reordering",),
    "tcp_slow_start_after_idle": ("tcp.slow_start_after_idle",),
    "tcp_frto": ("tcp.frto",),
    "tcp_early_retrans": ("tcp.tlp",),
    "tcp_ecn": ("tcp.ecn",),
    "tcp_rto_min_us": ("tcp.rto_min",),
    "tcp_wmem": ("tcp.wmem_default", "tcp.wmem_max"),
    "tcp_rmem": ("tcp.rmem_default", "tcp.rmem_max"),
}
RATIOS = ("tcp_pacing_ss_ratio", "tcp_pacing_ca_ratio")


class Sysctl(Tcp, Bed):
    """TCP on real hosts."""

    def parameters(self, cc: str) -> None:
        """None: a module that runs has read some of them already, so that they stay unused, and are refused."""

    def receivers(self, controls: tuple[str, ...]) -> None:
        """They listen with their host's default (:meth:`load_controls`), which one that counts marks has to be."""
        counts = [cc for cc in controls if cc in NEEDS_ECN]
        if counts and {*controls, self.v["tcp.cc"]} != {*counts}:
            raise self.refuse(
                "traffic.cc", f"{counts[0]} has to be at both ends, and netserver listens with one for all, tcp.cc"
            )

    def hosts(self) -> None:
        """TCP's keys, for every host where TCP begins or ends."""
        if self.v["tcp.rmem_default"] == "auto" and self.before(RMEM_SINCE):
            self.v["tcp.rmem_default"] = "87380 B"
        base = {f"tcp_pacing_{k}_ratio": self.v[f"tcp.pacing_{k}_ratio"] for k in ("ss", "ca")}
        self.tcp()
        self.no_socket_options()
        lines = dict(line.removeprefix("net/ipv4/").split(" ", 1) for line in self.lines["sysctl"])
        if self.case["rcvbuf"]:
            twice = 2 * self.case["rcvbuf"]
            lines["tcp_rmem"] = f"4096 {twice} {twice}"
            self.notes.append(
                f"tcp.rcvbuf: netperf's sockets set none, so tcp_rmem is {twice} bytes at the start and at most"
            )
        if "tcp.tso_win_divisor" in self.given:
            lines["tcp_tso_win_divisor"] = self.text("tcp.tso_win_divisor")
        if len(self.controls()) > 1:
            self.notes.append(
                "traffic.cc: Flent runs as root, or net.ipv4.tcp_allowed_congestion_control names them all (netperf -K)"
            )
        at_server = self.on("tcp.pacing_at_server")
        wired_far = self.wifi and self.backhaul
        for role in self.endpoints:
            own = dict(lines)
            if role is self.far and wired_far:
                own |= base  # its card has no shift to be made up for
                if self.v["tcp.tsq"] != "kernel":
                    own.pop("tcp_limit_output_bytes", None)
            if role is self.far and not at_server:
                own = {k: v for k, v in own.items() if k not in RATIOS}
            self.load_controls(role)
            for name, value in own.items():
                self.sysctl_of(role, name, value)
            role.tell("sysctl", "net.ipv4.tcp_no_metrics_save", "1", "if-there", keys="a run remembers none before it")
        if wired_far and self.v["tcp.tsq"] != "kernel" and self.v["traffic.tcp_down"] not in ("0", "auto"):
            self.notes.append("tcp.tsq: the server's sockets leave by a wired card and keep the kernel's small queue")
        self.segments()

    def no_socket_options(self) -> None:
        """Refuses what a program would have to ask of its sockets."""
        if self.case["paced"]:
            raise self.refuse("tcp.enforce_pacing", NEVER["tcp.enforce_pacing"])
        for key, plain in (("tcp.rcvlowat", "1 B"), ("tcp.init_cwnd", "10")):
            if self.v[key] != plain:
                raise self.refuse(key, NEVER[key])
        if self.number("tcp.pacing_shift") != SOCKET_SHIFT:
            raise self.refuse("tcp.pacing_shift", "it is a socket's, and netperf sets none")

    def sysctl_of(self, role: Role, name: str, value: str) -> None:
        """One sysctl; it must be there if the scenario names its key."""
        keys = KEYS.get(name, (f"tcp.{name.removeprefix('tcp_')}",))
        asked = [k for k in keys if k in self.given]
        if name in RATIOS and value != self.v[keys[0]]:
            asked = ["tcp.tsq", "tcp.tsq_ms"]  # they make the milliseconds that no shift has
        role.tell(
            "sysctl", f"net.ipv4.{name}", value, *(() if asked else ("if-there",)), keys=", ".join(asked or keys[:1])
        )

    def load_controls(self, role: Role) -> None:
        """The flows' congestion controls: stock, or modules or BPF programs of ours; ``tcp.cc`` is the default."""
        default, controls = self.v["tcp.cc"], self.controls()
        for cc in controls:
            if cc in OWN_CC:
                name = OWN_CC[cc]
                values = [f"{k}={v}" for k, v in self.case["controls"][name].items()]
                role.tell("control", name, f"wavetank_{name}", *values, keys=f"tcp.cc, [{cc}]")
            elif cc != default:
                role.tell("stock", cc, keys="traffic.cc")
        if default in controls:
            role.tell("sysctl", "net.ipv4.tcp_congestion_control", OWN_CC.get(default, default), keys="tcp.cc")

    def segments(self) -> None:
        """How large skbs may be: links and offloads of the hosts; GRO of all."""
        segs, size = self.case["gso_max_segs"], self.text("tcp.gso_max_size")
        for role in self.roles.values():
            for suffix, _, what in role.interfaces:
                name, gro = Name(suffix), "ath10k.gro" if what == RADIO else "nic.gro"
                if role.endpoint and segs:
                    role.tell("link", name, "gso_max_segs", str(segs), keys="tcp.gso_max_segs")
                    if segs == 1:
                        role.tell("offload", name, "tso", "off", keys="tcp.gso_max_segs")
                        role.tell("offload", name, "gso", "off", keys="tcp.gso_max_segs")
                if role.endpoint and size != "65536":
                    role.tell("link", name, "gso_max_size", size, keys="tcp.gso_max_size")
                if gro in self.given:
                    role.tell("offload", name, "gro", "on" if self.on(gro) else "off", keys=gro)
        if "pfifo_fast.limit" in self.given:
            self.used["pfifo_fast.limit"] = self.v["pfifo_fast.limit"]
            for role in self.roles.values():
                for suffix, _, _ in role.interfaces:
                    role.tell("link", Name(suffix), "qlen", self.v["pfifo_fast.limit"], keys="pfifo_fast.limit")

    def small_queue(self, controls: tuple[str, ...]) -> tuple[int | None, float]:
        """As on the second water for a Wi-Fi card; a wired sender's has TCP's own shift: the ratios make all of the time."""
        shift, factor = super().small_queue(controls)
        if shift is None and "tsq" not in self.case:
            return shift, factor
        if self.wifi:
            key = "tcp.tsq" if shift is not None else "wifi.tx_sk_pacing_shift"
            if neither := self.no_kernel(key):
                raise neither
            if self.before(SHIFT_SINCE):
                raise self.refuse(
                    key,
                    f"the cards' shift, by which it is made, came with Linux 4.17; the scenario asks for {self.v['kernel']} "
                    "(--set kernel=6.12)",
                )
            return shift, factor
        if self.v["tcp.tsq"] != "cotsq":
            raise self.refuse(
                "tcp.tsq", "a wired socket has the kernel's shift, 1 ms, and netperf cannot be told another"
            )
        assert shift is not None
        pacers = [cc for cc in controls if paces(cc)]
        if pacers and shift != SOCKET_SHIFT:
            raise self.refuse(
                "tcp.tsq_ms", f"{pacers[0]} sets its pacing rate itself, and a wired socket's shift stays at 1 ms"
            )
        return None, factor * 2.0 ** (SOCKET_SHIFT - shift)

    def shifts(self) -> None:
        """The cards' shift, by the module wavetank_tsq."""
        shift = self.case.get("tsq")
        if shift is None:
            return
        keys = ", ".join(k for k in ("tcp.tsq", "tcp.tsq_ms", "wifi.tx_sk_pacing_shift") if k in self.given)
        for role in self.endpoints:
            if role.name != "server":
                role.tell("tsq", Name(variable(role.name, "IF")), str(shift), keys=keys or "tcp.tsq")
        self.used |= {k: self.v[k] for k in ("tcp.tsq_bytes", "tcp.tsq_ms") if k in self.v}
