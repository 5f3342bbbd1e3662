//! The kernel's clocks as one socket sees them: nanoseconds, microseconds, the timestamp option's milliseconds, and jiffies, with the
//! timer wheel's rounding ([`wheel`]).
//!
//! Stands for: Linux 6.12 `tcp_mstamp_refresh`, include/linux/jiffies.h.
//! Differs: D1 the clock is refreshed at every entry into the socket but a compressed ACK's timer, not only where Linux refreshes it (in
//! virtual time both show the same instant).

use crate::sim::{Time, wheel};

/// Milliseconds that the timestamp clock is ahead of the run's start, so that no valid timestamp is 0 (0 means none).
const TS_OFFSET_MS: u64 = 300_000;

/// The clocks.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Ticks a second.
    pub hz: u32,
    /// The time, nanoseconds.
    pub ns: u64,
    /// `tcp_clock_cache`: when it was refreshed last, nanoseconds.
    pub cache: u64,
    /// `tcp_mstamp`, microseconds.
    pub us: u64,
    /// `jiffies`.
    pub jiffies: u64,
    /// A timer of the wheel is being carried out: the wheel's own clock has moved on already (`__run_timers`).
    pub in_wheel: bool,
    /// When the next tick comes, nanoseconds.
    next_tick: u64,
}

impl Clock {
    /// A clock that stands at the start.
    pub const fn new(hz: u32) -> Clock {
        Clock { hz, ns: 0, cache: 0, us: 0, jiffies: 0, in_wheel: false, next_tick: 0 }
    }
    /// Moves to `now`.
    #[inline]
    pub fn set(&mut self, now: Time) {
        self.ns = now.ns();
        self.cache = self.ns;
        self.us = self.ns / 1_000;
        if self.ns >= self.next_tick {
            self.jiffies = wheel::jiffies(now, self.hz);
            self.next_tick = wheel::tick(self.jiffies + 1, self.hz).ns();
        }
    }
    /// Moves to `now`, and what packets that leave bear stays (no `tcp_mstamp_refresh`).
    pub fn pass(&mut self, now: Time) {
        let cache = self.cache;
        self.set(now);
        self.cache = cache;
    }
    /// Moves to `now` for a call that looks at jiffies alone: `tcp_mstamp` stays (no `tcp_mstamp_refresh`).
    pub fn tick(&mut self, now: Time) {
        let (ns, cache, us) = (self.ns, self.cache, self.us);
        self.set(now);
        (self.ns, self.cache, self.us) = (ns, cache, us);
    }
    /// Jiffies as `tcp_jiffies32` cuts them.
    #[inline]
    pub const fn j32(&self) -> u32 {
        self.jiffies as u32
    }
    /// Microseconds since `us`, zero if that is in the future (`tcp_stamp_us_delta`).
    #[inline]
    pub const fn us_since(&self, us: u64) -> u32 {
        self.us.saturating_sub(us) as u32
    }
    /// The timestamp option's value for something sent at `ns`.
    #[inline]
    pub const fn timestamp(ns: u64) -> u32 {
        (ns / 1_000_000 + TS_OFFSET_MS) as u32
    }
    /// The timestamp clock now (`tcp_time_stamp_ts`).
    #[inline]
    pub const fn now_ts(&self) -> u32 {
        Clock::timestamp(self.us * 1_000)
    }
    /// `usecs_to_jiffies`: rounded up.
    #[inline]
    pub const fn us_to_jiffies(&self, us: u32) -> u32 {
        (us as u64 * self.hz as u64).div_ceil(1_000_000) as u32
    }
    /// `nsecs_to_jiffies`: rounded down.
    pub const fn ns_to_jiffies(&self, ns: u64) -> u32 {
        (ns as u128 * self.hz as u128 / 1_000_000_000) as u32
    }
    /// `jiffies_to_usecs`.
    #[inline]
    pub const fn jiffies_to_us(&self, j: u32) -> u32 {
        (j as u64 * 1_000_000 / self.hz as u64) as u32
    }
    /// When a wheel timer for `expires` (jiffies) that is armed now fires. It fires at the end of its jiffy or later: the wheel rounds up
    /// by one grain of its level.
    pub fn fires_at(&self, expires: u64) -> Time {
        let clk = self.jiffies + u64::from(self.in_wheel);
        if expires < clk {
            return if self.in_wheel { wheel::tick(clk, self.hz) } else { Time::from_ns(self.ns) };
        }
        wheel::tick(wheel::fires_in(clk, expires), self.hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Span;

    #[test]
    fn jiffies_tick_at_the_right_instant() {
        for hz in [100, 250, 300, 1000] {
            let mut c = Clock::new(hz);
            for j in 1..2_000u64 {
                let t = wheel::tick(j, hz).ns();
                c.set(Time::from_ns(t - 1));
                assert_eq!(c.jiffies, j - 1);
                c.set(Time::from_ns(t));
                assert_eq!(c.jiffies, j);
            }
        }
    }

    #[test]
    fn a_wheel_timer_fires_late_never_early() {
        let mut c = Clock::new(100);
        c.set(Time::from_ms(995));
        assert_eq!(c.jiffies, 99);
        // 4 jiffies (40 ms delayed ACK): armed in jiffy 99, expires 103, bucket 104, 1.04 s: 45 ms later.
        assert_eq!(c.fires_at(103), Time::from_ms(1_040));
        // 100 jiffies (RTO 1 s): expires 199, level 1 with grains of 8: (199/8 + 1) * 8 = 200.
        assert_eq!(c.fires_at(199), Time::from_ms(2_000));
        assert_eq!(c.fires_at(200), Time::from_ms(2_080));
        // 63 jiffies take the second level, 62 the first; within a timer they are counted from the next tick.
        assert_eq!([161, 162].map(|e| c.fires_at(e)), [Time::from_ms(1_620), Time::from_ms(1_680)]);
        c.in_wheel = true;
        assert_eq!(
            [162, 163, 99].map(|e| c.fires_at(e)),
            [Time::from_ms(1_630), Time::from_ms(1_680), Time::from_ms(1_000)]
        );
    }

    #[test]
    fn conversions_round_as_linux_does() {
        let c = Clock::new(300);
        assert_eq!((c.us_to_jiffies(1), c.us_to_jiffies(3_334), c.us_to_jiffies(0)), (1, 2, 0));
        assert_eq!(c.jiffies_to_us(1), 3_333);
        let _ = Span::ZERO;
    }
}
