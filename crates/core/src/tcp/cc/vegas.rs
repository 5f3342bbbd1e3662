//! Vegas: once a round trip it compares the window with what the path without queue would need, and keeps `alpha` to `beta` segments queued.
//!
//! With `base` the least RTT ever and `rtt` the least of the last round trip, the window at the rate achieved would be
//! `cwnd * base / rtt`, and `diff = cwnd * (rtt - base) / base` segments are queued. In slow start more than `gamma` of them end it, at the
//! window achieved; later fewer than `alpha` add one segment a round trip, more than `beta` take one.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_vegas.c; Brakmo, Peterson: TCP Vegas (JSAC 1995). Differs: nothing.

use super::{AckSample, Control, Event, reno_cong_avoid, reno_ssthresh, slow_start};
use crate::tcp::profile::Profile;
use crate::tcp::seq::after;
use crate::tcp::tp::{CaState, Tp};

/// No RTT measured. src: linux@6.12 net/ipv4/tcp_vegas.c vegas_enable
const NO_RTT: u32 = 0x7fff_ffff;

crate::params! {
    /// `[vegas]`: the module's parameters.
    pub struct Params {
        /// Queued segments below which the window grows.
        alpha: u32 = 2, in 0 => 1_000_000, unit "segments", src "linux@6.12 net/ipv4/tcp_vegas.c";
        /// Queued segments above which the window shrinks.
        beta: u32 = 4, in 0 => 1_000_000, unit "segments", src "linux@6.12 net/ipv4/tcp_vegas.c";
        /// Queued segments above which slow start ends.
        gamma: u32 = 1, in 0 => 1_000_000, unit "segments", src "linux@6.12 net/ipv4/tcp_vegas.c";
    }
}

/// What Vegas measures of each round trip; YeAH shares it, as in Linux.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    /// The present round trip may be judged: nothing was lost in it and it did not begin idle.
    pub doing: bool,
    /// `snd_nxt` when the round trip began.
    pub beg_snd_nxt: u32,
    /// RTTs measured in it.
    pub cnt_rtt: u16,
    /// The least of them plus one, microseconds.
    pub min_rtt: u32,
    /// The least ever plus one, microseconds.
    pub base_rtt: u32,
}

impl Rounds {
    /// `tcp_vegas_init`.
    pub fn new(tp: &Tp) -> Rounds {
        Rounds { doing: true, beg_snd_nxt: tp.snd_nxt, cnt_rtt: 0, min_rtt: NO_RTT, base_rtt: NO_RTT }
    }
    /// The next round trip begins with nothing measured.
    pub fn wipe(&mut self) {
        self.cnt_rtt = 0;
        self.min_rtt = NO_RTT;
    }
    /// `tcp_vegas_pkts_acked`.
    pub fn acked(&mut self, sample: &AckSample) {
        if sample.rtt_us < 0 {
            return;
        }
        let rtt = sample.rtt_us as u32 + 1;
        self.base_rtt = self.base_rtt.min(rtt);
        self.min_rtt = self.min_rtt.min(rtt);
        self.cnt_rtt = self.cnt_rtt.wrapping_add(1);
    }
    /// `tcp_vegas_state`: what is measured in a reduction tells nothing.
    pub fn state(&mut self, tp: &Tp, new: CaState) {
        self.doing = new == CaState::Open;
        if self.doing {
            self.beg_snd_nxt = tp.snd_nxt;
            self.wipe();
        }
    }
    /// `tcp_vegas_cwnd_event`: after idleness everything is measured anew.
    pub fn event(&mut self, tp: &Tp, event: Event) {
        if matches!(event, Event::CwndRestart | Event::TxStart) {
            *self = Rounds::new(tp);
        }
    }
}

/// Vegas.
#[derive(Clone, Debug)]
pub struct Vegas {
    p: Params,
    r: Rounds,
}

impl Vegas {
    /// Starts.
    pub fn new(p: &Params, _: &'static Profile, tp: &mut Tp) -> Vegas {
        Vegas { p: *p, r: Rounds::new(tp) }
    }

