//! A tapped delay line: what multipath does to each sub-carrier, at any time.
//!
//! Stands for: Rayleigh taps as sums of sinusoids with random angles of arrival and phases (Y. R. Zheng and C. Xiao, "Simulation models with
//! correct statistical properties for Rayleigh fading channels", IEEE Trans. Commun. 51, 2003), an exponential power delay profile, and on the first
//! tap a constant part (Rician, factor K), of the whole channel's power or, as TGn's channel models (IEEE 802.11-03/940r4) have it, of that tap's and
//! only where the stations are in sight of each other. Where nobody carries a station about, most of the scattered power stands still, too.
//! Differs: D1 eight sinusoids a tap, eight taps; D2 delays lie on a grid of half of the delay spread asked for, by which the profile falls to 1/e:
//! the r.m.s. delay spread is 0.82 of it (what lies beyond the eighth tap is cut off), less with a constant part of the whole channel (0.58 at
//! 3 dB); a first tap's changes nothing, for it takes that tap's power; D3 the constant part turns (at the frequency of an angle of its own) where all the scattered power moves, that is about a station that is carried; else it does not.

use crate::sim::{Stream, Time};
use libm::{cosf, exp, sinf, sqrt};

const TAPS: usize = 8;
const WAVES: usize = 8;
const TAU: f64 = core::f64::consts::TAU;

/// One path through the air, from one antenna to another.
#[derive(Clone, Debug)]
pub(super) struct Fading {
    /// By tap: amplitude of a wave of the part that moves.
    amplitude: [f32; TAPS],
    /// By tap: the part that stands still.
    still: [(f32, f32); TAPS],
    /// By tap and wave: turns a second, and the phase at the start in turns.
    waves: [[(f64, f64); WAVES]; TAPS],
    /// The constant part of the first tap: amplitude, turns a second, phase in turns.
    steady: (f32, f64, f64),
    /// What a constant part leaves of the first tap's scattered amplitude.
    first: f32,
    /// There is a constant part out of sight, too.
    everywhere: bool,
    /// By tap and sub-carrier: `exp(-2 pi i f tau)`.
    turn: Vec<[(f32, f32); TAPS]>,
}

/// The constant part over the scattered one, ratio.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rician {
    /// Of the whole channel, in sight or not.
    Whole(f64),
    /// Of the first tap, in sight.
    FirstTap(f64),
}

/// What a path is drawn from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Sub-carriers.
    pub subcarriers: usize,
    /// Delay over which the profile falls to 1/e, ns: 1.22 of the r.m.s. delay spread (D2).
    pub delay_ns: f64,
    /// Rician factor.
    pub k: Rician,
    /// Share of the scattered power that moves.
    pub moving: f64,
    /// Doppler frequency, Hz.
    pub doppler: f64,
}

/// Space between sub-carriers, Hz.
const SPACING: f64 = 312_500.0;

/// Turns a second and phases of the part that moves.
fn waves_from(s: &Shape, rng: &mut Stream) -> [[(f64, f64); WAVES]; TAPS] {
    core::array::from_fn(|_| {
        let start = rng.unit();
        core::array::from_fn(|m| {
            let angle = (m as f64 + start) / WAVES as f64;
            (s.doppler * f64::from(cosf((TAU * angle) as f32)), rng.unit())
        })
    })
}

impl Fading {
    /// The same where it stands still, with what moves drawn from `rng`.
    pub fn moved_by(mut self, s: &Shape, rng: &mut Stream) -> Fading {
        self.waves = waves_from(s, rng);
        self
    }
    pub fn new(s: &Shape, rng: &mut Stream) -> Fading {
        let mut power = [0.0; TAPS];
        for (i, p) in power.iter_mut().enumerate() {
            *p = if s.delay_ns > 0.0 { exp(-(i as f64) / 2.0) } else { f64::from(u8::from(i == 0)) };
        }
        let total: f64 = power.iter().sum();
        // Power of all that is scattered, of the constant part, of the first tap's scattered part in sight.
        let (scattered, steady, first) = match s.k {
            Rician::Whole(k) => (1.0 / (1.0 + k), k * (1.0 / (1.0 + k)), 1.0),
            Rician::FirstTap(k) => (1.0, power[0] / total * k / (1.0 + k), 1.0 / (1.0 + k)),
        };
        let waves_of = |share: f64| power.map(|p| sqrt(p / total * scattered * share / WAVES as f64) as f32);
        let amplitude = waves_of(s.moving);
        let waves = waves_from(s, rng);
        let still = waves_of(1.0 - s.moving).map(|a| {
            (0..WAVES).fold((0.0, 0.0), |sum: (f32, f32), _| {
                let (re, im) = turned(rng.unit());
                (sum.0 + a * re, sum.1 + a * im)
            })
        });
        let heading = f64::from(cosf((TAU * rng.unit()) as f32));
        // What stands still does so as a whole: the constant part turns against the still scatterers only where the station moves.
        let turns = if s.moving < 1.0 { 0.0 } else { s.doppler * heading };
        let steady = (sqrt(steady) as f32, turns, rng.unit());
        let turn = (0..s.subcarriers)
            .map(|k| {
                let f = (k as f64 - s.subcarriers as f64 / 2.0) * SPACING;
                core::array::from_fn(|i| {
                    let (re, im) = turned(-f * i as f64 * s.delay_ns * 0.5e-9);
                    (re, im)
                })
            })
            .collect();
        let everywhere = matches!(s.k, Rician::Whole(_));
        Fading { amplitude, still, waves, steady, first: sqrt(first) as f32, everywhere, turn }
    }

