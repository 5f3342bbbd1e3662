//! Two AR9271 on the real medium: a client that uploads, an access point that relays acknowledgements and echoes.
//!
//! The sender is not TCP: it keeps `window` frames below itself, as TSQ would, and never runs out; every second frame that
//! reaches the far side is answered by an acknowledgement of 52 bytes, at once. So these figures are the device's, and bounds
//! for what TCP on it can do.

use super::tests::{Fifo, full};
use super::*;
use crate::phy::{Band, Ht, Ofdm};
use crate::sim::{EventQueue, FlowId, Kind, NodeId, Owner, Place, Reason, Span, Streams};
use crate::wifi::edca::Set;
use crate::wifi::medium::{self, Arrival, Medium, MediumEvent, Seen, StaMac, Stations};

enum Ev {
    Medium(MediumEvent),
    Timer(usize),
    Ping,
    Sample,
}

const CLIENT: usize = 1;

struct Cell {
    ev: EventQueue<Ev>,
    now: Time,
    dev: [Ath9kHtc<Fifo>; 2],
    q: [Fifo; 2],
    freed: [Vec<(u32, Owner)>; 2],
    dropped: Vec<(Packet, Place, Reason)>,
    wants: Vec<(Time, Lane, u32)>,
    up: Vec<Packet>,
    window: usize,
    below: usize,
    sent: u32,
    got: u64,
    pings: Vec<Span>,
    units: (u64, u64),
    unanswered: u64,
}

