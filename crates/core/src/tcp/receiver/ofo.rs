//! The receiver's out-of-order queue and the SACK blocks that tell of it.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_data_queue_ofo`, `tcp_ofo_queue`, `tcp_sack_new_ofo_skb`, `tcp_sack_remove`,
//! `tcp_dsack_set`, `tcp_dsack_extend`; RFC 2018, 2883.
//! Differs: D1 neighbours on the queue are always merged (Linux merges where the memory allows it), which only changes the start of a
//! DSACK that spans several. D2 a compressed ACK that must not wait is sent after the new block is noted, not before.
//! D3 of page fragments any number is put behind one another; Linux ends an skb at 17 (`MAX_SKB_FRAGS`).

use crate::sim::Packet;
use crate::tcp::seq::{after, before, later};

/// SACK blocks that the receiver keeps. src: linux@6.12 include/linux/tcp.h TCP_NUM_SACKS
const KEPT: usize = 4;
/// SACK blocks that fit beside timestamps.
const SENT: usize = 3;
/// From so many blocks on a compressed ACK is sent at once, lest a block is lost. src: linux@6.12 TCP_SACK_BLOCKS_EXPECTED
const EXPECTED: usize = 2;

/// A run of bytes that came early, and the memory it takes.
#[derive(Clone, Copy, Debug)]
struct Run {
    seq: u32,
    end: u32,
    mem: u32,
    /// Frames in its last buffer.
    tail: u32,
    /// Buffers.
    skbs: u32,
}

/// What follows without a hole ([`Ofo::drain`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drained {
    /// Up to there.
    pub end: u32,
    /// Frames in its last buffer.
    pub tail: u32,
    /// Buffers.
    pub skbs: u32,
}

/// Which block the newest packet is told in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// One that was there, at this place.
    Grown(usize),
    /// One of its own, beside so many.
    New(usize),
}

impl Told {
    /// It is, or stands behind, one more than those expected.
    pub const fn beyond_expected(self) -> bool {
        let (Told::Grown(n) | Told::New(n)) = self;
        n >= EXPECTED
    }
    /// Another was given up for it.
    pub const fn pushes_out(self) -> bool {
        matches!(self, Told::New(KEPT))
    }
}

/// The queue and the blocks.
#[derive(Clone, Debug, Default)]
pub struct Ofo {
    runs: Vec<Run>,
    blocks: [(u32, u32); KEPT],
    n: usize,
    dsack: Option<(u32, u32)>,
    /// The peer takes no SACKs (`tcp_is_sack`): what came early or twice is not told.
    mute: bool,
    /// A duplicate is told of to the end of what it was found by ([`Profile::dsack_far`](crate::tcp::profile::Profile::dsack_far)).
    far: bool,
    /// Where FIN stands, if it came early.
    pub fin: Option<u32>,
}

impl Ofo {
    /// Nothing came yet; `far`: a duplicate is told of to the end of what it was found by.
    pub fn new(far: bool) -> Ofo {
        Ofo { far, ..Ofo::default() }
    }
    /// Nothing came early.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
    /// Memory that it takes.
    pub fn memory(&self) -> u32 {
        self.runs.iter().map(|r| r.mem).sum()
    }
    /// Blocks to send: SACKs and a DSACK.
    #[inline]
    pub fn blocks(&self) -> u32 {
        if self.n == 0 && self.dsack.is_none() {
            return 0;
        }
        (self.n + usize::from(self.dsack.is_some())).min(SENT) as u32
    }
    /// Whether a FIN is all that came early.
    pub fn is_lone_fin(&self) -> bool {
        self.fin.is_some_and(|f| self.runs.len() == 1 && self.runs[0].seq == f)
    }
    /// Where the highest block ends.
    pub fn highest_block(&self) -> Option<u32> {
        self.blocks[..self.n].iter().map(|b| b.1).reduce(later)
    }
    /// A duplicate is to be told.
    #[inline]
    pub const fn has_dsack(&self) -> bool {
        self.dsack.is_some()
    }
    /// Forgets the DSACK: a new packet is looked at.
    #[inline]
    pub fn clear_dsack(&mut self) {
        self.dsack = None;
    }
    /// Drops all that came early, and its blocks.
    pub fn purge(&mut self) {
        self.runs.clear();
        self.n = 0;
    }
    /// Whether the peer takes SACKs.
    pub const fn tells(&mut self, sacks: bool) {
        self.mute = !sacks;
    }
    /// `tcp_dsack_set`: a duplicate came.
    pub fn set_dsack(&mut self, seq: u32, end: u32) {
        if !self.mute {
            self.dsack = Some((seq, end));
        }
    }
    fn extend_dsack(&mut self, seq: u32, end: u32) {
        match &mut self.dsack {
            None => self.set_dsack(seq, end),
            Some(d) => {
                extend(d, seq, end);
            }
        }
    }
    /// Puts the blocks into a packet. A DSACK is told once.
    #[inline]
    pub fn put(&mut self, p: &mut Packet) {
        let n = self.blocks();
        if n == 0 {
            return;
        }
        let mut i = 0;
        if let Some(d) = self.dsack.take() {
            p.sack[0] = d;
            i = 1;
        }
        for b in &self.blocks[..self.n] {
            if i == SENT {
                break;
            }
            p.sack[i] = *b;
            i += 1;
        }
        p.n_sack = i as u8;
    }

