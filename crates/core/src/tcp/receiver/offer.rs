//! Which window is offered: as much as the receiver's memory has room for, and never less than before.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `__tcp_select_window`, `tcp_select_window`; net/ipv4/tcp.c `tcp_cleanup_rbuf`. Kernels from 3.10
//! on do the same.
//! Differs: D1 no shrinking window (`tcp_shrink_window`), but where data find no memory.

use super::window::Rcv;

impl Rcv {
    /// `__tcp_select_window`: the window that could be offered now; `quick`: whether ACKs may go on being quick.
    pub fn possible_window(&self) -> (u32, bool) {
        let mut free = self.space();
        let allowed = self.window_of(self.rcvbuf);
        let full = self.window_clamp.min(allowed);
        let mss = self.rcv_mss.min(full);
        if mss == 0 {
            return (0, true);
        }
        let mut quick = true;
        if free < full >> 1 {
            quick = false;
            free = free >> self.wscale << self.wscale;
            if free < allowed >> 4 || free < mss {
                return (0, false);
            }
        }
        let w = free.min(self.rcv_ssthresh);
        if self.wscale == 0 {
            return (self.unscaled(w, mss, full), quick);
        }
        let grain = (1u32 << self.wscale) - 1;
        ((w + grain) & !grain, quick)
    }

    /// A window that is not scaled: whole segments, and what was offered where that is less than one away from them.
    fn unscaled(&self, free: u32, mss: u32, full: u32) -> u32 {
        let offered = self.rcv_wnd;
        if offered + mss <= free || offered > free {
            free - free % mss
        } else if mss == full && free > offered + (full >> 1) {
            free
        } else {
            offered
        }
    }

    /// `tcp_select_window`: offers a window; as the header tells it, scaling undone; and whether ACKs may go on being quick.
    #[inline]
    pub fn select_window(&mut self) -> (u32, bool) {
        let now = self.window();
        let (mut new, quick) = self.possible_window();
        let grain = (1u32 << self.wscale) - 1;
        if new < now {
            // What was offered is not taken back.
            new = (now + grain) & !grain;
        }
        self.rcv_wnd = new;
        self.rcv_wup = self.rcv_nxt;
        self.predicts &= new != 0;
        (new.min(65_535 << self.wscale) >> self.wscale << self.wscale, quick)
    }

    /// [`Rcv::select_window`] after `ICSK_ACK_NOMEM`: the window that was offered is taken back.
    pub const fn shut_window(&mut self) -> (u32, bool) {
        (self.rcv_wnd, self.rcv_wup, self.predicts) = (0, self.rcv_nxt, false);
        (0, true)
    }

    /// `tcp_cleanup_rbuf`: whether reading opened the window enough to tell at once.
    /// The second: whether ACKs may go on being quick.
    pub fn opened_much(&self) -> (bool, bool) {
        let now = self.window();
        if 2 * u64::from(now) > u64::from(self.window_clamp) {
            return (false, true);
        }
        let (new, quick) = self.possible_window();
        (new != 0 && new >= 2 * now, quick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Bytes;
    use crate::tcp::config::Params;
    use crate::tcp::profile::V6_12;

    /// 16 KiB by `SO_RCVBUF` (doubled), frames of 4352 bytes of memory: 10,880 bytes of window, which is 7.5 segments.
    fn small() -> Rcv {
        let p = Params { rcvbuf: Some(Bytes::from_kib(16)), rx_truesize: Bytes::new(4352), ..Params::default() };
        let mut r = Rcv::new(&p, &V6_12);
        r.advmss = 1448;
        r.first_window();
        r.measure_mss(1448, 1448);
        r
    }

    #[test]
    fn without_scaling_it_is_whole_segments() {
        let mut r = small();
        assert_eq!(r.wscale, 0);
        r.rcv_wnd = 14_480;
        r.rcv_wup = r.rcv_nxt;
        r.advance(r.rcv_nxt + 4 * 1448);
        r.copied_seq = r.rcv_nxt;
        assert_eq!(r.select_window().0, 7 * 1448);
        // within a segment of what there is room for it stays as it was offered
        r.rcv_wnd = 10_000;
        r.rcv_wup = r.rcv_nxt;
        assert_eq!(r.possible_window().0, 10_000);
        r.rcv_wnd = 9_000;
        assert_eq!(r.possible_window().0, 7 * 1448);
    }

    #[test]
    fn what_was_offered_is_not_taken_back() {
        let mut r = small();
        r.rcv_wnd = 14_480;
        r.rcv_wup = r.rcv_nxt;
        r.advance(r.rcv_nxt + 1448);
        assert_eq!(r.select_window().0, 13_032);
    }

    /// Of 32 KiB 22 segments lie in one page and the 23rd in two.
    #[test]
    fn a_segment_in_two_pages_is_two_pieces() {
        let p = Params { rx_truesize: Bytes::new(2344), rx_pages: true, rx_per_buffer: 17, ..Params::default() };
        let mut r = Rcv::new(&p, &V6_12);
        r.advmss = 1448;
        let mut buffers = vec![];
        for i in 0..50 {
            let before = r.rmem_alloc;
            r.queue(1448, 1448);
            r.advance(r.rcv_nxt + 1448);
            if r.rmem_alloc - before == 2344 {
                buffers.push(i);
            }
        }
        assert_eq!(buffers, [0, 17, 33, 49], "the 23rd and the 46th take two");
    }

    /// As the kernel offers them behind a router (docs/second-water.md, tcpdump in the guest): six segments came early, one in order is not read yet.
    #[test]
    fn what_lies_in_pages_costs_its_payload_behind_another() {
        let p = Params {
            rcvbuf: Some(Bytes::from_kib(16)),
            rx_truesize: Bytes::new(2344),
            rx_pages: true,
            rx_per_buffer: 16,
            ..Params::default()
        };
        let mut r = Rcv::new(&p, &V6_12);
        r.advmss = 1448;
        r.first_window();
        r.measure_mss(1448, 1448);
        let nxt = r.rcv_nxt;
        for i in 2..8 {
            let at = nxt + i * 1448;
            let took = r.insert_early(at, at + 1448, 1448).took;
            r.rmem_alloc += took.unwrap_or_default();
        }
        assert_eq!(r.rmem_alloc, 2344 + 5 * 1448);
        r.queue(1448, 1448);
        r.advance(nxt + 1448);
        assert_eq!(r.possible_window().0, 8 * 1448);
        // It is read; the next one fills the hole, and all seven lie in one skb.
        (r.copied_seq, r.rmem_alloc) = (r.rcv_nxt, r.ofo.memory());
        r.queue(1448, 1448);
        r.advance(nxt + 2 * 1448);
        r.ofo_queue();
        assert_eq!((r.rmem_alloc, r.head), (2344 + 6 * 1448, 7 * 1448));
        assert_eq!(r.possible_window().0, 9 * 1448);
    }
}
