//! YeAH: Scalable while few segments wait in the bottleneck, Reno when many do, and what waits there is taken out before anything is lost.
//!
//! Once a round trip, with `base` the least RTT ever and `rtt` the least of it, `queue = cwnd * (rtt - base) / rtt` segments wait. More than
//! 80 of them, or more than an eighth of the base RTT of delay, mean competition: the window then grows as Reno's and, over 80, gives up
//! the queue (half of itself at most, and never below what Reno would have). Otherwise it grows by one in a hundred.
//!
//! Before 5.7 the fast mode wanted a hundred and one, Reno's took an ACK for one segment.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_yeah.c; Baiocchi, Castellani, Vacirca: YeAH-TCP (PFLDnet 2007). Differs: nothing.

use super::vegas::Rounds;
use super::{AckSample, Control, Event, additive_increase, beyond_slow_start};
use crate::tcp::profile::Profile;
use crate::tcp::seq::after;
use crate::tcp::tp::{CaState, Tp};

/// Queued segments that are too many. src: linux@6.12 net/ipv4/tcp_yeah.c TCP_YEAH_ALPHA
const ALPHA: u32 = 80;
/// Part of the queue that stays when it is given up. src: linux@6.12 net/ipv4/tcp_yeah.c TCP_YEAH_GAMMA
const GAMMA: u32 = 1;
/// log2 of the window's least part that a loss takes. src: linux@6.12 net/ipv4/tcp_yeah.c TCP_YEAH_DELTA
const DELTA: u32 = 3;
/// log2 of the window's largest part that is given up early. src: linux@6.12 net/ipv4/tcp_yeah.c TCP_YEAH_EPSILON
const EPSILON: u32 = 1;
/// Part of the base RTT that delay may reach. src: linux@6.12 net/ipv4/tcp_yeah.c TCP_YEAH_PHY
const PHY: u32 = 8;
/// Round trips in Reno's mode from which on a loss halves. src: linux@6.12 net/ipv4/tcp_yeah.c TCP_YEAH_RHO
const RHO: u32 = 16;
/// Fast round trips after which Reno's window is forgotten. src: linux@6.12 net/ipv4/tcp_yeah.c TCP_YEAH_ZETA
const ZETA: u32 = 50;
/// Acknowledged segments for one more. src: linux@6.12 net/ipv4/tcp_yeah.c TCP_SCALABLE_AI_CNT
const SCALABLE_CNT: u32 = 100;
/// Largest window. src: linux@6.12 net/ipv4/tcp_yeah.c tcp_yeah_init
const CLAMP: u32 = u32::MAX / 128;

crate::params! {
    /// `[yeah]`: nothing to set.
    pub struct Params {}
}

/// YeAH.
#[derive(Clone, Debug)]
pub struct Yeah {
    r: Rounds,
    /// See [`beyond_slow_start`].
    stretch_acks: bool,
    /// Acknowledged by the present ACK, segments, as counted before 5.7.
    pkts_acked: u32,
    /// Queued segments at the last judgement.
    last_q: u32,
    /// Round trips in Reno's mode in a row; 0: Scalable.
    doing_reno: u32,
    /// Window that Reno would have, segments.
    reno_count: u32,
    /// Fast round trips since the last loss.
    fast_count: u32,
}

impl Yeah {
    /// Starts.
    pub fn new(_: &Params, profile: &'static Profile, tp: &mut Tp) -> Yeah {
        tp.snd_cwnd_clamp = tp.snd_cwnd_clamp.min(CLAMP);
        Yeah {
            r: Rounds::new(tp),
            stretch_acks: profile.stretch_acks,
            pkts_acked: 1,
            last_q: 0,
            doing_reno: 0,
            reno_count: 2,
            fast_count: 0,
        }
    }

    /// Scalable's growth as it was before 5.7 (linux@5.4 net/ipv4/tcp_yeah.c tcp_yeah_cong_avoid).
    fn grow_by_acks(&mut self, tp: &mut Tp) {
        tp.snd_cwnd_cnt += self.pkts_acked;
        if tp.snd_cwnd_cnt > tp.snd_cwnd.min(SCALABLE_CNT) {
            tp.snd_cwnd = (tp.snd_cwnd + 1).min(tp.snd_cwnd_clamp);
            tp.snd_cwnd_cnt = 0;
        }
        self.pkts_acked = 1;
    }

    /// The round trip is over and enough was measured.
    fn judge(&mut self, tp: &mut Tp) {
        let (rtt, base) = (self.r.min_rtt, self.r.base_rtt);
        let queue = (u64::from(tp.snd_cwnd) * u64::from(rtt - base) / u64::from(rtt)) as u32;
        if queue > ALPHA || rtt - base > base / PHY {
            if queue > ALPHA && tp.snd_cwnd > self.reno_count {
                let give_up = (queue / GAMMA).min(tp.snd_cwnd >> EPSILON);
                tp.snd_cwnd = (tp.snd_cwnd - give_up).max(self.reno_count);
                tp.snd_ssthresh = tp.snd_cwnd;
            }
            self.reno_count = if self.reno_count <= 2 { (tp.snd_cwnd >> 1).max(2) } else { self.reno_count + 1 };
            self.doing_reno = (self.doing_reno + 1).min(0xff_ffff);
        } else {
            self.fast_count += 1;
            if self.fast_count > ZETA {
                self.reno_count = 2;
                self.fast_count = 0;
            }
            self.doing_reno = 0;
        }
        self.last_q = queue;
    }
}

