//! An [`Outcome`] as a Python dict.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use wavetank_core::net::outcome::{FlowOutcome, NodeOutcome};
use wavetank_core::net::{AckOutcome, Outcome};
use wavetank_core::phy::Mode;
use wavetank_core::scenario::Scenario;
use wavetank_core::traffic::{Delivery, Direction};

/// A float64 numpy array (read-only: it shares the bytes).
pub(crate) fn array<'py>(py: Python<'py>, v: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = v.iter().flat_map(|x| x.to_ne_bytes()).collect();
    py.import("numpy")?.call_method1("frombuffer", (PyBytes::new(py, &bytes), "f8"))
}

/// Whose mode it is.
fn phy(m: Mode) -> &'static str {
    match m {
        Mode::Dsss(_) => "dsss",
        Mode::Ofdm(_) => "ofdm",
        Mode::Ht(_) => "ht",
        Mode::Vht(_) => "vht",
        Mode::He(_) => "he",
    }
}

/// What became of a UDP flow's datagrams: counts, and delays in ms.
fn delivery<'py>(py: Python<'py>, x: &Delivery) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("sent", x.sent)?;
    d.set_item("arrived", x.arrived)?;
    let delay = PyDict::new(py);
    for (name, q) in [("p10", 0.1), ("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
        delay.set_item(name, x.delay.quantile(q).map(|ns| ns / 1e6))?;
    }
    delay.set_item("mean", x.delay.mean().map(|ns| ns / 1e6))?;
    d.set_item("delay_ms", delay)?;
    d.set_item("jitter_ms", (x.arrived > 1).then_some(x.jitter_ms))?;
    Ok(d)
}

fn flow<'py>(py: Python<'py>, s: &Scenario, out: &Outcome, f: &FlowOutcome) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("name", &f.plan.name)?;
    d.set_item("direction", if f.direction() == Direction::Up { "up" } else { "down" })?;
    d.set_item("station", f.plan.station)?;
    d.set_item("kind", if f.is_tcp() { "tcp" } else { "udp" })?;
    d.set_item("dscp", f.plan.dscp)?;
    d.set_item("cc", if f.is_tcp() { f.plan.cc.unwrap_or(s.tcp.cc).name() } else { "" })?;
    d.set_item("bytes_window", f.bytes_window)?;
    d.set_item("goodput_mbit", f.goodput_mbit(out.window))?;
    d.set_item("retransmits", f.retransmits)?;
    d.set_item("rtos", f.rtos)?;
    d.set_item("delivered_ce", f.is_tcp().then_some(f.delivered_ce))?;
    d.set_item("error", f.error.map(|e| e.name()))?;
    d.set_item("delivery", f.delivery.as_ref().map(|x| delivery(py, x)).transpose()?)?;
    let series = PyDict::new(py);
    let c = &f.series;
    for (name, col) in [
        ("t", &c.t),
        ("received", &c.received),
        ("delay_ms", &c.delay_ms),
        ("acked", &c.acked),
        ("snd_cwnd", &c.snd_cwnd),
        ("snd_ssthresh", &c.snd_ssthresh),
        ("srtt_ms", &c.srtt_ms),
        ("min_rtt_ms", &c.min_rtt_ms),
        ("unacked", &c.unacked),
        ("retrans", &c.retrans),
        ("pacing_bps", &c.pacing_bps),
        ("delivery_bps", &c.delivery_bps),
        ("notsent", &c.notsent),
    ] {
        series.set_item(name, array(py, col)?)?;
    }
    d.set_item("series", series)?;
    Ok(d)
}

/// What became of a station's TCP ACKs: counts over the whole run, bytes, and times in us.
fn acks<'py>(py: Python<'py>, a: &AckOutcome) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    let c = &a.client;
    for (name, n) in [
        ("made", c.acks),
        ("native", a.native),
        ("native_bytes", a.native_bytes),
        ("compressed", c.compressed),
        ("compressed_bytes", c.compressed_bytes),
        ("riding_bytes", c.riding_bytes),
        ("restored", a.restored),
        ("refused", a.refused),
        ("responses", c.responses),
        ("failures", c.failures),
        ("not_ready", c.not_ready),
        ("repairs", c.repairs),
        ("flushes", c.flushes),
        ("beyond_difs", c.beyond_difs),
        ("hit", a.hit),
        ("accesses", a.accesses),
    ] {
        d.set_item(name, n)?;
    }
    for (name, t) in [("waited_us", a.waited), ("late_us", a.late), ("airtime_us", a.airtime), ("riding_us", a.riding)]
    {
        d.set_item(name, t.ns() as f64 / 1e3)?;
    }
    Ok(d)
}

