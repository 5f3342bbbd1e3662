//! Loss detection before RACK decided alone: by counting. FACK takes for lost what lies more than the degree of reordering below the highest
//! SACKed segment; once the network was seen to reorder, and always from 4.12 on, a segment needs that many SACKed above it (RFC 6675).
//! With it early retransmit (RFC 5827), and what shows that a retransmission was lost.
//!
//! Stands for: net/ipv4/tcp_input.c of Linux 3.10, 3.18 and 4.14: `tcp_fastretrans_alert`, `tcp_time_to_recover`, `tcp_update_scoreboard`,
//! `tcp_mark_head_lost`, `tcp_mark_lost_retrans`, `tcp_pause_early_retransmit`, `tcp_resume_early_retransmit`; 3.10's `tcp_head_timedout`
//! and `tcp_timeout_skbs`. Differs: D1 without SACK every kernel counts as 6.12 does (newreno.rs), but for the degree of reordering, and
//! without early retransmit.
//! D2 whether a retransmission went out before the highest SACKed segment is told by their times, where Linux notes `snd_nxt`: the
//! same, for new data follow what is sent again in one instant. D3 thin streams are as others (off by default in Linux).

use super::Rexmit;
use crate::sim::Lower;
use crate::tcp::profile::Detection;
use crate::tcp::rtx::tag;
use crate::tcp::sender::flag;
use crate::tcp::sender::timers::Pending;
use crate::tcp::seq::before;
use crate::tcp::socket::Socket;
use crate::tcp::tp::CaState;

impl Socket {
    /// Losses are found by counting.
    #[inline]
    pub(in crate::tcp) fn counts_losses(&self) -> bool {
        self.profile.detection != Detection::Rack && !self.is_reno()
    }

    /// Losses are found as before 4.12, and an ACK is taken in the order of that time: the window grows before it is asked what is lost.
    #[inline]
    pub(in crate::tcp) fn is_classic(&self) -> bool {
        self.profile.detection == Detection::Fack
    }

    /// `fackets_out`: segments up to the highest SACKed one.
    fn fackets_out(&self) -> u32 {
        if self.tp.sacked_out == 0 { 0 } else { self.sb.highest.wrapping_sub(self.rtx.first()) }
    }

    /// `tcp_update_reordering`: the network reorders by `metric` segments.
    pub(in crate::tcp) fn update_reordering(&mut self, metric: u32) {
        let more = metric > self.tp.reordering;
        if more {
            self.tp.reordering = metric.min(self.app.sysctls.max_reordering);
        }
        self.counted.reordered(more);
        self.rack.reord_seen = self.rack.reord_seen.saturating_add(1);
    }

    /// A higher segment was SACKed before segment `at` of the queue, which was never retransmitted.
    pub(in crate::tcp) fn sacked_above(&mut self, at: u32) {
        let fackets = self.fackets_out();
        if at < fackets {
            self.update_reordering(fackets - at);
        }
    }

    /// What fills a hole that is tried again came late, with what `tcp_try_undo_partial` took off the queue.
    pub(in crate::tcp) fn late_by_far(&mut self) {
        let fackets = if self.is_reno() { self.tp.sacked_out + 1 } else { self.fackets_out() };
        self.update_reordering(fackets + self.counted.acked);
    }

    /// `tcp_fastretrans_alert` of old.
    pub(super) fn alert_counted(&mut self, prior_una: u32, num_dupack: u32, flags: &mut u32) -> Rexmit {
        let far = self.fackets_out() > self.tp.reordering;
        let mut do_lost = num_dupack > 0 || (*flags & flag::DATA_SACKED != 0 && far);
        if self.begin_alert(flags) {
            return Rexmit::Nothing;
        }
        let mut rexmit = Rexmit::Nothing;
        if self.tp.ca_state == CaState::Recovery {
            if *flags & flag::SND_UNA_ADVANCED != 0 {
                if self.try_undo_partial(prior_una) {
                    return Rexmit::Nothing;
                }
                do_lost = self.fackets_out() > self.tp.reordering;
            }
            if self.try_undo_dsack() {
                self.try_keep_open();
                return Rexmit::Nothing;
            }
            self.rack_beside(flags);
        } else {
            if self.tp.ca_state == CaState::Loss {
                self.process_loss(*flags, num_dupack, &mut rexmit);
                self.rack_beside(flags);
                if self.tp.ca_state != CaState::Open && *flags & flag::LOST_RETRANS == 0 {
                    return rexmit;
                }
            }
            if self.tp.ca_state <= CaState::Disorder {
                self.try_undo_dsack();
            }
            self.rack_beside(flags);
            if !self.time_to_recover(*flags) {
                self.try_to_open(*flags);
                return rexmit;
            }
            self.enter_recovery(*flags & flag::ECE != 0);
        }
        if do_lost {
            self.update_scoreboard(self.counted.entered);
        }
        Rexmit::Lost
    }

