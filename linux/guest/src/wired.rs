// SPDX-License-Identifier: GPL-2.0
//! The wired oracle: exactly the topology of the stored kernel-6.12 measurements.
//!
//!   C --cr rc-- R --rs sr-- S     veth pairs, three namespaces, MTU 1500
//!
//! where = local:  HTB (rate, burst 1600, cburst 1600, quantum 1514) with the leaf on C's cr; rs has HTB 1 Gbit/s, pfifo 1000
//! where = remote: the same HTB and leaf on R's rs; cr has HTB 1 Gbit/s, pfifo 1000
//! rtt_ms: netem delay on S's sr, so that only the returning path is delayed.

use crate::bulk::{self, Sender};
use crate::case::Case;
use crate::{echo, json, qdisc, sys};
use std::net::{Ipv4Addr, SocketAddrV4};

const MS: i64 = 1_000_000;
const S_ADDR: Ipv4Addr = Ipv4Addr::new(10, 0, 1, 2);
const LEAF: u32 = 0x10;

pub fn run(case: &Case) -> Result<String, String> {
    links(1)?;
    let local = case.text("where", "local") == "local";
    let rate: f64 = case.get("rate_mbit", 100.0)?;
    let limit: u32 = case.get("limit", 1000)?;
    let leaf = match case.text("qdisc", "pfifo").as_str() {
        "pfifo" => format!("pfifo limit {limit}"),
        other => other.to_string(),
    };
    let ((near_ns, near), (far_ns, far)) = if local { (("C", "cr"), ("R", "rs")) } else { (("R", "rs"), ("C", "cr")) };
    shape(near_ns, near, rate, &leaf)?;
    shape(far_ns, far, 1000.0, "pfifo limit 1000")?;
    qdisc::delay(case, "sr")?;
    tcp_settings(case, &["C", "S"])?;
    let shift: i32 = case.get("pacing_shift", 10)?;
    if shift != 10 {
        sys::insmod(&case.text("module_sock", ""), "")?;
    }

    bulk::receive("S", 5001, case.get("flows", 1)?, &bulk::Buffers::of(case)?)?;
    echo::serve("S", 5002)?;
    let watch = qdisc::Watch::new(near_ns, near, LEAF)?;

    let secs: f64 = case.get("secs", 12.0)?;
    let step: f64 = case.get("step", 0.2)?;
    let warmup: f64 = case.get("warmup", 4.0)?;
    let interval = (case.get("ping_ms", 100.0)? * MS as f64) as i64;
    // whole seconds of the clock, so that two runs meet the 100 Hz tick alike
    let ping0 = (sys::now() / (1000 * MS) + 1) * 1000 * MS;
    let zero = ping0 + 1000 * MS + (case.get("offset_ms", 0.0)? * MS as f64) as i64;
    let count = ((secs + 1.4) * 1e9) as i64 / interval + 1;
    let plan = echo::Plan { zero, first: ping0, interval, count: count as usize, tos: 0, payload: 64 };
    let answers = echo::start("C", echo::Kind::Udp(5002), S_ADDR, plan)?;

    let how = Sender {
        netns: "C".into(),
        cc: case.text("cc", "cubic"),
        pacing_shift: (shift != 10).then_some(shift),
        paced: false,
        tos: 0,
    };
    let to = SocketAddrV4::new(S_ADDR, 5001);
    let flows: usize = case.get("flows", 1)?;
    let mut senders = (0..flows).map(|_| bulk::send(&how, to, zero)).collect::<Result<Vec<_>, _>>()?;

    let mut rows = Vec::new();
    let (mut base, mut last) = (None, None);
    for k in 1..=(secs / step + 1e-6) as i64 {
        sys::sleep_until(zero + (k as f64 * step * 1e9).round() as i64);
        let t = (sys::now() - zero) as f64 / 1e9;
        let q = watch.read()?;
        let mut acked = 0;
        for flow in &mut senders {
            let Some(info) = flow.info() else { continue };
            acked += info.acked;
            let mut columns = info.columns(t, flow.port);
            columns.push(("backlog_p", q.backlog_packets.to_string()));
            columns.push(("dropped", q.dropped.to_string()));
            rows.push(json::object(&columns));
        }
        if t >= warmup - 1e-3 {
            base.get_or_insert((t, acked));
            last = Some((t, acked));
        }
    }
    sys::sleep_until(zero + ((secs + 0.45) * 1e9) as i64);
    let goodput = match (base, last) {
        (Some((t0, a0)), Some((t1, a1))) if t1 > t0 => (a1 - a0) as f64 * 8.0 / (t1 - t0) / 1e6,
        _ => 0.0,
    };
    let pings = answers
        .answered()
        .into_iter()
        .map(|(t, ms)| format!("[{},{}]", json::number(t, 4), json::number(ms, 3)))
        .collect::<Vec<_>>();
    Ok(json::object(&[
        ("goodput_mbit", json::number(goodput, 3)),
        ("flows", flows.to_string()),
        ("rows", json::array(rows)),
        ("pings", json::array(pings)),
    ]))
}

