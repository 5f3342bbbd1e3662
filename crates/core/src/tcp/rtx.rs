//! The retransmission queue: what was sent and is not yet cumulatively acknowledged, one entry a segment, in two orders.
//!
//! Stands for: Linux 6.12 `sk->tcp_rtx_queue` (by sequence) and `tp->tsorted_sent_queue` (by time of sending, without what is SACKed or
//! was marked lost by RACK).
//! Differs: D1 an entry is one segment, not one skb; segments that were sent in one skb share its number. Linux splits skbs at segment
//! boundaries wherever a SACK or a retransmission needs it, so the marks fall the same; SACKed neighbours are merged by giving
//! them one number (input/sack.rs), and an skb whose head was acknowledged has its segments cut anew (output/cut.rs). Short ones that
//! are sent again together become one entry (recovery/collapse.rs).
//!
//! Entries are addressed by a number that counts up (and wraps) for the life of the connection, so that removal at the head moves none. The
//! number also says where an entry stands: in that slot of a ring whose size is a power of two.

use super::seq::after;
use crate::sim::flags;

/// Marks of a segment. src: linux@6.12 include/net/tcp.h TCPCB_*
pub mod tag {
    /// SACKed.
    pub const SACKED: u8 = 1;
    /// A retransmission of it is in flight.
    pub const RETRANS: u8 = 2;
    /// Deemed lost.
    pub const LOST: u8 = 4;
    /// It was retransmitted at some time.
    pub const EVER: u8 = 0x80;
    /// Either of the two.
    pub const ANY_RETRANS: u8 = RETRANS | EVER;
}

/// No entry.
const NONE: u32 = u32::MAX;

/// A segment.
#[derive(Clone, Copy, Debug)]
pub struct Seg {
    /// First sequence number.
    pub seq: u32,
    /// One past its last (a SYN or FIN counts).
    pub end_seq: u32,
    /// When it was last sent, nanoseconds (`skb_mstamp_ns`).
    pub sent_ns: u64,
    /// `first_tx_mstamp` when it was sent, microseconds.
    pub first_tx_us: u64,
    /// `delivered_mstamp` when it was sent, microseconds; 0 once its rate sample was taken.
    pub delivered_us: u64,
    /// `delivered` when it was sent.
    pub delivered: u32,
    /// `delivered_ce` when it was sent.
    pub delivered_ce: u32,
    /// `lost` when it was sent.
    pub tx_lost: u32,
    /// In flight when it was sent, itself included, segments; 65535: that or more.
    pub tx_in_flight: u16,
    /// From `snd_una` to the end of its skb when that was first sent, bytes (`tx.in_flight` before 5.16).
    pub flight: u32,
    /// Number of the skb it was sent in.
    pub skb: u32,
    prev: u32,
    next: u32,
    /// Its marks.
    pub tags: u8,
    /// TCP flags (SYN, FIN, PSH).
    pub flags: u8,
    /// The application did not fill the pipe when it was sent.
    pub app_limited: bool,
    /// Copies of it in this host's queues and devices that are clones of its skb: TCP sees them (`skb_fclone_busy`).
    pub in_host: u8,
    /// Copies there that the stack has made by cutting up a clone: TCP does not.
    pub cut: u8,
    /// Nothing may follow it in a segment (`MSG_EOR`).
    pub eor: bool,
    listed: bool,
}

impl Seg {
    /// A segment that was just sent.
    pub const fn new(seq: u32, end_seq: u32, flags: u8, skb: u32) -> Seg {
        Seg {
            seq,
            end_seq,
            sent_ns: 0,
            first_tx_us: 0,
            delivered_us: 0,
            delivered: 0,
            delivered_ce: 0,
            tx_lost: 0,
            tx_in_flight: 0,
            flight: 0,
            skb,
            prev: NONE,
            next: NONE,
            tags: 0,
            flags,
            app_limited: false,
            in_host: 0,
            cut: 0,
            eor: false,
            listed: false,
        }
    }
    /// When it was last sent, microseconds.
    #[inline]
    pub const fn sent_us(&self) -> u64 {
        self.sent_ns / 1_000
    }
    /// Whether any of these marks is set.
    #[inline]
    pub const fn has(&self, tags: u8) -> bool {
        self.tags & tags != 0
    }
    /// SACKed, and nothing else is thought of it.
    #[inline]
    pub const fn plainly_sacked(&self) -> bool {
        self.tags & (tag::SACKED | tag::RETRANS | tag::LOST) == tag::SACKED
    }
    /// Bytes of payload.
    #[inline]
    pub const fn data(&self) -> u32 {
        self.len() - (self.flags & flags::FIN != 0) as u32
    }
    /// Sequence numbers that it takes.
    #[inline]
    pub const fn len(&self) -> u32 {
        self.end_seq.wrapping_sub(self.seq)
    }
}

