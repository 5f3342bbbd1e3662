//! When to acknowledge: every second segment, each one at the start, after a timeout that follows the peer's pace, or compressed while
//! data come out of order.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_event_data_recv`, `__tcp_ack_snd_check`, `tcp_enter_quickack_mode`;
//! net/ipv4/tcp_output.c `tcp_send_delayed_ack`, `tcp_event_ack_sent`; net/ipv4/tcp_timer.c `tcp_delack_timer_handler`.
//! With `tcp.stretch_acks` the receiver is macOS' ([`stretch`](crate::tcp::receiver::stretch)). Differs: D1 the timer of compressed ACKs fires at the end
//! of its slack; Linux's may fire earlier in it, with another of the CPU's timers.

use crate::sim::{Ecn, Lower, Packet, Span, Time, flags};
use crate::tcp::cc::{Control, Event};
use crate::tcp::ecn::CeState;
use crate::tcp::options::TIMESTAMPS;
use crate::tcp::profile::DelayedAcks;
use crate::tcp::receiver::stretch;
use crate::tcp::seq::before;
use crate::tcp::socket::Socket;

/// `TCP_MAX_QUICKACKS`. src: linux@6.12 include/net/tcp.h
pub const MAX_QUICKACKS: u32 = 16;
/// Duplicate ACKs that are never compressed. src: linux@6.12 include/net/tcp.h TCP_FASTRETRANS_THRESH
const DUP_THRESH: u8 = 3;

impl Socket {
    /// `TCP_ATO_MIN`, `TCP_DELACK_MIN`: 40 ms, jiffies.
    fn ato_min(&self) -> u32 {
        if self.tp.clock.hz >= 100 { self.tp.clock.hz / 25 } else { 4 }
    }
    /// `TCP_DELACK_MAX`: 200 ms, jiffies.
    fn delack_max(&self) -> u32 {
        self.tp.clock.hz / 5
    }
    pub(in crate::tcp) fn in_pingpong(&self) -> bool {
        self.ack.pingpong >= self.ack.pingpong_thresh
    }
    fn in_quickack(&self) -> bool {
        self.ack.quick > 0 && !self.in_pingpong()
    }

    /// How long an ACK waits at most, by the profile (`icsk_delack_max`, `tcp_delack_max`), jiffies.
    fn ack_waits_at_most(&self) -> u32 {
        let c = &self.tp.clock;
        match self.profile.delayed_acks {
            DelayedAcks::Half => u32::MAX,
            DelayedAcks::Max | DelayedAcks::MaxTold => self.delack_max(),
            DelayedAcks::BelowLeastTimeout => self.delack_max().min(c.us_to_jiffies(self.rto_min_us()).max(2) - 1),
        }
    }

    /// `icsk_ack.ato` as `tcp_get_info` (tcp.c) tells of it, jiffies: up to 6.1.192 whatever it is.
    pub(in crate::tcp) fn ack_timeout(&self) -> u32 {
        match self.profile.delayed_acks {
            DelayedAcks::Half | DelayedAcks::Max => self.ack.ato,
            DelayedAcks::MaxTold | DelayedAcks::BelowLeastTimeout => self.ack.ato.min(self.ack_waits_at_most()),
        }
    }

    /// What `icsk_ack.ato` grows to at most: `tcp_event_data_recv` (tcp_input.c), `tcp_delack_timer_handler` (tcp_timer.c).
    fn ato_grows_to(&self) -> u32 {
        let bounded = self.profile.delayed_acks == DelayedAcks::BelowLeastTimeout;
        self.rtt.rto.min(if bounded { self.delack_max() } else { u32::MAX })
    }

    /// `tcp_incr_quickack`.
    fn incr_quickack(&mut self, max: u32) {
        let q = self.rcv.rcv_wnd / (2 * self.rcv.rcv_mss.max(1));
        self.ack.quick = self.ack.quick.max(if q == 0 { 2 } else { q }.min(max));
    }
    /// `tcp_enter_quickack_mode`.
    pub(in crate::tcp) fn enter_quickack(&mut self, max: u32) {
        self.incr_quickack(max);
        self.ack.pingpong = 0;
        self.ack.ato = self.ato_min();
    }