    /// `tcp_rack_identify_loss` of 4.14.
    fn rack_beside(&mut self, flags: &mut u32) {
        if self.profile.detection == Detection::Count && !self.rtx.is_empty() {
            self.rack_identify_loss(flags);
        }
    }

    /// `tcp_time_to_recover`.
    fn time_to_recover(&mut self, flags: u32) -> bool {
        let tp = &self.tp;
        let heuristic = if self.counted.fack { self.fackets_out() } else { tp.sacked_out + 1 };
        if tp.lost_out > 0 || heuristic > tp.reordering || self.head_timed_out() {
            return true;
        }
        if !self.is_classic() || tp.sacked_out == 0 || self.may_send_now() {
            return false;
        }
        // Nothing more can be sent, so nothing more will be SACKed.
        let tp = &self.tp;
        if tp.packets_out <= tp.reordering && tp.sacked_out >= (tp.packets_out / 2).max(self.params.reordering) {
            return true;
        }
        let few = tp.packets_out > tp.sacked_out && tp.packets_out < 4;
        self.counted.early && tp.retrans_out == 0 && few && !self.pause_early_retransmit(flags)
    }

    /// `tcp_pause_early_retransmit`: true, a quarter of an RTT will show whether it was only reordered.
    fn pause_early_retransmit(&mut self, flags: u32) -> bool {
        if flags & flag::ECE != 0 || self.tp.srtt_us == 0 {
            return false;
        }
        let c = self.tp.clock;
        let delay = c.us_to_jiffies(self.tp.srtt_us >> 5).max(c.us_to_jiffies(2_000));
        if self.timers.until() <= c.jiffies + u64::from(delay) {
            return false;
        }
        let max = self.rto_max();
        self.timers.reset(&c, Pending::EarlyRetrans, delay, max);
        true
    }

    /// `tcp_resume_early_retransmit`.
    pub(in crate::tcp) fn resume_early_retransmit<L: Lower>(&mut self, low: &mut L) {
        self.rearm_rto();
        if self.counted.early && self.tp.packets_out > 0 {
            self.enter_recovery(false);
            self.update_scoreboard(true);
            self.xmit_retransmit_queue(low);
        }
    }

    /// `tcp_head_timedout`: 3.10's FACK took what was out for longer than the timeout for lost.
    fn head_timed_out(&self) -> bool {
        self.profile.head_times_out && self.counted.fack && self.rtx.head().is_some_and(|h| self.timed_out(h))
    }

    fn timed_out(&self, s: &crate::tcp::rtx::Seg) -> bool {
        let rto = u64::from(self.tp.clock.jiffies_to_us(self.rtt.rto));
        self.tp.clock.us > s.sent_us() + rto
    }

    /// `tcp_update_scoreboard`; `first`: the ACK began the recovery.
    fn update_scoreboard(&mut self, first: bool) {
        let (fackets, sacked, reordering) = (self.fackets_out(), self.tp.sacked_out, self.tp.reordering);
        if self.counted.fack {
            self.mark_up_to(fackets.saturating_sub(reordering).max(1));
        } else if sacked >= reordering {
            self.mark_below(sacked - reordering);
        } else if first && self.counted.next.is_none_or(|n| n == self.rtx.first()) {
            self.mark_new(self.rtx.first());
            self.counted.next = Some(self.rtx.first());
            self.counted.sacked = 0;
        }
        if self.head_timed_out() {
            let mut id = self.rtx.first();
            while self.rtx.contains(id) && self.timed_out(self.rtx.get(id)) {
                self.mark_new(id);
                id = id.wrapping_add(1);
            }
        }
    }

    /// `tcp_mark_head_lost` with FACK: the first `n` segments.
    fn mark_up_to(&mut self, n: u32) {
        let first = self.rtx.first();
        let end = first.wrapping_add(n.min(self.rtx.len()));
        let mut id = self.counted.next.filter(|&i| self.rtx.contains(i)).unwrap_or(first);
        while before(id, end) {
            self.mark_new(id);
            id = id.wrapping_add(1);
        }
        self.counted.next = Some(id);
    }

