//! The receiver's memory and how far its window may open: the window's slow start, dynamic right-sizing of the buffer.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_select_initial_window`; net/ipv4/tcp_input.c `tcp_grow_window`,
//! `tcp_rcv_space_adjust`, `tcp_rcv_rtt_update`, `tcp_measure_rcv_mss`; what older kernels do otherwise there is in their profiles.
//! Differs: D1 every buffer is charged the driver's truesize (`rx_truesize`, shared by `rx_per_buffer` full frames), or, in pages (`rx_pages`), a head
//! and the payload; the `struct sk_buff` that merging heads in page fragments saves is not taken off. D2 no memory pressure of the whole host; no shrinking window (`tcp_shrink_window`). D3
//! `SO_RCVLOWAT` makes room in the buffer for every kernel; Linux does so from 4.18 on.

use crate::sim::Packet;
use crate::tcp::clock::Clock;
use crate::tcp::config::{MIN_RCVBUF, Params};
use crate::tcp::options::Offer;
use crate::tcp::profile::{Lowat, Profile, RcvRtt, RightSizing};
use crate::tcp::receiver::line::Line;
use crate::tcp::receiver::ofo::{Cost, Ofo, Queued, Skb};
use crate::tcp::receiver::packing::Packing;
use crate::tcp::seq::{after, before};
use crate::tcp::truesize;

/// log2 of the scale of `scaling_ratio`. src: linux@6.12 include/net/tcp.h TCP_RMEM_TO_WIN_SCALE
const RATIO_SHIFT: u32 = 8;
/// Half of the memory is payload, until measured. src: linux@6.12 include/net/tcp.h TCP_DEFAULT_SCALING_RATIO
const DEFAULT_RATIO: u32 = 128;
/// Largest window scale. src: rfc7323#2.3
const MAX_WSCALE: u32 = 14;

/// The receiver.
#[derive(Clone, Debug)]
pub struct Rcv {
    /// Next expected.
    pub rcv_nxt: u32,
    /// `rcv_nxt` when a window was last offered.
    pub rcv_wup: u32,
    /// Window last offered, bytes.
    pub rcv_wnd: u32,
    /// Next that the application reads.
    pub copied_seq: u32,
    /// Window that may be offered now, bytes.
    pub(super) rcv_ssthresh: u32,
    /// Window that may ever be offered, bytes.
    pub(super) window_clamp: u32,
    /// `sk_rcvbuf`, bytes of truesize.
    pub rcvbuf: u32,
    /// Set by the user: not tuned.
    locked: bool,
    /// `sk_rcvlowat`: unread bytes that wake the reader, half of the buffer at most. src: linux@6.12 net/ipv4/tcp.c tcp_set_rcvlowat
    pub lowat: u32,
    /// `tcp_rmem[2]`.
    rmem_max: u32,
    /// `net.core.rmem_max`, where a script asks: it bounds the window's scale, too.
    pub host_most: u32,
    /// Truesize of what is queued.
    pub rmem_alloc: u32,
    /// Bytes of the first buffer that is not read.
    pub head: u32,
    /// Frames in the last buffer that is not read.
    pub(super) tail: u32,
    /// Skbs that are not read.
    pub(in crate::tcp) skbs: u32,
    /// How well what is queued is packed.
    pub(super) packing: Packing,
    /// Full frames that one buffer of the driver's takes.
    pub per_buffer: u32,
    /// Payload in 256 parts of memory.
    ratio: u32,
    pub(super) max_header: u32,
    pub(super) profile: &'static Profile,
    /// Window scale.
    pub wscale: u32,
    /// Windows may be scaled.
    pub scales: bool,
    /// Segment size that was advertised, less timestamps.
    pub advmss: u32,
    /// Segment size that the peer seems to use.
    pub rcv_mss: u32,
    /// Early packets.
    pub ofo: Ofo,
    /// Header prediction is on (`pred_flags`).
    pub predicts: bool,
    /// Timestamp to echo.
    pub ts_recent: u32,
    /// Timestamp that the last packet echoed.
    pub tsecr: u32,
    last_tsecr: u32,
    /// Sequence numbers received in order, ever, the FIN's among them (`bytes_received`).
    pub bytes_received: u64,
    /// The peer's FIN is counted among them.
    pub fin: bool,
    /// RTT seen by the receiver, microseconds << 3.
    pub rtt_us: u32,
    rtt_seq: u32,
    rtt_time: u64,
    space: u32,
    space_seq: u32,
    space_time: u64,
    /// Driver's truesize of a full frame.
    rx_truesize: u32,
    /// Memory follows the payload (`rx_pages`).
    pub(in crate::tcp) pages: bool,
    /// Heads are the allocator's, as of what is written into a tun device; the skbs that wait.
    pub(in crate::tcp) tun: Option<Box<Line>>,
    /// The first byte's sequence number.
    pub began: u32,
}

