//! HyStart: leaves slow start when the ACKs of a round stretch over half the path's delay, or when the delay of a round rises.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_cubic.c `hystart_update`, and its form before 5.6 (milliseconds; ACK train over a sixteenth of
//! the delay; delays in eighths of a millisecond). Differs: D1 the coarse form reads milliseconds of the run's clock on every HZ (below
//! HZ 1000 Linux did so too; at 1000 it read jiffies, the same thing); D2 `hystart_ack_delay` takes a GSO skb of a device for 65,536 bytes,
//! headers with them, where from 5.18 on Linux takes `sk_gso_max_size`, which has none.
//! Source: Ha and Rhee, "Hybrid Slow Start for High-Bandwidth and Long-Distance Networks", PFLDNeT 2008.

use crate::tcp::profile::{HystartRounds, Profile};
use crate::tcp::seq::after;
use crate::tcp::tp::{Pacing, Tp};

/// Delay samples of a round that are taken before its delay is judged. src: linux@6.12 net/ipv4/tcp_cubic.c HYSTART_MIN_SAMPLES
const MIN_SAMPLES: u8 = 8;
/// Rise of the delay that counts: an eighth of the least delay (`hystart_delay_shift`), within these bounds, microseconds. src: HYSTART_DELAY_MIN, _MAX
const DELAY_BOUNDS_US: (u32, u32) = (4_000, 16_000);

/// What a user sets of it.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Detects ACK trains.
    pub train: bool,
    /// Detects a rise of the delay.
    pub delay: bool,
    /// Window below which it stays silent, segments.
    pub low_window: u32,
    /// Spacing of ACKs that still count as a train, microseconds.
    pub ack_delta_us: u32,
}

/// State of a slow start.
#[derive(Clone, Debug)]
pub struct Hystart {
    profile: &'static Profile,
    /// Start of the round, in ticks (microseconds, or milliseconds before 5.6).
    round_start: u32,
    /// Last ACK of the train, in ticks.
    last_ack: u32,
    /// End of the round.
    end_seq: u32,
    /// Least delay of the round, in delay units.
    curr_rtt: Option<u32>,
    /// Delay samples in the round.
    samples: u8,
    /// It has spoken.
    pub found: bool,
}

impl Hystart {
    /// Starts a round.
    pub fn new(profile: &'static Profile, tp: &Tp) -> Hystart {
        let mut h =
            Hystart { profile, round_start: 0, last_ack: 0, end_seq: 0, curr_rtt: None, samples: 0, found: false };
        h.new_round(tp);
        h
    }
    /// Ticks now.
    fn now(&self, tp: &Tp) -> u32 {
        if self.profile.hystart_us { tp.clock.us as u32 } else { (tp.clock.us / 1_000) as u32 }
    }
    /// An RTT in this form's unit of delay.
    pub const fn delay_units(&self, rtt_us: u32) -> u32 {
        let d = if self.profile.hystart_us { rtt_us } else { (rtt_us << 3) / 1_000 };
        if d == 0 { 1 } else { d }
    }
    /// A delay in microseconds.
    pub const fn delay_us(&self, units: u32) -> u32 {
        if self.profile.hystart_us { units } else { units / 8 * 1_000 }
    }
    /// A new round begins.
    pub fn new_round(&mut self, tp: &Tp) {
        self.round_start = self.now(tp);
        self.last_ack = self.round_start;
        self.end_seq = tp.snd_nxt;
        self.curr_rtt = None;
        self.samples = 0;
    }
    /// Before 5.16 a round ended where the window grows; see [`HystartRounds`].
    pub fn cong_avoid(&mut self, tp: &Tp, ack: u32) {
        if self.profile.hystart_rounds == HystartRounds::Growth && after(ack, self.end_seq) {
            self.new_round(tp);
        }
    }
    /// An ACK with an RTT sample. True: slow start is over.
    pub fn update(&mut self, s: &Settings, tp: &Tp, delay: u32, delay_min: u32) -> bool {
        let (rounds, silent) = (self.profile.hystart_rounds, tp.snd_cwnd < s.low_window);
        if silent && rounds != HystartRounds::Ack {
            return false;
        }
        if rounds != HystartRounds::Growth && after(tp.snd_una, self.end_seq) {
            self.new_round(tp);
        }
        if silent {
            return false;
        }
        if s.train && self.train(s, tp, delay_min) {
            self.found = true;
        }
        if s.delay && self.rise(delay, delay_min) {
            self.found = true;
        }
        self.found
    }

    /// The ACK-train detector.
    fn train(&mut self, s: &Settings, tp: &Tp, delay_min: u32) -> bool {
        let now = self.now(tp);
        let spacing = if self.profile.hystart_us { s.ack_delta_us } else { s.ack_delta_us / 1_000 };
        if now.wrapping_sub(self.last_ack) as i32 > spacing as i32 {
            return false;
        }
        self.last_ack = now;
        let mut threshold = if self.profile.hystart_us { delay_min } else { delay_min >> 4 };
        if self.profile.hystart_ack_delay {
            threshold += ack_delay_us(tp);
            // Paced packets may take up to half the RTT more.
            if tp.pacing_status == Pacing::None {
                threshold >>= 1;
            }
        }
        now.wrapping_sub(self.round_start) as i32 > threshold as i32
    }

