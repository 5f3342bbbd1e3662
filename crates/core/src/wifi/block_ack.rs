//! The originator's Block Ack window: which sequence numbers may be sent, and what an acknowledgement moves.
//!
//! Stands for: 802.11-2020 10.25.6.7 (originator's behaviour under HT-immediate Block Ack); Linux
//! drivers/net/wireless/ath/ath9k/xmit.c ath_tx_addto_baw, ath_tx_update_baw, BAW_WITHIN.
//! Differs: D1 the window is at most 256 wide, as HE has it (HT and VHT: 64); what EHT widened it to is not there.

use super::seq::Seq;
use crate::sim::Bitmap;

/// MPDUs of a window between HT or VHT stations. src: linux@6.12 include/linux/ieee80211.h IEEE80211_MAX_AMPDU_BUF_HT
pub const WINDOW: u16 = 64;
/// Between HE stations. src: same, IEEE80211_MAX_AMPDU_BUF_HE
pub const WIDE_WINDOW: u16 = 256;

/// The window of one (peer, TID). It covers `size` numbers from the lowest one that is not settled, and moves only to
/// the first hole.
#[derive(Clone, Copy, Debug)]
pub struct TxWindow {
    start: Seq,
    next: Seq,
    size: u16,
    /// Numbers, modulo [`Bitmap::COUNT`], that were handed to the hardware and are neither acknowledged nor abandoned.
    open: Bitmap,
    /// How many numbers from `start` on were handed out (`baw_tail - baw_head`).
    tail: u16,
}

impl TxWindow {
    /// A window of `size` (1 to 256) numbers that begins at `start`.
    pub fn new(start: Seq, size: u16) -> TxWindow {
        assert!((1..=Bitmap::COUNT as u16).contains(&size), "a Block Ack window of {size}");
        TxWindow { start, next: start, size, open: Bitmap::NONE, tail: 0 }
    }
    /// The lowest number that is not settled (WinStart_O).
    pub const fn start(&self) -> Seq {
        self.start
    }
    /// Numbers from the lowest one on that were handed to the hardware, up to the last of them (`baw_tail - baw_head`).
    pub const fn handed_out(&self) -> u16 {
        self.tail
    }
    /// Numbers that were handed to the hardware and are neither acknowledged nor abandoned.
    pub fn unsettled(&self) -> u16 {
        (0..self.tail).filter(|&i| self.open.has(place(self.start.plus(i)))).count() as u16
    }
    /// The width.
    pub const fn size(&self) -> u16 {
        self.size
    }
    /// Takes the next number for a new MPDU (`seq_next`). A number outside the window must wait.
    pub fn assign(&mut self) -> Seq {
        let s = self.next;
        self.next = s.plus(1);
        s
    }
    /// The last number that was given is given back: its MPDU will not be sent under it.
    pub fn unassign(&mut self, seq: Seq) {
        debug_assert!(seq.plus(1) == self.next, "{seq:?} is not the last");
        let i = seq.ahead_of(self.start);
        if i < self.tail {
            self.open.take(place(seq));
            self.tail = self.tail.min(i);
        }
        self.next = seq;
    }
    /// The number that the next new MPDU gets.
    pub const fn next(&self) -> Seq {
        self.next
    }
    /// Whether `seq` may be sent now.
    pub const fn allows(&self, seq: Seq) -> bool {
        seq.within(self.start, self.size)
    }
    /// Whether the last number that was given may be sent, and was not handed out yet.
    #[inline]
    pub const fn has_reached_next(&self) -> bool {
        let given = self.next.ahead_of(self.start);
        given > self.tail && given <= self.size
    }
    /// How many new MPDUs could be sent now.
    pub const fn room(&self) -> u16 {
        self.size.saturating_sub(self.next.ahead_of(self.start))
    }
    /// `seq` is handed to the hardware.
    pub fn open(&mut self, seq: Seq) {
        let i = seq.ahead_of(self.start);
        debug_assert!(i < self.size, "{seq:?} is outside the window");
        self.open.put(place(seq));
        self.tail = self.tail.max(i + 1);
    }
    /// `seq` is acknowledged or abandoned: the window moves to the first number that is still open.
    pub fn settle(&mut self, seq: Seq) {
        let i = seq.ahead_of(self.start);
        if i >= self.tail {
            return; // outside: part of an earlier session
        }
        self.open.take(place(seq));
        while self.tail > 0 && !self.open.has(place(self.start)) {
            self.start = self.start.plus(1);
            self.tail -= 1;
        }
    }
}

/// Where a number stands in a window's bitmap.
const fn place(seq: Seq) -> usize {
    seq.get() as usize % Bitmap::COUNT
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The thesis's worked example. src: thesis figure 4.2 (window 8)
    #[test]
    fn worked_example() {
        let mut w = TxWindow::new(Seq::new(4), 8);
        let mut sent = vec![];
        while w.allows(w.next()) {
            let s = w.assign();
            w.open(s);
            sent.push(s.get());
        }
        assert_eq!(sent, (4..12).collect::<Vec<_>>());
        for s in [4, 5, 7, 9, 10, 11] {
            w.settle(Seq::new(s));
        }
        assert_eq!(w.start(), Seq::new(6), "the window starts at the first hole");
        assert!(w.allows(Seq::new(13)) && !w.allows(Seq::new(14)));
        assert_eq!(w.room(), 2, "with 6 and 8 the next A-MPDU is {{6, 8, 12, 13}}");
        for s in [12, 13] {
            assert_eq!(w.assign().get(), s);
            w.open(Seq::new(s));
        }
        for s in [6, 8, 12, 13] {
            w.settle(Seq::new(s));
        }
        assert_eq!((w.start(), w.room()), (Seq::new(14), 8), "full again");
    }

    proptest! {
        /// Against the plain description: a set of open numbers; the start is the lowest, or the next new one.
        #[test]
        fn twin(start in 0u16..4096, size in 1u16..=256, ops in prop::collection::vec((any::<bool>(), 0usize..256), 1..800)) {
            let mut w = TxWindow::new(Seq::new(start), size);
            let (mut next, mut open) = (u32::from(start), BTreeSet::new());
            for (send, k) in ops {
                let low = open.first().copied().unwrap_or(next);
                if send {
                    prop_assert_eq!(w.allows(w.next()), next < low + u32::from(size));
                    if next < low + u32::from(size) {
                        let s = w.assign();
                        prop_assert_eq!(s, Seq::new(next as u16));
                        w.open(s);
                        open.insert(next);
                        next += 1;
                    }
                } else if !open.is_empty() {
                    let n = *open.iter().nth(k % open.len()).unwrap();
                    open.remove(&n);
                    w.settle(Seq::new(n as u16));
                }
                let low = open.first().copied().unwrap_or(next);
                prop_assert_eq!(w.start(), Seq::new(low as u16));
                prop_assert_eq!(u32::from(w.room()), size as u32 - (next - low));
            }
        }
    }
}
