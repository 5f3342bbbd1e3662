//! Opening a connection.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_connect`, `tcp_connect_init`; net/ipv4/tcp_input.c
//! `tcp_rcv_synsent_state_process`, `tcp_try_undo_spurious_syn`, `tcp_conn_request`, `tcp_ecn_create_request`, `tcp_init_transfer`;
//! net/ipv4/tcp_minisocks.c `tcp_create_openreq_child`. What comes between SYN-ACK and ACK: [`request`](super::request).
//! Differs: D1 both ends of a simulated connection offer MSS, window scaling, SACK and timestamps (`calls.rs` can offer less); D2 no SYN
//! cookies, no cached metrics but Fast Open's.

use crate::sim::{Ecn, Lower, Packet, Probe, Time, flags};
use crate::tcp::cc::{Algorithm, Control};
use crate::tcp::ecn::CeState;
use crate::tcp::input::acceptable::is_reset;
use crate::tcp::options::{BARE_HEADERS, TIMESTAMPS};
use crate::tcp::output::mss::DEFAULT;
use crate::tcp::output::{Failed, Load};
use crate::tcp::rtx::{Seg, tag};
use crate::tcp::sender::flag;
use crate::tcp::sender::rtt::AckRtt;
use crate::tcp::sender::timers::Pending;
use crate::tcp::seq::after;
use crate::tcp::socket::{Socket, State};
use crate::tcp::tp::INFINITE_SSTHRESH;

/// Timeout where the handshake gave no RTT, seconds. src: linux@6.12 include/net/tcp.h TCP_TIMEOUT_FALLBACK
const TIMEOUT_FALLBACK_S: u32 = 3;

impl Socket {
    /// Opens the connection.
    pub fn connect<L: Lower, P: Probe>(&mut self, now: Time, low: &mut L, _probe: &mut P) {
        self.connect_init(now);
        self.send_first_syn(0, low);
    }

    /// `tcp_connect_init`.
    pub(in crate::tcp) fn connect_init(&mut self, now: Time) {
        assert!(self.state == State::Closed, "a socket connects once");
        self.tp.clock.set(now);
        self.state = State::SynSent;
        self.sync_mss_alone();
        self.rcv.advmss = self.announced() - BARE_HEADERS;
        // Before there is a window: of the least segments.
        self.first_rcv_mss();
        self.rcv.first_window();
        self.undo.retrans_stamp = self.tp.clock.now_ts();
        // The control has seen nothing yet, nor for how long.
        self.ca = Algorithm::new(self.params.cc, &self.tunables, self.profile, &mut self.tp);
    }

    /// `tcp_connect`: a SYN with so many bytes.
    pub(in crate::tcp) fn send_first_syn<L: Lower>(&mut self, data: u32, low: &mut L) {
        let data_seq = self.tp.snd_nxt.wrapping_add(1);
        self.sets_aside_for_head();
        self.tp.write_seq = data_seq.wrapping_add(data);
        self.app.written(self.tp.write_seq);
        // Its delivery makes no sample: it counts in packets_out before it is sent (`tcp_connect_queue_skb`), so that no stamp is there yet.
        let mut seg = Seg::new(self.tp.snd_una, data_seq, flags::SYN, self.app.new_skb());
        let sent = self.send_syn(data, false, low);
        seg.sent_ns = self.tp.wstamp_ns;
        if data > 0 {
            self.queue_syn_data(seg, data);
        } else {
            // What the own queue refuses is freed within the call.
            seg.in_host = u8::from(sent.is_ok());
            self.rtx.push(seg);
            self.tp.packets_out = 1;
        }
        self.tp.snd_nxt = self.tp.write_seq;
        let (rto, max) = (self.rtt.rto, self.rto_max());
        self.timers.reset(&self.tp.clock, Pending::Retrans, rto, max);
    }

