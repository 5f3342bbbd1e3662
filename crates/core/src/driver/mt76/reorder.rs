//! mt76's own reorder buffer, in place of mac80211's: the hardware tells the driver of Block Ack agreements
//! (SUPPORTS_REORDERING_BUFFER).
//!
//! Stands for: linux@6.12 drivers/net/wireless/mediatek/mt76/agg-rx.c mt76_rx_aggr_reorder, mt76_rx_aggr_check_release,
//! mt76_rx_aggr_reorder_work, mt76_rx_aggr_check_ctl, mt76_aggr_tid_to_timeo. What differs from mac80211's
//! ([`wifi::reorder`](crate::wifi::reorder)): only the delayed work gives holes up, those before frames that came *more* than the timeout ago,
//! in jiffies; it runs a timeout after the first frame that waited, when that is exactly as old, so a hole stands for two timeouts; a BAR also
//! lets out what stands behind it.
//! Differs: D1 the work runs at once when its time has come; D2 what came before the first frame of an agreement goes up in the kernel,
//! here nothing does (agreements begin with the first frame).

use crate::sim::{Bitmap, Packet, Time};
use crate::wifi::amsdu::MSDUS;
use crate::wifi::{Seq, Tid};

/// The buffer of one (peer, TID).
#[derive(Clone, Debug)]
pub struct Reorder {
    head: Seq,
    size: u16,
    hz: u64,
    /// In jiffies.
    timeout: u64,
    stored: Bitmap,
    /// By number, modulo their count, a power of two; when each came, in jiffies.
    slots: Vec<(Packet, u64)>,
    /// The further MSDUs of A-MSDUs, by slot: none until the first A-MSDU comes.
    more: Vec<Vec<Packet>>,
    /// When the delayed work runs, in jiffies, if it is queued.
    work: Option<u64>,
}

