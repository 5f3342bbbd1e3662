"""Keys of a scenario that say nothing: what they belong to is not there, or a list has more values than stations, or fewer,
or the floor has fewer places."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from . import _core, categories, overruled, shipped, still, units
from . import keys as catalogue
from .linux.asked import Asked
from .linux.kernels import version
from .linux.own import DSSS, NEEDS_ECN
from .linux.relevance import OF_STANDARDS, OF_TIDQ, Relevance
from .scenario import Scenario

#: Which of TSQ's keys each kind of small queue reads.
SMALL_QUEUE = {
    "kernel": (), "off": (), "bytes": ("tsq_bytes",), "packets": ("tsq_pkts",), "cotsq": ("tsq_bytes", "tsq_ms", "tsq_pkts"),
}  # fmt: skip
#: Kernels before ath9k had mac80211's queues. src: linux@4.10 drivers/net/wireless/ath/ath9k/xmit.c (50f08edf9809)
BEFORE_TXQS = ("3.10", "3.18")
#: Keys of ``[tcp]`` that are of packets that are no TCP's, too.
EVERY_PACKET = ("rx_truesize", "rx_per_buffer", "rx_pages", "max_header")

#: The first and the last kernel known whose mac80211 gives slow stations a CoDel of their own; 6.12's no more.
#: src: linux@6.6 net/mac80211/sta_info.c sta_update_codel_params
SLOW_STATIONS = ((4, 12), (6, 6))
#: What each driver has for aggregates alone.
OF_AGGREGATES = ("ampdu_frames", "window", "ampdu_bytes", "airtime", "density", "subframe_bytes")
#: What ath9k has for frames under a Block Ack agreement alone: units in hardware, and what it sends again itself.
OF_AGREEMENTS = ("depth", "retries")
NO_AGREEMENT = "no frame is under a Block Ack agreement"
#: Since when mac80211 asks no RTS of a driver with a table of rates: what is left is ath9k's own, for frames under an agreement.
#: src: linux@5.17 net/mac80211/rate.c rate_control_get_rate
NO_RTS_ASKED = (5, 17)
#: Cards whose drivers tell mac80211 of airtime (NL80211_EXT_FEATURE_AIRTIME_FAIRNESS).
TELL_AIRTIME = {"ath9k", "ath10k", "mt76"}
OF_AIRTIME = ("mac80211.airtime_fairness", "mac80211.weight", "stations.weight")

#: What 802.11a, b and g have anyway of what newer standards choose.
AS_OF_OLD = {"wifi.width_mhz": "20", "wifi.short_gi": "false", "wifi.aggregation": "false"}

#: ath9k, above mac80211's queues and its own.
ATH9K = {"ath9k", "ath9k_tidq"}

#: Keys of 802.11b's frames.
OF_DSSS = ("wifi.erp_protection", "wifi.dsss_basic_rate", "wifi.short_preamble")

#: Keys of netem that others say something of, as they are where it is not there.
NETEM = {"jitter": "0 ns", "loss": "0", "gemodel_p": "off", "duplicate": "0", "reorder": "0", "rate": "off"}
#: Which of them others need.
NEEDS = {
    **dict.fromkeys(("delay_correlation", "distribution"), "jitter"),
    "loss_correlation": "loss",
    **dict.fromkeys(("gemodel_r", "gemodel_1h", "gemodel_1k"), "gemodel_p"),
    "duplicate_correlation": "duplicate",
    **dict.fromkeys(("reorder_correlation", "gap"), "reorder"),
    "rate_overhead": "rate",
}


class _Read(Asked):
    """A scenario as :class:`Relevance` asks for it."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario, None)
        self.wifi = self.v["topology.kind"] == "wifi"
        self.stations = int(self.v["wifi.stations"]) if self.wifi else 1
        self.backhaul = self.wifi and self.v["backhaul.present"] == "true"
        kinds = self.disciplines()
        self.used = {key: self.v[key] for key in self.v if key.partition(".")[0] in kinds}

    def disciplines(self) -> set[str]:
        """Those that stand somewhere."""
        if not self.wifi:
            if self.v["bottleneck.qdisc"] == "cake":
                return {"cake", "netem"}
            return {self.v["htb.leaf"], "netem", "pfifo"}
        kinds = {self.v[f"{end}.qdisc"] for end in ("ap", "sta") if self.under_qdisc(end)}
        if self.backhaul:
            kinds |= {self.v["backhaul.qdisc"]}
        return kinds | ({self.v["htb.leaf"]} if "htb" in kinds else set())

    def drivers(self, end: str) -> set[str]:
        """The drivers of an end's cards."""
        own = self.listed("stations.driver") if end == "sta" and self.differ("driver") else []
        return {*own, *([self.v[f"{end}.driver"]] if len(own) < self.stations else [])}

    def without_qos(self) -> bool:
        """Whether its frames have no access category."""
        return self.v["wifi.standard"] in ("a", "b", "g")

    def aggregates(self) -> bool:
        """Whether any frame may go in an aggregate."""
        return self.v["wifi.aggregation"] == "true" and not self.without_qos()

    def slow_stations(self) -> bool:
        """Whether mac80211 has a CoDel for slow stations."""
        asked = self.v["mac80211.slow_stations"]
        first, last = SLOW_STATIONS
        return asked == "true" or (asked == "auto" and first <= version(self.v["kernel"]) <= last)

    def takes_time(self) -> bool:
        """Whether a received packet takes a radio's host any time."""
        own = self.listed("stations.rx") if self.differ("rx") else []
        rest = [self.v["host.ap_rx"], *([self.v["host.sta_rx"]] if len(own) < self.stations else [])]
        return any(units.span(x) for x in (*own, *rest))

    def has_tcp(self) -> bool:
        """Whether there is a TCP flow."""
        return self.v["traffic.rrul"] == "true" or any(int(n) for way in ("up", "down") for n in self.own(f"tcp_{way}"))

    def dsss(self) -> set[bool]:
        """Whether stations are 802.11b's: all, none or some."""
        own = self.listed("stations.rate") if self.differ("rate") else []
        rates = (own + [self.v["wifi.rate"]] * self.stations)[: self.stations]
        return {self.v["wifi.standard"] in ("b", "g") and units.rate(r) in DSSS for r in rates}

    def has_cck(self) -> bool:
        """Whether Minstrel-HT has CCK rates at one of its cards."""
        ends = (e for e in ("ap", "sta") if self.v[f"{e}.rate_control"] == "minstrel_ht" and self.drivers(e) & ATH9K)
        return self.v["wifi.band"] == "2.4 GHz" and any(ends)

    def sends_rts(self) -> bool:
        """Whether a card of ath9k's puts an RTS before anything: by its threshold, or before a chain's later links."""
        control = {self.v[f"{e}.rate_control"] for e in ("ap", "sta") if self.drivers(e) & ATH9K}
        links = self.v["fixed.rts_fallback"] == "true" and int(self.v["fixed.links"]) > 1
        chains = "minstrel_ht" in control or (bool(control & {"fixed", "ideal"}) and links)
        return chains or (bool(control) and self.v["ath9k.rts_threshold"] != "off")

    def own_rts_alone(self) -> bool:
        """Whether ath9k's threshold is no more than what its driver makes of it: mac80211 asks for no RTS."""
        ath9k = (self.drivers("ap") | self.drivers("sta")) & (ATH9K | {"sora"})
        return ath9k == {"ath9k"} and version(self.v["kernel"]) >= NO_RTS_ASKED

    def under_qdisc(self, end: str) -> bool:
        """Whether a discipline stands above one of its cards."""
        drivers, kernel = self.drivers(end), version(self.v["kernel"])
        htc = "ath9k_htc" in drivers and (self.v[f"{end}.above"] == "qdisc" or kernel < (6, 2))
        ath10k = "ath10k" in drivers and kernel < (4, 15)
        return htc or ath10k or "ath9k_tidq" in drivers


