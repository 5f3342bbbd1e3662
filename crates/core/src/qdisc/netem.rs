//! An imperfect path: packets are delayed, all alike or each by a time of its own, lost, and overtake each other.
//!
//! Stands for: Linux 6.12 net/sched/sch_netem.c with `delay` (and its jitter, evenly distributed), `loss`, `reorder` with its `gap`, and `limit`. What is lost
//! is lost in silence (`NET_XMIT_SUCCESS | __NET_XMIT_BYPASS`): the sender hears of no drop. A super-packet is one packet to it, as in Linux.
//! Differs: D1 no correlation, other distributions, loss models, ECN, duplication, corruption, rate or slots. D2 `skb_orphan_partial` is `net`'s:
//! [`Discipline::orphans`] says when a packet's memory is to be given back before it is handed in (with a delay: always, but for pure ACKs).
//! D3 the random numbers are a run's own; `tc` leaves them to the kernel's.

use super::{Discipline, Setup, Told};
use crate::sim::random::{Stream, Streams};
use crate::sim::{Bin, Packet, Place, Reason, Span, Time, Verdict};
use std::collections::VecDeque;

crate::params! {
    /// What a user sets of `netem`.
    pub struct Params {
        /// Delay of every packet.
        delay: Span = Span::ZERO, in Span::ZERO => Span::from_s(100), src "linux@6.12 net/sched/sch_netem.c netem_init: no delay";
        /// Each packet's delay is drawn evenly from so much less to so much more than `delay`; who has less overtakes.
        jitter: Span = Span::ZERO, in Span::ZERO => Span::from_s(2), src "linux@6.12 net/sched/sch_netem.c tabledist";
        /// Probability that a packet is lost: what would be one frame, or a super-packet whole.
        loss: f64 = 0.0, in 0.0 => 1.0, src "linux@6.12 net/sched/sch_netem.c loss_event: CLG_RANDOM";
        /// Probability that a packet has no delay, and so overtakes those that have one; needs a `delay`.
        reorder: f64 = 0.0, in 0.0 => 1.0, src "linux@6.12 net/sched/sch_netem.c netem_enqueue: get_crandom(&q->reorder_cor)";
        /// Only after so many less one that were delayed may one overtake.
        gap: u32 = 1, in 1 => 1_000_000, src "iproute2 tc/q_netem.c netem_parse_opt: 1, with `reorder`";
        /// Packets that the queue holds at most; later ones are dropped.
        limit: u32 = 1000, in 1 => 10_000_000, src "iproute2 tc/q_netem.c netem_parse_opt";
    }
}

impl Params {
    /// Whether anything happens to a packet.
    pub fn alters(&self) -> bool {
        self.delay + self.jitter > Span::ZERO || self.loss > 0.0
    }
}

/// A probability as `tc` hands it down, in 1/(2^32 - 1). src: iproute2 tc/tc_util.c parse_percent, tc/q_netem.c get_percent
fn scaled(p: f64) -> u32 {
    (p * f64::from(u32::MAX)).round() as u32
}

/// A path.
#[derive(Clone, Debug)]
pub struct Netem {
    delay: Span,
    jitter: Span,
    /// As [`scaled`].
    loss: u32,
    reorder: u32,
    /// 0 without reordering.
    gap: u32,
    /// Packets that were delayed since one was not.
    counter: u32,
    limit: usize,
    /// By when each may leave; those of one time as they came. src: `tfifo_enqueue`
    q: VecDeque<(Time, Packet)>,
    /// Not delayed, and before all others; the last first. src: `__qdisc_enqueue_head`
    ahead: Vec<Packet>,
    random: Stream,
    bytes: u64,
    dropped: u64,
    /// Packets that stand before it.
    parked: usize,
}

impl Netem {
    /// src: `get_crandom` without correlation
    fn draw(&mut self) -> u32 {
        (self.random.bits() >> 32) as u32
    }
    /// src: `tabledist` without a table
    fn delay(&mut self) -> Span {
        if self.jitter == Span::ZERO {
            return self.delay;
        }
        let jitter = self.jitter.ns();
        self.delay + Span::from_ns(i64::from(self.draw()) % (2 * jitter) - jitter)
    }
    fn hold(&mut self, now: Time, p: Packet) {
        // One whose time is past goes before those that are due. src: `netem_enqueue`: time_to_send = now + delay, whose sign nobody asks for
        let at = now + self.delay().max(Time::ZERO - now);
        let i = match self.q.back() {
            Some(last) if last.0 > at => self.q.partition_point(|x| x.0 <= at),
            _ => self.q.len(),
        };
        self.q.insert(i, (at, p));
    }
}

impl Discipline for Netem {
    type Params = Params;
    const TIMED: bool = true;
    fn build(setup: &Setup, seed: u32) -> Self {
        let Params { delay, jitter, loss, reorder, gap, limit } = setup.netem;
        Netem {
            delay,
            jitter,
            loss: scaled(loss),
            reorder: scaled(reorder),
            gap: if reorder > 0.0 { gap } else { 0 },
            counter: 0,
            limit: limit as usize,
            q: VecDeque::new(),
            ahead: Vec::new(),
            random: Streams::new(seed.into()).get("netem", "path"),
            bytes: 0,
            dropped: 0,
            parked: 0,
        }
    }
    #[inline]
    fn enqueue(&mut self, now: Time, mut p: Packet, bin: &mut impl Bin) -> Verdict {
        if self.loss > 0 && self.loss >= self.draw() {
            self.dropped += 1;
            bin.drop(p, Place::Qdisc, Reason::Loss);
            return Verdict::Ok;
        }
        if self.q.len() + self.ahead.len() + self.parked >= self.limit {
            self.dropped += 1;
            bin.drop(p, Place::Qdisc, Reason::Overlimit);
            return Verdict::Drop;
        }
        p.enqueued = now;
        self.bytes += u64::from(p.eth_len());
        if self.gap == 0 || self.counter < self.gap - 1 || self.reorder < self.draw() {
            self.hold(now, p);
            self.counter = self.counter.wrapping_add(1);
        } else {
            self.counter = 0;
            self.ahead.push(p);
        }
        Verdict::Ok
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
        self.delay + self.jitter > Span::ZERO && !p.is_pure_ack()
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
    fn told(&self) -> Told {
        let options = vec![
            ("limit", self.limit as u64),
            ("delay", self.delay.us() as u64),
            ("jitter", self.jitter.us() as u64),
            ("loss", self.loss.into()),
            ("reorder", self.reorder.into()),
            ("gap", self.gap.into()),
        ];
        Told { options, ..Told::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::battery::packet;
    use super::*;

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
                q.enqueue(now, packet(0, seq, (b >> 5) % 1449), &mut bin);
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
                fold(&mut out, u64::from(p.seq) + now.ns());
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
        let far = Params { delay: ms(20), jitter: ms(8), loss: 0.02, reorder: 0.1, gap: 3, limit: 100 };
        let near = Params { delay: ms(1), jitter: ms(3), loss: 0.0, reorder: 0.0, gap: 1, limit: 30 };
        for (seed, p, kernel) in [(5, far, FAR), (6, near, NEAR)] {
            assert_eq!(gave(seed, p), kernel);
        }
    }
}
