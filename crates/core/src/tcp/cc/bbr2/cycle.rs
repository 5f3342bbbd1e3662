//! BBR v2's probing: the phases of ProbeBw, and the dips that look for a smaller RTT.
//!
//! Stands for: google/bbr@v2alpha net/ipv4/tcp_bbr2.c `bbr2_update_cycle_phase`, `bbr2_start_bw_probe_*`, `bbr2_check_time_to_*`,
//! `bbr2_pick_probe_wait`, `bbr_update_min_rtt`, `bbr_check_probe_rtt_done`.

use super::super::bbr::UNIT;
use super::{Acks, Bbr2, Mode, NONE, Phase};
use crate::tcp::cc::RateSample;
use crate::tcp::seq::after;
use crate::tcp::tp::Tp;

/// Round trips that are drawn for the wait, below this. src: google/bbr@v2alpha net/ipv4/tcp_bbr2.c bbr_bw_probe_rand_rounds
const RAND_ROUNDS: u32 = 2;
/// Window of the least RTT, seconds. src: google/bbr@v2alpha net/ipv4/tcp_bbr2.c bbr_min_rtt_win_sec
const MIN_RTT_WIN_S: u32 = 10;
/// Length of a dip, microseconds. src: google/bbr@v2alpha net/ipv4/tcp_bbr2.c bbr_probe_rtt_mode_ms
const PROBE_RTT_US: u32 = 200_000;

impl Bbr2 {
    pub(super) fn start_refill(&mut self, tp: &Tp) {
        self.reset_lower_bounds();
        (self.up_rounds, self.up_acks, self.stopped_risky) = (0, 0, false);
        self.acks = Acks::Refilling;
        self.next_rtt_delivered = tp.delivered;
        self.phase = Phase::Refill;
    }

    pub(super) fn start_up(&mut self, tp: &Tp) {
        self.acks = Acks::ProbeStarting;
        self.next_rtt_delivered = tp.delivered;
        self.cycle_mstamp = tp.clock.us;
        if self.t.plateau {
            self.reset_full_bw();
            self.full_bw = self.sample_bw;
        }
        self.phase = Phase::Up;
        self.steepen(tp);
    }

    /// A cycle begins: it drains, and the time to the next probe is drawn.
    pub(super) fn start_down(&mut self, tp: &Tp) {
        self.reset_congestion_signals();
        self.up_count = NONE;
        self.rounds_since_probe = self.random.below(RAND_ROUNDS);
        self.probe_wait_us = self.t.probe_base_us + u64::from(self.random.below(self.t.probe_rand_us));
        self.cycle_mstamp = tp.clock.us;
        self.acks = Acks::ProbeStopping;
        self.next_rtt_delivered = tp.delivered;
        self.phase = Phase::Down;
    }

    fn start_cruise(&mut self) {
        if self.inflight_lo != NONE {
            self.inflight_lo = self.inflight_lo.min(self.inflight_hi);
        }
        self.phase = Phase::Cruise;
    }

    fn elapsed(&self, tp: &Tp, us: u64) -> bool {
        tp.clock.us > self.cycle_mstamp + us
    }

    /// By the clock, or where a Reno flow would have had its loss.
    fn time_to_probe(&mut self, tp: &Tp) -> bool {
        let rounds = self.t.probe_max_rounds.min(self.target_inflight(tp));
        let due = self.elapsed(tp, self.probe_wait_us) || self.rounds_since_probe >= rounds;
        if due {
            self.start_refill(tp);
        }
        due
    }

    /// `bbr2_update_cycle_phase`.
    pub(super) fn update_cycle(&mut self, tp: &Tp, rs: &RateSample) {
        if !self.full_bw_reached || self.adapt_upper_bounds(tp, rs) || self.mode != Mode::ProbeBw {
            return;
        }
        let in_flight = self.in_network(tp, rs.prior_in_flight);
        match self.phase {
            Phase::Cruise => {
                self.time_to_probe(tp);
            }
            Phase::Refill if self.round_start => {
                // From now on samples are of the filled path.
                self.probe_samples = true;
                self.start_up(tp);
            }
            Phase::Refill => {}
            Phase::Up => {
                if self.up_is_over(tp, in_flight) {
                    self.probe_too_high = false;
                    self.start_down(tp);
                }
            }
            Phase::Down => {
                let fits = in_flight <= self.with_headroom() && in_flight <= self.inflight(tp, self.max_bw(), UNIT);
                if !self.time_to_probe(tp) && fits {
                    self.start_cruise();
                }
            }
        }
    }