def keys(scenario: Scenario) -> dict[str, str]:
    """Each key that was given and changes nothing here, and why. Raises ScenarioError.

    Of a scenario that comes with the package, those of its own keys are left out that wait in it for what is set on top.
    """
    return _keys(_Read(scenario), scenario)


def _keys(t: _Read, scenario: Scenario) -> dict[str, str]:
    found = _every(t, scenario)
    waits = {key for key in found if key not in dict(scenario.overrides)} if shipped.is_one(scenario.path) else set()
    if waits:
        bare = Scenario(scenario.text, scenario.path)
        waits &= _every(_Read(bare), bare).keys()
    return {key: why for key, why in found.items() if key not in waits}


def _every(t: _Read, scenario: Scenario) -> dict[str, str]:
    default = catalogue.defaults()
    parts = Relevance(t)
    told = (key for key in sorted(t.given) if t.v[key] != default[key] or (t.wifi and key in OF_STANDARDS))
    given = {key: _why(t, parts, key) for key in told}
    above = overruled.keys(t, t.stations, (key for key, _ in scenario.overrides))
    return dict(sorted((above | {key: why for key, why in given.items() if why}).items()))


def notes(scenario: Scenario) -> list[str]:
    """A sentence for each reason why keys that were given change nothing here, or less than they seem to.

    Raises ScenarioError.
    """
    t = _Read(scenario)
    by_reason: dict[str, list[str]] = {}
    for key, why in _keys(t, scenario).items():
        by_reason.setdefault(why, []).append(key)
    return [*(_sentence(t, keys, why) for why, keys in by_reason.items()), *_others(t, scenario)]


