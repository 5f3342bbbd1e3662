//! Minstrel-HT: Linux's rate control for hardware that leaves it to mac80211.
//!
//! Stands for: linux@6.12 net/mac80211/rc80211_minstrel_ht.c. It learns each rate's probability of success from transmit
//! statuses, ranks rates by expected throughput every 50 ms, and lets a probe out every 20 ms at most.
//! Equations: probability = low pass of acknowledged / tried MPDUs ([`stats`]); throughput = probability (at most 0.9) over
//! overhead / A-MPDU length + duration of 1200 bytes in an aggregate of 16 ([`station`]); probes in three kinds ([`sampling`]);
//! tries by what fits into 6 ms ([`retries`]).
//!
//! What kernels up to 5.11 had is in [`v3_18`], with what differs.
//!
//! Differs: D1 static and dynamic SMPS are not modelled; D2 of frames other than data it hears of BARs, and of those that go before a run
//! begins ([`control`]) where CCK rates make a difference of them: of each agreement as if it were of one TID, and each frame at its first try.

mod control;
pub mod groups;
mod rc_stats;
mod retries;
mod rules;
pub mod sampling;
pub mod station;
pub mod stats;
mod sum;
mod v3_18;

pub use control::{Before, Control};
pub use groups::Rate;
pub use rc_stats::RateStats;
use sampling::Sampling;
pub use sampling::Table;
pub use station::{Overhead, Station, Supports};
pub use stats::Tries;
pub use v3_18::V318;

use crate::sim::Auto;

crate::choices! {
    /// Whose Minstrel-HT.
    pub enum Version {
        /// Linux 6.12's (6.1's and 6.6's, too).
        V6_12 = "6.12",
        /// Linux 5.15's (since 5.12): the same with three rates in a chain.
        V5_15 = "5.15",
        /// Linux 5.10's: intervals of 25 ms, a low pass of second order.
        V5_10 = "5.10",
        /// Linux 5.4's: slow rates are spared.
        V5_4 = "5.4",
        /// Linux 4.14's and 4.19's: probabilities in 12 bits.
        V4_14 = "4.14",
        /// Linux 4.9's: the second best rate may be probed.
        V4_9 = "4.9",
        /// Linux 4.4's: durations of aggregates.
        V4_4 = "4.4",
        /// Linux 3.18's, the thesis's kernel.
        V3_18 = "3.18",
    }
}

impl Version {
    /// What it makes of the hardware: up to 5.15 a chain has three rates, the best two and the robust one, whatever the
    /// device has room for. src: linux@5.15 net/mac80211/rc80211_minstrel_ht.c minstrel_ht_update_rates
    pub fn fills(self, hardware: Hardware) -> Hardware {
        let most = if self == Version::V5_15 { 3 } else { hardware.max_rates };
        Hardware { max_rates: hardware.max_rates.min(most), ..hardware }
    }
    /// The most streams of a version up to 5.11.
    pub fn old_streams(self) -> Option<u8> {
        rules::Rules::of(self).map(|r| r.streams)
    }
}

crate::params! {
    /// Minstrel-HT.
    pub struct Params {
        /// Whose; `auto`: the kernel's (3.18's for 3.10, 4.14's for 4.19).
        version: Auto<Version> = Auto::Auto, src "linux net/mac80211/rc80211_minstrel_ht.c of that version";
        /// The HT MCS that `iw dev ... set bitrates ht-mcs-5 N` leaves: Minstrel-HT chooses and probes as ever, each rate then goes out at
        /// this MCS, at the width and with the guard interval that were chosen, and that is what its statistics are of.
        bitrates: Option<u32> = None, in Some(0) => Some(31), src "linux@6.12 net/mac80211/rate.c rate_idx_match_mcs_mask";
    }
}

/// What a station's chain is, best first; the last is the robust rate.
pub type RateTable = [Option<(Rate, Tries)>; 4];

/// What the hardware can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hardware {
    /// Links of a chain (`hw->max_rates`).
    pub max_rates: u8,
    /// Tries in a chain (`hw->max_rate_tries`).
    pub max_rate_tries: u8,
    /// Statuses say how long an A-MPDU was; false: each is of one MPDU (`TX_STATUS_NO_AMPDU_LEN`).
    pub tells_length: bool,
}

impl Hardware {
    /// src: linux@6.12 ath9k/init.c ath9k_set_hw_capab
    pub const ATH9K: Hardware = Hardware { max_rates: 4, max_rate_tries: 10, tells_length: true };
    /// src: linux@6.12 mt76/mt7615/init.c mt7615_init_wiphy
    pub const MT7615: Hardware = Hardware { max_rates: 3, max_rate_tries: 11, tells_length: false };
}

