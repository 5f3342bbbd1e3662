//! BBR's long-term bandwidth: where two intervals in a row lose a fifth and deliver at the same rate, a policer is at work and that rate is used.
//!
//! Stands for: `bbr_lt_bw_sampling`, `bbr_lt_bw_interval_done`.

use super::{BW_UNIT, Bbr, Mode, SCALE, UNIT};
use crate::tcp::cc::RateSample;
use crate::tcp::tp::Tp;

/// Least round trips of an interval; four times as many are too many. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_lt_intvl_min_rtts
const MIN_RTTS: u8 = 4;
/// Lost per delivered that means a policer, in 1/256. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_lt_loss_thresh
const LOSS_THRESH: u32 = 50;
/// Difference of two intervals that still is the same rate, in 1/256. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_lt_bw_ratio
const BW_RATIO: u32 = UNIT / 8;
/// The same, bytes a second. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_lt_bw_diff
const BW_DIFF: u64 = 4_000 / 8;
/// Round trips for which the rate is used. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_lt_bw_max_rtts
const MAX_RTTS: u8 = 48;

/// What is known of a policer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policer {
    /// An interval is under way.
    sampling: bool,
    /// The rate is used.
    using: bool,
    /// Round trips of the interval, or of the use.
    rtt_cnt: u8,
    /// Rate of the last interval, segments a microsecond << 24; 0: none.
    bw: u32,
    /// Beginning of the interval, milliseconds.
    last_stamp: u32,
    /// `delivered` then.
    last_delivered: u32,
    /// `lost` then.
    last_lost: u32,
}

impl Policer {
    /// Nothing is known.
    pub fn new(tp: &Tp) -> Policer {
        let (last_stamp, last_delivered, last_lost) = now(tp);
        Policer { sampling: false, using: false, rtt_cnt: 0, bw: 0, last_stamp, last_delivered, last_lost }
    }
    /// `bbr_reset_lt_bw_sampling`.
    pub fn reset(&mut self, tp: &Tp) {
        *self = Policer::new(tp);
    }
    /// The policed rate, if one is used.
    #[inline]
    pub const fn rate(&self) -> Option<u32> {
        if self.using { Some(self.bw) } else { None }
    }
    /// `bbr_reset_lt_bw_sampling_interval`.
    fn begin_interval(&mut self, tp: &Tp) {
        (self.last_stamp, self.last_delivered, self.last_lost) = now(tp);
        self.rtt_cnt = 0;
    }
}

fn now(tp: &Tp) -> (u32, u32, u32) {
    ((tp.delivered_mstamp / 1_000) as u32, tp.delivered, tp.lost)
}

impl Bbr {
    /// `bbr_lt_bw_sampling`, where the user wants it.
    pub(super) fn sample_policer(&mut self, tp: &Tp, rs: &RateSample) {
        if !self.t.policer {
            return;
        }
        let p = &mut self.policer;
        if p.using {
            if self.mode == Mode::ProbeBw && self.round_start {
                p.rtt_cnt += 1;
                if p.rtt_cnt >= MAX_RTTS {
                    p.reset(tp);
                    self.enter_probe_bw(tp);
                }
            }
            return;
        }
        // The first loss shows that the policer's bucket is empty.
        if !p.sampling {
            if rs.losses == 0 {
                return;
            }
            p.begin_interval(tp);
            p.sampling = true;
        }
        if rs.is_app_limited {
            p.reset(tp);
            return;
        }
        p.rtt_cnt += u8::from(self.round_start);
        if p.rtt_cnt < MIN_RTTS {
            return;
        }
        if p.rtt_cnt > 4 * MIN_RTTS {
            p.reset(tp);
            return;
        }
        // An interval ends with a loss, too.
        if rs.losses == 0 {
            return;
        }
        let lost = tp.lost.wrapping_sub(p.last_lost);
        let delivered = tp.delivered.wrapping_sub(p.last_delivered);
        if delivered == 0 || lost << SCALE < LOSS_THRESH.wrapping_mul(delivered) {
            return;
        }
        let ms = now(tp).0.wrapping_sub(p.last_stamp);
        if (ms as i32) < 1 {
            return;
        }
        if ms >= u32::MAX / 1_000 {
            p.reset(tp);
            return;
        }
        let bw = (u64::from(delivered) * BW_UNIT / u64::from(ms * 1_000)) as u32;
        self.policer_interval(tp, bw);
    }

    /// `bbr_lt_bw_interval_done`.
    pub(super) fn policer_interval(&mut self, tp: &Tp, bw: u32) {
        let diff = bw.abs_diff(self.policer.bw);
        let rate = self.rate(tp, diff, UNIT);
        let p = &mut self.policer;
        if p.bw != 0 && (diff.wrapping_mul(UNIT) <= BW_RATIO.wrapping_mul(p.bw) || rate <= BW_DIFF) {
            p.bw = bw.wrapping_add(p.bw) >> 1;
            p.using = true;
            p.rtt_cnt = 0;
            self.pacing_gain = UNIT;
            return;
        }
        p.bw = bw;
        p.begin_interval(tp);
    }
}
