//! First in, first out: tail drop at a limit of packets (`pfifo`) or bytes (`bfifo`).
//!
//! Stands for: Linux 6.12 net/sched/sch_fifo.c. Differs: nothing known.

use super::{Discipline, Setup, Told};
use crate::sim::{Bin, Bytes, Packet, Place, Reason, Time, Verdict};
use std::collections::VecDeque;

crate::params! {
    /// What a user sets of `pfifo`.
    pub struct PfifoParams {
        /// Packets that the queue holds at most; an skb of many segments (`tcp.gso_max_segs`) is one.
        limit: u32 = 1000, in 0 => 10_000_000, src "linux@6.12 net/sched/sch_fifo.c __fifo_init: the device's tx_queue_len";
    }
}

crate::params! {
    /// What a user sets of `bfifo`.
    pub struct BfifoParams {
        /// Bytes that the queue holds at most.
        limit: Bytes = Bytes::new(1_514_000), in Bytes::new(0) => Bytes::new(u32::MAX as u64), src "linux@6.12 net/sched/sch_fifo.c __fifo_init: tx_queue_len times the device's MTU with its header";
    }
}

#[derive(Clone, Debug, Default)]
struct Ring {
    q: VecDeque<Packet>,
    bytes: u64,
    dropped: u64,
    /// Packets and bytes that stand before it.
    parked: (u32, u64),
}

impl Ring {
    fn push(&mut self, now: Time, mut p: Packet) -> Verdict {
        p.enqueued = now;
        self.bytes += u64::from(p.eth_len());
        self.q.push_back(p);
        Verdict::Ok
    }
    fn refuse(&mut self, p: Packet, bin: &mut impl Bin) -> Verdict {
        self.dropped += 1;
        bin.drop(p, Place::Qdisc, Reason::Overlimit);
        Verdict::Drop
    }
    fn pop(&mut self) -> Option<Packet> {
        let p = self.q.pop_front()?;
        self.bytes -= u64::from(p.eth_len());
        Some(p)
    }
}

/// A FIFO limited in packets.
#[derive(Clone, Debug)]
pub struct Pfifo {
    limit: usize,
    ring: Ring,
}

/// A FIFO limited in bytes.
#[derive(Clone, Debug)]
pub struct Bfifo {
    limit: u64,
    ring: Ring,
}

impl Discipline for Pfifo {
    type Params = PfifoParams;
    fn build(setup: &Setup, _seed: u32) -> Self {
        Pfifo { limit: setup.pfifo.limit as usize, ring: Ring::default() }
    }
    #[inline]
    fn enqueue(&mut self, now: Time, p: Packet, bin: &mut impl Bin) -> Verdict {
        if self.ring.q.len() + (self.ring.parked.0 as usize) < self.limit {
            self.ring.push(now, p)
        } else {
            self.ring.refuse(p, bin)
        }
    }
    #[inline]
    fn dequeue(&mut self, _now: Time, _bin: &mut impl Bin) -> Option<Packet> {
        self.ring.pop()
    }
    fn can_bypass(&self) -> bool {
        self.limit >= 1
    }
    fn park(&mut self, packets: u32, bytes: u64) {
        self.ring.parked = (packets, bytes);
    }
    fn packets(&self) -> u32 {
        self.ring.q.len() as u32
    }
    fn bytes(&self) -> u64 {
        self.ring.bytes
    }
    fn dropped(&self) -> u64 {
        self.ring.dropped
    }
    fn told(&self) -> Told {
        Told { options: vec![("limit", self.limit as u64)], ..Told::default() }
    }
}

impl Discipline for Bfifo {
    type Params = BfifoParams;
    fn build(setup: &Setup, _seed: u32) -> Self {
        Bfifo { limit: setup.bfifo.limit.get(), ring: Ring::default() }
    }
    #[inline]
    fn enqueue(&mut self, now: Time, p: Packet, bin: &mut impl Bin) -> Verdict {
        if self.ring.bytes + self.ring.parked.1 + u64::from(p.eth_len()) <= self.limit {
            self.ring.push(now, p)
        } else {
            self.ring.refuse(p, bin)
        }
    }
    #[inline]
    fn dequeue(&mut self, _now: Time, _bin: &mut impl Bin) -> Option<Packet> {
        self.ring.pop()
    }
    fn can_bypass(&self) -> bool {
        self.limit >= 1514 // src: linux@6.12 net/sched/sch_fifo.c __fifo_init: limit >= psched_mtu
    }
    fn park(&mut self, packets: u32, bytes: u64) {
        self.ring.parked = (packets, bytes);
    }
    fn packets(&self) -> u32 {
        self.ring.q.len() as u32
    }
    fn bytes(&self) -> u64 {
        self.ring.bytes
    }
    fn dropped(&self) -> u64 {
        self.ring.dropped
    }
    fn told(&self) -> Told {
        Told { options: vec![("limit", self.limit)], ..Told::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::battery::packet;
    use super::*;

    #[test]
    fn the_packet_over_the_limit_is_the_one_dropped() {
        let mut setup = Setup::default();
        setup.pfifo.limit = 2;
        let (mut q, mut bin) = (Pfifo::build(&setup, 0), Vec::new());
        let verdicts: Vec<_> = (0..3).map(|n| q.enqueue(Time::ZERO, packet(0, n, 1448), &mut bin)).collect();
        assert_eq!(verdicts, [Verdict::Ok, Verdict::Ok, Verdict::Drop]);
        assert_eq!((bin.len(), bin[0].0.seq, bin[0].1, bin[0].2), (1, 2, Place::Qdisc, Reason::Overlimit));
        assert_eq!((q.packets(), q.bytes(), q.dropped()), (2, 2 * 1514, 1));
    }

    #[test]
    fn what_stands_before_the_queue_counts() {
        let mut setup = Setup::default();
        (setup.pfifo.limit, setup.bfifo.limit) = (2, Bytes::new(3028));
        let (mut p, mut b, mut bin) = (Pfifo::build(&setup, 0), Bfifo::build(&setup, 0), Vec::new());
        p.park(1, 1514);
        b.park(1, 1514);
        for verdict in [Verdict::Ok, Verdict::Drop] {
            assert_eq!(p.enqueue(Time::ZERO, packet(0, 0, 1448), &mut bin), verdict);
            assert_eq!(b.enqueue(Time::ZERO, packet(0, 0, 1448), &mut bin), verdict);
        }
    }

    #[test]
    fn a_byte_limit_is_met_exactly() {
        let mut setup = Setup::default();
        setup.bfifo.limit = Bytes::new(3028);
        let (mut q, mut bin) = (Bfifo::build(&setup, 0), Vec::new());
        let verdicts: Vec<_> = (0..3).map(|n| q.enqueue(Time::ZERO, packet(0, n, 1448), &mut bin)).collect();
        assert_eq!(verdicts, [Verdict::Ok, Verdict::Ok, Verdict::Drop], "two frames of 1514 bytes fill 3028");
    }
}
