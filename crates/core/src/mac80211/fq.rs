//! The fair queue below every TXQ: one table of hashed flows shared by all, and round robin among a TXQ's own.
//!
//! A `tin` (one TXQ) takes a flow of the table as its own while the flow has packets or is on its lists; a packet whose
//! flow belongs to another tin goes to the tin's default flow. When all is full, the fattest flow of any tin pays.
//! Stands for: Linux 6.12 include/net/fq.h, include/net/fq_impl.h, and of 4.9 to 5.10 who pays ([`Pays`]). Of an A-MSDU that mac80211 builds in a
//! flow ([`joined`]) the first packet stands in the flow, and the others with it.

mod joined;

pub use joined::Most;

use super::profile::Pays;
use crate::qdisc::pool::{Chain, Link, Linked, List, NIL, Pool};
use crate::sim::{Packet, Time};

/// A flow. src: `struct fq_flow`
#[derive(Clone, Debug)]
pub struct Flow {
    list: List,
    link: Link,
    /// Bytes held.
    pub backlog: u32,
    deficit: i32,
    tin: u32,
    /// Of equally fat flows the one with the greatest pays; 0 in the table, and of those the first pays.
    place: i64,
}

impl Default for Flow {
    fn default() -> Self {
        Flow { list: List::default(), link: Link::default(), backlog: 0, deficit: 0, tin: NIL, place: 0 }
    }
}

impl Linked for Flow {
    fn link(&mut self) -> &mut Link {
        &mut self.link
    }
}

/// A group of flows. src: `struct fq_tin`
#[derive(Clone, Debug, Default)]
pub struct Tin {
    new_flows: Chain,
    old_flows: Chain,
    /// Packets held.
    pub packets: u32,
    /// Bytes held.
    pub bytes: u64,
    /// Packets that found their flow taken by another tin.
    pub collisions: u64,
    /// Times that a flow of it paid for an overlimit.
    pub overlimit: u64,
    /// Flows that became new ones of it (`flows`).
    pub flows: u64,
    /// Bytes and packets that were pulled from it.
    pub tx_bytes: u64,
    /// See `tx_bytes`.
    pub tx_packets: u64,
    /// Packets that CoDel dropped, and marked (`txqi->cstats`).
    pub drops: u64,
    /// See `drops`.
    pub marks: u64,
}

/// The shared queue. src: `struct fq`
#[derive(Clone, Debug)]
pub struct Fq {
    /// The table, then one default flow a tin.
    pub flows: Vec<Flow>,
    bitmap: Vec<u64>,
    /// All packets.
    pub pool: Pool,
    /// The tins.
    pub tins: Vec<Tin>,
    table: u32,
    quantum: i32,
    limit: u32,
    memory_limit: u64,
    pays: Pays,
    header: u32,
    /// Packets held.
    pub packets: u32,
    /// Memory held (truesize).
    pub memory: u64,
    /// Times that a flow paid, and of these for too much memory.
    pub overlimit: u64,
    /// See `overlimit`.
    pub overmemory: u64,
    /// How often a flow was given another place.
    placed: i64,
    joined: joined::Joined,
}

/// Why the fair queue lets packets go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// Too many packets.
    Packets,
    /// Too much memory.
    Memory,
}

impl Fq {
    /// An empty queue with `table` hashed flows, of frames that have `header` bytes in front of the IP packet while they wait.
    pub fn new(table: u32, tins: u32, quantum: u32, limit: u32, memory_limit: u64, pays: Pays, header: u32) -> Fq {
        let flows = (table + tins) as usize;
        Fq {
            flows: vec![Flow::default(); flows],
            bitmap: vec![0; flows.div_ceil(64)],
            pool: Pool::default(),
            tins: vec![Tin::default(); tins as usize],
            table,
            quantum: quantum as i32,
            limit,
            memory_limit,
            pays,
            header,
            packets: 0,
            memory: 0,
            overlimit: 0,
            overmemory: 0,
            placed: 0,
            joined: joined::Joined::default(),
        }
    }
    /// Packets held at most, memory held at most, and what a flow sends in its turn.
    pub const fn limits(&self) -> (u32, u64, i32) {
        (self.limit, self.memory_limit, self.quantum)
    }
    /// `skb->len` of a packet: a super-packet has its headers once.
    #[inline]
    pub const fn len_of(&self, p: &Packet) -> u32 {
        p.payload + p.headers as u32 + self.header
    }
    /// The same of what stands at a place of `pool`, with what has joined it.
    #[inline]
    fn len_at(&self, i: u32) -> u32 {
        self.len_of(self.pool.get(i)) + self.joined.bytes(i)
    }
    /// Hashed flows.
    pub const fn table(&self) -> u32 {
        self.table
    }

