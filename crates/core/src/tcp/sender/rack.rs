//! RACK: a segment is lost if one sent sufficiently later was delivered. Time, not sequence, decides.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_recovery.c; RFC 8985. Differs: nothing (the least timer by profile).

use crate::tcp::cc::Algorithm;
use crate::tcp::profile::Detection;
use crate::tcp::rtx::{Rtx, Seg, sent_after, tag};
use crate::tcp::sender::scoreboard::Scoreboard;
use crate::tcp::seq::before;
use crate::tcp::tp::{CaState, Tp};

/// `TCP_TIMEOUT_MIN_US`. src: linux@6.12 include/net/tcp.h
pub const TIMEOUT_MIN_US: u32 = 2_000;
/// `TCP_TIMEOUT_MIN`, jiffies. src: linux@6.12 include/net/tcp.h
pub const TIMEOUT_MIN: u32 = 2;

/// How many successful recoveries RACK's wider window lasts. src: linux@6.12 include/linux/tcp.h TCP_RACK_RECOVERY_THRESH
pub const REO_PERSIST: u8 = 16;

/// Least reordering window of RACK's first form, microseconds. src: linux@4.14 net/ipv4/tcp_recovery.c tcp_rack_detect_loss
const OLD_REO_WND_US: u32 = 1_000;

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
    /// Only what was sent after all that was delivered before tells anything (before 4.18).
    pub newest_only: bool,
}

impl Rack {
    /// Nothing seen.
    pub const fn new(detection: Detection) -> Rack {
        Rack { newest_only: !matches!(detection, Detection::Rack), ..Rack::NEW }
    }
    const NEW: Rack = Rack {
        mstamp: 0,
        end_seq: 0,
        rtt_us: 0,
        advanced: false,
        reo_wnd_steps: 1,
        reo_wnd_persist: 0,
        dsack_seen: false,
        last_delivered: 0,
        reord_seen: 0,
        newest_only: false,
    };

    /// `tcp_rack_advance`: a segment was delivered.
    #[inline]
    pub fn advance(&mut self, tp: &Tp, s: &Seg) {
        let sent = s.sent_us();
        if self.newest_only && !sent_after(sent, self.mstamp, s.end_seq, self.end_seq) {
            return;
        }
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

    /// `tcp_rack_reo_wnd`, microseconds. Before 4.18: a millisecond at least.
    fn reo_wnd(&self, detection: Detection, tp: &Tp) -> u32 {
        if detection != Detection::Rack {
            let quarter = tp.min_rtt_us() >> 2;
            let wait = (self.reord_seen > 0 || tp.lost_out == 0) && tp.min_rtt_us() != u32::MAX;
            return if wait { quarter.max(OLD_REO_WND_US) } else { OLD_REO_WND_US };
        }
        if self.reord_seen == 0 && (tp.ca_state >= CaState::Recovery || tp.sacked_out >= tp.reordering) {
            return 0;
        }
        (tp.min_rtt_us() >> 2).saturating_mul(u32::from(self.reo_wnd_steps)).min(tp.srtt_us >> 3)
    }

    /// `tcp_rack_detect_loss`: marks what is lost; the longest wait for what may only be reordered, microseconds.
    pub fn detect_loss(
        &self,
        detection: Detection,
        tp: &mut Tp,
        rtx: &mut Rtx,
        sb: &mut Scoreboard,
        ca: &mut Algorithm,
    ) -> u32 {
        let reo_wnd = self.reo_wnd(detection, tp);
        let mut wait = 0;
        if detection != Detection::Rack {
            return self.detect_loss_in_line(reo_wnd, tp, rtx, sb, ca);
        }
        let mut at = rtx.oldest_sent();
        while let Some(id) = at {
            at = rtx.sent_after(id);
            let s = *rtx.get(id);
            if s.has(tag::LOST) && !s.has(tag::RETRANS) {
                continue;
            }
            if !sent_after(self.mstamp, s.sent_us(), self.end_seq, s.end_seq) {
                break;
            }
            let left = self.remaining(tp, &s, reo_wnd);
            if left <= 0 {
                sb.mark_lost(tp, rtx, ca, id);
                rtx.unlist(id);
            } else {
                wait = wait.max(left as u32);
            }
        }
        wait
    }

    /// The same before 4.18: by sequence, what is exactly due was not lost yet, and what is known as lost and waits is marked once more, by
    /// which it comes to mind first (`tcp_skb_mark_lost_uncond_verify`).
    fn detect_loss_in_line(
        &self,
        reo_wnd: u32,
        tp: &mut Tp,
        rtx: &mut Rtx,
        sb: &mut Scoreboard,
        ca: &mut Algorithm,
    ) -> u32 {
        let mut wait = 0;
        let first = rtx.first();
        for i in 0..rtx.len() {
            let id = first.wrapping_add(i);
            let s = *rtx.get(id);
            if s.has(tag::SACKED) {
                continue;
            }
            if !sent_after(self.mstamp, s.sent_us(), self.end_seq, s.end_seq) {
                if s.has(tag::ANY_RETRANS) {
                    continue;
                }
                break;
            }
            let left = self.remaining(tp, &s, reo_wnd) + 1;
            if left <= 0 {
                sb.mark_lost(tp, rtx, ca, id);
                rtx.unlist(id);
            } else if !s.has(tag::LOST) || s.has(tag::RETRANS) {
                wait = wait.max(left as u32);
            }
        }
        wait
    }
}
