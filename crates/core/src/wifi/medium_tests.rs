//! The medium alone, by scripts: who sends when, to the nanosecond.

use super::ac::{Ac, Tid};
use super::burst::{Attempt, Burst, Mark, Mpdu, Report, StaIx, What};
use super::edca::Set;
use super::medium::*;
use super::seq::Seq;
use crate::phy::{Band, Ht, Mode, Ofdm};
use crate::sim::{Bitmap, EventQueue, FlowId, Kind, Lane, NodeId, Packet, Span, Streams, Time};
use std::collections::VecDeque;

#[derive(Default)]
struct Script {
    q: EventQueue<MediumEvent>,
    heads: Vec<[VecDeque<Burst>; 4]>,
    arrived: Vec<(Time, StaIx, Bitmap)>,
    done: Vec<(Time, StaIx, Ac, Report)>,
    seen: Vec<Seen>,
    bare: Vec<Bare>,
    handled: u32,
    riding: u16,
    hits: Vec<StaIx>,
    left: Vec<Span>,
}

impl Stations for Script {
    fn head(&self, s: StaIx, ac: Ac) -> Option<&Burst> {
        self.heads[s.ix()][ac.ix()].front()
    }
    fn arrived(&mut self, now: Time, a: &Arrival) -> Bitmap {
        self.arrived.push((now, a.from, a.decoded));
        a.decoded.without(a.before)
    }
    fn done(&mut self, now: Time, s: StaIx, ac: Ac, report: &Report) {
        self.heads[s.ix()][ac.ix()].pop_front();
        self.done.push((now, s, ac, *report));
    }
    fn left(&mut self, _: StaIx, _: Ac, left: Span) {
        self.left.push(left);
    }
    fn schedule(&mut self, at: Time, lane: Lane, ev: MediumEvent) {
        self.q.push(at, lane, ev);
    }
    fn seen(&mut self, s: &Seen) {
        self.seen.push(*s);
    }
    fn bare(&mut self, x: &Bare) {
        self.bare.push(*x);
    }
    fn sends(&mut self, _: StaIx, _: Ac) -> bool {
        self.riding > 0
    }
    fn riding(&mut self, _: Time, _: StaIx, a: &Arrival, _: &dyn Fn(u16) -> (Span, Span)) -> u16 {
        if a.from == StaIx::AP || self.heads.len() == 2 { self.riding } else { 0 }
    }
    fn hit(&mut self, s: StaIx) {
        self.hits.push(s);
    }
}

fn mac(i: usize, set: Set, error: f64) -> StaMac {
    let (access, qos) = (set.all(), set.counts_boundary());
    StaMac {
        name: format!("s{i}"),
        access,
        qos,
        window_limit: 7,
        resets_window: true,
        rts_limit: 7,
        late: None,
        patience: Span::ZERO,
        error_up: error,
        error_down: error,
        error_run: None,
    }
}

fn cell(n: usize, set: Set, error: f64, p: Params) -> (Medium, Script) {
    seeded(5, n, set, error, p)
}

fn seeded(seed: u64, n: usize, set: Set, error: f64, p: Params) -> (Medium, Script) {
    let macs = (0..n).map(|i| mac(i, set, error)).collect();
    let m = Medium::new(p, Band::Ghz5, &[], macs, &Streams::new(seed));
    (m, Script { heads: (0..n).map(|_| Default::default()).collect(), ..Script::default() })
}

/// One frame of 1538 bytes at MCS 7, 40 MHz, SGI: 120 us, and 44 us until its ACK is over.
fn frame(to: u8, tid: u8, tries: u8) -> Burst {
    let packet = Packet::blank(Kind::Udp, FlowId(0), NodeId(1), NodeId(0));
    let mut b = Burst { to: StaIx(to), tid: Tid::new(tid), psdu: 1538, ..Burst::new() };
    b.ac = Ac::of(b.tid);
    b.chain[0] = Attempt { mode: Mode::Ht(Ht::new(7, true, true).unwrap()), tries };
    b.mpdus.push(Mpdu { packet, seq: Seq::new(0), len: 1538, attempts: 0, received: false, more: 0, mark: Mark::NONE });
    b
}

