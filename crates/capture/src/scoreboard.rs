//! What a recipient's Block Acks say: the numbers up to the highest that it has got.
//!
//! Stands for: 802.11-2020 10.25.6.3 (full-state operation), with a bitmap of 64 bits or, by 802.11ax-2021, of 256.

use wavetank_core::sim::Bitmap;
use wavetank_core::wifi::Seq;

/// The scoreboard of one (originator, TID).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scoreboard {
    start: Seq,
    size: u16,
    got: Bitmap,
}

impl Scoreboard {
    /// Of `size` numbers from `start` on, none of which has come.
    pub fn new(start: Seq, size: u16) -> Scoreboard {
        Scoreboard { start, size, got: Bitmap::NONE }
    }
    /// The lowest number of the bitmap.
    pub const fn start(&self) -> Seq {
        self.start
    }
    /// The bitmap begins there: a Block Ack request's number, or what a higher number moves it to.
    pub fn move_to(&mut self, start: Seq) {
        let by = usize::from(start.ahead_of(self.start));
        self.got = (by..usize::from(self.size)).filter(|&i| self.got.has(i)).map(|i| i - by).collect();
        self.start = start;
    }
    /// A number came.
    pub fn put(&mut self, seq: Seq) {
        if seq.before(self.start) {
            return;
        }
        if !seq.within(self.start, self.size) {
            self.move_to(seq.minus(self.size - 1));
        }
        self.got.put(usize::from(seq.ahead_of(self.start)));
    }
    /// What a Block Ack to MPDUs says, given which of them it acknowledges.
    pub fn answer(&self, mpdus: impl Iterator<Item = (Seq, bool)>) -> Bitmap {
        let mut map = self.got;
        for (s, acked) in mpdus.filter(|(s, _)| s.within(self.start, self.size)) {
            let i = usize::from(s.ahead_of(self.start));
            if acked { map.put(i) } else { map.take(i) }
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(s: &Scoreboard) -> (u16, Vec<usize>) {
        let map = s.answer(core::iter::empty());
        (s.start.get(), (0..Bitmap::COUNT).filter(|&i| map.has(i)).collect())
    }

    /// By the standard's own description: the scoreboard holds the last numbers up to the highest.
    #[test]
    fn it_follows_the_highest() {
        for size in [64, 256] {
            let mut s = Scoreboard::new(Seq::new(0), size);
            (0..10).for_each(|n| s.put(Seq::new(n)));
            assert_eq!(numbers(&s), (0, (0..10).collect()));
            s.put(Seq::new(size));
            let last = usize::from(size) - 1;
            assert_eq!(numbers(&s), (1, (0..9).chain([last]).collect()));
            s.put(Seq::new(size + 600));
            assert_eq!(numbers(&s), (601, vec![last]));
            s.put(Seq::new(5));
            assert_eq!(numbers(&s), (601, vec![last]), "too old");
            s.move_to(Seq::new(601 + size));
            assert_eq!(numbers(&s), (601 + size, vec![]), "a BAR");
            let mut s = Scoreboard::new(Seq::new(4090), size);
            s.put(Seq::new(3));
            assert_eq!(numbers(&s), (4090, vec![9]), "across the wrap");
            let map = s.answer([(Seq::new(3), false), (Seq::new(4), true)].into_iter());
            assert!(!map.has(9) && map.has(10));
        }
    }
}
