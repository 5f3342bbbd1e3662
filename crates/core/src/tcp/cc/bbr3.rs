//! BBR v3: BBR v2 with a probe that ends where it finds no more, a gentler drain, and corrections.
//!
//! | | v2 | v3 |
//! | --- | --- | --- |
//! | Startup: pacing, window gain | 2.89, 2.89 | 2.77, 2 |
//! | Down | 0.75 | 0.91 |
//! | window's gain in Up | 2 | 2.25 |
//! | Up ends | at 1.25 products in flight | after three round trips in which no sample grew by a quarter, while the bound leaves room |
//! | Startup ends by losses | 8 in a round trip | 6, and the bound is at least what was just delivered |
//! | an RTT that equals the least | renews it | does not |
//! | what a round trip delivered at most is known | until the bounds have looked at it | until the ACK's end |
//! | least skb | 2 segments, 1 below 1.2 Mbit/s | `tcp_min_tso_segs` |
//!
//! Stands for: net/ipv4/tcp_bbr.c of google/bbr, branch v3 (commit 001a430b3ddb), written from its behaviour.
//! Differs: D1 to D4 and D6 of bbr2, here too (ECN needs a route marked for low latency). D2' a tail loss that a probe repaired is no loss (`CA_EVENT_TLP_RECOVERY`
//! is not raised), nor does an ACK of that probe keep what the round trip before delivered, and PLB is absent.

use super::bbr2::{Bbr2, Params as Bbr2Params, Tuning};
use super::{AckSample, BbrInfo, Control, Event, RateSample};
use crate::sim::Auto;
use crate::tcp::profile::Profile;
use crate::tcp::rtx::Seg;
use crate::tcp::tp::{CaState, Tp};

crate::params! {
    /// `[bbr3]`. Gains and shares are in 1/256.
    pub struct Params {
        /// Pacing gain of Startup.
        startup_gain: u32 = 710, in 257 => 2_047, src "google/bbr@v3 tcp_bbr.c bbr_startup_pacing_gain: 2.77";
        /// Window's gain in Startup and Drain.
        startup_cwnd_gain: u32 = 512, in 256 => 2_047, src "google/bbr@v3 tcp_bbr.c bbr_startup_cwnd_gain";
        /// Pacing gain of Drain.
        drain_gain: u32 = 88, in 1 => 256, src "google/bbr@v3 tcp_bbr.c bbr_drain_gain";
        /// Window's gain in ProbeBW.
        cwnd_gain: u32 = 512, in 256 => 2_047, src "google/bbr@v3 tcp_bbr.c bbr_cwnd_gain";
        /// What the phase that probes adds to it.
        up_cwnd_gain: u32 = 64, in 0 => 1_023, src "google/bbr@v3 tcp_bbr.c bbr_bw_probe_cwnd_gain";
        /// Pacing gain of the phase that probes.
        up_gain: u32 = 320, in 257 => 1_023, src "google/bbr@v3 tcp_bbr.c bbr_pacing_gain";
        /// Pacing gain of the phase that drains.
        down_gain: u32 = 232, in 1 => 255, src "google/bbr@v3 tcp_bbr.c bbr_pacing_gain: 0.91";
        /// Share that a loss takes from the lower bounds.
        beta: u32 = 76, in 0 => 255, src "google/bbr@v3 tcp_bbr.c bbr_beta: 30 %";
        /// Share lost that says that a probe went too far.
        loss_thresh: u32 = 5, in 0 => 255, src "google/bbr@v3 tcp_bbr.c bbr_loss_thresh: 2 %";
        /// Losses in a round trip that end Startup, if the share is exceeded too; 0: never.
        full_loss_count: u32 = 6, in 0 => 15, src "google/bbr@v3 tcp_bbr.c bbr_full_loss_cnt";
        /// Share of `inflight_hi` that is left to others while it cruises.
        headroom: u32 = 38, in 0 => 255, src "google/bbr@v3 tcp_bbr.c bbr_inflight_headroom: 15 %";
        /// An skb's size has 64 KiB more, halved with every 2^this microseconds of least RTT; off: nothing ("auto": 9).
        tso_rtt_shift: Auto<Option<u8>> = Auto::Auto, src "google/bbr@v3 tcp_bbr.c bbr_tso_rtt_shift";
    }
}

/// BBR v3.
#[derive(Clone, Debug)]
pub struct Bbr3(Bbr2);

impl Bbr3 {
    /// Starts.
    pub fn new(p: &Params, profile: &'static Profile, tp: &mut Tp) -> Bbr3 {
        Bbr3(Bbr2::tuned(tuning(p, profile), tp))
    }
}

