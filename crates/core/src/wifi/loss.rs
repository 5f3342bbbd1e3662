//! What is decoded: MPDUs of a PPDU that did not collide are lost one by one, with the link's probability and the mode's; or, to a
//! station whose noise lasts, in runs.
//!
//! Runs: a chain of two states over the MPDUs of a PPDU (Gilbert's), lost and not. It has the link's probability as its share of lost
//! MPDUs, leaves the lost state with the inverse of the mean run, and begins each PPDU in either state as often as it is in it.
//!
//! Differs: D1 losses do not depend on the frame's length; D2 nor on the PPDU before: noise is not carried from one to the next.

use super::burst::StaIx;
use super::stations::StaMac;
use crate::phy::{McsLoss, Mode};
use crate::sim::{Bitmap, Stream, Streams};

/// The error rates of the links, and the random streams they draw from (one a transmitter).
#[derive(Clone, Debug)]
pub(super) struct Loss {
    up: Vec<f64>,
    down: Vec<f64>,
    /// Mean runs of MPDUs to each station that are lost, where they are lost in runs.
    runs: Vec<Option<f64>>,
    by_mcs: McsLoss,
    response: f64,
    data: Vec<Stream>,
    answers: Vec<Stream>,
}

impl Loss {
    pub fn new(stas: &[StaMac], by_mcs: McsLoss, response: f64, streams: &Streams) -> Loss {
        Loss {
            up: stas.iter().map(|s| s.error_up).collect(),
            down: stas.iter().map(|s| s.error_down).collect(),
            runs: stas.iter().map(|s| s.error_run).collect(),
            by_mcs,
            response,
            data: stas.iter().map(|s| streams.get(&s.name, "mpdu-loss")).collect(),
            answers: stas.iter().map(|s| streams.get(&s.name, "response-loss")).collect(),
        }
    }
    /// The places of those of `n` MPDUs, sent with `mode`, that arrive.
    pub fn decoded(&mut self, from: StaIx, to: StaIx, mode: Mode, n: usize) -> Bitmap {
        let all = Bitmap::first(n);
        let (link, run) = match from {
            StaIx::AP => (self.down[to.ix()], self.runs[to.ix()]),
            _ => (self.up[from.ix()], None),
        };
        let of_mode = self.by_mcs.at(mode);
        let rng = &mut self.data[from.ix()];
        match run {
            Some(run) => all.without(in_runs(link, run, n, rng)).without(each(of_mode, n, rng)),
            None if of_mode == 0.0 => all.without(each(link, n, rng)),
            None => all.without(each(1.0 - (1.0 - link) * (1.0 - of_mode), n, rng)),
        }
    }
    /// Whether the response that `from` sends is lost.
    pub fn response(&mut self, from: StaIx) -> bool {
        self.response > 0.0 && self.answers[from.ix()].chance(self.response)
    }
}

/// Each of `n` is lost with probability `p`.
fn each(p: f64, n: usize, rng: &mut Stream) -> Bitmap {
    if p <= 0.0 {
        return Bitmap::NONE;
    }
    (0..n).filter(|_| rng.chance(p)).collect()
}

/// A share `p` of them is lost, `run` in a row in the mean.
fn in_runs(p: f64, run: f64, n: usize, rng: &mut Stream) -> Bitmap {
    if p <= 0.0 {
        return Bitmap::NONE;
    }
    let (stays, begins) = (1.0 - 1.0 / run, p / (run * (1.0 - p)));
    let mut lost = Bitmap::NONE;
    for i in 0..n {
        let before = if i == 0 {
            p
        } else if lost.has(i - 1) {
            stays
        } else {
            begins
        };
        if rng.chance(before) {
            lost.put(i);
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 % lost, three in a row: both come out within four standard errors of 640,000 MPDUs.
    #[test]
    fn runs_have_their_share_and_their_length() {
        let rng = &mut Streams::new(5).get("ap", "mpdu-loss");
        let (mut lost, mut runs) = (0_u32, 0_u32);
        for _ in 0..10_000 {
            let bits = in_runs(0.08, 3.0, 64, rng);
            lost += bits.len() as u32;
            runs += (0..64).filter(|&i| bits.has(i) && !(i > 0 && bits.has(i - 1))).count() as u32;
        }
        let share = f64::from(lost) / 640_000.0;
        // Runs of three vary as much again: the share's standard error is about 0.0008.
        assert!((share - 0.08).abs() < 0.003, "{share}");
        // A PPDU of 64 cuts a run at either end now and then: a mean of 3 becomes 64 * 0.08 / (0.08 + 63 * 0.08 / 3).
        let mean = f64::from(lost) / f64::from(runs);
        assert!((mean - 64.0 / (1.0 + 63.0 / 3.0)).abs() < 0.06, "{mean}");
    }

    #[test]
    fn nothing_is_lost_on_a_perfect_link() {
        let rng = &mut Streams::new(5).get("ap", "mpdu-loss");
        assert!(in_runs(0.0, 3.0, 64, rng).is_empty() && each(0.0, 64, rng).is_empty());
    }
}
