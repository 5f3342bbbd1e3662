//! What Minstrel-HT knows of a station, a line a rate: for whoever looks. No algorithm reads it.
//!
//! Stands for: linux@6.12 net/mac80211/rc80211_minstrel_ht_debugfs.c `minstrel_ht_stats_dump`. Differs: nothing.

use super::MinstrelHt;
use super::groups::{CCK, GROUPS, Kind, RATES, Rate};
use super::stats::ONE;

/// A line of `rc_stats`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateStats {
    /// The rate.
    pub rate: Rate,
    /// Whether it is first, second, third, fourth by throughput (A to D).
    pub best: [bool; 4],
    /// Whether it is the robust one (P).
    pub robust: bool,
    /// Whether it waits to be sampled (S).
    pub sampled: bool,
    /// Microseconds of an average packet's data.
    pub airtime_us: u32,
    /// Throughput if all got through, and at its probability (tenths of what is shown).
    pub max_tp: u32,
    /// See `max_tp`.
    pub avg_tp: u32,
    /// Smoothed probability of success, tenths of a percent.
    pub prob: u32,
    /// Tries in a chain, as they were counted last; 0: never.
    pub retry: u8,
    /// MPDUs acknowledged, and tried, in the interval before the last update.
    pub last: (u16, u16),
    /// The same in all, up to the last update.
    pub ever: (u32, u32),
}

impl MinstrelHt {
    /// Every rate that the station takes, in the order of the kernel's file: CCK's first.
    pub fn rc_stats(&self) -> Vec<RateStats> {
        let s = self.station();
        let waiting = self.sampling.waiting();
        let groups = core::iter::once(CCK).chain((0..GROUPS as u8).filter(|&g| g != CCK));
        let rates = groups.flat_map(|g| (0..RATES as u8).map(move |i| Rate::new(g, i))).filter(|&r| s.supports(r));
        rates
            .map(|r| {
                let of = s.stats(r);
                RateStats {
                    rate: r,
                    best: s.best.map(|b| b == r),
                    robust: s.robust == r,
                    // A hole has the number 0 (minstrel_ht_is_sample_rate).
                    sampled: waiting.iter().flatten().any(|&w| w == r),
                    airtime_us: (r.duration() + 500) / 1_000,
                    max_tp: s.throughput(r, ONE as u16),
                    avg_tp: s.throughput(r, of.prob),
                    prob: (u32::from(of.prob) * 1_000) >> 12,
                    retry: of.retry,
                    last: (of.last.1, of.last.0),
                    ever: (of.success_ever, of.attempts_ever),
                }
            })
            .collect()
    }
}

impl Rate {
    /// Whose rate it is, as the kernel's file begins its line: HT, VHT, OFDM, CCK.
    pub fn kind(self) -> &'static str {
        match self.of().kind {
            Kind::Ht => "HT",
            Kind::Vht => "VHT",
            Kind::Ofdm => "OFDM",
            Kind::Cck => "CCK",
        }
    }
}