impl Reorder {
    /// A buffer of `size` (1 to 256) frames of `tid` that waits for `head` first, on a host with so many ticks a second.
    pub fn new(head: Seq, size: u16, tid: Tid, hz: u32) -> Reorder {
        use crate::sim::{FlowId, Kind, NodeId};
        assert!((1..=Bitmap::COUNT as u16).contains(&size), "a reorder buffer of {size}");
        let blank = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(0));
        let hz = u64::from(hz);
        let timeout = hz / if tid.get() >= 4 { 25 } else { 10 };
        let slots = vec![(blank, 0); usize::from(size).next_power_of_two()];
        Reorder { head, size, hz, timeout, stored: Bitmap::NONE, slots, more: Vec::new(), work: None }
    }
    /// Packets held back.
    pub fn held(&self) -> u32 {
        self.stored.len() as u32 + self.more.iter().map(|m| m.len() as u32).sum::<u32>()
    }
    /// When the delayed work runs.
    #[inline]
    pub fn due(&self) -> Option<Time> {
        // The first tick at which jiffies have that value.
        self.work.map(|j| Time::from_ns((j * 1_000_000_000).div_ceil(self.hz)))
    }
    /// A frame came, with `more` MSDUs behind the first. `up` gets what may go on, in order. False: it is dropped, as a duplicate or too old.
    pub fn put(&mut self, now: Time, seq: Seq, p: &Packet, more: &[Packet], up: &mut impl FnMut(&Packet)) -> bool {
        if seq == self.head {
            self.head = seq.plus(1);
            up(p);
            more.iter().for_each(&mut *up);
            self.run(up);
            return true;
        }
        if seq.before(self.head) {
            return false;
        }
        if !seq.before(self.head.plus(self.size)) {
            self.release_to(seq.minus(self.size).plus(1), up);
        }
        let slot = self.slot(seq);
        if self.stored.has(slot) {
            return false;
        }
        let jiffies = self.jiffies(now);
        self.stored.put(slot);
        self.slots[slot] = (*p, jiffies);
        if !more.is_empty() {
            if self.more.is_empty() {
                self.more.resize_with(self.slots.len(), || Vec::with_capacity(MSDUS - 1));
            }
            self.more[slot].extend_from_slice(more);
        }
        self.run(up);
        self.work.get_or_insert(jiffies + self.timeout);
        true
    }
    /// A BAR: nothing before `start` will come any more.
    pub fn bar(&mut self, start: Seq, up: &mut impl FnMut(&Packet)) {
        self.release_to(start, up);
        self.run(up);
    }
    /// The delayed work.
    pub fn expire(&mut self, now: Time, up: &mut impl FnMut(&Packet)) {
        let jiffies = self.jiffies(now);
        if self.work.is_none_or(|at| at > jiffies) {
            return;
        }
        self.work = None;
        if self.stored.is_empty() {
            return;
        }
        self.run(up);
        let first = self.head;
        for ahead in 1..self.size {
            let seq = first.plus(ahead);
            let slot = self.slot(seq);
            if self.stored.has(slot) && jiffies > self.slots[slot].1 + self.timeout {
                self.release_to(seq, up);
            }
        }
        self.run(up);
        if !self.stored.is_empty() {
            self.work = Some(jiffies + self.timeout);
        }
    }
    fn jiffies(&self, now: Time) -> u64 {
        (u128::from(now.ns()) * u128::from(self.hz) / 1_000_000_000) as u64
    }
    fn slot(&self, seq: Seq) -> usize {
        usize::from(seq.get()) & (self.slots.len() - 1)
    }
    /// Releases from the head on to the next hole.
    fn run(&mut self, up: &mut impl FnMut(&Packet)) {
        while self.stored.has(self.slot(self.head)) {
            self.pop(up);
        }
    }
    /// Moves the head to `seq` and lets out what was stored before it.
    fn release_to(&mut self, seq: Seq, up: &mut impl FnMut(&Packet)) {
        while self.head.before(seq) {
            if self.stored.is_empty() {
                self.head = seq;
                return;
            }
            self.pop(up);
        }
    }
    fn pop(&mut self, up: &mut impl FnMut(&Packet)) {
        let slot = self.slot(self.head);
        if self.stored.has(slot) {
            self.stored.take(slot);
            up(&self.slots[slot].0);
            if let Some(more) = self.more.get_mut(slot) {
                more.drain(..).for_each(|p| up(&p));
            }
        }
        self.head = self.head.plus(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    struct Run(Reorder, Vec<u32>);
    impl Run {
        fn new(size: u16, tid: u8) -> Run {
            Run(Reorder::new(Seq::new(0), size, Tid::new(tid), 100), vec![])
        }
        fn put(&mut self, ms: u64, n: u32) -> bool {
            let p = Packet { seq: n, ..Packet::blank(Kind::Udp, FlowId(0), NodeId(1), NodeId(2)) };
            let Run(r, up) = self;
            r.put(Time::from_ms(ms), Seq::new(n as u16), &p, &[], &mut |p| up.push(p.seq))
        }
        /// Lets the work run whenever it is due, until `ms`; when it ran, ms.
        fn until(&mut self, ms: u64) -> Vec<u64> {
            let mut ran = vec![];
            while let Some(at) = self.0.due().filter(|&t| t <= Time::from_ms(ms)) {
                let Run(r, up) = self;
                r.expire(at, &mut |p| up.push(p.seq));
                ran.push(at.ns() / 1_000_000);
            }
            ran
        }
        fn out(&mut self) -> Vec<u32> {
            core::mem::take(&mut self.1)
        }
    }

    /// The frame that came first is exactly as old as the timeout when the work first runs, which is not older.
    #[test]
    fn a_hole_stands_for_two_timeouts() {
        for (tid, timeout) in [(0, 100), (3, 100), (4, 40), (6, 40)] {
            let mut r = Run::new(256, tid);
            r.put(3, 1); // of the tick at 0
            assert_eq!(r.until(2 * timeout - 1), [timeout]);
            assert!(r.out().is_empty());
            assert_eq!((r.until(2 * timeout), r.out()), (vec![2 * timeout], vec![1]));
            assert_eq!((r.0.due(), r.0.held()), (None, 0));
        }
    }

    /// A frame that came a tick later than the first is released with it at the second run; one of the second half is not.
    #[test]
    fn what_is_not_old_enough_waits_for_the_next_run() {
        let mut r = Run::new(64, 0);
        r.put(0, 1);
        r.put(50, 3);
        r.put(150, 5);
        assert_eq!((r.until(200), r.out()), (vec![100, 200], vec![1, 3]), "over two holes");
        assert_eq!((r.until(300), r.out()), (vec![300], vec![5]), "150 ms old");
    }

    /// The frame that fills the hole leaves the work queued; it runs and finds nothing.
    #[test]
    fn the_work_stays_queued() {
        let mut r = Run::new(64, 0);
        r.put(0, 1);
        assert!(r.put(20, 0) && r.out() == [0, 1]);
        r.put(95, 3); // behind a new hole: the work of the old one is queued already
        assert_eq!((r.until(250), r.out()), (vec![100, 200], vec![3]), "105 ms after it came");
    }

    #[test]
    fn a_bar_and_a_frame_beyond_the_window_move_it() {
        let mut r = Run::new(64, 0);
        r.put(0, 2);
        r.put(0, 3);
        let Run(b, up) = &mut r;
        b.bar(Seq::new(2), &mut |p| up.push(p.seq));
        assert_eq!(r.out(), [2, 3], "what stands behind it goes up, too");
        assert!(!r.put(1, 3), "too old");
        r.put(1, 6);
        assert!(!r.put(1, 6), "a duplicate");
        r.put(1, 70);
        assert_eq!(r.out(), [6], "70 must fit into 7..=70");
        assert_eq!(r.0.held(), 1);
    }
}
