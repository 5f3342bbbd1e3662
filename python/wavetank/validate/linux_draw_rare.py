"""Random scenarios with rare keys: those of :mod:`.linux_draw`, each with up to three keys more that hardly anyone sets.

A key is kept where both waters accept the scenario with it, where the model can run it, and where it is not one that changes
nothing there (:mod:`wavetank.idle`). In one of five scenarios of ath9k cards rate control chooses, over a channel that moves.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from .. import _core, linux
from ..errors import UserError
from ..idle import keys as idle_keys
from ..scenario import Scenario
from . import linux_draw, linux_draw_cake
from .linux_draw import Drawn

#: Values that a key takes, the default not among them.
KEYS: dict[str, tuple[Any, ...]] = {
    "aaq.limit": (60, 300),
    "aarc.delay": ("20 ms",),
    "aarc.loss": (0.5,),
    "aarc.max_backoff": ("32 ms",),
    "aarc.threshold": (3,),
    "aasrc.max_backoff": ("8 ms", "256 ms"),
    "aasrc.silence": ("10 ms",),
    "aasrc.window": (64,),
    "ath10k.depth": (1, 4),
    "ath10k.gro": (False,),
    "ath10k.msdus": (8, 32),
    "ath10k.retries": (2,),
    "ath9k.airtime": ("1 ms", "2 ms"),
    "ath9k.ampdu_bytes": (8191, 16383, 32767),
    "ath9k.ampdu_frames": (2, 4, 5, 63),
    "ath9k.density": ("0 us", "16 us"),
    "ath9k.depth": (1, 4),
    "ath9k.keep_turn": (True,),
    "ath9k.max_pending": (40,),
    "ath9k.retries": (2, 5),
    "ath9k_htc.ampdu_bytes": (16383,),
    "ath9k_htc.ampdu_frames": (4, 31),
    "ath9k_htc.cpu_frame": ("30 us",),
    "ath9k_htc.cpu_ppdu": ("100 us",),
    "ath9k_htc.cpu_turn": ("50 us",),
    "ath9k_htc.host_irq": ("125 us",),
    "ath9k_htc.retries": (2,),
    "ath9k_htc.target_buffers": (12,),
    "ath9k_htc.tx_threshold": (16, 64),
    "backhaul.present": (False,),
    "backhaul.qdisc": ("fq_codel", "fq", "pfifo", "cake"),
    "bbr-dev.drain_to_target": (False,),
    "bbr-dev.extra_acked_rtts": (2,),
    "bbr-plus.cwnd_gain": (300,),
    "bbr-plus.drain_phase_gain": (128,),
    "bbr-plus.pace": (60, 150),
    "bbr-plus.probe_gain": (512,),
    "bbrp.bbrp_pace": (8,),
    "beacon.interval": (20, 1000),
    "bfifo.limit": ("20 KiB",),
    "bic.beta": (512,),
    "bic.fast_convergence": (False,),
    "bic.initial_ssthresh": (50,),
    "bic.low_window": (60,),
    "bic.max_increment": (64,),
    "bic.smooth_part": (5,),
    "bottleneck.access_rate": ("100 Mbit/s",),
    **{f"cake.{key}": values for key, values in linux_draw_cake.OPTIONS.items()},
    "channel.burst_every": ("100 ms",),
    "channel.decisions": ("hard",),
    "channel.delay_spread": ("200 ns",),
    "channel.drift_db": (5,),
    "channel.k_db": (-40, 20),
    "channel.power_step": ("500 ms",),
    "channel.snr_jitter": (0, 4),
    "cubic.beta": (512, 900),
    "cubic.bic_scale": (410,),
    "cubic.fast_convergence": (False,),
    "cubic.hystart": (False,),
    "cubic.hystart_ack_delta_us": (200,),
    "cubic.hystart_detect": (1, 2),
    "cubic.hystart_low_window": (100,),
    "cubic.initial_ssthresh": (40,),
    "cubic.tcp_friendliness": (False,),
    "edca.be_aifsn": (2, 7),
    "edca.be_cw_max": (63, 127),
    "edca.be_cw_min": (3, 7, 31),
    "edca.be_txop": ("1024 us", "2048 us"),
    "edca.bk_aifsn": (2,),
    "edca.bk_cw_min": (63,),
    "edca.bk_txop": ("2048 us",),
    "edca.vi_aifsn": (4,),
    "edca.vi_cw_max": (63,),
    "edca.vi_txop": ("0 us",),
    "edca.vo_aifsn": (4,),
    "edca.vo_cw_max": (31,),
    "edca.vo_cw_min": (7,),
    "edca.vo_txop": ("0 us",),
    "edca_ap.be_aifsn": (2, 7),
    "edca_ap.be_cw_max": (15, 255),
    "edca_ap.be_cw_min": (3, 7, 31),
    "edca_ap.be_txop": ("992 us", "1984 us", "3200 us"),
    "edca_ap.bk_aifsn": (3,),
    "edca_ap.bk_txop": ("2048 us",),
    "edca_ap.vi_cw_min": (15,),
    "edca_ap.vi_txop": ("1024 us",),
    "edca_ap.vo_cw_max": (31,),
    "edca_ap.vo_txop": ("0 us",),
    "fixed.links": (1, 2),
    "fixed.tries": (1, 2, 7),
    "fq.flow_limit": (20, 50, 1000),
    "fq.horizon": ("5 ms",),
    "fq.initial_quantum": (1514,),
    "fq.limit": (60, 500),
    "fq.orphan_flows": (1,),
    "fq.quantum": (1514, 15140),
    "fq.refill_delay": ("1 ms",),
    "fq.timer_slack": ("1 ms",),
    "fq_codel.drop_batch": (1,),
    "fq_codel.ecn": (False,),
    "fq_codel.flows": (1, 8),
    "fq_codel.interval": ("20 ms", "400 ms"),
    "fq_codel.limit": (40, 300),
    "fq_codel.memory_limit": ("128 KiB", "512 KiB"),
    "fq_codel.quantum": (300, 6000),
    "fq_codel.target": ("1 ms", "30 ms"),
    "hack.bytes": (64,),
    "hack.guard": ("10 ms",),
    "hack.load": ("100 us",),
    "hack.timer": ("2 ms",),
    "host.backlog": (10, 100),
    "htb.burst": ("15 kB", "60 kB"),
    "htb.cburst": ("15 kB",),
    "htb.quantum": (300,),
    "htcp.use_bandwidth_switch": (False,),
    "htcp.use_rtt_scaling": (False,),
    "hybla.rtt0": (5, 100),
    "illinois.theta": (1,),
    "illinois.win_thresh": (60,),
    "mac80211.airtime_fairness": (False,),
    "mac80211.aql": (False,),
    "mac80211.aql_high": ("3 ms", "6 ms", "24 ms"),
    "mac80211.aql_low": ("1 ms", "3 ms"),
    "mac80211.aql_threshold": ("6 ms", "48 ms"),
    "mac80211.limit": (64, 200, 1000),
    "mac80211.memory_limit": ("256 KiB", "1 MiB"),
    "mac80211.quantum": (1514, 3000),
    "mac80211.weight": (32, 1024),
    "medium.collision_eifs": (True,),
    "netem.limit": (30, 100, 300),
    "nv.nv_min_cwnd": (10,),
    "nv.nv_pad": (40,),
    "nv.nv_reset_period": (2,),
    "pfifo.limit": (2, 10, 30),
    "stations.error_run": ("4", "20"),
    "stations.mcs_up": ("0", "3"),
    "stations.rx": ("0 us, 20 us", "100 us"),
    "stations.udp_down": ("2 Mbit/s",),
    "stations.udp_dscp": ("EF, AF41",),
    "stations.udp_payload": ("172, 1316",),
    "stations.udp_up": ("off, 2 Mbit/s",),
    "stations.weight": ("64", "512, 128"),
    "tao.leave": (0, 2, 8),
    "tcp.ecn": (True,),
    "tcp.enforce_pacing": (True,),
    "tcp.frto": (False,),
    "tcp.gso_max_segs": (2, 8),
    "tcp.gso_max_size": (9000, 32768),
    "tcp.init_cwnd": (1, 100),
    "tcp.min_tso_segs": (1, 8),
    "tcp.pacing_ca_ratio": (80, 100, 200),
    "tcp.pacing_shift": (8,),
    "tcp.pacing_ss_ratio": (100, 400),
    "tcp.rcvbuf": ("8 KiB", "32 KiB"),
    "tcp.reordering": (1, 10),
    "tcp.rmem_default": ("32 KiB", "1 MiB"),
    "tcp.rmem_max": ("128 KiB", "512 KiB"),
    "tcp.rto_min": ("20 ms", "1 s"),
    "tcp.slow_start_after_idle": (False,),
    "tcp.tlp": (False,),
    "tcp.tso_rtt_log": (0, 6),
    "tcp.wmem_default": ("256 KiB",),
    "tcp.wmem_max": ("64 KiB", "256 KiB"),
    "traffic.mark_acks": (False,),
    "traffic.marks": (False,),
    "traffic.ping": ("5 ms",),
    "traffic.ping_dscp": ("EF", "CS1"),
    "traffic.ping_payload": (1000,),
    "traffic.ping_stations": (1,),
    "traffic.ping_udp": (True,),
    "traffic.rrul_echoes": (False,),
    "traffic.start_jitter": ("0 ns", "1 s"),
    "traffic.start_step": ("500 ms",),
    "traffic.tcp_down": (8,),
    "traffic.tcp_up": (8,),
    "traffic.udp_dscp": ("EF", "CS1", "AF41"),
    "traffic.udp_sndbuf": ("32 KiB",),
    "vegas.alpha": (10,),
    "vegas.beta": (20,),
    "vegas.gamma": (8,),
    "wifi.aggregation": (False,),
    "wifi.mcs_error": ("0*5, 0.02, 0.05, 0.1, 0*5, 0.02, 0.05, 0.1",),
    "wifi.stations": (8,),
}
#: At the access point and at the stations.
RATE_CONTROLS = (
    ("minstrel_ht", "minstrel_ht"), ("aasrc", "minstrel_ht"), ("aarc", "minstrel_ht"), ("aarc_snr", "minstrel_ht"),
    ("minstrel_ht", "aasrc"),
)  # fmt: skip
#: Keys that a scenario gets at most, and how often one is tried.
MOST, TRIES = 3, 60
#: Characters that a scenario's name has at most.
LONGEST_NAME = 100


def scenarios(seed: int, count: int) -> Iterator[tuple[str, Drawn]]:
    """Name and keys of each; the name ends with the rare keys', as far as there is room."""
    r = random.Random(f"wavetank/rare/{seed}")
    for name, common in linux_draw.scenarios(seed, count):
        s, added, keys = common, [], set[str]()
        if _takes_rate_control(s) and r.random() < 0.2:
            s, added = _rate_control(r, s), ["rate_control"]
        ends = (s.get("ap", {}), s.get("sta", {}))
        parts = {
            s["tcp"]["cc"],
            *(k for k in ("hack", "tao", "channel") if k in s),
            *(e.get("rate_control") for e in ends),
        }
        own = [key for key in KEYS if key.partition(".")[0] in parts]
        for _ in range(TRIES):
            if len(added) == MOST:
                break
            key = r.choice(own if own and r.random() < 0.3 else list(KEYS))
            section, _, word = key.partition(".")
            tried = copy.deepcopy(s)
            tried.setdefault(section, {})[word] = r.choice(KEYS[key])
            if word not in added and _says_something({*keys, key}, tried):
                s = tried
                added.append(word)
                keys.add(key)
        yield "+".join([name, *added])[:LONGEST_NAME], s