    pub(in crate::tcp) fn send_syn<L: Lower>(&mut self, data: u32, again: bool, low: &mut L) -> Result<(), Failed> {
        // One that is sent again asks no more: what lost the first may have been its asking (`tcp_ecn_clear_syn`; from
        // 4.2, and here for all), unless the host is told to (`tcp_ecn_fallback`).
        self.tp.ecn.ok = (self.params.ecn || self.params.cc.needs_ecn()) && !(again && self.app.ecn_fallback);
        let ecn = if self.tp.ecn.ok { flags::ECE | flags::CWR } else { 0 };
        let truesize = if data == 0 { self.cost.control() } else { self.cost.of(data) };
        let load = Load {
            seq: self.tp.snd_una,
            payload: data,
            segs: 1,
            mss: 0,
            flags: flags::SYN | ecn,
            truesize,
            again,
            answers: None,
            acks: None,
        };
        self.transmit(load, low)
    }

    pub(in crate::tcp) fn send_syn_ack<L: Lower>(&mut self, again: bool, low: &mut L) {
        let ecn = if self.tp.ecn.ok { flags::ECE } else { 0 };
        let child = self.fast.as_ref().and_then(|f| f.child);
        let load = Load {
            seq: child.map_or(self.tp.snd_una, |c| c.isn),
            payload: 0,
            segs: 1,
            mss: 0,
            flags: flags::SYN | flags::ACK | ecn,
            truesize: self.cost.control(),
            again,
            answers: None,
            acks: None,
        };
        let _ = self.transmit(load, low);
    }

    /// `inet_rtx_syn_ack`.
    pub(super) fn synack_again<L: Lower>(&mut self, low: &mut L) {
        self.send_syn_ack(true, low);
        self.stats.retransmits += 1;
        self.synacks_again += 1;
    }

    /// `tcp_retransmit_skb` of a SYN, unless it has not left this host yet.
    fn syn_again<L: Lower>(&mut self, low: &mut L) -> Result<(), Failed> {
        let head = self.rtx.first();
        let syn = *self.rtx.get(head);
        if self.is_still_in_host(&syn) {
            return Err(Failed::Busy);
        }
        self.stats.retransmits += 1;
        let sent = self.send_syn(0, true, low);
        self.syn_went_again(sent.is_ok());
        sent
    }

    /// What `tcp_retransmit_skb` notes of the SYN that it has `sent` again, or tried to.
    pub(in crate::tcp) fn syn_went_again(&mut self, sent: bool) {
        let (head, sent_ns) = (self.rtx.first(), self.tp.wstamp_ns);
        let s = self.rtx.get_mut(head);
        self.tp.retrans_out += u32::from(sent && !s.has(tag::RETRANS));
        s.tags |= if sent { tag::ANY_RETRANS } else { tag::EVER };
        s.in_host = s.in_host.saturating_add(u8::from(sent));
        s.sent_ns = sent_ns;
        self.undo.retrans = self.undo.retrans.max(0) + 1;
    }

    /// The handshake's timeout.
    pub(in crate::tcp) fn handshake_timeout<L: Lower>(&mut self, _now: Time, low: &mut L) {
        let before = self.rto.retransmits;
        self.count_timeout();
        self.rethink_txhash();
        let max = self.rto_max();
        if self.state == State::SynSent {
            if self.syn_again(low) == Err(Failed::Congested) {
                self.try_congested_again(before);
                return;
            }
        } else {
            self.synack_again(low);
            if self.syns_crossed() {
                self.syn_went_again(true);
            }
        }
        if self.state != State::SynSent || self.stats.rtos > u64::from(self.syn_linear_timeouts()) {
            self.rtt.rto = (self.rtt.rto << 1).min(max);
        }
        self.timers.reset(&self.tp.clock, Pending::Retrans, self.rtt.rto, max);
    }

