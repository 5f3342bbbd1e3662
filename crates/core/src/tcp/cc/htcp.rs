//! H-TCP: the longer the last loss is past, the faster the window grows; how much a loss takes follows from the RTT's spread.
//!
//! A second after a loss `alpha` begins to rise: `1 + 10 d + (d/2)^2` segments a round trip after `d` seconds more, scaled by RTT to 100 ms and
//! by `2 (1 - beta)`. `beta`, what stays of the window, is the least RTT over the largest, 1/2 to 4/5, and 1/2 whenever the throughput between
//! losses changed by more than a fifth. Time and RTT count in jiffies.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_htcp.c; Leith, Shorten: H-TCP (PFLDnet 2004). Differs: nothing.

use super::{AckSample, Control, slow_start};
use crate::tcp::profile::Profile;
use crate::tcp::tp::{CaState, Tp};

/// One, in 1/128. src: linux@6.12 net/ipv4/tcp_htcp.c ALPHA_BASE
const ONE: u32 = 1 << 7;
/// Least part that stays, in 1/128. src: linux@6.12 net/ipv4/tcp_htcp.c BETA_MIN
const BETA_MIN: u32 = 1 << 6;
/// Largest part that stays, in 1/128. src: linux@6.12 net/ipv4/tcp_htcp.c BETA_MAX
const BETA_MAX: u32 = 102;

crate::params! {
    /// `[htcp]`: the module's parameters.
    pub struct Params {
        /// Growth a second is the same at every RTT.
        use_rtt_scaling: bool = true, src "linux@6.12 net/ipv4/tcp_htcp.c";
        /// A throughput that changed from loss to loss makes the next loss halve.
        use_bandwidth_switch: bool = true, src "linux@6.12 net/ipv4/tcp_htcp.c";
    }
}

/// What a reduction that was a mistake gives back.
#[derive(Clone, Copy, Debug)]
struct Before {
    last_cong: u32,
    max_rtt: u32,
    old_max_b: u32,
}

/// H-TCP.
#[derive(Clone, Debug)]
pub struct Htcp {
    p: Params,
    /// Growth a window, segments << 7.
    alpha: u32,
    /// What a loss leaves, in 1/128.
    beta: u32,
    /// A loss was seen since `beta` was last put to its least.
    modeswitch: bool,
    /// Acknowledged by the present ACK, segments.
    pkts_acked: u16,
    /// Acknowledged in the throughput sample, segments.
    packetcount: u32,
    /// Beginning of the sample, jiffies.
    lasttime: u32,
    /// Least RTT, jiffies; 0: none.
    min_rtt: u32,
    /// Largest RTT of late, jiffies.
    max_rtt: u32,
    /// End of the last reduction, jiffies.
    last_cong: u32,
    before: Option<Before>,
    /// Smoothed throughput, its least and its largest since the last loss, and the largest before it; segments a second.
    bi: u32,
    min_b: u32,
    max_b: u32,
    old_max_b: u32,
}

impl Htcp {
    /// Starts.
    pub fn new(p: &Params, _: &'static Profile, tp: &mut Tp) -> Htcp {
        Htcp {
            p: *p,
            alpha: ONE,
            beta: BETA_MIN,
            modeswitch: false,
            pkts_acked: 1,
            packetcount: 0,
            lasttime: 0,
            min_rtt: 0,
            max_rtt: 0,
            last_cong: tp.clock.j32(),
            before: None,
            bi: 0,
            min_b: 0,
            max_b: 0,
            old_max_b: 0,
        }
    }

    /// `measure_rtt`.
    fn measure_rtt(&mut self, tp: &Tp, rtt: u32) {
        if self.min_rtt > rtt || self.min_rtt == 0 {
            self.min_rtt = rtt;
        }
        if tp.ca_state == CaState::Open {
            self.max_rtt = self.max_rtt.max(self.min_rtt);
            // A sudden jump is not a queue.
            if self.max_rtt < rtt && rtt <= self.max_rtt + tp.clock.us_to_jiffies(20_000) {
                self.max_rtt = rtt;
            }
        }
    }

    /// The throughput sample is full.
    fn measure_throughput(&mut self, tp: &Tp, now: u32) {
        let bi = self.packetcount.wrapping_mul(tp.clock.hz) / now.wrapping_sub(self.lasttime);
        if now.wrapping_sub(self.last_cong) / self.min_rtt <= 3 {
            // Just after a loss.
            (self.min_b, self.max_b, self.bi) = (bi, bi, bi);
        } else {
            self.bi = (3 * self.bi + bi) / 4;
            self.max_b = self.max_b.max(self.bi);
            self.min_b = self.min_b.min(self.max_b);
        }
        self.packetcount = 0;
        self.lasttime = now;
    }

    /// `htcp_beta_update`.
    fn update_beta(&mut self, tp: &Tp) {
        if self.p.use_bandwidth_switch {
            let (new, old) = (self.max_b, self.old_max_b);
            self.old_max_b = new;
            // Serial-number arithmetic, as `between` has it.
            let (lo, hi) = (4u32.wrapping_mul(old), 6u32.wrapping_mul(old));
            if hi.wrapping_sub(lo) < 5u32.wrapping_mul(new).wrapping_sub(lo) {
                self.beta = BETA_MIN;
                self.modeswitch = false;
                return;
            }
        }
        if self.modeswitch && self.min_rtt > tp.clock.us_to_jiffies(10_000) && self.max_rtt != 0 {
            // Eight bits, as in the kernel; the least RTT is never above the largest by then.
            self.beta = (((self.min_rtt << 7) / self.max_rtt) & 0xff).clamp(BETA_MIN, BETA_MAX);
        } else {
            self.beta = BETA_MIN;
            self.modeswitch = true;
        }
    }

