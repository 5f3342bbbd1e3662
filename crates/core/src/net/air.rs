//! From a scenario's `[wifi]`, `[ap]`, `[sta]` and the drivers' sections to the BSS that they ask for.

use super::bss::{BssConfig, DriverConfig, StaConfig};
use crate::driver::Name;
use crate::phy::{Band, Ht, Mode, Ofdm};
use crate::scenario::Scenario;
use crate::scenario::keys::{Above, BandName, Kernel, Radio, Standard};
use crate::sim::NodeId;

fn mode(s: &Scenario) -> Result<Mode, String> {
    let w = &s.wifi;
    match w.standard {
        Standard::A => {
            let mbit = w.rate.bps() / 1_000_000;
            Ofdm::from_mbit(mbit).map(Mode::Ofdm).ok_or_else(|| {
                format!("wifi.rate: {mbit} Mbit/s; expected a rate of 802.11a (6, 9, 12, 18, 24, 36, 48, 54 Mbit/s)")
            })
        }
        Standard::N => Ok(Mode::Ht(Ht::new(w.mcs, w.width_mhz == 40, w.short_gi).expect("the schema bounds the MCS"))),
    }
}

/// Basic rates up to the one that is asked for: responses go at the highest of them that the data rate allows.
fn basic(s: &Scenario) -> Vec<Ofdm> {
    let top = s.wifi.basic_rate.bps() / 1_000_000;
    [Ofdm::R6, Ofdm::R12, Ofdm::R24].into_iter().filter(|r| r.mbit() <= top).collect()
}

/// The BSS of a Wi-Fi scenario. Node 0 is the access point, node `i` station `i`.
pub(super) fn config(s: &Scenario) -> Result<BssConfig, String> {
    let mode = mode(s)?;
    let qos = s.wifi.standard == Standard::N;
    let driver = |r: &Radio| match r.driver {
        Name::Ath9k => DriverConfig::Ath9k(s.ath9k),
        Name::Ath9kHtc => match r.above {
            Above::Qdisc => DriverConfig::Ath9kHtc(Box::new(s.ath9k_htc), r.qdisc, Box::new(s.qdiscs())),
            Above::Kernel if s.kernel != Kernel::V6_12 => {
                DriverConfig::Ath9kHtc(Box::new(s.ath9k_htc), r.qdisc, Box::new(s.qdiscs()))
            }
            Above::Kernel | Above::Txqs => DriverConfig::Ath9kHtcTxqs(Box::new(s.ath9k_htc)),
        },
    };
    let station = |i: usize| StaConfig {
        name: if i == 0 { "ap".into() } else { format!("sta{i}") },
        node: NodeId(i as u16),
        mode,
        driver: driver(if i == 0 { &s.ap } else { &s.sta }),
        aggregates: s.wifi.aggregation && qos,
        rate: s.fixed,
        queues: s.mac80211,
        error_up: s.wifi.error_rate,
        error_down: s.wifi.error_rate,
    };
    let cfg = BssConfig {
        band: if s.wifi.band == BandName::Ghz2 { Band::Ghz2 } else { Band::Ghz5 },
        basic: basic(s),
        medium: s.medium,
        reorder: s.reorder,
        qos,
        rfc8325: s.kernel == Kernel::V6_12,
        stations: (0..=usize::from(s.wifi.stations)).map(station).collect(),
    };
    cfg.check().map_err(|e| e.to_string())?;
    Ok(cfg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_above_ath9k_htc_is_the_kernels_affair_unless_it_is_said() {
        let cases = [
            (Kernel::V5_10, Above::Kernel, false),
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
}
