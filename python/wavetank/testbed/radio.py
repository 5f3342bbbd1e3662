"""Wi-Fi cards of a bed: bit rates, RTS, mac80211's limits, weights, rate control, and the access point's hostapd.conf.

src: iw 5.19 `iw help set` (set bitrates [ht-mcs-<2.4|5> <MCS index>*] [vht-mcs-<2.4|5> NSS:MCS] [sgi-5|lgi-5]; no words: all);
linux@6.12 net/mac80211/cfg.c ieee80211_set_bitrate_mask (a basic rate must stay, so the legacy rates do), ath10k/mac.c
ath10k_mac_op_set_bitrate_mask (no forced long guard interval; beside the legacy rates one VHT rate only, and with firmware of
fixed rates of peers only), ath9k/htc_drv_main.c ath9k_htc_set_bitrate_mask (legacy rates only); hostapd.conf of hostapd 2.10.
"""

from __future__ import annotations

from .. import units
from ..linux import rate as linux_rate
from ..linux.air import Air
from .asked import Bed
from .own import PASSPHRASE, TIDQ_UNTIL, WEIGHT_SINCE
from .roles import Name, Role, variable

CARDS = ("ath9k", "ath9k_tidq", "ath9k_htc", "ath10k")
OFDM_BASIC = (6, 12, 24)
PROBES = (
    "rate control fixed: Minstrel-HT goes on probing below the bit rates that iw leaves it, and cuts aggregates by it; the "
    "model has that as rate_control = minstrel_ht with minstrel_ht.bitrates = {}"
)


