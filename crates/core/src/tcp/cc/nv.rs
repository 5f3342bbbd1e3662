//! New Vegas: once a round trip it compares the window with what the best rate of that round trip would need at the least RTT, plus a pad.
//!
//! `rate = bytes in flight / smoothed RTT`; the largest of a round trip, times the least RTT, is the window wanted; `nv_pad` segments more are
//! tolerated. Beyond, the window gives up 30 % of the excess; at least two below it, it grows as Reno's. A verdict needs 60 RTTs measured to
//! shrink, 20 to grow, and 30 to end the first slow start. The least RTT is renewed every five seconds or so, at random.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_nv.c (`tcp_nv`, "New Vegas" of Linux; the papers do not say which they mean).
//! Differs: D1 no BPF program gives a base RTT. D2 the catch-up mode, which 6.12 never enters, is absent. D3 the random reset has a stream
//! seeded by the connection's first sequence number.

use super::{AckSample, Control, additive_increase, slow_start};
use crate::sim::{Stream, Streams};
use crate::tcp::profile::Profile;
use crate::tcp::seq::before;
use crate::tcp::tp::{CaState, INFINITE_SSTHRESH, Tp};

/// The window grows only if it is so far below the tolerated, segments. src: linux@6.12 net/ipv4/tcp_nv.c nv_pad_buffer
const PAD_BUFFER: u32 = 2;
/// Part of the excess that is given up, in 1/128. src: linux@6.12 net/ipv4/tcp_nv.c nv_cong_dec_mult
const CONG_DEC: u32 = 30 * 128 / 100;
/// Threshold after congestion, in eighths of the tolerated window. src: linux@6.12 net/ipv4/tcp_nv.c nv_ssthresh_factor
const SSTHRESH_FACTOR: u32 = 8;
/// Weight of a new RTT, in 1/256. src: linux@6.12 net/ipv4/tcp_nv.c nv_rtt_factor
const RTT_FACTOR: u64 = 128;
/// Verdicts without congestion until growth below Reno's doubles. src: linux@6.12 net/ipv4/tcp_nv.c nv_cwnd_growth_rate_neg
const GROWTH_NEG: u32 = 8;
/// RTTs for a verdict of congestion. src: linux@6.12 net/ipv4/tcp_nv.c nv_dec_eval_min_calls
const DEC_CALLS: u8 = 60;
/// RTTs for a verdict of none. src: linux@6.12 net/ipv4/tcp_nv.c nv_inc_eval_min_calls
const INC_CALLS: u8 = 20;
/// RTTs to end the first slow start. src: linux@6.12 net/ipv4/tcp_nv.c nv_ssthresh_eval_min_calls
const SSTHRESH_CALLS: u8 = 30;
/// Round trips without verdict after which growth stops. src: linux@6.12 net/ipv4/tcp_nv.c nv_stop_rtt_cnt
const STOP_RTTS: u8 = 10;
/// Round trips for a verdict of congestion. src: linux@6.12 net/ipv4/tcp_nv.c nv_rtt_min_cnt
const MIN_RTTS: u8 = 2;
/// Least window for a verdict, segments. src: linux@6.12 net/ipv4/tcp_nv.c NV_MIN_CWND
const MIN_CWND: u8 = 4;
/// By how much it rises. src: linux@6.12 net/ipv4/tcp_nv.c NV_MIN_CWND_GROW
const MIN_CWND_GROW: u8 = 2;
/// Up to where. src: linux@6.12 net/ipv4/tcp_nv.c NV_TSO_CWND_BOUND
const TSO_CWND_BOUND: u8 = 80;
/// No RTT measured. src: linux@6.12 net/ipv4/tcp_nv.c NV_INIT_RTT
const NO_RTT: u32 = u32::MAX;
/// Rates count in hundreds of bits a second: bytes a microsecond times this. src: linux@6.12 net/ipv4/tcp_nv.c tcpnv_acked
const RATE_SCALE: u64 = 80_000;

