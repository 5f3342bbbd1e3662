//! The device that a station's configuration asks for.

use super::Netdev;
use crate::driver::ath9k::Ath9k;
use crate::driver::ath9k::tidq::Ath9kTidq;
use crate::driver::ath9k_htc::{self, Ath9kHtc};
use crate::driver::ath10k::Ath10k;
use crate::driver::iwlwifi::Iwlwifi;
use crate::driver::linksys::{Fifos, Linksys};
use crate::driver::mt76::Mt76;
use crate::driver::offload::Peer;
use crate::mac80211::{self, Txqs};
use crate::net::bss::above::Queues;
use crate::net::bss::config::{BssConfig, DriverConfig};
use crate::phy::Mode;
use crate::qdisc::Setup;
use crate::rate::minstrel_ht::Before;
use crate::rate::{self, Rates};
use crate::sim::Streams;
use crate::wifi::response::Responses;
use crate::wifi::{Ac, Framing, Opportunities, StaIx};

/// An Ethernet header, bytes.
const ETHERNET: u16 = 14;

/// Bytes that a frame has in front of the IP packet while it waits in a TXQ: what mac80211 has made of it. The CCMP header is part of it for ath9k
/// and ath9k_htc, not for ath10k and iwlwifi; mt76's hardware makes 802.11's, too.
/// src: linux@6.12 net/mac80211/tx.c ieee80211_check_fast_xmit (gen_iv), __ieee80211_xmit_fast, ieee80211_8023_xmit; ath9k/main.c ath9k_set_key,
/// ath10k/mac.c ath10k_send_key (IEEE80211_KEY_FLAG_GENERATE_IV), iwlwifi/mvm/mac80211.c __iwl_mvm_mac_set_key
fn waiting_header(driver: &DriverConfig, chosen: bool, framing: Framing) -> u16 {
    match driver {
        DriverConfig::Mt76(p) if p.encap && !chosen => ETHERNET,
        DriverConfig::Mt76(_) | DriverConfig::Ath10kTxqs(_) | DriverConfig::Iwlwifi(_) => {
            Framing::open(framing.qos).header()
        }
        _ => framing.header(),
    }
}

