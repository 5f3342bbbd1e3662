//! EDCA parameter sets: AIFSN, contention window and TXOP limit of each access category. A driver may program others
//! (ath9k_htc halves CWmin), so a station's MAC is given the four by value.
//!
//! Stands for: 802.11-2020 table 9-155 (default EDCA parameters of a station, OFDM PHY) and 10.3.4 (DCF of a station
//! without QoS); hostapd's defaults for the access point's own queues (`tx_queue_data*` in hostapd.conf). TXOP limits are
//! 802.11-2012's (table 8-105), as Wi-Fi Multimedia, hostapd (`wmm_ac_*_txop_limit`) and Linux (net/mac80211/util.c
//! ieee80211_set_wmm_default) have them; since 802.11-2016 the table says 2.080 ms (VO), 4.096 (VI) and 2.528 (BE, BK).

use super::ac::Ac;
use crate::choices;
use crate::sim::Span;

/// What one access category contends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Slots after SIFS.
    pub aifsn: u8,
    /// Smallest contention window.
    pub cw_min: u16,
    /// Largest contention window.
    pub cw_max: u16,
    /// How long a won opportunity may last; zero: one exchange.
    pub txop: Span,
}

choices! {
    /// Which EDCA parameter set a station uses.
    pub enum Set {
        /// 802.11-2020 table 9-155, TXOP limits of 802.11-2012 table 8-105.
        Station = "station",
        /// hostapd's defaults for an access point's own transmissions.
        AccessPoint = "ap",
        /// DCF: no QoS, one queue.
        Dcf = "dcf",
    }
}

impl Set {
    /// The parameters of `ac`.
    pub const fn of(self, ac: Ac) -> Access {
        const fn a(aifsn: u8, cw_min: u16, cw_max: u16, txop_us: i64) -> Access {
            Access { aifsn, cw_min, cw_max, txop: Span::from_us(txop_us) }
        }
        match (self, ac) {
            (Set::Station, Ac::Vo) => a(2, 3, 7, 1_504),
            (Set::Station, Ac::Vi) => a(2, 7, 15, 3_008),
            (Set::Station, Ac::Be) => a(3, 15, 1023, 0),
            (Set::Station | Set::AccessPoint, Ac::Bk) => a(7, 15, 1023, 0),
            (Set::AccessPoint, Ac::Vo) => a(1, 3, 7, 1_504),
            (Set::AccessPoint, Ac::Vi) => a(1, 7, 15, 3_008),
            (Set::AccessPoint, Ac::Be) => a(3, 15, 63, 0),
            (Set::Dcf, _) => a(2, 15, 1023, 0),
        }
    }
    /// The parameters of all four, in the order of [`Ac::ALL`].
    pub fn all(self) -> [Access; Ac::COUNT] {
        Ac::ALL.map(|ac| self.of(ac))
    }
    /// Whether the backoff counter also counts the slot boundary at the end of AIFS (EDCA) or only whole idle slots
    /// after it (DCF). src: 802.11-2020 10.23.2.4, 10.3.4.3
    pub const fn counts_boundary(self) -> bool {
        !matches!(self, Set::Dcf)
    }
}
