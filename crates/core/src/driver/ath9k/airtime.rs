//! Airtime as ath9k counts it for mac80211: that of the frames alone, without a signal extension, with a SIFS to each that is not of 802.11n.
//!
//! Stands for: linux@6.12 drivers/net/wireless/ath/ath9k/xmit.c `ath_tx_count_airtime`, recv.c `ath_rx_count_airtime`, hw.c
//! `ath9k_hw_computetxtime`.
//! Differs: D1 `ath_pkt_duration` rounds the short guard interval's symbols to whole microseconds.

use crate::phy::{Band, Mode, ppdu};
use crate::sim::Span;
use crate::wifi::medium::Arrival;
use crate::wifi::{Burst, Report};

/// The SIFS that is counted to each frame of a mode.
fn sifs(mode: Mode) -> Span {
    match mode {
        Mode::Ofdm(_) => Span::from_us(16),
        Mode::Dsss(_) => Span::from_us(10),
        Mode::Ht(_) | Mode::Vht(_) | Mode::He(_) => Span::ZERO,
    }
}

/// What is counted to each frame beside its time on the air.
fn beside(mode: Mode, band: Band) -> Span {
    match mode {
        Mode::Dsss(_) => sifs(mode), // has no extension
        _ => sifs(mode) - band.signal_extension(),
    }
}

/// Of a unit that is over, every try.
#[inline]
pub(super) fn sent(b: &Burst, r: &Report, band: Band) -> Span {
    let link = usize::from(r.link);
    // Any link of a chain may be of the other sort (ath_buf_set_rate has each link's duration).
    if band == Band::Ghz5 && b.chain[..=link].iter().all(|a| matches!(a.mode, Mode::Ht(_))) {
        return r.airtime;
    }
    let earlier = b.chain[..link].iter().map(|a| beside(a.mode, band) * i64::from(a.tries));
    earlier.fold(r.airtime + beside(b.chain[link].mode, band) * i64::from(r.tries), |sum, t| sum + t)
}

/// Of what came: each decoded MPDU as if it had come alone.
pub fn received(b: &Burst, a: &Arrival, band: Band) -> Span {
    let (mut sum, mut len, mut one) = (Span::ZERO, 0, Span::ZERO);
    for (i, m) in b.mpdus.iter().enumerate() {
        if m.len != len {
            (len, one) = (m.len, ppdu(a.mode, m.len.into(), band) + beside(a.mode, band));
        }
        if a.decoded.has(i) {
            sum += one;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Dsss, Hr, Ht, Ofdm};
    use crate::wifi::Attempt;

    /// 802.11a: two tries at the first link and one at the second are three frames and three SIFS; 802.11n has none.
    #[test]
    fn a_sifs_with_every_try_of_an_old_rate() {
        let mut b = Burst::new();
        b.chain[0] = Attempt { mode: Mode::Ofdm(Ofdm::R54), tries: 2 };
        b.chain[1] = Attempt { mode: Mode::Ofdm(Ofdm::R6), tries: 4 };
        let r = Report { link: 1, tries: 1, airtime: Span::from_us(3_000), ..Report::default() };
        let sent = |b: &Burst, r: &Report| super::sent(b, r, Band::Ghz5);
        assert_eq!(sent(&b, &r), Span::from_us(3_048));
        b.chain[0].mode = Mode::Ht(Ht::new(7, true, true).unwrap());
        assert_eq!(sent(&b, &r), Span::from_us(3_016), "each link for itself");
        b.chain[1].mode = b.chain[0].mode;
        assert_eq!(sent(&b, &r), Span::from_us(3_000));
    }

    /// At 2.4 GHz it is the driver's own reckoning that counts (`ath_pkt_duration`, `ath9k_hw_computetxtime`), which knows no signal extension: three tries
    /// of 802.11n are three times 6 us less than the air is taken; one of 802.11g has a SIFS of 16 us beside; 802.11b's frames have no extension.
    #[test]
    fn without_signal_extensions() {
        let mut b = Burst::new();
        b.chain[0] = Attempt { mode: Mode::Ht(Ht::new(7, true, true).unwrap()), tries: 2 };
        b.chain[1] = b.chain[0];
        let r = Report { link: 1, tries: 1, airtime: Span::from_us(3_000), ..Report::default() };
        assert_eq!(sent(&b, &r, Band::Ghz2), Span::from_us(3_000 - 18));
        b.chain[0] = Attempt { mode: Mode::Ofdm(Ofdm::R54), tries: 2 };
        b.chain[1] = Attempt { mode: Mode::Dsss(Hr { rate: Dsss::R11, short: false }), tries: 4 };
        assert_eq!(sent(&b, &r, Band::Ghz2), Span::from_us(3_000 + 2 * (16 - 6) + 10));
    }
}
