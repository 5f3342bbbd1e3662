//! The calls of a program that says itself when it writes, reads and closes, and what it may ask of the connection: the socket as
//! `packetdrill` and tests of single packets drive it. Bulk senders and their readers (write.rs, receive.rs) need none of it.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp.c `tcp_sendmsg`, `tcp_recvmsg`, `tcp_close`, `tcp_shutdown`, `do_tcp_setsockopt`; the options of a
//! SYN (net/ipv4/tcp_output.c `tcp_syn_options`, net/ipv4/tcp_input.c `tcp_parse_options`).
//! Differs: D1 what did not come from a tun device is no line of skbs to a reader: memory of a part of the receive queue that is read counts as the
//! same part of the queue's, and the reader's rate is taken of a read, not of its first skb; D2 no urgent data; D3 `SO_LINGER` with a time does not block.

use crate::sim::{Lower, Time};
use crate::tcp::cc::{Algorithm, Cc};
use crate::tcp::ecn::CeState;
use crate::tcp::options::Offer;
use crate::tcp::program::write::WriteFlags;
use crate::tcp::sender::app::Error;
use crate::tcp::sender::patience::Patience;
use crate::tcp::socket::{Socket, State};
use crate::tcp::sysctls::Sysctls;

impl Socket {
    /// From now on a program calls [`Socket::write`] and [`Socket::read`]. Call this before the connection opens; `offer` is what its SYN
    /// (or SYN-ACK) offers.
    pub fn by_calls(&mut self, offer: Offer) {
        self.app.calls = true;
        self.opts = offer;
        self.rcv.agreed(&offer);
    }
    /// `net.core.rmem_max`: windows are scaled for it, too (`tcp_select_initial_window`).
    pub fn set_core_rmem_max(&mut self, bytes: u32) {
        self.rcv.host_most = bytes;
    }
    /// What comes was written into a tun device: its heads hand on no page fragments (`skb_head_is_locked`).
    pub fn hears_tun(&mut self) {
        self.rcv.tun = Some(Box::default());
    }
    /// What was agreed on (before the handshake: what is offered).
    pub fn offer(&self) -> Offer {
        self.opts
    }
    /// First byte that is not acknowledged.
    pub fn snd_una(&self) -> u32 {
        self.tp.snd_una
    }
    /// log2 of the scale of the windows that this socket tells.
    pub fn window_scale(&self) -> u32 {
        self.rcv.wscale
    }

    /// `write`: queues `bytes` and sends what may be sent; what the send buffer has no room for waits until it has
    /// ([`Socket::unwritten`]).
    pub fn write<L: Lower>(&mut self, now: Time, bytes: u32, how: WriteFlags, low: &mut L) {
        self.tp.clock.set(now);
        self.app_call_write(bytes, how, low);
        if how.zerocopy && bytes > 0 {
            self.sent_without_copy();
        }
    }
    /// The next write is one without a copy whose buffers fill skbs after so many bytes each (`MAX_SKB_FRAGS`).
    pub fn cut_next(&mut self, parts: impl Iterator<Item = u32>) {
        let mut end = self.tp.write_seq;
        let cuts = parts.map(|n| {
            end = end.wrapping_add(n);
            end
        });
        self.app.told.get_or_insert_default().zerocopy.cuts = cuts.collect();
    }
    /// Bytes of writes that wait for room.
    pub fn unwritten(&self) -> u32 {
        self.app_waiting()
    }
    /// Takes back what waits for room: the call did not block.
    pub fn unwrite(&mut self) -> u32 {
        let n = self.app_waiting();
        if n > 0 && self.app.copied {
            self.stamp_send();
        }
        self.app_give_up();
        n
    }

    /// Whether the handshake was done, now or before the end.
    pub fn has_opened(&self) -> bool {
        self.opened
    }

    /// Bytes that can be read.
    pub fn unread(&self) -> u32 {
        // FIN takes a sequence number, and is no byte.
        let fin = matches!(self.state, State::CloseWait | State::LastAck | State::Closing);
        self.rcv.rcv_nxt.wrapping_sub(self.rcv.copied_seq) - u32::from(fin && self.rcv.rcv_nxt != self.rcv.copied_seq)
    }
    /// The peer has closed its direction.
    pub fn at_end(&self) -> bool {
        matches!(self.state, State::CloseWait | State::LastAck | State::Closing | State::Closed)
    }
    /// `read`: takes up to `most` bytes; how many.
    pub fn read<L: Lower>(&mut self, now: Time, most: u32, low: &mut L) -> u32 {
        self.tp.clock.set(now);
        let there = self.unread();
        let n = there.min(most);
        if n == 0 {
            return 0;
        }
        self.mem_settle();
        let r = &mut self.rcv;
        let early = r.ofo.memory();
        let (queue, end) = (r.rmem_alloc - early, r.copied_seq.wrapping_add(n));
        // The rate is taken after each skb; all but the first are of no time.
        r.copied_seq = r.tun.as_ref().map_or(end, |line| line.first(end));
        r.adjust_space(&self.tp.clock);
        r.copied_seq = end;
        r.rmem_alloc = early
            + match &mut r.tun {
                Some(line) => line.read(end),
                None => (u64::from(queue) * u64::from(there - n) / u64::from(there)) as u32,
            };
        self.cleanup_rbuf(true, low);
        n
    }