    /// The delay detector.
    fn rise(&mut self, delay: u32, delay_min: u32) -> bool {
        let full = self.samples >= MIN_SAMPLES;
        if !full || self.profile.hystart_min_all {
            self.curr_rtt = Some(self.curr_rtt.map_or(delay, |c| c.min(delay)));
        }
        if !full {
            self.samples += 1;
            return false;
        }
        let (lo, hi) = (self.delay_units(DELAY_BOUNDS_US.0), self.delay_units(DELAY_BOUNDS_US.1));
        self.curr_rtt.is_some_and(|c| c > delay_min + (delay_min >> self.profile.hystart_delay_shift).clamp(lo, hi))
    }
}

/// Time that four of the largest GSO skbs take at the pacing rate, 1 ms at most: an ACK train may be that much longer because of
/// aggregation by GSO and GRO. src: linux@6.12 net/ipv4/tcp_cubic.c hystart_ack_delay
fn ack_delay_us(tp: &Tp) -> u32 {
    if tp.pacing_rate == 0 {
        return 0;
    }
    (u64::from(tp.gso_max_size) * 4 * 1_000_000 / tp.pacing_rate).min(1_000) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Time;
    use crate::tcp::profile::{V3_18, V4_14, V5_10, V5_10_262, V5_15_148, V6_1_192, V6_6_129, V6_12};

    const S: Settings = Settings { train: true, delay: true, low_window: 16, ack_delta_us: 2_000 };

    #[test]
    fn the_train_ends_slow_start_at_half_of_delay_and_cushion() {
        // Least delay 10 ms, pacing unknown (no cushion): 5 ms of closely spaced ACKs.
        let mut tp = Tp::new(1000, 0);
        tp.snd_cwnd = 20;
        let mut h = Hystart::new(&V6_12, &tp);
        let mut at = None;
        for ms in 1..20 {
            tp.clock.set(Time::from_ms(ms));
            if h.update(&S, &tp, 10_000, 10_000) {
                at = Some(ms);
                break;
            }
        }
        assert_eq!(at, Some(6));
    }

    #[test]
    fn the_old_train_ends_it_at_half_of_the_delay_in_milliseconds() {
        // Delays count in eighths of a ms: 10 ms is 80, a sixteenth of it 5 (ms).
        let mut tp = Tp::new(1000, 0);
        tp.snd_cwnd = 20;
        let mut h = Hystart::new(&V4_14, &tp);
        let d = h.delay_units(10_000);
        assert_eq!(d, 80);
        for ms in 1..=5 {
            tp.clock.set(Time::from_ms(ms));
            assert!(!h.update(&S, &tp, d, d));
        }
        tp.clock.set(Time::from_ms(6));
        assert!(h.update(&S, &tp, d, d));
    }

    #[test]
    fn where_a_round_ends_is_the_kernels_affair() {
        // Begun at 0; an ACK of more than was out then, at 3 ms, below the low window or in it. Where the round began is
        // told by the ACK train of a path of 10 ms: 5 ms after that it is over half of the delay.
        let ends = |profile, cwnd| {
            let mut tp = Tp::new(1000, 0);
            (tp.snd_nxt, tp.snd_cwnd) = (1000, cwnd);
            let mut h = Hystart::new(profile, &tp);
            (tp.snd_una, tp.snd_nxt) = (2000, 9000);
            (3..20).find(|&ms| {
                tp.clock.set(Time::from_ms(ms));
                let over = h.update(&S, &tp, 10_000, 10_000);
                tp.snd_cwnd = 20; // from the next ACK on
                over
            })
        };
        // 5.10's begins none of its own here: without growth the train has lasted since 0, and is broken by its first 3 ms.
        assert_eq!((ends(&V5_10, 20), ends(&V5_10, 15)), (None, None));
        // 5.10.262 and 5.15.148 see the end with the first ACK that they judge, 6.1.192, 6.6.129 and 6.12 with the first.
        assert_eq!((ends(&V5_10_262, 20), ends(&V5_10_262, 15)), (Some(9), Some(10)));
        assert_eq!((ends(&V5_15_148, 20), ends(&V5_15_148, 15)), (Some(9), Some(10)));
        assert_eq!((ends(&V6_1_192, 20), ends(&V6_1_192, 15)), (Some(9), Some(9)));
        assert_eq!((ends(&V6_6_129, 20), ends(&V6_6_129, 15)), (Some(9), Some(9)));
        assert_eq!((ends(&V6_12, 20), ends(&V6_12, 15)), (Some(9), Some(9)));
    }

    #[test]
    fn a_rise_of_the_delay_ends_it_after_eight_samples() {
        let mut tp = Tp::new(1000, 0);
        tp.snd_cwnd = 20;
        let s = Settings { train: false, ..S };
        let mut h = Hystart::new(&V6_12, &tp);
        for _ in 0..8 {
            assert!(!h.update(&s, &tp, 14_001, 10_000));
        }
        assert!(h.update(&s, &tp, 14_001, 10_000), "more than 10 + 4 ms");
        // Of 96 ms an eighth is 12 ms, and a sixteenth, which counted before 3.19, 6.
        let ends = |profile, ms: u32| {
            let mut h = Hystart::new(profile, &tp);
            (0..9).any(|_| h.update(&s, &tp, h.delay_units(ms * 1_000), h.delay_units(96_000)))
        };
        assert_eq!((ends(&V4_14, 108), ends(&V4_14, 109)), (false, true));
        assert_eq!((ends(&V3_18, 102), ends(&V3_18, 103)), (false, true));
        let mut h = Hystart::new(&V6_12, &tp);
        for _ in 0..20 {
            assert!(!h.update(&s, &tp, 14_000, 10_000));
        }
    }
}
