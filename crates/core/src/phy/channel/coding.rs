//! From coded bits to the loss of an MPDU: what the convolutional code and its puncturing leave.
//!
//! Stands for: 802.11-2020 17.3.5.6 (K = 7, generators 133 and 171, octal; punctured to 2/3, 3/4, 5/6). A decoder's bit error rate is bounded by
//! the union over its weight spectrum, each term by `D^d`, D being Bhattacharyya's parameter of a coded bit. Soft decisions: each bit is weighed by the SNR
//! of its sub-carrier, D is the mean of `2 f exp(-c rho)` (Caire, Taricco and Biglieri, "Bit-interleaved coded modulation", IEEE Trans. Inform. Theory
//! 44, 1998; f and c: Table 5.2). Hard decisions: `D = sqrt(4 p (1 - p))`, p the mean uncoded bit error rate. Spectra: Haccoun and Begin, "High-rate
//! punctured convolutional codes" (IEEE Trans. Commun. 37, 1989), as the NIST error rate model of ns-3 uses them (nist-error-rate-model.cc).
//! Differs: D1 a bound: thresholds lie some tenths of a dB above a decoder's, and 0.9 to 1.8 dB above those of simulated links (docs/channel.md); D2 the
//! interleaver is perfect: a code word sees the mean over all sub-carriers; D3 errors of different octets are independent; D4 LDPC, which HE has to use
//! beyond 20 MHz and with 1024-QAM ([`He::ldpc`](crate::phy::He::ldpc)), is taken as the convolutional code of its rate; by those simulations it needs
//! 1.5 to 2 dB less (MCS 0 to 9; of 1024-QAM there is none with the convolutional code).

crate::choices! {
    /// What a receiver's decoder is given of each coded bit.
    pub enum Decisions {
        /// How likely it is a one: a strong sub-carrier outweighs a faded one. As receivers do.
        Soft = "soft",
        /// A zero or a one: a faded sub-carrier's bit counts as much as another's.
        Hard = "hard",
    }
}

/// A code rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeRate {
    /// One half.
    Half,
    /// Two thirds.
    TwoThirds,
    /// Three quarters.
    ThreeQuarters,
    /// Five sixths.
    FiveSixths,
}

/// Weights of the first paths, from the free distance on (at rate 1/2 every second one is zero).
const SPECTRA: [(u32, u32, [f64; 10]); 4] = [
    (10, 2, [36.0, 211.0, 1_404.0, 11_633.0, 77_433.0, 502_690.0, 3_322_763.0, 21_292_910.0, 134_365_911.0, 0.0]),
    (6, 1, [3.0, 70.0, 285.0, 1_276.0, 6_160.0, 27_128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0]),
    (
        5,
        1,
        [42.0, 201.0, 1_492.0, 10_469.0, 62_935.0, 379_644.0, 2_253_373.0, 13_073_811.0, 75_152_755.0, 428_005_675.0],
    ),
    (
        4,
        1,
        [
            92.0,
            528.0,
            8_694.0,
            79_453.0,
            792_114.0,
            7_375_573.0,
            67_884_974.0,
            610_875_423.0,
            5_427_275_376.0,
            47_664_215_639.0,
        ],
    ),
];

impl CodeRate {
    /// Information bits a puncturing period.
    const fn bits(self) -> f64 {
        [1.0, 2.0, 3.0, 5.0][self as usize]
    }
    /// Bit error rate behind the decoder, from Bhattacharyya's parameter of its bits.
    pub fn decoded(self, d: f64) -> f64 {
        let (free, step, weights) = SPECTRA[self as usize];
        let (mut power, factor) = (libm::pow(d, f64::from(free)), if step == 2 { d * d } else { d });
        let mut sum = 0.0;
        for w in weights {
            sum += w * power;
            power *= factor;
        }
        (sum / (2.0 * self.bits())).min(0.5)
    }
    /// What an octet's survival falls by: an MPDU of `n` octets arrives with probability `exp(-n x)`.
    pub fn per_octet(self, d: f64) -> f64 {
        -8.0 * libm::log1p(-self.decoded(d))
    }
}

