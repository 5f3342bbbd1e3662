// SPDX-License-Identifier: GPL-2.0
//! A scenario of the product: what the host's side has decided is carried out here, and what is seen is written as columns.
//!
//! Time 0 is a whole second of the clock. Echoes run from 0 to the end; flows start at the times that their lines name, stop
//! writing at `flows_end` (what is in the send buffer still goes, then FIN), and everything is sampled at `sample_first`,
//! then every `sample`. At `window_start` and `window_end` counters are read once more, so that figures of the window are exact.
//! All times of the case are nanoseconds since 0.
//!
//! Lines with a number each (`flow.0`, `flow.1`, ...), words separated by blanks:
//!   flow    tcp up|down STATION TOS ACK_TOS START CC   flow    udp up|down STATION TOS START STEP PAYLOAD SNDBUF
//!   echo    icmp|udp STATION TOS START                 watch   NAMESPACE DEVICE MAJOR_HEX
//!   sysctl  PATH VALUE...     ip  NAMESPACE LINE       tc      NAMESPACE LINE
//!   wiphy   all|CARD FILE LINE (of debugfs), all|CARD airtime_weight N [STATION]
//!   module_cc  FILE PARAMETER=VALUE... of a congestion control of ours
//!
//! With `state NS` the run ends then, and all that is written beside the samples so far is what every host's state is (state.rs):
//! programs that look read the clock, which costs virtual time (arch/um/kernel/time.c timer_read), so that nothing is to come after them.

use crate::air::{self, station_addr, station_ns};
use crate::bulk::{self, Flow, Sender};
use crate::case::Case;
use crate::datagrams::{self, Pace, Receiver};
use crate::echo::{self, Kind, Plan};
use crate::{feedback, json, own, qdisc, radio, state, sys, wired};
use std::net::{Ipv4Addr, SocketAddrV4};

const SECOND: i64 = 1_000_000_000;
const ECHO_PORT: u16 = 7;
/// Below the ephemeral ports, and nobody else's: Wireshark takes what flows there for data.
const FIRST_PORT: u16 = 30_500;
/// wavetank_tsq's lever (linux/modules/wavetank_tsq).
const TSQ: &str = "/sys/module/wavetank_tsq/parameters/shift";

/// Who is where.
struct Net {
    stations: Vec<(String, Ipv4Addr)>,
    server: (String, Ipv4Addr),
    /// Namespaces that end connections.
    hosts: Vec<String>,
    /// Whose state can be looked at.
    seen: Vec<state::Host>,
    radios: usize,
}

enum Traffic {
    Tcp { sender: Flow, receiver: bulk::Receiver },
    Udp(Receiver),
}

