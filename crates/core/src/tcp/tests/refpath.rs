//! The reference's path in small, for tests: C, a router R and S, joined by veth pairs, with HTB and its leaf at C or R and netem at S.
//!
//! Stands for: the path of docs/reference-data.md. CPU work takes no time; within an instant everything received is handled before the TSQ
//! tasklet runs, as Linux orders its softirqs (NET_RX before TASKLET).

use crate::qdisc::{Kind as QKind, LeafKind, Qdisc, Setup};
use crate::sim::{
    Auto, Bin, Blind, Bytes, FlowId, Kind, Lower, NodeId, Owner, Packet, Place, Rate, Reason, Span, Time, Verdict,
};
use crate::tcp::*;
use std::collections::VecDeque;

const C: NodeId = NodeId(0);
const S: NodeId = NodeId(2);

/// A case of the reference.
#[derive(Clone, Copy)]
pub struct Case {
    pub cc: Cc,
    pub mbit: u64,
    pub local: bool,
    pub leaf: LeafKind,
    pub limit: u32,
    pub rtt: Span,
    pub flows: u16,
    pub shift: u8,
    pub limit_output: u64,
    pub secs: u64,
}

pub const CASE: Case = Case {
    cc: Cc::Reno,
    mbit: 100,
    local: true,
    leaf: LeafKind::Pfifo,
    limit: 1000,
    rtt: Span::from_ms(1),
    flows: 1,
    shift: 10,
    limit_output: 1 << 20,
    secs: 12,
};

/// What is dropped, with its owner.
#[derive(Default)]
struct Dropped(Vec<Packet>);
impl Bin for Dropped {
    fn drop(&mut self, p: Packet, _: Place, _: Reason) {
        self.0.push(p);
    }
}

/// A device: a qdisc, and what it has put on the wire in this instant.
struct Dev {
    q: Qdisc,
    wire: VecDeque<Packet>,
    dropped: Dropped,
    /// Truesize of what was dropped in the last call that sends.
    freed: u32,
}

impl Dev {
    fn run(&mut self, now: Time) {
        while let Some(p) = self.q.dequeue(now, &mut self.dropped) {
            self.wire.push_back(p);
        }
    }
    fn wake(&self, now: Time) -> Time {
        if self.q.packets() == 0 { Time::NEVER } else { self.q.wake_at(now).unwrap_or(Time::NEVER) }
    }
}

impl Lower for Dev {
    fn xmit(&mut self, now: Time, p: &Packet) -> Verdict {
        let (before, owner) = (self.dropped.0.len(), p.owner);
        let v = self.q.enqueue(now, *p, &mut self.dropped);
        self.run(now);
        for d in self.dropped.0[before..].iter_mut().filter(|d| owner != Owner::NONE && d.owner == owner) {
            self.freed += d.truesize;
            d.owner = Owner::NONE;
        }
        v
    }
    fn freed(&mut self) -> u32 {
        std::mem::take(&mut self.freed)
    }
}

/// A sample of one flow, as the reference's rows have them.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub t: f64,
    pub info: Info,
    pub backlog: u32,
    pub dropped: u64,
}

/// The path.
pub struct World {
    now: Time,
    c: Dev,
    r: Dev,
    s: Dev,
    bottleneck_at_c: bool,
    pub clients: Vec<Socket>,
    pub servers: Vec<Socket>,
    tasklets: VecDeque<usize>,
    next_ping: Time,
    pub pings: Vec<(Time, Span)>,
    pub rows: Vec<Row>,
}

fn htb(mbit: u64, leaf: LeafKind, limit: u32) -> Qdisc {
    let mut s = Setup::default();
    s.htb.rate = Rate::from_mbit(mbit);
    s.htb.burst = Bytes::new(1600);
    s.htb.cburst = Bytes::new(1600);
    s.htb.leaf = leaf;
    s.pfifo.limit = limit;
    Qdisc::new(QKind::Htb, &s, 1)
}

fn client(case: &Case, i: u16) -> Socket {
    let mut s = Socket::client(&config(case, i, true));
    s.host_tells();
    s
}