/// The queue.
#[derive(Clone, Debug)]
pub struct Rtx {
    /// Each entry in the slot of its number, modulo their number.
    slots: Vec<Seg>,
    /// Number of the first entry.
    base: u32,
    /// Number after the last.
    end: u32,
    /// Sent the longest ago.
    oldest: u32,
    /// Sent last.
    newest: u32,
}

impl Default for Rtx {
    fn default() -> Self {
        Rtx { slots: vec![Seg::new(0, 0, 0, 0); 64], base: 0, end: 0, oldest: NONE, newest: NONE }
    }
}

impl Rtx {
    /// Segments in it.
    #[inline]
    pub const fn len(&self) -> u32 {
        self.end.wrapping_sub(self.base)
    }
    /// Nothing in it.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.end == self.base
    }
    #[inline]
    fn slot(&self, id: u32) -> usize {
        id as usize & (self.slots.len() - 1)
    }
    /// Number of the first segment.
    #[inline]
    pub const fn first(&self) -> u32 {
        self.base
    }
    /// Number after the last segment.
    #[inline]
    pub const fn end(&self) -> u32 {
        self.end
    }
    /// Whether `id` is in it.
    #[inline]
    pub fn contains(&self, id: u32) -> bool {
        id.wrapping_sub(self.base) < self.len()
    }
    /// The first segment.
    #[inline]
    pub fn head(&self) -> Option<&Seg> {
        (!self.is_empty()).then(|| self.get(self.base))
    }
    /// Segment `id`, which must be in it.
    #[inline]
    pub fn get(&self, id: u32) -> &Seg {
        debug_assert!(self.contains(id));
        &self.slots[self.slot(id)]
    }
    /// Segment `id`, which must be in it.
    #[inline]
    pub fn get_mut(&mut self, id: u32) -> &mut Seg {
        debug_assert!(self.contains(id));
        let slot = self.slot(id);
        &mut self.slots[slot]
    }
    /// Adds a segment that was just sent; its number.
    pub fn push(&mut self, seg: Seg) -> u32 {
        self.push_like(&seg);
        self.end.wrapping_sub(1)
    }
    /// The same, where it stands: what is not as in `seg` is written there.
    #[inline]
    pub fn push_like(&mut self, seg: &Seg) -> &mut Seg {
        let id = self.put(seg);
        self.append(id)
    }
    #[inline]
    fn put(&mut self, seg: &Seg) -> u32 {
        if self.len() as usize == self.slots.len() {
            self.grow();
        }
        let (id, slot) = (self.end, self.slot(self.end));
        self.slots[slot] = *seg;
        self.end = id.wrapping_add(1);
        id
    }
    /// Twice as many slots.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let (n, full) = (self.slots.len(), self.slots.clone());
        self.slots.extend_from_slice(&full);
        // Of the two slots that an entry could be in, both have it now; which one it is its number says.
        debug_assert!(self.slots.len() == 2 * n && n.is_power_of_two());
    }
    /// `tcp_fragment`: cuts segment `id` behind `len` bytes. Numbers of what lies behind it grow by one.
    pub fn split(&mut self, id: u32, len: u32) {
        let (base, behind) = (self.base, id.wrapping_sub(self.base));
        let moved = move |n: u32| if n != NONE && n.wrapping_sub(base) > behind { n.wrapping_add(1) } else { n };
        for s in self.iter_mut() {
            (s.prev, s.next) = (moved(s.prev), moved(s.next));
        }
        (self.oldest, self.newest) = (moved(self.oldest), moved(self.newest));
        let mut second = *self.get(id);
        let first = self.get_mut(id);
        first.end_seq = first.seq.wrapping_add(len);
        (first.flags, first.eor) = (0, false);
        second.seq = first.end_seq;
        let new = id.wrapping_add(1);
        if first.listed {
            (second.prev, first.next) = (id, new);
        }
        let next = second.next;
        let mut last = self.put(&second);
        while last != new {
            *self.get_mut(last) = *self.get(last.wrapping_sub(1));
            last = last.wrapping_sub(1);
        }
        *self.get_mut(new) = second;
        if second.listed {
            if next == NONE {
                self.newest = new;
            } else {
                self.get_mut(next).prev = new;
            }
        }
    }
    /// Whether the segment behind `id` is of the same skb, and nothing else is thought of it.
    pub fn joins(&self, id: u32) -> bool {
        let next = id.wrapping_add(1);
        self.contains(next) && self.get(next).skb == self.get(id).skb && self.get(next).tags == self.get(id).tags
    }
    /// Makes it and `id` one segment. Numbers of what lies behind it shrink by one.
    pub fn join(&mut self, id: u32) {
        let gone = id.wrapping_add(1);
        self.unlist(gone);
        let (base, behind) = (self.base, gone.wrapping_sub(self.base));
        let second = *self.get(gone);
        self.end = self.end.wrapping_sub(1);
        for k in behind..self.len() {
            let to = self.slot(base.wrapping_add(k));
            self.slots[to] = self.slots[self.slot(base.wrapping_add(k + 1))];
        }
        let moved = move |n: u32| if n != NONE && n.wrapping_sub(base) > behind { n.wrapping_sub(1) } else { n };
        for s in self.iter_mut() {
            (s.prev, s.next) = (moved(s.prev), moved(s.next));
        }
        (self.oldest, self.newest) = (moved(self.oldest), moved(self.newest));
        let first = self.get_mut(id);
        first.end_seq = second.end_seq;
        first.flags |= second.flags;
        first.eor = second.eor;
    }
    /// Takes the first segment out.
    #[inline]
    pub fn pop(&mut self) -> Option<Seg> {
        let gone = *self.head()?;
        self.unlist(self.base);
        self.base = self.base.wrapping_add(1);
        Some(gone)
    }
    fn last(&self) -> Option<&Seg> {
        (!self.is_empty()).then(|| self.get(self.end.wrapping_sub(1)))
    }
    /// Where the skb that was sent last begins.
    pub fn last_skb_begins(&self) -> Option<u32> {
        let last = self.last()?;
        let backwards = (0..self.len()).rev().map(|k| self.get(self.base.wrapping_add(k)));
        backwards.take_while(|s| s.skb == last.skb).last().map(|s| s.seq)
    }
    /// Whether all that is in it was sent in one skb, or nothing is.
    #[inline]
    pub fn at_most_one_skb(&self) -> bool {
        match (self.head(), self.last()) {
            (Some(a), Some(b)) => a.skb == b.skb,
            _ => true,
        }
    }
    /// Number of the segment that holds `seq`, or of the first after it.
    #[inline]
    pub fn find(&self, seq: u32) -> u32 {
        // Nearly all segments are as long as the first, which tells where this one would be.
        if let Some(h) = self.head() {
            let guess = self.base.wrapping_add(seq.wrapping_sub(h.seq) / h.len().max(1));
            let there = self.contains(guess).then(|| self.get(guess));
            if there.is_some_and(|s| !after(s.seq, seq) && after(s.end_seq, seq)) {
                return guess;
            }
        }
        let (mut before, mut at_most) = (0, self.len());
        while before < at_most {
            let half = before + (at_most - before) / 2;
            let left = !after(self.get(self.base.wrapping_add(half)).end_seq, seq);
            (before, at_most) = if left { (half + 1, at_most) } else { (before, half) };
        }
        self.base.wrapping_add(before)
    }
    /// All segments.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Seg> {
        let (n, first) = (self.len() as usize, self.slot(self.base));
        let (wrapped, front) = self.slots.split_at_mut(first);
        front.iter_mut().chain(wrapped).take(n)
    }

    /// The segment that was sent the longest ago, of those that are listed.
    pub fn oldest_sent(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }
    /// The listed segment that was sent next after `id`.
    pub fn sent_after(&self, id: u32) -> Option<u32> {
        let n = self.get(id).next;
        (n != NONE).then_some(n)
    }
    /// Takes `id` off the list by time.
    #[inline]
    pub fn unlist(&mut self, id: u32) {
        let s = self.get_mut(id);
        if !s.listed {
            return;
        }
        s.listed = false;
        let (p, n) = (s.prev, s.next);
        if p == NONE {
            self.oldest = n;
        } else {
            self.get_mut(p).next = n;
        }
        if n == NONE {
            self.newest = p;
        } else {
            self.get_mut(n).prev = p;
        }
    }
    /// Puts `id` at the end of the list by time: it was just sent.
    pub fn list_tail(&mut self, id: u32) {
        self.unlist(id);
        self.append(id);
    }
    /// The same of one that is not on the list.
    #[inline]
    fn append(&mut self, id: u32) -> &mut Seg {
        let newest = core::mem::replace(&mut self.newest, id);
        if newest == NONE {
            self.oldest = id;
        } else {
            self.get_mut(newest).next = id;
        }
        let s = self.get_mut(id);
        (s.listed, s.prev, s.next) = (true, newest, NONE);
        s
    }
}

