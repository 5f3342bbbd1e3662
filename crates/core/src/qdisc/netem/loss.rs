//! Which packets are lost: each by itself, or in bursts.
//!
//! Stands for: linux@6.12 net/sched/sch_netem.c loss_event with CLG_RANDOM and CLG_GILB_ELL (loss_gilb_ell).
//! Differs: D1 no CLG_4_STATES (`loss state`).

use super::Params;
use super::random::{Chance, draw, scaled};
use crate::sim::random::Stream;

/// What decides.
#[derive(Clone, Copy, Debug)]
pub(super) enum Loss {
    /// A chance. src: `CLG_RANDOM`
    Random(Chance),
    /// A chain of two states. src: `CLG_GILB_ELL`
    GilbertElliott(Chain),
}

/// Gilbert's and Elliott's channel: good or bad, and another probability of loss in each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    bad: bool,
    /// Of turning bad, of turning good again.
    pub(super) p: u32,
    pub(super) r: u32,
    /// What arrives while it is bad.
    pub(super) h: u32,
    /// What is lost while it is good.
    pub(super) one_less_k: u32,
}

impl Chain {
    /// Next state, and whether the packet is lost in the one that was. src: `loss_gilb_ell`
    fn loses(&mut self, random: &mut Stream) -> bool {
        if self.bad {
            self.bad = draw(random) >= self.r;
            draw(random) > self.h
        } else {
            self.bad = draw(random) < self.p;
            draw(random) < self.one_less_k
        }
    }
}

impl Loss {
    /// src: linux@6.12 net/sched/sch_netem.c get_loss_clg; iproute2 tc/q_netem.c netem_parse_opt (it is told 1-h, the kernel h)
    pub(super) fn new(set: &Params, random: &mut Stream) -> Loss {
        let Some(p) = set.gemodel_p else {
            return Loss::Random(Chance::new(set.loss, set.loss_correlation, random));
        };
        Loss::GilbertElliott(Chain {
            bad: false,
            p: scaled(p),
            r: scaled(set.gemodel_r),
            h: u32::MAX - scaled(set.gemodel_1h),
            one_less_k: scaled(set.gemodel_1k),
        })
    }
    /// src: `loss_event`
    #[inline]
    pub(super) fn loses(&mut self, random: &mut Stream) -> bool {
        match self {
            Loss::Random(chance) => chance.happens(random),
            Loss::GilbertElliott(chain) => chain.loses(random),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::random::Streams;

    #[test]
    fn a_bad_channel_loses_in_bursts() {
        let mut random = Streams::new(2).get("netem", "path");
        let set =
            Params { gemodel_p: Some(0.01), gemodel_r: 0.2, gemodel_1h: 0.9, gemodel_1k: 0.001, ..Params::default() };
        let mut loss = Loss::new(&set, &mut random);
        let lost: Vec<bool> = (0..200_000).map(|_| loss.loses(&mut random)).collect();
        // Bad p/(p+r) of the time.
        let share = lost.iter().filter(|x| **x).count() as f64 / 200_000.0;
        assert!((share - (0.9 * 0.01 + 0.001 * 0.2) / 0.21).abs() < 0.003, "{share}");
        let after = lost.windows(2).filter(|w| w[0] && w[1]).count() as f64 / (200_000.0 * share);
        assert!((0.66..0.76).contains(&after), "after a loss it is mostly bad still: {after}");
    }
}
