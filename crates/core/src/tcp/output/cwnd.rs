//! Congestion window validation: a window that is not used does not stay, and does not grow.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_cwnd_validate`, `tcp_cwnd_application_limited`, `tcp_cwnd_restart`; RFC 2861.
//! Differs: nothing (older kernels' rules by profile).

use crate::tcp::cc::{Control, Event};
use crate::tcp::profile::Limits;
use crate::tcp::sender::chrono::What;
use crate::tcp::seq::before;
use crate::tcp::socket::{Socket, State};
use crate::tcp::tp::CaState;

impl Socket {
    /// `tcp_cwnd_validate`, after something was sent or the window stopped it.
    #[inline]
    pub(in crate::tcp) fn cwnd_validate(&mut self, limited: bool) {
        let tp = &mut self.tp;
        let ended = !before(tp.snd_una, tp.cwnd_usage_seq);
        let more = tp.packets_out > tp.max_packets_out;
        let take = if tp.limits == Limits::Remembered {
            ended || limited || (!tp.is_cwnd_limited && more)
        } else {
            ended || more || (limited && self.profile.limits_unsent)
        };
        if tp.limits == Limits::OnAck {
            tp.is_cwnd_limited = tp.packets_out >= tp.snd_cwnd;
        } else if take {
            tp.is_cwnd_limited = limited;
            tp.max_packets_out = tp.packets_out;
            tp.cwnd_usage_seq = tp.snd_nxt;
        }
        if self.tp.cwnd_limits() {
            self.tp.snd_cwnd_used = 0;
            self.tp.snd_cwnd_stamp = self.tp.clock.j32();
            return;
        }
        let tp = &mut self.tp;
        tp.snd_cwnd_used = tp.snd_cwnd_used.max(tp.packets_out);
        let idle = tp.clock.j32().wrapping_sub(tp.snd_cwnd_stamp) as i32;
        if self.app.no_space() && self.tp.unsent() == 0 && matches!(self.state, State::Established | State::CloseWait) {
            // Nothing is left to send, for the buffer has room for no more.
            self.chrono.start(What::SndbufLimited, self.tp.clock.j32());
        }
        if self.params.slow_start_after_idle && idle >= self.rtt.rto as i32 && !self.ca.has_cong_control() {
            self.cwnd_application_limited();
        }
    }

    /// `tcp_is_cwnd_limited` before 3.16, with what was in flight when an ACK came.
    pub(in crate::tcp) fn limited_on_ack(&self, in_flight: u32) -> bool {
        // src: linux@3.10 include/net/tcp.h tcp_max_tso_deferred_mss
        const DEFERRED: u32 = 3;
        let tp = &self.tp;
        let left = tp.snd_cwnd.saturating_sub(in_flight);
        let gso = self.gso_max_segs > 1
            && left * self.params.tso_win_divisor < tp.snd_cwnd
            && left * tp.mss_cache < tp.gso_max_size
            && left < self.gso_max_segs;
        left <= DEFERRED || gso
    }

    /// The window was not full for a whole timeout: half way down to what was used.
    fn cwnd_application_limited(&mut self) {
        let no_space = self.app.no_space();
        let tp = &mut self.tp;
        if tp.ca_state == CaState::Open && !no_space {
            let used = tp.snd_cwnd_used.max(self.params.init_cwnd);
            if used < tp.snd_cwnd {
                tp.snd_ssthresh = tp.current_ssthresh();
                tp.snd_cwnd = (tp.snd_cwnd + used) >> 1;
            }
            tp.snd_cwnd_used = 0;
        }
        tp.snd_cwnd_stamp = tp.clock.j32();
    }

    /// `tcp_slow_start_after_idle_check` and `tcp_cwnd_restart`: half the window for every timeout of silence.
    pub(in crate::tcp) fn restart_after_idle(&mut self) {
        if !self.params.slow_start_after_idle || self.tp.packets_out != 0 || self.ca.has_cong_control() {
            return;
        }
        let mut delta = self.tp.clock.j32().wrapping_sub(self.tp.lsndtime) as i32;
        let rto = self.rtt.rto as i32;
        if delta <= rto {
            return;
        }
        self.ca.event(&mut self.tp, Event::CwndRestart);
        let tp = &mut self.tp;
        tp.snd_ssthresh = tp.current_ssthresh();
        let floor = self.params.init_cwnd.min(tp.snd_cwnd);
        let mut cwnd = tp.snd_cwnd;
        loop {
            delta -= rto;
            if delta <= 0 || cwnd <= floor {
                break;
            }
            cwnd >>= 1;
        }
        tp.snd_cwnd = cwnd.max(floor);
        tp.snd_cwnd_stamp = tp.clock.j32();
        tp.snd_cwnd_used = 0;
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::cc::{Cc, Control};
    use crate::tcp::profile::{V3_10, V3_18, V4_14, V5_4, V5_10, V6_12};
    use crate::tcp::tests::pair::sender;

    #[test]
    fn in_slow_start_older_kernels_ask_for_half_the_window_only() {
        // Ten of twenty-one were out at most: less than half. That the window limited counts from 6.1 on.
        for (profile, limits) in [(&V3_18, false), (&V5_10, false), (&V6_12, true)] {
            let mut s = sender(Cc::Reno, profile);
            (s.tp.snd_cwnd, s.tp.snd_ssthresh, s.tp.max_packets_out, s.tp.is_cwnd_limited) = (21, 100, 10, true);
            assert_eq!(s.tp.cwnd_limits(), limits, "{}", profile.name);
            s.tp.snd_cwnd = 19;
            assert!(s.tp.cwnd_limits(), "{}", profile.name);
        }
    }

    #[test]
    fn what_stopped_before_it_sent_limits_from_5_10_on() {
        for (profile, limits) in [(&V5_4, false), (&V5_10, true)] {
            let mut s = sender(Cc::Reno, profile);
            // The round is not over, and no more is out than was at its most.
            (s.tp.packets_out, s.tp.max_packets_out) = (5, 5);
            s.tp.cwnd_usage_seq = s.tp.snd_una.wrapping_add(1);
            s.cwnd_validate(true);
            assert_eq!(s.tp.is_cwnd_limited, limits, "{}", profile.name);
        }
    }

    #[test]
    fn before_3_16_three_segments_less_fill_a_window() {
        let mut s = sender(Cc::Reno, &V3_10);
        s.tp.snd_cwnd = 20;
        assert_eq!([16, 17, 20].map(|n| s.limited_on_ack(n)), [false, true, true]);
    }

    #[test]
    fn before_4_0_growth_was_by_acks_and_one_late() {
        // At the threshold 3.18 is still in slow start: one more. Then eleven ACKs and one make a step; 4.14 needs ten.
        for (profile, after) in [(&V3_18, [11, 11, 12]), (&V4_14, [10, 11, 11])] {
            let mut s = sender(Cc::Reno, profile);
            (s.tp.snd_cwnd, s.tp.snd_ssthresh, s.tp.is_cwnd_limited, s.tp.max_packets_out) = (10, 10, true, 10);
            let mut grow = |n: u32| {
                for _ in 0..n {
                    s.ca.cong_avoid(&mut s.tp, 0, 1);
                }
                s.tp.snd_cwnd
            };
            assert_eq!([grow(1), grow(9 + 2), grow(1)], after, "{}", profile.name);
        }
    }
}
