// SPDX-License-Identifier: GPL-2.0
//! wavetank_radio's counters, and mac80211's of its queues, from debugfs.
//! src: linux/radio/debug.c; linux@6.12 net/mac80211/debugfs_sta.c sta_aqm_read.

use crate::case::Case;
use crate::json;

pub type Counters = Vec<(String, u64)>;

/// The air first, then each radio.
pub fn counters(radios: usize) -> Vec<Counters> {
    if radios == 0 {
        return Vec::new();
    }
    let names = std::iter::once("air".to_string()).chain((0..radios).map(|i| format!("radio{i}")));
    names
        .map(|n| {
            let text = std::fs::read_to_string(format!("/sys/kernel/debug/wavetank/{n}")).unwrap_or_default();
            let pairs = text.lines().filter_map(|l| l.split_once(' '));
            pairs.filter_map(|(k, v)| Some((k.to_string(), v.parse().ok()?))).collect()
        })
        .collect()
}

pub fn value(of: &Counters, key: &str) -> u64 {
    of.iter().find(|(k, _)| k == key).map_or(0, |(_, v)| *v)
}

pub fn object(of: &Counters) -> String {
    json::object(&of.iter().map(|(k, v)| (k.as_str(), v.to_string())).collect::<Vec<_>>())
}

const WIPHYS: &str = "/sys/kernel/debug/ieee80211";

/// Every card, the access point's first.
fn wiphys() -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(WIPHYS).map(|d| d.filter_map(|e| Some(e.ok()?.path())).collect());
    let mut all: Vec<std::path::PathBuf> = entries.unwrap_or_default();
    all.sort_by_key(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        name.trim_start_matches("phy").parse::<u32>().unwrap_or(u32::MAX)
    });
    all
}

/// Sets a limit of a card's TXQs (`fq_limit`, `fq_memory_limit`, `fq_quantum`), or of every card's (`all`).
pub fn set_queues(card: &str, words: &[&str]) -> Result<(), String> {
    let mut of = wiphys();
    if let Ok(i) = card.parse::<usize>() {
        of = of.get(i).cloned().into_iter().collect();
    }
    if of.is_empty() {
        return Err(format!("aqm: no card {card}"));
    }
    for phy in of {
        let file = phy.join("aqm");
        std::fs::write(&file, words.join(" ")).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    Ok(())
}

/// What mac80211's TXQs have dropped since the cards came up, by reason, over all cards.
pub fn dropped() -> String {
    let (mut overlimit, mut memory, mut codel) = (0, 0, 0);
    for phy in wiphys() {
        let text = std::fs::read_to_string(phy.join("aqm")).unwrap_or_default();
        let named = |name: &str| -> u64 {
            let line = text.lines().find_map(|l| l.strip_prefix("R ")?.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(|v| v.trim().parse().ok()).unwrap_or(0)
        };
        // 6.12's aqm_read prints each of these two under the other's name (net/mac80211/debugfs.c)
        overlimit += named("fq_overmemory");
        memory += named("fq_overlimit");
        codel += station_files(&phy, "aqm").iter().map(|t| drops(t)).sum::<u64>();
    }
    json::object(&[("overlimit", overlimit.to_string()), ("memory", memory.to_string()), ("codel", codel.to_string())])
}

/// A debugfs file of every station that a card knows.
fn station_files(phy: &std::path::Path, name: &str) -> Vec<String> {
    let inside = |dir: &std::path::Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(dir).map(|d| d.filter_map(|e| Some(e.ok()?.path())).collect()).unwrap_or_default()
    };
    let devices =
        inside(phy).into_iter().filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("netdev:")));
    devices
        .flat_map(|d| inside(&d.join("stations")))
        .filter_map(|s| std::fs::read_to_string(s.join(name)).ok())
        .collect()
}

/// The channel's first step begins at `zero` (radio/air/channel.c).
pub fn start_channel(case: &Case, zero: i64) -> Result<(), String> {
    if !case.get("channel", false)? {
        return Ok(());
    }
    std::fs::write("/sys/kernel/debug/wavetank/channel_start", zero.to_string())
        .map_err(|e| format!("channel_start: {e}"))
}

/// What each card's rate control knows of each station: `rc_stats_csv`, lines joined by semicolons.
pub fn rate_control() -> String {
    let mut all = Vec::new();
    for phy in wiphys() {
        for text in station_files(&phy, "rc_stats_csv") {
            all.push(format!("\"{}\"", text.trim_end().replace('\n', ";")));
        }
    }
    json::array(all)
}

/// The column `drops` of a station's table of TXQs.
fn drops(text: &str) -> u64 {
    let rows = text.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit()));
    rows.filter_map(|l| l.split_whitespace().nth(5)?.parse::<u64>().ok()).sum()
}
