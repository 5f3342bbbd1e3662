//! mt76's own reorder buffer, in place of mac80211's: the hardware tells the driver of Block Ack agreements
//! (SUPPORTS_REORDERING_BUFFER).
//!
//! Stands for: linux@6.12 drivers/net/wireless/mediatek/mt76/agg-rx.c mt76_rx_aggr_reorder, mt76_rx_aggr_check_release,
//! mt76_rx_aggr_reorder_work, mt76_rx_aggr_check_ctl, mt76_aggr_tid_to_timeo. What differs from mac80211's
//! ([`wifi::reorder`](crate::wifi::reorder)): only the delayed work gives holes up, those before frames that came more than the timeout ago, in
//! jiffies. It is queued by the first frame that has to wait, and then stays queued; the wheel runs it a jiffy or more after the timeout
//! ([`wheel`]), so that this frame goes up then, and one that came later waits for the next run. A BAR also lets out what stands behind it.
//! Differs: D1 the work runs at once when its timer fires; D2 what came before the first frame of an agreement goes up in the kernel,
//! here nothing does (agreements begin with the first frame); D3 what the work releases may be merged by GRO as other frames are (the kernel
//! hands it up by netif_receive_skb_list).

use crate::sim::{Packet, Time, wheel};
use crate::wifi::slots::Slots;
use crate::wifi::{Seq, Tid};

/// The buffer of one (peer, TID).
#[derive(Clone, Debug)]
pub struct Reorder {
    /// Each with the jiffy in which it came.
    slots: Slots<u64>,
    hz: u32,
    /// In jiffies.
    timeout: u64,
    /// The jiffy in which the delayed work runs, if it is queued.
    work: Option<u64>,
}

impl Reorder {
    /// A buffer of `size` (1 to 256) frames of `tid` that waits for `head` first, on a host with so many ticks a second.
    pub fn new(head: Seq, size: u16, tid: Tid, hz: u32) -> Reorder {
        let timeout = u64::from(hz) / if tid.get() >= 4 { 25 } else { 10 };
        Reorder { slots: Slots::new(head, size), hz, timeout, work: None }
    }
    /// Packets held back.
    pub fn held(&self) -> u32 {
        self.slots.held()
    }
    /// When the delayed work runs.
    #[inline]
    pub fn due(&self) -> Option<Time> {
        self.work.map(|j| wheel::tick(j, self.hz))
    }
    /// A frame came, with `more` MSDUs behind the first. `up` gets what may go on, in order. False: it is dropped, as a duplicate or too old.
    pub fn put(&mut self, now: Time, seq: Seq, p: &Packet, more: &[Packet], up: &mut impl FnMut(&Packet)) -> bool {
        if seq == self.slots.head() {
            self.slots.pass(p, more, up);
            self.slots.run(up);
            return true;
        }
        let jiffies = wheel::jiffies(now, self.hz);
        let kept = self.slots.keep(jiffies, seq, p, more, up);
        if kept {
            self.slots.run(up);
            self.queue(jiffies);
        }
        kept
    }
    /// A BAR: nothing before `start` will come any more.
    pub fn bar(&mut self, start: Seq, up: &mut impl FnMut(&Packet)) {
        self.slots.release_to(start, up);
        self.slots.run(up);
    }
    /// The delayed work.
    pub fn expire(&mut self, now: Time, up: &mut impl FnMut(&Packet)) {
        let jiffies = wheel::jiffies(now, self.hz);
        if self.work.is_none_or(|at| at > jiffies) {
            return;
        }
        self.work = None;
        if self.slots.is_empty() {
            return;
        }
        self.slots.run(up);
        let first = self.slots.head();
        for seq in (1..self.slots.size()).map(|n| first.plus(n)) {
            if self.slots.came(seq).is_some_and(|at| jiffies > at + self.timeout) {
                self.slots.release_to(seq, up);
            }
        }
        self.slots.run(up);
        if !self.slots.is_empty() {
            self.queue(jiffies);
        }
    }
    /// `ieee80211_queue_delayed_work`, which leaves it as it is if it is queued.
    fn queue(&mut self, jiffies: u64) {
        self.work.get_or_insert(wheel::fires_in(jiffies, jiffies + self.timeout));
    }
}

#[cfg(test)]
mod vectors;

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

    /// The wheel fires in the jiffy after, with 1000 ticks a second in steps of eight for a timeout of 100 jiffies.
    #[test]
    fn a_hole_stands_for_the_timeout_and_what_the_wheel_adds() {
        for (hz, tid, ms) in
            [(100, 0, 110), (100, 3, 110), (100, 4, 50), (250, 0, 104), (250, 6, 44), (1000, 0, 104), (1000, 5, 41)]
        {
            let mut r = Run(Reorder::new(Seq::new(0), 256, Tid::new(tid), hz), vec![]);
            r.put(0, 1);
            assert!(r.until(ms - 1).is_empty());
            assert_eq!((r.until(ms), r.out()), (vec![ms], vec![1]), "{hz} {tid}");
            assert_eq!((r.0.due(), r.0.held()), (None, 0));
        }
    }

    /// What came later than the first is not old enough when the work runs, and waits for its next run.
    #[test]
    fn what_is_not_old_enough_waits_for_the_next_run() {
        let mut r = Run::new(64, 0);
        r.put(3, 1); // of the tick at 0
        r.put(9, 3);
        r.put(50, 5);
        assert_eq!((r.until(110), r.out()), (vec![110], vec![1, 3]), "over two holes");
        r.put(125, 7); // of the tick at 120, in the 22nd ten jiffies old
        assert_eq!((r.until(220), r.out()), (vec![220], vec![5]), "170 ms after it came");
        assert_eq!((r.until(330), r.out()), (vec![330], vec![7]));
    }

    /// The frame that fills the hole leaves the work queued; it runs and finds nothing old enough.
    #[test]
    fn the_work_stays_queued() {
        let mut r = Run::new(64, 0);
        r.put(0, 1);
        assert!(r.put(20, 0) && r.out() == [0, 1]);
        r.put(95, 3); // behind a new hole
        assert_eq!((r.until(250), r.out()), (vec![110, 220], vec![3]), "125 ms after it came");
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