fn offer(m: &mut Medium, s: &mut Script, now: Time, from: u8, b: Burst) {
    s.heads[usize::from(from)][b.ac.ix()].push_back(b);
    m.look(now, StaIx(from), s);
}

fn run(m: &mut Medium, s: &mut Script, until: Time) {
    while let Some((now, ev)) = s.q.pop_until(until) {
        s.handled += 1;
        m.on(now, ev, s);
    }
}

const END: Time = Time::from_s(1);

#[test]
fn one_frame_takes_three_events() {
    let (mut m, mut s) = cell(2, Set::Station, 0.0, Params::default());
    offer(&mut m, &mut s, Time::from_us(1_000), 1, frame(0, 0, 1));
    run(&mut m, &mut s, END);
    // The medium was idle for long: the next slot boundary counted from AIFS (43 us): 43 + 107 * 9 = 1006.
    let t = |us: u64| Time::from_us(1_006 + us);
    assert_eq!((s.seen[0].start, s.seen[0].airtime), (t(0), Span::from_us(164)));
    assert_eq!(s.arrived, [(t(120), StaIx(1), Bitmap::first(1))]);
    let (at, _, _, r) = s.done[0];
    assert_eq!((at, r.answered, r.acked, r.tries, r.airtime), (t(164), true, Bitmap::first(1), 1, Span::from_us(120)));
    assert_eq!(s.handled, 3);
    assert_eq!((m.airtime(StaIx(1)), m.airtime(StaIx(0))), (Span::from_us(120), Span::from_us(28)));
}

#[test]
fn a_frame_that_comes_within_aifs_waits_for_its_end() {
    let (mut m, mut s) = cell(2, Set::Station, 0.0, Params::default());
    offer(&mut m, &mut s, Time::from_us(10), 1, frame(0, 0, 1));
    run(&mut m, &mut s, END);
    assert_eq!(s.seen[0].start, Time::from_us(43));
}

#[test]
fn after_a_frame_comes_a_backoff_even_with_nothing_to_send() {
    let (mut m, mut s) = cell(2, Set::Station, 0.0, Params::default());
    offer(&mut m, &mut s, Time::from_us(10), 1, frame(0, 0, 1));
    run(&mut m, &mut s, Time::from_us(207));
    offer(&mut m, &mut s, Time::from_us(208), 1, frame(0, 0, 1));
    run(&mut m, &mut s, END);
    let wait = s.seen[1].start - Time::from_us(207 + 43);
    assert!(wait >= Span::ZERO && wait.ns() % 9_000 == 0 && wait <= Span::from_us(15 * 9), "{wait:?}");
}

#[test]
fn two_in_one_slot_collide_in_one_event_each_tries_again() {
    let (mut m, mut s) = cell(3, Set::Station, 0.0, Params::default());
    for i in [1, 2] {
        offer(&mut m, &mut s, Time::from_us(10), i, frame(0, 0, 9));
    }
    run(&mut m, &mut s, Time::from_us(43));
    assert_eq!(s.handled, 1);
    assert_eq!(s.seen.iter().filter(|x| !x.answered).count(), 2);
    run(&mut m, &mut s, END);
    assert_eq!(s.done.iter().filter(|d| d.3.answered).count(), 2);
    assert!(s.done.iter().all(|d| d.3.tries >= 2));
    // A sender counts AIFS from its ACK timeout, 45 us after its frame.
    assert!(s.seen[2].start >= Time::from_us(43 + 120 + 45 + 43));
}

