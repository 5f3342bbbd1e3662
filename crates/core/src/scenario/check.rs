//! What cannot go together in a scenario.

use super::error::ScenarioError;
use super::keys::{BandName, Shaper, Standard, Topology};
use super::places::{MISSING, Places, refuse};
use super::sections::Scenario;
use crate::driver::Name;
use crate::phy::{Width, he, vht};
use crate::sim::params::Value;
use crate::sim::{Auto, Span};
use crate::wifi::hack::Policy;

/// Combinations that cannot be.
pub(super) fn combinations(s: &Scenario, places: &Places, path: &str) -> Result<(), ScenarioError> {
    if s.topology.kind == Topology::Wired {
        let (key, name, limited) = match s.bottleneck.qdisc {
            Shaper::Htb => ("htb.rate", "rate", places.contains_key("htb.rate")),
            Shaper::Cake => ("cake.bandwidth", "bandwidth", s.cake.bandwidth.is_some()),
        };
        if !limited {
            let found = if places.contains_key(key) { "off" } else { MISSING };
            let expected = format!("a rate, since the topology is wired: {name} = \"100 Mbit/s\"");
            return Err(refuse(places, path, key, found, &expected));
        }
    }
    if s.netem.reorder > 0.0 && s.netem.delay == Span::ZERO {
        let expected = "a netem.delay with it: a packet overtakes those that are delayed";
        return Err(refuse(places, path, "netem.reorder", &s.netem.reorder.to_string(), expected));
    }
    let window = s.tunables.cdg.window;
    if !window.is_power_of_two() {
        let expected = format!("a power of two, 1 to 256, such as {}", window.next_power_of_two().min(256));
        return Err(refuse(places, path, "cdg.window", &window.to_string(), &expected));
    }
    if s.time.warmup + s.time.cooldown >= s.time.flows {
        return Err(no_window(s, places, path));
    }
    let w = &s.wifi;
    let no_ht = matches!(w.standard, Standard::A | Standard::B | Standard::G);
    if no_ht && w.aggregation && places.contains_key("wifi.aggregation") {
        return Err(refuse(
            places,
            path,
            "wifi.aggregation",
            &format!("true, with wifi.standard = \"{}\"", w.standard.name()),
            "false: 802.11a, b and g have no A-MPDUs (or wifi.standard = \"n\")",
        ));
    }
    modes(s, places, path)?;
    if s.sta.driver == Name::Linksys {
        let expected =
            "a station's driver: ath9k, ath9k_htc, ath10k, mt76 or iwlwifi (the Linksys device is an access point)";
        return Err(refuse(places, path, "sta.driver", "linksys", expected));
    }
    for (key, radio) in [("ap.driver", &s.ap), ("sta.driver", &s.sta)] {
        if radio.driver == Name::Sora && w.standard != Standard::A {
            return Err(refuse(places, path, key, "sora", "wifi.standard = \"a\" (SoRa), or another driver"));
        }
    }
    let own = s.stations.driver.all().map(|(_, d)| ("stations.driver", d));
    for (key, driver) in [("ap.driver", s.ap.driver), ("sta.driver", s.sta.driver)].into_iter().chain(own) {
        if driver == Name::Mt76 && s.kernel.series() < (5, 8) {
            let found = format!("mt76, with kernel = \"{}\"", s.kernel.name());
            let expected = "kernel = \"5.10\" or a later one (the mt7915's driver came with 5.8), or another driver";
            return Err(refuse(places, path, key, &found, expected));
        }
        if driver == Name::Iwlwifi && s.kernel.series() < (5, 4) {
            let found = format!("iwlwifi, with kernel = \"{}\"", s.kernel.name());
            let expected = "kernel = \"5.4\" or a later one (the AX200's came with 5.1), or another driver";
            return Err(refuse(places, path, key, &found, expected));
        }
    }
    let aql = s.ap.driver.asks_for_aql() || (0..usize::from(w.stations)).any(|i| s.driver_of(i).asks_for_aql());
    if s.topology.kind == Topology::Wifi && s.mac80211.aql == Auto::Set(true) && !aql {
        let expected =
            "ap.driver or sta.driver ath10k or mt76, the ones here that ask for airtime queue limits; or no such key";
        return Err(refuse(places, path, "mac80211.aql", "true", expected));
    }
    let step = s.channel.power_step;
    if step > Span::ZERO && step < Span::from_us(50) {
        return Err(refuse(places, path, "channel.power_step", &step.show(), "0, or at least 50 us"));
    }
    far(s, places, path)?;
    super::stations::check(s, places, path)?;
    hack(s, places, path)?;
    let t = &s.traffic;
    let stations = if s.topology.kind == Topology::Wired { 1 } else { usize::from(s.wifi.stations) };
    if !(0..stations).any(|i| t.of(&s.stations, i).is_some()) && t.ping.is_none() {
        return Err(refuse(places, path, "traffic", "no traffic at all", "at least one flow or a ping"));
    }
    Ok(())
}

