//! Tail loss probe: two round trips after the last transmission something is sent again, so that a lost tail shows by SACK and not by
//! timeout.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_schedule_loss_probe`, `tcp_send_loss_probe`; net/ipv4/tcp_input.c
//! `tcp_process_tlp_ack`; RFC 8985 section 7. Differs: nothing (older
//! kernels' rules by profile).

use crate::sim::Lower;
use crate::tcp::output::Xmit;
use crate::tcp::profile::ProbeRule;
use crate::tcp::sender::flag;
use crate::tcp::sender::rack::{TIMEOUT_MIN, TIMEOUT_MIN_US};
use crate::tcp::sender::timers::Pending;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::Socket;
use crate::tcp::tp::CaState;

impl Socket {
    /// `tcp_schedule_loss_probe`: arms the probe; false where an RTO must do.
    #[inline]
    pub(in crate::tcp) fn schedule_loss_probe(&mut self, advancing_rto: bool) -> bool {
        let tp = &self.tp;
        let rule = self.profile.probe_rule;
        let dubious = tp.ca_state != CaState::Open && (tp.ca_state != CaState::Cwr || rule != ProbeRule::Any);
        if !self.params.tlp || tp.packets_out == 0 || self.is_reno() || dubious {
            return false;
        }
        if rule != ProbeRule::Any && tp.snd_cwnd > tp.in_flight() && tp.unsent() > 0 {
            return false;
        }
        if rule == ProbeRule::Early {
            return self.schedule_early_probe();
        }
        let c = tp.clock;
        let mut timeout = if tp.srtt_us != 0 {
            // A lone segment's ACK may be delayed.
            let us = tp.srtt_us >> 2;
            match (tp.packets_out == 1, self.profile.timeout_min_us) {
                (true, _) => c.us_to_jiffies(us + self.rto_min_us()),
                (false, true) => c.us_to_jiffies(us + TIMEOUT_MIN_US),
                (false, false) => c.us_to_jiffies(us) + TIMEOUT_MIN,
            }
        } else {
            c.hz
        };
        let rto_in = if advancing_rto { i64::from(c.jiffies_to_us(self.rtt.rto)) } else { self.rto_delta_us() };
        if rto_in > 0 {
            timeout = timeout.min(c.us_to_jiffies(rto_in as u32));
        }
        let max = self.rto_max();
        self.reset_xmit_timer(Pending::LossProbe, timeout, max);
        true
    }

    /// The same before 4.13: in place of the RTO that runs.
    fn schedule_early_probe(&mut self) -> bool {
        let (c, srtt_us) = (self.tp.clock, self.tp.srtt_us);
        if self.timers.pending != Pending::Retrans || srtt_us == 0 {
            return false;
        }
        let rtt = c.us_to_jiffies(srtt_us >> 3);
        let mut timeout = rtt << 1;
        if self.tp.packets_out == 1 {
            // TCP_DELACK_MAX: 200 ms.
            timeout = timeout.max(rtt + (rtt >> 1) + c.hz / 5);
        }
        timeout = timeout.max(c.us_to_jiffies(10_000));
        let rto_in = self.timers.until() as i64 - c.jiffies as i64;
        if rto_in > 0 {
            timeout = timeout.min(rto_in as u32);
        }
        let max = self.rto_max();
        self.reset_xmit_timer(Pending::LossProbe, timeout, max);
        true
    }

