//! A sum over time whose step doubles when it gets long, so that its memory is bounded.

/// Steps at most.
const STEPS: usize = 1024;
/// The step it begins with, ns.
const FIRST: u64 = 100_000_000;

/// Sums by step, from the step of the first value on.
#[derive(Clone, Debug)]
pub(super) struct Series {
    step: u64,
    /// Number of the first step.
    begin: Option<u64>,
    sums: Vec<u64>,
}

impl Default for Series {
    fn default() -> Self {
        Series { step: FIRST, begin: None, sums: Vec::new() }
    }
}

impl Series {
    /// Adds `value` at time `t`. What comes before the first value counts with it.
    pub fn add(&mut self, t: u64, value: u64) {
        let begin = *self.begin.get_or_insert(t / self.step);
        let mut i = (t / self.step).saturating_sub(begin);
        while i >= STEPS as u64 {
            self.halve();
            i = (t / self.step).saturating_sub(self.begin.unwrap_or(0));
        }
        let i = i as usize;
        if i >= self.sums.len() {
            self.sums.resize(i + 1, 0);
        }
        self.sums[i] += value;
    }

    fn halve(&mut self) {
        let begin = self.begin.unwrap_or(0);
        let mut sums = vec![0; self.sums.len() / 2 + 1];
        for (i, s) in self.sums.iter().enumerate() {
            sums[((begin + i as u64) / 2 - begin / 2) as usize] += s;
        }
        self.sums = sums;
        self.begin = Some(begin / 2);
        self.step = self.step.saturating_mul(2);
    }

    /// Begin of the first step (s), the step (s), the sums.
    pub fn parts(&self) -> (f64, f64, &[u64]) {
        let step = self.step as f64 / 1e9;
        (self.begin.unwrap_or(0) as f64 * step, step, &self.sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_when_steps_double() {
        let mut s = Series::default();
        for k in 0..100_000u64 {
            s.add(7_000_000_000 + k * 10_000_000, 1);
        }
        let (begin, step, sums) = s.parts();
        assert_eq!(sums.iter().sum::<u64>(), 100_000);
        assert!(sums.len() <= STEPS && (step - 1.6).abs() < 1e-9, "{step} s, {}", sums.len());
        assert!(begin <= 7.0 && begin + step > 7.0);
        s.add(u64::MAX, 1);
        assert_eq!(s.parts().2.iter().sum::<u64>(), 100_001);
    }
}
