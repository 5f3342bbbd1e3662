//! Gains and rules of BBR v2, and which of them BBR v3 changes.

use super::super::bbr::{SCALE, UNIT};
use super::Params;
use crate::tcp::profile::Profile;

/// Gains and shares in 1/256, and rules.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Pacing gain of Startup.
    pub startup: u32,
    /// Window's gain in Startup and Drain.
    pub startup_cwnd: u32,
    /// Pacing gain of Drain.
    pub drain: u32,
    /// Window's gain in ProbeBw.
    pub cwnd: u32,
    /// What Up has more.
    pub up_cwnd: u32,
    /// Pacing gain of Up.
    pub up: u32,
    /// Pacing gain of Down.
    pub down: u32,
    /// In flight at which Up ends, unless `plateau`.
    pub up_inflight: u32,
    /// Up ends, and Startup, where samples stop growing (v3).
    pub plateau: bool,
    /// A round trip in which the bound does not limit takes the credit for raising it (v2).
    pub drops_credit: bool,
    /// An RTT that equals the least renews it (v2).
    pub equal_rtt: bool,
    /// A lossy Startup leaves a bound of what it had just delivered, at least (v3).
    pub startup_latest: bool,
    /// What a round trip delivered at most is known until all of the model has looked at it (v3), not until its bounds have (v2).
    pub latest_stays: bool,
    /// A timeout's bound begins at the window, where that was more than before it (v3).
    pub timeout_window: bool,
    /// An skb is one segment below 1.2 Mbit/s, else two at least (v2); `tcp_min_tso_segs` always (v3).
    pub min_tso_by_rate: bool,
    /// Headers are taken off what the device takes in an skb (v2), off what `sk_gso_max_size` has without them already (v3, whose kernels are later
    /// than 5.19).
    pub gso_payload: bool,
    /// Share that a loss takes.
    pub beta: u32,
    /// Share lost that is too much.
    pub loss_thresh: u32,
    /// Losses that end Startup.
    pub full_loss_count: u32,
    /// Share left to others.
    pub headroom: u32,
    /// Time between probes, microseconds.
    pub probe_base_us: u64,
    /// What is drawn, microseconds.
    pub probe_rand_us: u32,
    /// Round trips between probes.
    pub probe_max_rounds: u32,
    /// Time between dips, milliseconds.
    pub probe_rtt_win_ms: u32,
    /// Window in a dip.
    pub probe_rtt_cwnd: u32,
    /// log2 of the RTT that halves the 64 KiB.
    pub tso_rtt_shift: Option<u8>,
}

impl Tuning {
    /// BBR v2's.
    pub fn v2(p: &Params, profile: &Profile) -> Tuning {
        Tuning {
            startup: p.startup_gain,
            startup_cwnd: p.startup_gain,
            drain: p.drain_gain,
            cwnd: p.cwnd_gain,
            up_cwnd: 0,
            up: p.up_gain,
            down: p.down_gain,
            up_inflight: p.probe_inflight_gain,
            plateau: false,
            drops_credit: true,
            equal_rtt: true,
            startup_latest: false,
            latest_stays: false,
            timeout_window: false,
            min_tso_by_rate: true,
            gso_payload: false,
            beta: p.beta,
            loss_thresh: p.loss_thresh,
            full_loss_count: p.full_loss_count,
            headroom: p.headroom,
            probe_base_us: u64::from(p.probe_base_ms) * 1_000,
            probe_rand_us: p.probe_rand_ms * 1_000,
            probe_max_rounds: p.probe_max_rounds,
            probe_rtt_win_ms: p.probe_rtt_win_ms,
            probe_rtt_cwnd: p.probe_rtt_cwnd_gain,
            tso_rtt_shift: p.tso_rtt_shift.or(profile.tso_rtt_log.map(|l| l as u8)),
        }
    }
    /// `x` less the share that a loss takes.
    pub const fn less_beta(&self, x: u32) -> u32 {
        ((x as u64 * (UNIT - self.beta) as u64) >> SCALE) as u32
    }
}
