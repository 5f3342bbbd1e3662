//! CUBIC: after a loss the window returns to where the loss was along a cubic of time, lingers there, then probes ever faster.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_cubic.c, whose integers (window and K in 1/1024 s, time in jiffies) are kept; RFC 8312. Its form before
//! 4.0, for senders that count ACKs (`Tp::counts_acks`): the step is divided by how many segments an ACK acknowledges on average, and may be one
//! an ACK (9cd981dcf174); the cubic moves with every ACK (d6b1a8a92a14); idleness counts as time on the curve (30927520dbae, 4.3).
//! Differs: D1 the cube root is exact; Linux's table and one Newton step are off by up to 0.15 %. With HyStart's D1.

use super::hystart::{Hystart, Settings};
use super::{AckSample, Control, Event, additive_increase, slow_start};
use crate::tcp::profile::Profile;
use crate::tcp::seq::after;
use crate::tcp::tp::{CaState, Tp};

/// Scale of `beta`. src: linux@6.12 net/ipv4/tcp_cubic.c BICTCP_BETA_SCALE
const BETA_SCALE: u32 = 1_024;
/// log2 of the ticks a second in which K counts. src: linux@6.12 net/ipv4/tcp_cubic.c BICTCP_HZ
const CUBIC_HZ: u32 = 10;
/// Binary places of the segments an ACK, and their bound. src: linux@3.18 net/ipv4/tcp_cubic.c ACK_RATIO_SHIFT, ACK_RATIO_LIMIT
const ACK_SHIFT: u32 = 4;
const ACK_LIMIT: u32 = 32 << ACK_SHIFT;

crate::params! {
    /// `[cubic]`: the module's parameters.
    pub struct Params {
        /// Releases bandwidth faster when the window shrinks from loss to loss.
        fast_convergence: bool = true, src "linux@6.12 net/ipv4/tcp_cubic.c";
        /// Window after a loss, in 1/1024 of the window before it.
        beta: u32 = 717, in 1 => 1_023, src "linux@6.12 net/ipv4/tcp_cubic.c";
        /// Threshold of the first slow start where HyStart is off; 0: none. Segments.
        initial_ssthresh: u32 = 0, unit "segments", src "linux@6.12 net/ipv4/tcp_cubic.c";
        /// C of the cubic, in 1/1024.
        bic_scale: u32 = 41, in 1 => 1_024, src "linux@6.12 net/ipv4/tcp_cubic.c";
        /// Grows at least as Reno would.
        tcp_friendliness: bool = true, src "linux@6.12 net/ipv4/tcp_cubic.c";
        /// HyStart.
        hystart: bool = true, src "linux@6.12 net/ipv4/tcp_cubic.c";
        /// HyStart's detectors: 1 ACK train, 2 delay, 3 both.
        hystart_detect: u8 = 3, in 0 => 3, src "linux@6.12 net/ipv4/tcp_cubic.c";
        /// Window below which HyStart stays silent, segments.
        hystart_low_window: u32 = 16, unit "segments", src "linux@6.12 net/ipv4/tcp_cubic.c";
        /// Spacing of ACKs that still count as a train, microseconds.
        hystart_ack_delta_us: u32 = 2_000, unit "us", src "linux@6.12 net/ipv4/tcp_cubic.c";
    }
}

/// What ACKs change.
#[derive(Clone, Debug)]
pub struct Cubic {
    p: Params,
    /// One segment more every so many acknowledged.
    cnt: u32,
    /// Window at the last loss, segments.
    last_max_cwnd: u32,
    /// Window at the last computation, segments.
    last_cwnd: u32,
    /// When that was, jiffies.
    last_time: u32,
    /// Window of the cubic's plateau, segments.
    origin_point: u32,
    /// From the epoch's beginning to the plateau, 1/1024 s.
    k: u32,
    /// Least RTT, in HyStart's unit.
    delay_min: u32,
    /// Beginning of the epoch, jiffies; 0: none.
    epoch_start: u32,
    /// Acknowledged in the epoch, segments.
    ack_cnt: u32,
    /// Window that Reno would have, segments.
    tcp_cwnd: u32,
    /// Segments an ACK, smoothed over 16 ACKs, << ACK_SHIFT. Before 4.0 only.
    delayed_ack: u32,
    hystart: Hystart,
}