#[test]
fn voice_goes_first_and_an_internal_collision_doubles_the_other_window() {
    let (mut m, mut s) = cell(2, Set::Station, 0.0, Params::default());
    offer(&mut m, &mut s, Time::from_us(1), 1, frame(0, 0, 1));
    offer(&mut m, &mut s, Time::from_us(2), 1, frame(0, 6, 1));
    run(&mut m, &mut s, END);
    assert_eq!(s.seen[0].tid, 6, "AIFSN 2 before AIFSN 3");
    assert_eq!(s.seen[0].start, Time::from_us(34));
    let (mut m, mut s) = cell(2, Set::Station, 0.0, Params::default());
    // Both wait for the same boundary, long after AIFS: voice's are at 34 + 9 k, best effort's at 43 + 9 k.
    offer(&mut m, &mut s, Time::from_us(1_001), 1, frame(0, 0, 1));
    offer(&mut m, &mut s, Time::from_us(1_002), 1, frame(0, 6, 1));
    run(&mut m, &mut s, END);
    assert_eq!(s.seen.iter().map(|x| (x.tid, x.answered)).collect::<Vec<_>>(), [(6, true), (0, true)]);
    assert_eq!(s.seen[0].start, Time::from_us(1_006));
}

#[test]
fn a_txop_holds_what_fits() {
    let (mut m, mut s) = cell(2, Set::Station, 0.0, Params::default());
    for _ in 0..12 {
        offer(&mut m, &mut s, Time::from_us(1), 1, frame(0, 6, 1));
    }
    run(&mut m, &mut s, END);
    let starts: Vec<_> = s.seen.iter().map(|x| x.start).collect();
    // 164 us each and a SIFS between: eight end 180 * 7 + 164 = 1424 us after the first began, nine would end at 1604.
    let back_to_back = |i: usize| starts[i] - starts[i - 1] == Span::from_us(164 + 16);
    assert!((1..8).all(back_to_back), "{starts:?}");
    assert!(!back_to_back(8) && back_to_back(9));
    // Told behind each but the last: of 1504 us 180 fewer each time; what follows the eighth does not fit.
    let told = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3].map(|n| Span::from_us(1_504 - 180 * n));
    assert_eq!(s.left, told);
}

#[test]
fn what_nobody_decodes_is_tried_by_the_chain_and_reported_at_the_timeout() {
    let (mut m, mut s) = cell(3, Set::Station, 1.0, Params::default());
    let mut b = frame(0, 0, 2);
    b.chain[1] = Attempt { mode: Mode::Ofdm(Ofdm::R6), tries: 1 };
    offer(&mut m, &mut s, Time::from_us(10), 1, b);
    run(&mut m, &mut s, END);
    assert_eq!(s.seen.len(), 3);
    let (at, _, _, r) = s.done[0];
    assert_eq!((r.answered, r.link, r.tries), (false, 1, 1));
    // 1538 bytes at 6 Mbit/s: 12326 / 24 -> 514 symbols, 2076 us; the timeout is 45 us later.
    assert_eq!(at, s.seen[2].start + Span::from_us(2_076 + 45));
    assert_eq!(r.airtime, Span::from_us(120 + 120 + 2_076));
    assert!(s.arrived.is_empty());
}

/// Backoffs of what nobody decodes, in slots: the second try of each frame of two has a doubled window; the first of the next
/// has the smallest again, or goes on doubling where the hardware does not start over.
#[test]
fn the_window_starts_over_with_a_frame_that_is_given_up() {
    for resets in [true, false] {
        let macs = (0..2).map(|i| StaMac { resets_window: resets, ..mac(i, Set::Station, 1.0) }).collect();
        let mut m = Medium::new(Params::default(), Band::Ghz5, &[], macs, &Streams::new(5));
        let mut s = Script { heads: vec![Default::default(); 2], ..Script::default() };
        (0..40).for_each(|_| offer(&mut m, &mut s, Time::from_us(10), 1, frame(0, 0, 2)));
        run(&mut m, &mut s, END);
        assert_eq!(s.seen.len(), 80);
        let slots = |w: &[Seen]| (w[1].start - w[0].start - Span::from_us(120 + 45 + 43)).ns() / 9_000;
        let waits: Vec<i64> = s.seen.windows(2).map(slots).collect();
        let most = |of: usize| waits.iter().skip(of).step_by(2).max().copied().unwrap();
        if resets {
            assert!((16..32).contains(&most(0)) && most(1) < 16, "{waits:?}");
        } else {
            assert!(most(1) > 63, "{waits:?}");
        }
    }
}

