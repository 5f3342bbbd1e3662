"""A standing Wi-Fi scenario on the model: what it is set to, its channel, the figures of a run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from ..linux.cards import AROUND_BODY, AROUND_CCMP
from ..linux.own import BY_MODE, DENSITY, DSSS, HACK, LEGACY_MBIT, MODES
from ..scenario import show
from .kernel_case import LATER_MS, profile
from .linux_case import Case, chosen, complete, mcs, per_radio

#: The model's names of congestion controls that the kernel cannot call so (linux/modules/wavetank_bbr).
MODEL_CC = {"bbr_plus": "bbr-plus", "bbr_dev": "bbr-dev"}
DRIVERS = ("ath9k", "ath9k_htc", "ath10k", "ath9k_tidq", "mt76", "iwlwifi")
#: The marks of RRUL's flows, as TOS.
RRUL = [0, 32, 160, 184]
LEAD_IN_S = 1.0
#: The guest's flood takes no time: when half of its send buffer is free it fills it in one instant. (At an even rate packets
#: come while the hardware is full, and each that does turns ath9k's retry queue round, which tears aggregates where MPDUs are
#: lost.)
FLOOD = "40 Gbit/s"
#: Begin the names of those figures: the share in percent, an MCS, one of 802.11b's rates or of 802.11a's and g's each.
SHARE = ("mcs_", "cck_", "ofdm_")
#: Of them those without MCS, by the model's name for what they are of.
OLD = {"dsss": "cck", "ofdm": "ofdm"}

# Hosts and cards as the second water has them; see linux/README.md and linux/radio/params.c.
_SCENARIO = """
name = "linux-standing"
kernel = "6.12"
[topology]
kind = "wifi"
[host]
hz = 100
server_rx = 0
[tcp]
max_header = 96 # WLAN without mesh, no IP tunnels (include/linux/netdevice.h)
rx_truesize = 4352 # a full frame in the virtual card's copy (skb_copy: 2112 bytes, out of kmalloc-4k), over veth the server's too
rx_per_buffer = 2 # and has room for a second one behind it
rmem_max = "32 MiB"
wmem_max = "32 MiB"
[wifi]
standard = "n"
width_mhz = 40
short_gi = true
band = "5 GHz"
[fixed] # one rate, seven tries
links = 1
tries = 7
rts_fallback = false
[backhaul]
veth = true
delay = 0
[ethernet] # which has no rate, no ring and no NAPI
rate = "400 Gbit/s"
ring = 65536
bql = false
[nic]
gro = false
rx_usecs = 0
[time]
tail = 0
[traffic]
ping_payload = 64
ping_udp = true # a program answers, as in linux/run-wifi
ping_stations = 1
rrul_echoes = false
start_jitter = 0
"""


def cannot(case: Case) -> str:  # noqa: PLR0911 - a reason a line
    """Why the model cannot run this scenario; empty if it can."""
    names, c, radio = _core.registry(), case.config, case.config["radio"]
    drivers = {DRIVERS[per_radio(radio["mode"], i)] for i in range(c["stations"] + 1)}
    if missing := sorted(drivers - set(names["driver"])):
        return f"the driver {missing[0]} is not there yet"
    if chosen(c) and len(set(mcs(c))) > 1:
        return "rate control at some stations only is not there yet"
    if chosen(c) and c["rc"] not in names["rate"]:
        return f"the rate control {c['rc']} is not there yet"
    if chosen(c) and drivers != {"ath9k"}:
        return "rate control over a card whose firmware chooses is not there yet"
    if c["wmm"] != radio["ht"]:
        return "in the model 802.11n has WMM, and 802.11a has none"
    if c["tos"] not in (0, RRUL):
        return "marks other than RRUL's are not there yet"
    if c["traffic"] == "tcp" and MODEL_CC.get(c["cc"], c["cc"]) not in names["cc"]:
        return f"the congestion control {c['cc']} is not there yet"
    for key in ("qdisc", "ap_qdisc", "sta_qdisc"):
        if c[key] and c[key].split()[0] not in names["qdisc"]:
            return f"the queueing discipline {c[key]} is not there yet"
    return ""


def _losses(ppm: Any) -> dict[str, str]:
    """The radio's losses: the same for all MCSs, or a list by MCS, whose last holds for the rest in both."""
    if isinstance(ppm, list) and len(set(ppm)) > 1:
        return {"wifi.mcs_error": ", ".join(repr(x / 1e6) for x in ppm)}
    return {"wifi.error_rate": repr(per_radio(ppm, 0) / 1e6)}


