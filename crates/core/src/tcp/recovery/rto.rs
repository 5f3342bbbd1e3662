//! The retransmission timeout: everything not recently sent is lost, one segment is sent again, the timeout doubles. And the
//! zero-window probe, which shares its timer.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_timer.c `tcp_retransmit_timer`, `tcp_probe_timer`; net/ipv4/tcp_input.c `tcp_enter_loss`,
//! `tcp_timeout_mark_lost`, `tcp_rearm_rto`; F-RTO (RFC 5682) in recovery/mod.rs. When a connection gives up: sender/patience.rs. Differs: D1 thin
//! streams have no linear timeouts (off by default in Linux).

use crate::sim::{Lower, Probe, Time};
use crate::tcp::cc::{Control, Event};
use crate::tcp::clock::Clock;
use crate::tcp::output::Failed;
use crate::tcp::profile::{Detection, ShutEnds};
use crate::tcp::rtx::tag;
use crate::tcp::sender::app::Error;
use crate::tcp::sender::patience::model_timeout_ms;
use crate::tcp::sender::rack::TIMEOUT_MIN;
use crate::tcp::sender::timers::Pending;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::{Socket, State};
use crate::tcp::tp::CaState;

impl Socket {
    /// `tcp_rto_delta_us`: how far the RTO is, counted from the head's transmission, microseconds.
    pub(in crate::tcp) fn rto_delta_us(&self) -> i64 {
        let rto = self.tp.clock.jiffies_to_us(self.rtt.rto);
        self.rtx.head().map_or(i64::from(rto), |h| (h.sent_us() + u64::from(rto)) as i64 - self.tp.clock.us as i64)
    }

    /// `tcp_rearm_rto`.
    pub(in crate::tcp) fn rearm_rto(&mut self) {
        if self.tp.packets_out == 0 {
            self.timers.clear();
            return;
        }
        let mut rto = self.rtt.rto;
        if matches!(self.timers.pending, Pending::Reorder | Pending::EarlyRetrans | Pending::LossProbe) {
            let delta = self.rto_delta_us();
            if delta > 0 || !self.is_classic() {
                rto = self.tp.clock.us_to_jiffies(delta.max(1) as u32);
            }
        }
        let max = self.rto_max();
        self.reset_xmit_timer(Pending::Retrans, rto, max);
    }

    /// `tcp_set_xmit_timer`.
    #[inline]
    pub(in crate::tcp) fn set_xmit_timer(&mut self) {
        if !self.schedule_loss_probe(true) {
            self.rearm_rto();
        }
    }

    /// `tcp_retransmit_timer`.
    pub(in crate::tcp) fn retransmit_timeout<L: Lower, P: Probe>(&mut self, now: Time, low: &mut L, _probe: &mut P) {
        if self.began_at_once() {
            self.child_timeout(low);
            return;
        }
        if self.state == State::SynSent || self.state == State::SynRecv {
            let over = self.syns_timed_out();
            self.suspect_blackhole(over);
            if over {
                self.write_err();
            } else {
                // A SYN is lost as anything else is; a SYN-ACK is a request's, which has no window yet (reqsk_timer_handler).
                if self.syns_crossed() {
                    self.enter_loss();
                } else {
                    self.tp.ecn.queue_cwr();
                }
                self.handshake_timeout(now, low);
            }
            return;
        }
        if self.tp.packets_out == 0 {
            return;
        }
        let max = self.rto_max();
        // Who has closed does not wait for a window without end.
        let shut = self.tp.snd_wnd == 0 && !self.app.orphan;
        if !shut && self.sent_again_for(model_timeout_ms(self.app.patience.doubts, 200)) {
            self.suspect_mtu();
        }
        let over = if shut { self.shut_for_too_long() } else { self.retransmits_timed_out() };
        if !shut {
            self.suspect_blackhole(over);
        }
        if over {
            self.write_err();
            return;
        }
        self.enter_loss();
        let head = self.rtx.first();
        if shut {
            // The peer closed its window over what is out: the retransmission serves as a probe.
            let _ = self.retransmit(head, 1, low);
        } else {
            let before = self.rto.retransmits;
            self.count_timeout();
            self.rethink_txhash();
            if self.retransmit(head, 1, low) == Err(Failed::Congested) {
                self.try_congested_again(before);
                return;
            }
        }
        if !shut || self.profile.shut_counts_backoff {
            self.rtt.backoff = self.rtt.backoff.saturating_add(1);
        }
        self.rtt.rto = (self.rtt.rto << 1).min(max);
        let rto = self.clamped_rto();
        self.timers.reset(&self.tp.clock, Pending::Retrans, rto, max);
        if shut || self.sent_again_for(model_timeout_ms(self.app.patience.doubts + 1, 200)) {
            self.drops_route();
        }
    }

