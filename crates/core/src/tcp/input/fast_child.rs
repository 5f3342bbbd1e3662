//! A connection that a listener begins with the SYN's data, before its handshake is through (TCP Fast Open, RFC 7413, 4.2.2): the program may
//! read and write, the SYN-ACK's timer is the only one.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_fastopen.c `tcp_fastopen_create_child`; net/ipv4/tcp_minisocks.c `tcp_check_req`;
//! net/ipv4/tcp_input.c `tcp_rcv_state_process`, `tcp_rcv_synrecv_state_fastopen`; net/ipv4/tcp_timer.c `tcp_fastopen_synack_timer`.
//! Differs: nothing.

use crate::sim::{Lower, Packet, Probe, Time, flags};
use crate::tcp::cc::Control;
use crate::tcp::fastopen::queue::Answer;
use crate::tcp::fastopen::state::{Child, Fast};
use crate::tcp::input::request::in_window;
use crate::tcp::sender::timers::Pending;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::{Socket, State};
use crate::tcp::tp::CaState;

impl Socket {
    /// What is to be answered to the SYN that comes next.
    pub fn answer_syn(&mut self, answer: Answer) {
        self.fast = Some(Box::new(Fast { answer, option: answer.cookie, ..Fast::default() }));
    }

    /// It began with its SYN, and the handshake is not through (`fastopen_rsk`).
    #[inline]
    pub fn began_at_once(&self) -> bool {
        self.fast.as_ref().is_some_and(|f| f.child.is_some())
    }

    /// `tcp_fastopen_create_child`, if that is the answer.
    pub(in crate::tcp) fn answer_fast(&mut self, p: &Packet) {
        if !self.fast.as_ref().is_some_and(|f| f.answer.at_once) {
            return;
        }
        let isn = self.tp.snd_una;
        let first = isn.wrapping_add(1);
        let tp = &mut self.tp;
        (tp.snd_una, tp.snd_nxt, tp.write_seq) = (first, first, first);
        (tp.snd_wnd, tp.max_window) = (p.wnd, p.wnd);
        self.app.written(first);
        (self.snd_wl1, self.snd_sml) = (p.seq, first);
        let window = self.rcv.rcv_wnd;
        self.established();
        self.no_rtt_yet();
        self.state = State::SynRecv;
        self.take_syn_data(p);
        self.rcv.rcv_wup = self.rcv.rcv_nxt;
        let child = Child {
            isn,
            peer_isn: p.seq,
            acked: self.rcv.rcv_nxt,
            window,
            timeout: self.tp.clock.hz,
            timeouts: 0,
            tlp: self.params.tlp,
        };
        if let Some(f) = self.fast.as_mut() {
            f.child = Some(child);
        }
        // No loss probe until it is through (tcp_schedule_loss_probe), which asks this anyway.
        self.params.tlp = false;
    }

    /// The handshake is through, or given up.
    pub(in crate::tcp) fn child_is_through(&mut self, reset: bool) {
        if let Some(f) = self.fast.as_mut() {
            if let Some(c) = f.child.take() {
                f.news.through = Some(reset);
                self.params.tlp = c.tlp;
            }
        }
    }

    /// A packet before the handshake is through.
    #[cold]
    pub(in crate::tcp) fn on_child_packet<L: Lower, P: Probe>(
        &mut self,
        now: Time,
        p: &Packet,
        low: &mut L,
        probe: &mut P,
    ) {
        if !self.child_takes(p, low) || !self.acceptable(p, low) {
            return;
        }
        (self.rcv.tsval, self.rcv.tsecr) = (p.tsval, p.tsecr);
        if before(p.ack, self.tp.snd_una) || after(p.ack, self.tp.snd_nxt) {
            self.answer_with_reset(p, low);
            return;
        }
        if p.tsval != 0 && !after(p.seq, self.rcv.rcv_wup) && !before(p.tsval, self.rcv.ts_recent) {
            self.rcv.ts_recent = p.tsval;
        }
        if !self.take_ack(now, p, true, low, probe) {
            return;
        }
        self.child_opens(p);
        self.text(p, false, low);
    }

    /// `tcp_check_req`: whether a packet goes on to the connection.
    fn child_takes<L: Lower>(&mut self, p: &Packet, low: &mut L) -> bool {
        let Some(c) = self.fast.as_ref().and_then(|f| f.child) else { return false };
        let syn = p.flags & flags::SYN != 0;
        let reset = !syn && p.flags & flags::RST != 0;
        let old = p.tsval != 0 && after(self.rcv.ts_recent, p.tsval);
        if p.seq == c.peer_isn && syn && p.flags & flags::ACK == 0 && !old {
            // The SYN again: so is its answer; data in it are not looked at.
            if !self.request_oow_limited(p) {
                self.synack_again(low);
            }
            return false;
        }
        let len = p.payload + u32::from(syn) + u32::from(p.flags & flags::FIN != 0);
        let (end, right) = (p.seq.wrapping_add(len), c.acked.wrapping_add(c.window));
        if old || !in_window(p.seq, end, c.acked, right) {
            if !reset && !self.request_oow_limited(p) {
                self.send_ack(low);
            }
            return false;
        }
        if reset {
            if p.seq == c.acked {
                self.child_is_through(true);
                self.reset();
            } else if !self.request_is_limited() {
                self.send_ack(low);
            }
            return false;
        }
        if syn && p.seq != c.peer_isn {
            self.answer_with_reset(p, low);
            return false;
        }
        p.flags & flags::ACK != 0
    }

    /// The ACK of the SYN-ACK came.
    fn child_opens(&mut self, p: &Packet) {
        self.tp.delivered += u32::from(self.profile.handshake_delivers);
        if self.tp.srtt_us == 0 {
            self.synack_rtt(self.synacks_again == 0);
        }
        if self.tp.ca_state == CaState::Loss && self.tp.packets_out == 0 {
            self.try_undo_recovery();
        }
        self.rto.retransmits = 0;
        self.timeouts_are_over();
        self.retrans_stamp_cleanup();
        self.child_is_through(false);
        // Whatever the ACK made of it: from here on it is the data's.
        self.timers.pending = Pending::Retrans;
        self.rearm_rto();
        if self.state != State::SynRecv {
            return;
        }
        self.state = State::Established;
        self.tp.snd_wnd = p.wnd;
        self.snd_wl1 = p.seq;
        if !self.ca.has_cong_control() {
            self.update_pacing_rate();
        }
        self.tp.lsndtime = self.tp.clock.j32();
        self.first_rcv_mss();
    }

    /// `tcp_fastopen_synack_timer`: the SYN-ACK goes again; nothing else does before it is acknowledged.
    pub(in crate::tcp) fn child_timeout<L: Lower>(&mut self, low: &mut L) {
        let Some(c) = self.fast.as_ref().and_then(|f| f.child) else { return };
        if c.timeouts >= self.synack_retries(1) {
            self.write_err();
            return;
        }
        if self.rto.retransmits == 1 {
            self.enter_loss();
        }
        self.synack_again(low);
        self.count_timeout();
        if self.undo.retrans_stamp == 0 {
            self.undo.retrans_stamp = self.tp.clock.now_ts();
        }
        let timeouts = c.timeouts + 1;
        if let Some(c) = self.fast.as_mut().and_then(|f| f.child.as_mut()) {
            c.timeouts = timeouts;
        }
        let max = self.rto_max();
        self.timers.reset(&self.tp.clock, Pending::Retrans, c.timeout << timeouts, max);
    }
}