/// CCK rates of a device at 2.4 GHz (`SUPPORTS_HT_CCK_RATES`: ath9k's; mt7603 and mt7615 do not say so).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cck {
    /// The BSS has short preambles (`txrc->short_preamble`).
    pub short: bool,
    /// A frame's rates are told so (`IEEE80211_TX_RC_USE_SHORT_PREAMBLE`), and it goes out so: not where the driver copies a station's table, in which no
    /// rate is. src: linux@5.15 net/mac80211/rate.c rate_fixup_ratelist; linux@6.12 ath9k/xmit.c ath_merge_ratetbl
    pub flagged: bool,
}

/// A transmit status: a frame, or an A-MPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status<'a> {
    /// Rates that were tried, in order, and how often.
    pub tried: &'a [(Rate, u8)],
    /// Frames sent (`ampdu_len`).
    pub frames: u16,
    /// Frames acknowledged (`ampdu_ack_len`).
    pub acked: u16,
}

/// Minstrel-HT for one station. Time is in jiffies.
#[derive(Clone, Debug)]
pub struct MinstrelHt {
    station: Station,
    sampling: Sampling,
    hardware: Hardware,
    columns: Table,
    hz: u32,
    updated: u32,
    sampled: u32,
    chain: RateTable,
}

/// `a` is after `b`. src: `time_after`
fn after(a: u32, b: u32) -> bool {
    (b.wrapping_sub(a) as i32) < 0
}

impl MinstrelHt {
    /// A station that has just associated. `hz`: jiffies a second.
    pub fn new(
        supports: &Supports,
        overhead: Overhead,
        hardware: Hardware,
        columns: Table,
        hz: u32,
        jiffies: u32,
    ) -> Self {
        let mut m = MinstrelHt {
            station: Station::new(supports, overhead),
            sampling: Sampling::default(),
            hardware,
            columns,
            hz,
            updated: jiffies,
            sampled: jiffies,
            chain: [None; 4],
        };
        m.station.tells_length = hardware.tells_length;
        m.update(jiffies);
        m.chain = m.make_chain();
        m
    }
    /// It associated at `jiffies`, and nothing has been told since.
    fn associated(&mut self, jiffies: u32) {
        (self.updated, self.sampled) = (jiffies, jiffies);
    }
    fn update(&mut self, jiffies: u32) {
        self.station.update();
        self.sampling.refill(&self.station, &self.columns);
        (self.updated, self.sampled) = (jiffies, jiffies);
    }
    /// A frame or A-MPDU is over. Returns whether a new chain was made.
    pub fn status(&mut self, jiffies: u32, status: &Status<'_>) -> bool {
        let s = &mut self.station;
        s.ampdu[0] += u32::from(status.frames);
        s.ampdu[1] += 1;
        for (i, &(rate, tries)) in status.tried.iter().enumerate() {
            let stats = s.stats_mut(s.counted_at(rate));
            stats.attempts = stats.attempts.wrapping_add(u16::from(tries).wrapping_mul(status.frames));
            if i + 1 == status.tried.len() {
                stats.success = stats.success.wrapping_add(status.acked);
            }
        }
        let mut changed = self.hardware.max_rates > 1 && s.flee();
        if after(jiffies, self.updated.wrapping_add(self.hz / 20)) {
            self.update(jiffies);
            changed = true;
        }
        if changed {
            self.chain = self.make_chain();
        }
        changed
    }
    /// The rate to probe with the frame that is about to be sent, if it is time for one. `short`: with a short preamble where that can be; a CCK rate
    /// that is to have the other comes to nothing, as 1 Mbit/s does, which has the long one alone (`txrc->short_preamble`).
    pub fn probe(&mut self, jiffies: u32, short: bool) -> Option<Rate> {
        if after(self.sampled, jiffies) {
            return None;
        }
        self.sampled = jiffies.wrapping_add(self.hz / 50);
        self.sampling.take(self.hardware.max_rates > 1).filter(|r| r.has_preamble(short))
    }
    /// The chain of a frame that is no probe. Links after the first are protected by RTS/CTS and have those tries.
    pub fn chain(&self) -> &RateTable {
        &self.chain
    }
    /// What is known of the station.
    pub fn station(&self) -> &Station {
        &self.station
    }
    /// When its statistics were last brought up to date, in jiffies.
    pub fn updated(&self) -> u32 {
        self.updated
    }
    /// A sum of all that later decisions depend on (statistics, rankings, what waits to be sampled), to compare two with.
    pub fn sum(&self) -> u64 {
        sum::sum(&self.station, &self.sampling)
    }
    fn make_chain(&mut self) -> RateTable {
        let links = usize::from(self.hardware.max_rates).min(4);
        let mut chain = [None; 4];
        for (i, link) in chain[..links].iter_mut().enumerate() {
            let last = i > 0 && i == links - 1;
            let rate = if last { self.station.robust } else { self.station.best[i] };
            *link = Some((rate, retries::tries(&mut self.station, rate, self.hardware.max_rate_tries)));
        }
        chain
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
