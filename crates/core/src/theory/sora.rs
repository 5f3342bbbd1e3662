//! SoRa's turnaround: how long after a frame's end its link-layer ACK is there, by quantile.
//!
//! Source: thesis figure 3.7 and [`crate::driver::sora`], whose default values these are. Differs: D1 a quantile of 1 is the latest.

use super::{Form, inputs};
use crate::driver::sora::{Late, Params};

inputs! {
    /// What it takes.
    pub struct Llack {
        /// Share of the acknowledgements that are not later.
        quantile ("quantile", "1") = 0.5, in 0 => 1;
    }
}

impl Llack {
    /// Turnaround, us.
    pub fn turnaround(&self) -> f64 {
        Late::new(&Params::default()).turnaround(self.quantile)
    }
    /// Mean turnaround, us: over ten thousand quantiles.
    pub fn mean() -> f64 {
        let late = Late::new(&Params::default());
        (0..10_000).map(|i| late.turnaround((f64::from(i) + 0.5) / 1e4)).sum::<f64>() / 1e4
    }
}

pub(super) fn forms() -> Vec<Form> {
    vec![Form {
        name: "sora-llack",
        title: "SoRa: from the end of a frame to its link-layer ACK",
        source: "thesis figure 3.7",
        inputs: Llack::rows(),
        outputs: vec!["turnaround us", "mean us"],
        eval: |v| vec![Llack::read(v).turnaround(), Llack::mean()],
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_the_mean_are_the_thesis_s() {
        assert!((Llack { quantile: 0.5 }.turnaround() - 55.0).abs() < 0.1);
        assert!((Llack::mean() - 72.0).abs() < 1.0, "{}", Llack::mean());
        assert!((Llack { quantile: 0.99 }.turnaround() - 192.0).abs() < 0.1);
    }
}
