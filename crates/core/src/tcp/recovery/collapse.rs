//! Short segments that go again go together, as far as a segment and the peer's window take them.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_retrans_try_collapse`, `tcp_can_collapse`, `tcp_collapse_retrans`. Differs: D1 while a
//! send without a copy is not through nothing is merged; Linux looks at the two skbs alone. D2 before 4.10 what lies in skbs' heads is not
//! merged, as Linux did there.

use crate::sim::flags;
use crate::tcp::rtx::tag;
use crate::tcp::seq::after;
use crate::tcp::socket::Socket;

impl Socket {
    /// `tcp_retrans_try_collapse`: segment `id`, which goes again and is shorter than `space`, takes what follows along.
    pub(super) fn try_collapse(&mut self, id: u32, space: u32) {
        let s = *self.rtx.get(id);
        let on = self.profile.collapses && self.app.sysctls.retrans_collapse;
        let may = on && self.cost.in_pages() && s.flags & flags::SYN == 0 && self.collapses(id);
        if !may || self.app.told.as_ref().is_some_and(|t| t.zerocopy.is_pending()) {
            return;
        }
        let next = id.wrapping_add(1);
        while self.rtx.contains(next) && self.collapses(next) {
            let (to, from) = (*self.rtx.get(id), *self.rtx.get(next));
            if to.eor || to.data() + from.data() > space || after(from.end_seq, self.tp.wnd_end()) {
                break;
            }
            self.collapse(id);
        }
    }

    /// `tcp_can_collapse`: it is an skb of its own, has left this host, and is not SACKed.
    fn collapses(&self, id: u32) -> bool {
        let s = self.rtx.get(id);
        let cloned = s.in_host > 0 && self.counts_host_copies;
        !cloned && !s.has(tag::SACKED) && self.same_skb(id, u32::MAX) == 1
    }

    /// `tcp_collapse_retrans`.
    fn collapse(&mut self, id: u32) {
        let next = id.wrapping_add(1);
        let (from, behind) = (*self.rtx.get(next), next.wrapping_add(1));
        self.count(next, -1);
        if self.is_reno() {
            self.tp.sacked_out = self.tp.sacked_out.saturating_sub(1);
        }
        let shared = self.rtx.contains(behind) && self.rtx.get(behind).skb == from.skb;
        if from.skb != self.rtx.get(id).skb && !shared {
            self.app.merged();
        }
        self.rtx.join(id);
        self.renumber(id, -1);
        self.counted.next = None;
        let to = self.rtx.get_mut(id);
        to.tags |= from.tags & tag::EVER;
        to.cut = to.cut.saturating_add(from.cut);
        let (seq, end) = (to.seq, to.end_seq);
        if let Some(t) = &mut self.app.told {
            t.stamps.merged(seq, end);
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

    /// Segments of 300 bytes, each sent alone and lost.
    fn lost(n: u32) -> Socket {
        let mut s = sender(Cc::Reno, &V6_12);
        (s.tp.mss_cache, s.tp.snd_wnd, s.tp.snd_una) = (1_000, 1 << 20, 0);
        for i in 0..n {
            let skb = s.app.new_skb();
            let mut g = Seg::new(i * 300, (i + 1) * 300, 0, skb);
            g.tags = tag::LOST;
            s.rtx.push(g);
        }
        (s.tp.packets_out, s.tp.lost_out, s.tp.snd_nxt) = (n, n, n * 300);
        s
    }

    fn collapsed(mut s: Socket) -> (u32, u32, u32) {
        let first = s.rtx.first();
        s.try_collapse(first, 1_000);
        assert_eq!((s.tp.packets_out, s.tp.lost_out, s.app.sent_skbs()), (s.rtx.len(), s.rtx.len(), s.rtx.len()));
        (s.rtx.len(), s.rtx.get(first).seq, s.rtx.get(first).end_seq)
    }

    #[test]
    fn as_many_go_along_as_a_segment_takes() {
        assert_eq!(collapsed(lost(5)), (3, 0, 900));
    }

    #[test]
    fn what_is_in_the_host_or_ends_a_record_stays_alone() {
        let mut s = lost(5);
        s.host_tells();
        s.rtx.get_mut(s.rtx.first() + 1).in_host = 1;
        assert_eq!(collapsed(s), (5, 0, 300));
        let mut s = lost(5);
        s.rtx.get_mut(s.rtx.first() + 1).eor = true;
        assert_eq!(collapsed(s), (4, 0, 600));
        let mut s = lost(5);
        s.tp.snd_wnd = 700;
        assert_eq!(collapsed(s), (4, 0, 600));
    }
}