/// What a writing program's pages come in, bytes. src: linux@6.12 net/core/sock.c SKB_FRAG_PAGE_ORDER
const PAGE_FRAG: u32 = 32_768;

/// Room in front of what is written into a tun device, bytes. src: linux@6.12 include/linux/skbuff.h NET_SKB_PAD
const PAD: u32 = 64;

/// What a program that asks for so many bytes gets.
fn locked_at(bytes: u64) -> u32 {
    bytes.saturating_mul(2).clamp(MIN_RCVBUF.get(), i32::MAX as u64) as u32
}

impl Rcv {
    /// A receiver of a socket that is not connected.
    pub fn new(p: &Params, profile: &'static Profile) -> Rcv {
        let tuned = p.rmem_default.or(crate::sim::Bytes::new(u64::from(profile.rmem_default))).get() as u32;
        let locked = p.rcvbuf.map(|b| locked_at(b.get()));
        let cap = locked.map_or(p.rmem_max.get(), u64::from) / 2;
        let lowat = match profile.lowat {
            Lowat::Returns => 1,
            Lowat::Clamps | Lowat::Waits => p.rcvlowat.get().clamp(1, cap.max(1)) as u32,
        };
        // Room for what the reader waits for, as far as that is more (tcp_set_rcvlowat).
        let room = (u64::from(lowat) << RATIO_SHIFT) / u64::from(DEFAULT_RATIO);
        let asks = locked.is_none() && room > u64::from(tuned);
        let tuned = if asks { room as u32 } else { tuned };
        Rcv {
            rcv_nxt: 0,
            rcv_wup: 0,
            rcv_wnd: 0,
            copied_seq: 0,
            rcv_ssthresh: 0,
            window_clamp: if asks && profile.lowat == Lowat::Clamps { lowat } else { 0 },
            rcvbuf: locked.unwrap_or(tuned),
            locked: locked.is_some(),
            lowat,
            rmem_max: p.rmem_max.get() as u32,
            host_most: 0,
            rmem_alloc: 0,
            head: 0,
            tail: 0,
            skbs: 0,
            packing: Packing::default(),
            per_buffer: p.rx_per_buffer,
            ratio: DEFAULT_RATIO,
            max_header: p.max_header,
            profile,
            wscale: 0,
            scales: true,
            advmss: 1460,
            rcv_mss: 536,
            ofo: Ofo::new(profile.dsack_far),
            predicts: true,
            ts_recent: 0,
            tsecr: 0,
            last_tsecr: 0,
            bytes_received: 0,
            fin: false,
            rtt_us: 0,
            rtt_seq: 0,
            rtt_time: 0,
            space: 0,
            space_seq: 0,
            space_time: 0,
            rx_truesize: p.rx_truesize.get() as u32,
            pages: p.rx_pages,
            tun: None,
            began: 0,
        }
    }

