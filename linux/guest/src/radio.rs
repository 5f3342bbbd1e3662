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

/// What is sampled of a radio: ns of airtime sent, PPDUs, MPDUs, ns of airtime to it; MPDUs that it sent, and the
/// sum of their rates (kbit/s); the same of those sent to it; data MPDUs sent to it, and how many of them were lost.
pub fn row(of: &Counters) -> [u64; 10] {
    let [airtime, ppdus, mpdus, rx_airtime] = ["airtime_ns", "ppdus", "mpdus", "rx_airtime_ns"].map(|k| value(of, k));
    let ([sent, kbit], [got, rx_kbit]) = (modes(of, "mode_mpdus_"), modes(of, "rx_mode_mpdus_"));
    [airtime, ppdus, mpdus, rx_airtime, sent, kbit, got, rx_kbit, sum(of, "rx_ampdu_"), sum(of, "rx_bad_")]
}

/// Sum over a histogram's entries `NAME_k`, each k times its count.
fn sum(of: &Counters, name: &str) -> u64 {
    let each = of.iter().filter_map(|(k, v)| Some(k.strip_prefix(name)?.parse::<u64>().ok()? * v));
    each.sum()
}

/// Over the entries `NAME_STANDARD_MCS_STREAMS_MHZ_GI`: how many, and their rates' sum, kbit/s.
fn modes(of: &Counters, name: &str) -> [u64; 2] {
    let mut total = [0; 2];
    for (k, n) in of {
        if let Some(mode) = k.strip_prefix(name) {
            total[0] += n;
            total[1] += n * (value(of, &format!("mode_bps_{mode}")) / 1000);
        }
    }
    total
}

pub fn object(of: &Counters) -> String {
    json::object(&of.iter().map(|(k, v)| (k.as_str(), v.to_string())).collect::<Vec<_>>())
}

const WIPHYS: &str = "/sys/kernel/debug/ieee80211";

/// Every card, the access point's first.
fn wiphys() -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(WIPHYS).map(|d| d.filter_map(|e| Some(e.ok()?.path())).collect());
    let mut all: Vec<std::path::PathBuf> = entries.unwrap_or_default();
    all.sort_by_key(|p| place(&p.file_name().unwrap_or_default().to_string_lossy()));
    all
}

/// A wiphy's place among the radios, by its name: numbers grow with each loading of the module.
pub fn place(wiphy: &str) -> u32 {
    wiphy.trim_start_matches("phy").parse().unwrap_or(u32::MAX)
}

/// A card by its number, or every one (`all`).
pub fn cards(which: &str) -> Result<Vec<(usize, std::path::PathBuf)>, String> {
    let found: Vec<_> =
        wiphys().into_iter().enumerate().filter(|(i, _)| which == "all" || which == i.to_string()).collect();
    if found.is_empty() {
        return Err(format!("no card {which}"));
    }
    Ok(found)
}

/// Writes to a debugfs file of cards: `aqm`, `airtime_flags`, `aql_txq_limit` ...
pub fn set(which: &str, file: &str, words: &[&str]) -> Result<(), String> {
    for (_, phy) in cards(which)? {
        let file = phy.join(file);
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

/// The folders of the stations that a card knows, each named by its address.
pub fn stations(phy: &std::path::Path) -> Vec<std::path::PathBuf> {
    let inside = |dir: &std::path::Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(dir).map(|d| d.filter_map(|e| Some(e.ok()?.path())).collect()).unwrap_or_default()
    };
    let devices =
        inside(phy).into_iter().filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("netdev:")));
    devices.flat_map(|d| inside(&d.join("stations"))).collect()
}

/// A debugfs file of every station that a card knows.
fn station_files(phy: &std::path::Path, name: &str) -> Vec<String> {
    stations(phy).iter().filter_map(|s| std::fs::read_to_string(s.join(name)).ok()).collect()
}

/// The channel's first step begins at `zero` (radio/air/channel.c).
pub fn start_channel(case: &Case, zero: i64) -> Result<(), String> {
    if !case.get("channel", false)? {
        return Ok(());
    }
    std::fs::write("/sys/kernel/debug/wavetank/channel_start", zero.to_string())
        .map_err(|e| format!("channel_start: {e}"))
}

/// The air is written down from `zero` on (radio/air/capture.c).
pub fn start_capture(case: &Case, zero: i64) -> Result<(), String> {
    if !case.get("capture", false)? {
        return Ok(());
    }
    std::fs::write("/sys/kernel/debug/wavetank/capture_start", zero.to_string())
        .map_err(|e| format!("capture_start: {e}"))
}

/// What was written down, for the host.
pub fn keep_capture(case: &Case) -> Result<(), String> {
    if !case.get("capture", false)? {
        return Ok(());
    }
    std::fs::copy("/sys/kernel/debug/wavetank/capture", "/tmp/wt/capture").map_err(|e| format!("capture: {e}"))?;
    Ok(())
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
