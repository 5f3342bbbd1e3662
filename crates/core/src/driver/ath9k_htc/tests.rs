//! The whole device against a medium of one station, with numbers worked from the sources.

use super::*;
use crate::phy::Ht;
use crate::sim::{FlowId, Freed, Kind, NodeId, Owner, Place, Reason, Span, Stream, Streams};
use crate::wifi::What;
use std::collections::VecDeque;

const BE: Tid = Tid::new(0);

/// A qdisc that is a FIFO a category.
#[derive(Default)]
pub(super) struct Fifo {
    pub(super) queued: [VecDeque<Packet>; Ac::COUNT],
    pub(super) to: StaIx,
}
impl Above for Fifo {
    fn pull(&mut self, _: Time, ac: Ac, _: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid)> {
        let tid = [Tid::new(6), Tid::new(5), Tid::new(0), Tid::new(1)][ac.ix()];
        self.queued[ac.ix()].pop_front().map(|p| (p, self.to, tid))
    }
}

pub(super) fn full(seq: u32) -> Packet {
    Packet {
        payload: 1448,
        headers: 52,
        truesize: 2304,
        owner: Owner(1),
        seq,
        ..Packet::blank(Kind::Tcp, FlowId(1), NodeId(1), NodeId(2))
    }
}

/// The CPU times that the numbers below are worked with, so that a calibration does not move them.
fn par() -> Params {
    Params { cpu_frame: Span::from_us(5), cpu_ppdu: Span::from_us(20), cpu_turn: Span::from_ns(1), ..Params::default() }
}

/// A device, what stands above it, and a medium that nobody else uses.
struct World {
    dev: Ath9kHtc<Fifo>,
    q: Fifo,
    now: Time,
    freed: Vec<Freed>,
    dropped: Vec<(Packet, Place, Reason)>,
    wants: Vec<(Time, Lane, u32)>,
    /// The exchange on the air: until when, and whose.
    air: Option<(Time, Ac)>,
    /// Exchanges so far: what, frames, begin, end.
    log: Vec<(What, usize, Time, Time)>,
    delivered: Vec<(Time, Packet)>,
    /// Chance that an MPDU is lost.
    loss: f64,
    rng: Stream,
    /// What the receiver's answer costs on the air for each frame it got.
    answer: Span,
}