/// How far away servers are.
fn far(s: &Scenario, places: &Places, path: &str) -> Result<(), ScenarioError> {
    let key = "traffic.tcp_delay";
    if let Some((i, d)) = s.traffic.tcp_delay.all().find(|(_, d)| !(Span::ZERO..=Span::from_s(100)).contains(d)) {
        let found = format!("{} for flow {}", d.show(), i + 1);
        return Err(refuse(places, path, key, &found, "times from 0 to 100 s"));
    }
    let wire = s.topology.kind == Topology::Wifi && s.backhaul.present;
    if !s.traffic.tcp_delay.is_empty() && wire && s.qdiscs().paces(s.backhaul.qdisc) {
        let found = format!("with backhaul.qdisc = \"{}\"", s.backhaul.qdisc.name());
        let expected = "another discipline: there fq has sent by its clock what it finds delayed here";
        return Err(refuse(places, path, key, &found, expected));
    }
    Ok(())
}

/// Nothing is left between warm-up and cool-down: blames the longer of those that were given, and the flows' time if neither was.
fn no_window(s: &Scenario, places: &Places, path: &str) -> ScenarioError {
    let t = &s.time;
    let mut ends = [("time.warmup", t.warmup), ("time.cooldown", t.cooldown)];
    ends.sort_by_key(|&(key, span)| (!places.contains_key(key), core::cmp::Reverse(span)));
    let (longer, other) = (ends[0], ends[1]);
    let said = |(key, span): (&str, Span)| {
        let by = if places.contains_key(key) { "" } else { ", its default" };
        format!("{key} ({}{by})", span.show())
    };
    if places.contains_key(longer.0) {
        let expected = format!(
            "less than time.flows ({}) together with {}: figures are taken between them",
            t.flows.show(),
            said(other)
        );
        return refuse(places, path, longer.0, &longer.1.show(), &expected);
    }
    let expected = format!(
        "more than {} and {} together, between which figures are taken; or set a shorter time.warmup",
        said(longer),
        said(other)
    );
    refuse(places, path, "time.flows", &t.flows.show(), &expected)
}

/// What TCP/HACK and SoRa go with.
fn hack(s: &Scenario, places: &Places, path: &str) -> Result<(), ScenarioError> {
    let policy = s.hack.policy;
    if policy == Policy::Off {
        return Ok(());
    }
    let found = policy.show();
    if s.topology.kind == Topology::Wired {
        return Err(refuse(
            places,
            path,
            "hack.policy",
            &found,
            "topology.kind = \"wifi\": there are no link-layer ACKs on a wire",
        ));
    }
    let can = |i| matches!(s.driver_of(i), Name::Ath9k | Name::Sora);
    if policy == Policy::Opportunistic && !(0..usize::from(s.wifi.stations)).all(can) {
        let expected = "sta.driver ath9k or sora, which can take a frame out of the transmit queue again; or more-data";
        return Err(refuse(places, path, "hack.policy", &found, expected));
    }
    Ok(())
}

