//! Gentle: Reno that gives up a part of its window after a loss, half by default.
//!
//! Stands for: nothing; it shows what a congestion control of one's own takes (CONTRIBUTING.md).

use super::{Control, reno_cong_avoid};
use crate::tcp::profile::Profile;
use crate::tcp::tp::Tp;

crate::params! {
    /// `[gentle]`.
    pub struct Params {
        /// Part of the window that a loss leaves, percent.
        beta: u32 = 50, in 1 => 99, src "rfc5681#3.1";
    }
}

/// Gentle.
#[derive(Clone, Debug)]
pub struct Gentle {
    beta: u32,
}

impl Gentle {
    /// Starts on a connection that is just established.
    pub fn new(p: &Params, _: &'static Profile, _: &mut Tp) -> Gentle {
        Gentle { beta: p.beta }
    }
}

impl Control for Gentle {
    fn ssthresh(&mut self, tp: &mut Tp) -> u32 {
        (tp.snd_cwnd * self.beta / 100).max(2)
    }
    fn cong_avoid(&mut self, tp: &mut Tp, _ack: u32, acked: u32) {
        reno_cong_avoid(tp, acked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::profile::V6_12;

    #[test]
    fn a_loss_leaves_its_part() {
        let mut tp = Tp::new(1_000, 0);
        tp.snd_cwnd = 40;
        let mut c = Gentle::new(&Params { beta: 70 }, &V6_12, &mut tp);
        assert_eq!(c.ssthresh(&mut tp), 28);
        tp.snd_cwnd = 1;
        assert_eq!(c.ssthresh(&mut tp), 2);
    }
}
