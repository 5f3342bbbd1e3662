//! Scalable: one segment more for every hundred acknowledged, an eighth less on loss, whatever the window. Before 5.7 it was one for fifty
//! ACKs.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_scalable.c; Kelly: Scalable TCP (CCR 2003). Differs: nothing.

use super::{Control, additive_increase, beyond_slow_start};
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

/// Acknowledged segments for one more. src: linux@6.12 net/ipv4/tcp_scalable.c TCP_SCALABLE_AI_CNT
const AI_CNT: u32 = 100;
/// ACKs for one more, before 5.7. src: linux@5.4 net/ipv4/tcp_scalable.c TCP_SCALABLE_AI_CNT
const AI_CNT_ACKS: u32 = 50;
/// log2 of the part lost on a loss. src: linux@6.12 net/ipv4/tcp_scalable.c TCP_SCALABLE_MD_SCALE
const MD_SCALE: u32 = 3;

crate::params! {
    /// `[scalable]`: nothing to set.
    pub struct Params {}
}

/// Scalable.
#[derive(Clone, Debug)]
pub struct Scalable {
    /// See [`beyond_slow_start`].
    stretch_acks: bool,
}

impl Scalable {
    /// Starts.
    pub fn new(_: &Params, profile: &'static Profile, _: &mut Tp) -> Scalable {
        Scalable { stretch_acks: profile.stretch_acks }
    }
}

impl Control for Scalable {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        (tp.snd_cwnd - (tp.snd_cwnd >> MD_SCALE)).max(2)
    }
    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        if !tp.cwnd_limits() {
            return;
        }
        let acked = beyond_slow_start(tp, acked, self.stretch_acks);
        if acked > 0 {
            let cnt = if self.stretch_acks { AI_CNT } else { AI_CNT_ACKS };
            additive_increase(tp, tp.snd_cwnd.min(cnt), acked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::{V5_4, V6_12};

    #[test]
    fn a_hundredth_more_an_eighth_less() {
        let mut s = Scalable { stretch_acks: V6_12.stretch_acks };
        let mut tp = Tp::new(1000, 0);
        (tp.snd_cwnd, tp.snd_ssthresh, tp.is_cwnd_limited) = (400, 400, true);
        s.cong_avoid(&mut tp, 0, 399);
        assert_eq!((tp.snd_cwnd, tp.snd_cwnd_cnt), (403, 99));
        assert_eq!(s.ssthresh(&mut tp), 403 - 50);
        // Below a hundred segments it is Reno.
        (tp.snd_cwnd, tp.snd_ssthresh, tp.snd_cwnd_cnt) = (20, 20, 0);
        s.cong_avoid(&mut tp, 0, 20);
        assert_eq!(tp.snd_cwnd, 21);
    }

    #[test]
    fn fifty_acks_before_5_7() {
        let mut s = Scalable { stretch_acks: V5_4.stretch_acks };
        let mut tp = Tp::new(1000, 0);
        (tp.snd_cwnd, tp.snd_ssthresh, tp.is_cwnd_limited) = (400, 400, true);
        for _ in 0..49 {
            s.cong_avoid(&mut tp, 0, 2);
        }
        assert_eq!(tp.snd_cwnd, 400);
        s.cong_avoid(&mut tp, 0, 2);
        assert_eq!(tp.snd_cwnd, 401);
    }
}
