//! How much ath9k puts into one aggregate.
//!
//! Stands for: linux@6.12 drivers/net/wireless/ath/ath9k/xmit.c ath_max_framelen, ath_lookup_rate, ath_compute_num_delims,
//! with the kernel's integers.
//! Differs: D1 no BTCOEX limit; D2 no FIRST_DESC_NDELIMS (RTS on some AR9003).

use super::Params;
use crate::phy::{Ht, Mode};
use crate::rate::Choice;
use crate::sim::Span;
use crate::wifi::Encryption;
use crate::wifi::burst::DELIMITER;
use crate::wifi::encryption::EXTRA_DELIMITERS;

/// src: OFDM_PLCP_BITS
const PLCP_BITS: i32 = 22;
/// src: ATH_AMPDU_LIMIT_MAX
const LIMIT_MAX: u32 = 64 * 1024 - 1;

/// Bytes that `mode` carries in `usec` (`ath_max_framelen`). Where that is less than a preamble or a symbol there are fewer than none,
/// which the table (`max_aggr_framelen`) has as almost 65536.
fn max_framelen(usec: u32, h: Ht) -> u32 {
    let usec = usec as i32 - (8 + 8 + 4 + 8 + 4 + 4 * h.streams()) as i32;
    let symbols = if h.sgi { (usec * 5 - 4) / 18 } else { usec >> 2 };
    let bytes = (symbols * h.bits_per_symbol() as i32 - PLCP_BITS) / 8;
    u32::from(bytes.min(65_532) as u16)
}

/// Bytes of the aggregate that goes with `choice` (`ath_lookup_rate`); 0: a single frame.
pub(super) fn aggr_limit(p: &Params, choice: &Choice, txop: Span) -> u32 {
    let full = p.airtime.us() as u32;
    let txop = txop.us() as u32;
    let usec = if txop == 0 || txop > full { full } else { txop };
    let mut limit = LIMIT_MAX;
    for a in &choice.chain {
        match a.mode {
            _ if a.tries == 0 => {}
            Mode::Dsss(_) | Mode::Ofdm(_) | Mode::Vht(_) | Mode::He(_) => return 0, // an 802.11n card
            Mode::Ht(h) => limit = limit.min(max_framelen(usec, h)),
        }
    }
    if choice.probe { 0 } else { limit.min(p.ampdu_bytes) }
}

/// Empty delimiters behind a subframe of `len` bytes, to a peer that takes MPDUs so close together (`ath_compute_num_delims`).
pub(super) fn delimiters(p: &Params, choice: &Choice, len: u32, density: Span, encryption: Encryption) -> u32 {
    let extra = if encryption.is_on() && !p.edma { EXTRA_DELIMITERS } else { 0 };
    let shortest = p.subframe_bytes.saturating_sub(len).div_ceil(4) + extra;
    // The kernel's precision; a quarter and half a microsecond are one (ath9k_parse_mpdudensity).
    let density = density.ns().div_euclid(1_000) as u32 + u32::from(density.ns() % 1_000 > 0);
    let Mode::Ht(h) = choice.chain[0].mode else { return shortest };
    if density == 0 {
        return shortest;
    }
    let symbols = if h.sgi { (density * 5).saturating_sub(4) / 18 } else { density >> 2 }.max(1);
    let least = symbols * h.bits_per_symbol() / 8;
    shortest.max(least.saturating_sub(len) / 4)
}

/// What an aggregate that is being formed has so far (`ath_tx_form_aggr`: nframes, al, bpad).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// Frames.
    pub n: u16,
    /// PSDU bytes.
    pub bytes: u32,
    pad: u32,
}