    /// A packet for a socket that listens.
    pub(in crate::tcp) fn on_syn<L: Lower>(&mut self, p: &Packet, low: &mut L) {
        if p.flags & (flags::SYN | flags::ACK | flags::FIN) != flags::SYN {
            return;
        }
        self.state = State::SynRecv;
        self.take_irs(p);
        self.agree(p);
        self.rcv.advmss = self.announced() - self.header_len();
        self.rcv.first_window();
        // A SYN is never ECN-capable itself; where one comes so, something on the path sets the bits for all, or it is DCTCP's, which another's
        // listener declines (tcp_ecn_create_request).
        let takes = (self.opts.ecn && p.ecn == Ecn::NotEct) || self.params.cc.needs_ecn();
        self.tp.ecn.ok = takes && p.flags & (flags::ECE | flags::CWR) == flags::ECE | flags::CWR;
        self.synack_sent = self.tp.clock.us;
        self.synack_timer();
        self.answer_fast(p);
        self.send_syn_ack(false, low);
    }

    /// The SYN-ACK's timer begins anew.
    pub(in crate::tcp) fn synack_timer(&mut self) {
        let (rto, max) = (self.rtt.rto, self.rto_max());
        self.timers.reset(&self.tp.clock, Pending::Retrans, rto, max);
    }

    /// A packet while our SYN waits for its answer.
    pub(in crate::tcp) fn on_syn_sent<L: Lower, P: Probe>(
        &mut self,
        now: Time,
        p: &Packet,
        low: &mut L,
        probe: &mut P,
    ) {
        if p.flags & flags::ACK == 0 {
            if p.flags & flags::SYN != 0 && self.app.calls {
                self.on_crossed_syn(p, low);
            }
            return;
        }
        let resets = is_reset(p);
        if !after(p.ack, self.tp.snd_una) || after(p.ack, self.tp.snd_nxt) {
            self.answers_no_syn(p, low);
            return;
        }
        if p.tsecr != 0 && self.app.calls && !self.echoes_a_syn(p.tsecr) {
            self.answer_with_reset(p, low);
            return;
        }
        if resets {
            self.reset();
        }
        if resets || p.flags & flags::SYN == 0 {
            return;
        }
        self.tp.ecn.ok &= p.flags & (flags::ECE | flags::CWR) == flags::ECE;
        self.snd_wl1 = p.seq;
        (self.rcv.tsval, self.rcv.tsecr) = (p.tsval, p.tsecr);
        self.agree(p);
        self.try_undo_spurious_syn();
        self.take_ack(now, p, true, low, probe);
        self.take_irs(p);
        if self.opts.timestamps {
            self.rcv.advmss -= TIMESTAMPS;
        }
        self.tp.snd_wnd = p.wnd;
        self.tp.max_window = p.wnd;
        self.snd_sml = self.tp.snd_una;
        self.established();
        self.rcv.predicts = !self.opts.window_scaling; // tcp_finish_connect
        self.no_rtt_yet();
        if self.fast.is_some() {
            self.fast_answer(p, low);
        } else {
            self.send_ack(low);
        }
    }

    /// `tcp_synack_rtt_meas`: what the answer to our SYN-ACK measures, by the clock if that was sent `once`, by the timestamp else.
    pub(in crate::tcp) fn synack_rtt(&mut self, once: bool) {
        let rtt = if once { i64::from(self.tp.clock.us_since(self.synack_sent)) } else { -1 };
        let (tsecr, rto_min) = (self.rcv.tsecr, self.rto_min_us());
        let measured = AckRtt { seq_rtt: rtt, sack_rtt: -1, ca_rtt: rtt };
        self.rtt.update(&mut self.tp, flag::SYN_ACKED, tsecr, rto_min, measured);
    }

    /// `tcp_try_undo_spurious_syn`: the answer echoes our first SYN, so that none was lost.
    pub(in crate::tcp) fn try_undo_spurious_syn(&mut self) {
        if self.profile.undoes_syn && self.undo.retrans_stamp != 0 && self.rcv.tsecr == self.undo.retrans_stamp {
            self.undo.marker = None;
        }
    }

