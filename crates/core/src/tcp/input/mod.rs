//! What comes in: a packet finds its way by the state of the connection.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_ipv4.c `tcp_v4_do_rcv`; net/ipv4/tcp_input.c `tcp_rcv_state_process`. A connection opens
//! ([`handshake`], [`request`]; from both ends at once: [`crossed`]; with data in its SYN: [`fast_client`], [`fast_child`]); what is
//! [`acceptable`] brings data ([`receive`]), which are acknowledged ([`ack_snd`]); an ACK is taken ([`ack`]) with its SACKs ([`sack`]);
//! what ends before its time, and what comes too late: [`reset`]; what routers say: [`unreachable`]; what waits while a program owns the
//! socket: [`backlog`].

mod acceptable;
mod ack;
mod ack_snd;
mod backlog;
mod crossed;
mod fast_child;
mod fast_client;
mod handshake;
mod receive;
mod request;
mod reset;
mod sack;
mod unreachable;

pub use backlog::Backlog;
pub use unreachable::{Heard, Unreachable};

use crate::sim::{Kind, Lower, Packet, Probe, Time};
use crate::tcp::socket::{Socket, State};

impl Socket {
    /// A packet came up (softirq), and no other in the same instant: who waits for it reads. ACKs and data go out through `low` before
    /// this returns.
    pub fn on_packet<L: Lower, P: Probe>(&mut self, now: Time, p: &Packet, low: &mut L, probe: &mut P) {
        if self.on_packet_unread(now, p, low, probe) {
            self.app_read(low);
        }
    }

    /// The same where others may follow in the same softirq: nobody reads yet. True: call [`Socket::on_reader`] once they are through.
    pub fn on_packet_unread<L: Lower, P: Probe>(&mut self, now: Time, p: &Packet, low: &mut L, probe: &mut P) -> bool {
        debug_assert!(p.kind == Kind::Tcp && p.flow == self.flow);
        self.tp.clock.set(now);
        // src: linux@6.12 include/net/tcp.h tcp_segs_in; tcp_minisocks.c tcp_create_openreq_child, which begins with the SYN
        self.stats.segs_in += u64::from(p.segs.max(1));
        if p.payload > 0 {
            self.stats.data_segs_in += u64::from(p.segs);
        }
        self.mem_settle();
        match self.state {
            State::Closed => self.on_late(p, low),
            State::Listen => self.on_syn(p, low),
            State::SynSent => self.on_syn_sent(now, p, low, probe),
            State::SynRecv => self.on_half_open(now, p, low, probe),
            State::FinWait1 if self.began_at_once() => self.on_half_open(now, p, low, probe),
            _ => self.receive(now, p, low, probe),
        }
        self.app_run(low);
        self.reader_wakes()
    }

    /// A packet that waited for the program that owns the socket (`__release_sock`).
    pub fn on_backlog<L: Lower, P: Probe>(&mut self, now: Time, p: &Packet, low: &mut L, probe: &mut P) {
        self.ack.of_backlog = self.profile.defers_acks;
        self.on_packet_unread(now, p, low, probe);
        self.ack.of_backlog = false;
    }

    /// A packet where our SYN-ACK waits for its ACK.
    #[cold]
    fn on_half_open<L: Lower, P: Probe>(&mut self, now: Time, p: &Packet, low: &mut L, probe: &mut P) {
        if self.began_at_once() {
            self.on_child_packet(now, p, low, probe);
        } else if self.syns_crossed() {
            self.on_crossed_packet(now, p, low, probe);
        } else {
            self.on_syn_received(now, p, low, probe);
        }
    }

    /// The application that waited for data runs.
    pub fn on_reader<L: Lower>(&mut self, now: Time, low: &mut L) {
        self.tp.clock.set(now);
        if self.reader_wakes() || self.reader_begins() {
            self.app_read(low);
        }
    }

    /// The same step by step, where that takes time (`tcp_recvmsg_locked`): skbs to copy, each with a reading of the clock.
    pub fn skbs_to_read(&self) -> u32 {
        if self.rcv.unread() == 0 { 0 } else { self.rcv.skbs }
    }

    /// Its flow, what it expects next, and what it has sent that is acknowledged.
    #[cfg(test)]
    pub(crate) fn next_of_both(&self) -> (crate::sim::FlowId, u32, u32) {
        (self.flow, self.rcv.rcv_nxt, self.tp.snd_una)
    }

    /// Unread bytes that wake the reader, and for which it waits.
    pub fn lowat(&self) -> u32 {
        self.rcv.lowat
    }

    /// All that was there is copied, the first skb by `first`. The bytes.
    pub fn on_copied(&mut self, first: Time, now: Time) -> u32 {
        self.tp.clock.set(first);
        let bytes = self.app_copy();
        self.tp.clock.set(now);
        bytes
    }

    /// The call has what it wants, or waits for more, having `copied` something or nothing yet. True: an ACK was sent.
    pub fn on_read_through<L: Lower>(&mut self, now: Time, copied: bool, low: &mut L) -> bool {
        self.tp.clock.set(now);
        self.cleanup_rbuf(copied, low)
    }
}
