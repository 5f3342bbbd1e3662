//! How long a PPDU is on the air, and the interframe spaces.
//!
//! Stands for: IEEE 802.11-2020 17.4.3 (OFDM TXTIME), 19.4.3 equations 19-90 and 19-91 (HT mixed format, with the short
//! guard interval's rounding to whole 4 us), 21.4.3 equations 21-106 to 21-109 (VHT), table 17-21 and 19-25 (PHY
//! characteristics), 18.3.2.4 (signal extension). HE is [`super::he_duration`]'s.
//! Differs: D1 HT's number of encoders (N_ES) is told from the bits a symbol, which agrees with every table of 19.5;
//! D2 no propagation delay; D3 a VHT PSDU is given with its last subframe's padding, and takes no further one.

use super::fields::{SERVICE, TAIL, training_fields};
use super::he_duration;
use super::mode::{Band, Ht, Mode, Ofdm};
use super::vht::Vht;
use crate::sim::Span;

/// Legacy short and long training fields and SIGNAL, before every OFDM and HT mixed PPDU.
pub const LEGACY_PREAMBLE: Span = Span::from_us(8 + 8 + 4);
/// aRxPHYStartDelay of the OFDM PHY at 20 MHz: when a non-HT response shows at the latest.
pub const RX_PHY_START_DELAY: Span = Span::from_us(20);
/// aCCATime: how long a transmission goes unnoticed. src: 802.11-2020 table 17-21 (less than 4 us)
pub const CCA_TIME: Span = Span::from_us(4);

impl Band {
    /// Short interframe space.
    pub const fn sifs(self) -> Span {
        match self {
            Band::Ghz2 => Span::from_us(10),
            Band::Ghz5 => Span::from_us(16),
        }
    }
    /// Slot time (the short one at 2.4 GHz; beside 802.11b stations it is [`dsss::SLOT`](super::dsss::SLOT)).
    pub const fn slot(self) -> Span {
        Span::from_us(9)
    }
    /// The silence after a PPDU at 2.4 GHz that makes up for the shorter SIFS.
    pub const fn signal_extension(self) -> Span {
        match self {
            Band::Ghz2 => Span::from_us(6),
            Band::Ghz5 => Span::ZERO,
        }
    }
}

/// Convolutional encoders (N_ES). src: 802.11-2020 tables 19-27 to 19-38
const fn encoders(h: Ht) -> u32 {
    // Two from 300 Mbit/s (long guard interval) on: 1080 data bits a 4 us symbol is 270 Mbit/s, still one.
    if h.bits_per_symbol() > 1200 { 2 } else { 1 }
}

/// Preamble and headers of an HT mixed format PPDU: legacy part, HT-SIG, HT-STF, and an HT-LTF for each stream (four for three).
pub const fn ht_preamble(streams: u32) -> Span {
    let ltf = if streams == 3 { 4 } else { streams as i64 };
    Span::from_us(20 + 8 + 4 + 4 * ltf)
}

/// Preamble and headers of a VHT PPDU: legacy part, VHT-SIG-A, VHT-STF, VHT-LTFs, VHT-SIG-B.
pub const fn vht_preamble(streams: u32) -> Span {
    Span::from_us(20 + 8 + 4 + 4 * training_fields(streams) + 4)
}

/// The longest HT, VHT and HE PPDU (aPPDUMaxTime). src: 802.11-2020 tables 19-25 and 21-29, 802.11ax-2021 table 27-54
pub const PPDU_MAX: Span = Span::from_us(5_484);

/// What HT and VHT have in common: preamble, then symbols of 4 us or, with the short guard interval, of 3.6 us.
struct Symbols {
    preamble: Span,
    bits: u32,
    encoders: u32,
    sgi: bool,
}

impl From<Ht> for Symbols {
    fn from(h: Ht) -> Symbols {
        let bits = h.bits_per_symbol();
        Symbols { preamble: ht_preamble(h.streams()), bits, encoders: encoders(h), sgi: h.sgi }
    }
}

impl From<Vht> for Symbols {
    fn from(v: Vht) -> Symbols {
        let bits = v.bits_per_symbol();
        Symbols { preamble: vht_preamble(v.streams()), bits, encoders: v.encoders(), sgi: v.sgi }
    }
}

