//! Illinois: loss decides when the window shrinks, delay how much it grows and shrinks.
//!
//! Once a round trip, with `da` the average queueing delay and `dm` the largest ever: `alpha`, the growth a round trip, is 10 while `da` is below
//! a hundredth of `dm`, and falls along a hyperbola to 0.3 at `dm`; `beta`, what a loss takes, is 1/8 up to a tenth of `dm`, 1/2 from eight
//! tenths, and linear between. Below `win_thresh` segments it is Reno.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_illinois.c; Liu, Başar, Srikant: TCP-Illinois (2008). Differs: nothing.

use super::{AckSample, Control, slow_start};
use crate::tcp::profile::Profile;
use crate::tcp::seq::after;
use crate::tcp::tp::{CaState, Tp};

/// log2 of alpha's scale. src: linux@6.12 net/ipv4/tcp_illinois.c ALPHA_SHIFT
const ALPHA_SHIFT: u32 = 7;
/// One. src: linux@6.12 net/ipv4/tcp_illinois.c ALPHA_BASE
const ALPHA_BASE: u32 = 1 << ALPHA_SHIFT;
/// Least growth, 0.3. src: linux@6.12 net/ipv4/tcp_illinois.c ALPHA_MIN
const ALPHA_MIN: u32 = 3 * ALPHA_BASE / 10;
/// Largest growth, 10. src: linux@6.12 net/ipv4/tcp_illinois.c ALPHA_MAX
const ALPHA_MAX: u32 = 10 * ALPHA_BASE;
/// Largest RTT that counts, microseconds. src: linux@6.12 net/ipv4/tcp_illinois.c RTT_MAX
const RTT_MAX: u32 = u32::MAX / ALPHA_MAX;
/// log2 of beta's scale. src: linux@6.12 net/ipv4/tcp_illinois.c BETA_SHIFT
const BETA_SHIFT: u32 = 6;
/// Least reduction, 1/8. src: linux@6.12 net/ipv4/tcp_illinois.c BETA_MIN
const BETA_MIN: u32 = (1 << BETA_SHIFT) / 8;
/// Largest reduction, 1/2. src: linux@6.12 net/ipv4/tcp_illinois.c BETA_MAX
const BETA_MAX: u32 = (1 << BETA_SHIFT) / 2;

crate::params! {
    /// `[illinois]`: the module's parameters.
    pub struct Params {
        /// Window below which it is Reno, segments.
        win_thresh: u32 = 15, in 0 => 1_000_000, unit "segments", src "linux@6.12 net/ipv4/tcp_illinois.c";
        /// Fast round trips, after a slow one, until growth is largest again.
        theta: u32 = 5, in 0 => 255, src "linux@6.12 net/ipv4/tcp_illinois.c";
    }
}

/// Illinois.
#[derive(Clone, Debug)]
pub struct Illinois {
    p: Params,
    /// Sum of the RTTs of this round trip, microseconds.
    sum_rtt: u64,
    /// How many they are.
    cnt_rtt: u16,
    /// Least RTT ever, microseconds.
    base_rtt: u32,
    /// Largest RTT ever, microseconds.
    max_rtt: u32,
    /// End of the round trip.
    end_seq: u32,
    /// Growth a window, segments << ALPHA_SHIFT.
    alpha: u32,
    /// Part of the window that a loss takes, << BETA_SHIFT.
    beta: u32,
    /// Acknowledged by the present ACK, segments.
    acked: u16,
    /// The delay was above the threshold.
    rtt_above: bool,
    /// Round trips below it since.
    rtt_low: u8,
}

impl Illinois {
    /// Starts.
    pub fn new(p: &Params, _: &'static Profile, tp: &mut Tp) -> Illinois {
        Illinois {
            p: *p,
            sum_rtt: 0,
            cnt_rtt: 0,
            base_rtt: 0x7fff_ffff,
            max_rtt: 0,
            end_seq: tp.snd_nxt,
            alpha: ALPHA_MAX,
            beta: BETA_MAX,
            acked: 0,
            rtt_above: false,
            rtt_low: 0,
        }
    }

    fn new_round(&mut self, tp: &Tp) {
        (self.end_seq, self.cnt_rtt, self.sum_rtt) = (tp.snd_nxt, 0, 0);
    }

    /// `alpha` for an average delay of `da` where `dm` is the largest, microseconds.
    fn alpha(&mut self, da: u32, dm: u32) -> u32 {
        let d1 = dm / 100;
        if da <= d1 {
            if !self.rtt_above {
                return ALPHA_MAX;
            }
            self.rtt_low = self.rtt_low.wrapping_add(1);
            if u32::from(self.rtt_low) < self.p.theta {
                return self.alpha;
            }
            self.rtt_low = 0;
            self.rtt_above = false;
            return ALPHA_MAX;
        }
        self.rtt_above = true;
        let (dm, da) = (dm - d1, da - d1);
        dm.wrapping_mul(ALPHA_MAX) / dm.wrapping_add(da.wrapping_mul(ALPHA_MAX - ALPHA_MIN) / ALPHA_MIN)
    }

