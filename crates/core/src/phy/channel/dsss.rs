//! How an octet of DSSS or CCK fares at an SNR.
//!
//! Stands for: 802.11-2020 clauses 15 and 16 (Barker words of 11 chips, DBPSK and DQPSK; complementary code words of 8 chips), received without multipath and
//! told apart differentially. DBPSK: exp(-Eb/N0) / 2, and DQPSK's usual approximation (Proakis, "Digital communications", 5.2.8). CCK: the union bound over the
//! words' distances, each weighed by Q, as IEEE 802.15.2-2003 and 802.15.4-2006 (annex E) have it; SNR is that in 22 MHz, half of what the chips alone would
//! make of it (Pursley and Royster, "Properties and performance of the IEEE 802.11b complementary-code-key signal sets", IEEE Trans. Commun. 57, 2009, by
//! which ns-3's dsss-error-rate-model.cc reckons: the same within 0.2 dB).
//! Differs: D1 of multipath only the power counts, chips do not disturb each other; D2 errors of different octets are independent; D3 header and preamble,
//! which are slower, are not lost alone.

use crate::phy::Dsss;

/// What of the noise's band is DSSS's, MHz.
pub(super) const MHZ: f64 = 22.0;

/// Words of CCK by half the square of their distance from one, chips of unit energy.
const CCK_5_5: [(f64, f64); 2] = [(8.0, 14.0), (16.0, 1.0)];
const CCK_11: [(f64, f64); 6] = [(4.0, 24.0), (6.0, 16.0), (8.0, 174.0), (10.0, 16.0), (12.0, 24.0), (16.0, 1.0)];

/// The Gaussian tail.
fn q(x: f64) -> f64 {
    libm::erfc(x / core::f64::consts::SQRT_2) / 2.0
}

/// How likely another word is taken for the one that was sent.
fn cck(distances: &[(f64, f64)], snr: f64) -> f64 {
    distances.iter().map(|&(d, n)| n * q(libm::sqrt(d * snr))).sum()
}

/// At this SNR in 22 MHz: how likely a unit is wrong, a bit or a word of CCK, and how many an octet has.
fn errors(rate: Dsss, snr: f64) -> (f64, f64) {
    use core::f64::consts::{PI, SQRT_2};
    let (p, units) = match rate {
        Dsss::R1 => (libm::exp(-MHZ * snr) / 2.0, 8.0),
        Dsss::R2 => {
            let x = MHZ / 2.0 * snr;
            ((SQRT_2 + 1.0) / libm::sqrt(8.0 * PI * SQRT_2 * x) * libm::exp((SQRT_2 - 2.0) * x), 8.0)
        }
        Dsss::R5_5 => (cck(&CCK_5_5, snr), 2.0),
        Dsss::R11 => (cck(&CCK_11, snr), 1.0),
    };
    (p.min(0.5), units)
}

/// What an octet's survival falls by: an MPDU of `n` octets arrives with probability `exp(-n x)`.
pub(super) fn per_octet(rate: Dsss, snr: f64) -> f64 {
    let (p, units) = errors(rate, snr);
    -units * libm::log1p(-p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words by 802.11-2020 16.3.6.6.2 to 16.3.6.6.4, phases in quarters of a turn.
    fn word([a, b, c, d]: [u32; 4]) -> [u32; 8] {
        [a + b + c + d, a + c + d, a + b + d, a + d + 2, a + b + c, a + c, a + b + 2, a].map(|p| p % 4)
    }
    fn distances(words: &[[u32; 8]]) -> Vec<(f64, f64)> {
        // Half the square of a chord: 0, 1, 2, 1.
        let half = |w: &[u32; 8]| w.iter().zip(&words[0]).map(|(a, b)| [0, 1, 2, 1][((a + 4 - b) % 4) as usize]).sum();
        let all: Vec<u32> = words[1..].iter().map(half).collect();
        let of = |d: u32| (f64::from(d), all.iter().filter(|&&x| x == d).count() as f64);
        (1..=16).map(of).filter(|&(_, n)| n > 0.0).collect()
    }
    #[test]
    fn words_lie_so_far_apart() {
        let all = |n: u32| (0..n).flat_map(move |a| (0..n).map(move |b| (a, b)));
        let of_11: Vec<_> = all(4).flat_map(|(a, b)| all(4).map(move |(c, d)| word([a, b, c, d]))).collect();
        assert_eq!(distances(&of_11), CCK_11);
        // Two bits choose the first phase, one the second (a quarter or three), one the fourth (none or a half).
        let of_5_5: Vec<_> = (0..4).flat_map(|a| all(2).map(move |(b, d)| word([a, 2 * b + 1, 0, 2 * d]))).collect();
        assert_eq!(distances(&of_5_5), CCK_5_5);
    }

    /// 1078 octets arrive: at which SNR, dB in 22 MHz, by the reference values of ns-3's test (wifi-error-rate-models-test.cc, from Pursley and Royster), whose
    /// noise is at -93.5522786 dBm. Here within 0.2 dB.
    #[test]
    fn as_ns_3_has_it() {
        let cases = [
            (Dsss::R1, -98.0, 0.202),
            (Dsss::R1, -97.0, 0.813),
            (Dsss::R2, -93.0, 0.519),
            (Dsss::R2, -92.0, 0.915),
            (Dsss::R5_5, -91.0, 0.132),
            (Dsss::R5_5, -90.0, 0.744),
            (Dsss::R11, -88.0, 0.128),
            (Dsss::R11, -87.0, 0.739),
        ];
        for (rate, dbm, wanted) in cases {
            let at = |db: f64| libm::exp(-1_078.0 * per_octet(rate, libm::pow(10.0, (dbm + db + 93.552_278_6) / 10.0)));
            assert!(at(-0.2) < wanted && wanted < at(0.2), "{rate:?} {dbm}: {} {wanted} {}", at(-0.2), at(0.2));
            if rate <= Dsss::R2 {
                assert!((at(0.0) - wanted).abs() < 0.005, "{rate:?} {dbm}: {}", at(0.0));
            }
        }
    }
    #[test]
    fn no_signal_is_noise() {
        assert!(Dsss::ALL.iter().all(|&r| errors(r, 0.0).0 == 0.5 && errors(r, 100.0).0 < 1e-80));
    }
}
