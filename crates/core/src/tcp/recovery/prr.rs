//! Proportional rate reduction: spreads a reduction of the window over a round trip.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_init_cwnd_reduction`, `tcp_cwnd_reduction`, `tcp_end_cwnd_reduction`,
//! `tcp_enter_cwr`; RFC 6937. Differs: D1 the window never falls to 0, where Linux warns of it (older kernels' bound by profile).

use crate::tcp::cc::{Control, Event};
use crate::tcp::profile::Prr;
use crate::tcp::sender::flag;
use crate::tcp::socket::Socket;
use crate::tcp::tp::{CaState, INFINITE_SSTHRESH};

impl Socket {
    /// Begins a reduction.
    pub(in crate::tcp) fn init_cwnd_reduction(&mut self) {
        let tp = &mut self.tp;
        tp.high_seq = tp.snd_nxt;
        self.tlp.high_seq = None;
        tp.snd_cwnd_cnt = 0;
        tp.prior_cwnd = tp.snd_cwnd;
        tp.prr_delivered = 0;
        tp.prr_out = 0;
        tp.snd_ssthresh = self.ca.ssthresh(tp);
        self.tp.ecn.queue_cwr();
    }

    /// An ACK in a reduction: how much may be sent for what it delivered.
    pub(in crate::tcp) fn cwnd_reduction(&mut self, delivered: u32, newly_lost: u32, flags: u32) {
        let tp = &mut self.tp;
        // An ACK that delivers nothing changes nothing: from 4.4 (8b8a321ff72c).
        if (delivered == 0 && self.profile.prr != Prr::SlowStart) || tp.prior_cwnd == 0 {
            return;
        }
        let in_flight = tp.in_flight();
        let delta = i64::from(tp.snd_ssthresh) - i64::from(in_flight);
        tp.prr_delivered += delivered;
        let (done, out) = (i64::from(tp.prr_delivered), i64::from(tp.prr_out));
        let prior = i64::from(tp.prior_cwnd);
        let mut send = if delta < 0 {
            (i64::from(tp.snd_ssthresh) * done + prior - 1) / prior - out
        } else {
            let bound = match self.profile.prr {
                Prr::SndUnaAdvanced => {
                    let bonus = flags & flag::SND_UNA_ADVANCED != 0 && newly_lost == 0;
                    (done - out).max(i64::from(delivered)) + i64::from(bonus)
                }
                Prr::SlowStart => (done - out).max(i64::from(delivered)) + 1,
                Prr::SndUnaOnly => {
                    if flags & flag::SND_UNA_ADVANCED != 0 && newly_lost == 0 {
                        (done - out).max(i64::from(delivered)) + 1
                    } else {
                        i64::from(delivered)
                    }
                }
                Prr::RetransAcked => {
                    if flags & flag::RETRANS_DATA_ACKED != 0 && flags & flag::LOST_RETRANS == 0 {
                        (done - out).max(i64::from(delivered)) + 1
                    } else {
                        i64::from(delivered)
                    }
                }
            };
            delta.min(bound)
        };
        // A recovery retransmits at least once.
        let forced = match self.profile.prr {
            Prr::SlowStart => self.counted.entered,
            _ => tp.prr_out == 0,
        };
        send = send.max(i64::from(forced));
        tp.snd_cwnd = (i64::from(in_flight) + send).max(1) as u32;
    }

    /// Ends a reduction.
    pub(in crate::tcp) fn end_cwnd_reduction(&mut self) {
        if self.ca.has_cong_control() {
            return;
        }
        let tp = &mut self.tp;
        if tp.snd_ssthresh < INFINITE_SSTHRESH && (tp.ca_state == CaState::Cwr || self.undo.marker.is_some()) {
            tp.snd_cwnd = tp.snd_ssthresh;
            tp.snd_cwnd_stamp = tp.clock.j32();
        }
        self.ca.event(&mut self.tp, Event::CompleteCwr);
    }

    /// `tcp_enter_cwr`: congestion without loss. It cannot be undone.
    pub(in crate::tcp) fn enter_cwr(&mut self) {
        self.tp.prior_ssthresh = 0;
        if self.tp.ca_state < CaState::Cwr {
            self.undo.marker = None;
            self.init_cwnd_reduction();
            self.set_ca_state(CaState::Cwr);
        }
    }

    /// `tcp_set_ca_state`.
    pub(in crate::tcp) fn set_ca_state(&mut self, state: CaState) {
        self.ca.set_state(&mut self.tp, state);
        self.tp.ca_state = state;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::{V3_18, V4_14, V5_15_148, V6_1_192};
    use crate::tcp::tests::pair::sender;

    #[test]
    fn before_4_3_it_starts_slowly_whatever_was_acknowledged() {
        // 4 in flight, threshold 10: 2 delivered let 3 go in slow start, 2 by conservation.
        for (profile, cwnd) in [(&V3_18, 7), (&V4_14, 6)] {
            let mut s = sender(Cc::Reno, profile);
            let tp = &mut s.tp;
            (tp.packets_out, tp.snd_ssthresh, tp.prior_cwnd, tp.prr_delivered, tp.prr_out) = (4, 10, 20, 5, 5);
            s.cwnd_reduction(2, 0, flag::SND_UNA_ADVANCED);
            assert_eq!(s.tp.snd_cwnd, cwnd, "{}", profile.name);
        }
    }

    #[test]
    fn what_was_not_sent_waits_for_snd_una_in_5_15() {
        // 4 in flight, threshold 20, 5 delivered before and 2 sent: 2 more delivered by SACK alone let 2 go in 5.15, in
        // 6.1 all 5 that were not sent.
        for (profile, sacked, advanced) in [(&V5_15_148, 6, 10), (&V6_1_192, 9, 10)] {
            for (flags, cwnd) in [(0, sacked), (flag::SND_UNA_ADVANCED, advanced)] {
                let mut s = sender(Cc::Reno, profile);
                let tp = &mut s.tp;
                (tp.packets_out, tp.snd_ssthresh, tp.prior_cwnd, tp.prr_delivered, tp.prr_out) = (4, 20, 40, 5, 2);
                s.cwnd_reduction(2, 0, flags);
                assert_eq!(s.tp.snd_cwnd, cwnd, "{}", profile.name);
            }
        }
    }
}