    /// `update_params`.
    fn judge(&mut self, tp: &Tp) {
        if tp.snd_cwnd < self.p.win_thresh {
            self.alpha = ALPHA_BASE;
            self.beta = BETA_MAX;
        } else if self.cnt_rtt > 0 {
            let dm = self.max_rtt - self.base_rtt;
            let da = (self.sum_rtt / u64::from(self.cnt_rtt)) as u32 - self.base_rtt;
            self.alpha = self.alpha(da, dm);
            self.beta = beta(da, dm);
        }
        self.new_round(tp);
    }
}

/// `beta` for an average delay of `da` where `dm` is the largest, microseconds.
fn beta(da: u32, dm: u32) -> u32 {
    let (d2, d3) = (dm / 10, 8 * dm / 10);
    if da <= d2 {
        return BETA_MIN;
    }
    if da >= d3 || d3 <= d2 {
        return BETA_MAX;
    }
    (BETA_MIN * d3).wrapping_sub(BETA_MAX * d2).wrapping_add((BETA_MAX - BETA_MIN) * da) / (d3 - d2)
}

impl Control for Illinois {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        (tp.snd_cwnd - ((tp.snd_cwnd * self.beta) >> BETA_SHIFT)).max(2)
    }

    fn cong_avoid(&mut self, tp: &mut Tp, ack: u32, acked: u32) {
        if after(ack, self.end_seq) {
            self.judge(tp);
        }
        if !tp.cwnd_limits() {
            return;
        }
        if tp.in_slow_start() {
            slow_start(tp, acked);
            return;
        }
        tp.snd_cwnd_cnt += u32::from(self.acked);
        self.acked = 1;
        let delta = tp.snd_cwnd_cnt.wrapping_mul(self.alpha) >> ALPHA_SHIFT;
        if delta >= tp.snd_cwnd {
            tp.snd_cwnd = (tp.snd_cwnd + delta / tp.snd_cwnd).min(tp.snd_cwnd_clamp);
            tp.snd_cwnd_cnt = 0;
        }
    }

    fn set_state(&mut self, tp: &mut Tp, new: CaState) {
        if new == CaState::Loss {
            (self.alpha, self.beta) = (ALPHA_BASE, BETA_MAX);
            (self.rtt_low, self.rtt_above) = (0, false);
            self.new_round(tp);
        }
    }

    fn pkts_acked(&mut self, _: &mut Tp, sample: &AckSample) {
        self.acked = sample.pkts_acked as u16;
        if sample.rtt_us < 0 {
            return;
        }
        let rtt = (sample.rtt_us as u32).min(RTT_MAX);
        self.base_rtt = self.base_rtt.min(rtt);
        self.max_rtt = self.max_rtt.max(rtt);
        self.cnt_rtt = self.cnt_rtt.wrapping_add(1);
        self.sum_rtt += u64::from(rtt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V6_12;

    #[test]
    fn alpha_falls_along_the_hyperbola() {
        let mut tp = Tp::new(1000, 0);
        let mut i = Illinois::new(&Params::default(), &V6_12, &mut tp);
        // Largest delay 10 ms, threshold 0.1 ms. At it: 10. At 10 ms: 9900 * 1280 / (9900 + 9900 * 1242 / 38) = 38 of 128.
        assert_eq!(i.alpha(100, 10_000), ALPHA_MAX);
        assert_eq!(i.alpha(10_000, 10_000), 38);
        // At 1 ms: 9900 * 1280 / (9900 + 900 * 1242 / 38) = 12672000 / 39315 = 322.
        assert_eq!(i.alpha(1_000, 10_000), 322);
        // Four fast round trips are not enough, the fifth is.
        i.alpha = 322;
        assert_eq!((0..5).map(|_| i.alpha(0, 10_000)).collect::<Vec<_>>(), [322, 322, 322, 322, ALPHA_MAX]);
    }

    #[test]
    fn beta_is_linear_between_a_tenth_and_eight() {
        // (8 * 8000 - 32 * 1000 + 24 * da) / 7000.
        assert_eq!([0, 1_000, 1_001, 4_500, 7_999, 8_000].map(|da| beta(da, 10_000)), [8, 8, 8, 20, 31, 32]);
    }

    #[test]
    fn a_small_window_is_reno() {
        let mut tp = Tp::new(1000, 0);
        let mut i = Illinois::new(&Params::default(), &V6_12, &mut tp);
        tp.snd_cwnd = 14;
        i.judge(&tp);
        assert_eq!((i.alpha, i.beta, i.ssthresh(&mut tp)), (ALPHA_BASE, BETA_MAX, 7));
    }
}
