// SPDX-License-Identifier: GPL-2.0
//! The state of every host at a time of the run, as Linux's own tools print it: `ss`, `tc`, and files of debugfs.
//!
//! They run as programs of the host's file system, each in the namespace it is to look at.
//! src: linux@6.12 net/mac80211/debugfs.c, debugfs_sta.c, rc80211_minstrel_ht_debugfs.c; linux/radio/debug.c

use crate::case::Case;
use crate::{radio, sys};
use std::path::Path;
use std::process::Command;

/// A host: its name in results, its namespace, its radio's number.
pub struct Host {
    pub name: String,
    pub ns: String,
    pub radio: Option<usize>,
}

/// Files of a card, and of each of its peers.
const CARD: [&str; 6] = ["airtime_flags", "aql_enable", "aql_pending", "aql_threshold", "aql_txq_limit", "aqm"];
const PEER: [&str; 4] = ["airtime", "aql", "aqm", "rc_stats"];

/// Every file's name, and what is in it.
pub fn look(hosts: &[Host], case: &Case) -> Result<Vec<(String, String)>, String> {
    let mut files = Vec::new();
    for h in hosts {
        files.push((format!("{}.ss", h.name), told(&h.ns, "ss", &["-tinm"])?));
        files.push((format!("{}.tc", h.name), told(&h.ns, "tc", &["-s", "-d", "qdisc", "show"])?));
        if let Some(i) = h.radio {
            // A card whose rates are fixed sends at none of those that mac80211's rate control chooses.
            let rc = case.text("rc", "fixed");
            let fixed = rc.split(',').nth(i).or(rc.rsplit(',').next()) == Some("fixed");
            of_card(&h.name, i, if fixed { &PEER[..3] } else { &PEER }, &mut files)?;
        }
    }
    Ok(files)
}

/// What a program prints in a namespace.
fn told(ns: &str, program: &str, args: &[&str]) -> Result<String, String> {
    sys::within(ns, || {
        let out = Command::new(program).args(args).output().map_err(|e| format!("{program}: {e}"))?;
        if !out.status.success() {
            return Err(format!("{program} {}: {}", args.join(" "), String::from_utf8_lossy(&out.stderr).trim()));
        }
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    })
}

fn of_card(name: &str, i: usize, of_peers: &[&str], files: &mut Vec<(String, String)>) -> Result<(), String> {
    let mut take = |from: &Path, names: &[&str], to: &str| {
        for file in names {
            // What a driver has not asked for has no file.
            if let Ok(text) = std::fs::read_to_string(from.join(file)) {
                files.push((format!("{to}/{file}"), text));
            }
        }
    };
    for (_, phy) in radio::cards(&i.to_string())? {
        take(&phy, &CARD, name);
        for station in radio::stations(&phy) {
            let address = station.file_name().unwrap_or_default().to_string_lossy().into_owned();
            take(&station, of_peers, &format!("{name}/stations/{}", who(&address)));
        }
    }
    let counters = Path::new("/sys/kernel/debug/wavetank").join(format!("radio{i}"));
    if let Ok(text) = std::fs::read_to_string(counters) {
        files.push((format!("{name}/radio"), text));
    }
    Ok(())
}

/// The host of an address: its last octet is the radio's number (linux/radio/card.c).
fn who(address: &str) -> String {
    match address.rsplit(':').next().and_then(|o| u32::from_str_radix(o, 16).ok()) {
        Some(0) => "ap".into(),
        Some(i) => format!("sta{i}"),
        None => address.into(),
    }
}
