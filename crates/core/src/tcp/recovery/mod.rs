//! The recovery machine: Open, Disorder, CWR, Recovery, Loss; who enters and leaves them on an ACK.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_fastretrans_alert`, `tcp_process_loss` (with F-RTO, RFC 5682),
//! `tcp_enter_recovery`, `tcp_try_to_open`, `tcp_xmit_recovery`; net/ipv4/tcp_recovery.c `tcp_rack_mark_lost`,
//! `tcp_rack_reo_timeout`. Without SACK: [`newreno`]; before 4.18: [`counted`]; where nothing happens: [`idle`]. Differs: nothing.

mod collapse;
mod counted;
mod idle;
mod newreno;
mod prr;
mod retransmit;
mod rto;
mod tlp;
mod undo;

use crate::sim::Lower;
use crate::tcp::profile::Unstamped;
use crate::tcp::sender::flag;
use crate::tcp::sender::rack::{TIMEOUT_MIN, TIMEOUT_MIN_US};
use crate::tcp::sender::timers::Pending;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::{Socket, State};
use crate::tcp::tp::CaState;

/// What to send once the window has been set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rexmit {
    /// Nothing special.
    Nothing,
    /// Lost segments.
    Lost,
    /// New segments (F-RTO), lost ones if there are none.
    New,
}

impl Socket {
    /// `tcp_fastretrans_alert`.
    pub(in crate::tcp) fn fastretrans_alert(&mut self, prior_una: u32, num_dupack: u32, flags: &mut u32) -> Rexmit {
        if self.counts_losses() {
            return self.alert_counted(prior_una, num_dupack, flags);
        }
        let ece = *flags & flag::ECE != 0;
        if self.begin_alert(flags) {
            return Rexmit::Nothing;
        }
        let mut rexmit = Rexmit::Nothing;
        match self.tp.ca_state {
            CaState::Recovery => {
                if *flags & flag::SND_UNA_ADVANCED == 0 {
                    if self.is_reno() {
                        self.add_reno_sack(num_dupack, *flags);
                    }
                } else if self.try_undo_partial(prior_una) {
                    return Rexmit::Nothing;
                }
                if self.try_undo_dsack() {
                    if self.profile.undo_ends {
                        self.try_keep_open();
                        return Rexmit::Nothing;
                    }
                    match self.profile.undo_opens {
                        true => self.try_to_open(*flags),
                        false => self.try_keep_open(),
                    }
                }
                self.identify_loss(flags);
                if self.tp.ca_state != CaState::Recovery {
                    if self.tp.lost_out == 0 {
                        return Rexmit::Nothing;
                    }
                    self.enter_recovery(ece);
                }
                return Rexmit::Lost;
            }
            CaState::Loss => {
                self.process_loss(*flags, num_dupack, &mut rexmit);
                if self.tp.ca_state != CaState::Loss {
                    self.timeouts_are_over();
                }
                self.identify_loss(flags);
                if self.tp.ca_state != CaState::Open && *flags & flag::LOST_RETRANS == 0 {
                    return rexmit;
                }
            }
            _ => {}
        }
        self.reno_ack(num_dupack, *flags);
        if self.tp.ca_state <= CaState::Disorder {
            self.try_undo_dsack();
        }
        self.identify_loss(flags);
        if self.tp.lost_out == 0 {
            self.try_to_open(*flags);
            return rexmit;
        }
        if self.mtup.is_some() && self.probe_is_lost() {
            return Rexmit::Lost;
        }
        self.enter_recovery(ece);
        Rexmit::Lost
    }

    /// What `tcp_fastretrans_alert` does before it looks for losses. True: it must not look.
    fn begin_alert(&mut self, flags: &mut u32) -> bool {
        if self.tp.packets_out == 0 && self.tp.sacked_out != 0 {
            self.tp.sacked_out = 0;
        }
        self.counted.entered = false;
        if *flags & flag::ECE != 0 {
            self.tp.prior_ssthresh = 0;
        }
        if self.check_sack_reneging(flags) {
            return true;
        }
        // A state ends when what was out at its beginning is acknowledged.
        if self.tp.ca_state == CaState::Open {
            self.undo.retrans_stamp = 0;
        } else if !before(self.tp.snd_una, self.tp.high_seq) {
            match self.tp.ca_state {
                // Something above must be acknowledged, so that CWR reached the receiver.
                CaState::Cwr if self.tp.snd_una != self.tp.high_seq => {
                    self.end_cwnd_reduction();
                    self.set_ca_state(CaState::Open);
                }
                CaState::Recovery => {
                    if self.is_reno() {
                        self.tp.sacked_out = 0;
                    }
                    if self.try_undo_recovery() {
                        return true;
                    }
                    self.end_cwnd_reduction();
                }
                _ => {}
            }
        }
        false
    }

    /// `tcp_identify_packet_loss`.
    fn identify_loss(&mut self, flags: &mut u32) {
        if self.rtx.is_empty() {
            return;
        }
        if self.is_reno() {
            self.newreno_mark_lost(*flags);
            return;
        }
        self.rack_identify_loss(flags);
    }

    /// `tcp_rack_mark_lost`, and what it tells the ACK.
    fn rack_identify_loss(&mut self, flags: &mut u32) {
        let prior = self.tp.retrans_out;
        if self.rack_mark_lost() {
            *flags &= !flag::SET_XMIT_TIMER;
        }
        if prior > self.tp.retrans_out {
            *flags |= flag::LOST_RETRANS;
        }
    }

