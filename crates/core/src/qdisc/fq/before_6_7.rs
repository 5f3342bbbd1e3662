//! `fq` as it was before 6.7: one round robin of all sockets; before 4.20 it paces by itself.
//!
//! Stands for: Linux net/sched/sch_fq.c of 4.14 and 4.19 ([`Age::Paces`]), 5.4 ([`Age::Keeps`]) and 5.10 ([`Age::Bounds`]). The first looks up a
//! socket's rate as it sends: a socket sends a quantum (or a super-packet) in its turn, and what that takes at its rate is how long it is
//! throttled; a new one's first ten frames are free. The others hold each packet until its departure time, [`Packet::born`].
//! Differs: as [`super`] says, and D7 no queue of its own for priority 7, which no DSCP gives; D8 that of 3.18, where it does not make good what
//! its timer was late, clamps at 125 ms and has no threshold for low rates, is 4.14's.

use super::super::Told;
use super::super::pool::{Chain, Pool};
use super::{Age, Flows, Params, mark_late, options};
use crate::sim::{Bin, Owner, Packet, Place, Reason, Span, Time, Verdict};
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// A socket whose rate is no higher is paced packet by packet, bytes a second. src: linux@4.19 net/sched/sch_fq.c fq_init: low_rate_threshold
const LOW_RATE: u64 = 550_000 / 8;
/// What a socket does not pace has this rate (`~0U`).
const UNPACED: u64 = u32::MAX as u64;
/// The longest that one packet throttles its socket.
const LONGEST: u64 = 1_000_000_000;

/// Flows by socket, in turns.
#[derive(Clone, Debug)]
pub struct Before6_7 {
    params: Params,
    age: Age,
    pool: Pool,
    flows: Flows,
    new_flows: Chain,
    old_flows: Chain,
    /// Rate of each socket that has told one, bytes a second (`sk_pacing_rate`).
    rates: Vec<u64>,
    /// Throttled flows: (when it is over, order of throttling, flow).
    delayed: BinaryHeap<Reverse<(Time, u64, u32)>>,
    throttled: u64,
    ce_marked: u64,
    inactive_flows: u32,
    /// `time_next_delayed_flow`
    next_delayed: Time,
    packets: u32,
    bytes: u64,
    dropped: u64,
    /// Packets that stand before it.
    parked: u32,
}

impl Before6_7 {
    /// One, empty.
    pub(super) fn new(params: Params, age: Age, seed: u32) -> Self {
        Before6_7 {
            params,
            age,
            pool: Pool::default(),
            flows: Flows::new(&params, seed),
            new_flows: Chain::default(),
            old_flows: Chain::default(),
            rates: Vec::new(),
            delayed: BinaryHeap::new(),
            throttled: 0,
            ce_marked: 0,
            inactive_flows: 0,
            next_delayed: Time::NEVER,
            packets: 0,
            bytes: 0,
            dropped: 0,
            parked: 0,
        }
    }

    /// `packets` stand before it from now on (`sch->q.qlen` counts them).
    pub(super) fn park(&mut self, packets: u32) {
        self.parked = packets;
    }

    /// A socket's rate from now on, bytes a second.
    pub(super) fn paced(&mut self, owner: Owner, rate: u64) {
        let i = usize::from(owner.0);
        if i >= self.rates.len() {
            self.rates.resize(i + 1, UNPACED);
        }
        self.rates[i] = rate;
    }

    fn refuse(&mut self, p: Packet, bin: &mut impl Bin) -> Verdict {
        self.dropped += 1;
        bin.drop(p, Place::Qdisc, Reason::Overlimit);
        Verdict::Drop
    }

    /// src: `fq_enqueue`
    pub(super) fn enqueue(&mut self, now: Time, mut p: Packet, bin: &mut impl Bin) -> Verdict {
        let late = self.age >= Age::Bounds && p.born > now + self.params.horizon;
        if self.packets + self.parked >= self.params.limit || late {
            return self.refuse(p, bin);
        }
        let (i, new) = self.flows.classify(now, &p);
        self.inactive_flows += u32::from(new);
        let f = &mut self.flows.all[i];
        if f.list.len() >= self.params.flow_limit {
            return self.refuse(p, bin);
        }
        p.enqueued = if self.age == Age::Paces { now } else { p.born.max(now) };
        self.packets += 1;
        self.bytes += u64::from(p.eth_len());
        if let Some(since) = f.detached.take() {
            if now - since > self.params.refill_delay {
                f.credit = f.credit.max(self.params.quantum as i32);
            }
            self.inactive_flows -= 1;
            self.new_flows.push(&mut self.flows.all, i as u32);
        }
        self.pool.insert_by_time(&mut self.flows.all[i].list, p);
        Verdict::Ok
    }

    /// src: `fq_check_throttled`
    fn release_due(&mut self, now: Time) {
        if self.next_delayed > now {
            return;
        }
        self.next_delayed = Time::NEVER;
        while let Some(&Reverse((at, _, flow))) = self.delayed.peek() {
            if at > now {
                self.next_delayed = at;
                break;
            }
            self.delayed.pop();
            self.old_flows.push(&mut self.flows.all, flow);
        }
    }

