"""The virtual radio: cards, rates, noise, contention, and what stands above the cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import units
from . import rate
from .own import (
    DENSITY,
    HACK,
    HOSTAPD_INTERVAL,
    HOSTAPD_QUEUE,
    LEGACY_MBIT,
    MEMORY_VHT,
    MODES,
    MOST_MCS,
    MOST_OFTEN,
    MOST_SELDOM,
    MOST_STATIONS,
    MOST_TRIES,
)
from .queues import Queues

#: Drivers that ask for fairness by airtime, so that a station may have a weight.
FAIR = ("ath9k", "ath10k", "mt76")
DENSITIES = "the standard has 0, 0.25, 0.5, 1, 2, 4, 8 and 16 us"
#: Octets of an MPDU beside its body: header and FCS, and what CCMP adds.
AROUND_BODY, AROUND_CCMP = 30, 16
#: Octets of an A-MSDU within an A-MPDU of 802.11n, of its A-MPDU, and of an HE PSDU.
HT_AMSDU_IN_AMPDU, HT_AMPDU, HE_PSDU = 4095, 65_535, 6_500_631


class Air(Queues):
    """The air."""

    def cards(self) -> None:
        """The cards and what they share: rates, noise, hosts, drivers."""
        if self.stations > MOST_STATIONS:
            raise self.refuse("wifi.stations", f"the virtual radio has {MOST_STATIONS} stations at most")
        self.rates()
        rate.channel(self)
        r = self.radio
        self.noise()
        self.beacons()
        r["eifs"] = self.on("medium.collision_eifs")
        ap, sta = self.span("host.ap_rx"), self.span("host.sta_rx")
        r["rx_ns"] = [ap, *self.each("stations.rx", sta, units.span)] if ap != sta or self.differ("rx") else sta
        r["rx_backlog"] = self.number("host.backlog")
        r["tao"] = self.on("tao.enabled")
        if r["tao"]:
            r["tao_leave"] = self.number("tao.leave")
        self.hack()
        self.contention()
        self.ccmp = self.text("wifi.encryption") == "ccmp"
        if self.ccmp:
            self.case["ccmp"] = True
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
        r |= self.by_mode
        self.above_cards(drivers)

    def beacons(self) -> None:
        """How often hostapd sends one."""
        interval = self.number("beacon.interval")
        if not MOST_OFTEN <= interval <= MOST_SELDOM:
            raise self.refuse(
                "beacon.interval",
                f"hostapd sends one every {MOST_OFTEN} to {MOST_SELDOM} time units; {MOST_SELDOM} is one in ten seconds",
            )
        if interval != HOSTAPD_INTERVAL:
            self.lines["hostapd"].append(f"beacon_int={interval}")

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
            r |= {"fixed_mhz": self.number("wifi.width_mhz"), "fixed_sgi": self.on("wifi.short_gi")}
            r["ampdu"] = self.on("wifi.aggregation")
        elif standard in ("ac", "ax"):
            self.beyond_n(standard)
        else:
            raise self.refuse("wifi.standard", "the virtual card is of 802.11a, n, ac and ax")
        if self.text("wifi.band") == "2.4 GHz":
            r["ghz2"] = True
            self.notes.append(
                "wifi.band: on channel 36, with 2.4 GHz's RTS and EIFS; "
                "its shorter SIFS and its signal extension add up to the same intervals"
            )
        tries = self.number("fixed.links") * self.number("fixed.tries")
        if tries > MOST_TRIES:
            raise self.refuse("fixed.tries", f"links x tries is {tries}, the virtual card has {MOST_TRIES} at most")
        r["fixed_tries"] = tries

    def beyond_n(self, standard: str) -> None:
        """802.11ac and ax, whose rates are fixed: the cards' firmware has them."""
        if units.switch(self.v["channel.on"]):
            raise self.refuse("channel.on", "what the virtual radio knows of a channel is 802.11n's")
        width = self.number("wifi.width_mhz")
        self.radio |= {
            "vht": True,
            "he": standard == "ax",
            "streams": self.number("wifi.streams"),
            "fixed_mcs": self.each_mcs(self.number("wifi.mcs")),
            "fixed_mhz": width,
            "ampdu": self.on("wifi.aggregation"),
        }
        if standard == "ax":
            self.radio["he_gi_ns"] = self.span("wifi.gi")
        else:
            self.radio["fixed_sgi"] = self.on("wifi.short_gi")

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
        if self.v["wifi.standard"] == "n" and max(listed) > max(15, mcs // 8 * 8 + 7):
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
        below = {end: d for end, d in drivers.items() if d == "ath9k_tidq" or above.get(end) == "qdisc"}
        if below and self.marked():
            cards_of = ", ".join(dict.fromkeys(below.values()))
            one = "6.12's interfaces have one transmit queue: one discipline for all categories, not four"
            self.notes.append(f"a discipline above {cards_of}: {one}")
        for end in below:
            kind = self.text(f"{end}.qdisc")
            for ns, dev, name in cards[end]:
                self.attach(f"{end}.qdisc", kind, ns, dev, name)
        self.txqs(drivers)

    def marked(self) -> bool:
        """Whether its packets are of several categories."""
        if any(self.v[f"traffic.{kind}_dscp"] != "CS0" for kind in ("tcp", "ping")):
            return True
        if any(mark != "CS0" for mark in self.own("udp_dscp")):
            return True
        return units.switch(self.v["traffic.rrul"]) and units.switch(self.v["traffic.marks"])

    def txqs(self, drivers: Mapping[str, str]) -> None:
        """Limits of TXQs, shares of airtime and airtime queue limits: debugfs and ``iw``."""
        given = {k.partition(".")[2] for k in self.given if k.startswith("mac80211.")}
        cards = {"ap": range(1), "sta": range(1, self.stations + 1)}

        def those(*names: str) -> list[int]:
            return [i for end, driver in drivers.items() if driver in names for i in cards[end]]

        lines = self.lines["wiphy"]
        for key, file in (("limit", "fq_limit"), ("quantum", "fq_quantum"), ("memory_limit", "fq_memory_limit")):
            if key in given:
                lines.append(f"all aqm {file} {units.size(self.text(f'mac80211.{key}'))}")
        if "memory_limit" not in given:
            # their cards do VHT, the virtual radio does not: net/mac80211/tx.c ieee80211_txq_setup_flows
            lines += [f"{i} aqm fq_memory_limit {MEMORY_VHT}" for i in those("ath10k", "mt76")]
        if not self.on("mac80211.airtime_fairness"):
            lines.append("all airtime_flags 0")
        if "weight" in given:  # others have none (net/wireless/nl80211.c)
            lines += [f"{i} airtime_weight {self.number('mac80211.weight')}" for i in those(*FAIR)]
        if self.v["stations.weight"] != "off":
            own = self.listed("stations.weight")[: self.stations]
            lines += [f"{i} airtime_weight {w} {n}" for i in those(*FAIR) if i == 0 for n, w in enumerate(own, 1)]
        if self.text("mac80211.aql") == "false":
            lines.append("all aql_enable 0")
        if given & {"aql_low", "aql_high"}:
            low, high = (self.whole_us(f"mac80211.aql_{k}") for k in ("low", "high"))
            lines += [f"all aql_txq_limit {ac} {low} {high}" for ac in range(len(HOSTAPD_QUEUE))]
        if "aql_threshold" in given:
            lines.append(f"all aql_threshold {self.whole_us('mac80211.aql_threshold')}")

    def driver(self, name: str) -> dict[str, tuple[str, Any]]:
        """wavetank_radio's parameters that a driver's section sets: the key it is from, and the value."""
        if name in ("ath9k", "ath9k_tidq"):
            rts = self.text("ath9k.rts_threshold")
            if rts not in ("off", "0"):
                raise self.refuse("ath9k.rts_threshold", "the virtual card protects all frames (0) or none (off)")
            density = self.span("ath9k.density")
            if density not in DENSITY:
                raise self.refuse("ath9k.density", DENSITIES)
            own: dict[str, tuple[str, Any]] = {}
            if name == "ath9k_tidq":
                own = {
                    "max_pending": ("ath9k.max_pending", self.number("ath9k.max_pending")),
                    "keep_turn": ("ath9k.keep_turn", self.on("ath9k.keep_turn")),
                }
            edma = self.on("ath9k.edma")
            self.of_mode(
                name,
                hw_depth=self.number("ath9k.depth"),
                max_bytes=self.number("ath9k.ampdu_bytes"),
                max_us=self.whole_us("ath9k.airtime"),
                retries=self.number("ath9k.retries"),
            )
            if self.ccmp or not edma:
                own["edma"] = ("ath9k.edma", edma)
            return own | {
                "rts": ("ath9k.rts_threshold", rts == "0"),
                "rts_lowest": ("ath9k.rts_rate", self.text("ath9k.rts_rate") == "lowest"),
                "density": ("ath9k.density", DENSITY[density]),
                "max_frames": ("ath9k.ampdu_frames", self.number("ath9k.ampdu_frames")),
                "rimt_first_us": ("ath9k.rimt_first", self.whole_us("ath9k.rimt_first")),
                "rimt_last_us": ("ath9k.rimt_last", self.whole_us("ath9k.rimt_last")),
            }
        if name == "ath9k_htc":
            self.of_mode(
                name,
                fifo=self.number("ath9k_htc.tx_threshold"),
                max_bytes=self.number("ath9k_htc.ampdu_bytes"),
                retries=self.number("ath9k_htc.retries"),
            )
            cipher = {"edma": ("wifi.encryption", False)} if self.ccmp else {}  # its firmware adds them
            return cipher | {
                "htc_frames": ("ath9k_htc.ampdu_frames", self.number("ath9k_htc.ampdu_frames")),
                "htc_buffers": ("ath9k_htc.target_buffers", self.number("ath9k_htc.target_buffers")),
                "cpu_frame_ns": ("ath9k_htc.cpu_frame", self.span("ath9k_htc.cpu_frame")),
                "cpu_ppdu_ns": ("ath9k_htc.cpu_ppdu", self.span("ath9k_htc.cpu_ppdu")),
                "cpu_turn_ns": ("ath9k_htc.cpu_turn", self.span("ath9k_htc.cpu_turn")),
                "host_irq_ns": ("ath9k_htc.host_irq", self.span("ath9k_htc.host_irq")),
            }
        return self.firmware(name)

    def firmware(self, name: str) -> dict[str, tuple[str, Any]]:
        """The same of ath10k and mt76, whose firmware aggregates."""
        key = f"{name}.{{}}".format
        if name == "mt76":
            self.of_mode(name, fifo=self.number("mt76.tokens"), retries=self.number("mt76.tries") - 1)
        else:
            self.of_mode(name, fifo=self.number("ath10k.msdus"), retries=self.number("ath10k.retries"))
        self.of_mode(
            name,
            hw_depth=self.number(key("depth")),
            tid_depth=self.number(key("tid_depth")),
            fifo_frames=self.number(key("ampdu_frames")),
            amsdu_msdus=self.number(key("amsdu_msdus")),
            amsdu_bytes=self.amsdu_bytes(name),
            max_bytes=self.ampdu_bytes(name),
            max_us=self.whole_us(key("airtime")),
            report_us=self.whole_us(key("report")),
        )
        density = self.span(key("density"))
        if density not in DENSITY:
            raise self.refuse(key("density"), DENSITIES)
        return {"gro": (key("gro"), self.on(key("gro"))), "density": (key("density"), DENSITY[density])}

    def amsdu_bytes(self, name: str) -> int:
        """Octets of an A-MSDU: of the model, crates/core/src/wifi/amsdu.rs `limit`."""
        longest, mpdu = self.number(f"{name}.amsdu_bytes"), self.number(f"{name}.mpdu_bytes")
        if self.v["wifi.standard"] in ("ac", "ax"):
            return mpdu - AROUND_BODY - (AROUND_CCMP if self.ccmp else 0)
        return min(longest, HT_AMSDU_IN_AMPDU)

    def ampdu_bytes(self, name: str) -> int:
        """Octets of an A-MPDU that a peer takes: of the model, crates/core/src/driver/mt76/params.rs `limits`."""
        standard = self.v["wifi.standard"]
        if standard == "ax":
            base = 16 if self.v["wifi.band"] == "2.4 GHz" else 20
            return min(HE_PSDU, (1 << base + self.number(f"{name}.he_ampdu_extension")) - 1)
        return (1 << 13 + self.number(f"{name}.ampdu_exponent")) - 1 if standard == "ac" else HT_AMPDU

    def of_mode(self, driver: str, **values: int) -> None:
        """Values of one driver's cards."""
        for name, value in values.items():
            self.by_mode[name][MODES[driver]] = value
