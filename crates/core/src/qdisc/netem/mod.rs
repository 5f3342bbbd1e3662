//! An imperfect path: packets are delayed, all alike or each by a time of its own, lost, doubled, marked, sent at a rate, and overtake each other.
//!
//! Stands for: Linux 6.12 net/sched/sch_netem.c with `delay` (its jitter, correlation and `distribution`), `loss` (with correlation, or `gemodel`),
//! `duplicate`, `ecn`, `reorder` (with correlation and `gap`), `rate` (with its overhead), and `limit`. What is lost is lost in silence
//! (`NET_XMIT_SUCCESS | __NET_XMIT_BYPASS`): the sender hears of no drop. A super-packet is one packet to it, as in Linux.
//! Differs: D1 no corruption, slots, cells of `rate`, or the loss model `state`. D2 `skb_orphan_partial` is `net`'s:
//! [`Discipline::orphans`] says when a packet's memory is to be given back before it is handed in (with a delay or a rate: always, but for pure
//! ACKs). D3 the random numbers are a run's own; `tc` leaves them to the kernel's.

mod distribution;
mod loss;
mod params;
mod random;

pub use distribution::Distribution;
pub use params::Params;

use super::skb::set_ce;
use super::{Discipline, Setup, Told};
use crate::sim::random::{Stream, Streams};
use crate::sim::{Bin, Owner, Packet, Place, Rate, Reason, Span, Time, Verdict};
use distribution::Table;
use loss::Loss;
use random::{Chance, Leaning};
use std::collections::VecDeque;

/// A path.
#[derive(Clone, Debug)]
pub struct Netem {
    delay: Span,
    jitter: Span,
    /// What delays are drawn with.
    delays: Leaning,
    distribution: Option<&'static Table>,
    loss: Loss,
    duplicate: Chance,
    ecn: bool,
    reorder: Chance,
    /// 0 without reordering.
    gap: u32,
    /// Packets that were delayed since one was not.
    counter: u32,
    rate: Option<Rate>,
    /// Bytes that `rate` counts beside a packet's own.
    overhead: i64,
    limit: usize,
    /// Whether a packet may have to wait.
    waits: bool,
    /// By when each may leave; those of one time as they came. src: `tfifo_enqueue`
    q: VecDeque<(Time, Packet)>,
    /// Not delayed, and before all others; the last first. src: `__qdisc_enqueue_head`
    ahead: Vec<Packet>,
    random: Stream,
    bytes: u64,
    dropped: u64,
    /// Those that came twice.
    made: u64,
    /// Packets that stand before it.
    parked: usize,
}

impl Netem {
    /// src: `tabledist`, which draws nothing where there is no jitter
    fn delay(&mut self) -> Span {
        if self.jitter == Span::ZERO {
            return self.delay;
        }
        let rnd = self.delays.draw(&mut self.random);
        distribution::spread(self.delay, self.jitter, rnd, self.distribution)
    }
    /// How long a packet is on the link. src: `packet_time_ns`; q->rate is bytes a second
    fn airtime(&self, p: &Packet, rate: Rate) -> Span {
        let bytes = (i64::from(p.eth_len()) + self.overhead) as u64;
        Span::from_ns((bytes * 1_000_000_000 / rate.bytes_per_s()) as i64)
    }
    /// By when the last of those that are held may leave; one that overtakes, when it came. src: `netem_enqueue`: `last`
    fn last(&self) -> Option<Time> {
        self.ahead.first().map(|p| p.enqueued).max(self.q.back().map(|x| x.0))
    }
    /// When a packet that comes now may leave. src: `netem_enqueue`
    fn due(&mut self, now: Time, p: &Packet) -> Time {
        let delay = self.delay();
        let Some(rate) = self.rate else { return after(now, delay) };
        let on_link = self.airtime(p, rate);
        match self.last() {
            Some(last) => last + (delay - (last - now)).max(Span::ZERO) + on_link,
            None => after(now, delay + on_link),
        }
    }
    /// Takes a packet, or two of it. src: `netem_enqueue`
    fn take(&mut self, now: Time, p: &mut Packet, mut twice: bool, bin: &mut impl Bin) -> Verdict {
        if self.loss.loses(&mut self.random) {
            // qdisc_qstats_drop counts what is only marked, too, and not one of two that is lost
            if self.ecn && set_ce(p) {
                self.dropped += 1;
            } else if twice {
                twice = false;
            } else {
                self.dropped += 1;
                bin.drop(*p, Place::Qdisc, Reason::Loss);
                return Verdict::Ok;
            }
        }
        if self.q.len() + self.ahead.len() + self.parked >= self.limit {
            self.dropped += 1;
            bin.drop(*p, Place::Qdisc, Reason::Overlimit);
            return Verdict::Drop;
        }
        if twice {
            // src: net/core/skbuff.c __skb_clone: a clone is nobody's, and both have one header, which a mark of either is in. It goes to the
            // root, which this is; nobody hears what becomes of it.
            let mut clone = Packet { owner: Owner::NONE, ..*p };
            self.made += 1;
            self.take(now, &mut clone, false, bin);
            p.ecn = clone.ecn;
        }
        p.enqueued = now;
        self.bytes += u64::from(p.eth_len());
        if self.gap == 0 || self.counter < self.gap - 1 || !self.reorder.happens(&mut self.random) {
            self.hold(now, *p);
            self.counter = self.counter.wrapping_add(1);
        } else {
            self.counter = 0;
            self.ahead.push(*p);
        }
        Verdict::Ok
    }
    fn hold(&mut self, now: Time, p: Packet) {
        let at = self.due(now, &p);
        let i = match self.q.back() {
            Some(last) if last.0 > at => self.q.partition_point(|x| x.0 <= at),
            _ => self.q.len(),
        };
        self.q.insert(i, (at, p));
    }
}

