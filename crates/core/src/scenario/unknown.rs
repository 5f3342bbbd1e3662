//! What is said of a key that there is not: where it may stand, and which is near.

use super::at::At;
use super::error::ScenarioError;
use super::sections::{Section, TOP, dotted, is_section, section_keys};
use crate::sim::params::nearest;

/// What others call our keys: Flent's options, ns-3's attributes, `iw`, `tc` and `ss`.
const SYNONYMS: [(&str, &str); 54] = [
    // Of one section.
    ("bottleneck.rate", "htb.rate"),
    ("bottleneck.bandwidth", "htb.rate"),
    ("bottleneck.delay", "netem.delay"),
    ("backhaul.rate", "ethernet.rate"),
    ("backhaul.speed", "ethernet.rate"),
    ("backhaul.bandwidth", "ethernet.rate"),
    ("backhaul.loss", "netem.loss"),
    ("cake.rate", "cake.bandwidth"),
    ("netem.bandwidth", "netem.rate"),
    ("htb.bandwidth", "htb.rate"),
    ("traffic.streams", "traffic.tcp_up"),
    ("wifi.bandwidth", "wifi.width_mhz"),
    ("wifi.limit", "mac80211.limit"),
    ("edca.cwmin", "edca.be_cw_min"),
    ("edca.cwmax", "edca.be_cw_max"),
    ("edca.aifs", "edca.be_aifsn"),
    ("edca.txop", "edca.be_txop"),
    // Of any.
    ("duration", "time.flows"),
    ("length", "time.flows"),
    ("simulationTime", "time.flows"),
    ("end", "time.flows"),
    ("total", "time.flows"),
    ("cc", "tcp.cc"),
    ("congestion_control", "tcp.cc"),
    ("tcp_cong_control", "tcp.cc"),
    ("TcpVariant", "tcp.cc"),
    ("iw", "tcp.init_cwnd"),
    ("sndbuf", "tcp.wmem_max"),
    ("tcp_wmem", "tcp.wmem_max"),
    ("tcp_rmem", "tcp.rmem_max"),
    ("nss", "wifi.streams"),
    ("chains", "wifi.streams"),
    ("antennas", "wifi.streams"),
    ("bandwidth", "wifi.width_mhz"),
    ("channel_width", "wifi.width_mhz"),
    ("guard_interval", "wifi.short_gi"),
    ("sgi", "wifi.short_gi"),
    ("freq", "wifi.band"),
    ("frequency", "wifi.band"),
    ("bitrate", "wifi.mcs"),
    ("cwmin", "edca.be_cw_min"),
    ("cwmax", "edca.be_cw_max"),
    ("aifs", "edca.be_aifsn"),
    ("txop", "edca.be_txop"),
    ("txq_limit", "mac80211.aql_high"),
    ("loss", "wifi.error_rate"),
    ("distance", "stations.snr"),
    ("rssi", "stations.snr"),
    ("driver", "ap.driver"), // of the two ends, as the next, the one that is looked for first
    ("rate_control", "ap.rate_control"),
    ("rtt", "backhaul.delay"),
    ("step_size", "traffic.ping"),
    ("upload_streams", "traffic.tcp_up"),
    ("download_streams", "traffic.tcp_down"),
];

/// What a part's switch may be called, whichever of these its own section has.
const SWITCH: [&str; 6] = ["on", "enabled", "enable", "present", "active", "policy"];

/// `[tcp.cubic]`, `tcp.cubic.beta`: a section within another, which stands alone.
pub(super) fn alone(at: At<'_>) -> Option<ScenarioError> {
    let At { section, key, .. } = at;
    let (inner, leaf) = key.split_once('.').unwrap_or((key, ""));
    if section.is_empty() || !is_section(inner) {
        return None;
    }
    let keys = section_keys(inner);
    let near = nearest(leaf, keys.iter().copied()).map(|k| dotted(inner, &k));
    let at = At { key: key.trim_end_matches('.'), ..at };
    Some(ScenarioError { near, ..at.error(format!("[{inner}] is a section of its own"), one_of_its_keys(inner)) })
}

fn one_of_its_keys(section: &str) -> String {
    let keys: Vec<String> = section_keys(section).iter().map(|k| dotted(section, k)).collect();
    format!("one of its keys, {}", keys.join(", "))
}