crate::params! {
    /// `[nv]`: the module's parameters.
    pub struct Params {
        /// Segments that may be queued.
        nv_pad: u32 = 10, in 2 => 1_000_000, unit "segments", src "linux@6.12 net/ipv4/tcp_nv.c";
        /// How often the least RTT is renewed, seconds; three to five quarters of it, at random.
        nv_reset_period: u32 = 5, in 1 => 1_000, unit "s", src "linux@6.12 net/ipv4/tcp_nv.c";
        /// Least window without loss, segments.
        nv_min_cwnd: u32 = 2, in 1 => 1_000_000, unit "segments", src "linux@6.12 net/ipv4/tcp_nv.c";
    }
}

/// New Vegas.
#[derive(Clone, Debug)]
pub struct Nv {
    p: Params,
    /// `nv_loss_dec_factor`.
    loss_dec: u32,
    random: Stream,
    /// When the least RTT is renewed, jiffies.
    min_rtt_reset: u64,
    /// log2 of growth against Reno's.
    growth_factor: i8,
    /// The window may grow.
    allow_growth: bool,
    /// Everything is to be measured anew.
    reset: bool,
    /// RTTs measured since the last verdict.
    eval_calls: u8,
    /// Below this window no verdict; segments.
    min_cwnd: u8,
    /// Round trips since the last verdict.
    rtt_cnt: u8,
    /// Smoothed RTT, microseconds; 0: none.
    last_rtt: u32,
    /// Least RTT, microseconds.
    min_rtt: u32,
    /// The next least RTT, microseconds.
    min_rtt_new: u32,
    /// Largest rate since the last verdict, 100 bit/s.
    max_rate: u32,
    /// The round trip ends beyond this.
    start_seq: u32,
    /// `snd_una` at the last ACK.
    last_una: u32,
    /// Verdicts without congestion in a row.
    no_cong: u32,
}

impl Nv {
    /// Starts.
    pub fn new(p: &Params, profile: &'static Profile, tp: &mut Tp) -> Nv {
        Nv {
            p: *p,
            loss_dec: profile.nv_loss_dec,
            random: Streams::new(u64::from(tp.snd_una)).get("tcp", "nv reset"),
            min_rtt_reset: tp.clock.jiffies + 2 * u64::from(tp.clock.hz),
            growth_factor: 0,
            allow_growth: true,
            reset: false,
            eval_calls: 0,
            min_cwnd: MIN_CWND,
            rtt_cnt: 0,
            last_rtt: 0,
            min_rtt: NO_RTT,
            min_rtt_new: NO_RTT,
            max_rate: 0,
            start_seq: tp.snd_una,
            last_una: tp.snd_una,
            no_cong: 0,
        }
    }

    /// `tcpnv_reset`.
    fn start_anew(&mut self, tp: &Tp) {
        (self.reset, self.no_cong, self.rtt_cnt, self.last_rtt) = (false, 0, 0, 0);
        (self.max_rate, self.eval_calls) = (0, 0);
        (self.start_seq, self.last_una) = (tp.snd_una, tp.snd_una);
    }

    /// Takes an RTT, and gives the smoothed one.
    fn measure(&mut self, tp: &Tp, sample: &AckSample) {
        let rtt = sample.rtt_us as u32;
        let avg = if self.last_rtt > 0 {
            ((u64::from(rtt) * RTT_FACTOR + u64::from(self.last_rtt) * (256 - RTT_FACTOR)) >> 8) as u32
        } else {
            self.min_rtt = rtt << 1;
            rtt
        };
        self.last_rtt = avg;
        let rate = (u64::from(sample.in_flight) * RATE_SCALE / u64::from(avg.max(1))) as u32;
        self.max_rate = self.max_rate.max(rate);
        self.eval_calls = self.eval_calls.saturating_add(1);
        self.min_rtt = self.min_rtt.min(avg);
        self.min_rtt_new = self.min_rtt_new.min(avg);
        if tp.clock.jiffies >= self.min_rtt_reset {
            self.min_rtt = self.min_rtt_new;
            self.min_rtt_new = NO_RTT;
            let r = 384 + self.random.below(256);
            let period = u64::from(self.p.nv_reset_period) * u64::from(r) * u64::from(tp.clock.hz);
            self.min_rtt_reset = tp.clock.jiffies + (period >> 9);
            self.min_cwnd = (self.min_cwnd / 2).max(MIN_CWND);
        }
    }

