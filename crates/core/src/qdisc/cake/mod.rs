//! CAKE: a shaper without a bucket, tins by DSCP, flows that share by host, COBALT in each, and a filter for TCP ACKs.
//!
//! Stands for: Linux 6.12 net/sched/sch_cake.c (tc-cake(8)). Its parts: [`tins`] (DSCPs, rates), [`flows`] (hash, hosts, whose turn it
//! is), [`overflow`] (the longest queue), [`framing`] (lengths on the link), [`ack_filter`], and [`cobalt`](super::cobalt).
//! Differs: D1 the hash (see `skb`); random numbers are the run's. D2 no `nat`, `fwmark`, filters, `autorate-ingress`. D3 a super-packet is
//! cut by the caller ([`Discipline::splits`]) and its segments come one by one, so that room is made and ACKs are filtered at each.

use super::cobalt::Roots;
use super::pool::Pool;
use super::skb::set_ce;
use super::{Discipline, Setup, Told};
use crate::sim::{Auto, Bin, Bytes, Named, Packet, Place, Rate, Reason, Span, Stream, Streams, Time, Verdict};
use ack_filter::AckFilter;
use flows::{FlowMode, Flows, QUEUES};
use framing::{Atm, Framing};
use overflow::Overflow;
use tins::{Diffserv, Setting};

pub mod ack_filter;
pub mod flows;
pub mod framing;
pub mod overflow;
pub mod tins;

#[cfg(test)]
mod vectors;

crate::params! {
    /// What a user sets of `cake`; keys and values are `tc`'s.
    pub struct Params {
        /// Rate of the shaper, counted in bytes as `overhead` and its like say; off: none (`unlimited`).
        bandwidth: Option<Rate> = None, in Some(Rate::from_kbit(8)) => Some(Rate::from_mbit(100_000)), src "linux@6.12 net/sched/sch_cake.c cake_init";
        /// Into how many classes traffic is sorted by its DSCP.
        diffserv: Diffserv = Diffserv::Three, src "linux@6.12 net/sched/sch_cake.c cake_init";
        /// What is kept apart, and among whom it is shared.
        flowmode: FlowMode = FlowMode::TripleIsolate, src "linux@6.12 net/sched/sch_cake.c cake_init";
        /// Round trip that is expected: the AQM's interval; its target is a twentieth.
        rtt: Span = Span::from_ms(100), in Span::from_us(1) => Span::from_s(1000), src "linux@6.12 net/sched/sch_cake.c cake_init; iproute2 tc/q_cake.c";
        /// Bytes that the link behind needs for a packet beyond its IP packet; off: an Ethernet frame without FCS is what counts (`raw`).
        overhead: Option<i64> = None, in Some(-64) => Some(256), unit "bytes", src "linux@6.12 net/sched/sch_cake.c cake_init; iproute2 tc/q_cake.c";
        /// Bytes of the link's shortest packet.
        mpu: u32 = 0, in 0 => 256, unit "bytes", src "linux@6.12 net/sched/sch_cake.c cake_init; iproute2 tc/q_cake.c";
        /// How the link behind divides what it carries.
        atm: Atm = Atm::None, src "linux@6.12 net/sched/sch_cake.c cake_init";
        /// Which older TCP ACKs a new one replaces in its queue.
        ack_filter: AckFilter = AckFilter::Disabled, src "linux@6.12 net/sched/sch_cake.c cake_init";
        /// Shapes what has come over the link already: dropped packets count, too, and the AQM tolerates two MTUs a bulk flow.
        ingress: bool = false, src "linux@6.12 net/sched/sch_cake.c cake_init";
        /// Clears each packet's DSCP, once its tin is chosen.
        wash: bool = false, src "linux@6.12 net/sched/sch_cake.c cake_init";
        /// Cuts super-packets as they come.
        split_gso: bool = true, src "linux@6.12 net/sched/sch_cake.c cake_init";
        /// Memory (truesize) that packets take at most; auto: four times what the rate carries in the round trip, at least 4 MiB, at most 10240 MTUs.
        memlimit: Auto<Bytes> = Auto::Auto, in Auto::Set(Bytes::new(1)) => Auto::Set(Bytes::from_mib(2048)), src "linux@6.12 net/sched/sch_cake.c cake_reconfigure";
    }
}

