//! What a scenario must have, and what cannot go together.

use super::error::ScenarioError;
use super::keys::{Standard, Topology};
use super::read::Places;
use super::sections::Scenario;

fn at(places: &Places, key: &str, path: &str) -> (String, usize) {
    places.get(key).cloned().unwrap_or_else(|| (path.into(), 0))
}

fn refuse(places: &Places, path: &str, key: &str, found: &str, expected: &str) -> ScenarioError {
    let (file, line) = at(places, key, path);
    ScenarioError { file, line, key: key.into(), found: found.into(), expected: expected.into(), near: None }
}

/// Keys without which a file says too little.
pub(super) fn required(places: &Places, path: &str) -> Result<(), ScenarioError> {
    let missing = |key: &str, expected: &str| Err(refuse(places, path, key, "the key is missing", expected));
    if !places.contains_key("name") {
        return missing("name", "a short name for results, such as name = \"upload\"");
    }
    if !places.contains_key("topology.kind") {
        return missing("topology.kind", "[topology] with kind = \"wired\" or \"wifi\"");
    }
    Ok(())
}

/// Combinations that cannot be.
pub(super) fn combinations(s: &Scenario, places: &Places, path: &str) -> Result<(), ScenarioError> {
    if s.topology.kind == Topology::Wired && !places.contains_key("htb.rate") {
        return Err(refuse(
            places,
            path,
            "htb.rate",
            "the key is missing",
            "a rate, since the topology is wired: rate = \"100 Mbit/s\"",
        ));
    }
    if s.time.warmup >= s.time.flows {
        return Err(refuse(
            places,
            path,
            "time.warmup",
            &format!("{} ms", s.time.warmup.ms()),
            "a warm-up shorter than time.flows: figures are taken after it",
        ));
    }
    let w = &s.wifi;
    if w.standard == Standard::A && w.aggregation && places.contains_key("wifi.aggregation") {
        return Err(refuse(
            places,
            path,
            "wifi.aggregation",
            "true, with wifi.standard = \"a\"",
            "false: 802.11a has no A-MPDUs (or wifi.standard = \"n\")",
        ));
    }
    if w.width_mhz != 20 && w.width_mhz != 40 {
        let found = w.width_mhz.to_string();
        return Err(refuse(places, path, "wifi.width_mhz", &found, "20 or 40"));
    }
    let t = &s.traffic;
    if t.tcp_up == 0 && t.tcp_down == 0 && t.udp_up.is_none() && t.udp_down.is_none() && t.ping.is_none() {
        return Err(refuse(places, path, "traffic", "no traffic at all", "at least one flow or a ping"));
    }
    Ok(())
}
