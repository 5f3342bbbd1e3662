//! `mq`: one qdisc for each of a device's four transmit queues, by access category.
//!
//! Stands for: linux@6.12 net/sched/sch_mq.c; net/mac80211/wme.c ieee80211_select_queue. What a device without queues of
//! mac80211's has above it: ath9k_htc before 6.2.
//! Differs: D1 the next hop of a packet is remembered by destination, where an skb carries it.

use crate::driver::ath9k_htc::Above;
use crate::qdisc::{self, Qdisc};
use crate::sim::{Packet, Time, Verdict};
use crate::wifi::{Ac, Hops, Sink, StaIx, Tid};

/// Four qdiscs.
pub(super) struct Mq {
    queues: Vec<Qdisc>,
    hops: Hops,
    /// How DSCPs map to TIDs: `None` without QoS.
    rfc8325: Option<bool>,
}

impl Mq {
    /// Four of a kind, with hashes of their own.
    pub fn new(kind: qdisc::Kind, setup: &qdisc::Setup, qos: bool, rfc8325: bool, mut seed: impl FnMut() -> u32) -> Mq {
        let queues = Ac::ALL.map(|_| Qdisc::new(kind, setup, seed())).into();
        Mq { queues, hops: Hops::default(), rfc8325: qos.then_some(rfc8325) }
    }
    fn tid(&self, p: &Packet) -> Tid {
        self.rfc8325.map_or_else(Tid::default, |r| Tid::of_dscp(p.dscp, r))
    }
    /// The stack hands a packet down; the device is to be run afterwards.
    pub fn enqueue(&mut self, now: Time, to: StaIx, tid: Tid, p: Packet, sink: &mut Sink<'_>) -> Verdict {
        self.hops.learn(p.dst, to);
        self.queues[Ac::of(tid) as usize].enqueue(now, p, sink)
    }
    /// Packets held.
    pub fn packets(&self) -> u64 {
        self.queues.iter().map(|q| u64::from(q.packets())).sum()
    }
}

impl Above for Mq {
    fn pull(&mut self, now: Time, ac: Ac, sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid)> {
        let p = self.queues[ac as usize].dequeue(now, sink)?;
        Some((p, self.hops.of(&p), self.tid(&p)))
    }
}
