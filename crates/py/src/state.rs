//! The state of a run at a time as a Python dict: what `wavetank.state` types.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use wavetank_capture::Names;
use wavetank_core::net::state::{DeviceState, HostState, QdiscState, RadioState, SocketState, State, StationState};
use wavetank_core::rate::minstrel_ht::RateStats;
use wavetank_core::sim::{Named, NodeId};
use wavetank_core::tcp::State as TcpState;

fn named<'py>(py: Python<'py>, v: &Named) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    for (k, n) in v {
        d.set_item(k, n)?;
    }
    Ok(d)
}

/// The states' names as ss has them. src: iproute2 misc/ss.c sock_state_print
const fn state(s: TcpState) -> &'static str {
    match s {
        TcpState::Closed => "UNCONN",
        TcpState::Listen => "LISTEN",
        TcpState::SynSent => "SYN-SENT",
        TcpState::SynRecv => "SYN-RECV",
        TcpState::Established => "ESTAB",
        TcpState::FinWait1 => "FIN-WAIT-1",
        TcpState::FinWait2 => "FIN-WAIT-2",
        TcpState::CloseWait => "CLOSE-WAIT",
        TcpState::Closing => "CLOSING",
        TcpState::LastAck => "LAST-ACK",
    }
}

fn ip(n: NodeId) -> String {
    std::net::Ipv4Addr::from(Names::ip(n) as u32).to_string()
}

fn socket<'py>(py: Python<'py>, names: &[String], own: usize, s: &SocketState) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    let (opener, other) = Names::ports(s.flow);
    let (local, remote) = if s.client { (opener, other) } else { (other, opener) };
    d.set_item("flow", s.flow)?;
    d.set_item("peer", &names[usize::from(s.peer.0)])?;
    d.set_item("local", (ip(NodeId(own as u16)), local))?;
    d.set_item("remote", (ip(s.peer), remote))?;
    d.set_item("state", state(s.state))?;
    d.set_item("recv_q", s.queued.0)?;
    d.set_item("send_q", s.queued.1)?;
    d.set_item("cc", s.cc)?;
    d.set_item("info", named(py, &s.info)?)?;
    d.set_item("mem", named(py, &s.mem)?)?;
    let bbr = s.bbr.map(|b| -> PyResult<_> {
        let e = PyDict::new(py);
        e.set_item("bw", b.bw)?;
        e.set_item("min_rtt_us", (b.min_rtt_us != u32::MAX).then_some(b.min_rtt_us))?;
        e.set_item("pacing_gain", b.pacing_gain)?;
        e.set_item("cwnd_gain", b.cwnd_gain)?;
        Ok(e)
    });
    d.set_item("bbr", bbr.transpose()?)?;
    Ok(d)
}

fn qdisc<'py>(py: Python<'py>, q: &QdiscState) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("kind", q.kind)?;
    d.set_item("parent", q.parent)?;
    d.set_item("sent_bytes", q.sent.map(|s| s.0))?;
    d.set_item("sent_packets", q.sent.map(|s| s.1))?;
    d.set_item("dropped", q.dropped)?;
    d.set_item("backlog_bytes", q.backlog.0)?;
    d.set_item("backlog_packets", q.backlog.1)?;
    let options = PyDict::new(py);
    for &(k, n) in &q.told.options {
        options.set_item(k, n as i64)?; // CAKE's overhead may be negative
    }
    d.set_item("options", options)?;
    d.set_item("stats", named(py, &q.told.stats)?)?;
    let tins = q.told.tins.iter().map(|t| named(py, t)).collect::<PyResult<Vec<_>>>()?;
    d.set_item("tins", PyTuple::new(py, tins)?)?;
    Ok(d)
}

fn rate<'py>(py: Python<'py>, r: &RateStats) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    let of = r.rate.of();
    let flags: String = (r.best.iter().zip("ABCD".chars()))
        .map(|(&on, c)| (on, c))
        .chain([(r.robust, 'P'), (r.sampled, 'S')])
        .map(|(on, c)| if on { c } else { ' ' })
        .collect();
    d.set_item("kind", r.rate.kind())?;
    d.set_item("width_mhz", 20 << of.bw)?;
    d.set_item("short_gi", of.short_gi)?;
    d.set_item("streams", of.streams)?;
    d.set_item("index", r.rate.index())?;
    d.set_item("number", r.rate.number())?;
    d.set_item("flags", flags)?;
    d.set_item("airtime_us", r.airtime_us)?;
    d.set_item("max_tp", f64::from(r.max_tp) / 10.0)?;
    d.set_item("avg_tp", f64::from(r.avg_tp) / 10.0)?;
    d.set_item("prob_percent", f64::from(r.prob) / 10.0)?;
    d.set_item("retry", r.retry)?;
    d.set_item("last_success", r.last.0)?;
    d.set_item("last_attempts", r.last.1)?;
    d.set_item("success", r.ever.0)?;
    d.set_item("attempts", r.ever.1)?;
    Ok(d)
}

