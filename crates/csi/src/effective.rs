//! Effective SNR: the sum over sub-carriers, eight at a time.

use crate::modulation::Modulation;

/// Sub-carriers taken together. The compiler makes vectors of such arrays, whatever the machine's are.
const LANES: usize = 8;

/// `log2(erfcx(s) / t)` as a polynomial of `t = 1 / (1 + s / 2)`, lowest power first: fitted as [`crate::modulation`]'s, off by 2.9e-6.
const FIT: [f32; 8] = [
    -1.265_509_3 * LOG2_E,
    0.999_604_6 * LOG2_E,
    0.384_089_84 * LOG2_E,
    0.004_035_713_6 * LOG2_E,
    0.248_290_64 * LOG2_E,
    -0.872_904_1 * LOG2_E,
    0.668_515_16 * LOG2_E,
    -0.166_122_11 * LOG2_E,
];
const LOG2_E: f32 = core::f32::consts::LOG2_E;

/// `2^z`, `z` from -120 to 120, within 1e-7.
///
/// What is asked for is 0 at most but for rounding, which from 90 dB on (numbers of 2^30, spaced 64 apart and more) is not small: callers cut it
/// at 100, too. That moves the logarithm of the sum by less than 100 of 1e9.
#[inline(always)]
fn exp2(z: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it leaves the nearest whole number in the lowest bits
    const C: [f32; 6] = [core::f32::consts::LN_2, 0.240_226_5, 0.055_504_1, 0.009_618_1, 0.001_333_4, 0.000_154_0]; // ln(2)^k / k!
    let r = z + ROUND;
    let f = z - (r - ROUND);
    let p = 1.0 + f * (C[0] + f * (C[1] + f * (C[2] + f * (C[3] + f * (C[4] + f * C[5])))));
    f32::from_bits(p.to_bits().wrapping_add(r.to_bits() << 23))
}

