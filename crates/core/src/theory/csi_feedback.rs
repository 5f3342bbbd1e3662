//! What effective SNR costs in a Block Ack: its bits at the control rate.
//!
//! Source: the thesis, section 5.8.4.
//! Differs: D1 fractions of a symbol count (on the air a response is rounded up to whole symbols of 4 us). D2 what the loss of utilisation is of is not
//! said ("by equation 3.1"): here of that equation's cycle at its defaults, two segments and their TCP ACK at 54 Mbit/s, one of whose acknowledgements carries the bits.

use super::hack::Hack;
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
    /// Utilisation that it costs, percent.
    pub fn loss(&self) -> f64 {
        100.0 * self.airtime() / (Hack::default().cycle() + self.airtime())
    }
}

pub(super) fn forms() -> Vec<Form> {
    vec![Form {
        name: "csi-feedback",
        title: "Effective SNR in a Block Ack",
        source: "thesis, section 5.8.4",
        inputs: Feedback::rows(),
        outputs: vec!["airtime us", "loss %"],
        eval: |v| {
            let f = Feedback::read(v);
            vec![f.airtime(), f.loss()]
        },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 * 12000 / 54 + 3 * (34 + 16 + 67.5 + 22.6) + 608 / 54 + 6 * 20 = 996.0 us a cycle: 0.375 of it is 0.0376 %, the thesis's 0.04.
    #[test]
    fn of_equation_3_1() {
        assert!((Feedback::default().loss() - 0.037_64).abs() < 1e-5, "{}", Feedback::default().loss());
    }

    #[test]
    fn nine_bits_at_24_mbit() {
        assert_eq!(Feedback::default().airtime(), 0.375);
        assert_eq!(Feedback { streams: 3.0, ..Feedback::default() }.airtime(), 1.125);
    }
}
