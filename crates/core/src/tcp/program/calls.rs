//! The calls of a program that says itself when it writes, reads and closes, and what it may ask of the connection: the socket as
//! `packetdrill` and tests of single packets drive it. Bulk senders and their readers (write.rs, receive.rs) need none of it.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp.c `tcp_sendmsg`, `tcp_recvmsg`, `tcp_close`, `tcp_shutdown`, `do_tcp_setsockopt`; the options of a
//! SYN (net/ipv4/tcp_output.c `tcp_syn_options`, net/ipv4/tcp_input.c `tcp_parse_options`).
//! Differs: D1 memory of a part of the receive queue that is read counts as the same part of the queue's; D2 no urgent data, no
//! `MSG_PEEK`; D3 a close with unread data sends FIN, not RST.

use crate::sim::{Lower, Time};
use crate::tcp::cc::{Algorithm, Cc};
use crate::tcp::options::Offer;
use crate::tcp::socket::{Socket, State};

impl Socket {
    /// From now on a program calls [`Socket::write`] and [`Socket::read`]. Call this before the connection opens; `offer` is what its SYN
    /// (or SYN-ACK) offers.
    pub fn by_calls(&mut self, offer: Offer) {
        self.app.calls = true;
        self.opts = offer;
        self.rcv.agreed(&offer);
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
    /// ([`Socket::unwritten`]). `more`: `MSG_MORE`.
    pub fn write<L: Lower>(&mut self, now: Time, bytes: u32, more: bool, low: &mut L) {
        self.tp.clock.set(now);
        self.app_call_write(bytes, more, low);
    }
    /// Bytes of writes that wait for room.
    pub fn unwritten(&self) -> u32 {
        self.app_waiting()
    }
    /// Takes back what waits for room: the call did not block.
    pub fn unwrite(&mut self) -> u32 {
        let n = self.app_waiting();
        self.app_give_up();
        n
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
        let r = &mut self.rcv;
        let early = r.ofo.memory();
        let queue = u64::from(r.rmem_alloc - early);
        r.copied_seq = r.copied_seq.wrapping_add(n);
        r.rmem_alloc = early + (queue * u64::from(there - n) / u64::from(there)) as u32;
        r.adjust_space(&self.tp.clock);
        self.cleanup_rbuf(low);
        n
    }

    /// `close`, or `shutdown` of the sending direction.
    pub fn close<L: Lower>(&mut self, now: Time, low: &mut L) {
        self.tp.clock.set(now);
        self.app_close(low);
    }
    /// `TCP_NODELAY` and `TCP_CORK`, where they are given.
    pub fn set_nagle<L: Lower>(&mut self, now: Time, nodelay: Option<bool>, cork: Option<bool>, low: &mut L) {
        self.tp.clock.set(now);
        self.app_nagle(nodelay, cork, low);
    }
    /// `SO_SNDBUF`.
    pub fn set_sndbuf(&mut self, bytes: u32) {
        self.app_sndbuf(bytes);
    }
    /// `TCP_MAXSEG`, before the connection opens: the largest segment that is sent and asked for.
    pub fn set_max_seg(&mut self, mss: u32) {
        self.mtu = self.mtu.min(mss + crate::tcp::options::BARE_HEADERS);
        self.mss_clamp = self.mss_clamp.min(mss);
    }
    /// `TCP_CONGESTION`.
    pub fn set_congestion_control(&mut self, cc: Cc) {
        self.params.cc = cc;
        self.ca = Algorithm::new(cc, &self.tunables, self.profile, &mut self.tp);
    }
}