    /// `tcp_retransmit_timer` where the own queue refused what was to be sent again, a SYN, too: soon, and the timeout does not grow. Timeouts
    /// before this one: `before`.
    pub(in crate::tcp) fn try_congested_again(&mut self, before: u32) {
        // Before 5.1 it counts as one, however often it was tried (590d2026d624).
        if !self.profile.congested_waits {
            self.rto.retransmits = before.max(1);
        }
        let (when, max) = (self.congested_when(self.rtt.rto), self.rto_max());
        self.timers.reset(&self.tp.clock, Pending::Retrans, when, max);
    }

    /// `sk_rethink_txhash`, as `tcp_write_timeout` and `tcp_rtx_synack` do it (`net.core.txrehash`).
    pub(in crate::tcp) fn rethink_txhash(&mut self) {
        if self.profile.rehashes {
            self.txhash = self.txhash.wrapping_add(1);
            // Not of a request, which is no socket yet.
            self.stats.rehashes += u64::from(self.state != State::SynRecv);
        }
    }

    /// `tcp_update_rto_stats`; of a request `tcp_create_openreq_child`, which counts from the first SYN-ACK.
    pub(in crate::tcp) fn count_timeout(&mut self) {
        if self.rto.retransmits == 0 {
            let request = self.state == State::SynRecv && !self.began_at_once() && !self.syns_crossed();
            self.stats.rto_recoveries += 1;
            let since = if request { Clock::timestamp(self.synack_sent * 1_000) } else { self.tp.clock.now_ts() };
            self.rto.since = Some(since);
        }
        self.rto.retransmits += 1;
        self.stats.rtos += 1;
    }

    /// `tcp_update_rto_time`: what timeouts began is over.
    pub(in crate::tcp) fn timeouts_are_over(&mut self) {
        let since = self.rto.since.take();
        self.rto.spent_ms += since.map_or(0, |s| u64::from(self.tp.clock.now_ts().wrapping_sub(s)));
    }

    /// `tcp_enter_loss`.
    pub(in crate::tcp) fn enter_loss(&mut self) {
        let mut new_recovery = self.tp.ca_state < CaState::Recovery;
        // Before 4.18 what is lost is marked behind, so that an undo waits for the retransmissions that were out.
        let first = self.profile.detection == Detection::Rack;
        if first {
            self.timeout_mark_lost();
        }
        let tp = &mut self.tp;
        if tp.ca_state <= CaState::Disorder
            || !after(tp.high_seq, tp.snd_una)
            || (tp.ca_state == CaState::Loss && self.rto.retransmits == 0)
        {
            tp.prior_ssthresh = tp.current_ssthresh();
            tp.prior_cwnd = tp.snd_cwnd;
            tp.snd_ssthresh = self.ca.ssthresh(tp);
            self.ca.event(&mut self.tp, Event::Loss);
            self.init_undo();
            new_recovery |= self.is_classic();
        } else {
            // Before 4.3 only what reduced the window (89fe18e44f7e).
            new_recovery &= !self.is_classic();
        }
        if !first {
            self.timeout_mark_lost();
        }
        let tp = &mut self.tp;
        tp.snd_cwnd = tp.in_flight() + 1;
        tp.snd_cwnd_cnt = 0;
        tp.snd_cwnd_stamp = tp.clock.j32();
        // A timeout in spite of many SACKs: the degree of reordering was overestimated.
        if tp.ca_state <= CaState::Disorder && tp.sacked_out >= self.params.reordering {
            tp.reordering = tp.reordering.min(self.params.reordering);
        }
        self.set_ca_state(CaState::Loss);
        self.tp.high_seq = self.tp.snd_nxt;
        self.tlp.high_seq = None;
        self.tp.ecn.queue_cwr();
        let probes = self.mtup.as_ref().is_some_and(|m| m.out.is_some());
        self.rto.frto = self.params.frto && (new_recovery || self.rto.retransmits > 0) && !probes;
    }

