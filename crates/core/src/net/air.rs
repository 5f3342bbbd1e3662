//! From a scenario's `[wifi]`, `[ap]`, `[sta]` and the drivers' sections to the BSS that they ask for.

use super::bss::{BssConfig, DriverConfig, StaConfig};
use crate::driver::Name;
use crate::mac80211::profile::{Profile, Turns};
use crate::mac80211::{MEMORY_HT, MEMORY_VHT};
use crate::phy::{Band, Dsss, He, Hr, Ht, McsLoss, Mode, Ofdm, Vht, Width};
use crate::rate::{Setup, minstrel_ht};
use crate::scenario::Scenario;
use crate::scenario::each::Each;
use crate::scenario::keys::{Above, BandName, Kernel, Radio, Standard};
use crate::sim::{Auto, NodeId};
use crate::tcp::head_room;
use crate::wifi::edca::Set;
use crate::wifi::response::Erp;

/// The mode in which station `i`, counted from 1, is sent to, or sends (`up`); the access point's own is the general one.
fn mode(s: &Scenario, i: usize, up: bool) -> Result<Mode, String> {
    let w = &s.wifi;
    let of = |list: &Each<u8>| i.checked_sub(1).and_then(|i| list.get(i));
    let own = if up { of(&s.stations.mcs_up) } else { None };
    let mcs = own.or(of(&s.stations.mcs)).unwrap_or(w.mcs);
    let width = of(&s.stations.width_mhz);
    match if i == 0 { w.standard } else { s.standard_of(i - 1) } {
        Standard::A | Standard::B | Standard::G => {
            let own = i.checked_sub(1).and_then(|i| s.stations.rate.get(i));
            let (key, rate) = own.map_or(("wifi.rate", w.rate), |r| ("stations.rate", r));
            let ofdm = || Ofdm::from_mbit(rate.bps() / 1_000_000).filter(|r| r.mbit() * 1_000_000 == rate.bps());
            let cck = || Dsss::from_bps(rate.bps()).map(|rate| Mode::Dsss(Hr { rate, short: w.short_preamble }));
            let (mode, expected) = match w.standard {
                Standard::A => (ofdm().map(Mode::Ofdm), "802.11a (6, 9, 12, 18, 24, 36, 48, 54 Mbit/s)"),
                Standard::B => (cck(), "802.11b (1, 2, 5.5, 11 Mbit/s)"),
                _ => (
                    cck().or(ofdm().map(Mode::Ofdm)),
                    "802.11b or g (1, 2, 5.5, 11; 6, 9, 12, 18, 24, 36, 48, 54 Mbit/s)",
                ),
            };
            mode.ok_or_else(|| format!("{key}: {} Mbit/s; expected a rate of {expected}", rate.bps() as f64 / 1e6))
        }
        Standard::Ax => {
            let streams = of(&s.stations.streams).unwrap_or(w.streams);
            let width = Width::from_mhz(width.unwrap_or(w.width_mhz));
            let he = width.and_then(|width| He::new(mcs, streams, width, w.gi));
            he.map(Mode::He).ok_or_else(|| {
                format!("stations.mcs: {mcs} with {streams} streams; expected a mode of 802.11ax at this width")
            })
        }
        Standard::Ac => {
            let streams = of(&s.stations.streams).unwrap_or(w.streams);
            let width = Width::from_mhz(width.unwrap_or(w.width_mhz));
            let vht = width.and_then(|width| Vht::new(mcs, streams, width, w.short_gi));
            vht.map(Mode::Vht).ok_or_else(|| {
                format!("stations.mcs: {mcs} with {streams} streams; expected a mode of 802.11ac at this width")
            })
        }
        Standard::N => {
            let ht = Ht::new(mcs, width.unwrap_or(w.width_mhz.min(40)) == 40, w.short_gi);
            ht.map(Mode::Ht).ok_or_else(|| format!("stations.mcs: {mcs}; expected an MCS from 0 to 31"))
        }
    }
}

