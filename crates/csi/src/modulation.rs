//! Modulations and their uncoded bit error rates.
//!
//! Everything is a multiple of `erfc(sqrt(x))`, with `x` the SNR times a constant of the modulation, since `Q(sqrt(2 x)) = erfc(sqrt(x)) / 2`.

/// A modulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Modulation {
    /// One bit a symbol.
    Bpsk,
    /// Two.
    Qpsk,
    /// Four.
    Qam16,
    /// Six.
    Qam64,
    /// Eight (802.11ac; not in Table 5.2, by the same formula for square constellations).
    Qam256,
    /// Ten (802.11ax; by the same formula).
    Qam1024,
}

impl Modulation {
    /// All, sparsest first.
    pub const ALL: [Modulation; 6] = [
        Modulation::Bpsk,
        Modulation::Qpsk,
        Modulation::Qam16,
        Modulation::Qam64,
        Modulation::Qam256,
        Modulation::Qam1024,
    ];
    /// Those of 802.11n and of Table 5.2.
    pub const HT: [Modulation; 4] = [Modulation::Bpsk, Modulation::Qpsk, Modulation::Qam16, Modulation::Qam64];

    /// SNR to the argument of `erfc(sqrt(.))`. src: Table 5.2; 256-QAM and 1024-QAM: 3 / (2 (M - 1))
    pub(crate) const fn scale(self) -> f64 {
        [1.0, 1.0 / 2.0, 1.0 / 10.0, 1.0 / 42.0, 1.0 / 170.0, 1.0 / 682.0][self as usize]
    }
    /// Natural logarithm of what stands before `erfc`: half of Table 5.2's factor before Q.
    const fn ln_factor(self) -> f64 {
        // ln(1/2), ln(1/2), ln(3/8), ln(7/24); by 2 (1 - 1/sqrt(M)) / log2(M): ln(15/64), ln(31/160)
        [
            -core::f64::consts::LN_2,
            -core::f64::consts::LN_2,
            -0.980_829_253_011_726_2,
            -1.232_143_681_292_632_4,
            -1.450_832_882_258_461_4,
            -1.641_186_610_748_680_6,
        ][self as usize]
    }

    /// Logarithm of the bit error rate at an SNR (linear). Finite for every SNR.
    pub fn ln_ber(self, snr: f64) -> f64 {
        self.ln_factor() + ln_erfc_sqrt(snr.max(0.0) * self.scale())
    }
    /// Bit error rate at an SNR (linear); 0 where it is below what an `f64` holds.
    pub fn ber(self, snr: f64) -> f64 {
        libm::exp(self.ln_ber(snr))
    }
    /// The SNR (linear) at which the bit error rate has this logarithm (equation 5.8). Rates above that of no signal give 0.
    pub fn snr_of_ln_ber(self, ln_ber: f64) -> f64 {
        let s = inverse_ln_erfc(ln_ber - self.ln_factor());
        s * s / self.scale()
    }
    /// Logarithm of a BER, from the logarithm of the `erfc` part.
    pub(crate) fn ln_ber_of(self, ln_erfc: f64) -> f64 {
        self.ln_factor() + ln_erfc
    }
}

/// `ln(erfcx(s) / t)` as a polynomial of `t = 1 / (1 + s / 2)`, lowest power first: least squares on 200 Chebyshev nodes of `t` in
/// 0 to 1, against SciPy's `erfcx`; off by 1.1e-7 at most.
const FIT: [f64; 10] = [
    -1.265_512_23,
    1.000_023_68,
    0.374_091_96,
    0.096_784_189_5,
    -0.186_288_062,
    0.278_868_085,
    -1.135_204,
    1.488_515_89,
    -0.822_152_234,
    0.170_872_778,
];

/// `ln(erfcx(s))`, `s >= 0`.
fn ln_erfcx(s: f64) -> f64 {
    let t = 1.0 / (1.0 + s / 2.0);
    libm::log(t) + FIT.iter().rev().fold(0.0, |sum, c| sum * t + c)
}

/// `ln(erfc(sqrt(x)))`, `x >= 0`.
pub(crate) fn ln_erfc_sqrt(x: f64) -> f64 {
    ln_erfcx(libm::sqrt(x)) - x
}