/// Which kernel's it is, as far as they differ: each as the next one, but for what is said of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Age {
    /// A flow's turn is shared among all flows that its host has queues for, not the bulk ones alone: `srchost_refcnt` and `dsthost_refcnt`
    /// (4.19.48; 5.4.59 has counts of bulk flows).
    Counts,
    /// The tables by DSCP do not know LE (5.4.59; 5.10.13 does).
    Unplaced,
    /// `cake_enqueue` does not round a flow's first turn by chance, and returns `NET_XMIT_SUCCESS` where room was made among a sender's own
    /// packets (5.10, 5.15.148; `cake_get_flow_quantum` and `NET_XMIT_CN` are of 2025: in 5.10.262, 6.1.192, 6.6.129 and 6.12.117).
    Silent,
    /// COBALT's first roots come of four Newton steps each (`cobalt_cache_init`, to 6.6.129).
    Steps,
    /// They are a table (6.12).
    #[default]
    Tabled,
}

/// The device's MTU with its header. src: `psched_mtu`
const MTU: u32 = 1514;

/// One class.
#[derive(Clone, Debug)]
struct Tin {
    set: Setting,
    flows: Flows,
    time_next: i64,
    deficit: i32,
    backlog: u32,
    dropped: u64,
    marked: u64,
    packets: u64,
    bytes: u64,
    ack_drops: u64,
    max_skblen: u32,
    /// Moving averages of sojourn, ns: mean, peak, base.
    delay: [u64; 3],
}

impl Tin {
    /// A packet left after this time. src: `cake_dequeue`, "collect delay stats"
    fn note_delay(&mut self, delay: u64) {
        let [mean, peak, base] = self.delay;
        self.delay = [
            ewma(mean, delay, 8),
            ewma(peak, delay, if delay > peak { 2 } else { 8 }),
            ewma(base, delay, if delay < base { 2 } else { 8 }),
        ];
    }

    fn told(&self) -> Named {
        let (set, f) = (&self.set, &self.flows);
        let [mean, peak, base] = self.delay.map(|ns| ns / 1000);
        vec![
            ("threshold_rate", set.rate_bps),
            ("sent_bytes", self.bytes),
            ("backlog_bytes", self.backlog.into()),
            ("target_us", set.cobalt.target / 1000),
            ("interval_us", set.cobalt.interval / 1000),
            ("peak_delay_us", peak),
            ("avg_delay_us", mean),
            ("base_delay_us", base),
            ("sent_packets", self.packets),
            ("way_indirect_hits", f.ways[0].into()),
            ("way_misses", f.ways[1].into()),
            ("way_collisions", f.ways[2].into()),
            ("drops", self.dropped),
            ("ecn_mark", self.marked),
            ("ack_drops", self.ack_drops),
            ("sparse_flows", (f.sparse + f.decay).into()),
            ("bulk_flows", f.bulk.into()),
            ("unresponsive_flows", f.unresponsive.into()),
            ("max_pkt_len", self.max_skblen.into()),
            ("flow_quantum", set.flow_quantum.into()),
        ]
    }
}

/// Tins, each with hashed flows, behind a shaper.
#[derive(Clone, Debug)]
pub struct Cake {
    params: Params,
    limit: u64,
    seed: u32,
    age: Age,
    random: Stream,
    tins: Vec<Tin>,
    pool: Pool,
    framing: Framing,
    overflow: Overflow,
    /// When the shaper lets the next packet go, and when at the latest whatever was dropped at ingress, ns.
    time_next: i64,
    failsafe_next: i64,
    /// Without a rate, the tin whose turn it is.
    cur: usize,
    packets: u32,
    bytes: u64,
    memory: u64,
    memory_max: u64,
    dropped: u64,
}

/// What a flow's turn gave.
enum Served {
    /// This leaves.
    Packet(Packet),
    /// One was dropped and counts as sent (`ingress`): the flow may have to wait.
    Charged,
    /// Nothing: the flow is out of the round.
    Empty,
}

/// src: `cake_ewma`
const fn ewma(avg: u64, sample: u64, shift: u32) -> u64 {
    avg - (avg >> shift) + (sample >> shift)
}

fn ns(t: Time) -> i64 {
    t.ns() as i64
}

impl Cake {
    /// Whether there is a rate.
    const fn shapes(&self) -> bool {
        self.params.bandwidth.is_some()
    }

    /// The instant before which nothing leaves.
    fn gate(&self) -> i64 {
        self.time_next.min(self.failsafe_next)
    }

