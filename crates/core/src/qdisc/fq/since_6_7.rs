//! `fq` as it has been since 6.7: three bands by priority, and a fast path.
//!
//! Packets whose time has come while nothing else may leave take a fast path of eight. Others wait in their socket's
//! flow, in one of three bands by priority; a flow whose first packet is not due yet is throttled until it is.
//! Stands for: Linux 6.12 net/sched/sch_fq.c. A packet's departure time (`skb->tstamp`) is [`Packet::born`]: a paced TCP
//! writes it ahead of the clock; what is not ahead may leave at once. While held, `Packet::enqueued` is `time_to_send`.
//! Differs: as [`super`] says.

use super::super::Told;
use super::super::pool::{Chain, List, Pool};
use super::super::skb::{PRIO2BAND, priority};
use super::{Flows, Params, mark_late, options};
use crate::sim::{Bin, Packet, Place, Reason, Time, Verdict};
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// src: fq_fastpath_check
const FAST_PATH: u32 = 8;
/// src: fq_init: 9 << 16, 3 << 16, 1 << 16
const BAND_QUANTUM: [i32; 3] = [9 << 16, 3 << 16, 1 << 16];

#[derive(Clone, Debug, Default)]
struct Band {
    new_flows: Chain,
    old_flows: Chain,
    credit: i32,
    packets: u32,
}

/// Flows by socket, with departure times.
#[derive(Clone, Debug)]
pub struct Since6_7 {
    params: Params,
    pool: Pool,
    flows: Flows,
    bands: [Band; 3],
    band_nr: usize,
    fast: List,
    /// Throttled flows: (departure, order of throttling, flow).
    delayed: BinaryHeap<Reverse<(Time, u64, u32)>>,
    throttled: u64,
    ce_marked: u64,
    inactive_flows: u32,
    /// `time_next_delayed_flow`
    next_delayed: Time,
    packets: u32,
    bytes: u64,
    dropped: u64,
}

impl Since6_7 {
    /// src: `fq_fastpath_check`
    fn fast_path(&self, now: Time, time_to_send: Time) -> bool {
        let eligible = self.flows.all.len() as u32 != self.inactive_flows + self.delayed.len() as u32;
        time_to_send <= now
            && (self.packets == 0 || !(eligible || self.fast.len() >= FAST_PATH || self.next_delayed <= now))
    }

    fn refuse(&mut self, p: Packet, bin: &mut impl Bin) -> Verdict {
        self.dropped += 1;
        bin.drop(p, Place::Qdisc, Reason::Overlimit);
        Verdict::Drop
    }

    fn requeue(&mut self, flow: u32) {
        let band = usize::from(self.flows.all[flow as usize].band);
        self.bands[band].old_flows.push(&mut self.flows.all, flow);
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
            self.requeue(flow);
        }
    }

    /// The band that may send and which of its lists (new flows?). Goes on to the next band that has both credit and
    /// flows; none: nothing is eligible.
    fn select(&mut self) -> Option<(usize, bool)> {
        let mut tried = 0;
        loop {
            let b = &self.bands[self.band_nr];
            if b.credit > 0 && !(b.new_flows.is_empty() && b.old_flows.is_empty()) {
                return Some((self.band_nr, !b.new_flows.is_empty()));
            }
            loop {
                tried += 1;
                if tried > 3 {
                    return None;
                }
                self.band_nr = (self.band_nr + 1) % 3;
                let (b, quantum) = (&mut self.bands[self.band_nr], BAND_QUANTUM[self.band_nr]);
                b.credit = (b.credit + quantum).min(quantum);
                if b.credit > 0 {
                    break;
                }
                tried = 0;
            }
        }
    }

    /// src: `fq_dequeue`
    fn next(&mut self, now: Time) -> Option<Packet> {
        if self.packets == 0 {
            return None;
        }
        if let Some(p) = self.pool.pop(&mut self.fast) {
            return Some(p);
        }
        self.release_due(now);
        loop {
            let (band, new) = self.select()?;
            let b = &mut self.bands[band];
            let from = if new { &mut b.new_flows } else { &mut b.old_flows };
            let i = from.first()?;
            let f = &mut self.flows.all[i as usize];
            if f.credit <= 0 {
                f.credit += self.params.quantum as i32;
                from.pop(&mut self.flows.all);
                self.requeue(i);
                continue;
            }
            let Some(first) = self.pool.first(&f.list) else {
                from.pop(&mut self.flows.all);
                if new {
                    self.requeue(i); // once round the old ones, so that they cannot starve
                } else {
                    self.flows.all[i as usize].detached = Some(now);
                }
                continue;
            };
            let due = first.enqueued.max(f.time_next_packet);
            if now < due {
                f.time_next_packet = due;
                from.pop(&mut self.flows.all);
                self.throttled += 1;
                self.delayed.push(Reverse((due, self.throttled, i)));
                self.next_delayed = self.next_delayed.min(due);
                continue;
            }
            let mut p = self.pool.pop(&mut f.list)?;
            self.ce_marked += u64::from(mark_late(self.params.ce_threshold, now - due, &mut p));
            if f.list.is_empty() {
                self.inactive_flows += 1;
            }
            let len = p.eth_len() as i32;
            f.credit -= len;
            b.credit -= len;
            self.bands[usize::from(PRIO2BAND[usize::from(priority(p.dscp))])].packets -= 1;
            return Some(p);
        }
    }
}

