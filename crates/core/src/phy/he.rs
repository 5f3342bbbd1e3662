//! HE modes of 802.11ax: MCS 0 to 11, one to eight streams, 20 to 160 MHz, three guard intervals.
//!
//! Stands for: IEEE 802.11ax-2021 clause 27: table 27-12 (symbol and guard intervals), table 27-33 (a symbol's short part), 27.5 (parameters of every
//! HE-MCS, here those of the RUs that take a whole channel: 242, 484, 996 and 2x996 tones).
//! Differs: D1 single user, over the whole channel: no resource units, no extended range; D2 no DCM, no STBC, no Doppler midambles; D3 80+80 MHz is
//! 160 MHz (same tables).

use super::vht::Width;
use crate::sim::{Rate, Span};

crate::choices! {
    /// The guard interval of an HE PPDU, and with it the length of a symbol.
    pub enum Gi {
        /// 0.8 us, behind HE-LTFs of 2x.
        Us0_8 = "0.8 us",
        /// 1.6 us, behind HE-LTFs of 2x.
        Us1_6 = "1.6 us",
        /// 3.2 us, behind HE-LTFs of 4x.
        Us3_2 = "3.2 us",
    }
}

impl Gi {
    /// How long it is.
    pub const fn span(self) -> Span {
        Span::from_ns(800 << self as u8)
    }
    /// A symbol with it (T_SYM).
    pub const fn symbol(self) -> Span {
        Span::from_ns(12_800 + self.span().ns())
    }
}

/// An HE mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct He {
    mcs: u8,
    streams: u8,
    /// Channel width.
    pub width: Width,
    /// Guard interval.
    pub gi: Gi,
}

/// The most streams.
pub const STREAMS: u8 = 8;
/// The highest MCS.
pub const MCS: u8 = 11;

/// Bits a subcarrier (N_BPSCS) and the code rate, by MCS.
pub const CODING: [(u32, u32, u32); MCS as usize + 1] = [
    (1, 1, 2),
    (2, 1, 2),
    (2, 3, 4),
    (4, 1, 2),
    (4, 3, 4),
    (6, 2, 3),
    (6, 3, 4),
    (6, 5, 6),
    (8, 3, 4),
    (8, 5, 6),
    (10, 3, 4),
    (10, 5, 6),
];
/// Data subcarriers (N_SD), by width.
const SUBCARRIERS: [u32; Width::ALL.len()] = [234, 468, 980, 1960];
/// Those that a quarter of a symbol is taken to be of (N_SD,short). src: 802.11ax-2021 table 27-33
const SHORT: [u32; Width::ALL.len()] = [60, 120, 240, 492];

impl He {
    /// A mode, or none: beyond MCS and streams every combination exists.
    pub const fn new(mcs: u8, streams: u8, width: Width, gi: Gi) -> Option<He> {
        if mcs <= MCS && 1 <= streams && streams <= STREAMS { Some(He { mcs, streams, width, gi }) } else { None }
    }
    /// The MCS index, 0 to 11.
    pub const fn mcs(self) -> u8 {
        self.mcs
    }
    /// Spatial streams.
    pub const fn streams(self) -> u32 {
        self.streams as u32
    }
    /// Data bits that so many subcarriers carry.
    const fn bits(self, subcarriers: u32) -> u32 {
        let (bits, n, d) = CODING[self.mcs as usize];
        subcarriers * bits * self.streams() * n / d
    }
    /// Data bits a symbol (N_DBPS): whole ones.
    pub const fn bits_per_symbol(self) -> u32 {
        self.bits(SUBCARRIERS[self.width as usize])
    }
    /// Data bits of each of the first three of a last symbol's four segments (N_DBPS,short).
    pub const fn bits_per_segment(self) -> u32 {
        self.bits(SHORT[self.width as usize])
    }
    /// Data rate, rounded down to a bit a second. A symbol's part of a bit counts in it, as in the standard's tables (996 tones, MCS 11: 600.5 Mbit/s, of
    /// whole bits 600.4).
    pub const fn rate(self) -> Rate {
        let (bits, n, d) = CODING[self.mcs as usize];
        let coded = SUBCARRIERS[self.width as usize] * bits * self.streams();
        Rate::from_bps(coded as u64 * n as u64 * 1_000_000_000 / (d as u64 * self.gi.symbol().ns() as u64))
    }
    /// Whether it is sent with LDPC, which it has to be beyond 20 MHz, four streams or 256-QAM. src: 802.11ax-2021 27.1.1, 27.3.12.5
    pub const fn ldpc(self) -> bool {
        self.width as u8 > Width::Mhz20 as u8 || self.streams > 4 || self.mcs > 9
    }
}

