//! Smoothed RTT, its variation, the minimum, and the retransmission timeout that follows from them.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_rtt_estimator`, `tcp_set_rto`, `tcp_update_rtt_min`, `tcp_ack_update_rtt`.
//! Differs: D1 where a path takes no time (veth pairs, hosts without a CPU) a sample is of 1 us: no machine's clock stands still meanwhile,
//! and Linux would take a minimum of 0 for one of a jiffy.

use crate::tcp::sender::flag;
use crate::tcp::seq::after;
use crate::tcp::tp::Tp;

/// `TCP_RTO_MAX`, seconds. src: linux@6.12 include/net/tcp.h
pub const RTO_MAX_S: u32 = 120;

/// What an ACK measured, microseconds; negative: nothing.
#[derive(Clone, Copy, Debug)]
pub struct AckRtt {
    /// By the oldest segment that it acknowledges and that was sent once.
    pub seq_rtt: i64,
    /// By the oldest that it SACKs.
    pub sack_rtt: i64,
    /// By the newest of either, for congestion control.
    pub ca_rtt: i64,
}

/// Variation and timeout.
#[derive(Clone, Copy, Debug)]
pub struct Rtt {
    /// Smoothed deviation, microseconds << 2.
    pub mdev_us: u32,
    /// Its maximum of this round trip.
    pub mdev_max_us: u32,
    /// Smoothed maximum.
    pub rttvar_us: u32,
    /// End of the round trip.
    pub rtt_seq: u32,
    /// Retransmission timeout, jiffies.
    pub rto: u32,
    /// `icsk_backoff`: doublings of the zero-window probe's timeout.
    pub backoff: u8,
    /// [`Profile::echo_rtt_zero`](crate::tcp::profile::Profile::echo_rtt_zero).
    echo_zero: bool,
    /// Window of the minimum RTT, seconds. src: linux@6.12 net/ipv4/tcp_ipv4.c sysctl_tcp_min_rtt_wlen
    pub min_rtt_wlen_s: u32,
}

impl Rtt {
    /// Nothing measured: one second. src: rfc6298#2.1
    pub const fn new(hz: u32, echo_zero: bool) -> Rtt {
        Rtt {
            mdev_us: 1_000_000,
            mdev_max_us: 0,
            rttvar_us: 0,
            rtt_seq: 0,
            rto: hz,
            backoff: 0,
            echo_zero,
            min_rtt_wlen_s: 300,
        }
    }

    /// A measurement of `m` microseconds.
    pub fn sample(&mut self, tp: &mut Tp, m: i64, rto_min_us: u32) {
        let mut srtt = i64::from(tp.srtt_us);
        if srtt == 0 {
            srtt = m << 3;
            self.mdev_us = (m << 1) as u32;
            self.rttvar_us = self.mdev_us.max(rto_min_us);
            self.mdev_max_us = self.rttvar_us;
            self.rtt_seq = tp.snd_nxt;
        } else {
            let err = m - (srtt >> 3);
            srtt += err;
            // When the RTT falls, its deviation follows at an eighth of the pace, so that the timeout does not rise.
            let mut d = err.abs() - i64::from(self.mdev_us >> 2);
            if err < 0 && d > 0 {
                d >>= 3;
            }
            self.mdev_us = (i64::from(self.mdev_us) + d) as u32;
            if self.mdev_us > self.mdev_max_us {
                self.mdev_max_us = self.mdev_us;
                self.rttvar_us = self.rttvar_us.max(self.mdev_max_us);
            }
            if after(tp.snd_una, self.rtt_seq) {
                if self.mdev_max_us < self.rttvar_us {
                    self.rttvar_us -= (self.rttvar_us - self.mdev_max_us) >> 2;
                }
                self.rtt_seq = tp.snd_nxt;
                self.mdev_max_us = rto_min_us;
            }
        }
        tp.srtt_us = srtt.max(1) as u32;
    }

    /// The timeout without backoff, jiffies.
    pub fn set_rto(&mut self, tp: &Tp) {
        self.rto = tp.clock.us_to_jiffies((tp.srtt_us >> 3) + self.rttvar_us).min(RTO_MAX_S * tp.clock.hz);
    }

