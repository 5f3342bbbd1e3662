//! HighSpeed: the larger the window, the more it grows a round trip and the less it loses, by a table.
//!
//! At a window of `w` it grows by `a(w)` segments a round trip and gives up the part `b(w)` on loss. Both come from the response function of
//! RFC 3649; row `i` of the table is the largest window that still grows by `i + 1`. Up to 38 segments it is Reno.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_highspeed.c; RFC 3649. Differs: nothing.

use super::{Control, slow_start};
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

/// Window up to which a row holds, segments, and its `b`, in 1/256. src: rfc3649#B; linux@6.12 net/ipv4/tcp_highspeed.c hstcp_aimd_vals
#[rustfmt::skip]
const AIMD: [(u32, u32); 72] = [
    (38, 128), (118, 112), (221, 104), (347, 98), (495, 93), (663, 89), (851, 86), (1_058, 83), (1_284, 81),
    (1_529, 78), (1_793, 76), (2_076, 74), (2_378, 72), (2_699, 71), (3_039, 69), (3_399, 68), (3_778, 66),
    (4_177, 65), (4_596, 64), (5_036, 62), (5_497, 61), (5_979, 60), (6_483, 59), (7_009, 58), (7_558, 57),
    (8_130, 56), (8_726, 55), (9_346, 54), (9_991, 53), (10_661, 52), (11_358, 52), (12_082, 51), (12_834, 50),
    (13_614, 49), (14_424, 48), (15_265, 48), (16_137, 47), (17_042, 46), (17_981, 45), (18_955, 45), (19_965, 44),
    (21_013, 43), (22_101, 43), (23_230, 42), (24_402, 41), (25_618, 41), (26_881, 40), (28_193, 39), (29_557, 39),
    (30_975, 38), (32_450, 38), (33_986, 37), (35_586, 36), (37_253, 36), (38_992, 35), (40_808, 35), (42_707, 34),
    (44_694, 33), (46_776, 33), (48_961, 32), (51_258, 32), (53_677, 31), (56_230, 30), (58_932, 30), (61_799, 29),
    (64_851, 28), (68_113, 28), (71_617, 27), (75_401, 26), (79_517, 26), (84_035, 25), (89_053, 24),
];
/// Largest window. src: linux@6.12 net/ipv4/tcp_highspeed.c hstcp_init
const CLAMP: u32 = u32::MAX / 128;

crate::params! {
    /// `[highspeed]`: nothing to set.
    pub struct Params {}
}

/// HighSpeed.
#[derive(Clone, Debug)]
pub struct Highspeed {
    /// Row of the table: the window grows by one more than this a round trip.
    ai: usize,
}

impl Highspeed {
    /// Starts.
    pub fn new(_: &Params, _: &'static Profile, tp: &mut Tp) -> Highspeed {
        tp.snd_cwnd_clamp = tp.snd_cwnd_clamp.min(CLAMP);
        Highspeed { ai: 0 }
    }
}

impl Control for Highspeed {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        (tp.snd_cwnd - (tp.snd_cwnd.wrapping_mul(AIMD[self.ai].1) >> 8)).max(2)
    }

    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        if !tp.cwnd_limits() {
            return;
        }
        if tp.in_slow_start() {
            slow_start(tp, acked);
            return;
        }
        while tp.snd_cwnd > AIMD[self.ai].0 && self.ai < AIMD.len() - 1 {
            self.ai += 1;
        }
        while self.ai > 0 && tp.snd_cwnd <= AIMD[self.ai - 1].0 {
            self.ai -= 1;
        }
        // Once an ACK, however much it acknowledges.
        if tp.snd_cwnd < tp.snd_cwnd_clamp {
            tp.snd_cwnd_cnt += self.ai as u32 + 1;
            if tp.snd_cwnd_cnt >= tp.snd_cwnd {
                tp.snd_cwnd_cnt -= tp.snd_cwnd;
                tp.snd_cwnd += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V6_12;

    fn after_acks(cwnd: u32, acks: u32) -> (Highspeed, Tp) {
        let mut tp = Tp::new(1000, 0);
        let mut h = Highspeed::new(&Params::default(), &V6_12, &mut tp);
        (tp.snd_cwnd, tp.snd_ssthresh, tp.is_cwnd_limited) = (cwnd, 2, true);
        for _ in 0..acks {
            h.cong_avoid(&mut tp, 0, 1);
        }
        (h, tp)
    }

    #[test]
    fn rows_of_the_rfc() {
        // RFC 3649, appendix B: (w, a, b) = (38, 1, 0.50), (118, 2, 0.44), (1058, 8, 0.33), (84035, 71, 0.10).
        assert_eq!((AIMD[0], AIMD[1], AIMD[7], AIMD[70]), ((38, 128), (118, 112), (1_058, 83), (84_035, 25)));
        assert!(AIMD.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 >= w[1].1));
    }

    #[test]
    fn growth_and_loss_at_the_edges_of_a_row() {
        // 38 segments: Reno, 38 ACKs for one more, half on loss.
        let (mut h, mut tp) = after_acks(38, 38);
        assert_eq!((tp.snd_cwnd, h.ssthresh(&mut tp)), (39, 39 - 19));
        // 39: two a round trip, 39 * 112 / 256 = 17 less.
        let (mut h, mut tp) = after_acks(39, 1);
        assert_eq!((tp.snd_cwnd_cnt, h.ssthresh(&mut tp)), (2, 39 - 17));
        // 1000 segments are in the row of 1058: 8 a round trip. It comes down again.
        let (mut h, mut tp) = after_acks(1_000, 125);
        assert_eq!((h.ai, tp.snd_cwnd), (7, 1_001));
        tp.snd_cwnd = 30;
        h.cong_avoid(&mut tp, 0, 1);
        assert_eq!(h.ai, 0);
    }
}
