//! Dynamic right-sizing: a buffer for twice of what a program reads in a round trip, and the receiver's own measure of that round trip.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_rcv_space_adjust`, `tcp_rcv_rtt_update`, `tcp_rcv_rtt_measure`, `tcp_rcv_rtt_measure_ts`; what
//! older kernels do otherwise there is in their profiles ([`RightSizing`], [`RcvRtt`]).

use super::window::{RATIO_SHIFT, Rcv};
use crate::tcp::clock::Clock;
use crate::tcp::profile::{RcvRtt, RightSizing};
use crate::tcp::seq::before;

impl Rcv {
    /// `tcp_rcv_rtt_update`; `window`: the sample is the time of a whole window.
    fn rtt_sample(&mut self, us: u32, window: bool) {
        let m = us << 3;
        if self.rtt_us == 0 || (m < self.rtt_us && (window || self.profile.rcv_rtt != RcvRtt::Windows)) {
            self.rtt_us = m;
        } else if !window {
            self.rtt_us = self.rtt_us - (self.rtt_us >> 3) + us;
        }
    }
    /// `tcp_rcv_rtt_measure`: how long a window takes.
    #[inline]
    pub fn measure_rtt(&mut self, c: &Clock) {
        if self.rtt_time != 0 {
            if before(self.rcv_nxt, self.rtt_seq) {
                return;
            }
            self.rtt_sample(c.us_since(self.rtt_time).max(1), true);
        }
        self.rtt_seq = self.rcv_nxt.wrapping_add(self.rcv_wnd);
        self.rtt_time = c.us;
    }
    /// `tcp_rcv_rtt_measure_ts`: by timestamp, once for each that the peer echoes.
    #[inline]
    pub fn measure_rtt_ts(&mut self, c: &Clock, len: u32) {
        let heard = if self.profile.rcv_rtt_each { 0 } else { self.last_tsecr };
        if self.tsecr == heard {
            return;
        }
        self.last_tsecr = self.tsecr;
        if len >= self.rcv_mss {
            let floor = u32::from(self.profile.rcv_rtt != RcvRtt::AnyMeasured);
            let ms = c.now_ts().wrapping_sub(self.tsecr).max(floor);
            if ms > 0 && ms < i32::MAX as u32 / 1_000 {
                self.rtt_sample(ms * 1_000, false);
            }
        }
    }
    /// The first data measures a round trip, though they echo what the ACK before them did, which completed the handshake.
    pub fn saw_no_tsecr(&mut self) {
        self.last_tsecr = 0;
    }
    /// A pure ACK brought a timestamp.
    pub fn saw_tsecr(&mut self) {
        self.last_tsecr = self.tsecr;
    }

    /// `tcp_rcv_space_adjust`: the application read; twice of what it reads in a round trip must fit the buffer, more while that grows.
    #[inline]
    pub fn adjust_space(&mut self, c: &Clock) {
        let time = c.us_since(self.space_time);
        if time < self.rtt_us >> 3 || self.rtt_us == 0 {
            return;
        }
        let rule = self.profile.right_sizing;
        let unread = if rule == RightSizing::GrowthLessUnread { self.unread() } else { 0 };
        let copied = self.copied_seq.wrapping_sub(self.space_seq).saturating_sub(unread);
        if copied > self.space {
            if !self.locked && self.moderates {
                let mut window = (u64::from(copied) << 1) + 16 * u64::from(self.advmss);
                window += match rule {
                    RightSizing::Steps if copied >= self.space + (self.space >> 1) => window,
                    RightSizing::Steps if copied >= self.space + (self.space >> 2) => window >> 1,
                    RightSizing::Steps => 0,
                    _ => (window * u64::from(copied - self.space) / u64::from(self.space.max(1))) << 1,
                };
                let buf = if self.profile.scaling_ratio {
                    (window << RATIO_SHIFT) / u64::from(self.ratio)
                } else {
                    window / u64::from(self.advmss) * u64::from(self.segment_memory())
                };
                let buf = buf.min(u64::from(self.rmem_max)) as u32;
                if buf > self.rcvbuf {
                    self.rcvbuf = buf;
                    self.window_clamp = self.window_of(buf);
                }
            }
            self.space = copied;
        }
        self.space_seq = self.copied_seq;
        self.space_time = c.us;
    }

    /// What a segment of the window is given where windows do not follow the measured payload share: an skb's memory, in steps of 128 bytes
    /// as much as gives a window of one segment.
    fn segment_memory(&self) -> u32 {
        let mut m = self.segment_mem();
        while self.window_of(m) < self.advmss {
            m += 128;
        }
        m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Time;
    use crate::tcp::config::Params;
    use crate::tcp::profile::{Profile, V4_14, V4_19, V5_4, V5_10_262, V6_12};

    /// A receiver of `profile` whose program reads so many bytes in its first round trip, 10 ms.
    fn after_reading(profile: &'static Profile, bytes: u32) -> Rcv {
        let mut r = Rcv::new(&Params::default(), profile);
        r.advmss = 1448;
        r.first_window();
        let mut c = Clock::new(1000);
        r.established(&c);
        r.rtt_us = 10_000 << 3;
        c.set(Time::from_ms(20));
        (r.rcv_nxt, r.copied_seq) = (bytes, bytes);
        r.adjust_space(&c);
        r
    }

    #[test]
    fn what_lowers_a_receivers_round_trip_and_whether_less_than_a_millisecond_counts() {
        // 10 ms so far; a timestamp of 4 ms ago, or of this millisecond, by hand: seven eighths of the former and an eighth of it, or it.
        for (profile, four, none) in [(&V5_4, 9_250, 8_875), (&V5_10_262, 4_000, 1_000), (&V6_12, 4_000, 10_000)] {
            for (ago_ms, us) in [(4, four), (0, none)] {
                let mut r = Rcv::new(&Params::default(), profile);
                let mut c = Clock::new(1000);
                c.set(Time::from_ms(100));
                (r.rtt_us, r.rcv_mss, r.tsecr) = (10_000 << 3, 1448, c.now_ts() - ago_ms);
                r.measure_rtt_ts(&c, 1448);
                assert_eq!(r.rtt_us >> 3, us, "{} {ago_ms}", profile.name);
            }
        }
    }

    #[test]
    fn right_sizing_makes_room_for_a_growing_sender() {
        // By hand: window = 2 * 60000 + 16 * 1448 = 143168; grown by 2 * 143168 * (60000 - 14480) / 14480 = 900138 (twice 450069);
        // memory at half payload: 2 * 1043306.
        assert_eq!(after_reading(&V6_12, 60_000).rcvbuf, 2 * (143_168 + 2 * 450_069));
    }

    #[test]
    fn before_5_0_a_buffer_grows_only_past_the_first_window() {
        // 18 segments read in a round trip: less than the first window of 20, more than 10.
        let first = 160 * 2_328;
        assert_eq!(after_reading(&V4_19, 18 * 1448).rcvbuf, first);
        // 40 of 5.4's first window of 45.
        assert!(after_reading(&V5_4, 40 * 1448).rcvbuf > 131_072);
    }

    #[test]
    fn steps_of_4_14() {
        // By hand: 2 * 100 + 16 = 216 segments, twice for growth by more than half; 2968 is the first of 2328 + n * 128 whose half holds 1448.
        assert_eq!(after_reading(&V4_14, 100 * 1448).rcvbuf, 432 * 2_968);
    }
}
