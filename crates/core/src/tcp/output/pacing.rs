//! The pacing rate: computed after every ACK, for it sets the limits of TSQ and the size of GSO skbs; enforced only if somebody asks.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_update_pacing_rate`, net/ipv4/tcp_output.c `tcp_pacing_check`,
//! `tcp_update_skb_after_send`; before 4.20 `tcp_internal_pacing`, `tcp_pacing_check` and `tcp_pace_kick` of 4.13 to 4.19: a timer, and no
//! departure time. A packet's earliest departure time goes down in `Packet::born`, where an `fq` finds it; before 4.20 that
//! asks for the rate.

use crate::sim::Time;
use crate::tcp::cc::Control;
use crate::tcp::socket::Socket;
use crate::tcp::tp::{Pacing, Tp};

/// Segments that leave unpaced. src: linux@6.12 net/ipv4/tcp_output.c tcp_update_skb_after_send
const UNPACED: u64 = 10;
/// Bytes of IPv4's header.
const IP_HEADER: u32 = 20;

/// The rate after an ACK, bytes a second; ratios in percent.
#[inline]
pub fn rate(tp: &Tp, ss_ratio: u32, ca_ratio: u32) -> u64 {
    let ratio = if tp.snd_cwnd < tp.snd_ssthresh / 2 { ss_ratio } else { ca_ratio };
    // mss * cwnd / srtt, where srtt counts in eighths of a microsecond and the ratio in hundredths.
    let r =
        u64::from(tp.mss_cache) * (1_000_000 / 100 * 8) * u64::from(ratio) * u64::from(tp.snd_cwnd.max(tp.packets_out));
    if tp.srtt_us != 0 { r / u64::from(tp.srtt_us) } else { r }
}

/// How long `bytes` take at `rate` bytes a second, nanoseconds; `None`: nothing paces.
#[inline]
fn gap(bytes: u32, rate: u64) -> Option<u64> {
    let paces = rate != 0 && rate != u64::MAX;
    paces.then(|| (u128::from(bytes) * 1_000_000_000 / u128::from(rate)) as u64)
}

impl Socket {
    /// `tcp_update_pacing_rate`.
    #[inline]
    pub(in crate::tcp) fn update_pacing_rate(&mut self) {
        let p = &self.params;
        let (ss, ca) = if self.profile.paces_double { (200, 200) } else { (p.pacing_ss_ratio, p.pacing_ca_ratio) };
        self.tp.pacing_rate = rate(&self.tp, ss, ca).min(self.tp.max_pacing_rate);
    }

    /// `tcp_pacing_check`: true, the next packet must wait for its time.
    #[inline]
    pub(in crate::tcp) fn pacing_holds(&mut self) -> bool {
        if self.tp.pacing_status != Pacing::Needed {
            return false;
        }
        if !self.profile.edt {
            return !self.timers.pacing.is_never();
        }
        if self.tp.wstamp_ns <= self.tp.clock.ns {
            return false;
        }
        if self.timers.pacing.is_never() {
            self.timers.pacing = Time::from_ns(self.tp.wstamp_ns);
        }
        true
    }

    /// `SO_MAX_PACING_RATE`, bytes a second: who asks for it is paced.
    pub fn set_max_pacing_rate(&mut self, most: u64) {
        self.tp.max_pacing_rate = most;
        self.tp.pacing_rate = self.tp.pacing_rate.min(most);
        if most != u64::MAX && self.tp.pacing_status == Pacing::None {
            self.tp.pacing_status = Pacing::Needed;
        }
    }

    /// An `fq` qdisc stands below (or no longer): it enforces the pacing rate, the socket's timer need not.
    pub fn on_fq(&mut self, below: bool) {
        let asked = self.params.enforce_pacing || self.tp.max_pacing_rate != u64::MAX;
        let needed = asked || self.ca.has_cong_control();
        self.tp.pacing_status = match (below, needed) {
            (true, _) => Pacing::Fq,
            (false, true) => Pacing::Needed,
            (false, false) => Pacing::None,
        };
    }