    /// Charges a packet of so many bytes on the link to its tin and to all. src: `cake_advance_shaper`
    fn advance(&mut self, tin: usize, len: u32, now: i64, dropped: bool) {
        if !self.shapes() {
            return;
        }
        let all = self.tins[0].set.ns(len) as i64;
        let t = &mut self.tins[tin];
        let own = t.set.ns(len) as i64;
        if t.time_next < now {
            t.time_next += own;
        } else if t.time_next < now + own {
            t.time_next = now + own;
        }
        self.time_next += all;
        if !dropped {
            self.failsafe_next += all + (all >> 1);
        }
    }

    /// The same, and to its flow's turn.
    fn charge(&mut self, tin: usize, flow: usize, len: u32, now: i64, dropped: bool) {
        self.advance(tin, len, now, dropped);
        let t = &mut self.tins[tin];
        t.flows.all[flow].deficit -= len as i32;
        t.deficit = t.deficit.wrapping_sub(len as i32);
    }

    /// Drops the first packet of the longest queue, and says which that was. src: `cake_drop`
    fn drop_longest(&mut self, now: i64, bin: &mut impl Bin) -> usize {
        let q = self.overflow.longest();
        let (tin, flow) = (q / QUEUES, q % QUEUES);
        let t = &mut self.tins[tin];
        let f = &mut t.flows.all[flow];
        let Some(p) = self.pool.pop(&mut f.list) else {
            self.overflow.mistrust();
            return q;
        };
        if f.vars.queue_full(&t.set.cobalt, now) {
            t.flows.unresponsive += 1;
        }
        let len = p.eth_len();
        t.backlog -= len;
        t.dropped += 1;
        self.let_go(&p, len);
        self.dropped += 1;
        if self.params.ingress {
            self.advance(tin, self.framing.of(&p), now, true);
        }
        bin.drop(p, Place::Qdisc, Reason::Memory);
        self.overflow.prune(q, len);
        q
    }

    fn let_go(&mut self, p: &Packet, len: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(len);
        self.memory -= u64::from(p.truesize);
    }

    /// Takes the first packet of a queue. src: `cake_dequeue_one`
    fn take(&mut self, tin: usize, flow: usize) -> Option<Packet> {
        let t = &mut self.tins[tin];
        let p = self.pool.pop(&mut t.flows.all[flow].list)?;
        let len = p.eth_len();
        t.backlog -= len;
        self.let_go(&p, len);
        self.overflow.shrink(tin * QUEUES + flow, len);
        Some(p)
    }

    /// The tin whose turn it is. src: `cake_dequeue`, "Choose a class to work on"
    fn choose(&mut self, now: i64) -> Option<usize> {
        if self.shapes() { self.first_due(now) } else { self.next_in_turn() }
    }

    /// Of the tins within their rates the one of the highest priority, else the one that is so first.
    fn first_due(&self, now: i64) -> Option<usize> {
        let mut best = None;
        for (i, t) in self.tins.iter().enumerate().filter(|(_, t)| t.flows.wants()) {
            let until = t.time_next - now;
            if until <= 0 || best.is_none_or(|(_, when)| until <= when) {
                best = Some((i, until));
            }
        }
        best.map(|(i, _)| i)
    }

    /// Without a rate tins go round, each by its weight.
    fn next_in_turn(&mut self) -> Option<usize> {
        let (mut wrapped, mut empty) = (false, true);
        loop {
            let t = &mut self.tins[self.cur];
            let wants = t.flows.wants();
            if t.deficit >= 0 && wants {
                return Some(self.cur);
            }
            if t.deficit <= 0 {
                t.deficit += i32::from(t.set.quantum);
            }
            empty &= !wants;
            self.cur += 1;
            if self.cur >= self.tins.len() {
                self.cur = 0;
                if wrapped && empty {
                    return None;
                }
                wrapped = true;
            }
        }
    }

    /// Lets the older ACK go that the last packet of a queue, `new`, makes needless. src: `cake_enqueue`
    fn filter_acks(&mut self, tin: usize, flow: usize, new: &Packet, now: i64, bin: &mut impl Bin) {
        let aggressive = self.params.ack_filter == AckFilter::Aggressive;
        let t = &mut self.tins[tin];
        let Some(ack) = ack_filter::filter(&mut self.pool, &mut t.flows.all[flow].list, new, aggressive) else {
            return;
        };
        let len = ack.eth_len();
        t.ack_drops += 1;
        t.backlog -= len;
        self.overflow.lighten(tin * QUEUES + flow, len);
        self.let_go(&ack, len);
        self.dropped += 1;
        if self.params.ingress {
            self.advance(tin, self.framing.of(&ack), now, true);
        }
        bin.drop(ack, Place::Qdisc, Reason::AckFilter);
    }

