//! Fair queueing with CoDel in every flow: new flows first, byte round robin, and the fattest flow pays when all is full.
//!
//! Stands for: Linux 6.12 net/sched/sch_fq_codel.c (RFC 8290): hashed flows that may collide, a batch of up to 64 drops,
//! no more than half the fattest flow, at the limit; `NET_XMIT_CN` if the packet's own flow paid, success otherwise.
//! CoDel looks at the whole queue's backlog, not the flow's, for its one-MTU floor, as there.
//! Of older kernels: [`Old`](super::Old), linux@3.18 include/net/codel.h codel_should_drop, net/sched/sch_fq_codel.c fq_codel_drop.
//! Differs: D1 the hash (see `skb`). D2 no filters, no selector of the CE threshold. D3 the memory limit holds for kernels before 4.7, too.

use super::codel::{Config, Head, Vars};
use super::pool::{Chain, Link, Linked, List, Pool};
use super::skb::{hash, reciprocal_scale, set_ce};
use super::{Discipline, Setup, Told};
use crate::sim::{Bin, Bytes, Packet, Place, Reason, Span, Time, Verdict};

crate::params! {
    /// What a user sets of `fq_codel`.
    pub struct Params {
        /// Packets that the queue holds at most.
        limit: u32 = 10_240, in 1 => 10_000_000, src "linux@6.12 net/sched/sch_fq_codel.c fq_codel_init";
        /// Flows that the hash tells apart.
        flows: u32 = 1024, in 1 => 65_536, src "linux@6.12 net/sched/sch_fq_codel.c fq_codel_init";
        /// Bytes that a flow sends in its turn.
        quantum: u32 = 1514, in 256 => 1_048_576, unit "bytes", src "linux@6.12 net/sched/sch_fq_codel.c fq_codel_init: the device's MTU with its header";
        /// Sojourn that is tolerated.
        target: Span = Span::from_ms(5), in Span::from_us(1) => Span::from_s(10), src "linux@6.12 include/net/codel_impl.h codel_params_init";
        /// How long it must be exceeded before the first drop.
        interval: Span = Span::from_ms(100), in Span::from_us(1) => Span::from_s(100), src "linux@6.12 include/net/codel_impl.h codel_params_init";
        /// Marks packets that can be marked, instead of dropping them.
        ecn: bool = true, src "linux@6.12 net/sched/sch_fq_codel.c fq_codel_init";
        /// Marks packets that can be marked and have waited for longer, whatever CoDel says: what DCTCP counts.
        ce_threshold: Option<Span> = None, in Some(Span::ZERO) => Some(Span::from_s(1000)), src "linux@6.12 include/net/codel_impl.h codel_dequeue";
        /// Memory (truesize) that the packets take at most.
        memory_limit: Bytes = Bytes::from_mib(32), in Bytes::new(1) => Bytes::from_mib(2048), src "linux@6.12 net/sched/sch_fq_codel.c fq_codel_init";
        /// Packets dropped at once at the limit, at most.
        drop_batch: u32 = 64, in 1 => 65_536, src "linux@6.12 net/sched/sch_fq_codel.c fq_codel_init";
        /// Backlog in bytes from which CoDel never drops.
        mtu: u32 = 1514, in 0 => 65_536, unit "bytes", src "linux@6.12 net/sched/sch_fq_codel.c fq_codel_init: psched_mtu";
    }
}

#[derive(Clone, Debug, Default)]
struct Flow {
    list: List,
    link: Link,
    deficit: i32,
    vars: Vars,
}

impl Linked for Flow {
    fn link(&mut self) -> &mut Link {
        &mut self.link
    }
}

/// What CoDel's callbacks change.
#[derive(Clone, Debug, Default)]
struct Held {
    pool: Pool,
    packets: u32,
    bytes: u64,
    memory: u64,
    dropped: u64,
    marked: u64,
    /// Marked for their wait (`ce_mark`).
    ce_marked: u64,
    /// Flows that were put on the list of new ones (`new_flow_count`).
    new_flows: u64,
    /// Packets dropped for want of room, and of them those for want of memory (`drop_overlimit`, `drop_overmemory`).
    overlimit: u64,
    overmemory: u64,
    /// The largest packet that CoDel has seen, where that counts (`maxpacket`).
    largest: Option<u32>,
}

