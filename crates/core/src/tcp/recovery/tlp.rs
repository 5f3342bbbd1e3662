//! Tail loss probe: two round trips after the last transmission something is sent again, so that a lost tail shows by SACK and not by
//! timeout.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_schedule_loss_probe`, `tcp_send_loss_probe`; net/ipv4/tcp_input.c
//! `tcp_process_tlp_ack`; RFC 8985 section 7. Differs: nothing (the least timer by profile).

use crate::sim::Lower;
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
        if !self.params.tlp
            || tp.packets_out == 0
            || self.is_reno()
            || !matches!(tp.ca_state, CaState::Open | CaState::Cwr)
        {
            return false;
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

    /// `tcp_send_loss_probe`: new data if there are any and the peer's window allows, the last segment again otherwise.
    pub(in crate::tcp) fn send_loss_probe<L: Lower>(&mut self, low: &mut L) {
        if self.tlp.high_seq.is_none() {
            self.tlp.retrans = false;
            let sent = if self.tp.unsent() > 0 && self.first_fits_window() {
                let before = self.tp.packets_out;
                self.write_xmit(low, 2);
                self.tp.packets_out > before
            } else if self.rtx.is_empty() {
                self.timers.clear();
                return;
            } else {
                let last = self.rtx.end().wrapping_sub(1);
                let ok = self.transmit_again(last, 1, low).is_ok();
                self.tlp.retrans = ok;
                ok
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

    /// `tcp_process_tlp_ack`: did the probe repair a loss? Then the window must shrink.
    pub(in crate::tcp) fn process_tlp_ack(&mut self, ack: u32, flags: u32) {
        let Some(high) = self.tlp.high_seq else { return };
        if before(ack, high) {
            return;
        }
        if !self.tlp.retrans || flags & flag::DSACK_TLP != 0 {
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
