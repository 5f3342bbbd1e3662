//! Loss recovery without SACK: duplicate ACKs are counted as if each SACKed something, and an ACK that repairs one loss shows the next.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_add_reno_sack`, `tcp_remove_reno_sacks`, `tcp_limit_reno_sacked`,
//! `tcp_check_reno_reordering`, `tcp_is_non_sack_preventing_reopen`; net/ipv4/tcp_recovery.c `tcp_newreno_mark_lost`; RFC 6582. Differs: nothing.

use crate::tcp::rtx::tag;
use crate::tcp::sender::flag;
use crate::tcp::socket::Socket;
use crate::tcp::tp::CaState;

impl Socket {
    /// The connection does without SACK (`tcp_is_reno`).
    #[inline]
    pub(in crate::tcp) const fn is_reno(&self) -> bool {
        !self.opts.sack
    }

    /// `tcp_check_reno_reordering`: more duplicates than there can be holes: the network reorders.
    fn check_reno_reordering(&mut self, addend: u32) {
        let tp = &mut self.tp;
        let holes = tp.lost_out.max(1).min(tp.packets_out);
        if tp.sacked_out + holes <= tp.packets_out {
            return;
        }
        tp.sacked_out = tp.packets_out - holes;
        if self.profile.reordering_grows {
            self.update_reordering(self.tp.packets_out + addend);
            return;
        }
        tp.reordering = (tp.packets_out + addend).min(self.app.sysctls.max_reordering);
        self.rack.reord_seen = self.rack.reord_seen.saturating_add(1);
    }

    /// `tcp_add_reno_sack`: duplicate ACKs came.
    pub(in crate::tcp) fn add_reno_sack(&mut self, duplicates: u32, flags: u32) {
        if duplicates == 0 {
            return;
        }
        let prior = self.tp.sacked_out;
        self.tp.sacked_out += duplicates;
        self.check_reno_reordering(0);
        self.count_delivered(self.tp.sacked_out.saturating_sub(prior), flags);
    }

    /// `tcp_remove_reno_sacks`: an ACK took `acked` segments off the queue: one was the hole, the others had duplicates.
    pub(in crate::tcp) fn remove_reno_sacks(&mut self, acked: u32, flags: u32) {
        if acked > 0 {
            self.count_delivered(acked.saturating_sub(self.tp.sacked_out).max(1), flags);
            self.tp.sacked_out = self.tp.sacked_out.saturating_sub(acked - 1);
        }
        self.check_reno_reordering(acked);
    }

    /// `tcp_newreno_mark_lost`: the head is lost after enough duplicates, and in recovery after every ACK that moves.
    pub(in crate::tcp) fn newreno_mark_lost(&mut self, flags: u32) {
        let recovers = self.tp.ca_state == CaState::Recovery && flags & flag::SND_UNA_ADVANCED != 0;
        if recovers || (self.tp.ca_state < CaState::Recovery && self.tp.sacked_out >= self.tp.reordering) {
            if self.rtx.head().is_some_and(|s| s.has(tag::LOST)) {
                return;
            }
            let head = self.rtx.first();
            self.sb.mark_lost(&mut self.tp, &mut self.rtx, &mut self.ca, head);
        }
    }

    /// `tcp_is_non_sack_preventing_reopen`: the old state holds until something above `high_seq` is acknowledged, lest duplicates of what was
    /// sent twice begin another recovery.
    pub(in crate::tcp) fn prevents_reopen(&mut self) -> bool {
        if !self.is_reno() || self.tp.snd_una != self.tp.high_seq {
            return false;
        }
        if !self.any_retrans_done() {
            self.undo.retrans_stamp = 0;
        }
        true
    }

    /// What an ACK without SACKs tells of duplicates, outside of Recovery and Loss.
    pub(in crate::tcp) fn reno_ack(&mut self, duplicates: u32, flags: u32) {
        if self.is_reno() {
            if flags & flag::SND_UNA_ADVANCED != 0 {
                self.tp.sacked_out = 0;
            }
            self.add_reno_sack(duplicates, flags);
        }
    }
}
