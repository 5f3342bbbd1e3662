//! Stations that do not hear each other: who senses what, from when on each may count, and what is lost to whom starts into it.
//!
//! All hear the access point, and it hears all. Whoever hears only one side of an exchange has the rest from the Duration field: of the
//! access point's frame, until the end of the *bare* response (what rides on it, HACK, and what makes it late, SoRa, no NAV
//! covers); of a station's, nothing until the access point answers.
//!
//! Stands for: 802.11-2020 10.3.2.1 (physical and virtual carrier sense), 10.3.2.4 (NAV), 10.3.7 (EIFS), 10.3.2.9 (an RTS is as
//! hidden as a frame, its CTS is not).
//! Differs: D1 places are groups: stations of a group hear each other, those of two groups do not. D2 whoever sends into what the access point
//! receives spoils it and is lost himself (no capture), and the two sides take no notice: the one whose response is hit has sent it. D3 nobody
//! starts in the SIFS before a response or a CTS of the access point, though whoever does not hear the frame before could. D4 who hears only
//! frames that are spoilt waits for their end, not EIFS; the access point waits EIFS.

use super::burst::StaIx;
use crate::sim::{Span, Time};

/// What the medium keeps by station where some are hidden from others.
#[derive(Clone, Debug)]
pub(super) struct Hidden {
    groups: u8,
    /// It senses the exchange on the air, whose end it will hear.
    senses: Vec<bool>,
    /// Until when its carrier sense says busy, apart from that.
    busy: Vec<Time>,
    /// From when AIFS counts is new since the contenders were told.
    moved: Vec<bool>,
    /// Until when the access point receives what it cannot decode.
    noise: Time,
}

impl Hidden {
    /// `n` stations in `groups` places, in turn; none if all hear each other.
    pub fn new(groups: u8, n: usize) -> Option<Box<Hidden>> {
        let of = |_| Hidden {
            groups,
            senses: vec![false; n],
            busy: vec![Time::ZERO; n],
            moved: vec![false; n],
            noise: Time::ZERO,
        };
        (groups > 1).then_some(()).map(of).map(Box::new)
    }
    /// Whether `a` hears `b`.
    pub fn hears(&self, a: StaIx, b: StaIx) -> bool {
        a == StaIx::AP || b == StaIx::AP || (a.0 - 1) % self.groups == (b.0 - 1) % self.groups
    }
    pub fn senses(&self, s: StaIx) -> bool {
        self.senses[s.ix()]
    }
    pub fn busy_until(&self, s: StaIx) -> Time {
        self.busy[s.ix()]
    }
    /// Whether the contenders of `s` have to be told of its new reference.
    pub fn moved(&self, s: StaIx) -> bool {
        self.moved[s.ix()]
    }
    pub fn told(&mut self) {
        self.moved.fill(false);
    }
    /// Until when the access point hears what it cannot decode.
    pub fn noise(&self) -> Time {
        self.noise
    }
    fn all(&self) -> impl Iterator<Item = StaIx> + use<> {
        (0..self.senses.len() as u8).map(StaIx)
    }
    /// `s` may count from `at` on, or from when it hears nothing any more.
    pub fn from(&mut self, s: StaIx, at: Time, reference: &mut [Time]) {
        reference[s.ix()] = at.max(self.busy[s.ix()]);
        self.moved[s.ix()] = !self.senses[s.ix()];
    }
    /// An exchange goes on the air that its receiver will answer, by `nav` if the response is bare.
    pub fn exchange(&mut self, from: StaIx, to: StaIx, nav: Time, reference: &mut [Time]) {
        for s in self.all() {
            self.senses[s.ix()] = self.hears(s, from) && self.hears(s, to);
            if self.hears(s, from) && !self.senses[s.ix()] {
                self.busy[s.ix()] = self.busy[s.ix()].max(nav);
                self.from(s, nav, reference);
            }
        }
    }
    /// The access point begins to answer: now all sense the exchange.
    pub fn answers(&mut self) {
        self.senses.fill(true);
    }
    /// The exchange on the air is over: who sensed it may count from `at` on.
    pub fn over(&mut self, at: Time, reference: &mut [Time]) {
        for s in self.all() {
            if core::mem::take(&mut self.senses[s.ix()]) {
                self.from(s, at, reference);
            }
        }
    }
    /// A frame of `from` is on the air until `end` and comes to nothing; who hears it keeps out until `nav`, but for `deaf`, who could
    /// not decode it.
    pub fn spoilt(&mut self, from: StaIx, deaf: Option<StaIx>, end: Time, nav: Time, reference: &mut [Time]) {
        if from != StaIx::AP {
            self.noise = self.noise.max(end);
        }
        for s in self.all() {
            if !self.hears(s, from) {
                continue;
            }
            let until = if Some(s) == deaf || s == StaIx::AP || s == from { end } else { nav };
            self.busy[s.ix()] = self.busy[s.ix()].max(until);
            self.from(s, until, reference);
        }
    }
    /// The access point, which received something that it could not decode, waits EIFS.
    pub fn garbled(&mut self, eifs_less_difs: Span, reference: &mut [Time]) {
        self.from(StaIx::AP, self.noise + eifs_less_difs, reference);
    }
}
