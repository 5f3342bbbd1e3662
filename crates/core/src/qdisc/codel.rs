//! CoDel: once the head of a queue has waited over `target` for a whole `interval`, drop (or mark); then ever faster, by
//! `interval / sqrt(count)`.
//!
//! Stands for: Linux 6.12 include/net/codel.h, include/net/codel_impl.h, whose integers, 1024 ns tick and Newton step
//! are kept. Shared by `fq_codel` and `mac80211`, as there. Differs: D1 the CE threshold holds for all packets (no selector).

use crate::sim::{Span, Time};

/// CoDel's clock: ticks of 1024 ns, wrapping. src: `codel_get_time`
#[inline]
const fn ticks(t: Time) -> u32 {
    (t.ns() >> 10) as u32
}

/// a is after b, on a wrapping clock. src: `codel_time_after`
#[inline]
const fn after(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) as i32 > 0
}

/// a is not before b. src: `codel_time_after_eq`
#[inline]
const fn after_eq(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) as i32 >= 0
}

/// What a user sets, in CoDel's own units; its owner's `Params` has defaults and ranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    target: u32,
    interval: u32,
    mtu: u32,
    ecn: bool,
    keeps_above: bool,
    ce_threshold: u32,
}

/// No sojourn is marked for its own sake. src: CODEL_DISABLED_THRESHOLD
const DISABLED: u32 = i32::MAX as u32;

impl Config {
    /// Converts. A backlog of no more than `mtu` bytes is never dropped from. src: `MS2TIME`, which rounds down
    pub const fn new(target: Span, interval: Span, mtu: u32, ecn: bool) -> Config {
        let (target, interval) = ((target.ns() >> 10) as u32, (interval.ns() >> 10) as u32);
        Config { target, interval, mtu, ecn, keeps_above: false, ce_threshold: DISABLED }
    }
    /// The same, with or without [`Old::codel_keeps_above`](super::Old::codel_keeps_above).
    pub const fn keeping(self, keeps_above: bool) -> Config {
        Config { keeps_above, ..self }
    }
    /// The same, which marks whatever has waited for longer than this.
    pub const fn marking(self, threshold: Option<Span>) -> Config {
        match threshold {
            Some(t) => Config { ce_threshold: (t.ns() >> 10) as u32, ..self },
            None => self,
        }
    }
}

/// What packets change: one for each flow. src: `struct codel_vars`
#[derive(Clone, Copy, Default, Debug)]
pub struct Vars {
    /// Drops since the last time dropping began; the owner adds its own drops to it.
    pub count: u32,
    lastcount: u32,
    dropping: bool,
    rec_inv_sqrt: u16,
    first_above_time: u32,
    drop_next: u32,
    ldelay: u32,
}

/// The flow that CoDel works on, as its owner keeps it.
pub trait Head {
    /// A packet, or where it is.
    type Item;
    /// Takes the flow's first packet and accounts for it.
    fn pop(&mut self) -> Option<Self::Item>;
    /// When it came ([`Packet::enqueued`](crate::sim::Packet::enqueued)).
    fn enqueued(&self, p: &Self::Item) -> Time;
    /// Marks it as [`set_ce`](super::skb::set_ce) does, if its transport takes that.
    fn set_ce(&mut self, p: &mut Self::Item) -> bool;
    /// Bytes held, after the last `pop`.
    fn backlog(&self) -> u32;
    /// Lets a packet go.
    fn drop(&mut self, p: Self::Item);
    /// A packet was marked instead of dropped.
    fn marked(&mut self) {}
    /// A packet was marked for its wait (`ce_mark`).
    fn ce_marked(&mut self) {}
}

impl Vars {
    /// Whether the flow is in the dropping state.
    pub const fn dropping(&self) -> bool {
        self.dropping
    }
    /// How long the last packet out had waited, in whole ticks.
    pub const fn sojourn(&self) -> Span {
        Span::from_ns((self.ldelay as i64) << 10)
    }

    /// src: `codel_Newton_step`
    fn newton_step(&mut self) {
        let invsqrt = u32::from(self.rec_inv_sqrt) << 16;
        let invsqrt2 = ((u64::from(invsqrt) * u64::from(invsqrt)) >> 32) as u32;
        let val = (3_u64 << 32).wrapping_sub(u64::from(self.count).wrapping_mul(u64::from(invsqrt2))) >> 2;
        self.rec_inv_sqrt = ((val.wrapping_mul(u64::from(invsqrt)) >> (32 - 2 + 1)) as u32 >> 16) as u16;
    }

