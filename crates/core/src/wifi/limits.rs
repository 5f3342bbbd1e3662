//! How much goes into one A-MPDU: window, bytes, airtime, frames.
//!
//! Stands for: 802.11-2020 9.7.1 (A-MPDU contents), 10.12.2 (maximum A-MPDU length), 10.12.3 (minimum MPDU start spacing),
//! 9.4.2.55.3 (A-MPDU parameters: length exponent, spacing).

use super::burst::{Burst, DELIMITER};
use crate::phy::{Band, Mode, psdu_within};
use crate::sim::Span;

/// The limits of one aggregate at one rate. The Block Ack window is not among them: see [`super::TxWindow`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// PSDU bytes at most.
    pub bytes: u32,
    /// MPDUs at most.
    pub frames: u16,
    /// PSDU bytes at least from the start of one MPDU to the start of the next.
    pub spacing: u32,
}

impl Limits {
    /// The limits at `mode`: `bytes` (the peer's maximum A-MPDU length), `airtime` of the PPDU, `frames` (the device's cap)
    /// and the peer's minimum start `spacing`. A mode that does not aggregate takes one frame.
    pub fn new(mode: Mode, bytes: u32, airtime: Span, frames: u16, spacing: Span, band: Band) -> Limits {
        match mode {
            Mode::Dsss(_) | Mode::Ofdm(_) => Limits { bytes: 0, frames: 1, spacing: 0 },
            Mode::Ht(_) | Mode::Vht(_) | Mode::He(_) => Limits {
                bytes: whole(mode, bytes.min(psdu_within(mode, airtime, band))),
                frames,
                spacing: (mode.rate().bps() as i64 * spacing.ns()).div_euclid(8_000_000_000) as u32,
            },
        }
    }
    /// PSDU bytes after a frame of `len` bytes, where `so_far` bytes end with a subframe that began `since` bytes before
    /// the end: empty delimiters fill up to the minimum spacing.
    pub const fn append(&self, so_far: u32, last_len: u16, len: u16) -> u32 {
        if so_far == 0 {
            return Burst::psdu_of(0, len);
        }
        let subframe = (DELIMITER + last_len as u32).next_multiple_of(4);
        let fill = self.spacing.saturating_sub(subframe).next_multiple_of(DELIMITER);
        Burst::psdu_of(so_far.next_multiple_of(4) + fill, len)
    }
    /// Whether an aggregate of `n` frames and `bytes` bytes is allowed. One frame always is.
    pub const fn allow(&self, n: u16, bytes: u32) -> bool {
        n <= 1 || (n <= self.frames && bytes <= self.bytes)
    }
}

/// Of so many PSDU bytes those that an A-MPDU may have: at VHT and HE its last subframe is padded to a word, too, and the padding is on the air.
pub(super) const fn whole(mode: Mode, bytes: u32) -> u32 {
    if matches!(mode, Mode::Vht(_) | Mode::He(_)) { bytes & !3 } else { bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::duration::PPDU_MAX;
    use crate::phy::{Ht, Vht, Width, ppdu};

    /// 4 ms in 1536 + 4 byte frames, 40 MHz, SGI: 4, 9, 14, 19, 29, 38, 43, 48 frames;
    /// 42 at 64 KB. (There 4 ms is the payload alone; with the 36 us preamble every number but one is the same.)
    #[test]
    fn frames_in_4_ms() {
        let frames = |mcs, airtime| {
            let m = Mode::Ht(Ht::new(mcs, true, true).unwrap());
            let l = Limits::new(m, u32::MAX, airtime, 64, Span::ZERO, Band::Ghz5);
            let mut bytes = 0;
            (1u16..)
                .find(|&n| {
                    bytes = l.append(bytes, 1536, 1536);
                    !l.allow(n, bytes)
                })
                .unwrap()
                - 1
        };
        let with_preamble = Span::from_us(4_036);
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|m| frames(m, with_preamble)), [4, 9, 14, 19, 29, 38, 43, 48]);
    }

    #[test]
    fn spacing_fills_short_frames() {
        let m = Mode::Ht(Ht::new(7, true, true).unwrap());
        let l = Limits::new(m, 65_535, Span::from_ms(4), 64, Span::from_us(8), Band::Ghz5);
        assert_eq!(l.spacing, 150, "8 us at 150 Mbit/s");
        let one = l.append(0, 0, 90);
        assert_eq!(one, 94);
        // The first subframe takes 96 with padding; 54 more, in delimiters 56, until the next may start.
        assert_eq!(l.append(one, 90, 90), 96 + 56 + 94);
        assert_eq!(l.append(1542, 1538, 1538), 1544 + 1542, "long frames need nothing");
    }

    /// Worked by hand. VHT MCS 1, two streams, 80 MHz: 468 bits in 4 us, and 5484 us less 44 of preamble are 1360 symbols, less 22 bits 79557
    /// bytes. An A-MPDU of as many is padded to 79560, which takes a symbol more: 5488 us, more than any PPDU may.
    #[test]
    fn the_padding_of_the_last_word_is_within_the_limits() {
        let m = Mode::Vht(Vht::new(1, 2, Width::Mhz80, false).unwrap());
        assert_eq!(psdu_within(m, PPDU_MAX, Band::Ghz5), 79_557);
        assert!(ppdu(m, 79_557, Band::Ghz5) == PPDU_MAX && ppdu(m, 79_560, Band::Ghz5) == Span::from_us(5_488));
        let l = Limits::new(m, u32::MAX, PPDU_MAX, 256, Span::ZERO, Band::Ghz5);
        assert!(l.allow(2, 79_556) && !l.allow(2, 79_557));
        let l = Limits::new(m, 8_191, PPDU_MAX, 256, Span::ZERO, Band::Ghz5);
        assert!(!l.allow(2, 8_189), "nor has its receiver agreed to 8192 bytes");
        let h = Mode::Ht(Ht::new(7, true, true).unwrap());
        assert_eq!(Limits::new(h, 65_535, PPDU_MAX, 64, Span::ZERO, Band::Ghz5).bytes, 65_535, "HT pads nothing");
    }
}
