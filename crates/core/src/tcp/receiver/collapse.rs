//! Where the receive queue holds more memory than payload, and what is made of it when it takes more than the buffer.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_collapse`, of the receive queue.
//! Differs: D1 the reader takes all or nothing, so the queue begins where it was empty; D2 what came early is not collapsed
//! (`tcp_collapse_ofo_queue`), and once it has joined the queue it is taken for well packed.

use super::packing::Packing;
use super::window::Rcv;
use crate::tcp::truesize;

/// Payload of an skb that is copied into. src: linux@6.12 include/linux/skbuff.h SKB_MAX_ORDER(0, 0)
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

    /// `tcp_collapse` of the receive queue: from the first skb on that has more memory than payload, all is copied into skbs of a page.
    /// Whether there is one.
    #[cold]
    pub fn collapse(&mut self) -> bool {
        let Some((from, before)) = self.packing.wasted.or_else(|| self.last_wasted()) else { return false };
        let bytes = self.rcv_nxt.wrapping_sub(from);
        if bytes == 0 {
            return false; // a FIN's
        }
        let len = (bytes - 1) % PIECE + 1;
        let truesize = |size| truesize::skb_truesize(self.profile, self.max_header, size);
        let (mem, before) = (truesize(len), before + (bytes - len) / PIECE * truesize(PIECE));
        self.rmem_alloc = self.ofo.memory() + before + mem;
        if from == self.copied_seq {
            self.head = bytes.min(PIECE);
            self.skbs = bytes.div_ceil(PIECE);
        }
        self.packing = Packing { len, mem, before, wasted: None };
        self.tail = self.per_buffer; // nothing has room behind it
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Bytes;
    use crate::tcp::config::Params;
    use crate::tcp::profile::V6_12;

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
        assert!(!r.collapse());
        assert_eq!(r.rmem_alloc, before);
    }

    #[test]
    fn from_a_short_one_on_all_is_copied_together() {
        let mut r = receiver();
        queue(&mut r, 3 * 1448);
        queue(&mut r, 2 * 1448 + 290);
        queue(&mut r, 4 * 1448);
        assert_eq!(r.rmem_alloc, 10 * 4352);
        assert!(r.collapse());
        // 8978 bytes: two pages full, and 1426 in 2048
        assert_eq!(r.rmem_alloc, 3 * 4352 + 2 * 4352 + 2304);
        queue(&mut r, 1448);
        assert_eq!(r.rmem_alloc, 5 * 4352 + 2304 + 4352, "nothing has room behind it");
        assert!(!r.collapse(), "and nothing is left to be gained");
    }

    #[test]
    fn a_short_one_at_the_end_counts_and_one_that_was_filled_up_does_not() {
        let mut r = receiver();
        queue(&mut r, 290);
        queue(&mut r, 1448);
        queue(&mut r, 1448);
        assert!(!r.collapse());
        queue(&mut r, 290);
        assert_eq!(r.rmem_alloc, 2 * 4352);
        queue(&mut r, 290);
        assert!(r.collapse());
        assert_eq!(r.rmem_alloc, 2 * 4352 + 960, "in a small head of the cache (truesize::skb_truesize)");
    }

    /// What came early and now follows is counted once.
    #[test]
    fn what_had_come_early_is_behind_what_was_short() {
        let mut r = receiver();
        let at = r.rcv_nxt + 290;
        let took = r.insert_early(at, at + 1448, 1448, 52).took;
        r.rmem_alloc += took.unwrap();
        queue(&mut r, 290);
        r.ofo_queue();
        assert_eq!(r.rmem_alloc, 2 * 4352);
        queue(&mut r, 1448);
        assert!(r.collapse());
        assert_eq!(r.rmem_alloc, 4352, "3186 bytes in a page");
    }
}