    /// Packets that stand with another (an A-MSDU), and are none of `packets`.
    pub const fn joined(&self) -> u32 {
        self.joined.packets()
    }
    /// Puts a packet of flow `idx` of the table for `tin` to the last one that waits there, as one A-MSDU. False: it does not fit, or nothing waits.
    /// src: linux@6.12 net/mac80211/tx.c `ieee80211_amsdu_aggregate`
    pub fn join(&mut self, tin: u32, idx: u32, p: &Packet, most: Most) -> bool {
        if p.segs > 1 {
            return false;
        }
        let (mut i, t) = (idx as usize, &mut self.tins[tin as usize]);
        // fq_flow_classify, which counts here and again as the packet is enqueued.
        if self.flows[i].tin != NIL && self.flows[i].tin != tin {
            t.collisions += 1;
            i = (self.table + tin) as usize;
        }
        t.flows += u64::from(self.flows[i].tin == NIL);
        let Some(at) = self.pool.last(&self.flows[i].list) else { return false };
        let len = self.len_at(at);
        let Some(added) = self.joined.add(&mut self.pool, at, len, self.header, p, most) else { return false };
        self.flows[i].backlog += added;
        self.tins[tin as usize].bytes += u64::from(added);
        if self.pays == Pays::One {
            self.place(i, 1); // fq_recalc_backlog
        }
        true
    }
    /// The next of those that have joined the packet at `i`, which was taken off its flow and stands in `pool` still. All are to be taken.
    #[inline]
    pub fn next_joined(&mut self, i: u32) -> Option<Packet> {
        self.joined.next(&mut self.pool, i)
    }

    /// src: `__fq_adjust_removal`
    #[inline]
    fn removed(&mut self, i: usize, packets: u32, bytes: u32, truesize: u64) {
        let flow = &mut self.flows[i];
        let tin = &mut self.tins[flow.tin as usize];
        tin.bytes -= u64::from(bytes);
        tin.packets -= packets;
        flow.backlog -= bytes;
        self.packets -= packets;
        self.memory -= truesize;
        if flow.backlog == 0 {
            self.bitmap[i / 64] &= !(1 << (i % 64));
        } else if self.pays == Pays::One {
            self.place(i, -1); // fq_rejigger_backlog
        }
    }

    /// Takes the first packet of a flow; it stays in `pool` until it is taken from there. src: `fq_flow_dequeue`
    #[inline(always)] // of its callers one is not seldom
    pub fn pop(&mut self, flow: u32) -> Option<u32> {
        let i = self.pool.detach(&mut self.flows[flow as usize].list)?;
        let (bytes, truesize) = (self.len_at(i), u64::from(self.pool.get(i).truesize));
        self.removed(flow as usize, 1, bytes, truesize);
        Some(i)
    }

    /// Drops half a flow, at most 32 packets, at least one. src: `fq_flow_drop`; linux@5.10 `fq_tin_enqueue`: one
    fn drop_from(&mut self, i: usize, free: &mut impl FnMut(Packet)) -> u32 {
        let pending = match self.pays {
            Pays::Half => (self.flows[i].list.len() / 2).min(32),
            Pays::One => 1,
        };
        let (mut packets, mut bytes, mut truesize) = (0, 0, 0);
        while let Some(at) = self.pool.detach(&mut self.flows[i].list) {
            packets += 1;
            bytes += self.len_at(at);
            truesize += u64::from(self.pool.get(at).truesize);
            while let Some(p) = self.next_joined(at) {
                free(p);
            }
            free(self.pool.take(at));
            if packets >= pending {
                break;
            }
        }
        self.removed(i, packets, bytes, truesize);
        packets
    }

