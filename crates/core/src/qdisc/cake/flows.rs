//! CAKE's flows: a set-associative hash (eight ways), and who is behind each flow, so that a turn is shared among a host's flows.
//!
//! Stands for: Linux 6.12 net/sched/sch_cake.c `cake_hash`, `cake_get_flow_quantum` and the counts of bulk flows by host; 4.19's counts of all.
//! Differs: D1 the hash (see `skb`), a host's is of its number. D2 no conntrack (`nat`), no filters.

use super::super::cobalt::Vars;
use super::super::pool::{Chain, Link, Linked, List};
use super::super::skb::{hash, hash_of};
use crate::sim::Packet;

crate::choices! {
    /// What is kept apart. src: tc-cake(8)
    pub enum FlowMode {
        /// Nothing: one queue.
        Blind = "flowblind",
        /// Sources.
        SrcHost = "srchost",
        /// Destinations.
        DstHost = "dsthost",
        /// Pairs of hosts.
        Hosts = "hosts",
        /// Flows.
        Flows = "flows",
        /// Flows, and first the sources that they come from.
        DualSrcHost = "dual-srchost",
        /// Flows, and first the destinations that they go to.
        DualDstHost = "dual-dsthost",
        /// Flows, and first whichever end has more of them.
        TripleIsolate = "triple-isolate",
    }
}

impl FlowMode {
    /// src: linux@6.12 include/uapi/linux/pkt_sched.h CAKE_FLOW_*
    pub const fn bits(self) -> u8 {
        match self {
            FlowMode::Blind => 0,
            FlowMode::SrcHost => 1,
            FlowMode::DstHost => 2,
            FlowMode::Hosts => 3,
            FlowMode::Flows => 4,
            FlowMode::DualSrcHost => 5,
            FlowMode::DualDstHost => 6,
            FlowMode::TripleIsolate => 7,
        }
    }
    const fn by_src(self) -> bool {
        self.bits() & 5 == 5
    }
    const fn by_dst(self) -> bool {
        self.bits() & 6 == 6
    }
    /// What tells flows apart.
    fn hash(self, seed: u32, p: &Packet) -> u32 {
        match self.bits() {
            b if b & 4 != 0 => hash(seed, p),
            b => (if b & 1 != 0 { src_hash(seed, p) } else { 0 }) ^ (if b & 2 != 0 { dst_hash(seed, p) } else { 0 }),
        }
    }
}

fn src_hash(seed: u32, p: &Packet) -> u32 {
    hash_of(seed, 1 << 32 | u64::from(p.src.0))
}

fn dst_hash(seed: u32, p: &Packet) -> u32 {
    hash_of(seed, 2 << 32 | u64::from(p.dst.0))
}

/// Queues of a tin.
pub const QUEUES: usize = 1024;
const WAYS: usize = 8;

/// What a flow counts as. src: `CAKE_SET_*`
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Set {
    /// Not in use.
    #[default]
    None,
    /// New, and within its quantum.
    Sparse,
    /// Counted as sparse, but its turn comes with the bulk flows'.
    SparseWait,
    /// A backlog.
    Bulk,
    /// Empty, with a state of its AQM that decays.
    Decaying,
}

/// The list that a flow stands in.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum On {
    /// None.
    #[default]
    None,
    /// Flows that came last.
    New,
    /// Flows that had their turn.
    Old,
    /// Empty ones.
    Decaying,
}

/// A queue.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Its packets.
    pub list: List,
    link: Link,
    on: On,
    /// Bytes that it may send before its turn ends.
    pub deficit: i32,
    /// Its AQM.
    pub vars: Vars,
    set: Set,
    src: u16,
    dst: u16,
}

