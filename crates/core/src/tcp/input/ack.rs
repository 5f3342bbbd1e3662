//! An acknowledgement: takes what it acknowledges off the queue, measures, judges, lets the window change, and sends what it allows.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_ack`, `tcp_clean_rtx_queue`, `tcp_ack_update_window`, `tcp_cong_control`.
//! Differs: D1 the fast path (header prediction) is not told apart, for it does the same, but for a DSACK (receive.rs);
//! D2 what comes for a closed connection in FIN_WAIT2 with a wrong number is dropped; Linux does not look at it, and resets if it brings data.

use crate::sim::{Lower, Packet, Probe, Span, Time, flags as tcp_flags};
use crate::tcp::cc::{AckSample, Control, InAck, RateSample};
use crate::tcp::profile::{Growth, Limits};
use crate::tcp::recovery::Rexmit;
use crate::tcp::rtx::tag;
use crate::tcp::sender::chrono::What;
use crate::tcp::sender::rtt::AckRtt;
use crate::tcp::sender::scoreboard::Tagged;
use crate::tcp::sender::timers::Pending;
use crate::tcp::sender::{delivery_rate, flag};
use crate::tcp::seq::{after, before};
use crate::tcp::socket::{Socket, State};
use crate::tcp::tp::Tp;

#[inline]
fn count_delivered(tp: &mut Tp, n: u32, flags: u32) {
    tp.delivered = tp.delivered.wrapping_add(n);
    if flags & flag::ECE != 0 {
        tp.delivered_ce = tp.delivered_ce.wrapping_add(n);
    }
}

impl Socket {
    /// `tcp_ack`. False: it is not acceptable, the segment is to be discarded.
    pub(in crate::tcp) fn take_ack<L: Lower, P: Probe>(
        &mut self,
        now: Time,
        p: &Packet,
        slow_path: bool,
        low: &mut L,
        probe: &mut P,
    ) -> bool {
        let (ack, prior_una) = (p.ack, self.tp.snd_una);
        let mut rs = RateSample::default();
        self.counted.acked = 0;
        if before(ack, prior_una) {
            // Older than what may still be under way, or of what was never sent: a blind guess (rfc5961#5.2).
            let window = u64::from(self.tp.max_window).min(self.bytes_acked) as u32;
            if before(ack, prior_una.wrapping_sub(window)) {
                self.refuse_ack(false, low);
                return false;
            }
            self.old_ack(p, prior_una, &mut rs, low);
            let closing = !matches!(self.state, State::SynSent | State::SynRecv | State::Established);
            if closing && !self.profile.old_acks_close {
                self.refuse_ack(false, low);
                return false;
            }
            return true;
        }
        if after(ack, self.tp.snd_nxt) {
            self.refuse_ack(true, low);
            return false;
        }
        (self.rto.probes, self.rto.heard) = (0, self.tp.clock.jiffies);
        let classic = self.is_classic();
        if classic && matches!(self.timers.pending, Pending::EarlyRetrans | Pending::LossProbe) {
            self.rearm_rto();
        }
        let (prior_packets, prior_delivered, prior_lost) = (self.tp.packets_out, self.tp.delivered, self.tp.lost);
        let prior_fack = self.sb.highest_seq(&self.tp, &self.rtx);
        let reneged = self.sb.reneged;
        let mut flags = 0;
        if after(ack, prior_una) {
            flags |= flag::SND_UNA_ADVANCED;
            self.rto.retransmits = 0;
        }
        rs.prior_in_flight = self.tp.in_flight();
        if p.payload > 0 || p.flags & tcp_flags::FIN != 0 {
            flags |= flag::DATA;
        }
        flags |= self.update_window(p, ack);
        let mut tagged = Tagged::default();
        if p.n_sack > 0 {
            tagged = self.take_sacks(p, prior_una, &mut rs);
            flags |= tagged.flags;
        }
        if p.flags & tcp_flags::ECE != 0 && p.flags & tcp_flags::SYN == 0 && self.tp.ecn.ok {
            flags |= flag::ECE;
        }
        self.count_delivered(tagged.delivered, flags);
        let in_ack_first = self.profile.in_ack_first;
        if in_ack_first {
            self.in_ack_event(slow_path || flags & flag::SND_UNA_ADVANCED == 0, flags);
        }
        if p.payload > 0 || self.profile.hears_cwr_on_acks {
            self.tp.ecn.accept_cwr(p);
        }
        if prior_packets == 0 {
            if !in_ack_first {
                self.in_ack_event(slow_path, flags);
            }
            if flags & flag::DSACKING_ACK != 0 {
                let _ = self.fastretrans_alert(prior_una, 0, &mut flags);
            }
            self.ack_probe();
            self.process_tlp_ack(ack, flags);
            return true;
        }
        flags |= self.clean_rtx_queue(prior_fack, prior_una, &tagged, flags, &mut rs);
        if classic {
            if flags & flag::SET_XMIT_TIMER != 0 {
                self.rearm_rto();
                flags &= !flag::SET_XMIT_TIMER;
            }
            // Growth knows nothing yet of losses, nor of what was SACKed.
            if self.tp.limits == Limits::OnAck {
                self.tp.is_cwnd_limited = self.limited_on_ack(rs.prior_in_flight);
            }
            self.raise_cwnd(ack, prior_packets - self.tp.packets_out, flags);
        }
        self.rack.update_reo_wnd(&self.tp, rs.prior_delivered);
        if !in_ack_first {
            self.in_ack_event(slow_path, flags);
        }
        if !classic {
            self.process_tlp_ack(ack, flags);
        }
        if self.profile.timer_first && flags & flag::SET_XMIT_TIMER != 0 {
            self.set_xmit_timer();
            flags &= !flag::SET_XMIT_TIMER;
        }
        let mut rexmit = Rexmit::Nothing;
        let dubious = flags & flag::NOT_DUP == 0
            || flags & flag::CA_ALERT != 0
            || self.tp.ca_state != crate::tcp::tp::CaState::Open;
        if dubious {
            let mut news = flag::SND_UNA_ADVANCED | flag::NOT_DUP;
            if !self.counts_losses() {
                news |= flag::DSACKING_ACK;
            }
            let dup = flags & news == 0;
            rexmit = self.fastretrans_alert(prior_una, u32::from(dup), &mut flags);
        }
        if classic {
            self.process_tlp_ack(ack, flags);
        }
        if flags & flag::SET_XMIT_TIMER != 0 {
            self.set_xmit_timer();
        }
        let delivered = self.tp.delivered.wrapping_sub(prior_delivered);
        let lost = self.tp.lost.wrapping_sub(prior_lost);
        rs.is_ack_delayed = flags & flag::MAYBE_DELAYED != 0;
        delivery_rate::generate(&mut self.tp, delivered, lost, reneged, &mut rs);
        self.cong_control(ack, delivered, flags, &rs);
        self.xmit_recovery(rexmit, low);
        if classic && self.timers.pending == Pending::Retrans {
            self.schedule_loss_probe(true);
        }
        if flags & flag::ACKED != 0 {
            probe.rtt(now, self.flow, Span::from_us(i64::from(self.tp.srtt_us >> 3)));
        }
        true
    }