    /// Data go out: perhaps in reply to data.
    #[inline]
    pub(in crate::tcp) fn data_sent(&mut self) {
        if self.tp.in_flight() == 0 {
            self.ca.event(&mut self.tp, Event::TxStart);
        }
        let now = self.tp.clock.j32();
        // Where more than one reply is asked for, the first data alone that follow what came are one.
        let replies = self.profile.pingpong_threshold == 1 || before(self.tp.lsndtime, self.ack.lrcvtime);
        self.tp.lsndtime = now;
        if replies && now.wrapping_sub(self.ack.lrcvtime) < self.ack.ato {
            self.ack.pingpong = self.ack.pingpong.saturating_add(1);
        }
    }

    /// `tcp_event_ack_sent`: what goes out acknowledges everything, or `old`.
    #[inline]
    pub(in crate::tcp) fn ack_sent(&mut self, segs: u32, old: Option<u32>) {
        let counts = self.profile.quick_counts_data;
        let a = &mut self.ack;
        if a.compressed > 0 {
            self.stats.compressed_acks += u64::from(a.compressed);
            a.compressed = 0;
            a.comp_fires = Time::NEVER;
        }
        if old.is_some_and(|ack| ack != self.rcv.rcv_nxt) {
            return; // what came since is still to be acknowledged
        }
        if a.quick > 0 && (a.scheduled || !counts) {
            a.quick = a.quick.saturating_sub(if counts { 1 } else { segs.max(1) });
            if a.quick == 0 {
                // Leaving quick-ack mode: the timeout starts over (tcp_dec_quickack_mode).
                a.ato = if self.tp.clock.hz >= 100 { self.tp.clock.hz / 25 } else { 4 };
            }
        }
        (a.scheduled, a.now, a.no_memory) = (false, false, false);
        (a.timer, a.pushed, a.pushed2) = (false, false, false);
        a.fires = Time::NEVER;
    }

    /// `tcp_event_data_recv`: data came in order (or early, `in_order` false, where only the segment size is measured).
    pub(in crate::tcp) fn data_recv<L: Lower>(&mut self, p: &Packet, in_order: bool, low: &mut L) {
        self.ack.scheduled = true;
        if in_order || self.profile.early_tells_mss {
            self.measure_rcv_mss(p);
        }
        if let Some(s) = &mut self.ack.stretch {
            s.came(self.tp.clock.ns, p.payload, self.rcv.rcv_mss, in_order);
            self.ack.push = p.flags & flags::PSH != 0;
        }
        if !in_order {
            return;
        }
        self.rcv.measure_rtt(&self.tp.clock);
        let now = self.tp.clock.j32();
        if self.ack.ato == 0 {
            self.incr_quickack(MAX_QUICKACKS);
            self.ack.ato = self.ato_min();
        } else {
            let (m, min) = (now.wrapping_sub(self.ack.lrcvtime), self.ato_min());
            if m <= min / 2 {
                self.ack.ato = (self.ack.ato >> 1) + min / 2;
            } else if m < self.ack.ato {
                self.ack.ato = ((self.ack.ato >> 1) + m).min(self.ato_grows_to());
            } else if m > self.rtt.rto {
                self.incr_quickack(MAX_QUICKACKS);
                self.mem_reclaim();
            }
        }
        self.ack.lrcvtime = now;
        self.check_ce(p.ecn, low);
        if p.payload >= 128 && self.rcv.grow_window(p.payload) {
            self.ack.quick_one();
        }
    }

    /// `tcp_ecn_check_ce`.
    #[inline]
    pub(in crate::tcp) fn check_ce<L: Lower>(&mut self, codepoint: Ecn, low: &mut L) {
        if !self.tp.ecn.ok {
            return;
        }
        if codepoint != Ecn::NotEct && self.params.cc.needs_ecn() {
            self.echo_each(codepoint == Ecn::Ce, low);
        }
        if self.tp.ecn.check_ce(codepoint) {
            self.enter_quickack(self.profile.quick_after_ce);
        }
    }

