"""A scenario as the second water's guest carries it out (``linux/run --help``).

A key that the user set and that cannot be carried out is refused, with the reason. A key left at its default takes what the
second water has (:data:`own.OWN`), and the result's ``resolved`` says so. Keys of parts that a scenario does not have (another
driver's, another discipline's) say nothing here, as in the model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..errors import UserError
from ..scenario import Scenario
from . import rate, units
from .own import (
    ALIKE,
    DENSITY,
    GAIN_BITS,
    HACK,
    HOSTAPD_QUEUE,
    LEGACY_MBIT,
    MARKS,
    MODES,
    MOST_MCS,
    MOST_STATIONS,
    MOST_TRIES,
    OWN,
    OWN_CC,
    SOCKET_SHIFT,
    STOCK_CC,
    UDP_ECHOES,
    UNLIMITED,
    WHY,
)
from .relevance import relevant


@dataclass(frozen=True)
class FlowName:
    """What a flow is called, as in the model."""

    name: str
    kind: str
    direction: str
    station: str
    dscp: int


@dataclass(frozen=True)
class Translated:
    """A scenario for the guest, and what to call what comes back."""

    case: dict[str, Any]
    seed: int
    flows: tuple[FlowName, ...]
    echoes: tuple[tuple[str, int], ...]
    queues: tuple[str, ...]
    nodes: tuple[str, ...]
    values: Mapping[str, str]
    #: What a model is given to be set up like this: keys that the scenario leaves open and the second water has otherwise.
    alike: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """Length of the run."""
        return float(self.case["end"]) / 1e9


class _Translator:
    def __init__(self, scenario: Scenario, seed: int | None) -> None:
        self.path = scenario.path
        self.v = scenario.check()
        self.given = scenario.given()
        self.seed = int(self.v["seed"]) if seed is None else seed
        self.used: dict[str, str] = {}
        self.notes: list[str] = []
        self.alike: dict[str, str] = {}
        self.lines: dict[str, list[str]] = {
            k: [] for k in ("flow", "echo", "watch", "sysctl", "ip", "tc", "aqm", "hostapd")
        }
        self.queues: list[str] = []
        self.radio: dict[str, Any] = {}
        self.fifo = [0, 246, 1424, 0]
        self.case: dict[str, Any] = {}

    def refuse(self, key: str, why: str) -> UserError:
        value = self.v.get(key, "")
        return UserError(f"{self.path}: {key} = {value}: cannot be had on linux: {why}")

    def text(self, key: str) -> str:
        """A key's value, which is carried out."""
        self.used[key] = self.v[key]
        return self.v[key]

    def number(self, key: str) -> int:
        return int(self.text(key))

    def span(self, key: str) -> int:
        return units.span(self.text(key))

    def on(self, key: str) -> bool:
        return units.switch(self.text(key))

    def sysctl(self, name: str, value: object) -> None:
        self.lines["sysctl"].append(f"net/ipv4/{name} {value}")

    # -- what there is -----------------------------------------------------------------------------------------------

    def translate(self) -> Translated:
        self.wifi = self.text("topology.kind") == "wifi"
        for key in ("name", "description", "seed"):
            if key in self.v:
                self.used[key] = self.v[key]
        self.time()
        self.case["topology"] = "wifi" if self.wifi else "wired"
        self.stations = self.number("wifi.stations") if self.wifi else 1
        self.backhaul = self.wifi and self.on("backhaul.present")
        self.tcp()
        if self.wifi:
            self.cards()
            self.wire()
        else:
            self.bottleneck()
        flows, echoes = self.traffic()
        self.finish()
        case = {**self.case, **{k: v for k, v in self.lines.items() if v}}
        if self.wifi:
            case["radio"] = self.radio
        nodes = ("ap", *(f"sta{i + 1}" for i in range(self.stations))) if self.wifi else ()
        values = dict(sorted(self.used.items()))
        queues, notes = tuple(self.queues), tuple(self.notes)
        return Translated(case, self.seed, flows, echoes, queues, nodes, values, self.alike, notes)

    def time(self) -> None:
        start, flows = self.span("time.lead_in"), self.span("time.flows")
        step = self.span("time.sample")
        self.start = start
        self.case |= {
            "flows_end": start + flows,
            "end": start + flows + self.span("time.tail"),
            "sample": step,
            "sample_first": start % step,
            "window_start": start + self.span("time.warmup"),
            "window_end": start + flows,
        }

    # -- TCP ---------------------------------------------------------------------------------------------------------

    def tcp(self) -> None:
        cc = self.text("tcp.cc")
        self.congestion_control(cc)
        ss, ca = self.number("tcp.pacing_ss_ratio"), self.number("tcp.pacing_ca_ratio")
        limit = self.text("tcp.limit_output_bytes")
        shift, factor = self.small_queue(cc)
        ss, ca = round(ss * factor), round(ca * factor)
        if max(ss, ca) > 1000:
            raise self.refuse("tcp.tsq_ms", "the pacing ratios that make it would exceed 1000 %")
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
        segs = self.text("tcp.gso_max_segs")
        self.case["gso_max_segs"] = 0 if segs == "auto" else int(segs)
        if self.text("tcp.gso_max_size") != "65536":
            size = self.number("tcp.gso_max_size")
            self.lines["ip"] += [f"{ns} link set {dev} gso_max_size {size}" for ns, dev in self.devices()]
        self.sysctl("tcp_min_tso_segs", self.number("tcp.min_tso_segs"))
        self.sysctl("tcp_reordering", self.number("tcp.reordering"))
        self.sysctl("tcp_slow_start_after_idle", int(self.on("tcp.slow_start_after_idle")))
        self.sysctl("tcp_frto", 2 if self.on("tcp.frto") else 0)
        self.sysctl("tcp_early_retrans", 3 if self.on("tcp.tlp") else 0)
        self.sysctl("tcp_ecn", 1 if self.on("tcp.ecn") else 2)
        self.sysctl("tcp_rto_min_us", self.span("tcp.rto_min") // 1000)
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
            for ns, via in [("C", "10.0.0.2"), ("S", "10.0.1.1")] if not self.wifi else self.gateways():
                self.lines["ip"].append(f"{ns} route change default via {via} initcwnd {window}")

    def congestion_control(self, cc: str) -> None:
        """The kernel's own, or a module of ours with its section's values as parameters."""
        if cc not in STOCK_CC and cc not in OWN_CC:
            raise self.refuse("tcp.cc", "Linux 6.12 has no such control, and there is no module of it")
        self.case["cc"] = OWN_CC.get(cc, cc)
        if cc not in OWN_CC:
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
        self.case["cc_set"] = values

    def small_queue(self, cc: str) -> tuple[int | None, float]:
        """TSQ's time as a shift of the devices (none: theirs), and by what the pacing ratios are multiplied.

        The kernel's limit is ``max(2 skbs, pacing rate >> shift)``, for sockets that are not paced at most
        ``tcp_limit_output_bytes``: CoTSQ's Equation 1 with a floor of two. The pacing rate is the ratio times
        ``cwnd / srtt``, so that the ratio makes the milliseconds that no shift has.
        """
        mode = self.text("tcp.tsq")
        self.limit: int | None = None
        card = self.text("wifi.tx_sk_pacing_shift") if self.wifi else "auto"
        own = {"auto": None, "off": SOCKET_SHIFT}.get(card, -1)
        if own == -1:
            own = int(card)
        if mode == "kernel":
            if own is not None:
                self.case["tsq"] = own
            return None, 1.0
        paced = cc == "bbr" or cc in OWN_CC or units.switch(self.v["tcp.enforce_pacing"])
        if mode == "off":
            self.limit = UNLIMITED
            return 0, 1.0
        if mode == "packets":
            raise self.refuse("tcp.tsq", "the kernel's TSQ counts milliseconds and bytes; give tcp.tsq = bytes")
        bound = self.text("tcp.tsq_bytes")
        if bound != "off":
            if paced and (mode == "bytes" or "tcp.tsq_bytes" in self.given):
                raise self.refuse("tcp.tsq_bytes", f"tcp_limit_output_bytes does not hold for paced sockets ({cc})")
            self.limit = units.size(bound)
        else:
            self.limit = UNLIMITED
        if mode == "bytes":
            return 0, 1.0
        ms = self.number("tcp.tsq_ms")
        if ms == 0:
            raise self.refuse("tcp.tsq_ms", "the kernel's floor is two skbs; 0 ms has no shift")
        # the shift whose time is nearest, by ratio
        shift = min(range(31), key=lambda s: abs(ms / 1000 * 2**s - 1))
        factor = ms / 1000 * 2**shift
        if paced and abs(factor - 1) > 0.03:
            raise self.refuse("tcp.tsq_ms", f"{cc} sets its pacing rate itself, so only powers of two ms can be had")
        return shift, 1.0 if paced else factor

    def gateways(self) -> list[tuple[str, str]]:
        ends = [(f"C{i + 1}", "10.1.0.1") for i in range(self.stations)]
        return [*ends, ("S", "10.0.1.1")]

    def devices(self) -> list[tuple[str, str]]:
        if not self.wifi:
            return [("C", "cr"), ("R", "rc"), ("R", "rs"), ("S", "sr")]
        cards = [(f"C{i + 1}", f"wlan{i + 1}") for i in range(self.stations)]
        return [*cards, ("AP", "wlan0"), ("AP", "apw"), ("S", "sw")]

    # -- queues ------------------------------------------------------------------------------------------------------

    def words(self, key: str, kind: str) -> str:
        """A discipline as ``tc`` has it, with the values of its section."""
        n = {k.partition(".")[2]: k for k in self.v if k.startswith(f"{kind}.")}

        def size(key: str) -> int:
            return units.size(self.text(n[key]))

        def span(key: str) -> str:
            return units.tc_span(self.text(n[key]))

        if kind in ("pfifo", "bfifo", "aaq"):
            return f"{kind} limit {size('limit')}"
        if kind == "pfifo_fast":
            return kind
        if kind == "netem":
            return f"netem delay {span('delay')} limit {size('limit')}"
        if kind == "fq_codel":
            ecn = "ecn" if self.on("fq_codel.ecn") else "noecn"
            return (
                f"fq_codel limit {size('limit')} flows {size('flows')} quantum {size('quantum')} target {span('target')} "
                f"interval {span('interval')} memory_limit {size('memory_limit')} drop_batch {size('drop_batch')} {ecn}"
            )
        if kind == "fq":
            return (
                f"fq limit {size('limit')} flow_limit {size('flow_limit')} quantum {size('quantum')} initial_quantum "
                f"{size('initial_quantum')} refill_delay {span('refill_delay')} horizon {span('horizon')} timer_slack "
                f"{units.span(self.text('fq.timer_slack'))} orphan_mask {size('orphan_flows') - 1}"
            )
        raise self.refuse(key, "linux/ knows no words for this discipline there")

    def attach(self, key: str, kind: str, ns: str, dev: str, name: str) -> None:
        self.lines["tc"].append(f"{ns} qdisc replace dev {dev} root handle 10: {self.words(key, kind)}")
        self.lines["watch"].append(f"{ns} {dev} 10")
        self.queues.append(name)

    def wire(self) -> None:
        """Behind the AP: a veth pair, whose delay is netem's on both ends."""
        if not self.backhaul:
            return
        kind, delay = self.text("backhaul.qdisc"), units.span(self.v["backhaul.delay"])
        if "backhaul.delay" in self.given:
            self.used["backhaul.delay"] = self.v["backhaul.delay"]
        else:
            delay = 0
            self.used["backhaul.delay"] = self.alike["backhaul.delay"] = "0 ns"
        at = self.text("backhaul.at")
        ends = [("AP", "apw", "ap eth"), ("S", "sw", "server eth")]
        ends = [end for end, of in zip(ends, ("ap", "server"), strict=True) if delay or at in ("both", of)]
        if kind == "netem" or delay:
            if kind not in ("netem", "pfifo_fast") or (kind == "netem" and delay and at != "both"):
                raise self.refuse(
                    "backhaul.delay", f"netem makes it, and the device has room for one discipline ({kind})"
                )
            limit = 100000
            if kind == "netem":
                delay += self.span("netem.delay")
                limit = self.number("netem.limit")
            for ns, dev, name in ends:
                words = f"netem delay {units.tc_span(f'{delay} ns')} limit {limit}"
                self.lines["tc"].append(f"{ns} qdisc replace dev {dev} root handle 10: {words}")
                self.lines["watch"].append(f"{ns} {dev} 10")
                self.queues.append(name)
        elif kind != "pfifo_fast" or "backhaul.qdisc" in self.given:
            for ns, dev, name in ends:
                self.attach("backhaul.qdisc", kind, ns, dev, name)

    def bottleneck(self) -> None:
        """C - R - S: HTB on both ways there, netem on the way back."""
        local = self.text("bottleneck.place") == "local"
        leaf = self.text("htb.leaf")
        htb = [f"{k} {units.size(self.text(f'htb.{k}'))}" for k in ("burst", "cburst", "quantum")]
        rate, access = units.rate(self.text("htb.rate")), units.rate(self.text("bottleneck.access_rate"))
        ends = [("C", "cr", "C", local), ("R", "rs", "R", not local)]
        for ns, dev, name, here in ends:
            bps = rate if here else access
            words = self.words("htb.leaf", leaf) if here else "pfifo limit 1000"
            shape = " ".join(htb) if here else "burst 1600 cburst 1600 quantum 1514"
            self.lines["tc"] += [
                f"{ns} qdisc add dev {dev} root handle 1: htb default 1",
                f"{ns} class add dev {dev} parent 1: classid 1:1 htb rate {bps}bit {shape}",
                f"{ns} qdisc add dev {dev} parent 1:1 handle 10: {words}",
            ]
            self.lines["watch"].append(f"{ns} {dev} 10")
            self.queues.append("bottleneck" if here else name)
        if self.span("netem.delay"):
            self.attach("netem.delay", "netem", "S", "sr", "S")

    # -- the air -----------------------------------------------------------------------------------------------------

    def cards(self) -> None:
        if self.stations > MOST_STATIONS:
            raise self.refuse("wifi.stations", f"the virtual radio has {MOST_STATIONS} stations at most")
        self.rates()
        rate.channel(self)
        r = self.radio
        self.noise()
        r["eifs"] = self.on("medium.collision_eifs")
        ap, sta = self.span("host.ap_rx"), self.span("host.sta_rx")
        r["rx_ns"] = [ap, *self.each("stations.rx", sta, units.span)] if ap != sta or self.differ("rx") else sta
        r["tao"] = self.on("tao.enabled")
        if r["tao"]:
            r["tao_leave"] = self.number("tao.leave")
        self.hack()
        self.contention()
        drivers = {end: self.text(f"{end}.driver") for end in ("ap", "sta")}
        for end, driver in drivers.items():
            if driver not in MODES:
                raise self.refuse(f"{end}.driver", f"the virtual card is {', '.join(MODES)}")
        r["mode"] = [MODES[drivers["ap"]], MODES[drivers["sta"]]]
        limits: dict[str, tuple[str, Any]] = {}
        for driver in dict.fromkeys(drivers.values()):
            for name, (key, value) in self.driver(driver).items():
                other = limits.setdefault(name, (key, value))
                if other[1] != value:
                    why = f"the virtual radio has one value for all cards, and {other[0]} is {self.v[other[0]]}"
                    raise self.refuse(key, why)
        r |= {name: value for name, (_, value) in limits.items()}
        r["fifo"] = self.fifo
        if drivers["ap"] == "ath9k_tidq":
            # as on a wire without GRO: over veth, TCP's large packets would reach the qdisc whole
            self.case["tso"] = False
        if "ath9k_tidq" in drivers.values() and units.switch(self.v["traffic.rrul"]):
            self.notes.append(
                "driver ath9k_tidq: 6.12's interfaces have one transmit queue: one discipline for all categories, not four"
            )
        self.above_cards(drivers)

    def rates(self) -> None:
        """One rate for all data, or rate control."""
        r = self.radio
        controls = rate.controls(self)
        standard = self.text("wifi.standard")
        if standard == "a":
            r |= {"ht": False, "ampdu": False}
            self.case["wmm"] = False
            mbit = units.rate(self.text("wifi.rate")) // 10**6
            if mbit not in LEGACY_MBIT:
                raise self.refuse("wifi.rate", f"802.11a has {', '.join(map(str, LEGACY_MBIT))} Mbit/s")
            if "fixed" in controls:
                r["fixed_legacy"] = LEGACY_MBIT.index(mbit)
        elif standard == "n":
            mcs = self.number("wifi.mcs")
            if mcs > MOST_MCS:
                raise self.refuse("wifi.mcs", "the virtual card has three streams: MCS 23 at most")
            if set(controls) != {"fixed"}:
                self.as_it_is(mcs)
                if "fixed" in controls:
                    r["fixed_mcs"] = mcs
            else:
                r |= {"fixed_mcs": self.each_mcs(mcs), "streams": max(2, mcs // 8 + 1)}
            r |= {"fixed_40": self.number("wifi.width_mhz") == 40, "fixed_sgi": self.on("wifi.short_gi")}
            r["ampdu"] = self.on("wifi.aggregation")
        else:
            raise self.refuse("wifi.standard", "the virtual card is of 802.11a and n")
        if self.text("wifi.band") == "2.4 GHz":
            self.notes.append(
                "wifi.band: on channel 36; 2.4 GHz's shorter SIFS and its signal extension add up to the same intervals"
            )
        tries = self.number("fixed.links") * self.number("fixed.tries")
        if tries > MOST_TRIES:
            raise self.refuse("fixed.tries", f"links x tries is {tries}, the virtual card has {MOST_TRIES} at most")
        r["fixed_tries"] = tries

    def as_it_is(self, mcs: int) -> None:
        """Under rate control the card has the streams of ``wifi.mcs``, 40 MHz and both guard intervals."""
        self.radio["streams"] = mcs // 8 + 1
        self.text("stations.mcs")
        if self.v.get("stations.mcs", "off") != "off":
            raise self.refuse("stations.mcs", "with rate control every virtual card has wifi.mcs's streams")
        if self.number("wifi.width_mhz") != 40:
            raise self.refuse("wifi.width_mhz", "with rate control the virtual radio's channel is 40 MHz wide")
        if not self.on("wifi.short_gi"):
            raise self.refuse("wifi.short_gi", "with rate control the virtual card has the short guard interval, too")

    def noise(self) -> None:
        """What noise costs: MPDUs by station and way, in runs or one by one, and responses."""
        r = self.radio
        r["error_ppm"] = self.losses()
        for way in ("up", "down"):
            if self.v[f"stations.error_{way}"] != "off":
                if isinstance(r["error_ppm"], list):
                    raise self.refuse(
                        f"stations.error_{way}", "with wifi.mcs_error the virtual radio has one table for all stations"
                    )
                r[f"error_{way}_ppm"] = [0, *self.each(f"stations.error_{way}", r["error_ppm"], self.ppm)]
        r["answer_error_ppm"] = self.ppm(self.text("medium.response_error"))
        if self.v["stations.error_run"] != "off":
            r["error_run_milli"] = [0, *self.each("stations.error_run", 0, lambda text: round(float(text) * 1e3))]

    def losses(self) -> int | list[int]:
        """MPDUs lost in a million, by MCS where the scenario gives them so."""
        every, listed = float(self.text("wifi.error_rate")), self.text("wifi.mcs_error")
        if listed == "off":
            return round(every * 1e6)
        by_mcs: list[int] = []
        for part in listed.split(","):
            value, _, times = part.strip().partition("*")
            by_mcs += [round((1 - (1 - every) * (1 - float(value))) * 1e6)] * int(times or 1)
        return by_mcs[:32]

    def differ(self, key: str) -> bool:
        """Whether stations have values of their own."""
        return self.v.get(f"stations.{key}", "off") != "off"

    @staticmethod
    def ppm(text: str) -> int:
        return round(float(text) * 1e6)

    def each(self, key: str, default: int, read: Callable[[str], int]) -> list[int]:
        """A value for each station; those beyond the list's end have the default."""
        listed: list[int] = []
        if self.v.get(key, "off") != "off":
            for part in self.text(key).split(","):  # "15, 7*3": 7 three times
                value, _, times = part.strip().partition("*")
                listed += [read(value.strip())] * int(times or 1)
        return (listed + [default] * self.stations)[: self.stations]

    def contention(self) -> None:
        """EDCA parameters as hostapd's lines: what it announces to the stations, and what the access point has itself."""
        for section in ("edca", "edca_ap"):
            for ac, queue in HOSTAPD_QUEUE.items():
                given = {k: f"{section}.{ac}_{k}" for k in ("aifsn", "cw_min", "cw_max", "txop")}
                for k, key in given.items():
                    if self.v[key] == "auto":
                        continue
                    value = self.span(key) // 1000 if k == "txop" else self.number(key)
                    if k == "txop" and value % 32:
                        raise self.refuse(key, "the standard counts 32 us")
                    if section == "edca":  # windows as exponents, the opportunity in 32 us
                        word = {"aifsn": "aifs", "cw_min": "cwmin", "cw_max": "cwmax", "txop": "txop_limit"}[k]
                        value = (
                            (value + 1).bit_length() - 1
                            if k.startswith("cw")
                            else value // 32
                            if k == "txop"
                            else value
                        )
                        self.lines["hostapd"].append(f"wmm_ac_{ac}_{word}={value}")
                    else:
                        word = {"aifsn": "aifs", "cw_min": "cwmin", "cw_max": "cwmax", "txop": "burst"}[k]
                        text = f"{value / 1000:.1f}" if k == "txop" else str(value)
                        # hostapd rounds to 32 us: its default for voice, 1.5 ms, is announced to the driver as 47
                        if k == "txop" and (round(float(text) * 10) * 100 + 16) // 32 != value // 32:
                            raise self.refuse(key, "hostapd has tenths of a millisecond")
                        self.lines["hostapd"].append(f"tx_queue_data{queue}_{word}={text}")

    def hack(self) -> None:
        """TCP/HACK: the radio's own MAC, with the model's machines."""
        policy = self.text("hack.policy")
        if policy == "off":
            return
        self.radio |= {
            "hack": HACK.index(policy),
            "hack_timer_us": self.whole_us("hack.timer"),
            "hack_guard_us": self.whole_us("hack.guard"),
            "hack_load_ns": self.span("hack.load"),
            "hack_bytes": self.number("hack.bytes"),
        }

    def each_mcs(self, mcs: int) -> int | list[int]:
        """One for all, or one a station after the AP's, which is unused."""
        if not self.differ("mcs"):
            return mcs
        listed = self.each("stations.mcs", mcs, int)
        if max(listed) > max(15, mcs // 8 * 8 + 7):
            raise self.refuse("stations.mcs", "the virtual card has as many streams as wifi.mcs, two at least")
        return [mcs, *listed]

    def above_cards(self, drivers: Mapping[str, str]) -> None:
        """Disciplines above ath9k_htc and ath9k_tidq; limits of mac80211's queues."""
        cards = {
            "ap": [("AP", "wlan0", "ap wlan")],
            "sta": [(f"C{i + 1}", f"wlan{i + 1}", f"sta{i + 1} wlan") for i in range(self.stations)],
        }
        ends = [end for end, driver in drivers.items() if driver == "ath9k_htc"]
        above = {end: self.text(f"{end}.above") for end in ends}
        if len({a == "qdisc" for a in above.values()}) > 1:
            raise self.refuse("ap.above", f"the virtual radio has one for both ends, and sta.above is {above['sta']}")
        for end in ends:
            # 6.12 has TXQs above ath9k_htc
            self.radio["htc_qdisc"] = above[end] == "qdisc"
        for end, driver in drivers.items():
            if driver == "ath9k_tidq" or above.get(end) == "qdisc":
                kind = self.text(f"{end}.qdisc")
                for ns, dev, name in cards[end]:
                    self.attach(f"{end}.qdisc", kind, ns, dev, name)
        for key, file in (("limit", "fq_limit"), ("quantum", "fq_quantum"), ("memory_limit", "fq_memory_limit")):
            if f"mac80211.{key}" in self.given:
                self.lines["aqm"].append(f"{file} {units.size(self.text(f'mac80211.{key}'))}")

    def driver(self, name: str) -> dict[str, tuple[str, Any]]:
        """wavetank_radio's parameters that a driver's section sets: the key it is from, and the value."""
        if name in ("ath9k", "ath9k_tidq"):
            rts = self.text("ath9k.rts_threshold")
            if rts not in ("off", "0"):
                raise self.refuse("ath9k.rts_threshold", "the virtual card protects all frames (0) or none (off)")
            density = self.span("ath9k.density")
            if density not in DENSITY:
                raise self.refuse("ath9k.density", "the standard has 0, 0.25, 0.5, 1, 2, 4, 8 and 16 us")
            own = {}
            if name == "ath9k_tidq":
                own = {
                    "max_pending": ("ath9k.max_pending", self.number("ath9k.max_pending")),
                    "keep_turn": ("ath9k.keep_turn", self.on("ath9k.keep_turn")),
                }
            return own | {
                "rts": ("ath9k.rts_threshold", rts == "0"),
                "density": ("ath9k.density", DENSITY[density]),
                "hw_depth": ("ath9k.depth", self.number("ath9k.depth")),
                "max_frames": ("ath9k.ampdu_frames", self.number("ath9k.ampdu_frames")),
                "max_bytes": ("ath9k.ampdu_bytes", self.number("ath9k.ampdu_bytes")),
                "max_us": ("ath9k.airtime", self.span("ath9k.airtime") // 1000),
                "sw_retries": ("ath9k.retries", self.number("ath9k.retries")),
                "rimt_first_us": ("ath9k.rimt_first", self.whole_us("ath9k.rimt_first")),
                "rimt_last_us": ("ath9k.rimt_last", self.whole_us("ath9k.rimt_last")),
            }
        if name == "ath9k_htc":
            self.fifo[MODES[name]] = self.number("ath9k_htc.tx_threshold")
            return {
                "htc_frames": ("ath9k_htc.ampdu_frames", self.number("ath9k_htc.ampdu_frames")),
                "htc_buffers": ("ath9k_htc.target_buffers", self.number("ath9k_htc.target_buffers")),
                "max_bytes": ("ath9k_htc.ampdu_bytes", self.number("ath9k_htc.ampdu_bytes")),
                "cpu_frame_ns": ("ath9k_htc.cpu_frame", self.span("ath9k_htc.cpu_frame")),
                "cpu_ppdu_ns": ("ath9k_htc.cpu_ppdu", self.span("ath9k_htc.cpu_ppdu")),
                "cpu_turn_ns": ("ath9k_htc.cpu_turn", self.span("ath9k_htc.cpu_turn")),
                "host_irq_ns": ("ath9k_htc.host_irq", self.span("ath9k_htc.host_irq")),
            }
        self.fifo[MODES[name]] = self.number("ath10k.msdus")
        return {"hw_depth": ("ath10k.depth", self.number("ath10k.depth"))}

    def whole_us(self, key: str) -> int:
        ns = self.span(key)
        if ns % 1000:
            raise self.refuse(key, "the virtual radio counts whole microseconds")
        return ns // 1000

    # -- traffic -----------------------------------------------------------------------------------------------------

    def traffic(self) -> tuple[tuple[FlowName, ...], tuple[tuple[str, int], ...]]:
        flows: list[FlowName] = []
        echoes: list[tuple[str, int]] = []
        rrul, marks, mark_acks = (self.on(f"traffic.{k}") for k in ("rrul", "marks", "mark_acks"))
        jitter, step = self.span("traffic.start_jitter"), self.span("traffic.start_step")
        up, down = self.number("traffic.tcp_up"), self.number("traffic.tcp_down")
        floods = [(way, self.text(f"traffic.udp_{way}")) for way in ("up", "down")]
        payload = self.number("traffic.udp_payload")
        # the kernel doubles what SO_SNDBUF asks for
        sndbuf = units.size(self.text("traffic.udp_sndbuf")) // 2
        ping, pinging = self.text("traffic.ping"), self.number("traffic.ping_stations")
        beside = self.on("traffic.rrul_echoes")
        for station in range(self.stations):
            suffix = f" sta{station + 1}" if self.stations > 1 else ""

            def add(kind: str, name: str, way: str, i: int, station: int = station, suffix: str = suffix) -> str:
                dscp = MARKS[i % 4] if rrul and marks else 0
                flows.append(FlowName(f"{name}{i + 1}{suffix}", kind, way, str(station), dscp))
                start = self.start + int(jitter * self.unit(f"start/{len(flows)}")) + step * i
                acks = f" {dscp << 2 if mark_acks else 0}" if kind == "tcp" else ""
                return f"{kind} {way} {station} {dscp << 2}{acks} {start}"

            for way, count in (("up", up), ("down", down)):
                self.lines["flow"] += [add("tcp", way, way, i) for i in range(count)]
            for way, offered in floods:
                if offered != "off":
                    gap = round(payload * 8e9 / units.rate(offered))
                    self.lines["flow"].append(f"{add('udp', f'udp_{way}', way, 0)} {gap} {payload} {sndbuf}")
            if ping != "off" and station < pinging:
                kinds = [("icmp", 0), *(UDP_ECHOES if rrul and beside else ())]
                for name, dscp in kinds:
                    tos = dscp << 2 if marks else 0
                    self.lines["echo"].append(f"{'icmp' if name == 'icmp' else 'udp'} {station} {tos}")
                    echoes.append((f"{name}{suffix}", station))
        if ping != "off":
            self.case |= {"ping": units.span(ping), "ping_payload": self.number("traffic.ping_payload")}
        if self.wifi:
            self.case |= {"stations": self.stations, "backhaul": self.backhaul}
        return tuple(flows), tuple(echoes)

    def unit(self, name: str) -> float:
        """A number in [0, 1) of its own random stream."""
        h = hashlib.sha256(f"{self.seed}/{name}".encode()).digest()
        return int.from_bytes(h[:7], "big") / 2**56

    # -- what is left ------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Refuses what was set and is not carried out; notes what the second water has of its own."""
        default = {f"{r['section']}.{r['key']}" if r["section"] else r["key"]: r["default"] for r in _core.schema()}
        for key in sorted(self.v):
            if key in self.used or not relevant(self, key):
                continue
            own, why = OWN.get(key, (None, WHY.get(key.partition(".")[0], "the kernel's own value holds")))
            if key == "tcp.tsq_pkts" and self.v["tcp.tsq"] != "cotsq":
                continue
            if key in ("tcp.tsq_bytes", "tcp.tsq_ms"):
                continue  # of a TSQ that was not chosen
            if own is not None:
                if key in self.given and self.v[key] != own:
                    raise self.refuse(key, f"{why}; leave it out, or set {own}")
                self.used[key] = own
                if self.v[key] != own:
                    self.alike[key] = ALIKE.get(key, own)
                    self.notes.append(f"{key} is {own}: {why}")
            elif key in self.given and self.v[key] != default.get(key):
                raise self.refuse(key, f"{why}; leave it out, or set {default.get(key)}")


def translate(scenario: Scenario, seed: int | None = None) -> Translated:
    """Raises ScenarioError for a bad scenario, UserError for what the second water cannot express."""
    return _Translator(scenario, seed).translate()
