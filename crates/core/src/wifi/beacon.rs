//! The access point's beacon: when it is due, how it contends, how long it is on the air.
//!
//! Stands for: 802.11-2020 11.1.3.2 (a beacon is due at each TBTT and then contends; one that is late moves no other); 9.3.3.2 and
//! 9.4.2 (its elements); Linux's ath9k, whose beacons have a queue above all others with AIFSN 1 and no window
//! (drivers/net/wireless/ath/ath9k/beacon.c ath9k_beaconq_config); hostapd 2.10's elements (src/ap/beacon.c).
//! Differs: D1 nothing is buffered for stations that sleep: none does; D2 each station decodes each beacon, and none that misses one
//! does anything about it; D3 ath10k's and the Linksys's firmware is taken to contend as ath9k's cards do.

use super::ac::Ac;
use super::burst::StaIx;
use super::contention::Contender;
use super::edca::Access;
use super::encryption::Encryption;
use crate::phy::{Band, Dsss, Hr, Mode, Ofdm, duration};
use crate::sim::{Auto, Rate, Span, Stream, Time};

crate::params! {
    /// The access point's beacons.
    pub struct Params {
        /// From one beacon to the next, in units of 1024 us; 0: there are none.
        interval: u16 = 100, in 0 => 65_535, unit "TU", src "hostapd.conf, beacon_int: 100";
        /// What they are sent at. Auto: 1 Mbit/s at 2.4 GHz (the lowest of what hostapd has for basic rates there), the lowest basic rate at
        /// 5 GHz. OpenWrt has switched 802.11b's rates off since 19.07: 6 Mbit/s.
        rate: Auto<Rate> = Auto::Auto, src "linux@6.12 net/mac80211/rate.c rate_control_send_low, rc_send_low_basicrate";
    }
}

impl Params {
    /// The access point sends beacons.
    pub const fn is_on(&self) -> bool {
        self.interval > 0
    }
}

/// A time unit. src: 802.11-2020 3.1
const TU: Span = Span::from_us(1_024);

/// What there is in a BSS that its beacon tells of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    /// The band.
    pub band: Band,
    /// 802.11n, or later.
    pub ht: bool,
    /// 802.11ac.
    pub vht: bool,
    /// 802.11ax.
    pub he: bool,
    /// WMM.
    pub qos: bool,
    /// Stations of 802.11b: some, or all of them.
    pub dsss: [bool; 2],
    /// The lowest basic rate.
    pub basic: Ofdm,
    /// The beacon interval, time units.
    pub interval: u16,
    /// What protects data frames.
    pub encryption: Encryption,
}

impl Told {
    /// Bytes of the beacon of a network whose name has eight letters, check sequence included: by the standard's lengths of what
    /// hostapd puts in.
    pub const fn bytes(&self) -> u32 {
        let header = 24 + 8 + 2 + 2 + 4;
        let mut n = header + (2 + 8) + 6 + 3 + 6 + 10; // name, four rates, channel, traffic map, extended capabilities
        if !self.dsss[1] {
            n += 4; // eight rates
        }
        if matches!(self.band, Band::Ghz2) && !self.dsss[1] {
            n += 3 + 6; // ERP, extended rates
        }
        if self.ht {
            n += 28 + 24;
        }
        if self.vht {
            n += 14 + 7;
        }
        if self.he {
            n += 24 + 9 + 4 + 16; // capabilities without PPE thresholds, operation, spatial reuse, MU EDCA parameters
        }
        if self.qos {
            n += 26; // WMM parameters
        }
        n + self.encryption.element()
    }
}

/// A beacon on the air.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beaconed {
    /// When it began.
    pub start: Time,
    /// For how long.
    pub airtime: Span,
    /// How it was modulated.
    pub mode: Mode,
    /// Its bytes, check sequence included.
    pub bytes: u32,
    /// What it tells.
    pub told: Told,
    /// Others sent at the same time.
    pub collided: bool,
}

/// The mode of `rate`, if beacons can have it. `Err`: what would do.
pub fn mode(rate: Auto<Rate>, told: &Told) -> Result<Mode, &'static str> {
    let dsss = |r| Mode::Dsss(Hr { rate: r, short: false });
    let ghz2 = told.band == Band::Ghz2;
    match rate {
        Auto::Auto if ghz2 => Ok(dsss(Dsss::R1)),
        Auto::Auto => Ok(Mode::Ofdm(told.basic)),
        Auto::Set(r) => match (Dsss::from_bps(r.bps()), Ofdm::from_mbit(r.bps() / 1_000_000)) {
            (Some(d), _) if ghz2 => Ok(dsss(d)),
            (_, Some(o)) if r.bps() % 1_000_000 == 0 => Ok(Mode::Ofdm(o)),
            _ if ghz2 => Err("beacons at 2.4 GHz go at 1, 2, 5.5, 11, 6, 9, 12, 18, 24, 36, 48 or 54 Mbit/s"),
            _ => Err("beacons at 5 GHz go at 6, 9, 12, 18, 24, 36, 48 or 54 Mbit/s"),
        },
    }
}

