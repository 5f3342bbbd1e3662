"""What the guest wrote, as a :class:`~wavetank.result.Result` with the model's names and units.

Differs from the model's:

* D1 a radio's ``ampdu_hist`` and ``rx_hist`` count PPDUs of Block Ack sessions (a voice frame has none).
* D2 bitrates are those of data at HT modes.
* D3 ``avg_aggr_size`` of the AP counts its beacons, ten a second.
* D4 there is no ledger and no count of events.
* D5 ``drops`` counts from the cards' start.
* D6 ``ends`` and ``runs`` are not known (NaN).
* D7 ``acks`` counts until the window's end; what ACKs' own frames waited and took is not known (NaN).
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from ..result import DSCP, ENDS, Flow, Mode, Node, Ping, Result
from ..stats import FloatArray
from . import kernels
from .translated import FlowName, Translated

#: Since when TCP_INFO tells them (include/uapi/linux/tcp.h, tcpi_delivered_ce and tcpi_total_rto).
DELIVERED_CE, TOTAL_RTO = (4, 18), (6, 7)
#: Of 802.11n and ac; 802.11ax has none so short.
SHORT_GI_NS = 400

#: Columns of a TCP flow's row after t and received (guest/src/bulk.rs Info::row); us become ms.
TCP = (
    "acked", "snd_cwnd", "snd_ssthresh", "srtt_ms", "min_rtt_ms", "unacked", "retrans", "pacing_bps", "delivery_bps",
    "notsent",
)  # fmt: skip
MICROSECONDS = ("srtt_ms", "min_rtt_ms")


def _table(rows: list[list[float | None]], width: int) -> FloatArray:
    """Rows as one array; what is missing is NaN."""
    out = np.full((len(rows), width), np.nan)
    for i, row in enumerate(rows):
        out[i, : len(row)] = [np.nan if x is None else x for x in row]
    return out


def _flow(name: FlowName, raw: dict[str, Any], moved: int, span: float, kernel: kernels.Version) -> Flow:
    tcp = name.kind == "tcp"
    a = _table(raw["rows"], 2 + len(TCP))
    series = {"t": a[:, 0], "received": a[:, 1]}
    if tcp:
        series |= {c: a[:, 2 + i] * (1e-3 if c in MICROSECONDS else 1.0) for i, c in enumerate(TCP)}
        series["acked"] = np.nan_to_num(series["acked"])
    else:
        series["delay_ms"] = a[:, 2]
    return Flow(
        name=name.name,
        direction=name.direction,
        station=int(name.station),
        kind=name.kind,
        dscp=DSCP.get(name.dscp, str(name.dscp)),
        cc=name.cc,
        bytes_window=moved,
        goodput_mbit=moved * 8e-6 / span,
        retransmits=int(raw["retransmits"]),
        rtos=int(raw["rtos"]) if kernel >= TOTAL_RTO or not tcp else None,
        series=series,
        delivery=raw.get("delivery"),
        error=raw.get("error"),
        delivered_ce=raw.get("delivered_ce") if tcp and kernel >= DELIVERED_CE else None,
    )


def _nodes(of: Translated, out: dict[str, Any], span: float) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    if not of.nodes:
        return nodes
    before, after = ([{k: int(v) for k, v in r.items()} for r in m["radios"][1:]] for m in out["window"])
    t = np.array([row[0] for row in out["air"]], dtype=np.float64)
    # samples x radios x what guest/src/radio.rs `row` lists, as steps
    counts = np.array([row[1] for row in out["air"]], dtype=np.float64)
    step = np.diff(counts, axis=0, prepend=counts[:1])
    unknown = np.full(65, np.nan)

    def share(i: int, key: str) -> float:
        return (after[i][key] - before[i][key]) / 1e9 / span

    for i, name in enumerate(of.nodes):
        airtime, ppdus, mpdus, rx_airtime, sent, kbit, got, rx_kbit, rx_mpdus, rx_bad = step[:, i].T
        series = {
            "t": t,
            "airtime_tx_us": airtime / 1e3,
            "airtime_rx_us": rx_airtime / 1e3,
            "avg_aggr_size": _ratio(mpdus, ppdus),
            "tx_bitrate_mbit": _ratio(kbit, sent) / 1e3,
            "rx_bitrate_mbit": _ratio(rx_kbit, got) / 1e3,
            "rx_bad_share": _ratio(rx_bad, rx_mpdus),
        }
        most = 256 if of.case["radio"].get("he") else 64  # of a Block Ack window
        nodes[name] = Node(
            name=name,
            ampdu_hist=_hist("ampdu_", before[i], after[i], most),
            airtime_fraction=share(i, "airtime_ns"),
            series=series,
            rx_hist=_hist("rx_ampdu_", before[i], after[i], most),
            rx_bad=_hist("rx_bad_", before[i], after[i], most),
            ends=np.full(len(ENDS), np.nan),
            runs=unknown,
            airtime_rx_fraction=share(i, "rx_airtime_ns"),
            modes=_modes("mode", before[i], after[i]),
            rx_modes=_modes("rx_mode", before[i], after[i]),
            unanswered=sum(after[i][k] - before[i][k] for k in ("no_response", "collisions")),
            acks=_acks(after[i]),
        )
    return nodes


def _ratio(sums: FloatArray, counts: FloatArray) -> FloatArray:
    """NaN where nothing was counted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts > 0, sums / counts, np.nan)


