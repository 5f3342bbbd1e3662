//! Where queued skbs hold more memory than payload, what is made of them when all take more than the buffer, and which of those that came
//! early are given up then.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_collapse`, `tcp_collapse_ofo_queue`, `tcp_prune_ofo_queue`; what older kernels do otherwise
//! is in their profiles.
//! Differs: D1 what came from no tun device is read all or nothing, so that the receive queue begins where it was empty; what has come early and
//! joined it is taken for well packed there.

use std::collections::VecDeque;

use super::ofo::Skb;
use super::packing::Packing;
use super::window::Rcv;
use crate::tcp::profile::Prune;
use crate::tcp::seq::{after, before, later};
use crate::tcp::truesize;

/// Payload of an skb of a page that is copied into. src: linux@6.12 include/linux/skbuff.h SKB_MAX_ORDER(0, 0)
const PIECE: u32 = 4096 - 320;

impl Rcv {
    /// Another skb follows in the receive queue, of `len` bytes and truesize `mem`.
    #[inline]
    pub(super) fn pack(&mut self, len: u32, mem: u32) {
        let last = self.packing;
        let wasted = last.wasted.or_else(|| self.last_wasted());
        self.packing = Packing { len, mem, before: last.before + last.mem, wasted };
    }

    /// The last skb, if it has more memory than payload.
    fn last_wasted(&self) -> Option<(u32, u32)> {
        let last = self.packing;
        (self.window_of(last.mem) > last.len).then(|| (self.rcv_nxt.wrapping_sub(last.len), last.before))
    }

    /// What `tcp_prune_queue` collapses: what came early, then the receive queue.
    #[cold]
    pub fn collapse(&mut self) {
        self.collapse_early();
        if let Some(mut line) = self.tun.take() {
            let skbs = line.skbs();
            let all = skbs.len();
            let (left, mem) = self.collapse_range(skbs, 0, all, self.copied_seq, self.rcv_nxt, None);
            (self.rmem_alloc, self.skbs) = (self.rmem_alloc.wrapping_add_signed(mem), left as u32);
            if mem != 0 {
                line.is_new();
            }
            self.tun = Some(line);
        } else {
            self.collapse_queue();
        }
    }

    /// `tcp_collapse_ofo_queue`: each run of neighbours of its own.
    fn collapse_early(&mut self) {
        let (mut skbs, fin) = (std::mem::take(self.ofo.skbs()), self.ofo.fin);
        let (mut head, mut tiny, mut saved) = (0, 0, 0);
        while let Some(&first) = skbs.get(head) {
            let (mut start, mut end, mut mem, mut tail) = (first.seq, first.end, first.mem, head + 1);
            while let Some(s) = skbs.get(tail).filter(|s| !after(s.seq, end) && !before(s.end, start)) {
                mem += s.mem;
                start = if before(s.seq, start) { s.seq } else { start };
                end = later(end, s.end);
                tail += 1;
            }
            if mem != first.mem || end.wrapping_sub(start) >= PIECE || !self.profile.prune.spares_tiny() {
                let (behind, more) = self.collapse_range(&mut skbs, head, tail, start, end, fin);
                (head, saved) = (behind, saved + more);
            } else {
                tiny += mem;
                if tiny > self.rcvbuf >> 3 {
                    break;
                }
                head = tail;
            }
        }
        *self.ofo.skbs() = skbs;
        self.ofo.charge(saved);
        self.rmem_alloc = self.rmem_alloc.wrapping_add_signed(saved);
    }

