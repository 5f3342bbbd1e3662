//! VHT modes of 802.11ac: MCS 0 to 9, one to eight streams, 20 to 160 MHz.
//!
//! Stands for: IEEE 802.11-2020 clause 21: table 21-5 (data subcarriers), 21.5 tables 21-29 to 21-60 (parameters of every
//! VHT-MCS, encoders and the combinations that are left out).
//! Differs: D1 no STBC and no LDPC (both change at most one symbol); D2 80+80 MHz is 160 MHz (same tables); D3 single user;
//! D4 the number of encoders (N_ES) is the smallest that carries the bits and divides coded and data bits evenly, which is
//! what every table has.

use crate::sim::Rate;

/// Channel width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Width {
    /// 20 MHz: 52 data subcarriers.
    Mhz20,
    /// 40 MHz: 108.
    Mhz40,
    /// 80 MHz: 234.
    Mhz80,
    /// 160 MHz: 468.
    Mhz160,
}

impl Width {
    /// All, narrowest first.
    pub const ALL: [Width; 4] = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];
    /// The width of that many megahertz, if there is one.
    pub fn from_mhz(mhz: u8) -> Option<Width> {
        Width::ALL.into_iter().find(|w| w.mhz() == mhz)
    }
    /// Megahertz.
    pub const fn mhz(self) -> u8 {
        [20, 40, 80, 160][self as usize]
    }
    /// Data subcarriers (N_SD).
    const fn subcarriers(self) -> u32 {
        [52, 108, 234, 468][self as usize]
    }
}

/// A VHT mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vht {
    mcs: u8,
    streams: u8,
    /// Channel width.
    pub width: Width,
    /// Guard interval of 400 ns instead of 800 ns.
    pub sgi: bool,
    bits: u16,
    encoders: u8,
}

/// The most streams.
pub const STREAMS: u8 = 8;
/// The highest MCS.
pub const MCS: u8 = 9;

/// Bits a subcarrier (N_BPSCS) and the code rate, by MCS.
const CODING: [(u32, u32, u32); 10] =
    [(1, 1, 2), (2, 1, 2), (2, 3, 4), (4, 1, 2), (4, 3, 4), (6, 2, 3), (6, 3, 4), (6, 5, 6), (8, 3, 4), (8, 5, 6)];

/// Data bits that one convolutional encoder takes in a symbol: 540 Mbit/s at 4 us. More encoders stand from there on.
const PER_ENCODER: u32 = 2_160;
impl Vht {
    /// A combination that the standard has, or none.
    pub fn new(mcs: u8, streams: u8, width: Width, sgi: bool) -> Option<Vht> {
        if mcs > MCS || !(1..=STREAMS).contains(&streams) || left_out(mcs, streams, width) {
            return None;
        }
        let (bits, n, d) = CODING[usize::from(mcs)];
        let coded = width.subcarriers() * bits * u32::from(streams);
        let data = coded * n / d;
        let mut encoders = data.div_ceil(PER_ENCODER);
        while data % encoders != 0 || coded % encoders != 0 {
            encoders += 1;
        }
        Some(Vht { mcs, streams, width, sgi, bits: data as u16, encoders: encoders as u8 })
    }
    /// The MCS index, 0 to 9.
    pub const fn mcs(self) -> u8 {
        self.mcs
    }
    /// Spatial streams.
    pub const fn streams(self) -> u32 {
        self.streams as u32
    }
    /// Data bits a symbol (N_DBPS).
    pub const fn bits_per_symbol(self) -> u32 {
        self.bits as u32
    }
    /// Convolutional encoders (N_ES).
    pub const fn encoders(self) -> u32 {
        self.encoders as u32
    }
    /// Data rate, rounded down to a bit a second.
    pub const fn rate(self) -> Rate {
        let per_36us = if self.sgi { 10 } else { 9 }; // symbols of 3.6 or 4 us
        Rate::from_bps(self.bits_per_symbol() as u64 * per_36us * 1_000_000 / 36)
    }
}

/// Combinations that the tables leave out.
fn left_out(mcs: u8, streams: u8, width: Width) -> bool {
    match width {
        Width::Mhz20 => mcs == 9 && streams != 3 && streams != 6,
        Width::Mhz40 => false,
        Width::Mhz80 => (mcs == 6 && (streams == 3 || streams == 7)) || (mcs == 9 && streams == 6),
        Width::Mhz160 => mcs == 9 && streams == 3,
    }
}

/// The highest MCS of 802.11ax (`he`, which builds on this file, has its modes).
const OF_HE: u8 = 11;