def _acks(counts: dict[str, int]) -> dict[str, float] | None:
    """What became of a station's TCP ACKs, by the model's names; None where TCP/HACK is off."""
    if "acks_made" not in counts:
        return None
    found: dict[str, float] = {k.removeprefix("acks_"): v for k, v in counts.items() if k.startswith("acks_")}
    found["riding_us"] = found.pop("riding_ns") / 1e3
    return found | dict.fromkeys(("accesses", "waited_us", "late_us", "airtime_us"), np.nan)


def _hist(name: str, before: dict[str, int], after: dict[str, int], most: int) -> FloatArray:
    """Data PPDUs by their MPDUs (or by those of them that were lost), between two readings of a radio's counters."""
    hist = np.zeros(most + 1)
    for k, v in after.items():
        if k.startswith(name):
            hist[int(k.removeprefix(name))] = v - before.get(k, 0)
    return hist


def _modes(name: str, before: dict[str, int], after: dict[str, int]) -> tuple[Mode, ...]:
    """Data by how it was modulated, between two readings of a radio's counters."""
    found = []
    for k, v in after.items():
        if not k.startswith(f"{name}_ppdus_") or v == before.get(k, 0):
            continue
        mode = k.removeprefix(f"{name}_ppdus_")
        phy, *words = mode.split("_")
        mcs, streams, mhz, gi_ns = (int(word) for word in words)
        mpdus = k.replace("ppdus", "mpdus")
        ppdus, n, short = v - before.get(k, 0), after[mpdus] - before.get(mpdus, 0), gi_ns == SHORT_GI_NS
        found.append(Mode(mcs, streams, mhz, short, after[f"mode_bps_{mode}"] / 1e6, ppdus, n, phy, gi_ns))
    return tuple(found)


def _drops(out: dict[str, Any], queues: dict[str, Any]) -> dict[str, int]:
    found = {f"mac80211.{k}": int(v) for k, v in out["aqm"].items()}
    found["driver.retries"] = sum(int(n) for n in out["dropped"])
    found["host.overlimit"] = sum(int(n) for n in out["backlog_drops"])
    found["qdisc.dropped"] = int(sum(float(q["dropped"][-1]) for q in queues.values() if len(q["dropped"])))
    return {k: v for k, v in sorted(found.items()) if v}


def result(of: Translated, text: str, wall_s: float) -> Result:
    """Types what the guest wrote."""
    out = json.loads(text)
    case, kernel = of.case, kernels.version(of.values["kernel"])
    window = case["window_start"] / 1e9, case["window_end"] / 1e9
    span = window[1] - window[0]
    first, last = (m["received"] for m in out["window"])
    flows = tuple(
        _flow(name, raw, int(b) - int(a), span, kernel)
        for name, raw, a, b in zip(of.flows, out["flows"], first, last, strict=True)
    )
    pings = []
    for (name, station), rows in zip(of.echoes, out["echoes"], strict=True):
        a = _table(rows, 2)
        pings.append(Ping(name, station, a[:, 0], a[:, 1]))
    queues = {}
    for name, rows in zip(of.queues, out["queues"], strict=True):
        a = _table(rows, 4)
        queues[name] = {"t": a[:, 0], "backlog_packets": a[:, 1], "backlog_bytes": a[:, 2], "dropped": a[:, 3]}
    return Result(
        scenario=of.values["name"],
        seed=of.seed,
        simulated_s=of.seconds,
        wall_s=wall_s,
        events=None,
        window=window,
        flows=flows,
        pings=tuple(pings),
        nodes=_nodes(of, out, span),
        qdiscs=queues,
        drops=_drops(out, queues),
        ledger={},
        digest=hashlib.sha256(text.encode()).hexdigest()[:16],
        resolved=of.values,
        water="linux",
        unknown=frozenset() if kernel >= TOTAL_RTO else frozenset({"rtos"}),
    )