    /// `tcp_mark_head_lost` without FACK: what has no more than `n` SACKed segments before it.
    fn mark_below(&mut self, n: u32) {
        let next = self.counted.next.filter(|&i| self.rtx.contains(i));
        let (mut id, mut sacked) = match next {
            Some(id) => (id, self.counted.sacked),
            None => (self.rtx.first(), 0),
        };
        while id != self.rtx.end() {
            (self.counted.next, self.counted.sacked) = (Some(id), sacked);
            if self.rtx.get(id).has(tag::SACKED) {
                sacked += 1;
                if sacked > n {
                    break;
                }
            } else {
                self.mark_new(id);
            }
            id = id.wrapping_add(1);
        }
    }

    /// `tcp_skb_mark_lost`: a retransmission that is out stays believed in.
    fn mark_new(&mut self, id: u32) {
        if !self.rtx.get(id).has(tag::LOST | tag::SACKED) {
            self.sb.mark_counted(&mut self.tp, &mut self.rtx, &mut self.ca, id);
        }
    }

    /// What the next cumulative ACK changes for the count (`tcp_clean_rtx_queue`): `sacked` SACKed segments left the queue.
    #[inline]
    pub(in crate::tcp) fn uncount(&mut self, sacked: u32) {
        self.counted.sacked = self.counted.sacked.saturating_sub(sacked);
    }

    /// `tcp_mark_lost_retrans`: what was first sent after a retransmission is SACKed: that was lost too.
    pub(in crate::tcp) fn mark_lost_retrans(&mut self) {
        let highest = self.sb.highest;
        let news = highest != self.counted.seen;
        self.counted.seen = highest;
        if !self.is_classic()
            || !news
            || !self.counted.fack
            || self.tp.retrans_out == 0
            || self.tp.sacked_out == 0
            || self.tp.ca_state != CaState::Recovery
        {
            return;
        }
        let sent_ns = self.rtx.get(highest.wrapping_sub(1)).sent_ns;
        let mut id = self.rtx.first();
        while id != highest {
            let s = *self.rtx.get(id);
            if s.has(tag::RETRANS) && s.sent_ns <= sent_ns && !s.has(tag::SACKED) {
                if !s.has(tag::LOST) {
                    self.rtx.get_mut(id).tags &= !tag::RETRANS;
                    self.tp.retrans_out -= 1;
                }
                self.sb.mark_lost(&mut self.tp, &mut self.rtx, &mut self.ca, id);
            }
            id = id.wrapping_add(1);
        }
    }

    /// `tcp_may_send_now`.
    pub(in crate::tcp) fn may_send_now(&mut self) -> bool {
        self.tp.unsent() > 0 && self.has_room() && self.first_fits_window() && self.first_passes_nagle()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Kind, NodeId, Packet, Time};
    use crate::tcp::cc::{Cc, RateSample};
    use crate::tcp::profile::{Profile, V3_18, V4_14, V6_12};
    use crate::tcp::rtx::Seg;
    use crate::tcp::socket::State;
    use crate::tcp::tests::pair::{Link, sender};

    const MS: u64 = 1_000_000;

    /// `n` segments of 1000 bytes from 0 on, sent at 1 s, and nothing more to send; the RTT is 100 ms, and it is over.
    fn flight(profile: &'static Profile, n: u32) -> Socket {
        let mut s = sender(Cc::Reno, profile);
        s.state = State::Established;
        s.opts.sack = true;
        let tp = &mut s.tp;
        (tp.mss_cache, tp.snd_wnd, tp.max_window, tp.snd_cwnd, tp.srtt_us) = (1_000, 1 << 20, 1 << 20, n, 800_000);
        (tp.snd_una, tp.snd_nxt, tp.write_seq, tp.high_seq) = (0, 0, 0, 0);
        tp.rtt_min.reset(0, 100_000);
        s.rtt.rto = 300;
        for _ in 0..n {
            send(&mut s, 1_000 * MS);
        }
        s.sb.highest = s.rtx.first();
        at(&mut s, 1_100);
        let max = s.rto_max();
        s.timers.reset(&s.tp.clock, Pending::Retrans, 200, max);
        s
    }