/// The `s >= 0` with `ln(erfc(s)) = l`; 0 for `l >= 0`.
pub(crate) fn inverse_ln_erfc(l: f64) -> f64 {
    if l >= 0.0 {
        return 0.0;
    }
    // erfc(s) is about exp(-s^2) / (1 + sqrt(pi) s): two rounds of that, then Newton.
    let mut s = libm::sqrt(-l);
    s = libm::sqrt((-l - libm::log(1.0 + 1.772_453_85 * s)).max(0.25 * -l));
    for _ in 0..4 {
        let ln_x = ln_erfcx(s);
        // d ln(erfc(s)) / ds = -2 / (sqrt(pi) erfcx(s))
        let step = (ln_x - s * s - l) * 0.886_226_925_452_758 * libm::exp(ln_x);
        s = (s + step).max(0.0);
        if step.abs() < 1e-7 * s {
            break;
        }
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    /// src: Abramowitz and Stegun, table 7.1, and SciPy's erfcx for what is beyond it
    #[test]
    fn erfc_against_tables() {
        for (s, erfc) in [
            (0.0, 1.0),
            (0.1, 0.887_537_083_981_715),
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (2.0, 0.004_677_734_981_047_266),
            (3.0, 2.209_049_699_858_544e-5),
        ] {
            let ours = libm::exp(ln_erfc_sqrt(s * s));
            assert!((ours / erfc - 1.0).abs() < 2e-7, "erfc({s}) = {ours}, not {erfc}");
        }
        // ln(erfc(100)) = -10000 - ln(100 sqrt(pi)) - 1/(2 100^2)
        assert!((ln_erfc_sqrt(1e4) + 10_000.0 + 5.177_584_963).abs() < 2e-4);
    }

    /// src: Table 5.2 by hand: BPSK at 9.6 dB has the textbook's 1e-5; 64-QAM without signal 7/24. Denser ones by the formula of their kind.
    #[test]
    fn bit_error_rates() {
        let at = |m: Modulation, db: f64| m.ber(libm::pow(10.0, db / 10.0));
        assert!((at(Modulation::Bpsk, 9.588) / 1e-5 - 1.0).abs() < 0.01);
        assert!((at(Modulation::Qpsk, 9.588 + 3.0103) / at(Modulation::Bpsk, 9.588) - 1.0).abs() < 1e-4);
        assert!((Modulation::Qam64.ber(0.0) - 7.0 / 24.0).abs() < 1e-6);
        assert!((Modulation::Qam16.ber(0.0) - 3.0 / 8.0).abs() < 1e-6);
        // 16-QAM at 10 dB: 3/4 Q(sqrt 2) = 0.75 * 0.0786496 = 0.0589872
        assert!((at(Modulation::Qam16, 10.0) - 0.058_987_2).abs() < 1e-6);
        // 64-QAM at 20 dB: 7/12 Q(sqrt(100/21)) = 0.583333 * Q(2.182179) = 0.583333 * 0.0145479
        assert!((at(Modulation::Qam64, 20.0) - 0.008_486_3).abs() < 2e-6);
        assert!((Modulation::Qam256.ber(0.0) - 15.0 / 64.0).abs() < 1e-6);
        assert!((Modulation::Qam1024.ber(0.0) - 31.0 / 160.0).abs() < 1e-6);
        // 256-QAM at 30 dB: 15/32 Q(sqrt(1000/85)) = 0.46875 * Q(3.429972) = 0.46875 * 0.000301822
        assert!((at(Modulation::Qam256, 30.0) / 1.414_791e-4 - 1.0).abs() < 1e-5);
        // 1024-QAM at 30 dB: 31/80 Q(sqrt(1000/341)) = 0.3875 * Q(1.712469) = 0.3875 * 0.0434051
        assert!((at(Modulation::Qam1024, 30.0) - 0.016_819_5).abs() < 1e-6);
    }

    #[test]
    fn the_inverse_is_one() {
        for m in Modulation::ALL {
            for i in -200..=600 {
                let snr = libm::pow(10.0, f64::from(i) / 100.0);
                let back = m.snr_of_ln_ber(m.ln_ber(snr));
                assert!((10.0 * libm::log10(back / snr)).abs() < 1e-3, "{m:?} at {} dB: {back}", f64::from(i) / 10.0);
            }
            assert!(m.snr_of_ln_ber(0.0) == 0.0);
        }
    }
}