    /// Each mark is echoed as it came: where marks begin or end, an ACK that waits goes first, and, since one can be asked for, another at once.
    /// src: linux@6.12 net/ipv4/tcp_dctcp.h dctcp_ece_ack_update; linux@4.14 net/ipv4/tcp_dctcp.c dctcp_ce_state_0_to_1; rfc8257#3.2
    #[cold]
    fn echo_each<L: Lower>(&mut self, ce: bool, low: &mut L) {
        self.ca.event(&mut self.tp, if ce { Event::EcnIsCe } else { Event::EcnNoCe });
        if self.ce_state.ce != ce {
            if self.ack.timer {
                self.tp.ecn.echo(self.ce_state.ce);
                self.send_ack_of(self.ce_state.prior_rcv_nxt, low);
            }
            self.ack.now |= self.profile.acks_at_once;
        }
        self.ce_state = CeState { prior_rcv_nxt: self.rcv.rcv_nxt, ce };
        self.tp.ecn.echo(ce);
    }

    /// `tcp_measure_rcv_mss`, and what PSH tells.
    fn measure_rcv_mss(&mut self, p: &Packet) {
        let lss = core::mem::take(&mut self.ack.last_seg_size);
        let len = if p.segs > 1 { u32::from(p.mss) } else { p.payload };
        if len >= self.rcv.rcv_mss {
            self.rcv.measure_mss(len, p.payload);
            if self.profile.push_acks_mss && p.flags & flags::PSH != 0 {
                self.ack.pushed = true;
            }
            return;
        }
        // A peer with smaller segments shows by two of a size. What SACK blocks take of a segment is counted as payload, also where no SACK
        // was agreed on (`len += skb->data - skb_transport_header(skb)`, less `tcp_header_len`).
        let len = len + u32::from(p.headers).saturating_sub(self.header_len());
        let whole = len + 20 + if self.opts.timestamps { TIMESTAMPS } else { 0 };
        if whole >= 536 + 20 || (whole >= 88 + 20 && p.flags & (flags::PSH | flags::FIN) == 0) {
            self.ack.last_seg_size = len;
            if len == lss {
                self.rcv.rcv_mss = len;
                return;
            }
        }
        self.ack.pushed2 |= self.ack.pushed;
        self.ack.pushed = true;
    }

    /// `tcp_ack_snd_check`: is an ACK due, and now?
    #[inline(always)] // as acceptable
    pub(in crate::tcp) fn ack_snd_check<L: Lower>(&mut self, low: &mut L) {
        if !self.ack.scheduled {
            return;
        }
        let r = &self.rcv;
        let unacked = r.rcv_nxt.wrapping_sub(r.rcv_wup);
        let enough = match &self.ack.stretch {
            None => unacked > r.rcv_mss,
            Some(s) => s.due(unacked, r.rcv_mss, self.ack.push),
        };
        // Once the reader is woken, an ACK that does not move the window's right edge is left to it (cleanup_rbuf).
        let asks = self.profile.acks_below_lowat || self.ack.stretch.is_some();
        let two = enough
            && ((asks && r.unread() < r.lowat) || {
                let (window, quick) = r.possible_window();
                let moves = window >= r.rcv_wnd;
                self.ack.quick_if(quick);
                moves
            });
        if two || self.in_quickack() || self.ack.now {
            if self.ack.of_backlog {
                self.ack.deferred = true;
            } else {
                self.send_ack(low);
            }
            return;
        }
        if self.rcv.ofo.is_empty() {
            self.send_delayed_ack(low);
            return;
        }
        if !self.profile.ack_compression || self.is_reno() || self.ack.compressed >= self.app.sysctls.comp_sack_nr {
            self.send_ack(low);
            return;
        }
        if self.ack.dup_nxt != self.rcv.rcv_nxt {
            self.ack.dup_nxt = self.rcv.rcv_nxt;
            self.ack.dup_acks = 0;
        }
        if self.ack.dup_acks < DUP_THRESH {
            self.ack.dup_acks += 1;
            self.send_ack(low);
            return;
        }
        self.ack.compressed += 1;
        if !self.ack.comp_fires.is_never() {
            return;
        }
        // 5 % of the RTT, 1 ms at most unless the host says otherwise.
        let host = self.app.sysctls;
        let srtt = if self.tp.srtt_us != 0 { self.tp.srtt_us.min(self.rcv.rtt_us) } else { self.rcv.rtt_us };
        let delay = Span::from_ns(i64::from(srtt) * 125 / 20).min(host.comp_sack_delay);
        let slack = host.comp_sack_slack.unwrap_or(Span::from_us(i64::from(self.profile.comp_sack_slack_us)));
        self.ack.comp_fires = Time::from_ns(self.tp.clock.ns) + delay + slack;
    }

