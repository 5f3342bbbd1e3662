//! What stands above ath9k_htc and ath10k: the qdiscs of its four netdev queues, or mac80211's TXQs.
//!
//! Stands for: net/core/dev.c (a qdisc a transmit queue under `mq`, chosen by ieee80211_select_queue); from 6.2 on
//! net/mac80211/util.c ieee80211_handle_wake_tx_queue.
//! A super-packet, a socket's own or what GRO merged, is one packet to a qdisc and is cut behind it; what the device had no room for comes
//! first, before the qdisc is asked again: segments, and a packet that passed an empty qdisc by (net/core/dev.c __dev_xmit_skb; net/sched/sch_generic.c
//! sch_direct_xmit: validate_xmit_skb_list, dev_requeue_skb).
//! Where the netdev queues stop in the middle of a TXQ's turn the turn goes on when they wake: mac80211 puts it last, and then each of the
//! others behind it, none of which may send (`__ieee80211_schedule_txq`).

mod pushed;

use crate::driver::ath9k_htc::Above;
use crate::mac80211::Txqs;
use crate::net::parked::Parked;
use crate::net::state::QdiscState;
use crate::phy::Mode;
use crate::qdisc::{Kind, Message, Qdisc, Setup};
use crate::sim::{Freed, Owner, Packet, Time, Verdict};
use crate::tcp;
use crate::wifi::{Ac, Hops, Sink, StaIx, Tid};

/// The queues above the device.
pub(super) struct Queues {
    kind: Queued,
    /// Next hops, which a qdisc's packets do not carry.
    pub hops: Hops,
    qos: bool,
    rfc8325: bool,
    /// How each peer is sent to, for AQL.
    modes: Vec<Mode>,
    /// Bit by category: its qdisc had its turn.
    begun: u8,
    /// Packets that cutting has made.
    cut: u64,
    /// The watchdog that is set, or never.
    watch: Time,
}

/// A qdisc, and what stands before it (`q->gso_skb`).
struct Leaf {
    qdisc: Qdisc,
    /// Bytes and segments that have left it, or passed it by (`bstats`).
    sent: (u64, u64),
    rest: Parked,
    /// Room for headers in sockets' packets.
    room: u32,
    /// Whether it had more where the last packet came from: the hint that all segments of that packet carry.
    more: bool,
}

impl Leaf {
    /// Takes a packet, or lets it pass by: an empty discipline never has it (TCQ_F_CAN_BYPASS), whether the device has room or not.
    fn enqueue(&mut self, now: Time, p: Packet, sink: &mut Sink<'_>, cut: &mut u64) -> Verdict {
        if self.qdisc.splits(&p) {
            let segments = self.cut(&p, sink, cut);
            return self.qdisc.enqueue_cut(now, segments, sink);
        }
        if self.rest.is_empty() && self.qdisc.can_bypass() {
            self.pass(&p, sink, cut);
            return Verdict::Ok;
        }
        self.rest.tell(&mut self.qdisc);
        self.qdisc.enqueue(now, p, sink)
    }
    fn dequeue(&mut self, now: Time, sink: &mut Sink<'_>, cut: &mut u64) -> Option<Packet> {
        if self.rest.is_empty() {
            let p = self.qdisc.dequeue(now, sink)?;
            self.more = self.qdisc.more_data();
            self.pass(&p, sink, cut);
        }
        self.rest.pop()
    }
    /// A packet is through with the discipline.
    fn pass(&mut self, p: &Packet, sink: &mut Sink<'_>, cut: &mut u64) {
        self.sent.0 += u64::from(p.eth_len());
        self.sent.1 += u64::from(p.segs);
        if p.segs == 1 {
            self.rest.push(p);
            return;
        }
        let segments = self.cut(p, sink, cut);
        self.rest.push_cut(p, segments);
    }
    /// Cuts a super-packet into segments, which its socket is charged for in its stead.
    fn cut(&self, p: &Packet, sink: &mut Sink<'_>, cut: &mut u64) -> tcp::Segments {
        *cut += u64::from(p.segs) - 1;
        if p.owner != Owner::NONE {
            sink.freed.push(Freed::cut(p, tcp::weight(p, Some(self.room)), false));
        }
        tcp::segment(p, Some(self.room))
    }
    fn packets(&self) -> u64 {
        u64::from(self.qdisc.packets()) + self.rest.len()
    }
}

enum Queued {
    Qdiscs(Box<[Leaf; Ac::COUNT]>),
    Txqs(Box<Txqs>, [Option<(u16, u8)>; Ac::COUNT]),
}

