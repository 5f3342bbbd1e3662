//! Veno: Reno that asks Vegas' measure whether a loss was congestion.
//!
//! `diff = cwnd - cwnd * base / rtt` segments are queued, counted in halves, with `rtt` the least since the last ACK. Below three of them the
//! window grows as Reno's and a loss takes a fifth (it was the radio); from three on it grows every other round trip and a loss halves.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_veno.c; Fu, Liew: TCP Veno (JSAC 2003).
//! Differs: nothing.

use super::{AckSample, Control, Event, additive_increase, beyond_slow_start, reno_cong_avoid};
use crate::tcp::profile::Profile;
use crate::tcp::tp::{CaState, Tp};

/// Binary places of `diff` and `beta`. src: linux@6.12 net/ipv4/tcp_veno.c V_PARAM_SHIFT
const SHIFT: u32 = 1;
/// Queued segments that mean congestion, << SHIFT. src: linux@6.12 net/ipv4/tcp_veno.c beta
const BETA: u32 = 3 << SHIFT;
/// No RTT measured. src: linux@6.12 net/ipv4/tcp_veno.c veno_enable
const NO_RTT: u32 = 0x7fff_ffff;

crate::params! {
    /// `[veno]`: nothing to set.
    pub struct Params {}
}

/// Veno.
#[derive(Clone, Debug)]
pub struct Veno {
    /// See [`beyond_slow_start`].
    stretch_acks: bool,
    /// Nothing is dubious.
    doing: bool,
    /// RTTs measured, ever.
    cnt_rtt: u16,
    /// Least RTT plus one since the window was last judged, microseconds.
    min_rtt: u32,
    /// Least RTT plus one, ever.
    base_rtt: u32,
    /// The next full count adds a segment.
    inc: bool,
    /// Queued segments, << SHIFT.
    diff: u32,
}

impl Veno {
    /// Starts.
    pub fn new(_: &Params, profile: &'static Profile, _: &mut Tp) -> Veno {
        let stretch_acks = profile.stretch_acks;
        Veno { stretch_acks, doing: true, cnt_rtt: 0, min_rtt: NO_RTT, base_rtt: NO_RTT, inc: true, diff: 0 }
    }

    /// The congested state: one segment every other window.
    fn grow_slowly(&mut self, tp: &mut Tp, acked: u32) {
        if tp.snd_cwnd_cnt < tp.snd_cwnd {
            tp.snd_cwnd_cnt += acked;
            return;
        }
        if self.inc && tp.snd_cwnd < tp.snd_cwnd_clamp {
            tp.snd_cwnd += 1;
            self.inc = false;
        } else {
            self.inc = true;
        }
        tp.snd_cwnd_cnt = 0;
    }
}

impl Control for Veno {
    fn go_on(&mut self, before: &Veno) {
        self.cnt_rtt = before.cnt_rtt;
    }

    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        if self.diff < BETA { (tp.snd_cwnd.wrapping_mul(4) / 5).max(2) } else { (tp.snd_cwnd >> 1).max(2) }
    }

    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        if !self.doing {
            reno_cong_avoid(tp, acked);
            return;
        }
        if !tp.cwnd_limits() {
            return;
        }
        if self.cnt_rtt <= 2 {
            reno_cong_avoid(tp, acked);
        } else {
            let target = ((u64::from(tp.snd_cwnd) * u64::from(self.base_rtt)) << SHIFT) / u64::from(self.min_rtt);
            self.diff = (tp.snd_cwnd << SHIFT).wrapping_sub(target as u32);
            let acked = beyond_slow_start(tp, acked, self.stretch_acks);
            if acked > 0 {
                if self.diff < BETA {
                    additive_increase(tp, tp.snd_cwnd, acked);
                } else {
                    self.grow_slowly(tp, acked);
                }
            }
            tp.snd_cwnd = if tp.snd_cwnd < 2 { 2 } else { tp.snd_cwnd.min(tp.snd_cwnd_clamp) };
        }
        self.min_rtt = NO_RTT;
    }

    fn set_state(&mut self, _: &mut Tp, new: CaState) {
        self.doing = new == CaState::Open;
        if self.doing {
            self.min_rtt = NO_RTT;
        }
    }

    fn event(&mut self, _: &mut Tp, event: Event) {
        if matches!(event, Event::CwndRestart | Event::TxStart) {
            (self.base_rtt, self.min_rtt, self.inc, self.doing) = (NO_RTT, NO_RTT, true, true);
        }
    }

    fn pkts_acked(&mut self, _: &mut Tp, sample: &AckSample) {
        if sample.rtt_us < 0 {
            return;
        }
        let rtt = sample.rtt_us as u32 + 1;
        self.base_rtt = self.base_rtt.min(rtt);
        self.min_rtt = self.min_rtt.min(rtt);
        self.cnt_rtt = self.cnt_rtt.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V6_12;

    /// 20 segments, base 1 ms, `rtt` microseconds now, `acked` acknowledged one by one.
    fn at(rtt: i64, acked: u32) -> (Veno, Tp) {
        let mut tp = Tp::new(1000, 0);
        let mut v = Veno::new(&Params::default(), &V6_12, &mut tp);
        (tp.snd_cwnd, tp.snd_ssthresh, tp.is_cwnd_limited) = (20, 2, true);
        for rtt_us in [999, 999] {
            v.pkts_acked(&mut tp, &AckSample { pkts_acked: 1, rtt_us, in_flight: 0 });
        }
        v.min_rtt = NO_RTT;
        for _ in 0..acked {
            v.pkts_acked(&mut tp, &AckSample { pkts_acked: 1, rtt_us: rtt - 1, in_flight: 0 });
            v.cong_avoid(&mut tp, 0, 1);
        }
        (v, tp)
    }

    #[test]
    fn a_loss_without_queue_takes_a_fifth() {
        // By hand: 20 - 20 / 1.1 = 1.8 queued (3.6 halves, 4 by rounding down the target): no congestion, one more a window.
        let (mut v, mut tp) = at(1_100, 20);
        assert_eq!((tp.snd_cwnd, v.ssthresh(&mut tp)), (21, 16));
        // 20 - 20 / 1.25 = 4 queued: congestion; a window and an ACK for the first step, then none in the next.
        let (mut v, mut tp) = at(1_250, 21);
        assert_eq!((tp.snd_cwnd, v.ssthresh(&mut tp)), (21, 10));
        assert_eq!(at(1_250, 21 + 22).1.snd_cwnd, 21);
        assert_eq!(at(1_250, 21 + 22 + 22).1.snd_cwnd, 22);
    }
}
