//! What is decoded: MPDUs of a PPDU that did not collide are lost one by one, with a configured probability.
//!
//! Differs: D1 losses are independent of each other, of the rate and of the frame's length.

use super::burst::StaIx;
use super::medium::StaMac;
use crate::sim::{Stream, Streams};

/// The error rates of the links, and the random streams they draw from (one a transmitter).
#[derive(Clone, Debug)]
pub(super) struct Loss {
    up: Vec<f64>,
    down: Vec<f64>,
    response: f64,
    data: Vec<Stream>,
    answers: Vec<Stream>,
}

impl Loss {
    pub fn new(stas: &[StaMac], response: f64, streams: &Streams) -> Loss {
        Loss {
            up: stas.iter().map(|s| s.error_up).collect(),
            down: stas.iter().map(|s| s.error_down).collect(),
            response,
            data: stas.iter().map(|s| streams.get(&s.name, "mpdu-loss")).collect(),
            answers: stas.iter().map(|s| streams.get(&s.name, "response-loss")).collect(),
        }
    }
    /// Which of `n` MPDUs arrive: bit `i` for the `i`-th.
    pub fn decoded(&mut self, from: StaIx, to: StaIx, n: u32) -> u64 {
        let all = if n == 0 { 0 } else { u64::MAX >> (64 - n) };
        let p = if from == StaIx::AP { self.down[to.ix()] } else { self.up[from.ix()] };
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