impl Queues {
    /// Qdiscs of this kind; `room`: for headers in sockets' packets, bytes.
    pub fn qdiscs(kind: Kind, setup: &Setup, seeds: [u32; Ac::COUNT], room: u32, qos: bool, rfc8325: bool) -> Queues {
        let leaf = |s| {
            let rest = Parked::new(setup.old);
            Leaf { qdisc: Qdisc::new(kind, setup, s), sent: (0, 0), rest, room, more: false }
        };
        let all = seeds.map(leaf);
        Queues {
            kind: Queued::Qdiscs(Box::new(all)),
            hops: Hops::default(),
            qos,
            rfc8325,
            modes: Vec::new(),
            begun: 0,
            cut: 0,
            watch: Time::NEVER,
        }
    }
    pub fn txqs(q: Txqs, qos: bool, rfc8325: bool) -> Queues {
        Queues {
            kind: Queued::Txqs(Box::new(q), [None; Ac::COUNT]),
            hops: Hops::default(),
            qos,
            rfc8325,
            modes: Vec::new(),
            begun: 0,
            cut: 0,
            watch: Time::NEVER,
        }
    }
    /// The same, told how each peer is sent to.
    pub fn at(mut self, modes: Vec<Mode>) -> Queues {
        self.modes = modes;
        self
    }
    fn tid(&self, p: &Packet) -> Tid {
        if self.qos { Tid::of_dscp(p.dscp, self.rfc8325) } else { Tid::default() }
    }
    /// Takes a packet. The device is told afterwards.
    pub fn enqueue(&mut self, now: Time, to: StaIx, mut p: Packet, sink: &mut Sink<'_>) -> Verdict {
        self.hops.learn(p.dst, to);
        let tid = self.tid(&p);
        match &mut self.kind {
            Queued::Qdiscs(q) => {
                let leaf = &mut q[Ac::of(tid).ix()];
                if leaf.qdisc.orphans(&p) {
                    sink.free(&p);
                    p.owner = Owner::NONE;
                }
                leaf.enqueue(now, p, sink, &mut self.cut)
            }
            Queued::Txqs(q, _) => {
                q.enqueue(now, u16::from(to.0), tid.get(), &p, sink);
                Verdict::Ok
            }
        }
    }
    /// A socket's pacing rate from now on.
    pub fn paced(&mut self, owner: Owner, rate: u64) {
        if let Queued::Qdiscs(q) = &mut self.kind {
            q.iter_mut().for_each(|leaf| leaf.qdisc.paced(owner, rate));
        }
    }
    /// When the watchdog of the qdiscs is to fire, if that is sooner than it is set for. What is due already waits for room in the
    /// device, which takes it itself.
    pub fn watch(&mut self, now: Time) -> Option<Time> {
        let Queued::Qdiscs(q) = &self.kind else { return None };
        let at = q.iter().filter_map(|q| q.qdisc.wake_at(now)).filter(|&at| at > now).min()?;
        let sooner = at < self.watch;
        self.watch = self.watch.min(at);
        sooner.then_some(at)
    }
    /// A watchdog fires: whether it is the one that is set, and none that a sooner one replaced.
    pub fn watched(&mut self, now: Time) -> bool {
        let set = self.watch == now;
        if set {
            self.watch = Time::NEVER;
        }
        set
    }
    /// Whether super-packets go in whole.
    pub fn keeps_whole(&self) -> bool {
        matches!(self.kind, Queued::Qdiscs(_))
    }
    /// Packets that cutting has made, or a discipline.
    pub fn cut(&self) -> u64 {
        let Queued::Qdiscs(q) = &self.kind else { return self.cut };
        self.cut + q.iter().map(|q| q.qdisc.made()).sum::<u64>()
    }
    /// Whether packets for station `to` wait, where that can be told.
    pub fn more_for(&self, to: StaIx) -> bool {
        match &self.kind {
            Queued::Qdiscs(_) => false,
            Queued::Txqs(q, _) => (0..Tid::COUNT as u8).any(|t| q.has_frames(u16::from(to.0), t)),
        }
    }
    /// The TXQs, where they are that.
    pub fn txqs_above(&self) -> Option<&Txqs> {
        match &self.kind {
            Queued::Qdiscs(_) => None,
            Queued::Txqs(q, _) => Some(q),
        }
    }
    /// The disciplines, where they are that: voice's first, below `mq`.
    pub fn disciplines(&self) -> Vec<QdiscState> {
        match &self.kind {
            Queued::Qdiscs(q) => (q.iter().zip([":1", ":2", ":3", ":4"]))
                .flat_map(|(l, class)| QdiscState::of(&l.qdisc, Some(class), l.sent))
                .collect(),
            Queued::Txqs(..) => Vec::new(),
        }
    }
    /// What is through with a discipline and found no room in the device.
    pub fn rest(&self) -> u64 {
        match &self.kind {
            Queued::Qdiscs(q) => q.iter().map(|l| l.rest.len()).sum(),
            Queued::Txqs(..) => 0,
        }
    }
    /// Packets in them.
    pub fn packets(&self) -> u64 {
        match &self.kind {
            Queued::Qdiscs(q) => q.iter().map(Leaf::packets).sum(),
            Queued::Txqs(q, _) => u64::from(q.packets()),
        }
    }
}