/// A frame is on the air from 43 us to 163; its ACK would end at 207. Bystanders keep their NAV until then; who should have
/// decoded it waits EIFS from 163: 60 us more than AIFS.
#[test]
fn nav_and_eifs() {
    for (who, since) in [(2, 207), (0, 163 + 60)] {
        let (mut m, mut s) = cell(3, Set::Station, 1.0, Params::default());
        offer(&mut m, &mut s, Time::from_us(10), 1, frame(0, 0, 1));
        run(&mut m, &mut s, Time::from_us(180));
        offer(&mut m, &mut s, Time::from_us(185), who, frame(1, 0, 1));
        run(&mut m, &mut s, END);
        let wait = s.seen[1].start - Time::from_us(since + 43);
        assert!(wait >= Span::ZERO && wait.ns() % 9_000 == 0, "{who}: {wait:?}");
    }
}

/// The same: a frame that comes at 185 finds the medium busy at a bystander, which draws a backoff of 0 to 15 slots, and idle at who
/// should have decoded the PPDU, which sends when EIFS is over.
#[test]
fn a_nav_is_a_busy_medium_and_eifs_is_an_idle_one() {
    for (who, since, draws) in [(2, 207, true), (0, 163 + 60, false)] {
        let waits: Vec<_> = (0..20)
            .map(|seed| {
                let (mut m, mut s) = seeded(seed, 3, Set::Station, 1.0, Params::default());
                offer(&mut m, &mut s, Time::from_us(10), 1, frame(0, 0, 1));
                run(&mut m, &mut s, Time::from_us(180));
                offer(&mut m, &mut s, Time::from_us(185), who, frame(1, 0, 1));
                run(&mut m, &mut s, END);
                s.seen.iter().find(|x| x.from == StaIx(who)).expect("it is sent").start - Time::from_us(since + 43)
            })
            .collect();
        assert_eq!(waits.iter().any(|&w| w > Span::ZERO), draws, "{who}: {waits:?}");
    }
}

#[test]
fn bystanders_of_a_collision_wait_eifs_if_they_are_told_to() {
    for (eifs, at) in [(false, 163 + 43), (true, 163 + 60 + 43)] {
        let (mut m, mut s) = cell(4, Set::Station, 0.0, Params { collision_eifs: eifs, ..Params::default() });
        for i in [1, 2] {
            offer(&mut m, &mut s, Time::from_us(10), i, frame(0, 0, 1));
        }
        run(&mut m, &mut s, Time::from_us(164));
        offer(&mut m, &mut s, Time::from_us(164), 3, frame(0, 0, 1));
        run(&mut m, &mut s, END);
        assert_eq!(s.seen[2].start, Time::from_us(at), "it came when the medium was idle: no backoff");
    }
}

#[test]
fn an_rts_that_collides_is_short() {
    let (mut m, mut s) = cell(3, Set::Station, 0.0, Params::default());
    for i in [1, 2] {
        offer(&mut m, &mut s, Time::from_us(10), i, Burst { rts: true, ..frame(0, 0, 4) });
    }
    run(&mut m, &mut s, END);
    assert_eq!(s.seen.len(), 2, "no data collided");
    assert!(s.done.iter().all(|d| d.3.answered && d.3.tries == 1), "an RTS without CTS is not a try of the chain");
    assert_eq!(s.seen[0].airtime, Span::from_us(88 + 164));
    let rts = |x: &Bare| (x.to, x.airtime) == (StaIx::AP, Span::from_us(28));
    assert!(s.bare.len() >= 2 && s.bare.iter().all(rts), "it held the medium all the same");
}