    /// One new segment at this time, ns.
    fn send(s: &mut Socket, sent_ns: u64) {
        let seq = s.tp.snd_nxt;
        let mut seg = Seg::new(seq, seq + 1_000, 0, seq / 1_000);
        seg.sent_ns = sent_ns;
        s.rtx.push(seg);
        s.app.rtx_skbs += 1;
        s.tp.packets_out += 1;
        s.tp.snd_nxt += 1_000;
        s.tp.write_seq = s.tp.snd_nxt;
    }

    fn at(s: &mut Socket, ms: u64) {
        s.tp.clock.set(Time::from_ns(ms * MS));
    }

    /// A duplicate ACK whose block has segments `from` to `to`, that one not included.
    fn sack(s: &mut Socket, from: u32, to: u32) -> Rexmit {
        let mut p = Packet::blank(Kind::Tcp, s.flow, NodeId(1), NodeId(0));
        (p.ack, p.n_sack, p.sack[0]) = (s.tp.snd_una, 1, (from * 1_000, to * 1_000));
        let una = s.tp.snd_una;
        let mut flags = s.take_sacks(&p, una, &mut RateSample::default()).flags;
        s.fastretrans_alert(una, 1, &mut flags)
    }

    fn lost(s: &Socket) -> Vec<u32> {
        (s.rtx.first()..s.rtx.end()).filter(|&i| s.rtx.get(i).has(tag::LOST)).collect()
    }

    #[test]
    fn fack_takes_one_distant_sack_for_proof() {
        // Segment 4 of ten is SACKed: five up to it, less the three that may be reordered: two are lost. Others wait for RACK's timer.
        for (profile, state, gone) in [
            (&V3_18, CaState::Recovery, vec![0, 1]),
            (&V4_14, CaState::Disorder, vec![]),
            (&V6_12, CaState::Disorder, vec![]),
        ] {
            let mut s = flight(profile, 10);
            sack(&mut s, 4, 5);
            assert_eq!((s.tp.ca_state, lost(&s)), (state, gone), "{}", profile.name);
            assert_eq!(s.timers.pending == Pending::Reorder, profile.name != "3.18", "{}", profile.name);
        }
    }

    #[test]
    fn without_fack_three_must_be_sacked_above() {
        // 4.14, and 3.18 once it saw reordering. 1 to 3: only 0 has three above it. With 5 and 6 too 4 has two, with 7 three.
        for profile in [&V4_14, &V3_18] {
            let mut s = flight(profile, 10);
            s.counted.reordered(true);
            sack(&mut s, 1, 3);
            assert_eq!((s.tp.ca_state, lost(&s)), (CaState::Disorder, vec![]));
            sack(&mut s, 1, 4);
            assert_eq!((s.tp.ca_state, lost(&s)), (CaState::Recovery, vec![0]));
            sack(&mut s, 5, 7);
            assert_eq!(lost(&s), [0]);
            sack(&mut s, 5, 8);
            assert_eq!(lost(&s), [0, 4]);
        }
    }

    #[test]
    fn racks_first_form_waits_a_quarter_of_the_rtt_and_then_a_millisecond() {
        // Segment 1 of ten, sent at 1 s, is SACKed at 1.1 s: 0 is due 25 ms later where nothing is lost, 1 ms later where something is.
        for (known_lost, due_us) in [(0, 25_001), (1, 1_001)] {
            let mut s = flight(&V4_14, 10);
            sack(&mut s, 1, 2);
            s.tp.lost_out = known_lost;
            assert_eq!(s.rack.detect_loss(Detection::Count, &mut s.tp, &mut s.rtx, &mut s.sb, &mut s.ca), due_us);
            s.tp.lost_out = 0;
            s.tp.clock.set(Time::from_ns(1_100 * MS + u64::from(due_us - 1) * 1_000));
            s.tp.lost_out = known_lost;
            s.rack.detect_loss(Detection::Count, &mut s.tp, &mut s.rtx, &mut s.sb, &mut s.ca);
            assert_eq!(lost(&s), Vec::<u32>::new(), "it is due, not over");
            s.tp.clock.set(Time::from_ns(1_100 * MS + u64::from(due_us) * 1_000));
            s.rack.detect_loss(Detection::Count, &mut s.tp, &mut s.rtx, &mut s.sb, &mut s.ca);
            assert_eq!(lost(&s).first(), Some(&0));
        }
    }