    /// The round trip is over and enough was measured.
    fn judge(&self, tp: &mut Tp, acked: u32) {
        let (rtt, base) = (self.r.min_rtt, self.r.base_rtt);
        let target = (u64::from(tp.snd_cwnd) * u64::from(base) / u64::from(rtt)) as u32;
        let diff = tp.snd_cwnd.wrapping_mul(rtt - base) / base;
        if tp.in_slow_start() {
            if diff > self.p.gamma {
                tp.snd_cwnd = tp.snd_cwnd.min(target + 1);
                tp.snd_ssthresh = tp.snd_ssthresh.min(tp.snd_cwnd);
            } else {
                slow_start(tp, acked);
            }
        } else if diff > self.p.beta {
            tp.snd_cwnd -= 1;
            tp.snd_ssthresh = tp.snd_ssthresh.min(tp.snd_cwnd);
        } else if diff < self.p.alpha {
            tp.snd_cwnd += 1;
        }
        tp.snd_cwnd = if tp.snd_cwnd < 2 { 2 } else { tp.snd_cwnd.min(tp.snd_cwnd_clamp) };
        tp.snd_ssthresh = tp.current_ssthresh();
    }
}

impl Control for Vegas {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        reno_ssthresh(tp)
    }

    fn cong_avoid(&mut self, tp: &mut Tp, ack: u32, acked: u32) {
        if !self.r.doing {
            reno_cong_avoid(tp, acked);
        } else if after(ack, self.r.beg_snd_nxt) {
            self.r.beg_snd_nxt = tp.snd_nxt;
            // Two RTTs or fewer may both come from delayed ACKs.
            if self.r.cnt_rtt <= 2 {
                reno_cong_avoid(tp, acked);
            } else {
                self.judge(tp, acked);
            }
            self.r.wipe();
        } else if tp.in_slow_start() {
            slow_start(tp, acked);
        }
    }

    fn set_state(&mut self, tp: &mut Tp, new: CaState) {
        self.r.state(tp, new);
    }
    fn event(&mut self, tp: &mut Tp, event: Event) {
        self.r.event(tp, event);
    }
    fn pkts_acked(&mut self, _: &mut Tp, sample: &AckSample) {
        self.r.acked(sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V6_12;

    /// A round trip at `cwnd` whose least RTT is `rtt` microseconds, after one of 1 ms.
    fn round(cwnd: u32, ssthresh: u32, rtt: i64) -> Tp {
        let mut tp = Tp::new(1000, 0);
        let mut v = Vegas::new(&Params::default(), &V6_12, &mut tp);
        (tp.snd_cwnd, tp.snd_ssthresh) = (cwnd, ssthresh);
        v.pkts_acked(&mut tp, &AckSample { pkts_acked: 1, rtt_us: 999, in_flight: 0 });
        v.r.wipe();
        for _ in 0..3 {
            v.pkts_acked(&mut tp, &AckSample { pkts_acked: 1, rtt_us: rtt - 1, in_flight: 0 });
        }
        v.cong_avoid(&mut tp, 1, 1);
        tp
    }

    #[test]
    fn two_to_four_segments_stay_queued() {
        // By hand: 10 segments, base 1 ms. 1.5 ms: diff 5, one less. 1.3 ms: 3, stays. 1.1 ms: 1, one more.
        assert_eq!(round(10, 5, 1_500).snd_cwnd, 9);
        assert_eq!(round(10, 5, 1_300).snd_cwnd, 10);
        assert_eq!(round(10, 5, 1_100).snd_cwnd, 11);
        // The edges: diff 4 is not above beta, diff 2 not below alpha.
        assert_eq!(round(10, 5, 1_400).snd_cwnd, 10);
        assert_eq!(round(10, 5, 1_200).snd_cwnd, 10);
    }

    #[test]
    fn slow_start_ends_at_the_window_achieved() {
        // 20 segments at twice the base RTT: 20 * 1000 / 2000 + 1 = 11; then max(11, 3/4 * 11) is ssthresh.
        let tp = round(20, 1000, 2_000);
        assert_eq!((tp.snd_cwnd, tp.snd_ssthresh), (11, 11));
        // One queued segment is not more than gamma.
        assert_eq!(round(20, 1000, 1_050).snd_cwnd, 21);
    }
}