/// That there is no such key.
pub(super) fn unknown(at: At<'_>) -> ScenarioError {
    let At { section, key, .. } = at;
    if let Some(e) = alone(at) {
        return e;
    }
    let all: Vec<String> = super::schema().iter().map(|(s, p)| dotted(s, p.key)).collect();
    if !section.is_empty() && TOP.contains(&key) {
        // In a file whatever stands behind a section's head is that section's.
        let expected = if at.line > 0 { format!("{key} above the first section") } else { key.into() };
        return at.error(format!("[{section}] has no key \"{key}\", which is of no section"), expected);
    }
    if !section.is_empty() && is_section(section) {
        let keys = section_keys(section);
        let near = if SWITCH.contains(&key) {
            keys.iter().find(|k| SWITCH.contains(k)).map(|k| dotted(section, k)) // another part's switch is not meant
        } else {
            meant(section, key, &all)
                .or_else(|| nearest(key, keys.iter().copied()).map(|k| dotted(section, &k)))
                .or_else(|| slipped(key, &all))
        };
        let e = at.error(format!("[{section}] has no key \"{key}\""), format!("one of {}", keys.join(", ")));
        return ScenarioError { near, ..e };
    }
    if section.is_empty() && is_section(key) {
        return at.error("is a section, which has no value of its own", one_of_its_keys(key));
    }
    let mut names = Section::names();
    names.extend(TOP);
    let what = if section.is_empty() { key } else { section };
    let near = meant("", what, &all) // `aql.on`: a key is taken for a section
        .or_else(|| meant(section, key, &all))
        // As Python's names have it: tcp_cc.
        .or_else(|| all.iter().find(|k| k.replace('.', "_") == what).cloned())
        .or_else(|| nearest(what, names.into_iter()))
        .or_else(|| nearest(&dotted(section, key), all.iter().map(String::as_str)));
    let expected = format!("a key ({}) or a section ({})", TOP.join(", "), Section::names().join(", "));
    ScenarioError { near, ..at.error(format!("there is no key or section \"{what}\""), expected) }
}

/// The key that is meant by a name that is right elsewhere: in another section, or in another tool.
fn meant(section: &str, key: &str, all: &[String]) -> Option<String> {
    let elsewhere = || {
        let elsewhere = |k: &&String| k.rsplit_once('.').is_some_and(|(s, leaf)| s != "stations" && leaf == key);
        let mut same = all.iter().filter(elsewhere);
        same.next().filter(|_| same.next().is_none()).cloned()
    };
    let called = |name: &str| SYNONYMS.iter().find(|s| s.0 == name).map(|s| s.1.to_owned());
    called(&dotted(section, key)).or_else(elsewhere).or_else(|| called(key))
}

/// Letters by which a key may differ from another section's that is held for it.
const SLIPS: usize = 2;

