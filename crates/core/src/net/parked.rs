//! What is through with a queueing discipline and found no room in the device: it goes before anything else does.
//!
//! Stands for: `q->gso_skb` (linux@6.12 net/sched/sch_generic.c dev_requeue_skb, try_bulk_dequeue_skb): segments of a super-packet, which are cut
//! behind the discipline, and a packet that passed an empty one by. There are pieces of one packet at a time: what is put back goes to the
//! head in 6.12.117 and to the tail in 6.1.192 and 6.6.129, which is the same here.

use crate::qdisc::{Old, Qdisc};
use crate::sim::Packet;
use std::collections::VecDeque;

/// How what stands here counts to the discipline's backlog (`qdisc_qstats_backlog_inc`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counts {
    /// Each as one packet of so many bytes.
    Each(u32),
    /// All as one packet of so many bytes, as long as there is one.
    One(u32),
    /// All as the one packet that the card is to cut, of so many bytes.
    Whole(u32),
    /// Not at all: the card has that packet.
    Nothing,
}

/// Packets in the order in which they go.
#[derive(Clone)]
pub(super) struct Parked {
    packets: VecDeque<Packet>,
    counts: Counts,
    old: Old,
}

impl Parked {
    /// Nothing, with room for so many packets.
    pub(super) fn with_capacity(packets: usize, old: Old) -> Parked {
        Parked { packets: VecDeque::with_capacity(packets), counts: Counts::Nothing, old }
    }
    /// A packet as it came.
    #[inline]
    pub(super) fn push(&mut self, p: Packet) {
        debug_assert!(self.packets.is_empty());
        self.counts = Counts::Each(self.weight(&p));
        self.packets.push_back(p);
    }
    /// What is left of `whole`, which the stack has cut. Each segment counts as long as the whole: cutting copies the length that the
    /// discipline knows (`qdisc_skb_cb(skb)->pkt_len`), and nobody works it out again.
    /// src: linux@6.12 net/core/skbuff.c skb_segment, __copy_skb_header; net/sched/sch_generic.c dev_requeue_skb
    pub(super) fn push_cut(&mut self, whole: &Packet, segments: impl Iterator<Item = Packet>) {
        debug_assert!(self.packets.is_empty());
        let bytes = self.weight(whole);
        self.counts = if self.old.requeued_one { Counts::One(bytes) } else { Counts::Each(bytes) };
        self.packets.extend(segments);
    }
    /// What is left of `whole`, which the card cuts (TSO): one packet, and the card's own once it has begun with it.
    pub(super) fn push_carded(&mut self, whole: &Packet, begun: bool, segments: impl Iterator<Item = Packet>) {
        debug_assert!(self.packets.is_empty());
        self.counts = if begun { Counts::Nothing } else { Counts::Whole(self.weight(whole)) };
        self.packets.extend(segments);
    }
    /// Bytes that a packet counts.
    fn weight(&self, p: &Packet) -> u32 {
        if self.old.requeued_weightless { 0 } else { p.eth_len() }
    }
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Packet> {
        let p = self.packets.pop_front()?;
        if matches!(self.counts, Counts::Whole(_)) {
            self.counts = Counts::Nothing;
        }
        Some(p)
    }
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
    /// How many.
    pub(super) fn len(&self) -> u64 {
        self.packets.len() as u64
    }
    /// Tells the discipline what counts to its backlog.
    #[inline]
    pub(super) fn tell(&self, q: &mut Qdisc) {
        let (packets, bytes) = self.counted();
        q.park(packets, bytes);
    }
    /// Packets and bytes that count to the discipline's backlog.
    fn counted(&self) -> (u32, u64) {
        let n = self.packets.len() as u32;
        match self.counts {
            _ if n == 0 => (0, 0),
            Counts::Each(bytes) => (n, u64::from(n) * u64::from(bytes)),
            Counts::One(bytes) | Counts::Whole(bytes) => (1, bytes.into()),
            Counts::Nothing => (0, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    #[test]
    fn segments_of_the_stack_count_as_long_as_the_whole_and_those_of_a_card_as_the_whole_until_it_begins() {
        let blank = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        let whole = Packet { payload: 3 * 1448, headers: 52, mss: 1448, segs: 3, ..blank };
        let segment = Packet { payload: 1448, segs: 1, ..whole };
        let mut parked = Parked::with_capacity(8, Old::default());
        parked.push_cut(&whole, [segment; 3].into_iter());
        // By hand: three frames of 1514 bytes, each with the pkt_len of all three.
        assert_eq!(parked.counted(), (3, 3 * 4542));
        parked.pop();
        assert_eq!(parked.counted(), (2, 2 * 4542));
        assert!(parked.pop().and_then(|_| parked.pop()).is_some());
        assert_eq!((parked.counted(), parked.len()), ((0, 0), 0));
        parked.push(segment);
        assert_eq!(parked.counted(), (1, 1514));
        parked.pop();
        parked.push_carded(&whole, false, [segment; 3].into_iter());
        assert_eq!(parked.counted(), (1, 4542));
        parked.pop();
        assert_eq!((parked.counted(), parked.len()), ((0, 0), 2));
        assert!(parked.pop().and_then(|_| parked.pop()).is_some());
        parked.push_carded(&whole, true, [segment; 2].into_iter());
        assert_eq!((parked.counted(), parked.len()), ((0, 0), 2));
    }
    #[test]
    fn before_4_16_they_count_as_one_packet_and_before_4_7_as_none_of_its_bytes() {
        let blank = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        let whole = Packet { payload: 3 * 1448, headers: 52, mss: 1448, segs: 3, ..blank };
        let segment = Packet { payload: 1448, segs: 1, ..whole };
        for (kernel, bytes) in [((4, 14), 4542), ((3, 18), 0)] {
            let mut parked = Parked::with_capacity(8, Old::of(kernel, None));
            parked.push_cut(&whole, [segment; 3].into_iter());
            for _ in 0..3 {
                assert_eq!(parked.counted(), (1, bytes), "{kernel:?}");
                parked.pop();
            }
            assert_eq!(parked.counted(), (0, 0));
        }
    }
}
