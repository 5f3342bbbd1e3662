// SPDX-License-Identifier: GPL-2.0
//! Scenarios over the radio: uploads, downloads, UDP saturation, with an echo beside them.
//!
//! traffic = tcp | udp; dir = up | down | both; tos = one mark, or several that a station's flows take in turn (RRUL:
//! both, flows 4, tos 0,32,160,184). TCP runs between the stations and S, UDP between the stations and the AP
//! itself. Every station has `flows` connections, or one flood, or what `floods` says (floods.rs). The radio's counters are read
//! at the end of the warm-up and at the end of the run.

use crate::air::{self, station_addr, station_ns};
use crate::bulk::{self, Flow, Sender};
use crate::case::Case;
use crate::floods::Floods;
use crate::radio::{self, Counters};
use crate::udp::{self, Flood, Sink};
use crate::{echo, feedback, json, qdisc, sys, wired};
use std::collections::BTreeMap;
use std::net::SocketAddrV4;

/// wavetank_tsq's lever (linux/modules/wavetank_tsq).
const TSQ: &str = "/sys/module/wavetank_tsq/parameters/shift";
const MS: i64 = 1_000_000;

pub fn run(case: &Case) -> Result<String, String> {
    let out = scenario(case);
    if case.get("trace", false)? {
        let _ = std::fs::copy("/sys/kernel/debug/wavetank/trace", "/tmp/wt/trace");
    }
    if case.get("acks", false)? {
        let _ = std::fs::copy("/sys/kernel/debug/wavetank/acks", "/tmp/wt/acks");
    }
    if case.get("minstrel", false)? {
        let _ = std::fs::copy("/sys/kernel/debug/wavetank/minstrel", "/tmp/wt/minstrel");
    }
    out
}