pub fn config(case: &Case, i: u16, client: bool) -> Config {
    let params = Params {
        cc: case.cc,
        pacing_shift: case.shift,
        limit_output_bytes: Auto::Set(Bytes::new(case.limit_output)),
        gso_max_segs: Auto::Set(1),
        wmem_max: Bytes::from_mib(32),
        rmem_max: Bytes::from_mib(32),
        rcvbuf: (!client).then_some(Bytes::from_mib(64)),
        rcvlowat: if client { Bytes::new(1) } else { Bytes::from_kib(128) },
        rx_truesize: Bytes::new(2344),
        max_header: 80,
        ..Params::default()
    };
    Config {
        flow: FlowId(i),
        local: if client { C } else { S },
        remote: if client { S } else { C },
        owner: if client { Owner(i) } else { Owner::NONE },
        params,
        cc: Tunables::default(),
        profile: Profile::named("6.12").unwrap(),
        hz: 100,
        dscp: 0,
        mtu: 1500,
        tso: true,
        start_seq: u32::MAX - 100_000 * u32::from(i),
    }
}

impl World {
    pub fn new(case: &Case) -> World {
        let dev = |q| Dev { q, wire: VecDeque::new(), dropped: Dropped::default(), freed: 0 };
        let bottleneck = htb(case.mbit, case.leaf, case.limit);
        let other = htb(1000, LeafKind::Pfifo, 1000);
        let (c, r) = if case.local { (bottleneck, other) } else { (other, bottleneck) };
        let mut s = Setup::default();
        s.netem.delay = case.rtt;
        s.netem.limit = 100_000;
        World {
            now: Time::ZERO,
            c: dev(c),
            r: dev(r),
            s: dev(Qdisc::new(QKind::Netem, &s, 1)),
            bottleneck_at_c: case.local,
            clients: (0..case.flows).map(|i| client(case, i)).collect(),
            servers: (0..case.flows).map(|i| Socket::server(&config(case, i, false))).collect(),
            tasklets: VecDeque::new(),
            next_ping: Time::ZERO,
            pings: Vec::new(),
            rows: Vec::new(),
        }
    }

    fn free(&mut self, p: &Packet) {
        if p.owner != Owner::NONE {
            let i = usize::from(p.owner.0);
            if self.clients[i].on_free_packet(&p.into()) {
                self.tasklets.push_back(i);
            }
        }
    }

    /// Everything that this instant still brings.
    fn settle(&mut self) {
        let now = self.now;
        loop {
            for d in [&mut self.c, &mut self.r, &mut self.s].map(|d| std::mem::take(&mut d.dropped.0)) {
                for p in d {
                    self.free(&p);
                }
            }
            for (i, c) in self.clients.iter_mut().enumerate() {
                if c.on_freed_within() {
                    self.tasklets.push_back(i);
                }
            }
            if let Some(mut p) = self.c.wire.pop_front() {
                // At R: IP orphans it, then forwards.
                self.free(&p);
                p.owner = Owner::NONE;
                self.r.xmit(now, &p);
            } else if let Some(p) = self.r.wire.pop_front() {
                if p.kind == Kind::Tcp {
                    self.servers[usize::from(p.flow.0)].on_packet(now, &p, &mut self.s, &mut Blind);
                } else {
                    let mut reply = p;
                    (reply.kind, reply.src, reply.dst) = (Kind::EchoReply, S, C);
                    self.s.xmit(now, &reply);
                }
            } else if let Some(p) = self.s.wire.pop_front() {
                if p.kind == Kind::Tcp {
                    self.clients[usize::from(p.flow.0)].on_packet(now, &p, &mut self.c, &mut Blind);
                } else {
                    self.pings.push((p.born, now - p.born));
                }
            } else if let Some(i) = self.tasklets.pop_front() {
                self.clients[i].on_tsq(now, &mut self.c, &mut Blind);
            } else {
                return;
            }
        }
    }

    fn ping(&mut self) {
        let mut p = Packet::blank(Kind::EchoRequest, FlowId(100), C, S);
        (p.born, p.payload, p.headers, p.truesize) = (self.now, 64, 28, 768);
        self.c.xmit(self.now, &p);
    }

