//! A packet of an established connection: is it in order, and the application that reads its data.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_rcv_established`, `tcp_rcv_state_process`, `tcp_data_queue`, `tcp_fin`;
//! net/ipv4/tcp.c `tcp_data_ready`, `tcp_recvmsg_locked`. Differs: D1 no urgent data, no checksums; D2 the application reads
//! in the instant in which it is woken: after each packet ([`Socket::on_packet`]), or when its host has processed what it received, or
//! some time after it was woken ([`Socket::on_packet_unread`], [`Socket::on_reader`]); D3 TIME_WAIT is kept only for programs that call
//! (reset.rs); D4 from 6.0 on the memory that is set aside (`sk_forward_alloc`) is what whole pages leave, also after a segment that was put
//! behind another in its buffer.

use crate::sim::{Lower, Packet, Probe, Time, flags};
use crate::tcp::cc::Control;
use crate::tcp::input::ack_snd::MAX_QUICKACKS;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::{Socket, State};

impl Socket {
    /// A packet for an established connection (`tcp_rcv_established`, `tcp_rcv_state_process`).
    #[inline(always)] // one hot caller; the other is the handshake's last packet
    pub(in crate::tcp) fn receive<L: Lower, P: Probe>(&mut self, now: Time, p: &Packet, low: &mut L, probe: &mut P) {
        if !self.acceptable(p, low) {
            return;
        }
        if let Some(line) = &mut self.rcv.tun {
            line.hears(p.headers.into(), self.stats.data_segs_out + self.stats.bare_out);
        }
        // Header prediction changes nothing of an ACK where none is due, nor of data where nothing of ours is out or waits, no duplicate is to
        // be told and there is room, but what a control hears.
        let (quiet, heard) = (self.tp.packets_out == 0 && self.tp.unsent() == 0, self.ca.hears_acks());
        // Who asks for a silent peer counts from the last ACK that was looked at (tcp_ack).
        let watched = self.app.keepalive.on || self.rto.probes > 0;
        let matters = match p.payload {
            0 => self.ack.scheduled,
            _ => !quiet || watched || self.rcv.ofo.has_dsack() || self.rcv.is_tight(),
        };
        let predicted = (matters || heard) && self.is_predicted(p);
        (self.rcv.tsval, self.rcv.tsecr) = (p.tsval, p.tsecr);
        // The echo is taken from the earliest packet that is not acknowledged (rfc7323#4.3), if its ACK is neither old nor of what was not
        // sent (tcp_ack).
        let believed = !before(p.ack, self.tp.snd_una) && !after(p.ack, self.tp.snd_nxt);
        if believed && p.tsval != 0 && !after(p.seq, self.rcv.rcv_wup) && !before(p.tsval, self.rcv.ts_recent) {
            self.rcv.ts_recent = p.tsval;
        }
        let plain_data = p.payload > 0 && p.ack == self.tp.snd_una && p.n_sack == 0 && p.wnd == self.tp.snd_wnd;
        if plain_data && p.flags & flags::ECE == 0 && (predicted || quiet && !heard && !watched) {
            // A data packet tells nothing as an ACK: tcp_ack is not called, or in vain.
            // What is in line is predicted, so far as it matters to who has nothing to send.
            let in_line = predicted || (p.seq == self.rcv.rcv_nxt && self.rcv.ofo.is_empty());
            if after(p.seq, self.snd_wl1) && (self.profile.predicted_moves_wl || !in_line) {
                self.snd_wl1 = p.seq;
            }
            if self.tp.ecn.accept_cwr(p) {
                self.ack.now = self.profile.acks_at_once;
            }
        } else if predicted && p.payload > 0 {
            self.predicted_data(now, p, low, probe);
            return;
        } else {
            if p.flags & flags::CWR != 0 && p.payload > 0 && self.tp.ecn.ok {
                self.ack.now = self.profile.acks_at_once;
            }
            if !self.take_ack(now, p, !predicted, low, probe) {
                return;
            }
        }
        self.text(p, predicted, low);
    }

