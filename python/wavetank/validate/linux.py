"""Against the real mac80211: Wi-Fi scenarios that Linux 6.12 ran over a virtual radio in virtual time.

The reference is a folder with ``scenarios.json`` (name to configuration) and ``summary.csv`` (name, figure, and the kernel's
runs ``run1``, ``run2`` ...: each with another seed and the flows 13.7 ms later than in the one before). The model runs as
often, with the same seeds and times. Compared are the medians of both sides' runs: where cwnd stands still once slow start is
over, the same kernel differs from seed to seed by a factor of two, and a single run decides little. Where a scenario has a
``channel``, each run has another one, the same on both sides; so runs are compared in pairs, and a figure's error is the
median of the pairs' (a median over runs would be one channel's). Figures, over ``warmup``
<= t <= ``secs``: goodput; cwnd a sample summed over the flows, median; srtt, median over all rows; ping of the first
station, median; mean size of the sender's A-MPDUs (station 1 for uploads, the AP for downloads), attempts included; where rate
control chooses, each MCS's share of the sender's MPDUs, attempts included, the mean over the runs; where that is aasrc or aarc,
how many probes it sent, of the whole run; where the stations have a
discipline of their own, the mean size of their A-MPDUs of TCP ACKs; under TCP/HACK the share of TCP's ACKs that rode, of the
whole run. A figure holds within 5 % (goodput), 5 points (an MCS's share), 3 points (the ACKs') or 15 % of the kernel's.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core, files, workers
from ..errors import UserError, unknown
from ..linux import tree
from ..linux.own import HACK, LEGACY_MBIT
from ..scenario import show
from .report import Report, Row, run_all

PATH = Path(__file__).parents[1] / "data" / "reference" / "linux-standing"
#: Figure: largest relative difference of the medians at which it holds.
TOLERANCES: dict[str, float] = {
    "goodput_mbit": 0.05,
    "cwnd_p50": 0.15,
    "srtt_p50": 0.15,
    "ping_p50": 0.15,
    "ampdu_mean": 0.15,
    "ack_ampdu_mean": 0.15,
    "probes": 0.15,
}
#: Figure, a share in percent: largest difference of the medians in points.
POINTS: dict[str, float] = {"acks_carried": 3.0}
#: Where rate control chooses: the largest difference of an MCS's share of the sender's MPDUs, in points.
MCS_POINTS = 5.0
#: Begins the names of those figures: the share in percent, an MCS each.
SHARE = "mcs_"
#: Begins the names of the standard errors of the shares' mean differences, in points.
SE = "se_"
#: Every key of a scenario that the mapping knows, and its value where it is absent (None: must be there).
CONFIG: dict[str, Any] = {
    "runs": 9,
    "stations": 1,
    "dir": "up",
    "traffic": "tcp",
    "flows": 1,
    "cc": "cubic",
    "cc_set": {},
    "payload": 1472,
    "secs": 12,
    "step": 0.2,
    "warmup": 4,
    "rtt_ms": 0,
    "gso_max_segs": 1,
    "limit_output_bytes": 1048576,
    "rcvbuf": 64 << 20,
    "rcvlowat": 128 << 10,
    "ca_ratio": 120,
    "ss_ratio": 200,
    "tos": 0,
    "ping_ms": 100,
    "qdisc": "",
    "ap_qdisc": "",
    "sta_qdisc": "",
    "rc": "minstrel_ht",
    "channel": {},
    "wmm": True,
    "radio": {},
}
#: The same of ``radio``. -1: rate control chooses.
RADIO: dict[str, Any] = {
    "fixed_mcs": -1,
    "pacing_shift": 7,
    "error_ppm": 0,
    "rts": False,
    "rx_ns": 0,
    "mode": 0,
    "htc_qdisc": True,
    "rimt_first_us": 0,
    "rimt_last_us": 0,
    "streams": 2,
    "max_frames": 32,
    "keep_turn": False,
    "error_down_ppm": [],
    "tao": False,
    "hack": 0,
    "ht": True,
    "ampdu": True,
    "fixed_legacy": -1,
}
#: The model's names of congestion controls that the kernel cannot call so (linux/modules/wavetank_bbr).
MODEL_CC = {"bbr_plus": "bbr-plus", "bbr_dev": "bbr-dev"}
CHOICES = {"dir": {"up", "down", "both"}, "traffic": {"tcp", "udp"}}
DRIVERS = ("ath9k", "ath9k_htc", "ath10k", "ath9k_tidq")
#: The marks of RRUL's flows, as TOS.
RRUL = [0, 32, 160, 184]
#: How much later than in the run before the flows start against the echo, ms.
LATER_MS = 13.7
LEAD_IN_S = 1.0
#: The guest's flood takes no time: when half of its send buffer is free it fills it in one instant. (At an even rate packets
#: come while the hardware is full, and each that does turns ath9k's retry queue round, which tears aggregates where MPDUs are
#: lost.)
FLOOD = "40 Gbit/s"

# Hosts and cards as the second water has them; see linux/README.md and linux/radio/main.c.
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
[ath10k] # the virtual card aggregates as ath9k does, and tells the host of completions at once
ampdu_frames = 32
amsdu_msdus = 1
tid_depth = 2
airtime = "4096 us"
report = 0
[backhaul]
veth = true
delay = 0
[time]
tail = 0
[traffic]
ping_payload = 64
ping_stations = 1
rrul_echoes = false
start_jitter = 0
"""