/// The namespaces and veth pairs. With `segs` every device takes that many segments an skb. Offloads are off: what TCP sends at once is
/// cut behind the discipline (net/core/dev.c validate_xmit_skb), as what a card puts on its wire.
pub fn links(segs: u32) -> Result<(), String> {
    sys::feed(
        "ip",
        &["-batch"],
        "netns add C\nnetns add R\nnetns add S\n\
        link add cr netns C type veth peer name rc netns R\n\
        link add rs netns R type veth peer name sr netns S\n",
    )?;
    let devices = [("C", "cr"), ("R", "rc"), ("R", "rs"), ("S", "sr")];
    for (ns, text) in [
        ("C", "addr add 10.0.0.1/24 dev cr\nlink set cr up\nlink set lo up\nroute add default via 10.0.0.2\n"),
        ("R", "addr add 10.0.0.2/24 dev rc\naddr add 10.0.1.1/24 dev rs\nlink set rc up\nlink set rs up\n"),
        ("S", "addr add 10.0.1.2/24 dev sr\nlink set sr up\nlink set lo up\nroute add default via 10.0.1.1\n"),
    ] {
        let of = devices.iter().filter(|d| segs > 0 && d.0 == ns);
        let limits: String = of.map(|(_, dev)| format!("link set {dev} gso_max_segs {segs}\n")).collect();
        sys::feed("ip", &["-n", ns, "-batch"], &format!("{limits}{text}"))?;
    }
    for (ns, dev) in devices {
        sys::within(ns, || sys::offloads_off(dev))?;
    }
    sys::within("R", || sys::sysctl("net/ipv4/ip_forward", "1"))
}

pub fn shape(ns: &str, dev: &str, mbit: f64, leaf: &str) -> Result<(), String> {
    let kbit = (mbit * 1000.0).round() as u64;
    sys::feed(
        "tc",
        &["-n", ns, "-batch"],
        &format!(
            "qdisc add dev {dev} root handle 1: htb default 1\n\
         class add dev {dev} parent 1: classid 1:1 htb rate {kbit}kbit burst 1600 cburst 1600 quantum 1514\n\
         qdisc add dev {dev} parent 1:1 handle {LEAF:x}: {leaf}\n"
        ),
    )
}

/// Buffers that limit nothing, and the case's TSQ cap and pacing ratios, in each namespace that ends a connection. DCTCP is its hosts'
/// default, too: a listener has its control from there, and one of another echoes no single mark.
pub fn tcp_settings(case: &Case, namespaces: &[&str]) -> Result<(), String> {
    let mut settings = vec![
        ("net/ipv4/tcp_rmem", "4096 131072 33554432".to_string()),
        ("net/ipv4/tcp_wmem", "4096 16384 33554432".to_string()),
        ("net/ipv4/tcp_limit_output_bytes", case.text("limit_output_bytes", "1048576")),
        ("net/ipv4/tcp_pacing_ss_ratio", case.text("ss_ratio", "200")),
        ("net/ipv4/tcp_pacing_ca_ratio", case.text("ca_ratio", "120")),
    ];
    if case.text("cc", "") == "dctcp" {
        settings.push(("net/ipv4/tcp_congestion_control", "dctcp".to_string()));
    }
    sys::sysctls(namespaces, &settings)
}

/// TCP's own counters of a namespace that are not zero (since boot).
pub fn netstat(ns: &str) -> String {
    let text = sys::within(ns, || std::fs::read_to_string("/proc/thread-self/net/netstat").map_err(|e| e.to_string()));
    let text = text.unwrap_or_default();
    let mut lines = text.lines();
    let mut pairs = Vec::new();
    while let (Some(names), Some(values)) = (lines.next(), lines.next()) {
        if names.starts_with("TcpExt:") {
            let both = names.split(' ').zip(values.split(' ')).skip(1);
            pairs.extend(both.filter(|(_, v)| *v != "0").map(|(k, v)| (k, v.to_string())));
        }
    }
    json::object(&pairs)
}