impl Since6_7 {
    /// One, empty.
    pub(super) fn new(params: Params, seed: u32) -> Self {
        Since6_7 {
            params,
            pool: Pool::default(),
            flows: Flows::new(&params, seed),
            bands: Default::default(),
            band_nr: 0,
            fast: List::default(),
            delayed: BinaryHeap::new(),
            throttled: 0,
            ce_marked: 0,
            inactive_flows: 0,
            next_delayed: Time::NEVER,
            packets: 0,
            bytes: 0,
            dropped: 0,
        }
    }

    /// src: `fq_enqueue`
    pub(super) fn enqueue(&mut self, now: Time, mut p: Packet, bin: &mut impl Bin) -> Verdict {
        let band = PRIO2BAND[usize::from(priority(p.dscp))];
        if self.bands[usize::from(band)].packets >= self.params.limit || p.born > now + self.params.horizon {
            return self.refuse(p, bin);
        }
        p.enqueued = p.born.max(now);
        if self.fast_path(now, p.enqueued) {
            self.pool.insert_by_time(&mut self.fast, p);
        } else {
            let (i, new) = self.flows.classify(now, &p);
            self.inactive_flows += u32::from(new);
            let f = &mut self.flows.all[i];
            if f.list.len() >= self.params.flow_limit {
                return self.refuse(p, bin);
            }
            if let Some(since) = f.detached.take() {
                if now - since > self.params.refill_delay {
                    f.credit = f.credit.max(self.params.quantum as i32);
                }
                // As in Linux, a flow comes back in the band of its last packet.
                let band = usize::from(f.band);
                self.bands[band].new_flows.push(&mut self.flows.all, i as u32);
            }
            let f = &mut self.flows.all[i];
            f.band = band;
            self.bands[usize::from(band)].packets += 1;
            if f.list.is_empty() {
                self.inactive_flows -= 1;
            }
            self.pool.insert_by_time(&mut f.list, p);
        }
        self.bytes += u64::from(p.eth_len());
        self.packets += 1;
        Verdict::Ok
    }
    pub(super) fn dequeue(&mut self, now: Time) -> Option<Packet> {
        let p = self.next(now)?;
        self.packets -= 1;
        self.bytes -= u64::from(p.eth_len());
        Some(p)
    }
    pub(super) fn wake_at(&self) -> Option<Time> {
        (!self.next_delayed.is_never()).then(|| self.next_delayed + self.params.timer_slack)
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
        let p = &self.params;
        let mut stats = vec![
            ("flows", self.flows.all.len() as u64),
            ("inactive", self.inactive_flows.into()),
            ("throttled_flows", self.delayed.len() as u64),
        ];
        stats.extend(
            ["band0_pkts", "band1_pkts", "band2_pkts"].into_iter().zip(self.bands.iter().map(|b| b.packets.into())),
        );
        stats.extend([("throttled", self.throttled), ("ce_mark", self.ce_marked)]);
        Told { options: options(p, true), stats, ..Told::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qdisc::battery::packet;
    use crate::sim::{Ecn, Owner, Span};

    fn owned(owner: u16, seq: u32, born: Time) -> Packet {
        let mut p = packet(owner, seq, 1448);
        (p.owner, p.born) = (Owner(owner), born);
        p
    }

    fn build(change: impl Fn(&mut Params)) -> Since6_7 {
        let mut params = Params::default();
        change(&mut params);
        Since6_7::new(params, 3)
    }

    #[test]
    fn departure_times_are_kept_within_the_slack() {
        let (mut q, mut bin) = (build(|_| ()), Vec::new());
        let (t, gap) = (Time::from_s(1), Span::from_us(120));
        for n in 0..3 {
            q.enqueue(t, owned(0, n, t + gap * i64::from(n)), &mut bin);
        }
        assert_eq!(q.dequeue(t).map(|p| p.seq), Some(0));
        assert!(q.dequeue(t).is_none());
        assert_eq!((q.wake_at(), q.throttled), (Some(t + gap + Span::from_us(10)), 1));
        assert!(q.dequeue(t + gap - Span::from_ns(1)).is_none());
        assert_eq!(q.dequeue(t + gap).map(|p| p.seq), Some(1));
        assert_eq!(q.dequeue(t + gap * 2).map(|p| p.seq), Some(2));
    }

    #[test]
    fn eight_packets_take_the_fast_path_and_leave_first() {
        let (mut q, mut bin) = (build(|_| ()), Vec::new());
        for n in 0..10 {
            q.enqueue(Time::ZERO, owned(0, n, Time::ZERO), &mut bin);
        }
        assert_eq!((q.fast.len(), q.flows.all.len()), (8, 1), "the ninth finds eight; it makes a flow");
        assert_eq!(q.flows.all[0].list.len(), 2);
    }

    #[test]
    fn sockets_share_by_bytes_after_their_first_turn() {
        let (mut q, mut bin) = (build(|_| ()), Vec::new());
        for n in 0..40 {
            q.enqueue(Time::ZERO, owned(0, n, Time::ZERO), &mut bin);
            q.enqueue(Time::ZERO, owned(1, n, Time::ZERO), &mut bin);
        }
        let order: Vec<_> = core::iter::from_fn(|| q.dequeue(Time::ZERO)).map(|p| p.owner.0).collect();
        // By hand: eight by the fast path in order of coming; then 15140 bytes each, which ten frames of 1514 meet
        // exactly; then 3028 each, two frames.
        let (zero, one) = ([0; 10], [1; 10]);
        assert_eq!(order[..8], [0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!((order[8..18].to_vec(), order[18..28].to_vec()), (zero.to_vec(), one.to_vec()));
        assert_eq!(order[28..36], [0, 0, 1, 1, 0, 0, 1, 1]);
    }

    #[test]
    fn a_flow_holds_100_packets() {
        let (mut q, mut bin) = (build(|_| ()), Vec::new());
        let verdicts: Vec<_> = (0..110).map(|n| q.enqueue(Time::ZERO, owned(0, n, Time::ZERO), &mut bin)).collect();
        assert_eq!(verdicts.iter().position(|v| *v == Verdict::Drop), Some(108), "8 beside the flow, 100 in it");
        let late = owned(0, 0, Time::from_s(10) + Span::from_ns(1));
        assert_eq!(build(|_| ()).enqueue(Time::ZERO, late, &mut bin), Verdict::Drop, "beyond the horizon");
    }

    /// Eight take the fast path, which marks nothing; what is no later than the threshold after its time is not marked either.
    #[test]
    fn what_leaves_late_is_marked() {
        let (mut q, mut bin) = (build(|p| p.ce_threshold = Some(Span::from_ms(1))), Vec::new());
        let (t, mut marks) = (Time::from_s(1), Vec::new());
        for n in 0..11 {
            let paced = if n == 9 { Span::from_ms(2) } else { Span::ZERO };
            let mut p = owned(0, n, t + paced);
            p.ecn = if n == 10 { Ecn::NotEct } else { Ecn::Ect0 };
            q.enqueue(t, p, &mut bin);
        }
        let ms = |us| t + Span::from_us(us);
        for at in [ms(5_000); 8].into_iter().chain([ms(1_000), ms(1_001), ms(3_000)]) {
            marks.extend(q.dequeue(at).map(|p| (p.seq, p.ecn == Ecn::Ce)));
        }
        // The ninth in line (8) at its threshold, then what cannot be marked (10), and the paced one (9) a millisecond after its time.
        assert_eq!(marks[..8], [0, 1, 2, 3, 4, 5, 6, 7].map(|n| (n, false)));
        assert_eq!(marks[8..], [(8, false), (10, false), (9, false)]);
        assert_eq!(q.ce_marked, 1, "of the one that cannot be marked");
        q.enqueue(t, owned(0, 11, ms(3_000)), &mut bin);
        let mut late = owned(0, 12, ms(3_000));
        late.ecn = Ecn::Ect0;
        q.enqueue(t, late, &mut bin);
        assert_eq!(q.dequeue(ms(3_500)).map(|p| p.seq), Some(11));
        assert_eq!(q.dequeue(ms(4_001)).map(|p| (p.seq, p.ecn)), Some((12, Ecn::Ce)));
    }

    /// 60000 random operations on ten sockets, the odd ones paced; the numbers are what 6.12's sch_fq.c itself gave on
    /// the same, compiled outside the kernel.
    #[test]
    fn order_drops_and_wakes_are_the_kernels() {
        let mut q = build(|p| {
            (p.limit, p.flow_limit) = (60, 12);
            (p.refill_delay, p.timer_slack) = (Span::from_s(100), Span::ZERO);
        });
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
                let f = (b % 10) as usize;
                let mut p = owned(f as u16, seq, now);
                p.payload = (b >> 4) % 1449;
                p.dscp = [0, 0, 0, 0, 0, 4, 4, 2, 2, 46][f];
                if f % 2 == 1 {
                    p.born = edt[f].max(now);
                    edt[f] = p.born + Span::from_ns(i64::from(draw() % 3_000_000));
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
        assert_eq!(
            (seq, out, drops),
            (39_125, (34_531, 11_775_850_663_772_460_591), (4_550, 3_408_077_147_674_668_431))
        );
        let held = (wakes.1, q.packets(), q.bytes(), q.throttled);
        assert_eq!(held, (2_568_699_834_461_343_800, 44, 36_035, 5_309));
    }
}
