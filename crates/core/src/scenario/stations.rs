//! What stations may have of their own, and where the message points if they may not.

use super::error::ScenarioError;
use super::keys::{Standard, Topology};
use super::places::{Places, refuse};
use super::sections::Scenario;
use crate::driver::Name;
use crate::phy::{Width, he, vht};

/// As `traffic.tcp_up`.
const MOST_FLOWS: u16 = 256;
/// As `traffic.udp_payload`.
const MOST_PAYLOAD: u16 = 1472;

impl Scenario {
    /// The driver of station `i`, counted from 0.
    pub fn driver_of(&self, i: usize) -> Name {
        self.stations.driver.get(i).unwrap_or(self.sta.driver)
    }
    /// What station `i`, counted from 0, is a station of: what its driver's cards can at most.
    pub fn standard_of(&self, i: usize) -> Standard {
        match self.wifi.standard {
            Standard::Ac | Standard::Ax => newest(self.driver_of(i), self.wifi.standard),
            s => s,
        }
    }
}

/// What cards of a driver are in a network of 802.11ac or ax.
const fn newest(driver: Name, network: Standard) -> Standard {
    match (driver, network) {
        (Name::Mt76 | Name::Iwlwifi, s) => s,
        (Name::Ath10k, _) => Standard::Ac,
        _ => Standard::N,
    }
}

/// Refuses what no station can have, and what would be read by nothing.
pub(super) fn check(s: &Scenario, places: &Places, path: &str) -> Result<(), ScenarioError> {
    let own = &s.stations;
    let no = |key: &str, found: &str, expected: &str| Err(refuse(places, path, key, found, expected));
    for (key, list) in [("stations.error_up", &own.error_up), ("stations.error_down", &own.error_down)] {
        if let Some((i, p)) = list.all().find(|(_, p)| !(0.0..=1.0).contains(p)) {
            return no(key, &format!("{p} for station {}", i + 1), "probabilities from 0 to 1");
        }
    }
    if let Some((i, _)) = own.weight.all().find(|&(_, w)| w == 0) {
        return no("stations.weight", &format!("0 for station {}", i + 1), "weights from 1 to 65535 (256 is even)");
    }
    if let Some((i, snr)) = own.snr.all().find(|(_, snr)| !(-20.0..=80.0).contains(snr)) {
        return no("stations.snr", &format!("{snr} for station {}", i + 1), "decibels from -20 to 80");
    }
    for (key, list) in [("stations.tcp_up", &own.tcp_up), ("stations.tcp_down", &own.tcp_down)] {
        if let Some((i, n)) = list.all().find(|&(_, n)| n > MOST_FLOWS) {
            return no(key, &format!("{n} for station {}", i + 1), &format!("counts from 0 to {MOST_FLOWS}"));
        }
    }
    if let Some((i, n)) = own.udp_payload.all().find(|(_, n)| !(1..=MOST_PAYLOAD).contains(n)) {
        let expected = format!("bytes from 1 to {MOST_PAYLOAD}");
        return no("stations.udp_payload", &format!("{n} for station {}", i + 1), &expected);
    }
    if s.topology.kind == Topology::Wired {
        return Ok(());
    }
    let standard = s.wifi.standard;
    let named = format!("set, with wifi.standard = \"{}\"", standard.name());
    let ht = matches!(standard, Standard::N | Standard::Ac | Standard::Ax);
    if !ht {
        for (key, set) in [
            ("stations.mcs", !own.mcs.is_empty()),
            ("stations.mcs_up", !own.mcs_up.is_empty()),
            ("stations.width_mhz", !own.width_mhz.is_empty()),
        ] {
            if set {
                return no(key, &named, "stations.rate: 802.11a, b and g have no MCS");
            }
        }
    }
    if ht && !own.rate.is_empty() {
        return no("stations.rate", &named, "stations.mcs: 802.11n, ac and ax have an MCS");
    }
    if !matches!(standard, Standard::Ac | Standard::Ax) && !own.streams.is_empty() {
        return no(
            "stations.streams",
            &named,
            "stations.mcs alone: in 802.11n it says the streams (15: two), 802.11a has one",
        );
    }
    if !s.channel.on && !own.snr.is_empty() {
        return no(
            "stations.snr",
            "set, with channel.on = false",
            "channel.on = true: without a channel nothing has an SNR",
        );
    }
    if let Some((i, d)) = own.driver.all().find(|(_, d)| matches!(d, Name::Linksys)) {
        let expected =
            "a station's driver: ath9k, ath9k_htc, ath10k, mt76 or iwlwifi (the Linksys device is an access point)";
        return no("stations.driver", &format!("{} for station {}", d.name(), i + 1), expected);
    }
    if ht { (0..usize::from(s.wifi.stations)).try_for_each(|i| mode(s, i, places, path)) } else { Ok(()) }
}

