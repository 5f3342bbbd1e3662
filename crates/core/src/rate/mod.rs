//! Rate control: which rates a transmission is tried at, and what is learnt from how it went.
//!
//! In: every frame that leaves mac80211's queues ([`Control::frame`]: `rate_control_get_rate`), a question for every burst
//! ([`Control::choose`]: ath9k's `ath_set_rates`), and a report of every burst that rate control hears of ([`Control::report`]:
//! `ieee80211_tx_status`). Out: a mark on a frame that is to try a rate out, and a rate chain. One file a control; a new one is a
//! file, a name in [`Name`], its parameters in [`Setup`] and a line in each match of [`Rates`].

pub mod aarc;
pub mod aasrc;
#[cfg(test)]
mod battery;
pub mod fixed;
#[cfg(test)]
pub mod given;
pub mod ideal;
pub mod minstrel_ht;

use crate::phy::Mode;
use crate::phy::channel::Feedback;
use crate::sim::{Stream, Time};
use crate::wifi::{Chain, Mark, Report, StaIx};

/// What a burst is to be sent with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Rates and tries.
    pub chain: Chain,
    /// A probe: it goes out alone (IEEE80211_TX_CTL_RATE_CTRL_PROBE).
    pub probe: bool,
    /// The links after the first are protected by RTS/CTS.
    pub rts_fallback: bool,
    /// Tries of the first link where the frame is above the RTS threshold (`count_rts`).
    pub first_rts: u8,
}

/// How a burst went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Went<'a> {
    /// What it was sent with.
    pub chain: &'a Chain,
    /// What the hardware says, attempt by attempt: see [`Report::link`] and [`Report::tries`].
    pub report: &'a Report,
    /// MPDUs in it (`ampdu_len`).
    pub frames: u16,
    /// Of these, MPDUs that were not acknowledged (`ampdu_len - ampdu_ack_len`).
    pub bad: u16,
}

crate::choices! {
    /// A rate control by its name.
    pub enum Name {
        /// One rate, whatever happens.
        Fixed = "fixed",
        /// Linux's own.
        MinstrelHt = "minstrel_ht",
        /// Aggregation Aware Source Rate Control.
        Aasrc = "aasrc",
        /// The same, guided by the receiver's effective SNR.
        Aarc = "aarc",
        /// The same, guided by its SNR.
        AarcSnr = "aarc_snr",
        /// The mode that carries most through the channel as it is, as closed firmware may be taken to choose.
        Ideal = "ideal",
    }
}

/// The names of all rate controls.
pub fn names() -> &'static [&'static str] {
    <Name as crate::sim::params::Value>::names()
}

/// Which rate control a station has, and every control's parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setup {
    /// Which.
    pub control: Name,
    /// `[fixed]`.
    pub fixed: fixed::Params,
    /// `[minstrel_ht]`.
    pub minstrel_ht: minstrel_ht::Params,
    /// `[aasrc]`.
    pub aasrc: aasrc::Params,
    /// `[aarc]`.
    pub aarc: aarc::Params,
    /// What the hardware can do.
    pub hardware: minstrel_ht::Hardware,
    /// CCK rates, if Minstrel-HT has some.
    pub cck: Option<minstrel_ht::Cck>,
    /// Timer ticks a second.
    pub hz: u32,
}

impl Setup {
    /// The most streams that it knows, if it is Minstrel-HT as kernels up to 5.11 have it.
    pub fn old_minstrel_streams(&self) -> Option<u8> {
        let version = self.minstrel_ht.version.or(minstrel_ht::Version::V6_12);
        (self.control == Name::MinstrelHt).then(|| version.old_streams())?
    }
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            control: Name::Fixed,
            fixed: fixed::Params::default(),
            minstrel_ht: minstrel_ht::Params::default(),
            aasrc: aasrc::Params::default(),
            aarc: aarc::Params::default(),
            hardware: minstrel_ht::Hardware::ATH9K,
            cck: None,
            hz: crate::host::Params::default().hz,
        }
    }
}