/// Width, MCS, streams and band that go together.
fn modes(s: &Scenario, places: &Places, path: &str) -> Result<(), ScenarioError> {
    let w = &s.wifi;
    let (ac, ax) = (w.standard == Standard::Ac, w.standard == Standard::Ax);
    let Some(width) = Width::from_mhz(w.width_mhz).filter(|&x| ac || ax || x <= Width::Mhz40) else {
        let found = w.width_mhz.to_string();
        let expected = match w.standard {
            Standard::Ac | Standard::Ax => "20, 40, 80 or 160",
            Standard::N => "20 or 40 (wider channels need wifi.standard = \"ac\" or \"ax\")",
            _ => {
                "20, or no such key: 802.11a, b and g have one width (others need wifi.standard = \"n\", \"ac\" or \"ax\")"
            }
        };
        return Err(refuse(places, path, "wifi.width_mhz", &found, expected));
    };
    if matches!(w.standard, Standard::B | Standard::G) && w.band != BandName::Ghz2 {
        let found = format!("\"5 GHz\", with wifi.standard = \"{}\"", w.standard.name());
        return Err(refuse(places, path, "wifi.band", &found, "\"2.4 GHz\""));
    }
    if let Some(only) = s.minstrel_ht.bitrates {
        let own = [&s.stations.mcs, &s.stations.mcs_up].into_iter().flat_map(|l| (0..l.len()).filter_map(|i| l.get(i)));
        let streams = own.chain([w.mcs]).min().map_or(1, |mcs| u32::from(mcs) / 8 + 1);
        if w.standard != Standard::N || only / 8 + 1 > streams {
            let expected = format!(
                "an MCS of at most as many streams as wifi.mcs and every station has ({streams}), with wifi.standard = \"n\""
            );
            return Err(refuse(places, path, "minstrel_ht.bitrates", &only.to_string(), &expected));
        }
    }
    if !ax && places.contains_key("wifi.gi") {
        let expected = "wifi.short_gi: the guard interval of 802.11n and ac, or wifi.standard = \"ax\"";
        return Err(refuse(places, path, "wifi.gi", &w.gi.show(), expected));
    }
    if !ac && !ax {
        if w.streams != 1 && places.contains_key("wifi.streams") {
            let expected = "no such key: in 802.11n the MCS says it (15: two streams), 802.11a has one";
            return Err(refuse(places, path, "wifi.streams", &w.streams.to_string(), expected));
        }
        return Ok(());
    }
    if w.band == BandName::Ghz2 && (ac || width > Width::Mhz40) {
        let found = format!("\"2.4 GHz\", with wifi.standard = \"{}\" and {} MHz", w.standard.name(), w.width_mhz);
        return Err(refuse(places, path, "wifi.band", &found, "\"5 GHz\""));
    }
    for (key, radio) in [("ap.driver", &s.ap), ("sta.driver", &s.sta)] {
        let expected = match radio.driver {
            Name::Mt76 | Name::Iwlwifi => continue,
            Name::Ath10k if ac => continue,
            _ if ac => "ath10k, mt76 or iwlwifi: the other drivers' cards are 802.11n's",
            _ => "mt76 or iwlwifi: the other drivers' cards are of older standards",
        };
        let found = format!("{}, with wifi.standard = \"{}\"", radio.driver.name(), w.standard.name());
        return Err(refuse(places, path, key, &found, expected));
    }
    let why = if ax { he::why_not(w.mcs, w.streams) } else { vht::why_not(w.mcs, w.streams, width) };
    match why {
        Some(expected) => Err(refuse(places, path, "wifi.mcs", &w.mcs.to_string(), &expected)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Source, read};

    fn refused(wifi: &str) -> Option<String> {
        let text = format!("name = \"x\"\n[topology]\nkind = \"wifi\"\n[wifi]\n{wifi}\n");
        read(&Source { path: "a.toml", text: &text }, &[]).err().map(|e| e.to_string())
    }

    #[test]
    fn what_a_file_has_to_say_has_no_default_in_the_catalogue() {
        let lines = [("name", "name = \"x\"\n"), ("topology.kind", "[topology]\nkind = \"wifi\"\n")];
        for (key, _) in lines {
            let text: String = lines.iter().filter(|l| l.0 != key).map(|l| l.1).collect();
            let e = read(&Source { path: "a.toml", text: &text }, &[]).err().map(|e| e.to_string()).unwrap();
            assert!(e.contains(key) && e.contains("the key is missing"), "{e}");
            let (section, leaf) = key.split_once('.').unwrap_or(("", key));
            let row = super::super::schema().into_iter().find(|(s, p)| *s == section && p.key == leaf).unwrap().1;
            assert_eq!((row.default.as_str(), row.doc.contains("a file has to say")), ("", true), "{key}");
        }
    }

    #[test]
    fn modes_that_802_11ac_lacks_are_refused() {
        let radios = "[ap]\ndriver = \"ath10k\"\n[sta]\ndriver = \"ath10k\"";
        let ac = |rest: &str| refused(&format!("standard = \"ac\"\n{rest}\n{radios}"));
        assert_eq!(ac("mcs = 9\nstreams = 3\nwidth_mhz = 80"), None);
        let e = ac("mcs = 9\nstreams = 2\nwidth_mhz = 20").unwrap();
        assert!(e.starts_with("a.toml:6: wifi.mcs") && e.contains("no MCS 9 with 2 streams at 20 MHz"), "{e}");
        assert!(ac("mcs = 6\nstreams = 3\nwidth_mhz = 80").unwrap().contains("0, 1, 2, 3, 4, 5, 7, 8, 9"));
        assert!(ac("mcs = 15").unwrap().contains("wifi.streams"));
        let e = refused("mcs = 7\n[minstrel_ht]\nbitrates = 8").unwrap();
        assert!(e.contains("minstrel_ht.bitrates") && e.contains("every station has (1)"), "{e}");
        assert_eq!(refused("mcs = 15\n[minstrel_ht]\nbitrates = 8"), None);
        let one = "mcs = 15\nstations = 2\n[stations]\nmcs = \"15, 7\"\n[minstrel_ht]\nbitrates = 8";
        assert!(refused(one).unwrap().contains("every station has (1)"));
        assert!(ac("width_mhz = 60").unwrap().contains("20, 40, 80 or 160"));
        assert!(refused("standard = \"ac\"").unwrap().contains("ap.driver"));
        assert!(ac("band = \"2.4 GHz\"").unwrap().contains("5 GHz"));
    }

    #[test]
    fn a_default_that_does_not_go_with_what_is_set_is_told_as_that() {
        let e = refused("standard = \"ac\"").unwrap();
        assert!(e.starts_with("a.toml: ap.driver: its default, ath9k, with wifi.standard = \"ac\"; expected"), "{e}");
        let e = refused("standard = \"ac\"\n[ap]\ndriver = \"ath9k\"").unwrap();
        assert!(e.starts_with("a.toml:7: ap.driver: ath9k, with"), "{e}");
        let e = refused("standard = \"b\"").unwrap();
        assert!(e.starts_with("a.toml: wifi.band: its default, \"5 GHz\", with"), "{e}");
        let e = refused("mcs = 7\n[traffic]\ntcp_up = 0\nping = \"off\"").unwrap();
        assert!(e.starts_with("a.toml: traffic: no traffic at all"), "{e}");
    }

    #[test]
    fn cdg_looks_back_over_a_power_of_two() {
        assert_eq!(refused("mcs = 7\n[cdg]\nwindow = 256"), None);
        let e = refused("mcs = 7\n[cdg]\nwindow = 9").unwrap();
        assert!(e.starts_with("a.toml:7: cdg.window: 9; expected a power of two") && e.contains("such as 16"), "{e}");
    }

    #[test]
    fn wide_channels_and_streams_need_802_11ac() {
        assert!(refused("width_mhz = 80").unwrap().contains("wifi.standard = \"ac\""));
        let e = refused("standard = \"a\"\nwidth_mhz = 160").unwrap();
        assert!(e.contains("expected 20, or no such key") && !e.contains("20 or 40"), "{e}");
        assert!(refused("streams = 2").unwrap().contains("the MCS says it"));
        assert_eq!(refused("width_mhz = 40\nmcs = 15"), None);
    }

    #[test]
    fn flows_that_end_within_the_warm_up_name_what_was_given() {
        let of = |time: &str| refused(&format!("mcs = 7\n[time]\n{time}")).unwrap();
        let e = of("flows = \"1 ms\"");
        assert!(e.starts_with("a.toml:7: time.flows: 1 ms; expected more than time.warmup (2 s, its default)"), "{e}");
        let e = of("flows = \"3 s\"\nwarmup = \"3 s\"");
        assert!(e.starts_with("a.toml:8: time.warmup: 3 s; expected less than time.flows (3 s)"), "{e}");
        let e = of("flows = \"3 s\"\ncooldown = \"1 s\"");
        assert!(e.starts_with("a.toml:8: time.cooldown: 1 s") && e.contains("time.warmup (2 s, its default)"), "{e}");
        let e = of("flows = \"3 s\"\nwarmup = \"1 s\"\ncooldown = \"2 s\"");
        assert!(e.starts_with("a.toml:9: time.cooldown: 2 s") && e.contains("time.warmup (1 s)"), "{e}");
    }

    #[test]
    fn limits_of_airtime_need_a_driver_that_asks_for_them() {
        let aql = "mcs = 7\n[mac80211]\naql = true";
        assert!(refused(aql).unwrap().contains("ap.driver or sta.driver ath10k"));
        assert_eq!(refused(&format!("{aql}\n[ap]\ndriver = \"ath10k\"")), None);
    }

    #[test]
    fn times_and_decibels_that_cannot_be() {
        assert!(refused("mcs = 7\n[edca]\nbe_txop = \"-1 ms\"").unwrap().contains("edca.be_txop"));
        let walk = "mcs = 7\n[channel]\non = true\npower_step = \"1 ns\"";
        assert!(refused(walk).unwrap().contains("0, or at least 50 us"));
        let loud = "mcs = 7\n[channel]\non = true\n[stations]\nsnr = \"1e9\"";
        assert!(refused(loud).unwrap().contains("decibels from -20 to 80"));
    }

    #[test]
    fn hack_and_sora_go_with_some_things_only() {
        assert_eq!(refused("standard = \"n\"\n[hack]\npolicy = \"opportunistic\""), None);
        let ath10k = "standard = \"n\"\n[sta]\ndriver = \"ath10k\"\n[hack]\npolicy = \"opportunistic\"";
        let e = refused(ath10k).unwrap();
        assert!(e.starts_with("a.toml:9: hack.policy") && e.contains("ath9k or sora"), "{e}");
        assert!(refused("standard = \"n\"\n[ap]\ndriver = \"sora\"").unwrap().contains("wifi.standard = \"a\""));
        assert_eq!(refused("standard = \"a\"\n[ap]\ndriver = \"sora\""), None);
        let wired =
            "name = \"x\"\n[topology]\nkind = \"wired\"\n[htb]\nrate = \"10 Mbit/s\"\n[hack]\npolicy = \"timer\"\n";
        let e = read(&Source { path: "a.toml", text: wired }, &[]).unwrap_err().to_string();
        assert!(e.contains("no link-layer ACKs on a wire"), "{e}");
    }
}
