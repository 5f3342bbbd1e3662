//! What fires when: the transmit timer's four uses, the pacing timer, the delayed ACK's.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_timer.c `tcp_write_timer_handler`, net/ipv4/tcp_output.c `tcp_reset_xmit_timer`. Differs: nothing.

use super::sender::rtt::RTO_MAX_S;
use super::sender::timers::Pending;
use super::socket::Socket;
use crate::sim::{Lower, Probe, Time};

impl Socket {
    /// Earliest timer; `Time::NEVER`: none. Ask again after every call; calling [`Socket::on_timer`] too early or too often does no harm.
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.timers.wake_at().min(self.ack.wake_at())
    }

    /// Whether what is due at `at` counts jiffies (`mod_timer`), other than pacing and compressed ACKs (`hrtimer_start`).
    #[inline]
    pub fn counts_jiffies(&self, at: Time) -> bool {
        self.timers.counts_jiffies(at) || self.ack.fires <= at
    }

    /// Fires every timer that is due, and runs the application if it was started or stopped meanwhile (call this after
    /// [`Socket::set_bulk`] or [`Socket::stop_bulk`] on an open connection).
    pub fn on_timer<L: Lower, P: Probe>(&mut self, now: Time, low: &mut L, probe: &mut P) {
        self.fire_compressed(now, low);
        self.tp.clock.set(now);
        self.mem_settle();
        self.fire_delack(now, low);
        self.tp.clock.in_wheel = false;
        self.fire_write_timer(now, low, probe);
        if self.timers.idle <= now {
            self.tp.clock.in_wheel = true;
            self.idle_timeout(low);
        }
        self.tp.clock.in_wheel = false;
        self.app_run(low);
    }

    /// `tcp_reset_xmit_timer`: as [`Timers::reset`], later by as much as pacing delays the next packet.
    pub(super) fn reset_xmit_timer(&mut self, what: Pending, when: u32, max: u32) {
        let delay = self.tp.wstamp_ns.saturating_sub(self.tp.clock.ns);
        let delay = if delay == 0 { 0 } else { self.tp.clock.ns_to_jiffies(delay) };
        self.timers.reset(&self.tp.clock, what, when + delay, max);
    }
    /// `tcp_rto_min_us`.
    pub(super) fn rto_min_us(&self) -> u32 {
        self.params.rto_min.us() as u32
    }
    /// `TCP_RTO_MAX`, jiffies.
    pub(super) fn rto_max(&self) -> u32 {
        RTO_MAX_S * self.tp.clock.hz
    }

    /// `tcp_write_timer_handler`, and the pacing timer.
    pub(super) fn fire_write_timer<L: Lower, P: Probe>(&mut self, now: Time, low: &mut L, probe: &mut P) {
        if self.timers.pacing <= now {
            self.timers.pacing = Time::NEVER;
            self.tsq_write(low);
        }
        if self.timers.fires > now {
            return;
        }
        (self.timers.fires, self.timers.stands) = (Time::NEVER, Time::NEVER);
        self.tp.clock.in_wheel = true;
        match self.timers.pending {
            Pending::Nothing => {}
            Pending::Reorder => self.rack_reorder_timeout(low),
            Pending::EarlyRetrans => self.resume_early_retransmit(low),
            Pending::LossProbe => self.send_loss_probe(low),
            Pending::Retrans => {
                self.timers.pending = Pending::Nothing;
                self.retransmit_timeout(now, low, probe);
            }
            Pending::Probe0 => {
                self.timers.pending = Pending::Nothing;
                self.probe_timeout(low);
            }
        }
        self.mem_reclaim();
    }
}