def others(scenario: Scenario) -> list[str]:
    """Of these what is not of single keys: lists, drivers, floors. Raises ScenarioError."""
    return _others(_Read(scenario), scenario)


def _others(t: _Read, scenario: Scenario) -> list[str]:
    told = t.given & dict(scenario.overrides).keys() if shipped.is_one(scenario.path) else t.given
    return [*_lists(t, told), *_lists_of_flows(t), *_never(t), *_floor(t), *still.guides(t)]


def _sentence(t: _Read, keys: Sequence[str], why: str) -> str:
    if len(keys) == 1:
        return f"{keys[0]} = {t.v[keys[0]]} changes nothing here: {why}"
    return f"{', '.join(keys)} change nothing here: {why}"


def _why(t: _Read, parts: Relevance, key: str) -> str:
    """Why it says nothing; empty where it says something."""
    section, _, name = key.partition(".")
    if absent := _traffic(t, section, name) or _radios(t, key):
        return absent
    if t.wifi and key in OF_STANDARDS:
        return "" if parts.of(key) else _standard(t, key)
    if section == "tcp" and name in SMALL_QUEUE["cotsq"]:
        return "" if name in SMALL_QUEUE[t.v["tcp.tsq"]] else f'tcp.tsq is "{t.v["tcp.tsq"]}"'
    if t.wifi and name in ("qdisc", "above") and section in ("ap", "sta"):
        return _above(t, section, name)
    if t.wifi and section in _core.registry()["driver"]:
        cards = t.drivers("ap") | t.drivers("sta")
        there = section in cards or (section == "ath9k" and bool(cards & {"ath9k_tidq", "sora"}))
        return "" if there else f"no card has the driver {section}"
    there = (key == "backhaul.present" and t.wifi) or parts.of(key)
    return (_of_queues(t, section, name) or still.why(t, section, name)) if there else _missing(t, section)


def _of_queues(t: _Read, section: str, name: str) -> str:
    """Of keys of queues that are there."""
    if (section, name) == ("backhaul", "at") and t.v["backhaul.qdisc"] == "pfifo_fast":
        return "backhaul.qdisc is pfifo_fast, which the other end has, too"
    if (section, name) == ("hack", "timer") and t.v["hack.policy"] != "timer":
        return f'hack.policy is "{t.v["hack.policy"]}"'
    if (section, name) == ("htb", "quantum"):
        return "htb has one class here, which takes turns with nobody"
    said = _of_netem(t, name) if section == "netem" else ""
    return said or (_of_ecn(t) if name in ("ecn", "ce_threshold") and section != "tcp" else "")


