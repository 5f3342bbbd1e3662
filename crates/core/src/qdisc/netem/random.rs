//! Random numbers that lean towards the one before, and chances that are taken with them.
//!
//! Stands for: linux@6.12 net/sched/sch_netem.c struct crndstate, init_crandom, get_crandom.
//! Differs: D1 the first "one before" is the path's own random number, as all are; Linux takes another generator's, also where nothing leans.

use crate::sim::random::Stream;

/// A probability as `tc` hands it down, in 1/(2^32 - 1). src: iproute2 tc/tc_util.c parse_percent, tc/q_netem.c set_percent: rint
pub(super) fn scaled(p: f64) -> u32 {
    (p * f64::from(u32::MAX)).round_ties_even() as u32
}

/// One number. src: `prandom_u32_state`
#[inline]
pub(super) fn draw(random: &mut Stream) -> u32 {
    (random.bits() >> 32) as u32
}

/// What each number leans on. src: `struct crndstate`
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaning {
    last: u32,
    /// How much, as [`scaled`].
    pub(super) rho: u32,
}

impl Leaning {
    /// Without correlation nothing is drawn: such a path's numbers are what they were before there was any. src: `init_crandom`
    pub(super) fn new(rho: f64, random: &mut Stream) -> Leaning {
        let rho = scaled(rho);
        Leaning { last: if rho > 0 { draw(random) } else { 0 }, rho }
    }
    /// src: `get_crandom`
    #[inline]
    pub(super) fn draw(&mut self, random: &mut Stream) -> u32 {
        let value = draw(random);
        if self.rho == 0 {
            return value;
        }
        let rho = u64::from(self.rho) + 1;
        self.last = ((u64::from(value) * ((1 << 32) - rho) + u64::from(self.last) * rho) >> 32) as u32;
        self.last
    }
}

/// Something that happens by chance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    /// As [`scaled`].
    pub(super) p: u32,
    pub(super) leaning: Leaning,
}

impl Chance {
    pub(super) fn new(p: f64, rho: f64, random: &mut Stream) -> Chance {
        Chance { p: scaled(p), leaning: Leaning::new(rho, random) }
    }
    /// Whether it happens; of what never does nobody asks.
    #[inline]
    pub(super) fn happens(&mut self, random: &mut Stream) -> bool {
        self.p > 0 && self.p >= self.leaning.draw(random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::random::Streams;

    #[test]
    fn numbers_lean_on_the_one_before() {
        let mut random = Streams::new(1).get("netem", "path");
        let mut same = Leaning::new(1.0, &mut random);
        assert_eq!(same.draw(&mut random), same.draw(&mut random), "all of it is the one before");
        let mut half = Leaning::new(0.5, &mut random);
        let x: Vec<f64> = (0..20_000).map(|_| f64::from(half.draw(&mut random)) / f64::from(u32::MAX) - 0.5).collect();
        let by = |lag: usize| x.iter().zip(&x[lag..]).map(|(a, b)| a * b).sum::<f64>();
        assert!((by(1) / by(0) - 0.5).abs() < 0.03, "{}", by(1) / by(0));
        // (1 - rho) / (1 + rho) of what independent ones have: correlation makes netem's numbers crowd around the middle.
        assert!((by(0) / 20_000.0 - 1.0 / 36.0).abs() < 0.001, "{}", by(0) / 20_000.0);
    }
}