#[test]
fn a_lost_response_is_a_failure_though_the_data_came() {
    let (mut m, mut s) = cell(2, Set::Station, 0.0, Params { response_error: 1.0, ..Params::default() });
    offer(&mut m, &mut s, Time::from_us(10), 1, frame(0, 0, 3));
    run(&mut m, &mut s, END);
    assert_eq!(s.arrived.len(), 3);
    let r = s.done[0].3;
    assert_eq!((r.answered, r.acked, r.received, r.tries), (false, Bitmap::NONE, Bitmap::first(1), 3));
}

#[test]
fn bytes_that_ride_on_the_response_lengthen_it() {
    let (mut m, mut s) = cell(2, Set::Station, 0.0, Params::default());
    s.riding = 20;
    offer(&mut m, &mut s, Time::from_us(10), 1, frame(0, 0, 3));
    run(&mut m, &mut s, END);
    // 34 bytes at 24 Mbit/s: 294 / 96 -> 4 symbols, 36 us.
    assert_eq!((s.done[0].0, s.done[0].3.payload), (Time::from_us(43 + 120 + 16 + 36), 20));
}

#[test]
fn a_bar_brings_a_block_ack() {
    let (mut m, mut s) = cell(2, Set::Station, 0.0, Params::default());
    let mut b = Burst { what: What::Bar(Seq::new(7)), psdu: 24, ..frame(0, 0, 1) };
    b.mpdus.clear();
    b.chain[0].mode = Mode::Ofdm(Ofdm::R24);
    offer(&mut m, &mut s, Time::from_us(10), 1, b);
    run(&mut m, &mut s, END);
    // 24 bytes at 24 Mbit/s: 214 / 96 -> 3 symbols, 32 us; a Block Ack of 32 us.
    assert_eq!(s.done[0].0, Time::from_us(43 + 32 + 16 + 32));
    assert!(s.done[0].3.answered && s.seen.is_empty());
    let bar = Bare { from: StaIx(1), to: StaIx::AP, start: Time::from_us(43), airtime: Span::from_us(32 + 16 + 32) };
    assert_eq!(s.bare, [bar]);
}

#[test]
fn dcf_counts_whole_idle_slots_only() {
    // Two stations with frames always there: whoever lost keeps what an EDCA station would have counted at the boundary.
    let (mut m, mut s) = cell(3, Set::Dcf, 0.0, Params::default());
    for _ in 0..200 {
        for i in [1, 2] {
            s.heads[i as usize][Ac::Be.ix()].push_back(frame(0, 0, 7));
        }
    }
    for i in [1, 2] {
        m.look(Time::from_us(10), StaIx(i), &mut s);
    }
    run(&mut m, &mut s, END);
    assert_eq!(s.done.len(), 400);
    let mut same_boundary = 0;
    for w in s.seen.windows(2).filter(|w| w[0].answered && w[0].from != w[1].from) {
        let gap = w[1].start - (w[0].start + w[0].airtime);
        same_boundary += u32::from(gap == Span::from_us(34));
    }
    assert_eq!(same_boundary, 0, "a station that lost cannot send at the very end of DIFS");
}

fn apart(places: u8) -> Params {
    Params { places, ..Params::default() }
}