@dataclass(frozen=True)
class Case:
    """One scenario: its configuration and the figures of the kernel's runs."""

    name: str
    config: dict[str, Any]
    kernel: dict[str, tuple[float, ...]]


def _config(where: str, config: Any) -> dict[str, Any]:
    if not isinstance(config, dict):
        raise UserError(f"{where}: is not an object, expected the keys of a scenario")
    for key in config:
        if key not in CONFIG:
            raise unknown("key", key, set(CONFIG), where)
    full = {**CONFIG, **config}
    for key, names in CHOICES.items():
        if full[key] not in names:
            raise unknown(key, str(full[key]), names, where)
    if not isinstance(full["cc_set"], dict):
        raise UserError(f"{where}: cc_set: is not an object, expected the congestion control's parameters")
    if not isinstance(full["radio"], dict):
        raise UserError(f"{where}: radio: is not an object, expected the radio's parameters")
    for key in full["radio"]:
        if key not in RADIO:
            raise unknown("key of radio", key, set(RADIO), where)
    full["radio"] = {**RADIO, **full["radio"]}
    for key, value in full.items():
        numeric = isinstance(CONFIG[key], int | float) and key not in ("tos", "wmm")
        if numeric and (isinstance(value, bool) or not isinstance(value, int | float) or value < 0):
            raise UserError(f"{where}: {key}: {value!r}, expected a number that is not negative")
    return full


def load(path: Path = PATH) -> list[Case]:
    """The scenarios of a folder. Raises UserError for what is no such folder, and for unknown keys."""
    try:
        text = (path / "scenarios.json").read_text(encoding="utf-8")
        with (path / "summary.csv").open(encoding="utf-8", newline="") as f:
            reader = csv.DictReader(f)
            header, rows = reader.fieldnames, list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        raise UserError(
            f"{path}: cannot be read ({e}), expected a folder with scenarios.json and summary.csv"
        ) from None
    try:
        scenarios = json.loads(text)
    except json.JSONDecodeError as e:
        raise UserError(f"{path / 'scenarios.json'}:{e.lineno}: is not JSON ({e.msg}), expected scenarios") from None
    if not isinstance(scenarios, dict):
        raise UserError(f"{path / 'scenarios.json'}: is not an object, expected scenarios by name")
    runs = (header or [])[2:]
    if not runs or header != ["name", "figure", *(f"run{i + 1}" for i in range(len(runs)))]:
        raise UserError(f"{path / 'summary.csv'}:1: expected the columns name, figure, run1, run2 ...")
    kernel: dict[str, dict[str, tuple[float, ...]]] = {}
    for i, row in enumerate(rows):
        where = f"{path / 'summary.csv'}:{i + 2}"
        if row["name"] not in scenarios:
            raise unknown("name", row["name"], scenarios, where)
        # a scenario with fewer runs than another has shorter rows
        values = [row[r] for r in runs if row[r] is not None]
        try:
            kernel.setdefault(row["name"], {})[row["figure"]] = tuple(float(v) for v in values)
        except ValueError:
            raise UserError(f"{where}: {', '.join(values)}: expected numbers") from None
    return [
        Case(name, _config(f"{path / 'scenarios.json'}: {name}", config), kernel.get(name, {}))
        for name, config in scenarios.items()
    ]


def _per_radio(value: Any, index: int) -> Any:
    """A parameter of the radio that may be a list; its last element holds for the rest."""
    return value[min(index, len(value) - 1)] if isinstance(value, list) else value


def _mcs(config: dict[str, Any]) -> list[int]:
    """The MCS of each station; -1: rate control chooses. (Element 0 of a list is the AP's own and unused.)"""
    return [_per_radio(config["radio"]["fixed_mcs"], i) for i in range(1, config["stations"] + 1)]


