//! Saturation throughput of n stations that contend by DCF or EDCA, all in range of each other.
//!
//! Source: G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", JSAC 18(3), 2000,
//! equations 7, 9, 13; with the finite retry limit of H. Wu et al., "Performance of reliable transport protocol over
//! IEEE 802.11 wireless LAN", INFOCOM 2002, equations 8-10. Exchanges enter as durations, so that single frames, A-MPDUs
//! and RTS/CTS use the same form.
//! Differs: D1 propagation is part of the durations passed in. D2 as in Bianchi, a busy medium lets every station's
//! counter go on by one, and who has just sent has no advantage in the slot after; the standard differs a little in both.

use super::{Form, inputs};

inputs! {
    /// What the model takes; defaults: 802.11a at 54 Mbit/s, UDP of 1472 bytes, acknowledgements at 24 Mbit/s.
    pub struct Bianchi {
        /// Stations.
        n ("n", "station") = 10.0, whole 1 => 10_000;
        /// Least contention window: backoff is 0..=CWmin slots.
        cw_min ("CWmin", "slot") = 15.0, whole 0 => 32_767;
        /// Greatest contention window.
        cw_max ("CWmax", "slot") = 1023.0, whole 0 => 32_767;
        /// Attempts until a frame is given up, the first counted.
        attempts ("m + 1", "attempt") = 7.0, whole 1 => 10_000;
        /// Slot.
        slot ("sigma", "us") = 9.0, in 0 => 1_000_000;
        /// Interframe space within an exchange.
        sifs ("SIFS", "us") = 16.0, in 0 => 1_000_000;
        /// Interframe space before contention (DIFS, or AIFS of the access category).
        aifs ("AIFS", "us") = 34.0, in 0 => 1_000_000;
        /// Duration of the data PPDU, one frame or an A-MPDU.
        data ("T_data", "us") = 248.0, in 0.1 => 1_000_000;
        /// Duration of its response, ACK or Block Ack.
        ack ("T_ack", "us") = 28.0, in 0 => 1_000_000;
        /// Idle time after a collision beyond AIFS. Bianchi has none; the standard's EIFS adds SIFS and an ACK at the
        /// lowest basic rate, 60 us at 6 Mbit/s.
        eifs ("EIFS - DIFS", "us") = 0.0, in 0 => 1_000_000;
        /// Duration of RTS; 0: none is sent.
        rts ("T_rts", "us") = 0.0, in 0 => 1_000_000;
        /// Duration of CTS.
        cts ("T_cts", "us") = 0.0, in 0 => 1_000_000;
        /// Payload of the exchange that counts as goodput, all frames of an A-MPDU together.
        payload ("E[P]", "byte") = 1472.0, in 0 => 10_000_000;
    }
}

/// The solution.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Solution {
    /// Probability that a station sends in a slot.
    pub tau: f64,
    /// Probability that what is sent collides.
    pub p: f64,
    /// Goodput of all stations together, Mbit/s.
    pub goodput: f64,
    /// Probability that a frame is given up.
    pub lost: f64,
}

fn power(base: f64, n: u32) -> f64 {
    (0..n).fold(1.0, |x, _| x * base)
}

impl Bianchi {
    /// Probability that a station sends in a slot, if what it sends collides with probability `p`: attempts of a frame
    /// over the slots that they take. Wu equations 8, 9; with endless attempts Bianchi's equation 7.
    pub fn tau(&self, p: f64) -> f64 {
        let (mut window, mut reached, mut sent, mut slots) = (self.cw_min + 1.0, 1.0, 0.0, 0.0);
        for _ in 0..(self.attempts as u32).max(1) {
            sent += reached;
            slots += reached * (window + 1.0) / 2.0;
            reached *= p;
            window = (2.0 * window).min(self.cw_max + 1.0);
        }
        sent / slots
    }
    /// Duration of a successful exchange with the idle time after it, us. Bianchi equation 14.
    pub fn success(&self) -> f64 {
        let reserve = if self.rts > 0.0 { self.rts + self.cts + 2.0 * self.sifs } else { 0.0 };
        reserve + self.data + self.sifs + self.ack + self.aifs
    }
    /// Duration of a collision with the idle time after it, us. Bianchi equation 14.
    pub fn collision(&self) -> f64 {
        let sent = if self.rts > 0.0 { self.rts } else { self.data };
        sent + self.eifs + self.aifs
    }
    /// Solves `p = 1 - (1 - tau(p))^(n-1)` (equations 7, 9) by bisection and gives the throughput (equation 13).
    pub fn solve(&self) -> Solution {
        let n = (self.n as u32).max(1);
        let (mut lo, mut hi) = (0.0, 1.0);
        for _ in 0..60 {
            let p = (lo + hi) / 2.0;
            if 1.0 - power(1.0 - self.tau(p), n - 1) > p { lo = p } else { hi = p }
        }
        let p = if n == 1 { 0.0 } else { (lo + hi) / 2.0 };
        let tau = self.tau(p);
        let busy = 1.0 - power(1.0 - tau, n);
        let won = f64::from(n) * tau * power(1.0 - tau, n - 1);
        let slot = (1.0 - busy) * self.slot + won * self.success() + (busy - won) * self.collision();
        Solution { tau, p, goodput: won * self.payload * 8.0 / slot, lost: power(p, (self.attempts as u32).max(1)) }
    }
}

