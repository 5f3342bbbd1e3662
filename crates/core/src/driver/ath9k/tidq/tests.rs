use super::*;
use crate::phy::{Ht, Mode};
use crate::rate::fixed;
use crate::sim::{FlowId, Kind, NodeId};
use crate::wifi::Framing;
use crate::wifi::edca::Set;
use std::collections::VecDeque;

const BE: Ac = Ac::Be;

/// A FIFO of (packet, next hop).
#[derive(Default)]
struct Fifo(VecDeque<(Packet, StaIx)>);

impl Above for Fifo {
    fn pull(&mut self, _now: Time, ac: Ac, _sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid)> {
        if ac != BE {
            return None;
        }
        self.0.pop_front().map(|(p, to)| (p, to, Tid::new(0)))
    }
}

/// Four peers at one fixed MCS of 40 MHz with the short guard interval.
fn card<Q: Above>(p: &Params, mcs: u8) -> Ath9kTidq<Q> {
    let modes = vec![Mode::Ht(Ht::new(mcs, true, true).unwrap()); 4];
    let rates = Rates::fixed(&fixed::Params::default(), modes);
    let txop = Set::AccessPoint.all().map(|a| a.txop);
    Ath9kTidq::new(p, rates, vec![p.density; 4], Framing::open(true), true, txop)
}

/// An access point's card, driven by hand.
struct Bench {
    d: Ath9kTidq<Fifo>,
    q: Fifo,
}

impl Bench {
    fn new(p: Params, mcs: u8) -> Bench {
        Bench { d: card(&p, mcs), q: Fifo::default() }
    }
    fn sink<T>(&mut self, f: impl FnOnce(&mut Ath9kTidq<Fifo>, &mut Fifo, &mut Sink<'_>) -> T) -> T {
        let (mut freed, mut dropped, mut wants) = (vec![], vec![], vec![]);
        f(&mut self.d, &mut self.q, &mut Sink { freed: &mut freed, dropped: &mut dropped, wants: &mut wants })
    }
    fn send(&mut self, to: u8, n: u32) {
        for _ in 0..n {
            let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(to.into()));
            (p.payload, p.headers) = (1472, 28);
            self.q.0.push_back((p, StaIx(to)));
            self.sink(|d, q, s| d.wake(Time::ZERO, StaIx(to), Tid::new(0), q, s));
        }
    }
    /// The head is done; `bad` of its MPDUs were not acknowledged.
    fn done(&mut self, bad: &[usize]) {
        let n = self.d.head(BE).unwrap().mpdus.len();
        let acked = bad.iter().fold(u64::MAX >> (64 - n), |a, i| a & !(1 << i));
        let r = Report { answered: true, acked: acked.into(), received: acked.into(), tries: 1, ..Report::default() };
        self.sink(|d, q, s| d.done(Time::ZERO, BE, &r, q, s));
    }
    fn hw(&self) -> Vec<(u8, usize)> {
        self.d.acs[BE.ix()].hw.queue.iter().map(|b| (b.to.0, b.mpdus.len())).collect()
    }
}

#[test]
fn it_takes_124_frames_and_wakes_below_123() {
    let mut b = Bench::new(Params::default(), 7);
    b.send(1, 200);
    assert_eq!(b.hw(), [(1, 1), (1, 1)], "the first two went alone: the hardware had room");
    assert_eq!((b.d.acs[BE.ix()].pending, b.q.0.len(), b.d.held()), (124, 76, 124));
    b.done(&[]);
    assert_eq!(b.hw(), [(1, 1), (1, 32)], "formed from what was below, before the qdisc ran");
    assert_eq!((b.d.acs[BE.ix()].pending, b.q.0.len()), (123, 76), "123 frames: still stopped");
    b.done(&[]);
    assert_eq!((b.d.acs[BE.ix()].pending, b.q.0.len()), (124, 74));
}