impl Symbols {
    fn duration(&self, psdu: u32) -> Span {
        let bits = SERVICE + 8 * psdu + TAIL * self.encoders;
        let n = i64::from(bits.div_ceil(self.bits));
        let data = if self.sgi { (n * 3_600 + 3_999) / 4_000 * 4_000 } else { n * 4_000 };
        self.preamble + Span::from_ns(data)
    }
    fn within(&self, limit: Span) -> u32 {
        let left = (limit - self.preamble).ns();
        if left < 4_000 {
            return 0;
        }
        // With the short guard interval the payload is rounded up to 4 us, so round the room down to that first.
        let n = if self.sgi { left / 4_000 * 4_000 / 3_600 } else { left / 4_000 };
        ((n * i64::from(self.bits) - i64::from(SERVICE + TAIL * self.encoders)) / 8).max(0) as u32
    }
}

/// Duration of a PPDU of `psdu` bytes, from the first of the preamble to the last of the signal extension.
pub fn ppdu(mode: Mode, psdu: u32, band: Band) -> Span {
    let span = match mode {
        Mode::Dsss(h) => return h.frame(psdu),
        Mode::Ofdm(r) => {
            let bits = SERVICE + 8 * psdu + TAIL;
            LEGACY_PREAMBLE + Span::from_ns(4_000 * i64::from(bits.div_ceil(r.bits_per_symbol())))
        }
        Mode::Ht(h) => Symbols::from(h).duration(psdu),
        Mode::Vht(v) => Symbols::from(v).duration(psdu),
        Mode::He(h) => he_duration::duration(h, psdu),
    };
    span + band.signal_extension()
}

/// The most PSDU bytes that an HT, VHT or HE PPDU of at most `limit` can carry; 0 if not even the preamble fits, and for a mode
/// that does not aggregate.
pub fn psdu_within(mode: Mode, limit: Span, band: Band) -> u32 {
    let limit = limit - band.signal_extension();
    match mode {
        Mode::Dsss(_) | Mode::Ofdm(_) => 0,
        Mode::Ht(h) => Symbols::from(h).within(limit),
        Mode::Vht(v) => Symbols::from(v).within(limit),
        Mode::He(h) => he_duration::within(h, limit),
    }
}

/// Duration of a control frame or other non-HT frame.
pub fn non_ht(rate: Ofdm, bytes: u32, band: Band) -> Span {
    ppdu(Mode::Ofdm(rate), bytes, band)
}

#[cfg(test)]
mod tests {
    use super::super::vht::Width;
    use super::*;

    fn ht(mcs: u8, mhz40: bool, sgi: bool) -> Mode {
        Mode::Ht(Ht::new(mcs, mhz40, sgi).unwrap())
    }

    /// Worked by hand: 16 + 8 n + 6 bits, divided by N_DBPS, rounded up, times 4 us, plus 20 us.
    #[test]
    fn control_frames() {
        for (rate, bytes, us) in [
            (Ofdm::R24, 14, 28), // 134 / 96 -> 2
            (Ofdm::R24, 32, 32), // 278 / 96 -> 3
            (Ofdm::R24, 20, 28), // 182 / 96 -> 2
            (Ofdm::R12, 14, 32), // 134 / 48 -> 3
            (Ofdm::R12, 32, 44), // 278 / 48 -> 6
            (Ofdm::R6, 14, 44),  // 134 / 24 -> 6
            (Ofdm::R6, 32, 68),  // 278 / 24 -> 12
        ] {
            assert_eq!(non_ht(rate, bytes, Band::Ghz5), Span::from_us(us), "{rate:?} {bytes}");
        }
        assert_eq!(non_ht(Ofdm::R24, 14, Band::Ghz2), Span::from_us(34), "with signal extension");
    }