def _ghz2(lines: list[str]) -> dict[str, str]:
    """The band at 2.4 GHz, and what hostapd's lines say of 802.11b's rates there."""
    said = dict(line.split("=", 1) for line in lines)
    sets = {"wifi.band": "2.4 GHz", "wifi.short_preamble": "true" if said.get("preamble") == "1" else "false"}
    if "basic_rates" in said:
        sets["wifi.dsss_basic_rate"] = f"{max(map(int, said['basic_rates'].split())) * 100} kbit/s"
    return sets


def _standard(radio: dict[str, Any], ghz2: bool, sets: dict[str, str]) -> None:
    """What is not of 802.11n in 40 MHz."""
    sets["wifi.width_mhz"] = str(per_radio(radio["fixed_mhz"], 0))
    if radio["vht"]:
        sets |= {
            "wifi.standard": "ax" if radio["he"] else "ac",
            "wifi.streams": str(radio["streams"]),
        }
    if not radio["ht"]:
        for key in ("wifi.mcs", "ath9k.ampdu_frames", "wifi.width_mhz"):
            del sets[key]
    if not radio["ht"] and not ghz2:
        sets |= {"wifi.standard": "a", "wifi.rate": f"{LEGACY_MBIT[radio['fixed_legacy']]} Mbit/s"}


def _legacy(c: dict[str, Any]) -> dict[str, str]:
    """802.11b and g: each station's rate by its place in mac80211's band, and what 802.11b's stations ask of the others."""
    radio, band = c["radio"], [*DSSS, *(mbit * 10**6 for mbit in LEGACY_MBIT)]
    every = range(1, c["stations"] + 1)
    rates = [f"{band[per_radio(radio['fixed_legacy'], i)] // 1000} kbit/s" for i in every]
    return {
        "wifi.standard": "b" if all(per_radio(radio["dsss"], i) for i in every) else "g",
        "wifi.rate": rates[0],
        "stations.rate": ", ".join(rates),
        "wifi.erp_protection": "true" if radio["erp_protection"] else "false",
    }


def firmware(driver: str, radio: dict[str, Any], ccmp: bool) -> dict[str, str]:
    """The section of a card whose firmware aggregates, as the radio's parameters have it."""
    of = {name: radio[name][MODES[driver]] for name in BY_MODE}
    every = {
        "depth": of["hw_depth"],
        "tid_depth": of["tid_depth"],
        "ampdu_frames": of["fifo_frames"],
        "amsdu_msdus": of["amsdu_msdus"],
        "airtime": f"{of['max_us']} us",
        "report": f"{of['report_us']} us",
        "density": f"{next(ns for ns, field in DENSITY.items() if field == radio['density'])} ns",
    }
    if driver == "mt76":
        every |= {"tokens": of["fifo"], "tries": of["retries"] + 1}
    elif driver == "iwlwifi":
        every |= {"tfds": of["fifo"], "tries": of["retries"] + 1, "tso": show(radio["tso"])}
    else:
        every |= {"msdus": of["fifo"], "retries": of["retries"]}
    if driver == "iwlwifi" and radio["vht"]:
        every["mpdu_bytes"] = of["amsdu_bytes"]  # its driver takes an MPDU's limit for an A-MSDU's
    elif radio["vht"]:
        every["mpdu_bytes"] = of["amsdu_bytes"] + AROUND_BODY + (AROUND_CCMP if ccmp else 0)
    else:
        every["amsdu_bytes"] = of["amsdu_bytes"]
    return {f"{driver}.{key}": str(value) for key, value in every.items()}


def _span(seconds: float) -> str:
    return f"{round(seconds * 1e9)} ns"