#[test]
fn one_client_of_the_thesis_gets_42_and_22_in_turn() {
    let p = Params { ampdu_frames: 64, ..Params::default() };
    let mut b = Bench::new(p, 6);
    b.send(1, 1_000);
    let mut sizes = vec![];
    for _ in 0..12 {
        sizes.push(b.hw()[0].1);
        b.done(&[]);
    }
    assert_eq!(sizes, [1, 1, 42, 22, 42, 22, 42, 22, 42, 22, 42, 22]);
}

#[test]
fn numbers_have_no_gaps() {
    let mut b = Bench::new(Params::default(), 7);
    let mut numbers = vec![];
    for _ in 0..20 {
        b.send(1, 3); // the queue runs dry between
        while let Some(head) = b.d.head(BE) {
            numbers.extend(head.mpdus.iter().map(|m| m.seq.get()));
            b.done(&[]);
        }
    }
    assert_eq!(numbers, (0..60).collect::<Vec<_>>());
}

#[test]
fn a_hole_closes_the_window() {
    let p = Params { ampdu_frames: 64, ..Params::default() };
    let mut b = Bench::new(p, 6);
    b.send(1, 500);
    b.done(&[]);
    b.done(&[]);
    assert_eq!(b.hw(), [(1, 42), (1, 22)]);
    b.done(&[0]);
    assert_eq!(b.hw(), [(1, 22), (1, 1)], "the hole alone: everything beyond lies outside the window");
    b.done(&[]);
    b.done(&[]);
    assert_eq!(b.hw()[0], (1, 42));
    assert_eq!(b.d.held() + b.q.0.len() as u64, 500 - 2 - 42 - 22);
}

#[test]
fn the_turn_of_who_finds_the_hardware_full() {
    for (keep_turn, next) in [(false, 2), (true, 1)] {
        let mut b = Bench::new(Params { keep_turn, ..Params::default() }, 7);
        b.send(1, 3); // two go to the hardware; the third finds it full
        b.send(2, 1); // the round is walked: station 1 is first, and finds the hardware full again
        b.done(&[]);
        assert_eq!(b.hw()[1], (next, 1), "keep_turn {keep_turn}");
    }
}

/// The driver under AAQ itself.
struct UnderAaq {
    d: Ath9kTidq<Listening>,
    q: Listening,
    now: Time,
}

struct Listening(crate::qdisc::Qdisc);

impl Above for Listening {
    fn pull(&mut self, now: Time, ac: Ac, sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid)> {
        (ac == BE).then(|| self.0.dequeue(now, sink)).flatten().map(|p| (p, StaIx(p.dst.0 as u8), Tid::new(0)))
    }
    fn listens(&self, _ac: Ac) -> bool {
        true
    }
    fn more_data(&self, _ac: Ac) -> bool {
        self.0.more_data()
    }
    fn message(&mut self, _ac: Ac, id: u32, m: Message) {
        self.0.message(id, m);
    }
}

impl UnderAaq {
    fn new(limit: u32) -> UnderAaq {
        UnderAaq::with(limit, Params::default())
    }
    fn with(limit: u32, p: Params) -> UnderAaq {
        let p = Params { ampdu_frames: 64, keep_turn: true, ..p };
        let mut setup = crate::qdisc::Setup::default();
        setup.aaq.limit = limit;
        let q = Listening(crate::qdisc::Qdisc::new(crate::qdisc::Kind::Aaq, &setup, 0));
        UnderAaq { d: card(&p, 6), q, now: Time::ZERO }
    }
    fn call<T>(&mut self, f: impl FnOnce(&mut Self, &mut Sink<'_>) -> T) -> T {
        let (mut freed, mut dropped, mut wants) = (vec![], vec![], vec![]);
        f(self, &mut Sink { freed: &mut freed, dropped: &mut dropped, wants: &mut wants })
    }
    /// Fills every queue before the driver looks for the first time.
    fn fill(&mut self, to: &[u8], n: u32) {
        for k in 0..n * to.len() as u32 {
            let dst = to[k as usize % to.len()];
            let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(dst.into()));
            (p.payload, p.headers, p.seq) = (1472, 28, k);
            self.call(|b, s| b.q.0.enqueue(b.now, p, s));
        }
        self.call(|b, s| b.d.wake(b.now, StaIx(to[0]), Tid::new(0), &mut b.q, s));
    }
    fn sizes(&mut self, n: usize, bad: impl Fn(usize) -> u64) -> Vec<(u8, usize)> {
        let mut all = vec![];
        while let Some(head) = self.d.head(BE).filter(|_| all.len() < n) {
            let (to, k) = (head.to.0, head.mpdus.len());
            let acked = u64::MAX >> (64 - k) & !bad(all.len());
            all.push((to, k));
            let r =
                Report { answered: true, acked: acked.into(), received: acked.into(), tries: 1, ..Report::default() };
            self.call(|b, s| b.d.done(b.now, BE, &r, &mut b.q, s));
        }
        all
    }
}

