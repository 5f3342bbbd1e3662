//! Westwood+: Reno that, after a loss, takes the window which the bandwidth measured so far would fill at the least RTT.
//!
//! Every 50 ms, or every RTT if that is longer, the bytes acknowledged give a bandwidth sample; two low-pass filters in a row, each 7/8 old
//! and 1/8 new, smooth it. A reduction ends at `bandwidth * least RTT`, two segments at least. RTT and time count in jiffies, so that the
//! result is coarse where the RTT is below a few of them.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_westwood.c; Mascolo et al.: TCP Westwood (MobiCom 2001). Differs: nothing.

use super::{AckSample, Control, Event, InAck, reno_cong_avoid, reno_ssthresh};
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

/// Shortest time for a sample, as a part of a second. src: linux@6.12 net/ipv4/tcp_westwood.c TCP_WESTWOOD_RTT_MIN
const SAMPLE_DIV: u32 = 20;
/// RTT before any is measured, seconds. src: linux@6.12 net/ipv4/tcp_westwood.c TCP_WESTWOOD_INIT_RTT
const INIT_RTT_S: u32 = 20;

crate::params! {
    /// `[westwood]`: nothing to set.
    pub struct Params {}
}

/// Westwood+.
#[derive(Clone, Debug)]
pub struct Westwood {
    /// Bandwidth after the first filter, bytes a jiffy.
    bw_ns_est: u32,
    /// Bandwidth after the second, bytes a jiffy.
    bw_est: u32,
    /// Beginning of the sample, jiffies.
    rtt_win_sx: u32,
    /// Acknowledged in the sample, bytes.
    bk: u32,
    /// Up to where it was counted.
    snd_una: u32,
    /// Counted for duplicate ACKs and not yet seen acknowledged, bytes.
    accounted: u32,
    /// Last RTT, jiffies.
    rtt: u32,
    /// Least RTT, jiffies.
    rtt_min: u32,
    /// No ACK was seen yet.
    first_ack: bool,
    /// The next RTT is the least.
    reset_rtt_min: bool,
}

impl Westwood {
    /// Starts.
    pub fn new(_: &Params, _: &'static Profile, tp: &mut Tp) -> Westwood {
        let rtt = INIT_RTT_S * tp.clock.hz;
        Westwood {
            bw_ns_est: 0,
            bw_est: 0,
            rtt_win_sx: tp.clock.j32(),
            bk: 0,
            snd_una: tp.snd_una,
            accounted: 0,
            rtt,
            rtt_min: rtt,
            first_ack: true,
            reset_rtt_min: true,
        }
    }

    /// `westwood_update_window` and `westwood_filter`.
    fn sample(&mut self, tp: &Tp) {
        let now = tp.clock.j32();
        let delta = now.wrapping_sub(self.rtt_win_sx);
        if self.first_ack {
            self.snd_una = tp.snd_una;
            self.first_ack = false;
        }
        if self.rtt == 0 || delta <= self.rtt.max(tp.clock.hz / SAMPLE_DIV) {
            return;
        }
        let bw = self.bk / delta;
        if self.bw_ns_est == 0 && self.bw_est == 0 {
            (self.bw_ns_est, self.bw_est) = (bw, bw);
        } else {
            let filter = |old: u32, new: u32| old.wrapping_mul(7).wrapping_add(new) >> 3;
            self.bw_ns_est = filter(self.bw_ns_est, bw);
            self.bw_est = filter(self.bw_est, self.bw_ns_est);
        }
        self.bk = 0;
        self.rtt_win_sx = now;
    }

    /// `westwood_acked_count`: bytes that an ACK stands for; a duplicate stands for a segment, which a later one must not count again.
    fn count(&mut self, tp: &Tp) -> u32 {
        let (mss, mut n) = (tp.mss_cache, tp.snd_una.wrapping_sub(self.snd_una));
        if n == 0 {
            self.accounted = self.accounted.wrapping_add(mss);
            n = mss;
        }
        if n > mss {
            if self.accounted >= n {
                self.accounted -= n;
                n = mss;
            } else {
                n -= self.accounted;
                self.accounted = 0;
            }
        }
        n
    }

    /// Least RTT, jiffies.
    #[cfg(test)]
    pub(in crate::tcp) fn rtt_min(&self) -> u32 {
        self.rtt_min
    }

    /// `tcp_westwood_bw_rttmin`.
    fn window(&self, tp: &Tp) -> u32 {
        (self.bw_est.wrapping_mul(self.rtt_min) / tp.mss_cache).max(2)
    }
}

impl Control for Westwood {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        reno_ssthresh(tp)
    }
    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        reno_cong_avoid(tp, acked);
    }

    fn hears_acks(&self) -> bool {
        true
    }

    fn in_ack(&mut self, tp: &mut Tp, ack: InAck) {
        self.sample(tp);
        let n = if ack.slow_path { self.count(tp) } else { tp.snd_una.wrapping_sub(self.snd_una) };
        self.bk = self.bk.wrapping_add(n);
        self.snd_una = tp.snd_una;
        self.rtt_min = if self.reset_rtt_min { self.rtt } else { self.rtt.min(self.rtt_min) };
        self.reset_rtt_min = false;
    }

    fn event(&mut self, tp: &mut Tp, event: Event) {
        match event {
            Event::CompleteCwr => {
                tp.snd_ssthresh = self.window(tp);
                tp.snd_cwnd = tp.snd_ssthresh;
            }
            Event::Loss => {
                tp.snd_ssthresh = self.window(tp);
                self.reset_rtt_min = true;
            }
            _ => {}
        }
    }

    fn pkts_acked(&mut self, tp: &mut Tp, sample: &AckSample) {
        if sample.rtt_us > 0 {
            self.rtt = tp.clock.us_to_jiffies(sample.rtt_us as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Time;
    use crate::tcp::profile::V6_12;

    #[test]
    fn a_reduction_ends_at_bandwidth_times_least_rtt() {
        // HZ 100, 125000 bytes and 12 ms of RTT (2 jiffies) every 10 ms: 12.5 Mbyte/s. A sample ends after more than 5 jiffies: 6.
        let mut tp = Tp::new(100, 0);
        tp.mss_cache = 1_250;
        let mut w = Westwood::new(&Params::default(), &V6_12, &mut tp);
        for i in 0..=600 {
            tp.clock.set(Time::from_ms(i * 10));
            tp.snd_una = i as u32 * 125_000;
            w.pkts_acked(&mut tp, &AckSample { pkts_acked: 1, rtt_us: 12_000, in_flight: 0 });
            w.in_ack(&mut tp, InAck::plain(false));
        }
        // Each filter stops where the difference is below 8.
        assert!((124_980..=125_000).contains(&w.bw_est), "{}", w.bw_est);
        w.event(&mut tp, Event::CompleteCwr);
        assert_eq!((tp.snd_cwnd, tp.snd_ssthresh), (199, 199));
    }

    #[test]
    fn duplicates_count_once() {
        let mut tp = Tp::new(100, 0);
        tp.mss_cache = 1_000;
        let mut w = Westwood::new(&Params::default(), &V6_12, &mut tp);
        w.in_ack(&mut tp, InAck::plain(true));
        w.in_ack(&mut tp, InAck::plain(true));
        assert_eq!((w.bk, w.accounted), (2_000, 2_000), "two duplicates are two segments");
        tp.snd_una = 5_000;
        w.in_ack(&mut tp, InAck::plain(true));
        assert_eq!((w.bk, w.accounted), (5_000, 0), "five were delivered, and no more");
    }
}
