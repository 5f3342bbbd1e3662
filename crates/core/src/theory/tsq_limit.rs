//! How much TCP Small Queues lets a socket have below it: a part of a second at the pacing rate.
//!
//! Source: "The New TCP Modules on the Block" and Hard Times, Algorithms 1 and 2.
//! Differs: D1 the algorithms count payload; Linux counts truesize (tcp/sender/tsq.rs). D2 the cap is the print's 128 KB, which no kernel of the papers
//! had (design of the profiles: tcp/profile/mod.rs).

use super::{Form, inputs};

inputs! {
    /// What the algorithms take.
    pub struct Limit {
        /// Congestion window.
        cwnd ("cwnd", "segments") = 20.0, whole 1 => 1_000_000;
        /// Segment size.
        mss ("mss", "byte") = 1448.0, in 1 => 65_535;
        /// Round trip that the pacing rate divides by.
        rtt ("RTT", "us") = 1000.0, in 1 => 100_000_000;
        /// Pacing ratio.
        p ("p", "1") = 1.2, in 0 => 100;
        /// Shift of the rate: 10 is about 1 ms.
        shift ("shift", "1") = 10.0, whole 0 => 30;
        /// A packet.
        packet ("packet", "byte") = 1500.0, in 1 => 65_535;
        /// `tcp_limit_output_bytes`.
        cap ("cap", "byte") = 131_072.0, in 0 => 1_000_000_000;
    }
}

impl Limit {
    /// Pacing rate, byte/s. Algorithm 1.
    pub fn rate(&self) -> f64 {
        self.mss * self.cwnd * 1e6 / self.rtt * self.p
    }
    /// Bytes. Algorithm 2.
    pub fn limit(&self) -> f64 {
        (self.rate() / libm::exp2(self.shift)).max(2.0 * self.packet).min(self.cap)
    }
}

pub(super) fn forms() -> Vec<Form> {
    vec![Form {
        name: "tsq-limit",
        title: "Bytes that TSQ lets a socket have below it",
        source: "TSQ/TP and Hard Times, Algorithms 1 and 2",
        inputs: Limit::rows(),
        outputs: vec!["rate byte/s", "limit byte"],
        eval: |v| {
            let l = Limit::read(v);
            vec![l.rate(), l.limit()]
        },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_millisecond_of_the_rate_within_its_bounds() {
        // By hand: 20 segments of 1448 bytes a millisecond, times 1.2: 34.752 Mbyte/s; a 1024th of it is 33937.5 bytes.
        let l = Limit::default();
        assert!((l.limit() - 33_937.5).abs() < 1e-6, "{}", l.limit());
        // Half of the round trip is twice the ratio.
        assert_eq!(Limit { rtt: 500.0, ..l }.limit(), Limit { p: 2.4, ..l }.limit());
        assert_eq!(Limit { cwnd: 1.0, ..l }.limit(), 3_000.0);
        assert_eq!(Limit { cwnd: 1_000.0, ..l }.limit(), 131_072.0);
    }
}