    /// The peer's options meet ours (`tcp_openreq_init`, `tcp_finish_connect`).
    pub(in crate::tcp) fn agree(&mut self, p: &Packet) {
        self.opts.meet(p);
        self.mss_clamp = self.mss_clamp.min(if p.mss == 0 { DEFAULT } else { u32::from(p.mss) });
        self.rcv.agreed(&self.opts);
    }

    /// The peer's first sequence number and timestamp.
    pub(in crate::tcp) fn take_irs(&mut self, p: &Packet) {
        let nxt = p.seq.wrapping_add(1);
        (self.rcv.rcv_nxt, self.rcv.rcv_wup, self.rcv.copied_seq) = (nxt, nxt, nxt);
        self.rcv.began = nxt;
        self.rcv.ts_recent = p.tsval;
        self.ack.lrcvtime = self.tp.clock.j32();
    }

    /// `tcp_init_transfer`.
    pub(in crate::tcp) fn established(&mut self) {
        let client = self.state == State::SynSent;
        if client {
            self.mtup_init();
        }
        self.state = State::Established;
        self.opened = true;
        self.timeouts_are_over();
        self.keep_alive();
        self.app.begins = self.rcv.lowat > 1;
        let c = self.tp.clock;
        self.sync_mss();
        self.mtup_init();
        let tp = &mut self.tp;
        tp.snd_ssthresh = self.params.ssthresh.unwrap_or(INFINITE_SSTHRESH);
        // More than one SYN was lost, or refused. src: rfc6298#5.7
        let syns_lost = self.stats.retransmits > 1 && self.undo.marker.is_some();
        let first_window = if syns_lost { 1 } else { self.params.init_cwnd };
        tp.snd_cwnd = first_window;
        tp.snd_cwnd_stamp = c.j32();
        tp.lsndtime = c.j32();
        tp.cwnd_usage_seq = tp.snd_nxt;
        tp.high_seq = tp.snd_nxt;
        self.rtt.rtt_seq = tp.snd_nxt;
        self.rack.end_seq = tp.snd_una;
        self.undo.retrans_stamp = 0;
        self.ce_state = CeState { prior_rcv_nxt: self.rcv.rcv_nxt, ce: false };
        let ca = Algorithm::new(self.params.cc, &self.tunables, self.profile, &mut self.tp);
        let before = core::mem::replace(&mut self.ca, ca);
        if client {
            self.ca.go_on(&before);
        }
        self.first_rcv_mss();
        // tcp_rcv_state_process took the timestamps' room off a server's segments behind tcp_init_transfer.
        let room = if self.profile.buffers_before_stamps && !client && self.opts.timestamps { TIMESTAMPS } else { 0 };
        self.rcv.advmss += room;
        self.rcv.established(&c);
        self.rcv.advmss -= room;
        self.sndbuf_expand();
        if self.profile.server_window_last && !client {
            self.tp.snd_cwnd = first_window;
        }
    }

    /// `tcp_initialize_rcv_mss`.
    pub(in crate::tcp) fn first_rcv_mss(&mut self) {
        self.rcv.rcv_mss = self.rcv.advmss.min(self.tp.mss_cache).min(self.rcv.rcv_wnd / 2).clamp(88, 536);
    }

    /// `tcp_init_metrics`: without an RTT from the handshake the timeout is three seconds.
    pub(in crate::tcp) fn no_rtt_yet(&mut self) {
        if self.tp.srtt_us == 0 {
            let us = TIMEOUT_FALLBACK_S * 1_000_000;
            (self.rtt.rttvar_us, self.rtt.mdev_us, self.rtt.mdev_max_us) = (us, us, us);
            self.rtt.rto = TIMEOUT_FALLBACK_S * self.tp.clock.hz;
        }
    }
}