    /// `htcp_alpha_update`.
    fn update_alpha(&mut self, tp: &Tp) {
        let hz = tp.clock.hz;
        let mut factor = 1;
        let since = tp.clock.j32().wrapping_sub(self.last_cong);
        if since > hz {
            let d = since - hz;
            factor = 1 + (10 * d + (d / 2).wrapping_mul(d / 2) / hz) / hz;
        }
        if self.p.use_rtt_scaling && self.min_rtt != 0 {
            let scale = ((hz << 3) / (10 * self.min_rtt)).clamp(1 << 2, 10 << 3);
            factor = ((factor << 3) / scale).max(1);
        }
        self.alpha = 2 * factor * (ONE - self.beta);
        if self.alpha == 0 {
            self.alpha = ONE;
        }
    }
}

impl Control for Htcp {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        let (min, max) = (self.min_rtt, self.max_rtt);
        self.update_beta(tp);
        self.update_alpha(tp);
        // The largest RTT fades, for routes change.
        if min > 0 && max > min {
            self.max_rtt = min + (max - min) * 95 / 100;
        }
        ((tp.snd_cwnd * self.beta) >> 7).max(2)
    }

    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        if !tp.cwnd_limits() {
            return;
        }
        if tp.in_slow_start() {
            slow_start(tp, acked);
            return;
        }
        if tp.snd_cwnd_cnt.wrapping_mul(self.alpha) >> 7 >= tp.snd_cwnd {
            if tp.snd_cwnd < tp.snd_cwnd_clamp {
                tp.snd_cwnd += 1;
            }
            tp.snd_cwnd_cnt = 0;
            self.update_alpha(tp);
        } else {
            tp.snd_cwnd_cnt += u32::from(self.pkts_acked);
        }
        self.pkts_acked = 1;
    }

    fn set_state(&mut self, tp: &mut Tp, new: CaState) {
        match new {
            CaState::Open => {
                if self.before.take().is_some() {
                    self.last_cong = tp.clock.j32();
                }
            }
            CaState::Cwr | CaState::Recovery | CaState::Loss => {
                self.before =
                    Some(Before { last_cong: self.last_cong, max_rtt: self.max_rtt, old_max_b: self.old_max_b });
                self.last_cong = tp.clock.j32();
            }
            CaState::Disorder => {}
        }
    }

    fn undo_cwnd(&mut self, tp: &mut Tp) -> u32 {
        if let Some(b) = self.before.take() {
            (self.last_cong, self.max_rtt, self.old_max_b) = (b.last_cong, b.max_rtt, b.old_max_b);
        }
        tp.snd_cwnd.max(tp.prior_cwnd)
    }

    fn pkts_acked(&mut self, tp: &mut Tp, sample: &AckSample) {
        let now = tp.clock.j32();
        if tp.ca_state == CaState::Open {
            self.pkts_acked = sample.pkts_acked as u16;
        }
        if sample.rtt_us > 0 {
            self.measure_rtt(tp, tp.clock.us_to_jiffies(sample.rtt_us as u32));
        }
        if !self.p.use_bandwidth_switch {
            return;
        }
        if !matches!(tp.ca_state, CaState::Open | CaState::Disorder) {
            self.packetcount = 0;
            self.lasttime = now;
            return;
        }
        self.packetcount += sample.pkts_acked;
        let window = tp.snd_cwnd.wrapping_sub((self.alpha >> 7).max(1));
        if self.packetcount >= window && self.min_rtt > 0 && now.wrapping_sub(self.lasttime) >= self.min_rtt {
            self.measure_throughput(tp, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Time;
    use crate::tcp::profile::V6_12;

    fn htcp() -> (Htcp, Tp) {
        let mut tp = Tp::new(1000, 0);
        let h = Htcp::new(&Params::default(), &V6_12, &mut tp);
        (h, tp)
    }

    #[test]
    fn alpha_rises_with_the_time_since_the_loss() {
        // HZ 1000, RTT 100 ms: the scale is 1. 1 s: 1. 3 s: 1 + 20 + 1 = 22. Times 2 (1 - 1/2) = 1.
        let (mut h, mut tp) = htcp();
        h.min_rtt = 100;
        for (s, alpha) in [(1, 1), (3, 22), (11, 126)] {
            tp.clock.set(Time::from_s(s));
            h.update_alpha(&tp);
            assert_eq!(h.alpha, alpha << 7, "after {s} s");
        }
        // 10 ms: scale 10, so that 126 becomes 12.
        h.min_rtt = 10;
        h.update_alpha(&tp);
        assert_eq!(h.alpha, 12 << 7);
    }

    #[test]
    fn beta_is_the_ratio_of_rtts() {
        let (mut h, mut tp) = htcp();
        tp.snd_cwnd = 1_000;
        (h.min_rtt, h.max_rtt, h.max_b, h.old_max_b) = (60, 100, 1_000, 1_000);
        assert_eq!(h.ssthresh(&mut tp), 500, "the first loss halves");
        // 60 << 7 / 98 = 78 of 128: 609; the largest RTT faded to 98.
        assert_eq!((h.max_rtt, h.ssthresh(&mut tp)), (98, 609));
        // The throughput changed by more than a fifth: half.
        h.max_b = 1_201;
        assert_eq!(h.ssthresh(&mut tp), 500);
    }

    #[test]
    fn an_undone_loss_is_forgotten() {
        let (mut h, mut tp) = htcp();
        tp.clock.set(Time::from_s(5));
        h.set_state(&mut tp, CaState::Recovery);
        assert_eq!(h.last_cong, 5_000);
        tp.prior_cwnd = 70;
        assert_eq!((h.undo_cwnd(&mut tp), h.last_cong), (70, 0));
    }
}