    /// Data that acknowledge ours, taken by header prediction: their text comes first, so that what their ACK sends acknowledges them.
    #[cold]
    fn predicted_data<L: Lower, P: Probe>(&mut self, now: Time, p: &Packet, low: &mut L, probe: &mut P) {
        self.rcv.measure_rtt_ts(&self.tp.clock, p.payload);
        self.data_queue(p, false, true, low);
        // Whatever its ACK is worth, it is through with.
        self.take_ack(now, p, false, low, probe);
        self.push_pending(low);
        self.app_check_space();
        self.ack_snd_check(low);
    }

    /// Header prediction takes it (`tcp_rcv_established`, `tcp_fast_path_check`).
    #[cold]
    fn is_predicted(&self, p: &Packet) -> bool {
        let (r, odd) = (&self.rcv, flags::SYN | flags::FIN | flags::RST | flags::ECE | flags::CWR);
        // The length of the header is among what is predicted: no SACK blocks, whether SACK was agreed on or not.
        let plain =
            p.flags & odd == 0 && u32::from(p.headers) == self.header_len() && (p.tsval != 0) == self.opts.timestamps;
        self.state == State::Established
            && plain
            && r.predicts
            && p.seq == r.rcv_nxt
            && p.wnd == self.tp.snd_wnd
            && (self.profile.predicts_old_acks || !before(p.ack, self.tp.snd_una))
            && !after(p.ack, self.tp.snd_nxt)
            && !before(p.tsval, if self.opts.timestamps { r.ts_recent } else { 0 })
            && (p.payload == 0 || r.mem_of(p.payload) <= self.forward_alloc())
    }

    /// What follows the ACK field: the state, the payload, what may be sent now, and what is to be acknowledged. `predicted`: data pass
    /// `tcp_data_queue` by, so that a duplicate that is to be told is not forgotten, and send nothing, for they acknowledge nothing; nor
    /// is it asked after an ACK whether one is due (`tcp_ack_snd_check`).
    #[inline(always)] // as acceptable
    pub(in crate::tcp) fn text<L: Lower>(&mut self, p: &Packet, predicted: bool, low: &mut L) {
        if self.closing(p, low) {
            return;
        }
        let fin = p.flags & flags::FIN != 0;
        let established = self.state == State::Established;
        if p.payload == 0 && !fin {
            if established {
                self.rcv.saw_tsecr();
            }
            self.push_pending(low);
            self.app_check_space();
            if self.ack.scheduled && !predicted {
                self.is_ack_due(low);
            }
            return;
        }
        if !established && self.is_no_text(p, low) {
            return;
        }
        if established {
            // tcp_rcv_state_process does not.
            self.rcv.measure_rtt_ts(&self.tp.clock, p.payload);
        }
        if !predicted {
            self.rcv.ofo.clear_dsack();
        }
        self.data_queue(p, fin, predicted, low);
        if !predicted {
            self.push_pending(low);
            self.app_check_space();
        }
        self.ack_snd_check(low);
    }

    /// `tcp_ack_snd_check` after an ACK: it came while one of ours waited.
    #[cold]
    fn is_ack_due<L: Lower>(&mut self, low: &mut L) {
        self.ack_snd_check(low);
    }