/// An access point's beacons.
#[derive(Clone, Debug)]
pub struct Beacons {
    interval: Span,
    mode: Mode,
    told: Told,
    airtime: Span,
    /// The queue that they stand in.
    pub(super) contender: Contender,
    rng: Stream,
}

impl Beacons {
    /// None, if there are none. Panics where [`mode`] refuses the rate.
    pub fn new(p: &Params, told: &Told, slot: Span, rng: Stream) -> Option<Beacons> {
        let mode = mode(p.rate, told).expect("a rate that was checked");
        let told = Told { interval: p.interval, ..*told };
        let access = Access { aifsn: 1, cw_min: 0, cw_max: 0, txop: Span::ZERO };
        p.is_on().then(|| Beacons {
            interval: TU * i64::from(p.interval),
            mode,
            airtime: duration::ppdu(mode, told.bytes(), told.band),
            told,
            contender: Contender::new(StaIx::AP, Ac::Vo, access, true, told.band.sifs(), slot, rng.clone()),
            rng,
        })
    }
    /// The first TBTT: anywhere in the first interval.
    pub fn first(&mut self) -> Time {
        Time::ZERO + Span::from_ns(i64::from(self.rng.below(self.interval.ns() as u32)))
    }
    /// One that goes on the air at `start`.
    pub(super) fn one(&self, start: Time, collided: bool) -> Beaconed {
        Beaconed { start, airtime: self.airtime, mode: self.mode, bytes: self.told.bytes(), told: self.told, collided }
    }
    /// The TBTT after the one at `now`.
    pub(super) fn after(&self, now: Time) -> Time {
        now + self.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(band: Band, ht: bool) -> Told {
        Told {
            band,
            ht,
            vht: false,
            he: false,
            qos: true,
            dsss: [false; 2],
            basic: Ofdm::R6,
            interval: 100,
            encryption: Encryption::None,
        }
    }

    /// What hostapd 2.10 and Linux 6.12's mac80211 send at 5 GHz for an open network named "wavetank", on the virtual radio's air.
    #[test]
    fn as_long_as_hostapds() {
        for (ht, us) in [(true, 236), (false, 164)] {
            let t = Told { qos: true, ..told(Band::Ghz5, ht) };
            let rng = crate::sim::Streams::new(1).get("ap", "beacon");
            let b = Beacons::new(&Params::default(), &t, Span::from_us(9), rng).unwrap();
            assert_eq!(b.airtime, Span::from_us(us), "{ht}");
        }
    }

    /// And on channel 1, without WMM: of 802.11g, beside stations of 802.11b, and of 802.11b (`hw_mode=b`), which has four rates.
    #[test]
    fn as_long_as_hostapds_of_802_11b_and_g() {
        for (dsss, us) in [([false, false], 896), ([true, false], 896), ([true, true], 792)] {
            let t = Told { qos: false, dsss, ..told(Band::Ghz2, false) };
            let rng = crate::sim::Streams::new(1).get("ap", "beacon");
            let b = Beacons::new(&Params::default(), &t, Span::from_us(9), rng).unwrap();
            assert_eq!(b.airtime, Span::from_us(us), "{dsss:?}");
        }
    }

    #[test]
    fn rates_that_a_band_lacks_are_refused() {
        let at = |band, kbit| mode(Auto::Set(Rate::from_kbit(kbit)), &told(band, true));
        assert!(at(Band::Ghz5, 1_000).is_err() && at(Band::Ghz5, 5_500).is_err() && at(Band::Ghz2, 7_000).is_err());
        assert!(matches!(at(Band::Ghz2, 5_500), Ok(Mode::Dsss(_))));
        assert!(matches!(at(Band::Ghz2, 6_000), Ok(Mode::Ofdm(_))));
        assert!(matches!(mode(Auto::Auto, &told(Band::Ghz2, true)), Ok(Mode::Dsss(Hr { rate: Dsss::R1, .. }))));
    }

    /// 236 us at 6 Mbit/s are 54 symbols of 24 bits: 16 + 6 bits around the bytes; with 22 bytes more 61 or 62.
    #[test]
    fn an_rsn_element_is_22_bytes() {
        let open = told(Band::Ghz5, true);
        let wpa2 = Told { encryption: Encryption::Ccmp, ..open };
        assert_eq!(wpa2.bytes(), open.bytes() + 22);
        let us = |t: &Told| duration::ppdu(Mode::Ofdm(Ofdm::R6), t.bytes(), Band::Ghz5).us();
        assert_eq!(us(&wpa2), 20 + 4 * (i64::from(22 + 8 * wpa2.bytes()) + 23).div_euclid(24));
    }
}
