//! What a transmitter did on the air, counted: the same for a run, while it runs, and for a capture.

use crate::sim::Span;

/// PPDUs by the number of their MPDUs, those without a response, and the airtime of their exchanges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AirAccount {
    /// Data PPDUs by the number of their MPDUs; what has more counts with the last.
    pub hist: Vec<u64>,
    /// Of these, PPDUs that no response came to.
    pub unanswered: u64,
    /// Protection, data, response and the SIFS between; of a PPDU that collided the data alone.
    pub airtime: Span,
}

impl AirAccount {
    /// An empty one, for PPDUs of up to `most` MPDUs.
    pub fn new(most: usize) -> AirAccount {
        AirAccount { hist: vec![0; most + 1], unanswered: 0, airtime: Span::ZERO }
    }
    /// A data PPDU.
    #[inline]
    pub fn ppdu(&mut self, mpdus: usize, answered: bool, airtime: Span) {
        let last = self.hist.len() - 1;
        self.hist[mpdus.min(last)] += 1;
        self.unanswered += u64::from(!answered);
        self.airtime += airtime;
    }
    /// Adds another account of the same size.
    pub fn add(&mut self, other: &AirAccount) {
        self.hist.iter_mut().zip(&other.hist).for_each(|(a, b)| *a += b);
        self.unanswered += other.unanswered;
        self.airtime += other.airtime;
    }
}