    /// `tcp_timeout_mark_lost`.
    fn timeout_mark_lost(&mut self) {
        let reneged = self.rtx.head().is_some_and(|s| s.has(tag::SACKED));
        if reneged {
            self.tp.sacked_out = 0;
            self.sb.reneged = true;
        } else if self.is_reno() {
            self.tp.sacked_out = 0;
        }
        // Before 4.18 everything is, and nothing counts as in flight (c77d62ffaea4, d716bfdb10b4).
        let by_time = self.profile.detection == Detection::Rack;
        let mut id = self.rtx.first();
        // The head is lost whenever it was sent, all of its skb.
        let behind = id.wrapping_add(if self.rtx.is_empty() { 0 } else { self.same_skb(id, u32::MAX) });
        while id != self.rtx.end() {
            if reneged {
                self.rtx.get_mut(id).tags &= !tag::SACKED;
            }
            let headed = before(id, behind);
            let recent = by_time && !reneged && !headed && self.rack.remaining(&self.tp, self.rtx.get(id), 0) > 0;
            if !recent {
                self.sb.mark_lost(&mut self.tp, &mut self.rtx, &mut self.ca, id);
            }
            if !by_time && self.rtx.get(id).has(tag::RETRANS) {
                self.rtx.get_mut(id).tags &= !tag::RETRANS;
                self.tp.retrans_out -= 1;
            }
            id = id.wrapping_add(1);
        }
        self.sb.hint = None;
        self.counted.restart();
    }

    /// `tcp_check_probe_timer`: nothing is out and the window is closed: probe it.
    pub(in crate::tcp) fn check_probe_timer(&mut self) {
        if self.tp.packets_out == 0 && self.timers.pending == Pending::Nothing {
            let (base, max) = (self.rtt.rto.max(self.tp.clock.hz / 5), self.rto_max());
            self.reset_xmit_timer(Pending::Probe0, base, max);
        }
    }

    /// `tcp_probe_timer` and `tcp_send_probe0`.
    pub(in crate::tcp) fn probe_timeout<L: Lower>(&mut self, low: &mut L) {
        if self.tp.packets_out != 0 || self.tp.unsent() == 0 {
            (self.rto.probes, self.rto.probed_since) = (0, None);
            return;
        }
        let since = *self.rto.probed_since.get_or_insert(self.tp.clock.jiffies);
        if self.user_waited_for_probes(since) || self.probed_often() {
            self.write_err();
            return;
        }
        let sent = self.window_probe(low);
        if self.tp.packets_out != 0 {
            self.rtt.backoff = 0;
            self.rto.probes = 0;
            self.rto.probed_since = None;
            return;
        }
        // Before 5.1 what the own queue refuses does not count (c1d5674f8313).
        let counts = sent || self.profile.congested_waits;
        self.rto.probes = if counts { self.rto.probes + 1 } else { self.rto.probes.max(1) };
        let when = if sent {
            self.rtt.backoff += u8::from(u32::from(self.rtt.backoff) < self.app.patience.retries);
            self.probe0_when()
        } else {
            self.congested_when(self.probe0_when())
        };
        self.reset_xmit_timer(Pending::Probe0, self.within_user_timeout(when), self.rto_max());
    }