    /// `tcp_sack_compress_send_ack`: blocks are many; the compressed ACK must not wait.
    pub(in crate::tcp) fn flush_compressed<L: Lower>(&mut self, low: &mut L) {
        if self.ack.compressed > 0 {
            self.ack.compressed -= 1;
            self.stats.compressed_acks += u64::from(self.ack.compressed);
            self.ack.compressed = 0;
            self.ack.comp_fires = Time::NEVER;
            self.send_ack(low);
        }
    }

    /// An ACK rides on data within `TCP_DELACK_MAX`, or goes then.
    pub(in crate::tcp) fn ack_within_200_ms(&mut self) {
        let c = self.tp.clock;
        self.ack.timer = true;
        self.ack.timeout = c.jiffies + u64::from(self.delack_max());
        self.ack.arm(c.fires_at(self.ack.timeout));
    }

    /// `tcp_send_delayed_ack`.
    #[inline(always)]
    fn send_delayed_ack<L: Lower>(&mut self, low: &mut L) {
        let c = self.tp.clock;
        let mut ato = self.ack.ato;
        let min = self.ato_min();
        if ato > min {
            let mut max = c.hz / 2;
            if self.in_pingpong() || self.ack.pushed {
                max = self.delack_max();
            }
            if self.tp.srtt_us != 0 {
                max = max.min(c.us_to_jiffies(self.tp.srtt_us >> 3).max(min));
            }
            ato = ato.min(max);
        }
        ato = ato.min(self.ack_waits_at_most());
        if self.ack.stretch.is_some() {
            if self.ack.timer {
                return; // it runs from the first
            }
            ato = c.hz * stretch::TIMEOUT_MS / 1_000;
        }
        let mut timeout = c.jiffies + u64::from(ato);
        if self.ack.timer {
            if self.ack.timeout <= c.jiffies + u64::from(ato >> 2) {
                self.send_ack(low);
                return;
            }
            timeout = timeout.min(self.ack.timeout);
        }
        self.ack.scheduled = true;
        if !self.ack.timer || self.ack.timeout != timeout {
            self.ack.timer = true;
            self.ack.timeout = timeout;
            self.ack.arm(c.fires_at(timeout));
        }
    }

    /// `tcp_compressed_ack_kick`: it does not look at the clock. So the ACK bears the timestamp of what came last, from where pacing counts, too.
    pub(in crate::tcp) fn fire_compressed<L: Lower>(&mut self, now: Time, low: &mut L) {
        if self.ack.comp_fires <= now {
            self.tp.clock.pass(now);
            self.ack.comp_fires = Time::NEVER;
            self.flush_compressed(low);
        }
    }

    /// `tcp_delack_timer_handler`.
    pub(in crate::tcp) fn fire_delack<L: Lower>(&mut self, now: Time, low: &mut L) {
        if self.ack.fires > now {
            return;
        }
        (self.ack.fires, self.ack.stands) = (Time::NEVER, Time::NEVER);
        self.tp.clock.in_wheel = true;
        self.mem_reclaim_partial();
        if self.ack.compressed > 0 && self.profile.delack_uncompresses {
            self.flush_compressed(low);
            return;
        }
        self.ack.timer = false;
        if !self.ack.scheduled {
            return;
        }
        if self.in_pingpong() {
            self.ack.pingpong = 0;
            self.ack.ato = self.ato_min();
        } else {
            self.ack.ato = (self.ack.ato << 1).min(self.ato_grows_to());
        }
        self.stats.delayed_acks += 1;
        self.send_ack(low);
    }

    /// A program lets go of the socket: what a compressed ACK's timer has found in use meanwhile is left to `tcp_delack_timer_handler`, which did
    /// not know of it once. src: linux@5.15 net/ipv4/tcp_timer.c tcp_compressed_ack_kick
    pub(in crate::tcp) fn miss_compressed(&mut self, now: Time) {
        if self.ack.comp_fires <= now && !self.profile.delack_uncompresses {
            self.ack.comp_fires = Time::NEVER;
        }
    }

