// SPDX-License-Identifier: GPL-2.0
//! Loads the radio, associates, floods in both directions, and unloads it under that traffic; many times. With a rate control of
//! its own module that is unloaded, too, which the kernel must refuse as long as cards use it. With `module_aaq` that module, too: it
//! is attached above all cards, exchanged under traffic for pfifo and back, and unloaded after the cards. What the
//! kernel says on the console and how its memory goes is judged on the host's side (tests/reload).

use crate::case::Case;
use crate::udp::{self, Flood};
use crate::{air, json, qdisc, sys};
use std::fs::File;
use std::io::Write;
use std::net::SocketAddrV4;

const KMEMLEAK: &str = "/sys/kernel/debug/kmemleak";
const AASRC: &str = "/sys/module/wavetank_aasrc";
const MS: i64 = 1_000_000;

pub fn run(case: &Case) -> Result<String, String> {
    let rounds: usize = case.get("rounds", 10)?;
    let stations: usize = case.get("stations", 2)?;
    let mut memory = Vec::new();
    let mut caches = Vec::new();
    let mut shrinkers = shrinkers();
    for _ in 0..rounds {
        air::build(case, stations)?;
        let aaq = case.text("module_aaq", "");
        if !aaq.is_empty() {
            sys::insmod(&aaq, "limit=5000")?;
            above(stations, "handle 10: aaq")?;
        }
        for i in 0..stations {
            let ns = air::station_ns(i);
            udp::flood(&ns, Flood::of(SocketAddrV4::new(air::AP, 9), 1472, 0))?;
            udp::flood("AP", Flood::of(SocketAddrV4::new(air::station_addr(i), 9), 1472, 0))?;
        }
        sys::sleep_until(sys::now() + 300 * MS);
        let own_rc = std::path::Path::new(AASRC).exists();
        if own_rc && sys::rmmod("wavetank_aasrc").is_ok() {
            return Err("wavetank_aasrc was unloaded while cards used it".into());
        }
        if !aaq.is_empty() {
            for words in ["handle 20: pfifo limit 5000", "handle 10: aaq limit 4000"] {
                above(stations, words)?;
                sys::sleep_until(sys::now() + 100 * MS);
            }
        }
        sys::rmmod("wavetank_radio")?;
        if !aaq.is_empty() {
            sys::rmmod("wavetank_aaq")?;
        }
        sys::sleep_until(sys::now() + 100 * MS);
        air::tear_down(stations)?;
        if own_rc {
            sys::rmmod("wavetank_aasrc")?;
        }
        sys::sleep_until(sys::now() + 2000 * MS); // floods end, namespaces are swept
                                                  // names that were looked up stay cached, and with them what sysfs has removed
        sys::sysctl("vm/drop_caches", "3")?;
        shrink(&mut shrinkers);
        memory.push(slab_kb());
        caches.push(slabs());
    }
    // on the kernel with kmemleak: an object is reported once it was unreferenced in two scans, and some seconds old
    if std::path::Path::new(KMEMLEAK).exists() {
        for _ in 0..2 {
            sys::sleep_until(sys::now() + 10_000 * MS);
            let _ = std::fs::write(KMEMLEAK, "scan");
        }
        println!("{}", std::fs::read_to_string(KMEMLEAK).unwrap_or_default());
    }
    // the least of some rounds each: namespaces that are still being swept, and what sysfs caches of them, come and go
    // (kernel threads are made in the first)
    let (early, late) = (least(&caches[rounds / 4..=rounds / 2]), least(&caches[rounds * 3 / 4..]));
    let grown = slab_growth(&early, &late);
    Ok(json::object(&[
        ("rounds", rounds.to_string()),
        ("grown_bytes", json::object(&grown)),
        ("unreclaimable_kb", json::array(memory.iter().map(u64::to_string))),
    ]))
}

/// A discipline above every card.
fn above(stations: usize, words: &str) -> Result<(), String> {
    let sta = (0..stations).map(|i| (air::station_ns(i), i + 1));
    for (ns, i) in std::iter::once(("AP".to_string(), 0)).chain(sta) {
        qdisc::tc(&ns, &format!("qdisc replace dev wlan{i} root {words}"))?;
    }
    Ok(())
}

/// The files that shrink slab caches, opened once: looking them up takes slab objects itself.
fn shrinkers() -> Vec<File> {
    let caches = std::fs::read_dir("/sys/kernel/slab").into_iter().flatten().flatten();
    caches.filter_map(|c| File::options().write(true).open(c.path().join("shrink")).ok()).collect()
}

/// Gives back what the caches keep for a processor: /proc/slabinfo counts all of such a slab as in use.
fn shrink(files: &mut [File]) {
    for f in files {
        let _ = f.write_all(b"1");
    }
}

/// Octets in use by each slab cache.
fn slabs() -> Vec<(String, u64)> {
    let text = std::fs::read_to_string("/proc/slabinfo").unwrap_or_default();
    text.lines()
        .skip(2)
        .filter_map(|l| {
            let words: Vec<&str> = l.split_whitespace().collect();
            Some((words[0].to_string(), words.get(1)?.parse::<u64>().ok()? * words.get(3)?.parse::<u64>().ok()?))
        })
        .collect()
}

/// Of each cache the least that was in use.
fn least(rounds: &[Vec<(String, u64)>]) -> Vec<(String, u64)> {
    let mut all = rounds[0].clone();
    for (name, least) in &mut all {
        let found = rounds.iter().filter_map(|r| r.iter().find(|(n, _)| n == name));
        *least = found.map(|(_, octets)| *octets).min().unwrap_or(*least);
    }
    all
}

fn slab_growth<'a>(from: &'a [(String, u64)], to: &[(String, u64)]) -> Vec<(&'a str, String)> {
    let pairs = from.iter().zip(to).filter(|((_, a), (_, b))| b > a);
    pairs.map(|((name, a), (_, b))| (name.as_str(), (b - a).to_string())).collect()
}

fn slab_kb() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with("SUnreclaim")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|w| w.parse().ok()).unwrap_or(0)
}
