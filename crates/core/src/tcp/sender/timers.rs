//! The one transmit timer (RTO, tail loss probe, RACK's reordering timer, zero-window probe), which is armed in jiffies, as the timer of a
//! connection that is idle is, and the pacing timer, which is exact.
//!
//! Stands for: Linux 6.12 include/net/inet_connection_sock.h `inet_csk_reset_xmit_timer`, `inet_csk_clear_xmit_timer`. Differs: nothing.

use crate::sim::Time;
use crate::tcp::clock::Clock;

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
    /// Early retransmit waits for them (before 4.12).
    EarlyRetrans,
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
    pub fires: Time,
    /// The same of a timer that was turned off since: it stands in the wheel all the same.
    pub stands: Time,
    /// The pacing timer.
    pub pacing: Time,
    /// The timer of a connection on which nothing happens (`icsk_keepalive_timer`).
    pub idle: Time,
}

impl Timers {
    /// All off.
    pub const OFF: Timers = Timers {
        pending: Pending::Nothing,
        timeout: 0,
        fires: Time::NEVER,
        stands: Time::NEVER,
        pacing: Time::NEVER,
        idle: Time::NEVER,
    };

    /// `inet_csk_reset_xmit_timer`: `when` jiffies from now, `max` at most.
    #[inline]
    pub fn reset(&mut self, c: &Clock, what: Pending, when: u32, max: u32) {
        let timeout = c.jiffies + u64::from(when.min(max));
        // mod_timer leaves a pending timer with the same expiry where it is, though a farther one stands in coarser grains.
        if self.timeout != timeout || self.stands.is_never() || self.stands <= Time::from_ns(c.ns) {
            self.timeout = timeout;
            self.stands = c.fires_at(timeout);
        }
        self.fires = self.stands;
        self.pending = what;
    }
    /// Turns the transmit timer off; it is not taken off the wheel (`INET_CSK_CLEAR_TIMERS` is not defined).
    #[inline]
    pub fn clear(&mut self) {
        self.pending = Pending::Nothing;
        self.fires = Time::NEVER;
    }
    /// Until when the transmit timer waits, jiffies.
    pub const fn until(&self) -> u64 {
        self.timeout
    }
    /// When the next of them fires.
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.fires.min(self.pacing).min(self.idle)
    }
    /// Whether one that is due at `at` counts jiffies.
    #[inline]
    pub fn counts_jiffies(&self, at: Time) -> bool {
        self.fires.min(self.idle) <= at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_that_was_turned_off_keeps_its_grain_where_the_next_one_expires_in_the_same_jiffy() {
        let mut c = Clock::new(100);
        let mut t = Timers::OFF;
        // A second ahead, in grains of 8 jiffies; half a second later 50 more jiffies end there, too.
        t.reset(&c, Pending::Retrans, 100, 1_000);
        let far = t.fires;
        t.clear();
        assert!(t.fires.is_never());
        c.set(Time::from_ms(500));
        t.reset(&c, Pending::LossProbe, 50, 1_000);
        assert_eq!((t.until(), t.fires), (100, far));
        // Another end is looked up anew, and so is one that has fired.
        t.reset(&c, Pending::LossProbe, 51, 1_000);
        assert_eq!(t.fires, Time::from_ms(1_020));
        c.set(Time::from_ms(1_020));
        t.reset(&c, Pending::Retrans, 51, 1_000);
        assert_eq!(t.until(), 153);
        assert!(t.fires > far);
    }
}