    /// A packet [`seq`, `end`) came early in a buffer of `mem` bytes; up to `per_buffer` frames share one, which costs those that follow
    /// `appended`, but for a `list` of frames, which shares none. The memory that it takes; none: it brought nothing new. The second: where it is told of.
    pub fn insert(
        &mut self,
        seq: u32,
        end: u32,
        mem: u32,
        per_buffer: u32,
        appended: u32,
        list: bool,
    ) -> (Option<u32>, Told) {
        // The first run that ends at or after the packet's start.
        let i = self.runs.partition_point(|r| before(r.end, seq));
        let mut new = Run { seq, end, mem, tail: if list { per_buffer } else { 1 }, skbs: 1 };
        let (mut taken, mut appends) = (i, false);
        if let Some(r) = self.runs.get(i) {
            if !after(r.seq, seq) && !before(r.end, end) && before(seq, r.end) {
                self.set_dsack(seq, end);
                return (None, self.note(seq, end));
            }
            let room = r.tail < per_buffer;
            // It fits behind the last of them, or its page fragment is handed on (tcp_ooo_try_coalesce).
            appends = r.end == seq && !list && (room || per_buffer == 1);
            if appends && room {
                (new.mem, new.tail, new.skbs) = (appended, r.tail + 1, 0);
            }
        }
        let took = new.mem;
        while let Some(r) = self.runs.get(taken) {
            if after(r.seq, end) {
                break;
            }
            let (lo, hi) = (later(r.seq, seq), if before(r.end, end) { r.end } else { end });
            // What it covers behind it is not looked at where it is put behind another (coalesce_done, which passes merge_right by).
            if before(lo, hi) && !appends {
                self.extend_dsack(lo, hi);
            }
            let r = self.runs[taken];
            new.seq = if before(r.seq, new.seq) { r.seq } else { new.seq };
            if after(r.end, new.end) {
                (new.end, new.tail) = (r.end, r.tail);
            }
            new.mem += r.mem;
            // What it covers whole is gone.
            let covered = !before(r.seq, seq) && !after(r.end, end);
            new.skbs += if covered { 0 } else { r.skbs };
            taken += 1;
        }
        self.runs.splice(i..taken, [new]);
        (Some(took), self.note(seq, end))
    }

    /// `tcp_sack_new_ofo_skb`: the block with the newest packet comes first.
    fn note(&mut self, seq: u32, end: u32) -> Told {
        if self.mute {
            return Told::New(0);
        }
        for i in 0..self.n {
            if extend(&mut self.blocks[i], seq, end) {
                self.blocks[..=i].rotate_right(1);
                self.merge_first();
                return Told::Grown(i);
            }
        }
        let beside = self.n;
        self.n = (self.n + 1).min(KEPT);
        self.blocks[..self.n].rotate_right(1);
        self.blocks[0] = (seq, end);
        Told::New(beside)
    }

    /// `tcp_sack_maybe_coalesce`: the first block may have grown into others.
    fn merge_first(&mut self) {
        let mut i = 1;
        while i < self.n {
            let (s, e) = self.blocks[i];
            if extend(&mut self.blocks[0], s, e) {
                self.blocks.copy_within(i + 1..self.n, i);
                self.n -= 1;
            } else {
                i += 1;
            }
        }
    }

    /// `tcp_ofo_queue`: everything up to `rcv_nxt` came in order; what follows without a hole?
    pub fn drain(&mut self, mut rcv_nxt: u32) -> Drained {
        let mut high = rcv_nxt;
        let (mut tail, mut skbs) = (0, 0);
        let mut n = 0;
        while let Some(&r) = self.runs.get(n) {
            if after(r.seq, rcv_nxt) {
                break;
            }
            if before(r.seq, high) {
                let end = if before(r.end, high) { r.end } else { high };
                self.extend_dsack(r.seq, if self.far { high } else { end });
                if self.far {
                    high = end; // the kernel's slip: what lies further up is told of by that alone
                }
            }
            rcv_nxt = later(rcv_nxt, r.end);
            tail = r.tail;
            skbs += r.skbs;
            n += 1;
        }
        self.runs.drain(..n);
        // Blocks that are now in order (tcp_sack_remove).
        if self.runs.is_empty() {
            self.n = 0;
        } else {
            let mut kept = 0;
            for i in 0..self.n {
                if before(rcv_nxt, self.blocks[i].0) {
                    self.blocks[kept] = self.blocks[i];
                    kept += 1;
                }
            }
            self.n = kept;
        }
        Drained { end: rcv_nxt, tail, skbs }
    }
}

