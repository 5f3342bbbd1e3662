//! How much an aggregating link carries, and how long its queue is, when TCP lets k packets wait at the NIC.
//!
//! Source: "Aggregating Without Bloating: Hard Times for TCP on Wi-Fi", section IV, equations 1-5, Table I.
//! Differs: D1 equation 4 is read as `ceil(k / mxg) * TxTime(mxg)` (the print is damaged). D2 `l_oh`, 48 bytes in
//! Table I, enters equation 2 in bits. D3 k is a real number, as in the paper's curves.

use super::{Form, inputs};

inputs! {
    /// What the model takes (Table I).
    pub struct Model {
        /// Packets that TSQ lets out.
        t ("t", "packets") = 100.0, in 0 => 1_000_000;
        /// Pacing ratio.
        p ("p", "1") = 1.2, in 0 => 100;
        /// Share of t * p that is really backlogged at the NIC (fitted by the paper).
        c ("c", "1") = 0.8, in 0 => 1;
        /// Packet size.
        l ("l", "byte") = 1500.0, in 1 => 65_535;
        /// Overhead of the PHY for each aggregate.
        l_oh ("l_oh", "byte") = 48.0, in 0 => 65_535;
        /// The station's bit rate.
        r ("r", "Mbit/s") = 216.0, in 0.1 => 100_000;
        /// Overhead of a transmission: interframe spaces, Block Ack, mean backoff.
        t_oh ("t_oh", "us") = 500.0, in 0 => 1_000_000;
        /// Round trip without a queue.
        rtt_base ("RTT_base", "us") = 2500.0, in 0 => 10_000_000;
        /// Longest aggregate, as time at the bit rate.
        mxg_time ("mxg", "us") = 4000.0, in 0 => 1_000_000;
    }
}

impl Model {
    /// Packets waiting at the NIC. Equation 1.
    pub fn k(&self) -> f64 {
        self.t * self.p * self.c
    }
    /// Packets in the longest aggregate: whole ones, at least one (72 at 216 Mbit/s).
    pub fn mxg(&self) -> f64 {
        libm::floor(self.mxg_time * self.r / (self.l * 8.0) + 1e-9).max(1.0)
    }
    /// Time to send an aggregate of `k` packets, us. Equation 2.
    pub fn tx_time(&self, k: f64) -> f64 {
        (k * self.l * 8.0 + self.l_oh * 8.0) / self.r + self.t_oh
    }
    /// Throughput of aggregates of `k` packets, Mbit/s. Equation 3.
    pub fn thr(&self, k: f64) -> f64 {
        if k > 0.0 { k * self.l * 8.0 / self.tx_time(k) } else { 0.0 }
    }
    /// Round-trip time with `k` packets waiting, us. Equation 4.
    pub fn rtt(&self, k: f64) -> f64 {
        let mxg = self.mxg();
        self.rtt_base + if k <= mxg { 2.0 * self.tx_time(k) } else { libm::ceil(k / mxg) * self.tx_time(mxg) }
    }
    /// Throughput with `k` packets waiting, Mbit/s. Equation 5.
    pub fn bw(&self, k: f64) -> f64 {
        self.thr(k.min(self.mxg()))
    }
}

pub(super) fn forms() -> Vec<Form> {
    vec![Form {
        name: "hard-times",
        title: "Throughput and round-trip time of an aggregating link under TSQ",
        source: "Hard Times section IV, equations 1-5",
        inputs: Model::rows(),
        outputs: vec!["k packet", "mxg packet", "TxTime us", "RTT us", "BW Mbit/s"],
        eval: |v| {
            let m = Model::read(v);
            let k = m.k();
            vec![k, m.mxg(), m.tx_time(k), m.rtt(k), m.bw(k)]
        },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_i_gives_the_computed_checks() {
        // Worked out from Table I: plateau 191.9 Mbit/s from k = 72; RTT 11.5 ms there; 38.5 ms at t = 400, p = 1.6.
        let m = Model::default();
        assert_eq!(m.mxg(), 72.0);
        assert!((m.bw(72.0) - 191.9).abs() < 0.05 && m.bw(500.0) == m.bw(72.0));
        assert!((m.rtt(72.0) - 11_500.0).abs() < 10.0, "{}", m.rtt(72.0));
        let far = Model { t: 400.0, p: 1.6, ..m };
        assert_eq!(far.k(), 512.0);
        assert!((far.rtt(far.k()) - 38_500.0).abs() < 50.0, "{}", far.rtt(far.k()));
        // By hand: one packet takes (12000 + 384) / 216 + 500 = 557.333 us.
        assert!((m.tx_time(1.0) - 557.333_333).abs() < 1e-5);
    }

    #[test]
    fn without_aggregation_the_queue_is_a_staircase_of_packets() {
        let m = Model { mxg_time: 0.0, ..Model::default() };
        assert_eq!((m.mxg(), m.bw(50.0)), (1.0, m.thr(1.0)));
        assert!((m.rtt(10.0) - (2500.0 + 10.0 * m.tx_time(1.0))).abs() < 1e-9);
    }
}
