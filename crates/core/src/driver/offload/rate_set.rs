//! The rates that a card of MT7603's and MT7615's kind goes through for a station: three of mac80211's table, each tried in turn, and one to probe before them.
//!
//! ```text
//! attempt     1 2      3 4     5 to 8     9 to 12
//! rate        probe    first   second     third      (without a probe the first four are of the first)
//! ```
//!
//! Stands for: linux@6.12 drivers/net/wireless/mediatek/mt76/mt7615/mac.c mt7615_mac_update_rate_desc, mt7615_mac_set_rates, mt7615_fill_txs;
//! MT7615_RATE_RETRY. (mt7603/mac.c mt7603_wtbl_set_rates, mt7603_fill_txs are the same.) The whole A-MPDU goes out at the rate of a probe, whatever frame
//! asked for it, and so do those after it until a status of one comes.
//! Differs: D1 an aggregate goes at the rate to which its oldest MPDU has come, which is taken to be what the hardware does; D2 each MPDU that is over
//! has a status, of the set that it was last sent with (the driver tells sets apart by time); D3 a rate that would be lowered below the lowest of its
//! streams stays (the driver takes one from VHT's number, in which the streams stand above).

use crate::phy::{Ht, Mode, Vht};
use crate::wifi::{Attempt, Chain};

/// Attempts of an entry. src: MT7615_RATE_RETRY
const RETRY: u8 = 2;

/// A station's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RateSet {
    rates: [Mode; 4],
    /// How many mac80211 gave.
    given: u8,
    probe: Option<Mode>,
}

impl RateSet {
    /// Of a station's table, its first three links at most, and the rate to probe.
    pub fn new(table: &Chain, probe: Option<Mode>) -> RateSet {
        let given = table.iter().take(3).take_while(|a| a.tries > 0).count().max(1);
        let mut rates: [Mode; 4] = core::array::from_fn(|i| table[i.min(given - 1)].mode);
        // No two guard intervals in a set, so that statuses can be told apart; and no rate twice.
        let short = probe.unwrap_or(rates[0]).short_gi();
        for i in 0..rates.len() {
            rates[i] = at_gi(rates[i], short);
            for j in 0..i {
                if (number(rates[i]), rates[i].mhz()) == (number(rates[j]), rates[j].mhz()) {
                    rates[i] = lower(rates[i]);
                }
            }
        }
        RateSet { rates, given: given as u8, probe }
    }
    /// What the attempt after so many goes out at.
    pub fn at(&self, before: u8) -> Mode {
        match (before / RETRY, self.probe) {
            (0, Some(probe)) => probe,
            (entry, _) => self.rates[usize::from(entry / 2).min(3)],
        }
    }
    /// Attempts in all (`rate_count`).
    pub const fn tries(&self) -> u8 {
        2 * RETRY * self.given
    }
    /// Whether it probes.
    pub const fn probes(&self) -> bool {
        self.probe.is_some()
    }
    /// What the driver tells mac80211 of an MPDU that was sent `count` times, last at `last`: the links that were tried, and which of them was the last.
    pub fn status(&self, count: u8, last: Mode) -> (Chain, u8) {
        let mut chain = [Attempt::NONE; 4];
        chain[0] = Attempt { mode: self.at(0), tries: 0 };
        let (mut i, mut left) = (0, count);
        for entry in 0..=(count.saturating_sub(1) / RETRY).min(7) {
            let mode = self.rates[usize::from(entry / 2)];
            if entry > 0 && mode != chain[i].mode {
                if i + 1 == chain.len() {
                    break;
                }
                i += 1;
                chain[i] = Attempt { mode, tries: 0 };
            }
            let now = left.min(RETRY);
            chain[i].tries += now;
            left -= now;
        }
        chain[i].mode = last;
        (chain, i as u8)
    }
}

/// As mac80211 numbers a rate of its kind: VHT's streams stand above its MCS.
fn number(m: Mode) -> u32 {
    match m {
        Mode::Vht(v) => (v.streams() - 1) << 4 | u32::from(v.mcs()),
        m => m.mcs().into(),
    }
}

fn at_gi(m: Mode, short: bool) -> Mode {
    match m {
        Mode::Ht(h) => Ht::new(h.mcs(), h.mhz40, short).map_or(m, Mode::Ht),
        Mode::Vht(v) => Vht::new(v.mcs(), v.streams() as u8, v.width, short).map_or(m, Mode::Vht),
        m => m,
    }
}

/// One MCS less.
fn lower(m: Mode) -> Mode {
    let less = |mcs: u8| mcs.checked_sub(1);
    match m {
        Mode::Ht(h) => less(h.mcs()).and_then(|mcs| Ht::new(mcs, h.mhz40, h.sgi)).map_or(m, Mode::Ht),
        Mode::Vht(v) => {
            less(v.mcs()).and_then(|mcs| Vht::new(mcs, v.streams() as u8, v.width, v.sgi)).map_or(m, Mode::Vht)
        }
        m => m,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Width;

    fn vht(mcs: u8, streams: u8, sgi: bool) -> Mode {
        Mode::Vht(Vht::new(mcs, streams, Width::Mhz80, sgi).unwrap())
    }
    fn set(probe: Option<Mode>) -> RateSet {
        let link = |mode, tries| Attempt { mode, tries };
        RateSet::new(
            &[link(vht(7, 2, true), 5), link(vht(7, 2, true), 4), link(vht(4, 1, false), 7), Attempt::NONE],
            probe,
        )
    }

    #[test]
    fn a_rate_that_stands_there_twice_is_lowered_and_all_have_one_guard_interval() {
        let s = set(None);
        let used: Vec<Mode> = (0..s.tries()).map(|k| s.at(k)).collect();
        assert_eq!(used.len(), 12);
        assert!(used[..4].iter().all(|&m| m == vht(7, 2, true)));
        assert!(used[4..8].iter().all(|&m| m == vht(6, 2, true)));
        assert!(used[8..].iter().all(|&m| m == vht(4, 1, true)));
    }

    #[test]
    fn a_probe_stands_before_the_others() {
        let s = set(Some(vht(8, 2, false)));
        assert_eq!([0, 1, 2, 3, 4].map(|k| s.at(k).mcs()), [8, 8, 7, 7, 6]);
        assert!(!s.at(2).short_gi(), "its guard interval is the set's");
        let (chain, last) = s.status(1, vht(8, 2, false));
        assert_eq!((chain[0], last), (Attempt { mode: vht(8, 2, false), tries: 1 }, 0));
        let (chain, last) = s.status(5, s.at(4));
        let tries = chain.map(|a| (a.mode.mcs(), a.tries));
        assert_eq!((&tries[..3], last), (&[(8, 2), (7, 2), (6, 1)][..], 2));
    }

    #[test]
    fn the_first_four_attempts_are_one_link() {
        let (chain, last) = set(None).status(6, vht(6, 2, true));
        assert_eq!((chain[0].tries, chain[1].tries, last), (4, 2, 1));
    }
}
