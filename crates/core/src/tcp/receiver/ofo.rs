//! The receiver's out-of-order queue and the SACK blocks that tell of it.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_data_queue_ofo`, `tcp_ooo_try_coalesce`, `tcp_ofo_queue`,
//! `tcp_sack_new_ofo_skb`, `tcp_sack_remove`, `tcp_dsack_set`, `tcp_dsack_extend`; RFC 2018, 2883.
//! Differs: D1 where skbs overlap, a packet is held against the nearest on its left alone (Linux's way down its tree may
//! meet one further left first, which matters where that reaches beyond the nearest; and a FIN alone joins an skb that it
//! meets and that ends there, though what follows has its number already). D2 of page fragments any number is put behind
//! one another; Linux ends an skb at 17 (`MAX_SKB_FRAGS`).

use std::collections::VecDeque;

use crate::sim::Packet;
use crate::tcp::seq::{after, before, later};

/// SACK blocks that the receiver keeps. src: linux@6.12 include/linux/tcp.h TCP_NUM_SACKS
const KEPT: usize = 4;
/// SACK blocks that fit into a header of 40 bytes of options, beside timestamps and alone. src: linux@6.12 net/ipv4/tcp_output.c
/// tcp_established_options
const FIT: (usize, usize) = (3, 4);
/// From so many blocks on a compressed ACK is sent at once, lest a block is lost. src: linux@6.12 TCP_SACK_BLOCKS_EXPECTED
const EXPECTED: usize = 2;

/// A buffer on the queue, and the memory it takes. Neighbours may overlap.
#[derive(Clone, Copy, Debug)]
pub struct Skb {
    /// First sequence number.
    pub seq: u32,
    /// The one behind its last.
    pub end: u32,
    /// Its truesize.
    pub mem: u32,
    /// Pieces in it, or in the last of the buffers whose page fragments were handed on.
    pub tail: u32,
    /// Buffers.
    pub skbs: u32,
    /// Bytes for which its head has room ([`Cost::room`]).
    pub room: u32,
}

/// What a packet costs.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// In a buffer of its own.
    pub mem: u32,
    /// Behind another.
    pub appended: u32,
    /// Of a buffer's room ([`Rcv::room`](super::window::Rcv)); 0: a FIN alone.
    pub pieces: u32,
    /// It is a list of frames, which shares no buffer.
    pub list: bool,
    /// Its head is the allocator's, no page fragment that could be handed on, and has room for so many bytes more.
    pub room: Option<u32>,
}

/// What became of a packet that came early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queued {
    /// The memory that it takes; none: it brought nothing new.
    pub took: Option<u32>,
    /// It was put behind another (`coalesce_done`).
    pub behind: bool,
    /// Memory of those that it covers, which are gone.
    pub freed: u32,
    /// Where it is told of.
    pub told: Told,
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
    /// By their first sequence numbers (`out_of_order_queue`); the last is `ooo_last_skb`.
    skbs: VecDeque<Skb>,
    memory: u32,
    blocks: [(u32, u32); KEPT],
    n: usize,
    dsack: Option<(u32, u32)>,
    /// The peer takes no SACKs (`tcp_is_sack`): what came early or twice is not told.
    mute: bool,
    /// The host does not tell what came twice.
    once: bool,
    /// Blocks that a packet has room for.
    fit: usize,
    /// A duplicate is told of to the end of what it was found by ([`Profile::dsack_far`](crate::tcp::profile::Profile::dsack_far)).
    far: bool,
    /// Where FIN stands, if it came early.
    pub fin: Option<u32>,
}