    /// `MSG_PEEK`: what [`Socket::read`] would take stays there.
    pub fn peek<L: Lower>(&mut self, now: Time, most: u32, low: &mut L) -> u32 {
        self.tp.clock.set(now);
        let n = self.unread().min(most);
        if n > 0 {
            self.rcv.adjust_space(&self.tp.clock);
            self.cleanup_rbuf(true, low);
        }
        n
    }
    /// `SO_RCVLOWAT`, of an open connection. False: it is more than half of the receive buffer, which would have to grow.
    pub fn set_rcvlowat(&mut self, bytes: u32) -> bool {
        let fits = bytes <= self.rcv.rcvbuf / 2;
        if fits {
            self.rcv.lowat = bytes.max(1);
        }
        fits
    }
    /// `SO_RCVLOWAT`: so many bytes wake a reader.
    pub fn rcvlowat(&self) -> u32 {
        self.rcv.lowat
    }
    /// `tcp_stream_is_readable`.
    pub fn readable(&self) -> bool {
        let n = self.unread();
        n > 0 && (n >= self.rcv.lowat || self.rcv.presses())
    }
    /// `TCP_QUICKACK`: whether ACKs go at once. An even number (but for 0): only the one that is due.
    pub fn set_quickack<L: Lower>(&mut self, now: Time, value: u32, low: &mut L) {
        self.tp.clock.set(now);
        self.ack.pingpong = 0;
        let due = matches!(self.state, State::Established | State::CloseWait) && self.ack.scheduled;
        if value != 0 && due {
            self.ack.pushed = true;
            self.cleanup_rbuf(true, low);
        }
        if value == 0 || (due && value & 1 == 0) {
            self.ack.enter_pingpong();
        }
    }
    /// `TCP_QUICKACK`, as it is told.
    pub fn quickack(&self) -> bool {
        self.ack.pingpong < self.ack.pingpong_thresh
    }
    /// `TCP_LINGER2`, seconds; 0: as the host says.
    pub fn set_linger2(&mut self, seconds: i32) {
        self.app.linger2 = seconds;
    }