    /// Where the last probe had lost too much it stops for caution's sake; else v2 stops when its gain's worth is in flight, v3 when samples stop
    /// growing although the bound leaves room.
    fn up_is_over(&mut self, tp: &Tp, in_flight: u32) -> bool {
        if self.probe_too_high && in_flight >= self.inflight_hi {
            self.stopped_risky = true;
            return true;
        }
        if self.t.plateau {
            if tp.is_cwnd_limited && tp.snd_cwnd >= self.inflight_hi {
                self.reset_full_bw();
                self.full_bw = self.sample_bw;
                return false;
            }
            return self.full_bw_now;
        }
        self.elapsed(tp, u64::from(self.min_rtt_us))
            && in_flight >= self.inflight(tp, self.max_bw(), self.t.up_inflight)
    }

    /// `bbr_update_min_rtt`.
    pub(super) fn update_min_rtt(&mut self, tp: &mut Tp, rs: &RateSample) {
        let now = tp.clock.j32();
        let window = tp.clock.us_to_jiffies(self.t.probe_rtt_win_ms.saturating_mul(1_000));
        let due = after(now, self.probe_rtt_min_stamp.wrapping_add(window));
        let least = i64::from(self.probe_rtt_min_us) + i64::from(self.t.equal_rtt);
        if rs.rtt_us >= 0 && (rs.rtt_us < least || (due && !rs.is_ack_delayed)) {
            self.probe_rtt_min_us = rs.rtt_us as u32;
            self.probe_rtt_min_stamp = now;
        }
        let expired = after(now, self.min_rtt_stamp.wrapping_add(MIN_RTT_WIN_S * tp.clock.hz));
        if self.probe_rtt_min_us <= self.min_rtt_us || expired {
            (self.min_rtt_us, self.min_rtt_stamp) = (self.probe_rtt_min_us, self.probe_rtt_min_stamp);
        }
        if due && !self.idle_restart && self.mode != Mode::ProbeRtt {
            // The mode is set first, so that only a window larger than the last good one replaces it.
            self.mode = Mode::ProbeRtt;
            self.save_cwnd(tp);
            self.probe_rtt_done = None;
            self.acks = Acks::ProbeStopping;
            self.next_rtt_delivered = tp.delivered;
        }
        if self.mode == Mode::ProbeRtt {
            self.dip(tp, now);
        }
        if rs.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// An ACK in a dip.
    fn dip(&mut self, tp: &mut Tp, now: u32) {
        // Its low rates do not count.
        tp.app_limited = tp.delivered.wrapping_add(tp.in_flight()).max(1);
        if self.probe_rtt_done.is_some() {
            self.probe_rtt_round_done |= self.round_start;
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done(tp);
            }
        } else if tp.in_flight() <= self.dip_cwnd() {
            self.probe_rtt_done = Some(now.wrapping_add(tp.clock.us_to_jiffies(PROBE_RTT_US)));
            self.probe_rtt_round_done = false;
            self.next_rtt_delivered = tp.delivered;
        }
    }

    /// `bbr_check_probe_rtt_done`, `bbr2_exit_probe_rtt`.
    pub(super) fn check_probe_rtt_done(&mut self, tp: &mut Tp) {
        let now = tp.clock.j32();
        if !self.probe_rtt_done.is_some_and(|done| after(now, done)) {
            return;
        }
        self.probe_rtt_min_stamp = now;
        tp.snd_cwnd = tp.snd_cwnd.max(self.prior_cwnd);
        self.reset_lower_bounds();
        if self.full_bw_reached {
            self.mode = Mode::ProbeBw;
            self.start_down(tp);
            self.start_cruise();
        } else {
            self.mode = Mode::Startup;
        }
    }
}
