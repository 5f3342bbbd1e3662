//! How far a receiver's window may open: the first window, its slow start, its bound, the buffer that bounds both.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_select_initial_window`; net/ipv4/tcp_input.c `tcp_grow_window`, `tcp_measure_rcv_mss`,
//! `tcp_clamp_window`; what older kernels do otherwise there is in their profiles.
//! Differs: D1 no memory pressure of the whole host; no shrinking window (`tcp_shrink_window`). D2 `SO_RCVLOWAT` makes room in the buffer for every
//! kernel; Linux does so from 4.18 on.

use crate::sim::Packet;
use crate::tcp::clock::Clock;
use crate::tcp::config::{MIN_RCVBUF, Params};
use crate::tcp::options::Offer;
use crate::tcp::profile::{FirstSpace, Lowat, Profile};
use crate::tcp::receiver::line::Line;
use crate::tcp::receiver::ofo::Ofo;
use crate::tcp::receiver::packing::Packing;
use crate::tcp::seq::after;
use crate::tcp::sysctls::Sysctls;

/// log2 of the scale of `scaling_ratio`. src: linux@6.12 include/net/tcp.h TCP_RMEM_TO_WIN_SCALE
pub(super) const RATIO_SHIFT: u32 = 8;
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
    pub(super) locked: bool,
    /// `sk_rcvlowat`: unread bytes that wake the reader, half of the buffer at most. src: linux@6.12 net/ipv4/tcp.c tcp_set_rcvlowat
    pub lowat: u32,
    /// `tcp_rmem[2]`.
    pub(super) rmem_max: u32,
    /// `tcp_moderate_rcvbuf` and `tcp_app_win`.
    pub(super) moderates: bool,
    app_win: u8,
    /// `net.core.rmem_max`, where a script asks: it bounds the window's scale, too.
    pub host_most: u32,
    /// Truesize of what is queued.
    pub rmem_alloc: u32,
    /// Bytes of the first buffer that is not read.
    pub head: u32,
    /// Pieces in the last buffer that is not read.
    pub(super) tail: u32,
    /// Skbs that are not read.
    pub(in crate::tcp) skbs: u32,
    /// How well what is queued is packed.
    pub(super) packing: Packing,
    /// Full frames that one buffer of the driver's takes.
    pub per_buffer: u32,
    /// Payload in 256 parts of memory.
    pub(super) ratio: u32,
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
    /// Timestamp of the last packet.
    pub tsval: u32,
    /// Timestamp that it echoed.
    pub tsecr: u32,
    pub(super) last_tsecr: u32,
    /// Sequence numbers received in order, ever, the FIN's among them (`bytes_received`).
    pub bytes_received: u64,
    /// The peer's FIN is counted among them.
    pub fin: bool,
    /// RTT seen by the receiver, microseconds << 3.
    pub rtt_us: u32,
    pub(super) rtt_seq: u32,
    pub(super) rtt_time: u64,
    pub(super) space: u32,
    pub(super) space_seq: u32,
    pub(super) space_time: u64,
    /// Driver's truesize of a full frame.
    pub(super) rx_truesize: u32,
    /// Memory follows the payload (`rx_pages`).
    pub(in crate::tcp) pages: bool,
    /// Heads are the allocator's, as of what is written into a tun device; the skbs that wait.
    pub(in crate::tcp) tun: Option<Box<Line>>,
    /// The first byte's sequence number.
    pub began: u32,
}

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
            moderates: true,
            app_win: 31,
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
            tsval: 0,
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
        self.ofo.tells(o.sack, o.timestamps);
        if !self.scales {
            self.wscale = 0;
            self.window_clamp = self.window_clamp.min(65_535);
        }
    }

    /// What the host is set to.
    pub fn set_sysctls(&mut self, s: &Sysctls) {
        (self.moderates, self.app_win) = (s.moderate_rcvbuf, s.app_win);
        self.ofo.tells_twice(s.dsack);
    }

    /// `tcp_init_buffer_space`, once established.
    pub fn established(&mut self, c: &Clock) {
        self.space_time = c.us;
        self.space_seq = self.copied_seq;
        if let (Some(segs), false) = (self.profile.first_window_segs, self.locked) {
            // tcp_fixup_rcvbuf: right-sizing takes two to three round trips, which must not limit the sender.
            let room = 2 * self.segment_mem() * segs * if self.moderates { 4 } else { 1 };
            self.rcvbuf = self.rcvbuf.max(room.min(self.rmem_max));
        }
        // tcp_app_win is 31 at boot: its share is nothing, a segment is reserved.
        let max = self.window_of(self.rcvbuf);
        if self.window_clamp >= max {
            let share = self.app_win != 0 && max > 4 * self.advmss;
            self.window_clamp = if share { (max - (max >> self.app_win)).max(4 * self.advmss) } else { max };
        }
        if self.app_win != 0 && self.window_clamp > 2 * self.advmss && self.window_clamp + self.advmss > max {
            self.window_clamp = (2 * self.advmss).max(max - self.advmss);
        }
        self.rcv_ssthresh = self.rcv_ssthresh.min(self.window_clamp);
        let ten = 10 * self.advmss;
        self.space = match self.profile.first_space {
            FirstSpace::Window => self.rcv_wnd,
            FirstSpace::Segments => self.rcv_wnd.min(ten),
            FirstSpace::Threshold => self.rcv_ssthresh.min(self.rcv_wnd).min(ten),
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
    use crate::sim::Bytes;
    use crate::tcp::profile::{V4_14, V4_19, V6_6_129, V6_12};

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
}
