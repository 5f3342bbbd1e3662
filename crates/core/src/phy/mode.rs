//! Transmit modes: the eight OFDM rates of 802.11a/g and the 32 HT MCSs, with width and guard interval ([`super::vht`] and
//! [`super::he`] have the VHT and HE modes).
//!
//! Stands for: IEEE 802.11-2020 clause 17 (OFDM), table 17-4; clause 19 (HT), tables 19-27 to 19-34 (equal modulation).
//! Differs: D1 no unequal modulation (MCS 33-76) and no MCS 32; D2 no STBC and no LDPC (both change at most one symbol).

use super::dsss::{Dsss, Hr};
use super::he::{self, Gi, He};
use super::vht::{self, Vht, Width};
use crate::sim::{Rate, Span};

/// The frequency band, as far as timing and the floor's path loss need it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Band {
    /// 2.4 GHz: SIFS 10 us, and all but 802.11b's frames carry 6 us of signal extension.
    Ghz2,
    /// 5 GHz: SIFS 16 us.
    #[default]
    Ghz5,
}

/// A rate of clause 17 at 20 MHz channel spacing, by its data bits a symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Ofdm {
    /// BPSK 1/2.
    R6,
    /// BPSK 3/4.
    R9,
    /// QPSK 1/2.
    R12,
    /// QPSK 3/4.
    R18,
    /// 16-QAM 1/2.
    R24,
    /// 16-QAM 3/4.
    R36,
    /// 64-QAM 2/3.
    R48,
    /// 64-QAM 3/4.
    R54,
}

impl Ofdm {
    /// All, slowest first.
    pub const ALL: [Ofdm; 8] = [Ofdm::R6, Ofdm::R9, Ofdm::R12, Ofdm::R18, Ofdm::R24, Ofdm::R36, Ofdm::R48, Ofdm::R54];
    /// Megabits a second.
    pub const fn mbit(self) -> u64 {
        [6, 9, 12, 18, 24, 36, 48, 54][self as usize]
    }
    /// Data bits a 4 us symbol (N_DBPS).
    pub const fn bits_per_symbol(self) -> u32 {
        self.mbit() as u32 * 4
    }
    /// The rate of that many megabits a second, if there is one.
    pub fn from_mbit(mbit: u64) -> Option<Ofdm> {
        Ofdm::ALL.into_iter().find(|r| r.mbit() == mbit)
    }
}

/// An HT mode in mixed format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ht {
    mcs: u8,
    /// 40 MHz wide instead of 20.
    pub mhz40: bool,
    /// Guard interval of 400 ns instead of 800 ns.
    pub sgi: bool,
}

impl Ht {
    /// MCS 0 to 31; none above.
    pub const fn new(mcs: u8, mhz40: bool, sgi: bool) -> Option<Ht> {
        if mcs < 32 { Some(Ht { mcs, mhz40, sgi }) } else { None }
    }
    /// The MCS index, 0 to 31.
    pub const fn mcs(self) -> u8 {
        self.mcs
    }
    /// Spatial streams, 1 to 4.
    pub const fn streams(self) -> u32 {
        self.mcs as u32 / 8 + 1
    }
    /// Data bits a symbol (N_DBPS).
    pub const fn bits_per_symbol(self) -> u32 {
        const HT20: [u32; 8] = [26, 52, 78, 104, 156, 208, 234, 260];
        const HT40: [u32; 8] = [54, 108, 162, 216, 324, 432, 486, 540];
        let k = (self.mcs % 8) as usize;
        (if self.mhz40 { HT40[k] } else { HT20[k] }) * self.streams()
    }
}

/// How a PPDU's payload is modulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Clauses 15 and 16: 802.11b.
    Dsss(Hr),
    /// Clause 17 (and clause 18's ERP-OFDM): non-HT.
    Ofdm(Ofdm),
    /// Clause 19, mixed format.
    Ht(Ht),
    /// Clause 21.
    Vht(Vht),
    /// Clause 27, for a single user.
    He(He),
}

