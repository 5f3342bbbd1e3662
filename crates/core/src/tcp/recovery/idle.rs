//! What a connection does on which nothing happens: it asks whether the peer is there, if the program wants that (RFC 9293, 3.8.4); and once
//! the program has closed it waits for the peer's FIN no longer than its host says.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_timer.c `tcp_keepalive_timer`, `tcp_set_keepalive`; net/ipv4/tcp.c `__tcp_close`,
//! `tcp_sock_set_keepidle_locked`; net/ipv4/tcp_input.c `tcp_rcv_state_process`; net/ipv4/tcp_minisocks.c `tcp_time_wait`.

use crate::sim::{Lower, Time};
use crate::tcp::sender::keepalive::Keepalive;
use crate::tcp::socket::{Socket, State};

impl Socket {
    /// `SO_KEEPALIVE` and its numbers.
    pub fn set_keepalive(&mut self, now: Time, asked: Keepalive) {
        self.tp.clock.set(now);
        let was = core::mem::replace(&mut self.app.keepalive, asked);
        if matches!(self.state, State::Closed | State::Listen | State::SynRecv) {
            return;
        }
        if !asked.on {
            self.timers.idle = Time::NEVER;
        } else if !was.on {
            self.wake_idle(self.idle_time());
        } else if was.idle_s != asked.idle_s {
            self.wake_idle(self.idle_time().saturating_sub(self.silence()));
        }
    }

    /// The connection has opened.
    #[inline]
    pub(in crate::tcp) fn keep_alive(&mut self) {
        if self.app.keepalive.on {
            self.wake_idle(self.idle_time());
        }
    }

    /// FIN_WAIT2 has begun, or the program has closed in it. An orphan gives it up after `tcp_fin_timeout` or `TCP_LINGER2`, or three and a half
    /// timeouts (`tcp_fin_time`); true: at once, and the peer is to hear of it.
    #[cold]
    pub(in crate::tcp) fn fin_wait_ends(&mut self) -> bool {
        if self.state != State::FinWait2 || !self.app.orphan {
            return false;
        }
        let Ok(asked) = u32::try_from(self.app.linger2) else {
            self.done(None);
            return true;
        };
        let s = if asked == 0 { self.app.patience.fin_timeout_s } else { asked };
        let rto = u64::from(self.rtt.rto);
        self.wake_idle((u64::from(s) * u64::from(self.tp.clock.hz)).max((rto << 2) - (rto >> 1)));
        false
    }

    /// `tcp_keepalive_timer`.
    pub(in crate::tcp) fn idle_timeout<L: Lower>(&mut self, low: &mut L) {
        self.timers.idle = Time::NEVER;
        if self.state == State::FinWait2 && self.app.orphan {
            self.done(None);
            return;
        }
        if !self.app.keepalive.on || matches!(self.state, State::Closed | State::Listen | State::SynSent) {
            return;
        }
        let (idle, silence) = (self.idle_time(), self.silence());
        if self.tp.packets_out != 0 || self.tp.unsent() != 0 {
            // It is alive without.
            self.wake_idle(idle);
            return;
        }
        let next = if silence < idle {
            idle - silence
        } else if self.is_silent_for_too_long(silence) {
            self.abort(low);
            self.write_err();
            return;
        } else if self.window_probe(low) {
            self.rto.probes += 1;
            u64::from(self.app.keepalive.interval_s) * u64::from(self.tp.clock.hz)
        } else {
            // The own queue is full. src: linux@6.12 include/net/tcp.h TCP_RESOURCE_PROBE_INTERVAL
            u64::from(self.tp.clock.hz / 2)
        };
        self.mem_reclaim();
        self.wake_idle(next);
    }

    /// Enough probes had no answer; where the program has said how long it waits, that counts.
    fn is_silent_for_too_long(&self, silence: u64) -> bool {
        match self.user_timeout() {
            Some(most) => silence >= u64::from(most) && self.rto.probes > 0,
            None => self.rto.probes >= self.app.keepalive.probes,
        }
    }

    /// `keepalive_time_when`, jiffies.
    fn idle_time(&self) -> u64 {
        u64::from(self.app.keepalive.idle_s) * u64::from(self.tp.clock.hz)
    }

    /// `keepalive_time_elapsed`, jiffies.
    fn silence(&self) -> u64 {
        let c = &self.tp.clock;
        u64::from(c.j32().wrapping_sub(self.ack.lrcvtime)).min(c.jiffies - self.rto.heard)
    }

    fn wake_idle(&mut self, jiffies: u64) {
        let c = &self.tp.clock;
        self.timers.idle = c.fires_at(c.jiffies + jiffies);
    }
}