impl Above for Queues {
    fn listens(&self, ac: Ac) -> bool {
        matches!(&self.kind, Queued::Qdiscs(q) if q[ac.ix()].qdisc.listens())
    }
    fn more_data(&self, ac: Ac) -> bool {
        matches!(&self.kind, Queued::Qdiscs(q) if !q[ac.ix()].rest.is_empty() || q[ac.ix()].more)
    }
    fn message(&mut self, ac: Ac, id: u32, m: Message) {
        if let Queued::Qdiscs(q) = &mut self.kind {
            q[ac.ix()].qdisc.message(id, m);
        }
    }
    fn pull(&mut self, now: Time, ac: Ac, sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid)> {
        match &mut self.kind {
            Queued::Qdiscs(q) => {
                let p = q[ac.ix()].dequeue(now, sink, &mut self.cut)?;
                Some((p, self.hops.of(&p), self.tid(&p)))
            }
            Queued::Txqs(q, turns) => {
                let turn = &mut turns[ac.ix()];
                let mut new_round = turn.is_none();
                if new_round {
                    q.schedule_start(ac as u8);
                }
                loop {
                    if let Some((sta, tid)) = *turn {
                        if let Some(p) = q.dequeue(now, sta, tid, sink) {
                            if !q.has_frames(sta, tid) {
                                // Its turn is over even where the device is full now: what comes to it goes to the end of the line.
                                q.return_txq(now, sta, tid, false);
                                *turn = None;
                            }
                            return Some((p, StaIx(sta as u8), Tid::new(tid)));
                        }
                        q.return_txq(now, sta, tid, false);
                    }
                    *turn = q.next_txq(ac as u8);
                    if turn.is_none() && !new_round {
                        // A round that a stop had cut short is over. What came meanwhile waits for the next one, which the waking
                        // of the queues begins. src: linux@6.12 net/mac80211/util.c __ieee80211_wake_txqs
                        new_round = true;
                        q.schedule_start(ac as u8);
                        *turn = q.next_txq(ac as u8);
                    }
                    (*turn)?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind as What, NodeId};

    /// A super-packet of four segments, to node 1.
    fn four(owner: Owner) -> Packet {
        let blank = Packet::blank(What::Tcp, FlowId(0), NodeId(0), NodeId(1));
        Packet { payload: 4 * 1448, mss: 1448, segs: 4, truesize: 896 + 4 * 1448, owner, ..blank }
    }

    #[test]
    fn a_super_packet_is_one_packet_and_cut_behind_the_qdisc() {
        let (mut freed, mut dropped, mut wants) = (vec![], vec![], vec![]);
        let mut sink = Sink { freed: &mut freed, dropped: &mut dropped, wants: &mut wants };
        let mut q = Queues::qdiscs(Kind::Pfifo, &Setup::default(), [0; Ac::COUNT], 256, true, true);
        for owner in [Owner(1), Owner::NONE] {
            assert_eq!(q.enqueue(Time::ZERO, StaIx(1), four(owner), &mut sink), Verdict::Ok);
        }
        // The first passes the empty discipline by and is cut at once; the second waits in it.
        assert_eq!((q.packets(), q.cut()), (5, 3));
        let mut pulled = || q.pull(Time::ZERO, Ac::Be, &mut sink).expect("a segment").0;
        let own: Vec<Packet> = (0..4).map(|_| pulled()).collect();
        assert!(own.iter().all(|s| (s.segs, s.payload, s.truesize, s.owner) == (1, 1448, 2304, Owner(1))));
        let merged = pulled();
        assert_eq!((merged.segs, merged.truesize), (1, (896 + 4 * 1448) / 4));
        assert_eq!((q.packets(), q.cut()), (3, 6));
        // The socket is charged for the segments in the super-packet's stead; nobody for what GRO merged.
        let [cut] = freed[..] else { panic!("{freed:?}") };
        assert_eq!((cut.owner, cut.truesize, cut.parts), (Owner(1), 896 + 4 * 1448, 4 * 2304));
    }
}