/// Station 1 is on the air from 43 us to 163. Station 2 gets something to send at 100 us: if it does not hear that, the medium has been idle for
/// it since AIFS was over, and it sends at the next slot boundary, 43 + 7 * 9 us.
#[test]
fn a_hidden_station_sends_into_a_frame() {
    for (places, start) in [(1, None), (2, Some(Time::from_us(106)))] {
        let (mut m, mut s) = cell(3, Set::Station, 0.0, apart(places));
        offer(&mut m, &mut s, Time::from_us(10), 1, frame(0, 0, 9));
        run(&mut m, &mut s, Time::from_us(99));
        offer(&mut m, &mut s, Time::from_us(100), 2, frame(0, 0, 9));
        run(&mut m, &mut s, Time::from_us(200));
        let hit: Vec<_> = s.seen.iter().map(|x| (x.from.0, x.start, x.collided)).collect();
        match start {
            None => assert!(hit.iter().all(|h| !h.2) && s.arrived.len() == 1),
            Some(at) => {
                assert_eq!(hit, [(1, Time::from_us(43), true), (2, at, true)]);
                assert!(s.arrived.is_empty(), "the access point decodes neither");
            }
        }
        run(&mut m, &mut s, END);
        assert!(s.done.iter().all(|d| d.3.answered) && s.done.len() == 2, "{:?}", s.done);
        assert_eq!(m.airtime(StaIx(0)), Span::from_us(2 * 28), "two ACKs, whatever was hit before");
    }
}

/// Whoever hears both keeps out; a third place does not matter to the first two.
#[test]
fn the_access_point_waits_for_a_hidden_frame_to_end() {
    let (mut m, mut s) = cell(3, Set::Station, 0.0, apart(2));
    offer(&mut m, &mut s, Time::from_us(10), 1, frame(0, 0, 1));
    run(&mut m, &mut s, Time::from_us(99));
    offer(&mut m, &mut s, Time::from_us(100), 2, frame(0, 0, 1));
    run(&mut m, &mut s, Time::from_us(150));
    offer(&mut m, &mut s, Time::from_us(150), 0, frame(1, 0, 1));
    run(&mut m, &mut s, END);
    // From 43 us something is on the air until 106 + 120; then EIFS (60 us beyond AIFS of 43), and a backoff, since it came while busy.
    let wait = s.seen[2].start - Time::from_us(226 + 60 + 43);
    assert_eq!(s.seen[2].from, StaIx::AP);
    assert!(wait >= Span::ZERO && wait.ns() % 9_000 == 0, "{wait:?}");
}

/// The access point's frame to station 1 is on the air from 43 us to 163; its NAV ends with a bare ACK, at 207. Station 2 draws a backoff at 180.
#[test]
fn a_lengthened_response_is_hit_behind_its_nav() {
    // 14 + 500 bytes at 24 Mbit/s: 4134 bits in symbols of 96: 44, 196 us, until 375. With 20 bytes until 215.
    for (places, riding, end) in [(1, 500, 375), (2, 500, 375), (2, 20, 215)] {
        let (mut m, mut s) = cell(3, Set::Station, 0.0, apart(places));
        s.riding = riding;
        offer(&mut m, &mut s, Time::from_us(10), 0, frame(1, 0, 1));
        run(&mut m, &mut s, Time::from_us(179));
        offer(&mut m, &mut s, Time::from_us(180), 2, frame(0, 0, 9));
        run(&mut m, &mut s, Time::from_us(end));
        let ap = |s: &Script| s.done.iter().find(|d| d.1 == StaIx::AP).copied();
        if places == 1 {
            assert!(s.hits.is_empty() && ap(&s).unwrap().3.answered);
            run(&mut m, &mut s, END);
            let wait = s.seen.iter().find(|x| x.from == StaIx(2)).unwrap().start - Time::from_us(end + 43);
            assert!(wait >= Span::ZERO && wait.ns() % 9_000 == 0, "{wait:?}");
        } else if riding == 20 {
            assert!(s.hits.is_empty() && ap(&s).unwrap().3.answered, "it is over before AIFS behind the NAV is");
        } else {
            let hidden = s.seen.iter().find(|x| x.from == StaIx(2)).unwrap();
            let wait = hidden.start - Time::from_us(207 + 43);
            assert!(wait >= Span::ZERO && wait.ns() % 9_000 == 0 && hidden.collided, "{wait:?}");
            assert_eq!(s.hits, [StaIx(1)]);
            assert_eq!(s.arrived.len(), 1, "the data came");
            run(&mut m, &mut s, END);
            assert!(!ap(&s).unwrap().3.answered && s.done.len() == 2);
        }
    }
}