/// A rate control.
pub trait Control {
    /// A frame to `to` leaves mac80211's queues: the mark of the rate that it is to try out, if it is.
    fn frame(&mut self, _now: Time, _to: StaIx) -> Mark {
        Mark::NONE
    }
    /// Which rates for a burst to `to` whose first frame bears `mark`.
    fn choose(&mut self, now: Time, to: StaIx, mark: Mark) -> Choice;
    /// The chain that a burst to `to` will probably have: what the driver sizes aggregates by that it does not form yet.
    fn expect(&mut self, now: Time, to: StaIx) -> Choice {
        self.choose(now, to, Mark::NONE)
    }
    /// A burst to `to` is over.
    fn report(&mut self, now: Time, to: StaIx, went: &Went<'_>);
}

/// Every rate control.
#[derive(Clone, Debug)]
pub enum Rates {
    /// One rate.
    Fixed(fixed::Fixed),
    /// Linux's own.
    MinstrelHt(Box<minstrel_ht::Control>),
    /// AASRC, AARC, AARC-SNR.
    Aasrc(Box<aasrc::Control>),
    /// What the channel says.
    Ideal(ideal::Ideal),
    /// What a test says.
    #[cfg(test)]
    Given(given::Given),
}

impl Rates {
    /// The control that `setup` names, for a device that sends to station `i` with `modes[i]` (fixed), or with at most its streams,
    /// its width and its guard interval. `random`: what the control draws from.
    pub fn new(setup: &Setup, modes: Vec<Mode>, random: &mut Stream) -> Rates {
        match setup.control {
            Name::Fixed => Rates::fixed(&setup.fixed, modes),
            Name::Ideal => Rates::Ideal(ideal::Ideal::new(&setup.fixed, &modes)),
            Name::MinstrelHt => {
                let Setup { minstrel_ht: par, hardware, cck, hz, .. } = setup;
                let c = minstrel_ht::Control::new(par, *hardware, *cck, &modes, *hz, random);
                Rates::MinstrelHt(Box::new(c))
            }
            Name::Aasrc | Name::Aarc | Name::AarcSnr => {
                let guide = || {
                    let by_snr = setup.control == Name::AarcSnr;
                    let guide = || aarc::Guide::new(&setup.aarc, by_snr, random.clone());
                    setup.control.is_guided().then(guide)
                };
                Rates::Aasrc(Box::new(aasrc::Control::new(&setup.aasrc, &modes, guide)))
            }
        }
    }
    /// Where the rates are fixed: Minstrel-HT is told of them, too, for the throughput that it then expects. Of 802.11n's rates.
    pub fn tell_minstrel(&mut self, setup: &Setup, modes: &[Mode], random: &mut Stream) {
        let streams = setup.minstrel_ht.version.or(minstrel_ht::Version::V6_12).old_streams().unwrap_or(4);
        let known = |m: &Mode| matches!(m, Mode::Ht(_)) && m.streams() as u8 <= streams;
        let Rates::Fixed(c) = self else { return };
        if modes.iter().all(known) {
            c.told(minstrel_ht::Control::told(&setup.minstrel_ht, setup.hardware, modes, setup.hz, random));
        }
    }
    /// What a device sent to `to` before a run begins.
    pub fn before(&mut self, to: StaIx, frames: minstrel_ht::Before) {
        if let Rates::MinstrelHt(c) = self {
            c.before(to, frames);
        }
    }
    /// A frame to `to` enters its TXQ: what it is marked with, where that is the time to ask.
    #[inline]
    pub fn enters(&mut self, now: Time, to: StaIx) -> Option<Mark> {
        match self {
            Rates::MinstrelHt(c) if c.asks_early() => Some(c.frame(now, to)),
            _ => None,
        }
    }
    /// It leaves it, having been marked with `entered` if that was the time.
    #[inline]
    pub fn leaves(&mut self, now: Time, to: StaIx, entered: Mark) -> Mark {
        match self {
            Rates::Fixed(_) | Rates::Aasrc(_) | Rates::Ideal(_) => Mark::NONE,
            Rates::MinstrelHt(c) if c.asks_early() => entered,
            Rates::MinstrelHt(c) => c.frame(now, to),
            #[cfg(test)]
            Rates::Given(_) => entered,
        }
    }
    /// A fixed rate to each station of the BSS.
    pub fn fixed(p: &fixed::Params, modes: Vec<Mode>) -> Rates {
        Rates::Fixed(fixed::Fixed::new(p, modes))
    }
}

impl Rates {
    /// A BAR is over after so many tries, acknowledged or not. To Minstrel-HT it is an A-MPDU of one, at the lowest rate of the band.
    /// src: linux@6.12 net/mac80211/rc80211_minstrel_ht.c minstrel_ht_tx_status
    pub fn bar(&mut self, now: Time, to: StaIx, tries: u8, acked: bool) {
        match self {
            Rates::MinstrelHt(c) => c.bar(now, to, tries, acked),
            Rates::Fixed(c) => c.bar(now, to, acked),
            _ => {}
        }
    }
    /// A receiver tells of a PPDU that it was sent at `mode`; its response came, or not.
    pub fn feedback(&mut self, now: Time, to: StaIx, mode: Mode, answered: bool, f: &Feedback) {
        if let Rates::Aasrc(c) = self {
            c.feedback(now, to, mode, answered, f);
        }
    }
    /// The table of a station that a driver copies (`sta_rate_tbl_update`), and how often it was made anew; of Minstrel-HT only.
    pub fn table(&self, to: StaIx) -> Option<(Chain, u32)> {
        match self {
            Rates::MinstrelHt(c) => Some(c.table(to)),
            _ => None,
        }
    }
    /// The mode that would have been best for what has just been sent to `to`.
    pub fn learn(&mut self, to: StaIx, best: Mode) {
        if let Rates::Ideal(c) = self {
            c.learn(to, best);
        }
    }
    /// The throughput that it expects to `to`, kbit/s, if it is one of those that older kernels choose CoDel's parameters by
    /// (`get_expected_throughput`: Minstrel-HT's).
    pub fn expected_kbit(&self, to: StaIx) -> Option<u32> {
        match self {
            Rates::MinstrelHt(c) => c.expected_kbit(to),
            Rates::Fixed(c) => c.expected_kbit(to),
            _ => None,
        }
    }
    /// What it knows of `to`, a line a rate, where it is Minstrel-HT as it has been since 5.12; and the mean length of an A-MPDU in 4096ths.
    pub fn rc_stats(&self, to: StaIx) -> Option<(Vec<minstrel_ht::RateStats>, u32)> {
        match self {
            Rates::MinstrelHt(c) => c.rc_stats(to),
            Rates::Fixed(_) | Rates::Aasrc(_) | Rates::Ideal(_) => None,
            #[cfg(test)]
            Rates::Given(_) => None,
        }
    }
    /// What it did, if it counts that.
    pub fn counts(&self) -> Option<aasrc::Counts> {
        match self {
            Rates::Aasrc(c) => Some(c.counts()),
            _ => None,
        }
    }
}

impl Name {
    /// Whether closed firmware may have it, too.
    pub const fn is_of_firmware(self) -> bool {
        matches!(self, Name::Fixed | Name::Ideal)
    }
    /// Whether it wants to hear of its receivers' channels.
    pub const fn is_guided(self) -> bool {
        matches!(self, Name::Aarc | Name::AarcSnr)
    }
}

impl Control for Rates {
    #[inline]
    fn frame(&mut self, now: Time, to: StaIx) -> Mark {
        match self {
            Rates::Fixed(_) | Rates::Aasrc(_) | Rates::Ideal(_) => Mark::NONE,
            Rates::MinstrelHt(c) => c.frame(now, to),
            #[cfg(test)]
            Rates::Given(c) => c.frame(now, to),
        }
    }
    fn choose(&mut self, now: Time, to: StaIx, mark: Mark) -> Choice {
        match self {
            Rates::Fixed(c) => c.choose(now, to, mark),
            Rates::MinstrelHt(c) => c.choose(now, to, mark),
            Rates::Aasrc(c) => c.choose(now, to, mark),
            Rates::Ideal(c) => c.choose(now, to, mark),
            #[cfg(test)]
            Rates::Given(c) => c.choose(now, to, mark),
        }
    }
    fn expect(&mut self, now: Time, to: StaIx) -> Choice {
        match self {
            Rates::Aasrc(c) => c.expect(now, to),
            other => other.choose(now, to, Mark::NONE),
        }
    }
    fn report(&mut self, now: Time, to: StaIx, went: &Went<'_>) {
        match self {
            Rates::Fixed(c) => c.report(now, to, went),
            Rates::MinstrelHt(c) => c.report(now, to, went),
            Rates::Aasrc(c) => c.report(now, to, went),
            Rates::Ideal(c) => c.report(now, to, went),
            #[cfg(test)]
            Rates::Given(c) => c.report(now, to, went),
        }
    }
}
