//! Quantiles in constant memory: buckets by the number's first seven bits, so that each is right to 1 %.

/// Bits after the leading one that tell buckets apart.
const BITS: u32 = 6;

/// The bucket of a number.
fn bucket(x: u64) -> usize {
    let msb = 63 - (x | 1).leading_zeros();
    if msb <= BITS { x as usize } else { (((msb - BITS) as usize) << BITS) + (x >> (msb - BITS)) as usize }
}

/// A histogram of whole numbers (ns).
#[derive(Clone, Debug, Default)]
pub struct Quantiles {
    counts: Vec<u64>,
    n: u64,
    sum: u128,
}

impl Quantiles {
    /// With room for all numbers up to `most`: adding those allocates nothing.
    pub fn up_to(most: u64) -> Quantiles {
        Quantiles { counts: vec![0; bucket(most) + 1], ..Quantiles::default() }
    }
    /// Adds a number.
    pub fn add(&mut self, x: u64) {
        let i = bucket(x);
        if i >= self.counts.len() {
            self.counts.resize(i + 1, 0);
        }
        self.counts[i] += 1;
        self.n += 1;
        self.sum += u128::from(x);
    }
    /// How many.
    pub fn count(&self) -> u64 {
        self.n
    }
    /// Their mean.
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum as f64 / self.n as f64)
    }
    /// The middle of the bucket in which the `q`-th part ends.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let mut left = (q * self.n as f64).ceil().max(1.0) as u64;
        let (i, _) = self.counts.iter().enumerate().find(|&(_, &c)| {
            let here = c >= left;
            left = left.saturating_sub(c);
            here
        })?;
        if i < 1 << (BITS + 1) {
            return Some(i as f64);
        }
        // Bucket i covers numbers whose first bits are `top`, shifted by `by`.
        let by = (i >> BITS) as u32 - 1;
        let top = (i - ((by as usize) << BITS)) as u64;
        Some((top as f64 + 0.5) * 2f64.powi(by as i32) - 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_to_one_percent() {
        for scale in [1u64, 1_000, 1_000_000, 10_000_000_000] {
            let mut q = Quantiles::default();
            (1..=1000).for_each(|i| q.add(i * scale));
            for p in [0.1, 0.5, 0.9, 0.99] {
                let (got, want) = (q.quantile(p).unwrap(), p * 1000.0 * scale as f64);
                assert!((got / want - 1.0).abs() < 0.011, "{scale} {p}: {got} for {want}");
            }
            assert_eq!(q.mean(), Some(500.5 * scale as f64));
        }
        assert_eq!(Quantiles::default().quantile(0.5), None);
    }
}