    /// A flow's turn: its first packet that COBALT lets go. src: `cake_dequeue`, "Retrieve a packet via the AQM"
    fn serve(&mut self, tin: usize, flow: usize, now: i64, bin: &mut impl Bin) -> Served {
        loop {
            let p = self.take(tin, flow);
            let t = &mut self.tins[tin];
            let f = &mut t.flows.all[flow];
            let Some(mut p) = p else {
                if f.vars.queue_empty(&t.set.cobalt, now) {
                    t.flows.unresponsive -= 1;
                }
                let rests = t.flows.all[flow].vars.at_rest(now);
                t.flows.empty(flow, rests);
                return Served::Empty;
            };
            let bulk = if self.params.ingress { t.flows.bulk } else { 0 };
            let random = &mut self.random;
            let came = ns(p.enqueued);
            let mark = || set_ce(&mut p);
            let late = f.vars.should_drop(&t.set.cobalt, now, came, bulk, mark, || (random.bits() >> 32) as u32);
            let len = self.framing.of(&p);
            // The last one may be marked, but stays.
            if !late || f.list.is_empty() {
                t.marked += u64::from(f.vars.ecn_marked);
                t.note_delay((now - came) as u64);
                self.charge(tin, flow, len, now, false);
                return Served::Packet(p);
            }
            t.dropped += 1;
            self.dropped += 1;
            bin.drop(p, Place::Qdisc, Reason::Codel);
            if self.params.ingress {
                self.charge(tin, flow, len, now, true);
                return Served::Charged;
            }
        }
    }

    /// `exact`: rounded down.
    fn quantum(&mut self, tin: usize, flow: usize, exact: bool) -> i32 {
        let dither = if exact { 0 } else { (self.random.bits() >> 48) as u16 };
        let t = &self.tins[tin];
        t.flows.quantum(flow, t.set.flow_quantum, dither)
    }

    /// The shaper is not in arrears for time in which nothing waited. src: `cake_enqueue`, "ensure shaper state isn't stale"
    fn freshen(&mut self, tin: usize, now: i64) {
        let t = &mut self.tins[tin];
        if t.backlog > 0 {
            return;
        }
        t.time_next = t.time_next.max(now);
        if self.packets == 0 && self.time_next < now {
            (self.time_next, self.failsafe_next) = (now, now);
        }
    }

    fn tin_of(&self, p: &mut Packet) -> usize {
        let tin = self.params.diffserv.tin(p.dscp, self.age > Age::Unplaced);
        if self.params.wash {
            p.dscp = 0;
        }
        tin
    }
}

impl Discipline for Cake {
    type Params = Params;
    const TIMED: bool = true;
    fn build(setup: &Setup, seed: u32) -> Self {
        let params = setup.cake;
        let rate = params.bandwidth.map_or(0, Rate::bytes_per_s);
        // src: iproute2 tc/q_cake.c: whole microseconds, and a twentieth of them
        let interval = params.rtt.us() as u64;
        let target = (interval / 20).max(1);
        let age = setup.old.cake;
        let mut settings = params.diffserv.settings(rate, MTU, target * 1000, interval * 1000);
        for s in &mut settings {
            s.cobalt.roots = if age < Age::Tabled { Roots::Steps } else { Roots::Table };
        }
        // src: `cake_reconfigure`
        let room = if rate > 0 { (rate * interval / 250_000).max(4 << 20) } else { u64::from(u32::MAX) };
        let limit = match params.memlimit {
            Auto::Auto => room.min(10_240 * u64::from(MTU)),
            Auto::Set(b) => b.get(),
        };
        let tin = |set| Tin {
            set,
            flows: Flows::new(params.flowmode, age == Age::Counts),
            time_next: 0,
            deficit: 0,
            backlog: 0,
            dropped: 0,
            marked: 0,
            packets: 0,
            bytes: 0,
            ack_drops: 0,
            max_skblen: 0,
            delay: [0; 3],
        };
        Cake {
            params,
            limit,
            seed,
            age,
            random: Streams::new(u64::from(seed)).get("cake", "random"),
            tins: settings.into_iter().map(tin).collect(),
            pool: Pool::default(),
            framing: Framing::new(params.overhead, params.mpu, params.atm),
            overflow: Overflow::default(),
            time_next: 0,
            failsafe_next: 0,
            cur: 0,
            packets: 0,
            bytes: 0,
            memory: 0,
            memory_max: 0,
            dropped: 0,
        }
    }