impl Cubic {
    /// Starts.
    pub fn new(p: &Params, profile: &'static Profile, tp: &mut Tp) -> Cubic {
        if !p.hystart && p.initial_ssthresh != 0 {
            tp.snd_ssthresh = p.initial_ssthresh;
        }
        Cubic {
            p: *p,
            cnt: 0,
            last_max_cwnd: 0,
            last_cwnd: 0,
            last_time: 0,
            origin_point: 0,
            k: 0,
            delay_min: 0,
            epoch_start: 0,
            ack_cnt: 0,
            tcp_cwnd: 0,
            delayed_ack: 2 << ACK_SHIFT,
            hystart: Hystart::new(profile, tp),
        }
    }

    /// `bictcp_update`: sets `cnt` for a window of `cwnd`.
    fn update(&mut self, tp: &Tp, cwnd: u32, acked: u32) {
        let (now, hz) = (tp.clock.j32(), tp.clock.hz);
        self.ack_cnt += acked;
        if self.last_cwnd == cwnd && now.wrapping_sub(self.last_time) as i32 <= (hz / 32) as i32 {
            return;
        }
        // The cubic moves once a jiffy; Reno's window with every ACK.
        if self.epoch_start == 0 || now != self.last_time || tp.counts_acks {
            self.last_cwnd = cwnd;
            self.last_time = now;
            if self.epoch_start == 0 {
                self.begin_epoch(now, cwnd, acked);
            }
            self.cnt = self.cubic_cnt(tp, cwnd, now);
        }
        if self.p.tcp_friendliness {
            self.reno_cnt(cwnd);
        }
        self.cnt = if tp.counts_acks {
            ((self.cnt << ACK_SHIFT) / self.delayed_ack).max(1)
        } else {
            // At most one more for every two acknowledged.
            self.cnt.max(2)
        };
    }

    fn begin_epoch(&mut self, now: u32, cwnd: u32, acked: u32) {
        self.epoch_start = now;
        self.ack_cnt = acked;
        self.tcp_cwnd = cwnd;
        if self.last_max_cwnd <= cwnd {
            self.k = 0;
            self.origin_point = cwnd;
        } else {
            // K = cbrt((Wmax - cwnd) / (C/RTT)) with RTT = 100 ms, in 1/1024 s.
            let factor = (1u64 << (10 + 3 * CUBIC_HZ)) / u64::from(self.p.bic_scale * 10);
            self.k = cube_root(factor * u64::from(self.last_max_cwnd - cwnd));
            self.origin_point = self.last_max_cwnd;
        }
    }

    fn cubic_cnt(&self, tp: &Tp, cwnd: u32, now: u32) -> u32 {
        let since = now.wrapping_sub(self.epoch_start) as i32 as i64 as u64;
        let min_delay = tp.clock.us_to_jiffies(self.hystart.delay_us(self.delay_min));
        let t = (since.wrapping_add(u64::from(min_delay)) << CUBIC_HZ) / u64::from(tp.clock.hz);
        let k = u64::from(self.k);
        let offs = t.abs_diff(k);
        let delta = (u64::from(self.p.bic_scale * 10).wrapping_mul(offs.wrapping_pow(3)) >> (10 + 3 * CUBIC_HZ)) as u32;
        let target = if t < k { self.origin_point.wrapping_sub(delta) } else { self.origin_point.wrapping_add(delta) };
        let cnt = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        // Without a loss yet the cubic is too timid: 5 % a round trip at least.
        if self.last_max_cwnd == 0 { cnt.min(20) } else { cnt }
    }

