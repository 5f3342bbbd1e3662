//! The receiver's reorder buffer: MSDUs leave in order, or when what is missing is given up.
//!
//! Stands for: Linux net/mac80211/rx.c ieee80211_sta_manage_reorder_buf, ieee80211_sta_reorder_release,
//! ieee80211_release_reorder_timeout, ieee80211_rx_h_ctrl (BAR); 802.11-2020 10.25.6.6 (recipient's behaviour). A frame that came more than the
//! timeout ago, in jiffies, ends the hole before it: where the next frame comes, or the timer, which the wheel rounds up ([`wheel`]). So a hole of
//! 100 ms stands for 100 to 120 ms at HZ 100, for 100 to 108 at 250.
//! Differs: D1 what came before the first frame of an agreement goes up in the kernel, here it is too old (agreements begin with the first frame).

use super::seq::Seq;
use super::slots::Slots;
use crate::sim::{Packet, Span, Time, wheel};

crate::params! {
    /// What a receiver's mac80211 is built with.
    pub struct Params {
        /// How long a frame waits for an earlier one that is missing, where the buffer is mac80211's; mt76 and iwlwifi have their own.
        timeout: Span = Span::from_ms(100), in Span::from_us(1) => Span::from_s(10), src "linux@6.12 net/mac80211/rx.c HT_RX_REORDER_BUF_TIMEOUT";
    }
}

/// The buffer of one (peer, TID).
#[derive(Clone, Debug)]
pub struct Reorder {
    /// Each with the jiffy in which it came.
    slots: Slots<u64>,
    hz: u32,
    /// In jiffies.
    timeout: u64,
    /// The jiffy that the timer was asked for, and the one in which it fires, if it is set.
    timer: Option<(u64, u64)>,
}

impl Reorder {
    /// A buffer of `size` (1 to 256) frames that waits for `head` first, on a host with `hz` ticks a second.
    pub fn new(head: Seq, size: u16, timeout: Span, hz: u32) -> Reorder {
        let timeout = wheel::jiffies(Time::ZERO + timeout, hz);
        Reorder { slots: Slots::new(head, size), hz, timeout, timer: None }
    }
    /// What it waits for.
    pub const fn head(&self) -> Seq {
        self.slots.head()
    }
    /// Packets held back.
    pub fn held(&self) -> u32 {
        self.slots.held()
    }
    /// Frame `seq` comes. Where it is waited for, with nothing held back and no timer, it is the caller's, and [`Reorder::put`] is not to be
    /// called; else nothing is done, and the answer is false.
    #[inline]
    pub fn take_next(&mut self, seq: Seq) -> bool {
        self.timer.is_none() && self.slots.take_next(seq)
    }
    /// A frame came, with `more` MSDUs behind the first. `up` gets what may go on, in order. False: it was a duplicate, or too
    /// old.
    pub fn put(&mut self, now: Time, seq: Seq, p: &Packet, more: &[Packet], up: &mut impl FnMut(&Packet)) -> bool {
        if self.slots.take_next(seq) {
            core::iter::once(p).chain(more).for_each(up);
            return true;
        }
        let jiffies = wheel::jiffies(now, self.hz);
        let kept = self.slots.keep(jiffies, seq, p, more, up);
        if kept {
            self.release(jiffies, up);
        }
        kept
    }
    /// A BAR: nothing before `start` will come any more. What stands from there on waits for the next frame, or for the timer.
    /// src: linux@6.12 net/mac80211/rx.c `ieee80211_rx_h_ctrl`
    pub fn bar(&mut self, start: Seq, up: &mut impl FnMut(&Packet)) {
        self.slots.release_to(start, up);
    }
    /// When the timer fires.
    #[inline]
    pub fn due(&self) -> Option<Time> {
        self.timer.map(|(_, fires)| wheel::tick(fires, self.hz))
    }
    /// The timer.
    pub fn expire(&mut self, now: Time, up: &mut impl FnMut(&Packet)) {
        let jiffies = wheel::jiffies(now, self.hz);
        if self.timer.is_some_and(|(_, fires)| fires <= jiffies) {
            self.timer = None;
            self.release(jiffies, up);
        }
    }
    /// `ieee80211_sta_reorder_release`: what stands first goes up, or else what stands behind holes that have lasted too long. Then the timer is set for what
    /// stands first; in the past, if that has waited too long already, which is the next tick.
    #[inline(never)] // frames that wait for none are many
    fn release(&mut self, jiffies: u64, up: &mut impl FnMut(&Packet)) {
        if !self.slots.run(up) {
            while self.slots.first_came().is_some_and(|at| jiffies > at + self.timeout) {
                self.slots.skip_hole();
                self.slots.run(up);
            }
        }
        self.timer = self.slots.first_came().map(|at| {
            let expires = at + 1 + self.timeout;
            match self.timer {
                Some(set) if set.0 == expires => set, // mod_timer
                _ if expires <= jiffies => (expires, jiffies + 1),
                _ => (expires, wheel::fires_in(jiffies, expires)),
            }
        });
    }
}