    fn splits(&self, p: &Packet) -> bool {
        p.segs > 1 && self.params.split_gso
    }

    /// src: `cake_enqueue`
    #[inline]
    fn enqueue(&mut self, at: Time, mut p: Packet, bin: &mut impl Bin) -> Verdict {
        let now = ns(at);
        let tin = self.tin_of(&mut p);
        let flow = self.tins[tin].flows.place(self.seed, &p);
        self.freshen(tin, now);
        let (q, len) = (tin * QUEUES + flow, p.eth_len());
        self.framing.note(&p);
        let t = &mut self.tins[tin];
        t.max_skblen = t.max_skblen.max(len);
        self.pool.put(&mut t.flows.all[flow].list, &p, at);
        t.packets += 1;
        t.bytes += u64::from(len);
        t.backlog += len;
        self.packets += 1;
        self.bytes += u64::from(len);
        self.memory += u64::from(p.truesize);
        self.overflow.grow(q, len);
        if self.params.ack_filter != AckFilter::Disabled {
            self.filter_acks(tin, flow, &p, now, bin);
        }
        self.overflow.settle(q);
        if self.tins[tin].flows.fed(flow) {
            let quantum = self.quantum(tin, flow, self.age <= Age::Silent);
            self.tins[tin].flows.all[flow].deficit = quantum;
        }
        self.memory_max = self.memory_max.max(self.memory);
        let mut own = false;
        while self.memory > self.limit {
            own |= self.drop_longest(now, bin) == q;
        }
        if own && self.age > Age::Silent { Verdict::Cn } else { Verdict::Ok }
    }

    /// src: `cake_dequeue`
    #[inline]
    fn dequeue(&mut self, at: Time, bin: &mut impl Bin) -> Option<Packet> {
        let now = ns(at);
        let mut first = true;
        loop {
            if self.packets == 0 || self.gate() > now {
                return None;
            }
            let tin = self.choose(now)?;
            while let Some(flow) = self.tins[tin].flows.next(first) {
                first = false;
                if self.tins[tin].flows.all[flow].deficit <= 0 {
                    self.tins[tin].flows.turn_over(flow);
                    let quantum = self.quantum(tin, flow, false);
                    self.tins[tin].flows.all[flow].deficit += quantum;
                    continue;
                }
                match self.serve(tin, flow, now, bin) {
                    Served::Packet(p) => {
                        self.overflow.age();
                        return Some(p);
                    }
                    Served::Charged => {}
                    Served::Empty => break,
                }
            }
        }
    }

    fn wake_at(&self, _now: Time) -> Option<Time> {
        (self.packets > 0 && self.shapes()).then(|| Time::from_ns(self.gate() as u64))
    }
    fn rests(&self) -> bool {
        self.packets == 0
    }
    fn packets(&self) -> u32 {
        self.packets
    }
    fn bytes(&self) -> u64 {
        self.bytes
    }
    fn dropped(&self) -> u64 {
        self.dropped
    }
    /// src: `cake_dump`, `cake_dump_stats`; names by iproute2 tc/q_cake.c's JSON, choices by the kernel's numbers
    fn told(&self) -> Told {
        let p = &self.params;
        let rate = p.bandwidth.map_or(0, Rate::bytes_per_s);
        let limit = if let Auto::Set(b) = p.memlimit { b.get() } else { 0 };
        let f = &self.framing;
        Told {
            options: vec![
                ("bandwidth", rate),
                ("diffserv", p.diffserv.number()),
                ("flowmode", p.flowmode.bits().into()),
                ("wash", p.wash.into()),
                ("ingress", p.ingress.into()),
                ("ack-filter", p.ack_filter as u64),
                ("split_gso", p.split_gso.into()),
                ("rtt", p.rtt.us() as u64),
                ("raw", p.overhead.is_none().into()),
                ("atm", p.atm as u64),
                ("overhead", p.overhead.unwrap_or(0) as u64), // two's complement
                ("mpu", p.mpu.into()),
                ("memlimit", limit),
            ],
            stats: vec![
                ("memory_used", self.memory_max),
                ("memory_limit", self.limit),
                ("capacity_estimate", rate),
                ("min_network_size", f.net.0.into()),
                ("max_network_size", f.net.1.into()),
                ("min_adj_size", f.adjusted.0.into()),
                ("max_adj_size", f.adjusted.1.into()),
                ("avg_hdr_offset", f.offset()),
            ],
            tins: p.diffserv.order().iter().map(|&i| self.tins[i].told()).collect(),
        }
    }
}
