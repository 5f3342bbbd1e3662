//! The airtime that mac80211 expects of a packet when it hands it to a device, for AQL.
//!
//! Stands for: linux@6.12 net/mac80211/airtime.c ieee80211_calc_expected_tx_airtime, ieee80211_get_rate_duration,
//! ieee80211_calc_legacy_rate_duration (unchanged since 5.5), with the kernel's integers.
//! Differs: D1 the rate is the present one, not the last that the device reported (ath10k reports it once in a while: htt_rx.c
//! ath10k_update_per_peer_tx_stats); D2 no CCK.

use crate::phy::Mode;
use crate::sim::Span;

/// src: AVG_PKT_SIZE
const AVERAGE: u32 = 1024;
/// src: `len += 38; /* Ethernet header length */`
const HEADER: u32 = 38;

/// Airtime of a packet whose `skb->len` is `len`, in an aggregate or not.
pub fn airtime(mode: Mode, len: u32, ampdu: bool) -> Span {
    let len = len + HEADER;
    let (bits, streams, sgi, slowest) = match mode {
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
            (h.bits_per_symbol(), h.streams(), h.sgi, slowest)
        }
        Mode::Vht(v) if v.streams() > 4 => return Span::ZERO, // the kernel's table ends there
        Mode::Vht(v) => {
            let slowest = [26, 54, 117, 243][v.width as usize]; // 243: as the kernel has it
            (v.bits_per_symbol(), v.streams(), v.sgi, slowest)
        }
    };
    // In 1/1024 us, kept in 16 bits with one shift a group of rates.
    let raw = duration(bits, sgi);
    let shift = 16u32.saturating_sub(duration(slowest * streams, sgi).leading_zeros());
    let per_average = raw >> shift << shift;
    let overhead = 36 + 4 * streams;
    if !ampdu {
        return Span::from_us(i64::from(per_average * len / AVERAGE / 1024 + overhead));
    }
    // No report says how long aggregates are: an average by rate.
    let share = match per_average {
        t if t > 400 * 1024 => 1,
        t if t > 250 * 1024 => 2,
        t if t > 150 * 1024 => 3,
        t if t > 70 * 1024 => 4,
        _ => 5,
    };
    Span::from_us(i64::from((per_average * len / AVERAGE / 1024 + (overhead >> share)).max(4)))
}

/// MCS_DURATION: an average packet's symbols, in 1/1024 us.
fn duration(bits_per_symbol: u32, sgi: bool) -> u32 {
    let ksyms = ((AVERAGE * 8) << 10).div_ceil(bits_per_symbol);
    if sgi { ksyms * 4 * 18 / 20 } else { ksyms * 4 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Ht, Ofdm, Vht, Width};

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
}
