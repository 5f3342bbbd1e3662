//! Both ends connect at once: their SYNs cross (RFC 9293, 3.5).
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_rcv_synsent_state_process` (a SYN without ACK), `tcp_validate_incoming` and
//! `tcp_rcv_state_process` in SYN_RECV; net/ipv4/tcp_output.c `tcp_send_synack`. Differs: D1 the window of the SYN-ACK that opens the connection is
//! taken as it stands, until the next packet; Linux scales it. D2 data in a crossing SYN are not looked at, as Linux does not.

use crate::sim::{Lower, Packet, Probe, Time, flags};
use crate::tcp::options::TIMESTAMPS;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::{Socket, State};

impl Socket {
    /// Our SYN waits for its answer although one of the peer's came.
    pub(in crate::tcp) fn syns_crossed(&self) -> bool {
        self.rtx.head().is_some_and(|s| s.flags & flags::SYN != 0)
    }

    /// A SYN, where an answer to ours was waited for: it is answered, and ours still waits.
    pub(in crate::tcp) fn on_crossed_syn<L: Lower>(&mut self, p: &Packet, low: &mut L) {
        self.state = State::SynRecv;
        self.agree(p);
        self.take_irs(p);
        self.rcv.rcv_wup = self.rcv.rcv_nxt;
        (self.tp.snd_wnd, self.tp.max_window) = (p.wnd, p.wnd);
        self.snd_wl1 = p.seq;
        self.tp.ecn.ok &= p.flags & (flags::ECE | flags::CWR) == flags::ECE | flags::CWR;
        self.mtup_init();
        self.sync_mss();
        self.first_rcv_mss();
        self.send_syn_ack(false, low);
    }

    /// A packet after that.
    #[cold]
    pub(in crate::tcp) fn on_crossed_packet<L: Lower, P: Probe>(
        &mut self,
        now: Time,
        p: &Packet,
        low: &mut L,
        probe: &mut P,
    ) {
        let syn = p.flags & flags::SYN != 0;
        let answer = syn
            && p.flags & flags::ACK != 0
            && p.payload == 0
            && p.seq.wrapping_add(1) == self.rcv.rcv_nxt
            && p.ack == self.tp.snd_nxt;
        if !answer && !self.acceptable(p, low) {
            return;
        }
        if !after(p.ack, self.tp.snd_una) || after(p.ack, self.tp.snd_nxt) {
            self.answer_with_reset(p, low);
            return;
        }
        (self.rcv.tsval, self.rcv.tsecr) = (p.tsval, p.tsecr);
        if p.tsval != 0 && !before(p.tsval, self.rcv.ts_recent) {
            self.rcv.ts_recent = p.tsval;
        }
        if !self.take_ack(now, p, true, low, probe) {
            return;
        }
        self.tp.delivered += u32::from(self.profile.handshake_delivers);
        if self.opts.timestamps {
            self.rcv.advmss -= TIMESTAMPS;
        }
        self.established();
        self.no_rtt_yet();
        self.tp.snd_wnd = p.wnd;
        self.largest_window(p.wnd);
        self.snd_wl1 = p.seq;
        self.snd_sml = self.tp.snd_una;
        if syn {
            // Its number was had before: that is told.
            self.rcv.ofo.set_dsack(p.seq, self.rcv.rcv_nxt);
            self.refuse();
            self.push_pending(low);
            self.ack_snd_check(low);
        } else {
            self.text(p, false, low);
        }
    }
}