impl Mode {
    /// Data rate, rounded down to a bit a second.
    pub const fn rate(self) -> Rate {
        match self {
            Mode::Dsss(h) => Rate::from_bps(h.rate.bps()),
            Mode::Ofdm(r) => Rate::from_mbit(r.mbit()),
            Mode::Ht(h) => {
                let per_36us = if h.sgi { 10 } else { 9 }; // symbols of 3.6 or 4 us
                Rate::from_bps(h.bits_per_symbol() as u64 * per_36us * 1_000_000 / 36)
            }
            Mode::Vht(v) => v.rate(),
            Mode::He(h) => h.rate(),
        }
    }
    /// Whether A-MPDUs may be sent with it.
    pub const fn aggregates(self) -> bool {
        matches!(self, Mode::Ht(_) | Mode::Vht(_) | Mode::He(_))
    }
    /// A number below [`Mode::COUNT`] that no other mode has, for tables and histograms.
    pub const fn number(self) -> usize {
        match self {
            Mode::Ofdm(r) => r as usize,
            Mode::Ht(h) => HT + (h.mcs as usize * 2 + h.mhz40 as usize) * 2 + h.sgi as usize,
            Mode::Vht(v) => {
                let mcs = (v.streams() as usize - 1) * VHT_MCS + v.mcs() as usize;
                VHT + (mcs * WIDTHS + v.width as usize) * 2 + v.sgi as usize
            }
            Mode::Dsss(h) => DSSS + h.rate as usize * 2 + h.short as usize,
            Mode::He(h) => {
                let mcs = (h.streams() as usize - 1) * HE_MCS + h.mcs() as usize;
                HE + (mcs * WIDTHS + h.width as usize) * GIS + h.gi as usize
            }
        }
    }
    /// The mode of that number; none where the standard has none.
    pub fn from_number(n: usize) -> Option<Mode> {
        if n < HT {
            return Some(Mode::Ofdm(Ofdm::ALL[n]));
        }
        if n < VHT {
            let k = n - HT;
            return Ht::new((k / 4) as u8, k / 2 % 2 == 1, k % 2 == 1).map(Mode::Ht);
        }
        if n >= HE {
            let (k, gi) = ((n - HE) / GIS, Gi::ALL[(n - HE) % GIS]);
            let (mcs, width) = (k / WIDTHS, Width::ALL[k % WIDTHS]);
            return He::new((mcs % HE_MCS) as u8, (mcs / HE_MCS + 1) as u8, width, gi).map(Mode::He);
        }
        if n >= DSSS {
            let (rate, short) = (Dsss::ALL[(n - DSSS) / 2], n % 2 == 1);
            return (rate != Dsss::R1 || !short).then_some(Mode::Dsss(Hr { rate, short }));
        }
        let (k, sgi) = ((n - VHT) / 2, (n - VHT) % 2 == 1);
        let (mcs, width) = (k / WIDTHS, Width::ALL[k % WIDTHS]);
        Vht::new((mcs % VHT_MCS) as u8, (mcs / VHT_MCS + 1) as u8, width, sgi).map(Mode::Vht)
    }
    /// How many numbers there are.
    pub const COUNT: usize = HE + he::STREAMS as usize * HE_MCS * WIDTHS * GIS;
    /// The MCS as its standard counts it: 802.11n over all streams, 802.11ac and 802.11ax within one count of streams;
    /// 802.11a and 802.11b: the rate's place.
    pub const fn mcs(self) -> u8 {
        match self {
            Mode::Dsss(h) => h.rate as u8,
            Mode::Ofdm(r) => r as u8,
            Mode::Ht(h) => h.mcs,
            Mode::Vht(v) => v.mcs(),
            Mode::He(h) => h.mcs(),
        }
    }
    /// Spatial streams.
    pub const fn streams(self) -> u32 {
        match self {
            Mode::Dsss(_) | Mode::Ofdm(_) => 1,
            Mode::Ht(h) => h.streams(),
            Mode::Vht(v) => v.streams(),
            Mode::He(h) => h.streams(),
        }
    }
    /// The modes of its standard with at most its streams, at its width and guard interval: by streams, then by MCS. Of 802.11a and b: itself.
    pub fn up_to(self) -> impl Iterator<Item = Mode> {
        let mcs = match self {
            Mode::Dsss(_) | Mode::Ofdm(_) => 1,
            Mode::Ht(_) => 8,
            Mode::Vht(_) => vht::MCS + 1,
            Mode::He(_) => he::MCS + 1,
        };
        let with = move |streams: u8, mcs: u8| match self {
            Mode::Dsss(_) | Mode::Ofdm(_) => Some(self),
            Mode::Ht(h) => Ht::new((streams - 1) * 8 + mcs, h.mhz40, h.sgi).map(Mode::Ht),
            Mode::Vht(v) => Vht::new(mcs, streams, v.width, v.sgi).map(Mode::Vht),
            Mode::He(h) => He::new(mcs, streams, h.width, h.gi).map(Mode::He),
        };
        (1..=self.streams() as u8).flat_map(move |n| (0..mcs).filter_map(move |i| with(n, i)))
    }
    /// Channel width, MHz.
    pub const fn mhz(self) -> u8 {
        match self {
            Mode::Dsss(_) | Mode::Ofdm(_) => 20,
            Mode::Ht(h) => 20 + 20 * h.mhz40 as u8,
            Mode::Vht(v) => v.width.mhz(),
            Mode::He(h) => h.width.mhz(),
        }
    }
    /// The guard interval; none of DSSS.
    pub const fn gi(self) -> Span {
        match self {
            Mode::Dsss(_) => Span::ZERO,
            Mode::Ofdm(_) => Span::from_ns(800),
            Mode::Ht(_) | Mode::Vht(_) => Span::from_ns(if self.short_gi() { 400 } else { 800 }),
            Mode::He(h) => h.gi.span(),
        }
    }
    /// Whether the guard interval is the short one, of 400 ns: none of HE's is.
    pub const fn short_gi(self) -> bool {
        match self {
            Mode::Dsss(_) | Mode::Ofdm(_) | Mode::He(_) => false,
            Mode::Ht(h) => h.sgi,
            Mode::Vht(v) => v.sgi,
        }
    }
}