    #[test]
    fn data_frames() {
        let d = |m, n| ppdu(m, n, Band::Ghz5);
        // 1536 bytes at 54 Mbit/s: 12310 / 216 -> 57 symbols; at 6: 12310 / 24 -> 513.
        assert_eq!(d(Mode::Ofdm(Ofdm::R54), 1536), Span::from_us(248));
        assert_eq!(d(Mode::Ofdm(Ofdm::R6), 1536), Span::from_us(2072));
        // 1538 bytes, MCS 7, 40 MHz: 12326 / 540 -> 23 symbols; SGI 82.8 -> 84 us; LGI 92 us; preamble 36 us.
        assert_eq!(d(ht(7, true, true), 1538), Span::from_us(120));
        assert_eq!(d(ht(7, true, false), 1538), Span::from_us(128));
        // 42 subframes, 64846 bytes, MCS 6: 518790 / 486 -> 1068 symbols, 3844.8 -> 3848 us.
        assert_eq!(d(ht(6, true, true), 64_846), Span::from_us(3884));
        // Two streams: 40 us of preamble; three have four HT-LTFs like four: 48 us.
        assert_eq!(d(ht(15, true, true), 1538), Span::from_us(40 + 44)); // 12326 / 1080 -> 12, 43.2 -> 44
        assert_eq!(ht_preamble(3), ht_preamble(4));
        // MCS 31 at 40 MHz has two encoders: 16 + 12304 + 12 = 12332 / 2160 -> 6 symbols, 21.6 -> 24 us.
        assert_eq!(d(ht(31, true, true), 1538), Span::from_us(48 + 24));
    }

    #[test]
    fn psdu_within_is_the_inverse() {
        for mcs in 0..32 {
            for (w, s) in [(false, false), (false, true), (true, false), (true, true)] {
                let h = Ht::new(mcs, w, s).unwrap();
                for us in [200, 1_504, 3_008, 4_000, 5_484, 10_000] {
                    let (lim, m) = (Span::from_us(us), Mode::Ht(h));
                    let n = psdu_within(m, lim, Band::Ghz5);
                    assert!(n == 0 || ppdu(m, n, Band::Ghz5) <= lim, "{m:?} {us} {n}");
                    assert!(ppdu(m, n + 1, Band::Ghz5) > lim, "{m:?} {us} {n}: one more byte would fit");
                }
            }
        }
    }

    fn vht(mcs: u8, streams: u8, width: Width, sgi: bool) -> Mode {
        Mode::Vht(Vht::new(mcs, streams, width, sgi).unwrap())
    }

    /// Worked by hand from 21.4.3: 16 + 8 n + 6 N_ES bits, divided by N_DBPS, rounded up; 36 + 4 N_VHT-LTF us before.
    #[test]
    fn vht_frames() {
        use Width::*;
        assert_eq!([1, 2, 3, 4, 5, 6, 7, 8].map(|n| vht_preamble(n).us()), [40, 44, 52, 52, 60, 60, 68, 68]);
        let d = |m, n| ppdu(m, n, Band::Ghz5);
        // 1544 bytes (1538, delimiter, padding), 80 MHz, MCS 9, one stream: 12374 / 1560 -> 8; 28.8 -> 32 us; 32 us.
        assert_eq!(d(vht(9, 1, Mhz80, true), 1_544), Span::from_us(40 + 32));
        assert_eq!(d(vht(9, 1, Mhz80, false), 1_544), Span::from_us(40 + 32));
        // Three streams at 1300 Mbit/s, 64 subframes of 1544: 98816 bytes; 790528 + 16 + 18 = 790562 / 4680 -> 169; 608.4 -> 612.
        assert_eq!(d(vht(9, 3, Mhz80, true), 98_816), Span::from_us(52 + 612));
        // MCS 0, 20 MHz: 12374 / 26 -> 476 symbols, 1904 us.
        assert_eq!(d(vht(0, 1, Mhz20, false), 1_544), Span::from_us(40 + 1_904));
        // Eight streams at 160 MHz: 1048572 bytes; 8388576 + 16 + 72 = 8388664 / 24960 -> 337; 1213.2 -> 1216 us.
        assert_eq!(d(vht(9, 8, Mhz160, true), 1_048_572), Span::from_us(68 + 1_216));
    }

    #[test]
    fn vht_psdu_within_is_the_inverse() {
        for w in Width::ALL {
            for n in 1..=8 {
                for m in (0..10).flat_map(|m| [false, true].map(|s| Vht::new(m, n, w, s))).flatten().map(Mode::Vht) {
                    for lim in [Span::from_us(200), Span::from_us(3_008), PPDU_MAX] {
                        let n = psdu_within(m, lim, Band::Ghz5);
                        assert!(ppdu(m, n, Band::Ghz5) <= lim && ppdu(m, n + 1, Band::Ghz5) > lim, "{m:?} {lim:?} {n}");
                    }
                }
            }
        }
    }
}
