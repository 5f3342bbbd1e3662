//! Three FIFO bands by priority; a lower band leaves only when those before it are empty.
//!
//! Stands for: Linux 6.12 net/sched/sch_generic.c `pfifo_fast_*`: each band has its own ring of `tx_queue_len` slots (include/linux/ptr_ring.h),
//! and a full ring drops the packet that comes. Slots that packets have left are free again sixteen at a time: a band that is full drops in
//! runs, and stands a little below its limit. Before 4.16 ([`Old`](super::Old)) one limit holds for all three, exactly.
//! Differs: D1 the priority is what IP makes of the DSCP; a socket's SO_PRIORITY is not modelled.

use super::skb::{PRIO2BAND, priority};
use super::{Discipline, Setup};
use crate::sim::{Bin, Packet, Place, Reason, Time, Verdict};
use std::collections::VecDeque;

crate::params! {
    /// What a user sets of `pfifo_fast`.
    pub struct Params {
        /// Packets that each of the three bands holds at most.
        limit: u32 = 1000, in 1 => 10_000_000, src "linux@6.12 net/sched/sch_generic.c pfifo_fast_init: tx_queue_len; net/ethernet/eth.c ether_setup";
    }
}

/// Slots that are freed at once: two cache lines of pointers. src: linux@6.12 include/linux/ptr_ring.h __ptr_ring_set_size
const BATCH: usize = 16;

/// A band.
#[derive(Clone, Debug, Default)]
struct Band {
    q: VecDeque<Packet>,
    /// Slot that the next packet leaves (`consumer_head`).
    head: usize,
    /// Slots that packets have left and that are not free yet.
    left: usize,
}

impl Band {
    /// The next packet leaves its ring of `size` slots. src: linux@6.12 include/linux/ptr_ring.h __ptr_ring_discard_one
    fn pop(&mut self, size: usize) -> Option<Packet> {
        let p = self.q.pop_front()?;
        (self.head, self.left) = (self.head + 1, self.left + 1);
        let batch = if BATCH > size / 2 { 1 } else { BATCH };
        if self.left >= batch || self.head >= size {
            self.left = 0;
        }
        if self.head >= size {
            self.head = 0;
        }
        Some(p)
    }
}

/// Three bands.
#[derive(Clone, Debug)]
pub struct PfifoFast {
    limit: usize,
    shared: bool,
    /// Packets that stand before it, which count where one limit holds for all (`qdisc->q.qlen`); the rings know nothing of them.
    parked: usize,
    bands: [Band; 3],
    /// Packets in all of them.
    packets: usize,
    bytes: u64,
    dropped: u64,
}

impl Discipline for PfifoFast {
    type Params = Params;
    fn build(setup: &Setup, _seed: u32) -> Self {
        PfifoFast {
            limit: setup.pfifo_fast.limit as usize,
            shared: setup.old.pfifo_fast_shared,
            parked: 0,
            bands: Default::default(),
            packets: 0,
            bytes: 0,
            dropped: 0,
        }
    }
    #[inline]
    fn enqueue(&mut self, now: Time, p: Packet, bin: &mut impl Bin) -> Verdict {
        let band = &mut self.bands[usize::from(PRIO2BAND[usize::from(priority(p.dscp))])];
        let held = if self.shared { self.packets + self.parked } else { band.q.len() + band.left };
        if held >= self.limit {
            self.dropped += 1;
            bin.drop(p, Place::Qdisc, Reason::Overlimit);
            return Verdict::Drop;
        }
        self.bytes += u64::from(p.eth_len());
        self.packets += 1;
        band.q.push_back(p);
        band.q.back_mut().expect("it was just put there").enqueued = now;
        Verdict::Ok
    }
    #[inline]
    fn dequeue(&mut self, _now: Time, _bin: &mut impl Bin) -> Option<Packet> {
        let p = self.bands.iter_mut().find_map(|b| b.pop(self.limit))?;
        self.packets -= 1;
        self.bytes -= u64::from(p.eth_len());
        Some(p)
    }
    fn can_bypass(&self) -> bool {
        true
    }
    fn park(&mut self, packets: u32, _bytes: u64) {
        self.parked = packets as usize;
    }
    fn rests(&self) -> bool {
        self.packets == 0
    }
    fn packets(&self) -> u32 {
        self.packets as u32
    }
    fn bytes(&self) -> u64 {
        self.bytes
    }
    fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::super::battery::packet;
    use super::*;