/// Where numbers of HT, VHT, DSSS and HE modes begin, and what those of VHT and HE are made of. DSSS's begin evenly, so that the short preamble is odd.
const HT: usize = Ofdm::ALL.len();
const VHT: usize = HT + 32 * 4;
const DSSS: usize = VHT + vht::STREAMS as usize * VHT_MCS * WIDTHS * 2;
const HE: usize = DSSS + Dsss::ALL.len() * 2;
const VHT_MCS: usize = vht::MCS as usize + 1;
const HE_MCS: usize = he::MCS as usize + 1;
const WIDTHS: usize = Width::ALL.len();
const GIS: usize = Gi::ALL.len();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_reversible() {
        let all: Vec<Mode> = (0..Mode::COUNT).filter_map(Mode::from_number).collect();
        assert_eq!(all[0], Mode::Ofdm(Ofdm::R6));
        assert_eq!(all.iter().filter(|m| matches!(m, Mode::Ht(_))).count(), 128);
        for (n, m) in (0..Mode::COUNT).filter_map(|n| Some((n, Mode::from_number(n)?))) {
            assert_eq!(m.number(), n, "{m:?}");
        }
        let m = Mode::Ht(Ht::new(15, true, false).unwrap());
        assert_eq!((m.mcs(), m.streams(), m.mhz(), m.short_gi(), m.gi().ns()), (15, 2, 40, false, 800));
    }

    /// Behind all others, whose numbers it leaves as they were.
    #[test]
    fn he_is_numbered_last() {
        let he: Vec<Mode> = (HE..Mode::COUNT).filter_map(Mode::from_number).collect();
        assert_eq!(he.len(), 8 * 12 * 4 * 3);
        assert!(he.iter().all(|m| matches!(m, Mode::He(_)) && m.aggregates() && !m.short_gi()));
        assert!((0..HE).filter_map(Mode::from_number).all(|m| !matches!(m, Mode::He(_))));
        let m = he[he.len() - 1];
        assert_eq!((m.mcs(), m.streams(), m.mhz(), m.gi().ns(), m.rate().bps()), (11, 8, 160, 3_200, 8_166_666_666));
    }

    #[test]
    fn rates_of_the_standards_tables() {
        // src: 802.11-2020 tables 19-27 (20 MHz), 19-31 (40 MHz), 19-32 (40 MHz, two streams)
        let r = |m, w, s| Mode::Ht(Ht::new(m, w, s).unwrap()).rate().bps();
        assert_eq!(r(7, false, false), 65_000_000);
        assert_eq!(r(7, true, true), 150_000_000);
        assert_eq!(r(15, true, true), 300_000_000);
        assert_eq!(r(31, true, true), 600_000_000);
        assert_eq!(r(0, false, true), 7_222_222);
        assert_eq!(Mode::Ofdm(Ofdm::R54).rate().bps(), 54_000_000);
        assert!(Ht::new(32, true, true).is_none());
    }
}