    /// The pacing rate, where an `fq` below looks it up by itself (before 4.20).
    #[inline]
    pub fn rate_for_fq(&self) -> Option<u64> {
        (self.tp.pacing_status == Pacing::Fq && !self.profile.edt).then_some(self.tp.pacing_rate)
    }

    /// `tcp_internal_pacing` of 4.13 to 4.19: a timer that starts as a packet of `len` bytes that brings data leaves, its IP header not
    /// counted, whether or not it gets through the host. What was lost before is not made good.
    #[inline]
    pub(in crate::tcp) fn start_pacing_timer(&mut self, len: u32) {
        if self.profile.edt || self.tp.pacing_status != Pacing::Needed {
            return;
        }
        if let Some(len_ns) = gap(len - IP_HEADER, self.tp.pacing_rate) {
            self.timers.pacing = Time::from_ns(self.tp.clock.ns + len_ns);
        }
    }

    /// `tcp_update_skb_after_send`: when the packet after one of `len` bytes may leave. `prior` is the departure time before this one.
    #[inline]
    pub(in crate::tcp) fn pace_after(&mut self, len: u32, prior: u64) {
        let tp = &mut self.tp;
        if !self.profile.edt || tp.pacing_status == Pacing::None || self.stats.data_segs_out < UNPACED {
            return;
        }
        let Some(len_ns) = gap(len, tp.pacing_rate) else { return };
        // Half of a delay of the host itself is made good.
        let credit = tp.wstamp_ns - prior;
        tp.wstamp_ns += len_ns - (len_ns / 2).min(credit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::{V3_18, V4_19, V6_12};
    use crate::tcp::tests::pair::sender;

    #[test]
    fn before_4_20_a_timer_makes_nothing_good() {
        // 1448 bytes at 100 Mbyte/s take 14.48 us, with 32 of TCP header 14.8 us. The skb leaves 4 us late, at 104 us.
        for (profile, timer_ns, departure_ns) in
            [(&V4_19, 104_000 + 14_800, 104_000), (&V6_12, 104_000 + 14_480 - 4_000, 104_000 + 14_480 - 4_000)]
        {
            let mut s = sender(Cc::Bbr, profile);
            s.on_fq(false);
            s.tp.clock.set(Time::from_us(104));
            s.stats.data_segs_out = 100;
            (s.tp.pacing_rate, s.tp.wstamp_ns) = (100_000_000, 104_000);
            s.start_pacing_timer(1_448 + 52);
            s.pace_after(1_448, 100_000);
            assert!(s.pacing_holds());
            assert_eq!((s.timers.pacing, s.tp.wstamp_ns), (Time::from_ns(timer_ns), departure_ns), "{}", profile.name);
        }
    }

    #[test]
    fn before_4_3_it_is_twice_the_rate_in_avoidance_too() {
        for (profile, percent) in [(&V3_18, 200), (&V4_19, 120)] {
            let mut s = sender(Cc::Reno, profile);
            (s.tp.mss_cache, s.tp.snd_cwnd, s.tp.snd_ssthresh, s.tp.srtt_us) = (1_000, 20, 10, 10_000 * 8);
            s.update_pacing_rate();
            assert_eq!(s.tp.pacing_rate, 2_000_000 * percent / 100, "{}", profile.name);
        }
    }

    #[test]
    fn the_reference_traces_rate() {
        // L100M-pfifo-tsq1-rtt1-reno at 0.2 s: cwnd 68, srtt 3.667 ms, slow start: 429.56 Mbit/s (srtt is rounded in the trace).
        let mut tp = Tp::new(100, 0);
        (tp.mss_cache, tp.snd_cwnd, tp.packets_out, tp.srtt_us) = (1448, 68, 32, 3_667 * 8);
        let r = rate(&tp, 200, 120) * 8;
        assert!(r.abs_diff(429_563_456) < 100_000, "{r}");
        // ...-cubic at 0.2 s: cwnd 30, ssthresh 29, srtt 2.211 ms: 188.54 Mbit/s.
        (tp.snd_cwnd, tp.snd_ssthresh, tp.packets_out, tp.srtt_us) = (30, 29, 19, 2_211 * 8);
        let r = rate(&tp, 200, 120) * 8;
        assert!(r.abs_diff(188_538_680) < 100_000, "{r}");
    }
}