impl Ofo {
    /// Nothing came yet; `far`: a duplicate is told of to the end of what it was found by.
    pub fn new(far: bool) -> Ofo {
        Ofo { far, fit: FIT.0, ..Ofo::default() }
    }
    /// Nothing came early.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.skbs.is_empty()
    }
    /// Memory that it takes.
    #[inline]
    pub const fn memory(&self) -> u32 {
        self.memory
    }
    /// The skbs, to be collapsed.
    pub fn skbs(&mut self) -> &mut VecDeque<Skb> {
        &mut self.skbs
    }
    /// They take so much more.
    pub fn charge(&mut self, more: i32) {
        self.memory = self.memory.wrapping_add_signed(more);
    }
    /// Gives the last one up, its FIN with it.
    pub fn drop_last(&mut self) {
        if let Some(s) = self.skbs.pop_back() {
            self.memory -= s.mem;
            self.fin = self.fin.filter(|f| f.wrapping_add(1) != s.end);
        }
    }
    /// `tcp_sack_reset`.
    pub fn forget_blocks(&mut self) {
        (self.n, self.dsack) = (0, None);
    }
    /// Blocks to send: SACKs and a DSACK.
    #[inline]
    pub fn blocks(&self) -> u32 {
        if self.n == 0 && self.dsack.is_none() {
            return 0;
        }
        (self.n + usize::from(self.dsack.is_some())).min(self.fit) as u32
    }
    /// Whether a FIN is all that came early.
    pub fn is_lone_fin(&self) -> bool {
        self.fin.is_some_and(|f| self.skbs.len() == 1 && self.skbs[0].seq == f)
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
        self.skbs.clear();
        (self.n, self.memory) = (0, 0);
    }
    /// Whether the peer takes SACKs, and whether packets have timestamps beside them.
    pub const fn tells(&mut self, sacks: bool, timestamps: bool) {
        self.mute = !sacks;
        self.fit = if timestamps { FIT.0 } else { FIT.1 };
    }
    /// What came twice is told (`tcp_dsack`).
    pub const fn tells_twice(&mut self, yes: bool) {
        self.once = !yes;
    }
    /// `tcp_dsack_set`: a duplicate came.
    pub fn set_dsack(&mut self, seq: u32, end: u32) {
        if !self.mute && !self.once {
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
        if self.n == 0 && self.dsack.is_none() {
            return;
        }
        let mut i = 0;
        if let Some(d) = self.dsack.take() {
            p.sack[0] = d;
            i = 1;
        }
        for b in &self.blocks[..self.n] {
            if i == self.fit {
                break;
            }
            p.sack[i] = *b;
            i += 1;
        }
        p.n_sack = i as u8;
    }

    /// `tcp_data_queue_ofo`: a packet [`seq`, `end`) came early; pieces up to `room` share a buffer. It is to be told of yet ([`Ofo::tell`]).
    pub fn insert(&mut self, seq: u32, end: u32, cost: Cost, room: u32) -> Queued {
        let (mut at, mut freed) = (self.skbs.len(), 0);
        let mut covered = at;
        if let Some(last) = self.skbs.back() {
            // The usual one follows the last.
            let inside = before(seq, last.end);
            if let Some(took) = self.try_coalesce(at - 1, seq, end, cost, room) {
                return self.queued(seq, end, Some(took), true, 0);
            }
            if inside {
                at = self.skbs.partition_point(|s| !after(s.seq, seq));
                covered = at;
            }
            if inside && at > 0 {
                let left = self.skbs[at - 1];
                if !before(seq, left.end) {
                    if let Some(took) = self.try_coalesce(at - 1, seq, end, cost, room) {
                        return self.queued(seq, end, Some(took), true, 0);
                    }
                } else if !after(end, left.end) {
                    // All of it is there.
                    self.set_dsack(seq, end);
                    return self.queued(seq, end, None, false, 0);
                } else if after(seq, left.seq) {
                    // It is put beside the one that it overlaps, whole.
                    self.set_dsack(seq, left.end);
                } else {
                    self.extend_dsack(left.seq, left.end);
                    freed += left.mem;
                    at -= 1;
                }
            }
        }
        // merge_right: those that it covers go, but not what lies behind one that reaches further.
        while let Some(&right) = self.skbs.get(covered) {
            if !after(end, right.seq) {
                break;
            }
            let whole = !before(end, right.end);
            self.extend_dsack(right.seq, if whole { right.end } else { end });
            if !whole {
                break;
            }
            freed += right.mem;
            covered += 1;
        }
        let tail = if cost.list { room } else { cost.pieces.max(1) };
        let new = Skb { seq, end, mem: cost.mem, tail, skbs: 1, room: cost.room.unwrap_or(0) };
        if covered > at {
            self.skbs[at] = new;
            self.skbs.drain(at + 1..covered);
        } else {
            self.skbs.insert(at, new);
        }
        self.queued(seq, end, Some(cost.mem), false, freed)
    }

    fn queued(&mut self, seq: u32, end: u32, took: Option<u32>, behind: bool, freed: u32) -> Queued {
        self.memory = self.memory + took.unwrap_or(0) - freed;
        Queued { took, behind, freed, told: self.find(seq, end) }
    }

    /// `tcp_ooo_try_coalesce`: it follows that skb and fits behind its last frame, or its page fragment is handed on
    /// (`skb_try_coalesce`). What it covers behind that is not looked at, and stays. The memory that it takes.
    fn try_coalesce(&mut self, at: usize, seq: u32, end: u32, cost: Cost, room: u32) -> Option<u32> {
        let to = &mut self.skbs[at];
        if to.end != seq || cost.list {
            return None;
        }
        let took = if to.tail + cost.pieces <= room {
            to.tail += cost.pieces;
            cost.appended
        } else if end.wrapping_sub(seq) <= to.room {
            to.room -= end.wrapping_sub(seq);
            0
        } else if room == 1 && cost.room.is_none() {
            to.skbs += 1;
            cost.mem
        } else {
            return None;
        };
        to.end = end;
        to.mem += took;
        Some(took)
    }

    /// `tcp_sack_new_ofo_skb` up to where a compressed ACK may have to go: a block that the newest packet touches grows.
    fn find(&mut self, seq: u32, end: u32) -> Told {
        if self.mute {
            return Told::New(0);
        }
        let n = self.n;
        let grown = self.blocks[..n].iter_mut().position(|b| extend(b, seq, end));
        grown.map_or(Told::New(n), Told::Grown)
    }

    /// The rest of it: the block with the newest packet comes first.
    #[inline]
    pub fn tell(&mut self, told: Told, seq: u32, end: u32) {
        if self.mute {
            return;
        }
        match told {
            Told::Grown(i) => {
                self.blocks[..=i].rotate_right(1);
                self.merge_first();
            }
            Told::New(_) => {
                self.n = (self.n + 1).min(KEPT);
                self.blocks[..self.n].rotate_right(1);
                self.blocks[0] = (seq, end);
            }
        }
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

    /// A round of `tcp_ofo_queue`: takes the first skb if it leaves no hole behind `rcv_nxt`, and tells what came
    /// twice: below `high`, which is `rcv_nxt` before the first round.
    pub fn take(&mut self, rcv_nxt: u32, high: &mut u32) -> Option<Skb> {
        let first = *self.skbs.front().filter(|s| !after(s.seq, rcv_nxt))?;
        if before(first.seq, *high) {
            let end = if before(first.end, *high) { first.end } else { *high };
            self.extend_dsack(first.seq, if self.far { *high } else { end });
            if self.far {
                *high = end; // the kernel's slip: what lies further up is told of by that alone
            }
        }
        self.skbs.pop_front();
        self.memory -= first.mem;
        Some(first)
    }

    /// `tcp_sack_remove`: blocks that are now in order go.
    pub fn remove_blocks(&mut self, rcv_nxt: u32) {
        if self.skbs.is_empty() {
            self.n = 0;
            return;
        }
        let mut kept = 0;
        for i in 0..self.n {
            if before(rcv_nxt, self.blocks[i].0) {
                self.blocks[kept] = self.blocks[i];
                kept += 1;
            }
        }
        self.n = kept;
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

    const FRAME: Cost = Cost { mem: 1, appended: 0, pieces: 1, list: false, room: None };

    /// It comes, and is told of.
    fn told(o: &mut Ofo, seq: u32, end: u32, cost: Cost, per_buffer: u32) -> Queued {
        let q = o.insert(seq, end, cost, per_buffer);
        o.tell(q.told, seq, end);
        q
    }
    /// One whose page fragment is handed on.
    fn insert(o: &mut Ofo, seq: u32, end: u32) -> Queued {
        told(o, seq, end, FRAME, 1)
    }
    /// One that nothing is put behind.
    fn list(o: &mut Ofo, seq: u32, end: u32) -> Queued {
        told(o, seq, end, Cost { list: true, ..FRAME }, 1)
    }
    /// What comes in order to there brings along.
    fn drain(o: &mut Ofo, mut rcv_nxt: u32) -> (u32, u32) {
        let (mut high, mut skbs) = (rcv_nxt, 0);
        while let Some(s) = o.take(rcv_nxt, &mut high) {
            if after(s.end, rcv_nxt) {
                (rcv_nxt, skbs) = (s.end, skbs + s.skbs);
            }
        }
        o.remove_blocks(rcv_nxt);
        (rcv_nxt, skbs)
    }
    fn queue(o: &Ofo) -> Vec<(u32, u32)> {
        o.skbs.iter().map(|s| (s.seq, s.end)).collect()
    }

    #[test]
    fn the_newest_block_comes_first() {
        let mut o = Ofo::new(false);
        for seq in [100, 300, 500] {
            insert(&mut o, seq, seq + 100);
        }
        assert_eq!(&o.blocks[..o.n], [(500, 600), (300, 400), (100, 200)]);
        insert(&mut o, 400, 500);
        assert_eq!(&o.blocks[..o.n], [(300, 600), (100, 200)]);
        assert_eq!(drain(&mut o, 100), (200, 1));
        assert_eq!(&o.blocks[..o.n], [(300, 600)]);
        assert!(o.dsack.is_none());
    }

    #[test]
    fn a_third_block_is_beyond_those_expected_and_a_fifth_pushes_one_out() {
        let mut o = Ofo::new(false);
        let told = [100, 300, 500, 700, 900].map(|seq| insert(&mut o, seq, seq + 100).told);
        assert_eq!(told.map(Told::beyond_expected), [false, false, true, true, true]);
        assert_eq!(told.map(Told::pushes_out), [false, false, false, false, true]);
        // One that grows takes nobody's place, but where it was says how many were told of since.
        let grown = insert(&mut o, 400, 450).told;
        assert_eq!((grown, grown.beyond_expected(), grown.pushes_out()), (Told::Grown(3), true, false));
    }

    #[test]
    fn duplicates_are_told() {
        let mut o = Ofo::new(false);
        insert(&mut o, 100, 300);
        assert!(insert(&mut o, 100, 200).took.is_none());
        assert_eq!(o.dsack, Some((100, 200)));
        o.clear_dsack();
        insert(&mut o, 250, 400);
        assert_eq!(o.dsack, Some((250, 300)));
        // The two overlap, and both are charged.
        assert_eq!((queue(&o), o.memory()), (vec![(100, 300), (250, 400)], 2));
    }

    /// By tcp_data_queue_ofo: what lies within two neighbours, but in neither, is no duplicate to it. It takes memory,
    /// and lets the window grow.
    #[test]
    fn what_no_skb_holds_whole_is_queued() {
        let mut o = Ofo::new(false);
        for (seq, end) in [(2000, 3000), (1000, 2000)] {
            assert_eq!(insert(&mut o, seq, end).took, Some(1));
        }
        assert_eq!((queue(&o), &o.blocks[..o.n]), (vec![(1000, 2000), (2000, 3000)], &[(1000, 3000)][..]));
        let q = insert(&mut o, 1500, 2500);
        assert_eq!((q.took, q.behind, q.freed), (Some(1), false, 0));
        // The left one's end is told first, and grows by what is told of the right one (tcp_dsack_set,
        // tcp_dsack_extend).
        assert_eq!(o.dsack, Some((1500, 2500)));
        assert_eq!((queue(&o), o.memory()), (vec![(1000, 2000), (1500, 2500), (2000, 3000)], 3));
        o.clear_dsack();
        // It is dropped as it joins, if nothing of it is new: here all three bring something.
        assert_eq!(drain(&mut o, 1000), (3000, 3));
        assert_eq!((o.memory(), o.is_empty(), o.n, o.dsack), (0, true, 0, None));
    }

    #[test]
    fn what_is_covered_whole_is_gone() {
        let mut o = Ofo::new(false);
        for (seq, end) in [(900, 1000), (600, 700), (300, 400), (100, 200)] {
            insert(&mut o, seq, end);
        }
        // From the start of one on: that one is replaced, and the next goes, too.
        let q = insert(&mut o, 300, 800);
        assert_eq!((q.took, q.behind, q.freed), (Some(1), false, 2));
        // 600 to 700 does not touch what is told already, and is not told (tcp_dsack_extend).
        assert_eq!(o.dsack, Some((300, 400)));
        assert_eq!((queue(&o), o.memory()), (vec![(100, 200), (300, 800), (900, 1000)], 3));
        // One that reaches further stays.
        o.clear_dsack();
        assert_eq!(insert(&mut o, 850, 950).freed, 0);
        assert_eq!(o.dsack, Some((900, 950)));
        assert_eq!(queue(&o), [(100, 200), (300, 800), (850, 950), (900, 1000)]);
        // One in the midst: the last alone is asked whether it follows, or the one that it lies right of.
        assert!(insert(&mut o, 800, 850).behind);
        assert_eq!(queue(&o), [(100, 200), (300, 850), (850, 950), (900, 1000)]);
    }

    /// A tun device's heads: 1728 bytes of 2 KiB, of which 64 stand before the headers.
    #[test]
    fn the_allocators_heads_take_what_fits_behind_their_last_byte() {
        let mut o = Ofo::new(false);
        let mut put = |seq, end| {
            let q = told(&mut o, seq, end, Cost { room: Some(1624 - (end - seq)), ..FRAME }, 1);
            (q.took, q.behind)
        };
        assert_eq!(put(1000, 2000), (Some(1), false));
        assert_eq!(put(2000, 2500), (Some(0), true));
        assert_eq!(put(2500, 2625), (Some(1), false), "124 bytes are left");
        assert_eq!(put(2625, 4085), (Some(0), true));
        assert_eq!(put(4085, 5085), (Some(1), false));
        assert_eq!(queue(&o), [(1000, 2500), (2500, 4085), (4085, 5085)]);
    }

    /// Pieces are counted, and a FIN alone is none.
    #[test]
    fn a_full_buffer_takes_a_fin() {
        let mut o = Ofo::new(false);
        let cost = |pieces| Cost { mem: 10, appended: pieces, pieces, list: false, room: None };
        assert_eq!(told(&mut o, 100, 300, cost(2), 4).took, Some(10));
        assert_eq!(told(&mut o, 300, 400, cost(1), 4).took, Some(1));
        let own = told(&mut o, 400, 600, cost(2), 4);
        assert_eq!((own.took, own.behind), (Some(10), false), "there is room for one");
        assert_eq!(told(&mut o, 600, 800, cost(2), 4).took, Some(2));
        let fin = told(&mut o, 800, 801, cost(0), 4);
        assert_eq!((fin.took, fin.behind), (Some(0), true));
        assert_eq!((queue(&o), o.memory()), (vec![(100, 400), (400, 801)], 23));
    }

    /// By the sources of 5.15.148 and of 6.1.192: 100 to 500 comes where 200 to 300 and 350 to 400 lie.
    #[test]
    fn once_a_duplicate_went_as_far_as_what_brought_it() {
        for (far, dsack) in [(true, (200, 500)), (false, (200, 300))] {
            let mut o = Ofo::new(far);
            insert(&mut o, 200, 300);
            insert(&mut o, 350, 400);
            assert_eq!(drain(&mut o, 500), (500, 0));
            assert_eq!((o.dsack, o.memory()), (Some(dsack), 0));
            // Of one that reaches further what is new is no duplicate in either.
            let mut o = Ofo::new(far);
            insert(&mut o, 400, 700);
            assert_eq!(drain(&mut o, 500), (700, 1));
            assert_eq!(o.dsack, Some((400, 500)));
        }
    }

    #[test]
    fn what_is_put_behind_another_tells_of_no_duplicate() {
        for (per_buffer, list, dsack, skbs) in [
            (1, false, None, vec![(2001, 3501), (3101, 3501)]),
            (2, false, None, vec![(2001, 3501), (3101, 3501)]),
            (1, true, Some((3101, 3501)), vec![(2001, 3001), (3001, 3501)]),
        ] {
            let mut o = Ofo::new(false);
            for (seq, end) in [(2001, 3001), (3101, 3501), (3001, 3501)] {
                told(&mut o, seq, end, Cost { list, ..FRAME }, per_buffer);
            }
            assert_eq!((o.dsack, &o.blocks[..o.n]), (dsack, &[(2001, 3501)][..]));
            assert_eq!(queue(&o), skbs);
            // What lies behind is dropped as it joins, where it brings nothing.
            assert_eq!(drain(&mut o, 2001).0, 3501);
            assert_eq!(o.memory(), 0);
        }
    }

    #[test]
    fn a_peer_without_sack_is_told_nothing() {
        let mut o = Ofo::new(false);
        o.tells(false, true);
        for (seq, end) in [(100, 200), (300, 400), (150, 350), (100, 200)] {
            insert(&mut o, seq, end);
        }
        o.set_dsack(10, 20);
        assert_eq!((o.blocks(), o.highest_block(), o.dsack), (0, None, None));
        assert_eq!(drain(&mut o, 100), (400, 3));
    }

    proptest! {
        /// The twin: a plain set of segment numbers.
        #[test]
        fn agrees_with_a_plain_set(
            start in any::<u32>(),
            order in proptest::collection::vec((1u32..40, 1u32..4, any::<bool>()), 1..60)
        ) {
            let mut o = Ofo::new(false);
            let mut set = BTreeSet::new();
            let at = |i: u32| start.wrapping_add(i * 10);
            let mut next = 0u32;
            let mut taken = 0;
            for (i, n, apart) in order {
                if i <= next {
                    continue;
                }
                let q = if apart { list(&mut o, at(i), at(i + n)) } else { insert(&mut o, at(i), at(i + n)) };
                let new = (i..i + n).filter(|&k| set.insert(k)).count();
                prop_assert!(new == 0 || q.took.is_some());
                taken = taken + q.took.unwrap_or(0) - q.freed;
                prop_assert_eq!(o.memory(), taken);
                if i % 5 == 0 {
                    // The hole below is filled.
                    next += 1;
                    let in_order = at(next);
                    while set.remove(&next) {
                        next += 1;
                    }
                    prop_assert_eq!(drain(&mut o, in_order).0, at(next));
                    taken = o.memory();
                }
                prop_assert_eq!(o.skbs.iter().map(|s| s.mem).sum::<u32>(), o.memory());
                prop_assert!(o.skbs.iter().zip(o.skbs.iter().skip(1)).all(|(a, b)| before(a.seq, b.seq)));
                let there: BTreeSet<u32> = (next..60)
                    .filter(|&k| o.skbs.iter().any(|s| !after(s.seq, at(k)) && !before(s.end, at(k + 1))))
                    .collect();
                prop_assert_eq!(&there, &set);
                for b in &o.blocks[..o.n] {
                    prop_assert!((next..60).all(|k| set.contains(&k) || before(at(k), b.0) || !before(at(k), b.1)));
                }
            }
        }
    }
}