    /// src: `codel_control_law`
    fn control_law(&self, t: u32, interval: u32) -> u32 {
        t.wrapping_add(super::skb::reciprocal_scale(interval, u32::from(self.rec_inv_sqrt) << 16))
    }

    /// src: `codel_should_drop`
    #[inline]
    fn should_drop<H: Head>(&mut self, c: &Config, head: &H, p: Option<&H::Item>, now: u32) -> bool {
        let Some(p) = p else {
            self.first_above_time = 0;
            return false;
        };
        self.ldelay = now.wrapping_sub(ticks(head.enqueued(p)));
        if after(c.target, self.ldelay) || head.backlog() <= c.mtu {
            self.first_above_time = 0;
            return false;
        }
        if self.first_above_time == 0 {
            self.first_above_time = now.wrapping_add(c.interval);
            return false;
        }
        after(now, self.first_above_time)
    }

    /// Takes the next packet that may leave. src: `codel_dequeue`
    #[inline]
    pub fn dequeue<H: Head>(&mut self, c: &Config, now: Time, head: &mut H) -> Option<H::Item> {
        let Some(p) = head.pop() else {
            self.dropping = false;
            if !c.keeps_above {
                self.first_above_time = 0;
            }
            return None;
        };
        let now = ticks(now);
        let mut out = if self.should_drop(c, head, Some(&p), now) {
            self.dequeue_late(c, now, head, p)
        } else {
            self.dropping = false;
            Some(p)
        };
        if after(self.ldelay, c.ce_threshold) && out.as_mut().is_some_and(|p| head.set_ce(p)) {
            head.ce_marked();
        }
        out
    }
    /// The same, where `p` has waited for too long.
    #[inline(never)] // seldom
    fn dequeue_late<H: Head>(&mut self, c: &Config, now: u32, head: &mut H, mut p: H::Item) -> Option<H::Item> {
        if self.dropping {
            while self.dropping && after_eq(now, self.drop_next) {
                self.count = self.count.wrapping_add(1);
                self.newton_step();
                if c.ecn && head.set_ce(&mut p) {
                    head.marked();
                    self.drop_next = self.control_law(self.drop_next, c.interval);
                    return Some(p);
                }
                head.drop(p);
                let next = head.pop();
                if self.should_drop(c, head, next.as_ref(), now) {
                    self.drop_next = self.control_law(self.drop_next, c.interval);
                } else {
                    self.dropping = false;
                }
                p = next?;
            }
            return Some(p);
        }
        let out = if c.ecn && head.set_ce(&mut p) {
            head.marked();
            Some(p)
        } else {
            head.drop(p);
            let next = head.pop();
            self.should_drop(c, head, next.as_ref(), now);
            next
        };
        self.dropping = true;
        // Close to the last time: go on from the rate that controlled the queue then.
        let delta = self.count.wrapping_sub(self.lastcount);
        if delta > 1 && after(c.interval.wrapping_mul(16), now.wrapping_sub(self.drop_next)) {
            self.count = delta;
            self.newton_step();
        } else {
            self.count = 1;
            self.rec_inv_sqrt = u16::MAX;
        }
        self.lastcount = self.count;
        self.drop_next = self.control_law(now, c.interval);
        out
    }
}

#[cfg(test)]
mod tests {
    //! The numbers are what 6.12's codel_impl.h itself gave, compiled outside the kernel with a settable clock.
    use super::*;
    use crate::sim::{Ecn, FlowId, Kind, NodeId, Packet};
    use std::collections::VecDeque;

    #[test]
    fn newton_steps_and_control_law_are_the_kernels() {
        let mut v = Vars { rec_inv_sqrt: u16::MAX, ..Vars::default() };
        let steps: Vec<_> = (2..=20)
            .map(|n| {
                v.count = n;
                v.newton_step();
                v.rec_inv_sqrt
            })
            .collect();
        let kernel = [
            32769, 36864, 31968, 28935, 26481, 24588, 23037, 21746, 20647, 19699, 18869, 18136, 17481, 16893, 16360,
            15874, 15429, 15019, 14640,
        ];
        assert_eq!(steps, kernel);
        let law = [(u16::MAX, 98_654), (46_340, 70_051), (30_000, 45_703), (1000, 2490), (1, 1001)];
        for (r, t) in law {
            let v = Vars { rec_inv_sqrt: r, ..Vars::default() };
            assert_eq!(v.control_law(1000, Config::new(Span::from_ms(5), Span::from_ms(100), 0, true).interval), t);
        }
    }