    /// Runs for `secs` with samples every `step`.
    pub fn run(&mut self, secs: u64, step: Span, start: Time) {
        let end = Time::from_s(secs);
        let mut sample = Time::ZERO + step;
        let mut started = false;
        loop {
            let n = self.now;
            let mut next = self.c.wake(n).min(self.r.wake(n)).min(self.s.wake(n)).min(self.next_ping).min(sample);
            for s in self.clients.iter().chain(&self.servers) {
                next = next.min(s.wake_at());
            }
            if !started {
                next = next.min(start);
            }
            assert!(next >= self.now, "{next:?} {:?}", self.now);
            if next > end {
                return;
            }
            self.now = next;
            if !started && next >= start {
                started = true;
                for s in &mut self.clients {
                    s.set_bulk(None);
                    s.connect(next, &mut self.c, &mut Blind);
                }
            }
            self.c.run(next);
            self.r.run(next);
            self.s.run(next);
            self.settle();
            for i in 0..self.clients.len() {
                if self.clients[i].wake_at() <= next {
                    self.clients[i].on_timer(next, &mut self.c, &mut Blind);
                    self.settle();
                }
                if self.servers[i].wake_at() <= next {
                    self.servers[i].on_timer(next, &mut self.s, &mut Blind);
                    self.settle();
                }
            }
            if self.next_ping <= next {
                self.ping();
                self.next_ping += Span::from_ms(100);
                self.settle();
            }
            if sample <= next {
                let q = if self.bottleneck_at_c { &self.c.q } else { &self.r.q };
                for c in &self.clients {
                    let row = Row { t: next.as_s(), info: c.info(next), backlog: q.packets(), dropped: q.dropped() };
                    self.rows.push(row);
                }
                sample += step;
            }
        }
    }

    fn from(&self, t: f64) -> impl Iterator<Item = &Row> + Clone {
        self.rows.iter().filter(move |r| r.t >= t - 1e-9)
    }

    /// Goodput between 4 s and the last sample, Mbit/s.
    pub fn goodput(&self) -> f64 {
        let at = |t: f64| self.rows.iter().filter(|r| (r.t - t).abs() < 1e-6).map(|r| r.info.bytes_acked).sum::<u64>();
        let last = self.rows.last().unwrap().t;
        (at(last) - at(4.0)) as f64 * 8.0 / (last - 4.0) / 1e6
    }

    /// Quantile `q` of the sum of cwnd over the flows, from 4 s on.
    pub fn cwnd(&self, q: f64) -> f64 {
        let n = self.clients.len();
        let rows: Vec<&Row> = self.from(4.0).collect();
        quantile(rows.chunks(n).map(|c| c.iter().map(|r| f64::from(r.info.snd_cwnd)).sum()).collect(), q)
    }

    /// Quantile `q` of srtt, ms, from 4 s on.
    pub fn srtt(&self, q: f64) -> f64 {
        quantile(self.from(4.0).map(|r| r.info.srtt.as_ms()).collect(), q)
    }

    /// Quantile `q` of the ping, ms, from 4 s on.
    pub fn ping_ms(&self, q: f64) -> f64 {
        quantile(self.pings.iter().filter(|p| p.0 >= Time::from_s(4)).map(|p| p.1.as_ms()).collect(), q)
    }
}

pub fn quantile(mut v: Vec<f64>, q: f64) -> f64 {
    v.sort_by(f64::total_cmp);
    let at = (v.len() - 1) as f64 * q;
    let (lo, f) = (at.floor() as usize, at.fract());
    v[lo] * (1.0 - f) + v[(lo + 1).min(v.len() - 1)] * f
}