fn station<'py>(py: Python<'py>, names: &[String], s: &StationState) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("name", &names[usize::from(s.peer.0)])?;
    let txqs = PyList::empty(py);
    for t in &s.txqs {
        let e = PyDict::new(py);
        e.set_item("tid", t.tid)?;
        e.set_item("ac", t.ac)?;
        e.set_item("backlog_bytes", t.backlog_bytes)?;
        e.set_item("backlog_packets", t.backlog_packets)?;
        e.set_item("new_flows", t.new_flows)?;
        e.set_item("drops", t.drops)?;
        e.set_item("marks", t.marks)?;
        e.set_item("overlimit", t.overlimit)?;
        e.set_item("collisions", t.collisions)?;
        e.set_item("tx_bytes", t.tx_bytes)?;
        e.set_item("tx_packets", t.tx_packets)?;
        e.set_item("ampdu", t.ampdu)?;
        txqs.append(e)?;
    }
    d.set_item("txqs", txqs)?;
    let airtime = s.airtime.map(|a| -> PyResult<_> {
        let e = PyDict::new(py);
        e.set_item("rx_us", a.rx)?;
        e.set_item("tx_us", a.tx)?;
        e.set_item("weight", a.weight)?;
        e.set_item("deficit_us", a.deficit)?;
        e.set_item("pending_us", a.pending)?;
        Ok(e)
    });
    d.set_item("airtime", airtime.transpose()?)?;
    match &s.rates {
        Some((rates, mean)) => {
            let all = PyList::empty(py);
            for r in rates {
                all.append(rate(py, r)?)?;
            }
            d.set_item("rates", all)?;
            d.set_item("ampdu_mean", f64::from(*mean) / 4096.0)?;
        }
        None => {
            d.set_item("rates", py.None())?;
            d.set_item("ampdu_mean", py.None())?;
        }
    }
    Ok(d)
}

fn radio<'py>(py: Python<'py>, names: &[String], r: &RadioState) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("driver", r.driver)?;
    let phy = r.phy.as_ref().map(|p| -> PyResult<_> {
        let e = PyDict::new(py);
        e.set_item("fq", named(py, &p.fq)?)?;
        e.set_item("aql_us", p.aql.map(|l| (l.low, l.high, l.threshold)))?;
        e.set_item("aql_enabled", p.aql.map(|l| l.enabled))?;
        e.set_item("aql_pending_us", p.pending)?;
        e.set_item("airtime_fairness", p.fair)?;
        Ok(e)
    });
    d.set_item("phy", phy.transpose()?)?;
    let stations = PyList::empty(py);
    for s in &r.stations {
        stations.append(station(py, names, s)?)?;
    }
    d.set_item("stations", stations)?;
    let hardware = PyList::empty(py);
    for h in r.holds.hardware {
        let e = PyDict::new(py);
        e.set_item("units", h.units)?;
        e.set_item("agreements", h.agreements)?;
        e.set_item("mpdus", h.mpdus)?;
        e.set_item("packets", h.packets)?;
        hardware.append(e)?;
    }
    d.set_item("hardware", hardware)?;
    let tids = PyList::empty(py);
    for t in &r.holds.tids {
        let e = PyDict::new(py);
        e.set_item("peer", &names[usize::from(r.peers[t.to.ix()].0)])?;
        e.set_item("tid", t.tid.get())?;
        e.set_item("agreement", t.agreement)?;
        e.set_item("start", t.start)?;
        e.set_item("next", t.next)?;
        e.set_item("size", t.size)?;
        e.set_item("open", t.open)?;
        e.set_item("fresh", t.fresh)?;
        e.set_item("retry", t.retry)?;
        e.set_item("packets", t.packets)?;
        e.set_item("paused", t.paused)?;
        tids.append(e)?;
    }
    d.set_item("tids", tids)?;
    d.set_item("counts", named(py, &r.holds.counts)?)?;
    for (name, n) in [
        ("cut", r.cut),
        ("joined", r.joined),
        ("fifo", r.fifo),
        ("held", r.held),
        ("received", r.received),
        ("reorder", r.reorder),
        ("tao", r.tao),
    ] {
        d.set_item(name, n)?;
    }
    Ok(d)
}

fn device<'py>(py: Python<'py>, names: &[String], x: &DeviceState) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("name", &x.name)?;
    let qdiscs = PyList::empty(py);
    for q in &x.qdiscs {
        qdiscs.append(qdisc(py, q)?)?;
    }
    d.set_item("qdiscs", qdiscs)?;
    d.set_item("counts", named(py, &x.counts)?)?;
    d.set_item("radio", x.radio.as_ref().map(|r| radio(py, names, r)).transpose()?)?;
    Ok(d)
}

fn host<'py>(py: Python<'py>, names: &[String], own: usize, h: &HostState) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("name", &h.name)?;
    let sockets = PyList::empty(py);
    for s in &h.sockets {
        sockets.append(socket(py, names, own, s)?)?;
    }
    d.set_item("sockets", sockets)?;
    let devices = PyList::empty(py);
    for x in &h.devices {
        devices.append(device(py, names, x)?)?;
    }
    d.set_item("devices", devices)?;
    d.set_item("received", h.received)?;
    Ok(d)
}

/// All of it, an entry an instant.
pub(crate) fn to_list<'py>(py: Python<'py>, states: &[State]) -> PyResult<Bound<'py, PyList>> {
    let all = PyList::empty(py);
    for s in states {
        let names: Vec<String> = s.hosts.iter().map(|h| h.name.clone()).collect();
        let d = PyDict::new(py);
        d.set_item("at_s", s.at.as_s())?;
        d.set_item("held", s.held)?;
        let hosts = PyList::empty(py);
        for (i, h) in s.hosts.iter().enumerate() {
            hosts.append(host(py, &names, i, h)?)?;
        }
        d.set_item("hosts", hosts)?;
        all.append(d)?;
    }
    Ok(all)
}