/// Hashed flows, each with CoDel.
#[derive(Clone, Debug)]
pub struct FqCodel {
    params: Params,
    codel: Config,
    seed: u32,
    flows: Vec<Flow>,
    /// Bytes of each flow, apart from the flows because the search for the fattest scans them.
    backlogs: Vec<u32>,
    new_flows: Chain,
    old_flows: Chain,
    held: Held,
    /// Packets that stand before it.
    parked: u32,
    /// One packet pays, not a batch.
    one: bool,
    /// CoDel does not count them.
    uncounted: bool,
}

struct FlowHead<'a, B> {
    held: &'a mut Held,
    list: &'a mut List,
    backlog: &'a mut u32,
    bin: &'a mut B,
}

/// Packets go through CoDel by their place in the pool: they are large, and it looks at one field.
impl<B: Bin> Head for FlowHead<'_, B> {
    type Item = u32;
    #[inline]
    fn pop(&mut self) -> Option<u32> {
        let i = self.held.pool.detach(self.list)?;
        let p = self.held.pool.get(i);
        let len = p.eth_len();
        *self.backlog -= len;
        self.held.packets -= 1;
        self.held.bytes -= u64::from(len);
        self.held.memory -= u64::from(p.truesize);
        self.held.largest = self.held.largest.map(|m| m.max(len));
        Some(i)
    }
    #[inline]
    fn enqueued(&self, i: &u32) -> Time {
        self.held.pool.get(*i).enqueued
    }
    fn set_ce(&mut self, i: &mut u32) -> bool {
        set_ce(self.held.pool.get_mut(*i))
    }
    #[inline]
    fn backlog(&self) -> u32 {
        let bytes = self.held.bytes as u32;
        if self.held.largest.is_some_and(|m| bytes <= m) { 0 } else { bytes }
    }
    fn drop(&mut self, i: u32) {
        self.held.dropped += 1;
        let p = self.held.pool.take(i);
        self.bin.drop(p, Place::Qdisc, Reason::Codel);
    }
    fn marked(&mut self) {
        self.held.marked += 1;
    }
    fn ce_marked(&mut self) {
        self.held.ce_marked += 1;
    }
}

impl FqCodel {
    /// Packets marked so far (`ecn_mark`).
    pub fn marked(&self) -> u64 {
        self.held.marked
    }

    /// Drops from the head of the fattest flow and says which it was. src: `fq_codel_drop`
    fn drop_from_fattest(&mut self, reason: Reason, bin: &mut impl Bin) -> usize {
        let (mut fattest, mut most) = (0, 0);
        for (i, &b) in self.backlogs.iter().enumerate() {
            if b > most {
                (fattest, most) = (i, b);
            }
        }
        let batch = if self.one { 1 } else { self.params.drop_batch };
        let flow = &mut self.flows[fattest];
        let (mut n, mut len) = (0, 0);
        while let Some(p) = self.held.pool.pop(&mut flow.list) {
            n += 1;
            len += p.eth_len();
            self.held.memory -= u64::from(p.truesize);
            bin.drop(p, Place::Qdisc, reason);
            if n >= batch || len >= most >> 1 {
                break;
            }
        }
        if !self.uncounted {
            flow.vars.count = flow.vars.count.wrapping_add(n); // CoDel shall signal more strongly, too
        }
        self.backlogs[fattest] -= len;
        self.held.bytes -= u64::from(len);
        self.held.packets -= n;
        self.held.dropped += u64::from(n);
        self.held.overlimit += u64::from(n);
        if reason == Reason::Memory {
            self.held.overmemory += u64::from(n);
        }
        fattest
    }
}

impl Discipline for FqCodel {
    type Params = Params;
    fn build(setup: &Setup, seed: u32) -> Self {
        let params = setup.fq_codel;
        let largest = setup.old.codel_largest.then_some(256); // src: codel_stats_init
        FqCodel {
            params,
            codel: Config::new(
                params.target,
                params.interval,
                if largest.is_some() { 0 } else { params.mtu },
                params.ecn,
            )
            .keeping(setup.old.codel_keeps_above)
            .marking(params.ce_threshold),
            seed,
            flows: vec![Flow::default(); params.flows as usize],
            backlogs: vec![0; params.flows as usize],
            new_flows: Chain::default(),
            old_flows: Chain::default(),
            held: Held { largest, ..Held::default() },
            parked: 0,
            one: setup.old.fq_codel_one,
            uncounted: setup.old.fq_codel_uncounted,
        }
    }