impl Netdev {
    /// The device of station `i`.
    pub fn new(cfg: &BssConfig, i: usize, streams: &Streams) -> Netdev {
        let s = &cfg.stations[i];
        // The access point knows everybody; a station knows the access point.
        let peers = if i == 0 { cfg.stations.len() } else { 1 };
        let modes = if i == 0 { cfg.stations.iter().map(|s| s.mode).collect() } else { vec![s.mode_up] };
        // ath9k_htc and iwlwifi report no airtime, and ask for no fairness by it. src: linux@6.12 ath9k/htc_drv_init.c ath9k_set_hw_capab,
        // iwlwifi/mvm/mac80211.c iwl_mvm_mac_setup_register
        let reports = !matches!(s.driver, DriverConfig::Ath9kHtcTxqs(_) | DriverConfig::Iwlwifi(_));
        let airtime_fairness = s.queues.airtime_fairness && reports;
        let queues = mac80211::Params { airtime_fairness, ..s.queues };
        let framing = Framing { qos: cfg.qos, encryption: cfg.encryption };
        let txqs = || {
            let seed = streams.get(&s.name, "txq/hash").bits() as u32;
            let mut q = Txqs::new(
                &queues,
                &s.kernel,
                peers as u16,
                seed,
                waiting_header(&s.driver, s.rate.control == rate::Name::MinstrelHt, framing).into(),
            );
            let weights = cfg.stations[..peers].iter().enumerate().filter_map(|(i, s)| Some((i as u16, s.weight?)));
            weights.for_each(|(i, w)| q.set_weight(i, w));
            q
        };
        let samples = || streams.get(&s.name, "rate/samples");
        let qdiscs = |kind, setup: &Setup| {
            let mut rng = streams.get(&s.name, "qdisc/hash");
            let seeds = [0; Ac::COUNT].map(|_| rng.bits() as u32);
            Queues::qdiscs(kind, setup, seeds, cfg.head_room, cfg.qos, cfg.rfc8325)
        };
        let txop = cfg.access(i).map(|a| a.txop);
        let opportunities =
            || Opportunities::new(cfg.access(i), Responses::beside(cfg.band, &cfg.basic, cfg.erp()), cfg.band);
        let known = || {
            cfg.stations[..peers]
                .iter()
                .enumerate()
                .map(|(k, s)| Peer {
                    amsdus: s.driver.name().permits_amsdus(),
                    window: cfg.window(i, k),
                    density: s.driver.density(),
                })
                .collect::<Vec<_>>()
        };
        let densities = || cfg.stations[..peers].iter().map(|s| s.driver.density()).collect::<Vec<_>>();
        // Rate control has heard of the frames that made peers of them, and of those of the agreements, which stand from the start.
        let rates = |modes: &[Mode]| {
            let mut rates = Rates::new(&s.rate, modes.to_vec(), &mut samples());
            for k in (0..peers).filter(|&k| k != i) {
                let theirs = &cfg.stations[k];
                let link = if i == 0 { theirs.mode } else { s.mode_up };
                let agreements = link.aggregates();
                rates.before(
                    StaIx(k as u8),
                    Before {
                        access_point: i == 0,
                        asked: agreements && s.aggregates,
                        answered: agreements && theirs.aggregates,
                    },
                );
            }
            rates
        };
        let ath10k = |p, above: Queues, modes: Vec<Mode>| {
            let rates = rates(&modes);
            let mut driver = Ath10k::new(p, rates, &known(), s.aggregates, cfg.band);
            driver.protect(cfg.encryption);
            driver.within(opportunities());
            Netdev::Ath10k(Box::new(above.at(modes)), Box::new(driver))
        };
        match &s.driver {
            DriverConfig::Ath10k(p, kind, setup) => ath10k(p, qdiscs(*kind, setup), modes),
            DriverConfig::Ath10kTxqs(p) => ath10k(p, Queues::txqs(txqs(), cfg.qos, cfg.rfc8325), modes),
            DriverConfig::Mt76(p) => {
                let rates = rates(&modes);
                let p = if s.rate.control == rate::Name::MinstrelHt { p.mt7615() } else { **p };
                let mut driver = Mt76::new(&p, rates, &known(), s.aggregates, cfg.band);
                driver.protect(cfg.encryption);
                let above = Queues::txqs(txqs(), cfg.qos, cfg.rfc8325).at(modes);
                Netdev::Mt76(Box::new(above), Box::new(driver))
            }
            DriverConfig::Iwlwifi(p) => {
                let rates = rates(&modes);
                let mut driver = Iwlwifi::new(p, rates, &known(), &modes, s.aggregates, cfg.band);
                driver.protect(cfg.encryption);
                Netdev::Iwlwifi(Box::new(txqs()), Box::new(driver))
            }
            DriverConfig::Linksys(p) => {
                let rates = rates(&modes);
                let mut driver = Linksys::new(&p.machinery(), rates, &known(), s.aggregates, cfg.band);
                driver.protect(cfg.encryption);
                Netdev::Linksys(Box::new(Fifos::new(p, peers)), Box::new(driver))
            }
            DriverConfig::Ath9k(p) | DriverConfig::Sora(p, _) => {
                let (above, mut rates) = (txqs(), rates(&modes));
                if above.has_slow_stations() {
                    rates.tell_minstrel(&s.rate, &modes, &mut samples());
                }
                let mut driver =
                    Ath9k::new(p, rates, densities(), framing, s.aggregates, txop, s.kernel.frame_protection);
                driver.on(cfg.band);
                Netdev::Ath9k(Box::new(above), Box::new(driver))
            }
            DriverConfig::Ath9kTidq(p, kind, setup) => {
                let rates = rates(&modes);
                let mut driver = Ath9kTidq::new(p, rates, densities(), framing, s.aggregates, txop);
                driver.on(cfg.band);
                Netdev::Ath9kTidq(Box::new(qdiscs(*kind, setup)), Box::new(driver))
            }
            DriverConfig::Ath9kHtc(p, kind, setup) => Netdev::htc(p, qdiscs(*kind, setup), cfg, i, &modes),
            DriverConfig::Ath9kHtcTxqs(p) => Netdev::htc(p, Queues::txqs(txqs(), cfg.qos, cfg.rfc8325), cfg, i, &modes),
        }
    }
    fn htc(p: &ath9k_htc::Params, above: Queues, cfg: &BssConfig, i: usize, modes: &[Mode]) -> Netdev {
        let mut driver = Ath9kHtc::new(*p, cfg.stations.len(), cfg.stations[i].mode_up);
        driver.ticks(cfg.stations[i].rate.hz);
        if i == 0 && cfg.beacon.is_on() {
            driver.beacons();
        }
        driver.protect(cfg.encryption);
        for (to, &mode) in modes.iter().enumerate() {
            driver.set_mode(StaIx(to as u8), mode);
        }
        Netdev::Ath9kHtc(Box::new(above), Box::new(driver))
    }
}