#[test]
fn under_aaq_stations_take_turns_by_whole_aggregates() {
    let mut b = UnderAaq::new(1_000);
    b.fill(&[1, 2, 3], 300);
    assert_eq!(b.sizes(9, |_| 0), [1, 2, 3, 1, 2, 3, 1, 2, 3].map(|s| (s, 42)));
    let mut b = UnderAaq::new(1_000);
    b.fill(&[1, 2], 300);
    assert_eq!(b.sizes(6, |_| 0), [1, 2, 1, 2, 1, 2].map(|s| (s, 42)));
}

#[test]
fn under_aaq_one_station_gets_42_and_22() {
    let mut b = UnderAaq::new(1_000);
    b.fill(&[1], 500);
    assert_eq!(b.sizes(6, |_| 0).iter().map(|x| x.1).collect::<Vec<_>>(), [42, 22, 42, 22, 42, 22]);
}

#[test]
fn under_aaq_a_hole_makes_the_next_shorter() {
    let mut b = UnderAaq::new(1_000);
    b.fill(&[1, 2, 3], 300);
    let got = b.sizes(9, |k| u64::from(k == 0));
    assert_eq!(got[..3], [(1, 42), (2, 42), (3, 42)]);
    assert_eq!(got[3], (1, 23), "the hole and what lies within 64 of it");
    assert_eq!(got[6].1, 42);
}

#[test]
fn under_aaq_everything_leaves_in_the_end() {
    for limit in [2, 3, 50, 1_000] {
        let mut b = UnderAaq::new(limit);
        b.fill(&[1, 2, 3], 200);
        b.sizes(usize::MAX, |k| if k % 5 == 0 { 0b101 } else { 0 });
        assert_eq!((b.d.held(), b.q.0.packets()), (0, 0), "limit {limit}");
    }
}

#[test]
fn under_aaq_frames_go_alone_where_no_two_fit() {
    // The first frame of an aggregate goes whatever the limit is.
    for bytes in [1_000, 2_000] {
        let mut b = UnderAaq::with(1_000, Params { ampdu_bytes: bytes, ..Params::default() });
        b.fill(&[1, 2], 5);
        assert_eq!(b.sizes(usize::MAX, |_| 0), [1, 2, 1, 2, 1, 2, 1, 2, 1, 2].map(|s| (s, 1)), "{bytes} bytes");
    }
}

#[test]
fn numbers_wrap_and_nothing_is_lost() {
    let mut b = Bench::new(Params::default(), 7);
    b.send(1, 60);
    for round in 0..3_000u32 {
        let before = b.d.held();
        b.done(if round % 7 == 0 { &[0] } else { &[] });
        let gone = before - b.d.held();
        b.send(1, gone as u32);
        assert_eq!(b.d.held() + b.q.0.len() as u64, 60, "round {round}");
        assert_eq!(u64::from(b.d.acs[BE.ix()].pending), b.d.held(), "round {round}");
    }
}