    /// An ACK that is too old is challenged; one of what was not sent only where the connection is closing (`tcp_rcv_state_process`). Of one
    /// that has closed and waits for the peer's FIN a shadow is left, which looks at no number (`tcp_timewait_state_process`).
    #[cold]
    fn refuse_ack<L: Lower>(&mut self, unsent: bool, low: &mut L) {
        let shadow = self.state == State::FinWait2 && self.app.rcv_shutdown;
        let silent = unsent && self.state == State::Established;
        if !(shadow || silent) {
            self.challenge(low);
        }
    }

    /// An ACK older than others may still carry news in its SACKs.
    fn old_ack<L: Lower>(&mut self, p: &Packet, prior_una: u32, rs: &mut RateSample, low: &mut L) {
        if p.n_sack == 0 {
            return;
        }
        let tagged = self.take_sacks(p, prior_una, rs);
        let mut flags = tagged.flags;
        if self.profile.old_acks_deliver {
            self.count_delivered(tagged.delivered, flags);
        }
        let rexmit = self.fastretrans_alert(prior_una, 0, &mut flags);
        self.xmit_recovery(rexmit, low);
    }

    /// `tcp_in_ack_event`.
    #[inline]
    fn in_ack_event(&mut self, slow_path: bool, flags: u32) {
        if !self.completes {
            let (window, ece) = (!slow_path || flags & flag::WIN_UPDATE != 0, flags & flag::ECE != 0);
            self.ca.in_ack(&mut self.tp, InAck { slow_path, window, ece, rcv_mss: self.rcv.rcv_mss });
        }
    }