pub fn run(case: &Case) -> Result<String, String> {
    let net = build(case)?;
    apply(case, &net)?;
    for words in case.lines("module_cc") {
        sys::insmod(words[0], &words[1..].join(" "))?;
    }
    own::check_controls(case.lines("flow").filter(|words| words[0] == "tcp").map(|words| words[6]))?;
    let shift: i32 = case.get("sock_shift", -1)?;
    if shift >= 0 {
        sys::insmod(&case.text("module_sock", ""), "")?;
    }
    let watches = watches(case)?;
    let (flows_end, end): (i64, i64) = (case.get("flows_end", 0)?, case.get("end", 0)?);
    let zero = warm_up(&net)?;
    radio::start_channel(case, zero)?;
    radio::start_capture(case, zero)?;
    let delay: i64 = case.get("feedback", -1)?;
    if delay >= 0 {
        feedback::start(net.radios, delay)?;
    }

    echo::serve(&net.server.0, ECHO_PORT)?;
    let mut echoes = Vec::new();
    let interval: i64 = case.get("ping", 0)?;
    for (k, words) in case.lines("echo").enumerate() {
        let [kind, station, tos, start] = words[..] else { return Err(format!("echo.{k}: four words")) };
        let (ns, _) = &net.stations[number::<usize>(station)?];
        let kind = if kind == "icmp" { Kind::Icmp(k as u16 + 1) } else { Kind::Udp(ECHO_PORT) };
        let start: i64 = number(start)?;
        let count = ((end - start + interval - 1) / interval) as usize;
        let first = zero + start;
        let plan = Plan { zero, first, interval, count, tos: number(tos)?, payload: case.get("ping_payload", 56)? };
        echoes.push(echo::start(ns, kind, net.server.1, plan)?);
    }

    let mut flows: Vec<(i64, Traffic)> = Vec::new();
    for (k, words) in case.lines("flow").enumerate() {
        flows.push(start_flow(case, &net, k as u16, &words, zero, zero + flows_end)?);
    }
    let udp = flows.iter().filter_map(|(_, f)| if let Traffic::Udp(r) = f { Some(r.clone()) } else { None });
    Receiver::run(udp.collect());
    sys::realtime();

    let mut columns: Vec<Vec<String>> = vec![Vec::new(); flows.len()];
    let mut air_rows: Vec<String> = Vec::new();
    let mut queue_rows: Vec<Vec<String>> = vec![Vec::new(); watches.len()];
    let mut marks = Vec::new();
    let mut files = None;
    for (at, what) in instants(case, flows_end, end)? {
        sys::sleep_until(zero + at);
        match what {
            Instant::Stop => {
                for (_, flow) in &mut flows {
                    if let Traffic::Tcp { sender, .. } = flow {
                        sender.stop();
                    }
                }
            }
            Instant::Mark => {
                let moved = flows.iter_mut().map(|(start, f)| f.received(at, *start).to_string());
                marks.push(json::object(&[
                    ("received", json::array(moved)),
                    ("radios", json::array(radio::counters(net.radios).iter().map(radio::object))),
                ]));
            }
            Instant::Look => {
                files = Some(state::look(&net.seen, case)?);
            }
            Instant::Sample => {
                let t = json::number(at as f64 / 1e9, 9);
                for ((start, flow), rows) in flows.iter_mut().zip(&mut columns) {
                    rows.push(flow.row(&t, at, *start));
                }
                for (watch, rows) in watches.iter().zip(&mut queue_rows) {
                    let q = watch.read()?;
                    rows.push(format!("[{t},{},{},{}]", q.backlog_packets, q.backlog_bytes, q.dropped));
                }
                if net.radios > 0 {
                    let now = radio::counters(net.radios);
                    let each = now.iter().skip(1).map(|r| json::array(radio::row(r).map(|v| v.to_string())));
                    air_rows.push(format!("[{t},{}]", json::array(each)));
                }
                // how far it is, for whoever waits on the host
                if at % SECOND < case.get("sample", SECOND)? {
                    let _ = std::fs::write("/tmp/wt/progress", format!("{}", at / SECOND));
                }
            }
        }
    }
    radio::keep_capture(case)?;
    let flow_values = flows.iter_mut().zip(columns).map(|((_, f), rows)| {
        let (retransmits, rtos, delivered_ce) = f.totals();
        json::object(&[
            ("rows", json::array(rows)),
            ("retransmits", retransmits.to_string()),
            ("rtos", rtos.to_string()),
            ("delivered_ce", delivered_ce.to_string()),
            ("error", f.error().map_or("null".into(), |e| format!("\"{e}\""))),
            ("delivery", f.delivery()),
        ])
    });
    let flow_values: Vec<_> = flow_values.collect();
    let mut hosts = net.hosts.clone();
    hosts.dedup();
    let netstat: Vec<(&str, String)> = hosts.iter().map(|h| (h.as_str(), wired::netstat(h))).collect();
    let counters = radio::counters(net.radios); // the air's, then each radio's
    let each_radio = |key| json::array(counters.iter().skip(1).map(|r| radio::value(r, key).to_string()));
    let mut all = vec![
        ("flows", json::array(flow_values)),
        ("echoes", json::array(echoes.iter().map(echo::Answers::json))),
        ("queues", json::array(queue_rows.into_iter().map(json::array))),
        ("air", json::array(air_rows)),
        ("window", json::array(marks)),
        ("dropped", each_radio("dropped_mpdus")),
        ("backlog_drops", each_radio("backlog_drops")),
        ("aqm", radio::dropped()),
        ("netstat", json::object(&netstat)),
    ];
    if let Some(files) = files {
        let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), json::text(text))).collect();
        all.push(("state", json::object(&files)));
    }
    Ok(json::object(&all))
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("cannot read {word}"))
}