    /// `tcp_data_queue`; what is `predicted` is in line, and neither the window nor the memory that there is are looked at
    /// (`tcp_rcv_established`).
    #[inline(always)]
    fn data_queue<L: Lower>(&mut self, p: &Packet, fin: bool, predicted: bool, low: &mut L) {
        let end_data = p.seq.wrapping_add(p.payload);
        let end = end_data.wrapping_add(u32::from(fin));
        let nxt = self.rcv.rcv_nxt;
        if !after(end, nxt) {
            // It came before: our ACK was lost or late.
            self.rcv.ofo.set_dsack(p.seq, end);
            self.refuse();
            return;
        }
        let window = self.rcv.window();
        if !predicted && !before(p.seq, nxt.wrapping_add(window)) {
            // A FIN alone takes no memory.
            if !(p.seq == nxt && p.payload == 0 && self.profile.takes_fin_at_zero_window) {
                self.refuse();
                return;
            }
        } else if before(p.seq, nxt) {
            self.rcv.ofo.set_dsack(p.seq, nxt);
            if window == 0 {
                self.refuse();
                return;
            }
        }
        if self.profile.quick_after_early && p.seq != nxt {
            self.enter_quickack(MAX_QUICKACKS);
        }
        if after(p.seq, nxt) {
            self.data_early(p, end, low);
            if fin {
                self.rcv.ofo.fin = Some(end_data);
            }
            return;
        }
        if !predicted && self.rcv.is_overcommitted() && !self.try_rmem_schedule(p.seq, p.payload) {
            return;
        }
        self.sets_aside_for(p.payload);
        self.rcv.queue(end_data.wrapping_sub(nxt), p.payload);
        self.rcv.advance(end_data);
        if p.payload > 0 {
            self.data_recv(p, true, low);
        } else {
            self.ack.scheduled = true;
        }
        if fin {
            // What came early lies behind it, and goes.
            self.rcv.advance(end);
            self.end_text(low);
        }
        if !self.rcv.ofo.is_empty() {
            self.rcv.ofo_queue();
            if self.rcv.ofo.is_empty() {
                // A hole is filled: tell at once. src: rfc5681#4.2
                match self.profile.acks_at_once {
                    true => self.ack.now = true,
                    false => self.ack.pingpong = 0,
                }
            }
        }
        if !predicted {
            self.rcv.check_fast_path();
        }
        if self.rcv.ofo.fin.is_some_and(|f| before(f, self.rcv.rcv_nxt)) {
            self.end_text(low);
        }
        self.data_ready();
    }

    /// The peer's FIN is next in line.
    #[cold]
    fn end_text<L: Lower>(&mut self, low: &mut L) {
        self.rcv.ofo.fin = None;
        self.rcv.fin = true;
        if matches!(self.state, State::FinWait1 | State::FinWait2) {
            // It tells of what came early, once more.
            self.send_ack(low);
        }
        self.take_fin();
    }

    /// Nothing new in it: `tcp_drop` after quick ACKs were turned on.
    pub(in crate::tcp) fn refuse(&mut self) {
        self.enter_quickack(MAX_QUICKACKS);
        self.ack.scheduled = true;
    }

    /// `tcp_prune_queue` for a packet from `seq` on: whether there is room after all.
    #[cold]
    fn prune_queue(&mut self, seq: u32) -> bool {
        self.ack.quick = 0;
        if self.rcv.clamp_window() {
            return true;
        }
        self.rcv.collapse();
        self.mem_reclaim();
        if self.rcv.is_overcommitted() {
            self.rcv.prune_early(seq);
        }
        let room = !self.rcv.is_overcommitted();
        self.rcv.predicts &= room;
        room
    }

    /// Data in order, and more than there is memory for: whether they are queued nevertheless, as what a reader without any waits for is, and a FIN.
    #[cold]
    fn try_rmem_schedule(&mut self, seq: u32, payload: u32) -> bool {
        let (first, tells) = (self.rcv.unread() == 0, self.profile.tells_no_memory);
        if (first && !tells) || self.prune_queue(seq) {
            return true;
        }
        self.app.woken = true;
        if tells {
            (self.ack.scheduled, self.ack.now, self.ack.no_memory) = (true, true, true);
        }
        let queued = first || (payload == 0 && tells);
        self.stats.rcv_drops += u64::from(!queued);
        queued
    }

