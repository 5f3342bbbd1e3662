//! BIC: after a loss the window returns to where the loss was by halving the distance, then probes beyond, slowly first.
//!
//! Below the window of the last loss it grows by a quarter of the distance a round trip, `max_increment` at most; close to it and just
//! beyond, by one segment in `smooth_part / 4` round trips; farther on ever faster, up to `max_increment`. Up to `low_window` it is Reno.
//! The step is divided by how many segments an ACK acknowledges on average.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_bic.c; Xu, Harfoush, Rhee: BIC (INFOCOM 2004). Differs: nothing.

use super::{AckSample, Control, additive_increase, beyond_slow_start};
use crate::tcp::profile::Profile;
use crate::tcp::tp::{CaState, Tp};

/// Scale of `beta`. src: linux@6.12 net/ipv4/tcp_bic.c BICTCP_BETA_SCALE
const BETA_SCALE: u32 = 1_024;
/// Part of the distance that a round trip covers. src: linux@6.12 net/ipv4/tcp_bic.c BICTCP_B
const B: u32 = 4;
/// Binary places of the segments an ACK. src: linux@6.12 net/ipv4/tcp_bic.c ACK_RATIO_SHIFT
const ACK_SHIFT: u32 = 4;

crate::params! {
    /// `[bic]`: the module's parameters.
    pub struct Params {
        /// Releases bandwidth faster when the window shrinks from loss to loss.
        fast_convergence: bool = true, src "linux@6.12 net/ipv4/tcp_bic.c";
        /// Largest growth a round trip, segments.
        max_increment: u32 = 16, in 1 => 1_000, unit "segments", src "linux@6.12 net/ipv4/tcp_bic.c";
        /// Window up to which it is Reno, segments.
        low_window: u32 = 14, in 0 => 1_000_000, unit "segments", src "linux@6.12 net/ipv4/tcp_bic.c";
        /// Window after a loss, in 1/1024 of the window before it.
        beta: u32 = 819, in 1 => 1_023, src "linux@6.12 net/ipv4/tcp_bic.c";
        /// Threshold of the first slow start; 0: none. Segments.
        initial_ssthresh: u32 = 0, in 0 => 1_000_000, unit "segments", src "linux@6.12 net/ipv4/tcp_bic.c";
        /// Round trips for the last B segments to the window of the last loss.
        smooth_part: u32 = 20, in 1 => 1_000, src "linux@6.12 net/ipv4/tcp_bic.c";
    }
}

/// BIC.
#[derive(Clone, Debug)]
pub struct Bic {
    p: Params,
    /// See [`beyond_slow_start`].
    stretch_acks: bool,
    /// One segment more every so many acknowledged.
    cnt: u32,
    /// Window at the last loss, segments.
    last_max_cwnd: u32,
    /// Window at the last computation, segments.
    last_cwnd: u32,
    /// When that was, jiffies.
    last_time: u32,
    /// Segments an ACK, smoothed over 16 ACKs, << ACK_SHIFT.
    delayed_ack: u32,
}

impl Bic {
    /// Starts.
    pub fn new(p: &Params, profile: &'static Profile, tp: &mut Tp) -> Bic {
        if p.initial_ssthresh != 0 {
            tp.snd_ssthresh = p.initial_ssthresh;
        }
        Bic {
            p: *p,
            stretch_acks: profile.stretch_acks,
            cnt: 0,
            last_max_cwnd: 0,
            last_cwnd: 0,
            last_time: 0,
            delayed_ack: 2 << ACK_SHIFT,
        }
    }

    /// `bictcp_update`: sets `cnt` for a window of `cwnd`.
    fn update(&mut self, tp: &Tp, cwnd: u32) {
        let now = tp.clock.j32();
        if self.last_cwnd == cwnd && now.wrapping_sub(self.last_time) as i32 <= (tp.clock.hz / 32) as i32 {
            return;
        }
        (self.last_cwnd, self.last_time) = (cwnd, now);
        if cwnd <= self.p.low_window {
            self.cnt = cwnd;
            return;
        }
        let (max, inc) = (self.last_max_cwnd, self.p.max_increment);
        let smooth = cwnd * self.p.smooth_part / B;
        self.cnt = if cwnd < max {
            let dist = (max - cwnd) / B;
            if dist > inc {
                cwnd / inc
            } else if dist <= 1 {
                smooth
            } else {
                cwnd / dist
            }
        } else if cwnd < max + B {
            smooth
        } else if cwnd < max + inc * (B - 1) {
            cwnd * (B - 1) / (cwnd - max)
        } else {
            cwnd / inc
        };
        // Without a loss yet: 5 % a round trip at least.
        if max == 0 {
            self.cnt = self.cnt.min(20);
        }
        self.cnt = ((self.cnt << ACK_SHIFT) / self.delayed_ack).max(1);
    }
}