/// Minstrel-HT as the scenario's kernel has it.
fn minstrel_ht(s: &Scenario) -> minstrel_ht::Params {
    use minstrel_ht::Version;
    let kernels = match s.kernel.series() {
        (..=3, _) => Version::V3_18,
        (4, _) => Version::V4_14,
        (5, ..=4) => Version::V5_4,
        (5, ..=11) => Version::V5_10,
        (5, _) => Version::V5_15,
        _ => Version::V6_12,
    };
    minstrel_ht::Params { version: Auto::Set(s.minstrel_ht.version.or(kernels)), ..s.minstrel_ht }
}

/// The CCK rates that Minstrel-HT has on such a card: ath9k's at 2.4 GHz, of kernels since 3.10. src: linux@6.12 ath9k/init.c SUPPORTS_HT_CCK_RATES
fn cck(s: &Scenario, driver: Name) -> Option<minstrel_ht::Cck> {
    let has = s.wifi.band == BandName::Ghz2 && matches!(driver, Name::Ath9k | Name::Ath9kTidq);
    // ath9k copies the station's table, in which no rate has the flag, since it leaves out protection of frames (5.17).
    let flagged = Profile::of(s.kernel.series()).frame_protection;
    has.then_some(minstrel_ht::Cck { short: s.wifi.short_preamble, flagged })
}

/// The loss by MCS that the scenario gives.
fn mcs_loss(s: &Scenario) -> Result<McsLoss, String> {
    let list: Vec<f64> = (0..s.wifi.mcs_error.len()).filter_map(|i| s.wifi.mcs_error.get(i)).collect();
    match list.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        Some(p) => Err(format!("wifi.mcs_error: {p}; expected probabilities from 0 to 1")),
        None => Ok(McsLoss::new(&list)),
    }
}

/// Basic rates up to the one that is asked for: responses go at the highest of them that the data rate allows.
fn basic(s: &Scenario) -> Vec<Ofdm> {
    let top = s.wifi.basic_rate.bps() / 1_000_000;
    [Ofdm::R6, Ofdm::R12, Ofdm::R24].into_iter().filter(|r| r.mbit() <= top).collect()
}

/// The highest basic rate of 802.11b stations.
fn dsss_basic(s: &Scenario) -> Result<Dsss, String> {
    let bps = s.wifi.dsss_basic_rate.bps();
    Dsss::from_bps(bps)
        .ok_or_else(|| format!("wifi.dsss_basic_rate: {} Mbit/s; expected 1, 2, 5.5 or 11 Mbit/s", bps as f64 / 1e6))
}

/// AQL came with 5.5, and ath10k and mt76 have asked for it ever since (NL80211_EXT_FEATURE_AQL; mt76/mac80211.c mt76_phy_init).
fn has_aql(k: Kernel) -> bool {
    k.series() >= (5, 5)
}

/// Whether OFDM frames are protected where 802.11b stations are about; see [`Profile::frame_protection`].
fn protects(s: &Scenario) -> bool {
    let frames = Profile::of(s.kernel.series()).frame_protection || s.ap.driver != Name::Ath9k;
    s.wifi.erp_protection.or(frames)
}