    /// `tcp_collapse`: of the skbs from `head` to before `tail`, which hold `start` to `end`, the first that is worth it and those behind it are
    /// copied into skbs of a page each, up to the one with the `fin`. Where those behind `tail` are now, and the memory that it takes more.
    fn collapse_range(
        &self,
        skbs: &mut VecDeque<Skb>,
        head: usize,
        tail: usize,
        start: u32,
        end: u32,
        fin: Option<u32>,
    ) -> (usize, i32) {
        let (mut at, mut tail, mut start, mut more) = (head, tail, start, 0);
        let ends = |s: &Skb| fin.is_some_and(|f| s.end == f.wrapping_add(1));
        let bytes = |s: &Skb| s.end.wrapping_sub(s.seq) - u32::from(ends(s));
        loop {
            if at == tail {
                return (tail, more);
            }
            let s = skbs[at];
            if !before(start, s.end) {
                // No new bits.
                skbs.remove(at);
                (tail, more) = (tail - 1, more - s.mem as i32);
                continue;
            }
            let bloated = self.window_of(s.mem) > bytes(&s) || before(s.seq, start);
            if (bloated && !ends(&s)) || (at + 1 < tail && skbs[at + 1].seq != s.end) {
                break;
            }
            start = s.end;
            at += 1;
        }
        if ends(&skbs[at]) {
            return (tail, more);
        }
        let mut made = Vec::new();
        while before(start, end) && at < tail && !ends(&skbs[at]) {
            let size = PIECE.min(end.wrapping_sub(start));
            let (mem, mut left) = (truesize::skb_truesize(self.profile, self.max_header, size), size);
            let room = truesize::skb_tailroom(self.profile, self.max_header, size);
            let mut new = Skb { seq: start, end: start, mem, tail: self.room(), skbs: 1, room };
            more += mem as i32;
            while left > 0 && at < tail && !ends(&skbs[at]) {
                let s = skbs[at];
                if before(start, s.end) {
                    let n = left.min(s.end.wrapping_sub(start));
                    (start, left, new.end) = (start.wrapping_add(n), left - n, new.end.wrapping_add(n));
                }
                if !before(start, s.end) {
                    skbs.remove(at);
                    (tail, more) = (tail - 1, more - s.mem as i32);
                }
            }
            new.room += left;
            made.push(new);
        }
        for new in made {
            skbs.insert(head + skbs.range(head..tail).filter(|s| !after(s.seq, new.seq)).count(), new);
            tail += 1;
        }
        (tail, more)
    }

    /// `tcp_prune_ofo_queue` for a packet from `seq` on: what came early is given up from its end on.
    #[cold]
    pub fn prune_early(&mut self, seq: u32) {
        let (rule, eighth) = (self.profile.prune, i64::from(self.rcvbuf >> 3));
        let (mut goal, mut pruned) = (eighth, false);
        while let Some(&last) = self.ofo.skbs().back() {
            if rule == Prune::Behind && after(seq, last.seq) {
                break; // what comes would be the last
            }
            pruned = true;
            self.ofo.drop_last();
            self.rmem_alloc -= last.mem;
            goal -= i64::from(last.mem);
            let asks = match rule {
                Prune::All => self.ofo.is_empty(),
                Prune::Each => true,
                Prune::Eighth | Prune::Behind => goal <= 0 || self.ofo.is_empty(),
            };
            if asks {
                if !self.is_overcommitted() {
                    break;
                }
                goal = eighth;
            }
        }
        if pruned {
            self.ofo.forget_blocks();
        }
    }