def overrides(config: dict[str, Any], phase_ms: float = 0.0) -> list[tuple[str, str]]:
    """The ``--set`` overrides that turn the common scenario into this one.

    Args:
        config: with every key (see :func:`.linux_case.complete`).
        phase_ms: how much later the flows start against the echo.
    """
    c, radio = config, config["radio"]
    up, down = c["dir"] in {"up", "both"}, c["dir"] in {"down", "both"}
    tcp = c["traffic"] == "tcp"
    flood = "off" if tcp else FLOOD
    cc = MODEL_CC.get(c["cc"], c["cc"])
    sets = {
        "kernel": profile(c["kernel"]),
        "time.lead_in": _span(LEAD_IN_S + phase_ms / 1e3),
        "time.flows": _span(c["secs"]),
        "time.warmup": _span(c["warmup"]),
        "time.sample": _span(c["step"]),
        "wifi.stations": str(c["stations"]),
        "wifi.mcs": str(mcs(c)[0]),
        "wifi.tx_sk_pacing_shift": str(radio["pacing_shift"]),
        "ap.driver": DRIVERS[per_radio(radio["mode"], 0)],
        "sta.driver": DRIVERS[per_radio(radio["mode"], 1)],
        "host.sta_rx": f"{radio['rx_ns']} ns",
        "host.ap_rx": f"{radio['rx_ns']} ns",
        "traffic.tcp_up": str(c["flows"] if tcp and up else 0),
        "traffic.tcp_down": str(c["flows"] if tcp and down else 0),
        "traffic.udp_up": flood if up else "off",
        "traffic.udp_down": flood if down else "off",
        "traffic.udp_payload": str(c["payload"]),
        # SO_SNDBUFFORCE 1 MiB, which the kernel doubles
        "traffic.udp_sndbuf": "2 MiB",
        "traffic.ping": _span(c["ping_ms"] / 1e3),
        "traffic.rrul": "true" if c["tos"] == RRUL else "false",
        # the guest marks the sockets that send; tcp_reflect_tos is 0
        "traffic.mark_acks": "false",
        "tcp.cc": cc,
        "tcp.rcvbuf": str(c["rcvbuf"]) if c["rcvbuf"] else "off",
        "tcp.rcvlowat": str(c["rcvlowat"]),
        "tcp.limit_output_bytes": str(c["limit_output_bytes"]),
        "tcp.pacing_ca_ratio": str(c["ca_ratio"]),
        "tcp.pacing_ss_ratio": str(c["ss_ratio"]),
        # UDP runs between the stations and the AP itself
        "backhaul.present": "true" if tcp else "false",
    }
    for driver in {sets["ap.driver"], sets["sta.driver"]} & {"ath10k", "mt76", "iwlwifi"}:
        sets |= firmware(driver, radio, c["ccmp"])
    sets["mt76.reorder"] = "false"  # the reorder buffer is mac80211's
    sets |= _losses(radio["error_ppm"])
    # 0: the virtual card tells of every frame at once
    sets |= {f"ath9k.rimt_{k}": f"{radio[f'rimt_{k}_us']} us" for k in ("first", "last")}
    # 6.12 puts TXQs above ath9k_htc; the virtual card has the qdisc of older kernels there unless it is told otherwise
    above = "qdisc" if radio["htc_qdisc"] else "txqs"
    sets |= {"ap.above": above, "sta.above": above}
    sets |= {f"{cc}.{key}": str(value) for key, value in c["cc_set"].items()}
    if chosen(c):
        sets |= {"wifi.mcs": str(8 * radio["streams"] - 1), "ap.rate_control": c["rc"], "sta.rate_control": c["rc"]}
    if c["channel"]:
        sets |= {"channel.on": "true", **{f"channel.{k}": show(v) for k, v in c["channel"].items()}}
    if radio["rts"]:
        sets["ath9k.rts_threshold"] = "0"
    sets["ath9k.rts_rate"] = "lowest" if radio["rts_lowest"] else "basic"
    if len(set(mcs(c))) > 1:
        sets["stations.mcs"] = ", ".join(map(str, mcs(c)))
    if c["gso_max_segs"]:
        sets["tcp.gso_max_segs"] = str(c["gso_max_segs"])
    if c["rtt_ms"] and tcp:
        # what S sends is delayed
        sets |= {
            "backhaul.qdisc": "netem",
            "backhaul.at": "server",
            "netem.delay": _span(c["rtt_ms"] / 1e3),
            "netem.limit": "100000",
        }
    # in the kernel `qdisc` is of the side that sends; the model may have it on both, for nothing waits on the other
    for end in ("ap", "sta"):
        if c["qdisc"] or c[f"{end}_qdisc"]:
            kind, *words = (c[f"{end}_qdisc"] or c["qdisc"]).split()
            sets[f"{end}.qdisc"] = kind
            sets |= {f"{kind}.{k}": v for k, v in zip(words[::2], words[1::2], strict=True)}
    sets["ath9k.ampdu_frames"] = str(radio["max_frames"])
    sets["ath9k.keep_turn"] = "true" if radio["keep_turn"] else "false"
    sets["wifi.encryption"] = "ccmp" if c["ccmp"] else "none"
    sets["ath9k.edma"] = "true" if radio["edma"] else "false"
    sets["tao.enabled"] = "true" if radio["tao"] else "false"
    sets["hack.policy"] = HACK[radio["hack"]]
    _standard(radio, c["ghz2"], sets)
    if c["ghz2"]:
        sets |= _ghz2(c["hostapd"]) | ({} if radio["ht"] else _legacy(c))
    if radio["error_down_ppm"]:  # element 0 is the AP's own and unused; the last holds for the rest
        rates = [per_radio(radio["error_down_ppm"], i) / 1e6 for i in range(1, c["stations"] + 1)]
        sets["stations.error_down"] = ", ".join(map(repr, rates))
    return list(sets.items())


