//! Memory is set aside for what is to be queued, and given back.
//!
//! Stands for: who calls what [`forward_alloc`](crate::tcp::forward_alloc) stands for: net/ipv4/tcp.c `sk_stream_alloc_skb`, `tcp_sendmsg_locked`,
//! net/ipv4/tcp_output.c `tcp_send_fin`, `tcp_fragment`, `tso_fragment`; net/ipv4/tcp_input.c `tcp_data_queue`, `tcp_try_rmem_schedule`.
//! Differs: D1 a writer's page fragments end nowhere, so that what a call puts in an skb is asked for at once. D2 the head of the second
//! skb that a SACK block makes of one is not charged, nor asked for (input/sack.rs merges and parts by numbers).

use crate::sim::Time;
use crate::tcp::forward_alloc::PAGE;
use crate::tcp::profile::SetsAside;
use crate::tcp::socket::Socket;

impl Socket {
    /// Truesize of all that is queued, in both directions.
    fn charged_now(&self) -> u32 {
        // Mostly who receives has nothing of its own queued, and that is soon seen.
        let sends = self.tp.write_seq != self.tp.snd_una;
        debug_assert!(sends || self.wmem_queued() == 0);
        if sends { self.charged_with(self.wmem_queued()) } else { self.rcv.rmem_alloc }
    }
    /// The same, where `queued` is [`Socket::wmem_queued`].
    #[inline]
    const fn charged_with(&self, queued: u32) -> u32 {
        queued.wrapping_add(self.rcv.rmem_alloc)
    }
    #[inline]
    fn keeps_pages(&self) -> bool {
        self.profile.sets_aside != SetsAside::Returned
    }

    /// `sk_forward_alloc`, as it is now.
    pub(in crate::tcp) fn forward_alloc(&self) -> u32 {
        let charged = self.charged_now();
        if self.keeps_pages() { self.mem.left(charged) } else { charged.wrapping_neg() % PAGE }
    }
    /// The same at a time at which nothing else happened (`SK_MEMINFO_FWD_ALLOC`).
    pub fn fwd_alloc(&self, now: Time) -> u32 {
        if !self.keeps_pages() {
            return self.forward_alloc();
        }
        let (mut mem, charged, stale) = (self.mem, self.charged_now(), self.stale(now));
        if stale.0 {
            mem.reclaim(charged);
        }
        if stale.1 {
            mem.reclaim_partial(charged);
        }
        mem.left(charged)
    }

    /// A packet of `payload` bytes is to be queued (`sk_rmem_schedule`, `sk_forced_mem_schedule`).
    #[inline]
    pub(in crate::tcp) fn sets_aside_for(&mut self, payload: u32) {
        if self.keeps_pages() {
            self.set_aside(self.rcv.mem_of(payload));
        }
    }
    /// An skb without payload, or for payload of others (`sk_stream_alloc_skb`).
    #[inline]
    pub(in crate::tcp) fn sets_aside_for_head(&mut self) {
        if self.keeps_pages() {
            self.set_aside(self.cost.control());
        }
    }
    #[inline(never)]
    fn set_aside(&mut self, size: u32) {
        self.mem.schedule(self.profile.sets_aside, self.charged_now(), size);
    }

    /// `n` bytes are written behind those `queued`, in an skb of their own where that is `new`.
    #[inline]
    pub(in crate::tcp) fn sets_aside_to_write(&mut self, queued: u32, new: bool, n: u32) {
        if self.keeps_pages() {
            self.set_aside_to_write(self.charged_with(queued), new, n);
        }
    }
    #[inline]
    fn set_aside_to_write(&mut self, mut charged: u32, new: bool, n: u32) {
        let (by, pages) = (self.profile.sets_aside, self.cost.in_pages());
        if new {
            let head = if pages { self.cost.control() } else { self.cost.of(n) };
            self.mem.schedule(by, charged, head);
            charged += head;
        }
        if pages {
            self.mem.schedule(by, charged, n);
        }
    }

    /// `sk_mem_reclaim`.
    #[inline]
    pub(in crate::tcp) fn mem_reclaim(&mut self) {
        if self.keeps_pages() {
            self.mem.reclaim(self.charged_now());
        }
    }
    /// `sk_mem_reclaim_partial`.
    #[inline]
    pub(in crate::tcp) fn mem_reclaim_partial(&mut self) {
        if self.keeps_pages() {
            self.mem.reclaim_partial(self.charged_now());
        }
    }

    /// Timers that were turned off fire all the same, and give memory back (`tcp_delack_timer_handler`, `tcp_write_timer_handler`). Nobody sees
    /// that before something else happens to the socket, and so it is done then.
    #[inline]
    pub(in crate::tcp) fn mem_settle(&mut self) {
        let now = Time::from_ns(self.tp.clock.ns);
        if self.keeps_pages() && (self.timers.stands <= now || self.ack.stands <= now) {
            self.settle(now);
        }
    }
    #[cold]
    fn settle(&mut self, now: Time) {
        let (write, delack) = self.stale(now);
        if write {
            self.timers.stands = Time::NEVER;
            self.mem_reclaim();
        }
        if delack {
            self.ack.stands = Time::NEVER;
            self.mem_reclaim_partial();
        }
    }
    /// Whether the transmit timer and the delayed ACK's were turned off and have fired.
    fn stale(&self, now: Time) -> (bool, bool) {
        let write = self.timers.stands <= now && self.timers.fires.is_never();
        (write, self.ack.stands <= now && self.ack.fires.is_never())
    }
}