/// `sum(erfc(sqrt(c rho_i))) e^(c rho_min)` over a whole number of lanes.
#[inline]
fn sum(roots: &[f32], rho_min: f32, c: f32) -> f32 {
    let (root_c, scale) = (c.sqrt(), c * LOG2_E);
    let least = rho_min * scale;
    let mut total = [0.0_f32; LANES];
    for lane in roots.chunks_exact(LANES) {
        for (sum, &root) in total.iter_mut().zip(lane) {
            let t = 1.0 / (1.0 + 0.5 * root_c * root);
            let p = FIT[7] * t + FIT[6];
            let p = ((p * t + FIT[5]) * t + FIT[4]) * t + FIT[3];
            let p = ((p * t + FIT[2]) * t + FIT[1]) * t + FIT[0];
            let z = p - (root * root * scale - least);
            *sum += t * exp2(z.clamp(-100.0, 100.0));
        }
    }
    let [a, b, c, d, e, f, g, h] = total;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// Sub-carriers at a time that one call holds on its stack; more are taken in parts.
const PART: usize = 256;

/// Logarithm of the mean bit error rate (equation 5.7) over sub-carriers whose powers are `gains[i] * scale` (linear SNR). No sub-carriers:
/// none.
pub fn ln_effective_ber(m: Modulation, gains: &[f32], scale: f32) -> Option<f64> {
    let [ln] = ln_means([m], gains, scale)?;
    Some(ln)
}

/// `sum(e^(c rho_min - c rho_i))` over a whole number of lanes.
#[inline]
fn sum_exp(roots: &[f32], rho_min: f32, c: f32) -> f32 {
    let scale = c * LOG2_E;
    let least = rho_min * scale;
    let mut total = [0.0_f32; LANES];
    for lane in roots.chunks_exact(LANES) {
        for (sum, &root) in total.iter_mut().zip(lane) {
            *sum += exp2((least - root * root * scale).clamp(-100.0, 100.0));
        }
    }
    let [a, b, c, d, e, f, g, h] = total;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// Logarithm of the mean over sub-carriers of the Bhattacharyya bound of a bit that is weighed by its own sub-carrier (soft decisions): where
/// Table 5.2 has `f erfc(sqrt(c rho))`, `2 f exp(-c rho)`. No sub-carriers: none.
pub fn ln_bhattacharyya(m: Modulation, gains: &[f32], scale: f32) -> Option<f64> {
    let [ln] = ln_means_of([m], gains, scale, sum_exp)?;
    Some(core::f64::consts::LN_2 + ln)
}

fn ln_means<const N: usize>(ms: [Modulation; N], gains: &[f32], scale: f32) -> Option<[f64; N]> {
    ln_means_of(ms, gains, scale, sum)
}

#[inline(always)]
fn ln_means_of<const N: usize>(
    ms: [Modulation; N],
    gains: &[f32],
    scale: f32,
    sum: impl Fn(&[f32], f32, f32) -> f32,
) -> Option<[f64; N]> {
    if gains.is_empty() || !(scale.is_finite() && scale >= 0.0) {
        return None;
    }
    let rho_min = scale * gains.iter().fold(f32::INFINITY, |a, &g| a.min(g));
    let mut sums = [0.0_f64; N];
    for part in gains.chunks(PART) {
        // Lanes beyond the end are so strong that they err never.
        let mut roots = [1e9_f32; PART];
        let n = part.len().next_multiple_of(LANES);
        for (r, &g) in roots.iter_mut().zip(part) {
            *r = (g * scale).sqrt();
        }
        for (total, m) in sums.iter_mut().zip(ms) {
            *total += f64::from(sum(&roots[..n], rho_min, m.scale() as f32));
        }
    }
    let n = gains.len() as f64;
    let mut out = [0.0; N];
    for ((o, s), m) in out.iter_mut().zip(sums).zip(ms) {
        *o = m.ln_ber_of(libm::log(s / n) - f64::from(rho_min) * m.scale());
    }
    Some(out)
}

/// Effective SNR (linear) of each modulation of 802.11n, over sub-carriers with powers `gains[i] * scale` (linear SNR).
pub fn effective_of_powers(gains: &[f32], scale: f32) -> Option<[f64; 4]> {
    let ln = ln_means(Modulation::HT, gains, scale)?;
    let mut out = [0.0; 4];
    for ((o, l), m) in out.iter_mut().zip(ln).zip(Modulation::HT) {
        *o = m.snr_of_ln_ber(l);
    }
    Some(out)
}

/// Powers of the sub-carriers `csi` (real, imaginary, real, ...) divided by their mean (section 5.6.2, squared): one for each of `out`, which has
/// half the length of `csi`. None if they do not fit or nothing but zeros was reported.
pub fn powers(csi: &[i16], out: &mut [f32]) -> Option<()> {
    if csi.len() != 2 * out.len() {
        return None;
    }
    let mut total = 0_i64;
    for (o, z) in out.iter_mut().zip(csi.chunks_exact(2)) {
        let (re, im) = (i32::from(z[0]), i32::from(z[1]));
        let p = i64::from(re * re) + i64::from(im * im);
        total += p;
        *o = p as f32;
    }
    if total == 0 {
        return None;
    }
    let mean = out.len() as f32 / total as f32;
    for o in out {
        *o *= mean;
    }
    Some(())
}

/// Effective SNR in dB for BPSK, QPSK, 16-QAM and 64-QAM of one report: `csi` as it comes from the radio (real, imaginary, real, ...), scaled by
/// `snr_db` (the mean of both halves, smoothed: [`crate::mean_snr_db`], [`crate::Ewma`]). None if there is nothing in it, for more than 512 sub-carriers, and
/// for an SNR that is no number. Values stand at -100 dB and above.
pub fn effective_db(csi: &[i16], snr_db: f64) -> Option<[f64; 4]> {
    let mut gains = [0.0_f32; 512];
    let n = csi.len() / 2;
    let gains = gains.get_mut(..n)?;
    powers(csi, gains)?;
    let snr = crate::linear(snr_db);
    let e = effective_of_powers(gains, snr as f32)?;
    Some(e.map(|x| crate::db(x).max(-100.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modulation::{inverse_ln_erfc, ln_erfc_sqrt};

    fn exact(m: Modulation, rho: &[f64]) -> f64 {
        let least = rho.iter().fold(f64::INFINITY, |a, &b| a.min(b)) * m.scale();
        let sum: f64 = rho.iter().map(|r| libm::exp(ln_erfc_sqrt(r * m.scale()) + least)).sum();
        let s = inverse_ln_erfc(libm::log(sum / rho.len() as f64) - least);
        s * s / m.scale()
    }

    #[test]
    fn flat_is_its_own_effective_snr() {
        for db in [-10.0, 0.0, 3.0, 12.5, 25.0, 40.0, 60.0] {
            let csi: Vec<i16> = (0..114).flat_map(|i| if i % 2 == 0 { [300, 0] } else { [0, -300] }).collect();
            for e in effective_db(&csi, db).unwrap() {
                assert!((e - db).abs() < 0.01, "{e} for {db}");
            }
        }
    }

    #[test]
    fn a_fade_pulls_dense_modulations_less() {
        let mut csi: Vec<i16> = (0..114).flat_map(|_| [300, 0]).collect();
        csi[2 * 43] = 10;
        let [bpsk, _, _, qam64] = effective_db(&csi, 25.0).unwrap();
        assert!(bpsk < qam64 && qam64 < 25.0);
        // By hand: one of 114 sub-carriers at 316.2 * (10/300)^2 * 1.0088 = 0.354, BER Q(sqrt(0.709)) = 0.19995; / 114 = 1.754e-3,
        // which BPSK has at Q^-1 = 2.918, squared / 2 = 4.258: 6.29 dB.
        assert!((bpsk - 6.29).abs() < 0.02, "{bpsk}");
    }

    /// By hand, two sub-carriers of 16-QAM: 3/4 (exp(-10 / 10) + exp(-20 / 10)) / 2 = 0.188705; of 1024-QAM:
    /// 31/80 (exp(-1000 / 682) + exp(-2000 / 682)) / 2 = 0.0550336.
    #[test]
    fn soft_decisions_by_hand() {
        let got = ln_bhattacharyya(Modulation::Qam16, &[1.0, 2.0], 10.0).unwrap();
        assert!((libm::exp(got) - 0.188_705).abs() < 1e-5, "{got}");
        let got = ln_bhattacharyya(Modulation::Qam1024, &[1.0, 2.0], 1000.0).unwrap();
        assert!((libm::exp(got) - 0.055_033_6).abs() < 1e-6, "{got}");
        assert_eq!(ln_bhattacharyya(Modulation::Qam16, &[], 10.0), None);
        // Far below what a number holds: -1000 + ln 1.
        let far = ln_bhattacharyya(Modulation::Bpsk, &[1.0; 114], 1000.0).unwrap();
        assert!((far + 1000.0).abs() < 1e-3, "{far}");
    }

    #[test]
    fn odd_reports() {
        assert_eq!(effective_db(&[], 20.0), None);
        assert_eq!(effective_db(&[0; 228], 20.0), None);
        assert_eq!(effective_db(&[1; 227], 20.0), None);
        assert_eq!(effective_db(&[1; 2048], 20.0), None);
        assert_eq!(effective_db(&[300; 228], f64::NAN), None);
        assert!(effective_db(&[i16::MIN; 228], 20.0).is_some(), "the widest number does not overflow");
        let e = effective_db(&[300; 2 * 300], 20.0).unwrap();
        assert!((e[3] - 20.0).abs() < 0.01, "more than one part");
    }

    proptest::proptest! {
        /// Where numbers are so large that their differences have no fraction left, and the weakest sub-carrier is all that counts.
        #[test]
        fn very_strong_signals(gains in proptest::collection::vec(0.01_f32..4.0, 1..300), db in 75.0_f64..160.0) {
            let snr = crate::linear(db) as f32;
            let least = f64::from(gains.iter().fold(f32::INFINITY, |a, &g| a.min(g)) * snr);
            for e in effective_of_powers(&gains, snr).unwrap() {
                proptest::prop_assert!((crate::db(e) - crate::db(least)).abs() < 0.01, "{e} for {least}");
            }
            for m in Modulation::ALL {
                let ln = ln_bhattacharyya(m, &gains, snr).unwrap();
                proptest::prop_assert!(ln < -100.0, "{m:?}: {ln}");
            }
        }

        #[test]
        fn as_the_exact_sum(gains in proptest::collection::vec(1e-4_f32..4.0, 1..300), db in -5.0_f64..45.0) {
            let snr = crate::linear(db);
            let rho: Vec<f64> = gains.iter().map(|&g| f64::from(g * snr as f32)).collect();
            for (e, m) in effective_of_powers(&gains, snr as f32).unwrap().into_iter().zip(Modulation::HT) {
                let wanted = exact(m, &rho);
                let off = crate::db(e) - crate::db(wanted);
                proptest::prop_assert!(off.abs() < 0.01, "{m:?}: {e} for {wanted}");
            }
        }
    }
}