fn build(case: &Case) -> Result<Net, String> {
    if case.text("topology", "wifi") == "wired" {
        wired::links(case.get("gso_max_segs", 0)?)?;
        return Ok(Net {
            stations: vec![("C".into(), Ipv4Addr::new(10, 0, 0, 1))],
            server: ("S".into(), Ipv4Addr::new(10, 0, 1, 2)),
            hosts: vec!["C".into(), "S".into()],
            seen: ["C", "R", "S"].map(|n| state::Host { name: n.into(), ns: n.into(), radio: None }).into(),
            radios: 0,
        });
    }
    let n: usize = case.get("stations", 1)?;
    air::build(case, n)?;
    let stations: Vec<_> = (0..n).map(|i| (station_ns(i), station_addr(i))).collect();
    let server = if case.get("backhaul", true)? { ("S".to_string(), air::SERVER) } else { ("AP".to_string(), air::AP) };
    let mut hosts: Vec<String> = stations.iter().map(|(ns, _)| ns.clone()).collect();
    hosts.extend(["AP".to_string(), "S".to_string()]);
    let radio = |i: usize, name: String, ns: String| state::Host { name, ns, radio: Some(i) };
    let mut seen = vec![radio(0, "ap".into(), "AP".into())];
    seen.extend((1..=n).map(|i| radio(i, format!("sta{i}"), station_ns(i - 1))));
    if case.get("backhaul", true)? {
        seen.push(state::Host { name: "server".into(), ns: "S".into(), radio: None });
    }
    Ok(Net { stations, server, hosts, seen, radios: n + 1 })
}

/// Settings of TCP, of devices and of queueing disciplines, in the order in which they stand in the case.
fn apply(case: &Case, net: &Net) -> Result<(), String> {
    let hosts: Vec<&str> = net.hosts.iter().map(String::as_str).collect();
    let settings: Vec<_> = case.lines("sysctl").map(|words| (words[0], words[1..].join(" "))).collect();
    sys::sysctls(&hosts, &settings)?;
    for words in case.lines("ip") {
        sys::feed("ip", &["-n", words[0], "-batch"], &format!("{}\n", words[1..].join(" ")))?;
    }
    let aaq = case.text("module_aaq", "");
    if !aaq.is_empty() {
        sys::insmod(&aaq, "")?;
    }
    for words in case.lines("tc") {
        let line = words[1..].join(" ");
        qdisc::tc(words[0], &line).map_err(|e| format!("{line}: {e}"))?;
    }
    for words in case.lines("wiphy") {
        match words[1] {
            "airtime_weight" => air::weigh(words[0], words[2], words.get(3).copied())?,
            file => radio::set(words[0], file, &words[2..])?,
        }
    }
    let tsq = case.text("tsq", "");
    if !tsq.is_empty() {
        sys::insmod(&case.text("module_tsq", ""), "")?;
        for (i, ns) in std::iter::once("AP").chain(net.stations.iter().map(|(ns, _)| ns.as_str())).enumerate() {
            sys::within(ns, || std::fs::write(TSQ, format!("wlan{i} {tsq}")).map_err(|e| format!("{TSQ}: {e}")))?;
        }
    }
    Ok(())
}

fn watches(case: &Case) -> Result<Vec<qdisc::Watch>, String> {
    case.lines("watch")
        .map(|w| qdisc::Watch::new(w[0], w[1], u32::from_str_radix(w[2], 16).map_err(|e| e.to_string())?))
        .collect()
}

/// One echo from every station, so that neighbours and Block Ack sessions are there; returns time 0.
fn warm_up(net: &Net) -> Result<i64, String> {
    let zero = (sys::now() / SECOND + 2) * SECOND;
    for (i, (ns, _)) in net.stations.iter().enumerate() {
        let at = zero - SECOND + i as i64 * 10_000_000;
        let plan = Plan { zero: at, first: at, interval: 200_000_000, count: 3, tos: 0, payload: 56 };
        echo::start(ns, Kind::Icmp(1000 + i as u16), net.server.1, plan)?;
    }
    Ok(zero)
}