/// The BSS of a Wi-Fi scenario. Node 0 is the access point, node `i` station `i`.
pub(super) fn config(s: &Scenario) -> Result<BssConfig, String> {
    let qos = matches!(s.wifi.standard, Standard::N | Standard::Ac | Standard::Ax);
    let driver = |r: &Radio, name: Name| match name {
        Name::Ath9k => DriverConfig::Ath9k(s.ath9k),
        Name::Ath9kTidq => DriverConfig::Ath9kTidq(s.ath9k, r.qdisc, Box::new(s.qdiscs())),
        Name::Ath9kHtc => match r.above {
            Above::Qdisc => DriverConfig::Ath9kHtc(Box::new(s.ath9k_htc), r.qdisc, Box::new(s.qdiscs())),
            Above::Kernel if s.kernel.series() < (6, 2) => {
                DriverConfig::Ath9kHtc(Box::new(s.ath9k_htc), r.qdisc, Box::new(s.qdiscs()))
            }
            Above::Kernel | Above::Txqs => DriverConfig::Ath9kHtcTxqs(Box::new(s.ath9k_htc)),
        },
        Name::Ath10k if s.kernel.series() < (4, 15) => {
            DriverConfig::Ath10k(Box::new(s.ath10k), r.qdisc, Box::new(s.qdiscs()))
        }
        Name::Ath10k => DriverConfig::Ath10kTxqs(Box::new(s.ath10k)),
        Name::Mt76 => DriverConfig::Mt76(Box::new(s.mt76)),
        Name::Iwlwifi => DriverConfig::Iwlwifi(Box::new(s.iwlwifi)),
        Name::Linksys => DriverConfig::Linksys(s.linksys),
        Name::Sora => DriverConfig::Sora(s.ath9k, s.sora),
    };
    let queues = |name: Name| {
        let mut q = s.mac80211;
        let asks = name.asks_for_aql() && (has_aql(s.kernel) || q.aql == Auto::Set(true));
        q.aql = if asks { Auto::Set(q.aql.or(true)) } else { Auto::Auto };
        q.memory_limit = Auto::Set(q.memory_limit.or(if name.does_vht() { MEMORY_VHT } else { MEMORY_HT }));
        q
    };
    let kernel = |driver: Name| {
        let k = *Profile::of(s.kernel.series());
        // Only ath9k had turns of its own that are known here.
        let own = matches!(driver, Name::Ath9k | Name::Sora);
        if own || k.turns != Turns::Driver { k } else { Profile { turns: Turns::Owed, ..k } }
    };
    let each = |list: &Each<f64>, i: usize| i.checked_sub(1).and_then(|i| list.get(i)).unwrap_or(s.wifi.error_rate);
    let end = |i: usize| i.checked_sub(1).map_or((&s.ap, s.ap.driver), |i| (&s.sta, s.driver_of(i)));
    let station = |i: usize, mode: Mode, mode_up: Mode| StaConfig {
        name: if i == 0 { "ap".into() } else { format!("sta{i}") },
        node: NodeId(i as u16),
        mode,
        mode_up,
        driver: driver(end(i).0, end(i).1),
        aggregates: s.wifi.aggregation && qos,
        rate: Setup {
            control: if i == 0 { s.ap.rate_control } else { s.sta.rate_control },
            fixed: s.fixed,
            minstrel_ht: minstrel_ht(s),
            aasrc: s.aasrc,
            aarc: s.aarc,
            hardware: if end(i).1 == Name::Mt76 { minstrel_ht::Hardware::MT7615 } else { minstrel_ht::Hardware::ATH9K },
            cck: cck(s, end(i).1),
            hz: s.host.hz,
        },
        queues: queues(end(i).1),
        kernel: kernel(end(i).1),
        tao: (i > 0 && s.tao.enabled).then_some(s.tao),
        error_up: each(&s.stations.error_up, i),
        error_down: each(&s.stations.error_down, i),
        error_run: i.checked_sub(1).and_then(|i| s.stations.error_run.get(i)).filter(|&run| run != 0.0),
        weight: i.checked_sub(1).and_then(|i| s.stations.weight.get(i)),
        snr: i.checked_sub(1).and_then(|i| s.stations.snr.get(i)),
    };
    let cfg = BssConfig {
        band: if s.wifi.band == BandName::Ghz2 { Band::Ghz2 } else { Band::Ghz5 },
        basic: basic(s),
        erp: Erp { basic: dsss_basic(s)?, short: s.wifi.short_preamble, about: false, protects: protects(s) },
        medium: s.medium,
        beacon: s.beacon,
        mcs_loss: mcs_loss(s)?,
        channel: (s.channel, s.floor),
        reorder: s.reorder,
        encryption: s.wifi.encryption,
        hack: s.hack,
        qos,
        edca: [s.edca_ap.over("edca_ap", Set::AccessPoint.all())?, s.edca.over("edca", Set::Station.all())?],
        rfc8325: s.kernel.series() >= (6, 8),
        head_room: head_room(
            crate::tcp::Profile::named(s.kernel.name()).expect("every kernel has a profile"),
            s.tcp.max_header,
        ),
        stations: (0..=usize::from(s.wifi.stations))
            .map(|i| Ok(station(i, mode(s, i, false)?, mode(s, i, true)?)))
            .collect::<Result<_, String>>()?,
    };
    cfg.check().map_err(|e| e.to_string())?;
    Ok(cfg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Rate;
    use crate::sim::params::{Raw, Value};

    #[test]
    fn what_stands_above_ath9k_htc_is_the_kernels_affair_unless_it_is_said() {
        let cases = [
            (Kernel::V5_10, Above::Kernel, false),
            (Kernel::V5_15_148, Above::Kernel, false),
            (Kernel::V6_1_192, Above::Kernel, false),
            (Kernel::V6_6_129, Above::Kernel, true),
            (Kernel::V6_12, Above::Kernel, true),
            (Kernel::V6_12, Above::Qdisc, false),
            (Kernel::V4_14, Above::Txqs, true),
        ];
        for (kernel, above, txqs) in cases {
            let mut s = Scenario { kernel, ..Scenario::default() };
            (s.wifi.stations, s.sta.driver, s.sta.above) = (1, Name::Ath9kHtc, above);
            let cfg = config(&s).unwrap();
            assert_eq!(matches!(cfg.stations[1].driver, DriverConfig::Ath9kHtcTxqs(_)), txqs, "{kernel:?} {above:?}");
        }
    }

    /// 802.11n cards of ath9k at 2.4 GHz have them, whatever the kernel; the flag of short preambles is lost where ath9k copies a table.
    #[test]
    fn cck_rates_are_of_ath9k_at_2_4_ghz() {
        let of = |band, driver, kernel, short| {
            let mut s = Scenario { kernel, ..Scenario::default() };
            (s.wifi.stations, s.wifi.width_mhz, s.wifi.band, s.wifi.short_preamble) = (1, 20, band, short);
            (s.ap.driver, s.sta.driver) = (driver, driver);
            config(&s).unwrap().stations[1].rate.cck
        };
        let ghz2 = |kernel, short| of(BandName::Ghz2, Name::Ath9k, kernel, short);
        assert_eq!(ghz2(Kernel::V6_12, true), Some(minstrel_ht::Cck { short: true, flagged: false }));
        assert_eq!(ghz2(Kernel::V4_14, true), Some(minstrel_ht::Cck { short: true, flagged: true }));
        assert_eq!(ghz2(Kernel::V4_14, false), Some(minstrel_ht::Cck { short: false, flagged: true }));
        assert_eq!(of(BandName::Ghz5, Name::Ath9k, Kernel::V6_12, true), None);
        assert_eq!(of(BandName::Ghz2, Name::Mt76, Kernel::V6_12, true), None);
    }

    #[test]
    fn a_station_sends_at_a_rate_of_its_own() {
        let mut s = Scenario::default();
        s.wifi.stations = 2;
        s.stations.mcs_up = Each::read(&Raw::Text("15".into())).unwrap();
        let cfg = config(&s).unwrap();
        let mcs = |m| if let Mode::Ht(h) = m { h.mcs() } else { 99 };
        let of = |i: usize| (mcs(cfg.stations[i].mode), mcs(cfg.stations[i].mode_up));
        assert_eq!([of(1), of(2)], [(7, 15), (7, 7)]);
    }

    #[test]
    fn rates_that_a_standard_lacks_are_refused() {
        let mut s = Scenario::default();
        (s.wifi.standard, s.wifi.rate) = (Standard::B, Rate::from_mbit(54));
        assert!(config(&s).unwrap_err().contains("1, 2, 5.5, 11"));
        (s.wifi.standard, s.wifi.rate) = (Standard::G, Rate::from_kbit(5_500));
        let cfg = config(&s).unwrap();
        assert!(matches!(cfg.stations[1].mode, Mode::Dsss(_)) && cfg.erp.basic == Dsss::R11);
    }
}