    /// `tcp_ack_update_rtt`: takes the measurements of an ACK, by the ACK's own timing first, by SACK or by the timestamp that it echoes
    /// (`tsecr`; 0: none) otherwise (microseconds, negative: none). Gives the RTT for congestion control, and whether there was a valid one.
    pub fn update(&mut self, tp: &mut Tp, flags: u32, tsecr: u32, rto_min_us: u32, m: AckRtt) -> (i64, bool) {
        let (mut seq_rtt, mut ca_rtt) = (if m.seq_rtt < 0 { m.sack_rtt } else { m.seq_rtt }, m.ca_rtt);
        let mut least = 1_i64;
        if seq_rtt < 0 && tsecr != 0 && flags & flag::ACKED != 0 {
            // Only retransmitted data were acknowledged: the timestamp tells which transmission. src: rfc7323#4.1
            let ms = tp.clock.now_ts().wrapping_sub(tsecr);
            if self.echo_zero && ms == 0 {
                least = 0;
            }
            if ms < i32::MAX as u32 / 1_000 {
                seq_rtt = i64::from(ms.max(least as u32)) * 1_000;
                ca_rtt = seq_rtt;
            }
        }
        if seq_rtt < 0 {
            return (ca_rtt, false);
        }
        (seq_rtt, ca_rtt) = (seq_rtt.max(least), if ca_rtt == 0 { least } else { ca_rtt });
        update_min_rtt(tp, ca_rtt as u32, flags, self.min_rtt_wlen_s);
        self.sample(tp, seq_rtt, rto_min_us);
        self.set_rto(tp);
        self.backoff = 0;
        (ca_rtt, true)
    }
}

/// `tcp_update_rtt_min`.
fn update_min_rtt(tp: &mut Tp, rtt_us: u32, flags: u32, window_s: u32) {
    // A lone ACK that was probably delayed must not become the minimum when the old one expires.
    if flags & flag::MAYBE_DELAYED != 0 && rtt_us > tp.min_rtt_us() {
        return;
    }
    let c = tp.clock;
    let v = if rtt_us == 0 { c.jiffies_to_us(1) } else { rtt_us };
    tp.rtt_min.min(window_s * c.hz, c.j32(), v);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_rtt_gives_the_least_timeout() {
        // First sample 100 ms: srtt 100 ms, deviation 200 ms << 0 -> rto 300 ms. Then steady: rttvar falls to the least, 200 ms.
        let mut tp = Tp::new(1000, 0);
        let mut r = Rtt::new(1000, false);
        r.sample(&mut tp, 100_000, 200_000);
        r.set_rto(&tp);
        assert_eq!((tp.srtt_us >> 3, r.rto), (100_000, 300));
        for i in 1..200 {
            tp.snd_una = i * 10;
            tp.snd_nxt = i * 10 + 5;
            r.sample(&mut tp, 100_000, 200_000);
        }
        r.set_rto(&tp);
        assert_eq!(r.rto, 300);
        // By hand: error 80 ms: srtt 110 ms; the deviation's 3/4 and 80 ms give less than 200 ms: rto 310 ms.
        r.sample(&mut tp, 180_000, 200_000);
        r.set_rto(&tp);
        assert_eq!((tp.srtt_us >> 3, r.rto), (110_000, 310));
    }

    /// Retransmitted and acknowledged within one millisecond: 4.19 takes it for no time at all, and the least that it keeps is a jiffy.
    #[test]
    fn an_echo_of_the_same_millisecond_was_no_time() {
        for (zero, least, srtt) in [(false, 1_000, 1_000), (true, 10_000, 0)] {
            let mut tp = Tp::new(100, 0);
            let mut r = Rtt::new(100, zero);
            let now = tp.clock.now_ts();
            let m = AckRtt { seq_rtt: -1, sack_rtt: -1, ca_rtt: -1 };
            r.update(&mut tp, flag::ACKED, now.max(1), 200_000, m);
            assert_eq!((tp.min_rtt_us(), tp.srtt_us >> 3), (least, srtt));
        }
    }
}