    /// `tcp_send_loss_probe`: new data if there are any and the peer's window allows, the last segment again otherwise.
    pub(in crate::tcp) fn send_loss_probe<L: Lower>(&mut self, low: &mut L) {
        if self.mtup.is_some() {
            self.look_at_route();
        }
        if self.profile.probe_news_only {
            self.send_old_probe(low);
            return;
        }
        let news = !self.profile.probe_once && self.tp.unsent() > 0 && self.first_fits_window();
        if news {
            // It is not remembered.
            let before = self.tp.packets_out;
            self.without_nagle(|s| s.write_xmit(low, Xmit::Probe));
            if self.tp.packets_out > before {
                self.stats.probes += 1;
                self.timers.pending = Pending::Nothing;
            }
        } else if self.tlp.high_seq.is_none() {
            self.tlp.retrans = false;
            let sent = if self.tp.unsent() > 0 && self.first_fits_window() {
                let before = self.tp.packets_out;
                self.without_nagle(|s| s.write_xmit(low, Xmit::Probe));
                self.tp.packets_out > before
            } else if self.rtx.is_empty() {
                self.timers.clear();
                return;
            } else {
                self.tlp.retrans = self.send_tail(low);
                self.tlp.retrans
            };
            if sent {
                self.tlp.high_seq = Some(self.tp.snd_nxt);
                self.stats.probes += 1;
                // The RTO that follows counts from now.
                self.timers.pending = Pending::Nothing;
            }
        }
        self.rearm_rto();
    }

    /// The last segment goes again, if it may. Its skb is cut before that is known, unless it waits in this host.
    fn send_tail<L: Lower>(&mut self, low: &mut L) -> bool {
        let last = *self.rtx.get(self.rtx.end().wrapping_sub(1));
        if self.is_still_in_host(&last) {
            return false;
        }
        let probe = self.cut_tail();
        self.transmit_again(probe, 1, low).is_ok()
    }

    /// The segment that probes, an skb of its own from now on: the last of the skb that was sent last, whose segments are as long as one is
    /// now.
    fn cut_tail(&mut self) -> u32 {
        let last = self.rtx.end().wrapping_sub(1);
        let mut first = last;
        while first != self.rtx.first() && self.rtx.joins(first.wrapping_sub(1)) {
            first = first.wrapping_sub(1);
        }
        let (mss, n) = (self.current_mss(), last.wrapping_sub(first));
        if n == 0 || self.rtx.get(last).end_seq.wrapping_sub(self.rtx.get(first).seq) <= n * mss {
            return first;
        }
        // What goes again begins where it would if each segment but the last were of today's size.
        self.fragment(first);
        let probe = first.wrapping_add(n);
        self.own_skb(probe, self.rtx.end().wrapping_sub(probe));
        probe
    }

    /// The same in 3.18: where there are new data nothing is sent again, whatever the window allows; the RTO counts from now.
    fn send_old_probe<L: Lower>(&mut self, low: &mut L) {
        if self.tp.unsent() > 0 {
            self.without_nagle(|s| s.write_xmit(low, Xmit::Probe));
            self.stats.probes += 1;
        } else if self.tlp.high_seq.is_none() && !self.rtx.is_empty() {
            self.tlp.retrans = self.send_tail(low);
            if self.tlp.retrans {
                self.tlp.high_seq = Some(self.tp.snd_nxt);
                self.stats.probes += 1;
            }
        }
        let (rto, max) = (self.rtt.rto, self.rto_max());
        self.reset_xmit_timer(Pending::Retrans, rto, max);
    }

    /// `tcp_process_tlp_ack`: did the probe repair a loss? Then the window must shrink.
    pub(in crate::tcp) fn process_tlp_ack(&mut self, ack: u32, flags: u32) {
        let Some(high) = self.tlp.high_seq else { return };
        if before(ack, high) {
            return;
        }
        let dsack = if self.profile.probe_dsack { flag::DSACK_TLP } else { flag::DSACKING_ACK };
        if !self.tlp.retrans || flags & dsack != 0 {
            self.tlp.high_seq = None;
        } else if after(ack, high) {
            self.init_cwnd_reduction();
            self.set_ca_state(CaState::Cwr);
            self.end_cwnd_reduction();
            self.try_keep_open();
        } else if flags & (flag::SND_UNA_ADVANCED | flag::NOT_DUP | flag::DATA_SACKED) == 0 {
            self.tlp.high_seq = None;
        }
    }
}
