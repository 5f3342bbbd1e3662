//! Rate control: which rates a transmission is tried at, and what is learnt from how it went.
//!
//! In: a question for every burst ([`Rates::choose`]) and a report for every burst ([`Rates::report`]), as mac80211 asks
//! `rate_control_get_rate` and tells `ieee80211_tx_status`. Out: a rate chain. One file a control; a new one is a file and a
//! line in [`Rates`].

pub mod fixed;
pub mod minstrel_ht;

use crate::phy::Mode;
use crate::sim::Time;
use crate::wifi::{Chain, Report, StaIx};

/// What a burst is to be sent with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Rates and tries.
    pub chain: Chain,
    /// A probe: it goes out alone (IEEE80211_TX_CTL_RATE_CTRL_PROBE).
    pub probe: bool,
    /// The links after the first are protected by RTS/CTS.
    pub rts_fallback: bool,
}

/// How a burst went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Went<'a> {
    /// What it was sent with.
    pub chain: &'a Chain,
    /// What the hardware says, attempt by attempt: see [`Report::link`] and [`Report::tries`].
    pub report: &'a Report,
    /// MPDUs in it.
    pub frames: u16,
    /// Of these, MPDUs that were not acknowledged.
    pub bad: u16,
}

/// The names of all rate controls.
pub fn names() -> &'static [&'static str] {
    &["fixed"]
}

/// A rate control.
pub trait Control {
    /// Which rates for a burst to `to`.
    fn choose(&mut self, now: Time, to: StaIx) -> Choice;
    /// A burst to `to` is over.
    fn report(&mut self, now: Time, to: StaIx, went: &Went<'_>);
}

/// Every rate control.
#[derive(Clone, Debug)]
pub enum Rates {
    /// One rate.
    Fixed(fixed::Fixed),
}

impl Rates {
    /// A fixed rate to each station of the BSS.
    pub fn fixed(p: &fixed::Params, modes: Vec<Mode>) -> Rates {
        Rates::Fixed(fixed::Fixed::new(p, modes))
    }
}

impl Control for Rates {
    fn choose(&mut self, now: Time, to: StaIx) -> Choice {
        match self {
            Rates::Fixed(c) => c.choose(now, to),
        }
    }
    fn report(&mut self, now: Time, to: StaIx, went: &Went<'_>) {
        match self {
            Rates::Fixed(c) => c.report(now, to, went),
        }
    }
}