impl Linked for Flow {
    fn link(&mut self) -> &mut Link {
        &mut self.link
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Host {
    tag: u32,
    /// Its bulk flows, or all that have a queue ([`Flows::counts_all`]).
    flows: u16,
}

/// The flows of a tin.
#[derive(Clone, Debug)]
pub struct Flows {
    mode: FlowMode,
    /// Hosts count their flows from when these have a queue until they are done with it, as 4.19's.
    counts_all: bool,
    /// By the place in the table.
    pub all: Vec<Flow>,
    tags: Vec<u32>,
    srcs: Vec<Host>,
    dsts: Vec<Host>,
    new: Chain,
    old: Chain,
    decaying: Chain,
    /// Flows that are sparse, bulk, decaying, and in which BLUE is on.
    pub sparse: u32,
    /// See `sparse`.
    pub bulk: u32,
    /// See `sparse`.
    pub decay: u32,
    /// See `sparse`.
    pub unresponsive: u32,
    /// Packets that found their queue beside its first place, an unused one, or none that was theirs.
    pub ways: [u32; 3],
}

/// The place of a tag in its set of eight, or one that is free, or the first that it looked at; and which of these.
fn associate(hash: u32, tag: impl Fn(usize) -> u32, free: impl Fn(usize) -> bool) -> (usize, Found) {
    let first = hash as usize % QUEUES;
    let (inner, outer) = (first % WAYS, first - first % WAYS);
    let ways = || (0..WAYS).map(|i| outer + (inner + i) % WAYS);
    if let Some(at) = ways().find(|&i| tag(i) == hash) {
        (at, if at == first { Found::Direct } else { Found::Beside })
    } else if let Some(at) = ways().find(|&i| free(i)) {
        (at, Found::Free)
    } else {
        (first, Found::Taken)
    }
}

/// Where [`associate`] found a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    Direct,
    Beside,
    Free,
    Taken,
}

impl Flows {
    /// None in use.
    pub fn new(mode: FlowMode, counts_all: bool) -> Flows {
        Flows {
            mode,
            counts_all,
            all: vec![Flow::default(); QUEUES],
            tags: vec![0; QUEUES],
            srcs: vec![Host::default(); QUEUES],
            dsts: vec![Host::default(); QUEUES],
            new: Chain::default(),
            old: Chain::default(),
            decaying: Chain::default(),
            sparse: 0,
            bulk: 0,
            decay: 0,
            unresponsive: 0,
            ways: [0; 3],
        }
    }

    /// Whether there is anything to send.
    pub const fn wants(&self) -> bool {
        self.sparse + self.bulk > 0
    }

    /// The queue of a packet, reserved for its flow. src: `cake_hash`
    #[inline]
    pub fn place(&mut self, seed: u32, p: &Packet) -> usize {
        if self.mode == FlowMode::Blind {
            return 0;
        }
        let flow = self.mode.hash(seed, p);
        let first = flow as usize % QUEUES;
        if self.tags[first] == flow && self.all[first].set != Set::None {
            return first;
        }
        self.reserve(flow, seed, p)
    }

    #[inline(never)] // a flow that begins, or one that stands beside its first place
    fn reserve(&mut self, flow: u32, seed: u32, p: &Packet) -> usize {
        let (at, found) = associate(flow, |i| self.tags[i], |i| self.all[i].set == Set::None);
        match found {
            Found::Direct => {}
            Found::Beside => self.ways[0] += 1,
            Found::Free => self.ways[1] += 1,
            Found::Taken => self.ways[2] += 1,
        }
        self.tags[at] = flow;
        let counts = self.counts_all || self.all[at].set == Set::Bulk;
        if found == Found::Taken && counts {
            self.count(at, false);
        }
        if found == Found::Taken || self.all[at].set == Set::None {
            let seat = |hosts: &mut [Host], hash| {
                let (at, _) = associate(hash, |i| hosts[i].tag, |i| hosts[i].flows == 0);
                hosts[at].tag = hash;
                at as u16
            };
            if self.mode.by_src() {
                self.all[at].src = seat(&mut self.srcs, src_hash(seed, p));
            }
            if self.mode.by_dst() {
                self.all[at].dst = seat(&mut self.dsts, dst_hash(seed, p));
            }
            if counts {
                self.count(at, true);
            }
        }
        at
    }

    /// Counts a flow at its hosts, or no more. src: `cake_inc_srchost_bulk_flow_count` and its kin
    fn count(&mut self, flow: usize, more: bool) {
        let f = &self.all[flow];
        let step = |n: &mut u16| *n = if more { (*n + 1).min(QUEUES as u16) } else { n.saturating_sub(1) };
        if self.mode.by_src() {
            step(&mut self.srcs[usize::from(f.src)].flows);
        }
        if self.mode.by_dst() {
            step(&mut self.dsts[usize::from(f.dst)].flows);
        }
    }

    /// Bytes of a flow's turn, shared by the flows that count of its busier host; `dither`: 16 random bits, which round. src: `cake_get_flow_quantum`
    pub fn quantum(&self, flow: usize, quantum: u16, dither: u16) -> i32 {
        let f = &self.all[flow];
        let mut load = 1;
        if self.mode.by_src() {
            load = load.max(self.srcs[usize::from(f.src)].flows);
        }
        if self.mode.by_dst() {
            load = load.max(self.dsts[usize::from(f.dst)].flows);
        }
        (i32::from(quantum) * (65_535 / i32::from(load)) + i32::from(dither)) >> 16
    }

