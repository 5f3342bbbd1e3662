//! How much of the time goes to something else than user bytes, from 802.11b to 802.11n.
//!
//! Source: A. Zhushi's thesis, Figures 1.1 and 1.2 and section 3.1. The figures' formula is not printed. It is read as: the share of
//! a transmission's cycle in which no payload (IP packets, 1500 bytes) is on the air; a cycle is the interframe space, the mean
//! backoff, preamble, frame, SIFS, preamble and acknowledgement. With TCP ACKs, one for every second packet has a cycle of its own.
//! Differs: D1 time on the air is bits over rate, as in the thesis's other forms: no whole symbols.

use super::{Form, inputs};

inputs! {
    /// A cycle.
    pub struct Overhead {
        /// PHY rate.
        rate ("rate", "Mbit/s") = 54.0, in 0.1 => 100_000;
        /// Packets in one transmission.
        n ("n", "packet") = 1.0, in 1 => 1_024;
        /// Interframe space before contention.
        difs ("DIFS", "us") = 34.0, in 0 => 1_000_000;
        /// Slot.
        slot ("SLOT", "us") = 9.0, in 0 => 1_000_000;
        /// Smallest contention window.
        cw ("CWmin", "slot") = 15.0, whole 0 => 32_767;
        /// Preamble and header of a data frame.
        preamble ("t_preamble", "us") = 20.0, in 0 => 1_000_000;
        /// Interframe space before the acknowledgement.
        sifs ("SIFS", "us") = 16.0, in 0 => 1_000_000;
        /// The acknowledgement, preamble included.
        ack ("t_ack", "us") = 28.0, in 0 => 1_000_000;
        /// Bytes of a packet.
        packet ("L_packet", "byte") = 1500.0, in 1 => 65_535;
        /// Bytes around it: MAC header, LLC, FCS, and of an A-MPDU delimiter and padding.
        around ("L_around", "byte") = 36.0, in 0 => 65_535;
        /// TCP ACKs a packet: 0 (none), 0.5 (delayed).
        tacks ("tcp_acks", "ACK/packet") = 0.0, in 0 => 10;
        /// Bytes of a TCP ACK.
        tack ("L_TACK", "byte") = 52.0, in 0 => 65_535;
    }
}

impl Overhead {
    /// What passes on average before a frame, us.
    pub fn idle(&self) -> f64 {
        self.difs + self.slot * self.cw / 2.0
    }
    /// The packets' own time, us.
    pub fn payload(&self) -> f64 {
        self.n * self.packet * 8.0 / self.rate
    }
    fn cycle(&self, bytes: f64) -> f64 {
        self.idle() + self.preamble + bytes * 8.0 / self.rate + self.sifs + self.ack
    }
    /// The whole time, us: the packets' cycle, and as many of TCP ACKs as belong to them. (In an A-MPDU's answer they share one.)
    pub fn whole(&self) -> f64 {
        let acks = self.tacks * self.n;
        let cycles = acks.min(1.0);
        let data = self.cycle(self.n * (self.packet + self.around));
        let more = (acks - cycles) * (self.tack + self.around) * 8.0 / self.rate;
        data + cycles * self.cycle(self.tack + self.around) + more
    }
    /// Share of the time that is not the packets'.
    pub fn share(&self) -> f64 {
        1.0 - self.payload() / self.whole()
    }
}

pub(super) fn forms() -> Vec<Form> {
    vec![Form {
        name: "overhead",
        title: "Share of the time that is not the payload's, 802.11b to 802.11n",
        source: "thesis Figures 1.1, 1.2 and section 3.1",
        inputs: Overhead::rows(),
        outputs: vec!["overhead %", "utilisation %", "idle us", "packet us"],
        eval: |v| {
            let o = Overhead::read(v);
            vec![100.0 * o.share(), 100.0 * (1.0 - o.share()), o.idle(), o.payload()]
        },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Band, Dsss, Ofdm};
    use crate::sim::Span;
    use crate::theory::exchange::{exchange_11b, exchange_ofdm};

    /// Against the timings of `phy`, which round to microseconds and symbols.
    #[test]
    fn cycles_agree_with_the_phys() {
        let a = Overhead::default();
        let phy = exchange_ofdm(Ofdm::R54, 1536, Band::Ghz5, Span::from_us(9), None).ns() as f64 / 1e3;
        assert!((a.whole() / phy - 1.0).abs() < 0.01, "{} {phy}", a.whole());
        let b = Overhead {
            rate: 11.0,
            difs: 50.0,
            slot: 20.0,
            cw: 31.0,
            preamble: 96.0,
            sifs: 10.0,
            ack: 96.0 + 10.2,
            ..a
        };
        let phy = exchange_11b(Dsss::R11, 1536, true).ns() as f64 / 1e3;
        assert!((b.whole() / phy - 1.0).abs() < 0.002, "{} {phy}", b.whole());
    }

    #[test]
    fn by_hand() {
        let a = Overhead::default();
        // 34 + 67.5 + 20 + 227.6 + 16 + 28 = 393.1; the payload is 222.2 of them.
        assert!((a.share() - (1.0 - 222.222 / 393.056)).abs() < 1e-4);
        // An ACK for every second packet: half a cycle of 34 + 67.5 + 20 + 13 + 16 + 28.
        let t = Overhead { tacks: 0.5, ..a };
        assert!((t.whole() - a.whole() - 0.5 * 178.537).abs() < 1e-2);
        let n = Overhead { n: 42.0, tacks: 0.5, ..a };
        assert!((n.whole() - 42.0 * 227.556 - 2.0 * 165.5 - 21.0 * 88.0 * 8.0 / 54.0).abs() < 1e-1);
    }
}