/// `cargo test refpath::look -- --ignored --nocapture`, with `CASE=L100M-pfifo-tsq1-rtt1-reno`: prints a case's series.
#[test]
#[ignore = "prints"]
fn look() {
    let name = std::env::var("CASE").unwrap_or("L100M-pfifo-tsq1-rtt1-reno".into());
    let case = parse(&name);
    let mut w = World::new(&case);
    let off = std::env::var("START").map_or(0, |s| s.parse().unwrap());
    w.run(case.secs, Span::from_ms(200), Time::from_us(off));
    for r in &w.rows {
        let i = &r.info;
        println!(
            "t {:.1} cwnd {} ssthresh {:?} rtt {:.3} unacked {} acked {} retrans {} pacing {:?} delivery {:?} notsent {} backlog {} dropped {} {:?}",
            r.t,
            i.snd_cwnd,
            i.snd_ssthresh,
            i.srtt.as_ms(),
            i.unacked,
            i.bytes_acked,
            i.retransmits,
            i.pacing_rate.map(|r| r.bps()),
            i.delivery_rate.bps(),
            i.notsent,
            r.backlog,
            r.dropped,
            i.ca_state
        );
    }
    println!("{:?}", w.pings.iter().map(|p| p.1.as_ms()).take(30).collect::<Vec<_>>());
    println!("{:?}", w.clients[0].stats());
    println!(
        "FIG {name} goodput {:.3} cwnd50 {} cwndmax {} srtt {:.3} ping {:.3} {:.3} {:.3}",
        w.goodput(),
        w.cwnd(0.5),
        w.cwnd(1.0),
        w.srtt(0.5),
        w.ping_ms(0.1),
        w.ping_ms(0.5),
        w.ping_ms(0.9)
    );
}

/// What the kernel did, of both phases: goodput (Mbit/s), cwnd median and maximum (segments, all flows), srtt median (ms), ping 10th, 50th,
/// 90th percentile (ms). src: the kernel reference, docs/reference-data.md
#[rustfmt::skip]
const KERNEL: [(&str, [(f64, f64); 7]); 19] = [
    ("L100M-fqcodel-tsq1-4flows-cubic", [(95.629, 95.629), (92.0, 92.0), (92.0, 92.0), (3.907, 3.908), (1.09, 1.089), (1.121, 1.121), (1.122, 1.122)]),
    ("L100M-fqcodel-tsq1-4flows-reno", [(95.634, 95.635), (118.0, 118.0), (118.0, 118.0), (5.106, 5.108), (1.09, 1.09), (1.121, 1.121), (1.122, 1.122)]),
    ("L100M-pfifo-notsq-rtt1-cubic", [(95.632, 95.632), (929.0, 937.5), (1006.0, 1006.0), (113.1185, 113.1365), (90.476, 90.894), (112.409, 113.045), (121.16, 121.371)]),
    ("L100M-pfifo-notsq-rtt1-reno", [(95.632, 95.632), (616.5, 616.5), (667.0, 667.0), (74.619, 74.6195), (69.434, 69.348), (74.884, 74.762), (79.818, 79.736)]),
    ("L100M-pfifo-tsq1-rtt1-cubic", [(95.632, 95.631), (30.0, 30.0), (30.0, 30.0), (2.333, 2.333), (2.211, 2.211), (2.212, 2.212), (2.302, 2.302)]),
    ("L100M-pfifo-tsq1-rtt1-reno", [(95.632, 95.632), (68.0, 68.0), (68.0, 68.0), (3.786, 3.786), (3.665, 3.665), (3.665, 3.665), (3.755, 3.755)]),
    ("L100M-pfifo-tsq8-rtt1-cubic", [(95.632, 95.632), (63.0, 63.0), (63.0, 63.0), (7.294, 7.291), (7.056, 7.056), (7.177, 7.177), (7.267, 7.267)]),
    ("L100M-pfifo-tsq8-rtt1-reno", [(95.632, 95.632), (352.0, 352.0), (352.0, 352.0), (20.864, 20.864), (20.743, 20.743), (20.75, 20.75), (20.833, 20.833)]),
    ("L10M-pfifo-tsq1-rtt1-cubic", [(9.557, 9.555), (21.0, 21.0), (21.0, 21.0), (5.845, 5.861), (4.705, 4.679), (5.161, 5.153), (6.792, 5.609)]),
    ("L10M-pfifo-tsq1-rtt1-reno", [(9.557, 9.555), (26.0, 26.0), (26.0, 26.0), (7.604, 7.6255), (6.059, 6.226), (7.41, 7.267), (8.025, 7.893)]),
    ("R100M-fqcodel-rtt10-cubic", [(95.633, 95.632), (108.0, 108.0), (125.0, 125.0), (13.081, 13.088), (10.032, 10.022), (10.121, 10.121), (10.122, 10.122)]),
    ("R100M-fqcodel-rtt10-reno", [(93.368, 93.31), (103.0, 102.5), (131.0, 131.0), (12.354, 12.3595), (10.026, 10.002), (10.121, 10.121), (10.122, 10.121)]),
    ("R100M-pfifo1000-4flows-cubic", [(95.633, 95.63), (975.0, 976.0), (1088.0, 1088.0), (117.98, 118.077), (108.713, 108.108), (117.927, 117.926), (125.679, 126.216)]),
    ("R100M-pfifo1000-4flows-reno", [(95.634, 95.63), (977.5, 956.0), (1079.0, 1082.0), (118.968, 115.946), (104.656, 101.819), (118.464, 115.903), (129.001, 127.993)]),
    ("R100M-pfifo1000-rtt1-cubic", [(95.63, 95.632), (844.0, 844.0), (1005.0, 1005.0), (101.8705, 101.87), (90.052, 90.629), (102.144, 102.007), (118.98, 119.222)]),
    ("R100M-pfifo1000-rtt1-reno", [(95.632, 95.632), (609.0, 610.5), (661.0, 661.0), (73.65, 73.892), (68.19, 68.585), (73.698, 74.036), (78.76, 79.01)]),
    ("R10M-pfifo1000-rtt1-cubic", [(9.555, 9.554), (350.0, 346.0), (620.0, 591.0), (403.952, 399.1795), (259.954, 259.156), (416.786, 415.952), (599.041, 598.204)]),
    ("R50M-pfifo200-rtt20-cubic", [(47.812, 48.086), (240.0, 241.0), (269.0, 269.0), (58.1545, 58.639), (52.461, 52.1), (58.181, 58.335), (64.111, 63.951)]),
    ("R50M-pfifo200-rtt20-reno", [(47.814, 47.811), (225.0, 223.5), (281.0, 281.0), (54.759, 53.8815), (39.31, 39.621), (54.446, 54.019), (65.162, 65.353)]),
];