    /// The tolerated window is exceeded. True: the verdict stands.
    fn congested(&mut self, tp: &mut Tp, max_win: u32) -> bool {
        if self.rtt_cnt < MIN_RTTS {
            return false;
        }
        if tp.snd_ssthresh == INFINITE_SSTHRESH {
            if self.eval_calls < SSTHRESH_CALLS {
                return false;
            }
        } else if self.eval_calls < DEC_CALLS {
            if self.allow_growth && self.rtt_cnt > STOP_RTTS {
                self.allow_growth = false;
            }
            return false;
        }
        self.allow_growth = false;
        tp.snd_ssthresh = SSTHRESH_FACTOR.wrapping_mul(max_win) >> 3;
        let excess = tp.snd_cwnd - max_win;
        if excess > 2 {
            tp.snd_cwnd -= (excess.wrapping_mul(CONG_DEC) >> 7).max(2);
        } else {
            tp.snd_cwnd = max_win;
        }
        self.growth_factor = self.growth_factor.min(0);
        self.no_cong = 0;
        true
    }

    /// The window is well below the tolerated one. True: the verdict stands.
    fn idle(&mut self) -> bool {
        if self.eval_calls < INC_CALLS {
            return false;
        }
        self.allow_growth = true;
        self.no_cong += 1;
        if self.growth_factor < 0 && self.no_cong > GROWTH_NEG {
            self.growth_factor += 1;
            self.no_cong = 0;
        }
        true
    }
}

