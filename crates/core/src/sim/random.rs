//! Random streams by name: `hash(seed, owner, purpose)` seeds a stream, so that a new user of randomness shifts nobody.
//!
//! The generator is PCG-64-MCG (`rand_pcg`), whose values are stable across versions and machines.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Makes the streams of one run.
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    seed: u64,
}

/// One stream of random numbers.
#[derive(Clone, Debug)]
pub struct Stream(Pcg64Mcg);

impl Streams {
    /// The streams of the run with this seed.
    pub const fn new(seed: u64) -> Streams {
        Streams { seed }
    }
    /// The stream of `owner` (a node's or component's name) for `purpose`.
    pub fn get(&self, owner: &str, purpose: &str) -> Stream {
        // FNV-1a over the names, then SplitMix64 to spread neighbouring seeds.
        let mut h = 0xcbf2_9ce4_8422_2325_u64 ^ self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for b in owner.bytes().chain([0xff]).chain(purpose.bytes()) {
            h = (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Stream(Pcg64Mcg::seed_from_u64(h ^ (h >> 31)))
    }
}

impl Stream {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
    /// A whole number in `0..n`, without bias worth the name (multiply and shift). `n` must not be 0.
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0);
        (((self.bits() >> 32) * u64::from(n)) >> 32) as u32
    }
    /// A number in [0, 1) with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
    /// True with probability `p`; draws even when `p` is 0 or 1, so that a changed `p` shifts no later draw.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_not_call_order_decide() {
        let s = Streams::new(7);
        let (mut a, mut b) = (s.get("sta1", "backoff"), s.get("sta2", "backoff"));
        let first = (a.bits(), b.bits());
        let (mut b, mut a) = (s.get("sta2", "backoff"), s.get("sta1", "backoff"));
        let again = (b.bits(), a.bits());
        assert_eq!(first, (again.1, again.0));
        assert_ne!(first.0, first.1);
        assert_ne!(Streams::new(8).get("sta1", "backoff").bits(), first.0);
    }

    #[test]
    fn below_is_even() {
        let mut r = Streams::new(1).get("x", "y");
        let mut n = [0u32; 16];
        for _ in 0..160_000 {
            n[r.below(16) as usize] += 1;
        }
        assert!(n.iter().all(|&k| (9_600..10_400).contains(&k)), "{n:?}");
    }
}
