//! The mode that carries most through the channel as it is: what a rate control can be at best, for none asks the channel.
//!
//! Stands for: the firmware of cards that choose their rates by themselves (ath10k, mt76), whose rate control is closed; and for what others are
//! measured against (as ns-3's `IdealWifiManager`). The medium tells what was best as a PPDU to that peer went on the air
//! ([`Ideal::learn`]); the next one that is formed goes out with it. Best is the largest product of the data rate and the probability that a full
//! MPDU arrives ([`Channel::best`](crate::phy::channel::Channel::best)), among the MCSs and streams of the link's standard, at the link's width and guard interval.
//!
//! Differs: D1 no real firmware knows this, nor changes its rate with each PPDU; D2 neither preamble, contention nor the length of the
//! aggregate enters; D3 it never tries anything, and a collision tells it nothing; D4 before the first PPDU it has the slowest mode.

use super::{Choice, Control, Went, fixed};
use crate::phy::Mode;
use crate::sim::Time;
use crate::wifi::{Mark, StaIx};

/// A device's: chains as of `fixed`, at the mode that is best now.
#[derive(Clone, Debug)]
pub struct Ideal {
    chains: fixed::Fixed,
}

impl Ideal {
    /// To station `i` with at most the streams of `most[i]`, at its width and guard interval.
    pub fn new(par: &fixed::Params, most: &[Mode]) -> Ideal {
        let slowest = most.iter().map(|m| m.up_to().next().unwrap_or(*m)).collect();
        Ideal { chains: fixed::Fixed::new(par, slowest) }
    }
    /// This would have been best for what has just been sent to `to`.
    pub fn learn(&mut self, to: StaIx, best: Mode) {
        self.chains.set(to, best);
    }
}

impl Control for Ideal {
    fn choose(&mut self, now: Time, to: StaIx, mark: Mark) -> Choice {
        self.chains.choose(now, to, mark)
    }
    fn report(&mut self, _now: Time, _to: StaIx, _went: &Went<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Ht, Vht, Width};

    #[test]
    fn begins_slowly_and_goes_where_it_is_told() {
        let most = Mode::Vht(Vht::new(9, 2, Width::Mhz80, true).unwrap());
        let mut c = Ideal::new(&fixed::Params::default(), &[most]);
        let first = |c: &mut Ideal| c.choose(Time::ZERO, StaIx(0), Mark::NONE).chain[0].mode;
        assert_eq!(first(&mut c), Mode::Vht(Vht::new(0, 1, Width::Mhz80, true).unwrap()));
        c.learn(StaIx(0), most);
        assert_eq!(first(&mut c), most);
    }

    #[test]
    fn a_link_has_the_modes_of_its_standard() {
        let of = |m: Mode| m.up_to().map(|m| (m.streams(), m.mcs())).collect::<Vec<_>>();
        let vht20 = Mode::Vht(Vht::new(3, 2, Width::Mhz20, false).unwrap());
        assert_eq!(of(vht20).len(), 18, "802.11ac has no MCS 9 of one or two streams at 20 MHz");
        let ht = Mode::Ht(Ht::new(12, true, true).unwrap());
        assert_eq!((of(ht).len(), of(ht)[15]), (16, (2, 15)));
        assert!(ht.up_to().all(|m| m.mhz() == 40 && m.short_gi()));
    }
}