    /// `tcp_ack_update_window`, and the move of `snd_una`.
    fn update_window(&mut self, p: &Packet, ack: u32) -> u32 {
        let (tp, wl1) = (&mut self.tp, self.snd_wl1);
        let mut out = 0;
        let shut = p.wnd == 0 && self.profile.believes_zero_window;
        let update = after(ack, tp.snd_una) || after(p.seq, wl1) || (p.seq == wl1 && (p.wnd > tp.snd_wnd || shut));
        if update {
            out |= flag::WIN_UPDATE;
            self.snd_wl1 = p.seq;
            if p.wnd != tp.snd_wnd {
                tp.snd_wnd = p.wnd;
                self.rcv.predicts = false;
                self.rcv.check_fast_path();
                if self.tp.unsent() > 0 {
                    self.restart_after_idle();
                }
                self.largest_window(p.wnd);
            }
        }
        self.bytes_acked += u64::from(ack.wrapping_sub(self.tp.snd_una));
        self.tp.snd_una = ack;
        out
    }

    /// `tcp_count_delivered`.
    #[inline]
    pub(in crate::tcp) fn count_delivered(&mut self, n: u32, flags: u32) {
        count_delivered(&mut self.tp, n, flags);
    }

    /// `tcp_clean_rtx_queue`: takes acknowledged segments off the queue and what they measure.
    fn clean_rtx_queue(
        &mut self,
        prior_fack: u32,
        prior_una: u32,
        sack: &Tagged,
        in_flags: u32,
        rs: &mut RateSample,
    ) -> u32 {
        let prior_sacked = self.tp.sacked_out;
        let una = self.tp.snd_una;
        let (mut first, mut last, mut flags, mut acked, mut flight) = (0, 0, 0, 0, 0);
        let (mut gone, mut whole) = (None, true);
        let (mut reord, mut reord_at) = (self.tp.snd_nxt, 0);
        let fackets = self.sb.highest.wrapping_sub(self.rtx.first());
        while let Some(mut s) = self.rtx.head() {
            let uncut;
            if after(s.end_seq, una) {
                if !after(una, s.seq) {
                    break; // mostly an ACK ends where a segment does
                }
                uncut = *s;
                whole = !self.trim_head(gone);
                if whole {
                    break;
                }
                s = &uncut;
            }
            let id = self.rtx.first();
            if s.has(tag::ANY_RETRANS) {
                if s.has(tag::RETRANS) {
                    self.tp.retrans_out -= 1;
                }
                flags |= flag::RETRANS_DATA_ACKED;
            } else if !s.has(tag::SACKED) {
                (last, flight) = (s.sent_us(), s.flight);
                if first == 0 {
                    first = last;
                }
                if before(s.seq, reord) {
                    (reord, reord_at) = (s.seq, acked);
                }
                if !after(s.end_seq, self.tp.high_seq) {
                    flags |= flag::ORIG_SACK_ACKED;
                }
            }
            if s.has(tag::SACKED) {
                self.tp.sacked_out -= 1;
            } else if !self.is_reno() {
                count_delivered(&mut self.tp, 1, in_flags);
                // A retransmission that the peer's timestamp proves unneeded says nothing of the path.
                let spurious = s.has(tag::ANY_RETRANS)
                    && self.rcv.tsecr != 0
                    && before(self.rcv.tsecr, crate::tcp::clock::Clock::timestamp(s.sent_ns));
                if !spurious {
                    self.rack.advance(&self.tp, s);
                }
            }
            if s.has(tag::LOST) {
                self.tp.lost_out -= 1;
            }
            self.tp.packets_out -= 1;
            acked += 1;
            delivery_rate::sample(&mut self.tp, s, rs);
            if s.flags & tcp_flags::SYN == 0 {
                flags |= flag::DATA_ACKED;
            } else {
                flags |= flag::SYN_ACKED;
                self.undo.retrans_stamp = 0;
            }
            if !whole {
                break;
            }
            let skb = s.skb;
            gone = Some((skb, s.tags, s.len()));
            if self.sb.hint == Some(id) {
                self.sb.hint = None;
            }
            if self.sb.highest == id {
                self.sb.highest = id.wrapping_add(1);
            }
            self.rtx.pop();
            self.app.acked(skb, self.rtx.head().map(|h| h.skb));
        }
        match self.rtx.head() {
            None => {
                self.chrono_stop(What::Busy);
                if !self.is_reno() {
                    // What has leaked (FASTRETRANS_DEBUG).
                    self.tp.retrans_out = 0;
                }
            }
            Some(s) if s.has(tag::SACKED) => flags |= flag::SACK_RENEGING,
            Some(_) => {}
        }
        let since = |us: u64, c: &crate::tcp::clock::Clock| i64::from(c.us_since(us));
        let (mut seq_rtt, mut ca_rtt, mut sack_rtt) = (-1, -1, -1);
        if first != 0 && flags & flag::RETRANS_DATA_ACKED == 0 {
            seq_rtt = since(first, &self.tp.clock);
            ca_rtt = since(last, &self.tp.clock);
            if acked == 1
                && whole
                && self.profile.knows_delayed_acks
                && prior_sacked == 0
                && una.wrapping_sub(prior_una) < self.tp.mss_cache
                && rs.prior_delivered.wrapping_add(1) == self.tp.delivered
                && flags & flag::SYN_ACKED == 0
            {
                flags |= flag::MAYBE_DELAYED;
            }
        }
        if sack.first_us != 0 {
            sack_rtt = since(sack.first_us, &self.tp.clock);
            ca_rtt = since(sack.last_us, &self.tp.clock);
        }
        let (tsecr, rto_min) = (self.rcv.tsecr, self.rto_min_us());
        let measured = AckRtt { seq_rtt, sack_rtt, ca_rtt };
        let (ca_rtt, updated) = self.rtt.update(&mut self.tp, flags, tsecr, rto_min, measured);
        rs.rtt_us = ca_rtt;
        self.counted.acked = acked;
        if flags & flag::ACKED != 0 {
            flags |= flag::SET_XMIT_TIMER;
            if self.mtup.is_some() {
                self.probe_is_through();
            }
            if self.is_reno() {
                self.remove_reno_sacks(acked, in_flags);
                if flags & flag::RETRANS_DATA_ACKED != 0 {
                    // Without SACK nothing shows that it was the original that got through.
                    flags &= !flag::ORIG_SACK_ACKED;
                }
            } else {
                if before(reord, prior_fack) {
                    match self.profile.reordering_grows {
                        true => self.update_reordering(fackets - reord_at),
                        false => self.check_sack_reordering(reord),
                    }
                }
                self.uncount(prior_sacked - self.tp.sacked_out);
            }
        } else if updated
            && sack_rtt >= 0
            && self.rtx.head().is_some_and(|h| sack_rtt > since(h.sent_us(), &self.tp.clock))
        {
            flags |= flag::SET_XMIT_TIMER;
        }
        let in_flight = if self.profile.flight_at_send {
            flight
        } else {
            self.tp.mss_cache.wrapping_mul(self.tp.delivered.wrapping_sub(rs.prior_delivered))
        };
        self.ca.timestamps(self.rcv.tsval, self.rcv.tsecr);
        self.ca.pkts_acked(&mut self.tp, &AckSample { pkts_acked: acked, rtt_us: ca_rtt, in_flight });
        flags
    }

