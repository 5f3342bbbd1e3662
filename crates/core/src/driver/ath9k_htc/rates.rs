//! The firmware's rate chain and the aggregate size that it allows, for a fixed first rate.
//!
//! Stands for: open-ath9k-htc-firmware target_firmware/wlan/ratectrl_11n_ln.c rcRateFind_11n (ten tries on four links, each a
//! step down the table of valid rates) and ar5416Phy.c ar5416_11ngRateTable (K2), if_owl.c ath_lookup_rate (limits).
//!
//! Differs from it: D1 the first link's rate is given, not searched, and never probed.

use crate::phy::{Ht, Mode, Ofdm};
use crate::wifi::{Attempt, Chain};

/// Bytes of an aggregate by MCS at 40 MHz, long guard interval ("4ms tx limit" of the table).
const HT40: [u32; 8] = [6_684, 13_368, 20_052, 26_738, 40_104, 53_476, 60_156, 66_840];
/// The same with the short guard interval, which the table has from MCS 4 on.
const HT40_SGI: [u32; 4] = [44_590, 59_450, 66_840, 74_200];
/// At 20 MHz. MCS 0 is not valid there; its row is kept for a fixed rate.
const HT20: [u32; 8] = [3_216, 6_434, 9_650, 12_868, 19_304, 25_740, 28_956, 32_200];
/// The same with the short guard interval.
const HT20_SGI: [u32; 4] = [21_460, 28_620, 32_200, 35_750];

/// The largest aggregate at `mode`; none if it cannot carry one. Multi-stream modes, which the AR9271 lacks, have their
/// single-stream relative's limit.
fn limit(mode: Mode) -> Option<u32> {
    let Mode::Ht(h) = mode else { return None };
    let m = usize::from(h.mcs() % 8);
    let sgi = h.sgi && m >= 4;
    Some(match (h.mhz40, sgi) {
        (true, true) => HT40_SGI[m - 4],
        (true, false) => HT40[m],
        (false, true) => HT20_SGI[m - 4],
        (false, false) => HT20[m],
    })
}

/// The next lower valid rate: the same MCS with the long guard interval, then the MCS below.
fn step_down(mode: Mode, sgi: bool) -> Mode {
    let Mode::Ht(h) = mode else {
        let Mode::Ofdm(r) = mode else { return mode };
        return Mode::Ofdm(Ofdm::ALL[(r as usize).saturating_sub(1)]);
    };
    let lower = |mcs: u8, s: bool| Ht::new(mcs, h.mhz40, s).map_or(mode, Mode::Ht);
    match (h.mcs() % 8, h.sgi) {
        (4.., true) => lower(h.mcs(), false),
        (0, _) => lower(h.mcs(), false),
        (m, _) => lower(h.mcs() - 1, sgi && m > 4),
    }
}

/// The chain that begins with `mode`: two tries on each of three links, four on the last.
pub fn chain(mode: Mode) -> Chain {
    let sgi = matches!(mode, Mode::Ht(h) if h.sgi);
    let mut c = [Attempt { mode, tries: 2 }; 4];
    for i in 1..4 {
        c[i].mode = step_down(c[i - 1].mode, sgi);
    }
    c[3].tries = 4;
    c
}

/// Bytes that an aggregate sent by `chain` may have; 0: no aggregate.
pub fn aggregate_limit(chain: &Chain, cap: u32) -> u32 {
    chain.iter().filter(|a| a.tries > 0).map(|a| limit(a.mode).unwrap_or(0)).fold(cap, u32::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_from_150_mbit() {
        // Table rows 44, 43, 42, 41 in the order of their user rates: 122000, 112000, 111900, 102700.
        let m = |n, s| Mode::Ht(Ht::new(n, true, s).unwrap());
        let c = chain(m(7, true));
        assert_eq!(c.map(|a| a.mode), [m(7, true), m(7, false), m(6, true), m(6, false)]);
        assert_eq!(c.map(|a| a.tries), [2, 2, 2, 4]);
        assert_eq!(aggregate_limit(&c, 65_535), 60_156);
    }

    #[test]
    fn slow_rates_limit_the_aggregate() {
        let c = chain(Mode::Ht(Ht::new(0, true, false).unwrap()));
        assert_eq!(aggregate_limit(&c, 65_535), 6_684, "four full frames");
        assert_eq!(aggregate_limit(&chain(Mode::Ofdm(Ofdm::R54)), 65_535), 0);
    }
}
