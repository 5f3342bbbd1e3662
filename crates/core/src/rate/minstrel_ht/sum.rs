//! A sum of everything that later decisions depend on, to compare two Minstrel-HTs with.
//!
//! FNV-1a over little-endian numbers: of each supported group its supported rates in order (attempts and successes so far, the
//! smoothed probability and the one before, attempts and successes of this interval), its best rates, its robust rate, where it stands
//! in the sample table (row, column); then of each bucket the group it stands at and its rates; then the next place in the order of
//! probes. The virtual radio's recorder (linux/radio/minstrel.c) makes the same of the kernel's.

use super::groups::{GROUPS, RATES, Rate};
use super::sampling::Sampling;
use super::station::Station;

/// FNV-1a, 64 bits.
struct Sum(u64);

impl Sum {
    fn add(&mut self, v: impl Into<u64>, octets: usize) {
        for byte in &v.into().to_le_bytes()[..octets] {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// The sum of a station and of what waits to be sampled there.
pub(super) fn sum(station: &Station, sampling: &Sampling) -> u64 {
    let mut sum = Sum(0xcbf2_9ce4_8422_2325);
    for g in (0..GROUPS as u8).filter(|&g| station.has_group(g)) {
        for r in (0..RATES as u8).map(|i| Rate::new(g, i)).filter(|&r| station.supports(r)) {
            let s = station.stats(r);
            sum.add(s.attempts_ever, 4);
            sum.add(s.success_ever, 4);
            sum.add(s.prob, 2);
            sum.add(s.prob_before(), 2);
            sum.add(s.attempts, 2);
            sum.add(s.success, 2);
        }
        for r in station.best_of(g) {
            sum.add(r.number(), 2);
        }
        let (column, row) = sampling.place(g);
        sum.add(row, 1);
        sum.add(column, 1);
    }
    for (group, rates) in sampling.buckets() {
        sum.add(group, 1);
        rates.iter().for_each(|r| sum.add(r.number(), 2));
    }
    sum.add(sampling.next(), 1);
    sum.0
}
