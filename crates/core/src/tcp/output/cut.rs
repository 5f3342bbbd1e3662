//! What is out is cut anew: an ACK ends within a segment, the peer's window does, or segments have become shorter.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_fragment`, `tcp_trim_head`, `tcp_set_skb_tso_segs`, `tcp_adjust_pcount`;
//! net/ipv4/tcp_input.c `tcp_tso_acked`. Differs: nothing but with rtx.rs's D1.

use crate::sim::flags;
use crate::tcp::rtx::tag;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::Socket;

/// Of a segment that was taken off the queue: its skb, marks and length.
pub(in crate::tcp) type Gone = (u32, u8, u32);

impl Socket {
    /// Segment `id` goes again: what is longer than a segment is cut (`tcp_fragment`), and a probe that is out tells nothing any more.
    pub(in crate::tcp) fn fragment(&mut self, id: u32) {
        if let Some(m) = &mut self.mtup {
            m.ends(None);
        }
        self.look_at_route();
        let mss = self.current_mss();
        let len = self.rtx.get(id).len();
        if len == mss || len < mss && !self.rtx.joins(id) {
            return;
        }
        // The skb is cut anew, wherever its segments ended.
        while self.rtx.joins(id) {
            self.count_pieces(id, -1);
            self.rtx.join(id);
        }
        let mut at = id;
        while self.rtx.get(at).len() > mss {
            self.rtx.split(at, mss);
            self.count_pieces(at, 1);
            at = at.wrapping_add(1);
        }
    }

    /// `tcp_tso_acked`: the ACK ends within the first segment; what it acknowledges goes off the head of an skb of several, which is cut anew from
    /// there. Of a single one nothing goes before it is sent again. `gone`: the segment before it, if this ACK has taken one. True: the skb has
    /// one segment less, which counts as acknowledged.
    #[cold]
    pub(in crate::tcp) fn trim_head(&mut self, gone: Option<Gone>) -> bool {
        let first = self.rtx.first();
        let (s, n, una) = (*self.rtx.get(first), self.same_skb(first, u32::MAX), self.tp.snd_una);
        debug_assert!(after(una, s.seq));
        let mss = match gone.filter(|g| (g.0, g.1) == (s.skb, s.tags)) {
            Some((_, _, len)) => len,
            None if n > 1 => s.len(),
            None => return false,
        };
        self.rtx.get_mut(first).seq = una;
        self.cut_anew(first, n, mss)
    }

    /// `tcp_fragment`: of segment `id` so many bytes go by themselves, and what lies behind them is cut anew.
    #[cold]
    pub(in crate::tcp) fn split_off(&mut self, id: u32, bytes: u32) {
        let (skb, n) = (self.rtx.get(id).skb, self.same_skb(id, u32::MAX));
        let mss = if n > 1 { self.rtx.get(id).len() } else { self.tp.mss_cache };
        self.sets_aside_for_head();
        self.rtx.split(id, bytes);
        self.count_pieces(id, 1);
        let (before, rest) = (id.wrapping_sub(1), id.wrapping_add(1));
        self.rtx.get_mut(id).skb = self.app.new_skb();
        if self.rtx.contains(before) && self.rtx.get(before).skb == skb {
            // What is behind is not of the skb any more that what is before is of.
            self.number_anew(rest, u32::MAX);
        }
        if self.cut_anew(rest, n, mss) {
            self.count(rest, -1);
        }
    }

    /// `tcp_fragment`: the `n` segments from `id` on, a part of an skb, are an skb of their own from now on; so is what lies behind them.
    pub(in crate::tcp) fn own_skb(&mut self, id: u32, n: u32) {
        let skb = self.rtx.get(id).skb;
        let rest = id.wrapping_add(n);
        let [before, behind] =
            [id.wrapping_sub(1), rest].map(|at| self.rtx.contains(at) && self.rtx.get(at).skb == skb);
        if before && behind {
            self.number_anew(rest, u32::MAX);
        }
        if before || behind {
            self.number_anew(id, n);
        }
    }

    /// Up to `n` segments from `id` on that share an skb get a new one.
    pub(in crate::tcp) fn number_anew(&mut self, id: u32, n: u32) {
        self.sets_aside_for_head();
        let (old, new) = (self.rtx.get(id).skb, self.app.new_skb());
        let mut i = 0;
        while i < n && self.rtx.contains(id.wrapping_add(i)) && self.rtx.get(id.wrapping_add(i)).skb == old {
            self.rtx.get_mut(id.wrapping_add(i)).skb = new;
            i += 1;
        }
    }

    /// The `n` segments from `id` on, of one skb, are cut at `mss`. True: there is one less.
    fn cut_anew(&mut self, id: u32, n: u32, mss: u32) -> bool {
        let last = *self.rtx.get(id.wrapping_add(n - 1));
        let end = last.end_seq.wrapping_sub(u32::from(last.flags & flags::FIN != 0));
        let mut cut = self.rtx.get(id).seq;
        for i in 0..n - 1 {
            let (at, next) = (id.wrapping_add(i), id.wrapping_add(i + 1));
            cut = cut.wrapping_add(mss);
            if !before(cut, end) {
                // What is left of the last one goes along with it.
                self.rtx.join(at);
                self.renumber(at, -1);
                return true;
            }
            self.rtx.get_mut(at).end_seq = cut;
            self.rtx.get_mut(next).seq = cut;
        }
        false
    }

