//! What BBR measures of delivery: its rate, and whether it still grows.
//!
//! Stands for: `bbr_update_bw`, `bbr_check_full_bw_reached`.

use super::{BW_UNIT, Bbr, SCALE, UNIT};
use crate::tcp::cc::RateSample;
use crate::tcp::seq::before;
use crate::tcp::tp::Tp;

/// Window of the bandwidth, round trips. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_bw_rtts
const BW_RTTS: u32 = super::CYCLE_LEN as u32 + 2;
/// Growth of bandwidth that says that the pipe is not full. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_full_bw_thresh
const FULL_BW_THRESH: u32 = UNIT * 5 / 4;
/// Round trips without it that say that it is. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_full_bw_cnt
const FULL_BW_CNT: u8 = 3;
impl Bbr {
    /// `bbr_update_bw`.
    pub(super) fn update_bandwidth(&mut self, tp: &Tp, rs: &RateSample) {
        self.round_start = false;
        if rs.delivered < 0 || rs.interval_us <= 0 {
            return;
        }
        if !before(rs.prior_delivered, self.next_rtt_delivered) {
            self.next_rtt_delivered = tp.delivered;
            self.rtt_cnt = self.rtt_cnt.wrapping_add(1);
            self.round_start = true;
            self.packet_conservation = false;
        }
        self.sample_policer(tp, rs);
        let bw = (rs.delivered as u64 * BW_UNIT / rs.interval_us as u64) as u32;
        // The rate of an application that sends little says nothing of the path, unless it is more than what is known.
        if !rs.is_app_limited || bw >= self.max_bw() {
            self.bw.max(BW_RTTS, self.rtt_cnt, bw);
        }
    }

    /// `bbr_check_full_bw_reached`.
    pub(super) fn check_full_pipe(&mut self, rs: &RateSample) {
        if self.full_bw_reached || !self.round_start || rs.is_app_limited {
            return;
        }
        let threshold = ((u64::from(self.full_bw) * u64::from(FULL_BW_THRESH)) >> SCALE) as u32;
        if self.max_bw() >= threshold {
            self.full_bw = self.max_bw();
            self.full_bw_cnt = 0;
            return;
        }
        self.full_bw_cnt += 1;
        self.full_bw_reached = self.full_bw_cnt >= FULL_BW_CNT;
    }
}