fn node<'py>(py: Python<'py>, n: &NodeOutcome) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    let hist: Vec<f64> = n.ampdu_hist.iter().map(|&k| k as f64).collect();
    d.set_item("ampdu_hist", array(py, &hist)?)?;
    let counts = |v: &[u64]| v.iter().map(|&k| k as f64).collect::<Vec<_>>();
    d.set_item("rx_hist", array(py, &counts(&n.rx_hist))?)?;
    d.set_item("rx_bad", array(py, &counts(&n.rx_bad))?)?;
    d.set_item("ends", array(py, &counts(&n.ends))?)?;
    d.set_item("runs", array(py, &counts(&n.runs))?)?;
    for (name, used) in [("modes", &n.modes), ("rx_modes", &n.rx_modes)] {
        let modes = PyList::empty(py);
        for &(m, ppdus, mpdus) in used {
            modes.append((
                m.mcs(),
                m.streams(),
                m.mhz(),
                m.short_gi(),
                m.rate().bps() as f64 / 1e6,
                ppdus,
                mpdus,
                phy(m),
                m.gi().ns(),
            ))?;
        }
        d.set_item(name, modes)?;
    }
    let rate = PyDict::new(py);
    if let Some(c) = n.rate {
        for (name, count) in [
            ("units", c.units),
            ("frames", c.frames),
            ("probes", c.probes),
            ("probe_frames", c.probe_frames),
            ("probes_ok", c.probes_ok),
            ("probes_lost", c.probes_lost),
            ("forced", c.forced),
            ("forced_ok", c.forced_ok),
            ("downs", c.downs),
            ("reports", c.reports),
            ("heard", c.heard),
            ("age_ns", c.age_ns),
            ("lifted", c.lifted),
        ] {
            rate.set_item(name, count)?;
        }
    }
    d.set_item("rate", rate)?;
    d.set_item("airtime_fraction", n.airtime_fraction)?;
    d.set_item("airtime_rx_fraction", n.airtime_rx_fraction)?;
    d.set_item("unanswered", n.unanswered)?;
    if let Some(a) = &n.acks {
        d.set_item("acks", acks(py, a)?)?;
    }
    let series = PyDict::new(py);
    for (name, col) in [
        ("t", &n.t),
        ("airtime_tx_us", &n.airtime_tx_us),
        ("airtime_rx_us", &n.airtime_rx_us),
        ("avg_aggr_size", &n.avg_aggr_size),
        ("tx_bitrate_mbit", &n.tx_bitrate_mbit),
        ("rx_bitrate_mbit", &n.rx_bitrate_mbit),
        ("rx_bad_share", &n.rx_bad_share),
    ] {
        series.set_item(name, array(py, col)?)?;
    }
    d.set_item("series", series)?;
    Ok(d)
}

/// The whole outcome.
pub(crate) fn to_dict<'py>(py: Python<'py>, s: &Scenario, out: &Outcome) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("scenario", &s.name)?;
    d.set_item("seed", s.seed)?;
    d.set_item("simulated_s", out.simulated.as_s())?;
    d.set_item("events", out.events)?;
    d.set_item("window", (out.window.0.as_s(), out.window.1.as_s()))?;
    d.set_item("digest", format!("{:016x}", out.digest))?;
    let resolved = PyDict::new(py);
    for (k, v) in s.resolved() {
        resolved.set_item(k, v)?;
    }
    d.set_item("resolved", resolved)?;

    let l = &out.ledger;
    let ledger = PyDict::new(py);
    ledger.set_item("made", l.made)?;
    ledger.set_item("delivered", l.delivered)?;
    ledger.set_item("dropped", l.drops())?;
    ledger.set_item("held", out.held)?;
    d.set_item("ledger", ledger)?;
    let drops = PyDict::new(py);
    for (place, reason, n) in l.named() {
        drops.set_item(format!("{}.{}", place.name(), reason.name()), n)?;
    }
    d.set_item("drops", drops)?;

    let flows = PyList::empty(py);
    for f in &out.flows {
        flows.append(flow(py, s, out, f)?)?;
    }
    d.set_item("flows", flows)?;
    let pings = PyList::empty(py);
    for e in &out.echoes {
        let p = PyDict::new(py);
        p.set_item("name", &e.name)?;
        p.set_item("station", e.station)?;
        p.set_item("t", array(py, &e.t)?)?;
        p.set_item("rtt_ms", array(py, &e.rtt_ms)?)?;
        pings.append(p)?;
    }
    d.set_item("pings", pings)?;
    let nodes = PyDict::new(py);
    for n in &out.nodes {
        nodes.set_item(&n.name, node(py, n)?)?;
    }
    d.set_item("nodes", nodes)?;
    let queues = PyDict::new(py);
    for q in &out.queues {
        let e = PyDict::new(py);
        e.set_item("t", array(py, &q.t)?)?;
        e.set_item("backlog_packets", array(py, &q.backlog_packets)?)?;
        e.set_item("backlog_bytes", array(py, &q.backlog_bytes)?)?;
        e.set_item("dropped", array(py, &q.dropped)?)?;
        queues.set_item(&q.name, e)?;
    }
    d.set_item("qdiscs", queues)?;
    Ok(d)
}
