//! A set of places in an A-MPDU: which of its MPDUs were decoded, acknowledged, received; or in a Block Ack window.
//!
//! Stands for: the bitmap of a compressed Block Ack, of 64 bits or of 256 (802.11-2020 9.3.1.8.2, 802.11ax-2021 table 9-30a).

use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign};

const WORDS: usize = 4;

/// Places 0 to 255, each in the set or not.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Bitmap([u64; WORDS]);

impl Bitmap {
    /// How many places there are.
    pub const COUNT: usize = WORDS * 64;
    /// None of them.
    pub const NONE: Bitmap = Bitmap([0; WORDS]);

    /// The first `n` places.
    pub fn first(n: usize) -> Bitmap {
        Bitmap(core::array::from_fn(|w| match n.saturating_sub(w * 64) {
            0 => 0,
            k if k < 64 => (1 << k) - 1,
            _ => u64::MAX,
        }))
    }
    /// As words, place 0 the lowest bit of the first.
    pub const fn words(self) -> [u64; WORDS] {
        self.0
    }
    /// Whether place `i` is in it.
    #[inline]
    pub const fn has(&self, i: usize) -> bool {
        self.0[word(i)] >> (i % 64) & 1 != 0
    }
    /// Puts place `i` in.
    #[inline]
    pub const fn put(&mut self, i: usize) {
        self.0[word(i)] |= 1 << (i % 64);
    }
    /// Takes place `i` out.
    #[inline]
    pub const fn take(&mut self, i: usize) {
        self.0[word(i)] &= !(1 << (i % 64));
    }
    /// Whether there is none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }
    /// How many are in it.
    #[inline]
    pub const fn len(&self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones() + self.0[3].count_ones()) as usize
    }
    /// The lowest.
    #[inline]
    pub fn lowest(&self) -> Option<usize> {
        let w = self.0.iter().position(|&w| w != 0)?;
        Some(w * 64 + self.0[w].trailing_zeros() as usize)
    }
    /// The highest.
    #[inline]
    pub fn highest(&self) -> Option<usize> {
        let w = self.0.iter().rposition(|&w| w != 0)?;
        Some(w * 64 + self.0[w].ilog2() as usize)
    }
    /// Those that are not in `other`.
    #[inline]
    pub fn without(self, other: Bitmap) -> Bitmap {
        Bitmap(core::array::from_fn(|w| self.0[w] & !other.0[w]))
    }
    /// The lowest from `from` on; after the last place comes the first again.
    pub fn next_from(&self, from: usize) -> Option<usize> {
        let w = from / 64;
        match self.0[w] >> (from % 64) {
            0 => self.without(Bitmap::first(from)).lowest().or_else(|| self.lowest()),
            ahead => Some(from + ahead.trailing_zeros() as usize),
        }
    }
}

/// The word of place `i`, which the compiler sees to be one of them.
#[inline]
const fn word(i: usize) -> usize {
    debug_assert!(i < Bitmap::COUNT);
    i / 64 % WORDS
}

impl BitAnd for Bitmap {
    type Output = Bitmap;
    #[inline]
    fn bitand(self, other: Bitmap) -> Bitmap {
        Bitmap(core::array::from_fn(|w| self.0[w] & other.0[w]))
    }
}

impl BitOr for Bitmap {
    type Output = Bitmap;
    #[inline]
    fn bitor(self, other: Bitmap) -> Bitmap {
        Bitmap(core::array::from_fn(|w| self.0[w] | other.0[w]))
    }
}

impl BitAndAssign for Bitmap {
    #[inline]
    fn bitand_assign(&mut self, other: Bitmap) {
        *self = *self & other;
    }
}

impl BitOrAssign for Bitmap {
    #[inline]
    fn bitor_assign(&mut self, other: Bitmap) {
        *self = *self | other;
    }
}

/// The bits of a word are the first 64 places.
impl From<u64> for Bitmap {
    fn from(bits: u64) -> Bitmap {
        Bitmap([bits, 0, 0, 0])
    }
}

/// Place 0 is the lowest bit of the first.
impl From<[u64; WORDS]> for Bitmap {
    fn from(words: [u64; WORDS]) -> Bitmap {
        Bitmap(words)
    }
}

impl FromIterator<usize> for Bitmap {
    fn from_iter<T: IntoIterator<Item = usize>>(places: T) -> Bitmap {
        places.into_iter().fold(Bitmap::NONE, |mut set, i| {
            set.put(i);
            set
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Against a set of numbers.
        #[test]
        fn twin(ops in prop::collection::vec((any::<bool>(), 0usize..256), 0..200), n in 0usize..=256, from in 0usize..256) {
            let (mut places, mut set) = (Bitmap::NONE, BTreeSet::new());
            for (put, i) in ops {
                if put {
                    places.put(i);
                    set.insert(i);
                } else {
                    places.take(i);
                    set.remove(&i);
                }
            }
            prop_assert!((0..256).all(|i| places.has(i) == set.contains(&i)));
            prop_assert_eq!((places.len(), places.is_empty()), (set.len(), set.is_empty()));
            prop_assert_eq!((places.lowest(), places.highest()), (set.first().copied(), set.last().copied()));
            prop_assert_eq!(places.next_from(from), set.range(from..).next().or(set.first()).copied());
            let low = Bitmap::first(n);
            prop_assert_eq!(low.len(), n);
            prop_assert_eq!(places.without(low) | (places & low), places);
            prop_assert_eq!(places.without(low), set.range(n..).copied().collect());
        }
    }
}
