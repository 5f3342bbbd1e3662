//! Linux's jiffies, and when a timer of its wheel fires.
//!
//! Stands for: linux@6.12 kernel/time/timer.c `calc_wheel_index`, `calc_index`, `__run_timers`. Differs: D1 the wheel's own clock never lags
//! behind jiffies.

use super::Time;

/// `jiffies` at `now`, with `hz` ticks a second. (Exact for the first 200 days of a run, as is [`tick`].)
pub const fn jiffies(now: Time, hz: u32) -> u64 {
    now.ns() * hz as u64 / 1_000_000_000
}

/// When tick `j` comes.
pub const fn tick(j: u64, hz: u32) -> Time {
    Time::from_ns((j * 1_000_000_000).div_ceil(hz as u64))
}

/// The jiffy in which a timer for `expires` fires that is armed in jiffy `now`, not after `expires`. That is never `expires` itself: the wheel rounds up by one
/// grain of its level.
pub const fn fires_in(now: u64, expires: u64) -> u64 {
    /// Buckets a level. src: LVL_SIZE
    const LEVEL: u64 = 64;
    /// log2 of how much coarser each level is. src: LVL_CLK_SHIFT
    const SHIFT: u32 = 3;
    let (delta, mut level) = (expires - now, 0);
    while level < 8 && delta >= (LEVEL - 1) << (level * SHIFT) {
        level += 1;
    }
    let shift = level * SHIFT;
    ((expires >> shift) + 1) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fires_late_never_early() {
        // 4 jiffies: bucket 104. 100: level 1, with grains of 8: (199 / 8 + 1) * 8.
        assert_eq!([fires_in(99, 103), fires_in(99, 199), fires_in(99, 200)], [104, 200, 208]);
        assert_eq!((jiffies(Time::from_ms(995), 100), tick(104, 100)), (99, Time::from_ms(1_040)));
        assert_eq!(jiffies(tick(7, 300), 300), 7);
    }
}
