//! How a frame was modulated, as radiotap can tell it, and how long it takes.
//!
//! Stands for: 802.11-2020 clauses 16 (DSSS, HR/DSSS), 17 (OFDM), 19 (HT), 21 (VHT).
//! Durations are the model's own. D1 no STBC, no 80+80 MHz; D2 a captured 802.11b frame has the long preamble unless radiotap says that it
//! has the short one, and PBCC of 5.5 and 11 Mbit/s is taken for CCK; D3 of EHT frames nothing is told but that they are such. HE is [`he`](crate::he)'s.

use crate::he::He;
use serde::Serialize;
use wavetank_core::phy::{Band, Ht, Mode, Ofdm, Vht, Width, dsss, duration};
use wavetank_core::sim::Span;

/// A modulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub enum Phy {
    /// DSSS or HR/DSSS: units of 500 kbit/s (2, 4, 11, 22), short preamble.
    Dsss(u8, bool),
    /// OFDM, in units of 500 kbit/s.
    Ofdm(u8),
    /// HT: MCS, 40 MHz, short guard interval.
    Ht(u8, bool, bool),
    /// VHT: MCS, streams, MHz, short guard interval.
    Vht(u8, u8, u16, bool),
    /// HE.
    He(He),
}

impl From<Mode> for Phy {
    fn from(m: Mode) -> Phy {
        match m {
            Mode::Dsss(h) => Phy::legacy((h.rate.bps() / 500_000) as u8, h.short),
            Mode::Ofdm(r) => Phy::Ofdm(r.mbit() as u8 * 2),
            Mode::Ht(h) => Phy::Ht(h.mcs(), h.mhz40, h.sgi),
            Mode::Vht(v) => Phy::Vht(v.mcs(), v.streams() as u8, u16::from(v.width.mhz()), v.sgi),
            Mode::He(h) => Phy::He(h.into()),
        }
    }
}

/// What the model calls these numbers; none where 802.11ac has no such rate.
fn vht(mcs: u8, streams: u8, mhz: u16, sgi: bool) -> Option<Vht> {
    Vht::new(mcs, streams, Width::from_mhz(u8::try_from(mhz).ok()?)?, sgi)
}

impl Phy {
    /// A legacy rate in units of 500 kbit/s; `short`: with the short preamble, which 1 Mbit/s does not have.
    pub const fn legacy(units: u8, short: bool) -> Phy {
        match units {
            2 | 4 | 11 | 22 => Phy::Dsss(units, short && units != 2),
            r => Phy::Ofdm(r),
        }
    }

    /// The same of a capture; none of a rate that is not modelled: PBCC's 22 and 33 Mbit/s, OFDM's of channels of 5 and 10 MHz.
    pub fn captured(units: u8, short: bool) -> Option<Phy> {
        matches!(units, 2 | 4 | 11 | 12 | 18 | 22 | 24 | 36 | 48 | 72 | 96 | 108).then(|| Phy::legacy(units, short))
    }

    /// From radiotap's or any other numbers; none if there is no such modulation.
    pub fn vht(mcs: u8, streams: u8, mhz: u16, sgi: bool) -> Option<Phy> {
        vht(mcs, streams, mhz, sgi).map(|_| Phy::Vht(mcs, streams, mhz, sgi))
    }

    /// Bits a second.
    pub fn rate_bps(self) -> u64 {
        match self {
            Phy::Dsss(r, _) | Phy::Ofdm(r) => u64::from(r) * 500_000,
            Phy::Ht(mcs, w, sgi) => Ht::new(mcs, w, sgi).map_or(0, |h| Mode::Ht(h).rate().bps()),
            Phy::Vht(mcs, n, mhz, sgi) => vht(mcs, n, mhz, sgi).map_or(0, |v| v.rate().bps()),
            Phy::He(h) => h.rate_bps(),
        }
    }

    fn band(mhz: u16) -> Band {
        if (1..3000).contains(&mhz) { Band::Ghz2 } else { Band::Ghz5 }
    }

    /// From the first bit of the preamble to the first bit of the PSDU, ns.
    pub fn preamble_ns(self) -> u64 {
        match self {
            Phy::Dsss(_, short) => dsss::plcp(short).ns() as u64,
            Phy::Ofdm(_) => duration::LEGACY_PREAMBLE.ns() as u64,
            Phy::Ht(mcs, ..) => duration::ht_preamble(u32::from(mcs) / 8 + 1).ns() as u64,
            Phy::Vht(_, n, ..) => duration::vht_preamble(u32::from(n)).ns() as u64,
            Phy::He(h) => h.preamble_ns(),
        }
    }