#[cfg(test)]
pub(crate) mod vectors;

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
            Run(Reorder::new(Seq::new(head), size, Params::default().timeout, 1000), vec![])
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

    /// Asked for at 101 ms, the timer fires with the next grain of eight jiffies.
    #[test]
    fn gives_up_after_100_ms_and_not_before() {
        let mut r = Run::new(4095);
        r.put(0, 4096);
        r.put(30, 4098);
        assert_eq!(r.0.due(), Some(ms(104)));
        let Run(b, up) = &mut r;
        b.expire(ms(103), &mut |p| up.push(p.seq));
        assert!(up.is_empty());
        b.expire(ms(104), &mut |p| up.push(p.seq));
        assert_eq!((up.as_slice(), b.due()), ([4096].as_slice(), Some(ms(132))), "the next hole waits for itself");
        b.expire(ms(132), &mut |p| up.push(p.seq));
        assert_eq!((up.last(), b.head()), (Some(&4098), Seq::new(3)));
    }

    /// By hand: of jiffy 0 at HZ 100 it fires in jiffy 12; a frame that comes in jiffy 11 ends the hole as well, one in 10 does not.
    #[test]
    fn jiffies_decide() {
        let of = |at: u64| {
            let mut r = Run(Reorder::new(Seq::new(0), 64, Params::default().timeout, 100), vec![]);
            assert!(r.put(9, 1));
            assert_eq!(r.0.due(), Some(ms(120)));
            assert!(r.put(at, 2));
            r.out()
        };
        assert_eq!((of(109), of(110)), (vec![], vec![1, 2]));
    }

    /// What stands behind a hole that has been filled may have waited too long already: it goes with the next tick, or the next frame.
    #[test]
    fn a_timer_in_the_past_fires_at_the_next_tick() {
        let mut r = Run::new(0);
        assert!(r.put(0, 1) && r.put(0, 3));
        assert!(r.put(100, 0));
        assert_eq!((r.out(), r.0.due()), (vec![0, 1], Some(ms(104))));
        let mut r = Run::new(0);
        assert!(r.put(0, 3) && r.put(50, 1));
        assert!(r.put(102, 0));
        assert_eq!((r.out(), r.0.due()), (vec![0, 1], Some(ms(103))));
    }

    #[test]
    fn a_bar_and_a_frame_beyond_the_window_move_it() {
        let mut r = Run::new(0);
        r.put(0, 2);
        r.put(0, 3);
        r.put(0, 5);
        let Run(b, up) = &mut r;
        b.bar(Seq::new(2), &mut |p| up.push(p.seq));
        assert_eq!((up.len(), b.head(), b.due()), (0, Seq::new(2), Some(ms(104))), "2 and 3 wait for the next frame");
        assert!(r.put(0, 7));
        assert_eq!((r.out(), r.0.head()), (vec![2, 3], Seq::new(4)));
        assert!(r.put(0, 70));
        assert_eq!((r.out(), r.0.head()), (vec![5, 7], Seq::new(8)), "70 must fit into 7..=70");
    }

    /// The plain description: everything stored by its unwrapped number.
    struct Twin {
        head: u32,
        held: BTreeMap<u32, u64>,
        timer: Option<(u64, u64)>,
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
            if self.timer.is_some_and(|t| t.1 <= now) {
                self.timer = None;
                self.release(now, up);
            }
        }
        fn release(&mut self, now: u64, up: &mut Vec<u32>) {
            if self.held.contains_key(&self.head) {
                self.run(up);
            } else {
                while let Some((&n, _)) = self.held.first_key_value().filter(|(_, at)| **at + 100 < now) {
                    self.head = n;
                    self.run(up);
                }
            }
            let old = self.timer.take();
            self.timer = self.held.first_key_value().map(|(_, at)| match old {
                Some(t) if t.0 == at + 101 => t,
                _ if at + 101 <= now => (at + 101, now + 1),
                _ => (at + 101, wheel::fires_in(now, at + 101)),
            });
        }
    }

    proptest! {
        #[test]
        fn twin(start in 0u32..4096, size in prop::sample::select(vec![8_u16, 64, 256]),
                ops in prop::collection::vec((0u32..600, 0u64..25, 0u8..8), 1..500)) {
            let (mut r, size) = (Run::of(start as u16, size), u32::from(size));
            let mut t = Twin { head: start, held: BTreeMap::new(), timer: None };
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
                        t.release(now, &mut want);
                    }
                }
                prop_assert_eq!(r.0.head(), Seq::new(t.head as u16));
                prop_assert_eq!(r.0.held() as usize, t.held.len());
            }
            prop_assert_eq!(r.1, want);
        }
    }
}
