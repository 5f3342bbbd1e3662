//! How many more segments ACKs bring at once than the bandwidth explains: what an aggregating link holds back and then lets go.
//!
//! `extra = acknowledged in the epoch - bandwidth * length of the epoch`; an epoch begins where ACKs fall behind the bandwidth. The largest of
//! the last one to two windows is what the window allows for, at most 100 ms of the bandwidth. Every BBR that has it has it from here.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_bbr.c `bbr_update_ack_aggregation`, `bbr_ack_aggregation_cwnd`.

use super::BW_UNIT;
use crate::tcp::cc::RateSample;
use crate::tcp::tp::Tp;

/// Half of the window of aggregation, round trips. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_extra_acked_win_rtts
pub const EXTRA_ACKED_RTTS: u8 = 5;
/// Segments after which an epoch begins anew. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_ack_epoch_acked_reset_thresh
const EPOCH_MAX: u32 = 1 << 20;
/// Most that aggregation adds to the window, as time at the bandwidth, microseconds. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_extra_acked_max_us
const EXTRA_ACKED_MAX_US: u64 = 100_000;

/// What is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Aggregation {
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
    /// An ACK came; `bw` is the bandwidth believed in, `rtts` half of the window (`bbr_update_ack_aggregation`).
    pub fn update(&mut self, tp: &Tp, rs: &RateSample, bw: u32, round_start: bool, rtts: u8) {
        if rs.acked_sacked == 0 || rs.delivered < 0 || rs.interval_us <= 0 {
            return;
        }
        if round_start {
            self.win_rtts = (self.win_rtts + 1).min(0x1f);
            if self.win_rtts >= rtts {
                self.win_rtts = 0;
                self.idx ^= 1;
                self.extra[self.idx] = 0;
            }
        }
        let epoch_us = tp.delivered_mstamp.saturating_sub(self.epoch_mstamp);
        let mut expected = (u64::from(bw).wrapping_mul(epoch_us) / BW_UNIT) as u32;
        if self.epoch_acked <= expected || self.epoch_acked + rs.acked_sacked >= EPOCH_MAX {
            self.begin_epoch(tp.delivered_mstamp);
            expected = 0;
        }
        self.epoch_acked = (self.epoch_acked + rs.acked_sacked).min(0xf_ffff);
        let extra = (self.epoch_acked - expected).min(tp.snd_cwnd);
        if extra > u32::from(self.extra[self.idx]) {
            self.extra[self.idx] = extra as u16;
        }
    }
    /// What it adds to the window at the bandwidth `bw`, segments (`bbr_ack_aggregation_cwnd`).
    pub fn cwnd(&self, bw: u32) -> u32 {
        let most = (u64::from(bw) * EXTRA_ACKED_MAX_US / BW_UNIT) as u32;
        u32::from(self.extra[0].max(self.extra[1])).min(most)
    }
}