impl Cell {
    fn new(window: usize) -> Cell {
        let mode = Mode::Ht(Ht::new(7, true, true).unwrap());
        Cell {
            ev: EventQueue::default(),
            now: Time::ZERO,
            dev: [0, 1].map(|_| Ath9kHtc::new(Params::default(), 2, mode)),
            q: [Fifo::to(StaIx(1)), Fifo::to(StaIx::AP)],
            freed: Default::default(),
            dropped: vec![],
            wants: vec![],
            up: vec![],
            window,
            below: 0,
            sent: 0,
            got: 0,
            pings: vec![],
            units: (0, 0),
            unanswered: 0,
        }
    }
    fn call(&mut self, i: usize, f: impl FnOnce(&mut Ath9kHtc<Fifo>, &mut Fifo, Time, &mut Sink<'_>)) {
        let mut sink = Sink { freed: &mut self.freed[i], dropped: &mut self.dropped, wants: &mut self.wants };
        f(&mut self.dev[i], &mut self.q[i], self.now, &mut sink);
        for (at, lane, _) in self.wants.drain(..) {
            self.ev.push(at, lane, Ev::Timer(i));
        }
        if i == CLIENT {
            self.below -= self.freed[i].drain(..).filter(|f| f.1 == Owner(1)).count();
        } else {
            self.freed[i].clear();
        }
        self.up.clear();
        let mut up = core::mem::take(&mut self.up);
        self.dev[i].take_up(|p| up.push(*p));
        for p in &up {
            self.host(i, p);
        }
        self.up = up;
    }
    fn offer(&mut self, i: usize, p: Packet, first: bool) {
        let q = &mut self.q[i].queued[Ac::Be.ix()];
        if first {
            q.push_front(p)
        } else {
            q.push_back(p)
        }
        let to = self.q[i].to;
        self.call(i, |d, q, now, s| d.wake(now, to, Tid::new(0), q, s));
    }
    fn fill(&mut self) {
        while self.below < self.window {
            self.below += 1;
            self.sent += 1;
            self.offer(CLIENT, full(self.sent), false);
        }
    }
    /// A packet came up to the host `i`; what is beyond the access point answers at once.
    fn host(&mut self, i: usize, p: &Packet) {
        match (p.kind, i) {
            (Kind::Tcp, 0) => {
                self.got += 1;
                if self.got % 2 == 0 {
                    let ack = Packet { headers: 52, ..Packet::blank(Kind::Tcp, FlowId(1), NodeId(2), NodeId(1)) };
                    self.offer(0, ack, false);
                }
            }
            (Kind::EchoRequest, 0) => self.offer(0, Packet { kind: Kind::EchoReply, ..*p }, true),
            (Kind::EchoReply, CLIENT) => self.pings.push(self.now - p.born),
            _ => {}
        }
    }
}

impl Stations for Cell {
    fn head(&self, s: StaIx, ac: Ac) -> Option<&Burst> {
        self.dev[s.ix()].head(ac)
    }
    fn arrived(&mut self, now: Time, a: &Arrival) -> u64 {
        let b = self.dev[a.from.ix()].head(a.ac).expect("the head that arrives");
        let to = b.to.ix();
        let mut after = b.psdu;
        let mpdus: Vec<_> = b.mpdus.iter().map(|m| (m.packet, u32::from(m.len) + 4)).collect();
        for (i, (p, len)) in mpdus.into_iter().enumerate() {
            after = after.saturating_sub(len);
            let ended = now - crate::sim::Rate::from_mbit(150).time_for(u64::from(after));
            if a.decoded >> i & 1 == 1 {
                self.now = now;
                self.call(to, |d, _, now, s| d.rx(now, ended, p, s));
            }
        }
        a.decoded & !a.before
    }
    fn done(&mut self, now: Time, s: StaIx, ac: Ac, report: &Report) {
        self.now = now;
        self.call(s.ix(), |d, q, now, k| d.done(now, ac, report, q, k));
    }
    fn schedule(&mut self, at: Time, lane: Lane, ev: MediumEvent) {
        self.ev.push(at, lane, Ev::Medium(ev));
    }
    fn seen(&mut self, s: &Seen) {
        self.unanswered += u64::from(!s.answered);
        if s.from.ix() == CLIENT {
            self.units = (self.units.0 + 1, self.units.1 + u64::from(s.mpdus));
        }
    }
}

/// What a run gave: payload in Mbit/s, mean frames a unit, the share of units that collided, mean and median ping in ms.
fn run(window: usize, s: u64) -> (f64, f64, f64, f64, f64) {
    let sta = |name: &str| StaMac {
        name: name.into(),
        access: Set::Station.all(),
        qos: true,
        window_limit: 10,
        rts_limit: 10,
        error_up: 0.0,
        error_down: 0.0,
    };
    let basic = [Ofdm::R6, Ofdm::R12, Ofdm::R24];
    let mut m = Medium::new(
        medium::Params::default(),
        Band::Ghz2,
        &basic,
        vec![sta("ap"), sta("sta1")],
        &Streams::new(window as u64),
    );
    let mut c = Cell::new(window);
    c.ev.push(Time::ZERO, Lane::Sample, Ev::Sample);
    c.ev.push(Time::from_ms(3), Lane::App, Ev::Ping);
    c.fill();
    let end = Time::from_s(s);
    while let Some((now, ev)) = c.ev.pop_until(end) {
        c.now = now;
        match ev {
            Ev::Medium(e) => m.on(now, e, &mut c),
            Ev::Timer(i) => c.call(i, |d, q, now, s| d.timer(now, 0, q, s)),
            Ev::Ping => {
                let p = Packet {
                    born: now,
                    payload: 56,
                    headers: 28,
                    ..Packet::blank(Kind::EchoRequest, FlowId(2), NodeId(1), NodeId(2))
                };
                c.offer(CLIENT, p, true);
                c.ev.push(now + Span::from_us(17_300), Lane::App, Ev::Ping);
            }
            Ev::Sample => {}
        }
        c.fill();
        for s in [StaIx(0), StaIx(1)] {
            m.look(now, s, &mut c);
        }
    }
    c.pings.sort();
    let ping = c.pings.iter().copied().sum::<Span>() / c.pings.len() as i64;
    (
        c.got as f64 * 1448.0 * 8.0 / (s as f64 * 1e6),
        c.units.1 as f64 / c.units.0 as f64,
        c.unanswered as f64 / c.units.0 as f64,
        ping.as_ms(),
        c.pings[c.pings.len() / 2].as_ms(),
    )
}

#[test]
fn a_small_window_costs_half_and_a_full_one_thirty_milliseconds() {
    let (few, units, _, ping_few, _) = run(4, 1);
    let (all, full_units, _, ping_all, _) = run(400, 1);
    assert!(few < 0.6 * all && units < 2.2, "{few} of {all}, {units} frames a unit");
    assert!((90.0..105.0).contains(&all) && full_units > 16.0, "{all}");
    // 246 full frames at that rate, and the way there and back.
    let stands = 246.0 * 1448.0 * 8.0 / (all * 1e3);
    assert!((stands - 1.0..stands + 4.0).contains(&ping_all), "{ping_all} against {stands}");
    assert!((0.8..3.0).contains(&ping_few), "{ping_few}");
}

/// The table of docs/devices/ath9k_htc.md.
#[test]
#[ignore = "prints a table, proves nothing"]
fn table() {
    for n in [2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 40, 48, 64, 400] {
        let (mbit, mean, lost, ping, p50) = run(n, 4);
        println!("| {n} | {mbit:.1} | {mean:.1} | {:.1} % | {ping:.1} | {p50:.1} |", 100.0 * lost);
    }
}
