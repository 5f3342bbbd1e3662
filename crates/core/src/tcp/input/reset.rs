//! Connections that end before their time, and packets for those that have ended.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_reset`, `tcp_done_with_error`; net/ipv4/tcp_output.c `tcp_send_active_reset`;
//! net/ipv4/tcp_ipv4.c `tcp_v4_send_reset`; net/ipv4/tcp_minisocks.c `tcp_timewait_state_process`; RFC 9293, RFC 5961.
//! Differs: D1 only sockets of programs that call answer with a RST: a simulated host has no other sockets to speak for; D2 TIME_WAIT ends
//! by a reset alone, and answers a FIN or data with an ACK, whatever their timestamps.

use crate::sim::{Lower, Packet, Time, flags};
use crate::tcp::input::acceptable::is_reset;
use crate::tcp::output::Load;
use crate::tcp::sender::app::Error;
use crate::tcp::sender::rack::TIMEOUT_MIN;
use crate::tcp::sender::timers::Pending;
use crate::tcp::socket::{Socket, State};
use crate::tcp::truesize::PURE_ACK;

impl Socket {
    /// `tcp_done_with_error`, `tcp_write_queue_purge`: the connection is no more; a call will be told why.
    pub(in crate::tcp) fn done(&mut self, error: Option<Error>) {
        self.state = State::Closed;
        self.child_is_through(false);
        self.timers.clear();
        (self.timers.pacing, self.timers.idle) = (Time::NEVER, Time::NEVER);
        self.ack.clear_timers();
        self.app.bulk = None;
        self.app.call_left = 0;
        self.app.error = error;
        if self.profile.end_clears_backoff {
            self.rtt.backoff = 0;
        }
    }

    /// `tcp_reset`: the peer reset the connection.
    pub(in crate::tcp) fn reset(&mut self) {
        let error = match self.state {
            State::SynSent => Error::Refused,
            State::CloseWait => Error::Pipe,
            _ => Error::Reset,
        };
        self.done(Some(error));
    }

    /// `tcp_validate_incoming`: a RST. It counts where it is expected, at the end of what was SACKed, or right behind the FIN; elsewhere it is
    /// asked for again.
    pub(in crate::tcp) fn take_reset<L: Lower>(&mut self, p: &Packet, low: &mut L) {
        let at_block = self.rcv.ofo.highest_block() == Some(p.seq);
        if p.seq == self.rcv.rcv_nxt || at_block || self.resets_behind_fin(p) {
            self.reset();
        } else {
            self.suspect_early_reset();
            self.challenge(low);
        }
    }

    /// A packet whose ACK answers none of our SYNs (`tcp_rcv_synsent_state_process`): it is reset, and the SYN goes again soon.
    pub(in crate::tcp) fn answers_no_syn<L: Lower>(&mut self, p: &Packet, low: &mut L) {
        if !self.app.calls {
            return;
        }
        if self.rto.retransmits == 0 {
            let max = self.rto_max();
            self.timers.reset(&self.tp.clock, Pending::Retrans, TIMEOUT_MIN, max);
        }
        self.answer_with_reset(p, low);
    }

    /// Whether this is the timestamp of one of our SYNs.
    pub(in crate::tcp) fn echoes_a_syn(&self, tsecr: u32) -> bool {
        let first = self.undo.retrans_stamp;
        self.tp.clock.now_ts().wrapping_sub(first) >= tsecr.wrapping_sub(first)
    }

    /// `tcp_send_active_reset`: this end gives the connection up.
    pub(in crate::tcp) fn abort<L: Lower>(&mut self, low: &mut L) {
        let seq = self.acceptable_seq();
        let load = Load {
            seq,
            payload: 0,
            segs: 1,
            mss: 0,
            flags: flags::RST | flags::ACK,
            truesize: PURE_ACK,
            again: false,
            answers: None,
            acks: None,
        };
        let _ = self.transmit(load, low);
        self.done(None);
    }

    /// `tcp_v4_send_reset`: there is no connection (any more) for this packet.
    pub(in crate::tcp) fn answer_with_reset<L: Lower>(&mut self, p: &Packet, low: &mut L) {
        if is_reset(p) {
            return;
        }
        let (seq, flags, ack) = if p.flags & flags::ACK != 0 {
            (p.ack, flags::RST, 0)
        } else {
            let len = p.payload + u32::from(p.flags & flags::SYN != 0) + u32::from(p.flags & flags::FIN != 0);
            (0, flags::RST | flags::ACK, p.seq.wrapping_add(len))
        };
        let (mss, truesize, again) = (0, PURE_ACK, false);
        let load = Load { seq, payload: 0, segs: 1, mss, flags, truesize, again, answers: Some(ack), acks: None };
        let _ = self.transmit(load, low);
    }

    /// A packet for a connection that has ended.
    pub(in crate::tcp) fn on_late<L: Lower>(&mut self, p: &Packet, low: &mut L) {
        if !self.app.calls {
            return;
        }
        if !self.app.time_wait {
            self.answer_with_reset(p, low);
        } else if is_reset(p) {
            // It ends TIME_WAIT (tcp_rfc1337 is 0 at boot).
            self.app.time_wait = p.seq != self.rcv.rcv_nxt;
        } else if p.payload > 0 || p.flags & flags::FIN != 0 {
            self.send_ack(low);
        }
    }
}