    /// `tcp_data_queue_ofo`: a packet up to `end`, its FIN included.
    fn data_early<L: Lower>(&mut self, p: &Packet, end: u32, low: &mut L) {
        self.check_ce(p.ecn, low);
        if self.rcv.is_overcommitted() && !self.prune_queue(p.seq) {
            self.stats.rcv_drops += 1;
            return;
        }
        self.sets_aside_for(p.payload);
        self.stats.early_segs_in += u64::from(p.segs.max(1));
        self.data_recv(p, false, low);
        self.rcv.predicts = false;
        let q = self.rcv.insert_early(p.seq, end, p.payload);
        self.rcv.rmem_alloc -= q.freed;
        if q.behind {
            // Its memory is charged with that of the one before it (tcp_try_coalesce).
            self.rcv.rmem_alloc += q.took.unwrap_or(0);
            self.grow_early(p.payload);
        }
        let crowded = if self.profile.blocks_flush { q.told.beyond_expected() } else { q.told.pushes_out() };
        if crowded {
            self.flush_compressed(low); // not of this one yet
        }
        self.rcv.ofo.tell(q.told, p.seq, end);
        if let Some(took) = q.took.filter(|_| !q.behind) {
            // The window grows before the buffer's memory is charged (tcp_data_queue_ofo: skb_set_owner_r comes last).
            self.grow_early(p.payload);
            self.rcv.rmem_alloc += took;
        }
    }

    /// The window grows with what came early. Without SACK it does not, so that the ACK is a duplicate.
    fn grow_early(&mut self, payload: u32) {
        if (self.opts.sack || self.profile.early_grows_without_sack) && self.rcv.grow_window(payload) {
            self.ack.quick_one();
        }
    }

    /// `tcp_fin`.
    pub(in crate::tcp) fn take_fin(&mut self) {
        self.app.woken = true;
        match self.state {
            State::Established | State::SynRecv => {
                self.ack.scheduled = true;
                // Its ACK may wait for what the program still says (inet_csk_enter_pingpong_mode).
                self.ack.enter_pingpong();
            }
            State::FinWait1 | State::FinWait2 => {}
            _ => (self.ack.scheduled, self.ack.now) = (true, self.profile.acks_at_once),
        }
        // Nothing can follow (tcp_sack_reset).
        self.rcv.rmem_alloc -= self.rcv.ofo.memory();
        self.rcv.ofo.purge();
        self.rcv.ofo.clear_dsack();
        self.mem_reclaim();
        self.state = match self.state {
            State::Established | State::SynRecv => State::CloseWait,
            State::FinWait1 => State::Closing,
            State::FinWait2 => {
                self.app.time_wait = true;
                State::Closed
            }
            other => other,
        };
    }

    /// What follows the peer's FIN is no text, and what a program does not read any more resets (`tcp_rcv_state_process`, step 7;
    /// RFC 1122 4.2.2.13). True: the packet is through.
    #[cold]
    fn is_no_text<L: Lower>(&mut self, p: &Packet, low: &mut L) -> bool {
        let over = matches!(self.state, State::CloseWait | State::Closing | State::LastAck);
        if over && !before(p.seq, self.rcv.rcv_nxt) {
            self.push_pending(low);
            self.app_check_space();
            self.ack_snd_check(low);
            return true;
        }
        // The FIN shuts the receiving direction, too (tcp_fin).
        let shut = over || (self.app.rcv_shutdown && matches!(self.state, State::FinWait1 | State::FinWait2));
        if !shut || !after(p.seq.wrapping_add(p.payload), self.rcv.rcv_nxt) {
            return false;
        }
        self.reset();
        self.answer_with_reset(p, low);
        true
    }

    /// What an ACK of our FIN does to the state. True: nothing else of the packet counts.
    fn closing<L: Lower>(&mut self, p: &Packet, low: &mut L) -> bool {
        if self.tp.packets_out != 0 || self.tp.unsent() != 0 || !self.app.fin_is_last() {
            return false;
        }
        match self.state {
            State::FinWait1 => {
                self.state = State::FinWait2;
                if self.fin_wait_ends() {
                    self.answer_with_reset(p, low);
                    return true;
                }
            }
            State::Closing => (self.app.time_wait, self.state) = (true, State::Closed),
            State::LastAck => self.state = State::Closed,
            _ => {}
        }
        self.state == State::Closed
    }

    /// `tcp_data_ready`: the application is woken if enough is there or no more can come. Before the ACK for it, which may open the window.
    #[inline(always)] // once a packet
    fn data_ready(&mut self) {
        self.app.woken |= self.rcv.unread() >= self.rcv.lowat || self.rcv.presses();
    }