def _says_something(rare: set[str], s: Drawn) -> bool:
    """Whether both waters take a scenario, and these keys of it are read there: a later one may leave an earlier one nothing."""
    if "traffic.tcp_down" in rare and s["topology"]["kind"] == "wired":
        return False  # no link limits it: ten gigabits a second take the kernel minutes, and what they end at is chance
    if any(key.endswith("_dscp") for key in rare) and not linux_draw.has_categories(s):
        return False
    scenario = Scenario.from_dict({"name": "tried", "kernel": "6.12", **s})
    short = {"time.lead_in": "0 s", "time.flows": "10 ms", "time.warmup": "1 ms"}
    try:
        linux.check(scenario, 1)
        linux.like_linux(scenario).set(short).run(1)
    except (UserError, _core.ScenarioError, ValueError):
        return False
    return not rare & set(idle_keys(scenario))


def _takes_rate_control(s: Drawn) -> bool:
    if s["topology"]["kind"] != "wifi":
        return False
    drivers: set[str] = {s["ap"]["driver"], s["sta"]["driver"]}
    return drivers == {"ath9k"} and bool(s["wifi"]["standard"] == "n")


def _rate_control(r: random.Random, s: Drawn) -> Drawn:
    s = copy.deepcopy(s)
    s["wifi"].pop("error_rate", None)
    s.pop("stations", None)
    s["wifi"] |= {"mcs": r.choice([7, 15]), "width_mhz": 40, "short_gi": True}
    s["ap"]["rate_control"], s["sta"]["rate_control"] = r.choice(RATE_CONTROLS)
    moves = {"doppler": r.choice([0, 1, 5, 15]), "moving": r.choice([0.02, 0.3, 1])}
    s["channel"] = {"on": True, "snr": r.choice([15, 20, 25, 30]), **moves}
    return s
