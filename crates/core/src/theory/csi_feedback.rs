//! What effective SNR costs in a Block Ack: its bits at the control rate.
//!
//! Source: the thesis, section 5.8.4.
//! Differs: D1 fractions of a symbol count (on the air a response is rounded up to whole symbols of 4 us).

use super::{Form, inputs};

inputs! {
    /// Feedback in a Block Ack.
    pub struct Feedback {
        /// Bits a spatial stream.
        bits ("b", "bit") = 9.0, whole 0 => 1_000;
        /// Spatial streams.
        streams ("n", "1") = 1.0, whole 1 => 8;
        /// Rate of the Block Ack.
        rate ("R", "Mbit/s") = 24.0, in 0.1 => 100_000;
    }
}

impl Feedback {
    /// Time on the air, us.
    pub fn airtime(&self) -> f64 {
        self.bits * self.streams / self.rate
    }
}

pub(super) fn forms() -> Vec<Form> {
    vec![Form {
        name: "csi-feedback",
        title: "Effective SNR in a Block Ack",
        source: "thesis, section 5.8.4",
        inputs: Feedback::rows(),
        outputs: vec!["airtime us"],
        eval: |v| vec![Feedback::read(v).airtime()],
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_bits_at_24_mbit() {
        assert_eq!(Feedback::default().airtime(), 0.375);
        assert_eq!(Feedback { streams: 3.0, ..Feedback::default() }.airtime(), 1.125);
    }
}
