"""TCP's keys: sysctls, socket options, and what makes the small queue that was asked for."""

from __future__ import annotations

from .. import units
from .asked import Asked
from .own import GAIN_BITS, NEEDS_ECN, OWN_CC, PARAMETERS, SOCKET_SHIFT, STOCK_CC, UNLIMITED

#: Percent that the pacing ratios may be at most. src: linux@6.12 net/ipv4/sysctl_net_ipv4.c tcp_pacing_ss_ratio
MOST_RATIO = 1000


class Tcp(Asked):
    """TCP."""

    def tcp(self) -> None:
        """TCP's keys."""
        controls = self.controls()
        for cc in controls:
            self.congestion_control(cc)
        self.receivers(controls)
        ss, ca = self.number("tcp.pacing_ss_ratio"), self.number("tcp.pacing_ca_ratio")
        limit = self.text("tcp.limit_output_bytes")
        shift, factor = self.small_queue(controls)
        ss, ca = round(ss * factor), round(ca * factor)
        if max(ss, ca) > MOST_RATIO:
            raise self.refuse("tcp.tsq_ms", f"the pacing ratios that make it would exceed {MOST_RATIO} %")
        self.sysctl("tcp_pacing_ss_ratio", ss)
        self.sysctl("tcp_pacing_ca_ratio", ca)
        if self.limit is not None:
            self.sysctl("tcp_limit_output_bytes", self.limit)
        elif limit != "auto":
            self.sysctl("tcp_limit_output_bytes", units.size(limit))
        if shift is not None:
            if self.wifi:
                self.case["tsq"] = shift
            self.case["sock_shift"] = shift
        elif self.text("tcp.pacing_shift") != str(SOCKET_SHIFT):
            self.case["sock_shift"] = self.number("tcp.pacing_shift")
        self.case["paced"] = self.on("tcp.enforce_pacing")
        segs = self.gso_segments()
        self.case["gso_max_segs"] = 0 if segs == "auto" else int(segs)
        # BBR's window has room for three skbs of that size, whatever the device takes (net/ipv4/tcp_bbr.c bbr_tso_segs_goal)
        if shift is not None and (segs != "1" or any(paces(cc) for cc in controls)):
            self.sized_alike(shift, ss, ca)
        if self.text("tcp.gso_max_size") != "65536":
            size = self.number("tcp.gso_max_size")
            self.lines["ip"] += [f"{ns} link set {dev} gso_max_size {size}" for ns, dev in self.devices()]
        self.sysctl("tcp_min_tso_segs", self.number("tcp.min_tso_segs"))
        if self.text("tcp.tso_rtt_log") != "auto":
            self.sysctl("tcp_tso_rtt_log", self.number("tcp.tso_rtt_log"))
        self.sysctl("tcp_reordering", self.number("tcp.reordering"))
        self.sysctl("tcp_slow_start_after_idle", int(self.on("tcp.slow_start_after_idle")))
        self.sysctl("tcp_frto", 2 if self.on("tcp.frto") else 0)
        self.sysctl("tcp_early_retrans", 3 if self.on("tcp.tlp") else 0)
        self.sysctl("tcp_ecn", 1 if self.on("tcp.ecn") else 2)
        self.rto_min()
        default, most = units.size(self.text("tcp.wmem_default")), units.size(self.text("tcp.wmem_max"))
        self.sysctl("tcp_wmem", f"4096 {default} {most}")
        text = self.text("tcp.rmem_default")
        default = 131072 if text == "auto" else units.size(text)
        self.sysctl("tcp_rmem", f"4096 {default} {units.size(self.text('tcp.rmem_max'))}")
        rcvbuf = self.text("tcp.rcvbuf")
        self.case["rcvbuf"] = 0 if rcvbuf == "off" else units.size(rcvbuf)
        self.case["rcvlowat"] = units.size(self.text("tcp.rcvlowat"))
        window = self.number("tcp.init_cwnd")
        if window != 10:
            self.lines["ip"] += [f"{ns} route change {route} initcwnd {window}" for ns, route in self.routes()]

    def gso_segments(self) -> str:
        """``tcp.gso_max_segs``: 1 where the kernel builds GSO skbs for devices that cut them up only."""
        segs = self.text("tcp.gso_max_segs")
        if self.lacks("tcp.gso_max_segs"):
            segs = self.used["tcp.gso_max_segs"] = self.alike["tcp.gso_max_segs"] = "1"
            why = "builds GSO skbs for devices that cut them up, and the guest's do not"
            self.notes.append(f"tcp.gso_max_segs is 1: Linux {self.v['kernel']} {why}")
        return segs

    def rto_min(self) -> None:
        """The least RTO, where the kernel has one that can be set; where not it is the default."""
        ns = self.span("tcp.rto_min")
        if not self.lacks("tcp.rto_min"):
            self.sysctl("tcp_rto_min_us", ns // 1000)

    def sized_alike(self, shift: int, ss: int, ca: int) -> None:
        """The shift that makes the small queue sizes GSO skbs, too (tcp_tso_autosize): the model gets both from it."""
        self.alike |= {"tcp.tsq": "kernel", "tcp.pacing_shift": str(shift), "tcp.pacing_ss_ratio": str(ss),
                       "tcp.pacing_ca_ratio": str(ca)}  # fmt: skip
        if self.wifi:
            self.alike["wifi.tx_sk_pacing_shift"] = str(shift)
        if self.limit is not None:
            self.alike["tcp.limit_output_bytes"] = f"{self.limit} B"
        self.notes.append(
            f"tcp.tsq is made by a pacing shift of {shift}, "
            "which sizes the kernel's GSO skbs and BBR's window, too (no skbs with gso_max_segs = 1)"
        )

    def congestion_control(self, cc: str) -> None:
        """The kernel's own, or a module of ours with its section's values as parameters; nothing if another stands in."""
        if self.stand_ins["linux.cc"].of(cc):
            for key in (k for k in self.v if k.startswith(f"{cc}.")):
                self.text(key)
            return
        if cc not in STOCK_CC and cc not in OWN_CC:
            key = next(k for k in ("tcp.cc", "traffic.cc", "stations.cc") if cc in self.listed(k))
            raise self.refuse(key, f"Linux 6.12 has no {cc}, and there is no module of it")
        if cc not in OWN_CC:
            self.parameters(cc)
            return
        values: dict[str, int] = {}
        for key in (k for k in self.v if k.startswith(f"{cc}.")):
            text = self.text(key)
            values[key.partition(".")[2]] = int(units.switch(text)) if text in {"true", "false"} else int(text)
        for name, value in values.items():
            gain = value * 64 if name == "bbrp_pace" else value if name.endswith("_gain") else 0
            if gain >= 1 << GAIN_BITS:
                raise self.refuse(
                    f"{cc}.{name}", f"gains of the kernel's BBR have {GAIN_BITS} bits: 1023/256 is the most"
                )
        self.case.setdefault("controls", {})[OWN_CC[cc]] = values

    def receivers(self, controls: tuple[str, ...]) -> None:
        """The control of who listens, which is the host's: one that counts marks has to be there, too.

        Receivers of the others go by it only where they have ECN (net/ipv4/tcp_input.c __tcp_ecn_check_ce).
        """
        counts = [cc for cc in controls if cc in NEEDS_ECN]
        if not counts:
            return
        if len(controls) > 1 and self.on("tcp.ecn"):
            others = ", ".join(cc for cc in controls if cc not in NEEDS_ECN)
            raise self.refuse(
                "tcp.ecn",
                f"hosts listen with one control, and {counts[0]}'s receivers would echo the marks of {others}",
            )
        self.sysctl("tcp_congestion_control", self.of_the_kernel(counts[0]))

    def parameters(self, cc: str) -> None:
        """Those of a control of the kernel's, on its command line: some are read once (tcp_cubic.c cubictcp_register)."""
        for key in sorted(k for k in self.given if cc in PARAMETERS and k.startswith(f"{cc}.")):
            text = self.text(key)
            value = int(units.switch(text)) if text in {"true", "false"} else int(text)
            self.lines["boot"].append(f"tcp_{key}={value}")

    def small_queue(self, controls: tuple[str, ...]) -> tuple[int | None, float]:
        """TSQ's time as a shift of the devices (none: theirs), and by what the pacing ratios are multiplied.

        The kernel's limit is ``max(2 skbs, pacing rate >> shift)``, for sockets that are not paced at most
        ``tcp_limit_output_bytes``: CoTSQ's Equation 1 with a floor of two. The pacing rate is the ratio times
        ``cwnd / srtt``, so that the ratio makes the milliseconds that no shift has.
        """
        mode = self.text("tcp.tsq")
        self.limit = None
        card = self.text("wifi.tx_sk_pacing_shift") if self.wifi else "auto"
        own = {"auto": None, "off": SOCKET_SHIFT}.get(card, -1)
        if own == -1:
            own = int(card)
        if mode == "kernel":
            if own is not None:
                self.case["tsq"] = own
            return None, 1.0
        pacers = [cc for cc in controls if paces(cc)]
        fq = self.under_fq()
        paced = bool(pacers) or units.switch(self.v["tcp.enforce_pacing"]) or bool(fq)
        cc = fq or ", ".join(pacers or controls)
        ratio = max(self.number("tcp.pacing_ss_ratio"), self.number("tcp.pacing_ca_ratio"))
        # A shift of 0 is a second of the pacing rate, which queues of several seconds exceed: the ratios make it five.
        no_limit = 0, 1.0 if paced else MOST_RATIO / ratio
        if mode == "off":
            self.limit = UNLIMITED
            return no_limit
        if mode == "packets":
            raise self.refuse("tcp.tsq", "the kernel's TSQ counts milliseconds and bytes; give tcp.tsq = bytes")
        bound = self.text("tcp.tsq_bytes")
        if bound != "off":
            if paced and (mode == "bytes" or "tcp.tsq_bytes" in self.given):
                raise self.refuse("tcp.tsq_bytes", f"tcp_limit_output_bytes does not hold for paced sockets ({cc})")
            self.limit = units.size(bound)
        else:
            self.limit = UNLIMITED
        if mode == "bytes" or bound == "off":  # CoTSQ without an upper bound is no TSQ, as in the paper
            return no_limit
        ms = self.number("tcp.tsq_ms")
        if ms == 0:
            raise self.refuse("tcp.tsq_ms", "the kernel's floor is two skbs; 0 ms has no shift")
        # the shift whose time is nearest, by ratio
        shift = min(range(31), key=lambda s: abs(ms / 1000 * 2**s - 1))
        factor = ms / 1000 * 2**shift
        if paced and abs(factor - 1) > 0.03:
            raise self.refuse("tcp.tsq_ms", f"{cc} sets its pacing rate itself, so only powers of two ms can be had")
        return shift, 1.0 if paced else factor

    def under_fq(self) -> str:
        """Which key puts ``fq`` above a sender's own device, where it paces sockets (fq_classify); "" if none."""
        if not self.wifi:
            fq = self.v["bottleneck.qdisc"] == "htb" and self.v["htb.leaf"] == "fq"
            return "htb.leaf = fq" if fq and self.v["bottleneck.place"] == "local" else ""
        up, down = (any(int(n) for n in self.own(f"tcp_{way}")) for way in ("up", "down"))
        if down and self.backhaul and self.v["backhaul.qdisc"] == "fq" and self.v["backhaul.at"] != "ap":
            return "backhaul.qdisc = fq"
        for end, sends in (("sta", up), ("ap", down and not self.backhaul)):
            htc = self.v[f"{end}.driver"] == "ath9k_htc" and self.v[f"{end}.above"] == "qdisc"
            if sends and self.v[f"{end}.qdisc"] == "fq" and (htc or self.v[f"{end}.driver"] == "ath9k_tidq"):
                return f"{end}.qdisc = fq"
        return ""


def paces(cc: str) -> bool:
    """Whether a control sets its pacing rate itself."""
    return cc == "bbr" or cc in OWN_CC