impl Control for Bic {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        let cwnd = tp.snd_cwnd;
        let shrinks = cwnd < self.last_max_cwnd && self.p.fast_convergence;
        self.last_max_cwnd = if shrinks { cwnd * (BETA_SCALE + self.p.beta) / (2 * BETA_SCALE) } else { cwnd };
        let after = if cwnd <= self.p.low_window { cwnd >> 1 } else { cwnd * self.p.beta / BETA_SCALE };
        after.max(2)
    }

    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        if !tp.cwnd_limits() {
            return;
        }
        let acked = beyond_slow_start(tp, acked, self.stretch_acks);
        if acked == 0 {
            return;
        }
        self.update(tp, tp.snd_cwnd);
        additive_increase(tp, self.cnt, acked);
    }

    fn set_state(&mut self, _: &mut Tp, new: CaState) {
        if new == CaState::Loss {
            (self.cnt, self.last_max_cwnd, self.last_cwnd, self.last_time) = (0, 0, 0, 0);
            self.delayed_ack = 2 << ACK_SHIFT;
        }
    }

    fn pkts_acked(&mut self, tp: &mut Tp, sample: &AckSample) {
        if tp.ca_state == CaState::Open {
            let d = self.delayed_ack;
            self.delayed_ack = d.wrapping_add(sample.pkts_acked.wrapping_sub(d >> ACK_SHIFT));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V6_12;

    /// `cnt` at `cwnd` after a loss at `max`, one segment an ACK.
    fn cnt(max: u32, cwnd: u32) -> u32 {
        let mut tp = Tp::new(1000, 0);
        let mut b = Bic::new(&Params::default(), &V6_12, &mut tp);
        b.last_max_cwnd = max;
        b.delayed_ack = 1 << ACK_SHIFT;
        b.update(&tp, cwnd);
        b.cnt
    }

    #[test]
    fn binary_search_and_max_probing() {
        // Loss at 1000. 800: a quarter of 200 is 50, cut to 16 a round trip. 960: a quarter of 40. 996: the last 4, one in 5 round trips.
        assert_eq!((cnt(1_000, 800), cnt(1_000, 960), cnt(1_000, 996)), (800 / 16, 96, 996 * 5));
        // Beyond: slow for 4 segments, then (cwnd - max) / 3 a round trip, then 16.
        assert_eq!(
            (cnt(1_000, 1_003), cnt(1_000, 1_004), cnt(1_000, 1_047)),
            (1_003 * 5, 1_004 * 3 / 4, 1_047 * 3 / 47)
        );
        assert_eq!(cnt(1_000, 1_048), 1_048 / 16);
        // Reno up to 14; 5 % without a loss.
        assert_eq!((cnt(1_000, 14), cnt(0, 1_000)), (14, 20));
    }

    #[test]
    fn a_loss() {
        let mut tp = Tp::new(1000, 0);
        let mut b = Bic::new(&Params::default(), &V6_12, &mut tp);
        tp.snd_cwnd = 1_000;
        // 1000 * 819 / 1024 = 799; the second loss is below the first: (1024 + 819) / 2048 of 900 is remembered.
        assert_eq!((b.ssthresh(&mut tp), b.last_max_cwnd), (799, 1_000));
        tp.snd_cwnd = 900;
        assert_eq!((b.ssthresh(&mut tp), b.last_max_cwnd), (719, 809));
        tp.snd_cwnd = 14;
        assert_eq!(b.ssthresh(&mut tp), 7);
    }

    #[test]
    fn segments_an_ack_are_smoothed() {
        let mut tp = Tp::new(1000, 0);
        let mut b = Bic::new(&Params::default(), &V6_12, &mut tp);
        for _ in 0..100 {
            b.pkts_acked(&mut tp, &AckSample { pkts_acked: 1, rtt_us: 0, in_flight: 0 });
        }
        // 31 >> 4 is 1, so that it stays there: 1.94 segments.
        assert_eq!(b.delayed_ack, 31);
    }
}