fn start_flow(case: &Case, net: &Net, k: u16, words: &[&str], zero: i64, stop: i64) -> Result<(i64, Traffic), String> {
    let station = &net.stations[number::<usize>(words[2])?];
    let (from, to) = if words[1] == "up" { (station, &net.server) } else { (&net.server, station) };
    let addr = SocketAddrV4::new(to.1, FIRST_PORT + k);
    let tos = number(words[3])?;
    if words[0] == "tcp" {
        let start: i64 = number(words[5])?;
        let buffers =
            bulk::Buffers { rcvbuf: case.get("rcvbuf", 0)?, lowat: case.get("rcvlowat", 1)?, tos: number(words[4])? };
        let shift: i32 = case.get("sock_shift", -1)?;
        let how = Sender {
            netns: from.0.clone(),
            cc: words[6].into(),
            pacing_shift: (shift >= 0).then_some(shift),
            paced: case.get("paced", false)?,
            tos,
        };
        // the station opens, as netperf's client does whichever way the data goes
        let (sender, receiver) = if words[1] == "up" {
            let receiver = bulk::receive_one(&to.0, addr.port(), &buffers)?;
            (bulk::send(&how, addr, zero + start)?, receiver)
        } else {
            let sender = bulk::serve(&how, addr.port())?;
            (sender, bulk::fetch(&to.0, SocketAddrV4::new(from.1, addr.port()), &buffers, zero + start)?)
        };
        return Ok((start, Traffic::Tcp { sender, receiver }));
    }
    let start: i64 = number(words[4])?;
    let pace = Pace {
        start: zero + start,
        stop,
        step: number(words[5])?,
        payload: number(words[6])?,
        sndbuf: number(words[7])?,
        window: (zero + case.get("window_start", 0)?, zero + case.get("window_end", 0)?),
    };
    let receiver = Receiver::new(&to.0, addr.port(), pace.payload)?;
    let sent = datagrams::send(&from.0, addr, &pace, tos)?;
    Ok((start, Traffic::Udp(receiver.of(sent))))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Instant {
    Mark,
    Sample,
    Stop,
    Look,
}

/// When something is to be done, in order; at the same time counters come before samples, then the flows' end, and who looks at
/// everything last.
fn instants(case: &Case, flows_end: i64, end: i64) -> Result<Vec<(i64, Instant)>, String> {
    let step: i64 = case.get("sample", SECOND)?;
    let mut all: Vec<(i64, Instant)> = Vec::new();
    let mut at: i64 = case.get("sample_first", 0)?;
    while at <= end {
        all.push((at, Instant::Sample));
        at += step;
    }
    all.push((case.get("window_start", 0)?, Instant::Mark));
    all.push((case.get("window_end", 0)?, Instant::Mark));
    all.push((flows_end, Instant::Stop));
    all.sort();
    if all.last().is_some_and(|(t, _)| *t < end) {
        all.push((end, Instant::Sample));
    }
    let look: i64 = case.get("state", -1)?;
    if look >= 0 {
        all.retain(|(t, _)| *t <= look);
        all.push((look, Instant::Look));
    }
    Ok(all)
}

impl Traffic {
    fn received(&mut self, at: i64, start: i64) -> u64 {
        match self {
            Traffic::Tcp { receiver, .. } if at >= start => receiver.received(),
            Traffic::Tcp { .. } => 0,
            Traffic::Udp(receiver) => receiver.read(),
        }
    }

    /// One sample: t, received, and of TCP what the sender's TCP_INFO says, of UDP the mean delay since the last.
    fn row(&mut self, t: &str, at: i64, start: i64) -> String {
        let received = self.received(at, start);
        let more: Vec<String> = match self {
            Traffic::Tcp { sender, .. } => {
                sender.state().filter(|i| i.rtt_us > 0).map_or(vec![], |i| i.row().collect())
            }
            Traffic::Udp(receiver) => receiver.delay_since().map_or(vec![], |ms| vec![json::number(ms, 6)]),
        };
        json::array([t.to_string(), received.to_string()].into_iter().chain(more))
    }

    /// What became of its datagrams; null of TCP.
    fn delivery(&self) -> String {
        match self {
            Traffic::Tcp { .. } => "null".into(),
            Traffic::Udp(receiver) => receiver.delivery(),
        }
    }

    /// The error in which its connection ended.
    fn error(&self) -> Option<&'static str> {
        match self {
            Traffic::Tcp { sender, .. } => sender.error(),
            Traffic::Udp(_) => None,
        }
    }

    /// Retransmitted segments, retransmission timeouts, and segments that ACKs with ECE acknowledged, in all.
    fn totals(&mut self) -> (u32, u32, u32) {
        match self {
            Traffic::Tcp { sender, .. } => {
                sender.state().map_or((0, 0, 0), |i| (i.total_retrans, i.rtos, i.delivered_ce))
            }
            Traffic::Udp(_) => (0, 0, 0),
        }
    }
}