/// Bhattacharyya's parameter of bits that are decided before they are decoded, by their error rate.
pub fn hard(ber: f64) -> f64 {
    let p = ber.clamp(0.0, 0.5);
    libm::sqrt(4.0 * p * (1.0 - p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_csi::{Modulation, linear, ln_bhattacharyya};

    /// The SNR from which on fewer than a tenth of MPDUs of 1538 octets are lost, dB, in steps of a tenth, by MCS.
    fn thresholds(decisions: Decisions) -> Vec<f64> {
        let lost = |m, r, i| mpdu_loss(m, r, f64::from(i) / 10.0, decisions);
        let of = |(m, r)| (0..400).find(|&i| lost(m, r, i) < 0.1).map(|i| f64::from(i) / 10.0).unwrap();
        super::super::MCS.iter().copied().map(of).collect()
    }

    fn mpdu_loss(m: Modulation, r: CodeRate, db: f64, decisions: Decisions) -> f64 {
        let d = match decisions {
            Decisions::Soft => libm::exp(ln_bhattacharyya(m, &[1.0], linear(db) as f32).unwrap()),
            Decisions::Hard => hard(m.ber(linear(db))),
        };
        1.0 - libm::exp(-1538.0 * r.per_octet(d))
    }

    /// By hand: rate 5/6 at p = 1e-4: D = 0.0199990; (92 D^4 + 528 D^5 + 8694 D^6 + 79453 D^7 + ...) / 10.
    #[test]
    fn a_bound_by_hand() {
        let d: f64 = 0.019_999;
        let leading = (92.0 * d.powi(4) + 528.0 * d.powi(5) + 8694.0 * d.powi(6) + 79_453.0 * d.powi(7)) / 10.0;
        let all = CodeRate::FiveSixths.decoded(hard(1e-4));
        assert!((all / leading - 1.0).abs() < 0.02 && all > leading, "{all} {leading}");
        assert_eq!(CodeRate::Half.decoded(hard(0.0)), 0.0);
        assert_eq!(CodeRate::Half.decoded(hard(0.5)), 0.5);
    }

    /// Every step up costs SNR, and the range is a receiver's: 802.11-2020 table 19-23 asks -82 to -64 dBm at 20 MHz for 10 % loss of 4095
    /// octets, 18 dB between MCS 0 and 7; here 19 dB, and 20 with hard decisions. 802.11ax-2021 table 27-51 asks -57, -54 and -52 dBm at MCS 9 to 11,
    /// 30 dB between 0 and 11; here 31 dB, and 32.
    #[test]
    fn thresholds_rise_with_the_mcs() {
        for (decisions, lowest, ht, highest) in [(Decisions::Soft, 1.7, 20.9, 32.5), (Decisions::Hard, 3.8, 23.7, 35.6)]
        {
            let t = thresholds(decisions);
            assert!(t.windows(2).all(|w| w[0] < w[1]), "{t:?}");
            for (mcs, wanted) in [(0, lowest), (7, ht), (11, highest)] {
                assert!((t[mcs] - wanted).abs() < 0.3, "MCS {mcs}: {t:?}");
            }
            assert!((3.0..5.0).contains(&(t[10] - t[9])) && (5.0..7.0).contains(&(t[11] - t[9])), "{t:?}");
        }
    }

    /// A tenth of 1458 octets over a flat channel, ideal receivers, simulated: MCS 0 to 9 of the convolutional code, 0 to 11 of LDPC. src: ns-3
    /// src/wifi/model/reference/error-rate-tables.cc (MATLAB's WLAN Toolbox), logarithms interpolated
    #[test]
    fn simulated_links_need_less() {
        let bcc = [0.86, 3.89, 6.37, 9.63, 12.72, 17.02, 18.31, 19.58, 23.65, 25.10];
        let ldpc = [-0.67, 2.34, 4.81, 7.87, 10.89, 15.08, 16.46, 17.99, 21.64, 23.47, 26.78, 28.86];
        let t = thresholds(Decisions::Soft);
        for (mcs, (ours, theirs)) in t.iter().zip(bcc).enumerate() {
            assert!((0.8..1.9).contains(&(ours - theirs)), "MCS {mcs}: {ours}, not {theirs}");
        }
        for (mcs, (ours, theirs)) in t.iter().zip(ldpc).enumerate() {
            assert!((2.3..4.4).contains(&(ours - theirs)), "MCS {mcs}, LDPC: {ours}, not {theirs}");
        }
    }
}
