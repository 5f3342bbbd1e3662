//! Undo: a reduction that rested on a mistake (reordering, a late ACK) is taken back.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_init_undo`, `tcp_may_undo`, `tcp_try_undo_*`, `tcp_packet_delayed`; Eifel (RFC 4015)
//! by timestamps, and DSACK (RFC 3708). A SYN's: input/handshake.rs. Differs: without SACK held to scripts only.

use crate::tcp::cc::Control;
use crate::tcp::profile::{Detection, Unstamped};
use crate::tcp::rtx::tag;
use crate::tcp::sender::rack::REO_PERSIST;
use crate::tcp::seq::before;
use crate::tcp::socket::{Socket, State};
use crate::tcp::tp::CaState;

impl Socket {
    /// `tcp_init_undo`.
    pub(in crate::tcp) fn init_undo(&mut self) {
        self.undo.marker = Some(self.tp.snd_una);
        let mut n = self.tp.retrans_out as i32;
        if self.profile.undo_counts_probe && self.tlp.high_seq.is_some() && self.tlp.retrans {
            n += 1;
        }
        self.undo.retrans = if n == 0 { -1 } else { n };
    }

    /// `tcp_packet_delayed`: the ACK is for something sent before the first retransmission.
    pub(in crate::tcp) fn packet_delayed(&self) -> bool {
        if self.undo.retrans_stamp != 0 {
            return self.rcv.tsecr != 0 && before(self.rcv.tsecr, self.undo.retrans_stamp);
        }
        match self.profile.unstamped {
            Unstamped::Late => true,
            Unstamped::Silent => false,
            Unstamped::LateBySack => {
                // Without SACK the recovery is over here but for its name, and its stamp is gone (`tcp_is_non_sack_preventing_reopen`).
                let over = self.is_reno() && !before(self.tp.snd_una, self.tp.high_seq);
                !over && self.state != State::SynSent
            }
        }
    }

    fn may_undo(&self) -> bool {
        self.undo.marker.is_some() && (self.undo.retrans == 0 || self.packet_delayed())
    }

    /// `tcp_undo_cwnd_reduction`.
    pub(in crate::tcp) fn undo_cwnd_reduction(&mut self, unmark_loss: bool) {
        if unmark_loss {
            for s in self.rtx.iter_mut() {
                s.tags &= !tag::LOST;
            }
            self.tp.lost_out = 0;
            self.sb.hint = None;
            self.counted.restart();
        }
        if self.tp.prior_ssthresh != 0 {
            self.tp.snd_cwnd = self.ca.undo_cwnd(&mut self.tp);
            if self.tp.prior_ssthresh > self.tp.snd_ssthresh {
                self.tp.snd_ssthresh = self.tp.prior_ssthresh;
                self.tp.ecn.withdraw_cwr(self.profile.undo_stops_echo);
            }
        } else if self.is_classic() && !self.ca.has_cong_control() {
            self.tp.snd_cwnd = self.tp.snd_cwnd.max(self.tp.snd_ssthresh);
        }
        self.tp.snd_cwnd_stamp = self.tp.clock.j32();
        self.undo.marker = None;
        // What RACK thinks is lost is looked at anew: from 4.18 on.
        self.rack.advanced |= self.profile.detection == Detection::Rack;
        self.stats.undos += 1;
    }

    /// `tcp_any_retrans_done`.
    pub(in crate::tcp) fn any_retrans_done(&self) -> bool {
        self.tp.retrans_out != 0 || self.rtx.head().is_some_and(|s| s.has(tag::EVER))
    }

    /// `tcp_retrans_stamp_cleanup`.
    pub(in crate::tcp) fn retrans_stamp_cleanup(&mut self) {
        if !self.any_retrans_done() {
            self.undo.retrans_stamp = 0;
        }
    }

    /// `tcp_try_undo_recovery`: recovery ends; was it needed? True: it must hold a little longer (no SACK).
    pub(in crate::tcp) fn try_undo_recovery(&mut self) -> bool {
        if self.may_undo() {
            self.undo_cwnd_reduction(false);
        } else if self.rack.reo_wnd_persist > 0 {
            self.rack.reo_wnd_persist -= 1;
        }
        if self.prevents_reopen() {
            return true;
        }
        self.set_ca_state(CaState::Open);
        self.sb.reneged = false;
        false
    }

    /// `tcp_try_undo_dsack`: every retransmission was for nothing.
    pub(in crate::tcp) fn try_undo_dsack(&mut self) -> bool {
        if self.undo.marker.is_none() || self.undo.retrans != 0 {
            return false;
        }
        self.rack.reo_wnd_persist = REO_PERSIST.min(self.rack.reo_wnd_persist + 1);
        self.undo_cwnd_reduction(false);
        true
    }

    /// `tcp_try_undo_loss`: a timeout was a mistake, as timestamps or F-RTO show.
    pub(in crate::tcp) fn try_undo_loss(&mut self, frto: bool) -> bool {
        if !frto && !self.may_undo() {
            return false;
        }
        self.undo_cwnd_reduction(true);
        if frto {
            self.stats.spurious_rtos += 1;
        }
        self.rto.retransmits = 0;
        if self.profile.loss_undo_waits && self.prevents_reopen() {
            return true;
        }
        if frto || !self.is_reno() {
            self.set_ca_state(CaState::Open);
            self.sb.reneged = false;
        }
        true
    }

    /// `tcp_try_undo_partial`: a hole was filled by a delayed segment, not by its retransmission. True: wait for the retransmissions that are
    /// out; `do_lost` tells whether a partial ACK proves more loss.
    pub(in crate::tcp) fn try_undo_partial(&mut self, prior_una: u32) -> bool {
        if self.undo.marker.is_none() || !self.packet_delayed() {
            return false;
        }
        match self.profile.reordering_grows {
            true => self.late_by_far(),
            false => self.check_sack_reordering(prior_una),
        }
        if self.tp.retrans_out != 0 {
            return true;
        }
        if !self.any_retrans_done() {
            self.undo.retrans_stamp = 0;
        }
        self.undo_cwnd_reduction(true);
        self.try_keep_open();
        self.profile.undo_ends
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::{V3_18, V4_19, V5_4, V5_10, V5_15_148, V6_12};
    use crate::tcp::tests::pair::sender;

    #[test]
    fn what_nothing_was_retransmitted_for_was_late_but_from_5_1_to_late_2024() {
        for (profile, sack, reno) in [
            (&V3_18, true, true),
            (&V4_19, true, true),
            (&V5_4, false, false),
            (&V5_10, false, false),
            (&V5_15_148, false, false),
            (&V6_12, true, false),
        ] {
            for (with, late) in [(true, sack), (false, reno)] {
                let mut s = sender(Cc::Reno, profile);
                s.state = crate::tcp::socket::State::Established;
                s.opts.sack = with;
                assert_eq!(s.packet_delayed(), late, "{} {with}", profile.name);
                // With a stamp the peer's echo says it, everywhere.
                (s.undo.retrans_stamp, s.rcv.tsecr) = (1_000, 999);
                assert!(s.packet_delayed(), "{}", profile.name);
                s.rcv.tsecr = 1_000;
                assert!(!s.packet_delayed(), "{}", profile.name);
            }
        }
    }
}
