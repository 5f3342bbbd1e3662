"""Stands in for the compiled core until it is there: plausible arrays, no physics."""

import zlib

import numpy as np


class ScenarioError(ValueError):
    pass


def _get(overrides, key, default):
    return dict(overrides).get(key, default)


def run(text, path, overrides, seed):
    o = dict(overrides)
    rng = np.random.default_rng([seed or 1, zlib.crc32(repr(sorted(o.items())).encode())])
    flows_s = 60 if "4.14" in text else 30
    end = flows_s + 10
    t = np.round(np.arange(0, end + 0.1, 0.2), 6)
    up, down = int(o.get("traffic.tcp_up", 1)), int(o.get("traffic.tcp_down", 0))
    rrul = o.get("traffic.rrul") == "true"
    tsq = {"off": 99, "packets": float(o.get("tcp.tsq_pkts", 1)) / 10}.get(
        o.get("tcp.tsq"), float(o.get("tcp.tsq_ms", 6))
    )
    total = 92 * (1 - np.exp(-tsq / 1.6)) * (2 if "ath9k" in text and "ath9k_htc" not in text else 1)
    rtt = 1.5 + min(tsq, 30) * 0.9
    flows = []
    plan = [("up", "tcp")] * up + [("down", "tcp")] * down
    plan += [(d, "udp") for d in ("up", "down") if f"traffic.udp_{d}" in o]
    for i, (direction, kind) in enumerate(plan):
        rate = total / max(1, len(plan)) * rng.normal(1, 0.01)
        if kind == "udp":
            rate = float(o[f"traffic.udp_{direction}"].split()[0]) * 0.85
        step = np.where((t > 5) & (t <= 5 + flows_s), rate * 0.2 * 1e6 / 8, 0.0) * rng.normal(1, 0.05, t.size)
        acked = np.cumsum(np.clip(step, 0, None))
        n = np.ones(t.size)
        flows.append(
            {
                "name": f"{direction}-{i}", "direction": direction, "station": "sta1", "kind": kind,
                "dscp": ["CS0", "CS1", "CS5", "EF"][i % 4] if rrul else "CS0", "cc": "cubic" if kind == "tcp" else "",
                "bytes_window": int(rate * (flows_s - 2) * 1e6 / 8), "goodput_mbit": rate, "retransmits": 3, "rtos": 0,
                "series": {
                    "t": t, "acked": acked, "snd_cwnd": 40 * n, "snd_ssthresh": 30 * n, "srtt_ms": rtt + rng.normal(1, 0.1, t.size),
                    "min_rtt_ms": n, "unacked": 20 * n, "retrans": 0 * n, "pacing_bps": 1e8 * n, "delivery_bps": 9e7 * n,
                    "notsent": 1e5 * n,
                },
            }
        )  # fmt: skip
    pt = np.round(np.arange(0, end, 0.2), 6)
    kinds = ["icmp", "udp_be", "udp_bk", "udp_ef"] if rrul else ["icmp"]
    busy = (pt > 5) & (pt < 5 + flows_s)
    pings = [
        {"name": k, "station": "sta1", "t": pt, "rtt_ms": np.where(busy, rtt * rng.gamma(20, 1 / 20, pt.size), 1.1)}
        for k in kinds
    ]
    pings[0]["rtt_ms"][50] = np.nan
    size = min(32, 1 + 3 * tsq)
    hist = np.bincount(np.clip(rng.normal(size, 2, 5000).astype(int), 1, 64), minlength=65).astype(float)
    node = {
        "ampdu_hist": hist, "airtime_fraction": 0.4,
        "series": {"t": t, "airtime_tx_us": 80000 + 0 * t, "airtime_rx_us": 9000 + 0 * t, "avg_aggr_size": size + 0 * t},
    }  # fmt: skip
    ap = {**node, "ampdu_hist": np.bincount([1] * 50, minlength=65).astype(float), "airtime_fraction": 0.05}
    name = next(line.split('"')[1] for line in text.splitlines() if line.startswith("name"))
    return {
        "scenario": name, "seed": seed or 1, "simulated_s": float(end), "events": 1000, "resolved": dict(overrides),
        "window": (7.0, 5.0 + flows_s), "digest": f"{zlib.crc32(repr((text, sorted(o.items()), seed)).encode()):016x}",
        "ledger": {"made": 3, "delivered": 2, "dropped": 1, "held": 0}, "drops": {"qdisc.overlimit": 1}, "flows": flows,
        "pings": pings, "nodes": {"sta1": node, "ap": ap},
        "qdiscs": {"sta1": {"t": t, "backlog_packets": 0 * t, "backlog_bytes": 0 * t, "dropped": 0 * t}},
    }  # fmt: skip


def check(text, path, overrides):
    return dict(overrides)


def schema():
    return [
        {
            "section": "tcp",
            "key": "tsq_ms",
            "unit": "count",
            "default": "6",
            "range": "0 to 1000",
            "doc": "Ms.",
            "source": "x",
        }
    ]


def registry():
    return {"cc": ["reno", "cubic"], "qdisc": ["pfifo", "fq_codel"], "driver": ["ath9k"], "rate": ["fixed"]}


def theory():
    syms = [("t", 1, "packets"), ("p", 1.2, ""), ("c", 0.8, ""), ("r", 216, "Mbit/s"), ("mxg", 4000, "us")]
    inputs = [{"symbol": s, "default": d, "unit": u, "doc": s} for s, d, u in syms]
    return [{"name": "hard-times", "title": "T", "source": "x", "inputs": inputs, "outputs": ["RTT us", "BW Mbit/s"]}]


def theory_eval(name, inputs):
    d = {"t": 1, "p": 1.2, "c": 0.8, "r": 216, "mxg": 4000, **inputs}
    k, most = d["t"] * d["p"] * d["c"], d["mxg"] * d["r"] // 12000
    m = min(k, most)
    tx = m * 12000 / d["r"] / 1e3 + 0.5
    rtt = 2.5 + (2 * tx if k <= most else -(-k // most) * tx)
    return {"BW Mbit/s": m * 12 / tx, "RTT us": rtt * 1e3}
