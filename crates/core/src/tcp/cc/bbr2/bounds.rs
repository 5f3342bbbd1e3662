//! What losses do to BBR v2's model: bounds on what is in flight and on the rate.
//!
//! Stands for: google/bbr@v2alpha net/ipv4/tcp_bbr2.c `bbr2_update_congestion_signals`, `bbr2_adapt_lower_bounds`, `bbr2_adapt_upper_bounds`,
//! `bbr2_probe_inflight_hi_upward`, `bbr2_handle_inflight_too_high`, `bbr2_skb_marked_lost`, `bbr2_check_loss_too_high_in_startup`,
//! `bbr2_bound_cwnd_for_inflight_model`.

use super::super::bbr::{SCALE, UNIT};
use super::window::CWND_MIN;
use super::{Acks, Bbr2, Mode, NONE, Phase};
use crate::tcp::cc::RateSample;
use crate::tcp::rtx::Seg;
use crate::tcp::seq::before;
use crate::tcp::tp::{CaState, Tp};

impl Bbr2 {
    /// Rate and volume of this round trip, and, at its end, what its losses mean.
    pub(super) fn update_congestion_signals(&mut self, tp: &Tp, rs: &RateSample) {
        self.loss_round_start = false;
        if rs.interval_us <= 0 || rs.acked_sacked == 0 {
            return;
        }
        let bw = self.sample_bw;
        if !rs.is_app_limited || bw >= self.max_bw() {
            self.max_bw[1] = self.max_bw[1].max(bw);
        }
        self.loss_in_round |= rs.losses > 0;
        self.bw_latest = self.bw_latest.max(bw);
        self.inflight_latest = self.inflight_latest.max(rs.delivered.max(0) as u32);
        if before(rs.prior_delivered, self.loss_round_delivered) {
            return;
        }
        self.loss_round_delivered = tp.delivered;
        self.loss_round_start = true;
        self.adapt_lower_bounds(tp);
        self.loss_in_round = false;
        if !self.t.latest_stays {
            self.forget_latest(rs);
        }
    }

    /// `bbr_advance_latest_delivery_signals`, or the end of v2's `bbr2_update_congestion_signals`: a round trip began with this sample.
    pub(super) fn forget_latest(&mut self, rs: &RateSample) {
        (self.bw_latest, self.inflight_latest) = (self.sample_bw, rs.delivered.max(0) as u32);
    }

    /// A loss outside a probe: less, but not less than was just delivered.
    pub(super) fn adapt_lower_bounds(&mut self, tp: &Tp) {
        if self.probes() || !self.loss_in_round {
            return;
        }
        if self.bw_lo == NONE {
            self.bw_lo = self.max_bw();
        }
        if self.inflight_lo == NONE {
            self.inflight_lo = tp.snd_cwnd;
        }
        self.bw_lo = self.t.less_beta(self.bw_lo).max(self.bw_latest).max(1);
        self.inflight_lo = self.t.less_beta(self.inflight_lo).max(self.inflight_latest);
    }

    pub(super) fn reset_lower_bounds(&mut self) {
        (self.bw_lo, self.inflight_lo) = (NONE, NONE);
    }

    pub(super) fn reset_congestion_signals(&mut self) {
        self.loss_in_round = false;
        (self.bw_latest, self.inflight_latest) = (0, 0);
    }

    /// `bbr2_is_inflight_too_high`: more than the tolerated share of a flight was lost.
    fn too_high(&self, lost: u32, in_flight: u32) -> bool {
        lost > 0 && in_flight > 0 && u64::from(lost) > (u64::from(in_flight) * u64::from(self.t.loss_thresh)) >> SCALE
    }

    /// A probe lost too much: this is the bound.
    fn handle_too_high(&mut self, tp: &Tp, in_flight: u32, app_limited: bool) {
        self.probe_too_high = true;
        self.probe_samples = false;
        if !app_limited {
            self.inflight_hi = in_flight.max(self.t.less_beta(self.target_inflight(tp)));
        }
        if self.mode == Mode::ProbeBw && self.phase == Phase::Up {
            self.start_down(tp);
        }
    }

    /// What should be in flight, unless the window is less.
    pub(super) fn target_inflight(&self, tp: &Tp) -> u32 {
        self.inflight(tp, self.bandwidth(), UNIT).min(tp.snd_cwnd)
    }

    /// A segment was marked lost: with it the share may have become too large.
    pub(super) fn note_lost(&mut self, tp: &Tp, s: &Seg) {
        if !self.loss_in_round {
            self.loss_round_delivered = tp.delivered;
        }
        self.loss_in_round = true;
        if !self.probe_samples || s.delivered_us == 0 {
            return;
        }
        let (in_flight, lost) = (u32::from(s.tx_in_flight), tp.lost.wrapping_sub(s.tx_lost));
        if self.too_high(lost, in_flight) {
            let at = self.inflight_at_loss(in_flight, lost);
            self.handle_too_high(tp, at, s.app_limited);
        }
    }

