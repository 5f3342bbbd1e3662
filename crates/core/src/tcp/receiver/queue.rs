//! The receive queue: what each packet's memory is, and which buffer it joins.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_queue_rcv`, `tcp_try_coalesce`, `tcp_ofo_queue`; net/core/skbuff.c `skb_try_coalesce`.
//! Differs: D1 every buffer is charged the driver's truesize (`rx_truesize`, shared by `rx_per_buffer` full frames and what short segment fits beside them), or, in pages (`rx_pages`), a head
//! and the payload; the `struct sk_buff` that merging heads in page fragments saves is not taken off. What comes from a tun device is charged what
//! the allocator gives, skb by skb (`line.rs`).

use super::ofo::{Cost, Queued, Skb};
use super::packing::Packing;
use super::window::Rcv;
use crate::tcp::seq::after;
use crate::tcp::truesize;

/// What a writing program's pages come in, bytes. src: linux@6.12 net/core/sock.c SKB_FRAG_PAGE_ORDER
const PAGE_FRAG: u32 = 32_768;

/// Room in front of what is written into a tun device, bytes. src: linux@6.12 include/linux/skbuff.h NET_SKB_PAD
const PAD: u32 = 64;

impl Rcv {
    /// Memory that a packet of `payload` bytes takes: a full frame's, for each; where memory follows the payload, that and one head; what is
    /// written into a tun device the allocator's.
    #[inline]
    pub fn mem_of(&self, payload: u32) -> u32 {
        if self.pages {
            return payload + self.head_mem();
        }
        if let Some(line) = &self.tun {
            return truesize::skb_truesize(self.profile, self.max_header, PAD + line.headers() + payload);
        }
        if payload <= self.advmss { self.rx_truesize } else { payload.div_ceil(self.advmss) * self.rx_truesize }
    }
    /// Memory of a full segment in the sender's own accounting: `SKB_TRUESIZE(advmss + MAX_TCP_HEADER)`.
    pub(super) fn segment_mem(&self) -> u32 {
        self.advmss + truesize::skb_overhead(self.profile, self.max_header)
    }
    /// What a frame in pages is charged beside its payload.
    fn head_mem(&self) -> u32 {
        self.rx_truesize.saturating_sub(self.advmss)
    }
    /// Whether a packet of `payload` bytes is of frames that GRO has hung behind one another (`frag_list`): nothing is put behind it, nor it behind
    /// another. src: linux@6.12 net/core/gro.c skb_gro_receive, of heads that are no page fragments; net/core/skbuff.c skb_try_coalesce
    #[inline]
    pub const fn is_list(&self, payload: u32) -> bool {
        !self.pages && payload > self.advmss
    }
    /// What a packet of `payload` bytes costs that is put behind another.
    #[inline]
    pub const fn appended(&self, payload: u32) -> u32 {
        if self.pages { payload } else { 0 }
    }