    /// `shutdown` of the sending direction, and of the receiving one if `both`.
    pub fn shutdown<L: Lower>(&mut self, now: Time, both: bool, low: &mut L) {
        self.tp.clock.set(now);
        self.app.rcv_shutdown |= both;
        self.app_close(low);
    }
    /// `close`: the descriptor is gone. Unread data, or a linger time of 0, make it a reset.
    pub fn close<L: Lower>(&mut self, now: Time, low: &mut L) {
        self.tp.clock.set(now);
        (self.app.rcv_shutdown, self.app.orphan) = (true, true);
        self.judge_fast();
        let open = !matches!(self.state, State::Closed | State::Listen | State::SynSent);
        // src: linux@6.12 net/ipv4/tcp.c __tcp_close, tcp_disconnect, tcp_need_reset
        let resets = self.app.linger_0 && !matches!(self.state, State::Closing | State::LastAck);
        if self.state == State::SynSent {
            self.done(None);
        } else if open && (self.unread() > 0 || resets) {
            self.abort(low);
        } else {
            self.app_close(low);
            if self.fin_wait_ends() {
                self.abort(low);
            }
        }
    }
    /// The listener closes before a program has accepted the connection (`inet_child_forget`): it is reset; without its handshake, gone.
    pub fn forget<L: Lower>(&mut self, now: Time, low: &mut L) {
        self.tp.clock.set(now);
        let request = self.state == State::SynRecv && !self.began_at_once();
        if request || matches!(self.state, State::Closed | State::Listen | State::LastAck | State::Closing) {
            self.done(None);
        } else {
            self.abort(low);
        }
    }
    /// `SO_LINGER` with a time of 0: a close resets.
    pub fn set_linger_0(&mut self, on: bool) {
        self.app.linger_0 = on;
    }
    /// `SO_ERROR`: why the connection ended; it is told once.
    pub fn take_error(&mut self) -> Option<Error> {
        self.app.error.take()
    }
    /// Whether it ended in an error that nobody was told.
    pub fn has_error(&self) -> bool {
        self.app.error.is_some()
    }
    /// That error; nobody is told.
    pub fn error(&self) -> Option<Error> {
        self.app.error
    }
    /// `TCP_USER_TIMEOUT`, milliseconds; 0: none.
    pub fn set_user_timeout(&mut self, ms: u32) {
        self.app.user_timeout = ms;
    }
    /// When its host gives up (`tcp_retries2` and its like).
    pub fn set_patience(&mut self, p: Patience) {
        self.app.patience = p;
    }
    /// What else its host is set to. Call this before the connection opens.
    pub fn set_sysctls(&mut self, s: Sysctls) {
        self.app.sysctls = s;
        self.rcv.set_sysctls(&s);
        self.rtt.min_rtt_wlen_s = s.min_rtt_wlen_s;
        self.ack.pingpong_thresh = s.pingpong_thresh.unwrap_or(self.profile.pingpong_threshold);
    }
    /// `tcp_ecn_fallback`.
    pub fn set_ecn_fallback(&mut self, on: bool) {
        self.app.ecn_fallback = on;
    }
    /// `TCP_SYNCNT`: a SYN, or a listener's SYN-ACK, goes again so often at most.
    pub fn set_syn_retries(&mut self, most: u32) {
        self.app.syn_retries = Some(most);
    }
    /// `TCP_NOTSENT_LOWAT`, bytes; `u32::MAX`: none.
    pub fn set_notsent_lowat(&mut self, bytes: u32) {
        self.app.notsent_lowat = bytes;
        // src: linux@6.12 net/ipv4/tcp.c do_tcp_setsockopt: sk_write_space
        if self.app.no_space && self.is_writeable() {
            self.app.no_space = false;
        }
    }
    /// Whether a write would find room (`EPOLLOUT`). If not, it waits: see [`Socket::waits_for_room`].
    pub fn poll_out(&mut self) -> bool {
        self.app_poll()
    }
    /// Somebody waits for room (`SOCK_NOSPACE`); it ends when so much is free that they are woken.
    pub fn waits_for_room(&self) -> bool {
        self.app.no_space
    }
    /// `SIOCOUTQ` and `SIOCOUTQNSD`: bytes that are not acknowledged, and those of them that were not sent.
    pub fn outq(&self) -> (u32, u32) {
        (self.tp.write_seq.wrapping_sub(self.tp.snd_una), self.tp.unsent())
    }
    /// `TCP_CM_INQ`: bytes that can be read; 1 at the end, so that one goes on reading.
    pub fn inq_hint(&self) -> u32 {
        let n = self.rcv.rcv_nxt.wrapping_sub(self.rcv.copied_seq);
        if n == 0 && self.at_end() { 1 } else { n }
    }
    /// `SO_SNDBUF` and `SO_RCVBUF` as they are told: what the kernel made of them.
    pub fn buffers(&self) -> (u32, u32) {
        (self.app.sndbuf, self.rcv.rcvbuf)
    }
    /// `TCP_NODELAY` and `TCP_CORK`, where they are given.
    pub fn set_nagle<L: Lower>(&mut self, now: Time, nodelay: Option<bool>, cork: Option<bool>, low: &mut L) {
        self.tp.clock.set(now);
        self.app_nagle(nodelay, cork, low);
    }
    /// `SO_RCVBUF`, of an open connection.
    pub fn set_rcvbuf(&mut self, bytes: u32) {
        self.rcv.set_rcvbuf(bytes);
    }
    /// `SO_SNDBUF`.
    pub fn set_sndbuf(&mut self, bytes: u32) {
        self.app_sndbuf(bytes);
    }
    /// `TCP_MAXSEG`, before the connection opens: the largest segment that is sent and asked for.
    pub fn set_max_seg(&mut self, mss: u32) {
        self.mtu = self.mtu.min(mss + crate::tcp::options::BARE_HEADERS);
        self.mss_clamp = self.mss_clamp.min(mss);
        self.user_mss = Some(mss);
    }
    /// `TCP_CONGESTION`. One that is there already goes on as it is (`tcp_set_congestion_control`).
    /// It begins at this call's jiffy (as `tcp_westwood_init`, `htcp_init`), and at the last packet's `tcp_mstamp` (as `bictcp_hystart_reset`).
    pub fn set_congestion_control(&mut self, now: Time, cc: Cc) {
        if self.params.cc == cc {
            return;
        }
        self.tp.clock.tick(now);
        self.params.cc = cc;
        self.ce_state = CeState { prior_rcv_nxt: self.rcv.rcv_nxt, ce: false };
        self.ca = Algorithm::new(cc, &self.tunables, self.profile, &mut self.tp);
    }
}