    /// `tcp_clamp_probe0_to_user_timeout`: the next probe goes no later than the program waits, since the first one.
    fn within_user_timeout(&self, when: u32) -> u32 {
        let (Some(most), Some(since), true) = (self.user_timeout(), self.rto.probed_since, self.profile.clamps_probes)
        else {
            return when;
        };
        let left = i64::from(most) - (self.tp.clock.jiffies - since) as i64;
        if left < 0 && self.profile.probe_clamp_wraps {
            return when;
        }
        when.min(left.max(i64::from(TIMEOUT_MIN)) as u32)
    }

    /// `tcp_probe0_when`.
    fn probe0_when(&self) -> u32 {
        let base = u64::from(self.rtt.rto.max(self.tp.clock.hz / 5));
        (base << self.rtt.backoff.min(15)).min(u64::from(self.rto_max())) as u32
    }

    /// When to try again what the own queue refused, which would have gone again after `when`.
    /// src: linux@6.12 include/net/tcp.h TCP_RESOURCE_PROBE_INTERVAL
    fn congested_when(&self, when: u32) -> u32 {
        let half_second = self.tp.clock.hz / 2;
        if self.profile.congested_waits { half_second } else { half_second.min(when) }
    }

    /// `TCP_USER_TIMEOUT`, jiffies.
    pub(in crate::tcp) fn user_timeout(&self) -> Option<u32> {
        let ms = self.app.user_timeout;
        (ms != 0).then(|| self.tp.clock.us_to_jiffies(ms.saturating_mul(1_000)))
    }

    /// `tcp_write_timeout` of what is no SYN: the program's own limit, or the host's.
    fn retransmits_timed_out(&self) -> bool {
        // src: linux@6.12 include/net/tcp.h TCP_RTO_MIN
        let most = self.app.patience.most(self.app.orphan, self.rtt.rto < self.rto_max());
        self.sent_again_since(most, 200)
    }

    /// `retransmits_timed_out`: what was sent again first is so old; or as old as so many timeouts would make it that double from `base_ms` on.
    fn sent_again_since(&self, most: u32, base_ms: u32) -> bool {
        let limit = match self.app.user_timeout {
            0 => model_timeout_ms(most, base_ms),
            ms => u64::from(ms),
        };
        self.sent_again_for(limit)
    }
    fn sent_again_for(&self, limit_ms: u64) -> bool {
        let since = self.tp.clock.now_ts().wrapping_sub(self.undo.retrans_stamp);
        self.rto.retransmits > 0 && u64::from(since) >= limit_ms
    }

    /// `tcp_rtx_probe0_timed_out`: the peer has shut its window over what is out, and nothing was heard of it for four minutes, or as long as the
    /// program waits.
    fn shut_for_too_long(&self) -> bool {
        let (c, user, max) = (&self.tp.clock, self.app.user_timeout, self.rto_max());
        let sent = self.rtx.head().map_or(0, |s| Clock::timestamp(s.sent_ns));
        let began = if self.undo.retrans_stamp == 0 { sent } else { self.undo.retrans_stamp };
        let since_ms = c.now_ts().wrapping_sub(began);
        let since = c.us_to_jiffies(since_ms.saturating_mul(1_000));
        let silent = self.timers.until() as i64 - self.rto.heard as i64;
        let waits = match self.profile.shut_ends {
            ShutEnds::Silent => return c.jiffies.saturating_sub(self.rto.heard) > u64::from(max),
            ShutEnds::SilentTwice => return silent as u32 > 2 * max && since > 2 * max,
            ShutEnds::UserJiffies => since,
            ShutEnds::User => since_ms,
        };
        if user != 0 && waits > user {
            return true;
        }
        let most = (2 * max).min(self.user_timeout().unwrap_or(u32::MAX));
        silent > i64::from(most) && since > most
    }