    /// What a buffer has room for, in the [`pieces`](Rcv::pieces) of packets: page fragments, or, where a driver's buffer takes several frames,
    /// bytes (`skb_tailroom`). Those are what the payload of as many full frames needs, and behind these what is left of the buffer, which a
    /// short segment may fit. A receiver's copy keeps the headroom of its sender's skb (net/core/skbuff.c `skb_copy`): `MAX_TCP_HEADER`.
    #[inline]
    pub(super) fn room(&self) -> u32 {
        if self.pages || self.per_buffer == 1 {
            return self.per_buffer;
        }
        let (full, most) = (self.per_buffer * self.advmss, (self.per_buffer + 1) * self.advmss - 1);
        let room = self.rx_truesize.saturating_sub(truesize::skb_overhead(self.profile, self.max_header));
        room.clamp(full, most)
    }
    /// Of a buffer's [`room`](Rcv::room). In pages one for each frame, and one more where the writer's page ended within it
    /// (`skb_page_frag_refill`).
    pub fn pieces(&self, seq: u32, payload: u32) -> u32 {
        if !self.pages {
            return if self.per_buffer == 1 { 1 } else { payload };
        }
        let at = seq.wrapping_sub(self.began);
        let to_end = PAGE_FRAG - at % PAGE_FRAG;
        payload.div_ceil(self.advmss).max(1) + payload.saturating_sub(to_end).div_ceil(PAGE_FRAG)
    }
    /// An skb of page fragments has room for so many.
    pub const fn takes_fragments(&self, n: u32) -> bool {
        self.pages && n <= self.per_buffer
    }
    /// `tcp_queue_rcv`: a packet of `payload` bytes, `new` of them not seen before, joins the receive queue: behind the last one in its
    /// buffer where that has room (`tcp_try_coalesce`).
    #[inline(always)] // one hot caller
    pub fn queue(&mut self, new: u32, payload: u32) {
        let first = self.unread() == 0;
        if first {
            (self.head, self.tail, self.skbs, self.packing) = (0, 0, 0, Packing::default());
            if let Some(line) = &mut self.tun {
                line.clear();
            }
        }
        if self.tun.is_some() {
            self.stand_in_line(new, payload);
            return;
        }
        if payload == 0 && !first {
            return; // a FIN alone finds room behind what waits
        }
        let pieces = self.pieces(self.rcv_nxt, payload);
        if self.tail > 0 && self.tail + pieces <= self.room() && (self.pages || payload <= self.advmss) {
            self.tail += pieces;
            self.rmem_alloc += self.appended(payload);
            self.packing.len += payload;
            self.packing.mem += self.appended(payload);
            if self.unread() == self.head {
                self.head += new;
            }
            return;
        }
        self.tail = if self.is_list(payload) { self.room() } else { pieces };
        self.skbs += 1;
        let mem = self.mem_of(payload);
        self.rmem_alloc += mem;
        self.pack(payload, mem);
        if first {
            self.head = new;
        }
    }
    /// [`Rcv::queue`] of what came from a tun device; a FIN alone is one of no bytes.
    #[cold]
    fn stand_in_line(&mut self, new: u32, payload: u32) {
        let (mem, room, nxt) = (self.mem_of(payload), self.room_behind(payload), self.rcv_nxt);
        let Some(line) = &mut self.tun else { return };
        let (seq, end) = (nxt.wrapping_add(new).wrapping_sub(payload), nxt.wrapping_add(new));
        if line.takes(seq, end, payload) {
            return;
        }
        line.push(Skb { seq, end, mem, tail: 1, skbs: 1, room });
        self.skbs += 1;
        self.rmem_alloc += mem;
    }
    /// What fits behind a packet of `payload` bytes from a tun device.
    fn room_behind(&self, payload: u32) -> u32 {
        self.tun.as_ref().map_or(0, |line| truesize::tun_room(self.profile, self.max_header, line.headers() + payload))
    }
    /// `tcp_data_queue_ofo`: a packet of `payload` bytes came early, up to `end` with its FIN. Its memory is not charged yet.
    pub fn insert_early(&mut self, seq: u32, end: u32, payload: u32) -> Queued {
        let cost = Cost {
            mem: self.mem_of(payload),
            appended: self.appended(payload),
            pieces: if payload == 0 { 0 } else { self.pieces(seq, payload) },
            list: self.is_list(payload),
            room: self.tun.is_some().then(|| self.room_behind(payload)),
        };
        self.ofo.insert(seq, end, cost, self.room())
    }
    /// `tcp_ofo_queue`: what came early and now follows joins the receive queue.
    pub fn ofo_queue(&mut self) {
        let mut high = self.rcv_nxt;
        while let Some(s) = self.ofo.take(self.rcv_nxt, &mut high) {
            if after(s.end, self.rcv_nxt) {
                self.join(s);
                self.advance(s.end);
            } else {
                self.rmem_alloc -= s.mem;
            }
        }
        self.ofo.remove_blocks(self.rcv_nxt);
    }
    /// An skb that had come early follows what is queued; in pages, it joins that where there is room and they do not
    /// overlap (`tcp_try_coalesce`).
    fn join(&mut self, s: Skb) {
        if let Some(line) = &mut self.tun {
            let bytes = s.end.wrapping_sub(s.seq) - u32::from(self.ofo.fin == Some(s.end.wrapping_sub(1)));
            if line.takes(s.seq, s.end, bytes) {
                self.rmem_alloc -= s.mem;
            } else {
                line.push(s);
                self.skbs += 1;
            }
            return;
        }
        let bytes = s.end.wrapping_sub(self.rcv_nxt);
        self.pack(bytes, 0);
        if self.pages && s.seq == self.rcv_nxt && self.tail + s.tail <= self.per_buffer {
            self.tail += s.tail;
            self.rmem_alloc -= self.head_mem();
            if self.unread() == self.head {
                self.head += bytes;
            }
        } else {
            self.tail = s.tail;
            self.skbs += s.skbs;
        }
        self.packing.before = self.rmem_alloc - self.ofo.memory();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Bytes;
    use crate::tcp::config::Params;
    use crate::tcp::profile::V6_12;

    /// Two frames share a buffer of 4 KiB; of what GRO has hung behind one another each has its own, and the frame behind them, too.
    #[test]
    fn nothing_is_put_behind_a_list_of_frames() {
        let p = Params { rx_truesize: Bytes::new(4352), rx_per_buffer: 2, ..Params::default() };
        let mut r = Rcv::new(&p, &V6_12);
        r.advmss = 1448;
        let queue = |r: &mut Rcv, frames: u32| {
            r.queue(frames * 1448, frames * 1448);
            r.advance(r.rcv_nxt.wrapping_add(frames * 1448));
            r.rmem_alloc / 4352
        };
        let buffers = [1, 1, 1, 3, 1, 1, 2].map(|frames| queue(&mut r, frames));
        assert_eq!(buffers, [1, 1, 2, 5, 6, 6, 8]);
        let early = |r: &mut Rcv, at: u32, frames: u32| {
            let (seq, n) = (r.rcv_nxt + at * 1448, frames * 1448);
            r.insert_early(seq, seq + n, n).took
        };
        let took = [(1, 1), (2, 1), (3, 2), (5, 1), (6, 1)].map(|(at, n)| early(&mut r, at, n).map(|m| m / 4352));
        assert_eq!(took, [1, 0, 2, 1, 0].map(Some));
    }

    /// A buffer of 4352 bytes less `struct sk_buff` (256), `skb_shared_info` (320) and headroom (`MAX_TCP_HEADER` of 96: 256) has 3520 for payload.
    /// Behind two full frames 3520 - 2896 = 624 are left, behind a short one of 80 and one full frame 1992: by hand, and so of the second water's
    /// (`tcp_try_coalesce`, its `skb_tailroom`).
    #[test]
    fn a_short_segment_fits_behind_two_full_frames() {
        let p = Params { rx_truesize: Bytes::new(4352), rx_per_buffer: 2, max_header: 96, ..Params::default() };
        let buffers = |segments: &[u32]| {
            let mut r = Rcv::new(&p, &V6_12);
            r.advmss = 1448;
            for &n in segments {
                r.queue(n, n);
                r.advance(r.rcv_nxt.wrapping_add(n));
            }
            (r.rmem_alloc / 4352, r.head)
        };
        assert_eq!(buffers(&[1448, 1448, 624]), (1, 3520));
        assert_eq!(buffers(&[1448, 1448, 625]), (2, 2896));
        assert_eq!(buffers(&[1448, 160, 1448, 464]), (1, 3520));
        assert_eq!(buffers(&[80, 1448, 1448, 544, 1]), (2, 3520));
        let early = |segments: &[u32]| {
            let mut r = Rcv::new(&p, &V6_12);
            r.advmss = 1448;
            let mut at = r.rcv_nxt + 1448;
            let took = segments.iter().map(|&n| {
                at += n;
                r.insert_early(at - n, at, n).took.expect("new") / 4352
            });
            took.sum::<u32>()
        };
        assert_eq!((early(&[1448, 1448, 624]), early(&[1448, 1448, 625])), (1, 2));
    }

    #[test]
    fn the_page_that_ends_with_the_four_gigabytes_has_a_next_one() {
        let p = Params { rx_pages: true, ..Params::default() };
        let mut r = Rcv::new(&p, &V6_12);
        r.began = 7_000;
        let pieces = |r: &mut Rcv, before: u32, payload| {
            r.rcv_nxt = r.began.wrapping_sub(before);
            r.pieces(r.rcv_nxt, payload)
        };
        assert_eq!(pieces(&mut r, 1_448, 1_448), 1, "it ends with its page");
        assert_eq!(pieces(&mut r, 1_000, 1_448), 2, "and 448 bytes are of the next");
        assert_eq!(pieces(&mut r, 0, 1_448), 1);
    }
}
