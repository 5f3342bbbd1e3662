"""The virtual cards: which there are, of which standard, and what each driver's can."""

from __future__ import annotations

from typing import Any

from .own import DENSITY, MODES, STANDARDS
from .queues import Queues

#: 8 us. src: ath9k/htc_drv_init.c, by common-init.c ath9k_cmn_reload_chainmask
HTC_DENSITY = 6
DENSITIES = "the standard has 0, 0.25, 0.5, 1, 2, 4, 8 and 16 us"
#: Octets of an MPDU beside its body: header and FCS, and what CCMP adds.
AROUND_BODY, AROUND_CCMP = 30, 16
#: Octets of an MPDU within an A-MPDU of 802.11n, of the A-MPDU, and of an HE PSDU.
HT_MPDU_IN_AMPDU, HT_AMPDU, HE_PSDU = 4095, 65_535, 6_500_631
#: What a card of mt76's has that leaves rates to mac80211: crates/core/src/driver/mt76/params.rs `mt7615`.
MT7615_TRIES = 12
#: Drivers of cards of 802.11ax.
HE = ("mt76", "iwlwifi")
#: Of an A-MPDU's length that a card of 802.11ac takes, 2^(13 + 7) - 1 (linux/radio/air/vht.c).
MOST_EXPONENT = 7


def shortened(values: list[int]) -> int | list[int]:
    """A list for the access point and the stations, whose last holds for the rest; one value where all have it."""
    n = len(values)
    while n > 1 and values[n - 1] == values[n - 2]:
        n -= 1
    return values[:n] if n > 1 else values[0]


class Cards(Queues):
    """The cards: the access point's first, then each station's."""

    #: Links have keys.
    ccmp: bool

    def drivers(self) -> list[str]:
        """The driver of each card."""
        own = self.listed("stations.driver")[: self.stations] if self.differ("driver") else []
        every = [self.text("sta.driver")] * (self.stations - len(own))
        drivers = [self.text("ap.driver"), *own, *every]
        for i, name in enumerate(drivers):
            if name not in MODES:
                key = "ap.driver" if not i else "stations.driver" if i <= len(own) else "sta.driver"
                raise self.refuse(key, f"the virtual card is {', '.join(MODES)}")
        return drivers

    def newest(self, driver: str) -> str:
        """What a driver's cards are of in this network: of the model, crates/core/src/scenario/stations.rs `newest`."""
        network = self.v["wifi.standard"]
        if driver in HE or network not in ("ac", "ax"):
            return network
        return "ac" if driver == "ath10k" else "n"

    def density(self, driver: str) -> int:
        """The field by which a driver's cards say how close together they take the MPDUs of an aggregate."""
        if driver == "ath9k_htc":
            return HTC_DENSITY
        key = f"{driver.removesuffix('_tidq')}.density"
        ns = self.span(key)
        if ns not in DENSITY:
            raise self.refuse(key, DENSITIES)
        return DENSITY[ns]

    def standards(self, drivers: list[str]) -> list[str]:
        """What each card is of; the network's is the access point's."""
        found = [self.v["wifi.standard"], *(self.newest(name) for name in drivers[1:])]
        if len(set(found)) > 1:
            self.radio["standard"] = shortened([STANDARDS[of] for of in found])
            for name in {name for name, of in zip(drivers, found, strict=True) if of == "ax"}:
                if "ac" in found and self.number(f"{name}.ampdu_exponent") != MOST_EXPONENT:
                    raise self.refuse(
                        f"{name}.ampdu_exponent",
                        f"where stations are of 802.11ac, the virtual radio has {MOST_EXPONENT}",
                    )
        return found

    def driver(self, name: str) -> dict[str, tuple[str, Any]]:
        """wavetank_radio's parameters that a driver's section sets: the key it is from, and the value."""
        if name in ("ath9k", "ath9k_tidq"):
            rts = self.text("ath9k.rts_threshold")
            if rts not in ("off", "0"):
                raise self.refuse("ath9k.rts_threshold", "the virtual card protects all frames (0) or none (off)")
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
        """The same of ath10k, mt76 and iwlwifi, whose firmware aggregates."""
        key = f"{name}.{{}}".format
        ap, *stations = self.drivers()
        ends = [end for end, has in (("ap", ap == name), ("sta", name in stations)) if has]
        controls = {self.v[f"{end}.rate_control"] for end in ends}
        chosen = name == "mt76" and "minstrel_ht" in controls
        if chosen and len(controls) > 1:
            raise self.refuse(
                "sta.rate_control",
                "the virtual radio has mt76's cards of one kind: minstrel_ht at both ends or at none",
            )
        msdus = self.number(key("amsdu_msdus"))
        if name == "mt76":
            tries = self.number("mt76.tries")
            self.of_mode(
                name, fifo=self.number("mt76.tokens"), retries=(min(tries, MT7615_TRIES) if chosen else tries) - 1
            )
        elif name == "iwlwifi":
            self.of_mode(name, fifo=self.number("iwlwifi.tfds"), retries=self.number("iwlwifi.tries") - 1)
        else:
            self.of_mode(name, fifo=self.number("ath10k.msdus"), retries=self.number("ath10k.retries"))
        self.of_mode(
            name,
            hw_depth=self.number(key("depth")),
            tid_depth=self.number(key("tid_depth")),
            fifo_frames=self.number(key("ampdu_frames")),
            amsdu_msdus=1 if chosen else msdus,
            amsdu_bytes=self.amsdu_bytes(name),
            amsdu_ht_bytes=self.amsdu_ht_bytes(name),
            max_bytes=self.ampdu_bytes(name),
            max_us=self.whole_us(key("airtime")),
            report_us=self.whole_us(key("report")),
        )
        own = {"gro": (key("gro"), self.on(key("gro")))}
        return own | {"tso": (key("tso"), self.on(key("tso")))} if name == "iwlwifi" else own

    def amsdu_bytes(self, name: str) -> int:
        """Octets of an A-MSDU: of the model, crates/core/src/wifi/amsdu.rs `limit`, driver/iwlwifi/tso.rs `limit`."""
        mpdu = self.number(f"{name}.mpdu_bytes")
        if self.newest(name) == "n":
            return self.amsdu_ht_bytes(name)
        # iwlwifi's driver lets an A-MSDU have what the peer says of its MPDUs
        return mpdu if name == "iwlwifi" else mpdu - self.around_body()

    def amsdu_ht_bytes(self, name: str) -> int:
        """The same to a peer of 802.11n."""
        around = 0 if name == "iwlwifi" else self.around_body()
        return min(self.number(f"{name}.amsdu_bytes"), HT_MPDU_IN_AMPDU - around)

    def around_body(self) -> int:
        """Octets of an MPDU beside its body."""
        return AROUND_BODY + (AROUND_CCMP if self.ccmp else 0)

    def ampdu_bytes(self, name: str) -> int:
        """Octets of an A-MPDU that a peer takes: of the model, crates/core/src/driver/mt76/params.rs `limits`."""
        standard = self.newest(name)
        if standard == "ax":
            base = 16 if self.v["wifi.band"] == "2.4 GHz" else 20
            return min(HE_PSDU, (1 << base + self.number(f"{name}.he_ampdu_extension")) - 1)
        return (1 << 13 + self.number(f"{name}.ampdu_exponent")) - 1 if standard == "ac" else HT_AMPDU

    def of_mode(self, driver: str, **values: int) -> None:
        """Values of one driver's cards."""
        for name, value in values.items():
            self.by_mode[name][MODES[driver]] = value