    /// Until when the first packet of a flow has to wait. src: `fq_dequeue`: time_next_packet
    fn due(&self, first: &Packet, time_next_packet: Time) -> Time {
        match self.age {
            // Pure ACKs are not paced.
            Age::Paces if first.owner == Owner::NONE => Time::ZERO,
            Age::Paces => time_next_packet,
            _ => first.enqueued.max(time_next_packet),
        }
    }

    /// src: `fq_dequeue`
    pub(super) fn dequeue(&mut self, now: Time) -> Option<Packet> {
        if self.packets == 0 {
            return None;
        }
        self.release_due(now);
        loop {
            let new = !self.new_flows.is_empty();
            let from = if new { &mut self.new_flows } else { &mut self.old_flows };
            let i = from.first()?;
            let f = &mut self.flows.all[i as usize];
            if f.credit <= 0 {
                f.credit += self.params.quantum as i32;
                from.pop(&mut self.flows.all);
                self.old_flows.push(&mut self.flows.all, i);
                continue;
            }
            let Some(first) = self.pool.first(&f.list) else {
                from.pop(&mut self.flows.all);
                // Once round the old ones, so that they cannot starve.
                if new && !self.old_flows.is_empty() {
                    self.old_flows.push(&mut self.flows.all, i);
                } else {
                    self.flows.all[i as usize].detached = Some(now);
                    self.inactive_flows += 1;
                }
                continue;
            };
            let (owner, time_next_packet) = (first.owner, f.time_next_packet);
            let due = self.due(first, time_next_packet);
            if now < due {
                let f = &mut self.flows.all[i as usize];
                f.time_next_packet = due;
                let from = if new { &mut self.new_flows } else { &mut self.old_flows };
                from.pop(&mut self.flows.all);
                self.throttled += 1;
                self.delayed.push(Reverse((due, self.throttled, i)));
                self.next_delayed = self.next_delayed.min(due);
                continue;
            }
            let f = &mut self.flows.all[i as usize];
            let mut p = self.pool.pop(&mut f.list)?;
            if self.age > Age::Paces {
                self.ce_marked += u64::from(mark_late(self.params.ce_threshold, now - due, &mut p));
            }
            f.credit -= p.eth_len() as i32;
            self.packets -= 1;
            self.bytes -= u64::from(p.eth_len());
            if self.age == Age::Paces && owner != Owner::NONE {
                self.pace(now, i, &p);
            }
            return Some(p);
        }
    }

    /// How long a flow is throttled for what it has just sent. src: linux@4.19 net/sched/sch_fq.c fq_dequeue, from `rate = q->flow_max_rate` on
    fn pace(&mut self, now: Time, flow: u32, p: &Packet) {
        let rate = self.rates.get(usize::from(p.owner.0)).copied().unwrap_or(UNPACED).min(UNPACED);
        let f = &mut self.flows.all[flow as usize];
        let mut bytes = p.eth_len();
        if rate <= LOW_RATE {
            f.credit = 0;
        } else {
            bytes = bytes.max(self.params.quantum);
            if f.credit > 0 {
                return;
            }
        }
        if rate == UNPACED {
            return;
        }
        let mut ns = (u64::from(bytes) * 1_000_000_000).checked_div(rate).unwrap_or(LONGEST).min(LONGEST) as i64;
        if f.time_next_packet > Time::ZERO {
            ns -= (ns / 2).min((now - f.time_next_packet).ns());
        }
        f.time_next_packet = now + Span::from_ns(ns);
    }

