//! One contender for the medium: the backoff of one access category of one station, computed instead of ticked.
//!
//! Stands for: 802.11-2020 10.23.2.2 and 10.23.2.4 (EDCA backoff, slot boundaries), 10.3.4.3 (DCF backoff).
//! Differs: D1 a station without QoS that finds the medium idle for DIFS sends at once, not at a slot boundary.

use super::ac::Ac;
use super::burst::{Report, StaIx};
use super::edca::Access;
use crate::sim::{Bitmap, Span, Stream, Time};

/// The state of one contender.
#[derive(Clone, Debug)]
pub(super) struct Contender {
    pub sta: StaIx,
    pub ac: Ac,
    /// SIFS + AIFSN slots.
    pub aifs: Span,
    pub txop: Span,
    cw_min: u16,
    cw_max: u16,
    counts_boundary: bool,
    rng: Stream,
    cw: u16,
    /// Consecutive failures (QSRC[AC]).
    failures: u8,
    /// Slots still to count.
    pub backoff: u16,
    /// There is something to send.
    pub ready: bool,
    /// The slot boundary at the end of AIFS in this idle period: what `backoff` counts from.
    start: Time,
    /// Where in the head's rate chain the hardware is, and what was sent of it so far.
    pub link: u8,
    pub tries: u8,
    pub rts_failures: u8,
    pub airtime: Span,
    pub received: Bitmap,
    /// Time in which its head waited with the medium idle: AIFS and backoff, of all tries.
    pub waited: Span,
    /// What the driver will be told when the exchange or its timeout is over.
    pub pending: Report,
    /// The last try failed; the driver is told at the timeout.
    pub giving_up: bool,
}

impl Contender {
    pub fn new(sta: StaIx, ac: Ac, a: Access, counts_boundary: bool, sifs: Span, slot: Span, rng: Stream) -> Contender {
        Contender {
            sta,
            ac,
            aifs: sifs + slot * i64::from(a.aifsn),
            txop: a.txop,
            cw_min: a.cw_min,
            cw_max: a.cw_max,
            counts_boundary,
            rng,
            cw: a.cw_min,
            failures: 0,
            backoff: 0,
            ready: false,
            start: Time::NEVER,
            link: 0,
            tries: 0,
            rts_failures: 0,
            airtime: Span::ZERO,
            received: Bitmap::NONE,
            waited: Span::ZERO,
            pending: Report::default(),
            giving_up: false,
        }
    }
    /// Whether it takes part in the contention: it has something to send, or counts down what it drew after its last frame.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.ready || self.backoff > 0
    }
    /// Draws a new backoff from the present window.
    pub fn draw(&mut self) {
        self.backoff = self.rng.below(u32::from(self.cw) + 1) as u16;
    }
    /// A transmission succeeded, or its frame is given up: smallest window, new backoff whether or not there is more to send.
    pub fn reset(&mut self) {
        self.failures = 0;
        self.cw = self.cw_min;
        self.draw();
    }
    /// A transmission failed (or collided inside the station): double the window, up to `limit` times in a row; the next failure starts
    /// over. src: 802.11-2020 10.23.2.2 (by 802.11-2016's 10.22.2.2 the `limit`-th already did)
    pub fn failed(&mut self, limit: u8) {
        if self.failures < limit {
            self.failures += 1;
            let w = (u32::from(self.cw_min) + 1) << self.failures.min(15);
            self.cw = (w - 1).min(u32::from(self.cw_max)) as u16;
        } else {
            self.failures = 0;
            self.cw = self.cw_min;
        }
        self.draw();
    }
    /// The medium will be (or became) idle: AIFS counts from `reference` on.
    #[inline]
    pub fn idle_from(&mut self, reference: Time) {
        self.start = reference + self.aifs;
    }
    /// Something to send arrived at `now` in an idle period whose AIFS counts from `reference`: aligns to the next boundary.
    pub fn arrive(&mut self, now: Time, reference: Time, slot: Span) {
        self.start = reference + self.aifs;
        if now > self.start {
            let late = now - self.start;
            let slots = if self.counts_boundary { (late.ns() + slot.ns() - 1) / slot.ns() } else { 0 };
            self.start = if self.counts_boundary { self.start + slot * slots } else { now };
        }
    }
    /// When it may send, if nobody else does before.
    #[inline]
    pub fn access(&self, slot: Span) -> Time {
        self.start + slot * i64::from(self.backoff)
    }
    /// From when AIFS counts in this idle period.
    #[inline]
    pub fn idle_since(&self) -> Time {
        self.start - self.aifs
    }
    /// Somebody else's transmission began at `busy`: takes off what was counted until then.
    #[inline]
    pub fn freeze(&mut self, busy: Time, slot: Span) {
        if self.ready && busy < self.access(slot) {
            self.waited += (busy - self.idle_since()).max(Span::ZERO);
        }
        if busy < self.start {
            return;
        }
        let slots = (busy - self.start).ns() / slot.ns() + i64::from(self.counts_boundary);
        self.backoff -= slots.min(i64::from(self.backoff)) as u16;
    }
    /// A new head: the chain starts at its first link.
    pub fn begin(&mut self) {
        self.ready = true;
        self.link = 0;
        self.tries = 0;
        self.rts_failures = 0;
        self.airtime = Span::ZERO;
        self.received = Bitmap::NONE;
        self.waited = Span::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::super::edca::Set;
    use super::*;
    use crate::sim::Streams;

    const SLOT: Span = Span::from_us(9);

    fn be(set: Set) -> Contender {
        let rng = Streams::new(1).get("sta", "backoff");
        Contender::new(StaIx(1), Ac::Be, set.of(Ac::Be), set.counts_boundary(), Span::from_us(16), SLOT, rng)
    }

    #[test]
    fn edca_counts_the_boundary_and_dcf_does_not() {
        for (set, left) in [(Set::Station, 2), (Set::Dcf, 3)] {
            let mut c = be(set);
            c.backoff = 5;
            c.idle_from(Time::ZERO);
            let begin = Time::ZERO + c.aifs;
            assert_eq!(c.access(SLOT), begin + SLOT * 5);
            c.freeze(begin + SLOT * 2, SLOT);
            assert_eq!(c.backoff, left);
            c.idle_from(Time::from_us(1_000));
            c.freeze(Time::from_us(1_000), SLOT);
            assert_eq!(c.backoff, left, "nothing is counted before AIFS is over");
        }
    }

    #[test]
    fn windows_double_and_start_over() {
        let mut c = be(Set::Station);
        let mut seen = vec![];
        for _ in 0..9 {
            seen.push(c.cw);
            c.failed(7);
        }
        assert_eq!(seen, [15, 31, 63, 127, 255, 511, 1023, 1023, 15]);
    }

    #[test]
    fn a_late_arrival_waits_for_a_boundary() {
        let mut c = be(Set::Station);
        c.arrive(Time::from_us(10), Time::ZERO, SLOT);
        assert_eq!(c.access(SLOT), Time::from_us(43), "within AIFS: its end");
        c.arrive(Time::from_us(44), Time::ZERO, SLOT);
        assert_eq!(c.access(SLOT), Time::from_us(52));
        c.arrive(Time::from_us(52), Time::ZERO, SLOT);
        assert_eq!(c.access(SLOT), Time::from_us(52));
        let mut c = be(Set::Dcf);
        c.arrive(Time::from_us(44), Time::ZERO, SLOT);
        assert_eq!(c.access(SLOT), Time::from_us(44));
    }
}