    fn reno_cnt(&mut self, cwnd: u32) {
        let scale = 8 * (BETA_SCALE + self.p.beta) / 3 / (BETA_SCALE - self.p.beta);
        let delta = (cwnd * scale) >> 3;
        if delta == 0 {
            return;
        }
        while self.ack_cnt > delta {
            self.ack_cnt -= delta;
            self.tcp_cwnd += 1;
        }
        if self.tcp_cwnd > cwnd {
            self.cnt = self.cnt.min(cwnd / (self.tcp_cwnd - cwnd));
        }
    }
}

impl Control for Cubic {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        self.epoch_start = 0;
        let shrinks = tp.snd_cwnd < self.last_max_cwnd && self.p.fast_convergence;
        self.last_max_cwnd =
            if shrinks { tp.snd_cwnd * (BETA_SCALE + self.p.beta) / (2 * BETA_SCALE) } else { tp.snd_cwnd };
        (tp.snd_cwnd * self.p.beta / BETA_SCALE).max(2)
    }

    fn cong_avoid(&mut self, tp: &mut Tp, ack: u32, mut acked: u32) {
        if !tp.cwnd_limits() {
            return;
        }
        if tp.in_slow_start() {
            if self.p.hystart {
                self.hystart.cong_avoid(tp, ack);
            }
            acked = slow_start(tp, acked);
            if acked == 0 {
                return;
            }
        }
        self.update(tp, tp.snd_cwnd, acked);
        additive_increase(tp, self.cnt, acked);
    }

    fn set_state(&mut self, tp: &mut Tp, new: CaState) {
        if new == CaState::Loss {
            (self.cnt, self.last_max_cwnd, self.last_cwnd, self.last_time) = (0, 0, 0, 0);
            (self.origin_point, self.k, self.delay_min, self.epoch_start) = (0, 0, 0, 0);
            (self.ack_cnt, self.tcp_cwnd, self.delayed_ack) = (0, 0, 2 << ACK_SHIFT);
            self.hystart.found = false;
            self.hystart.new_round(tp);
        }
    }

    fn event(&mut self, tp: &mut Tp, event: Event) {
        if event != Event::TxStart || tp.counts_acks {
            return;
        }
        // The application was idle: the epoch moves along, so that idleness does not count as time on the curve.
        let now = tp.clock.j32();
        let delta = now.wrapping_sub(tp.lsndtime) as i32;
        if self.epoch_start != 0 && delta > 0 {
            self.epoch_start = self.epoch_start.wrapping_add(delta as u32);
            if after(self.epoch_start, now) {
                self.epoch_start = now;
            }
        }
    }

    fn pkts_acked(&mut self, tp: &mut Tp, sample: &AckSample) {
        if tp.counts_acks && tp.ca_state == CaState::Open {
            let ratio = self.delayed_ack - (self.delayed_ack >> ACK_SHIFT) + sample.pkts_acked;
            self.delayed_ack = ratio.clamp(1, ACK_LIMIT);
        }
        if sample.rtt_us < 0 {
            return;
        }
        // Delays right after a recovery are not the path's.
        let now = tp.clock.j32();
        if self.epoch_start != 0 && (now.wrapping_sub(self.epoch_start) as i32) < tp.clock.hz as i32 {
            return;
        }
        let delay = self.hystart.delay_units(sample.rtt_us as u32);
        if self.delay_min == 0 || self.delay_min > delay {
            self.delay_min = delay;
        }
        if !self.hystart.found && tp.in_slow_start() && self.p.hystart {
            let s = Settings {
                train: self.p.hystart_detect & 1 != 0,
                delay: self.p.hystart_detect & 2 != 0,
                low_window: self.p.hystart_low_window,
                ack_delta_us: self.p.hystart_ack_delta_us,
            };
            if self.hystart.update(&s, tp, delay, self.delay_min) {
                tp.snd_ssthresh = tp.snd_cwnd;
            }
        }
    }
}