/// One whose time is past goes before those that are due. src: `netem_enqueue`: time_to_send = now + delay, whose sign nobody asks for
fn after(now: Time, delay: Span) -> Time {
    now + delay.max(Time::ZERO - now)
}

impl Discipline for Netem {
    type Params = Params;
    const TIMED: bool = true;
    fn build(setup: &Setup, seed: u32) -> Self {
        let set = &setup.netem;
        let mut random = Streams::new(seed.into()).get("netem", "path");
        let mut path = Netem {
            delay: set.delay,
            jitter: set.jitter,
            delays: Leaning::new(set.delay_correlation, &mut random),
            distribution: set.distribution.table(),
            loss: Loss::new(set, &mut random),
            duplicate: Chance::new(set.duplicate, set.duplicate_correlation, &mut random),
            ecn: set.ecn,
            reorder: Chance::new(set.reorder, set.reorder_correlation, &mut random),
            gap: 0,
            counter: 0,
            rate: set.rate,
            overhead: set.rate_overhead,
            limit: set.limit as usize,
            waits: set.delays(),
            q: VecDeque::new(),
            ahead: Vec::new(),
            random,
            bytes: 0,
            dropped: 0,
            made: 0,
            parked: 0,
        };
        if path.reorder.p > 0 {
            path.gap = set.gap;
        }
        path
    }
    #[inline]
    fn enqueue(&mut self, now: Time, mut p: Packet, bin: &mut impl Bin) -> Verdict {
        let twice = self.duplicate.happens(&mut self.random);
        self.take(now, &mut p, twice, bin)
    }
    #[inline]
    fn dequeue(&mut self, now: Time, _bin: &mut impl Bin) -> Option<Packet> {
        let p = match self.ahead.pop() {
            Some(p) => p,
            None if self.q.front()?.0 > now => return None,
            None => self.q.pop_front()?.1,
        };
        self.bytes -= u64::from(p.eth_len());
        Some(p)
    }
    fn park(&mut self, packets: u32, _bytes: u64) {
        self.parked = packets as usize;
    }
    #[inline]
    fn wake_at(&self, now: Time) -> Option<Time> {
        if self.ahead.is_empty() { self.q.front().map(|x| x.0) } else { Some(now) }
    }
    /// src: linux@6.12 net/core/sock.c `skb_orphan_partial`
    fn orphans(&self, p: &Packet) -> bool {
        self.waits && !p.is_pure_ack()
    }
    fn packets(&self) -> u32 {
        (self.q.len() + self.ahead.len()) as u32
    }
    fn bytes(&self) -> u64 {
        self.bytes
    }
    fn dropped(&self) -> u64 {
        self.dropped
    }
    fn made(&self) -> u64 {
        self.made
    }
    fn told(&self) -> Told {
        let mut options =
            vec![("limit", self.limit as u64), ("delay", self.delay.us() as u64), ("jitter", self.jitter.us() as u64)];
        // What `tc` shows only where it is set.
        let mut set = vec![("delay_correlation", u64::from(self.delays.rho))];
        match &self.loss {
            Loss::Random(chance) => {
                options.push(("loss", chance.p.into()));
                set.push(("loss_correlation", chance.leaning.rho.into()));
            }
            Loss::GilbertElliott(chain) => options.extend([
                ("loss", 0),
                ("p", chain.p.into()),
                ("r", chain.r.into()),
                ("1-h", (u32::MAX - chain.h).into()),
                ("1-k", chain.one_less_k.into()),
            ]),
        }
        set.push(("duplicate", self.duplicate.p.into()));
        set.push(("duplicate_correlation", self.duplicate.leaning.rho.into()));
        options.extend([("reorder", self.reorder.p.into()), ("gap", self.gap.into())]);
        set.extend([
            ("reorder_correlation", self.reorder.leaning.rho.into()),
            ("rate", self.rate.map_or(0, Rate::bytes_per_s)),
            ("packetoverhead", self.overhead as u64), // two's complement
            ("ecn", self.ecn.into()),
        ]);
        options.extend(set.into_iter().filter(|x| x.1 > 0));
        Told { options, ..Told::default() }
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::super::battery::packet;
    use super::*;
    use crate::sim::Ecn;

    #[test]
    fn leaves_at_the_nanosecond() {
        let mut setup = Setup::default();
        (setup.netem.delay, setup.netem.limit) = (Span::from_ms(10), 2);
        let (mut q, mut bin) = (Netem::build(&setup, 0), Vec::new());
        let t = Time::from_us(3);
        assert_eq!(q.enqueue(t, packet(0, 0, 0), &mut bin), Verdict::Ok);
        assert_eq!(q.enqueue(t + Span::from_ns(1), packet(0, 1, 0), &mut bin), Verdict::Ok);
        assert_eq!(q.enqueue(t, packet(0, 2, 0), &mut bin), Verdict::Drop);
        assert_eq!(q.wake_at(t), Some(t + Span::from_ms(10)));
        assert!(q.dequeue(t + Span::from_ns(9_999_999), &mut bin).is_none());
        assert_eq!(q.dequeue(t + Span::from_ms(10), &mut bin).map(|p| p.seq), Some(0));
        assert_eq!(q.wake_at(t), Some(t + Span::from_ns(10_000_001)));
    }

    /// What comes out, and when, in ms, of a packet each ms for a second; and what was lost.
    fn pass(set: impl Fn(&mut Params)) -> (Vec<(u32, f64)>, usize) {
        let mut setup = Setup::default();
        set(&mut setup.netem);
        let (mut q, mut bin, mut out) = (Netem::build(&setup, 5), Vec::new(), Vec::new());
        let q_now = std::cell::Cell::new(Time::ZERO);
        let mut take = |q: &mut Netem, until: Time| {
            while let Some(at) = q.wake_at(q_now.get()).filter(|at| *at <= until) {
                q_now.set(at);
                let p = q.dequeue(at, &mut Vec::new()).expect("it is due");
                out.push((p.seq, at.us() as f64 / 1000.0));
            }
        };
        for i in 0..1000 {
            let now = Time::from_us(1000 * i);
            take(&mut q, now);
            q_now.set(now);
            assert_eq!(q.enqueue(now, packet(0, i as u32, 0), &mut bin), Verdict::Ok, "a loss is told nobody");
            take(&mut q, now);
            assert!(!q.orphans(&packet(0, 0, 1448)) || setup.netem.delay > Span::ZERO);
        }
        take(&mut q, Time::from_s(100));
        assert_eq!((q.packets(), q.bytes(), q.dropped()), (0, 0, bin.len() as u64));
        assert!(bin.iter().all(|x| x.2 == Reason::Loss));
        (out, bin.len())
    }

    #[test]
    fn loses_by_chance() {
        let (out, lost) = pass(|p| p.loss = 0.1);
        assert!((70..130).contains(&lost), "{lost}");
        assert_eq!(out.len() + lost, 1000);
        assert!(out.windows(2).all(|w| w[0].0 < w[1].0), "what remains is in order");
        assert_eq!(pass(|p| p.loss = 1.0).1, 1000);
    }

    #[test]
    fn jitter_spreads_evenly_and_lets_overtake() {
        let (out, _) = pass(|p| (p.delay, p.jitter) = (Span::from_ms(20), Span::from_ms(8)));
        let waits: Vec<f64> = out.iter().map(|x| x.1 - f64::from(x.0)).collect();
        assert!(waits.iter().all(|w| (12.0..28.0).contains(w)), "{waits:?}");
        let mean = waits.iter().sum::<f64>() / 1000.0;
        let deviation = (waits.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / 1000.0).sqrt();
        assert!((mean - 20.0).abs() < 0.5 && (deviation - 8.0 / 3f64.sqrt()).abs() < 0.3, "{mean} {deviation}");
        assert!(out.windows(2).all(|w| w[0].1 <= w[1].1), "by when each may leave");
        assert!(out.windows(2).any(|w| w[0].0 > w[1].0));
    }

    #[test]
    fn each_fifth_overtakes() {
        let (out, _) = pass(|p| (p.delay, p.reorder, p.gap) = (Span::from_us(2500), 1.0, 5));
        let at_once: Vec<u32> = out.iter().filter(|x| x.1 == f64::from(x.0)).map(|x| x.0).collect();
        assert_eq!(at_once, (0..200).map(|i| 5 * i + 4).collect::<Vec<_>>());
        assert!(out.iter().filter(|x| x.0 % 5 != 4).all(|x| x.1 == f64::from(x.0) + 2.5));
    }

    /// What 60000 random operations give; the device takes nothing a third of the time.
    fn gave(seed: u32, params: Params) -> [(u64, u64); 5] {
        let setup = Setup { netem: params, ..Setup::default() };
        let (mut q, mut bin) = (Netem::build(&setup, seed), Vec::new());
        let mut x = seed;
        let mut draw = || {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            x >> 8
        };
        let fold = |s: &mut (u64, u64), v: u64| *s = (s.0 + 1, s.1.wrapping_mul(31).wrapping_add(v));
        let (mut out, mut drops, mut wakes, mut full) = ((0, 0), (0, 0), 0_u64, 0);
        let (mut now, mut seq) = (Time::from_s(1), 0);
        for op in 0..60_000 {
            now += Span::from_ns(i64::from(draw() % 300_000));
            let (a, b) = (draw(), draw());
            if a % 100 < 55 {
                let mut p = packet(0, seq, (b >> 5) % 1449);
                if b >> 23 == 1 {
                    p.ecn = Ecn::Ect0;
                }
                q.enqueue(now, p, &mut bin);
                seq += 1;
                for d in bin.drain(..) {
                    fold(&mut drops, u64::from(d.0.seq));
                    full += u64::from(d.2 == Reason::Overlimit);
                }
            }
            let most = if op / 50 % 3 == 0 {
                0
            } else if a % 7 == 0 {
                1
            } else {
                usize::MAX
            };
            for _ in 0..most {
                let Some(p) = q.dequeue(now, &mut bin) else {
                    if q.packets() > 0 {
                        wakes = wakes.wrapping_mul(31).wrapping_add(q.wake_at(now).expect("it holds some").ns());
                    }
                    break;
                };
                fold(&mut out, u64::from(p.seq) + now.ns() + if p.ecn == Ecn::Ce { 1_000_000 } else { 0 });
            }
        }
        [(seq.into(), wakes), out, drops, (full, q.dropped()), (q.packets().into(), q.bytes())]
    }

    /// What 6.12's sch_netem.c itself gave on the same, compiled outside the kernel, with our random numbers: packets that came, and a checksum
    /// of when the watchdog was to fire; how many left, and of their order and times; how many were dropped, and of their order; of them
    /// for want of room; what is left.
    #[test]
    fn order_losses_and_wakes_are_the_kernels() {
        const FAR: [(u64, u64); 5] = [
            (33_006, 10_088_042_081_843_370_103),
            (31_960, 383_785_317_664_790_755),
            (987, 492_255_279_668_867_587),
            (298, 987),
            (59, 44_813),
        ];
        // Where the jitter is more than the delay some are due before they came.
        const NEAR: [(u64, u64); 5] = [
            (32_990, 11_251_060_403_914_960_059),
            (31_534, 10_096_611_448_089_760_883),
            (1_452, 13_599_664_155_438_267_781),
            (1_452, 1_452),
            (4, 3_250),
        ];
        let ms = Span::from_ms;
        let far =
            Params { delay: ms(20), jitter: ms(8), loss: 0.02, reorder: 0.1, gap: 3, limit: 100, ..Params::default() };
        let near = Params { delay: ms(1), jitter: ms(3), limit: 30, ..Params::default() };
        for (seed, p, kernel) in [(5, far, FAR), (6, near, NEAR)] {
            assert_eq!(gave(seed, p), kernel);
        }
    }

    /// As above, with everything that a path can have, in several combinations.
    #[test]
    fn what_leans_spreads_bursts_comes_twice_and_has_a_rate_is_the_kernels() {
        let (ms, kbit, mbit, none) = (Span::from_ms, Rate::from_kbit, Rate::from_mbit, Params::default());
        let leans = Params {
            delay: ms(20),
            jitter: ms(8),
            delay_correlation: 0.25,
            distribution: Distribution::Normal,
            loss: 0.1,
            loss_correlation: 0.3,
            ecn: true,
            reorder: 0.3,
            reorder_correlation: 0.5,
            gap: 3,
            limit: 100,
            ..none
        };
        let bursts = Params {
            delay: ms(2),
            jitter: ms(1),
            distribution: Distribution::Pareto,
            gemodel_p: Some(0.02),
            gemodel_r: 0.3,
            gemodel_1h: 0.8,
            gemodel_1k: 0.01,
            rate: Some(mbit(20)),
            rate_overhead: 24,
            limit: 60,
            ..none
        };
        // Some are due before they came, and some overtake what is on the link.
        let overtakes = Params {
            delay: ms(1),
            jitter: ms(3),
            delay_correlation: 0.9,
            gemodel_p: Some(0.05),
            gemodel_r: 0.1,
            ecn: true,
            reorder: 0.3,
            rate: Some(kbit(40_001)),
            rate_overhead: -14,
            ..none
        };
        // Jitter of many standard deviations' scale, and losses that hardly change their mind.
        let wide = Params {
            delay: ms(900),
            jitter: ms(700),
            delay_correlation: 0.6,
            distribution: Distribution::ParetoNormal,
            loss: 0.5,
            loss_correlation: 0.99,
            limit: 2000,
            ..none
        };
        let link = Params { rate: Some(mbit(25)), limit: 40, ..none };
        const KERNEL: [[(u64, u64); 5]; 5] = [
            [
                (32_904, 7_983_946_332_848_567_713),
                (32_399, 8_999_555_057_844_372_320),
                (452, 6_086_685_338_365_626_072),
                (242, 651),
                (53, 43_878),
            ],
            [
                (33_007, 9_460_661_011_800_813_152),
                (27_666, 494_427_088_002_606_201),
                (5_290, 2_396_356_623_643_708_578),
                (3_469, 5_290),
                (51, 45_445),
            ],
            [
                (32_906, 15_075_358_139_100_036_116),
                (27_501, 11_660_272_069_754_250_441),
                (5_397, 3_855_369_230_806_509_610),
                (0, 10_812),
                (8, 5_396),
            ],
            [
                (33_148, 6_664_269_118_255_907_712),
                (15_629, 7_618_572_372_415_596_144),
                (15_533, 5_624_333_534_641_495_101),
                (745, 15_533),
                (1_986, 1_557_162),
            ],
            [
                (32_955, 4_364_449_872_958_407_156),
                (32_750, 6_822_111_843_995_378_987),
                (203, 10_532_376_928_443_636_049),
                (203, 203),
                (2, 1_293),
            ],
        ];
        const TWICE: [[(u64, u64); 5]; 2] = [
            [
                (33_221, 12_775_071_721_775_711_771),
                (36_331, 5_748_170_566_452_430_740),
                (2_062, 13_444_001_682_950_021_917),
                (38, 4_511),
                (18, 11_873),
            ],
            [
                (33_086, 15_957_950_650_532_692_755),
                (30_771, 8_573_027_396_321_797_845),
                (5_138, 8_453_015_257_828_855_330),
                (744, 5_138),
                (1, 1_503),
            ],
        ];
        // What comes twice is lost, marked, delayed and overtakes twice; one of two that is lost nobody counts.
        let twice = Params {
            delay: ms(5),
            jitter: ms(2),
            delay_correlation: 0.3,
            distribution: Distribution::Normal,
            loss: 0.2,
            loss_correlation: 0.2,
            duplicate: 0.3,
            duplicate_correlation: 0.4,
            ecn: true,
            reorder: 0.2,
            gap: 2,
            limit: 60,
            ..none
        };
        let twice_on_link =
            Params { gemodel_p: Some(0.05), gemodel_r: 0.3, duplicate: 0.1, rate: Some(mbit(30)), limit: 30, ..none };
        for (i, (set, kernel)) in [twice, twice_on_link].into_iter().zip(TWICE).enumerate() {
            assert_eq!(gave(12 + i as u32, set), kernel, "{set:?}");
        }
        for (i, (set, kernel)) in [leans, bursts, overtakes, wide, link].into_iter().zip(KERNEL).enumerate() {
            assert_eq!(gave(7 + i as u32, set), kernel, "{set:?}");
        }
    }
}
