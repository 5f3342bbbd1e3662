// SPDX-License-Identifier: GPL-2.0
//! Which floods a station has: `floods = 160+0|0`, marks (the TOS octet), the stations in turn: the first, third, ... has one of
//! 160 and one of 0, the others one of 0. Without the key each has one of the case's mark.

use crate::case::Case;
use crate::udp::{Flood, SNDBUF};

/// From the first datagram that goes ahead to the floods, and from one to the next: an agreement takes two exchanges.
const AHEAD: i64 = 900_000_000;
const APART: i64 = 10_000_000;

pub struct Floods {
    entries: Vec<Vec<i32>>,
    several: bool,
}

impl Floods {
    pub fn of(case: &Case, tos: i32) -> Result<Self, String> {
        let text = case.text("floods", "");
        if text.is_empty() {
            return Ok(Floods { entries: vec![vec![tos]], several: false });
        }
        let mark = |w: &str| w.parse().map_err(|_| format!("floods: cannot read {w}"));
        let entries = text.split('|').map(|e| e.split('+').map(mark).collect()).collect::<Result<_, _>>()?;
        Ok(Floods { entries, several: true })
    }

    /// The marks of this station's, the first station being 0.
    pub fn of_station(&self, i: usize) -> &[i32] {
        &self.entries[i % self.entries.len()]
    }

    /// The `k`-th flood of station `i`'s, or to it, that begins at `start`.
    ///
    /// Several of one host share the buffer of one: mac80211 throws packets away above 4 MB in all (net/mac80211/tx.c
    /// ieee80211_txq_setup_flows), and a flood whose packets are thrown away never blocks. Before them a datagram of each goes
    /// alone, so that there are Block Ack agreements: behind the others' floods a low category's may take more than the second after
    /// which mac80211 gives up (net/mac80211/sta_info.h ADDBA_RESP_INTERVAL).
    pub fn flood(&self, i: usize, k: usize, up: bool, plain: Flood, stations: usize) -> Flood {
        let tos = self.of_station(i)[k];
        if !self.several {
            return Flood { tos, ..plain };
        }
        let count = |stations: std::ops::Range<usize>| stations.map(|i| self.of_station(i).len()).sum::<usize>();
        let beside = if up { count(i..i + 1) } else { count(0..stations) };
        let ahead = plain.start - AHEAD + (count(0..i) + k) as i64 * APART;
        Flood { tos, sndbuf: SNDBUF / beside as i32, ahead: Some(ahead), ..plain }
    }
}