    /// `tcp_probe_timer`: the program waits no longer, who has waited `since` this jiffy, or for as long as the probes' timeouts come to.
    fn user_waited_for_probes(&self, since: u64) -> bool {
        let (c, Some(most)) = (&self.tp.clock, self.user_timeout()) else { return false };
        if !self.profile.probes_by_model {
            return c.jiffies - since >= u64::from(most);
        }
        let base_ms = self.rtt.rto.max(c.hz / 5) * 1_000 / c.hz;
        model_timeout_ms(self.rto.probes, base_ms) >= u64::from(self.app.user_timeout)
    }

    /// `tcp_probe_timer`: as many window probes as the host allows had no answer.
    fn probed_often(&self) -> bool {
        let p = &self.app.patience;
        let wait = u64::from(self.rtt.rto) << self.rtt.backoff.min(32);
        let alive = wait < u64::from(self.rto_max());
        let most = p.most(self.app.orphan, alive);
        // One more before 3976535af0cb (5.0).
        self.rto.probes >= most + u32::from(self.profile.probes_once_more)
            || (self.app.orphan && !alive && u32::from(self.rtt.backoff) >= most)
    }

    /// `tcp_write_timeout` of a SYN; of a SYN-ACK `reqsk_timer_handler`. src: the latter linux@6.12 net/ipv4/inet_connection_sock.c
    fn syns_timed_out(&self) -> bool {
        let again = self.rto.retransmits;
        if self.state == State::SynRecv && !self.syns_crossed() {
            return again >= self.synack_retries(0);
        }
        let Some(most) = self.app.syn_retries else { return false };
        let linear = if self.state == State::SynSent { self.syn_linear_timeouts() } else { 0 };
        // src: linux@6.12 include/net/tcp.h TCP_TIMEOUT_INIT
        again >= most + linear || self.sent_again_since(most, 1_000)
    }

    /// How often a SYN-ACK goes again at most: what the program asked of its listener, or the host's limit and `more`.
    pub(in crate::tcp) fn synack_retries(&self, more: u32) -> u32 {
        self.app.syn_retries.unwrap_or(self.app.patience.synack_retries + more)
    }

    /// `tcp_syn_linear_timeouts`.
    pub(in crate::tcp) fn syn_linear_timeouts(&self) -> u32 {
        let asked = self.app.patience.syn_linear_timeouts;
        asked.unwrap_or(self.profile.syn_linear_timeouts)
    }

    /// `tcp_clamp_rto_to_user_timeout`.
    fn clamped_rto(&self) -> u32 {
        if self.app.user_timeout == 0 {
            return self.rtt.rto;
        }
        let left = self.app.user_timeout as i32 - self.tp.clock.now_ts().wrapping_sub(self.undo.retrans_stamp) as i32;
        if left <= 0 { 1 } else { self.rtt.rto.min(self.tp.clock.us_to_jiffies(left as u32 * 1_000)) }
    }

    /// `tcp_write_err`: nothing was heard for too long.
    pub(in crate::tcp) fn write_err(&mut self) {
        self.done(Some(Error::TimedOut));
    }

    /// `tcp_ack_probe`: an ACK came while nothing was out. Is the window open again?
    pub(in crate::tcp) fn ack_probe(&mut self) {
        if self.tp.unsent() == 0 {
            return;
        }
        self.app.sent(&self.tp);
        let (head, _) = self.app.head_skb(&self.tp);
        // All of the first skb, not just a segment of it, and its FIN.
        let end = self.tp.snd_nxt.wrapping_add(head);
        if !after(end.wrapping_add(u32::from(self.app.fin_at(end))), self.tp.wnd_end()) {
            self.rtt.backoff = 0;
            self.rto.probed_since = None;
            if self.timers.pending == Pending::Probe0 {
                self.timers.clear();
            }
        } else {
            self.reset_xmit_timer(Pending::Probe0, self.within_user_timeout(self.probe0_when()), self.rto_max());
        }
    }
}