/// All three have 300 frames of 1.1 ms.
fn saturated(places: u8, rts: bool, riding: u16) -> Script {
    let (mut m, mut s) = cell(3, Set::Station, 0.0, apart(places));
    s.riding = riding;
    for i in [0, 1, 2] {
        let to = u8::from(i == 0);
        s.heads[i][Ac::Be.ix()].extend((0..300).map(|_| Burst { rts, psdu: 20_000, ..frame(to, 0, 9) }));
        m.look(Time::from_us(10), StaIx(i as u8), &mut s);
    }
    run(&mut m, &mut s, Time::from_s(20));
    assert_eq!(s.done.len(), 900);
    s
}

#[test]
fn hidden_stations_lose_frames_and_rts_saves_them() {
    let spoilt = |s: &Script| s.seen.iter().filter(|x| x.collided).count();
    let (all, hidden, asked) = (saturated(1, false, 0), saturated(2, false, 0), saturated(2, true, 0));
    assert!(spoilt(&hidden) > 2 * spoilt(&all), "{} {}", spoilt(&hidden), spoilt(&all));
    assert_eq!(spoilt(&asked), 0, "an RTS is hit, no data");
    assert!(saturated(2, false, 500).hits.len() > 20);
    assert!(saturated(2, false, 20).hits.is_empty() && saturated(1, false, 500).hits.is_empty());
}

/// With one station there is nobody to be hidden: to the byte the same, but for when observers are told.
#[test]
fn places_of_one_station_change_nothing() {
    let of = |places| {
        let (mut m, mut s) = cell(2, Set::AccessPoint, 0.2, Params { response_error: 0.1, ..apart(places) });
        s.riding = 30;
        for i in 0..400 {
            let b = frame(u8::from(i % 2 == 0), [0, 5, 6][i % 3], 3);
            s.heads[i % 2][b.ac.ix()].push_back(b);
        }
        (0..2).for_each(|i| m.look(Time::from_us(10), StaIx(i), &mut s));
        run(&mut m, &mut s, Time::from_s(2));
        assert_eq!(s.done.len(), 400);
        s
    };
    let (one, two) = (of(1), of(2));
    assert!(one.arrived == two.arrived && one.done == two.done);
}

/// Whatever is offered: all is done at the end, and the airtime of the access point is its frames and its responses.
#[test]
fn hidden_crowds_come_to_an_end() {
    let mut rng = Streams::new(3).get("hidden", "crowd");
    for round in 0..40 {
        let (n, places) = (2 + rng.below(7) as usize, 2 + rng.below(3) as u8);
        let set = [Set::Station, Set::AccessPoint, Set::Dcf][rng.below(3) as usize];
        let p = Params { response_error: 0.05, collision_eifs: round % 2 == 0, ..apart(places) };
        let (mut m, mut s) = cell(n, set, 0.05, p);
        s.riding = [0, 0, 30, 700][rng.below(4) as usize];
        let mut now = Time::ZERO;
        for _ in 0..300 {
            now += Span::from_us(i64::from(rng.below(900)));
            run(&mut m, &mut s, now);
            let from = rng.below(n as u32) as u8;
            let to = if from == 0 { 1 + rng.below(n as u32 - 1) as u8 } else { 0 };
            let tid = if matches!(set, Set::Dcf) { 0 } else { [0, 1, 5, 6][rng.below(4) as usize] };
            offer(&mut m, &mut s, now, from, Burst { rts: rng.below(4) == 0, ..frame(to, tid, 4) });
        }
        run(&mut m, &mut s, Time::from_s(5));
        assert_eq!(s.done.len(), 300, "round {round}: {n} stations in {places} places");
    }
}
