//! What is through with a queueing discipline and found no room in the device: it goes before anything else does.
//!
//! Stands for: `q->gso_skb` (linux@6.12 net/sched/sch_generic.c dev_requeue_skb, try_bulk_dequeue_skb): segments of a super-packet, which are cut
//! behind the discipline, and a packet that passed an empty one by.

use crate::qdisc::Qdisc;
use crate::sim::Packet;
use std::collections::VecDeque;

/// Packets in the order in which they go, and their bytes: they count to the discipline's backlog (`qdisc_qstats_backlog_inc`).
#[derive(Clone)]
pub(super) struct Parked {
    packets: VecDeque<Packet>,
    bytes: u64,
}

impl Parked {
    /// Nothing, with room for so many packets.
    pub(super) fn with_capacity(packets: usize) -> Parked {
        Parked { packets: VecDeque::with_capacity(packets), bytes: 0 }
    }
    #[inline]
    pub(super) fn push(&mut self, p: Packet) {
        self.bytes += u64::from(p.eth_len());
        self.packets.push_back(p);
    }
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Packet> {
        let p = self.packets.pop_front()?;
        self.bytes -= u64::from(p.eth_len());
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
        q.park(self.packets.len() as u32, self.bytes);
    }
}