pub(super) fn forms() -> Vec<Form> {
    vec![Form {
        name: "bianchi",
        title: "Saturation goodput of n contending stations with a finite retry limit",
        source: "Bianchi 2000 equations 7, 9, 13; Wu 2002 equations 8-10",
        inputs: Bianchi::rows(),
        outputs: vec!["goodput Mbit/s", "tau 1", "p 1", "lost 1"],
        eval: |v| {
            let s = Bianchi::read(v).solve();
            vec![s.goodput, s.tau, s.p, s.lost]
        },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Streams;

    #[test]
    fn endless_attempts_give_bianchis_closed_form() {
        let b = Bianchi { attempts: 2000.0, cw_min: 31.0, ..Bianchi::default() };
        for p in [0.0, 0.1, 0.3, 0.45, 0.7] {
            // tau = 2 (1 - 2p) / ((1 - 2p) (W + 1) + p W (1 - (2p)^m)), W = 32, m = 5.
            let (w, m) = (32.0, 5);
            let bianchi = 2.0 * (1.0 - 2.0 * p) / ((1.0 - 2.0 * p) * (w + 1.0) + p * w * (1.0 - power(2.0 * p, m)));
            assert!((b.tau(p) / bianchi - 1.0).abs() < 1e-9, "{p}: {} {bianchi}", b.tau(p));
        }
    }

    #[test]
    fn one_station_by_hand() {
        // 7.5 slots of 9 us, 248 + 16 + 28 + 34 us: 1472 bytes in 393.5 us. Bianchi's slot of the transmission itself
        // is none of idle time: (W - 1) / 2 = 7.5 idle slots a packet.
        let s = Bianchi { n: 1.0, ..Bianchi::default() }.solve();
        assert!((s.tau - 2.0 / 17.0).abs() < 1e-12 && s.p == 0.0 && s.lost == 0.0);
        assert!((s.goodput - 1472.0 * 8.0 / 393.5).abs() < 1e-9, "{}", s.goodput);
    }

    /// The slow twin: draws backoffs slot by slot under the model's own assumptions.
    fn drawn(b: &Bianchi, slots: u32) -> f64 {
        let mut r = Streams::new(1).get("bianchi", "twin");
        let n = b.n as usize;
        let window = |stage: u32| ((b.cw_min + 1.0) * power(2.0, stage)).min(b.cw_max + 1.0) as u32;
        let mut stage = vec![0; n];
        let mut left: Vec<u32> = (0..n).map(|_| r.below(window(0))).collect();
        let (mut time, mut bytes) = (0.0, 0.0);
        for _ in 0..slots {
            let senders: Vec<_> = (0..n).filter(|&i| left[i] == 0).collect();
            time += match senders.len() {
                0 => b.slot,
                1 => b.success(),
                _ => b.collision(),
            };
            if senders.len() == 1 {
                bytes += b.payload;
            }
            for l in &mut left {
                *l = l.saturating_sub(1);
            }
            for &i in &senders {
                stage[i] = if senders.len() == 1 || stage[i] + 1 >= b.attempts as u32 { 0 } else { stage[i] + 1 };
                left[i] = r.below(window(stage[i]));
            }
        }
        bytes * 8.0 / time
    }

    #[test]
    fn the_fixed_point_is_what_a_draw_of_its_assumptions_gives() {
        for (n, attempts, rts) in
            [(2.0, 7.0, 0.0), (5.0, 7.0, 0.0), (14.0, 7.0, 0.0), (14.0, 2.0, 0.0), (14.0, 7.0, 28.0)]
        {
            let b = Bianchi { n, attempts, rts, cts: rts, ..Bianchi::default() };
            let (closed, drawn) = (b.solve().goodput, drawn(&b, 400_000));
            assert!((closed / drawn - 1.0).abs() < 0.015, "n = {n}, {attempts} attempts: {closed}, drawn {drawn}");
        }
    }

    #[test]
    fn ns3_is_near() {
        // docs/reference-data.md, the saturation table, single frames of 1472 bytes, 2, 5, 10 and 14 stations. Data: 802.11a of
        // 1536 bytes at 54 Mbit/s; HT mixed format of 1538 bytes at 150 Mbit/s (36 us and 23 symbols of 3.6 us).
        let ht = Bianchi { data: 118.8, aifs: 43.0, ..Bianchi::default() };
        let rows = [(Bianchi::default(), [30.224, 29.112, 27.497, 26.627]), (ht, [45.638, 45.715, 43.828, 42.616])];
        for (b, ns3) in rows {
            for (n, ns3) in [2.0, 5.0, 10.0, 14.0].into_iter().zip(ns3) {
                let got = Bianchi { n, ..b }.solve().goodput;
                assert!((got / ns3 - 1.0).abs() < 0.025, "{n} stations, {} us: {got}, ns-3 {ns3}", b.data);
            }
        }
    }
}