    /// Whether the application was woken and has something to read.
    #[inline]
    pub(in crate::tcp) fn reader_wakes(&self) -> bool {
        self.app.woken && self.rcv.unread() != 0 && !self.app.calls
    }

    /// The connection is there, and the application has not called to read yet.
    #[inline]
    pub fn reader_begins(&self) -> bool {
        self.app.begins && !self.app.calls
    }

    /// `tcp_recvmsg_locked`: the application reads everything. Its rate is taken with the first skb, when the rest is not copied yet.
    pub(in crate::tcp) fn app_read<L: Lower>(&mut self, low: &mut L) {
        if self.app_copy() > 0 {
            self.cleanup_rbuf(true, low);
        }
    }

    /// The bytes of it.
    pub(in crate::tcp) fn app_copy(&mut self) -> u32 {
        (self.app.begins, self.app.woken) = (false, false);
        self.mem_settle();
        let r = &mut self.rcv;
        let bytes = r.unread();
        if bytes > 0 {
            r.copied_seq = r.copied_seq.wrapping_add(r.head.min(bytes));
            r.adjust_space(&self.tp.clock);
            r.copied_seq = r.rcv_nxt;
            r.rmem_alloc = r.ofo.memory();
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Blind, FlowId, Kind, NodeId};
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::{V4_14, V5_15_148, V6_1_192, V6_6_129, V6_12};
    use crate::tcp::tests::pair::{Link, sender};

    /// The window is shut, and there is memory: of a segment that overlaps what came, the head is a duplicate and the tail stays out.
    #[test]
    fn a_shut_window_takes_no_tail() {
        let mut s = sender(Cc::Reno, &V6_12);
        s.state = State::Established;
        let nxt = s.rcv.rcv_nxt.wrapping_add(1_000);
        (s.rcv.rcv_nxt, s.rcv.rcv_wup, s.rcv.copied_seq) = (nxt, nxt, nxt);
        s.rcv.shut_window();
        let mut p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(1), NodeId(0));
        (p.seq, p.payload, p.flags) = (nxt.wrapping_sub(500), 1_000, flags::ACK);
        (p.ack, p.wnd, p.segs) = (s.tp.snd_una, s.tp.snd_wnd, 1);
        let mut link = Link::idle();
        s.receive(Time::ZERO, &p, &mut link, &mut Blind);
        assert_eq!(s.rcv.rcv_nxt, nxt);
        let told = link.q.back().expect("at once");
        assert_eq!((told.ack, told.n_sack, told.sack[0]), (nxt, 1, (nxt.wrapping_sub(500), nxt)));
    }

    /// Data in order whose ACK is older than others: a closing connection takes them in 6.1.192 and 6.12, from 4.14 to 5.15.148 and in 6.6.129 it challenges their
    /// sender.
    #[test]
    fn what_an_older_ack_brings_while_closing() {
        let brings = |profile| {
            let (mut s, mut link) = (sender(Cc::Reno, profile), Link::idle());
            s.state = State::FinWait1;
            (s.tp.snd_una, s.tp.snd_nxt, s.tp.snd_wnd, s.tp.max_window) = (5_000, 5_000, 60_000, 60_000);
            (s.bytes_acked, s.rcv.rcv_nxt, s.rcv.rcv_wup, s.rcv.rcv_wnd) = (4_000, 100, 100, 60_000);
            let mut p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
            (p.seq, p.payload, p.flags, p.ack, p.wnd) = (100, 1000, flags::ACK, 4_000, 60_000);
            s.receive(Time::ZERO, &p, &mut link, &mut Blind);
            (s.rcv.rcv_nxt, link.q.back().map(|told| told.ack))
        };
        let kernels = [(&V4_14, 100), (&V5_15_148, 100), (&V6_1_192, 1_100), (&V6_6_129, 100), (&V6_12, 1_100)];
        for (profile, next) in kernels {
            assert_eq!(brings(profile), (next, Some(next)), "{}", profile.name);
        }
    }
}
