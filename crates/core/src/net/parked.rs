//! What is through with a queueing discipline and found no room in the device: it goes before anything else does.
//!
//! Stands for: `q->gso_skb` (linux@6.12 net/sched/sch_generic.c dev_requeue_skb, try_bulk_dequeue_skb): segments of a super-packet, which are cut
//! behind the discipline, and a packet that passed an empty one by. There are pieces of one packet at a time: what is put back goes to the
//! head in 6.12.117 and to the tail in 6.1.192 and 6.6.129, which is the same here.

use crate::qdisc::{Old, Qdisc};
use crate::sim::Packet;
use crate::tcp::{Segments, segment};

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

/// Pieces of one packet, in the order in which they go.
#[derive(Clone)]
pub(super) struct Parked {
    rest: Segments,
    counts: Counts,
    old: Old,
}

impl Parked {
    /// Nothing.
    pub(super) fn new(old: Old) -> Parked {
        Parked { rest: Segments::none(), counts: Counts::Nothing, old }
    }
    /// A packet of one segment, as it came.
    #[inline]
    pub(super) fn push(&mut self, p: &Packet) {
        debug_assert!(self.is_empty() && p.segs == 1);
        self.counts = Counts::Each(self.weight(p));
        self.rest = segment(p, None);
    }
    /// `whole`, which the stack has cut. Each segment counts as long as the whole: cutting copies the length that the
    /// discipline knows (`qdisc_skb_cb(skb)->pkt_len`), and nobody works it out again.
    /// src: linux@6.12 net/core/skbuff.c skb_segment, __copy_skb_header; net/sched/sch_generic.c dev_requeue_skb
    pub(super) fn push_cut(&mut self, whole: &Packet, segments: Segments) {
        debug_assert!(self.is_empty());
        let bytes = self.weight(whole);
        self.counts = if self.old.requeued_one { Counts::One(bytes) } else { Counts::Each(bytes) };
        self.rest = segments;
    }
    /// `whole`, which the card cuts (TSO): one packet, and the card's own once it has begun with it.
    pub(super) fn push_carded(&mut self, whole: &Packet, segments: Segments) {
        debug_assert!(self.is_empty());
        self.counts = Counts::Whole(self.weight(whole));
        self.rest = segments;
    }
    /// Bytes that a packet counts.
    fn weight(&self, p: &Packet) -> u32 {
        if self.old.requeued_weightless { 0 } else { p.eth_len() }
    }
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Packet> {
        let p = self.rest.next()?;
        if matches!(self.counts, Counts::Whole(_)) {
            self.counts = Counts::Nothing;
        }
        Some(p)
    }
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.rest.len() == 0
    }
    /// How many.
    pub(super) fn len(&self) -> u64 {
        self.rest.len() as u64
    }
    /// Tells the discipline what counts to its backlog.
    #[inline]
    pub(super) fn tell(&self, q: &mut Qdisc) {
        let (packets, bytes) = self.counted();
        q.park(packets, bytes);
    }
    /// Packets and bytes that count to the discipline's backlog.
    fn counted(&self) -> (u32, u64) {
        let n = self.rest.len() as u32;
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
        let mut parked = Parked::new(Old::default());
        parked.push_cut(&whole, segment(&whole, None));
        // By hand: three frames of 1514 bytes, each with the pkt_len of all three.
        assert_eq!(parked.counted(), (3, 3 * 4542));
        parked.pop();
        assert_eq!(parked.counted(), (2, 2 * 4542));
        assert!(parked.pop().and_then(|_| parked.pop()).is_some());
        assert_eq!((parked.counted(), parked.len()), ((0, 0), 0));
        parked.push(&Packet { payload: 1448, segs: 1, ..whole });
        assert_eq!(parked.counted(), (1, 1514));
        parked.pop();
        parked.push_carded(&whole, segment(&whole, None));
        assert_eq!(parked.counted(), (1, 4542));
        parked.pop();
        assert_eq!((parked.counted(), parked.len()), ((0, 0), 2));
        assert!(parked.pop().and_then(|_| parked.pop()).is_some());
    }
    #[test]
    fn before_4_16_they_count_as_one_packet_and_before_4_7_as_none_of_its_bytes() {
        let blank = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        let whole = Packet { payload: 3 * 1448, headers: 52, mss: 1448, segs: 3, ..blank };
        for (kernel, bytes) in [((4, 14), 4542), ((3, 18), 0)] {
            let mut parked = Parked::new(Old::of(kernel, None));
            parked.push_cut(&whole, segment(&whole, None));
            for _ in 0..3 {
                assert_eq!(parked.counted(), (1, bytes), "{kernel:?}");
                parked.pop();
            }
            assert_eq!(parked.counted(), (0, 0));
        }
    }
}
