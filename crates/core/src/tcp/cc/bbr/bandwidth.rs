//! What BBR measures of delivery: its rate, whether it still grows, and how far it runs ahead of the rate in bursts.
//!
//! Stands for: `bbr_update_bw`, `bbr_check_full_bw_reached`, `bbr_update_ack_aggregation`.

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
/// Half of the window of aggregation, round trips. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_extra_acked_win_rtts
const EXTRA_ACKED_RTTS: u8 = 5;
/// Segments after which an epoch begins anew. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_ack_epoch_acked_reset_thresh
const EPOCH_MAX: u32 = 1 << 20;
/// Most that aggregation adds to the window, as time at the bandwidth, microseconds. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_extra_acked_max_us
const EXTRA_ACKED_MAX_US: u64 = 100_000;

/// How many more segments ACKs bring at once than the bandwidth explains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aggregation {
    /// Beginning of the epoch, microseconds.
    epoch_mstamp: u64,
    /// Acknowledged in it, segments.
    epoch_acked: u32,
    /// Most segments ahead in the present and in the last half of the window.
    extra: [u16; 2],
    /// Round trips in the present half.
    win_rtts: u8,
    /// Which half is the present one.
    idx: usize,
}

impl Aggregation {
    /// Nothing was seen.
    pub fn new(tp: &Tp) -> Aggregation {
        Aggregation { epoch_mstamp: tp.clock.us, epoch_acked: 0, extra: [0; 2], win_rtts: 0, idx: 0 }
    }
    /// An epoch begins.
    pub fn begin_epoch(&mut self, us: u64) {
        (self.epoch_mstamp, self.epoch_acked) = (us, 0);
    }
}

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

    /// `bbr_update_ack_aggregation`.
    pub(super) fn update_aggregation(&mut self, tp: &Tp, rs: &RateSample) {
        if rs.acked_sacked == 0 || rs.delivered < 0 || rs.interval_us <= 0 {
            return;
        }
        let bw = u64::from(self.bandwidth());
        let a = &mut self.aggregation;
        if self.round_start {
            a.win_rtts = (a.win_rtts + 1).min(0x1f);
            if a.win_rtts >= EXTRA_ACKED_RTTS {
                a.win_rtts = 0;
                a.idx ^= 1;
                a.extra[a.idx] = 0;
            }
        }
        let epoch_us = tp.delivered_mstamp.saturating_sub(a.epoch_mstamp);
        let mut expected = (bw * epoch_us / BW_UNIT) as u32;
        if a.epoch_acked <= expected || a.epoch_acked + rs.acked_sacked >= EPOCH_MAX {
            a.begin_epoch(tp.delivered_mstamp);
            expected = 0;
        }
        a.epoch_acked = (a.epoch_acked + rs.acked_sacked).min(0xf_ffff);
        let extra = (a.epoch_acked - expected).min(tp.snd_cwnd);
        if extra > u32::from(a.extra[a.idx]) {
            a.extra[a.idx] = extra as u16;
        }
    }

    /// What aggregation adds to the window, segments (`bbr_ack_aggregation_cwnd`).
    pub(super) fn aggregation_cwnd(&self) -> u32 {
        if !self.full_bw_reached {
            return 0;
        }
        let most = (u64::from(self.bandwidth()) * EXTRA_ACKED_MAX_US / BW_UNIT) as u32;
        let extra = self.aggregation.extra;
        u32::from(extra[0].max(extra[1])).min(most)
    }
}