fn tuning(p: &Params, profile: &Profile) -> Tuning {
    Tuning {
        startup: p.startup_gain,
        startup_cwnd: p.startup_cwnd_gain,
        drain: p.drain_gain,
        cwnd: p.cwnd_gain,
        up_cwnd: p.up_cwnd_gain,
        up: p.up_gain,
        down: p.down_gain,
        plateau: true,
        drops_credit: false,
        equal_rtt: false,
        startup_latest: true,
        latest_stays: true,
        timeout_window: true,
        min_tso_by_rate: false,
        gso_payload: true,
        beta: p.beta,
        loss_thresh: p.loss_thresh,
        full_loss_count: p.full_loss_count,
        headroom: p.headroom,
        tso_rtt_shift: p.tso_rtt_shift.or(Some(9)),
        ..Tuning::v2(&Bbr2Params::default(), profile)
    }
}

impl Control for Bbr3 {
    fn has_cong_control(&self) -> bool {
        true
    }
    fn cong_control(&mut self, tp: &mut Tp, rs: &RateSample) {
        self.0.cong_control(tp, rs);
    }
    fn cong_avoid(&mut self, _: &mut Tp, _: u32, _: u32) {}
    fn pkts_acked(&mut self, tp: &mut Tp, sample: &AckSample) {
        self.0.pkts_acked(tp, sample);
    }
    fn seg_lost(&mut self, tp: &mut Tp, s: &Seg) {
        self.0.seg_lost(tp, s);
    }
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        self.0.ssthresh(tp)
    }
    fn undo_cwnd(&mut self, tp: &mut Tp) -> u32 {
        self.0.undo_cwnd(tp)
    }
    fn set_state(&mut self, tp: &mut Tp, new: CaState) {
        self.0.set_state(tp, new);
    }
    fn event(&mut self, tp: &mut Tp, event: Event) {
        self.0.event(tp, event);
    }
    fn tso_segs(&self, tp: &Tp, mss: u32, gso_max_size: u32) -> Option<u32> {
        self.0.tso_segs(tp, mss, gso_max_size)
    }
    fn sndbuf_expand(&self) -> u32 {
        self.0.sndbuf_expand()
    }
    fn bbr_info(&self, tp: &Tp) -> Option<BbrInfo> {
        self.0.bbr_info(tp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V6_12;

    #[test]
    fn gains_of_the_source() {
        // 256 * 277 / 100 + 1, 256 * 91 / 100, 256 / 4.
        let t = tuning(&Params::default(), &V6_12);
        assert_eq!((t.startup, t.startup_cwnd, t.down, t.up_cwnd, t.full_loss_count), (710, 512, 232, 64, 6));
        // What it shares with v2.
        assert_eq!((t.up, t.cwnd, t.probe_base_us, t.probe_max_rounds), (320, 512, 2_000_000, 63));
    }

    #[test]
    fn the_first_rate_has_the_smaller_gain() {
        // 10 segments of 1448 bytes in 1 ms, times 710/256, less 1 %: 39.76 Mbyte/s.
        let mut tp = Tp::new(1_000, 0);
        (tp.mss_cache, tp.srtt_us) = (1_448, 8_000);
        Bbr3::new(&Params::default(), &V6_12, &mut tp);
        assert!(tp.pacing_rate.abs_diff(39_757_000) < 2_000, "{}", tp.pacing_rate);
    }

    #[test]
    fn an_skb_leaves_room_for_headers_twice_and_has_the_sysctls_least() {
        let mut tp = Tp::new(1_000, 0);
        (tp.mss_cache, tp.srtt_us, tp.gso_payload, tp.min_tso_segs) = (1_448, 8_000, 65_536 - 321, 4);
        tp.rtt_min.reset(tp.clock.j32(), 100);
        let b = Bbr3::new(&Params::default(), &V6_12, &mut tp);
        // 64 KiB at 0.1 ms: (65536 - 2 * 321) / 1448 = 44.8. v2 has 45.
        assert_eq!(b.tso_segs(&tp, 1_448, 65_536), Some(44));
        let v2 = Bbr2::new(&Bbr2Params::default(), &V6_12, &mut tp);
        assert_eq!(v2.tso_segs(&tp, 1_448, 65_536), Some(45));
        // At 1 Mbit/s and a far peer.
        let far = Params { tso_rtt_shift: Auto::Set(None), ..Params::default() };
        let b = Bbr3::new(&far, &V6_12, &mut tp);
        tp.pacing_rate = 125_000;
        assert_eq!(b.tso_segs(&tp, 1_448, 65_536), Some(4));
    }
}
