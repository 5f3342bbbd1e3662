//! A channel that stands still: the probability that an MPDU is lost, by the modulation and coding it is sent with.
//!
//! Differs: D1 width, guard interval and the frame's length change nothing; D2 every link of the BSS has the same table.

use super::Mode;

/// Probability that an MPDU is lost, by [`Mode::number`]; empty: no loss.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct McsLoss(Vec<f64>);

impl McsLoss {
    /// From a list by MCS: 802.11n's index (8 a spatial stream), 802.11ac's MCS plus 10 and 802.11ax's plus 12 for each
    /// stream after the first, 802.11a's rates from 6 Mbit/s on. MCSs beyond its end are lost as the last one is.
    pub fn new(by_mcs: &[f64]) -> McsLoss {
        let Some(&last) = by_mcs.last() else { return McsLoss::default() };
        let of = |n: usize| {
            let m = Mode::from_number(n)?;
            let i = match m {
                Mode::Vht(v) => (v.streams() as usize - 1) * 10 + usize::from(v.mcs()),
                Mode::He(h) => (h.streams() as usize - 1) * 12 + usize::from(h.mcs()),
                m => usize::from(m.mcs()),
            };
            Some(by_mcs.get(i).copied().unwrap_or(last))
        };
        McsLoss((0..Mode::COUNT).map(|n| of(n).unwrap_or(1.0)).collect())
    }
    /// The probability at `mode`.
    #[inline]
    pub fn at(&self, mode: Mode) -> f64 {
        if self.0.is_empty() { 0.0 } else { self.0[mode.number()] }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Gi, He, Ht, Ofdm, Vht, Width};
    use super::*;

    #[test]
    fn by_mcs() {
        let l = McsLoss::new(&[0.0, 0.1, 0.25]);
        let ht = |m, w| l.at(Mode::Ht(Ht::new(m, w, true).unwrap()));
        assert_eq!([ht(0, true), ht(1, false), ht(2, true), ht(15, true)], [0.0, 0.1, 0.25, 0.25]);
        assert_eq!(l.at(Mode::Vht(Vht::new(1, 1, Width::Mhz80, true).unwrap())), 0.1);
        assert_eq!(l.at(Mode::Vht(Vht::new(0, 2, Width::Mhz80, true).unwrap())), 0.25, "ten a stream");
        let he = |m, n| l.at(Mode::He(He::new(m, n, Width::Mhz80, Gi::Us0_8).unwrap()));
        assert_eq!([he(0, 1), he(1, 1), he(11, 1), he(0, 2)], [0.0, 0.1, 0.25, 0.25]);
        assert_eq!(l.at(Mode::Ofdm(Ofdm::R9)), 0.1);
        assert_eq!(McsLoss::default().at(Mode::Ofdm(Ofdm::R54)), 0.0);
    }
}
