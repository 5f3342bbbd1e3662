//! NewReno: slow start, one segment a round trip above ssthresh, half the window on loss.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_cong.c `tcp_reno`. Differs: nothing.

use super::{Control, reno_cong_avoid, reno_ssthresh};
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

crate::params! {
    /// `[reno]`: nothing to set.
    pub struct Params {}
}

/// NewReno. It has no state of its own.
#[derive(Clone, Debug)]
pub struct Reno;

impl Reno {
    /// Starts.
    pub fn new(_: &Params, _: &'static Profile, _: &mut Tp) -> Reno {
        Reno
    }
}

impl Control for Reno {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        reno_ssthresh(tp)
    }
    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        reno_cong_avoid(tp, acked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_segment_a_window_above_ssthresh() {
        let mut tp = Tp::new(1000, 0);
        (tp.snd_cwnd, tp.snd_ssthresh, tp.is_cwnd_limited) = (10, 10, true);
        for _ in 0..9 {
            Reno.cong_avoid(&mut tp, 0, 1);
        }
        assert_eq!(tp.snd_cwnd, 10);
        Reno.cong_avoid(&mut tp, 0, 1);
        assert_eq!(tp.snd_cwnd, 11);
    }

    #[test]
    fn a_stretch_ack_crosses_ssthresh_exactly() {
        let mut tp = Tp::new(1000, 0);
        (tp.snd_cwnd, tp.snd_ssthresh, tp.is_cwnd_limited) = (10, 14, true);
        // 4 of 20 finish slow start, 16 count: at a window of 14 that is one step and 2 left over.
        Reno.cong_avoid(&mut tp, 0, 20);
        assert_eq!((tp.snd_cwnd, tp.snd_cwnd_cnt), (15, 2));
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let mut tp = Tp::new(1000, 0);
        (tp.snd_cwnd, tp.max_packets_out) = (68, 34);
        Reno.cong_avoid(&mut tp, 0, 2);
        assert_eq!(tp.snd_cwnd, 68, "twice what was out: TSQ freezes it here");
        tp.max_packets_out = 35;
        Reno.cong_avoid(&mut tp, 0, 2);
        assert_eq!(tp.snd_cwnd, 70);
    }
}
