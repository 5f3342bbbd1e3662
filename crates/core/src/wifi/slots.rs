//! What a reorder buffer holds: frames by number, behind what has gone up. When holes are given up is its owner's
//! ([`reorder`](super::reorder), mac80211's; [`mt76`](crate::driver::mt76::reorder)'s own).
//!
//! Stands for: what ieee80211_sta_manage_reorder_buf (linux@6.12 net/mac80211/rx.c) and mt76_rx_aggr_reorder (mediatek/mt76/agg-rx.c) have in
//! common.

use super::amsdu::MSDUS;
use super::seq::Seq;
use crate::sim::{Bitmap, Packet};

/// Frames, and when each came, in the owner's own clock. It allocates once, when the agreement begins.
#[derive(Clone, Debug)]
pub struct Slots<T> {
    head: Seq,
    size: u16,
    /// Slots in use.
    stored: Bitmap,
    /// By number, modulo their count, a power of two.
    slots: Vec<(Packet, T)>,
    /// The further MSDUs of A-MSDUs, by slot: none until the first A-MSDU comes.
    more: Vec<Vec<Packet>>,
}

impl<T: Copy + Default> Slots<T> {
    /// For `size` (1 to 256) frames; `head` is waited for first.
    pub fn new(head: Seq, size: u16) -> Slots<T> {
        use crate::sim::{FlowId, Kind, NodeId};
        assert!((1..=Bitmap::COUNT as u16).contains(&size), "a reorder buffer of {size}");
        let blank = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(0));
        let slots = vec![(blank, T::default()); usize::from(size).next_power_of_two()];
        Slots { head, size, stored: Bitmap::NONE, slots, more: Vec::new() }
    }
    /// What is waited for.
    #[inline]
    pub const fn head(&self) -> Seq {
        self.head
    }
    /// Frames that it has room for.
    pub const fn size(&self) -> u16 {
        self.size
    }
    /// Whether it holds nothing.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.stored.is_empty()
    }
    /// Packets in it.
    pub fn held(&self) -> u32 {
        self.stored.len() as u32 + self.more.iter().map(|m| m.len() as u32).sum::<u32>()
    }
    #[inline]
    fn slot(&self, seq: Seq) -> usize {
        usize::from(seq.get()) & (self.slots.len() - 1)
    }
    /// When frame `seq` came, if it is here.
    pub fn came(&self, seq: Seq) -> Option<T> {
        let slot = self.slot(seq);
        self.stored.has(slot).then(|| self.slots[slot].1)
    }
    /// When the first frame that is here came.
    pub fn first_came(&self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        // What is stored lies within the size of the head: behind the last slot comes the first.
        Some(self.slots[self.stored.next_from(self.slot(self.head))?].1)
    }
    /// Frame `seq` comes. Where it is waited for and nothing else is here, it is the caller's, and the next is waited for; else nothing
    /// is done, and the answer is false.
    #[inline]
    pub fn take_next(&mut self, seq: Seq) -> bool {
        let next = seq == self.head && self.is_empty();
        if next {
            self.head = seq.plus(1);
        }
        next
    }
    /// The frame that is waited for goes up, with `more` MSDUs behind the first.
    #[inline]
    pub fn pass(&mut self, p: &Packet, more: &[Packet], up: &mut impl FnMut(&Packet)) {
        self.head = self.head.plus(1);
        up(p);
        more.iter().for_each(up);
    }
    /// Keeps a frame that came at `when`. One beyond the window moves that, and `up` gets what is then before it. False: it was a duplicate,
    /// or too old.
    pub fn keep(&mut self, when: T, seq: Seq, p: &Packet, more: &[Packet], up: &mut impl FnMut(&Packet)) -> bool {
        if seq.before(self.head) {
            return false;
        }
        if !seq.before(self.head.plus(self.size)) {
            self.release_to(seq.minus(self.size).plus(1), up);
        }
        let slot = self.slot(seq);
        if self.stored.has(slot) {
            return false;
        }
        self.stored.put(slot);
        self.slots[slot] = (*p, when);
        if !more.is_empty() {
            if self.more.is_empty() {
                self.more.resize_with(self.slots.len(), || Vec::with_capacity(MSDUS - 1));
            }
            self.more[slot].extend_from_slice(more);
        }
        true
    }
    /// Releases from the head on to the next hole. Answers whether anything was.
    pub fn run(&mut self, up: &mut impl FnMut(&Packet)) -> bool {
        let first = self.head;
        while self.stored.has(self.slot(self.head)) {
            self.pop(up);
        }
        self.head != first
    }
    /// Gives up what is missing before the first frame that is here; there must be one.
    pub fn skip_hole(&mut self) {
        while !self.stored.has(self.slot(self.head)) {
            self.head = self.head.plus(1);
        }
    }
    /// Moves the head to `seq` and lets out what was stored before it.
    pub fn release_to(&mut self, seq: Seq, up: &mut impl FnMut(&Packet)) {
        while self.head.before(seq) {
            if self.stored.is_empty() {
                self.head = seq;
                return;
            }
            self.pop(up);
        }
    }
    fn pop(&mut self, up: &mut impl FnMut(&Packet)) {
        let slot = self.slot(self.head);
        if self.stored.has(slot) {
            self.stored.take(slot);
            up(&self.slots[slot].0);
            if let Some(more) = self.more.get_mut(slot) {
                more.drain(..).for_each(|p| up(&p));
            }
        }
        self.head = self.head.plus(1);
    }
}