/// `tcp_skb_sent_after`: whether (`t1`, `seq1`) was sent after (`t2`, `seq2`); times in microseconds.
#[inline]
pub const fn sent_after(t1: u64, t2: u64, seq1: u32, seq2: u32) -> bool {
    t1 > t2 || (t1 == t2 && after(seq1, seq2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(n: u32, start: u32) -> Rtx {
        let mut r = Rtx::default();
        for i in 0..n {
            let s = start.wrapping_add(i * 100);
            r.push(Seg::new(s, s.wrapping_add(100), 0, i / 2));
        }
        r
    }

    #[test]
    fn finds_across_the_wrap_of_sequence_numbers() {
        let r = filled(10, u32::MAX - 449);
        assert_eq!(r.find(u32::MAX - 449), 0);
        assert_eq!(r.find(u32::MAX), 4);
        assert_eq!(r.find(49), 4);
        assert_eq!(r.find(50), 5);
        assert_eq!(r.find(550), 10, "past the end");
    }

    #[test]
    fn the_list_by_time_follows_retransmissions_and_removals() {
        let mut r = filled(5, 0);
        r.list_tail(1);
        r.unlist(3);
        let order = |r: &Rtx| {
            let mut v = vec![];
            let mut at = r.oldest_sent();
            while let Some(id) = at {
                v.push(id);
                at = r.sent_after(id);
            }
            v
        };
        assert_eq!(order(&r), [0, 2, 4, 1]);
        r.pop();
        assert_eq!(order(&r), [2, 4, 1]);
        r.list_tail(3);
        assert_eq!(order(&r), [2, 4, 1, 3]);
        r.pop();
        r.pop();
        assert_eq!(order(&r), [4, 3]);
        assert!(!r.at_most_one_skb());
        r.pop();
        assert!(r.at_most_one_skb());
        assert_eq!(r.pop().map(|s| s.seq), Some(400));
        assert!(r.pop().is_none() && r.at_most_one_skb() && r.oldest_sent().is_none());
    }

    #[test]
    fn a_segment_that_is_cut_has_both_its_parts_in_both_orders() {
        let mut r = filled(4, 0);
        r.list_tail(0);
        for (id, len) in [(1, 30), (2, 30), (0, 50), (6, 1)] {
            r.split(id, len);
        }
        let seqs: Vec<u32> = (0..r.len()).map(|i| r.get(i).seq).collect();
        assert_eq!(seqs, [0, 50, 100, 130, 160, 200, 300, 301]);
        assert!((1..r.len()).all(|i| r.get(i - 1).end_seq == r.get(i).seq));
        let mut order = vec![];
        let mut at = r.oldest_sent();
        while let Some(id) = at {
            order.push(r.get(id).seq);
            at = r.sent_after(id);
        }
        assert_eq!(order, [100, 130, 160, 200, 300, 301, 0, 50]);
        r.list_tail(3);
        r.unlist(1);
        assert_eq!(r.sent_after(0), Some(3));
        // Segments 0 to 1 were one skb, and are one again.
        while r.joins(0) {
            r.join(0);
        }
        let mut order = vec![];
        let mut at = r.oldest_sent();
        while let Some(id) = at {
            order.push((r.get(id).seq, r.get(id).end_seq));
            at = r.sent_after(id);
        }
        assert_eq!(order, [(200, 300), (300, 301), (301, 400), (0, 200)]);
    }
}