/// Every case of the reference with NewReno and CUBIC: each figure within the reference's own tolerances (its README).
#[test]
fn the_kernel_did_the_same() {
    let mut bad = Vec::new();
    for (name, want) in &KERNEL {
        let case = parse(name);
        let mut w = World::new(&case);
        w.run(case.secs, Span::from_ms(200), Time::ZERO);
        let got = [w.goodput(), w.cwnd(0.5), w.cwnd(1.0), w.srtt(0.5), w.ping_ms(0.1), w.ping_ms(0.5), w.ping_ms(0.9)];
        // Relative and least absolute tolerance of each figure.
        let tol = [(0.02, 0.0), (0.10, 1.0), (0.15, 1.0), (0.10, 0.1), (0.15, 0.1), (0.10, 0.1), (0.15, 0.1)];
        for (i, ((a, b), (rel, abs))) in want.iter().zip(tol).enumerate() {
            let (lo, hi) = (a.min(*b), a.max(*b));
            if got[i] < lo - (lo * rel).max(abs) || got[i] > hi + (hi * rel).max(abs) {
                bad.push(format!("{name}: figure {i}: {} not in {lo}..{hi}", got[i]));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// A case by the reference's name for it.
pub fn parse(name: &str) -> Case {
    let mut c = CASE;
    let parts: Vec<&str> = name.split('-').collect();
    c.local = parts[0].starts_with('L');
    c.mbit = parts[0][1..].trim_end_matches('M').parse().unwrap();
    for p in &parts[1..] {
        match *p {
            "tsq1" => {}
            "tsq8" => c.shift = 7,
            "notsq" => (c.shift, c.limit_output) = (0, 1 << 40),
            "4flows" => (c.flows, c.rtt) = (4, if c.local { c.rtt } else { Span::from_ms(10) }),
            "fqcodel" => c.leaf = LeafKind::FqCodel,
            p if p.starts_with("pfifo") => c.limit = p[5..].parse().unwrap_or(1000),
            p if p.starts_with("rtt") => c.rtt = Span::from_ms(p[3..].parse().unwrap()),
            p => c.cc = *Cc::ALL.iter().find(|cc| cc.name() == p).expect(p),
        }
    }
    c
}