/// `tcp_sack_extend`: grows a block by what touches it.
fn extend(b: &mut (u32, u32), seq: u32, end: u32) -> bool {
    if after(seq, b.1) || after(b.0, end) {
        return false;
    }
    if before(seq, b.0) {
        b.0 = seq;
    }
    b.1 = later(b.1, end);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_newest_block_comes_first() {
        let mut o = Ofo::default();
        o.insert(100, 200, 1, 1, 0, false);
        o.insert(300, 400, 1, 1, 0, false);
        o.insert(500, 600, 1, 1, 0, false);
        assert_eq!(&o.blocks[..o.n], [(500, 600), (300, 400), (100, 200)]);
        o.insert(400, 500, 1, 1, 0, false);
        assert_eq!(&o.blocks[..o.n], [(300, 600), (100, 200)]);
        assert_eq!(o.drain(100), Drained { end: 200, tail: 1, skbs: 1 });
        assert_eq!(&o.blocks[..o.n], [(300, 600)]);
        assert!(o.dsack.is_none());
    }

    #[test]
    fn a_third_block_is_beyond_those_expected_and_a_fifth_pushes_one_out() {
        let mut o = Ofo::default();
        let told = [100, 300, 500, 700, 900].map(|seq| o.insert(seq, seq + 100, 1, 1, 0, false).1);
        assert_eq!(told.map(Told::beyond_expected), [false, false, true, true, true]);
        assert_eq!(told.map(Told::pushes_out), [false, false, false, false, true]);
        // One that grows takes nobody's place, but where it was says how many were told of since.
        let grown = o.insert(400, 450, 1, 1, 0, false).1;
        assert_eq!((grown, grown.beyond_expected(), grown.pushes_out()), (Told::Grown(3), true, false));
    }

    #[test]
    fn duplicates_are_told() {
        let mut o = Ofo::default();
        o.insert(100, 300, 1, 1, 0, false);
        assert!(o.insert(100, 200, 1, 1, 0, false).0.is_none());
        assert_eq!(o.dsack, Some((100, 200)));
        o.clear_dsack();
        o.insert(250, 400, 1, 1, 0, false);
        assert_eq!(o.dsack, Some((250, 300)));
    }

    /// By the sources of 5.15.148 and of 6.1.192: 100 to 500 comes where 200 to 300 and 350 to 400 lie.
    #[test]
    fn once_a_duplicate_went_as_far_as_what_brought_it() {
        for (far, dsack) in [(true, (200, 500)), (false, (200, 300))] {
            let mut o = Ofo::new(far);
            o.insert(200, 300, 1, 1, 0, false);
            o.insert(350, 400, 1, 1, 0, false);
            assert_eq!(o.drain(500).end, 500);
            assert_eq!(o.dsack, Some(dsack));
            // Of one that reaches further what is new is no duplicate in either.
            let mut o = Ofo::new(far);
            o.insert(400, 700, 1, 1, 0, false);
            assert_eq!(o.drain(500).end, 700);
            assert_eq!(o.dsack, Some((400, 500)));
        }
    }

    #[test]
    fn what_is_put_behind_another_tells_of_no_duplicate() {
        for (per_buffer, list, dsack) in [(1, false, None), (2, false, None), (1, true, Some((3101, 3501)))] {
            let mut o = Ofo::default();
            for (seq, end) in [(2001, 3001), (3101, 3501), (3001, 3501)] {
                o.insert(seq, end, 1, per_buffer, 0, list);
            }
            assert_eq!((o.dsack, &o.blocks[..o.n]), (dsack, &[(2001, 3501)][..]));
        }
    }

    #[test]
    fn a_peer_without_sack_is_told_nothing() {
        let mut o = Ofo::default();
        o.tells(false);
        for (seq, end) in [(100, 200), (300, 400), (150, 350), (100, 200)] {
            o.insert(seq, end, 1, 1, 0, false);
        }
        o.set_dsack(10, 20);
        assert_eq!((o.blocks(), o.highest_block(), o.dsack), (0, None, None));
        assert_eq!(o.drain(100), Drained { end: 400, tail: 1, skbs: 3 });
    }

    proptest! {
        /// The twin: a plain set of segment numbers.
        #[test]
        fn agrees_with_a_plain_set(start in any::<u32>(), order in proptest::collection::vec(1u32..40, 1..60)) {
            let mut o = Ofo::default();
            let mut set = BTreeSet::new();
            let at = |i: u32| start.wrapping_add(i * 10);
            let mut next = 0u32;
            for i in order {
                if i < next || !set.insert(i) {
                    continue;
                }
                prop_assert!(o.insert(at(i), at(i + 1), 1, 1, 0, false).0.is_some());
                if i % 5 == 0 {
                    // The hole below is filled.
                    set.remove(&next);
                    next += 1;
                    let in_order = at(next);
                    while set.remove(&next) {
                        next += 1;
                    }
                    let nxt = o.drain(in_order).end;
                    prop_assert_eq!(nxt, at(next));
                }
                let runs = set.iter().filter(|&&k| k == 0 || !set.contains(&(k - 1))).count();
                prop_assert_eq!(o.runs.len(), runs);
                prop_assert_eq!(o.runs.iter().map(|r| r.mem).sum::<u32>() as usize, set.len());
                for b in &o.blocks[..o.n] {
                    prop_assert!(o.runs.iter().any(|r| !after(r.seq, b.0) && !before(r.end, b.1)));
                }
            }
        }
    }
}