impl World {
    fn new(par: Params) -> World {
        let mode = Mode::Ht(Ht::new(7, true, true).unwrap());
        World {
            dev: Ath9kHtc::new(par, 2, mode),
            q: Fifo::default(),
            now: Time::ZERO,
            freed: vec![],
            dropped: vec![],
            wants: vec![],
            air: None,
            log: vec![],
            delivered: vec![],
            loss: 0.0,
            rng: Streams::new(1).get("test", "loss"),
            answer: Span::ZERO,
        }
    }
    /// AIFS 37 us, mean backoff 31.5 (window 7), preamble 36, data, extension 6, SIFS 10, Block Ack 32 and 6.
    fn exchange(b: &Burst) -> Span {
        let symbols = i64::from((b.psdu * 8 + 22).div_ceil(540));
        Span::from_ns(37_000 + 31_500 + 36_000 + symbols * 3_600 + 6_000 + 10_000 + 38_000)
    }
    fn call(&mut self, f: impl FnOnce(&mut Ath9kHtc<Fifo>, &mut Fifo, Time, &mut Sink<'_>)) {
        let mut sink = Sink { freed: &mut self.freed, dropped: &mut self.dropped, wants: &mut self.wants };
        f(&mut self.dev, &mut self.q, self.now, &mut sink);
        self.look();
    }
    fn look(&mut self) {
        if self.air.is_some() {
            return;
        }
        for ac in Ac::ALL {
            if let Some(b) = self.dev.head(ac) {
                let end = self.now + World::exchange(b) + self.answer * b.mpdus.len() as i64;
                self.log.push((b.what, b.mpdus.len(), self.now, end));
                self.air = Some((end, ac));
                return;
            }
        }
    }
    fn offer(&mut self, ac: Ac, p: Packet) {
        self.q.queued[ac.ix()].push_back(p);
        self.call(|d, q, now, s| d.wake(now, StaIx::AP, [Tid::new(6), Tid::new(5), BE, Tid::new(1)][ac.ix()], q, s));
    }
    /// Runs to the next event; false when nothing is left, or after `end`.
    fn step(&mut self, end: Time) -> bool {
        let want = self.wants.iter().map(|w| w.0).min().unwrap_or(Time::NEVER);
        let air = self.air.map_or(Time::NEVER, |a| a.0);
        let next = want.min(air);
        if next.is_never() || next > end {
            return false;
        }
        self.now = next;
        if air <= want {
            let (_, ac) = self.air.take().unwrap();
            let b = self.dev.head(ac).unwrap();
            let mut r = Report { answered: !matches!(b.what, What::Bar(_)) || self.loss < 1.0, ..Report::default() };
            for (i, m) in b.mpdus.iter().enumerate() {
                if !self.rng.chance(self.loss) {
                    r.acked.put(i);
                    r.received.put(i);
                    self.delivered.push((self.now, m.packet));
                }
            }
            self.call(|d, q, now, s| d.done(now, ac, &r, q, s));
        } else {
            self.wants.retain(|w| w.0 > next);
            self.call(|d, q, now, s| d.timer(now, 0, q, s));
        }
        true
    }
    fn run(&mut self, end: Time) {
        while self.step(end) {}
        self.now = end;
    }
}

#[test]
fn the_first_frame_of_a_burst_goes_alone() {
    let mut w = World::new(par());
    for i in 0..5 {
        w.offer(Ac::Be, full(i));
    }
    w.run(Time::from_ms(10));
    // The first request carries one frame, because it found all requests free; the other four gathered behind it.
    assert_eq!(w.log.iter().map(|l| (l.0, l.1)).collect::<Vec<_>>(), [(What::Single, 1), (What::Ampdu, 4)]);
    // 1560 bytes of 6656 in 125 us: 29.3 us on the bus, then 5 us of CPU to take it and 20 to send it.
    assert_eq!(w.log[0].2, Time::from_ns(54_297));
    assert_eq!((w.freed.len(), w.dev.held()), (5, 0));
}

#[test]
fn saturated_it_sends_sixteen_and_seventeen_in_turn() {
    let mut w = World::new(par());
    for i in 0..2_000 {
        w.offer(Ac::Be, full(i));
    }
    w.run(Time::from_ms(100));
    let sizes: Vec<_> = w.log.iter().skip(10).take(20).map(|l| l.1).collect();
    assert!(sizes.chunks(2).all(|c| c[0] + c[1] == 33 && c.contains(&17)), "33 buffers, 17 at most: {sizes:?}");
    assert!(!w.dev.can_take() || w.dev.queued() >= 230, "the driver stays full");
}

/// Sixteen MPDUs are in the air, sixteen wait; the buffer that is left has the beacon.
#[test]
fn an_access_points_beacon_has_a_buffer() {
    let mut w = World::new(par());
    w.dev.beacons();
    for i in 0..2_000 {
        w.offer(Ac::Be, full(i));
    }
    w.run(Time::from_ms(100));
    let sizes: Vec<_> = w.log.iter().skip(10).take(20).map(|l| l.1).collect();
    assert!(sizes.chunks(2).all(|c| c[0] + c[1] == 32), "{sizes:?}");
}

#[test]
fn the_netdev_queue_holds_the_rest_back() {
    let mut w = World::new(par());
    for i in 0..300 {
        w.offer(Ac::Be, full(i));
    }
    assert_eq!((w.dev.held(), w.q.queued[Ac::Be.ix()].len()), (246, 54));
    w.run(Time::from_ms(200));
    assert_eq!((w.dev.held(), w.freed.len()), (0, 300));
}

#[test]
fn a_status_comes_with_a_microframe() {
    let mut w = World::new(par());
    w.offer(Ac::Be, full(0));
    while w.freed.is_empty() && w.step(Time::from_ms(20)) {}
    // On the air from 54.3 us for 241.3 us; CPU 20 + 5 us to complete, 5 us to report: 325.6 us. Fetched at 375 us.
    assert_eq!(w.log[0].3, Time::from_ns(295_597));
    assert_eq!(w.now, Time::from_us(375));
}

#[test]
fn an_aggregates_statuses_come_in_two_events() {
    let mut w = World::new(par());
    for i in 0..1_000 {
        w.offer(Ac::Be, full(i));
    }
    let mut at = vec![(Time::ZERO, 0)];
    while w.step(Time::from_ms(60)) {
        if at.last().unwrap().1 != w.freed.len() {
            at.push((w.now, w.freed.len()));
        }
    }
    let events: Vec<_> = at.windows(2).skip(20).map(|x| (x[1].1 - x[0].1, x[1].0 - x[0].0)).collect();
    assert!(events.iter().all(|e| [12, 4, 5].contains(&e.0)), "12 and the rest of 16 or 17: {events:?}");
    assert!(
        events.iter().filter(|e| e.0 < 12).all(|e| e.1 >= Span::from_us(85)),
        "a microframe, less the interrupt's delay"
    );
}

#[test]
fn usb_is_slow_enough_to_split_a_burst() {
    let mut w = World::new(par());
    for i in 0..18 {
        w.offer(Ac::Be, full(i));
    }
    w.run(Time::from_ms(10));
    // The second request begins at 29.3 us. When the first frame is completed, at 320 us, ten more have arrived and nine or
    // ten are handled; those form the first aggregate, and the rest the next.
    assert_eq!(w.log.iter().map(|l| l.1).sum::<usize>(), 18);
    assert!((8..=10).contains(&w.log[1].1), "{:?}", w.log);
}

#[test]
fn statuses_beyond_two_events_are_never_reported() {
    // Made small so that one aggregate overflows them; in the device it takes two categories in one pass.
    let mut w = World::new(Params { ampdu_frames: 20, target_buffers: 64, status_frames: 6, ..par() });
    for i in 0..200 {
        w.offer(Ac::Be, full(i));
    }
    w.run(Time::from_s(1));
    let lost = w.dev.queued();
    assert!(lost > 0, "20 statuses against 12");
    w.run(Time::from_s(10));
    assert_eq!((w.dev.queued(), w.freed.len()), (0, 200));
}

#[test]
fn voice_goes_first_and_aggregates_too() {
    let mut w = World::new(par());
    for i in 0..20 {
        w.offer(Ac::Be, full(i));
        w.offer(Ac::Vo, full(100 + i));
    }
    w.run(Time::from_ms(50));
    assert_eq!(w.freed.len(), 40);
    assert!(w.log.iter().any(|l| l.1 > 10));
}

#[test]
fn nothing_is_lost_unaccounted() {
    for (loss, seed) in [(0.0, 1), (0.1, 2), (0.6, 3), (0.95, 4)] {
        let mut w = World::new(par());
        (w.loss, w.rng) = (loss, Streams::new(seed).get("test", "loss"));
        for i in 0..1_000 {
            w.offer([Ac::Be, Ac::Vi, Ac::Vo, Ac::Bk][i as usize % 4], full(i));
        }
        for _ in 0..40 {
            let until = w.now + Span::from_ms(10);
            w.run(until);
            let above: usize = w.q.queued.iter().map(VecDeque::len).sum();
            assert_eq!(w.delivered.len() + w.dropped.len() + w.dev.held() as usize + above, 1_000);
            assert_eq!(w.freed.len() + w.dropped.len() + usize::from(w.dev.queued()) + above, 1_000);
        }
        w.run(Time::from_s(60));
        assert_eq!((w.dev.held(), w.freed.len() + w.dropped.len()), (0, 1_000), "loss {loss}");
        assert!(w.dropped.iter().all(|d| (d.1, d.2) == (Place::Driver, Reason::Retries)));
        assert_eq!(w.dropped.is_empty(), loss < 0.5, "eleven chains lose 1 in 10^11 at 0.1, and 3 in 1000 at 0.6");
        assert!(w.dev.fw.buffers == 33, "every buffer is back");
    }
}

#[test]
fn an_abandoned_frame_moves_the_receivers_window() {
    let mut w = World::new(Params { retries: 0, ..par() });
    w.loss = 0.5;
    for i in 0..100 {
        w.offer(Ac::Be, full(i));
    }
    w.run(Time::from_s(1));
    let bars = w.log.iter().filter(|l| matches!(l.0, What::Bar(_))).count();
    assert!(bars > 0 && w.dropped.len() > bars, "one BAR a unit, however many it abandons");
    assert_eq!(w.freed.len() + w.dropped.len(), 100);
}

/// rcRateFind_11n: RTS before all links but the first, and before that at MCS 0 to 3; a BAR has none.
#[test]
fn slow_rates_and_later_links_have_rts() {
    for (mcs, rts) in [(0, true), (3, true), (4, false), (7, false)] {
        let mut w = World::new(Params { retries: 0, ..par() });
        w.loss = 0.5;
        w.dev.set_mode(StaIx(0), Mode::Ht(Ht::new(mcs, true, true).unwrap()));
        for i in 0..100 {
            w.offer(Ac::Be, full(i));
        }
        let (mut data, mut bars) = (0, 0);
        while w.step(Time::from_s(1)) {
            let Some(b) = w.dev.head(Ac::Be) else { continue };
            if matches!(b.what, What::Bar(_)) {
                assert_eq!((b.rts, b.rts_fallback), (false, false));
                bars += 1;
            } else {
                assert_eq!((b.rts, b.rts_fallback), (rts, true), "MCS {mcs}");
                data += 1;
            }
        }
        assert!(data > 0 && bars > 0);
    }
}

#[test]
fn received_frames_come_in_batches() {
    let mut w = World::new(par());
    for i in 0..17u64 {
        let ended = Time::from_us(82 * (i + 1));
        w.now = Time::from_us(1_394);
        let c = Came::plain(&full(i as u32), StaIx::AP, Tid::default());
        w.call(|d, _, now, s| d.rx(now, ended, &c, s));
    }
    let mut up = vec![];
    w.run(Time::from_us(1_500));
    w.dev.take_up(&mut up);
    assert_eq!(up.len(), 10);
    w.run(Time::from_us(1_640));
    w.dev.take_up(&mut up);
    assert_eq!((up.len(), w.dev.held_up()), (17, 0));
    assert!(up.windows(2).all(|c| c[0].p.seq < c[1].p.seq));
}

#[test]
fn contention_windows_are_halved() {
    assert_eq!([15, 7, 3].map(cw_min), [7, 3, 1]);
    assert_eq!(cw_min(31), 15);
}

/// A sender that keeps `n` frames below itself for `ms`: (Mbit/s of TCP payload, mean frames a unit, mean one-way delay).
fn window(par: Params, n: usize, answer: Span, ms: u64) -> (World, f64, f64, Span) {
    let mut w = World::new(par);
    w.answer = answer;
    let (mut sent, end) = (0u32, Time::from_ms(ms));
    loop {
        while (sent as usize) < w.freed.len() + n {
            let p = Packet { born: w.now, ..full(sent) };
            w.offer(Ac::Be, p);
            sent += 1;
        }
        if !w.step(end) {
            break;
        }
    }
    let half = Time::from_ms(ms / 2);
    let late: Vec<_> = w.delivered.iter().filter(|d| d.0 > half).collect();
    let delay = late.iter().map(|d| d.0 - d.1.born).sum::<Span>() / late.len() as i64;
    let mbit = late.len() as f64 * 1448.0 * 8.0 / (end - half).as_s() / 1e6;
    let mean = w.delivered.len() as f64 / w.log.len() as f64;
    (w, mbit, mean, delay)
}

#[test]
fn the_ceiling_is_the_aggregate_and_the_forming() {
    // 17 frames: 26246 bytes, 389 symbols, 1558.9 us of exchange; 16: 24702 bytes, 366 symbols, 1476.1 us. Between two
    // exchanges the CPU completes the one (20 + 5 us a frame) and forms the other: 205 us. 33 frames in 3445 us.
    let (w, mbit, mean, delay) = window(par(), 400, Span::ZERO, 400);
    assert!((mbit - 33.0 * 1448.0 * 8.0 / 3445.0).abs() < 0.5, "{mbit}");
    assert!((mean - 16.5).abs() < 0.2, "{mean}");
    // 246 frames below the qdisc and 154 above: 400 frames at that rate.
    assert!((delay.as_ms() - 400.0 * 3.445 / 33.0).abs() < 1.5, "{delay:?}");
    assert_eq!(w.dev.queued(), 246);
}

#[test]
fn a_status_seldom_overtakes_its_request() {
    // The aggregate that unblocks a request takes longer to report than the request takes to end.
    for p in [par(), Params::default()] {
        for n in [3, 10, 30, 60, 400] {
            let (w, ..) = window(p, n, Span::from_us(16), 300);
            assert_eq!(w.dev.host.early(), 0, "{n} frames");
        }
    }
}
