//! The airtime that mac80211 expects of a packet when it hands it to a device, for AQL.
//!
//! Stands for: linux@6.12 net/mac80211/airtime.c ieee80211_calc_expected_tx_airtime, ieee80211_get_rate_duration,
//! ieee80211_calc_legacy_rate_duration (but for HE unchanged since 5.5), with the kernel's integers.
//! Differs: D1 the rate is the present one, not the last that the device reported (ath10k reports it once in a while: htt_rx.c
//! ath10k_update_per_peer_tx_stats); D2 no CCK.

use crate::phy::{Gi, Mode, Width};
use crate::sim::Span;

/// src: AVG_PKT_SIZE
const AVERAGE: u32 = 1024;
/// src: `len += 38; /* Ethernet header length */`
const HEADER: u32 = 38;

/// Data bits a symbol and stream of HE's MCSs by width, as the kernel has them. src: `__HE_GROUP`
const HE: [[u32; 12]; 4] = [
    [115, 230, 345, 475, 705, 936, 1_051, 1_166, 1_411, 1_555, 1_756, 1_944],
    [230, 475, 705, 936, 1_411, 1_872, 2_102, 2_347, 2_808, 3_124, 3_513, 3_902],
    [489, 979, 1_468, 1_958, 2_937, 3_916, 4_406, 4_896, 5_875, 6_523, 7_344, 8_164],
    [979, 1_958, 2_937, 3_916, 5_875, 7_833, 8_827, 9_806, 11_764, 13_060, 14_702, 16_329],
];

/// Airtime of a packet whose `skb->len` is `len`, in an aggregate or not.
pub fn airtime(mode: Mode, len: u32, ampdu: bool) -> Span {
    let len = len + HEADER;
    // In 1/1024 us: an average packet at this rate, and at the slowest of its group.
    let (raw, slowest) = match mode {
        Mode::Dsss(h) => {
            // src: linux@6.12 net/mac80211/airtime.c ieee80211_calc_legacy_rate_duration
            return Span::from_us(
                ((144 + 48) >> i64::from(h.short)) + 10 + i64::from(8 * len) * 1_000_000 / h.rate.bps() as i64,
            );
        }
        Mode::Ofdm(r) => {
            // Preamble and SIFS, and the bits alone.
            return Span::from_us(20 + 16 + i64::from(8 * len / r.mbit() as u32));
        }
        Mode::Ht(h) => {
            let slowest = if h.mhz40 { 54 } else { 26 };
            (duration(h.bits_per_symbol(), h.sgi), duration(slowest * h.streams(), h.sgi))
        }
        // The kernel's table ends there; of an aggregate the least that it may be is left.
        Mode::Vht(v) if v.streams() > 4 => return Span::from_us(if ampdu { 4 } else { 0 }),
        Mode::Vht(v) => {
            let slowest = [26, 54, 117, 243][v.width as usize]; // 243: as the kernel has it
            // 346 2/3 bits a stream, of which the kernel's table has 346.
            let bits = if v.width == Width::Mhz20 && v.mcs() == 9 { 346 * v.streams() } else { v.bits_per_symbol() };
            (duration(bits, v.sgi), duration(slowest * v.streams(), v.sgi))
        }
        Mode::He(h) => {
            let of = |mcs: u8| he_duration(HE[h.width as usize][usize::from(mcs)] * h.streams(), h.gi);
            (of(h.mcs()), of(0))
        }
    };
    // Kept in 16 bits with one shift a group of rates.
    let shift = 16u32.saturating_sub(slowest.leading_zeros());
    let per_average = raw >> shift << shift;
    let overhead = 36 + 4 * mode.streams();
    if !ampdu {
        return Span::from_us(i64::from(per_average * len / AVERAGE / 1024 + overhead));
    }
    // No report says how long aggregates are: an average by rate.
    let share = match per_average {
        t if t > 400 * 1024 => 1,
        t if t > 250 * 1024 => 2,
        t if t > 150 * 1024 => 3,
        t if t > 70 * 1024 => 4,
        t if t > 20 * 1024 || !matches!(mode, Mode::He(_)) => 5,
        _ => 6,
    };
    Span::from_us(i64::from((per_average * len / AVERAGE / 1024 + (overhead >> share)).max(4)))
}

/// MCS_N_KSYMS: an average packet's symbols, times 1024.
const fn ksyms(bits_per_symbol: u32) -> u32 {
    ((AVERAGE * 8) << 10).div_ceil(bits_per_symbol)
}

/// MCS_DURATION: how long they take, in 1/1024 us.
const fn duration(bits_per_symbol: u32, sgi: bool) -> u32 {
    let ksyms = ksyms(bits_per_symbol);
    if sgi { ksyms * 4 * 18 / 20 } else { ksyms * 4 }
}

