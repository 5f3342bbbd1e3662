//! The receiver's reorder buffer: MSDUs leave in order, or when what is missing is given up.
//!
//! Stands for: Linux net/mac80211/rx.c ieee80211_sta_manage_reorder_buf, ieee80211_sta_reorder_release,
//! ieee80211_release_reorder_timeout, ieee80211_rx_h_ctrl (BAR); 802.11-2020 10.25.6.6 (recipient's behaviour).
//! Differs: D1 the timeout is counted in nanoseconds, not in jiffies.

use super::seq::Seq;
use super::slots::Slots;
use crate::sim::{Packet, Span, Time};

crate::params! {
    /// What a receiver's mac80211 is built with.
    pub struct Params {
        /// How long a frame waits for an earlier one that is missing, where the buffer is mac80211's; mt76 has its own.
        timeout: Span = Span::from_ms(100), in Span::from_us(1) => Span::from_s(10), src "linux@6.12 net/mac80211/rx.c HT_RX_REORDER_BUF_TIMEOUT";
    }
}

/// The buffer of one (peer, TID).
#[derive(Clone, Debug)]
pub struct Reorder {
    slots: Slots<Time>,
    timeout: Span,
}

impl Reorder {
    /// A buffer of `size` (1 to 256) frames that waits for `head` first.
    pub fn new(head: Seq, size: u16, timeout: Span) -> Reorder {
        Reorder { slots: Slots::new(head, size), timeout }
    }
    /// What it waits for.
    pub const fn head(&self) -> Seq {
        self.slots.head()
    }
    /// Packets held back.
    pub fn held(&self) -> u32 {
        self.slots.held()
    }
    /// A frame came, with `more` MSDUs behind the first. `up` gets what may go on, in order. False: it was a duplicate, or too
    /// old.
    pub fn put(&mut self, now: Time, seq: Seq, p: &Packet, more: &[Packet], up: &mut impl FnMut(&Packet)) -> bool {
        if seq == self.slots.head() && self.slots.is_empty() {
            self.slots.pass(p, more, up);
            return true;
        }
        let kept = self.slots.keep(now, seq, p, more, up);
        if kept {
            self.slots.run(up);
            // What now stands first may have waited longer than what stood before it; the kernel's timer is then set to the past.
            self.expire(now, up);
        }
        kept
    }
    /// A BAR: nothing before `start` will come any more. What stands from there on waits for the next frame, or for the timer.
    /// src: linux@6.12 net/mac80211/rx.c `ieee80211_rx_h_ctrl`
    pub fn bar(&mut self, start: Seq, up: &mut impl FnMut(&Packet)) {
        self.slots.release_to(start, up);
    }
    /// When the first stored frame behind the hole has waited long enough.
    #[inline]
    pub fn due(&self) -> Option<Time> {
        if self.slots.is_empty() { None } else { self.slots.first_came().map(|at| at + self.timeout) }
    }
    /// The timer: gives up the holes before every frame that has waited longer than the timeout.
    pub fn expire(&mut self, now: Time, up: &mut impl FnMut(&Packet)) {
        while self.due().is_some_and(|at| at <= now) {
            self.slots.skip_hole();
            self.slots.run(up);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn packet(n: u32) -> Packet {
        Packet { seq: n, ..Packet::blank(Kind::Udp, FlowId(0), NodeId(1), NodeId(2)) }
    }
    fn ms(n: u64) -> Time {
        Time::from_ms(n)
    }
    struct Run(Reorder, Vec<u32>);
    impl Run {
        fn new(head: u16) -> Run {
            Run::of(head, 64)
        }
        fn of(head: u16, size: u16) -> Run {
            Run(Reorder::new(Seq::new(head), size, Params::default().timeout), vec![])
        }
        fn put(&mut self, at: u64, n: u32) -> bool {
            let Run(r, up) = self;
            r.put(ms(at), Seq::new(n as u16), &packet(n), &[], &mut |p| up.push(p.seq))
        }
        fn out(&mut self) -> Vec<u32> {
            core::mem::take(&mut self.1)
        }
    }

    #[test]
    fn holds_back_behind_a_hole() {
        let mut r = Run::new(1);
        for n in (1..=64).filter(|&n| n != 7) {
            assert!(r.put(0, n));
        }
        assert_eq!(r.out(), (1..=6).collect::<Vec<_>>());
        assert_eq!(r.0.held(), 57);
        assert!(r.put(2, 7));
        assert_eq!(r.out(), (7..=64).collect::<Vec<_>>());
        assert_eq!(r.0.due(), None, "quiet afterwards");
        assert!(!r.put(3, 7), "too old");
    }

    #[test]
    fn gives_up_after_100_ms_and_not_before() {
        let mut r = Run::new(4095);
        r.put(0, 4096);
        r.put(30, 4098);
        assert_eq!(r.0.due(), Some(ms(100)));
        let Run(b, up) = &mut r;
        b.expire(ms(99), &mut |p| up.push(p.seq));
        assert!(up.is_empty());
        b.expire(ms(100), &mut |p| up.push(p.seq));
        assert_eq!((up.as_slice(), b.due()), ([4096].as_slice(), Some(ms(130))), "the next hole waits for itself");
        b.expire(ms(130), &mut |p| up.push(p.seq));
        assert_eq!((up.last(), b.head()), (Some(&4098), Seq::new(3)));
    }

    #[test]
    fn a_bar_and_a_frame_beyond_the_window_move_it() {
        let mut r = Run::new(0);
        r.put(0, 2);
        r.put(0, 3);
        r.put(0, 5);
        let Run(b, up) = &mut r;
        b.bar(Seq::new(2), &mut |p| up.push(p.seq));
        assert_eq!((up.len(), b.head(), b.due()), (0, Seq::new(2), Some(ms(100))), "2 and 3 wait for the next frame");
        assert!(r.put(0, 7));
        assert_eq!((r.out(), r.0.head()), (vec![2, 3], Seq::new(4)));
        assert!(r.put(0, 70));
        assert_eq!((r.out(), r.0.head()), (vec![5, 7], Seq::new(8)), "70 must fit into 7..=70");
    }

    /// The plain description: everything stored by its unwrapped number.
    struct Twin {
        head: u32,
        held: BTreeMap<u32, u64>,
    }
    impl Twin {
        fn run(&mut self, up: &mut Vec<u32>) {
            while self.held.remove(&self.head).is_some() {
                up.push(self.head);
                self.head += 1;
            }
        }
        fn to(&mut self, n: u32, up: &mut Vec<u32>) {
            while self.head < n {
                if self.held.remove(&self.head).is_some() {
                    up.push(self.head);
                }
                self.head += 1;
            }
        }
        fn expire(&mut self, now: u64, up: &mut Vec<u32>) {
            while let Some((&n, &at)) = self.held.first_key_value() {
                if at + 100 > now {
                    break;
                }
                self.head = n;
                self.run(up);
            }
        }
    }

    proptest! {
        #[test]
        fn twin(start in 0u32..4096, size in prop::sample::select(vec![8_u16, 64, 256]),
                ops in prop::collection::vec((0u32..600, 0u64..25, 0u8..8), 1..500)) {
            let (mut r, size) = (Run::of(start as u16, size), u32::from(size));
            let mut t = Twin { head: start, held: BTreeMap::new() };
            let (mut want, mut now) = (vec![], 0);
            for (ahead, wait, what) in ops {
                // The timer always fires in time in the real thing.
                for at in now..=now + wait {
                    let Run(b, up) = &mut r;
                    b.expire(ms(at), &mut |p| up.push(p.seq));
                    t.expire(at, &mut want);
                }
                now += wait;
                if what == 0 {
                    let n = t.head + ahead % (size + 6);
                    let Run(b, up) = &mut r;
                    b.bar(Seq::new(n as u16), &mut |p| up.push(p.seq));
                    t.to(n, &mut want);
                } else {
                    let n = (t.head + ahead % (size * 2 + 22)).saturating_sub(40);
                    if n < start { continue }
                    let fresh = n >= t.head && !t.held.contains_key(&n);
                    prop_assert_eq!(r.put(now, n), fresh);
                    if fresh {
                        t.held.insert(n, now);
                        if n >= t.head + size {
                            t.to(n + 1 - size, &mut want);
                        }
                        t.run(&mut want);
                    }
                }
                if what != 0 {
                    t.expire(now, &mut want);
                }
                prop_assert_eq!(r.0.head(), Seq::new(t.head as u16));
                prop_assert_eq!(r.0.held() as usize, t.held.len());
            }
            prop_assert_eq!(r.1, want);
        }
    }
}
