//! How much of an A-MPDU a transmission opportunity has room for.
//!
//! Stands for: 802.11-2020 10.23.2.9 (TXOP limits): where a category has a limit, what its holder sends, with the frames that protect it and
//! those that answer, ends within it. One MPDU may exceed it, alone in its PPDU; an A-MPDU of several may not.
//! Differs: D1 so may an A-MSDU that goes for the first time, which the standard does not let: hardware that is published of counts MPDUs
//! (docs/devices/ath10k.md); D2 what rides on a response (TCP/HACK) is not reckoned with, for nobody knows of it before the response begins.

use super::ac::Ac;
use super::burst::Burst;
use super::edca::Access;
use super::exchange;
use super::response::Responses;
use crate::phy::{Band, Mode, psdu_within};
use crate::sim::Span;

/// What a device knows of its opportunities.
#[derive(Clone, Debug)]
pub struct Opportunities {
    limits: [Span; Ac::COUNT],
    responses: Responses,
    band: Band,
}

impl Opportunities {
    /// By what the BSS announces, and how it answers.
    pub fn new(access: [Access; Ac::COUNT], responses: Responses, band: Band) -> Opportunities {
        Opportunities { limits: access.map(|a| a.txop), responses, band }
    }
    /// PSDU bytes of an A-MPDU that goes out as `b` does, its last word's padding included, at most: none of its links exceeds the limit. Without a
    /// limit, all that there are.
    pub fn room(&self, b: &Burst, rts_threshold: Option<u32>) -> u32 {
        let limit = self.limits[b.ac.ix()];
        if limit == Span::ZERO {
            return u32::MAX;
        }
        let at = |i: usize, mode: Mode| {
            let within =
                |rts| psdu_within(mode, limit - exchange::around(b, mode, rts, &self.responses, self.band), self.band);
            match rts_threshold {
                _ if b.rts_fallback && i > 0 => within(true),
                None => within(false),
                // What an RTS leaves, or as much as goes without one.
                Some(t) => within(true).max(within(false).min(t)),
            }
        };
        let links = b.chain.iter().enumerate().filter(|(_, a)| a.tries > 0);
        links.map(|(i, a)| at(i, a.mode)).min().unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::edca::Set;
    use super::*;
    use crate::phy::{Ht, Vht, Width, ppdu};
    use crate::wifi::Attempt;

    fn opportunities() -> Opportunities {
        Opportunities::new(Set::Station.all(), Responses::new(Band::Ghz5, &[]), Band::Ghz5)
    }
    fn burst(ac: Ac, mcs: u8) -> Burst {
        let mut b = Burst { ac, ..Burst::new() };
        b.chain[0] = Attempt { mode: Mode::Vht(Vht::new(mcs, 1, Width::Mhz20, false).unwrap()), tries: 1 };
        b
    }

    /// Worked by hand. Video's 3008 us at VHT MCS 3, 20 MHz (104 bits in 4 us), less SIFS and a Block Ack at 24 Mbit/s (16 + 32), 2960; less the
    /// preamble, 40: 730 symbols, 75920 bits, less 22: 9487 bytes. RTS, CTS and two SIFS take 88: 708 symbols, 9201 bytes.
    #[test]
    fn video_by_hand() {
        let (o, mut b) = (opportunities(), burst(Ac::Vi, 3));
        assert_eq!(o.room(&b, None), 9_487);
        assert_eq!(o.room(&b, Some(0)), 9_201);
        assert_eq!(o.room(&b, Some(9_300)), 9_300, "what is not above the threshold has no RTS");
        assert_eq!(o.room(&b, Some(20_000)), 9_487);
        (b.chain[1], b.rts_fallback) = (b.chain[0], true);
        assert_eq!(o.room(&b, None), 9_201, "the second link has one");
        assert_eq!(o.room(&burst(Ac::Be, 3), None), u32::MAX, "best effort has no limit");
    }

    /// Worked by hand. At 2.4 GHz both PPDUs have their 6 us of signal extension, and SIFS is 10: 3008 us less 10 and 38, less 6 and HT's preamble
    /// of 36, 2918: 729 symbols of 104 bits, less 22: 9474 bytes. RTS, CTS and two SIFS take 88 there, too: 707 symbols, 9188 bytes.
    #[test]
    fn video_by_hand_at_2_4_ghz() {
        let o = Opportunities::new(Set::Station.all(), Responses::new(Band::Ghz2, &[]), Band::Ghz2);
        let mut b = burst(Ac::Vi, 3);
        b.chain[0].mode = Mode::Ht(Ht::new(3, false, false).unwrap());
        assert_eq!((o.room(&b, None), o.room(&b, Some(0))), (9_474, 9_188));
    }

    #[test]
    fn the_exchange_is_within_the_limit_and_with_a_byte_more_it_is_not() {
        let o = opportunities();
        for ac in [Ac::Vo, Ac::Vi] {
            for mcs in 0..9 {
                for (rts, threshold) in [(false, None), (true, Some(0))] {
                    let b = burst(ac, mcs);
                    let mode = b.chain[0].mode;
                    let limit = Set::Station.of(ac).txop - exchange::around(&b, mode, rts, &o.responses, o.band);
                    let bytes = o.room(&b, threshold);
                    assert!(
                        ppdu(mode, bytes, o.band) <= limit && ppdu(mode, bytes + 1, o.band) > limit,
                        "{ac:?} {mcs} {rts}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_limit_shorter_than_the_answer_has_room_for_nothing() {
        let mut access = Set::Station.all();
        access[Ac::Be.ix()].txop = Span::from_us(32);
        let o = Opportunities::new(access, Responses::new(Band::Ghz5, &[]), Band::Ghz5);
        assert_eq!(o.room(&burst(Ac::Be, 8), Some(0)), 0);
    }
}