/// Why there is no such combination, for a person.
pub fn why_not(mcs: u8, streams: u8) -> Option<String> {
    if mcs > MCS {
        return Some(format!("an MCS of 802.11ax: 0 to {MCS}, with wifi.streams beside it (MCS {mcs} is 802.11n's)"));
    }
    (!(1..=STREAMS).contains(&streams)).then(|| format!("1 to {STREAMS} streams, not {streams}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn he(mcs: u8, streams: u8, width: Width, gi: Gi) -> He {
        He::new(mcs, streams, width, gi).unwrap()
    }

    /// src: 802.11ax-2021 27.5; in 100 kbit/s, as they are printed there
    #[test]
    fn rates_of_the_standards_tables() {
        use Gi::*;
        use Width::*;
        for (mcs, n, w, gi, tenths) in [
            (0, 1, Mhz20, Us0_8, 86),
            (0, 1, Mhz20, Us1_6, 81),
            (0, 1, Mhz20, Us3_2, 73),
            (11, 1, Mhz20, Us0_8, 1_434),
            (7, 2, Mhz40, Us0_8, 3_441),
            (5, 3, Mhz40, Us3_2, 3_510),
            (9, 1, Mhz80, Us0_8, 4_804),
            (9, 1, Mhz80, Us1_6, 4_537),
            (11, 1, Mhz80, Us0_8, 6_005),
            (11, 2, Mhz80, Us0_8, 12_010),
            (11, 4, Mhz80, Us0_8, 24_020),
            (11, 2, Mhz160, Us0_8, 24_020),
            (11, 8, Mhz160, Us0_8, 96_078),
            (11, 8, Mhz160, Us3_2, 81_667),
        ] {
            let he = he(mcs, n, w, gi);
            assert_eq!((he.rate().bps() + 50_000) / 100_000, tenths, "{he:?}");
        }
    }

    /// src: 802.11ax-2021 27.5 (N_DBPS of 996 tones, MCS 9: 6533, two streams 13066); linux@6.12 net/mac80211/airtime.c `__EHT_GROUP`
    #[test]
    fn bits_a_symbol() {
        use Width::*;
        let bits = |m, n, w| he(m, n, w, Gi::Us0_8).bits_per_symbol();
        assert_eq!([bits(0, 1, Mhz20), bits(0, 1, Mhz40), bits(0, 1, Mhz80), bits(0, 1, Mhz160)], [117, 234, 490, 980]);
        assert_eq!([bits(11, 1, Mhz20), bits(10, 1, Mhz40), bits(11, 1, Mhz80)], [1_950, 3_510, 8_166]);
        assert_eq!([bits(9, 1, Mhz80), bits(9, 2, Mhz80), bits(9, 2, Mhz160)], [6_533, 13_066, 26_133]);
        assert_eq!(bits(11, 8, Mhz160), 130_666);
    }

    /// Three segments are never more than a symbol, and the fourth is longer by a few bits or shorter.
    #[test]
    fn every_combination_exists() {
        for (w, gi) in Width::ALL.into_iter().flat_map(|w| Gi::ALL.iter().map(move |&gi| (w, gi))) {
            for h in (1..=STREAMS).flat_map(|n| (0..=MCS).map(move |m| he(m, n, w, gi))) {
                assert!(3 * h.bits_per_segment() < h.bits_per_symbol(), "{h:?}");
                let (bits, num, den) = CODING[usize::from(h.mcs)];
                assert_eq!(h.bits_per_segment() * den, SHORT[w as usize] * bits * h.streams() * num, "whole: {h:?}");
            }
        }
        for (m, n) in [(12, 1), (0, 0), (0, 9)] {
            assert!(He::new(m, n, Width::Mhz80, Gi::Us0_8).is_none() && why_not(m, n).is_some());
        }
        assert_eq!(why_not(11, 8), None);
        assert!(why_not(12, 1).unwrap().contains("0 to 11"));
    }

    #[test]
    fn what_is_coded_how() {
        let ldpc = |m, n, w| he(m, n, w, Gi::Us0_8).ldpc();
        assert!(!ldpc(9, 4, Width::Mhz20));
        assert!(ldpc(10, 1, Width::Mhz20) && ldpc(0, 5, Width::Mhz20) && ldpc(0, 1, Width::Mhz40));
    }
}