    fn chain(&mut self, on: On) -> Option<&mut Chain> {
        match on {
            On::None => None,
            On::New => Some(&mut self.new),
            On::Old => Some(&mut self.old),
            On::Decaying => Some(&mut self.decaying),
        }
    }

    fn put(&mut self, flow: usize, on: On) {
        let from = core::mem::replace(&mut self.all[flow].on, on);
        let mut all = core::mem::take(&mut self.all);
        if let Some(c) = self.chain(from) {
            c.remove(&mut all, flow as u32);
        }
        if let Some(c) = self.chain(on) {
            c.push(&mut all, flow as u32);
        }
        self.all = all;
    }

    /// The flow whose turn it is: a decaying one at first, then new ones before old ones. src: `cake_dequeue`
    pub fn next(&self, first: bool) -> Option<usize> {
        let decaying = self.decaying.first();
        let at = if first { decaying } else { None };
        at.or(self.new.first()).or(self.old.first()).or(decaying).map(|i| i as usize)
    }

    /// A packet came for a flow. True if it begins anew, and needs a quantum. src: `cake_enqueue`, "flowchain"
    pub fn fed(&mut self, flow: usize) -> bool {
        match self.all[flow].set {
            set @ (Set::None | Set::Decaying) => {
                self.decay -= u32::from(set == Set::Decaying);
                self.put(flow, On::New);
                self.all[flow].set = Set::Sparse;
                self.sparse += 1;
                true
            }
            Set::SparseWait => {
                self.becomes_bulk(flow);
                false
            }
            Set::Sparse | Set::Bulk => false,
        }
    }

    fn becomes_bulk(&mut self, flow: usize) {
        self.all[flow].set = Set::Bulk;
        self.sparse -= 1;
        self.bulk += 1;
        if !self.counts_all {
            self.count(flow, true);
        }
    }

    /// A flow's turn is over: it stands behind the old ones, and needs a quantum. src: `cake_dequeue`, "flow isolation"
    pub fn turn_over(&mut self, flow: usize) {
        if self.all[flow].set == Set::Sparse {
            if self.all[flow].list.is_empty() {
                self.all[flow].set = Set::SparseWait;
            } else {
                self.becomes_bulk(flow);
            }
        }
        self.put(flow, On::Old);
    }

    /// A flow was empty at its turn: it rests, or its state decays. src: `cake_dequeue`, "this queue was actually empty"
    pub fn empty(&mut self, flow: usize, rests: bool) {
        match self.all[flow].set {
            Set::Bulk => {
                self.bulk -= 1;
                if !self.counts_all {
                    self.count(flow, false);
                }
                self.decay += u32::from(!rests);
            }
            Set::Sparse | Set::SparseWait => {
                self.sparse -= 1;
                self.decay += u32::from(!rests);
            }
            Set::None | Set::Decaying => self.decay -= u32::from(rests),
        }
        if rests && self.counts_all {
            self.count(flow, false);
        }
        self.put(flow, if rests { On::None } else { On::Decaying });
        self.all[flow].set = if rests { Set::None } else { Set::Decaying };
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::battery::packet;
    use super::*;

    /// Two flows of a host, neither of which has had a turn: 4.19 shares the quantum between them (`srchost_refcnt`), later kernels when both
    /// are bulk; and one that ran empty counts no more in either.
    #[test]
    fn in_4_19_sparse_flows_count_at_their_host() {
        for (counts_all, sparse) in [(true, 750), (false, 1500)] {
            let mut f = Flows::new(FlowMode::DualSrcHost, counts_all);
            let at = [0, 1].map(|flow| f.place(7, &packet(flow, 0, 1448)));
            assert_ne!(at[0], at[1]);
            at.iter().for_each(|&flow| assert!(f.fed(flow)));
            assert_eq!(f.quantum(at[0], 1500, u16::MAX), sparse);
            at.iter().for_each(|&flow| f.becomes_bulk(flow));
            assert_eq!(f.quantum(at[0], 1500, u16::MAX), 750);
            f.empty(at[1], true);
            assert_eq!(f.quantum(at[0], 1500, u16::MAX), 1500);
        }
    }
}