def _of_ecn(t: _Read) -> str:
    """Of marks in place of losses: only TCP has packets that can bear them."""
    if not t.has_tcp():
        return "no packet can be marked: there is no TCP flow"
    asked = t.v["tcp.ecn"] == "true" or any(cc in NEEDS_ECN for cc in t.controls())
    return "" if asked else "no packet can be marked: tcp.ecn is false"


def _of_netem(t: _Read, name: str) -> str:
    """Of keys that say how something is that does not happen."""
    there = {k for k, none in NETEM.items() if t.v[f"netem.{k}"] != none}
    if name in ("loss", "loss_correlation") and "gemodel_p" in there:
        return "netem.gemodel_p is given, which stands in loss's place"
    if name == "ecn" and not there & {"loss", "gemodel_p"}:
        return "nothing is lost: netem.loss is 0, and netem.gemodel_p off"
    # a correlation draws a number of its own at the begin, behind which all chances draw others
    need = "" if name.endswith("_correlation") and there - {"rate"} else NEEDS.get(name, "")
    return f"netem.{need} is {NETEM[need]}" if need and need not in there else ""


def _traffic(t: _Read, section: str, name: str) -> str:
    """Of keys of flows and echoes: which of these are not there."""
    rrul, tcp = t.v["traffic.rrul"] == "true", t.has_tcp()
    if (
        (section == "tcp" and name not in EVERY_PACKET)
        or section in _core.registry()["cc"]
        or f"{section}.{name}" in ("traffic.cc", "traffic.tcp_dscp", "traffic.tcp_delay")
    ):
        return "" if tcp else "there is no TCP flow"
    if section not in ("traffic", "stations"):
        return ""
    if name in ("udp_payload", "udp_dscp", "udp_sndbuf"):
        udp = any(rate != "off" for way in ("up", "down") for rate in t.own(f"udp_{way}"))
        return "" if udp else "there is no UDP flow"
    if name.startswith("ping_"):
        return "" if t.v["traffic.ping"] != "off" else "traffic.ping is off"
    if name in ("marks", "rrul_echoes"):
        return "" if rrul else "traffic.rrul is false"
    marked = (rrul and t.v["traffic.marks"] == "true") or t.v["traffic.tcp_dscp"] != "CS0"
    return "no TCP flow has a mark" if name == "mark_acks" and not marked else ""


def _radios(t: _Read, key: str) -> str:
    """Of keys of all radios: what none of them has."""
    if not t.wifi:
        return ""
    cards = t.drivers("ap") | t.drivers("sta")
    if key.startswith("mac80211.aql") and not cards & {"ath10k", "mt76"}:
        return "no card has the driver ath10k or mt76, which ask for airtime queue limits"
    if key == "reorder.timeout":
        return _has_own_buffers(t, cards) or ("" if t.aggregates() else NO_AGREEMENT)
    if said := _of_standard(t, key) or _of_mac80211(t, key, cards):
        return said
    if key.startswith("fixed."):
        return _own_chain(cards) or still.rates(t)
    return "a received packet takes no host any time" if key == "host.backlog" and not t.takes_time() else ""


def _own_chain(cards: set[str]) -> str:
    """Why nobody's tries are the scenario's: each card's hardware or firmware has its own."""
    if cards == {"ath9k_htc"}:
        return "ath9k_htc's firmware has a chain of its own"
    anew = all(_core.drivers()[card]["forms_anew"] for card in cards)
    whose = " and ".join(f"{card}'s" for card in sorted(cards))
    return f"{whose} hardware sends each PPDU once and forms the next anew" if anew else ""


def _has_own_buffers(t: _Read, cards: set[str]) -> str:
    """Why mac80211's reorder buffers are nobody's: each card's driver has its own."""
    own = all(_core.drivers()[card]["reorders"] and t.v.get(f"{card}.reorder", "true") == "true" for card in cards)
    names = sorted(cards)
    if not own:
        return ""
    return f"{names[0]} has a reorder buffer of its own" if len(names) == 1 else f"{' and '.join(names)} have their own"