def chosen(config: dict[str, Any]) -> bool:
    """Whether rate control chooses some station's rate."""
    return -1 in _mcs(config) and config["radio"]["fixed_legacy"] < 0


def cannot(case: Case) -> str:  # noqa: PLR0911 - a reason a line
    """Why the model cannot run this scenario; empty if it can."""
    names, c, radio = _core.registry(), case.config, case.config["radio"]
    drivers = {DRIVERS[_per_radio(radio["mode"], i)] for i in range(c["stations"] + 1)}
    if missing := sorted(drivers - set(names["driver"])):
        return f"the driver {missing[0]} is not there yet"
    if chosen(c) and len(set(_mcs(c))) > 1:
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
    return {"wifi.error_rate": repr(_per_radio(ppm, 0) / 1e6)}


def _span(seconds: float) -> str:
    return f"{round(seconds * 1e9)} ns"


def overrides(config: dict[str, Any], phase_ms: float = 0.0) -> list[tuple[str, str]]:
    """The ``--set`` overrides that turn the common scenario into this one.

    Args:
        config: with every key (see :func:`load`).
        phase_ms: how much later the flows start against the echo.
    """
    c, radio = config, config["radio"]
    up, down = c["dir"] in {"up", "both"}, c["dir"] in {"down", "both"}
    tcp = c["traffic"] == "tcp"
    flood = "off" if tcp else FLOOD
    cc = MODEL_CC.get(c["cc"], c["cc"])
    sets = {
        "time.lead_in": _span(LEAD_IN_S + phase_ms / 1e3),
        "time.flows": _span(c["secs"]),
        "time.warmup": _span(c["warmup"]),
        "time.sample": _span(c["step"]),
        "wifi.stations": str(c["stations"]),
        "wifi.mcs": str(_mcs(c)[0]),
        "wifi.tx_sk_pacing_shift": str(radio["pacing_shift"]),
        "ap.driver": DRIVERS[_per_radio(radio["mode"], 0)],
        "sta.driver": DRIVERS[_per_radio(radio["mode"], 1)],
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
    if len(set(_mcs(c))) > 1:
        sets["stations.mcs"] = ", ".join(map(str, _mcs(c)))
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
    sets["tao.enabled"] = "true" if radio["tao"] else "false"
    sets["hack.policy"] = HACK[radio["hack"]]
    if not radio["ht"]:
        for key in ("wifi.mcs", "ath9k.ampdu_frames"):
            del sets[key]
        sets |= {"wifi.standard": "a", "wifi.rate": f"{LEGACY_MBIT[radio['fixed_legacy']]} Mbit/s"}
    if radio["error_down_ppm"]:  # element 0 is the AP's own and unused; the last holds for the rest
        rates = [_per_radio(radio["error_down_ppm"], i) / 1e6 for i in range(1, c["stations"] + 1)]
        sets["stations.error_down"] = ", ".join(map(repr, rates))
    return list(sets.items())


def figures(config: dict[str, Any], out: Any, phase_ms: float = 0.0) -> dict[str, float]:
    """The judged figures of one run of the model, as `linux/standing/record` computes the kernel's."""
    start = LEAD_IN_S + phase_ms / 1e3
    low, high = start + config["warmup"] - 1e-3, start + config["secs"] + 0.01
    tcp = config["traffic"] == "tcp"
    values: dict[str, float] = {}
    cwnd: Any = 0
    srtt: list[Any] = []
    goodput = 0.0
    for flow in out["flows"]:
        s = flow["series"]
        t = np.asarray(s["t"])
        within = (t >= low) & (t <= high)
        moved = np.asarray(s["acked" if tcp else "received"])[within]
        goodput += 8e-6 * float(moved[-1] - moved[0]) / float(t[within][-1] - t[within][0])
        if tcp:
            cwnd = cwnd + np.asarray(s["snd_cwnd"])[within]
            srtt.append(np.asarray(s["srtt_ms"])[within])
    values["goodput_mbit"] = goodput
    if tcp:
        values["cwnd_p50"] = float(np.median(cwnd))
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
        sent: dict[int, int] = {}
        sender = out["nodes"]["ap" if config["dir"] == "down" else "sta1"]
        for mcs, _, _, _, _, _, mpdus in sender["modes"]:
            sent[mcs] = sent.get(mcs, 0) + mpdus
        values |= {f"mcs_{m}": 100 * n / sum(sent.values()) for m, n in sent.items()}
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
    sets = overrides(_config(name, config), i * LATER_MS)
    csi = config.get("rc", "").startswith("aarc")
    trace = _core.channel_trace(_SCENARIO, name, sets, i + 1, csi)
    assert trace is not None, "a scenario without a channel has no trace"
    return trace


def run_case(case: Case) -> dict[str, float]:
    """The model's figures, of as many runs as the kernel made."""
    runs = []
    for i in range(max(map(len, case.kernel.values()), default=1)):
        later = i * LATER_MS
        out = _core.run(_SCENARIO, case.name, overrides(case.config, later), i + 1)
        runs.append(figures(case.config, out, later))
    ours = {k: tuple(r.get(k, 0.0) for r in runs) for k in _keys(runs)}
    return (
        pooled(ours)
        | standard_errors(case.kernel, ours)
        | (paired(case.kernel, ours) if case.config["channel"] else {})
    )


def _keys(runs: list[dict[str, float]]) -> list[str]:
    """Figures that every run has; an MCS that a run does not have has no share in it."""
    return list(dict.fromkeys(k for r in runs for k in r if k.startswith(SHARE) or all(k in s for s in runs)))


def pooled(runs: dict[str, tuple[float, ...]]) -> dict[str, float]:
    """One figure of several runs: the median; of shares the mean, since medians of shares do not add up to 100 %."""
    return {k: float(np.mean(v) if k.startswith(SHARE) else np.median(v)) for k, v in runs.items()}


def standard_errors(kernel: dict[str, tuple[float, ...]], ours: dict[str, tuple[float, ...]]) -> dict[str, float]:
    """Of the mean difference of each MCS's share between the runs of both sides (in their order), points."""
    out = {}
    n = min(len(v) for side in (kernel, ours) for v in side.values())
    for k in {k for side in (kernel, ours) for k in side if k.startswith(SHARE)}:
        a, b = (np.array(side.get(k, (0.0,) * n)) for side in (kernel, ours))
        if n > 1 and a.size == b.size:
            out[SE + k] = float(np.std(b - a, ddof=1) / math.sqrt(n))
    return out


def paired(kernel: dict[str, tuple[float, ...]], ours: dict[str, tuple[float, ...]]) -> dict[str, float]:
    """The kernel's median times the median of the pairs' ratios, by figure; pairs of a kernel's 0 are left out."""
    out = {}
    for k in (k for k in TOLERANCES if k in kernel and k in ours):
        ratios = [b / a for a, b in zip(kernel[k], ours[k], strict=True) if a]
        if ratios:
            out[k] = float(np.median(kernel[k]) * np.median(ratios))
    return out


def _mcs_row(case: Case, ours: dict[str, float]) -> list[Row]:
    """The MCS whose share of the sender's MPDUs differs most, in points; none where no rate control chose."""
    kernel = {k: v for k, v in pooled(case.kernel).items() if k.startswith(SHARE)}
    if not kernel:
        return []
    apart = {k: ours.get(k, 0.0) - kernel.get(k, 0.0) for k in kernel | {k: 0.0 for k in ours if k.startswith(SHARE)}}
    worst = max(apart, key=lambda k: abs(apart[k]))
    low, high = kernel.get(worst, 0.0) - MCS_POINTS, kernel.get(worst, 0.0) + MCS_POINTS
    share = ours.get(worst, 0.0)
    told = f"{worst}: {share:.1f} % of the MPDUs, the kernel's {kernel.get(worst, 0.0):.1f} %"
    if SE + worst in ours:
        told += f", standard error of the difference {ours[SE + worst]:.1f} points"
    return [Row(case.name, "mcs_share", kernel.get(worst, 0.0), share, low <= share <= high, told, low, high)]


def judge(case: Case, ours: dict[str, float]) -> list[Row]:
    """One row a figure."""
    rows = []
    for figure, share in TOLERANCES.items():
        runs = case.kernel.get(figure)
        if runs is None:
            continue
        median, value = float(np.median(runs)), ours.get(figure)
        low, high = median * (1 - share), median * (1 + share)
        if value is None:
            rows.append(Row(case.name, figure, median, None, False, "the model gave no value", low, high))
            continue
        rows.append(Row(case.name, figure, median, value, low <= value <= high, "", low, high))
    for figure, points in POINTS.items():
        if (runs := case.kernel.get(figure)) is None:
            continue
        median, value = float(np.median(runs)), ours[figure]
        low, high = median - points, median + points
        rows.append(Row(case.name, figure, median, value, low <= value <= high, "", low, high))
    return rows + _mcs_row(case, ours)


def known(case: Case) -> dict[str, float]:
    """The medians of the kernel's runs."""
    return {f: float(np.median(case.kernel[f])) for f in (*TOLERANCES, *POINTS) if f in case.kernel}


#: Runs of the kernel (and of the model) where the kernel is run now.
LIVE_RUNS = 3


def live(case: Case, scenarios: Path) -> dict[str, tuple[float, ...]]:
    """The kernel's runs of a scenario of a file, run now. Raises LinuxFailed."""
    words = ["standing-run", case.name, "--scenarios", str(scenarios.resolve()), "--runs", str(LIVE_RUNS)]
    runs = json.loads(tree.program(words, lambda line: None))["runs"]
    return {k: tuple(r.get(k, 0.0) for r in runs) for k in _keys(runs)}


def validate(
    path: Path | None = None,
    jobs: int = 1,
    done: Callable[[str], None] = lambda name: None,
    recorded: bool = True,
) -> Report:
    """Runs every scenario that the model can run; and, unless the kernel's runs are ``recorded``, the kernel on all of them."""
    where = path or (PATH if recorded else tree.folder() / "standing")
    cases = load(where)
    notes = ("the kernel's figures are recorded ones (linux/standing/summary.csv)",)
    if not recorded:
        fresh: dict[str, dict[str, tuple[float, ...]]] = {}
        for i, kernel in workers.pool(partial(live, scenarios=where / "scenarios.json"), cases, jobs):
            fresh[cases[i].name] = kernel
            done(f"{cases[i].name} on linux")
        cases = [replace(c, kernel=fresh[c.name]) for c in cases]
        notes = (f"the kernel's figures were measured now (linux/ {tree.digest()})",)
    return Report("linux", run_all(cases, cannot, run_case, judge, known, jobs, done), notes)


COLUMNS = {
    "goodput_mbit": "goodput",
    "cwnd_p50": "cwnd",
    "srtt_p50": "srtt",
    "ping_p50": "ping",
    "ampdu_mean": "A-MPDU",
    "mcs_share": "MCS",
    "probes": "probes",
    "ack_ampdu_mean": "ACKs' A-MPDU",
    "acks_carried": "ACKs that rode",
}
#: What the table of the docs stands between.
BEGIN, END = "<!-- wavetank validate linux -->", "<!-- end -->"


def markdown(report: Report) -> str:
    """The table for the docs: relative errors in percent, a row a scenario."""
    s = report.summary()
    cases = report.cases()
    held = sum(ok is True for ok in cases.values())
    medians = ", ".join(
        f"{COLUMNS[m]} {100 * (v['median_abs_error'] or 0):.1f} %"
        for m, v in s["by_metric"].items()
        if m != "mcs_share" and m not in POINTS
    )
    lines = [
        f"**{held} of {s['cases']} scenarios hold; {s['unmeasured']} cannot be run yet.** Median absolute error: {medians}.",
        "",
        "Relative errors of the medians in percent; of the MCS whose share differs most, and of the ACKs that rode, in points "
        "(bold: outside):",
        "",
        f"| scenario | {' | '.join(COLUMNS.values())} | |",
        f"| --- |{' --- |' * len(COLUMNS)} --- |",
    ]
    for name, ok in cases.items():
        rows = {r.metric: r for r in report.rows if r.name == name}
        if ok is None:
            reason = next(iter(rows.values())).reason
            lines.append(f"| {name} | - |{' |' * (len(COLUMNS) - 1)} {reason} |")
            continue
        cells = [_cell(rows.get(m)) for m in COLUMNS]
        lines.append(f"| {name} | {' | '.join(cells)} | {'holds' if ok else 'misses'} |")
    return "\n".join(lines)


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    if row.ok is None:
        return "n/a"
    if (row.metric == "mcs_share" or row.metric in POINTS) and row.ours is not None and row.reference is not None:
        error = f"{row.ours - row.reference:+.1f}"  # points
        return error if row.ok else f"**{error}**"
    error = "?" if row.relative_error is None else f"{100 * row.relative_error:+.1f}"
    return error if row.ok else f"**{error}**"


def write_docs(report: Report, path: Path) -> None:
    """Puts the table between its marks in a Markdown file. Raises UserError where the marks are missing."""
    text = path.read_text(encoding="utf-8")
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise UserError(f"{path}: has no marks {BEGIN} and {END} around the table")
    files.write_text(path, f"{head}{BEGIN}\n{markdown(report)}\n{END}{tail}")
