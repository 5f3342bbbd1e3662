//! The one transmit timer (RTO, tail loss probe, RACK's reordering timer, zero-window probe), which is armed in jiffies, and the
//! pacing timer, which is exact.
//!
//! Stands for: Linux 6.12 include/net/inet_connection_sock.h `inet_csk_reset_xmit_timer`, net/ipv4/tcp_timer.c
//! `tcp_write_timer_handler`. Differs: nothing.

use super::clock::Clock;
use super::rtt::RTO_MAX_S;
use super::socket::Socket;
use crate::sim::{Lower, Probe, Time};

/// What the transmit timer is for (`icsk_pending`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pending {
    /// It is off.
    Nothing,
    /// Retransmission timeout.
    Retrans,
    /// Tail loss probe.
    LossProbe,
    /// RACK waits for reordered segments.
    Reorder,
    /// Zero-window probe.
    Probe0,
}

/// The timers of a sender.
#[derive(Clone, Copy, Debug)]
pub struct Timers {
    /// What for.
    pub pending: Pending,
    /// Until when, jiffies.
    timeout: u64,
    /// When the wheel gets to it.
    fires: Time,
    /// The pacing timer.
    pub pacing: Time,
}

impl Timers {
    /// All off.
    pub const OFF: Timers = Timers { pending: Pending::Nothing, timeout: 0, fires: Time::NEVER, pacing: Time::NEVER };

    /// `inet_csk_reset_xmit_timer`: `when` jiffies from now, `max` at most.
    #[inline]
    pub fn reset(&mut self, c: &Clock, what: Pending, when: u32, max: u32) {
        let timeout = c.jiffies + u64::from(when.min(max));
        // mod_timer leaves a pending timer with the same expiry where it is.
        if self.fires.is_never() || self.timeout != timeout {
            self.timeout = timeout;
            self.fires = c.fires_at(timeout);
        }
        self.pending = what;
    }
    /// Turns the transmit timer off.
    #[inline]
    pub fn clear(&mut self) {
        self.pending = Pending::Nothing;
        self.fires = Time::NEVER;
    }
    /// When the next of them fires.
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.fires.min(self.pacing)
    }
}

impl Socket {
    /// `tcp_reset_xmit_timer`: as [`Timers::reset`], later by as much as pacing delays the next packet.
    pub(super) fn reset_xmit_timer(&mut self, what: Pending, when: u32, max: u32) {
        let delay = self.tp.wstamp_ns.saturating_sub(self.tp.clock.ns);
        let delay = if delay == 0 { 0 } else { self.tp.clock.ns_to_jiffies(delay) };
        self.timers.reset(&self.tp.clock, what, when + delay, max);
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
        self.timers.fires = Time::NEVER;
        match self.timers.pending {
            Pending::Nothing => {}
            Pending::Reorder => self.rack_reorder_timeout(low),
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
    }
}