    /// The complex gain of each sub-carrier at `t`, onto the end of `out`. Mean power 1.
    pub fn at(&self, t: Time, in_sight: bool, out: &mut Vec<(f32, f32)>) {
        let s = t.ns() as f64 * 1e-9;
        let mut taps = self.still;
        for ((tap, waves), &a) in taps.iter_mut().zip(&self.waves).zip(&self.amplitude) {
            if a == 0.0 {
                continue;
            }
            for &(f, phase) in waves {
                let (re, im) = turned(f * s + phase);
                tap.0 += a * re;
                tap.1 += a * im;
            }
        }
        if in_sight || self.everywhere {
            let ((a, f, phase), scattered) = (self.steady, self.first);
            let (re, im) = turned(f * s + phase);
            taps[0].0 = taps[0].0 * scattered + a * re;
            taps[0].1 = taps[0].1 * scattered + a * im;
        }
        out.extend(self.turn.iter().map(|turn| {
            let mut sum = (0.0, 0.0);
            for (&(a, b), &(c, d)) in taps.iter().zip(turn) {
                sum.0 += a * c - b * d;
                sum.1 += a * d + b * c;
            }
            sum
        }));
    }
}

/// Cosine and sine of so many turns.
fn turned(turns: f64) -> (f32, f32) {
    let x = (TAU * (turns - libm::floor(turns))) as f32;
    (cosf(x), sinf(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Span, Streams};

    fn powers(shape: &Shape, seed: u64, n: i64) -> Vec<Vec<f32>> {
        let f = Fading::new(shape, &mut Streams::new(seed).get("x", "fading"));
        (0..n)
            .map(|i| {
                let mut g = Vec::new();
                f.at(Time::ZERO + Span::from_ms(7) * i, true, &mut g);
                g.iter().map(|(a, b)| a * a + b * b).collect()
            })
            .collect()
    }

    #[test]
    fn power_is_one_and_rayleigh_fades() {
        let shape = Shape { subcarriers: 114, delay_ns: 50.0, k: Rician::Whole(0.0), moving: 1.0, doppler: 20.0 };
        let all: Vec<f32> = (0..20).flat_map(|s| powers(&shape, s, 400)).flatten().collect();
        let mean = all.iter().sum::<f32>() / all.len() as f32;
        assert!((mean - 1.0).abs() < 0.05, "{mean}");
        // A Rayleigh channel is below -10 dB for 1 - exp(-0.1) = 9.5 % of the time.
        let low = all.iter().filter(|p| **p < 0.1).count() as f32 / all.len() as f32;
        assert!((low - 0.095).abs() < 0.015, "{low}");
    }

    /// 50 ns asked for: second moments of 25 ns * i by exp(-i / 2), i from 0 to 7 (41.1 ns), with two thirds of all power on the first (28.9 ns).
    #[test]
    fn rms_delay_spread_is_less_than_asked_for() {
        for (k, wanted) in [(0.0, 41.1), (1.995_26, 28.9)] {
            let shape = Shape { subcarriers: 1, delay_ns: 50.0, k: Rician::Whole(k), moving: 1.0, doppler: 20.0 };
            let f = Fading::new(&shape, &mut Streams::new(1).get("x", "fading"));
            let mut p = f.amplitude.map(|a| f64::from(a * a) * WAVES as f64);
            p[0] += f64::from(f.steady.0 * f.steady.0);
            let moment = |n| p.iter().enumerate().map(|(i, p)| p * (25.0 * i as f64).powi(n)).sum::<f64>();
            let rms = (moment(2) / moment(0) - (moment(1) / moment(0)).powi(2)).sqrt();
            assert!((rms - wanted).abs() < 0.05, "{rms} ns at K {k}");
        }
    }

    #[test]
    fn a_strong_constant_part_hardly_fades_and_no_delay_is_flat() {
        let shape = Shape { subcarriers: 56, delay_ns: 0.0, k: Rician::Whole(100.0), moving: 1.0, doppler: 20.0 };
        for g in powers(&shape, 3, 200) {
            assert!(g.iter().all(|p| (0.4..2.0).contains(p)));
            assert!(g.iter().all(|p| (p - g[0]).abs() < 1e-5));
        }
    }

    #[test]
    fn what_stands_still_does_and_differs_between_links() {
        let shape = Shape { subcarriers: 114, delay_ns: 50.0, k: Rician::Whole(0.0), moving: 0.0, doppler: 20.0 };
        let (a, b) = (powers(&shape, 1, 5), powers(&shape, 2, 1));
        assert!(a.iter().all(|g| *g == a[0]) && a[0] != b[0]);
        // The constant part does not turn against scatterers that stand still.
        let rician = powers(&Shape { k: Rician::Whole(2.0), ..shape }, 1, 50);
        assert!(rician.iter().all(|g| *g == rician[0]));
        let carried = powers(&Shape { k: Rician::Whole(2.0), moving: 1.0, ..shape }, 1, 50);
        assert!(carried.iter().any(|g| *g != carried[0]));
        let all: Vec<f32> = (0..300).flat_map(|s| powers(&shape, s, 1)).flatten().collect();
        let mean = all.iter().sum::<f32>() / all.len() as f32;
        assert!((mean - 1.0).abs() < 0.1, "{mean}");
    }

    /// 3 dB on the first of eight taps, which has 1 - exp(-1/2) = 39 % of the power (1 - exp(-4) = 98 % of which is there): 2/3 of 40 % stand, in sight.
    #[test]
    fn a_first_tap_is_rician_in_sight_only() {
        let shape = Shape { subcarriers: 114, delay_ns: 50.0, k: Rician::FirstTap(2.0), moving: 0.0, doppler: 20.0 };
        let mean = |in_sight| {
            let (mut power, mut sum) = (0.0, 0.0);
            for seed in 0..300 {
                let f = Fading::new(&shape, &mut Streams::new(seed).get("x", "fading"));
                let mut g = Vec::new();
                f.at(Time::ZERO, in_sight, &mut g);
                power += g.iter().map(|(a, b)| f64::from(a * a + b * b)).sum::<f64>() / 114.0;
                sum += f64::from(f.steady.0 * f.steady.0) * f64::from(u8::from(in_sight));
            }
            (power / 300.0, sum / 300.0)
        };
        let (near, far) = (mean(true), mean(false));
        assert!((near.0 - 1.0).abs() < 0.1 && (far.0 - 1.0).abs() < 0.1, "{near:?} {far:?}");
        assert!((near.1 - 0.267).abs() < 0.002, "{near:?}");
    }

    /// The autocorrelation of Clarke's model is J0(2 pi fd t): zero at fd t = 0.383, and half at 0.242.
    #[test]
    fn doppler_is_clarkes() {
        let shape = Shape { subcarriers: 1, delay_ns: 0.0, k: Rician::Whole(0.0), moving: 1.0, doppler: 20.0 };
        let (mut sum, mut n) = ([0.0_f64; 3], 0.0);
        for seed in 0..400 {
            let f = Fading::new(&shape, &mut Streams::new(seed).get("x", "fading"));
            let at = |s: f64| {
                let mut g = Vec::new();
                f.at(Time::from_ns((s * 1e9) as u64), true, &mut g);
                g[0]
            };
            for i in 0..20 {
                let t = f64::from(i) * 0.377;
                let (a, b) = at(t);
                for (s, lag) in sum.iter_mut().zip([0.0, 0.242 / 20.0, 0.383 / 20.0]) {
                    let (c, d) = at(t + lag);
                    *s += f64::from(a * c + b * d);
                }
                n += 1.0;
            }
        }
        let [zero, half, none] = sum.map(|s| s / n);
        assert!((zero - 1.0).abs() < 0.05 && (half - 0.5).abs() < 0.06 && none.abs() < 0.06, "{zero} {half} {none}");
    }
}
