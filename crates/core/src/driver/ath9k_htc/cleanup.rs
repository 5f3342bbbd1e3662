//! The driver's timer: it looks again for frames whose status came too early, and gives up those whose status never comes.
//!
//! Stands for: Linux 6.12 drivers/net/wireless/ath/ath9k/htc_drv_txrx.c ath9k_htc_tx_cleanup_timer, check_packet; kernel/time/timer.c.
//!
//! It counts in jiffies, and the wheel fires it one later than asked: 50 ms are 51 at HZ 1000, 56 at 250, 60 at 100.
//!
//! Differs: D1 it is armed first at the simulation's start.

use super::params::Params;
use crate::sim::{Span, Time, wheel};

/// When it runs.
#[derive(Debug)]
pub(super) struct Cleanup {
    hz: u32,
    /// The jiffy of its next run.
    fires: u64,
}

impl Cleanup {
    /// On a host with `hz` ticks a second.
    pub fn new(par: &Params, hz: u32) -> Cleanup {
        let mut c = Cleanup { hz, fires: 0 };
        c.arm(par);
        c
    }
    /// src: `mod_timer(&priv->tx.cleanup_timer, jiffies + msecs_to_jiffies(ATH9K_HTC_TX_CLEANUP_INTERVAL))`
    fn arm(&mut self, par: &Params) {
        self.fires = wheel::fires_in(self.fires, self.fires + self.jiffies(par.cleanup));
    }
    /// src: `msecs_to_jiffies`
    fn jiffies(&self, s: Span) -> u64 {
        (s.ns() as u64 * u64::from(self.hz)).div_ceil(1_000_000_000)
    }
    /// Its first run after `now`.
    pub fn after(&mut self, now: Time, par: &Params) -> Time {
        while wheel::tick(self.fires, self.hz) <= now {
            self.arm(par);
        }
        wheel::tick(self.fires, self.hz)
    }
    /// Whether a frame whose request was complete at `since` has waited too long. src: `check_packet`
    pub fn gives_up(&self, now: Time, since: Time, par: &Params) -> bool {
        wheel::jiffies(now, self.hz) > wheel::jiffies(since, self.hz) + self.jiffies(par.status_timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheel_is_a_jiffy_late() {
        let par = Params::default();
        let runs = |hz| {
            let mut c = Cleanup::new(&par, hz);
            let first = c.after(Time::ZERO, &par);
            [first, c.after(first, &par)]
        };
        assert_eq!(runs(1000), [51, 102].map(Time::from_ms));
        assert_eq!(runs(250), [56, 112].map(Time::from_ms));
        assert_eq!(runs(100), [60, 120].map(Time::from_ms));
    }
}
