//! A connection that a listener was asked for, before its handshake is through: what packets do to the request.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_minisocks.c `tcp_check_req`; net/ipv4/tcp_ipv4.c `tcp_v4_reqsk_send_ack`; net/ipv4/tcp_input.c
//! `tcp_reqsk_send_challenge_ack`, `tcp_try_undo_spurious_syn`. One that began with its SYN's data: [`fast_child`](super::fast_child).
//! Differs: D1 no `TCP_DEFER_ACCEPT`; D2 a request that is dropped takes its listener along, which listens for one connection.

use crate::sim::{Lower, Packet, Probe, Time, flags};
use crate::tcp::input::acceptable::is_reset;
use crate::tcp::output::Load;
use crate::tcp::sender::timers::Timers;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::Socket;

/// `tcp_in_window`: whether [`seq`, `end`) lies in [`from`, `to`), or is nothing at its end.
pub(super) fn in_window(seq: u32, end: u32, from: u32, to: u32) -> bool {
    seq == from || (after(end, from) && before(seq, to)) || (seq == to && seq == end)
}

impl Socket {
    /// A packet while our SYN-ACK waits for its ACK.
    pub(in crate::tcp) fn on_syn_received<L: Lower, P: Probe>(
        &mut self,
        now: Time,
        p: &Packet,
        low: &mut L,
        probe: &mut P,
    ) {
        if !self.request_takes(p, low) {
            return;
        }
        let tp = &mut self.tp;
        (tp.snd_una, tp.snd_nxt, tp.write_seq) = (p.ack, p.ack, p.ack);
        tp.snd_wnd = p.wnd;
        tp.max_window = p.wnd;
        tp.delivered += u32::from(self.profile.handshake_delivers);
        self.app.written(p.ack);
        self.snd_wl1 = p.seq;
        self.snd_sml = p.ack;
        self.timers = Timers::OFF; // a request's is its own
        self.ack.lrcvtime = self.tp.clock.j32(); // tcp_create_openreq_child
        let late = core::mem::take(&mut self.rto.retransmits) > 0 && p.tsecr != self.first_synack_stamp();
        (self.rcv.tsval, self.rcv.tsecr) = (p.tsval, p.tsecr);
        self.synack_rtt(self.synacks_again == 0);
        // Congestion control starts with this RTT known.
        self.established();
        if late && self.synacks_again > 1 {
            // src: linux@6.12 net/ipv4/tcp_input.c tcp_init_transfer, tcp_try_undo_spurious_syn; rfc6298#5.7
            self.tp.snd_cwnd = 1;
        }
        self.no_rtt_yet();
        if !crate::tcp::cc::Control::has_cong_control(&self.ca) {
            self.update_pacing_rate();
        }
        self.completes = true;
        self.receive(now, p, low, probe);
        self.completes = false;
        self.rcv.saw_no_tsecr(); // tcp_rcv_state_process does not look at it
    }

    /// `tcp_check_req`: whether the packet completes the handshake.
    fn request_takes<L: Lower>(&mut self, p: &Packet, low: &mut L) -> bool {
        let nxt = self.rcv.rcv_nxt;
        let (syn, ack) = (p.flags & flags::SYN != 0, p.flags & flags::ACK != 0);
        let old = p.tsval != 0 && after(self.rcv.ts_recent, p.tsval);
        let again = p.seq.wrapping_add(1) == nxt;
        if again && syn && !ack && !old {
            self.syn_came_again(p, low);
            return false;
        }
        if ack && !is_reset(p) && p.ack != self.tp.snd_una.wrapping_add(1) {
            // It goes to the listener, which has sent nothing that could be acknowledged; the request stays.
            if self.app.calls {
                self.answer_with_reset(p, low);
            }
            return false;
        }
        let len = p.payload + u32::from(syn) + u32::from(p.flags & flags::FIN != 0);
        let end = p.seq.wrapping_add(len);
        if old || !in_window(p.seq, end, nxt, nxt.wrapping_add(self.rcv.rcv_wnd)) {
            if !is_reset(p) && !self.request_oow_limited(p) {
                self.send_request_ack(low);
            }
            return false;
        }
        if is_reset(p) && p.seq != nxt {
            if !self.request_is_limited() {
                self.send_request_ack(low);
            }
            return false;
        }
        if is_reset(p) || (syn && !again) {
            if self.app.calls {
                self.answer_with_reset(p, low);
            }
            self.done(None);
            return false;
        }
        ack
    }

    /// `tcp_v4_reqsk_send_ack`: what is expected. The connection to come does not count it, nor is a window offered to it.
    #[cold]
    fn send_request_ack<L: Lower>(&mut self, low: &mut L) {
        let kept = (self.rcv.rcv_wnd, self.rcv.rcv_wup, self.stats.bare_out);
        let _ = self.transmit(Load::ack(self.tp.snd_una.wrapping_add(1)), low);
        (self.rcv.rcv_wnd, self.rcv.rcv_wup, self.stats.bare_out) = kept;
    }

    /// The peer has not got our SYN-ACK, or not yet: it goes again, at most once in half a second, and the timer begins anew.
    fn syn_came_again<L: Lower>(&mut self, p: &Packet, low: &mut L) {
        if self.request_oow_limited(p) {
            return;
        }
        self.synack_again(low);
        self.synack_timer();
    }

    /// The timestamp in the first SYN-ACK.
    fn first_synack_stamp(&self) -> u32 {
        crate::tcp::clock::Clock::timestamp(self.synack_sent * 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Blind, FlowId, Kind, NodeId};
    use crate::tcp::cc::Cc;
    use crate::tcp::options::Offer;
    use crate::tcp::socket::State;
    use crate::tcp::tests::pair::{Link, cfg, params};

    fn packet(flags: u8, seq: u32, ack: u32) -> Packet {
        let mut p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        (p.flags, p.seq, p.ack, p.wnd, p.segs) = (flags, seq, ack, 65_535, 1);
        p
    }

    /// A second SYN with another number within the window: its sender is told (as by the real 6.18: R. 0:0(0) ack 5001), and the request is gone.
    #[test]
    fn a_syn_of_another_number_resets_the_request() {
        let mut s = Socket::server(&cfg(params(Cc::Reno), false, 700));
        s.by_calls(Offer { timestamps: false, ..Offer::default() });
        let mut link = Link::idle();
        s.on_packet(Time::ZERO, &packet(flags::SYN, 0, 0), &mut link, &mut Blind);
        s.on_packet(Time::from_ms(200), &packet(flags::SYN, 5_000, 0), &mut link, &mut Blind);
        let told = link.q.back().expect("a reset");
        assert_eq!((told.flags, told.seq, told.ack), (flags::RST | flags::ACK, 0, 5_001));
        assert_eq!(s.state(), State::Closed);
        s.on_packet(Time::from_ms(300), &packet(flags::ACK, 1, 701), &mut link, &mut Blind);
        let told = link.q.back().expect("a reset");
        assert_eq!((told.flags, told.seq), (flags::RST, 701));
    }
}
