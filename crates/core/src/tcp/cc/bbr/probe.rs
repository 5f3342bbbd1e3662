//! BBR's probing: the cycle of gains that looks for more bandwidth, and the dips that look for a smaller RTT.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_bbr.c `bbr_update_cycle_phase`, `bbr_is_next_cycle_phase`, `bbr_reset_probe_bw_mode`, `bbr_update_min_rtt`,
//! `bbr_check_probe_rtt_done`.

use super::{Bbr, CYCLE_LEN, Mode, UNIT};
use crate::tcp::cc::RateSample;
use crate::tcp::seq::after;
use crate::tcp::tp::Tp;

/// Phases among which chance decides where the cycle begins. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_cycle_rand
const CYCLE_RAND: u32 = 7;
/// Window of the least RTT, seconds. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_min_rtt_win_sec
const MIN_RTT_WIN_S: u32 = 10;
/// Length of a dip, microseconds. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_probe_rtt_mode_ms
const PROBE_RTT_US: u32 = 200_000;
/// Segments in flight in a dip, and the least window. src: linux@6.12 net/ipv4/tcp_bbr.c bbr_cwnd_min_target
pub(super) const CWND_MIN: u32 = 4;

/// Phases of a cycle that drains to its target: it probes.
const UP: usize = 0;
/// It drains.
const DOWN: usize = 1;
/// It neither probes nor drains.
const CRUISE: usize = 2;

impl Bbr {
    /// `bbr_reset_probe_bw_mode`: in any phase but the one that drains.
    pub(super) fn enter_probe_bw(&mut self, tp: &Tp) {
        self.mode = Mode::ProbeBw;
        self.cycle_idx = CYCLE_LEN - 1 - self.random.below(CYCLE_RAND) as usize;
        self.next_phase(tp);
    }

    fn next_phase(&mut self, tp: &Tp) {
        self.cycle_idx = (self.cycle_idx + 1) % CYCLE_LEN;
        self.cycle_mstamp = tp.delivered_mstamp;
        self.change_gains();
    }

    /// `bbr_update_cycle_phase`.
    pub(super) fn update_cycle(&mut self, tp: &Tp, rs: &RateSample) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        if self.t.drain_to_target {
            self.drain_to_target(tp, rs);
            self.change_gains();
        } else if self.phase_is_over(tp, rs) {
            self.next_phase(tp);
        }
    }

    /// BBR-DEV's cycle (`bbr_drain_to_target_cycling` of the patch set), whose length is drawn: it probes until its gain's worth is in flight
    /// (or cannot be), then drains for as long as the queue lasts, and cruises for the rest. ProbeBw begins in a phase drawn as BBR's and
    /// with the length of the cycle before, none at first: so the first cycle begins with the next ACK.
    fn drain_to_target(&mut self, tp: &Tp, rs: &RateSample) {
        let elapsed = tp.delivered_mstamp.saturating_sub(self.cycle_mstamp);
        if elapsed > u64::from(self.cycle_len) * u64::from(self.min_rtt_us) {
            self.cycle_mstamp = tp.delivered_mstamp;
            self.cycle_len = CYCLE_LEN as u32 - self.random.below(CYCLE_RAND);
            self.cycle_idx = UP;
            return;
        }
        let in_flight = self.in_network(tp, rs.prior_in_flight);
        if self.pacing_gain > UNIT {
            let next = tp.unsent().min(tp.mss_cache);
            let limited = next == 0 || after(tp.snd_nxt.wrapping_add(next), tp.wnd_end());
            let cannot = rs.losses > 0 || rs.is_app_limited || limited;
            let full = elapsed > u64::from(self.min_rtt_us);
            if full && (cannot || in_flight >= self.inflight(tp, self.max_bw(), self.pacing_gain)) {
                self.cycle_idx = DOWN;
            }
        } else if self.pacing_gain < UNIT && in_flight <= self.inflight(tp, self.max_bw(), UNIT) {
            self.cycle_idx = CRUISE;
        }
    }

    /// `bbr_is_next_cycle_phase`: a phase lasts the least RTT; one that probes, until it brought its gain's worth in flight or a loss;
    /// one that drains, no longer than the queue.
    fn phase_is_over(&self, tp: &Tp, rs: &RateSample) -> bool {
        let full = tp.delivered_mstamp.saturating_sub(self.cycle_mstamp) > u64::from(self.min_rtt_us);
        if self.pacing_gain == UNIT {
            return full;
        }
        let in_flight = self.in_network(tp, rs.prior_in_flight);
        if self.pacing_gain > UNIT {
            return full && (rs.losses > 0 || in_flight >= self.inflight(tp, self.max_bw(), self.pacing_gain));
        }
        full || in_flight <= self.inflight(tp, self.max_bw(), UNIT)
    }

    /// `bbr_update_min_rtt`.
    pub(super) fn update_min_rtt(&mut self, tp: &mut Tp, rs: &RateSample) {
        let now = tp.clock.j32();
        let expired = after(now, self.min_rtt_stamp.wrapping_add(MIN_RTT_WIN_S * tp.clock.hz));
        let least = i64::from(self.min_rtt_us) + i64::from(self.profile.bbr_equal_rtt);
        let delayed = rs.is_ack_delayed && !self.profile.bbr_first;
        if rs.rtt_us >= 0 && (rs.rtt_us < least || (expired && !delayed)) {
            self.min_rtt_us = rs.rtt_us as u32;
            self.min_rtt_stamp = now;
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.change_gains();
            self.save_cwnd(tp);
            self.probe_rtt_done = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(tp, now);
        }
        if rs.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// An ACK in a dip.
    fn probe_rtt(&mut self, tp: &mut Tp, now: u32) {
        // Its low rates do not count.
        tp.app_limited = tp.delivered.wrapping_add(tp.in_flight()).max(1);
        if self.probe_rtt_done.is_some() {
            self.probe_rtt_round_done |= self.round_start;
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done(tp);
            }
        } else if tp.in_flight() <= CWND_MIN {
            self.probe_rtt_done = Some(now.wrapping_add(tp.clock.us_to_jiffies(PROBE_RTT_US)));
            self.probe_rtt_round_done = false;
            self.next_rtt_delivered = tp.delivered;
        }
    }

    /// `bbr_check_probe_rtt_done`.
    pub(super) fn check_probe_rtt_done(&mut self, tp: &mut Tp) {
        let now = tp.clock.j32();
        if self.probe_rtt_done.is_some_and(|done| after(now, done)) {
            self.min_rtt_stamp = now;
            if self.profile.bbr_first {
                self.restore_cwnd = true;
            } else {
                tp.snd_cwnd = tp.snd_cwnd.max(self.prior_cwnd);
            }
            self.leave_probe_rtt(tp);
        }
    }
}