/// The largest whole number whose cube is not above `a`.
fn cube_root(a: u64) -> u32 {
    let mut x = 0u64;
    for bit in (0..22).rev() {
        let y = x | 1 << bit;
        if y.checked_pow(3).is_some_and(|c| c <= a) {
            x = y;
        }
    }
    x as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Time;
    use crate::tcp::profile::{V3_18, V6_12};

    #[test]
    fn cube_roots() {
        for (a, r) in [(0, 0), (1, 1), (7, 1), (8, 2), (26, 2), (27, 3), (999_999_999, 999), (1_000_000_000, 1000)] {
            assert_eq!(cube_root(a), r);
        }
        assert_eq!(cube_root(u64::MAX), 2_642_245);
    }

    #[test]
    fn k_of_a_loss_at_1000() {
        // By hand: beta 717/1024 leaves 700 of 1000; K = cbrt(300 * 0.1 / 0.04004) s = 9.0817 s = 9300/1024 s.
        let mut tp = Tp::new(1000, 0);
        tp.clock.set(Time::from_s(10));
        let mut c = Cubic::new(&Params::default(), &V6_12, &mut tp);
        tp.snd_cwnd = 1000;
        assert_eq!(c.ssthresh(&mut tp), 700);
        tp.snd_cwnd = 700;
        tp.snd_ssthresh = 700;
        tp.is_cwnd_limited = true;
        c.cong_avoid(&mut tp, 0, 1);
        assert!((9_290..=9_310).contains(&c.k), "{}", c.k);
        assert_eq!(c.origin_point, 1000);
    }

    #[test]
    fn the_window_comes_back_after_k() {
        // 700 after a loss at 1000; 10 ms RTT, one ACK a segment: after K (9.1 s) it stands near 1000 again.
        let mut tp = Tp::new(1000, 0);
        tp.clock.set(Time::from_s(10));
        let mut c = Cubic::new(&Params { tcp_friendliness: false, ..Params::default() }, &V6_12, &mut tp);
        tp.snd_cwnd = 1000;
        c.ssthresh(&mut tp);
        (tp.snd_cwnd, tp.snd_ssthresh, tp.is_cwnd_limited) = (700, 700, true);
        let mut ns = 10_000_000_000u64;
        while ns < 19_082_000_000 {
            ns += 100_000_000 / u64::from(tp.snd_cwnd);
            tp.clock.set(Time::from_ns(ns));
            c.cong_avoid(&mut tp, 0, 1);
        }
        assert!((985..=1_001).contains(&tp.snd_cwnd), "{}", tp.snd_cwnd);
    }

    #[test]
    fn before_4_0_a_step_takes_fewer_acks_the_more_each_acknowledges() {
        // A window of 1000 on the plateau, without Reno's part, after as many ACKs of `segs` as the average needs: 100 windows a step.
        let cnt = |segs| {
            let mut tp = Tp::new(1000, 0);
            (tp.counts_acks, tp.snd_cwnd, tp.snd_ssthresh, tp.is_cwnd_limited) = (true, 1_000, 700, true);
            let mut c = Cubic::new(&Params { tcp_friendliness: false, ..Params::default() }, &V3_18, &mut tp);
            for _ in 0..200 {
                c.pkts_acked(&mut tp, &AckSample { pkts_acked: segs, rtt_us: -1, in_flight: 0 });
            }
            c.last_max_cwnd = 1_000;
            c.cong_avoid(&mut tp, 0, 1);
            (c.cnt, c.delayed_ack)
        };
        // It begins at 2, falls to 31/16 only where each acknowledges one (31 >> 4 is 1), and is 32 at most.
        assert_eq!((cnt(1), cnt(2)), ((100_000 * 16 / 31, 31), (100_000 / 2, 32)));
        assert_eq!((cnt(4), cnt(60)), ((100_000 / 4, 64), (100_000 / 32, 512)));
    }

    #[test]
    fn fast_convergence_gives_way() {
        let mut tp = Tp::new(1000, 0);
        let mut c = Cubic::new(&Params::default(), &V6_12, &mut tp);
        tp.snd_cwnd = 100;
        assert_eq!(c.ssthresh(&mut tp), 70);
        assert_eq!(c.last_max_cwnd, 100);
        tp.snd_cwnd = 90;
        assert_eq!(c.ssthresh(&mut tp), 63);
        // 90 * (1024 + 717) / 2048 = 76.5
        assert_eq!(c.last_max_cwnd, 76);
    }
}