    /// `tcp_rack_mark_lost`: true, the reordering timer was armed.
    pub(in crate::tcp) fn rack_mark_lost(&mut self) -> bool {
        if !self.rack.advanced {
            return false;
        }
        self.rack.advanced = false;
        let wait =
            self.rack.detect_loss(self.profile.detection, &mut self.tp, &mut self.rtx, &mut self.sb, &mut self.ca);
        if wait == 0 {
            return false;
        }
        let c = self.tp.clock;
        let when = if self.profile.timeout_min_us {
            c.us_to_jiffies(wait + TIMEOUT_MIN_US)
        } else {
            c.us_to_jiffies(wait) + TIMEOUT_MIN
        };
        self.timers.reset(&c, Pending::Reorder, when, self.rtt.rto);
        true
    }

    /// `tcp_rack_reo_timeout`: it has waited long enough.
    pub(in crate::tcp) fn rack_reorder_timeout<L: Lower>(&mut self, low: &mut L) {
        let (prior, lost) = (self.tp.in_flight(), self.tp.lost);
        self.rack.detect_loss(self.profile.detection, &mut self.tp, &mut self.rtx, &mut self.sb, &mut self.ca);
        if prior != self.tp.in_flight() {
            if self.tp.ca_state != CaState::Recovery {
                self.enter_recovery(false);
                if !crate::tcp::cc::Control::has_cong_control(&self.ca) {
                    self.cwnd_reduction(1, self.tp.lost.wrapping_sub(lost), 0);
                }
            }
            self.xmit_retransmit_queue(low);
        }
        if self.timers.pending != Pending::Retrans {
            self.rearm_rto();
        }
    }

    /// `tcp_process_loss`: an ACK after a timeout.
    fn process_loss(&mut self, flags: u32, num_dupack: u32, rexmit: &mut Rexmit) {
        let recovered = !before(self.tp.snd_una, self.tp.high_seq);
        if flags & flag::SND_UNA_ADVANCED != 0 && self.try_undo_loss(false) {
            return;
        }
        // What was sent before the timeout arrives: it was not lost.
        let undoes = self.rto.frto || self.profile.orig_ack_undoes;
        if undoes && flags & flag::ORIG_SACK_ACKED != 0 && self.try_undo_loss(true) {
            return;
        }
        if self.rto.frto {
            if after(self.tp.snd_nxt, self.tp.high_seq) {
                if flags & flag::DATA_SACKED != 0 || num_dupack > 0 {
                    self.rto.frto = false;
                }
            } else if flags & flag::SND_UNA_ADVANCED != 0 && !recovered {
                self.tp.high_seq = self.tp.snd_nxt;
                // Two new segments will tell.
                if self.tp.unsent() > 0 && after(self.tp.wnd_end(), self.tp.snd_nxt) {
                    *rexmit = Rexmit::New;
                    return;
                }
                self.rto.frto = false;
            }
        }
        if recovered {
            self.try_undo_recovery();
            return;
        }
        if self.is_reno() {
            // A duplicate means that the new data of F-RTO's second step were delivered.
            if after(self.tp.snd_nxt, self.tp.high_seq) && num_dupack > 0 {
                self.add_reno_sack(num_dupack, flags);
            } else if flags & flag::SND_UNA_ADVANCED != 0 {
                self.tp.sacked_out = 0;
            }
        }
        *rexmit = Rexmit::Lost;
    }

    /// `tcp_enter_recovery`.
    pub(in crate::tcp) fn enter_recovery(&mut self, ece: bool) {
        if self.profile.unstamped == Unstamped::LateBySack {
            self.retrans_stamp_cleanup();
        }
        self.tp.prior_ssthresh = 0;
        self.init_undo();
        if !self.tp.in_cwnd_reduction() {
            if !ece {
                self.tp.prior_ssthresh = self.tp.current_ssthresh();
            }
            self.init_cwnd_reduction();
        }
        self.set_ca_state(CaState::Recovery);
        self.counted.entered = true;
        self.stats.recoveries += 1;
    }

    /// `tcp_try_keep_open`.
    pub(in crate::tcp) fn try_keep_open(&mut self) {
        let dubious = self.tp.left_out() != 0 || self.any_retrans_done();
        let state = if dubious { CaState::Disorder } else { CaState::Open };
        if self.tp.ca_state != state {
            self.set_ca_state(state);
            self.tp.high_seq = self.tp.snd_nxt;
        }
    }

    /// `tcp_try_to_open`.
    fn try_to_open(&mut self, flags: u32) {
        if !self.any_retrans_done() {
            self.undo.retrans_stamp = 0;
        }
        if flags & flag::ECE != 0 {
            self.enter_cwr();
        }
        if self.tp.ca_state != CaState::Cwr {
            self.try_keep_open();
        }
    }

    /// `tcp_xmit_recovery`.
    pub(in crate::tcp) fn xmit_recovery<L: Lower>(&mut self, rexmit: Rexmit, low: &mut L) {
        match rexmit {
            Rexmit::Nothing => return,
            // The answer to the SYN is not taken yet.
            _ if self.state == State::SynSent => return,
            Rexmit::Lost => {}
            Rexmit::New => {
                self.without_nagle(|s| s.push_pending(low));
                if after(self.tp.snd_nxt, self.tp.high_seq) {
                    return;
                }
                self.rto.frto = false;
            }
        }
        self.xmit_retransmit_queue(low);
    }
}