impl Control for Nv {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        (tp.snd_cwnd.wrapping_mul(self.loss_dec) >> 10).max(2)
    }

    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, mut acked: u32) {
        if !tp.cwnd_limits() || !self.allow_growth {
            return;
        }
        if tp.in_slow_start() {
            acked = slow_start(tp, acked);
            if acked == 0 {
                return;
            }
        }
        let cnt = if self.growth_factor < 0 {
            tp.snd_cwnd << -self.growth_factor
        } else {
            (tp.snd_cwnd >> self.growth_factor).max(4)
        };
        additive_increase(tp, cnt, acked);
    }

    fn set_state(&mut self, tp: &mut Tp, new: CaState) {
        if new == CaState::Open && self.reset {
            self.start_anew(tp);
        } else if matches!(new, CaState::Loss | CaState::Cwr | CaState::Recovery) {
            self.reset = true;
            self.allow_growth = false;
            if new == CaState::Loss {
                self.growth_factor = self.growth_factor.min(0);
                if self.growth_factor > -8 {
                    self.growth_factor -= 1;
                }
            }
        }
    }

    fn pkts_acked(&mut self, tp: &mut Tp, sample: &AckSample) {
        if sample.rtt_us < 0 || !matches!(tp.ca_state, CaState::Open | CaState::Disorder) {
            return;
        }
        let bytes_acked = tp.snd_una.wrapping_sub(self.last_una);
        self.last_una = tp.snd_una;
        if sample.in_flight == 0 {
            return;
        }
        self.measure(tp, sample);
        if !before(self.start_seq, tp.snd_una) {
            return;
        }
        self.start_seq = tp.snd_nxt;
        self.rtt_cnt = self.rtt_cnt.saturating_add(1);
        let mss = tp.mss_cache;
        // A single RTT in a whole round trip: the window is too small for what the devices gather.
        let small = bytes_acked >= u32::from(self.min_cwnd - 1) * mss && self.min_cwnd <= TSO_CWND_BOUND;
        if self.eval_calls == 1 && small {
            self.min_cwnd = (self.min_cwnd + MIN_CWND_GROW).min(TSO_CWND_BOUND + 1);
            self.start_seq = tp.snd_nxt.wrapping_add(u32::from(self.min_cwnd) * mss);
            self.eval_calls = 0;
            self.allow_growth = true;
            return;
        }
        let wanted = (u64::from(self.max_rate) * u64::from(self.min_rtt) / (RATE_SCALE * u64::from(mss))) as u32;
        let max_win = wanted + self.p.nv_pad;
        let verdict = if tp.snd_cwnd > max_win {
            self.congested(tp, max_win)
        } else {
            tp.snd_cwnd <= max_win - PAD_BUFFER && self.idle()
        };
        if verdict {
            (self.eval_calls, self.rtt_cnt, self.max_rate) = (0, 0, 0);
            tp.snd_cwnd = tp.snd_cwnd.max(self.p.nv_min_cwnd);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V6_12;

    /// A verdict at `cwnd` after `calls` RTTs of `rtt` in a second round trip, with a least RTT of 1 ms and 50 segments of 1000 bytes in flight.
    fn verdict(cwnd: u32, calls: u8, rtt: u32) -> (Nv, Tp) {
        let mut tp = Tp::new(1000, 0);
        let mut n = Nv::new(&Params::default(), &V6_12, &mut tp);
        (tp.mss_cache, tp.snd_cwnd, tp.snd_ssthresh) = (1_000, cwnd, 10);
        (n.last_rtt, n.min_rtt, n.rtt_cnt, n.eval_calls) = (rtt, 1_000, 1, calls - 1);
        (tp.snd_una, tp.snd_nxt) = (1, 1);
        n.pkts_acked(&mut tp, &AckSample { pkts_acked: 1, rtt_us: i64::from(rtt), in_flight: 50_000 });
        (n, tp)
    }

    #[test]
    fn the_excess_over_the_pad_is_given_up_by_three_tenths() {
        // By hand: 50 in flight at 2 ms are 25 at 1 ms; 35 are tolerated. Of 60, 25 are too many: 25 * 38 / 128 = 7 go.
        let (n, tp) = verdict(60, 60, 2_000);
        assert_eq!((tp.snd_cwnd, tp.snd_ssthresh, n.allow_growth, n.eval_calls), (53, 35, false, 0));
        // Two too many go at once.
        assert_eq!(verdict(37, 60, 2_000).1.snd_cwnd, 35);
        // 59 RTTs are too few for a verdict.
        assert_eq!(verdict(60, 59, 2_000).1.snd_cwnd, 60);
    }

    #[test]
    fn growth_needs_two_segments_of_room() {
        let (n, tp) = verdict(33, 20, 2_000);
        assert_eq!((tp.snd_cwnd, n.no_cong, n.eval_calls), (33, 1, 0));
        assert_eq!(verdict(34, 20, 2_000).0.no_cong, 0, "in between: no verdict");
        assert_eq!(verdict(33, 19, 2_000).0.no_cong, 0);
    }

    #[test]
    fn growth_after_timeouts() {
        let (mut n, mut tp) = verdict(20, 20, 1_000);
        n.set_state(&mut tp, CaState::Loss);
        assert_eq!((n.growth_factor, n.allow_growth), (-1, false));
        n.allow_growth = true;
        (tp.is_cwnd_limited, tp.snd_cwnd, tp.snd_cwnd_cnt) = (true, 20, 0);
        n.cong_avoid(&mut tp, 0, 39);
        assert_eq!(tp.snd_cwnd, 20);
        n.cong_avoid(&mut tp, 0, 1);
        assert_eq!(tp.snd_cwnd, 21, "half of Reno's growth");
    }
}
