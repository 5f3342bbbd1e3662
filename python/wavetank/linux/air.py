"""The virtual radio: cards, rates, noise, contention, and what stands above the cards."""

from __future__ import annotations

from typing import Any

from .. import categories, units
from . import kernels, rate
from .asked import values
from .cards import Cards, shortened
from .own import (
    DSSS,
    HACK,
    HOSTAPD_INTERVAL,
    HOSTAPD_QUEUE,
    LEGACY_MBIT,
    MCS_OVER_STREAMS,
    MEMORY_VHT,
    MODES,
    MOST_MCS,
    MOST_OFTEN,
    MOST_SELDOM,
    MOST_STATIONS,
    MOST_TRIES,
)

#: Drivers that ask for fairness by airtime, so that a station may have a weight.
FAIR = ("ath9k", "ath10k", "mt76")
#: wavetank_radio's fixed_mcs of the ideal rate control.
IDEAL = -2
#: MHz of a link of 802.11n at most; streams that a card of 802.11n has whose rates are fixed, at least.
HT_WIDEST, TWO_STREAMS = 40, 2


class Air(Cards):
    """The air."""

    def cards(self) -> None:
        """The cards and what they share: rates, noise, hosts, drivers."""
        if self.stations > MOST_STATIONS:
            raise self.refuse("wifi.stations", f"the virtual radio has {MOST_STATIONS} stations at most")
        drivers = self.drivers()
        self.rates(drivers)
        rate.channel(self)
        r = self.radio
        self.noise()
        self.beacons()
        r["eifs"] = self.on("medium.collision_eifs")
        ap, sta = self.span("host.ap_rx"), self.span("host.sta_rx")
        r["rx_ns"] = [ap, *self.each("stations.rx", sta, units.span)] if ap != sta or self.differ("rx") else sta
        if self.text("host.backlog") != "auto":  # a driver's ring else
            r["rx_backlog"] = self.number("host.backlog")
        r["tao"] = self.on("tao.enabled")
        if r["tao"]:
            r["tao_leave"] = self.number("tao.leave")
        self.hack()
        self.contention()
        self.ccmp = self.text("wifi.encryption") == "ccmp"
        if self.ccmp:
            self.case["ccmp"] = True
        r["mode"] = shortened([MODES[driver] for driver in drivers])
        r["density"] = shortened([self.density(driver) for driver in drivers])
        limits: dict[str, tuple[str, Any]] = {}
        for driver in dict.fromkeys(drivers):
            for name, (key, value) in self.driver(driver).items():
                other = limits.setdefault(name, (key, value))
                if other[1] != value:
                    why = f"the virtual radio has one value for all cards, and {other[0]} is {self.v[other[0]]}"
                    raise self.refuse(key, why)
        r |= {name: value for name, (_, value) in limits.items()}
        r |= self.by_mode
        self.above_cards(drivers)

    def beacons(self) -> None:
        """How often hostapd sends one, and at which rate."""
        rate = self.text("beacon.rate") if self.v["wifi.band"] == "2.4 GHz" else "auto"
        if rate not in ("auto", "1 Mbit/s"):
            raise self.refuse("beacon.rate", "mac80211 sends them at the lowest basic rate, 1 Mbit/s at 2.4 GHz")
        interval = self.number("beacon.interval")
        if not MOST_OFTEN <= interval <= MOST_SELDOM:
            raise self.refuse(
                "beacon.interval",
                f"hostapd sends one every {MOST_OFTEN} to {MOST_SELDOM} time units; {MOST_SELDOM} is one in ten seconds",
            )
        if interval != HOSTAPD_INTERVAL:
            self.lines["hostapd"].append(f"beacon_int={interval}")

    def ghz2(self) -> None:
        """The band; what hostapd is told of 802.11b's rates at 2.4 GHz."""
        if self.text("wifi.band") != "2.4 GHz":
            return
        self.case["ghz2"] = True
        if self.on("wifi.short_preamble"):
            self.lines["hostapd"].append("preamble=1")
        top = units.rate(self.text("wifi.dsss_basic_rate"))
        if top != DSSS[-1] or self.all_dsss():  # hostapd's own: all four; of a network of 802.11b 1 and 2 Mbit/s
            self.lines["hostapd"].append("basic_rates=" + " ".join(str(bps // 10**5) for bps in DSSS if bps <= top))

    def dsss(self) -> list[bool]:
        """Which stations are of 802.11b: those that have one of its rates."""
        if self.v["wifi.standard"] not in ("b", "g"):
            return [False] * self.stations
        every = units.rate(self.text("wifi.rate"))
        return [rate in DSSS for rate in self.each("stations.rate", every, units.rate)]

    def all_dsss(self) -> bool:
        """Whether all are: hostapd's network is of 802.11b then."""
        return all(self.dsss())

    def rates(self, drivers: list[str]) -> None:
        """One rate for all data of a link, or rate control."""
        r = self.radio
        controls = rate.controls(self, drivers)
        self.ghz2()
        standard = self.text("wifi.standard")
        if standard in ("a", "b", "g"):
            r |= {"ht": False, "ampdu": False}
            self.case["wmm"] = False
            self.legacy(drivers[0], controls)
        elif standard in ("n", "ac", "ax"):
            self.links(self.standards(drivers), controls)
        else:
            raise self.refuse("wifi.standard", "the virtual card is of 802.11a, b, g, n, ac and ax")
        tries = self.number("fixed.links") * self.number("fixed.tries")
        if tries > MOST_TRIES:
            raise self.refuse("fixed.tries", f"links x tries is {tries}, the virtual card has {MOST_TRIES} at most")
        r["fixed_tries"] = tries

    def legacy(self, driver: str, controls: tuple[str, str]) -> None:
        """Rates of 802.11a, b and g, by their places in mac80211's band; stations of 802.11b, and what those ask of others."""
        every = units.rate(self.text("wifi.rate"))
        rates = self.each("stations.rate", every, units.rate)
        if "fixed" in controls:
            band = [*(DSSS if self.v["wifi.band"] == "2.4 GHz" else ()), *(mbit * 10**6 for mbit in LEGACY_MBIT)]
            self.radio["fixed_legacy"] = shortened([band.index(rate) for rate in (every, *rates)])
        protects = self.text("wifi.erp_protection")
        if not any(old := self.dsss()):
            return
        self.radio["dsss"] = shortened([int(self.all_dsss()), *map(int, old)])
        if self.all_dsss():
            self.lines["hostapd"].append("hw_mode=b")
        # src: the model's Profile::frame_protection
        frames = driver != "ath9k" or kernels.version(self.v["kernel"]) < (5, 17)
        self.radio["erp_protection"] = frames if protects == "auto" else units.switch(protects)

    def links(self, standards: list[str], controls: tuple[str, str]) -> None:
        """MCS, streams and width of each station's link with the access point, after the network's own."""
        r, network = self.radio, standards[0]
        fixed = set(controls) <= set(rate.FIRMWARE)
        self.modes(standards, controls)
        channel = self.number("wifi.width_mhz")
        most = [min(channel, HT_WIDEST) if of == "n" else channel for of in standards]
        own = [channel, *self.each("stations.width_mhz", 0, int)]
        r["fixed_mhz"] = shortened([width or widest for width, widest in zip(own, most, strict=True)])
        r["ampdu"] = self.on("wifi.aggregation")
        if network != "n":
            if not fixed and "n" in standards:
                raise self.refuse(
                    "sta.rate_control",
                    "where stations are of an older standard than the network, the virtual radio's rates are fixed",
                )
            if not fixed and any(0 < width < channel for width in own):
                # A card of 802.11ac that says it has 20 MHz is one of 802.11n to mac80211 (ieee80211_determine_our_sta_mode).
                why = f"a card of 802.11{network} has its network's {channel} MHz where rate control chooses"
                raise self.refuse("stations.width_mhz", f"{why}; set all to {channel}, or leave it out")
            r |= {"vht": True, "he": network == "ax"}
        if network == "ax":
            r["he_gi_ns"] = self.span("wifi.gi")
        else:
            r["fixed_sgi"] = self.on("wifi.short_gi")

    def modes(self, standards: list[str], controls: tuple[str, str]) -> None:
        """Of these, MCS and streams."""
        r, mcs, fixed = self.radio, self.number("wifi.mcs"), set(controls) <= set(rate.FIRMWARE)
        down = [mcs, *self.each("stations.mcs", mcs, int)]
        own = [-1, *self.each("stations.mcs_up", -1, int)]
        up = [of if of >= 0 else other for of, other in zip(own, down, strict=True)]
        if not fixed and up != down:
            raise self.refuse("stations.mcs_up", "under rate control a link has its streams both ways")
        for key, listed in (("mcs", down), ("mcs_up", up)):
            if any(of == "n" and m > MOST_MCS for of, m in zip(standards, listed, strict=True)):
                named = f"stations.{key}" if self.differ(key) else "wifi.mcs"
                raise self.refuse(named, f"the virtual card has three streams: MCS {MOST_MCS} at most")
        if set(controls) & set(rate.FIRMWARE):
            sent, back = ([IDEAL] if of == "ideal" else listed for of, listed in zip(controls, (down, up), strict=True))
            r["fixed_mcs"] = shortened(sent)
            if sent != back:
                r["fixed_mcs_up"] = shortened(back)
        every = self.number("wifi.streams") if standards[0] != "n" else 0
        given = [every, *self.each("stations.streams", every, int)]
        least = TWO_STREAMS if fixed else 1  # of what rate control does not choose from
        streams = [
            max(down[i] // 8 + 1, up[i] // 8 + 1, least) if of == "n" else given[i] for i, of in enumerate(standards)
        ]
        r["streams"] = shortened([max(streams), *streams[1:]])

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
        by_mcs = [round((1 - (1 - every) * (1 - float(value))) * 1e6) for value in values(listed)]
        return by_mcs[:MCS_OVER_STREAMS]

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

    def above_cards(self, drivers: list[str]) -> None:
        """Disciplines above ath9k_htc and ath9k_tidq; limits of mac80211's queues."""
        ends = ["sta" if i else "ap" for i in range(len(drivers))]
        above = {
            end: self.text(f"{end}.above")
            for end, name in dict.fromkeys(zip(ends, drivers, strict=True))
            if name == "ath9k_htc"
        }
        if len({a == "qdisc" for a in above.values()}) > 1:
            raise self.refuse("ap.above", f"the virtual radio has one for both ends, and sta.above is {above['sta']}")
        for a in above.values():
            # 6.12 has TXQs above ath9k_htc
            self.radio["htc_qdisc"] = a == "qdisc"
        below = {
            i: name
            for i, name in enumerate(drivers)
            if name == "ath9k_tidq" or (name == "ath9k_htc" and above[ends[i]] == "qdisc")
        }
        sent = categories.used(self)
        if any(len(sent["up" if i else "down"]) > 1 for i in below):
            cards_of = ", ".join(dict.fromkeys(below.values()))
            one = "6.12's interfaces have one transmit queue: one discipline for all categories, not four"
            self.notes.append(f"a discipline above {cards_of}: {one}")
        for i in below:
            key, ns, dev, name = (
                f"{ends[i]}.qdisc",
                f"C{i}" if i else "AP",
                f"wlan{i}",
                f"sta{i} wlan" if i else "ap wlan",
            )
            self.attach(key, self.text(key), ns, dev, name)
        self.txqs(drivers)

    def txqs(self, drivers: list[str]) -> None:
        """Limits of TXQs, shares of airtime and airtime queue limits: debugfs and ``iw``."""
        given = {k.partition(".")[2] for k in self.given if k.startswith("mac80211.")}

        def those(*names: str) -> list[int]:
            return [i for i, driver in enumerate(drivers) if driver in names]

        lines = self.lines["wiphy"]
        for key, file in (("limit", "fq_limit"), ("quantum", "fq_quantum"), ("memory_limit", "fq_memory_limit")):
            if key in given:
                lines.append(f"all aqm {file} {units.size(self.text(f'mac80211.{key}'))}")
        if "memory_limit" not in given:
            # their cards do VHT, the virtual radio does not: net/mac80211/tx.c ieee80211_txq_setup_flows
            lines += [f"{i} aqm fq_memory_limit {MEMORY_VHT}" for i in those("ath10k", "mt76", "iwlwifi")]
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
