//! One rate, whatever happens.
//!
//! Stands for: Linux net/mac80211/rc80211_minstrel_ht.c with `fixed_rate_idx` set (minstrel_ht_update_rates fills every link
//! of the chain with that rate; minstrel_ht_set_rate protects all but the first by RTS).
//! Minstrel-HT is told of what goes out all the same, for older kernels' CoDel asks it what it expects ([`Fixed::told`]).
//! Differs: D1 the tries a link are a constant (minstrel_calc_retransmit: as many as fit into 6 ms, 2 to 7).

use super::{Choice, Control, Went, minstrel_ht};
use crate::phy::Mode;
use crate::sim::Time;
use crate::wifi::{Attempt, Mark, StaIx};

crate::params! {
    /// A fixed rate's chain.
    pub struct Params {
        /// Links of the chain, all with the same rate.
        links: u8 = 4, in 1 => 4, src "linux@6.12 ath9k/init.c hw->max_rates";
        /// Tries a link.
        tries: u8 = 4, in 1 => 13, src "linux@6.12 rc80211_minstrel_ht.c minstrel_calc_retransmit: what fits into 6 ms of 32 frames at 300 Mbit/s";
        /// Protects every link but the first by RTS/CTS.
        rts_fallback: bool = true, src "linux@6.12 rc80211_minstrel_ht.c minstrel_ht_set_rate";
    }
}

/// The rates by station.
#[derive(Clone, Debug)]
pub struct Fixed {
    par: Params,
    modes: Vec<Mode>,
    told: Option<Box<minstrel_ht::Control>>,
}

impl Fixed {
    /// `modes[i]` to station `i`.
    pub fn new(par: &Params, modes: Vec<Mode>) -> Fixed {
        Fixed { par: *par, modes, told: None }
    }
    /// Who is told how each burst went, though it chooses nothing.
    pub(super) fn told(&mut self, minstrel: minstrel_ht::Control) {
        self.told = Some(Box::new(minstrel));
    }
    /// See [`Rates::bar`](super::Rates::bar).
    pub(super) fn bar(&mut self, now: Time, to: StaIx, acked: bool) {
        if let Some(minstrel) = &mut self.told {
            minstrel.bar(now, to, 1, acked);
        }
    }
    /// What that one expects of the rate, kbit/s.
    pub(super) fn expected_kbit(&self, to: StaIx) -> Option<u32> {
        self.told.as_ref()?.expected_kbit(to)
    }
    /// Another one to `to` from now on.
    pub(super) fn set(&mut self, to: StaIx, mode: Mode) {
        self.modes[to.ix()] = mode;
    }
}

impl Control for Fixed {
    fn choose(&mut self, _now: Time, to: StaIx, _mark: Mark) -> Choice {
        let mut chain = [Attempt::NONE; 4];
        for a in &mut chain[..usize::from(self.par.links)] {
            *a = Attempt { mode: self.modes[to.ix()], tries: self.par.tries };
        }
        Choice { chain, probe: false, rts_fallback: self.par.rts_fallback, first_rts: chain[0].tries }
    }
    fn report(&mut self, now: Time, to: StaIx, went: &Went<'_>) {
        if let Some(minstrel) = &mut self.told {
            minstrel.report(now, to, went);
        }
    }
}
