//! A queue of the hardware: a ring of descriptors (TFDs), and what found no room in it.
//!
//! Each (station, TID) has one. Enters: skbs, each an MPDU, in order. Leaves: those at the front that the firmware is done with, in order: the host is
//! told an index, up to which all are over.
//! Stands for: linux@6.12 drivers/net/wireless/intel/iwlwifi/pcie/tx-gen2.c iwl_txq_gen2_tx; pcie/tx.c iwl_pcie_reclaim.

use super::Params;
use crate::driver::offload::Slot;
use std::collections::VecDeque;

/// With less free than this an skb waits beside the ring. src: iwl_txq_gen2_tx
const FEWEST: u16 = 3;

/// What an MSDU has of the ring.
#[derive(Clone, Copy, Debug)]
struct Entry {
    slot: Slot,
    /// It is the first of its MPDU.
    first: bool,
    /// It is over: whether it was acknowledged.
    over: Option<bool>,
}

/// One queue.
#[derive(Debug, Default)]
pub struct Ring {
    tfds: VecDeque<Entry>,
    /// `overflow_q`.
    overflow: VecDeque<Entry>,
    /// TFDs taken.
    used: u16,
    /// mac80211's TXQ is not pulled from (IWL_MVM_TXQ_STATE_STOP_FULL).
    pub stopped: bool,
}

impl Ring {
    /// TFDs taken.
    pub const fn used(&self) -> u16 {
        self.used
    }
    /// MSDUs that wait beside the ring.
    pub fn overflowed(&self) -> usize {
        self.overflow.len()
    }
    /// Takes an MSDU; `first`: it begins an MPDU. True: the hardware has it.
    pub fn push(&mut self, slot: Slot, first: bool, par: &Params) -> bool {
        let mut beside = !first && !self.overflow.is_empty();
        if first {
            let space = par.space(self.used);
            self.stopped |= space < par.high_mark();
            beside = space < FEWEST;
        }
        let entry = Entry { slot, first, over: None };
        if beside {
            self.overflow.push_back(entry);
            return false;
        }
        self.used += u16::from(first);
        self.tfds.push_back(entry);
        true
    }
    /// The firmware is done with an MSDU.
    pub fn over(&mut self, slot: Slot, ok: bool) {
        // What is over stands near the front: a window's worth of MPDUs at most.
        let entry = self.tfds.iter_mut().find(|e| e.slot == slot);
        entry.expect("an MSDU of this ring").over = Some(ok);
    }
    /// Takes the next one off the front that is over.
    pub fn pop(&mut self) -> Option<(Slot, bool)> {
        let &Entry { slot, first, over } = self.tfds.front()?;
        let ok = over?;
        self.tfds.pop_front();
        self.used -= u16::from(first);
        Some((slot, ok))
    }
    /// After some were taken off: whether the queue is to be woken.
    pub fn wakes(&self, par: &Params) -> bool {
        self.stopped && par.space(self.used) > par.low_mark()
    }
    /// Takes the next MSDU that waits beside the ring, if the ring has room for it (see [`Ring::push`]): the hardware has it now.
    pub fn refill(&mut self, par: &Params) -> Option<Slot> {
        let &entry = self.overflow.front()?;
        if entry.first {
            if par.space(self.used) < FEWEST {
                return None;
            }
            self.used += 1;
        }
        self.overflow.pop_front();
        self.tfds.push_back(entry);
        Some(entry.slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 255 may be taken. With 223 there are 32 free, no less than an eighth of 256; the next finds 31, and stops the queue. It is woken with more than
    /// 64 free: 190 taken.
    #[test]
    fn marks_of_256() {
        let (par, mut r) = (Params::default(), Ring::default());
        (0..224).for_each(|s| assert!(r.push(s, true, &par)));
        assert!(!r.stopped);
        assert!(r.push(224, true, &par) && r.stopped, "what finds it so is in the ring still");
        for s in 0..35 {
            r.over(s, true);
            assert_eq!(r.pop(), Some((s, true)));
            assert_eq!(r.wakes(&par), s == 34, "{s}");
        }
        assert_eq!(r.used(), 190);
        let wide = Params { tfds: 1_024, ..par };
        assert_eq!((wide.space(1_000), wide.high_mark(), wide.low_mark()), (24, 128, 256));
    }

    /// 253 find a place, and what comes then waits beside it, with the MSDUs of its own.
    #[test]
    fn what_has_no_room_waits_beside_it() {
        let (par, mut r) = (Params::default(), Ring::default());
        (0..253).for_each(|s| assert!(r.push(s, true, &par)));
        assert!(!r.push(253, true, &par) && !r.push(254, false, &par));
        assert_eq!((r.used(), r.overflowed(), r.refill(&par)), (253, 2, None));
        r.over(0, true);
        assert_eq!(
            (r.pop(), r.refill(&par), r.refill(&par), r.refill(&par)),
            (Some((0, true)), Some(253), Some(254), None)
        );
        assert_eq!((r.used(), r.overflowed()), (253, 0));
    }

    /// One that is not over holds back those behind it.
    #[test]
    fn it_is_freed_in_order() {
        let (par, mut r) = (Params::default(), Ring::default());
        for (s, first) in [(7, true), (8, false), (9, true), (3, true)] {
            r.push(s, first, &par);
        }
        r.over(9, true);
        r.over(3, false);
        assert_eq!((r.pop(), r.used()), (None, 3));
        r.over(7, true);
        r.over(8, true);
        assert_eq!(core::iter::from_fn(|| r.pop()).collect::<Vec<_>>(), [(7, true), (8, true), (9, true), (3, false)]);
        assert_eq!(r.used(), 0);
    }
}
