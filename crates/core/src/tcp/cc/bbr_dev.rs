//! BBR-DEV: BBR with the patch set of March and April 2018 for Wi-Fi, which the papers name so.
//!
//! * the window allows for what ACKs bring in bursts (mainline from 5.1, there over five to ten round trips instead of ten to twenty);
//! * drain to target: a cycle's length is drawn, two to eight least RTTs; it probes, then drains until what is in flight fits the path, then
//!   cruises until it is over.
//!
//! Nothing else of BBR is changed: ProbeRTT is BBR's. From 5.1 on (and 4.19.148) only the filter's length and drain-to-target remain.
//!
//! Stands for: Jha, Cardwell: "net-tcp_bbr" 1/6 to 6/6, 29 March to 2 April 2018, announced by Cardwell as "Linux TCP BBR patches for higher
//! wifi throughput and lower queuing delays" (bbr-dev list, 8pgyOyUavvY); read as github.com/hhoffstaette/kernel-patches 0d0052cf
//! (4.16/net-20180329-001 to net-20180402-006) applies it to 4.16.
//! Differs: D1 what is in flight is counted as the profile's BBR counts it (at the next departure from 4.20; the set counts what was in flight
//! before the ACK), and so with all that BBR has changed since 4.16.

use super::bbr::{Bbr, Tuning, is_a_bbr};
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

crate::params! {
    /// `[bbr-dev]`.
    pub struct Params {
        /// Half of the window over which ACK aggregation is remembered, round trips.
        extra_acked_rtts: u8 = 10, in 1 => 31, src "net-tcp_bbr 2/6 bbr_extra_acked_win_rtts";
        /// Whether it drains to its target.
        drain_to_target: bool = true, src "net-tcp_bbr 5/6 bbr_drain_to_target";
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