/// HE_DURATION: the same of HE.
const fn he_duration(bits_per_symbol: u32, gi: Gi) -> u32 {
    let ksyms = ksyms(bits_per_symbol);
    match gi {
        Gi::Us0_8 => ksyms * 16 * 17 / 20,
        Gi::Us1_6 => ksyms * 16 * 18 / 20,
        Gi::Us3_2 => ksyms * 16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{He, Ht, Ofdm, Vht, modes};
    use crate::qdisc::vectors::Fold;

    /// Worked by hand from the kernel's macros. 300 Mbit/s: ceil(8388608 / 1080) = 7768; * 72 / 20 = 27964; the group's slowest,
    /// 108 bits, 279623 (19 bits), shift 3: 27960. 1534 + 38 bytes: 27960 * 1572 / 1024 / 1024 = 41; + 44 >> 5 = 1: 42.
    #[test]
    fn by_hand() {
        let ht = Mode::Ht(Ht::new(15, true, true).unwrap());
        assert_eq!(airtime(ht, 1_534, true), Span::from_us(42));
        assert_eq!(airtime(ht, 1_534, false), Span::from_us(41 + 44));
        // 866.7 Mbit/s: ceil(8388608 / 3120) = 2689; 9680; the slowest, 234 bits, 129056 (17 bits), shift 1. 14 + 1.
        let vht = Mode::Vht(Vht::new(9, 2, Width::Mhz80, true).unwrap());
        assert_eq!(airtime(vht, 1_534, true), Span::from_us(14 + 1));
        assert_eq!(airtime(vht, 20, true), Span::from_us(4), "4 us at least");
        // 7.2 Mbit/s: 322639, * 18 / 20 * 4 = 1161500, 11 us * 1024 above 400: half of the overhead.
        let slow = Mode::Ht(Ht::new(0, false, true).unwrap());
        assert_eq!(airtime(slow, 1_534, true), Span::from_us(1_161_496 * 1_572 / 1024 / 1024 + 20));
        // 6 Mbit/s: 8 * 1572 / 6 and 36.
        assert_eq!(airtime(Mode::Ofdm(Ofdm::R6), 1_534, false), Span::from_us(36 + 2_096));
    }

    /// The same of HE. 1201 Mbit/s: ceil(8388608 / 16328) = 514; * 272 / 20 = 6990; the slowest, 978 bits, 116660 (17 bits), shift 1: 6990.
    /// 6990 * 1572 / 1024 / 1024 = 10; 44 >> 6 = 0.
    #[test]
    fn he_by_hand() {
        let he = |mcs, n, w, gi| Mode::He(He::new(mcs, n, w, gi).unwrap());
        let fast = he(11, 2, Width::Mhz80, Gi::Us0_8);
        assert_eq!(airtime(fast, 1_534, true), Span::from_us(10));
        assert_eq!(airtime(fast, 1_534, false), Span::from_us(10 + 44));
        // 1872 bits: 4482; * 288 / 20 = 64540; the slowest, 230 bits, 525211 (20 bits), shift 4: 64528. 96; 40 >> 5 = 1.
        assert_eq!(airtime(he(5, 1, Width::Mhz40, Gi::Us1_6), 1_534, true), Span::from_us(96 + 1));
        // 115 bits: 72945; * 16 = 1167120 (21 bits), shift 5: 1167104. 1749; 40 >> 1 = 20.
        assert_eq!(airtime(he(0, 1, Width::Mhz20, Gi::Us3_2), 1_534, true), Span::from_us(1_749 + 20));
        // Eight streams: 130632 bits: 65; * 272 / 20 = 884; 7832 bits: 14579 (14 bits), no shift. 1, at least 4; 36 + 32 unaggregated.
        let widest = he(11, 8, Width::Mhz160, Gi::Us0_8);
        assert_eq!([airtime(widest, 1_534, true), airtime(widest, 1_534, false)], [4, 1 + 68].map(Span::from_us));
    }

    /// Every mode, packets of 20 to 2399 bytes, outside aggregates and in them: what linux@6.12 net/mac80211/airtime.c itself gave, compiled outside the
    /// kernel (6.1.192, 5.15.148 and 5.10.262 give the same).
    #[test]
    fn every_mode_is_the_kernels() {
        let all = |modes: Vec<Mode>| {
            let mut sum = Fold::default();
            for mode in modes {
                for i in 0..40 {
                    [false, true].into_iter().for_each(|ampdu| sum.add(airtime(mode, 20 + i * 61, ampdu).us() as u64));
                }
            }
            sum
        };
        assert_eq!(all(modes::dsss()), Fold(560, 3_947_529_344_391_601_984));
        assert_eq!(all(modes::ofdm()), Fold(640, 11_500_453_222_747_243_552));
        assert_eq!(all(modes::ht()), Fold(10_240, 7_995_872_392_878_627_451));
        assert_eq!(all(modes::he()), Fold(92_160, 12_348_678_558_396_703_762));
        assert_eq!(all(modes::vht()), Fold(24_800, 17_103_152_684_297_457_989));
    }
}