    /// Flow `i` pays before (1) or after (-1) all others that are as fat.
    fn place(&mut self, i: usize, side: i64) {
        self.placed += 1;
        self.flows[i].place = side * self.placed;
    }

    /// One in the table pays before a default flow that is as fat. src: `fq_find_fattest_flow`; linux@5.10 the first of `fq->backlogs`
    fn fattest(&self) -> Option<usize> {
        let (mut fattest, mut most) = (None, (0, 0));
        for (w, &word) in self.bitmap.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let i = w * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let fat = (self.flows[i].backlog, self.flows[i].place);
                if fat > most && (fat.0 > most.0 || most.1 != 0) {
                    (fattest, most) = (Some(i), fat);
                }
            }
        }
        fattest
    }

    /// Puts a packet into flow `idx` of the table for `tin` at `now`; what pays for it goes to `free`. src: `fq_tin_enqueue`
    #[inline(always)] // of its callers one calls often
    pub fn enqueue(&mut self, tin: u32, idx: u32, p: &Packet, now: Time, free: impl FnMut(Packet, Full)) {
        let mut i = idx as usize;
        let t = &mut self.tins[tin as usize];
        if self.flows[i].tin != NIL && self.flows[i].tin != tin {
            t.collisions += 1;
            i = (self.table + tin) as usize; // fq_flow_classify: the default flow
            if self.flows[i].backlog == 0 {
                self.place(i, 1); // list_add to tin_backlog
            }
        }
        let bytes = self.len_of(p);
        let (t, flow) = (&mut self.tins[tin as usize], &mut self.flows[i]);
        self.bitmap[i / 64] |= 1 << (i % 64);
        flow.tin = tin;
        flow.backlog += bytes;
        t.bytes += u64::from(bytes);
        t.packets += 1;
        self.memory += u64::from(p.truesize);
        self.packets += 1;
        self.pool.put(&mut flow.list, p, now);
        if !flow.link.on {
            flow.deficit = self.quantum;
            t.flows += 1;
            t.new_flows.push(&mut self.flows, i as u32);
        }
        if self.pays == Pays::One {
            self.place(i, 1); // fq_recalc_backlog
        }
        if self.packets > self.limit || self.memory > self.memory_limit {
            self.pay(free);
        }
    }
    /// The fattest flows pay until all is within its limits.
    #[inline(never)] // seldom
    fn pay(&mut self, mut free: impl FnMut(Packet, Full)) {
        let mut memory = self.memory > self.memory_limit;
        while self.packets > self.limit || memory {
            let Some(fat) = self.fattest() else { return };
            let owner = self.flows[fat].tin as usize;
            let full = if memory { Full::Memory } else { Full::Packets };
            if self.drop_from(fat, &mut |p| free(p, full)) == 0 {
                return;
            }
            self.tins[owner].overlimit += 1;
            self.overlimit += 1;
            self.overmemory += u64::from(memory);
            memory = memory && self.memory > self.memory_limit;
        }
    }

    /// Whose turn it is of the tin's old flows: each that has no credit gets a quantum and goes to the end.
    #[inline]
    fn turn(&mut self, tin: u32) -> Option<u32> {
        let (flows, old) = (&mut self.flows, &mut self.tins[tin as usize].old_flows);
        loop {
            let i = old.first()?;
            let flow = &mut flows[i as usize];
            if old.is_only(i) {
                // Alone, it is its own successor: a frame takes several turns, for a quantum is 300 bytes.
                while flow.deficit <= 0 {
                    flow.deficit += self.quantum;
                }
            }
            if flow.deficit > 0 {
                return Some(i);
            }
            flow.deficit += self.quantum;
            old.rotate(flows);
        }
    }

    /// The tin's next packet, still in `pool`, as `take` (CoDel over a flow) gives it. src: `fq_tin_dequeue`
    #[inline]
    pub fn dequeue(&mut self, tin: u32, mut take: impl FnMut(&mut Fq, u32) -> Option<u32>) -> Option<u32> {
        loop {
            let t = &mut self.tins[tin as usize];
            let new = !t.new_flows.is_empty();
            let i = if new {
                let i = t.new_flows.first()?;
                let flow = &mut self.flows[i as usize];
                if flow.deficit <= 0 {
                    flow.deficit += self.quantum;
                    t.new_flows.pop(&mut self.flows);
                    t.old_flows.push(&mut self.flows, i);
                    continue;
                }
                i
            } else {
                self.turn(tin)?
            };
            if let Some(p) = take(self, i) {
                let bytes = self.len_at(p);
                self.flows[i as usize].deficit -= bytes as i32;
                let t = &mut self.tins[tin as usize];
                t.tx_bytes += u64::from(bytes);
                t.tx_packets += 1;
                return Some(p);
            }
            let t = &mut self.tins[tin as usize];
            if new { &mut t.new_flows } else { &mut t.old_flows }.pop(&mut self.flows);
            if new && !t.old_flows.is_empty() {
                t.old_flows.push(&mut self.flows, i);
            } else {
                self.flows[i as usize].tin = NIL;
            }
        }
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    /// 20000 random operations on three tins over 16 flows; the numbers are what 6.12's fq_impl.h itself gave on the
    /// same, compiled outside the kernel.
    #[test]
    fn order_and_drops_are_the_kernels() {
        let mut fq = Fq::new(16, 3, 300, 200, 200_000, Pays::Half, 0);
        let mut x = 12_345_u32;
        let mut draw = || {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            x >> 8
        };
        let sum = |s: &mut (u32, u64), p: &Packet| *s = (s.0 + 1, s.1.wrapping_mul(31).wrapping_add(u64::from(p.seq)));
        let (mut out, mut drops) = ((0, 0), (0, 0));
        for seq in 0..20_000 {
            let (a, b) = (draw(), draw());
            let (tin, dice) = (a % 3, (a >> 4) % 100);
            if dice < 70 {
                let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1));
                (p.seq, p.payload, p.truesize) = (seq, 60 + b % 1400, 760 + b % 1400);
                fq.enqueue(tin, (b >> 12) % 16, &p, Time::ZERO, |p, _| sum(&mut drops, &p));
            }
            if dice >= 45 {
                if let Some(i) = fq.dequeue(tin, |fq, flow| fq.pop(flow)) {
                    sum(&mut out, &fq.pool.take(i));
                }
            }
        }
        assert_eq!(out, (10_951, 10_465_582_797_418_974_016));
        assert_eq!(drops, (2918, 15_230_418_234_196_128_520));
        assert_eq!((fq.packets, fq.memory), (134, 194_821));
        assert_eq!(fq.tins.iter().fold((0, 0), |s, t| (s.0 + t.collisions, s.1 + t.overlimit)), (9102, 432));
    }
    /// Twenty packets may stand; flow 0 has twenty, flow 1 sends one more. By hand: flow 0 is the fattest; of its twenty ten go today, one
    /// until 5.11.
    #[test]
    fn one_packet_or_half_a_flow_pays() {
        for (pays, left) in [(Pays::One, [19, 1]), (Pays::Half, [10, 1])] {
            let mut fq = Fq::new(16, 1, 300, 20, 1_000_000, pays, 0);
            let mut drops = Vec::new();
            for seq in 0..21 {
                let mut p = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1));
                (p.seq, p.payload, p.truesize) = (seq, 1_000, 1_000);
                let flow = u32::from(seq == 20);
                fq.enqueue(0, flow, &p, Time::ZERO, |p, full| drops.push((p.seq, full)));
            }
            let held = [0, 1].map(|i| fq.flows[i].list.len());
            assert_eq!(held, left, "{pays:?}");
            assert_eq!(drops.len() as u32, 21 - fq.packets);
            assert_eq!(drops[0], (0, Full::Packets), "its head goes first");
        }
    }
}
