//! Scalable: one segment more for every hundred acknowledged, an eighth less on loss, whatever the window.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_scalable.c; Kelly: Scalable TCP (CCR 2003). Differs: nothing.

use super::{Control, additive_increase, slow_start};
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

/// Acknowledged segments for one more. src: linux@6.12 net/ipv4/tcp_scalable.c TCP_SCALABLE_AI_CNT
const AI_CNT: u32 = 100;
/// log2 of the part lost on a loss. src: linux@6.12 net/ipv4/tcp_scalable.c TCP_SCALABLE_MD_SCALE
const MD_SCALE: u32 = 3;

crate::params! {
    /// `[tcp.scalable]`: nothing to set.
    pub struct Params {}
}

/// Scalable. It has no state of its own.
#[derive(Clone, Debug)]
pub struct Scalable;

impl Scalable {
    /// Starts.
    pub fn new(_: &Params, _: &'static Profile, _: &mut Tp) -> Scalable {
        Scalable
    }
}

impl Control for Scalable {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        (tp.snd_cwnd - (tp.snd_cwnd >> MD_SCALE)).max(2)
    }
    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, mut acked: u32) {
        if !tp.cwnd_limits() {
            return;
        }
        if tp.in_slow_start() {
            acked = slow_start(tp, acked);
            if acked == 0 {
                return;
            }
        }
        additive_increase(tp, tp.snd_cwnd.min(AI_CNT), acked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundredth_more_an_eighth_less() {
        let mut tp = Tp::new(1000, 0);
        (tp.snd_cwnd, tp.snd_ssthresh, tp.is_cwnd_limited) = (400, 400, true);
        Scalable.cong_avoid(&mut tp, 0, 399);
        assert_eq!((tp.snd_cwnd, tp.snd_cwnd_cnt), (403, 99));
        assert_eq!(Scalable.ssthresh(&mut tp), 403 - 50);
        // Below a hundred segments it is Reno.
        (tp.snd_cwnd, tp.snd_ssthresh, tp.snd_cwnd_cnt) = (20, 20, 0);
        Scalable.cong_avoid(&mut tp, 0, 20);
        assert_eq!(tp.snd_cwnd, 21);
    }
}