def _of_standard(t: _Read, key: str) -> str:
    """Of keys of what a standard or a band does not have."""
    section, _, name = key.partition(".")
    if section in ("edca", "edca_ap"):
        return (
            f"802.11{t.v['wifi.standard']} has no access categories"
            if t.without_qos()
            else categories.why(t, section, name, t.drivers("sta" if section == "edca" else "ap"))
        )
    if section == "ath9k" and (said := _of_ath9k(t, name)):
        return said
    if key == "wifi.basic_rate" and t.v["wifi.standard"] == "b":
        return "802.11b's control frames have wifi.dsss_basic_rate"
    if name == "he_ampdu_extension" and section in t.drivers("ap") | t.drivers("sta") and t.v["wifi.standard"] != "ax":
        return f"802.11{t.v['wifi.standard']} has no such exponent"
    return _of_dsss(t, key) if key in OF_DSSS else ""


def _of_ath9k(t: _Read, name: str) -> str:
    """Of ath9k's keys: what is for aggregates, for frames under an agreement, or for those behind an RTS."""
    if name in OF_AGGREGATES and not t.aggregates():
        return "no frame goes in an aggregate"
    if name in OF_AGREEMENTS and not t.aggregates():
        return NO_AGREEMENT
    if name == "rts_threshold" and t.own_rts_alone() and not t.aggregates():
        return f"{NO_AGREEMENT}, for which alone ath9k has it (kernel {t.v['kernel']})"
    if name == "rts_rate" and not t.sends_rts():
        return "no frame of ath9k's goes behind an RTS (ath9k.rts_threshold is off)"
    return ""


def _of_dsss(t: _Read, key: str) -> str:
    """Of keys of 802.11b stations, and of frames as theirs."""
    old = t.dsss()
    if key != "wifi.erp_protection" and t.has_cck():
        return ""
    if True not in old:
        return "no station is 802.11b's (wifi.standard, wifi.rate, stations.rate)"
    return "all stations are 802.11b's" if key == "wifi.erp_protection" and False not in old else ""


def _of_mac80211(t: _Read, key: str, cards: set[str]) -> str:
    """Of keys of queues that are not there."""
    if key in OF_AIRTIME and not (ap := t.drivers("ap")) & TELL_AIRTIME:
        return f"{min(ap)} tells mac80211 of no airtime"
    if key in OF_TIDQ and "ath9k_tidq" not in cards:
        return "no card has the driver ath9k_tidq, which has queues of its own"
    slow = key.startswith("mac80211.slow_") and key != "mac80211.slow_stations"
    return "no station counts as slow (mac80211.slow_stations)" if slow and not t.slow_stations() else ""


def _standard(t: _Read, key: str) -> str:
    """Of a key of other standards, also where it has its default: who writes it there means it. What is so anyway is not told."""
    standard = t.v["wifi.standard"]
    if standard in ("a", "b", "g") and t.v[key] == AS_OF_OLD.get(key):
        return ""
    has = "ax" if key == "wifi.short_gi" and standard == "ax" else "no_ht" if standard in ("a", "b", "g") else "ht"
    what = {
        ("wifi.mcs", "no_ht"): "rates, not MCSs (wifi.rate)",
        ("wifi.width_mhz", "no_ht"): "channels of one width, 20 MHz",
        ("wifi.short_gi", "no_ht"): "one guard interval, the long one",
        ("wifi.short_gi", "ax"): "guard intervals of its own (wifi.gi)",
        ("wifi.rate", "ht"): "MCSs, not rates (wifi.mcs)",
    }.get((key, has), "no such thing")
    return f"802.11{standard} has {what}"


def _above(t: _Read, end: str, name: str) -> str:
    """Of a discipline above a card, and of the key that puts one there."""
    drivers = t.drivers(end)
    if name == "above":
        return "" if "ath9k_htc" in drivers else f"{end}.driver is not ath9k_htc"
    if t.under_qdisc(end):
        return ""
    which = ", ".join(sorted(drivers))
    if drivers == {"linksys"}:
        return "linksys has queues of its own, a station and category each"
    if drivers == {"ath9k"} and t.v["kernel"] in BEFORE_TXQS:
        return (
            f"here ath9k has mac80211's queues; driver = \"ath9k_tidq\" is the one below kernel {t.v['kernel']}'s qdisc"
        )
    return f"{which} has mac80211's queues, not a qdisc (kernel {t.v['kernel']})"