/// The modes of station `i`, counted from 0.
fn mode(s: &Scenario, i: usize, places: &Places, path: &str) -> Result<(), ScenarioError> {
    let (w, own) = (&s.wifi, &s.stations);
    let no = |key: &str, found: &str, expected: &str| {
        Err(refuse(places, path, key, &format!("{found} for station {}", i + 1), expected))
    };
    let standard = s.standard_of(i);
    let n = standard == Standard::N;
    if standard != w.standard && own.mcs.get(i).is_none() {
        let network = w.standard.name();
        let found = format!("{} in an 802.11{network} network, and no stations.mcs", s.driver_of(i).name());
        let expected = match n {
            true => "its MCS in stations.mcs, as 802.11n counts it (7: one stream, 15: two)",
            false => "its MCS in stations.mcs, as 802.11ac counts it (0 to 9)",
        };
        return no("stations.driver", &found, expected);
    }
    let most = if n { w.width_mhz.min(40) } else { w.width_mhz };
    let width = own.width_mhz.get(i).unwrap_or(most);
    let Some(of) = Width::from_mhz(width).filter(|_| width <= most) else {
        let widths: Vec<String> = [20, 40, 80, 160].iter().filter(|&&x| x <= most).map(u8::to_string).collect();
        return no(
            "stations.width_mhz",
            &width.to_string(),
            &format!("{} (the channel's at most)", widths.join(" or ")),
        );
    };
    let streams = own.streams.get(i).unwrap_or(w.streams);
    for (key, list) in [("stations.mcs", &own.mcs), ("stations.mcs_up", &own.mcs_up)] {
        let mcs = list.get(i).or(own.mcs.get(i)).unwrap_or(w.mcs);
        if n && mcs > 31 {
            return no(key, &mcs.to_string(), "an MCS of 802.11n, from 0 to 31");
        }
        let why = match standard {
            Standard::Ac => vht::why_not(mcs, streams, of),
            Standard::Ax => he::why_not(mcs, streams),
            _ => None,
        };
        if let Some(expected) = why {
            return no(key, &mcs.to_string(), &expected);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Source, read};

    fn refused(standard: &str, stations: &str) -> Option<String> {
        let wifi = match standard {
            "ac" => {
                "mcs = 9\nstreams = 2\nwidth_mhz = 80\nstations = 3\n[ap]\ndriver = \"ath10k\"\n[sta]\ndriver = \"ath10k\""
            }
            _ => "stations = 3\n[ap]",
        };
        let text = format!(
            "name = \"x\"\n[topology]\nkind = \"wifi\"\n[wifi]\nstandard = \"{standard}\"\n{wifi}\n[stations]\n{stations}\n"
        );
        read(&Source { path: "a.toml", text: &text }, &[]).err().map(|e| e.to_string())
    }

    #[test]
    fn no_station_weighs_nothing() {
        let e = refused("n", "weight = [256, 0]").unwrap();
        assert!(e.contains("stations.weight: 0 for station 2; expected weights from 1 to 65535"), "{e}");
    }

    #[test]
    fn stations_of_802_11ac_have_modes_of_their_own() {
        assert_eq!(refused("ac", "mcs = [9, 8, 0]\nstreams = [2, 1, 1]\nwidth_mhz = [80, 20, 20]"), None);
        let e = refused("ac", "mcs = [9, 9, 0]\nwidth_mhz = [80, 20, 20]").unwrap();
        assert!(e.starts_with("a.toml:15: stations.mcs: 9 for station 2") && e.contains("no MCS 9"), "{e}");
        assert!(refused("ac", "mcs = [9, 12]").unwrap().contains("MCS 12 is 802.11n's)"));
        assert!(refused("ac", "mcs = [9, 11]").unwrap().contains("MCS 11 is 802.11n's and 802.11ax's)"));
        assert!(refused("ac", "width_mhz = [160]").unwrap().contains("20 or 40 or 80"));
        assert!(refused("n", "width_mhz = [20, 80]").unwrap().contains("80 for station 2; expected 20 or 40"));
    }

    #[test]
    fn a_station_of_802_11n_says_its_mcs() {
        assert_eq!(refused("ac", "driver = [\"ath10k\", \"ath9k\"]\nmcs = [9, 15]"), None);
        let e = refused("ac", "driver = [\"ath10k\", \"ath9k\"]").unwrap();
        assert!(e.contains("stations.driver: ath9k in an 802.11ac network") && e.contains("station 2"), "{e}");
        assert!(refused("ac", "driver = [\"ath9k\"]\nmcs = [15]\nwidth_mhz = [80]").unwrap().contains("20 or 40"));
        assert!(refused("n", "driver = [\"linksys\"]").unwrap().contains("is an access point"));
    }

    #[test]
    fn who_is_given_no_flow_has_none() {
        let of = |stations: &str| {
            let text =
                format!("name = \"x\"\n[topology]\nkind = \"wifi\"\n[wifi]\nstations = 3\n[stations]\n{stations}\n");
            let s = read(&Source { path: "a.toml", text: &text }, &[]).unwrap();
            [0, 1, 2].map(|i| (s.traffic.of(&s.stations, i).tcp_up, s.traffic.of(&s.stations, i).tcp_down))
        };
        assert_eq!(of(""), [(1, 0); 3]);
        assert_eq!(of("tcp_down = [0, 4]"), [(0, 0), (0, 4), (0, 0)]);
        assert_eq!(of("tcp_up = [0, 1]"), [(0, 0), (1, 0), (0, 0)]);
        assert!(refused("n", "tcp_up = [300]").unwrap().contains("counts from 0 to 256"));
        assert!(
            refused("n", "udp_payload = [172, 1473]")
                .unwrap()
                .contains("1473 for station 2; expected bytes from 1 to 1472")
        );
        assert!(refused("n", "udp_dscp = [\"EF\", \"AF99\"]").unwrap().contains("AF99"));
    }

    #[test]
    fn what_nothing_would_read_is_refused() {
        assert!(refused("n", "rate = \"6 Mbit/s\"").unwrap().contains("expected stations.mcs"));
        assert!(refused("a", "mcs = [7]").unwrap().contains("expected stations.rate"));
        assert!(refused("n", "streams = [2]").unwrap().contains("15: two"));
        assert!(refused("n", "snr = [20]").unwrap().contains("channel.on = true"));
        let e = refused("n", "error_up = [0, 1.5]").unwrap();
        assert!(e.contains(": stations.error_up: 1.5 for station 2; expected probabilities"), "{e}");
    }
}
