//! How long an HE PPDU of a single user is on the air.
//!
//! Stands for: IEEE 802.11ax-2021 27.4.3 (TXTIME), table 27-12 (fields), 27.3.12.5 (symbols, and the pre-FEC padding factor: how many of the last
//! one's four segments are filled), 27.3.13 and table 27-46 (packet extension). Receivers want 16 us of nominal packet padding at every modulation, as
//! mt76's cards say that they do: linux@6.12 mediatek/mt76/mt7915/init.c (IEEE80211_HE_PHY_CAP9_NOMINAL_PKT_PADDING_16US), mt76_connac_mac.c
//! `mt76_connac_gen_ppe_thresh` (PPET16: BPSK, PPET8: none), mt76_connac_mcu.c `pkt_ext`.
//! Differs: D1 no extra symbol segment of LDPC (4 us at most); D2 no receiver wants less padding; D3 HE-LTFs are 2x ones with guard intervals of 0.8 and
//! 1.6 us and 4x ones with 3.2 us, none 1x and no 4x with 0.8 us; D4 the medium is free at the end of the extension, not at the whole 4 us of L-SIG's length.

use super::fields::{SERVICE, TAIL, training_fields};
use super::he::{Gi, He};
use crate::sim::Span;

/// Segments of a last symbol.
const SEGMENTS: u32 = 4;

impl Gi {
    /// How many times 3.2 us the HE-LTFs have that go with it, without their guard interval.
    pub const fn ltf(self) -> u8 {
        match self {
            Gi::Us0_8 | Gi::Us1_6 => 2,
            Gi::Us3_2 => 4,
        }
    }
}

/// Preamble and headers of an HE SU PPDU: L-STF, L-LTF, L-SIG, RL-SIG, HE-SIG-A, HE-STF, HE-LTFs.
pub const fn he_preamble(streams: u32, gi: Gi) -> Span {
    let ltf = 3_200 * gi.ltf() as i64 + gi.span().ns();
    Span::from_ns(1_000 * (8 + 8 + 4 + 4 + 8 + 4) + training_fields(streams) * ltf)
}

/// Bits around the PSDU.
const fn overhead(h: He) -> u32 {
    SERVICE + if h.ldpc() { 0 } else { TAIL }
}

/// Packet extension behind a last symbol of that many segments (T_PE).
const fn extension(segments: u32) -> Span {
    Span::from_us(4 * segments as i64)
}

/// Symbols of a PPDU of `psdu` bytes (N_SYM), and filled segments of the last one (the pre-FEC padding factor).
fn symbols(h: He, psdu: u32) -> (u32, u32) {
    let (bits, each) = (overhead(h) + 8 * psdu, h.bits_per_symbol());
    let segments = match bits % each {
        0 => SEGMENTS,
        last => last.div_ceil(h.bits_per_segment()).min(SEGMENTS),
    };
    (bits.div_ceil(each), segments)
}

/// Preamble, data and packet extension of a PPDU of `psdu` bytes.
pub(super) fn duration(h: He, psdu: u32) -> Span {
    let (symbols, segments) = symbols(h, psdu);
    he_preamble(h.streams(), h.gi) + h.gi.symbol() * i64::from(symbols) + extension(segments)
}

/// The most PSDU bytes within `limit`.
pub(super) fn within(h: He, limit: Span) -> u32 {
    let left = limit - he_preamble(h.streams(), h.gi);
    // A symbol more may fit where fewer of its segments are filled: the extension is shorter then.
    let bits = (1..=SEGMENTS).map(|segments| {
        let symbols = (left - extension(segments)).ns().div_euclid(h.gi.symbol().ns());
        let last = if segments == SEGMENTS { h.bits_per_symbol() } else { segments * h.bits_per_segment() };
        if symbols < 1 { 0 } else { (symbols - 1) * i64::from(h.bits_per_symbol()) + i64::from(last) }
    });
    ((bits.max().unwrap_or(0) - i64::from(overhead(h))) / 8).max(0) as u32
}

#[cfg(test)]
mod tests {
    use super::super::vht::Width;
    use super::super::{Band, Mode, duration, he};
    use super::*;

    fn he(mcs: u8, streams: u8, width: Width, gi: Gi) -> He {
        He::new(mcs, streams, width, gi).unwrap()
    }

