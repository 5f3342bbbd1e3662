//! What is known of a rate: attempts and successes of this interval, and the smoothed probability of success.
//!
//! Stands for: linux@6.12 net/mac80211/rc80211_minstrel_ht.c `minstrel_ht_calc_rate_stats`, `minstrel_filter_avg_add` (a second-order
//! low pass of period 16), `minstrel_ewma`. All in fixed point with 12 fractional bits.

/// One.
pub const ONE: u32 = 1 << 12;

/// `num / den` in fixed point, rounded down.
pub const fn frac(num: u32, den: u32) -> u32 {
    (num << 12) / den
}

const COEFFICIENT_2: i32 = 0x1499;
const COEFFICIENT_3: i32 = -0x92e;
const COEFFICIENT_1: i32 = ONE as i32 - COEFFICIENT_2 - COEFFICIENT_3;

/// A rate's statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// MPDUs tried since the last update, each try counted.
    pub attempts: u16,
    /// Of these, MPDUs acknowledged.
    pub success: u16,
    /// All attempts up to the last update.
    pub attempts_ever: u32,
    /// All successes up to the last update.
    pub success_ever: u32,
    /// Smoothed probability of success.
    pub prob: u16,
    prob_before: u16,
    /// MPDUs tried in the interval before the last update, and acknowledged (`last_attempts`, `last_success`).
    pub last: (u16, u16),
    /// Tries that were counted last (`retry_count`); nothing is decided by it.
    pub retry: u8,
    /// Tries in a chain; 0: not counted out since the last update.
    pub(super) tries: Option<Tries>,
}

/// Tries of a link in a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tries {
    /// Without protection.
    pub plain: u8,
    /// Behind RTS/CTS.
    pub rts: u8,
}

impl Stats {
    /// An interval is over.
    pub(super) fn update(&mut self) {
        if self.attempts > 0 {
            self.filter(frac(u32::from(self.success), u32::from(self.attempts)));
            self.attempts_ever = self.attempts_ever.wrapping_add(u32::from(self.attempts));
            self.success_ever = self.success_ever.wrapping_add(u32::from(self.success));
        }
        self.last = (self.attempts, self.success);
        (self.attempts, self.success) = (0, 0);
    }
    /// The smoothed probability before the last update.
    pub(super) fn prob_before(&self) -> u16 {
        self.prob_before
    }
    fn filter(&mut self, sample: u32) {
        let (prob, before) = low_pass(self.prob.into(), self.prob_before.into(), sample);
        (self.prob, self.prob_before) = (prob as u16, before as u16);
    }
}

/// The new value, and the one before it.
pub(super) fn low_pass(last: u32, before: u32, sample: u32) -> (u32, u32) {
    let sample = sample.max(1); // 0 means that nothing is known
    if last == 0 {
        return (sample, sample);
    }
    let sum = COEFFICIENT_1 * sample as i32 + COEFFICIENT_2 * last as i32 + COEFFICIENT_3 * before as i32;
    let new = match sum >> 12 {
        low if low < 0 => 1,
        new => new.min(ONE as i32) as u32,
    };
    (new, last)
}

/// Exponential moving average with 96/128 of the old.
pub(super) fn ewma(old: u32, new: u32) -> u32 {
    let diff = new.wrapping_sub(old) as i32;
    old.wrapping_add(((128 - 96) * diff / 128) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let mut s = Stats { attempts: 10, success: 10, ..Stats::default() };
        s.update();
        assert_eq!((s.prob, s.prob_before, s.attempts_ever, s.attempts), (4096, 4096, 10, 0));
        // (1173 * 2048 + 5273 * 4096 - 2350 * 4096) >> 12 = 586.5 + 2923 = 3509
        (s.attempts, s.success) = (10, 5);
        s.update();
        assert_eq!((s.prob, s.prob_before), (3509, 4096));
        // nothing: unchanged
        s.update();
        assert_eq!((s.prob, s.prob_before), (3509, 4096));
        assert_eq!(ewma(4096, 4096 * 32), 4096 + (32 * (31 * 4096)) / 128);
        assert_eq!(ewma(4096 * 32, 4096), 4096 * 32 - (32 * (31 * 4096)) / 128);
    }
    #[test]
    fn nothing_got_through_is_known() {
        let mut s = Stats { attempts: 4, ..Stats::default() };
        s.update();
        assert_eq!(s.prob, 1);
    }
}