class Radio(Air, Bed):
    """Cards."""

    def cards_of(self, end: str) -> list[tuple[Role, Name]]:
        """The roles of ``ap`` or ``sta``, with their Wi-Fi device."""
        roles = [self.roles["ap"]] if end == "ap" else [r for n, r in self.roles.items() if n.startswith("sta")]
        return [(r, Name(variable(r.name, "IF"))) for r in roles]

    def air(self) -> None:
        """Everything about the cards."""
        self.hostapd: list[str] = []
        self.text("wifi.stations")
        for end in ("ap", "sta"):
            driver = self.text(f"{end}.driver")
            if driver not in CARDS:
                raise self.refuse(f"{end}.driver", f"the scripts know {', '.join(CARDS)}")
            if driver == "ath9k_tidq" and not self.before(TIDQ_UNTIL):
                raise self.refuse(
                    f"{end}.driver", "ath9k has had no queues of its own since Linux 4.10 (--set kernel=3.18)"
                )
            for role, card in self.cards_of(end):
                role.tell("driver", card, driver.removesuffix("_tidq"), keys=f"{end}.driver")
                if self.v["wifi.standard"] in ("n", "ac"):
                    role.tell("width", card, self.text("wifi.width_mhz"), keys="wifi.width_mhz")
                role.tell("txpower", card, keys="TXPOWER_MBM in bed.env")
            self.chooses(end, driver)
            if driver in ("ath9k", "ath9k_tidq", "ath10k"):
                self.protect(end, f"{driver.removesuffix('_tidq')}.rts_threshold")
        self.queues_of_mac80211()
        if "mac80211.weight" in self.given:
            self.weigh()
        self.contention()
        self.access_point()

    def chooses(self, end: str, driver: str) -> None:
        """What chooses the rates of what this end sends."""
        name = self.text(f"{end}.rate_control")
        if name in linux_rate.OWN:
            if driver != "ath9k":
                raise self.refuse(f"{end}.rate_control", f"the firmware of {driver} chooses")
            self.of_ours(end, name)
            return
        mcs = self.v["minstrel_ht.bitrates"]
        if name == "minstrel_ht":
            if driver not in ("ath9k", "ath9k_tidq"):
                raise self.refuse(f"{end}.rate_control", f"the firmware of {driver} chooses")
            if mcs != "off":
                for role, card in self.cards_of(end):
                    role.tell(
                        "bitrates",
                        card,
                        f"ht-mcs-{self.band}",
                        self.text("minstrel_ht.bitrates"),
                        keys="minstrel_ht.bitrates",
                    )
            else:
                streams = int(self.v["wifi.mcs"]) // 8 + 1
                self.needs(
                    end,
                    f"{streams} spatial stream{'s' * (streams > 1)}",
                    "wifi.mcs: rate control uses all that both ends have",
                )
            self.used["minstrel_ht.bitrates"] = mcs
            return
        why = self.not_fixed(end, driver)
        if why:
            self.needs(end, f"one rate for all data ({self.rate_words()})", why)
            return
        for role, card in self.cards_of(end):
            role.tell("bitrates", card, *self.rate_words().split(), keys="wifi.mcs, wifi.short_gi")
        if driver != "ath10k" and self.v["wifi.standard"] == "n":
            note = PROBES.format(self.v["wifi.mcs"])
            self.notes += [] if note in self.notes else [note]

    @property
    def band(self) -> str:
        """As iw has it."""
        return "5" if self.v["wifi.band"] == "5 GHz" else "2.4"

    def rate_words(self) -> str:
        """What `iw dev ... set bitrates` takes for the scenario's one rate."""
        standard, gi = self.text("wifi.standard"), "sgi" if self.on("wifi.short_gi") else "lgi"
        if standard == "n":
            return f"ht-mcs-{self.band} {self.text('wifi.mcs')} {gi}-{self.band}"
        if standard == "ac":  # ath10k takes no forced long guard interval: what hostapd.conf does not announce makes it
            words = f"vht-mcs-5 {self.text('wifi.streams')}:{self.text('wifi.mcs')}"
            return words + (" sgi-5" if gi == "sgi" else "")
        return f"legacy-{self.band} {units.rate(self.text('wifi.rate')) / 1e6:g}"

    def not_fixed(self, end: str, driver: str) -> str:
        """Why iw cannot fix this card's rate; empty where it can."""
        if driver == "ath9k_htc" and self.v["wifi.standard"] == "n":
            return "ath9k_htc's firmware takes no mask of HT rates: a good signal makes it use the highest"
        if driver == "ath10k":
            if not units.switch(self.v["wifi.short_gi"]):
                self.needs(
                    end,
                    "long guard intervals",
                    "hostapd.conf does not announce short ones; the stations' wpa_supplicant wants disable_sgi=1",
                )
            if self.v["wifi.standard"] == "ac":
                why = "else iw is refused one VHT rate beside the basic ones, and the script stops there"
                self.needs(end, "firmware of ath10k that fixes single peers' rates (peer-fixed-rate)", why)
            else:
                return "ath10k takes no single HT rate beside the basic rates: a good signal makes it use the highest"
        return ""

    def of_ours(self, end: str, name: str) -> None:
        """AASRC and AARC, by their module."""
        linux_rate.controls(self, [self.v["ap.driver"], self.v["sta.driver"]])
        for role, card in self.cards_of(end):
            role.tell("module", "wavetank_aasrc", keys=f"{end}.rate_control")
            for key, value in self.case["rc_params"].items():
                role.tell("param", "wavetank_aasrc", key, str(int(value)), keys="[aasrc], [aarc]")
            role.tell("rate_control", card, name, keys=f"{end}.rate_control")
        if name == "aarc":
            self.notes.append(
                "aarc: its feedback is `wavetank csid` with a driver that reports CSI; without, it is aasrc (docs/csid.md)"
            )
        self.used |= {k: v for k, v in self.v.items() if k.startswith("aarc.")}

    def protect(self, end: str, key: str) -> None:
        """RTS."""
        threshold = self.text(key)
        for role, card in self.cards_of(end):
            role.tell("rts", card, threshold, keys=key)

    def queues_of_mac80211(self) -> None:
        """mac80211's limits, by debugfs."""
        numbers = {"limit": "fq_limit", "quantum": "fq_quantum", "memory_limit": "fq_memory_limit"}
        given = {k.partition(".")[2] for k in self.given if k.startswith("mac80211.")}
        for end in ("ap", "sta"):
            for role, card in self.cards_of(end):
                for key in sorted(given & set(numbers)):
                    value = str(units.size(self.text(f"mac80211.{key}")))
                    role.tell("aqm", card, numbers[key], value, keys=f"mac80211.{key}")
                if given & {"aql_low", "aql_high"}:
                    low, high = (str(self.span(f"mac80211.aql_{k}") // 1000) for k in ("low", "high"))
                    role.tell("aql", card, low, high, keys="mac80211.aql_low, mac80211.aql_high")
                if "aql_threshold" in given:
                    threshold = str(self.span("mac80211.aql_threshold") // 1000)
                    role.tell("debug", card, "aql_threshold", threshold, keys="mac80211.aql_threshold")
                if self.v["mac80211.aql"] != "auto":
                    role.tell("debug", card, "aql_enable", str(int(self.on("mac80211.aql"))), keys="mac80211.aql")
                if "airtime_fairness" in given:
                    flags = "3" if self.on("mac80211.airtime_fairness") else "0"
                    role.tell("airtime", card, flags, keys="mac80211.airtime_fairness")

    def weigh(self) -> None:
        """The stations' weight for airtime, at the access point."""
        driver = self.v["ap.driver"]
        if driver not in ("ath9k", "ath10k"):  # src: NL80211_EXT_FEATURE_AIRTIME_FAIRNESS
            raise self.refuse("mac80211.weight", f"{driver} shares no airtime, so its stations have no weight")
        if self.before(WEIGHT_SINCE):
            raise self.refuse(
                "mac80211.weight", f"weights came with Linux 5.1; the scenario asks for {self.v['kernel']}"
            )
        for role, card in self.cards_of("ap"):
            role.tell("weight", card, self.text("mac80211.weight"), keys="mac80211.weight")
        self.notes.append(
            "mac80211.weight: `ap.sh up` gives it to the stations that are associated then; one that comes again has the "
            "kernel's 256 until the next `up`"
        )

    def needs(self, end: str, what: str, why: str) -> None:
        """What the hardware has to be, and no script can look at."""
        for role, _ in self.cards_of(end):
            role.tell("told", what, why, keys=f"{end}.driver")

    def access_point(self) -> None:
        """hostapd.conf below the names that bed.env gives. CHANNEL, HT40 and MIDDLE stand for what the channel decides."""
        standard, width = self.v["wifi.standard"], int(self.v["wifi.width_mhz"])
        five, short = self.text("wifi.band") == "5 GHz", self.v["wifi.short_gi"] == "true"
        self.short_gi_used()
        lines = ["auth_algs=1", f"hw_mode={'a' if five else 'b' if standard == 'b' else 'g'}"]
        if standard in ("n", "ac"):
            caps = ["[HT40@HT40@]"] * (width >= 40) + [f"[SHORT-GI-{w}]" for w in (20, 40) if short and w <= width]
            lines += ["wmm_enabled=1", "ieee80211n=1", "require_ht=1", f"ht_capab={''.join(caps)}"]
        else:
            lines += ["wmm_enabled=0", "ieee80211n=0"]
        if standard == "ac":
            wide = {20: "0", 40: "0", 80: "1", 160: "2"}[width]
            caps = [f"[SHORT-GI-{w}]" for w in (80, 160) if short and w <= width] + ["[VHT160]"] * (width == 160)
            lines += ["ieee80211ac=1", "require_vht=1", f"vht_capab={''.join(caps)}", f"vht_oper_chwidth={wide}"]
            if width >= 80:
                lines.append("vht_oper_centr_freq_seg0_idx=@MIDDLE@")
        if "wifi.basic_rate" in self.given:
            highest = units.rate(self.text("wifi.basic_rate")) // 10**6
            lines.append("basic_rates=" + " ".join(str(10 * r) for r in OFDM_BASIC if r <= highest))
        if "wifi.short_preamble" in self.given:
            lines.append(f"preamble={int(self.on('wifi.short_preamble'))}")
        if self.text("wifi.encryption") == "ccmp":
            lines += ["wpa=2", "wpa_key_mgmt=WPA-PSK", "rsn_pairwise=CCMP", f"wpa_passphrase={PASSPHRASE}"]
        self.beacons()
        self.hostapd = lines + self.lines["hostapd"]

    def short_gi_used(self) -> None:
        """Marks what hostapd.conf carries."""
        for key in ("wifi.standard", "wifi.mcs", "wifi.streams", "wifi.short_gi", "wifi.width_mhz", "wifi.rate"):
            self.used[key] = self.v[key]