    /// Worked by hand: 16 + 8 n bits (BCC: 6 more), divided by N_DBPS, rounded up; the rest, divided by N_DBPS,short: 4 us each; 36 us and the HE-LTFs
    /// before.
    #[test]
    fn he_frames() {
        use Gi::*;
        use Width::*;
        let preambles = [1, 2, 3, 4, 5, 6, 7, 8].map(|n| he_preamble(n, Us0_8).ns());
        assert_eq!(preambles, [43_200, 50_400, 64_800, 64_800, 79_200, 79_200, 93_600, 93_600]);
        assert_eq!([he_preamble(1, Us1_6).us(), he_preamble(1, Us3_2).us(), he_preamble(3, Us3_2).us()], [44, 52, 100]);
        for (mcs, n, w, gi, bytes, ns) in [
            // 12368 / 8166 -> 2; 4202 / 2000 -> 3 segments.
            (11, 1, Mhz80, Us0_8, 1_544, 43_200 + 2 * 13_600 + 12_000),
            // 12374 / 117 -> 106; 89 / 30 -> 3.
            (0, 1, Mhz20, Us0_8, 1_544, 43_200 + 106 * 13_600 + 12_000),
            (0, 1, Mhz20, Us3_2, 1_544, 52_000 + 106 * 16_000 + 12_000),
            // 24016 / 5616 -> 5; 1552 / 1440 -> 2. Four HE-LTFs of 8 us.
            (5, 3, Mhz40, Us1_6, 3_000, 68_000 + 5 * 14_400 + 8_000),
            // 64 subframes of 1544 bytes: 790544 / 16333 -> 49; 6560 / 4000 -> 2.
            (11, 2, Mhz80, Us0_8, 98_816, 50_400 + 49 * 13_600 + 8_000),
            // 8388592 / 130666 -> 65; 25968 / 32800 -> 1.
            (11, 8, Mhz160, Us0_8, 1_048_572, 93_600 + 65 * 13_600 + 4_000),
            // 936 bits fill four symbols of 234; 8 more begin a fifth.
            (0, 1, Mhz40, Us0_8, 115, 43_200 + 4 * 13_600 + 16_000),
            (0, 1, Mhz40, Us0_8, 116, 43_200 + 5 * 13_600 + 4_000),
        ] {
            let m = Mode::He(he(mcs, n, w, gi));
            assert_eq!(duration::ppdu(m, bytes, Band::Ghz5), Span::from_ns(ns), "{m:?} {bytes}");
            assert_eq!(duration::ppdu(m, bytes, Band::Ghz2), Span::from_ns(ns + 6_000), "with signal extension");
        }
    }

    /// src: ns-3 src/wifi/test/tx-duration-test.cc, less its 44 us of preamble and without packet extension (it has none)
    #[test]
    fn symbols_as_ns_3_counts_them() {
        use Gi::*;
        use Width::*;
        for (mcs, w, gi, bytes, ns) in [
            (0, Mhz20, Us0_8, 1_536, 1_485_600),
            (0, Mhz20, Us0_8, 76, 125_600),
            (0, Mhz20, Us0_8, 14, 71_200),
            (0, Mhz40, Us0_8, 1_536, 764_800),
            (0, Mhz40, Us0_8, 76, 84_800),
            (11, Mhz40, Us0_8, 1_536, 98_400),
            (11, Mhz80, Us0_8, 1_536, 71_200),
            (11, Mhz160, Us0_8, 1_536, 57_600),
            (11, Mhz20, Us1_6, 1_536, 144_800),
            (11, Mhz40, Us1_6, 1_536, 101_600),
            (11, Mhz80, Us3_2, 1_536, 76_000),
        ] {
            let h = he(mcs, 1, w, gi);
            assert_eq!(i64::from(symbols(h, bytes).0) * gi.symbol().ns(), ns - 44_000, "{h:?} {bytes}");
        }
    }

    #[test]
    fn he_psdu_within_is_the_inverse() {
        for (w, gi) in Width::ALL.into_iter().flat_map(|w| Gi::ALL.iter().map(move |&gi| (w, gi))) {
            for m in (1..=he::STREAMS).flat_map(|n| (0..=he::MCS).map(move |m| Mode::He(he(m, n, w, gi)))) {
                for us in [200, 201, 205, 209, 1_504, 3_008, 4_000, 5_484] {
                    let lim = Span::from_us(us);
                    let n = duration::psdu_within(m, lim, Band::Ghz5);
                    let fits = |n| duration::ppdu(m, n, Band::Ghz5) <= lim;
                    assert!(fits(n) && !fits(n + 1), "{m:?} {us} {n}");
                }
                assert_eq!(duration::psdu_within(m, Span::from_us(40), Band::Ghz5), 0, "no room for the preamble");
            }
        }
    }

    /// What `within` relies on: a byte more never shortens a PPDU.
    #[test]
    fn longer_is_not_shorter() {
        for &gi in Gi::ALL {
            for h in [he(0, 1, Width::Mhz20, gi), he(9, 1, Width::Mhz80, gi), he(11, 2, Width::Mhz40, gi)] {
                let all: Vec<Span> = (0..4_000).map(|n| duration(h, n)).collect();
                assert!(all.is_sorted(), "{h:?}");
            }
        }
    }
}