    /// src: `fq_codel_enqueue`
    #[inline]
    fn enqueue(&mut self, now: Time, p: Packet, bin: &mut impl Bin) -> Verdict {
        let i = reciprocal_scale(hash(self.seed, &p), self.params.flows) as usize;
        let len = p.eth_len();
        let flow = &mut self.flows[i];
        self.held.pool.put(&mut flow.list, &p, now);
        self.backlogs[i] += len;
        self.held.bytes += u64::from(len);
        if !flow.link.on {
            flow.deficit = self.params.quantum as i32;
            self.held.new_flows += 1;
            self.new_flows.push(&mut self.flows, i as u32);
        }
        self.held.memory += u64::from(p.truesize);
        self.held.packets += 1;
        let memory = self.held.memory > self.params.memory_limit.get();
        if self.held.packets + self.parked <= self.params.limit && !memory {
            return Verdict::Ok;
        }
        let reason = if memory { Reason::Memory } else { Reason::Overlimit };
        if self.drop_from_fattest(reason, bin) == i { Verdict::Cn } else { Verdict::Ok }
    }

    /// src: `__fq_codel_dequeue`
    #[inline]
    fn dequeue(&mut self, now: Time, bin: &mut impl Bin) -> Option<Packet> {
        loop {
            let new = !self.new_flows.is_empty();
            let from = if new { &mut self.new_flows } else { &mut self.old_flows };
            let i = from.first()?;
            let flow = &mut self.flows[i as usize];
            if flow.deficit <= 0 {
                flow.deficit += self.params.quantum as i32;
                from.pop(&mut self.flows);
                self.old_flows.push(&mut self.flows, i);
                continue;
            }
            let mut head = FlowHead {
                held: &mut self.held,
                list: &mut flow.list,
                backlog: &mut self.backlogs[i as usize],
                bin: &mut *bin,
            };
            if let Some(p) = flow.vars.dequeue(&self.codel, now, &mut head) {
                let p = self.held.pool.take(p);
                flow.deficit -= p.eth_len() as i32;
                return Some(p);
            }
            from.pop(&mut self.flows);
            if new && !self.old_flows.is_empty() {
                self.old_flows.push(&mut self.flows, i); // once round the old ones, so that they cannot starve
            }
        }
    }
    fn can_bypass(&self) -> bool {
        true
    }
    fn park(&mut self, packets: u32, _bytes: u64) {
        self.parked = packets;
    }
    fn packets(&self) -> u32 {
        self.held.packets
    }
    fn bytes(&self) -> u64 {
        self.held.bytes
    }
    fn dropped(&self) -> u64 {
        self.held.dropped
    }
    /// src: `fq_codel_dump`, `fq_codel_dump_stats`
    fn told(&self) -> Told {
        let (p, h) = (&self.params, &self.held);
        let of = |c: &Chain| u64::from(c.count(|i| self.flows[i as usize].link));
        let threshold = p.ce_threshold.map(|t| ("ce_threshold", t.us() as u64));
        Told {
            options: vec![
                ("limit", p.limit.into()),
                ("flows", p.flows.into()),
                ("quantum", p.quantum.into()),
                ("target", p.target.us() as u64),
                ("interval", p.interval.us() as u64),
                ("memory_limit", p.memory_limit.get()),
                ("ecn", p.ecn.into()),
                ("drop_batch", p.drop_batch.into()),
            ]
            .into_iter()
            .chain(threshold)
            .collect(),
            stats: vec![
                ("drop_overlimit", h.overlimit),
                ("new_flow_count", h.new_flows),
                ("ecn_mark", h.marked),
                ("ce_mark", h.ce_marked),
                ("memory_used", h.memory),
                ("drop_overmemory", h.overmemory),
                ("new_flows_len", of(&self.new_flows)),
                ("old_flows_len", of(&self.old_flows)),
            ],
            ..Told::default()
        }
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::super::{Old, battery::packet};
    use super::*;
    use crate::sim::Ecn;

    fn build(change: impl Fn(&mut Params)) -> FqCodel {
        build_old(|p, _| change(p))
    }

    fn build_old(change: impl Fn(&mut Params, &mut Old)) -> FqCodel {
        let mut setup = Setup::default();
        change(&mut setup.fq_codel, &mut setup.old);
        FqCodel::build(&setup, 3)
    }

    /// Ten of flow 1 fill the queue, an eleventh comes from flow 2. Today half of flow 1's bytes go (five packets) and CoDel counts them, until 4.19 it does
    /// not; before 4.7 one goes.
    #[test]
    fn a_batch_or_one_pays() {
        for (one, uncounted, left) in [(false, false, 6), (false, true, 6), (true, true, 10)] {
            let mut q = build_old(|p, old| {
                p.limit = 10;
                (old.fq_codel_one, old.fq_codel_uncounted) = (one, uncounted);
            });
            let mut bin = Vec::new();
            for n in 0..10 {
                q.enqueue(Time::ZERO, packet(1, n, 1448), &mut bin);
            }
            assert_eq!(q.enqueue(Time::ZERO, packet(2, 0, 1448), &mut bin), Verdict::Ok, "another flow paid");
            assert_eq!(q.packets(), left);
            assert_eq!(q.flows.iter().any(|f| f.vars.count > 0), !uncounted);
        }
    }

    /// TCP ACKs of 66 bytes, six in the queue, each 60 ms in it: 396 bytes are behind the one that leaves. An MTU spares them. 3.18's largest
    /// packet (256 at least) does not, until three are dropped: 396 becomes 330, 264, and 198, which it spares.
    #[test]
    fn a_queue_of_acks_is_spared_by_an_mtu() {
        let drops = |old| {
            let (mut q, mut bin) = (build_old(|_, o| o.codel_largest = old), Vec::new());
            for n in 0..100_u32 {
                let now = Time::ZERO + Span::from_ms(10) * i64::from(n);
                let mut p = packet(1, n, 0);
                p.ecn = Ecn::NotEct;
                q.enqueue(now, p, &mut bin);
                if n > 5 {
                    q.dequeue(now, &mut bin);
                }
            }
            bin.len()
        };
        assert_eq!(drops(false), 0);
        assert_eq!(drops(true), 3);
    }

    /// A fat flow, and one of a packet every 40 ms that waits 10 ms each time: twice the target, but never for 100 ms on end. Where CoDel keeps the time
    /// since which that one is late though it ran empty in between, every fourth of its packets is dropped: by hand, that at 10 ms begins an interval, that
    /// at 130 ms is behind its end and goes, and with it the time; that at 170 ms begins the next.
    #[test]
    fn a_flow_that_ran_empty_is_forgiven_by_6_12() {
        let drops = |keeps| {
            let (mut q, mut bin) = (build_old(|_, o| o.codel_keeps_above = keeps), Vec::new());
            for n in 0..20_u32 {
                let came = Time::ZERO + Span::from_ms(40) * i64::from(n);
                q.enqueue(came, packet(2, n, 64), &mut bin);
                for i in 0..20 {
                    let mut p = packet(1, 20 * n + i, 1448);
                    p.ecn = Ecn::Ect0;
                    q.enqueue(came, p, &mut bin);
                }
                // Ten of what waits leave; the small one's flow, which is found empty, is closed on the way.
                for _ in 0..10 {
                    q.dequeue(came + Span::from_ms(10), &mut bin);
                }
            }
            bin.iter().filter(|d| d.0.flow.0 == 2).count()
        };
        assert_eq!((drops(false), drops(true)), (0, 5));
    }

    #[test]
    fn a_sparse_flow_goes_before_a_backlog() {
        let (mut q, mut bin) = (build(|_| ()), Vec::new());
        for n in 0..100 {
            q.enqueue(Time::ZERO, packet(1, n, 1448), &mut bin);
        }
        // The fat flow spends its quantum (1514) on one frame, is out of credit and becomes old.
        assert_eq!(q.dequeue(Time::ZERO, &mut bin).map(|p| p.flow.0), Some(1));
        q.enqueue(Time::ZERO, packet(2, 0, 64), &mut bin);
        assert_eq!(q.dequeue(Time::ZERO, &mut bin).map(|p| p.flow.0), Some(2));
    }

    #[test]
    fn at_the_limit_half_the_fattest_flow_or_64_packets_go_from_its_head() {
        let (mut q, mut bin) = (build(|p| p.limit = 300), Vec::new());
        for n in 0..300 {
            assert_eq!(q.enqueue(Time::ZERO, packet(1, n, 1448), &mut bin), Verdict::Ok);
        }
        assert_eq!(q.enqueue(Time::ZERO, packet(2, 0, 64), &mut bin), Verdict::Ok, "another flow pays: success");
        assert_eq!((bin.len(), q.packets(), q.dropped()), (64, 237, 64));
        assert!(bin.iter().enumerate().all(|(i, d)| d.0.seq == i as u32 && d.2 == Reason::Overlimit));
        for n in 300..363 {
            q.enqueue(Time::ZERO, packet(1, n, 1448), &mut bin);
        }
        assert_eq!(q.enqueue(Time::ZERO, packet(1, 363, 1448), &mut bin), Verdict::Cn, "its own flow pays");
        // A small queue: half of 11 frames (16654 bytes, half is 8327) is reached by the sixth.
        let (mut q, mut bin) = (build(|p| p.limit = 10), Vec::new());
        for n in 0..11 {
            q.enqueue(Time::ZERO, packet(1, n, 1448), &mut bin);
        }
        assert_eq!(bin.len(), 6);
    }

    #[test]
    fn memory_counts_as_truesize() {
        let (mut q, mut bin) = (build(|p| p.memory_limit = Bytes::new(10_000)), Vec::new());
        for n in 0..4 {
            assert_eq!(q.enqueue(Time::ZERO, packet(1, n, 1448), &mut bin), Verdict::Ok, "2216 bytes each");
        }
        assert_eq!(q.enqueue(Time::ZERO, packet(1, 4, 1448), &mut bin), Verdict::Cn);
        assert!(bin.len() == 3 && bin[0].2 == Reason::Memory, "half of five frames is reached by the third");
    }

    /// 60000 random operations on twenty flows in sixteen places; the numbers are what 6.12's sch_fq_codel.c itself gave
    /// on the same (with our hash), compiled outside the kernel.
    #[test]
    fn order_drops_and_marks_are_the_kernels() {
        let mut q = build(|p| {
            (p.limit, p.flows, p.drop_batch, p.memory_limit) = (120, 16, 8, Bytes::new(178_000));
        });
        let mut x = 5_u32;
        let mut draw = || {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            x >> 8
        };
        let fold = |s: &mut (u32, u64), v: u64| *s = (s.0 + 1, s.1.wrapping_mul(31).wrapping_add(v));
        let (mut out, mut drops, mut bin) = ((0, 0), (0, 0), Vec::new());
        let (mut now, mut seq, mut cn, mut full, mut memory) = (Time::from_s(1), 0, 0, 0, 0);
        for op in 0..60_000 {
            now += Span::from_ns(i64::from(draw() % 600_000));
            let (a, b) = (draw(), draw());
            if a % 100 < [70, 52, 60, 45][op / 3000 % 4] {
                let mut p = packet((b % 20) as u16, seq, (b >> 5) % 1449);
                if p.flow.0 % 4 == 0 {
                    p.ecn = Ecn::Ect0;
                }
                seq += 1;
                cn += u32::from(q.enqueue(now, p, &mut bin) == Verdict::Cn);
            }
            let p = if a % 100 >= 50 { q.dequeue(now, &mut bin) } else { None };
            if let Some(p) = p {
                fold(&mut out, u64::from(p.seq) + if p.ecn == Ecn::Ce { 1_000_000 } else { 0 });
            }
            for (p, _, why) in bin.drain(..) {
                fold(&mut drops, u64::from(p.seq));
                full += u32::from(why != Reason::Codel);
                memory += u32::from(why == Reason::Memory);
            }
        }
        assert_eq!((seq, out, drops), (34_045, (29_369, 172_315_357_635_622_448), (4_671, 8_176_947_584_349_569_697)));
        let held = (q.packets(), q.bytes(), cn, q.marked(), full, memory);
        assert_eq!(held, (5, 3_303, 49, 289, 1_800, 1_224));
    }
}