impl Size {
    /// Whether a frame of `len` bytes may join. The first always may.
    #[inline]
    pub const fn takes(&self, limit: u32, frames: u16, len: u32) -> bool {
        self.n == 0 || (limit >= self.bytes + self.pad + DELIMITER + len && self.n < frames)
    }
    /// It joins, `fill` empty delimiters behind it.
    #[inline]
    pub const fn add(&mut self, len: u32, fill: u32) {
        let delta = DELIMITER + len;
        self.bytes += self.pad + delta;
        self.pad = delta.next_multiple_of(4) - delta + DELIMITER * fill;
        self.n += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wifi::Attempt;

    fn choice(modes: &[(u8, bool)]) -> Choice {
        let mut chain = [Attempt::NONE; 4];
        for (a, &(mcs, sgi)) in chain.iter_mut().zip(modes) {
            *a = Attempt { mode: Mode::Ht(Ht::new(mcs, true, sgi).unwrap()), tries: 2 };
        }
        Choice { chain, probe: false, rts_fallback: false, first_rts: 0 }
    }

    /// Worked by hand. MCS 7, 40 MHz, SGI: 4096 - 36 = 4060 us, (20300 - 4) / 18 = 1127 symbols, 608580 - 22 bits, 76069
    /// bytes, above 65532. MCS 0: 1127 * 54 - 22 = 60836 bits, 7604 bytes. MCS 3, LGI: 1015 * 216 - 22, 27402 bytes.
    #[test]
    fn four_milliseconds_at_the_slowest_rate() {
        let p = Params::default();
        let of = |m: &[(u8, bool)]| aggr_limit(&p, &choice(m), Span::ZERO);
        assert_eq!(of(&[(7, true)]), 65_532);
        assert_eq!(of(&[(0, true)]), 7_604);
        assert_eq!(of(&[(7, true), (3, false)]), 27_402, "the slowest of the chain");
        assert_eq!(aggr_limit(&p, &Choice { probe: true, ..choice(&[(7, true)]) }, Span::ZERO), 0);
        // A TXOP of one unit is shorter than a preamble: (-20 - 4) / 18 = -1 symbol of 54 bits, less 22, -9 bytes in 16 bits.
        assert_eq!(aggr_limit(&p, &choice(&[(0, true)]), Span::from_us(32)), 65_527);
        // VI's 3008 us at MCS 3 SGI: 2972 us, (14860 - 4) / 18 = 825 symbols, 178178 bits.
        assert_eq!(aggr_limit(&p, &choice(&[(3, true)]), Span::from_us(3_008)), 22_272);
    }

    #[test]
    fn short_frames_are_padded() {
        let p = Params::default();
        // A TCP ACK: 52 + 8 + 26 + 4 = 90 bytes; (256 - 90) / 4 rounded up = 42.
        assert_eq!(delimiters(&p, &choice(&[(7, true)]), 90, p.density, Encryption::None), 42);
        assert_eq!(delimiters(&p, &choice(&[(7, true)]), 1538, p.density, Encryption::None), 0);
        // A symbol of 1080 bits is the least: (135 - 90) / 4 = 11.
        let short = Params { subframe_bytes: 0, ..p };
        let of = |density| delimiters(&short, &choice(&[(15, true)]), 90, density, Encryption::None);
        assert_eq!([Span::ZERO, Span::from_ns(250), Span::from_us(1)].map(of), [0, 11, 11]);
        // Two streams at 300 Mbit/s: 8 us are 2 symbols, 2160 bits, 270 bytes; (270 - 90) / 4 = 45.
        assert_eq!(delimiters(&p, &choice(&[(15, true)]), 90, p.density, Encryption::None), 45);
    }
    /// Behind those of the length, and before the density: MCS 15's 45 for 90 bytes are 41 for the 106 of the encrypted frame, fewer
    /// than (256 - 106) / 4 = 38 and ten.
    #[test]
    fn old_cards_want_ten_more_behind_what_is_encrypted() {
        let (edma, old) = (Params::default(), Params { edma: false, ..Params::default() });
        let of = |p: &Params, mcs, len, e| delimiters(p, &choice(&[(mcs, true)]), len, p.density, e);
        assert_eq!([of(&old, 7, 1554, Encryption::Ccmp), of(&edma, 7, 1554, Encryption::Ccmp)], [10, 0]);
        assert_eq!(of(&old, 7, 1538, Encryption::None), 0);
        assert_eq!([of(&old, 15, 106, Encryption::Ccmp), of(&edma, 15, 106, Encryption::Ccmp)], [48, 41]);
    }

    /// Two frames of 1554 bytes at an old card: 4 + 1554, 2 of padding, 10 delimiters, 4 + 1554: 3158; the last one's are not sent.
    #[test]
    fn an_encrypted_aggregate_by_hand() {
        let p = Params { edma: false, ..Params::default() };
        let mut size = Size::default();
        for _ in 0..2 {
            size.add(1554, delimiters(&p, &choice(&[(7, true)]), 1554, p.density, Encryption::Ccmp));
        }
        assert_eq!(size.bytes, 1558 + 2 + 40 + 1558);
        // ath_tx_form_aggr counts the padding and the delimiters of the one before: 3158 + 42 + 1558.
        assert!(size.takes(4758, 32, 1554) && !size.takes(4757, 32, 1554));
    }
}
