//! What changes the SNR of a whole link: transmit power that walks, people who stand in the way, interference that comes and goes.

use crate::sim::{Span, Stream, Time};

/// The access point's transmit power as a random walk: every step one of -2, -1, 0, 1, 2 dB, between the highest power and a lowest.
/// src: thesis 5.5.1; the bounds are ours (0 to 14 dBm, its limit of power), beyond which a step is not taken
#[derive(Clone, Debug)]
pub(super) struct PowerWalk {
    step: Span,
    range: i32,
    db: i32,
    /// The step that `db` is of.
    at: i64,
    rng: Stream,
}

impl PowerWalk {
    /// Starts in the middle of the range. No step: stands at full power.
    pub fn new(step: Span, range_db: i32, rng: Stream) -> PowerWalk {
        let db = if step > Span::ZERO { -range_db / 2 } else { 0 };
        PowerWalk { step, range: range_db, db, at: 0, rng }
    }
    /// dB below full power (zero or less), in steps of whole dB.
    pub fn at(&mut self, t: Time) -> i32 {
        if self.step > Span::ZERO {
            let n = t.ns() as i64 / self.step.ns();
            while self.at < n {
                self.at += 1;
                let next = self.db + self.rng.below(5) as i32 - 2;
                if (-self.range..=0).contains(&next) {
                    self.db = next;
                }
            }
        }
        self.db
    }
}

/// Bursts of interference: exponential gaps, exponential lengths.
#[derive(Clone, Debug)]
pub(super) struct Bursts {
    gap: Span,
    length: Span,
    on: bool,
    until: Time,
    rng: Stream,
}

impl Bursts {
    pub fn new(every: Span, length: Span, rng: Stream) -> Bursts {
        let mut b = Bursts { gap: every, length, on: true, until: Time::NEVER, rng };
        if every > Span::ZERO {
            b.until = Time::ZERO;
        }
        b
    }
    /// Whether there is one at `t`. Times do not go back.
    pub fn on(&mut self, t: Time) -> bool {
        if self.gap <= Span::ZERO {
            return false;
        }
        while self.until <= t {
            self.on = !self.on;
            let mean = if self.on { self.length } else { self.gap };
            let x = -libm::log(1.0 - self.rng.unit());
            self.until += Span::from_ns(((mean.ns() as f64 * x) as i64).max(1));
        }
        self.on
    }
}

const WAVES: usize = 12;

/// Shadowing that drifts: a Gaussian in dB, as a sum of sinusoids of random frequency around `1 / time`.
#[derive(Clone, Debug)]
pub(super) struct Drift {
    db: f64,
    waves: [(f64, f64); WAVES],
}

impl Drift {
    pub fn new(db: f64, time: Span, rng: &mut Stream) -> Drift {
        let s = time.ns() as f64 * 1e-9;
        let waves = core::array::from_fn(|_| ((0.05 + 0.45 * rng.unit()) / s, rng.unit()));
        Drift { db: db * libm::sqrt(2.0 / WAVES as f64), waves }
    }
    pub fn at(&self, t: Time) -> f64 {
        if self.db == 0.0 {
            return 0.0;
        }
        let s = t.ns() as f64 * 1e-9;
        let sum: f64 = self.waves.iter().map(|(f, p)| libm::cos(core::f64::consts::TAU * (f * s + p))).sum();
        self.db * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Streams;

    fn rng() -> Stream {
        Streams::new(4).get("x", "y")
    }

    #[test]
    fn the_walk_stays_in_its_range_and_does_not_care_how_often_it_is_asked() {
        let ms = |n| Time::ZERO + Span::from_ms(n);
        let (mut a, mut b) = (PowerWalk::new(Span::from_ms(4), 14, rng()), PowerWalk::new(Span::from_ms(4), 14, rng()));
        let all: Vec<i32> = (0..20_000).map(|n| a.at(ms(n))).collect();
        assert!(all.iter().all(|d| (-14..=0).contains(d)) && all.contains(&0) && all.contains(&-14));
        assert!(all.windows(2).all(|w| (w[0] - w[1]).abs() <= 2));
        assert_eq!(b.at(ms(19_999)), all[19_999]);
        assert_eq!(PowerWalk::new(Span::ZERO, 14, rng()).at(ms(50)), 0);
    }

    #[test]
    fn bursts_take_their_share() {
        let mut b = Bursts::new(Span::from_ms(90), Span::from_ms(10), rng());
        let on = (0..400_000).filter(|&i| b.on(Time::ZERO + Span::from_us(250) * i)).count();
        assert!((on as f64 / 400_000.0 - 0.1).abs() < 0.02, "{on}");
        assert!(!Bursts::new(Span::ZERO, Span::from_ms(1), rng()).on(Time::ZERO));
    }

    #[test]
    fn drift_has_its_deviation() {
        let d = Drift::new(3.0, Span::from_s(2), &mut rng());
        let x: Vec<f64> = (0..20_000).map(|i| d.at(Time::ZERO + Span::from_ms(50) * i)).collect();
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let sd = (x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / x.len() as f64).sqrt();
        assert!(mean.abs() < 0.3 && (sd - 3.0).abs() < 0.3, "{mean} {sd}");
        assert_eq!(Drift::new(0.0, Span::from_s(1), &mut rng()).at(Time::ZERO), 0.0);
    }
}