    /// `tcp_cong_control`: the window and the pacing rate after this ACK.
    fn cong_control(&mut self, ack: u32, delivered: u32, flags: u32, rs: &RateSample) {
        if self.ca.has_cong_control() {
            self.ca.cong_control(&mut self.tp, rs);
            return;
        }
        if self.tp.in_cwnd_reduction() {
            self.cwnd_reduction(delivered, rs.losses, flags);
        } else if !self.is_classic() {
            self.raise_cwnd(ack, delivered, flags);
        }
        self.update_pacing_rate();
    }

    /// `tcp_may_raise_cwnd`, and its growth for `acked` segments.
    #[inline]
    fn raise_cwnd(&mut self, ack: u32, acked: u32, flags: u32) {
        // With much reordering, out-of-order delivery counts too.
        let counts =
            if self.tp.reordering > self.params.reordering { flag::FORWARD_PROGRESS } else { flag::DATA_ACKED };
        if flags & counts == 0 || self.tp.in_cwnd_reduction() || self.ca.has_cong_control() {
            return;
        }
        let worth = match self.profile.growth {
            Growth::Segments => acked,
            Growth::AcksAbove if self.tp.in_slow_start() => acked,
            Growth::AcksAbove | Growth::Acks => acked.min(1),
        };
        self.ca.cong_avoid(&mut self.tp, ack, worth);
        if self.ca.wants_cwr() {
            self.enter_cwr();
        }
        self.tp.snd_cwnd_stamp = self.tp.clock.j32();
    }

    /// `tcp_check_sack_reneging`: gives a receiver that seems to have dropped what it SACKed a little time to make it good.
    pub(in crate::tcp) fn check_sack_reneging(&mut self, flags: &mut u32) -> bool {
        if *flags & flag::SACK_RENEGING == 0 || *flags & flag::SND_UNA_ADVANCED == 0 {
            return false;
        }
        let c = self.tp.clock;
        let delay = c.us_to_jiffies(self.tp.srtt_us >> 4).max(c.us_to_jiffies(10_000));
        let max = self.rto_max();
        self.timers.reset(&c, Pending::Retrans, delay, max);
        *flags &= !flag::SET_XMIT_TIMER;
        true
    }
}