/// Why there is no such combination, and what is near, for a person.
pub fn why_not(mcs: u8, streams: u8, width: Width) -> Option<String> {
    if Vht::new(mcs, streams, width, false).is_some() {
        return None;
    }
    if mcs > MCS {
        let whose = if mcs <= OF_HE { "802.11n's and 802.11ax's" } else { "802.11n's" };
        return Some(format!("an MCS of 802.11ac: 0 to {MCS}, with wifi.streams beside it (MCS {mcs} is {whose})"));
    }
    let near: Vec<String> =
        (0..=MCS).filter(|&m| Vht::new(m, streams, width, false).is_some()).map(|m| m.to_string()).collect();
    Some(format!(
        "one of {}: 802.11ac has no MCS {mcs} with {streams} stream{} at {} MHz",
        near.join(", "),
        if streams == 1 { "" } else { "s" },
        width.mhz()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vht(mcs: u8, streams: u8, width: Width, sgi: bool) -> Vht {
        Vht::new(mcs, streams, width, sgi).unwrap()
    }

    /// src: 802.11-2020 tables 21-29 (20 MHz, 1), 21-37 (40, 1), 21-45 (80, 1), 21-47 (80, 3), 21-53 (160, 1)
    #[test]
    fn rates_of_the_standards_tables() {
        use Width::*;
        let kbit = |m, n, w, s| vht(m, n, w, s).rate().bps() / 100_000;
        assert_eq!(kbit(8, 1, Mhz20, false), 780); // 52 * 8 * 3 / 4 = 312 bits in 4 us
        assert_eq!(kbit(0, 1, Mhz20, true), 72);
        assert_eq!(kbit(9, 1, Mhz40, true), 2_000);
        assert_eq!(kbit(9, 1, Mhz80, false), 3_900);
        assert_eq!(kbit(9, 1, Mhz80, true), 4_333);
        assert_eq!(kbit(9, 2, Mhz80, true), 8_666);
        assert_eq!(kbit(9, 3, Mhz80, true), 13_000);
        assert_eq!(kbit(9, 1, Mhz160, true), 8_666);
        assert_eq!(kbit(9, 8, Mhz160, true), 69_333);
    }

    /// src: linux@6.12 net/mac80211/rc80211_minstrel_ht.c minstrel_get_valid_vht_rates; 802.11-2020 table 21-55 for 160 MHz
    #[test]
    fn what_the_tables_leave_out() {
        use Width::*;
        let mut out = Vec::new();
        for w in Width::ALL {
            for n in 1..=STREAMS {
                out.extend((0..=MCS).filter(|&m| Vht::new(m, n, w, true).is_none()).map(|m| (w, n, m)));
            }
        }
        let at_20 = [1, 2, 4, 5, 7, 8].map(|n| (Mhz20, n, 9)).to_vec();
        assert_eq!(out, [at_20, vec![(Mhz80, 3, 6), (Mhz80, 6, 9), (Mhz80, 7, 6), (Mhz160, 3, 9)]].concat());
        assert!(Vht::new(0, 9, Mhz20, true).is_none() && Vht::new(10, 1, Mhz40, true).is_none());
        assert!(why_not(9, 1, Mhz20).unwrap().contains("0, 1, 2, 3, 4, 5, 6, 7, 8: 802.11ac has no MCS 9"));
        assert_eq!(why_not(9, 3, Mhz20), None);
    }

    /// Whole bits a symbol, whatever the combination.
    #[test]
    fn bits_are_whole() {
        for w in Width::ALL {
            for n in 1..=STREAMS {
                for v in (0..=MCS).filter_map(|m| Vht::new(m, n, w, false)) {
                    let (bits, num, den) = CODING[usize::from(v.mcs)];
                    assert_eq!(v.bits_per_symbol() * den, w.subcarriers() * bits * v.streams() * num, "{v:?}");
                }
            }
        }
    }

    /// src: 802.11-2020 tables 21-45 to 21-60; the odd ones as ns-3.44 vht-phy.cc lists them
    #[test]
    fn encoders_of_the_standards_tables() {
        use Width::*;
        assert_eq!(vht(9, 1, Mhz80, true).encoders(), 1); // 1560 bits
        assert_eq!(vht(7, 2, Mhz80, true).encoders(), 2); // 2340
        assert_eq!(vht(9, 3, Mhz80, true).encoders(), 3); // 4680
        assert_eq!(vht(9, 8, Mhz160, true).encoders(), 12); // 24960
        for (w, n, m, encoders) in [
            (Mhz80, 7, 2, 3),
            (Mhz80, 7, 7, 6),
            (Mhz80, 7, 8, 6),
            (Mhz80, 8, 7, 6),
            (Mhz160, 4, 7, 6),
            (Mhz160, 5, 8, 8),
            (Mhz160, 6, 7, 8),
            (Mhz160, 7, 3, 4),
            (Mhz160, 7, 4, 6),
            (Mhz160, 7, 5, 7),
            (Mhz160, 7, 7, 9),
            (Mhz160, 7, 8, 12),
            (Mhz160, 7, 9, 12),
        ] {
            assert_eq!(vht(m, n, w, false).encoders(), encoders, "{w:?}, {n} streams, MCS {m}");
        }
    }
}
