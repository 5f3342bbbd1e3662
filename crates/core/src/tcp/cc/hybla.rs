//! Hybla: a flow of long RTT grows as one of 25 ms would.
//!
//! With `rho = RTT / rtt0`, 1 at least, an ACK adds `2^rho - 1` segments in slow start and `rho^2 / cwnd` after it, in fractions of 1/128.
//! The first window is `rho` segments, not ten.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_hybla.c; Caini, Firrincieli: TCP Hybla (2004). Differs: nothing.

use super::{Control, reno_cong_avoid, reno_ssthresh};
use crate::tcp::profile::Profile;
use crate::tcp::tp::{CaState, Tp};

/// Largest window, segments. src: linux@6.12 net/ipv4/tcp_hybla.c hybla_init
const CLAMP: u32 = 65_535;
/// `128 * 2^(i/8)`. src: linux@6.12 net/ipv4/tcp_hybla.c hybla_fraction
const FRACTIONS: [u32; 8] = [128, 139, 152, 165, 181, 197, 215, 234];

crate::params! {
    /// `[hybla]`: the module's parameter.
    pub struct Params {
        /// RTT of the flow that growth follows, milliseconds.
        rtt0: u32 = 25, in 1 => 4_000, unit "ms", src "linux@6.12 net/ipv4/tcp_hybla.c";
    }
}

/// Hybla.
#[derive(Clone, Debug)]
pub struct Hybla {
    rtt0_us: u32,
    /// Off while anything is dubious: then it is Reno.
    enabled: bool,
    /// Growth below one segment, in 1/128.
    cents: u32,
    /// rho, in eighths.
    rho_3ls: u32,
    /// Least smoothed RTT, microseconds << 3.
    min_srtt: u32,
}

impl Hybla {
    /// Starts.
    pub fn new(p: &Params, _: &'static Profile, tp: &mut Tp) -> Hybla {
        tp.snd_cwnd_clamp = CLAMP;
        let mut h = Hybla { rtt0_us: p.rtt0 * 1_000, enabled: true, cents: 0, rho_3ls: 0, min_srtt: tp.srtt_us };
        h.measure(tp);
        tp.snd_cwnd = h.rho_3ls >> 3;
        h
    }

    /// `hybla_recalc_param`.
    fn measure(&mut self, tp: &Tp) {
        self.rho_3ls = (tp.srtt_us / self.rtt0_us).max(8);
    }
}

impl Control for Hybla {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        reno_ssthresh(tp)
    }

    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        if tp.srtt_us < self.min_srtt {
            self.measure(tp);
            self.min_srtt = tp.srtt_us;
        }
        if !tp.cwnd_limits() {
            return;
        }
        if !self.enabled {
            reno_cong_avoid(tp, acked);
            return;
        }
        let rho = self.rho_3ls >> 3;
        let slow_start = tp.in_slow_start();
        let increment = if slow_start {
            (1 << rho.min(16)) * FRACTIONS[(self.rho_3ls & 7) as usize] - 128
        } else {
            let rho2_7ls = self.rho_3ls.wrapping_mul(self.rho_3ls) << 1;
            let i = rho2_7ls / tp.snd_cwnd;
            if i < 128 {
                tp.snd_cwnd_cnt += 1;
            }
            i
        };
        tp.snd_cwnd += increment >> 7;
        self.cents += increment % 128;
        while self.cents >= 128 {
            tp.snd_cwnd += 1;
            self.cents -= 128;
            tp.snd_cwnd_cnt = 0;
        }
        // The window is so large that the increment rounds to nothing: one segment a window then.
        if increment == 0 && tp.snd_cwnd_cnt >= tp.snd_cwnd {
            tp.snd_cwnd += 1;
            tp.snd_cwnd_cnt = 0;
        }
        if slow_start {
            tp.snd_cwnd = tp.snd_cwnd.min(tp.snd_ssthresh);
        }
        tp.snd_cwnd = tp.snd_cwnd.min(tp.snd_cwnd_clamp);
    }

    fn set_state(&mut self, _: &mut Tp, new: CaState) {
        self.enabled = new == CaState::Open;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V6_12;

    fn at(rtt_ms: u32) -> (Hybla, Tp) {
        let mut tp = Tp::new(1000, 0);
        tp.srtt_us = rtt_ms * 8_000;
        let h = Hybla::new(&Params::default(), &V6_12, &mut tp);
        tp.is_cwnd_limited = true;
        (h, tp)
    }

    #[test]
    fn the_first_window_is_rho() {
        assert_eq!((at(1).1.snd_cwnd, at(25).1.snd_cwnd, at(49).1.snd_cwnd, at(50).1.snd_cwnd), (1, 1, 1, 2));
    }

    #[test]
    fn slow_start_by_two_to_the_rho() {
        // 1 ms: rho 1, one segment an ACK. 50 ms: rho 2, three. 37.5 ms: rho 1.5, 2^1.5 - 1 = 1.83 (2 * 181 - 128 = 234 of 128).
        for (srtt, grown) in [(8_000, 1), (400_000, 3)] {
            let (mut h, mut tp) = at(1);
            tp.srtt_us = srtt;
            h.measure(&tp);
            h.min_srtt = srtt;
            tp.snd_cwnd = 10;
            h.cong_avoid(&mut tp, 0, 1);
            assert_eq!(tp.snd_cwnd, 10 + grown);
        }
        let (mut h, mut tp) = at(1);
        tp.srtt_us = 300_000;
        h.measure(&tp);
        tp.snd_cwnd = 10;
        h.cong_avoid(&mut tp, 0, 1);
        assert_eq!((tp.snd_cwnd, h.cents), (11, 106));
    }

    #[test]
    fn avoidance_by_rho_squared_a_window() {
        // 100 ms: rho 4, rho^2 = 16 a window of 32: half a segment an ACK.
        let (mut h, mut tp) = at(100);
        (tp.snd_cwnd, tp.snd_ssthresh) = (32, 16);
        h.cong_avoid(&mut tp, 0, 1);
        assert_eq!((tp.snd_cwnd, h.cents), (32, 64));
        h.cong_avoid(&mut tp, 0, 1);
        assert_eq!((tp.snd_cwnd, h.cents), (33, 0));
    }

    #[test]
    fn a_window_beyond_the_fraction_grows_once_a_window() {
        // rho 1: 128 / 200 rounds to 0.
        let (mut h, mut tp) = at(1);
        (tp.snd_cwnd, tp.snd_ssthresh) = (200, 100);
        for _ in 0..199 {
            h.cong_avoid(&mut tp, 0, 1);
        }
        assert_eq!(tp.snd_cwnd, 200);
        h.cong_avoid(&mut tp, 0, 1);
        assert_eq!(tp.snd_cwnd, 201);
    }
}
