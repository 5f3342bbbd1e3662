//! One frame exchange by the clock, as 802.11b, a and g have it: what the simulated timings of single frames are held against.
//!
//! Stands for: 802.11-2020 10.3.2.3 (interframe spaces), clause 16 (HR/DSSS), 17 and 18 (OFDM, ERP); nobody else contends.

use crate::phy::dsss::{CW_MIN, Dsss, SIFS, SLOT, frame};
use crate::phy::duration::non_ht;
use crate::phy::{Band, Ofdm};
use crate::sim::Span;

/// What one frame of `bytes` (MAC header and FCS included) takes from the end of the last exchange to the end of its ACK, at the
/// mean backoff: the interframe space, the backoff, the frame, SIFS, the ACK at the same rate.
pub fn exchange_11b(rate: Dsss, bytes: u32, short: bool) -> Span {
    let waiting = SIFS + SLOT * 2 + SLOT * i64::from(CW_MIN) / 2;
    waiting + frame(rate, bytes, short) + SIFS + frame(rate, 14, short)
}

/// The same of 802.11a, or of 802.11g with short or long slots, protected or not; ACKs at 24 Mbit/s.
pub fn exchange_ofdm(rate: Ofdm, bytes: u32, band: Band, slot: Span, protection: Option<Span>) -> Span {
    let waiting = band.sifs() + slot * 2 + slot * 15 / 2;
    let ack = non_ht(rate.min(Ofdm::R24), 14, band);
    waiting + protection.unwrap_or(Span::ZERO) + non_ht(rate, bytes, band) + band.sifs() + ack
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges() {
        // DIFS 50, backoff 310, data 96 + 1091, SIFS 10, ACK 96 + 11.
        assert_eq!(exchange_11b(Dsss::R11, 1500, true), Span::from_us(50 + 310 + 1187 + 10 + 107));
        // DIFS 34, backoff 67.5, data 20 + 57 * 4, SIFS 16, ACK 28.
        let a = exchange_ofdm(Ofdm::R54, 1536, Band::Ghz5, Span::from_us(9), None);
        assert_eq!(a, Span::from_ns(1_000 * (34 + 248 + 16 + 28) + 67_500));
    }
}
