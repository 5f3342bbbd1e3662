//! EDCA parameters as keys: what the access point broadcasts to its stations, and what it uses itself.

use crate::params;
use crate::sim::params::Value;
use crate::sim::{Auto, Span};
use crate::wifi::Ac;
use crate::wifi::edca::Access;

/// What a limit of a transmission opportunity is counted in. src: 802.11-2020 9.4.2.28, TXOP Limit
const TXOP_UNIT: Span = Span::from_us(32);

params! {
    /// EDCA parameters by access category; `auto`: the standard's for stations, hostapd's for the access point.
    pub struct Edca {
        /// Voice: slots after SIFS.
        vo_aifsn: Auto<u8> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf tx_queue_data0_aifs, wmm_ac_vo_aifs";
        /// Voice: smallest contention window.
        vo_cw_min: Auto<u16> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Voice: largest contention window.
        vo_cw_max: Auto<u16> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Voice: how long an opportunity may last; 0: one exchange.
        vo_txop: Auto<Span> = Auto::Auto, in Auto::Set(Span::ZERO) => Auto::Set(Span::from_us(65_535 * 32)), src "802.11-2012 table 8-105; hostapd.conf";
        /// Video: slots after SIFS.
        vi_aifsn: Auto<u8> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Video: smallest contention window.
        vi_cw_min: Auto<u16> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Video: largest contention window.
        vi_cw_max: Auto<u16> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Video: how long an opportunity may last; 0: one exchange.
        vi_txop: Auto<Span> = Auto::Auto, in Auto::Set(Span::ZERO) => Auto::Set(Span::from_us(65_535 * 32)), src "802.11-2012 table 8-105; hostapd.conf";
        /// Best effort: slots after SIFS.
        be_aifsn: Auto<u8> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Best effort: smallest contention window.
        be_cw_min: Auto<u16> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Best effort: largest contention window.
        be_cw_max: Auto<u16> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Best effort: how long an opportunity may last; 0: one exchange.
        be_txop: Auto<Span> = Auto::Auto, in Auto::Set(Span::ZERO) => Auto::Set(Span::from_us(65_535 * 32)), src "802.11-2012 table 8-105; hostapd.conf";
        /// Background: slots after SIFS.
        bk_aifsn: Auto<u8> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Background: smallest contention window.
        bk_cw_min: Auto<u16> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Background: largest contention window.
        bk_cw_max: Auto<u16> = Auto::Auto, src "802.11-2020 table 9-155; hostapd.conf";
        /// Background: how long an opportunity may last; 0: one exchange.
        bk_txop: Auto<Span> = Auto::Auto, in Auto::Set(Span::ZERO) => Auto::Set(Span::from_us(65_535 * 32)), src "802.11-2012 table 8-105; hostapd.conf";
    }
}

impl Edca {
    /// `standard` with what is set here.
    ///
    /// Errors: in words, with the section's name, where a value cannot be.
    pub fn over(&self, section: &str, standard: [Access; Ac::COUNT]) -> Result<[Access; Ac::COUNT], String> {
        let set = [
            (self.vo_aifsn, self.vo_cw_min, self.vo_cw_max, self.vo_txop),
            (self.vi_aifsn, self.vi_cw_min, self.vi_cw_max, self.vi_txop),
            (self.be_aifsn, self.be_cw_min, self.be_cw_max, self.be_txop),
            (self.bk_aifsn, self.bk_cw_min, self.bk_cw_max, self.bk_txop),
        ];
        let mut all = standard;
        for (ac, (a, (aifsn, cw_min, cw_max, txop))) in Ac::ALL.into_iter().zip(all.iter_mut().zip(set)) {
            let key = |k: &str| format!("{section}.{}_{k}", ac.name());
            *a = Access {
                aifsn: aifsn.or(a.aifsn),
                cw_min: cw_min.or(a.cw_min),
                cw_max: cw_max.or(a.cw_max),
                txop: txop.or(a.txop),
            };
            if !(1..=15).contains(&a.aifsn) {
                return Err(format!("{}: {}; expected 1 to 15 slots", key("aifsn"), a.aifsn));
            }
            for (k, cw) in [("cw_min", a.cw_min), ("cw_max", a.cw_max)] {
                if cw >= 1 << 15 || !(cw + 1).is_power_of_two() {
                    return Err(format!("{}: {cw}; expected one less than a power of two, 0 to 32767", key(k)));
                }
            }
            if a.txop.ns() % TXOP_UNIT.ns() != 0 {
                let below = a.txop.ns() / TXOP_UNIT.ns() * TXOP_UNIT.ns() / 1000;
                return Err(format!("{}: {}; expected whole 32 us, such as {below} us", key("txop"), a.txop.show()));
            }
            if a.cw_min > a.cw_max {
                return Err(format!("{}: {}; expected at least cw_min, {}", key("cw_max"), a.cw_max, a.cw_min));
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wifi::edca::Set;

    #[test]
    fn what_is_set_replaces_the_standards() {
        let e = Edca { be_cw_min: Auto::Set(31), be_aifsn: Auto::Set(2), ..Edca::default() };
        let all = e.over("edca", Set::Station.all()).unwrap();
        assert_eq!((all[2].cw_min, all[2].aifsn, all[2].cw_max), (31, 2, 1023));
        assert_eq!(all[0], Set::Station.of(Ac::Vo));
        let bad = Edca { vo_cw_min: Auto::Set(6), ..e };
        assert!(bad.over("edca", Set::Station.all()).unwrap_err().starts_with("edca.vo_cw_min: 6"));
        let bad = Edca { vi_txop: Auto::Set(Span::from_us(2000)), ..e };
        let said = bad.over("edca_ap", Set::Station.all()).unwrap_err();
        assert_eq!(said, "edca_ap.vi_txop: 2 ms; expected whole 32 us, such as 1984 us");
        let bad = Edca { be_cw_min: Auto::Set(2047), ..e };
        assert!(bad.over("edca", Set::Station.all()).unwrap_err().contains("cw_max"));
    }
}
