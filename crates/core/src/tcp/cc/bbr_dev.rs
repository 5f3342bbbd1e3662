//! BBR-DEV: BBR with the two patches of April 2018 for Wi-Fi, which the papers name so.
//!
//! * the window allows for what ACKs bring in bursts (mainline from 5.1, there over five to ten round trips instead of ten to twenty);
//! * drain to target: the phase that drains lasts until what is in flight fits the path; a cycle's length is drawn, two to eight least RTTs.
//!
//! Stands for: Cardwell, "Linux TCP BBR patches for higher wifi throughput and lower queuing delays" (bbr-dev list, April 2018), as public
//! out-of-tree kernels (bbrplus for 4.14 and later) carry it.
//! Differs: D1 as bbr's. D2 what is in flight is counted as the profile's BBR counts it (bbr, departure times from 4.20).

use super::bbr::{Bbr, Tuning, is_a_bbr};
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

crate::params! {
    /// `[tcp.bbr-dev]`.
    pub struct Params {
        /// Half of the window over which ACK aggregation is remembered, round trips.
        extra_acked_rtts: u8 = 10, in 1 => 31, src "the patch set's bbr_extra_acked_win_rtts";
        /// Whether it drains to its target.
        drain_to_target: bool = true, src "the patch set";
    }
}

/// BBR-DEV.
#[derive(Clone, Debug)]
pub struct BbrDev(Bbr);

impl BbrDev {
    /// Starts.
    pub fn new(p: &Params, profile: &'static Profile, tp: &mut Tp) -> BbrDev {
        let t = Tuning {
            extra_acked: true,
            extra_acked_rtts: p.extra_acked_rtts,
            drain_to_target: p.drain_to_target,
            ..Tuning::of(profile)
        };
        BbrDev(Bbr::tuned(t, profile, tp))
    }
}

is_a_bbr!(BbrDev);