impl Control for Yeah {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        let half = (tp.snd_cwnd >> 1).max(2);
        let reduction = if self.doing_reno < RHO { self.last_q.min(half).max(tp.snd_cwnd >> DELTA) } else { half };
        self.fast_count = 0;
        self.reno_count = (self.reno_count >> 1).max(2);
        tp.snd_cwnd.saturating_sub(reduction).max(2)
    }

    fn cong_avoid(&mut self, tp: &mut Tp, ack: u32, acked: u32) {
        if !tp.cwnd_limits() {
            return;
        }
        let acked = beyond_slow_start(tp, acked, self.stretch_acks);
        if acked > 0 {
            if self.doing_reno > 0 {
                additive_increase(tp, tp.snd_cwnd, acked);
            } else if self.stretch_acks {
                additive_increase(tp, tp.snd_cwnd.min(SCALABLE_CNT), acked);
            } else {
                self.grow_by_acks(tp);
            }
        }
        if after(ack, self.r.beg_snd_nxt) {
            if self.r.cnt_rtt > 2 {
                self.judge(tp);
            }
            self.r.beg_snd_nxt = tp.snd_nxt;
            self.r.wipe();
        }
    }

    fn set_state(&mut self, tp: &mut Tp, new: CaState) {
        self.r.state(tp, new);
    }
    fn event(&mut self, tp: &mut Tp, event: Event) {
        self.r.event(tp, event);
    }
    fn pkts_acked(&mut self, tp: &mut Tp, sample: &AckSample) {
        if tp.ca_state == CaState::Open {
            self.pkts_acked = sample.pkts_acked;
        }
        self.r.acked(sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V6_12;

    fn round(y: &mut Yeah, tp: &mut Tp, rtt: i64) {
        for _ in 0..3 {
            y.pkts_acked(tp, &AckSample { pkts_acked: 1, rtt_us: rtt - 1, in_flight: 0 });
        }
        tp.snd_una += 1;
        tp.snd_nxt = tp.snd_una;
        y.cong_avoid(tp, tp.snd_una, 0);
    }

    fn yeah(cwnd: u32) -> (Yeah, Tp) {
        let mut tp = Tp::new(1000, 0);
        let y = Yeah::new(&Params::default(), &V6_12, &mut tp);
        (tp.snd_cwnd, tp.snd_ssthresh, tp.is_cwnd_limited) = (cwnd, 2, true);
        (y, tp)
    }

    #[test]
    fn a_long_queue_is_given_up() {
        // By hand: 400 segments, base 1 ms, 1.5 ms now: 400 * 0.5 / 1.5 = 133 wait and go; then Reno's window is half: 133.
        let (mut y, mut tp) = yeah(400);
        round(&mut y, &mut tp, 1_000);
        assert_eq!((tp.snd_cwnd, y.doing_reno, y.fast_count), (400, 0, 1));
        round(&mut y, &mut tp, 1_500);
        assert_eq!((tp.snd_cwnd, tp.snd_ssthresh, y.reno_count, y.doing_reno), (267, 267, 133, 1));
        // A loss now takes what waited, half at most and an eighth at least: 133 is half.
        assert_eq!(y.ssthresh(&mut tp), 267 - 133);
        assert_eq!(y.reno_count, 66);
    }

    #[test]
    fn growth_is_by_a_hundredth_or_by_the_window() {
        let (mut y, mut tp) = yeah(200);
        y.cong_avoid(&mut tp, 0, 100);
        assert_eq!(tp.snd_cwnd, 201, "one in a hundred");
        y.doing_reno = 1;
        y.cong_avoid(&mut tp, 0, 200);
        assert_eq!(tp.snd_cwnd, 201);
        y.cong_avoid(&mut tp, 0, 1);
        assert_eq!(tp.snd_cwnd, 202, "one a window");
    }

    #[test]
    fn growth_before_5_7() {
        // 101 acknowledged make one more, and the rest of an ACK is lost: 51 ACKs of two. Reno's mode counts ACKs.
        let (mut y, mut tp) = yeah(200);
        y.stretch_acks = crate::tcp::profile::V5_4.stretch_acks;
        let ack = |y: &mut Yeah, tp: &mut Tp, n: u32| {
            for _ in 0..n {
                y.pkts_acked(tp, &AckSample { pkts_acked: 2, rtt_us: -1, in_flight: 0 });
                y.cong_avoid(tp, 0, 2);
            }
        };
        ack(&mut y, &mut tp, 50);
        assert_eq!(tp.snd_cwnd, 200);
        ack(&mut y, &mut tp, 1);
        assert_eq!((tp.snd_cwnd, tp.snd_cwnd_cnt), (201, 0));
        y.doing_reno = 1;
        ack(&mut y, &mut tp, 201);
        assert_eq!(tp.snd_cwnd, 202);
    }

    #[test]
    fn a_loss_after_long_competition_halves() {
        let (mut y, mut tp) = yeah(100);
        y.doing_reno = 15;
        assert_eq!(y.ssthresh(&mut tp), 88, "an eighth");
        y.doing_reno = 16;
        assert_eq!(y.ssthresh(&mut tp), 50);
    }
}
