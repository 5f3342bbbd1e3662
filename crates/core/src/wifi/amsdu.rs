//! A-MSDU: several MSDUs in one MPDU, each behind a subframe header of its own.
//!
//! In: the IP packets that wait, one by one ([`Aggregator::add`]). Out: whether each still fits, and the MPDU's length
//! ([`Aggregator::mpdu_len`]). An MPDU with one MSDU is a plain one, without subframe header.
//! Stands for: IEEE 802.11-2020 9.3.2.2.2 (basic A-MSDU subframe: DA, SA, length, MSDU, padding of all but the last),
//! 10.11 (limits; an MPDU within an HT A-MPDU has 4095 bytes), table 9-34 (3839, 7935; VHT: by the MPDU's maximum of 3895, 7991, 11454).
//! Differs: D1 no MSDU lifetime; D2 all MSDUs of one TID and next hop may go together, whatever their addresses; D3 an HE station's limit is its
//! maximum MPDU's at 2.4 GHz, too, where it has no VHT capabilities to say one: 802.11ax-2021 takes its maximum A-MSDU length (HT) there.

use super::encryption::Encryption;
use super::framing::{FCS, Framing, LLC_SNAP, QOS_HEADER};
use crate::phy::Mode;

/// Destination, source, length.
pub const SUBFRAME_HEADER: u32 = 14;
/// The most MSDUs that the model puts into one MPDU: what 11454 bytes hold of full packets.
pub const MSDUS: usize = 7;
/// The longest MPDU within an HT A-MPDU. src: 802.11-2020 9.7.1: the delimiter's MPDU length has 12 bits there
const HT_MPDU_IN_AMPDU: u16 = 4_095;

/// Bytes of an A-MSDU that a peer takes: its maximum A-MSDU length (HT), or what the longest MPDU leaves (HT within an A-MPDU, VHT, HE).
pub const fn limit(mode: Mode, max_amsdu: u16, max_mpdu: u16, encryption: Encryption) -> u32 {
    let around = QOS_HEADER + FCS + encryption.bytes();
    let most = match mode {
        Mode::Dsss(_) | Mode::Ofdm(_) => max_amsdu,
        Mode::Ht(_) if max_amsdu < HT_MPDU_IN_AMPDU - around => max_amsdu,
        Mode::Ht(_) => HT_MPDU_IN_AMPDU - around,
        Mode::Vht(_) | Mode::He(_) => max_mpdu.saturating_sub(around),
    };
    most as u32
}

/// One MPDU that is being filled.
#[derive(Clone, Copy, Debug)]
pub struct Aggregator {
    limit: u32,
    most: u8,
    n: u8,
    /// Bytes of the subframes so far, the last one without padding.
    bytes: u32,
    first: u32,
    framing: Framing,
}

impl Aggregator {
    /// Of at most `limit` bytes (see [`limit`]) and `most` MSDUs.
    pub fn new(limit: u32, most: u8, encryption: Encryption) -> Aggregator {
        let framing = Framing { qos: true, encryption };
        Aggregator { limit, most: most.min(MSDUS as u8), n: 0, bytes: 0, first: 0, framing }
    }
    /// An IP packet of `ip_len` bytes is next. False: it does not fit any more. The first always does.
    pub fn add(&mut self, ip_len: u32) -> bool {
        let bytes = self.bytes.next_multiple_of(4) + SUBFRAME_HEADER + LLC_SNAP as u32 + ip_len;
        if self.n > 0 && (self.n >= self.most || bytes > self.limit) {
            return false;
        }
        if self.n == 0 {
            self.first = ip_len;
        }
        self.n += 1;
        self.bytes = bytes;
        true
    }
    /// MSDUs in it.
    pub const fn msdus(&self) -> u8 {
        self.n
    }
    /// Bytes of the MPDU, from the MAC header to the FCS.
    pub const fn mpdu_len(&self) -> u16 {
        if self.n < 2 { self.framing.mpdu_len(self.first) } else { self.framing.around(self.bytes as u16) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Gi, He, Ht, Vht, Width};

    /// Worked by hand: 1500 + 8 + 14 = 1522, padded 1524; twice that and 1522: 4570; with header and FCS 4600.
    #[test]
    fn three_full_packets() {
        let mut a = Aggregator::new(11_424, 3, Encryption::None);
        assert!(a.add(1_500));
        assert_eq!(a.mpdu_len(), 1_538, "one alone has no subframe header");
        assert!(a.add(1_500));
        assert_eq!(a.mpdu_len(), 26 + 1_524 + 1_522 + 4);
        assert!(a.add(1_500) && !a.add(52), "three at most");
        assert_eq!((a.msdus(), a.mpdu_len()), (3, 4_600));
    }

    #[test]
    fn bytes_end_it() {
        // 3839 hold two full packets and a short one: 3048 + 22 + 52 = 3122.
        let mut a = Aggregator::new(3_839, 7, Encryption::None);
        assert!(a.add(1_500) && a.add(1_500) && !a.add(1_500) && a.add(52));
        assert_eq!(a.mpdu_len(), 26 + 3_122 + 4);
        // 7935: five full packets, 4 * 1524 + 1522 = 7618; 11424: seven, 10666.
        for (limit, n) in [(7_935, 5), (11_424, 7)] {
            let mut a = Aggregator::new(limit, 7, Encryption::None);
            assert_eq!((0..8).filter(|_| a.add(1_500)).count(), n);
        }
    }

    #[test]
    fn what_a_peer_takes() {
        let ht = Mode::Ht(Ht::new(15, true, true).unwrap());
        let vht = Mode::Vht(Vht::new(9, 2, Width::Mhz80, true).unwrap());
        let limit = |mode, amsdu, mpdu| super::limit(mode, amsdu, mpdu, Encryption::None);
        assert_eq!(
            [limit(ht, 3_839, 11_454), limit(ht, 7_935, 11_454), limit(vht, 7_935, 7_991)],
            [3_839, 4_065, 7_961]
        );
        let he = Mode::He(He::new(11, 2, Width::Mhz80, Gi::Us0_8).unwrap());
        assert_eq!(limit(he, 3_839, 11_454), 11_424);
    }

    #[test]
    fn no_mpdu_is_longer_than_a_delimiter_of_ht_can_say() {
        let ht = Mode::Ht(Ht::new(15, true, true).unwrap());
        for encryption in [Encryption::None, Encryption::Ccmp] {
            let limit = super::limit(ht, 7_935, 11_454, encryption);
            for ip in 40..=1_500 {
                let mut a = Aggregator::new(limit, 7, encryption);
                while a.add(ip) {}
                assert!(a.mpdu_len() <= 4_095, "{} MSDUs of {ip} bytes: {}", a.msdus(), a.mpdu_len());
            }
        }
    }

    /// One header and one MIC an MPDU, whatever it holds; a VHT peer's maximum is of the MPDU with both.
    #[test]
    fn encryption_costs_once() {
        let vht = Mode::Vht(Vht::new(9, 2, Width::Mhz80, true).unwrap());
        assert_eq!(limit(vht, 7_935, 7_991, Encryption::Ccmp), 7_991 - 26 - 4 - 16);
        let mut a = Aggregator::new(11_408, 3, Encryption::Ccmp);
        assert!(a.add(1_500));
        assert_eq!(a.mpdu_len(), 1_554);
        assert!(a.add(1_500));
        assert_eq!(a.mpdu_len(), 26 + 8 + 1_524 + 1_522 + 8 + 4);
    }
}