/// The only key of another section that is near. Names are held against each other without their sections: `bottleneck.` is long
/// enough for "rate" to be near to any other word behind it. Nearer than within a section: a name that no key has (`ce_mark`)
/// is not meant for another section's that ends like it.
fn slipped(key: &str, all: &[String]) -> Option<String> {
    let leaf = |k: &'_ String| k.rsplit_once('.').filter(|(s, _)| *s != "stations").map(|(_, leaf)| leaf.to_owned());
    let leaves: Vec<String> = all.iter().filter_map(leaf).collect();
    let near = nearest(key, leaves.iter().map(String::as_str)).filter(|n| strsim::osa_distance(key, n) <= SLIPS)?;
    let mut same = all.iter().filter(|k| leaf(k).as_ref() == Some(&near));
    same.next().filter(|_| same.next().is_none()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::testing::{WIRED, parse};
    use crate::scenario::{Source, read, value};

    #[test]
    fn a_name_that_is_right_elsewhere_names_its_place() {
        let near = |line: &str| parse(&format!("{line}\n{WIRED}")).unwrap_err().near;
        assert_eq!(
            near("mcs = 7").as_deref(),
            Some("wifi.mcs"),
            "what stations have of their own is not what is meant"
        );
        assert_eq!(near("width_mhz = 7").as_deref(), Some("wifi.width_mhz"));
        assert_eq!(near("duration = \"10 s\"").as_deref(), Some("time.flows"));
        let e = parse(&format!("{WIRED}cc = \"bbr\"\n")).unwrap_err();
        assert_eq!(e.near.as_deref(), Some("tcp.cc"));
        let all: Vec<String> = crate::scenario::schema().iter().map(|(s, p)| dotted(s, p.key)).collect();
        for (name, key) in SYNONYMS {
            assert!(all.iter().any(|k| k == key), "{name} stands for {key}, which is none");
            assert!(!all.iter().any(|k| k == name), "{name} is a key itself");
        }
        let set = |k: &str| read(&Source { path: "a.toml", text: WIRED }, &[(k.into(), "1".into())]).unwrap_err().near;
        assert_eq!(set("backhaul.rate").as_deref(), Some("ethernet.rate"));
        assert_eq!(set("backhaul.loss").as_deref(), Some("netem.loss"), "not the air's");
        assert_eq!(set("wifi.bandwidth").as_deref(), Some("wifi.width_mhz"), "not CAKE's");
        assert_eq!(set("wifi.sgi").as_deref(), Some("wifi.short_gi"));
        assert_eq!(set("aql.on").as_deref(), Some("mac80211.aql"));
        assert_eq!(set("wifi.driver").as_deref(), Some("ap.driver"));
        assert_eq!(set("stations.rate_control").as_deref(), Some("ap.rate_control"));
    }

    #[test]
    fn a_switch_is_its_own_sections() {
        let near =
            |k: &str| read(&Source { path: "a.toml", text: WIRED }, &[(k.into(), "true".into())]).unwrap_err().near;
        assert_eq!(near("tao.on").as_deref(), Some("tao.enabled"));
        assert_eq!(near("channel.enabled").as_deref(), Some("channel.on"));
        assert_eq!(near("backhaul.enable").as_deref(), Some("backhaul.present"));
        assert_eq!(near("hack.on").as_deref(), Some("hack.policy"));
        assert_eq!(near("netem.on"), None, "it has none, and another section's is not meant");
    }

    #[test]
    fn a_section_alone_names_its_keys() {
        let e = read(&Source { path: "a.toml", text: WIRED }, &[("netem".into(), "3".into())]).unwrap_err();
        assert_eq!((e.key.as_str(), e.near), ("netem", None));
        assert!(e.expected.starts_with("one of its keys, netem.delay"), "{}", e.expected);
    }

    #[test]
    fn what_is_not_near_is_not_named() {
        let set = |k: &str| read(&Source { path: "a.toml", text: WIRED }, &[(k.into(), "1".into())]).unwrap_err().near;
        for no in ["bottleneck.colour", "netem.burst", "traffic.flows", "wifi.ssid", "fq_codel.ce_mark"] {
            assert_eq!(set(no), None, "{no}");
        }
        assert_eq!(set("wifi.msc").as_deref(), Some("wifi.mcs"));
        assert_eq!(set("bottleneck.plase").as_deref(), Some("bottleneck.place"));
        assert_eq!(set("bottleneck.rate").as_deref(), Some("htb.rate"));
        assert_eq!(set("tcp_cc").as_deref(), Some("tcp.cc"));
        assert_eq!(set("bottleneck.delay").as_deref(), Some("netem.delay"));
        assert_eq!(set("wifi.tsq_mss").as_deref(), Some("tcp.tsq_ms"));
        assert_eq!(set("bottleneck.bandwith").as_deref(), Some("cake.bandwidth"));
    }

    #[test]
    fn a_section_stands_within_no_other() {
        let set = |k: &str| read(&Source { path: "a.toml", text: WIRED }, &[(k.into(), "700".into())]).unwrap_err();
        let e = parse(&format!("{WIRED}[tcp.cubic]\nbeta = 700\n")).unwrap_err();
        assert_eq!((e.line, e.key.as_str(), e.near.as_deref()), (6, "tcp.cubic.beta", Some("cubic.beta")));
        let e = set("tcp.cubic.bta");
        assert_eq!((e.key.as_str(), e.near.as_deref()), ("tcp.cubic.bta", Some("cubic.beta")));
        let e = set("tcp.cubic");
        assert!(e.key == "tcp.cubic" && e.near.is_none() && e.expected.contains("cubic.beta"), "{e}");
        let e = parse(&format!("{WIRED}[tcp.cubics]\nbeta = 700\n")).unwrap_err();
        assert_eq!((e.line, e.found.as_str()), (6, "[tcp] has no key \"cubics\""));
        let e = parse(&format!("{WIRED}[tcp.cc]\nbeta = 700\n")).unwrap_err();
        assert_eq!((e.found.as_str(), e.expected.as_str()), ("a table", "a single value"));
    }

    #[test]
    fn a_key_of_no_section_behind_one_is_told_where_it_stands() {
        let e = parse(&format!("{WIRED}seed = 2\n")).unwrap_err();
        assert_eq!((e.line, e.key.as_str(), e.expected.as_str()), (6, "htb.seed", "seed above the first section"));
        assert_eq!(value("--set", "htb.seed", "2").unwrap_err().expected, "seed");
    }
}
