//! TCP over 802.11a with and without TCP/HACK, where TCP ACKs ride on the link layer's acknowledgements.
//!
//! Source: A. Zhushi, "Cross-Layer Techniques for Efficient Medium Access in Wi-Fi Networks", equations 3.1 and 3.2,
//! Table 3.1. Lossless, no collisions, one TCP ACK for two segments.
//! Differs: D1 the user bytes are not listed; 1460 reproduce the thesis's curves. D2 the overhead's factor does not
//! multiply `2 T_data` (the print has lost the braces).

use super::{Form, inputs};

inputs! {
    /// What the model takes (Table 3.1).
    pub struct Hack {
        /// PHY rate of data and TCP ACKs.
        rate ("rate", "Mbit/s") = 54.0, in 0.1 => 100_000;
        /// Bytes of a data packet.
        data ("L_data", "byte") = 1500.0, in 1 => 65_535;
        /// Bytes of it that the user counts.
        user ("L_Udata", "byte") = 1460.0, in 1 => 65_535;
        /// Bytes of a TCP ACK.
        tack ("L_TACK", "byte") = 76.0, in 0 => 65_535;
        /// Interframe space within an exchange.
        sifs ("T_SIFS", "us") = 16.0, in 0 => 1_000_000;
        /// Interframe space before contention.
        difs ("T_DIFS", "us") = 34.0, in 0 => 1_000_000;
        /// Mean backoff, 7.5 slots.
        bo ("T_BO", "us") = 67.5, in 0 => 1_000_000;
        /// Link-layer acknowledgement.
        dack ("T_DACK", "us") = 22.6, in 0 => 1_000_000;
        /// Link-layer acknowledgement that carries a compressed TCP ACK.
        dack_hack ("T_DACK_HACK", "us") = 25.3, in 0 => 1_000_000;
        /// Preamble and SIGNAL of a frame.
        plcp ("T_PLCP", "us") = 20.0, in 0 => 1_000_000;
    }
}

impl Hack {
    fn time(&self, bytes: f64) -> f64 {
        bytes * 8.0 / self.rate
    }
    /// Time that two segments and their TCP ACK take as frames, us: what equation 3.1 divides by.
    pub fn cycle(&self) -> f64 {
        let overhead = 3.0 * (self.difs + self.sifs + self.bo + self.dack);
        2.0 * self.time(self.data) + overhead + self.time(self.tack) + 6.0 * self.plcp
    }
    /// Share of the time in which user bytes are on the air, TCP ACKs sent as frames. Equation 3.1.
    pub fn tcp_utilisation(&self) -> f64 {
        2.0 * self.time(self.user) / self.cycle()
    }
    /// The same, TCP ACKs riding on link-layer acknowledgements. Equation 3.2.
    pub fn hack_utilisation(&self) -> f64 {
        let overhead = self.difs + self.sifs + self.bo + self.dack_hack;
        self.time(self.user) / (self.time(self.data) + overhead + 2.0 * self.plcp)
    }
}

pub(super) fn forms() -> Vec<Form> {
    vec![Form {
        name: "hack",
        title: "TCP goodput over 802.11a, with TCP ACKs as frames and riding on link-layer ACKs",
        source: "thesis equations 3.1, 3.2",
        inputs: Hack::rows(),
        outputs: vec!["TCP Mbit/s", "HACK Mbit/s", "gain 1"],
        eval: |v| {
            let h = Hack::read(v);
            let (tcp, hack) = (h.tcp_utilisation(), h.hack_utilisation());
            vec![tcp * h.rate, hack * h.rate, hack / tcp - 1.0]
        },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eight_rates_of_802_11a() {
        // Worked out from the printed formulas.
        let rates = [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0];
        let tcp = [5.0, 7.1, 9.0, 12.3, 14.9, 19.1, 22.2, 23.5];
        let hack = [5.4, 7.7, 9.9, 13.8, 17.1, 22.6, 27.0, 28.8];
        for (i, rate) in rates.into_iter().enumerate() {
            let h = Hack { rate, ..Hack::default() };
            assert!((h.tcp_utilisation() * rate - tcp[i]).abs() < 0.06, "{rate}: {}", h.tcp_utilisation() * rate);
            assert!((h.hack_utilisation() * rate - hack[i]).abs() < 0.06, "{rate}: {}", h.hack_utilisation() * rate);
        }
    }

    #[test]
    fn udp_is_hack_with_a_bare_acknowledgement() {
        // Worked out: 802.11a UDP at 54 Mbit/s, acknowledgements at 24 Mbit/s: 30.6; 37 us later: 27.9.
        let udp = Hack { user: 1472.0, dack_hack: 14.0 * 8.0 / 24.0, ..Hack::default() };
        assert!((udp.hack_utilisation() * 54.0 - 30.6).abs() < 0.05);
        let late = Hack { dack_hack: udp.dack_hack + 37.0, ..udp };
        assert!((late.hack_utilisation() * 54.0 - 27.9).abs() < 0.05);
    }
}