    /// When the watchdog fires.
    pub(super) fn wake_at(&self) -> Option<Time> {
        let slack = if self.age >= Age::Bounds { self.params.timer_slack } else { Span::ZERO };
        (!self.next_delayed.is_never()).then(|| self.next_delayed + slack)
    }
    pub(super) fn packets(&self) -> u32 {
        self.packets
    }
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }
    /// src: `fq_dump`, `fq_dump_stats`
    pub(super) fn told(&self) -> Told {
        let stats = vec![
            ("flows", self.flows.all.len() as u64),
            ("inactive", self.inactive_flows.into()),
            ("throttled_flows", self.delayed.len() as u64),
            ("throttled", self.throttled),
            ("ce_mark", self.ce_marked),
        ];
        Told { options: options(&self.params, self.age >= Age::Bounds), stats, ..Told::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qdisc::battery::packet;

    fn owned(owner: Owner, seq: u32, payload: u32) -> Packet {
        Packet { owner, ..packet(0, seq, payload) }
    }

    #[test]
    fn a_quantum_at_a_time_is_paced_by_the_rate_of_now() {
        let (mut q, mut bin) = (Before6_7::new(Params::default(), Age::Paces, 1), Vec::new());
        q.paced(Owner(0), 1_000_000);
        for n in 0..16 {
            q.enqueue(Time::from_s(1), owned(Owner(0), n, 1448), &mut bin);
        }
        let mut at = |t| core::iter::from_fn(|| q.dequeue(t)).count();
        // Ten frames of 1514 are the first turn's; the tenth throttles for a quantum of 3028 bytes at 1 Mbyte/s.
        let first = Time::from_s(1);
        assert_eq!((at(first), at(first + Span::from_us(3_027)), at(first + Span::from_us(3_028))), (10, 0, 2));
        q.paced(Owner(0), 2_000_000);
        let due = q.wake_at().expect("throttled");
        assert_eq!(due, first + Span::from_us(2 * 3_028), "the rate that was when it was throttled");
        // A frame more than the quantum was asked for; half of the time that the timer is late is made good.
        let late = due + Span::from_us(100);
        assert_eq!(core::iter::from_fn(|| q.dequeue(late)).count(), 2);
        assert_eq!(q.wake_at(), Some(late + Span::from_us(1_514 - 100)));
    }

    #[test]
    fn what_stands_before_it_takes_room() {
        for (parked, left) in [(0, 2), (1, 1), (3, 0)] {
            let (mut q, mut bin) =
                (Before6_7::new(Params { limit: 2, ..Params::default() }, Age::Bounds, 1), Vec::new());
            q.park(parked);
            for n in 0..4 {
                q.enqueue(Time::ZERO, owned(Owner(0), n, 1448), &mut bin);
            }
            assert_eq!(q.packets(), left);
        }
    }

    /// 60000 random operations on ten sockets and one stream of pure ACKs, the odd sockets paced, by rates (0 and low ones among them) or departure
    /// times; the numbers are what sch_fq.c of 4.19, 5.4 and 5.10 themselves gave on the same, compiled outside the kernel.
    #[test]
    fn order_drops_and_wakes_are_the_kernels() {
        let folded = [
            (Age::Paces, (32_531, 15_056_557_352_456_176_417), (6_520, 13_314_743_134_122_286_111)),
            (Age::Keeps, (35_911, 14_593_702_780_228_093_516), (3_115, 5_392_594_789_068_636_896)),
            (Age::Bounds, (27_843, 3_131_970_263_452_235_627), (11_231, 18_346_705_568_446_668_120)),
        ];
        let ends = [
            ((3_382, 2_073_237_848_899_037_917), (24, 22_139, 830, 8)),
            ((2, 32_177_841_120), (49, 43_203, 610, 1)),
            ((3_869, 1_917_407_755_799_328_620), (1, 755, 2_494, 6)),
        ];
        let params = Params {
            limit: 60,
            flow_limit: 12,
            refill_delay: Span::from_ms(3),
            horizon: Span::from_ms(2),
            ..Params::default()
        };
        for ((age, out_there, drops_there), (wakes_there, held_there)) in folded.into_iter().zip(ends) {
            let mut q = Before6_7::new(params, age, 3);
            let mut x = 99_u32;
            let mut draw = || {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                x >> 8
            };
            let fold = |s: &mut (u32, u64), v: u64| *s = (s.0 + 1, s.1.wrapping_mul(31).wrapping_add(v));
            let (mut out, mut drops, mut wakes, mut bin) = ((0, 0), (0, 0), (0, 0), Vec::new());
            let (mut now, mut edt, mut seq) = (Time::from_s(1), [Time::ZERO; 10], 0);
            for _ in 0..60_000 {
                now += Span::from_ns(i64::from(draw() % 200_000));
                let (a, b) = (draw(), draw());
                if a % 100 < 65 {
                    let f = (b % 11) as usize;
                    let mut p = owned(Owner(f as u16), seq, (b >> 4) % 1449);
                    p.born = now;
                    if f == 10 {
                        (p.owner, p.payload) = (Owner::NONE, 0);
                    } else if f % 2 == 1 {
                        let c = draw();
                        if age != Age::Paces {
                            p.born = edt[f].max(now);
                            edt[f] = p.born + Span::from_ns(i64::from(c % 3_000_000));
                        } else if c % 4 == 0 {
                            let rate = match f {
                                1 => 20_000 + c % 100_000,
                                3 if c % 16 == 0 => 0,
                                _ => 100_000 + c % 4_000_000,
                            };
                            q.paced(p.owner, rate.into());
                        }
                    }
                    seq += 1;
                    q.enqueue(now, p, &mut bin);
                    bin.drain(..).for_each(|d| fold(&mut drops, u64::from(d.0.seq)));
                }
                if a % 100 >= 40 {
                    match q.dequeue(now) {
                        Some(p) => fold(&mut out, u64::from(p.seq)),
                        None if q.packets() > 0 => fold(&mut wakes, q.wake_at().expect("held, so due").ns()),
                        None => (),
                    }
                }
            }
            assert_eq!((seq, out, drops), (39_075, out_there, drops_there), "{age:?}");
            let held = (q.packets(), q.bytes(), q.throttled, q.inactive_flows);
            assert_eq!((wakes, held), (wakes_there, held_there), "{age:?}");
        }
    }
}
