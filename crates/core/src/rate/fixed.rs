//! One rate, whatever happens.
//!
//! Stands for: Linux net/mac80211/rc80211_minstrel_ht.c with `fixed_rate_idx` set (minstrel_ht_update_rates fills every link
//! of the chain with that rate; minstrel_ht_set_rate protects all but the first by RTS).
//! Differs: D1 the tries a link are a constant (minstrel_calc_retransmit: as many as fit into 6 ms, 2 to 7).

use super::{Choice, Control, Went};
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
}

impl Fixed {
    /// `modes[i]` to station `i`.
    pub fn new(par: &Params, modes: Vec<Mode>) -> Fixed {
        Fixed { par: *par, modes }
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
    fn report(&mut self, _now: Time, _to: StaIx, _went: &Went<'_>) {}
}