    #[derive(Default)]
    struct Plain {
        q: VecDeque<Packet>,
        drops: Vec<u32>,
        marks: u32,
        ce_marks: u32,
    }
    impl Head for Plain {
        type Item = Packet;
        fn enqueued(&self, p: &Packet) -> Time {
            p.enqueued
        }
        fn set_ce(&mut self, p: &mut Packet) -> bool {
            super::super::skb::set_ce(p)
        }
        fn pop(&mut self) -> Option<Packet> {
            self.q.pop_front()
        }
        fn backlog(&self) -> u32 {
            self.q.len() as u32 * 1514
        }
        fn drop(&mut self, p: Packet) {
            self.drops.push(p.seq);
        }
        fn marked(&mut self) {
            self.marks += 1;
        }
        fn ce_marked(&mut self) {
            self.ce_marks += 1;
        }
    }

    /// A frame each ms for 1.2 s, 0.4 s of nothing, and again; one is served each 1.25 ms, 4 s long. With ECN, every
    /// third packet can be marked. Gives drops, packets out, a checksum of their order, marks, count, packets left.
    fn four_seconds(ecn: bool) -> (Vec<u32>, u32, u64, u32, u32, usize) {
        let config = Config::new(Span::from_ms(5), Span::from_ms(100), 1514, ecn);
        let (mut v, mut head) = (Vars::default(), Plain::default());
        let (mut arrive, mut serve, mut seq, mut out, mut sum) = (0u64, 0u64, 0u32, 0u32, 0u64);
        while serve < 4_000_000_000 {
            let phase = arrive % 1_600_000_000;
            if phase >= 1_200_000_000 {
                arrive += 1_600_000_000 - phase;
            } else if arrive <= serve {
                let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1));
                (p.seq, p.enqueued) = (seq, Time::from_ns(arrive));
                if ecn && seq % 3 == 0 {
                    p.ecn = Ecn::Ect0;
                }
                head.q.push_back(p);
                (seq, arrive) = (seq + 1, arrive + 1_000_000);
            } else {
                if let Some(p) = v.dequeue(&config, Time::from_ns(serve), &mut head) {
                    out += 1;
                    sum = sum.wrapping_mul(31).wrapping_add(u64::from(p.seq));
                }
                serve += 1_250_000;
            }
        }
        (head.drops, out, sum, head.marks, v.count, head.q.len())
    }

    #[test]
    fn an_overloaded_queue_drops_the_packets_that_the_kernel_drops() {
        let (drops, out, sum, marks, count, left) = four_seconds(false);
        assert_eq!(drops[..12], [101, 182, 223, 269, 310, 346, 379, 410, 439, 467, 493, 518]);
        assert_eq!((out, sum, marks, count, left), (2861, 9_475_649_767_515_497_853, 0, 210, 72), "109008 bytes left");
    }

    /// Each that has waited for more than a millisecond, to the tick; the last is alone and below the floor of dropping.
    #[test]
    fn a_wait_beyond_the_threshold_is_marked() {
        let plain = Config::new(Span::from_ms(5), Span::from_ms(100), 1514, false);
        for (config, marks) in [(plain.marking(Some(Span::from_ms(1))), 2), (plain, 0)] {
            let (mut v, mut head) = (Vars::default(), Plain::default());
            let waits =
                [(1_001_000, Ecn::Ect0), (999_000, Ecn::Ect0), (3_000_000, Ecn::NotEct), (40_000_000, Ecn::Ect0)];
            for (ns, ecn) in waits {
                let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1));
                (p.enqueued, p.ecn) = (Time::from_ns(50_000_000 - ns), ecn);
                head.q.push_back(p);
            }
            let out: Vec<_> =
                (0..4).map(|_| v.dequeue(&config, Time::from_ms(50), &mut head).expect("a packet").ecn).collect();
            assert_eq!(out.iter().filter(|&&e| e == Ecn::Ce).count(), marks, "{out:?}");
            assert_eq!((out[1], out[2]), (Ecn::Ect0, Ecn::NotEct));
            assert_eq!((head.marks, head.ce_marks), (0, marks as u32));
        }
    }

    #[test]
    fn and_marks_those_that_it_marks() {
        let (drops, out, sum, marks, count, left) = four_seconds(true);
        assert_eq!(drops[14..18], [608, 629, 650, 688], "588 and 669 were marked");
        assert_eq!((out, sum, marks, count, left), (2922, 8_943_392_568_594_236_512, 121, 223, 117));
    }
}
