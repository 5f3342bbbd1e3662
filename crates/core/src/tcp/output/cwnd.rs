//! Congestion window validation: a window that is not used does not stay, and does not grow.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_cwnd_validate`, `tcp_cwnd_application_limited`, `tcp_cwnd_restart`; RFC 2861.
//! Differs: nothing.

use crate::tcp::cc::{Control, Event};
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
        let take =
            if self.profile.cwnd_usage { ended || limited || (!tp.is_cwnd_limited && more) } else { ended || more };
        if take {
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