    /// Segment `id` is so many more segments, and numbers of what lies behind it have moved.
    fn count_pieces(&mut self, id: u32, more: i32) {
        self.count(id, more);
        self.renumber(id, more);
    }

    /// `tcp_adjust_pcount`.
    pub(in crate::tcp) fn count(&mut self, id: u32, more: i32) {
        let s = *self.rtx.get(id);
        let tp = &mut self.tp;
        let add = |n: &mut u32, which| *n = n.wrapping_add_signed(if s.has(which) { more } else { 0 });
        tp.packets_out = tp.packets_out.wrapping_add_signed(more);
        add(&mut tp.lost_out, tag::LOST);
        add(&mut tp.sacked_out, tag::SACKED);
        add(&mut tp.retrans_out, tag::RETRANS);
    }

    /// Numbers of what lies behind `id` have moved.
    pub(in crate::tcp) fn renumber(&mut self, id: u32, more: i32) {
        let first = self.rtx.first();
        let places = [Some(&mut self.sb.highest), self.sb.hint.as_mut(), self.counted.next.as_mut()];
        for n in places.into_iter().flatten() {
            if n.wrapping_sub(first) > id.wrapping_sub(first) {
                *n = n.wrapping_add_signed(more);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::V6_12;
    use crate::tcp::rtx::Seg;
    use crate::tcp::tests::pair::sender;

    /// An skb of three segments, the last of 500 bytes with PSH, and one of a single segment.
    fn out() -> Socket {
        let mut s = sender(Cc::Reno, &V6_12);
        (s.tp.mss_cache, s.tp.snd_una) = (1_000, 0);
        let skbs = [s.app.new_skb(), s.app.new_skb()];
        for (seq, len, skb) in [(0, 1_000, 0), (1_000, 1_000, 0), (2_000, 500, 0), (2_500, 1_000, 1)] {
            s.rtx.push(Seg::new(seq, seq + len, if len < 1_000 { flags::PSH } else { 0 }, skbs[skb]));
        }
        (s.tp.packets_out, s.tp.snd_nxt) = (4, 3_500);
        s.sb.highest = s.rtx.end();
        s
    }

    fn bounds(s: &mut Socket) -> Vec<(u32, u32)> {
        s.rtx.iter_mut().map(|g| (g.seq, g.end_seq)).collect()
    }

    #[test]
    fn a_head_that_is_acknowledged_goes_off() {
        let mut s = out();
        s.tp.snd_una = 300;
        assert!(!s.trim_head(None));
        assert_eq!(bounds(&mut s), [(300, 1_300), (1_300, 2_300), (2_300, 2_500), (2_500, 3_500)]);
        // The last one's 200 bytes go along, and the PSH stays at the end.
        s.tp.snd_una = 600;
        assert!(s.trim_head(None));
        assert_eq!(bounds(&mut s), [(600, 1_600), (1_600, 2_500), (2_500, 3_500)]);
        assert_eq!(s.rtx.get(s.rtx.first() + 1).flags, flags::PSH);
        assert_eq!(s.sb.highest, s.rtx.end());
    }

    #[test]
    fn of_a_single_segment_nothing_goes_unless_it_was_of_several() {
        let mut s = out();
        let gone: Vec<_> = (0..2).map(|_| s.rtx.pop().expect("three")).collect();
        s.tp.snd_una = 2_100;
        assert!(!s.trim_head(None));
        assert_eq!(bounds(&mut s)[0], (2_000, 2_500));
        assert!(!s.trim_head(Some((gone[1].skb, gone[1].tags, gone[1].len()))));
        assert_eq!(bounds(&mut s)[0], (2_100, 2_500));
    }

    #[test]
    fn what_is_split_off_is_an_skb_of_its_own_and_each_is_counted_once() {
        for (at, bytes, after) in [
            (0, 400, vec![(0, 400), (400, 1_400), (1_400, 2_400), (2_400, 2_500), (2_500, 3_500)]),
            (0, 600, vec![(0, 600), (600, 1_600), (1_600, 2_500), (2_500, 3_500)]),
            (1, 700, vec![(0, 1_000), (1_000, 1_700), (1_700, 2_500), (2_500, 3_500)]),
        ] {
            let mut s = out();
            s.split_off(s.rtx.first() + at, bytes);
            assert_eq!(bounds(&mut s), after);
            assert_eq!((s.tp.packets_out, s.sb.highest), (after.len() as u32, s.rtx.end()));
            while let Some(g) = s.rtx.pop() {
                s.app.acked(g.skb, s.rtx.head().map(|h| h.skb));
            }
            assert_eq!(s.app.sent_skbs(), 0);
        }
    }
}
