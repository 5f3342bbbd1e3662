//! What a connection does on which nothing happens: once the program has closed it waits for the peer's FIN no longer than its host says.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp.c `__tcp_close`; net/ipv4/tcp_input.c `tcp_rcv_state_process`; net/ipv4/tcp_timer.c
//! `tcp_keepalive_timer`; net/ipv4/tcp_minisocks.c `tcp_time_wait`. Differs: D1 a simulated flow has no host that says so, and waits on.

use crate::tcp::socket::{Socket, State};

impl Socket {
    /// FIN_WAIT2 may have begun, or the program has closed in it: an orphan gives it up after `tcp_fin_timeout`, or three and a half timeouts
    /// (`tcp_fin_time`).
    #[cold]
    pub(in crate::tcp) fn fin_wait(&mut self) {
        let Some(p) = self.app.patience.filter(|_| self.state == State::FinWait2 && self.app.orphan) else { return };
        let (rto, c) = (self.rtt.rto, self.tp.clock);
        let wait = p.fin_timeout_s.saturating_mul(c.hz).max((rto << 2) - (rto >> 1));
        self.timers.idle = c.fires_at(c.jiffies + u64::from(wait));
    }

    /// `tcp_keepalive_timer`.
    pub(in crate::tcp) fn idle_timeout(&mut self) {
        self.timers.idle = crate::sim::Time::NEVER;
        if self.state == State::FinWait2 && self.app.orphan {
            self.done(None);
        }
    }
}
