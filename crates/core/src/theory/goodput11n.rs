//! TCP goodput over 802.11n as a function of the A-MPDU's size.
//!
//! Source: A. Zhushi's thesis, appendix A, equations A.1-A.4, Table A.1, Figure 4.4: n data frames in one A-MPDU are
//! answered by n / 2 TCP ACKs in another; short guard interval, 40 MHz, no loss.
//! Differs: D1 brackets lost in the print of A.4 are put back, `(3n/2 - 2) * t_pad`, and that is never below zero. D2
//! the pad is not listed: 1536 bytes need none.

use super::{Form, inputs};

inputs! {
    /// What the model takes (Table A.1).
    pub struct Goodput {
        /// Data frames in an A-MPDU.
        n ("n", "frame") = 42.0, in 1 => 1_024;
        /// PHY rate.
        rate ("rate", "Mbit/s") = 150.0, in 0.1 => 100_000;
        /// Spatial streams.
        n_ss ("N_ss", "stream") = 1.0, whole 1 => 8;
        /// User bytes of a data frame.
        user ("L_Udata", "byte") = 1448.0, in 1 => 65_535;
        /// Bytes of a data frame with its headers and FCS.
        frame ("L_Frame", "byte") = 1536.0, in 1 => 65_535;
        /// Bytes of a TCP ACK.
        tack ("L_TACK", "byte") = 52.0, in 0 => 65_535;
        /// Interframe space within an exchange.
        sifs ("SIFS", "us") = 16.0, in 0 => 1_000_000;
        /// Interframe space before contention, AIFSN 3.
        difs ("DIFS", "us") = 43.0, in 0 => 1_000_000;
        /// Mean backoff.
        backoff ("E_backoff", "us") = 67.5, in 0 => 1_000_000;
        /// Block Ack at 24 Mbit/s.
        ba ("t_ba", "us") = 10.6, in 0 => 1_000_000;
        /// RTS and CTS at 24 Mbit/s.
        rtscts ("t_rtscts", "us") = 27.2, in 0 => 1_000_000;
        /// Short training field.
        stf ("STF", "us") = 8.0, in 0 => 1_000_000;
        /// Long training field.
        ltf ("LTF", "us") = 8.0, in 0 => 1_000_000;
        /// SIGNAL.
        sig ("SIG", "us") = 8.0, in 0 => 1_000_000;
        /// Long training field of each stream.
        ltf1 ("LTF1", "us") = 4.0, in 0 => 1_000_000;
        /// Bytes of a delimiter.
        delim ("L_delim", "byte") = 4.0, in 0 => 65_535;
        /// Bytes of padding of a subframe.
        pad ("L_pad", "byte") = 0.0, in 0 => 65_535;
    }
}

impl Goodput {
    fn time(&self, bytes: f64) -> f64 {
        bytes * 8.0 / self.rate
    }
    /// Preamble, us. Equation A.3.
    pub fn preamble(&self) -> f64 {
        self.stf + self.ltf + self.sig + self.n_ss * self.ltf1
    }
    /// Overhead of the two channel accesses, us. Equation A.2.
    pub fn dcf_overhead(&self) -> f64 {
        2.0 * (self.difs + self.backoff + self.ba + self.preamble() + self.sifs + self.rtscts)
    }
    /// Overhead of the subframes, us. Equation A.4.
    pub fn ampdu_overhead(&self) -> f64 {
        let subframes = 1.5 * self.n;
        subframes * self.time(self.delim) + (subframes - 2.0).max(0.0) * self.time(self.pad)
    }
    /// Share of the time in which user bytes are on the air. Equation A.1.
    pub fn utilisation(&self) -> f64 {
        self.n * self.time(self.user)
            / (self.n * self.time(self.frame)
                + libm::floor(self.n / 2.0) * self.time(self.tack)
                + self.dcf_overhead()
                + self.ampdu_overhead())
    }
}

pub(super) fn forms() -> Vec<Form> {
    vec![Form {
        name: "goodput-11n",
        title: "TCP goodput over 802.11n as a function of the A-MPDU's size",
        source: "thesis equations A.1-A.4",
        inputs: Goodput::rows(),
        outputs: vec!["utilisation 1", "goodput Mbit/s"],
        eval: |v| {
            let g = Goodput::read(v);
            vec![g.utilisation(), g.utilisation() * g.rate]
        },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_and_computed_points() {
        // Worked out from the printed formulas: rate, streams, n, user bytes, ACK bytes, goodput.
        let points = [
            (600.0, 4.0, 1.0, 1448.0, 52.0, 27.0),
            (600.0, 4.0, 42.0, 1448.0, 52.0, 378.0),
            (150.0, 1.0, 1.0, 1448.0, 52.0, 24.8),
            (150.0, 1.0, 42.0, 1448.0, 52.0, 124.8),
            (135.0, 1.0, 42.0, 1448.0, 52.0, 113.5),
            (150.0, 1.0, 1.0, 1500.0, 88.0, 25.7),
            (150.0, 1.0, 42.0, 1500.0, 88.0, 128.0),
        ];
        for (rate, n_ss, n, user, tack, goodput) in points {
            let g = Goodput { rate, n_ss, n, user, tack, ..Goodput::default() };
            let got = g.utilisation() * rate;
            assert!((got / goodput - 1.0).abs() < 0.003, "{rate} Mbit/s, n = {n}: {got}, not {goodput}");
        }
    }

    #[test]
    fn overheads_by_hand() {
        let g = Goodput { pad: 3.0, n: 1.0, ..Goodput::default() };
        assert_eq!(g.preamble(), 28.0);
        assert!((g.dcf_overhead() - 384.6).abs() < 1e-9, "2 (43 + 67.5 + 10.6 + 28 + 16 + 27.2)");
        assert!((g.ampdu_overhead() - 1.5 * 32.0 / 150.0).abs() < 1e-12, "one frame: nothing is padded");
    }
}