    /// `bbr2_inflight_hi_from_lost_skb`: where in the flight the share was crossed, segments.
    pub(super) fn inflight_at_loss(&self, in_flight: u32, lost: u32) -> u32 {
        let (before, lost_before) = (u64::from(in_flight.saturating_sub(1)), u64::from(lost.saturating_sub(1)));
        let thresh = u64::from(self.t.loss_thresh);
        let budget = (before * thresh + u64::from(UNIT) - 1) >> SCALE;
        let prefix = budget.saturating_sub(lost_before) * u64::from(UNIT) / (u64::from(UNIT) - thresh);
        (before + prefix) as u32
    }

    /// Startup ends where a round trip of recovery lost too much, too often.
    pub(super) fn check_startup_loss(&mut self, tp: &Tp, rs: &RateSample) {
        if self.full_bw_reached {
            return;
        }
        if rs.losses > 0 {
            self.loss_events = (self.loss_events + 1).min(0xf);
        }
        let often = self.t.full_loss_count > 0 && self.loss_events >= self.t.full_loss_count;
        let recovers = tp.ca_state == CaState::Recovery;
        if often && self.loss_round_start && recovers && self.too_high(rs.lost, rs.tx_in_flight) {
            self.full_bw_reached = true;
            let product = self.inflight(tp, self.max_bw(), UNIT);
            self.inflight_hi = if self.t.startup_latest { product.max(self.inflight_latest) } else { product };
            return;
        }
        if self.loss_round_start {
            self.loss_events = 0;
        }
    }

    /// Upper bound: down where a probe lost too much, up where it did not. True: the phase was decided.
    pub(super) fn adapt_upper_bounds(&mut self, tp: &Tp, rs: &RateSample) -> bool {
        if self.acks == Acks::ProbeStarting && self.round_start {
            self.acks = Acks::ProbeFeedback;
        }
        if self.acks == Acks::ProbeStopping && self.round_start {
            self.probe_samples = false;
            self.acks = Acks::Init;
            // The probe's own rates are in: rates of the cycle before are forgotten.
            if self.mode == Mode::ProbeBw && !rs.is_app_limited && self.max_bw[1] != 0 {
                self.max_bw = [self.max_bw[1], 0];
            }
            // It ended for caution's sake and nothing was lost: again, and further.
            if self.mode == Mode::ProbeBw && self.stopped_risky && !self.probe_too_high {
                self.start_refill(tp);
                return true;
            }
        }
        if self.too_high(rs.lost, rs.tx_in_flight) {
            if self.probe_samples {
                self.handle_too_high(tp, rs.tx_in_flight, rs.is_app_limited);
            }
        } else if self.inflight_hi != NONE {
            self.inflight_hi = self.inflight_hi.max(rs.tx_in_flight);
            if self.mode == Mode::ProbeBw && self.phase == Phase::Up {
                self.raise_inflight_hi(tp, rs);
            }
        }
        false
    }

    fn raise_inflight_hi(&mut self, tp: &Tp, rs: &RateSample) {
        if !tp.is_cwnd_limited || tp.snd_cwnd < self.inflight_hi {
            if self.t.drops_credit {
                self.up_acks = 0;
            }
            return;
        }
        self.up_acks += rs.acked_sacked;
        if self.up_acks >= self.up_count {
            let delta = self.up_acks / self.up_count;
            self.up_acks -= delta * self.up_count;
            self.inflight_hi = self.inflight_hi.saturating_add(delta).min(NONE - 1);
        }
        if self.round_start {
            self.steepen(tp);
        }
    }

    /// `bbr2_raise_inflight_hi_slope`: twice as many segments a round trip.
    pub(super) fn steepen(&mut self, tp: &Tp) {
        self.up_count = (tp.snd_cwnd >> self.up_rounds).max(1);
        self.up_rounds = (self.up_rounds + 1).min(30);
    }

    /// `bbr2_inflight_with_headroom`.
    pub(super) fn with_headroom(&self) -> u32 {
        if self.inflight_hi == NONE {
            return NONE;
        }
        let room = ((u64::from(self.inflight_hi) * u64::from(self.t.headroom)) >> SCALE) as u32;
        self.inflight_hi.saturating_sub(room.max(1)).max(CWND_MIN)
    }

    /// The window within the bounds of the phase.
    pub(super) fn bound_cwnd(&self, tp: &mut Tp) {
        let cap = match (self.mode, self.phase) {
            (Mode::ProbeBw, Phase::Cruise) | (Mode::ProbeRtt, _) => self.with_headroom(),
            (Mode::ProbeBw, _) => self.inflight_hi,
            _ => NONE,
        };
        tp.snd_cwnd = tp.snd_cwnd.min(cap.min(self.inflight_lo).max(CWND_MIN));
    }
}