fn scenario(case: &Case) -> Result<String, String> {
    let stations: usize = case.get("stations", 1)?;
    let dir = case.text("dir", "up");
    let directions: &[bool] = match dir.as_str() {
        "up" => &[true],
        "down" => &[false],
        _ => &[true, false],
    };
    let up = directions[0];
    let is_tcp = case.text("traffic", "tcp") == "tcp";
    let secs: f64 = case.get("secs", 12.0)?;
    let step: f64 = case.get("step", 0.2)?;
    let warmup: f64 = case.get("warmup", 4.0)?;
    let marks: Vec<i32> = case
        .text("tos", "0")
        .split(',')
        .map(|w| w.parse().map_err(|_| format!("tos: cannot read {w}")))
        .collect::<Result<_, _>>()?;
    let tos = marks[0];

    air::build(case, stations)?;
    let mut hosts: Vec<String> = (0..stations).map(station_ns).collect();
    hosts.push("S".into());
    wired::tcp_settings(case, &hosts.iter().map(String::as_str).collect::<Vec<_>>())?;

    sys::note("stations have joined");

    let aaq = case.text("module_aaq", "");
    if !aaq.is_empty() {
        sys::insmod(&aaq, "")?;
    }
    let (first_ns, first_dev) = if up { ("C1", "wlan1") } else { ("AP", "wlan0") };
    let both = case.text("qdisc", "");
    let of = |key, sends: bool| case.text(key, if sends { &both } else { "" });
    let (ap, sta) = (of("ap_qdisc", !up), of("sta_qdisc", up));
    let cards = std::iter::once(("AP".to_string(), "wlan0".to_string(), &ap))
        .chain((0..stations).map(|i| (station_ns(i), format!("wlan{}", i + 1), &sta)));
    for (ns, dev, words) in cards.filter(|(_, _, words)| !words.is_empty()) {
        qdisc::tc(&ns, &format!("qdisc replace dev {dev} root handle 10: {words}"))?;
    }
    let watched = !(if up { &sta } else { &ap }).is_empty();
    let watch = watched.then(|| qdisc::Watch::new(first_ns, first_dev, 0x10)).transpose()?;

    let cc = case.text("module_cc", "");
    if !cc.is_empty() {
        sys::insmod(&cc, &case.text("cc_set", ""))?;
    }

    let tsq = case.text("tsq", "");
    let mut tsq_cards = Vec::new();
    if !tsq.is_empty() {
        sys::insmod(&case.text("module_tsq", ""), "")?;
        for i in 0..stations {
            let text = format!("wlan{} {tsq}", i + 1);
            sys::within(&station_ns(i), || std::fs::write(TSQ, text).map_err(|e| format!("{TSQ}: {e}")))?;
        }
        // a device without a card is refused
        let refused = sys::within("S", || Ok(std::fs::write(TSQ, "sw 8").is_err()))?;
        let set = std::fs::read_to_string(TSQ).map_err(|e| e.to_string())?;
        tsq_cards = set.lines().chain(refused.then_some("wired refused")).map(|l| format!("\"{l}\"")).collect();
    }

    let far = if is_tcp { "S" } else { "AP" };
    let far_addr = if is_tcp { air::SERVER } else { air::AP };
    let ping0 = (sys::now() / (1000 * MS) + 1) * 1000 * MS;
    let zero = ping0 + 1000 * MS + (case.get("offset_ms", 0.0)? * MS as f64) as i64;
    let interval = (case.get("ping_ms", 100.0)? * MS as f64) as i64;
    echo::serve(far, 5002)?;
    let lead = (case.get("channel_lead_ms", 0.0)? * MS as f64) as i64;
    radio::start_channel(case, zero - lead)?;
    let delay: i64 = case.get("feedback", -1)?;
    if delay >= 0 {
        feedback::start(stations + 1, delay)?;
    }
    let count = if interval > 0 { ((secs + 1.4) * 1e9) as i64 / interval + 1 } else { 0 };
    let plan = echo::Plan {
        zero,
        first: ping0,
        interval,
        count: count as usize,
        tos: case.get("ping_tos", tos)?,
        payload: 64,
    };
    let answers = echo::start("C1", echo::Kind::Udp(5002), far_addr, plan)?;

    let per_station: usize = case.get("flows", 1)?;
    let floods = Floods::of(case, tos)?;
    let mut flows: Vec<(usize, bool, i32, Flow)> = Vec::new();
    let mut sinks: Vec<(usize, i32, Sink)> = Vec::new();
    for (i, up) in (0..stations).flat_map(|i| directions.iter().map(move |up| (i, *up))) {
        let ns = station_ns(i);
        let port = if up { 6000 } else { 6100 } + i as u16;
        let (from, to_ns, to) = if up { (ns.as_str(), far, far_addr) } else { (far, ns.as_str(), station_addr(i)) };
        let to = SocketAddrV4::new(to, port);
        if is_tcp {
            bulk::receive(to_ns, port, per_station, &bulk::Buffers::of(case)?)?;
            for k in 0..per_station {
                let tos = marks[k % marks.len()];
                let how =
                    Sender { netns: from.into(), cc: case.text("cc", "cubic"), pacing_shift: None, paced: false, tos };
                flows.push((i, up, tos, bulk::send(&how, to, zero)?));
            }
        } else {
            for (k, tos) in floods.of_station(i).iter().enumerate() {
                let to = SocketAddrV4::new(*to.ip(), port + 200 * k as u16);
                sinks.push((i, *tos, Sink::new(to_ns, to.port())?));
                let plain = Flood::of(to, case.get("payload", 1472)?, zero);
                udp::flood(from, floods.flood(i, k, up, plain, stations))?;
            }
        }
    }
    Sink::run(&sinks.iter().map(|(_, _, s)| s).collect::<Vec<_>>());

    let mut rows = Vec::new();
    let (mut base, mut last) = (None, None);
    let mut counters0 = None;
    sys::realtime();
    if let Some((at, what)) = case.text("drop", "").split_once(' ') {
        let at = zero + (at.parse::<f64>().map_err(|e| format!("drop: {e}"))? * 1e9) as i64;
        let what = what.to_string();
        std::thread::spawn(move || {
            sys::sleep_until(at);
            std::fs::write("/sys/kernel/debug/wavetank/drop", what).expect("drop");
        });
    }
    for words in case.text("forget", "").split(',').filter_map(|w| w.split_once(' ')) {
        let at = zero + (words.0.parse::<f64>().map_err(|e| format!("forget: {e}"))? * 1e9) as i64;
        let radio = words.1.to_string();
        std::thread::spawn(move || {
            sys::sleep_until(at);
            std::fs::write("/sys/kernel/debug/wavetank/forget", radio).expect("forget");
        });
    }
    for k in 1..=(secs / step + 1e-6) as i64 {
        sys::sleep_until(zero + (k as f64 * step * 1e9).round() as i64);
        let t = (sys::now() - zero) as f64 / 1e9;
        let mut octets = vec![0u64; stations];
        let mut marked: BTreeMap<i32, u64> = BTreeMap::new();
        let q = watch.as_ref().map(qdisc::Watch::read).transpose()?;
        if k % 10 == 0 {
            sys::note(&format!("{t:.1} s of traffic"));
        }
        for (i, up, tos, flow) in &mut flows {
            let Some(info) = flow.info() else { continue };
            octets[*i] += info.acked;
            *marked.entry(*tos).or_default() += info.acked;
            let mut columns = info.columns(t, flow.port);
            columns.insert(1, ("station", (*i + 1).to_string()));
            columns.insert(2, ("up", u8::from(*up).to_string()));
            if let Some(q) = q {
                columns.push(("backlog_p", q.backlog_packets.to_string()));
                columns.push(("dropped", q.dropped.to_string()));
            }
            rows.push(json::object(&columns));
        }
        for (i, tos, sink) in &sinks {
            let received = sink.read();
            octets[*i] += received;
            *marked.entry(*tos).or_default() += received;
            let mut columns =
                vec![("t", json::number(t, 4)), ("station", (i + 1).to_string()), ("received", octets[*i].to_string())];
            if let Some(q) = q {
                columns.push(("backlog_p", q.backlog_packets.to_string()));
                columns.push(("dropped", q.dropped.to_string()));
            }
            rows.push(json::object(&columns));
        }
        if t >= warmup - 1e-3 {
            counters0.get_or_insert_with(|| radio::counters(stations + 1));
            base.get_or_insert_with(|| (t, octets.clone(), marked.clone()));
            last = Some((t, octets, marked));
        }
    }
    let counters1 = radio::counters(stations + 1);
    let rates = radio::rate_control(); // before the pause, in which flows go on
    sys::sleep_until(zero + ((secs + 0.45) * 1e9) as i64);

    if !tsq.is_empty() {
        sys::within("C1", || std::fs::write(TSQ, "wlan1 -").map_err(|e| e.to_string()))?;
        let left = std::fs::read_to_string(TSQ).unwrap_or_default();
        tsq_cards.push(format!("\"after reset: {}\"", left.lines().collect::<Vec<_>>().join(", ")));
        sys::rmmod("wavetank_tsq")?;
    }
    if case.get("unload", false)? {
        sys::rmmod("wavetank_radio")?; // while TCP sends, and TAO holds ACKs
        if !aaq.is_empty() {
            sys::rmmod("wavetank_aaq")?;
        }
        sys::sleep_until(sys::now() + 500 * MS);
    }
    let (t0, a0, m0) = base.ok_or("warmup is longer than secs")?;
    let (t1, a1, m1) = last.expect("base is set");
    let per_second = |octets: u64| octets as f64 * 8.0 / (t1 - t0) / 1e6;
    let mbit: Vec<f64> = a0.iter().zip(&a1).map(|(a, b)| per_second(b - a)).collect();
    let since = |tos: &i32, octets: u64| per_second(octets - m0.get(tos).unwrap_or(&0));
    let by_mark: Vec<_> = m1.iter().map(|(tos, b)| (tos.to_string(), json::number(since(tos, *b), 4))).collect();
    let by_mark: Vec<_> = by_mark.iter().map(|(tos, mbit)| (tos.as_str(), mbit.clone())).collect();
    let pings = answers
        .answered()
        .into_iter()
        .map(|(t, ms)| format!("[{},{}]", json::number(t, 4), json::number(ms, 3)))
        .collect::<Vec<_>>();
    let radio = json::object(&[
        ("secs", json::number(t1 - t0, 4)),
        ("radios", json::array(difference(&counters0.unwrap_or_default(), &counters1))),
    ]);
    Ok(json::object(&[
        ("goodput_mbit", json::number(mbit.iter().sum(), 3)),
        ("station_mbit", json::array(mbit.iter().map(|m| json::number(*m, 3)))),
        ("mark_mbit", json::object(&by_mark)),
        ("flows", flows.len().to_string()),
        ("rows", json::array(rows)),
        ("pings", json::array(pings)),
        ("netstat", json::object(&[("C1", wired::netstat("C1")), ("S", wired::netstat("S"))])),
        ("tsq_cards", json::array(tsq_cards)),
        ("rc", rates),
        ("radio", radio),
    ]))
}

fn difference(from: &[Counters], to: &[Counters]) -> Vec<String> {
    to.iter()
        .enumerate()
        .map(|(i, now)| {
            // a maximum has no difference; what became of TCP's ACKs is told of the whole run, as the model does
            let old = |k: &str| {
                if k.ends_with("_max") || k.starts_with("acks_") {
                    0
                } else {
                    from.get(i).and_then(|f| f.iter().find(|(n, _)| n == k)).map_or(0, |(_, v)| *v)
                }
            };
            json::object(&now.iter().map(|(k, v)| (k.as_str(), (v - old(k)).to_string())).collect::<Vec<_>>())
        })
        .collect()
}
