"""One case of the kernel reference, run on the model, in the reference's own format.

The format is that of the reference files (``NAME.json``): a ``config`` object, ``rows`` sampled every ``step`` seconds per
connection as ``ss -tin`` shows it, and ``pings`` of (time s, RTT ms). Times count from the flows' start.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .. import _core
from ..linux import kernels
from ..linux.own import OWN_WIRED

#: Every key of a reference case's ``config`` and the value where it is absent (None: must be there). ``kernel``: the release, as
#: "5.4.59", which is held against the profile "5.4", or one of its own where the model has that.
CONFIG: dict[str, Any] = {
    "cc": None,
    "rate_mbit": None,
    "where": None,
    "qdisc": None,
    "rtt_ms": None,
    "secs": None,
    "limit": 1000,
    "flows": 1,
    "step": 0.2,
    "warmup": 4,
    "pacing_shift": 10,
    "limit_output_bytes": 1048576,
    "ca_ratio": 120,
    "ss_ratio": 200,
    "kernel": "6.12",
}

# What the reference's machine was set to; see the README beside the reference data.
_SCENARIO = """
name = "kernel-case"
[topology]
kind = "wired"
[htb]
rate = "100 Mbit/s"
[netem]
limit = 100000 # of ACKs on their way: none is dropped there
[host]
hz = 100
[tcp]
gso_max_segs = 1
max_header = 80 # 32 + 48: no WLAN and IPv6-in-IPv4 tunnels, as arch/um's defconfig has it
rcvbuf = "64 MiB"
rcvlowat = "128 KiB"
rmem_max = "32 MiB"
wmem_max = "32 MiB"
[time]
tail = "450 ms" # the last echoes sent before the end may need a queue's length to come back: the reference waits so long
[traffic]
ping = "100 ms"
ping_payload = 64
ping_udp = true
start_jitter = 0
"""

_LEAD_IN_S = 1.0
#: How much later than in the run before the flows start against the echo, ms.
LATER_MS = 13.7


#: Which key of a scenario each key of ``config`` sets.
SETS = {
    "cc": "tcp.cc", "rate_mbit": "htb.rate", "where": "bottleneck.place", "qdisc": "htb.leaf", "rtt_ms": "netem.delay",
    "secs": "time.flows", "limit": "pfifo.limit", "flows": "traffic.tcp_up", "step": "time.sample", "warmup": "time.warmup",
    "pacing_shift": "tcp.pacing_shift", "limit_output_bytes": "tcp.limit_output_bytes", "ca_ratio": "tcp.pacing_ca_ratio",
    "ss_ratio": "tcp.pacing_ss_ratio", "kernel": "kernel",
}  # fmt: skip


class UnknownKey(ValueError):
    """A case's ``config`` has a key that no reference case has."""


def resolve(config: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in the values of absent keys.

    Raises:
        UnknownKey: for a key that is not in :data:`CONFIG`, or a missing one that has no default.
    """
    unknown = sorted(set(config) - set(CONFIG))
    if unknown:
        known = ", ".join(CONFIG)
        raise UnknownKey(f"unknown config key {unknown[0]!r}; expected one of {known}")
    full = {**CONFIG, **config}
    missing = [k for k, v in full.items() if v is None]
    if missing:
        raise UnknownKey(f"config key {missing[0]!r} is missing")
    return full


def _span(seconds: float) -> str:
    return f"{round(seconds * 1e9)} ns"


def profile(release: str) -> str:
    """The model's profile of a release: its own, or its series'."""
    return release if release in _core.registry()["kernel"] else kernels.series(release)


def overrides(config: Mapping[str, Any], phase_ms: float = 0.0) -> list[tuple[str, str]]:
    """The ``--set`` overrides that turn the reference's scenario into this case.

    Args:
        config: as in a reference file.
        phase_ms: how much later the flows start against the echo.
    """
    c = resolve(config)
    written = {
        "kernel": profile(c["kernel"]),
        "rate_mbit": f"{round(c['rate_mbit'] * 1000)} kbit/s",
        "rtt_ms": _span(c["rtt_ms"] / 1e3),
        "secs": _span(c["secs"]),
        "step": _span(c["step"]),
        "warmup": _span(c["warmup"]),
    }
    sets = {SETS[key]: written.get(key, str(value)) for key, value in c.items()}
    sets["time.lead_in"] = _span(_LEAD_IN_S + phase_ms / 1e3)
    if c["qdisc"] != "pfifo":
        del sets["pfifo.limit"]
    # The skb that a veth pair hands over is the sender's.
    sets |= {key: value for key, (value, _) in OWN_WIRED.items() if key.startswith("tcp.rx_")}
    return list(sets.items())


def refused(config: Mapping[str, Any]) -> tuple[str, str] | None:
    """The key of the config whose value the model refuses, and why. Controls and disciplines that it lacks are not asked for."""
    there = {"cc": "cubic", "qdisc": "pfifo"}
    try:
        _core.check(_SCENARIO, "kernel case", overrides({**config, **there}))
    except _core.ScenarioError as e:
        said = str(e).removeprefix("--set: ")
        return next((key for key, ours in SETS.items() if said.startswith(f"{ours}: ")), "cc"), said
    return None


def run(config: Mapping[str, Any], phase_ms: float = 0.0, seed: int = 1) -> dict[str, Any]:
    """Run one case; the result has the keys of a reference file.

    Raises:
        UnknownKey: see :func:`resolve`.
        wavetank.ScenarioError: where the model has no such control or discipline.
    """
    c = resolve(config)
    out = _core.run(_SCENARIO, "kernel case", overrides(config, phase_ms), seed)
    start = _LEAD_IN_S + phase_ms / 1e3
    queue = out["qdiscs"]["bottleneck"]
    rows: list[dict[str, Any]] = []
    for i, t in enumerate(queue["t"]):
        since = float(t) - start
        if not c["step"] / 2 <= since < c["secs"] + c["step"] / 2:
            continue
        for n, flow in enumerate(out["flows"]):
            s = flow["series"]
            if math.isnan(s["pacing_bps"][i]):
                continue  # not established yet: ss shows none of these
            ssthresh = float(s["snd_ssthresh"][i])
            rows.append(
                {
                    "t": round(since, 4),
                    "port": n + 1,
                    "cwnd": int(s["snd_cwnd"][i]),
                    "ssthresh": None if math.isnan(ssthresh) else int(ssthresh),
                    "rtt": round(float(s["srtt_ms"][i]), 3),
                    "minrtt": round(float(s["min_rtt_ms"][i]), 3),
                    "acked": int(s["acked"][i]),
                    "retrans": int(s["retrans"][i]),
                    "pacing": int(s["pacing_bps"][i]),
                    "notsent": int(s["notsent"][i]),
                    "unacked": int(s["unacked"][i]),
                    "delivery": int(s["delivery_bps"][i]),
                    "backlog_p": int(queue["backlog_packets"][i]),
                    "dropped": int(queue["dropped"][i]),
                }
            )
    first = min(r["t"] for r in rows if r["t"] >= c["warmup"] - 1e-6)
    last = max(r["t"] for r in rows)

    def acked(t: float) -> int:
        return sum(r["acked"] for r in rows if r["t"] == t)

    ping = out["pings"][0]
    return {
        "config": dict(config),
        "goodput_mbit": round((acked(last) - acked(first)) * 8 / (last - first) / 1e6, 3),
        "flows": c["flows"],
        "rows": rows,
        "pings": [
            [round(float(t) - start, 4), round(float(r), 3)]
            for t, r in zip(ping["t"], ping["rtt_ms"], strict=True)
            if not math.isnan(r)
        ],
    }