    /// Time on the air of a PPDU of `psdu` bytes at `mhz`, ns: preamble, data and (2.4 GHz) signal extension.
    pub fn duration_ns(self, psdu: u32, mhz: u16) -> u64 {
        let band = Phy::band(mhz);
        let span: Span = match self {
            Phy::Dsss(r, _) => return self.preamble_ns() + (u64::from(psdu) * 16).div_ceil(u64::from(r)) * 1_000,
            Phy::Ofdm(r) => {
                let rate = Ofdm::from_mbit(u64::from(r) / 2).unwrap_or(Ofdm::R6);
                duration::ppdu(Mode::Ofdm(rate), psdu, band)
            }
            Phy::Ht(mcs, w, sgi) => {
                let h = Ht::new(mcs.min(31), w, sgi).expect("it was bounded");
                duration::ppdu(Mode::Ht(h), psdu, band)
            }
            Phy::Vht(mcs, n, mhz, sgi) => {
                let v = vht(mcs, n, mhz, sgi).expect("it was bounded");
                duration::ppdu(Mode::Vht(v), psdu, band)
            }
            Phy::He(h) => return h.duration_ns(psdu) + band.signal_extension().ns() as u64,
        };
        span.ns() as u64
    }

    /// Whether it is a user's part of a PPDU for, or from, several.
    pub const fn is_multi_user(self) -> bool {
        matches!(self, Phy::He(He { multi_user: true, .. }))
    }

    /// The short interframe space at `mhz`, ns.
    pub fn sifs_ns(mhz: u16) -> u64 {
        Phy::band(mhz).sifs().ns() as u64
    }

    /// The highest mandatory rate at or below the reference rate of this modulation: what answers it if nothing else is known.
    /// src: 802.11-2020 10.6.6.5.2
    pub fn answered_at(self) -> Phy {
        let reference = match self {
            Phy::Dsss(r, _) | Phy::Ofdm(r) => r / 2,
            Phy::Ht(mcs, ..) | Phy::Vht(mcs, ..) | Phy::He(He { mcs, .. }) => {
                match mcs % if matches!(self, Phy::Ht(..)) { 8 } else { 16 } {
                    0 => 6,
                    1 | 2 => 12,
                    _ => 24,
                }
            }
        };
        match reference {
            _ if matches!(self, Phy::Dsss(..)) => Phy::Dsss(2, false),
            24.. => Phy::Ofdm(48),
            12.. => Phy::Ofdm(24),
            6.. => Phy::Ofdm(12),
            _ => Phy::Dsss(2, false),
        }
    }
}

impl core::fmt::Display for Phy {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let gi = |sgi| if sgi { ", short GI" } else { "" };
        match *self {
            Phy::Dsss(r, _) | Phy::Ofdm(r) => write!(f, "{} Mbit/s", f64::from(r) / 2.0),
            Phy::Ht(mcs, w, sgi) => write!(f, "HT MCS {mcs}, {} MHz{}", if w { 40 } else { 20 }, gi(sgi)),
            Phy::He(h) => h.fmt(f),
            Phy::Vht(mcs, n, mhz, sgi) => write!(f, "VHT MCS {mcs} x{n}, {mhz} MHz{}", gi(sgi)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// src: 802.11-2020 tables 21-30, 21-38, 21-46 (VHT); 19-32 (HT)
    #[test]
    fn rates_of_the_standards_tables() {
        assert_eq!(Phy::Vht(9, 1, 80, true).rate_bps(), 433_333_333);
        assert_eq!(Phy::Vht(8, 1, 20, false).rate_bps(), 78_000_000);
        assert_eq!(Phy::Vht(9, 3, 80, true).rate_bps(), 1_300_000_000);
        assert_eq!(Phy::Vht(0, 1, 40, false).rate_bps(), 13_500_000);
        assert_eq!(Phy::Ht(15, true, true).rate_bps(), 300_000_000);
    }

    /// By hand: 1500 bytes at 11 Mbit/s are 1090.9, so 1091 us behind the preamble of 192 or 96 us. 1536 bytes of VHT MCS 9, one stream, 80 MHz,
    /// short GI: 12310 / 1560 -> 8 symbols, 28.8 -> 32 us, behind 40 us.
    #[test]
    fn durations() {
        assert_eq!(Phy::legacy(22, false).duration_ns(1500, 2437), (192 + 1_091) * 1_000);
        assert_eq!(Phy::legacy(22, true).duration_ns(1500, 2437), (96 + 1_091) * 1_000);
        assert_eq!(Phy::legacy(2, true).preamble_ns(), 192_000, "1 Mbit/s has no short preamble");
        assert_eq!(Phy::Vht(9, 1, 80, true).duration_ns(1536, 5180), (40 + 32) * 1_000);
        assert_eq!(Phy::Ofdm(48).duration_ns(32, 5180), 32_000);
        assert_eq!(Phy::Ofdm(48).duration_ns(32, 2437), 38_000, "with signal extension");
    }

    #[test]
    fn answers() {
        for (to, rate) in [
            (Phy::Dsss(2, false), 2),
            (Phy::Dsss(22, true), 2),
            (Phy::Ofdm(12), 12),
            (Phy::Ofdm(36), 24),
            (Phy::Ofdm(108), 48),
            (Phy::Ht(8, false, false), 12),
            (Phy::Ht(2, false, false), 24),
            (Phy::Ht(15, true, true), 48),
        ] {
            assert_eq!(to.answered_at(), Phy::legacy(rate, false), "{to}");
        }
    }
}