    /// `SO_RCVBUF` of an open connection: the window's bounds stay. src: linux@6.12 net/core/sock.c __sock_set_rcvbuf
    pub fn set_rcvbuf(&mut self, bytes: u32) {
        (self.rcvbuf, self.locked) = (locked_at(bytes.into()), true);
    }

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
    fn segment_mem(&self) -> u32 {
        self.advmss + truesize::skb_overhead(self.max_header)
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

    /// Of a buffer's: one for each frame, and in pages one more where the writer's page ended within it (`skb_page_frag_refill`).
    pub fn pieces(&self, seq: u32, payload: u32) -> u32 {
        if !self.pages {
            return 1;
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
        if self.tail > 0 && self.tail + pieces <= self.per_buffer && (self.pages || payload <= self.advmss) {
            self.tail += pieces;
            self.rmem_alloc += self.appended(payload);
            self.packing.len += payload;
            self.packing.mem += self.appended(payload);
            if self.head + new <= self.per_buffer * self.advmss && self.unread() == self.head {
                self.head += new;
            }
            return;
        }
        self.tail = if self.is_list(payload) { self.per_buffer } else { pieces };
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
        self.ofo.insert(seq, end, cost, self.per_buffer)
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
    /// Bytes that came in order and were not read.
    #[inline]
    pub const fn unread(&self) -> u32 {
        self.rcv_nxt.wrapping_sub(self.copied_seq)
    }
    /// `rcv_ssthresh`.
    pub const fn ssthresh(&self) -> u32 {
        self.rcv_ssthresh
    }
    /// `tcp_rcv_nxt_update`.
    #[inline]
    pub fn advance(&mut self, to: u32) {
        if after(to, self.rcv_nxt) {
            self.bytes_received += u64::from(to.wrapping_sub(self.rcv_nxt));
            self.rcv_nxt = to;
        }
    }
    /// Bytes received in order, ever: what a program can count.
    pub fn payload(&self) -> u64 {
        self.bytes_received - u64::from(self.fin)
    }
    /// Blocks that a packet would carry now.
    #[inline]
    pub fn sack_blocks(&self) -> u32 {
        self.ofo.blocks()
    }
    /// Puts SACK blocks into a packet.
    #[inline]
    pub fn put_sacks(&mut self, p: &mut Packet) {
        self.ofo.put(p);
    }
    /// `tcp_win_from_space`.
    pub(super) fn window_of(&self, space: u32) -> u32 {
        ((u64::from(space) * u64::from(self.ratio)) >> RATIO_SHIFT) as u32
    }
    /// What a round trip brought, with some room (`rcvq_space.space`), bytes.
    pub fn space_seen(&self) -> u32 {
        self.space
    }
    /// `tcp_space`.
    pub(super) fn space(&self) -> u32 {
        self.window_of(self.rcvbuf.saturating_sub(self.rmem_alloc))
    }
    /// `tcp_receive_window`: what is left of the window that was offered.
    #[inline]
    pub fn window(&self) -> u32 {
        let w = self.rcv_wup.wrapping_add(self.rcv_wnd).wrapping_sub(self.rcv_nxt) as i32;
        w.max(0) as u32
    }

    /// `tcp_select_initial_window`.
    pub fn first_window(&mut self) {
        let mut space = self.window_of(self.rcvbuf);
        if self.locked {
            self.window_clamp = space;
        } else if self.window_clamp == 0 {
            self.window_clamp = 65_535 << MAX_WSCALE;
        }
        space = space.min(self.window_clamp);
        if space > self.advmss {
            space -= space % self.advmss;
        }
        self.rcv_wnd = match self.profile.first_window_segs {
            Some(segs) => space.min(segs * self.advmss),
            None if self.profile.big_first_window => space,
            None => space.min(65_535),
        };
        self.rcv_ssthresh = self.rcv_wnd;
        // The scale is for the largest window there may ever be.
        let most = space.max(self.rmem_max).max(self.host_most).min(self.window_clamp).max(1);
        self.wscale = if self.scales { (most.ilog2() + 1).saturating_sub(16).min(MAX_WSCALE) } else { 0 };
        self.window_clamp = self.window_clamp.min(65_535 << self.wscale);
    }

    /// What both ends agreed on.
    pub fn agreed(&mut self, o: &Offer) {
        self.scales = o.window_scaling;
        self.ofo.tells(o.sack);
        if !self.scales {
            self.wscale = 0;
            self.window_clamp = self.window_clamp.min(65_535);
        }
    }

    /// `tcp_init_buffer_space`, once established.
    pub fn established(&mut self, c: &Clock) {
        self.space_time = c.us;
        self.space_seq = self.copied_seq;
        if let (Some(segs), false) = (self.profile.first_window_segs, self.locked) {
            // tcp_fixup_rcvbuf: right-sizing takes two to three round trips, which must not limit the sender.
            let room = 2 * self.segment_mem() * segs * 4;
            self.rcvbuf = self.rcvbuf.max(room.min(self.rmem_max));
        }
        // tcp_app_win is 31: its share is nothing, a segment is reserved.
        let max = self.window_of(self.rcvbuf);
        if self.window_clamp >= max {
            self.window_clamp = max;
        }
        if self.window_clamp > 2 * self.advmss && self.window_clamp + self.advmss > max {
            self.window_clamp = (2 * self.advmss).max(max - self.advmss);
        }
        self.rcv_ssthresh = self.rcv_ssthresh.min(self.window_clamp);
        self.space = if self.profile.rcvq_space_window {
            self.rcv_wnd
        } else {
            self.rcv_ssthresh.min(self.rcv_wnd).min(10 * self.advmss)
        };
    }

    /// `tcp_measure_rcv_mss`: the peer's segment size, and how much of the memory is payload.
    #[inline]
    pub fn measure_mss(&mut self, len: u32, skb_len: u32) {
        if len == self.rcv_mss {
            return;
        }
        if self.profile.scaling_ratio {
            let old = self.ratio;
            let r = (u64::from(skb_len) << RATIO_SHIFT) / u64::from(self.mem_of(skb_len));
            self.ratio = (r as u32 & 0xff).max(1);
            if old != self.ratio {
                let bound = self.window_of(self.rcvbuf);
                if self.profile.share_moves_threshold {
                    self.set_window_clamp(bound);
                } else {
                    self.window_clamp = bound;
                }
                self.space = self.space.min(self.window_clamp);
            }
        }
        self.rcv_mss = len.min(self.advmss);
    }

    /// `tcp_set_window_clamp`: where the bound falls below how far the window may open, that falls, too; where it rises, what was offered may be
    /// again.
    fn set_window_clamp(&mut self, bound: u32) {
        let bound = bound.max(MIN_RCVBUF.get() as u32 / 2);
        if bound < self.window_clamp {
            self.rcv_ssthresh = self.rcv_ssthresh.min(bound);
        } else if bound > self.window_clamp {
            self.rcv_ssthresh = self.rcv_ssthresh.max(self.rcv_wnd.min(bound));
        }
        self.window_clamp = bound;
    }

    /// `tcp_grow_window`: each packet that carries its memory's worth opens the window by two segments. True: it did.
    #[inline]
    pub fn grow_window(&mut self, len: u32) -> bool {
        let most = self.window_clamp.min(self.space());
        if most <= self.rcv_ssthresh {
            return false;
        }
        let end = if self.profile.grows_past_space { self.window_clamp } else { most };
        let room = end - self.rcv_ssthresh;
        let mut truesize = self.window_of(self.mem_of(len));
        let incr = if truesize <= len {
            2 * self.advmss
        } else {
            // A packet with much overhead opens it only while the buffer may still grow far.
            let mut window = self.window_of(self.rmem_max) >> 1;
            truesize >>= 1;
            loop {
                if self.rcv_ssthresh > window {
                    return false;
                }
                if truesize <= len {
                    break 2 * self.rcv_mss;
                }
                truesize >>= 1;
                window >>= 1;
            }
        };
        self.rcv_ssthresh += room.min(incr.max(2 * len));
        true
    }

    /// `tcp_rcv_rtt_update`; `window`: the sample is the time of a whole window.
    fn rtt_sample(&mut self, us: u32, window: bool) {
        let m = us << 3;
        if self.rtt_us == 0 || (m < self.rtt_us && (window || self.profile.rcv_rtt != RcvRtt::Windows)) {
            self.rtt_us = m;
        } else if !window {
            self.rtt_us = self.rtt_us - (self.rtt_us >> 3) + us;
        }
    }
    /// `tcp_rcv_rtt_measure`: how long a window takes.
    #[inline]
    pub fn measure_rtt(&mut self, c: &Clock) {
        if self.rtt_time != 0 {
            if before(self.rcv_nxt, self.rtt_seq) {
                return;
            }
            self.rtt_sample(c.us_since(self.rtt_time).max(1), true);
        }
        self.rtt_seq = self.rcv_nxt.wrapping_add(self.rcv_wnd);
        self.rtt_time = c.us;
    }
    /// `tcp_rcv_rtt_measure_ts`: by timestamp, once for each that the peer echoes.
    #[inline]
    pub fn measure_rtt_ts(&mut self, c: &Clock, len: u32) {
        let heard = if self.profile.rcv_rtt_each { 0 } else { self.last_tsecr };
        if self.tsecr == heard {
            return;
        }
        self.last_tsecr = self.tsecr;
        if len >= self.rcv_mss {
            let floor = u32::from(self.profile.rcv_rtt != RcvRtt::AnyMeasured);
            let ms = c.now_ts().wrapping_sub(self.tsecr).max(floor);
            if ms > 0 && ms < i32::MAX as u32 / 1_000 {
                self.rtt_sample(ms * 1_000, false);
            }
        }
    }
    /// The first data measures a round trip, though they echo what the ACK before them did, which completed the handshake.
    pub fn saw_no_tsecr(&mut self) {
        self.last_tsecr = 0;
    }
    /// A pure ACK brought a timestamp.
    pub fn saw_tsecr(&mut self) {
        self.last_tsecr = self.tsecr;
    }

    /// `tcp_rcv_space_adjust`: the application read; twice of what it reads in a round trip must fit the buffer, more while that grows.
    #[inline]
    pub fn adjust_space(&mut self, c: &Clock) {
        let time = c.us_since(self.space_time);
        if time < self.rtt_us >> 3 || self.rtt_us == 0 {
            return;
        }
        let rule = self.profile.right_sizing;
        let unread = if rule == RightSizing::GrowthLessUnread { self.unread() } else { 0 };
        let copied = self.copied_seq.wrapping_sub(self.space_seq).saturating_sub(unread);
        if copied > self.space {
            if !self.locked {
                let mut window = (u64::from(copied) << 1) + 16 * u64::from(self.advmss);
                window += match rule {
                    RightSizing::Steps if copied >= self.space + (self.space >> 1) => window,
                    RightSizing::Steps if copied >= self.space + (self.space >> 2) => window >> 1,
                    RightSizing::Steps => 0,
                    _ => (window * u64::from(copied - self.space) / u64::from(self.space.max(1))) << 1,
                };
                let buf = if self.profile.scaling_ratio {
                    (window << RATIO_SHIFT) / u64::from(self.ratio)
                } else {
                    window / u64::from(self.advmss) * u64::from(self.segment_memory())
                };
                let buf = buf.min(u64::from(self.rmem_max)) as u32;
                if buf > self.rcvbuf {
                    self.rcvbuf = buf;
                    self.window_clamp = self.window_of(buf);
                }
            }
            self.space = copied;
        }
        self.space_seq = self.copied_seq;
        self.space_time = c.us;
    }

    /// What a segment of the window is given where windows do not follow the measured payload share: an skb's memory, in steps of 128 bytes
    /// as much as gives a window of one segment.
    fn segment_memory(&self) -> u32 {
        let mut m = self.segment_mem();
        while self.window_of(m) < self.advmss {
            m += 128;
        }
        m
    }

    /// `tcp_epollin_ready`: the buffer or the window is nearly full, so that the reader is woken whatever it waits for.
    #[inline]
    pub fn presses(&self) -> bool {
        self.rmem_alloc > self.rcvbuf - (self.rcvbuf >> 3) || self.window() <= self.rcv_mss
    }

    /// `tcp_fast_path_check`: from now on headers are predicted, if nothing came early and there is room.
    #[inline]
    pub fn check_fast_path(&mut self) {
        self.predicts |= self.ofo.is_empty() && self.rcv_wnd != 0 && self.rmem_alloc < self.rcvbuf;
    }
    /// What is in order would be refused, were it not predicted.
    #[inline]
    pub fn is_tight(&self) -> bool {
        self.is_overcommitted() || self.window() == 0
    }

    /// Whether what is queued takes more than the buffer.
    #[inline]
    pub const fn is_overcommitted(&self) -> bool {
        self.rmem_alloc > self.rcvbuf
    }

    /// `tcp_clamp_window`: the buffer may grow to what came; where it may not, or not so far, the window is to be small. Whether there is room.
    pub fn clamp_window(&mut self) -> bool {
        if !self.locked && self.rcvbuf < self.rmem_max {
            self.rcvbuf = self.rmem_alloc.min(self.rmem_max);
        }
        if self.is_overcommitted() {
            self.rcv_ssthresh = self.window_clamp.min(2 * self.advmss);
        }
        !self.is_overcommitted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Bytes, Time};
    use crate::tcp::profile::{V4_14, V4_19, V5_4, V5_10_262, V6_6_129, V6_12};

    #[test]
    fn a_reader_waits_for_half_of_its_buffer_at_most() {
        let asks = |rcvbuf| Params {
            rcvlowat: Bytes::from_kib(128),
            rcvbuf,
            rmem_max: Bytes::from_mib(6),
            ..Params::default()
        };
        assert_eq!(
            Rcv::new(&asks(Some(Bytes::from_kib(32))), &V6_12).lowat,
            32 << 10,
            "half of twice what SO_RCVBUF says"
        );
        assert_eq!(Rcv::new(&asks(Some(Bytes::from_mib(1))), &V6_12).lowat, 128 << 10);
        let most = Params { rcvlowat: Bytes::from_mib(100), ..asks(None) };
        assert_eq!(Rcv::new(&most, &V6_12).lowat, 3 << 20, "half of tcp_rmem[2]");
    }

    #[test]
    fn before_4_18_every_segment_wakes_a_reader_and_its_window_is_not_bound() {
        let p = Params { rcvlowat: Bytes::from_mib(1), rmem_max: Bytes::from_mib(6), ..Params::default() };
        let of = |profile| {
            let r = Rcv::new(&p, profile);
            (r.lowat, r.window_clamp, r.rcvbuf)
        };
        assert_eq!(of(&V4_14), (1, 0, 87_380));
        assert_eq!(of(&V4_19), (1 << 20, 1 << 20, 2 << 20));
        assert_eq!(of(&V6_12), (1 << 20, 0, 2 << 20));
    }

    #[test]
    fn the_reference_receiver_offers_half_of_its_buffer() {
        // SO_RCVBUF 64 MiB is doubled; half of 128 MiB is window, in whole segments; scale 2^10 reaches it.
        let p = Params { rcvbuf: Some(Bytes::from_mib(64)), ..Params::default() };
        let mut r = Rcv::new(&p, &V6_12);
        r.advmss = 1448;
        r.first_window();
        assert_eq!(r.rcvbuf, 128 << 20);
        assert_eq!(r.rcv_wnd, (64 << 20) / 1448 * 1448);
        assert_eq!(r.wscale, 10);
    }

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

    #[test]
    fn a_tiny_buffer_is_the_least_that_linux_gives() {
        // SO_RCVBUF 512 would be 1024, of which half is a window: less than a segment for ever.
        let p = Params { rcvbuf: Some(Bytes::new(512)), ..Params::default() };
        assert_eq!(Rcv::new(&p, &V6_12).rcvbuf, 2_304);
        for max in [0, 1] {
            let p = Params { rmem_max: Bytes::new(max), ..Params::default() };
            assert_eq!(Rcv::new(&p, &V6_12).lowat, 1, "a reader waits for a byte at least");
        }
    }

    #[test]
    fn an_ordinary_receiver_starts_with_64k() {
        let mut r = Rcv::new(&Params::default(), &V6_12);
        r.advmss = 1448;
        r.first_window();
        assert_eq!((r.rcv_wnd, r.wscale), (65_536 / 1448 * 1448, 7));
        let mut r = Rcv::new(&Params::default(), &V4_14);
        r.advmss = 1448;
        r.first_window();
        // The 28960 of every old capture; then a buffer of 2 * 20 * 4 skbs of 1448 + 304 + 576 bytes, half of it window.
        assert_eq!(r.rcv_wnd, 28_960);
        r.established(&Clock::new(1000));
        assert_eq!((r.rcvbuf, r.window_clamp), (160 * 2_328, 80 * 2_328 - 1_448));
    }

    /// 128 KiB of buffer, half of it window. Frames that take 4 KiB for 1448 bytes: 1448 * 256 / 4096 = 90, and 131072 * 90 / 256 = 46080 of window, which
    /// 6.6.129 holds its growth back to. Where they take 2 KiB: 181, and 92672; it has offered 65160 and goes on from there.
    #[test]
    fn a_new_payload_share_moves_the_windows_threshold_in_6_6() {
        for (truesize, profile, threshold, bound) in [
            (4096, &V6_6_129, 46_080, 46_080),
            (4096, &V6_12, 65_160, 46_080),
            (2048, &V6_6_129, 65_160, 92_672),
            (2048, &V6_12, 20_000, 92_672),
        ] {
            let p = Params { rx_truesize: Bytes::new(truesize), rx_per_buffer: 1, ..Params::default() };
            let mut r = Rcv::new(&p, profile);
            r.advmss = 1448;
            r.first_window();
            r.established(&Clock::new(1000));
            assert_eq!((r.rcv_wnd, r.rcv_ssthresh), (65_160, 64_088), "a segment is reserved of 64 KiB");
            r.rcv_ssthresh = if truesize == 2048 { 20_000 } else { r.rcv_wnd };
            r.measure_mss(1448, 1448);
            assert_eq!((r.rcv_ssthresh, r.window_clamp), (threshold, bound), "{} {truesize}", profile.name);
        }
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

    /// A receiver of `profile` whose program reads so many bytes in its first round trip, 10 ms.
    fn after_reading(profile: &'static Profile, bytes: u32) -> Rcv {
        let mut r = Rcv::new(&Params::default(), profile);
        r.advmss = 1448;
        r.first_window();
        let mut c = Clock::new(1000);
        r.established(&c);
        r.rtt_us = 10_000 << 3;
        c.set(Time::from_ms(20));
        (r.rcv_nxt, r.copied_seq) = (bytes, bytes);
        r.adjust_space(&c);
        r
    }

    #[test]
    fn what_lowers_a_receivers_round_trip_and_whether_less_than_a_millisecond_counts() {
        // 10 ms so far; a timestamp of 4 ms ago, or of this millisecond, by hand: seven eighths of the former and an eighth of it, or it.
        for (profile, four, none) in [(&V5_4, 9_250, 8_875), (&V5_10_262, 4_000, 1_000), (&V6_12, 4_000, 10_000)] {
            for (ago_ms, us) in [(4, four), (0, none)] {
                let mut r = Rcv::new(&Params::default(), profile);
                let mut c = Clock::new(1000);
                c.set(Time::from_ms(100));
                (r.rtt_us, r.rcv_mss, r.tsecr) = (10_000 << 3, 1448, c.now_ts() - ago_ms);
                r.measure_rtt_ts(&c, 1448);
                assert_eq!(r.rtt_us >> 3, us, "{} {ago_ms}", profile.name);
            }
        }
    }

    #[test]
    fn right_sizing_makes_room_for_a_growing_sender() {
        // By hand: window = 2 * 60000 + 16 * 1448 = 143168; grown by 2 * 143168 * (60000 - 14480) / 14480 = 900138 (twice 450069);
        // memory at half payload: 2 * 1043306.
        assert_eq!(after_reading(&V6_12, 60_000).rcvbuf, 2 * (143_168 + 2 * 450_069));
    }

    #[test]
    fn before_5_0_a_buffer_grows_only_past_the_first_window() {
        // 18 segments read in a round trip: less than the first window of 20, more than 10.
        let first = 160 * 2_328;
        assert_eq!(after_reading(&V4_19, 18 * 1448).rcvbuf, first);
        // 40 of 5.4's first window of 45.
        assert!(after_reading(&V5_4, 40 * 1448).rcvbuf > 131_072);
    }

    #[test]
    fn steps_of_4_14() {
        // By hand: 2 * 100 + 16 = 216 segments, twice for growth by more than half; 2968 is the first of 2328 + n * 128 whose half holds 1448.
        assert_eq!(after_reading(&V4_14, 100 * 1448).rcvbuf, 432 * 2_968);
    }
}