def _never(t: _Read) -> Iterator[str]:
    """What ran nowhere: a driver with queues that its kernel did not have."""
    ends = [end for end in ("ap", "sta") if t.wifi and "ath9k" in t.drivers(end)]
    if ends and t.v["kernel"] in BEFORE_TXQS:
        yield (
            f"kernel {t.v['kernel']} had no mac80211 queues for ath9k, which came with 4.10 and are what {' and '.join(ends)} "
            f'{"has" if len(ends) == 1 else "have"} here: driver = "ath9k_tidq" has the driver\'s own, below a qdisc'
        )


def _missing(t: _Read, section: str) -> str:
    """What is not there."""
    names = _core.registry()
    if section in names["qdisc"] and section != "htb":
        return f"there is no {section}"
    if section in names["cc"]:
        return f"no flow has {section}"
    of = {"channel": "channel.on is false", "floor": "channel.on is false"}
    if t.wifi:
        of |= {"tao": "tao.enabled is false", "hack": "hack.policy is off"}
        rates = {"aasrc": "aasrc, aarc or aarc_snr", "aarc": "aarc or aarc_snr", "minstrel_ht": "minstrel_ht"}
        of |= {
            s: f"no card's rate_control is {which} (ap.rate_control, sta.rate_control)" for s, which in rates.items()
        }
        of |= dict.fromkeys(("backhaul", "nic", "ethernet", "bql"), "backhaul.present is false")
        of |= dict.fromkeys(("htb", "bottleneck"), "topology.kind is wifi")
    elif t.v["bottleneck.qdisc"] == "cake":
        of["htb"] = "bottleneck.qdisc is cake"
    return of.get(section, "what it belongs to is not there" if t.wifi else "topology.kind is wired")


def _lists(t: _Read, told: Collection[str]) -> Iterator[str]:
    """Lists of stations that are too long, of these those ``told`` of, or too short."""
    for key in sorted(k for k in t.given if t.wifi and k.startswith("stations.") and t.v[k] != "off"):
        n = len(t.listed(key))
        if n > t.stations and key in told:
            yield f"{key} has {n} values for {t.stations} station{'s' if t.stations > 1 else ''}: those behind are not used"
        if n < t.stations:
            yield f"{key} has {n} value{'s' if n > 1 else ''} for {t.stations} stations: the others have what holds for all"


def _lists_of_flows(t: _Read) -> Iterator[str]:
    """Lists of flows, each way in turn, that are too long."""
    rrul = 4 if t.v["traffic.rrul"] == "true" else 0
    flows = max(rrul, *(int(n) for way in ("up", "down") for n in t.own(f"tcp_{way}")))
    for key in ("traffic.cc", "traffic.tcp_delay"):
        if t.v[key] != "off" and (n := len(t.listed(key))) > flows > 0:
            yield f"{key} has {n} values for {flows} TCP flow{'s' if flows > 1 else ''} each way: those behind are not used"


def _floor(t: _Read) -> Iterator[str]:
    """Floors that have fewer places than there are stations."""
    if not t.wifi or t.v["channel.on"] != "true":
        return
    given = len(t.listed("stations.snr")) if t.v["stations.snr"] != "off" else 0
    if float(t.v["floor.walk"].split()[0]) > 0:
        if (walkers := t.stations - min(given, t.stations)) > 1:
            yield f"floor.walk: {walkers} stations walk the same way at the same time; stations.snr keeps one from it"
    elif int(t.v["floor.topology"]) and t.stations > 4:
        yield (
            f"floor.topology = {t.v['floor.topology']} has four stations, as in the thesis: those from sta5 on stand at "
            "places that are drawn for them, in no topology of its"
        )