    #[test]
    fn what_was_sent_after_a_retransmission_shows_that_it_was_lost() {
        let mut s = flight(&V3_18, 10);
        let mut low = Link::idle();
        sack(&mut s, 4, 5);
        s.tp.snd_cwnd = 20;
        s.xmit_retransmit_queue(&mut low);
        // Both that are lost, and, nothing new being there, what may be: 2 and 3.
        assert_eq!(low.log.iter().map(|l| l.1).collect::<Vec<_>>(), [0, 1_000, 2_000, 3_000]);
        assert_eq!((s.tp.lost_out, s.tp.retrans_out, s.tp.prr_out), (2, 4, 4));
        // 9 was sent before them.
        at(&mut s, 1_150);
        sack(&mut s, 9, 10);
        assert_eq!((s.tp.retrans_out, lost(&s)), (4, vec![0, 1, 2, 3, 5, 6]));
        // 10 was sent with them, after them.
        send(&mut s, 1_100 * MS);
        at(&mut s, 1_200);
        sack(&mut s, 10, 11);
        assert_eq!((s.tp.retrans_out, lost(&s)), (0, vec![0, 1, 2, 3, 5, 6, 7]));
    }

    #[test]
    fn nothing_is_retransmitted_ahead_of_new_data() {
        let mut s = flight(&V3_18, 10);
        let mut low = Link::idle();
        sack(&mut s, 4, 5);
        s.tp.snd_cwnd = 20;
        s.tp.write_seq += 5_000;
        s.xmit_retransmit_queue(&mut low);
        assert_eq!(low.log.iter().map(|l| l.1).collect::<Vec<_>>(), [0, 1_000]);
    }

    #[test]
    fn few_segments_are_retransmitted_early() {
        // Two of three are out and the last is SACKed: a quarter of an RTT of 100 ms later the first goes again. Four are too many.
        let mut s = flight(&V3_18, 3);
        let mut low = Link::idle();
        assert_eq!(sack(&mut s, 1, 2), Rexmit::Nothing);
        assert_eq!((s.timers.pending, s.timers.until() - s.tp.clock.jiffies), (Pending::EarlyRetrans, 25));
        at(&mut s, 1_125);
        s.resume_early_retransmit(&mut low);
        assert_eq!((low.log.len(), s.tp.ca_state, lost(&s)), (1, CaState::Recovery, vec![0]));
        for (profile, n) in [(&V3_18, 4), (&V4_14, 3)] {
            let mut s = flight(profile, n);
            sack(&mut s, 1, 2);
            assert_ne!(s.timers.pending, Pending::EarlyRetrans, "{}", profile.name);
        }
    }

    #[test]
    fn a_timeout_takes_everything_for_lost() {
        // RACK spares what was sent just now: of five segments the last two, sent 10 ms ago where the RTT is 100 ms.
        for (profile, gone, cwnd) in [(&V3_18, 5, 1), (&V4_14, 5, 1), (&V6_12, 3, 3)] {
            let mut s = flight(profile, 3);
            send(&mut s, 1_090 * MS);
            send(&mut s, 1_090 * MS);
            s.rack.rtt_us = 100_000;
            s.enter_loss();
            assert_eq!((lost(&s).len(), s.tp.snd_cwnd), (gone, cwnd), "{}", profile.name);
        }
    }

    #[test]
    fn a_probe_was_for_when_nothing_more_could_be_sent() {
        for (profile, room, armed) in
            [(&V3_18, false, true), (&V3_18, true, false), (&V4_14, true, false), (&V6_12, true, true)]
        {
            let mut s = flight(profile, 5);
            if room {
                s.tp.snd_cwnd = 9;
                s.tp.write_seq += 5_000;
            }
            assert_eq!(s.schedule_loss_probe(false), armed, "{} {room}", profile.name);
        }
    }

    #[test]
    fn a_lone_segment_is_probed_for_by_each_kernels_rule() {
        // RTT 100 ms, RTO 1 s from 1 s on: 3.18 takes 1.5 RTT + 200 ms, 4.14 2 RTT + 200 ms.
        for (profile, ms) in [(&V3_18, 350), (&V4_14, 400)] {
            let mut s = flight(profile, 1);
            s.rtt.rto = 1_000;
            let max = s.rto_max();
            s.timers.reset(&s.tp.clock, Pending::Retrans, 900, max);
            assert!(s.schedule_loss_probe(false));
            assert_eq!(s.timers.until() - s.tp.clock.jiffies, ms, "{}", profile.name);
        }
    }
}