    #[test]
    fn a_lower_band_waits() {
        let (mut q, mut bin) = (PfifoFast::build(&Setup::default(), 0), Vec::new());
        // By hand: TOS 0x08 (throughput, DSCP 2) is priority BULK, band 2; TOS 0x10 (low delay, DSCP 4) is
        // INTERACTIVE, band 0; EF is INTERACTIVE_BULK, band 1, beside best effort.
        for (seq, dscp) in [(0, 2), (1, 0), (2, 46), (3, 4)] {
            let mut p = packet(0, seq, 100);
            p.dscp = dscp;
            q.enqueue(Time::ZERO, p, &mut bin);
        }
        let order: Vec<_> = core::iter::from_fn(|| q.dequeue(Time::ZERO, &mut bin)).map(|p| p.seq).collect();
        assert_eq!(order, [3, 1, 2, 0]);
    }

    #[test]
    fn a_full_band_has_room_again_for_sixteen_at_once() {
        let mut setup = Setup::default();
        setup.pfifo_fast.limit = 40;
        let (mut q, mut bin) = (PfifoFast::build(&setup, 0), Vec::new());
        let fill = |q: &mut PfifoFast, bin: &mut Vec<_>| {
            (0..).take_while(|&n| q.enqueue(Time::ZERO, packet(0, n, 100), bin) == Verdict::Ok).count()
        };
        assert_eq!(fill(&mut q, &mut bin), 40);
        // By hand: slots 0 to 15 are free with the sixteenth packet, 16 to 31 with the 32nd, and 32 to 39 where the ring ends.
        let room: Vec<_> = [15, 1, 15, 1, 7, 1]
            .map(|n| {
                (0..n).for_each(|_| assert!(q.dequeue(Time::ZERO, &mut bin).is_some()));
                fill(&mut q, &mut bin)
            })
            .into();
        assert_eq!(room, [0, 16, 0, 16, 0, 8]);
        setup.pfifo_fast.limit = 31;
        let mut q = PfifoFast::build(&setup, 0);
        assert_eq!(fill(&mut q, &mut bin), 31);
        q.dequeue(Time::ZERO, &mut bin);
        assert_eq!(fill(&mut q, &mut bin), 1, "a ring of fewer than 32 slots frees each at once");
    }

    #[test]
    fn each_band_has_its_own_limit() {
        let mut setup = Setup::default();
        setup.pfifo_fast.limit = 1;
        let (mut q, mut bin) = (PfifoFast::build(&setup, 0), Vec::new());
        let mut fast = packet(0, 2, 100);
        fast.dscp = 4;
        assert_eq!(q.enqueue(Time::ZERO, packet(0, 0, 100), &mut bin), Verdict::Ok);
        assert_eq!(q.enqueue(Time::ZERO, packet(0, 1, 100), &mut bin), Verdict::Drop);
        assert_eq!(q.enqueue(Time::ZERO, fast, &mut bin), Verdict::Ok);
        setup.old.pfifo_fast_shared = true;
        let mut q = PfifoFast::build(&setup, 0);
        assert_eq!(q.enqueue(Time::ZERO, packet(0, 0, 100), &mut bin), Verdict::Ok);
        assert_eq!(q.enqueue(Time::ZERO, fast, &mut bin), Verdict::Drop, "before 4.16 the three share it");
        for (old, verdict) in [(true, Verdict::Drop), (false, Verdict::Ok)] {
            setup.old.pfifo_fast_shared = old;
            let mut q = PfifoFast::build(&setup, 0);
            q.park(1, 1514);
            assert_eq!(q.enqueue(Time::ZERO, fast, &mut bin), verdict, "with what stands before it");
        }
    }
}