    /// `tcp_collapse` of a receive queue that is known by its memory alone: from the first skb on that has more memory than payload, all is
    /// copied into skbs of a page. Whether there is one.
    #[cold]
    fn collapse_queue(&mut self) -> bool {
        let Some((from, below)) = self.packing.wasted.or_else(|| self.last_wasted()) else { return false };
        let bytes = self.rcv_nxt.wrapping_sub(from);
        if bytes == 0 {
            return false; // a FIN's
        }
        let len = (bytes - 1) % PIECE + 1;
        let truesize = |size| truesize::skb_truesize(self.profile, self.max_header, size);
        let (mem, below) = (truesize(len), below + (bytes - len) / PIECE * truesize(PIECE));
        self.rmem_alloc = self.ofo.memory() + below + mem;
        if from == self.copied_seq {
            self.head = bytes.min(PIECE);
            self.skbs = bytes.div_ceil(PIECE);
        }
        self.packing = Packing { len, mem, before: below, wasted: None };
        self.tail = self.room(); // nothing has room behind it
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Bytes;
    use crate::tcp::config::Params;
    use crate::tcp::profile::{Profile, V3_18, V4_14, V4_19, V6_12};

    fn receiver() -> Rcv {
        let p = Params { rx_truesize: Bytes::new(4352), rx_per_buffer: 2, ..Params::default() };
        let mut r = Rcv::new(&p, &V6_12);
        r.advmss = 1448;
        r.measure_mss(1448, 1448);
        r
    }
    fn queue(r: &mut Rcv, bytes: u32) {
        r.queue(bytes, bytes);
        r.advance(r.rcv_nxt.wrapping_add(bytes));
    }

    #[test]
    fn full_frames_stay_as_they_are() {
        let mut r = receiver();
        for frames in [1, 1, 3, 8, 1] {
            queue(&mut r, frames * 1448);
        }
        let before = r.rmem_alloc;
        assert!(!r.collapse_queue());
        assert_eq!(r.rmem_alloc, before);
    }

    #[test]
    fn from_a_short_one_on_all_is_copied_together() {
        let mut r = receiver();
        queue(&mut r, 3 * 1448);
        queue(&mut r, 2 * 1448 + 290);
        queue(&mut r, 4 * 1448);
        assert_eq!(r.rmem_alloc, 10 * 4352);
        assert!(r.collapse_queue());
        // 8978 bytes: two pages full, and 1426 in 2048
        assert_eq!(r.rmem_alloc, 3 * 4352 + 2 * 4352 + 2304);
        queue(&mut r, 1448);
        assert_eq!(r.rmem_alloc, 5 * 4352 + 2304 + 4352, "nothing has room behind it");
        assert!(!r.collapse_queue(), "and nothing is left to be gained");
    }

    #[test]
    fn a_short_one_at_the_end_counts_and_one_that_was_filled_up_does_not() {
        let mut r = receiver();
        queue(&mut r, 290);
        queue(&mut r, 1448);
        queue(&mut r, 1448);
        assert!(!r.collapse_queue());
        // A buffer has room for 3456 bytes: 270 behind these.
        assert_eq!(r.rmem_alloc, 4352);
        queue(&mut r, 290);
        assert_eq!(r.rmem_alloc, 2 * 4352);
        assert!(r.collapse_queue());
        assert_eq!(r.rmem_alloc, 4352 + 960, "in a small head of the cache (truesize::skb_truesize)");
    }

    /// What came early and now follows is counted once.
    #[test]
    fn what_had_come_early_is_behind_what_was_short() {
        let mut r = receiver();
        let at = r.rcv_nxt + 290;
        let took = r.insert_early(at, at + 1448, 1448).took;
        r.rmem_alloc += took.unwrap();
        queue(&mut r, 290);
        r.ofo_queue();
        assert_eq!(r.rmem_alloc, 2 * 4352);
        queue(&mut r, 1448);
        assert!(r.collapse_queue());
        assert_eq!(r.rmem_alloc, 4352, "3186 bytes in a page");
    }

    /// `n` early frames, none beside another, in a buffer of 16 KiB; and that they were told of.
    fn islands(profile: &'static Profile, n: u32) -> Rcv {
        let rcvbuf = Some(Bytes::from_kib(8));
        let p = Params { rx_truesize: Bytes::new(4352), rx_per_buffer: 1, rcvbuf, ..Params::default() };
        let mut r = Rcv::new(&p, profile);
        r.advmss = 1448;
        for i in 0..n {
            let at = r.rcv_nxt + 1_448 + i * 2_896;
            let q = r.insert_early(at, at + 1_448, 1_448);
            r.ofo.tell(q.told, at, at + 1_448);
            r.rmem_alloc += q.took.unwrap();
        }
        r
    }

    /// Six take 26112 bytes, more than 16384: of one an eighth of the buffer is made, and three must go. Two lie behind 12000.
    #[test]
    fn what_came_early_is_given_up_by_each_kernels_rule() {
        for (profile, seq, left) in
            [(&V3_18, 0, 0), (&V4_14, 0, 3), (&V4_19, 0, 3), (&V6_12, 0, 3), (&V6_12, 12_000, 4), (&V6_12, 20_000, 6)]
        {
            let mut r = islands(profile, 6);
            r.prune_early(seq);
            assert_eq!((r.ofo.skbs().len(), r.rmem_alloc), (left, left as u32 * 4_352), "{} {seq}", profile.name);
            assert_eq!(r.sack_blocks() > 0, left == 6, "blocks are forgotten where something went");
        }
    }

    /// Each run of 1448 bytes is one skb of less than a page: none is copied where that is spared.
    #[test]
    fn small_skbs_that_stand_alone_are_spared_from_4_18_on() {
        for (profile, spared) in [(&V4_14, false), (&V6_12, true)] {
            let mut r = islands(profile, 6);
            let before = r.rmem_alloc;
            r.collapse();
            assert_eq!(r.rmem_alloc == before, spared, "{}", profile.name);
        }
    }
}