    /// `tcp_cleanup_rbuf`: the application read, or (not `copied`) found nothing yet; is that a reason for an ACK?
    pub(in crate::tcp) fn cleanup_rbuf<L: Lower>(&mut self, copied: bool, low: &mut L) -> bool {
        let r = &self.rcv;
        let due = self.ack.scheduled
            && ((self.ack.stretch.is_none() && r.rcv_nxt.wrapping_sub(r.rcv_wup) > r.rcv_mss)
                || (copied && (self.ack.pushed2 || (self.ack.pushed && !self.in_pingpong())) && r.rmem_alloc == 0));
        // Whoever has no more to say needs no window (RCV_SHUTDOWN).
        let opened = copied && !due && !r.fin && !self.app.rcv_shutdown && {
            let (opened, quick) = r.opened_much();
            self.ack.quick_if(quick);
            opened
        };
        if due || opened {
            self.send_ack(low);
        }
        due || opened
    }
}

#[cfg(test)]
mod tests {
    use crate::sim::{Blind, Time};
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::{V5_4, V5_10, V5_10_262, V6_1_192, V6_6_129, V6_12};
    use crate::tcp::tests::pair::{Link, sender};

    #[test]
    fn a_compressed_ack_bears_the_time_of_what_came_last() {
        let (mut s, mut low) = (sender(Cc::Bbr, &V6_12), Link::idle());
        s.tp.clock.set(Time::from_ms(20_000));
        (s.ack.compressed, s.ack.comp_fires) = (2, Time::from_us(20_001_100));
        s.on_timer(Time::from_us(20_001_100), &mut low, &mut Blind);
        assert_eq!(low.q.len(), 1);
        assert_eq!(s.tp.wstamp_ns, 20_000_000_000);
        s.on_timer(Time::from_us(20_001_200), &mut low, &mut Blind);
        assert_eq!((s.tp.clock.cache, s.tp.clock.ns), (20_001_200_000, 20_001_200_000));
    }

    #[test]
    fn before_6_6_whatever_acknowledges_uses_quick_acks_up() {
        // Of ten, a packet of four segments that acknowledges nothing new takes four, and one that does takes one from 6.6 on.
        for (profile, scheduled, left) in
            [(&V5_10, false, 6), (&V5_10, true, 6), (&V6_12, false, 10), (&V6_12, true, 9)]
        {
            let mut s = sender(Cc::Reno, profile);
            (s.ack.quick, s.ack.scheduled) = (10, scheduled);
            s.ack_sent(4, None);
            assert_eq!(s.ack.quick, left, "{} {scheduled}", profile.name);
        }
    }

    #[test]
    fn how_long_an_ack_waits_at_most() {
        // The peer's pace is a segment in 430 ms, and the round trip longer; the least timeout is 200 ms.
        for (profile, waits) in [(&V5_4, 430), (&V5_10_262, 200), (&V6_6_129, 200), (&V6_12, 199)] {
            let (mut s, mut low) = (sender(Cc::Reno, profile), Link::idle());
            (s.ack.ato, s.tp.srtt_us) = (430, 600_000 << 3);
            s.send_delayed_ack(&mut low);
            assert_eq!(s.ack.timeout - s.tp.clock.jiffies, waits, "{}", profile.name);
        }
    }

    #[test]
    fn what_the_delay_grows_to_and_what_is_told_of_it() {
        // The timer fires at a delay of 150 ms; the timeout is a second, the least one 200 ms.
        for (profile, grows_to, told) in
            [(&V5_4, 300, 300), (&V6_1_192, 300, 300), (&V6_6_129, 300, 200), (&V6_12, 200, 199)]
        {
            let (mut s, mut low) = (sender(Cc::Reno, profile), Link::idle());
            (s.ack.ato, s.ack.scheduled, s.ack.pingpong, s.ack.fires, s.rtt.rto) = (150, true, 0, Time::ZERO, 1000);
            s.fire_delack(Time::ZERO, &mut low);
            assert_eq!((s.ack.ato, s.ack_timeout()), (grows_to, told), "{}", profile.name);
        }
    }
}
