//! What is decoded: MPDUs of a PPDU that did not collide are lost one by one, with the link's probability and the mode's.
//!
//! Differs: D1 losses are independent of each other and of the frame's length.

use super::burst::StaIx;
use super::medium::StaMac;
use crate::phy::{McsLoss, Mode};
use crate::sim::{Stream, Streams};

/// The error rates of the links, and the random streams they draw from (one a transmitter).
#[derive(Clone, Debug)]
pub(super) struct Loss {
    up: Vec<f64>,
    down: Vec<f64>,
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
            by_mcs,
            response,
            data: stas.iter().map(|s| streams.get(&s.name, "mpdu-loss")).collect(),
            answers: stas.iter().map(|s| streams.get(&s.name, "response-loss")).collect(),
        }
    }
    /// Which of `n` MPDUs that are sent with `mode` arrive: bit `i` for the `i`-th.
    pub fn decoded(&mut self, from: StaIx, to: StaIx, mode: Mode, n: u32) -> u64 {
        let all = if n == 0 { 0 } else { u64::MAX >> (64 - n) };
        let link = if from == StaIx::AP { self.down[to.ix()] } else { self.up[from.ix()] };
        let p = match self.by_mcs.at(mode) {
            0.0 => link,
            m => 1.0 - (1.0 - link) * (1.0 - m),
        };
        if p <= 0.0 {
            return all;
        }
        let rng = &mut self.data[from.ix()];
        (0..n).fold(0, |got, i| got | u64::from(!rng.chance(p)) << i)
    }
    /// Whether the response that `from` sends is lost.
    pub fn response(&mut self, from: StaIx) -> bool {
        self.response > 0.0 && self.answers[from.ix()].chance(self.response)
    }
}
