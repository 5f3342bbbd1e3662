// SPDX-License-Identifier: GPL-2.0
//! Loads the radio, associates, floods in both directions, and unloads it under that traffic; many times. What the
//! kernel says on the console and how its memory goes is judged on the host's side (tests/reload).

use crate::case::Case;
use crate::{air, json, sys, udp};
use std::net::{Ipv4Addr, SocketAddrV4};

const MS: i64 = 1_000_000;

pub fn run(case: &Case) -> Result<String, String> {
    let rounds: usize = case.get("rounds", 10)?;
    let stations: usize = case.get("stations", 2)?;
    let mut memory = Vec::new();
    for _ in 0..rounds {
        air::build(case, stations)?;
        for i in 0..stations {
            let ns = air::station_ns(i);
            udp::flood(&ns, SocketAddrV4::new(Ipv4Addr::new(10, 1, 0, 1), 9), 1472, 0, 0)?;
            udp::flood("AP", SocketAddrV4::new(Ipv4Addr::new(10, 1, 0, 10 + i as u8), 9), 1472, 0, 0)?;
        }
        sys::sleep_until(sys::now() + 300 * MS);
        sys::rmmod("wavetank_radio")?;
        sys::sleep_until(sys::now() + 100 * MS);
        air::tear_down(stations)?;
        sys::sleep_until(sys::now() + 2000 * MS); // floods end, namespaces are swept
        memory.push(slab_kb());
    }
    Ok(json::object(&[("rounds", rounds.to_string()), ("unreclaimable_kb", json::array(memory.iter().map(u64::to_string)))]))
}

fn slab_kb() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with("SUnreclaim")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|w| w.parse().ok()).unwrap_or(0)
}