def figures(config: dict[str, Any], out: Any, phase_ms: float = 0.0) -> dict[str, float]:
    """The judged figures of one run of the model, as `linux/standing/record` computes the kernel's."""
    start = LEAD_IN_S + phase_ms / 1e3
    low, high = start + config["warmup"] - 1e-3, start + config["secs"] + 0.01
    tcp = config["traffic"] == "tcp"
    values: dict[str, float] = {}
    cwnd: list[Any] = []
    srtt: list[Any] = []
    goodput = 0.0
    for flow in out["flows"]:
        s = flow["series"]
        t = np.asarray(s["t"])
        within = (t >= low) & (t <= high)
        moved = np.asarray(s["acked" if tcp else "received"])[within]
        goodput += 8e-6 * float(moved[-1] - moved[0]) / float(t[within][-1] - t[within][0])
        if tcp:
            cwnd.append(np.asarray(s["snd_cwnd"])[within])
            srtt.append(np.asarray(s["srtt_ms"])[within])
    values["goodput_mbit"] = goodput
    if tcp:
        # as the record has it: of the flows that there are at a sample; a flow whose SYNs are lost is none yet
        there = ~np.all(np.isnan(cwnd), axis=0)
        values["cwnd_p50"] = float(np.median(np.nansum(cwnd, axis=0)[there]))
        values["srtt_p50"] = float(np.nanmedian(np.concatenate(srtt)))
    ping = out["pings"][0]
    t = np.asarray(ping["t"])
    rtts = sorted(r for r in np.asarray(ping["rtt_ms"])[(t >= low) & (t <= high)] if not math.isnan(r))
    if rtts:
        values["ping_p50"] = float(rtts[round(0.5 * (len(rtts) - 1))])
    senders = {"ampdu_mean": ["ap" if config["dir"] == "down" else "sta1"]}
    if (config["sta_qdisc"] and config["dir"] == "down") or not config["rcvbuf"]:
        stations = [f"sta{i + 1}" for i in range(config["stations"])]
        senders["ack_ampdu_mean"] = stations if config["dir"] == "down" else ["ap"]
    for figure, nodes in senders.items():
        sizes = np.sum([out["nodes"][n]["ampdu_hist"] for n in nodes], axis=0)
        if sizes[1:].sum():
            values[figure] = float((np.arange(len(sizes)) * sizes)[1:].sum() / sizes[1:].sum())
    if config["radio"]["hack"]:
        values["acks_carried"] = carried(out["nodes"])
    if chosen(config):
        sent: dict[str, int] = {}
        sender = out["nodes"]["ap" if config["dir"] == "down" else "sta1"]
        for used, _, _, _, _, _, mpdus, phy, *_ in sender["modes"]:
            name = f"{OLD.get(phy, 'mcs')}_{used}"
            sent[name] = sent.get(name, 0) + mpdus
        values |= {name: 100 * n / sum(sent.values()) for name, n in sent.items()}
        if config["rc"].startswith(("aasrc", "aarc")):
            values["probes"] = float(sender["rate"]["probes"])
    return values


def carried(nodes: Any) -> float:
    """The share of the stations' pure ACKs that rode, percent of the whole run's."""
    acks = [node["acks"] for name, node in nodes.items() if name != "ap"]
    restored, made = (float(sum(a[k] for a in acks)) for k in ("restored", "made"))
    return 100 * restored / made


def channel_trace(name: str, config: dict[str, Any], i: int) -> bytes:
    """The channel of run ``i`` of a scenario, as the virtual radio takes it; ``linux/standing/record`` asks for it.

    It begins at the model's time 0, ``LEAD_IN_S`` before the flows of the first run.
    """
    sets = overrides(complete(name, config), i * LATER_MS)
    csi = config.get("rc", "").startswith("aarc")
    trace = _core.channel_trace(_SCENARIO, name, sets, i + 1, csi)
    assert trace is not None, "a scenario without a channel has no trace"
    return trace


def run(case: Case, i: int) -> dict[str, float]:
    """The figures of the model's run ``i``, with the kernel's seed and times of it."""
    later = i * LATER_MS
    return figures(case.config, _core.run(_SCENARIO, case.name, overrides(case.config, later), i + 1), later)
