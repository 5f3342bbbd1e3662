//! What of Minstrel-HT differs between the kernels up to 5.11 ([`v3_18`](super::v3_18) goes by it).
//!
//! Held to net/mac80211/rc80211_minstrel_ht.c and rc80211_minstrel.{c,h} of 3.18.63 (3.18.140's is the same), 4.4.178, 4.9.115, 4.14.67 (4.19.48's is
//! the same), 5.4.59 and 5.10.262 ([`vectors`](super::vectors)).
//! Differs: D1 A-MSDU lengths by rate are not there; nor is 802.11ac where it is a choice of the kernel's build (4.4 to 4.19,
//! `MAC80211_RC_MINSTREL_VHT`, off unless asked for).

use super::{Version, stats};

/// How an interval's share of successes enters the probability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Average {
    /// A quarter of it, three quarters of the old.
    Moving,
    /// By a low pass of second order; intervals are half as long, 25 ms, with half as many probes each, and a rate is left at once below a quarter
    /// of successes, not 20 % (`new_avg`, 5.10).
    LowPass,
}

/// How a kernel tells long and short preambles of CCK apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Preambles {
    /// A station has the rates of one of both, as the BSS has it when a frame is sent (`minstrel_ht_check_cck_shortpreamble`).
    Switched,
    /// The long ones alone, however frames are sent (from 4.14; what was to be the short ones' mask is not looked at).
    Long,
    /// Both; a status is of the short ones if its rate is flagged so, and a probe with the wrong preamble comes to nothing (5.4).
    Both,
}

/// One kernel's.
#[derive(Debug)]
pub(super) struct Rules {
    /// Fractional bits of probabilities: 12 from 4.11 ("minstrel: make prob_ewma u16 instead of u32"), so that throughputs of slow rates come in few
    /// steps.
    pub scale: u32,
    /// A packet's duration is this part of an aggregate of so many: a sixteenth from 4.4.
    pub packets: u32,
    /// A throughput is this times (thousand times the probability over nanoseconds, an integer).
    pub factor: u32,
    /// Durations have 16 bits and a shift a group (5.4).
    pub coarse: bool,
    /// Rates are ranked by the throughput that they had at their own last update, and averages weigh old and new; from 4.4 on throughputs are
    /// reckoned as they are compared (of a group whose turn has not come: by its old probability and the new A-MPDU length), an average moves by
    /// a quarter of the difference, and counters have 16 bits.
    pub keeps_throughput: bool,
    /// A group's list begins with the group's number where its first rate is meant (in 4.9.115, 4.14.67 and 4.19.48; not in 4.9.337 and 5.4.59).
    pub numbers_group: bool,
    /// The second best rate may be probed, and the slower of the two best decides what is slow, the faster about streams (4.9).
    pub probes_second: bool,
    /// Rates three times as slow as the robust one are not probed, and slow ones once an interval (5.4).
    pub spares_slow: bool,
    /// The average.
    pub average: Average,
    /// Streams.
    pub streams: u8,
    /// 802.11ac (5.4). A column of the sample table then has ten rows, two of which no 802.11n rate has.
    pub vht: bool,
    /// Rows of the sample table.
    pub rows: usize,
    /// How many of CCK's rates a station has, and where they are counted.
    pub preambles: Preambles,
    /// Streams of the CCK group: one from 5.4, before none, so that from a CCK rate there is no group to flee to.
    pub cck_streams: u8,
    /// An A-MPDU is taken to have 16 frames where statuses do not tell (5.4, `TX_STATUS_NO_AMPDU_LEN`).
    pub guesses_length: bool,
}

static V3_18: Rules = Rules {
    scale: 16,
    packets: 1,
    factor: 1_000_000,
    coarse: false,
    keeps_throughput: true,
    numbers_group: true,
    probes_second: false,
    spares_slow: false,
    average: Average::Moving,
    streams: 3,
    vht: false,
    rows: 8,
    preambles: Preambles::Switched,
    cck_streams: 0,
    guesses_length: false,
};
static V4_4: Rules = Rules { packets: 16, factor: 100_000, keeps_throughput: false, ..V3_18 };
static V4_9: Rules = Rules { probes_second: true, ..V4_4 };
static V4_14: Rules = Rules { scale: 12, preambles: Preambles::Long, ..V4_9 };
static V5_4: Rules = Rules {
    coarse: true,
    numbers_group: false,
    spares_slow: true,
    streams: 4,
    vht: true,
    rows: 10,
    preambles: Preambles::Both,
    cck_streams: 1,
    guesses_length: true,
    ..V4_14
};
static V5_10: Rules = Rules { average: Average::LowPass, ..V5_4 };

impl Rules {
    /// The rules of a version; none of 5.15's and 6.12's, which have an algorithm of their own.
    pub fn of(v: Version) -> Option<&'static Rules> {
        match v {
            Version::V6_12 | Version::V5_15 => None,
            Version::V5_10 => Some(&V5_10),
            Version::V5_4 => Some(&V5_4),
            Version::V4_14 => Some(&V4_14),
            Version::V4_9 => Some(&V4_9),
            Version::V4_4 => Some(&V4_4),
            Version::V3_18 => Some(&V3_18),
        }
    }
    /// `num / den` in its fixed point.
    pub const fn frac(&self, num: u32, den: u32) -> u32 {
        (num << self.scale) / den
    }
    /// The moving average, 96 parts of 128 old. src: minstrel_ewma
    pub fn ewma(&self, old: u32, new: u32) -> u32 {
        if self.keeps_throughput { (new * (128 - 96) + old * 96) / 128 } else { stats::ewma(old, new) }
    }
    /// A counter that has come to `n`.
    pub const fn counter(&self, n: u32) -> u32 {
        if self.keeps_throughput { n } else { n & 0xffff }
    }
}
