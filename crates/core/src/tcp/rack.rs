//! RACK: a segment is lost if one sent sufficiently later was delivered. Time, not sequence, decides.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_recovery.c; RFC 8985. Differs: nothing (the least timer by profile).

use super::rtx::{Seg, sent_after, tag};
use super::seq::before;
use super::socket::Socket;
use super::timers::Pending;
use super::tp::{CaState, Tp};
use super::undo::REO_PERSIST;
use crate::sim::Lower;

/// `TCP_TIMEOUT_MIN_US`. src: linux@6.12 include/net/tcp.h
pub const TIMEOUT_MIN_US: u32 = 2_000;
/// `TCP_TIMEOUT_MIN`, jiffies. src: linux@6.12 include/net/tcp.h
pub const TIMEOUT_MIN: u32 = 2;

/// What RACK remembers.
#[derive(Clone, Copy, Debug)]
pub struct Rack {
    /// When the most recently sent of the delivered segments was sent, microseconds.
    pub mstamp: u64,
    /// Its end.
    pub end_seq: u32,
    /// Its RTT, microseconds.
    pub rtt_us: u32,
    /// Something was delivered since the last look.
    pub advanced: bool,
    /// Reordering window in quarters of the minimum RTT.
    pub reo_wnd_steps: u8,
    /// Recoveries for which a widened window still holds.
    pub reo_wnd_persist: u8,
    /// A DSACK tells that the window was too narrow.
    pub dsack_seen: bool,
    /// `delivered` when the window was last widened.
    pub last_delivered: u32,
    /// Reordering was seen so often.
    pub reord_seen: u32,
}

impl Rack {
    /// Nothing seen.
    pub const NEW: Rack = Rack {
        mstamp: 0,
        end_seq: 0,
        rtt_us: 0,
        advanced: false,
        reo_wnd_steps: 1,
        reo_wnd_persist: 0,
        dsack_seen: false,
        last_delivered: 0,
        reord_seen: 0,
    };

    /// `tcp_rack_advance`: a segment was delivered.
    #[inline]
    pub fn advance(&mut self, tp: &Tp, s: &Seg) {
        let sent = s.sent_us();
        let rtt = tp.clock.us_since(sent);
        // A retransmission that comes back faster than anything can: it was the original.
        if rtt < tp.min_rtt_us() && s.has(tag::ANY_RETRANS) {
            return;
        }
        self.advanced = true;
        self.rtt_us = rtt;
        if sent_after(sent, self.mstamp, s.end_seq, self.end_seq) {
            self.mstamp = sent;
            self.end_seq = s.end_seq;
        }
    }

    /// `tcp_rack_update_reo_wnd`: widens the window by a step for a DSACK, once a round trip, and forgets it after 16 recoveries.
    pub fn update_reo_wnd(&mut self, tp: &Tp, prior_delivered: u32) {
        if prior_delivered == 0 {
            return;
        }
        if before(prior_delivered, self.last_delivered) {
            self.dsack_seen = false;
        }
        if self.dsack_seen {
            self.reo_wnd_steps = self.reo_wnd_steps.saturating_add(1);
            self.dsack_seen = false;
            self.last_delivered = tp.delivered;
            self.reo_wnd_persist = REO_PERSIST;
        } else if self.reo_wnd_persist == 0 {
            self.reo_wnd_steps = 1;
        }
    }

    /// `tcp_rack_skb_timeout`: how long until the segment is lost, microseconds.
    pub fn remaining(&self, tp: &Tp, s: &Seg, reo_wnd: u32) -> i64 {
        i64::from(self.rtt_us) + i64::from(reo_wnd) - i64::from(tp.clock.us_since(s.sent_us()))
    }
}

impl Socket {
    /// `tcp_rack_reo_wnd`, microseconds.
    fn rack_reo_wnd(&self) -> u32 {
        let tp = &self.tp;
        if self.rack.reord_seen == 0 && (tp.ca_state >= CaState::Recovery || tp.sacked_out >= tp.reordering) {
            return 0;
        }
        (tp.min_rtt_us() >> 2).saturating_mul(u32::from(self.rack.reo_wnd_steps)).min(tp.srtt_us >> 3)
    }

    /// `tcp_rack_detect_loss`: marks what is lost; the longest wait for what may only be reordered, microseconds.
    fn rack_detect_loss(&mut self) -> u32 {
        let reo_wnd = self.rack_reo_wnd();
        let mut wait = 0;
        let mut at = self.rtx.oldest_sent();
        while let Some(id) = at {
            at = self.rtx.sent_after(id);
            let s = *self.rtx.get(id);
            if s.has(tag::LOST) && !s.has(tag::RETRANS) {
                continue;
            }
            if !sent_after(self.rack.mstamp, s.sent_us(), self.rack.end_seq, s.end_seq) {
                break;
            }
            let left = self.rack.remaining(&self.tp, &s, reo_wnd);
            if left <= 0 {
                self.mark_lost(id);
                self.rtx.unlist(id);
            } else {
                wait = wait.max(left as u32);
            }
        }
        wait
    }

    /// `tcp_rack_mark_lost`: true, the reordering timer was armed.
    pub(super) fn rack_mark_lost(&mut self) -> bool {
        if !self.rack.advanced {
            return false;
        }
        self.rack.advanced = false;
        let wait = self.rack_detect_loss();
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
    pub(super) fn rack_reorder_timeout<L: Lower>(&mut self, low: &mut L) {
        let (prior, lost) = (self.tp.in_flight(), self.tp.lost);
        self.rack_detect_loss();
        if prior != self.tp.in_flight() {
            if self.tp.ca_state != CaState::Recovery {
                self.enter_recovery(false);
                if !super::cc::Control::has_cong_control(&self.ca) {
                    self.cwnd_reduction(1, self.tp.lost.wrapping_sub(lost), 0);
                }
            }
            self.xmit_retransmit_queue(low);
        }
        if self.timers.pending != Pending::Retrans {
            self.rearm_rto();
        }
    }
}
